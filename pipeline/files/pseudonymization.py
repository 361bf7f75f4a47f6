"""Pseudonymizes a file of notes: every key of a note replaced, vouched for, or left out."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.config.policies import build, read_policy, shipped
from pipeline.config.progress import Progress
from pipeline.files.jsonl import BadLine, JsonLine, listed, read_notes
from pipeline.files.note_files import Finder, Task, cleaned, each_line, make_finder
from pipeline.files.output_files import Done, Outbox
from pipeline.night.engine import release
from pipeline.notes.boundary import attempt
from pipeline.notes.detection import DETECTOR_VERSION, spoken
from pipeline.notes.model_detection import check_labels
from pipeline.notes.overlap_resolution import resolve
from pipeline.notes.worker_resources import open_key, open_vault
from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable, Unsafe
from record.failure import Failure
from record.policy import Policy
from record.release import Release
from record.span import Span
from surrogates.keys.keys import ALGORITHM, CohortKey
from surrogates.keys.locators import locator_files
from surrogates.keys.vault import Vault
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

# What becomes of these keys is settled; no other may take their place.
SETTLED = frozenset(("note_id", "person_id", "text", "spans", "note_datetime"))
# Codes, which name a kind of thing; a title may hold a name.
CODES = {
    "lang": re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*"),
    "note_type": re.compile(r"[a-z0-9][a-z0-9_-]{0,39}"),
}
_DETECTOR = re.compile(r"[a-z][a-z0-9_.-]{0,39}")
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d")
_LANGUAGES = ("fr", "en", "es")


@dataclass(frozen=True)
class Rules:
    """How a file is pseudonymized: key, cohort, policy by name or file, and what stays.

    `given` takes the spans already there instead of detecting. `keep_keys` are copied as they
    are. `replace_ids` writes the cohort's own note ids. `allow_unknown` lets notes pass whose
    person is not among the patients. `vault` and `vault_key` name the vault that can tell who the
    persons are, where there is to be one.
    """

    key: str
    cohort: str
    policy: str | None = None
    custody: Path | None = None
    given: bool = False
    keep_keys: frozenset[str] = frozenset()
    replace_ids: bool = False
    allow_unknown: bool = False
    vault: Path | None = None
    vault_key: str | None = None


@dataclass
class _RewritingContext:
    """Everything at hand for one note; holds keys and is never serialized."""

    finder: Finder
    rules: Rules
    cohort: CohortKey
    columns: Columns
    rewriter: Rewriter
    is_known_required: bool

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a desk holds keys and is never serialized")


def pseudonymize_file(task: Task, rules: Rules, progress: Progress) -> Done:
    """Write notes with surrogates; what is refused goes to quarantine, never into the output.

    A note is refused where a step raises, where something known of its person is left in the
    text or in the note id, and where patients were given and its person is not among them.
    """
    if refused := sorted(rules.keep_keys & SETTLED):
        problem = f"{', '.join(refused)} cannot be kept as it is"
        raise ConfigError("--keep-keys", problem, "leave it out; it is written in its own way")
    lang = task.lang or _first_language(task.notes)
    policy = load_policy(rules.policy, lang)
    if task.model:
        check_labels("--model", task.model, policy)
    vault = _vault(rules)
    cohort = open_key(rules.key, Path(), rules.custody).cohort(rules.cohort)
    columns, rewriter = Columns(cohort, policy), Rewriter(cohort, policy)
    is_required = task.patients is not None and not rules.allow_unknown
    finder = replace(make_finder(task), lang=lang)
    desk = _RewritingContext(finder, rules, cohort, columns, rewriter, is_required)
    dropped: Counter[str] = Counter()
    persons: set[str] = set()
    inputs = (*task.inputs, *_files(rules))
    with Outbox(task.out, inputs) as outbox:
        outbox.done.warnings += finder.warnings
        outbox.done.origin = {
            "cryptonym": version("cryptonym"),
            "detector": DETECTOR_VERSION,
            "surrogates": str(ALGORITHM),
            "key_id": cohort.key_id,
            "policy_id": policy.policy_id,
        }

        def step(line: JsonLine) -> None:
            record = _record(line, desk, dropped)
            if isinstance(record, Failure):
                outbox.refuse(record)
            else:
                outbox.note(record)
                if vault and line.annotated.document.person_id is not None:
                    persons.add(line.annotated.document.person_id)

        ahead = (lambda lines: None) if rules.given else finder.foresee
        each_line(task, outbox, progress, step, given=rules.given, ahead=ahead)
        if vault:
            vault.store(cohort, persons)
        if dropped:
            names = ", ".join(f"{key} ({count})" for key, count in sorted(dropped.items()))
            outbox.done.warnings.append(
                f"left out, since they could identify (notes): {names}; --keep-keys keeps them"
            )
    return outbox.done


def _vault(rules: Rules) -> Vault | None:
    """Open the vault that the rules name, and see that it is of this key, before any work."""
    if rules.vault is None and rules.vault_key is None:
        return None
    if rules.vault is None or rules.vault_key is None:
        raise ConfigError("--vault", "vault and its key go together", "give --vault-key, too")
    found = open_vault(rules.vault, rules.vault_key, Path())
    found.check()
    return found


def _files(rules: Rules) -> list[Path]:
    """Name the files among keys, vault and policy, which no output may replace."""
    is_policy_file = rules.policy is not None and rules.policy not in shipped()
    named = [*locator_files(rules.key), *locator_files(rules.vault_key or "env:")]
    named += [str(rules.policy)] * is_policy_file + [str(rules.vault)] * (rules.vault is not None)
    return [Path(name) for name in named]


def load_policy(policy: str | None, lang: str) -> Policy:
    """Make the policy that is shipped under a name or lies in a file.

    A file holds the keys of `[policy]` in `nightly.toml`, with or without that heading.
    Raises ConfigError that names the key.
    """
    return build(read_policy(policy, Path()) if policy is not None else {}, lang)


def _first_language(notes: Path) -> str:
    """Return the language of the first note that names, or else is in, one that policies speak."""
    if not notes.is_file():
        return "fr"
    told = ""
    for line in read_notes(notes, given=False):
        if isinstance(line, BadLine):
            continue
        document = line.annotated.document
        if document.lang in _LANGUAGES:
            return document.lang
        lang = "" if told else spoken(document).lang
        told = lang if lang in _LANGUAGES else told
    return told or "fr"


def _record(
    line: JsonLine, desk: _RewritingContext, dropped: Counter[str]
) -> dict[str, Any] | Failure:
    note_id = line.annotated.document.note_id
    annotated = attempt(note_id, "detect", lambda: _annotated(line, desk))
    if isinstance(annotated, Failure):
        return annotated
    released = attempt(note_id, "rewrite", lambda: _released(annotated, desk))
    if isinstance(released, Failure):
        return replace(released, stage="residue") if released.reason in _RESIDUE else released
    return attempt(note_id, "write", lambda: _written(line, released, desk, dropped))


_RESIDUE = ("residue", "identifying-note-id")


def _annotated(line: JsonLine, desk: _RewritingContext) -> Annotated:
    document = line.annotated.document
    if desk.is_known_required and desk.finder.patient(document.person_id) is None:
        raise Unreadable("unknown-patient" if document.person_id else "no-person")
    clean, _ = cleaned(line)
    if not desk.rules.given:
        return desk.finder.find(clean)
    named = (replace(span, detector=_code(span)) for span in clean.spans)
    document = spoken(clean.document, desk.finder.lang)
    return Annotated(document, resolve(named, document.text))


def _code(span: Span) -> str:
    # Anybody may have written the detector of a given span; only a name of ours goes on.
    return span.detector if _DETECTOR.fullmatch(span.detector) else "given"


def _released(annotated: Annotated, desk: _RewritingContext) -> Release:
    document = annotated.document
    patient = desk.finder.patient(document.person_id)
    released = release(annotated, patient, desk.rewriter, desk.finder.known)
    if patient and not desk.rules.replace_ids:
        name = Document(document.note_id, document.note_id, person_id=document.person_id)
        if desk.finder.known.of(patient).detect(name):
            raise Unsafe("identifying-note-id")
    return released


def _written(
    line: JsonLine, released: Release, desk: _RewritingContext, dropped: Counter[str]
) -> dict[str, Any]:
    """Write the known keys anew and the others only where they were asked for: default-deny."""
    document, rules = line.annotated.document, desk.rules
    person = document.person_id
    # As in the text: where nobody is named, the note is its own patient.
    moved = person if person is not None else f"note:{document.note_id}"
    result: dict[str, Any] = {}
    for key, value in line.record.items():
        if key == "note_id":
            new_id = str(desk.columns.pseudonym("note", document.note_id))
            result[key] = new_id if rules.replace_ids else value
        elif key == "person_id":
            result[key] = None if person is None else str(desk.columns.pseudonym("person", person))
        elif key == "text":
            result[key] = released.text
        elif key == "note_datetime":
            result[key] = _shifted(value, moved, desk.columns)
        elif key in rules.keep_keys or _is_code(key, value):
            result[key] = value
        elif key != "spans":
            dropped[key] += 1
    return {**result, "spans": listed(released.spans)}


def _is_code(key: str, value: Any) -> bool:
    pattern = CODES.get(key)
    return pattern is not None and isinstance(value, str) and bool(pattern.fullmatch(value))


def _shifted(value: Any, person: str, columns: Columns) -> str | None:
    """Move a date by the patient's own shift; its time of day and its form stay."""
    if value is None or not str(value).strip():
        return None
    text = str(value).strip()
    moved = columns.shift_datetime(person, datetime.fromisoformat(text))
    return moved.date().isoformat() if _DAY.fullmatch(text) else moved.isoformat()
