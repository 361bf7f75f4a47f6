"""Drops synthetic notes that share a passage with a single patient's notes, and counts them."""

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


@dataclass(frozen=True)
class FilteredNotes:
    """What a filter kept and dropped: lines of notes, and how many notes of patients it met."""

    kept: Sequence[bytes] = field(repr=False)
    dropped: Sequence[bytes] = field(repr=False)
    patients: Counter[str] = field(repr=False)


def filter_copies(
    synthetic: Path, corpus: Path, out: Path, progress: Progress, *, words: int = PASSAGE
) -> dict[str, Any]:
    """Write the notes that share no passage of so many words with few patients' notes.

    Returns the manifest of what is left. Raises ConfigError where the notes came from another
    corpus or were changed, where none is left, or where the folder is not empty.
    """
    refuse_used(out)
    if not 1 <= words <= PASSAGE:
        problem = f"must be at least 1 and at most {PASSAGE}, the passage that the gate counts"
        raise ConfigError("--passage", problem, f"give {PASSAGE} or less")
    manifest = read_manifest(synthetic, corpus)
    if hash_file(synthetic / NOTES) != manifest["notes_sha256"]:
        problem = "has changed since it was generated"
        raise ConfigError(str(synthetic / NOTES), problem, "generate the notes again")
    progress.phase("reading")
    index = passage_index(load_corpus(corpus), words)
    progress.phase("comparing")
    lines = (synthetic / NOTES).read_bytes().splitlines(keepends=True)
    found = _filter_lines(lines, index, progress)
    if not found.kept:
        remedy = "train on notes of more patients, or through fewer epochs"
        raise NothingLeft(str(synthetic), "every note has a passage of a patient", remedy)
    content = b"".join(found.kept)
    filtered = {
        "of": manifest["notes_sha256"],
        "read": len(lines),
        "dropped": len(found.dropped),
        "share": len(found.dropped) / len(lines),
        "patients": len(found.patients),
        "most_of_a_patient": max(found.patients.values(), default=0),
        "words": words,
        "others": OTHERS,
    }
    left = {
        **manifest,
        **_summarize(found.kept),
        "notes_sha256": hashlib.sha256(content).hexdigest(),
        "filtered": filtered,
    }
    out.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
    for name, written in ((DROPPED, b"".join(found.dropped)), (NOTES, content)):
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
