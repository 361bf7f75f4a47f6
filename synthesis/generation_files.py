"""A generation run as files: batches of notes, then the notes and a manifest."""

import hashlib
import json
import math
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.language.decoding.generation import Decoding
from models.language.decoding.tag_grammar import LENGTH_TOLERANCE
from models.language.training import serialization as models
from record.atomic_write import write_atomically
from record.document import Annotated, Document
from record.errors import ConfigError, CryptonymError
from record.span import Span
from synthesis.corpus_statistics import words_in
from synthesis.generation import ORIGIN, GenerationPlan, NoteGenerator
from synthesis.generation_summary import GenerationSummary
from synthesis.noised_requests import NoisedCounts
from synthesis.note_requests import Request, marks_in
from synthesis.prepared_corpus import digest as corpus_digest
from synthesis.prepared_corpus import load_requests, read_manifest


def plan_batches(lengths: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Return batches of places, as few as there can be: size by longest length is at most `most`.

    Longest first, so that what does not fit into memory fails at once; of equals in order. Depends
    on the lengths alone. Raises ValueError where one is longer than `most`.
    """
    if max(lengths, default=0) > most:
        raise ValueError
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        # The first of a batch is its longest.
        if batches and (len(batches[-1]) + 1) * max(1, lengths[batches[-1][0]]) <= most:
            batches[-1].append(place)
        else:
            batches.append([place])
    return [tuple(batch) for batch in batches]


_BLOCK = 4096  # notes among which one is looked for: the time grows with the square of it

FloatArray = NDArray[np.float64]


def select_rows(counts: FloatArray, wanted: FloatArray, count: int) -> list[int]:
    """Select rows of `counts` so that their mean approximates `wanted`, greedily.

    `counts` is (notes, features), counts of anything; `wanted` (features,), of one note on average.
    Each row that is taken is the one after which the sum is nearest to that of as many wanted
    notes; a feature weighs the less the more rows differ in it. Returns `count` row numbers in
    order, drawn evenly from blocks of rows, and raises ValueError where there are fewer.
    """
    if count > len(counts):
        raise ValueError
    spread = counts.var(axis=0)
    weights = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    missing = np.zeros_like(wanted, dtype=np.float64)
    blocks = np.array_split(np.arange(len(counts)), -(-len(counts) // _BLOCK) or 1)
    taken: list[int] = []
    seen = 0
    for block in blocks:
        seen += len(block)
        rows = counts[block]
        is_taken = np.zeros(len(block), dtype=bool)
        for _ in range(count * seen // len(counts) - len(taken)):
            missing += wanted
            cost = ((rows - missing) ** 2) @ weights
            best = int(np.where(is_taken, np.inf, cost).argmin())
            missing -= rows[best]
            is_taken[best] = True
            taken.append(int(block[best]))
    return sorted(taken)


NOTES, MANIFEST = "notes.jsonl", "manifest.json"

READ_WITHOUT_NOISE, PUBLIC_SHA256 = "read_without_noise", "public_sha256"
"""What a private model's metadata tell: what training read beside its noised gradients, and the
digest of the corpus that it took in its place."""

NOISED_REQUESTS = "noised_requests"
"""The metadata of a private model that tell how long notes are, and what they have, with noise."""

_PARTS, _ORDER = ".parts", "order.json"
_LENGTH = "<words>"  # no label
_FORMAT = 1
_OWNER_ONLY = 0o700


class Lost(CryptonymError):
    """Notes are missing or duplicated after all parts were written; nothing was assembled."""


class BatchedWork:
    """Resumable work on so many notes, `batch` at a time; each batch is one file."""

    out: Path
    count: int
    batch: int

    @property
    def units(self) -> list[int]:
        """The numbers of the batches."""
        return list(range(-(-self.count // self.batch)))

    def places(self, unit: int) -> Sequence[int]:
        """Return the places of the notes of a batch."""
        return range(unit * self.batch, min(self.count, (unit + 1) * self.batch))

    def part(self, unit: int) -> Path:
        """Return the file of a batch."""
        return self.out / _PARTS / f"part-{unit:06d}.jsonl"

    def pending(self) -> list[int]:
        """Return the batches that are not there."""
        return [unit for unit in self.units if not self.part(unit).exists()]

    def open_folder(self, mark: str) -> None:
        """Create the folder, or resume interrupted work with the same fingerprint.

        Raises ConfigError where the folder holds anything else.
        """
        fingerprint_file = self.out / _PARTS / _ORDER
        if fingerprint_file.exists():
            if fingerprint_file.read_text("utf-8") != mark:
                problem = "contains part of a generation with other options"
                raise ConfigError(str(self.out), problem, "give the same options or a new folder")
            return
        if self.out.exists() and any(self.out.iterdir()):
            raise ConfigError(str(self.out), "not empty", "give a new folder")
        self.out.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        fingerprint_file.parent.mkdir(mode=_OWNER_ONLY)
        write_atomically(fingerprint_file, mark.encode())

    def write_part(self, unit: int, records: Iterable[Mapping[str, Any]]) -> None:
        """Write the notes of a batch atomically."""
        lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)
        write_atomically(self.part(unit), lines.encode("utf-8"))

    def lines(self) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
        """Read all notes back with their batch; raises Lost where one is missing."""
        for unit in self.units:
            if not self.part(unit).exists():
                raise Lost(f"batch {unit} is missing; run again")
            for line in self.part(unit).read_bytes().splitlines(keepends=True):
                yield unit, line, json.loads(line)

    def finish(self, content: bytes, manifest: Mapping[str, Any]) -> None:
        """Write notes and manifest, and remove the parts."""
        write_atomically(self.out / NOTES, content)
        (self.out / NOTES).chmod(0o600)
        write_atomically(self.out / MANIFEST, json.dumps(manifest, indent=1).encode())
        shutil.rmtree(self.out / _PARTS)


@dataclass(frozen=True)
class Generation(BatchedWork):
    """What to generate, with which model, and where to; paths and numbers only.

    Notes are written `batch` at a time: a batch is the unit that is done or not. With `words`,
    only the first notes that have so many are wanted, and `count` grows until they do. With
    `chosen`, only so many of them are kept: those that together have what was asked for. With
    `has_surrogates` identifiers are not what the model writes. `requests` is the corpus whose
    requests, forms of identifiers and labels are taken instead of those of `corpus`. `known_words`
    names the list of words that notes may hold, beside those of many patients. With `batch_tokens`
    a batch holds notes of like length, as many times the longest as make so many tokens.
    """

    model: Path
    corpus: Path
    out: Path
    count: int
    seed: int
    batch: int
    decoding: Decoding = field(default_factory=Decoding)
    shares: Mapping[str, float] | None = None
    words: int | None = None
    chosen: int | None = None
    has_surrogates: bool = False
    requests: Path | None = None
    known_words: str | None = None
    batch_tokens: int | None = None

    @property
    def units(self) -> list[int]:
        """The numbers of the batches; raises ConfigError where one cannot hold a note."""
        return super().units if self.batch_tokens is None else list(range(len(self._batches)))

    def places(self, unit: int) -> Sequence[int]:
        """Return the places of the notes of a batch."""
        return super().places(unit) if self.batch_tokens is None else self._batches[unit]

    def lines(self) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
        """Read all notes back in their order, each with its batch; raises Lost."""
        if self.batch_tokens is None:
            return super().lines()
        found = sorted((_place_of(record), unit, line) for unit, line, record in super().lines())
        return ((unit, line, json.loads(line)) for _, unit, line in found)

    @cached_property
    def _batches(self) -> list[tuple[int, ...]]:
        """The places of each batch by tokens: a function of seed, requests and settings alone."""
        assert self.batch_tokens is not None
        plan = self.plan()
        requests = [plan.request(place) for place in range(self.count)]
        lengths = _planned_lengths(self, requests)
        try:
            return plan_batches(lengths, self.batch_tokens)
        except ValueError:
            problem, remedy = "less than one note may take", f"give at least {max(lengths)}"
            raise ConfigError("--batch-tokens", problem, remedy) from None

    @property
    def source(self) -> Path:
        """The corpus that says what notes are asked for."""
        return self.requests or self.corpus

    def plan(self) -> GenerationPlan:
        """Read what notes may be asked for; raises ConfigError."""
        manifest = read_manifest(self.source)
        lang = str(manifest["origin"].get("lang") or "")
        noised = models.about(self.model).get(NOISED_REQUESTS)
        counts = None if noised is None else NoisedCounts.from_json(noised)
        requests = load_requests(self.source)
        return GenerationPlan(self.count, self.seed, requests, self.shares, lang, counts)

    def fingerprint(self) -> str:
        """Return a hash of the settings and inputs."""
        held = {
            "model": models.digest(self.model), "corpus": corpus_digest(self.corpus),
            "count": None if self.words else self.count, "words": self.words,
            "chosen": self.chosen, "seed": self.seed, "batch": self.batch,
            "decoding": asdict(self.decoding), "shares": dict(self.shares or {}),
            "surrogates": self.has_surrogates,
            # Earlier versions asked for notes like single ones: what they began is begun again.
            "asked_for": "marginals",
        }  # fmt: skip
        if self.batch_tokens is not None:
            held |= {"batch": None, "batch_tokens": self.batch_tokens}
        if self.known_words is not None:
            held["known_words"] = words_digest(self.known_words)
        if self.requests is not None:
            held["requests"] = corpus_digest(self.requests)
        return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()

    def is_kept(self, record: Mapping[str, Any]) -> bool:
        """Return whether a note is kept: with beam search, notes without entities are dropped
        (Libbi et al., 2021), and so is a note that was refused.
        """
        if "refused" in record:
            return False
        return self.decoding.method != "beam" or bool(record["spans"])

    def extended(self) -> "Generation":
        """Return the generation with as many more notes as the requested words need.

        Raises Lost where a batch is missing, and ConfigError where no note has a word.
        """
        if self.words is None:
            return self
        kept = (record for _, _, record in self.lines() if self.is_kept(record))
        found = sum(len(words_in(record["text"])) for record in kept)
        if found >= self.words:
            return self
        if not found:
            raise ConfigError(
                "the model", "generates empty notes", "train it longer, or give --notes"
            )
        missing = (self.words - found) * self.count / (found * self.batch)
        return replace(self, count=self.count + self.batch * math.ceil(missing))


def words_digest(named: str) -> str:
    """Return the digest of a file with words; a language of wordfreq stands for itself."""
    path = Path(named)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else named


def open_generation(generation: Generation) -> None:
    """Create the folder, or resume an interrupted generation.

    Raises ConfigError where the folder holds anything else, the model has no room for notes of that
    length, or it took its marks from other notes than those that say what is asked for.
    """
    public = models.about(generation.model).get(PUBLIC_SHA256)
    requests = generation.requests
    if public != (None if requests is None else corpus_digest(requests)):
        problem = "not the corpus that this model took its marks from"
        remedy = "give --requests the folder that `synthesize train` had as --vocabulary-text"
        raise ConfigError("--requests", problem, remedy)
    most = _max_note_length(generation)
    if most is not None and generation.decoding.max_length > most:
        raise ConfigError("--max-length", "exceeds the model's context", f"give at most {most}")
    if generation.batch_tokens is not None:
        if generation.words is not None:
            problem = "needs a fixed number of notes, which --words does not give"
            raise ConfigError("--batch-tokens", problem, "give --notes, or --batch")
        _ = generation.units  # planned here, where it can be refused
    generation.open_folder(generation.fingerprint())


def _max_note_length(generation: Generation) -> int | None:
    """Return the longest note that fits into the model's context, if that is limited.

    A kind, a label and a count for each label, and the mark before the note; one more to begin.
    """
    longest: int | None = models.shape_of(generation.model).get("context")
    labels = read_manifest(generation.source)["statistics"]["train"]["labels"]
    return None if longest is None else longest - 2 * len(labels) - 3


def requested_lengths(generation: Generation) -> list[int]:
    """Return the tokens that each note may take including tolerance, in ascending order.

    No more than the model holds; nothing where model or corpus do not know how long notes are.
    """
    plan = generation.plan()
    requests = [plan.request(place) for place in range(generation.count)]
    most = _max_note_length(generation)
    lengths = _tokens_with_tolerance(generation, requests)
    return sorted(length if most is None else min(length, most) for length in lengths)


def _tokens_with_tolerance(generation: Generation, requests: Sequence[Request]) -> list[int]:
    """Return the tokens that the note of each request may take; 0 where nothing tells."""
    ids_per_word: float = models.about(generation.model).get("ids_per_word", 0.0)
    return [math.ceil((1 + LENGTH_TOLERANCE) * ids_per_word * each.words) for each in requests]


def _planned_lengths(generation: Generation, requests: Sequence[Request]) -> list[int]:
    """Return the tokens to reserve for each request: its prompt, and the length asked for with
    tolerance, `max_length` where none is asked for or kept to."""
    decoding = generation.decoding
    lengths = []
    for request, needed in zip(requests, _tokens_with_tolerance(generation, requests), strict=True):
        body = decoding.max_length
        if decoding.rounded and needed:
            body = min(max(needed, decoding.min_length), decoding.max_length)
        prompt = 1 + len(marks_in(request.codes()))  # one more to begin
        lengths.append(prompt + body)
    return lengths


def _place_of(record: Mapping[str, Any]) -> int:
    """Return the place of a note by its id."""
    return int(record["note_id"].rpartition("-")[2])


def write_unit(
    generation: Generation, writer: NoteGenerator, plan: GenerationPlan, unit: int
) -> int:
    """Write a batch of notes to its file; returns the number of ids written."""
    notes = writer.write(plan, generation.places(unit))
    generation.write_part(
        unit,
        (
            {"note_id": each.note.document.note_id, "refused": each.refused}
            if each.refused
            else note_record(each.note, each.about())
            for each in notes
        ),
    )
    return sum(each.ids for each in notes)


def assemble(generation: Generation, fresh: Collection[int], seconds: float) -> dict[str, Any]:
    """Combine all parts into notes.jsonl and the manifest; return the manifest.

    `fresh` are the batches that were written in so many seconds, for the reported speed.

    Every note that was planned is accounted for by its id; raises Lost otherwise. What comes after
    the last note that is wanted for its words is left out, and what was refused is counted.
    """
    plan = generation.plan()
    account = GenerationSummary()
    kept: list[bytes] = []
    seen: list[str] = []
    written = words = total = dropped = 0
    chosen = _selected_places(generation, plan)
    refused: Counter[str] = Counter()
    for unit, line, record in generation.lines():
        if "refused" in record:
            seen.append(record["note_id"])
            refused[record["refused"]] += 1
            continue
        count = len(words_in(record["text"]))
        if unit in fresh:
            written += record["synthetic"]["ids"]
            words += count
        seen.append(record["note_id"])
        if generation.words is not None and total >= generation.words:
            continue
        if not generation.is_kept(record):
            dropped += 1
            continue
        if chosen is not None and len(seen) - 1 not in chosen:
            continue
        total += count
        account.add(note_in(record), record["synthetic"])
        kept.append(line)
    if seen != [plan.note_id(place) for place in range(generation.count)]:
        raise _lost_notes(len(seen), generation)
    content = b"".join(kept)
    if chosen is not None:
        plan = replace(plan, count=len(chosen))
        account.request_like = plan.request_like()
    else:
        plan = replace(plan, count=len(kept) + dropped + refused.total())
    manifest = _manifest(generation, plan, account, content)
    manifest["dropped"] = dropped
    manifest["refused"] = dict(sorted(refused.items()))
    duration = max(seconds, 1e-9)
    speed = {"ids_per_second": written / duration, "words_per_second": words / duration}
    timed = manifest | {"seconds": seconds, **speed}
    generation.finish(content, timed)
    return timed


def _selected_places(generation: Generation, plan: GenerationPlan) -> set[int] | None:
    """Return the places of the notes that are kept, where some are chosen.

    They have the entities of each label and the words of as many requests, as nearly as may be.
    """
    if generation.chosen is None:
        return None
    requests = [plan.request(place) for place in range(generation.chosen)]
    wanted = Counter({_LENGTH: sum(request.words for request in requests)})
    for request in requests:
        wanted.update(request.counts)
    features = sorted(wanted)
    counts: list[list[int]] = []
    places: list[int] = []
    written = 0
    for place, (_, _, record) in enumerate(generation.lines()):
        written += 1
        if "refused" in record:
            continue
        places.append(place)
        found = Counter(span["label"] for span in record["spans"])
        found[_LENGTH] = len(words_in(record["text"]))
        counts.append([found[name] for name in features])
    if written != generation.count:
        raise _lost_notes(written, generation)
    mean = np.array([wanted[name] for name in features]) / generation.chosen
    count = min(generation.chosen, len(counts))
    rows = select_rows(np.array(counts, dtype=np.float64), mean, count)
    return {places[row] for row in rows}


def _lost_notes(found: int, generation: Generation) -> Lost:
    return Lost(f"{found} notes found, expected {generation.count}; run again")


def _manifest(
    generation: Generation, plan: GenerationPlan, account: GenerationSummary, content: bytes
) -> dict[str, Any]:
    about = models.about(generation.model)
    prepared = read_manifest(generation.corpus)
    return {
        "format": _FORMAT,
        "what": "synthetic notes",
        "screened": False,
        "notes_sha256": hashlib.sha256(content).hexdigest(),
        "model_sha256": models.digest(generation.model),
        "corpus_sha256": corpus_digest(generation.corpus),
        "learnt_corpus_sha256": about.get("prepared_sha256"),
        "origin": prepared["origin"],
        "privacy": _privacy(about),
        READ_WITHOUT_NOISE: _read_without_noise(generation, about),
        "most_notes_of_a_patient": prepared.get("most_notes_of_a_patient"),
        "canaries": about.get("canaries"),
        "base_sha256": _pretrained_digest(about),
        "perplexity": about.get("perplexity"),
        "seed": generation.seed,
        "batch": generation.batch if generation.batch_tokens is None else None,
        "batch_tokens": generation.batch_tokens,
        "decoding": generation.decoding.in_use(),
        "identifiers": "surrogates" if generation.has_surrogates else "model",
        "known_words": generation.known_words,
        "shares": dict(generation.shares) if generation.shares else None,
        "words_asked": generation.words,
        "chosen_among": generation.count if generation.chosen else None,
        "planned_tags": dict(sorted(plan.request_like().items())),
        "versions": {name: version(name) for name in ("cryptonym", "torch")},
        **account.to_json(),
    }


def _privacy(about: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the notes cost in privacy: training, and the noised counts of their requests."""
    privacy: dict[str, Any] | None = about.get("privacy")
    if privacy is None or NOISED_REQUESTS not in about:
        return privacy
    generator, requests = privacy["epsilon"], about[NOISED_REQUESTS]["epsilon"]
    shares = {"generator_epsilon": generator, "requests_epsilon": requests}
    return {**privacy, "epsilon": generator + requests, **shares}


def _read_without_noise(generation: Generation, about: Mapping[str, Any]) -> list[str] | None:
    """Return what private notes told without noise, beside the weights; None without privacy."""
    if about.get("privacy") is None:
        return None
    # A model of an earlier version does not tell what it was trained with.
    read = list(about.get(READ_WITHOUT_NOISE, ["vocabulary", "marks"]))
    if generation.requests is None:
        read += ["requests", *(["forms of identifiers"] if generation.has_surrogates else [])]
        read += [] if generation.known_words is None else ["known words"]
    return read


def _pretrained_digest(about: Mapping[str, Any]) -> str | None:
    """Return the digest of the pretrained weights that a generator began with, if it did."""
    if about.get("recipe", {}).get("pretrained") is None:
        return None
    return about.get("base_sha256") or "unknown"  # of a version that did not keep it


def note_record(note: Annotated, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return a note with spans as a line of notes.jsonl; `about` is kept with it."""
    document = note.document
    spans = [
        {"start": s.start, "end": s.end, "label": s.label, "score": s.score, "detector": s.detector}
        for s in note.spans
    ]
    return {
        "note_id": document.note_id,
        "text": document.text,
        "lang": document.lang,
        "note_type": document.kind,
        "spans": spans,
        "synthetic": dict(about),
    }


def note_in(record: Mapping[str, Any]) -> Annotated:
    """Read a line of notes.jsonl back."""
    document = Document(
        note_id=record["note_id"], text=record["text"], lang=record["lang"],
        kind=record["note_type"], origin=ORIGIN,
    )  # fmt: skip
    return Annotated(document, tuple(Span(**span) for span in record["spans"]))


def read_generated(folder: Path) -> dict[str, Any]:
    """Read the manifest of generated notes; raises ConfigError where the folder holds none."""
    remedy = "give a folder written by `cryptonym synthesize generate`"
    try:
        held = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        raise ConfigError(str(folder), f"contains no {MANIFEST}", remedy) from None
    if not isinstance(held, dict) or held.get("format") != _FORMAT:
        raise ConfigError(
            str(folder / MANIFEST), "written by another version", "generate the notes again"
        )
    return held


def manifest_digest(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest as it was read, which measurements of its notes name."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def units_of(pending: Sequence[int], worker: int, workers: int) -> list[int]:
    """Return the batches that are one worker's."""
    return [unit for place, unit in enumerate(pending) if place % workers == worker]
