"""What synthetic notes give away about the notes they came from: copies, and whose they were."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.attacks.copying import (
    RealNotes,
    attack_membership,
    measure_nearness,
    measure_verbatim,
    split_words,
)
from evaluation.attacks.proximity import NearestPair, WordCorpus, nearest_by_bm25, review
from evaluation.gate import Axis, Measured
from evaluation.gate_case import write_measurements
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.files.gold import read_annotated
from pipeline.synthetic.measurements.files import OWNER_ONLY, read_manifest
from record.atomic_write import write_atomically
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.generation_files import NOTES
from synthesis.markup import decode
from synthesis.prepared_corpus import load_corpus

SCREEN, REVIEW = "screen.json", "review.jsonl"
"""The files of a screening: its measurements, and pairs of notes for people to read."""


@dataclass(frozen=True)
class Screening:
    """The measurements of screened notes, by digest, and pairs of notes to review.

    `pairs` hold the text of synthetic and real notes.
    """

    data: str
    corpus: str
    measured: Sequence[Measured]
    pairs: Sequence[Mapping[str, Any]] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads: numbers, without any text."""
        return {
            "format": 1,
            "data": self.data,
            "corpus": self.corpus,
            "measured": [each.to_json() for each in self.measured],
        }

    def save(self, folder: Path) -> None:
        """Write measurements and pairs; the pairs are readable by their owner only."""
        folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        lines = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in self.pairs)
        write_atomically(folder / REVIEW, lines.encode("utf-8"))
        (folder / REVIEW).chmod(0o600)
        write_measurements(folder / SCREEN, self.to_json())


def screen_notes(synthetic: Path, corpus: Path, progress: Progress, *, seed: int) -> Screening:
    """Compare synthetic notes with those their model learnt from and with other patients' notes.

    `seed` decides the samples of the membership attack. Raises ConfigError where the notes came
    from another corpus, or where either is too small to compare.
    """
    manifest = read_manifest(synthetic, corpus)
    texts = [note.document.text for note in read_annotated(synthetic / NOTES, [])]
    progress.phase("reading")
    prepared = load_corpus(corpus)
    learnt, *others = ([decode(note.marked)[0] for note in prepared.notes[s]] for s in SPLITS)
    if not any(texts):
        raise ConfigError(str(synthetic), "holds no notes", "generate some")
    try:
        real = RealNotes(
            split_words(learnt),
            [note.owner for note in prepared.notes[SPLITS[0]]],
            split_words(text for part in others for text in part),
        )
    except ValueError as error:
        raise ConfigError(str(corpus), str(error), "prepare a corpus of more patients") from None
    words, data = split_words(texts), hash_file(synthetic / NOTES)
    progress.phase("comparing")
    near = measure_nearness(words, real, WordCorpus(real.trained), data)
    pairs = review(near.found, nearest_by_bm25(words, real.trained), texts, learnt)
    progress.phase("attacking")
    measured = [
        *near.measured,
        measure_verbatim(words, real, data),
        attack_membership(words, real, data, seed=seed),
        *_measured_by_generation(manifest, data),
    ]
    shown = [_pair_record(number, pair, texts, learnt) for number, pair in enumerate(pairs)]
    return Screening(data, manifest["corpus_sha256"], measured, shown)


def _pair_record(
    number: int, pair: NearestPair, synthetic: Sequence[str], real: Sequence[str]
) -> dict[str, Any]:
    return {
        "pair": number,
        "found_by": pair.found_by,
        "score": round(pair.score, 6),
        "synthetic": synthetic[pair.synthetic],
        "real": real[pair.real],
    }


def _measured_by_generation(manifest: Mapping[str, Any], data: str) -> list[Measured]:
    """Return what generation itself measured: tags well formed, and as they were requested."""
    formed, distance = manifest["well_formed"], manifest["tags"]["distance"]
    return [
        Measured("well-formed-share", Axis.DETECTION, formed, formed, formed, data),
        Measured("tag-distance", Axis.RESEMBLANCE, distance, distance, distance, data),
    ]
