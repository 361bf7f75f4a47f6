"""CPU time of screening, and recall of planted copies among the first hundred pairs.

    python -m benchmarks.synthesis.screening [--notes 10000] [--real 10000] [--words 120]
        [--texts FILE]

Real and synthetic notes are words drawn by Zipf's law from 20,000, or notes of a file, the first of
them for real ones and those that follow for synthetic ones; a name begins and ends each real one.
Among the synthetic ones are 20 copies of real notes, 20 of which half was copied, and 20 copies
with another name. Every synthetic note is compared with every real one by ROUGE-3, ROUGE-5 and
BM25, and pairs are chosen for people to read. Processor time of one process.
"""

import argparse
import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from time import process_time
from typing import TypeVar

import numpy as np

from evaluation.attacks.proximity import (
    SIZES,
    TOP,
    Nearest,
    WordCorpus,
    nearest_by_bm25,
    review,
    words_of,
)
from pipeline.files.gold import read_annotated

_KINDS = ("copies", "half copies", "copies with another name")
_EACH = 20
_VOCABULARY = 20_000

T = TypeVar("T")


@dataclass(frozen=True)
class Notes:
    """Real and synthetic notes; the last synthetic ones are copies of the first real ones."""

    real: Sequence[str]
    synthetic: Sequence[str]


def main() -> None:
    """Print processor time by step, then what became of the planted copies."""
    options = _parse()
    notes = _made(options)
    started = process_time()
    real = _timed("tokenize real notes", lambda: list(map(words_of, notes.real)))
    made = _timed("tokenize synthetic notes", lambda: list(map(words_of, notes.synthetic)))
    corpus = _timed("index real notes", lambda: WordCorpus(real))
    found = {
        size: _timed(f"find nearest by ROUGE-{size}", partial(corpus.rouge, made, size))
        for size in SIZES
    }
    okapi = _timed("find nearest by BM25", lambda: nearest_by_bm25(made, real))
    pairs = _timed("select pairs", lambda: review(found, okapi, notes.synthetic, notes.real))
    total = process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'total':<36}{total:>9.1f} s, peak {memory:.0f} MB")
    for size in SIZES:
        print(f"ROUGE-{size}: {_planted(found[size], len(notes.synthetic))}")
    read = {pair.synthetic for pair in pairs}
    first = len(notes.synthetic) - _EACH * len(_KINDS)
    print(
        f"to read: {len(pairs)} pairs of {len(read)} notes, {sum(n >= first for n in read)} planted"
    )


def _planted(found: Sequence[Nearest], count: int) -> str:
    """Say how many of each kind are among the first, beside what was copied for them."""
    first = sorted(found, key=lambda near: (-near.score, near.synthetic))[:TOP]
    begins = count - _EACH * len(_KINDS)
    right = [near.synthetic - begins for near in first if near.synthetic - begins == near.real]
    shares = [
        f"{sum(_EACH * at <= place < _EACH * (at + 1) for place in right)} of {_EACH} {kind}"
        for at, kind in enumerate(_KINDS)
    ]
    precision = sum(near.synthetic >= begins for near in first) / len(first)
    return f"{', '.join(shares)} among the first {len(first)}; precision {precision:.2f}"


def _made(options: argparse.Namespace) -> Notes:
    if options.texts:
        bodies: Iterator[str] = (note.document.text for note in read_annotated(options.texts, []))
    else:
        bodies = _drawn(options.words, options.seed)
    held = list(islice(bodies, options.real))
    real = [f"Name{at} {text} Name{at}" for at, text in enumerate(held)]
    halves = [_half(text, next(bodies)) for text in real[_EACH : 2 * _EACH]]
    swapped = [f"Other {text} Other" for text in held[2 * _EACH : 3 * _EACH]]
    planted = [*real[:_EACH], *halves, *swapped]
    return Notes(real, [*islice(bodies, options.notes - len(planted)), *planted])


def _drawn(words: int, seed: int) -> Iterator[str]:
    chance = np.random.default_rng(seed)
    shares = 1 / np.arange(1, _VOCABULARY + 1)
    shares /= shares.sum()
    while True:
        yield " ".join(f"w{number}" for number in chance.choice(_VOCABULARY, words, p=shares))


def _half(text: str, other: str) -> str:
    """Return the first half of the words of a note, and of another one the second."""
    first, second = text.split(), other.split()
    return " ".join([*first[: len(first) // 2], *second[len(second) // 2 :]])


def _timed(what: str, work: Callable[[], T]) -> T:
    started = process_time()
    found = work()
    print(f"{what:<36}{process_time() - started:>9.1f} s", flush=True)
    return found


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, default=10_000, help="number of synthetic notes")
    parser.add_argument("--real", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=120, help="words per note")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="file of notes to use instead")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
