"""A generation as files: parts that are there whole or not at all, then notes and a manifest."""

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from models.atomic import write
from models.language import folder as models
from models.language.decoding import Decoding
from record.document import Annotated, Document
from record.errors import ConfigError, CryptonymError
from record.span import Span
from synthesis.account import Account
from synthesis.generate import ORIGIN, Plan, Synthetic, Writer
from synthesis.prepared import digest as corpus_digest
from synthesis.prepared import load_requests, read_manifest

NOTES, MANIFEST = "notes.jsonl", "manifest.json"

_PARTS, _ORDER = ".parts", "order.json"
_FORMAT = 1
_OWNER_ONLY = 0o700


class Lost(CryptonymError):
    """Notes are missing or stand twice after all parts were written; nothing was put together."""


@dataclass(frozen=True)
class Generation:
    """What is to be written, by what, and where to; all of it is paths and numbers.

    Notes are written `batch` at a time: a batch is the unit that is done or not.
    """

    model: Path
    corpus: Path
    out: Path
    count: int
    seed: int
    batch: int
    decoding: Decoding = field(default_factory=Decoding)
    shares: Mapping[str, float] | None = None

    @property
    def units(self) -> list[int]:
        """The numbers of the batches."""
        return list(range(-(-self.count // self.batch)))

    def places(self, unit: int) -> range:
        """Give the places of the notes of a batch."""
        return range(unit * self.batch, min(self.count, (unit + 1) * self.batch))

    def part(self, unit: int) -> Path:
        """Give the file of a batch."""
        return self.out / _PARTS / f"part-{unit:06d}.jsonl"

    def pending(self) -> list[int]:
        """Give the batches that are not there."""
        return [unit for unit in self.units if not self.part(unit).exists()]

    def plan(self) -> Plan:
        """Read the requests of the corpus; raises ConfigError."""
        manifest = read_manifest(self.corpus)
        lang = str(manifest["origin"].get("lang") or "")
        return Plan(self.count, self.seed, load_requests(self.corpus), self.shares, lang)

    def fingerprint(self) -> str:
        """Give what differs for generations that must not be mixed."""
        held = {
            "model": models.digest(self.model), "corpus": corpus_digest(self.corpus),
            "count": self.count, "seed": self.seed, "batch": self.batch,
            "decoding": asdict(self.decoding), "shares": dict(self.shares or {}),
        }  # fmt: skip
        return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def claim(generation: Generation) -> None:
    """Make the folder, or take up what an interrupted generation left in it.

    Raises ConfigError where the folder holds anything else, or the model has no room for notes
    of that length.
    """
    _refuse_length(generation)
    order = generation.out / _PARTS / _ORDER
    mark = generation.fingerprint()
    if order.exists():
        if order.read_text("utf-8") != mark:
            problem = "holds part of another generation"
            raise ConfigError(
                str(generation.out), problem, "give the same options, or a new folder"
            )
        return
    if generation.out.exists() and any(generation.out.iterdir()):
        raise ConfigError(str(generation.out), "is not empty", "name a new folder")
    generation.out.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    order.parent.mkdir(mode=_OWNER_ONLY)
    write(order, mark.encode())


def _refuse_length(generation: Generation) -> None:
    longest = models.shape_of(generation.model).get("context")
    labels = read_manifest(generation.corpus)["statistics"]["train"]["labels"]
    # A kind, a label and a count for each label, and the mark before the note; one more to begin.
    asked = 2 * len(labels) + 3
    if longest is not None and asked + generation.decoding.max_length > longest:
        remedy = f"give at most {longest - asked}"
        raise ConfigError("--max-length", "is too long for the model", remedy)


def write_unit(generation: Generation, writer: Writer, plan: Plan, unit: int) -> int:
    """Write a batch of notes to its file; gives the number of ids written."""
    notes = writer.write(plan, generation.places(unit))
    lines = "".join(json.dumps(_record(each), ensure_ascii=False) + "\n" for each in notes)
    write(generation.part(unit), lines.encode("utf-8"))
    return sum(each.ids for each in notes)


def put_together(generation: Generation, fresh: Collection[int], seconds: float) -> dict[str, Any]:
    """Make notes.jsonl and the manifest out of all parts; gives the manifest.

    `fresh` are the batches that were written in so many seconds, of which the speed is told.

    Every note that was planned is accounted for by its id; raises Lost otherwise. With beam
    search, notes without any entity are left out and counted (Libbi et al., 2021).
    """
    plan = generation.plan()
    account = Account()
    kept: list[bytes] = []
    seen: list[str] = []
    written = 0
    for unit, line, record in _lines(generation):
        written += record["synthetic"]["ids"] * (unit in fresh)
        seen.append(record["note_id"])
        if generation.decoding.method == "beam" and not record["spans"]:
            continue
        account.add(_note(record), record["synthetic"])
        kept.append(line)
    if seen != [plan.note_id(place) for place in range(generation.count)]:
        raise Lost(f"{len(seen)} notes were read back of {generation.count}; run again")
    content = b"".join(kept)
    manifest = _manifest(generation, plan, account, content)
    manifest["dropped"] = len(seen) - len(kept)
    write(generation.out / NOTES, content)
    (generation.out / NOTES).chmod(0o600)
    timed = manifest | {"seconds": seconds, "ids_per_second": written / max(seconds, 1e-9)}
    write(generation.out / MANIFEST, json.dumps(timed, indent=1).encode())
    shutil.rmtree(generation.out / _PARTS)
    return timed


def _manifest(
    generation: Generation, plan: Plan, account: Account, content: bytes
) -> dict[str, Any]:
    trained = models.load(generation.model)
    prepared = read_manifest(generation.corpus)
    return {
        "format": _FORMAT,
        "what": "synthetic notes",
        "screened": False,
        "notes_sha256": hashlib.sha256(content).hexdigest(),
        "model_sha256": models.digest(generation.model),
        "corpus_sha256": corpus_digest(generation.corpus),
        "origin": prepared["origin"],
        "privacy": trained.about.get("privacy"),
        "perplexity": trained.about.get("perplexity"),
        "seed": generation.seed,
        "batch": generation.batch,
        "decoding": generation.decoding.in_use(),
        "shares": dict(generation.shares) if generation.shares else None,
        "planned_tags": dict(sorted(plan.requested().items())),
        "versions": {name: version(name) for name in ("cryptonym", "torch")},
        **account.to_json(),
    }


def _record(each: Synthetic) -> dict[str, Any]:
    document = each.note.document
    spans = [
        {"start": s.start, "end": s.end, "label": s.label, "score": s.score, "detector": s.detector}
        for s in each.note.spans
    ]
    return {
        "note_id": document.note_id,
        "text": document.text,
        "lang": document.lang,
        "note_type": document.kind,
        "spans": spans,
        "synthetic": each.about(),
    }


def _lines(generation: Generation) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    for unit in generation.units:
        if not generation.part(unit).exists():
            raise Lost(f"batch {unit} is missing; run again")
        for line in generation.part(unit).read_bytes().splitlines(keepends=True):
            yield unit, line, json.loads(line)


def _note(record: Mapping[str, Any]) -> Annotated:
    document = Document(
        note_id=record["note_id"], text=record["text"], lang=record["lang"],
        kind=record["note_type"], origin=ORIGIN,
    )  # fmt: skip
    return Annotated(document, tuple(Span(**span) for span in record["spans"]))


def read_generated(folder: Path) -> dict[str, Any]:
    """Read the manifest of generated notes; raises ConfigError where the folder holds none."""
    remedy = "name a folder that `cryptonym synthesize generate` wrote"
    try:
        held = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        raise ConfigError(str(folder), f"holds no {MANIFEST}", remedy) from None
    if not isinstance(held, dict) or held.get("format") != _FORMAT:
        raise ConfigError(str(folder / MANIFEST), "is of another version", "generate again")
    return held


def units_of(pending: Sequence[int], worker: int, workers: int) -> list[int]:
    """Give the batches that are one worker's."""
    return [unit for place, unit in enumerate(pending) if place % workers == worker]
