"""Drops synthetic notes that share a passage with a single patient's notes, and counts them.

Of those that are left the annotations may be compared with what detectors find.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.attacks.passages import OTHERS, PASSAGE, PassageIndex, views
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.synthetic.corpus_passages import passage_index
from pipeline.synthetic.measurements.files import OWNER_ONLY, read_manifest, refuse_used
from pipeline.synthetic.measurements.tag_agreement import (
    AGREEMENT_COUNTS,
    DISAGREEING,
    AgreementResult,
    AgreementRule,
    compare_annotations,
)
from record.atomic_write import write_atomically
from record.document import Annotated
from record.errors import ConfigError
from synthesis.generation_files import MANIFEST, NOTES, note_in
from synthesis.generation_summary import GenerationSummary
from synthesis.prepared_corpus import load_corpus

DROPPED = "dropped.jsonl"
"""The file of notes that were dropped, with the places of their passages."""

_STEP = 64  # notes between two calls of progress


class NothingLeft(ConfigError):
    """Every note shares a passage with few patients' notes."""

    number = "copied-passages"


class NothingAgrees(NothingLeft):
    """No note without copies has the annotations that detectors find in it."""

    number = "disagreement-share"


@dataclass(frozen=True)
class FilterRules:
    """How many words make a passage, and how far annotations must agree, where that is asked."""

    words: int = PASSAGE
    agreement: AgreementRule | None = None


@dataclass(frozen=True)
class FilteredNotes:
    """Lines of notes that are no copies and that are, and how many notes of patients were met."""

    kept: Sequence[bytes] = field(repr=False)
    dropped: Sequence[bytes] = field(repr=False)
    patients: Counter[str] = field(repr=False)


def filter_copies(
    synthetic: Path,
    corpus: Path,
    out: Path,
    progress: Progress,
    *,
    rules: FilterRules = FilterRules(),
) -> dict[str, Any]:
    """Write the notes that share no passage of so many words with few patients' notes.

    With `rules.agreement` those of them are left out, too, whose annotations are not what detectors
    find. Returns the manifest of what is left. Raises ConfigError where the notes came from another
    corpus or were changed, where none is left, or where the folder is not empty.
    """
    refuse_used(out)
    if not 1 <= rules.words <= PASSAGE:
        problem = f"must be at least 1 and at most {PASSAGE}, the passage that the gate counts"
        raise ConfigError("--passage", problem, f"give {PASSAGE} or less")
    manifest = read_manifest(synthetic, corpus)
    if hash_file(synthetic / NOTES) != manifest["notes_sha256"]:
        problem = "has changed since it was generated"
        raise ConfigError(str(synthetic / NOTES), problem, "generate the notes again")
    progress.phase("reading")
    index = passage_index(load_corpus(corpus), rules.words)
    progress.phase("comparing")
    lines = (synthetic / NOTES).read_bytes().splitlines(keepends=True)
    found = _filter_lines(lines, index, progress)
    if not found.kept:
        remedy = "train on notes of more patients, or through fewer epochs"
        raise NothingLeft(str(synthetic), "every note has a passage of a patient", remedy)
    filtered: dict[str, Any] = {
        "of": manifest["notes_sha256"],
        "read": len(lines),
        "dropped": len(found.dropped),
        "share": len(found.dropped) / len(lines),
        "patients": len(found.patients),
        "most_of_a_patient": max(found.patients.values(), default=0),
        "words": rules.words,
        "others": OTHERS,
    }
    kept, files = found.kept, [(DROPPED, b"".join(found.dropped))]
    if rules.agreement is not None:
        progress.phase("detecting")
        agreed = _compare_annotations(synthetic, kept, rules.agreement, progress)
        kept = agreed.kept
        filtered[AGREEMENT_COUNTS] = agreed.counts
        files.append((DISAGREEING, agreed.dropped))
    content = b"".join(kept)
    left = {
        **manifest,
        **_summarize(kept),
        "notes_sha256": hashlib.sha256(content).hexdigest(),
        "filtered": filtered,
    }
    out.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
    for name, written in (*files, (NOTES, content)):
        write_atomically(out / name, written)
        (out / name).chmod(0o600)
    write_atomically(out / MANIFEST, json.dumps(left, indent=1).encode())
    return left


def _filter_lines(lines: Sequence[bytes], index: PassageIndex, progress: Progress) -> FilteredNotes:
    kept: list[bytes] = []
    dropped: list[bytes] = []
    patients: Counter[str] = Counter()
    for number, line in enumerate(lines):
        holders = index.patients(views(read_note(json.loads(line))))
        patients.update(holders)
        (dropped if holders else kept).append(line)
        if number % _STEP == 0:
            progress.advance(number, len(lines))
    return FilteredNotes(kept, dropped, patients)


def _compare_annotations(
    synthetic: Path, lines: Sequence[bytes], rule: AgreementRule, progress: Progress
) -> AgreementResult:
    notes = [(read_note(json.loads(line)), line) for line in lines]
    agreed = compare_annotations(notes, rule, progress)
    if not agreed.kept:
        problem = "no note has the annotations that detectors find in it"
        remedy = "train the generator longer, or name a tagger of your own labels and language"
        raise NothingAgrees(str(synthetic), problem, remedy)
    return agreed


def read_note(record: Mapping[str, Any]) -> Annotated:
    """Read a line of notes, of which only text and spans need be there."""
    return note_in({"lang": "", "note_type": "", **record})


def _summarize(lines: Sequence[bytes]) -> dict[str, Any]:
    """Count again what the manifest says of the notes; nothing of lines that do not say how."""
    account = GenerationSummary()
    for line in lines:
        record = json.loads(line)
        if "synthetic" not in record:
            return {}
        account.add(note_in(record), record["synthetic"])
    return account.to_json()
