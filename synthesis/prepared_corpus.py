"""A prepared corpus as a folder: notes with tags, what held-out notes have, and a manifest."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import END, Vocabulary
from record.atomic_write import write_atomically
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.corpus_splitting import (
    SPLITS,
    SplitCorpus,
    SplitNote,
    benchmark_statistics,
    opening,
    owner_of,
)
from synthesis.corpus_statistics import corpus_statistics
from synthesis.markup import decode
from synthesis.note_requests import (
    Request,
    RequestMarginals,
    frequent_kinds,
    kind_slug,
    known_codes,
    marks_in,
    marks_of,
    request_like,
)

MANIFEST = "prepared.json"
"""The manifest of a prepared corpus; it is written last."""

REQUESTS = "requests.jsonl"
"""What each held-out note has, in the order of the notes; none is asked for as a whole."""

_FORMAT = 1
_RARE = 3
_OWNER_ONLY = 0o700
_REMEDY = "give a folder written by `cryptonym synthesize prepare`"


@dataclass(frozen=True)
class MarkedNote:
    """A note as training text: its control codes, then its text with tags.

    `owner` is whose note it is; a note without a patient stands for itself (`has_person` is False).
    `kind` is its own, however rare; None in corpora of earlier versions.
    """

    codes: str
    marked: str = field(repr=False)
    owner: str = field(default="", repr=False)
    note_id: str = field(default="", repr=False)
    has_person: bool = True
    kind: str | None = None

    @property
    def patient(self) -> str:
        """The patient, or "" for all notes without one: they may be one patient's."""
        return self.owner if self.has_person else ""

    @property
    def annotated(self) -> Annotated:
        """The text with its spans."""
        text, spans = decode(self.marked)
        return Annotated(Document(self.note_id, text), spans)


@dataclass(frozen=True)
class Corpus:
    """A prepared corpus: its notes by part, their tags, what to ask for, and the manifest."""

    notes: Mapping[str, Sequence[MarkedNote]] = field(repr=False)
    marks: Sequence[str]
    requests: RequestMarginals = field(repr=False)
    manifest: Mapping[str, Any]

    def texts(self, split: str, vocabulary: Vocabulary) -> list[Text]:
        """Return the notes of a part as ids.

        Codes that are no marks of the vocabulary are left out, and so are notes with such tags: a
        vocabulary of other notes does not know every label and kind. Which kinds are asked for is
        the vocabulary's to say, not a matter of how many other notes are of that kind.
        """
        texts = []
        known = frozenset(vocabulary.marks)
        for note in self.notes[split]:
            if not known.issuperset(marks_in(note.marked)):
                continue
            codes = vocabulary.encode(known_codes(note.codes, known, note.kind))
            body = vocabulary.encode(note.marked)
            ids = [*codes, *body, vocabulary.mark(END)]
            texts.append(Text(ids, len(codes), note.patient))
        return texts

    def stream(self, split: str) -> str:
        """Return a part as one text, every note ended."""
        return "".join(note.codes + note.marked + END for note in self.notes[split])


def save_corpus(parting: SplitCorpus, folder: Path, origin: Mapping[str, Any]) -> dict[str, Any]:
    """Write a corpus; returns its manifest, which `origin` is part of.

    Only their owner may read the files. Requests are drawn from what held-out notes hold, and from
    their first words. `most_notes_of_a_patient` is None where any note has no
    patient. Raises ConfigError where a part is empty or the folder is not.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(str(folder), "not empty", "give a new folder")
    for split in SPLITS:
        if not parting.part(split):
            remedy = "give notes of more patients, or another --seed"
            raise ConfigError(str(folder), f"the part {split} would be empty", remedy)
    folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    kinds = frequent_kinds(each.note for each in parting.part("train"))
    labels = {span.label for each in parting.notes for span in each.note.spans}
    sums = {}
    for split in SPLITS:
        path = folder / f"{split}.jsonl"
        sums[path.name] = _write_lines(path, (_line(e, kinds) for e in parting.part(split)))
    held_out = [each for split in SPLITS[1:] for each in parting.part(split)]
    requests = (request_like(each.note, kinds, opening(each.marked)) for each in held_out)
    sums[REQUESTS] = _write_lines(folder / REQUESTS, (each.to_json() for each in requests))
    documents = (each.note.document for each in parting.part("train"))
    owners = Counter(owner_of(each.person_id, each.note_id) for each in documents)
    are_known = all(each.note.document.person_id for each in parting.notes)
    manifest = {
        "format": _FORMAT,
        "origin": dict(origin),
        "marks": marks_of(labels, kinds),
        "refused": dict(sorted(parting.refused.items())),
        "most_notes_of_a_patient": max(owners.values()) if are_known else None,
        "benchmark": benchmark_statistics(parting, rare=_RARE),
        "statistics": {
            split: corpus_statistics(each.note for each in parting.part(split)).to_json()
            for split in SPLITS
        },
        "sha256": sums,
    }
    write_atomically(folder / MANIFEST, json.dumps(manifest, indent=1).encode())
    return manifest


def load_corpus(folder: Path) -> Corpus:
    """Read a corpus; raises ConfigError that names the file which is missing or corrupt."""
    manifest = read_manifest(folder)
    notes = {
        split: [
            MarkedNote(
                line["codes"],
                line["marked"],
                owner_of(line["person_id"], line["note_id"]),
                line["note_id"],
                bool(line["person_id"]),
                line.get("kind"),
            )
            for line in _read_lines(folder / f"{split}.jsonl", manifest)
        ]
        for split in SPLITS
    }
    return Corpus(notes, manifest["marks"], load_requests(folder), manifest)


def load_requests(folder: Path) -> RequestMarginals:
    """Read what held-out notes of a corpus have, each thing for itself."""
    manifest = read_manifest(folder)
    held_out = [
        line for split in SPLITS[1:] for line in _read_lines(folder / f"{split}.jsonl", manifest)
    ]
    # Earlier versions did not tell of lengths.
    return RequestMarginals(
        (
            Request(line["kind"], line["counts"], line["opening"], line.get("words", 0)),
            note["person_id"] or "",
        )
        for line, note in zip(_read_lines(folder / REQUESTS, manifest), held_out, strict=True)
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest; raises ConfigError."""
    try:
        held = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        raise ConfigError(str(folder), f"contains no {MANIFEST}", _REMEDY) from None
    if not isinstance(held, dict) or held.get("format") != _FORMAT:
        problem = "written by another version"
        raise ConfigError(str(folder / MANIFEST), problem, "prepare the corpus again")
    return held


def digest(folder: Path) -> str:
    """Return a digest of all notes; raises ConfigError."""
    sums = read_manifest(folder)["sha256"]
    return hashlib.sha256(json.dumps(sums, sort_keys=True).encode()).hexdigest()


def label_counts(requests: Iterable[Request]) -> Counter[str]:
    """Add up what is asked for, by label."""
    total: Counter[str] = Counter()
    for request in requests:
        total.update(request.counts)
    return total


def _line(each: SplitNote, kinds: Sequence[str]) -> dict[str, Any]:
    document = each.note.document
    return {
        "note_id": document.note_id,
        "person_id": document.person_id,
        "codes": request_like(each.note, kinds).codes(),
        "kind": kind_slug(document.kind),
        "marked": each.marked,
    }


def _write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> str:
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    write_atomically(path, content)
    path.chmod(0o600)
    return hashlib.sha256(content).hexdigest()


def _read_lines(path: Path, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    try:
        content = path.read_bytes()
    except OSError:
        raise ConfigError(str(path), "cannot be read", _REMEDY) from None
    if hashlib.sha256(content).hexdigest() != manifest["sha256"].get(path.name):
        raise ConfigError(str(path), "checksum mismatch", "prepare the corpus again")
    return [json.loads(line) for line in content.splitlines()]
