"""The meaning of each reason for quarantine, and what a data manager can do about it."""

from collections.abc import Mapping
from typing import NamedTuple


class Remedy(NamedTuple):
    """What a reason means, and what to do about it: one line each."""

    meaning: str
    action: str


_UNKNOWN = Remedy(
    "A stage refused the note for a reason without a code.",
    "The next run retries the note. If it is refused again, report stage and error class.",
)

_BUG = "This is a bug: report stage, reason and version."

_REMEDIES = {
    # The document
    "encrypted": Remedy(
        "The document is password-protected.",
        "Export it again without a password; the next run reads it.",
    ),
    "no-text-layer": Remedy(
        "The document is a scan, and OCR is not installed or not enabled.",
        "Install Tesseract with the data of extraction.languages; the next run reads it.",
    ),
    "page-without-text": Remedy(
        "A page of the document is a scan, and OCR is not installed or not enabled.",
        "Install Tesseract with the data of extraction.languages; the next run reads it.",
    ),
    "garbled-text": Remedy(
        "The document's fonts map glyphs to no characters, or to others than they draw.",
        "Install Tesseract to read the page images, or export the document with embedded fonts.",
    ),
    "hidden-text": Remedy(
        "The document contains invisible text: white, tiny or behind an image.",
        "Install Tesseract to read the page images, or export the document again.",
    ),
    "nothing-recognized": Remedy(
        "The document consists of images in which OCR found no text.",
        "Inspect it: a photograph needs no release; repeat a faint scan.",
    ),
    "page-too-large": Remedy(
        "A page is too large to be rendered at a readable resolution.",
        "Inspect it: it may be malicious, or a drawing; export it at its real size.",
    ),
    "not-recognized": Remedy(
        "OCR failed on a page.",
        "Run again; if it fails again, inspect the file and repeat the scan.",
    ),
    "unread-part": Remedy(
        "Part of the document's content is in another document, or in the files of a portfolio.",
        "Merge them, or export them as one PDF upstream.",
    ),
    "dynamic-form": Remedy(
        "The document is a dynamic form (XFA): its pages show a notice, not its content.",
        "Print it to a PDF from a program that shows it, or export it as a static form.",
    ),
    "too-many-parts": Remedy(
        "The message has too many parts or nested messages.",
        "Inspect it: it may be malicious; export only its text.",
    ),
    "markup": Remedy(
        "The note's text is data in fields (JSON, CSV, XML, HL7), or markup that cannot be read.",
        "Store the note as plain text, HTML or RTF, or its document in source.documents.",
    ),
    "encoding": Remedy(
        "The note's text, or part of it, is in an encoding that hides its letters.",
        "Export it again from the source as UTF-8 text.",
    ),
    "mojibake": Remedy(
        "Part of the text was decoded with the wrong encoding before it was stored.",
        "Export it again from the source as UTF-8.",
    ),
    "no-body-text": Remedy(
        "All lines of the document were classified as letterhead, margin or footer.",
        'Set extraction.layout = "full", or train the layout classifier on your own pages.',
    ),
    "low-quality": Remedy(
        "The extracted text is of low quality.",
        "Inspect it; scan or export it again, or lower extraction.min_quality.",
    ),
    "broken": Remedy(
        "The document is corrupt.",
        "Open it in a viewer; export it again from the source system.",
    ),
    "unknown-format": Remedy(
        "The document's format is not supported.",
        "Convert it to PDF or plain text upstream.",
    ),
    "unknown-encoding": Remedy(
        "The encoding of the text cannot be determined.",
        "Store it as UTF-8 upstream.",
    ),
    "empty": Remedy("The document is an empty file.", "Export it again."),
    "missing-document": Remedy(
        "The note refers to a document that is not in the documents folder.",
        "Check source.documents, and that the file share was mounted during the run.",
    ),
    "no-document-folder": Remedy(
        "The note refers to a document, and no documents folder is configured.",
        "Set source.documents.",
    ),
    "hard-link": Remedy(
        "The document's file has a second name, which may be outside the documents folder.",
        "Copy the file, or allow this where the folder is trusted: source.hard_links = true.",
    ),
    "outside-folder": Remedy(
        "The note refers to a path outside the documents folder.",
        "Correct the path in the source; such paths are never opened.",
    ),
    "not-a-file": Remedy(
        "The note refers to something that is not a regular file.",
        "Correct the path in the source.",
    ),
    "not-exported": Remedy(
        "The note refers to a document at another place, which the export does not hold.",
        "Export its Binary resources or files too; nothing is fetched over the network.",
    ),
    "forbidden": Remedy(
        "The account that runs the job has no permission to read the document.",
        "Grant that account read permission on the documents folder.",
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
        "Raise limits.seconds_per_document, or inspect the file: it may be malicious.",
    ),
    "out-of-memory": Remedy(
        "Reading the document took more memory than the limit.",
        "Raise limits.document_memory_mb, or inspect the file: it may be malicious.",
    ),
    "crashed": Remedy(
        "The process that read the document crashed.",
        "Inspect the file: it may be malicious. Export it again from the source system.",
    ),
    # The row
    "no-text": Remedy(
        "The note has neither text nor a document.",
        "Check the export if the note should have text; otherwise there is nothing to release.",
    ),
    "malformed": Remedy(
        "A value of the row has the wrong type, such as an invalid date.",
        "Correct the row in the source.",
    ),
    "malformed-id": Remedy(
        "The note's id is empty or not a number, so the note cannot be tracked.",
        "Correct the row: in OMOP CDM, note_id is an integer primary key.",
    ),
    "duplicate-id": Remedy(
        "Several notes have the same id, so they cannot be distinguished.",
        "Correct the rows: in OMOP CDM, note_id is a primary key.",
    ),
    "malformed-text": Remedy(
        "The note's text is not valid text.", "Correct the row in the source."
    ),
    "malformed-date": Remedy(
        "The note's date is not a valid date.", "Correct the row in the source."
    ),
    "no-date": Remedy("The note has no date.", "Add the date in the source."),
    "no-person": Remedy(
        "The note has no person_id, so no patient key can be derived.",
        "Link the note to a person in the source.",
    ),
    "unknown-patient": Remedy(
        "The patient has no identity record, so known values cannot be searched for.",
        "Add the patient to the identity table, or set source.identity.required = false.",
    ),
    "malformed-message": Remedy(
        "What should be an HL7 v2 message has no header, or a line that is no segment.",
        "Correct the message, or the program that exports it, and export it again.",
    ),
    "malformed-resource": Remedy(
        "A field of the resource is missing or has the wrong type.",
        "Correct the resource, or the program that exports it, and export it again.",
    ),
    # The line of a file
    "not-json": Remedy("The line is not valid JSON.", "Correct the line."),
    "not-an-object": Remedy("The line is not a JSON object.", "Write one object per line."),
    "no-spans": Remedy(
        "The note has no spans, which `--spans given` replaces: it was never detected.",
        "Run `cryptonym detect` first and give its output, or leave out --spans given.",
    ),
    "no-note-id": Remedy("The line has no note_id.", "Give each note a unique id."),
    "slow-person-pattern": Remedy(
        "The pattern of --person-pattern took more than a second on the name of the file.",
        "Write it without a repetition inside a repetition, then run again.",
    ),
    "ambiguous-person": Remedy(
        "Several persons are named for the document.",
        "Name one in --person-map, or make --person-pattern or --person-field more specific.",
    ),
    "malformed-person-id": Remedy(
        "The person_id of the line is neither a string nor a number.", "Correct the line."
    ),
    "other-configuration": Remedy(
        "The worker read another configuration, model or code than the run.",
        "Give all workers the same files and version; the next run processes the notes again.",
    ),
    "malformed-span": Remedy(
        "A span of the line has no start, end or label, or is outside the text.",
        "Correct the line; offsets are half-open and count code points.",
    ),
    "unaligned": Remedy(
        "The text cannot be cleaned without losing its offsets.",
        "Normalize the text (Unicode NFC) upstream.",
    ),
    "identifying-note-id": Remedy(
        "The note's id contains a known value of its patient.",
        "Replace ids: --note-ids replace.",
    ),
    "unsupported-language": Remedy(
        "A passage of the note is in a language or script that no rule speaks.",
        "Leave it, or let the language through: detection.allow_languages; read a sample first.",
    ),
    # The release
    "residue": Remedy(
        "The rewritten note still contained a known value of the patient.",
        "Inspect the note in the restricted area and report which label was missed.",
    ),
    "known-value-ambiguous": Remedy(
        "The note holds an everyday word that may be a known name of the patient.",
        "Inspect the note in the restricted area; a title or a capital in the source tells.",
    ),
    "date-out-of-range": Remedy(
        "A date is outside the calendar after shifting.",
        "Inspect the note in the restricted area; correct the date in the source.",
    ),
    "no-surrogate": Remedy(
        "No surrogate could be generated for a detected value.",
        "Inspect the note in the restricted area and report the format of the value.",
    ),
    "scores-not-finite": Remedy(
        "The tagger's scores for the note were not finite, so its predictions are unusable.",
        'Set model.runtime = "torch" and run again; if it happens again, retrain the model.',
    ),
    "run-rejected": Remedy(
        "The run of the note was rejected because its counts were outside their expected ranges.",
        "`cryptonym quality` shows who rejected it and why; a changed note is processed again.",
    ),
    # The release of a cohort
    "not-detected": Remedy(
        "The nightly job has not processed the note.",
        "Run the nightly job, then the release again.",
    ),
    "stale-spans": Remedy(
        "Note, patient, document, rules or configuration changed since the last nightly job.",
        "Run the nightly job, then the release again.",
    ),
    "not-published": Remedy(
        "The nightly job has not published the note: its run is held or was interrupted.",
        "Accept the run (`cryptonym quality`) or run the nightly job, then release again.",
    ),
    "person-refused": Remedy(
        "The patient's row was refused, so none of their notes or rows are released.",
        "Check why the row was refused, correct the source or the policy, and release again.",
    ),
    "quarantined": Remedy(
        "The note is in the nightly job's quarantine.",
        "See the report of the nightly job; once it releases the note, the release includes it.",
    ),
    "broken-seal": Remedy(
        "Stored spans were altered, or belong to another note or key.",
        "Find out what modified the state database; restore it from a backup.",
    ),
    "text-in-shared-file": Remedy(
        "The file of shared vectors contained a word of the notes; it was not written.",
        "Encode again with new noise. If it happens twice, report the version.",
    ),
    "overlapping-spans": Remedy("Two spans overlap.", _BUG),
    "span-outside-text": Remedy("A span is outside the text.", _BUG),
    "wrong-record": Remedy("The note was paired with another patient's record.", _BUG),
    "worker-killed": Remedy(
        "Each time this note was processed, the worker ended or the whole step failed.",
        "Look for a lack of memory; the note is tried again when it changes. Else report it.",
    ),
    "unknown-unit": Remedy("A worker returned a unit that was not planned.", _BUG),
    "not-extracted": Remedy("The extraction stage was skipped.", _BUG),
    "not-rewritten": Remedy("The rewriting stage was skipped.", _BUG),
}


_INSTALL = "Install Tesseract with the data of the languages of --ocr, then run again."
_CORRECT = "Correct the line."

_OF_FILES = {
    "": "Correct the line or document, then run again. Else report stage and error class.",
    "encrypted": "Give its password with --passwords, or export it again without one.",
    "no-text-layer": _INSTALL,
    "page-without-text": _INSTALL,
    "markup": "Give the note as plain text; with --spans given the spans must be those of it.",
    "no-body-text": "Read all of the page: --layout full; or train the layout on your own pages.",
    "low-quality": "Inspect it; scan or export it again, or lower --min-quality.",
    "missing-document": "Check the path, and that the file share is mounted.",
    "not-a-file": "Name files, such as those in a folder: DIR/*.",
    "forbidden": "Grant the account that runs the command read permission.",
    "too-large": "Raise --max-bytes of `cryptonym extract` if this is a real document.",
    "too-long": "Divide it: notes in files have at most 1,000,000 characters.",
    "too-many-pages": "Raise --max-pages of `cryptonym extract` if this is a real report.",
    "timed-out": "Raise --seconds, or inspect the file: it may be malicious.",
    "out-of-memory": "Raise --memory-mb, or inspect the file: it may be malicious.",
    "no-text": "Give the line a text, or leave it out.",
    "malformed": _CORRECT,
    "malformed-text": _CORRECT,
    "malformed-date": _CORRECT,
    "no-person": "Add person_id to the line, as `cryptonym extract` does with --person-pattern.",
    "unknown-patient": "Add the patient to the file of --patients, or pass --allow-unknown.",
    "unsupported-language": "Leave it, or let it through: --allow-languages; read a sample first.",
    "known-value-ambiguous": "Inspect the note in its file; a title or a capital there tells.",
    "residue": "Inspect the note in its file, and report which label was missed.",
    "date-out-of-range": "Correct the date in the file of notes.",
    "scores-not-finite": "Run again with --runtime torch; if it happens again, retrain the model.",
}
"""What to do instead where notes are lines of a file: reason to action."""


def remedy(reason: str, *, of_file: bool = False) -> Remedy:
    """Return the remedy for a reason code; a general one where the code is unknown.

    With `of_file`, it names options and lines of a file instead of keys of the configuration.
    """
    found = _REMEDIES.get(reason, _UNKNOWN)
    if not of_file:
        return found
    known = reason if reason in _REMEDIES else ""
    return found._replace(action=_OF_FILES.get(known, found.action))


def describe_excess(
    reasons: Mapping[str, int],
    *,
    share: float,
    limit: float,
    place: str,
    what: str = "in quarantine",
    of_file: bool = False,
) -> str:
    """Describe a quarantine above its limit: how many notes, the commonest reason, where to look.

    `reasons` counts the refused notes by reason code; `share` is theirs of all notes processed.
    With `of_file`, what to do is told for lines of a file.
    """
    count = sum(reasons.values())
    reason, most = min(reasons.items(), key=lambda item: (-item[1], item[0]))
    told = remedy(reason, of_file=of_file)
    of_them = "for" if most == count else f"most of them ({most}) for"
    return (
        f"{count} {'note' if count == 1 else 'notes'} {what}, {100 * share:.3g} % of those "
        f"processed and above the limit of {100 * limit:.3g} % (exit code 3); {of_them} "
        f"{reason or 'a reason without a code'}: {told.meaning} {told.action} "
        f"{'It is' if count == 1 else 'All are'} listed in {place}"
    )
