"""Overlap of notes with the data that a pretrained model was trained on.

Private training and held-out scores say nothing about notes that were already part of the
pretraining data. If that text is available, shared runs of words are searched in it (Brown et
al., 2020, appendix C); if only the model is, the notes are compared with notes written after it
was made, by their likelihood (Min-K% Prob, Shi et al., ICLR 2024).
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.memorization import separate_members
from evaluation.detection.intervals import ratio_intervals
from evaluation.gate import Axis, Measured

RUN = 13
"""Length of a run in words, lowercase and without punctuation (Brown et al., 2020)."""

LIKELIHOOD = "base-likelihood-auc"
"""Name of the measurement that needs only the model."""

LEAST_LIKELY = 0.2
"""Share of a note's tokens, the least likely ones, that Min-K% Prob averages."""

TAUGHT = 10
"""Number of notes that the leaky control memorizes."""

Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]

_WORD = re.compile(r"\w+")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no power of it loses bits
_UNKNOWN = np.uint64(0)


class LikelihoodModel(Protocol):
    """A model that returns log probabilities and can be fine-tuned."""

    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Return the log probability of each piece of each text."""

    def overfitted(self, texts: Sequence[str]) -> Self:
        """Return a copy that has memorized the texts."""


@dataclass(frozen=True)
class OwnedTexts:
    """Texts and whose they are; all texts of one owner count as one witness."""

    texts: Sequence[str] = field(repr=False)
    owners: Sequence[str] = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.owners):
            raise ValueError("each text must have an owner")

    def drawn(self, places: Iterable[int]) -> "OwnedTexts":
        """Return the texts at some places."""
        chosen = list(places)
        return OwnedTexts(
            [self.texts[place] for place in chosen], [self.owners[place] for place in chosen]
        )


def overlap_id(base: str, corpus: str) -> str:
    """Return an id of a model and a corpus, from their digests."""
    return hashlib.sha256(f"{base}/{corpus}".encode()).hexdigest()


class SharedRuns:
    """All runs of `RUN` words in notes, to be searched in texts of any size.

    Memory depends on the notes only. Runs are compared by 64-bit hashes.
    """

    def __init__(self, notes: Iterable[str]) -> None:
        self._ids: dict[str, int] = {}
        self._lengths: list[int] = []
        held: list[Hashes] = []
        for note in notes:
            words = _split_words(note)
            for word in words:
                if word not in self._ids:
                    drawn = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
                    self._ids[word] = int.from_bytes(drawn) or 1  # 0 is for unknown words
            self._lengths.append(len(words))
            held.append(_hash_runs(np.array([self._ids[word] for word in words], np.uint64)))
        self._counts = [len(each) for each in held]
        joined = np.concatenate([np.zeros(0, np.uint64), *held])
        self._known, self._places = np.unique(joined, return_inverse=True)
        self._found = np.zeros(len(self._known), bool)

    def look(self, parts: Iterable[str]) -> int:
        """Search the runs in a text, given in parts split between words; return its word count."""
        last, total = np.zeros(0, np.uint64), 0
        for part in parts:
            words = _split_words(part)
            total += len(words)
            ids = [self._ids.get(word, 0) for word in words]
            whole = np.concatenate([last, np.array(ids, np.uint64)])
            last = whole[max(0, len(whole) - RUN + 1) :]
            runs = _hash_runs(whole, skip=True)
            if len(runs) and len(self._known):
                places = np.searchsorted(self._known, runs).clip(max=len(self._known) - 1)
                self._found[places[self._known[places] == runs]] = True
        return total

    def covered(self) -> list[float]:
        """Return the share of each note's words within a run that was found."""
        return list(self._covered_shares(self._found[self._places]))

    def covered_by_others(self, owners: Sequence[str]) -> list[float]:
        """Return the share of each note's words within a run of another owner's notes."""
        numbers = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
        of_run = np.repeat([numbers[owner] for owner in owners], self._counts).astype(np.int64)
        pairs = np.unique(np.stack([self._places, of_run]), axis=1)
        is_shared = np.bincount(pairs[0], minlength=len(self._known)) > 1
        return list(self._covered_shares(is_shared[self._places]))

    def _covered_shares(self, found: NDArray[np.bool_]) -> Iterator[float]:
        at = 0
        for count, length in zip(self._counts, self._lengths, strict=True):
            covered = np.zeros(length, bool)
            for start in found[at : at + count].nonzero()[0]:
                covered[start : start + RUN] = True
            yield float(covered.mean()) if length else 0.0
            at += count


def measure_shared_runs(
    notes: Sequence[str],
    owners: Sequence[str],
    texts: Iterable[Iterable[str]],
    data: str,
) -> tuple[Measured, list[float]]:
    """Measure the share of notes with a run of `RUN` words that also occurs in texts.

    Also returns the share of each note's words in such runs. The null value is the share of notes
    with a run of another patient's notes (boilerplate); the control treats the texts as if they
    contained the notes themselves. The bounds are those of the bootstrap over patients. Raises
    ValueError if the texts hold no words.
    """
    runs = SharedRuns(notes)
    words = sum(runs.look(text) for text in texts)
    if not words:
        raise ValueError("the texts must contain words")
    shares = runs.covered()
    others = runs.covered_by_others(owners)
    for note in notes:
        runs.look([note])
    copied = runs.covered()
    count = _count_positive(shares)
    low, high = _bound_share([share > 0 for share in shares], owners)
    measured = Measured(
        f"base-overlap-{RUN}-words",
        Axis.PRIVACY,
        count / len(notes),
        low,
        high,
        data,
        null=_count_positive(others) / len(notes),
        control=_count_positive(copied) / len(notes),
        detail={
            "notes": count,
            "words looked through": words,
            "largest share of a note": max(shares),
            "mean share of a note": float(np.mean(shares)),
        },
    )
    return measured, shares


def measure_likelihood(
    judge: LikelihoodModel, notes: OwnedTexts, unseen: OwnedTexts, data: str, *, seed: int = 1
) -> Measured:
    """Measure how well the model separates notes from notes that it cannot have seen.

    `unseen` were written after the model was made: the area under the curve is 0.5 if it knows
    neither. The null value comes from a random split of these, the control from a copy fine-tuned
    on `TAUGHT` of the notes. The bounds are those of the bootstrap over owners. Raises ValueError
    for fewer than two of each, or a probability that is not finite.
    """
    chance = np.random.default_rng(seed)
    some = notes.drawn(chance.permutation(len(notes.texts))[:TAUGHT]).texts
    unseen = unseen.drawn(chance.permutation(len(unseen.texts)))
    others = min_k_scores(judge, unseen.texts)
    patients = notes.owners, unseen.owners
    found = separate_members(min_k_scores(judge, notes.texts), others, patients=patients, seed=seed)
    half = len(others) // 2
    null = (
        separate_members(others[:half], others[half:], seed=seed).auc if half > 1 else float("nan")
    )
    leaky = judge.overfitted(some)
    leak = separate_members(min_k_scores(leaky, some), min_k_scores(leaky, unseen.texts), seed=seed)
    return Measured(
        LIKELIHOOD,
        Axis.PRIVACY,
        found.auc,
        found.low,
        found.high,
        data,
        null=null,
        control=leak.auc,
        detail={
            "notes": len(notes.texts),
            "unseen": len(unseen.texts),
            "taught": len(some),
            "patients": len(set(notes.owners)),
            "other patients": len(set(unseen.owners)),
        },
    )


def min_k_scores(judge: LikelihoodModel, texts: Iterable[str]) -> list[float]:
    """Return the mean log probability of the least likely tokens of each text (Min-K% Prob)."""
    scores = []
    for token_log_probs in judge.log_probabilities(texts):
        if not len(token_log_probs) or not np.isfinite(token_log_probs).all():
            raise ValueError("each text must have tokens with finite log probabilities")
        count = max(1, round(LEAST_LIKELY * len(token_log_probs)))
        scores.append(float(np.partition(token_log_probs, count - 1)[:count].mean()))
    return scores


def _bound_share(found: Sequence[bool], owners: Sequence[str]) -> tuple[float, float]:
    """Bound a share of notes by the bootstrap over patients."""
    parts: dict[str, list[float]] = {}
    for is_found, owner in zip(found, owners, strict=True):
        held = parts.setdefault(owner, [0.0, 0.0])
        held[0] += is_found
        held[1] += 1
    ((low, high),) = ratio_intervals(np.array(list(parts.values()))[:, None])
    share = sum(found) / len(found)
    return min(share, float(low)), max(share, float(high))


def _count_positive(shares: Iterable[float]) -> int:
    return sum(share > 0 for share in shares)


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _hash_runs(ids: Hashes, *, skip: bool = False) -> Hashes:
    """Hash each run of `RUN` ids; with `skip`, only those without an unknown word."""
    count = len(ids) - RUN + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    hashed: Hashes = np.zeros(count, np.uint64)
    for at in range(RUN):  # modulo 2^64, by overflow
        hashed = hashed * _FACTOR + ids[at : at + count]
    if not skip:
        return hashed
    unknown = np.concatenate([[0], np.cumsum(ids == _UNKNOWN)])
    known: Hashes = hashed[unknown[RUN:] == unknown[:count]]
    return known
