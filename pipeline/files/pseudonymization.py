"""Pseudonymization of a file of notes (`cryptonym pseudonymize`): default-deny for every key."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from extractors.document.limits import Limits
from extractors.document.options import Engine, Layout, Options
from extractors.document_reader import DocumentReader
from extractors.note_text import read_note_text
from pipeline.config.policies import build_policy, list_shipped_policies, read_policy
from pipeline.config.progress import Progress
from pipeline.files.jsonl import BadLine, JsonLine, read_notes, spans_to_json
from pipeline.files.note_files import (
    MAX_NOTE_CHARACTERS,
    IdentifierFinder,
    NoteFileTask,
    clean_note,
    make_finder,
    process_lines,
)
from pipeline.files.output_files import FileResult, OutputFiles
from pipeline.night.engine import release_note
from pipeline.notes.detection import DETECTOR_VERSION, check_language, spoken
from pipeline.notes.error_boundary import attempt
from pipeline.notes.model_detection import check_labels
from pipeline.notes.overlap_resolution import resolve_spans
from pipeline.notes.worker_resources import open_key, open_vault, with_id_bits
from record.algorithms import ALGORITHMS
from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable, Unsafe
from record.failure import Failure
from record.languages import LANGUAGES, primary_language
from record.policy import Policy
from record.release import Release
from record.span import Span
from rules.identifiers.stamped_numbers import holds_day
from surrogates.keys.keys import CohortKey
from surrogates.keys.locators import locator_files
from surrogates.keys.vault import Vault
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

# Keys with a fixed treatment, which cannot be kept with --keep-keys.
FIXED_KEYS = frozenset(("note_id", "person_id", "text", "spans", "note_datetime"))
# Keys whose values are copied if they have the form of a code.
CODE_PATTERNS = {
    "lang": re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*"),
    "note_type": re.compile(r"[a-z0-9][a-z0-9_-]{0,39}"),
}
_DETECTOR = re.compile(r"[a-z][a-z0-9_.-]{0,39}")
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d")
# Markup in the text of notes has neither pages nor scans.
_READING = Options(layout=Layout.FULL, engine=Engine.PDFPLUMBER, languages=())


@dataclass(frozen=True)
class PseudonymizationOptions:
    """Options of pseudonymization: key, cohort, policy by name or file, and exceptions.

    With `given`, the spans in the file are used instead of detection. `keep_keys` are copied
    unchanged. `allow_languages` are let through although no rule speaks them.
    `replace_ids` replaces note ids with pseudonyms. `allow_unknown` accepts notes of
    persons who are not among the patients. `vault` and `vault_key` locate the vault for
    re-identification, if any. `algorithm` is the version of the surrogate algorithm: by default the
    cohort's recorded one, or the newest.
    """

    key: str
    cohort: str
    policy: str | None = None
    custody: Path | None = None
    given: bool = False
    keep_keys: frozenset[str] = frozenset()
    allow_languages: frozenset[str] = frozenset()
    replace_ids: bool = False
    allow_unknown: bool = False
    vault: Path | None = None
    vault_key: str | None = None
    algorithm: int | None = None


@dataclass
class RewritingContext:
    """The resources for rewriting notes; holds keys and is never serialized.

    `foreign` counts notes of patients with a record in other languages than their names.
    """

    finder: IdentifierFinder
    options: PseudonymizationOptions
    cohort: CohortKey
    columns: Columns
    rewriter: Rewriter
    is_known_required: bool
    reader: DocumentReader
    foreign: Counter[str] = field(default_factory=Counter)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a rewriting context holds keys and must not be serialized")


def pseudonymize_file(
    task: NoteFileTask, options: PseudonymizationOptions, progress: Progress
) -> FileResult:
    """Write notes with surrogates; refused notes go to quarantine, never to the output.

    A note is refused if a step raises, if a known value of its person remains in the text or in
    the note id, and if patients are given and its person is not among them.
    """
    if refused := sorted(options.keep_keys & FIXED_KEYS):
        problem = f"must not include {', '.join(refused)}"
        raise ConfigError("--keep-keys", problem, "remove it; its treatment is fixed")
    lang = task.lang or _find_first_language(task.notes)
    policy = load_policy(options.policy, lang)
    if task.model:
        check_labels("--model", task.model, policy)
    vault = _open_checked_vault(options)
    cohort = open_cohort(options, policy)
    if not task.lang and cohort.algorithm != _FIRST:
        lang = _find_main_language(task.notes)
        policy = load_policy(options.policy, lang)
    finder = replace(make_finder(task), lang=lang)
    is_required = task.patients is not None and not options.allow_unknown
    context = make_context(finder, options, cohort, policy, is_known_required=is_required)
    rewriter, reader = context.rewriter, context.reader
    dropped: Counter[str] = Counter()
    persons: set[str] = set()
    telling = dated = 0
    inputs = (*task.inputs, *_list_input_files(options))
    with reader, OutputFiles(task.out, inputs) as outputs:
        outputs.done.warnings += finder.warnings
        outputs.done.detection = task.detection
        outputs.done.origin = {
            "cryptonym": version("cryptonym"),
            "detector": DETECTOR_VERSION,
            "surrogates": str(cohort.algorithm),
            "key_id": cohort.key_id,
            "policy_id": rewriter.policy.policy_id,
        }

        def step(line: JsonLine) -> None:
            nonlocal telling, dated
            record = pseudonymize_line(line, context, dropped)
            if isinstance(record, Failure):
                outputs.refuse(record)
            else:
                outputs.note(record)
                telling += not options.replace_ids and _tells_person(line.annotated.document)
                dated += not options.replace_ids and holds_day(line.annotated.document.note_id)
                if vault and line.annotated.document.person_id is not None:
                    persons.add(line.annotated.document.person_id)

        ahead = (lambda lines: None) if options.given else finder.ask_model
        process_lines(task, outputs, progress, step, given=options.given, ahead=ahead)
        if vault:
            vault.store(cohort, persons)
        outputs.done.warnings += _describe_missing_keys(outputs.done)
        outputs.done.warnings += _describe_foreign_names(context)
        if telling:
            outputs.done.warnings.append(
                f"note ids that hold the person_id of the source: {telling}; whoever knows it "
                "finds the person: use --note-ids replace"
            )
        if dated:
            outputs.done.warnings.append(
                f"note ids that hold a day: {dated}; beside a date of the note that moved they "
                "tell how far the patient's dates move: use --note-ids replace"
            )
        if dropped:
            told = _name_keys(dropped, outputs.done.read)
            outputs.done.warnings.append(
                f"keys left out because they may identify (notes): {told}; --keep-keys keeps them"
            )
    return outputs.done


def _name_keys(dropped: Mapping[str, int], notes: int) -> str:
    """Return the keys that half of the notes have, and how many others: one may be a name."""
    usual = {key: count for key, count in sorted(dropped.items()) if 2 * count >= notes}
    names = [f"{key} ({count})" for key, count in usual.items()]
    others = len(dropped) - len(usual)
    if others:
        names.append(f"{others} more that fewer notes have")
    return ", ".join(names)


def _tells_person(document: Document) -> bool:
    """Return whether the id of a note holds that of its person, which is not short."""
    person = document.person_id or ""
    parts = re.split(r"[^0-9A-Za-z]+", document.note_id)
    return len(person) >= _SHORTEST_PERSON and (person == document.note_id or person in parts)


def _describe_missing_keys(done: FileResult) -> list[str]:
    """Return warnings with the remedy for notes refused for want of a person or spans."""
    counts: Counter[str] = Counter()
    for (_, _, reason), count in done.causes.items():
        counts[reason] += count
    warnings = []
    if count := counts["no-spans"]:
        remedy = "run `cryptonym detect` first, or leave out --spans given"
        warnings.append(f"notes refused without the key `spans`: {count}; {remedy}")
    if count := counts["no-person"]:
        source = "add person_id to them, as `extract` does with --person-map, --person-pattern or"
        warnings.append(f"notes refused without a person_id: {count}; {source} --person-field")
    if count := counts["unknown-patient"]:
        remedy = "add these persons to it, or pass --allow-unknown"
        warnings.append(f"notes refused whose person is not in --patients: {count}; {remedy}")
    return warnings


def open_cohort(options: PseudonymizationOptions, policy: Policy) -> CohortKey:
    """Derive the key of the options' cohort; raises ConfigError or Unavailable."""
    master = open_key(options.key, Path(), options.custody)
    return with_id_bits(master.cohort(options.cohort, algorithm=options.algorithm), policy)


def make_context(
    finder: IdentifierFinder,
    options: PseudonymizationOptions,
    cohort: CohortKey,
    policy: Policy,
    *,
    is_known_required: bool,
) -> RewritingContext:
    """Return the resources for rewriting notes; its reader is to be closed."""
    reader = DocumentReader(Limits(max_characters=MAX_NOTE_CHARACTERS), _READING)
    columns, rewriter = Columns(cohort, policy), Rewriter(cohort, policy)
    return RewritingContext(finder, options, cohort, columns, rewriter, is_known_required, reader)


def _open_checked_vault(options: PseudonymizationOptions) -> Vault | None:
    """Open the vault of the options, if any, and check its key before any note is processed."""
    if options.vault is None and options.vault_key is None:
        return None
    if options.vault is None or options.vault_key is None:
        raise ConfigError(
            "--vault", "--vault and --vault-key must be given together", "add the missing option"
        )
    found = open_vault(options.vault, options.vault_key, Path())
    found.check()
    return found


def _list_input_files(options: PseudonymizationOptions) -> list[Path]:
    """Return the files of keys, vault and policy, which no output may overwrite."""
    is_policy_file = options.policy is not None and options.policy not in list_shipped_policies()
    named = [*locator_files(options.key), *locator_files(options.vault_key or "env:")]
    named += [str(options.policy)] * is_policy_file + [str(options.vault)] * (
        options.vault is not None
    )
    return [Path(name) for name in named]


def load_policy(policy: str | None, lang: str) -> Policy:
    """Return a policy by the name of a shipped one or the path of a file.

    A file holds the keys of `[policy]` in `nightly.toml`, with or without that heading.
    Raises ConfigError with the key.
    """
    return build_policy(read_policy(policy, Path()) if policy is not None else {}, lang)


_FIRST = ALGORITHMS[0]
_MOST_READ = 500
"""Notes whose languages are counted to find that of a file."""


def _find_main_language(notes: Path) -> str:
    """Return the language of most of the first notes, named or identified, else French.

    Of two the one that came first; the patients' own names are drawn in it.
    """
    if not notes.is_file():
        return "fr"
    counts: Counter[str] = Counter()
    for line in islice(read_notes(notes, given=False), _MOST_READ):
        if not isinstance(line, BadLine):
            counts[spoken(line.annotated.document).lang] += 1
    supported = {lang: count for lang, count in counts.items() if lang in LANGUAGES}
    return max(supported, key=supported.__getitem__, default="fr")


def _describe_foreign_names(context: RewritingContext) -> list[str]:
    """Return a warning where patients with a record have notes in another language than names."""
    if not context.foreign:
        return []
    counts = ", ".join(f"{lang} {count}" for lang, count in sorted(context.foreign.items()))
    locale = context.rewriter.policy.locale
    return [
        f"a patient has one name in all notes, here one in {locale}: notes of patients in other "
        f"languages: {counts}; choose another with --lang"
    ]


def _find_first_language(notes: Path) -> str:
    """Return the first supported language named by a note, else identified, else French."""
    if not notes.is_file():
        return "fr"
    identified = ""
    for line in read_notes(notes, given=False):
        if isinstance(line, BadLine):
            continue
        document = line.annotated.document
        if document.lang in LANGUAGES:
            return document.lang
        lang = "" if identified else spoken(document).lang
        identified = lang if lang in LANGUAGES else identified
    return identified or "fr"


def pseudonymize_line(
    line: JsonLine, context: RewritingContext, dropped: Counter[str]
) -> dict[str, Any] | Failure:
    """Return the record of a note with surrogates, or why it was refused.

    Keys that are left out are counted in `dropped`.
    """
    note_id = line.annotated.document.note_id
    annotated = attempt(note_id, "detect", lambda: _find_spans(line, context))
    if isinstance(annotated, Failure):
        return annotated
    released = attempt(note_id, "rewrite", lambda: _rewrite_note(annotated, context))
    if isinstance(released, Failure):
        return replace(released, stage="residue") if released.reason in _RESIDUE else released
    return attempt(note_id, "write", lambda: _make_record(line, released, context, dropped))


_SHORTEST_PERSON = 4
_RESIDUE = ("residue", "known-value-ambiguous", "identifying-note-id")


def _find_spans(line: JsonLine, context: RewritingContext) -> Annotated:
    document = line.annotated.document
    if context.options.given and line.record.get("spans") is None:
        raise Unreadable("no-spans")  # never detected: not the same as nothing found
    if context.is_known_required and context.finder.patient(document.person_id) is None:
        raise Unreadable("unknown-patient" if document.person_id else "no-person")
    clean, _ = clean_note(line)
    text = read_note_text(document.text, context.reader.read)
    check_language(replace(document, text=text), context.options.allow_languages)
    if not context.options.given:
        return context.finder.find(Annotated(replace(clean.document, text=text)))
    if text != clean.document.text:
        raise Unreadable("markup")  # the spans are those of another text
    named = (replace(span, detector=_make_detector_code(span)) for span in clean.spans)
    document = spoken(clean.document, context.finder.lang)
    return Annotated(document, resolve_spans(named, document.text))


def _make_detector_code(span: Span) -> str:
    # The detector of a given span may be any text; only a valid code is kept.
    return span.detector if _DETECTOR.fullmatch(span.detector) else "given"


def _rewrite_note(annotated: Annotated, context: RewritingContext) -> Release:
    document = annotated.document
    patient = context.finder.patient(document.person_id)
    lang = primary_language(document.lang)
    if patient is not None and lang in LANGUAGES and lang != context.rewriter.policy.locale:
        context.foreign[lang] += 1
    released = release_note(annotated, patient, context.rewriter, context.finder.known)
    if patient and not context.options.replace_ids:
        name = Document(document.note_id, document.note_id, person_id=document.person_id)
        if context.finder.known.of(patient).detect(name):
            raise Unsafe("identifying-note-id")
    return released


def _make_record(
    line: JsonLine, released: Release, context: RewritingContext, dropped: Counter[str]
) -> dict[str, Any]:
    """Return the output record: known keys replaced, other keys only on request."""
    document, options = line.annotated.document, context.options
    person = document.person_id
    # As in the text: a note without a person is its own patient.
    moved = person if person is not None else f"note:{document.note_id}"
    result: dict[str, Any] = {}
    for key, value in line.record.items():
        if key == "note_id":
            new_id = str(context.cohort.pseudonym_of_text("note", document.note_id))
            result[key] = new_id if options.replace_ids else value
        elif key == "person_id":
            result[key] = (
                None if person is None else str(context.cohort.pseudonym_of_text("person", person))
            )
        elif key == "text":
            result[key] = released.text
        elif key == "note_datetime":
            result[key] = _shift_date(value, moved, context.columns)
        elif key in options.keep_keys or (
            _is_code(key, value) and not _tells(value, document, context)
        ):
            result[key] = value
        elif key != "spans":
            dropped[key] += 1
    return {**result, "spans": spans_to_json(released.spans)}


def _is_code(key: str, value: Any) -> bool:
    pattern = CODE_PATTERNS.get(key)
    return pattern is not None and isinstance(value, str) and bool(pattern.fullmatch(value))


def _tells(code: str, document: Document, context: RewritingContext) -> bool:
    """Return whether a code holds a day, or a known value of the note's patient."""
    if holds_day(code):
        return True
    patient = context.finder.patient(document.person_id)
    named = Document(document.note_id, code, person_id=document.person_id)
    return patient is not None and bool(context.finder.known.of(patient).detect(named))


def _shift_date(value: Any, person: str, columns: Columns) -> str | None:
    """Shift a date by the patient's own number of days; time of day and form are kept."""
    if value is None or not str(value).strip():
        return None
    text = str(value).strip()
    moved = columns.shift_datetime(person, datetime.fromisoformat(text))
    return moved.date().isoformat() if _DAY.fullmatch(text) else moved.isoformat()
