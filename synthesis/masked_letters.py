"""Folders of masked letters, written by `synthesize mask` and read by `synthesize fill`."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.serialization import FolderFormat
from record.atomic_write import OWNER_FILE, write_atomically
from record.document import Document
from record.errors import ConfigError
from synthesis.masking import MaskedDocument, MaskingDecision, Phase

LETTERS, PASSAGES = "letters.jsonl", "passages.npy"
FOLDER_FORMAT = FolderFormat(
    "masked-letters.json",
    "folder of masked letters",
    "cryptonym synthesize mask",
    mode=OWNER_FILE,
)

_OWNER_ONLY = 0o700


@dataclass(frozen=True)
class MaskedLetters:
    """Masked letters in order, each document's `person_id` whose letter it is, and the manifest.

    `passages` are those of few patients of the corpus, if the folder has them.
    """

    letters: Sequence[MaskedDocument] = field(repr=False)
    manifest: Mapping[str, Any]
    passages: bytes | None = field(default=None, repr=False)


def require_empty(folder: Path) -> None:
    """Raise ConfigError if a folder is not empty."""
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(str(folder), "not empty", "give a new folder")


def save_letters(
    letters: Iterable[MaskedDocument],
    folder: Path,
    about: Mapping[str, Any],
    passages: bytes | None = None,
) -> dict[str, Any]:
    """Write masked letters for their owner alone; returns the manifest, which `about` is part of.

    `passages` are kept beside them for `synthesize fill`. Raises ConfigError where the folder is
    not empty or there is no letter.
    """
    require_empty(folder)
    lines: list[str] = []
    counts: Counter[tuple[Phase, str, bool]] = Counter()
    for letter in letters:
        lines.append(json.dumps(_line(letter)) + "\n")
        counts += letter.counts()
    if not lines:
        raise ConfigError(str(folder), "no letters to write", "give a corpus with training notes")
    folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    files = {LETTERS: "".join(lines).encode()} | ({PASSAGES: passages} if passages else {})
    for name, content in files.items():
        write_atomically(folder / name, content, mode=OWNER_FILE)
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    words = [
        {"phase": phase, "reason": reason, "masked": masked, "count": count}
        for (phase, reason, masked), count in ranked
    ]
    manifest = {**about, "letters": len(lines), "words": words}
    FOLDER_FORMAT.write_settings(folder, manifest, tuple(files))
    return manifest


def load_letters(folder: Path) -> MaskedLetters:
    """Read masked letters; raises ConfigError that names what is missing or corrupt."""
    manifest = FOLDER_FORMAT.read(folder)
    content = FOLDER_FORMAT.read_verified(folder, manifest, LETTERS)
    passages = None
    if PASSAGES in manifest["sha256"]:
        passages = FOLDER_FORMAT.read_verified(folder, manifest, PASSAGES)
    letters = [_letter(json.loads(line)) for line in content.splitlines()]
    return MaskedLetters(letters, manifest, passages)


def _line(letter: MaskedDocument) -> dict[str, Any]:
    document = letter.document
    return {
        "note_id": document.note_id,
        "owner": document.person_id,
        "lang": document.lang,
        "note_type": document.kind,
        "text": document.text,
        "masked": letter.render(),
        "decisions": [
            [each.start, each.end, each.phase, each.reason, each.is_masked]
            for each in letter.decisions
        ],
        "widths": letter.widths,
    }


def _letter(line: Mapping[str, Any]) -> MaskedDocument:
    document = Document(
        line["note_id"], line["text"], line["owner"], lang=line["lang"], kind=line["note_type"]
    )
    decisions = tuple(
        MaskingDecision(start, end, Phase(phase), reason, is_masked)
        for start, end, phase, reason, is_masked in line["decisions"]
    )
    return MaskedDocument(document, decisions, tuple(line["widths"]))
