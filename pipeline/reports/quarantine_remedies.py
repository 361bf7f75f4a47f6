"""What each reason for quarantine means, and what a data manager can do about it."""

from typing import NamedTuple


class Remedy(NamedTuple):
    """One line on what happened and one on what to do."""

    meaning: str
    action: str


_UNKNOWN = Remedy(
    "A step refused the note for a reason without a code.",
    "Look at stage and error class; a rerun retries the note. If it stays, report the two.",
)

_BUG = "This should not happen: report stage, reason and version."

_REMEDIES = {
    # The document
    "encrypted": Remedy(
        "The document asks for a password.",
        "Export it again without protection; the next run reads it.",
    ),
    "no-text-layer": Remedy(
        "The document is a scan, and recognition (OCR) is not installed or not wanted.",
        "Install tesseract with the data of extraction.languages; such documents are then read.",
    ),
    "page-without-text": Remedy(
        "A page of the document is a scan, and recognition (OCR) is not installed or not wanted.",
        "Install tesseract with the data of extraction.languages; such documents are then read.",
    ),
    "garbled-text": Remedy(
        "The document's fonts do not say which letters they draw.",
        "Install tesseract, which reads what is seen; or export it with embedded fonts.",
    ),
    "hidden-text": Remedy(
        "The document holds text that nobody sees: white, tiny or behind a picture.",
        "Install tesseract, which reads what is seen; or export the document again.",
    ),
    "nothing-recognized": Remedy(
        "The document is made of pictures, and no writing was recognized in them.",
        "Look at it: a photograph needs no release, a faint scan is to be made again.",
    ),
    "page-too-large": Remedy(
        "A page is so large that no affordable picture of it would show its letters.",
        "Look at it: it may be hostile, or a plan; export it at its real size.",
    ),
    "not-recognized": Remedy(
        "Recognition (OCR) failed on a page.",
        "Look at the file; run again; if it stays, scan it anew.",
    ),
    "unread-part": Remedy(
        "Part of what the document shows lies in another document.",
        "Have it merged, or exported as PDF upstream.",
    ),
    "too-many-parts": Remedy(
        "The message has more parts, or messages within messages, than a letter has.",
        "Look at it: it may be hostile; export its text alone.",
    ),
    "mojibake": Remedy(
        "Some of the text was decoded wrongly before it was stored, and only in part.",
        "Export it again from the source as UTF-8.",
    ),
    "no-body-text": Remedy(
        "Every line of the document looks like letterhead, margin or footer.",
        'Look at it; set extraction.layout = "full", or train the classes on your own pages.',
    ),
    "low-quality": Remedy(
        "The text of the document does not look like what a reader would see.",
        "Look at it; have it scanned or exported again, or lower extraction.min_quality.",
    ),
    "broken": Remedy(
        "The document's structure is broken.",
        "Open it in a viewer; export it again from the source system.",
    ),
    "unknown-format": Remedy(
        "The document is of a kind that no extractor reads.",
        "Convert it to PDF or plain text upstream.",
    ),
    "unknown-encoding": Remedy(
        "The bytes of the text fit no encoding that can be told for sure.",
        "Store it as UTF-8 upstream.",
    ),
    "empty": Remedy("The document is an empty file.", "Export it again."),
    "missing-document": Remedy(
        "The note points to a document that is not in the folder.",
        "Check source.documents, and that the file share was mounted during the run.",
    ),
    "no-document-folder": Remedy(
        "The note points to a document, and no folder of documents is configured.",
        "Set source.documents.",
    ),
    "outside-folder": Remedy(
        "The note points outside the folder of documents.",
        "Correct the path in the source; such paths are never followed.",
    ),
    "not-a-file": Remedy(
        "The note points to something that is no ordinary file.",
        "Correct the path in the source.",
    ),
    "forbidden": Remedy(
        "The document may not be read by the account that runs the job.",
        "Give that account the right to read the folder of documents.",
    ),
    # Limits
    "too-large": Remedy(
        "The document is larger than the limit.",
        "Raise limits.max_document_bytes if this is a real document.",
    ),
    "too-long": Remedy(
        "The note has more characters than the limit.",
        "Raise limits.max_note_characters if this is a real note.",
    ),
    "too-many-pages": Remedy(
        "The document has more pages than the limit.",
        "Raise limits.max_pages if this is a real report.",
    ),
    "timed-out": Remedy(
        "Reading the document took longer than the limit.",
        "Raise limits.seconds_per_document, or look at the file: it may be hostile.",
    ),
    "out-of-memory": Remedy(
        "Reading the document took more memory than the limit.",
        "Raise limits.document_memory_mb, or look at the file: it may be hostile.",
    ),
    "crashed": Remedy(
        "The process that read the document died on it.",
        "Look at the file: it may be hostile. Export it again from the source system.",
    ),
    # The row
    "no-text": Remedy(
        "The note has neither text nor a document.",
        "Nothing to release; check the export if there should be text.",
    ),
    "malformed": Remedy(
        "A value of the row has the wrong type: a date that is none, say.",
        "Correct the row in the source.",
    ),
    "malformed-id": Remedy(
        "The note's id is empty or no number, so no ledger could account for it.",
        "Correct the row: OMOP CDM makes note_id an integer primary key.",
    ),
    "duplicate-id": Remedy(
        "Several notes share one id, and nobody can tell which is meant.",
        "Correct the rows: OMOP CDM makes note_id a primary key.",
    ),
    "malformed-text": Remedy("The text of the note is no text.", "Correct the row in the source."),
    "malformed-date": Remedy("The date of the note is no date.", "Correct the row in the source."),
    "no-date": Remedy("The note has no date.", "Give it one in the source."),
    "no-person": Remedy(
        "The note names no patient, so no key could be derived for it.",
        "Link the note to a person in the source.",
    ),
    "unknown-patient": Remedy(
        "Nothing is known of the patient, so nothing known of them could be searched for.",
        "Load the patient into the identity table, or set source.identity.required = false.",
    ),
    # The line of a file
    "not-json": Remedy("The line is not valid JSON.", "Correct the line."),
    "not-an-object": Remedy("The line is JSON, but no object.", "Write one object a line."),
    "no-note-id": Remedy("The line has no note_id.", "Give each note an id of its own."),
    "malformed-person-id": Remedy(
        "The person_id of the line is neither text nor a number.", "Correct the line."
    ),
    "malformed-span": Remedy(
        "A span of the line has no start, end or label, or lies outside its text.",
        "Correct the line; offsets are code points, half open.",
    ),
    "unaligned": Remedy(
        "The text cannot be cleaned so that offsets still hold.",
        "Normalise the text (Unicode NFC) upstream.",
    ),
    "identifying-note-id": Remedy(
        "The note's id holds something known of its patient.",
        "Let ids be replaced: --note-ids replace.",
    ),
    # The release
    "residue": Remedy(
        "The rewritten note still held something known of the patient: it was held back.",
        "Look at the note in the restricted area and report which label was missed.",
    ),
    "date-out-of-range": Remedy(
        "A date was found that no calendar holds once it is shifted.",
        "Look at the note in the restricted area; correct the date in the source.",
    ),
    "no-surrogate": Remedy(
        "A value was found for which no replacement could be made.",
        "Look at the note in the restricted area and report the form of the value.",
    ),
    "scores-not-finite": Remedy(
        "The tagger's scores for the note were no numbers, so nothing it said can be believed.",
        'Set model.runtime = "torch" and run again; if it stays, train the model anew.',
    ),
    "run-rejected": Remedy(
        "Somebody rejected the run that the note was in, since its counts were not what they were.",
        "`cryptonym quality` shows who and why; the note is done again when it changes.",
    ),
    # The release of a cohort
    "not-detected": Remedy(
        "The nightly job has never seen the note.",
        "Run the nightly job, then the release again.",
    ),
    "stale-spans": Remedy(
        "Note, patient, document, rules or configuration have changed since the nightly job.",
        "Run the nightly job, then the release again.",
    ),
    "not-published": Remedy(
        "The nightly job has not published the note: its run is held, or was interrupted.",
        "See `cryptonym quality`, accept the run or run the nightly job, then release again.",
    ),
    "person-refused": Remedy(
        "The row of the patient was refused, so nothing of theirs is released.",
        "See why the row was refused, correct the source or the policy, and release again.",
    ),
    "quarantined": Remedy(
        "The nightly job holds the note in quarantine.",
        "See the report of the nightly job; what it releases again, the release takes.",
    ),
    "broken-seal": Remedy(
        "Stored spans were changed, or belong to another note or key.",
        "Find out who wrote to the state database; restore it from a backup.",
    ),
    "text-in-shared-file": Remedy(
        "The file of vectors to share spelt a word of the notes; it was not written.",
        "Encode again: noise is drawn anew. If it happens twice, report the version.",
    ),
    "overlapping-spans": Remedy("Two findings claimed the same letters.", _BUG),
    "span-outside-text": Remedy("A finding lay outside the text.", _BUG),
    "wrong-record": Remedy("The note was paired with another patient's record.", _BUG),
    "unknown-unit": Remedy("A worker returned work that nobody had planned.", _BUG),
    "not-extracted": Remedy("A step was left out.", _BUG),
    "not-rewritten": Remedy("A step was left out.", _BUG),
}


def remedy(reason: str) -> Remedy:
    """Explain a reason code; an unknown one gets a general answer."""
    return _REMEDIES.get(reason, _UNKNOWN)
