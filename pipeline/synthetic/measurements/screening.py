"""What synthetic notes give away about the notes they came from: copies, and whose they were."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from evaluation.attacks.copying import (
    RealNotes,
    attack_membership,
    measure_nearness,
    split_words,
)
from evaluation.attacks.passages import (
    PassageNotes,
    measure_passages,
    normalize,
    shared_passages,
)
from evaluation.attacks.proximity import NearestPair, WordCorpus, nearest_by_bm25, review
from evaluation.gate import Axis, Measured
from evaluation.utility.agreement import COPY, UNRELATED
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.files.gold import read_annotated
from pipeline.synthetic.measurements.files import OWNER_ONLY, read_manifest
from record.atomic_write import write_atomically
from record.document import Annotated
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.generation_files import NOTES, manifest_digest
from synthesis.prepared_corpus import load_corpus

SCREEN, REVIEW = "screen.json", "review.jsonl"
"""The files of a screening: its measurements, and pairs of notes for people to read."""

REVIEW_SHA256 = "review_sha256"
"""The detail of `copied-passages` that names the pairs to read."""

_KNOWN = 3  # pairs of each kind whose answer is known
_SHOWN = 5  # words in a row that are marked where both notes have them


@dataclass(frozen=True)
class Screening:
    """The measurements of screened notes, by digest, and pairs of notes to review.

    `manifest` is the digest of the notes' manifest (see `manifest_digest`).
    `pairs` and `review`, their file, hold the text of synthetic and real notes.
    """

    data: str
    corpus: str
    manifest: str
    measured: Sequence[Measured]
    pairs: Sequence[Mapping[str, Any]] = field(repr=False)
    review: bytes = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads: numbers, without any text."""
        return {
            "format": 1,
            "data": self.data,
            "corpus": self.corpus,
            "manifest": self.manifest,
            "measured": [each.to_json() for each in self.measured],
        }

    def save_review(self, folder: Path) -> None:
        """Write the pairs, readable by their owner only."""
        folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        write_atomically(folder / REVIEW, self.review)
        (folder / REVIEW).chmod(0o600)


def screen_notes(synthetic: Path, corpus: Path, progress: Progress, *, seed: int) -> Screening:
    """Compare synthetic notes with those their model learnt from and with other patients' notes.

    `seed` decides the samples of the membership attack. Raises ConfigError where the notes came
    from another corpus, where either is too small to compare, or where a line cannot be read.
    """
    manifest = read_manifest(synthetic, corpus)
    made = _read_made(synthetic / NOTES)
    texts = [note.document.text for note in made]
    progress.phase("reading")
    prepared = load_corpus(corpus)
    parts = [[note.annotated for note in prepared.notes[split]] for split in SPLITS]
    learnt, *others = ([note.document.text for note in part] for part in parts)
    if not texts:
        raise ConfigError(str(synthetic), "holds no notes", "generate some")
    try:
        real = RealNotes(
            split_words(learnt),
            [note.owner for note in prepared.notes[SPLITS[0]]],
            split_words(text for part in others for text in part),
            [note.owner for split in SPLITS[1:] for note in prepared.notes[split]],
        )
    except ValueError as error:
        raise ConfigError(str(corpus), str(error), "prepare a corpus of more patients") from None
    words, data = split_words(texts), hash_file(synthetic / NOTES)
    progress.phase("comparing")
    near = measure_nearness(words, real, WordCorpus(real.trained), data)
    chosen = review(near.found, nearest_by_bm25(words, real.trained), texts, learnt)
    owners = [note.patient for split in SPLITS for note in prepared.notes[split]]
    whose = PassageNotes([note for part in parts for note in part], owners)
    copied = measure_passages(made, whose, len(learnt), data, seed=seed)
    progress.phase("attacking")
    pairs = _pair_records(chosen, texts, learnt, Random(f"{seed}/review"))  # noqa: S311
    about = {"data": data, "manifest": manifest_digest(manifest)}
    lines = "".join(json.dumps(pair | about, ensure_ascii=False) + "\n" for pair in pairs)
    content = lines.encode("utf-8")
    detail = {**copied.detail, REVIEW_SHA256: hashlib.sha256(content).hexdigest()}
    measured = [
        *near.measured,
        replace(copied, detail=detail),
        attack_membership(words, real, data, seed=seed),
        *measured_by_generation(manifest, data),
    ]
    corpus_sha256 = manifest["corpus_sha256"]
    return Screening(data, corpus_sha256, about["manifest"], measured, pairs, content)


def _read_made(path: Path) -> list[Annotated]:
    """Read all notes with a text; a line that was skipped would leave without being compared."""
    warnings: list[str] = []
    made = [note for note in read_annotated(path, warnings) if note.document.text]
    if warnings:
        problem = "; ".join(each.removeprefix(f"{path}: ") for each in warnings)
        raise ConfigError(str(path), problem, "generate the notes again")
    return made


def _pair_records(
    pairs: Sequence[NearestPair], synthetic: Sequence[str], real: Sequence[str], chance: Random
) -> list[dict[str, Any]]:
    """Return the pairs to read among others whose answer is known: copies, and pairs of chance.

    The first of these are for practice; the others tell whether readers see copies.
    """

    def known(kind: str) -> dict[str, Any]:
        note = chance.choice(real)
        made = note if kind == COPY else chance.choice(synthetic)
        return _pair_record(made, note) | {"found_by": "", "score": 0.0, "known": kind}

    asked = [
        _pair_record(synthetic[pair.synthetic], real[pair.real])
        | {"found_by": pair.found_by, "score": round(pair.score, 6), "known": ""}
        for pair in pairs
    ]
    practice = [known(kind) for kind in (COPY, UNRELATED)]
    controls = [known(kind) for kind in (COPY, UNRELATED) for _ in range(_KNOWN)]
    return [{"pair": number, **each} for number, each in enumerate([*practice, *asked, *controls])]


def _pair_record(synthetic: str, real: str) -> dict[str, Any]:
    """Return two texts, and which passages they share, by character."""
    one, other = normalize(synthetic), normalize(real)
    first, second = shared_passages(one, other, length=_SHOWN)
    return {
        "synthetic": one,
        "real": other,
        "passages": {"synthetic": first, "real": second},
    }


def measured_by_generation(manifest: Mapping[str, Any], data: str) -> list[Measured]:
    """Return what generation itself measured: tags well formed, and as they were requested."""
    formed, distance = manifest["well_formed"], manifest["tags"]["distance"]
    return [
        Measured("well-formed-share", Axis.DETECTION, formed, formed, formed, data),
        Measured("tag-distance", Axis.RESEMBLANCE, distance, distance, distance, data),
        *_measured_by_filter(manifest.get("filtered"), data),
    ]


def _measured_by_filter(filtered: Mapping[str, Any] | None, data: str) -> Iterator[Measured]:
    if filtered is not None:
        share = filtered["share"]
        yield Measured("dropped-share", Axis.RESEMBLANCE, share, share, share, data)
