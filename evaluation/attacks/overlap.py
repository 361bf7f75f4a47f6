"""What a pretrained model may have seen of notes before it was ever trained on them.

A guarantee of private training, and scores on held-out notes, say nothing about notes that stood in
what the model had been trained on before. Where that text is at hand, runs of words are looked for
in it (Brown et al., 2020, appendix C); where only the model is, it is asked whether these notes are
likelier to it than notes that were written after it was made (Min-K% Prob, Shi et al., ICLR 2024).
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from evaluation.attacks.memorization import attack
from evaluation.detection.intervals import CONFIDENCE
from evaluation.gate import Axis, Measured

RUN = 13
"""Words in a row, in small letters and without signs: the run of Brown et al. (2020)."""

LIKELIHOOD = "base-likelihood-auc"
"""The number that is there wherever the model is."""

LEAST_LIKELY = 0.2
"""Share of a note's pieces that Min-K% Prob looks at: the least likely ones."""

TAUGHT = 10
"""Notes that the model known to leak is taught."""

Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]

_WORD = re.compile(r"\w+")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no power of it loses bits
_UNKNOWN = np.uint64(0)


class LikelihoodModel(Protocol):
    """A model that can be asked, and taught."""

    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Return the log probability of each piece of each text."""

    def overfitted(self, texts: Sequence[str]) -> Self:
        """Return a copy that knows texts by heart."""


def subject(base: str, corpus: str) -> str:
    """Name what an overlap was measured of: a model and a corpus, by their digests."""
    return hashlib.sha256(f"{base}/{corpus}".encode()).hexdigest()


class SharedRuns:
    """All runs of `RUN` words of notes, to be looked for in texts of any size.

    Memory follows the notes alone. Runs are compared by 64-bit hashes.
    """

    def __init__(self, notes: Iterable[str]) -> None:
        self._ids: dict[str, int] = {}
        self._lengths: list[int] = []
        held: list[Hashes] = []
        for note in notes:
            words = _words(note)
            for word in words:
                if word not in self._ids:
                    self._ids[word] = _hashed(word)
            self._lengths.append(len(words))
            held.append(_runs(np.array([self._ids[word] for word in words], np.uint64)))
        self._counts = [len(each) for each in held]
        joined = np.concatenate([np.zeros(0, np.uint64), *held])
        self._known, self._places = np.unique(joined, return_inverse=True)
        self._found = np.zeros(len(self._known), bool)

    def look(self, parts: Iterable[str]) -> int:
        """Look for the runs in a text, which comes in parts cut between words;
        returns its words.
        """
        last, total = np.zeros(0, np.uint64), 0
        for part in parts:
            words = _words(part)
            total += len(words)
            ids = [self._ids.get(word, 0) for word in words]
            whole = np.concatenate([last, np.array(ids, np.uint64)])
            last = whole[max(0, len(whole) - RUN + 1) :]
            runs = _runs(whole, skip=True)
            if len(runs) and len(self._known):
                places = np.searchsorted(self._known, runs).clip(max=len(self._known) - 1)
                self._found[places[self._known[places] == runs]] = True
        return total

    def covered(self) -> list[float]:
        """Return the share of each note's words that stand in a run that was found."""
        return list(self._covered(self._found[self._places]))

    def covered_by_others(self, owners: Sequence[str]) -> list[float]:
        """Return the share of each note's words that stand in a run of another owner's notes."""
        numbers = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
        of_run = np.repeat([numbers[owner] for owner in owners], self._counts).astype(np.int64)
        pairs = np.unique(np.stack([self._places, of_run]), axis=1)
        is_shared = np.bincount(pairs[0], minlength=len(self._known)) > 1
        return list(self._covered(is_shared[self._places]))

    def _covered(self, found: NDArray[np.bool_]) -> Iterator[float]:
        at = 0
        for count, length in zip(self._counts, self._lengths, strict=True):
            covered = np.zeros(length, bool)
            for start in found[at : at + count].nonzero()[0]:
                covered[start : start + RUN] = True
            yield float(covered.mean()) if length else 0.0
            at += count


def shared_runs(
    notes: Sequence[str],
    owners: Sequence[str],
    texts: Iterable[Iterable[str]],
    data: str,
) -> tuple[Measured, list[float]]:
    """Measure the share of notes with a run of `RUN` words that texts hold as well.

    Returns the share of each note's words in such runs, too. The number for what cannot leak is the
    share of notes with a run of another patient's notes, phrases of the house; that for a known
    leak counts the texts as if they held the notes themselves. Raises ValueError where the texts
    hold no words.
    """
    runs = SharedRuns(notes)
    words = sum(runs.look(text) for text in texts)
    if not words:
        raise ValueError("the texts hold no words")
    shares = runs.covered()
    others = runs.covered_by_others(owners)
    for note in notes:
        runs.look([note])
    copied = runs.covered()
    count = _some(shares)
    bounds = binomtest(count, len(notes)).proportion_ci(CONFIDENCE, method="exact")
    measured = Measured(
        f"base-overlap-{RUN}-words",
        Axis.PRIVACY,
        count / len(notes),
        float(bounds.low),
        float(bounds.high),
        data,
        null=_some(others) / len(notes),
        control=_some(copied) / len(notes),
        detail={
            "notes": count,
            "words looked through": words,
            "largest share of a note": max(shares),
            "mean share of a note": float(np.mean(shares)),
        },
    )
    return measured, shares


def likelihood(
    judge: LikelihoodModel, notes: Sequence[str], unseen: Sequence[str], data: str, *, seed: int = 1
) -> Measured:
    """Measure how well the model tells notes from notes that it cannot have seen.

    `unseen` were written after it was made: the area under the curve is 0.5 where it knows neither.
    The number for what cannot leak parts these in two at random; that for a known leak is of a copy
    that was taught `TAUGHT` of the notes. Raises ValueError where there are fewer than two of each,
    or a probability is not finite.
    """
    chance = np.random.default_rng(seed)
    some = [notes[place] for place in chance.permutation(len(notes))[:TAUGHT]]
    unseen = [unseen[place] for place in chance.permutation(len(unseen))]
    others = least_likely(judge, unseen)
    found = attack(least_likely(judge, notes), others, seed=seed)
    half = len(others) // 2
    null = attack(others[:half], others[half:], seed=seed).auc if half > 1 else float("nan")
    leaky = judge.overfitted(some)
    leak = attack(least_likely(leaky, some), least_likely(leaky, unseen), seed=seed)
    return Measured(
        LIKELIHOOD,
        Axis.PRIVACY,
        found.auc,
        found.low,
        found.high,
        data,
        null=null,
        control=leak.auc,
        detail={"notes": len(notes), "unseen": len(unseen), "taught": len(some)},
    )


def least_likely(judge: LikelihoodModel, texts: Iterable[str]) -> list[float]:
    """Return the mean log probability of the least likely pieces of each text (Min-K% Prob)."""
    scores = []
    for told in judge.log_probabilities(texts):
        if not len(told) or not np.isfinite(told).all():
            raise ValueError("a text has no pieces, or a log probability is not finite")
        count = max(1, round(LEAST_LIKELY * len(told)))
        scores.append(float(np.partition(told, count - 1)[:count].mean()))
    return scores


def _some(shares: Iterable[float]) -> int:
    return sum(share > 0 for share in shares)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _hashed(word: str) -> int:
    drawn = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(drawn) or 1  # 0 is the word that no note has


def _runs(ids: Hashes, *, skip: bool = False) -> Hashes:
    """Hash each run of `RUN` ids; with `skip`, only those without an unknown word."""
    count = len(ids) - RUN + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    hashed: Hashes = np.zeros(count, np.uint64)
    for at in range(RUN):  # modulo 2^64, which is what overflow does
        hashed = hashed * _FACTOR + ids[at : at + count]
    if not skip:
        return hashed
    unknown = np.concatenate([[0], np.cumsum(ids == _UNKNOWN)])
    known: Hashes = hashed[unknown[RUN:] == unknown[:count]]
    return known
