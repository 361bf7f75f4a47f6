"""The parrot attack: a reader who learns from released notes which identifiers were left in them.

Surrogates hide what was missed among them. Carrell et al. (2019, JAMIA 26:1536) attack that: mark
all that looks like an identifier in one half of the released notes, train a tagger on it, and
suspect in the other half what the tagger does not find, for the defender's missed it too. They
found 211 of 310 leaks, with 191 false alarms. The second attacker here knows more: the program is
public, so that they release notes of their own with it, know what they left in them, and learn
from that what leaks look like (a shadow release, after Shokri et al. 2017).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array, hstack
from scipy.special import expit
from scipy.stats import binomtest

from evaluation.detection.auc import area
from evaluation.detection.leaks import words
from record.document import Annotated

CONFIDENCE = 0.95

Scores = NDArray[np.float64]
Flags = NDArray[np.bool_]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_FEATURES = 1 << 15
_RIDGE = 1.0
_STEPS = 40
_REACH = 2


@dataclass(frozen=True, slots=True)
class ParrotAttack:
    """What an attacker finds among the identifiers of a release, beside what guessing finds.

    `hits` are leaks among the `budget` identifiers that the attacker suspects most, and `low` and
    `high` bound the share of the leaks that they are (Clopper and Pearson 1934); `p_value` is the
    chance of as many hits by guessing. `auc` is the chance that a leak is suspected more than a
    surrogate; half is a guess.
    """

    identifiers: int
    leaks: int
    budget: int
    hits: int
    low: float
    high: float
    p_value: float
    auc: float

    @property
    def recall(self) -> float:
        """The share of the leaks that was found."""
        return self.hits / self.leaks if self.leaks else 0.0

    @property
    def precision(self) -> float:
        """The share of leaks among what was suspected."""
        return self.hits / self.budget if self.budget else 0.0

    @property
    def chance(self) -> float:
        """The precision, and with as many suspects as leaks the recall, of a guess."""
        return self.leaks / self.identifiers if self.identifiers else 0.0


def judge(suspicion: Scores, is_leak: Flags, *, budget: int | None = None) -> ParrotAttack:
    """Judge an attacker's suspicion of each identifier; as many are suspected as leaked.

    Identifiers that are suspected alike are taken in a drawn order.
    """
    leaks, size = int(is_leak.sum()), len(is_leak)
    budget = leaks if budget is None else budget
    drawn = np.random.default_rng(1).permutation(size)
    order = drawn[np.argsort(-suspicion[drawn], kind="stable")]
    hits = int(is_leak[order[:budget]].sum())
    bounds, p_value, auc = (0.0, 1.0), 1.0, 0.5
    if leaks:
        interval = binomtest(min(hits, leaks), leaks).proportion_ci(CONFIDENCE, method="exact")
        bounds = float(interval.low), float(interval.high)
    if 0 < leaks < size:
        auc = area(suspicion[is_leak], suspicion[~is_leak])
        chance = leaks / size
        p_value = float(binomtest(hits, max(1, budget), chance, alternative="greater").pvalue)
    return ParrotAttack(size, leaks, budget, hits, *bounds, p_value, auc)


def parrot(known: Sequence[Annotated], other: Sequence[Annotated]) -> Scores:
    """Suspect each identifier of `other` the more, the less a reader of `known` expects one there.

    Both are released notes in which everything that looks like an identifier is a span, surrogate
    or leak. Returns one number for each span of `other`, in order.
    """
    reader = ParrotReader()
    reader.learn(known)
    return np.array([1 - share for note in other for share in reader.expect(note)])


def crossed(notes: Sequence[Annotated]) -> Scores:
    """Suspect each identifier of a release by a reader of its other half."""
    half = len(notes) // 2
    return np.concatenate([parrot(notes[half:], notes[:half]), parrot(notes[:half], notes[half:])])


class ParrotReader:
    """Learns from marked notes where identifiers stand, word by word, and what they look like."""

    def __init__(self) -> None:
        self._model = Logistic()

    def learn(self, notes: Iterable[Annotated]) -> None:
        """Learn from the spans of notes."""
        rows: list[list[str]] = []
        marks: list[bool] = []
        for note in notes:
            tokens = list(_TOKEN.finditer(note.document.text))
            rows += _contexts(tokens)
            marks += _inside(tokens, note)
        self._model.fit(_hashed(rows), np.array(marks, np.bool_))

    def expect(self, note: Annotated) -> list[float]:
        """Return of each span how sure the reader is, on average over its words."""
        tokens = list(_TOKEN.finditer(note.document.text))
        sure = self._model.predict(_hashed(_contexts(tokens)))
        starts = np.array([token.start() for token in tokens])
        found = []
        for span in note.spans:
            first, last = np.searchsorted(starts, (span.start, span.end))
            found.append(float(sure[first:last].mean()) if last > first else 1.0)
        return found


class Shadow:
    """An attacker who learned from releases of their own, in which they know the leaks."""

    def __init__(self) -> None:
        self._model = Logistic()

    def learn(self, notes: Sequence[Annotated], suspicion: Scores, is_leak: Flags) -> None:
        """Learn from a whole release, with what `crossed` says of each span, and the truth."""
        self._model.fit(_traits(notes, suspicion), is_leak)

    def suspect(self, notes: Sequence[Annotated], suspicion: Scores) -> Scores:
        """Return how likely each identifier of another release is a leak."""
        return self._model.predict(_traits(notes, suspicion))


class Logistic:
    """Logistic regression with a ridge; both classes weigh the same, however rare one is."""

    def __init__(self) -> None:
        self._weights = np.zeros(0)

    def fit(self, rows: csr_array, marks: Flags) -> None:
        """Fit rows of features to their marks. Raises ValueError unless there are both kinds."""
        share = marks.mean() if len(marks) else 0.0
        if not 0 < share < 1:
            raise ValueError("nothing to tell apart: the marks are all the same")
        balance = np.where(marks, 0.5 / share, 0.5 / (1 - share))
        signs = np.where(marks, 1.0, -1.0)

        def loss(weights: Scores) -> tuple[float, Scores]:
            margins = signs * (rows @ weights)
            slopes = -balance * signs * expit(-margins)
            ridge = _RIDGE * float(weights @ weights) / 2
            total = float(balance @ np.logaddexp(0, -margins)) + ridge
            return total, rows.T @ slopes + _RIDGE * weights

        start = np.zeros(rows.shape[1])
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
        self._weights = found.x

    def predict(self, rows: csr_array) -> Scores:
        """Return the chance of each row to be of the marked kind."""
        chances: Scores = expit(rows @ self._weights)
        return chances


def _inside(tokens: Sequence[re.Match[str]], note: Annotated) -> list[bool]:
    marks = np.zeros(len(note.document.text) + 1, np.bool_)
    for span in note.spans:
        marks[span.start : span.end] = True
    return [bool(marks[token.start()]) for token in tokens]


def _contexts(tokens: Sequence[re.Match[str]]) -> list[list[str]]:
    """Name what a reader goes by: the word, its form, and those around it."""
    plain = [token[0].casefold() for token in tokens]
    forms = [_form(token[0]) for token in tokens]
    rows = []
    for place, word in enumerate(plain):
        row = ["", f"w {word}", f"f {forms[place]}", f"e {word[-3:]}", f"b {word[:3]}"]
        for step in (*range(-_REACH, 0), *range(1, _REACH + 1)):
            beside = place + step
            if 0 <= beside < len(plain):
                row += [f"{step} {plain[beside]}", f"{step} f {forms[beside]}"]
        rows.append(row)
    return rows


def _form(word: str) -> str:
    if word.isdigit():
        return f"9{min(len(word), 5)}"
    return "A" if word.isupper() else "Aa" if word[:1].isupper() else "a"


def _hashed(rows: Sequence[Sequence[str]]) -> csr_array:
    columns = [crc32(name.encode()) % _FEATURES for row in rows for name in row]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(rows), _FEATURES))


def _traits(notes: Sequence[Annotated], suspicion: Scores) -> csr_array:
    """Describe every identifier of a release by what a leak could differ in.

    How it looks and where it stands; whether a reader of the other notes expects one there; how
    often it recurs with this patient, since surrogates do; and with how many other patients,
    since surrogates come from lists and originals need not.
    """
    spans = [(note, span) for note in notes for span in note.spans]
    values = [" ".join(words(note.document.text[s.start : s.end])) for note, s in spans]
    owners = [note.document.person_id or note.document.note_id for note, _ in spans]
    rows = [
        [str(span.label), *_look(note, span.start, span.end, value)]
        for (note, span), value in zip(spans, values, strict=True)
    ]
    numbers = np.column_stack([suspicion, *_recurrence(values, owners)])
    return hstack([_hashed(rows), csr_array(numbers)], format="csr")


def _look(note: Annotated, start: int, end: int, value: str) -> Iterator[str]:
    before = _TOKEN.findall(note.document.text[max(0, start - 30) : start])[-_REACH:]
    yield ""
    yield f"before {' '.join(before).casefold()}"
    yield f"form {' '.join(map(_form, note.document.text[start:end].split()))}"
    for word in value.split():
        yield from (f"ends {word[-3:]}", f"ends {word[-2:]}", f"begins {word[:2]}")


def _recurrence(values: Sequence[str], owners: Sequence[str]) -> list[Scores]:
    own = Counter(zip(owners, values, strict=True))
    whose = defaultdict(set)
    for value, owner in zip(values, owners, strict=True):
        for word in value.split():
            whose[word].add(owner)
    here = [float(own[owner, value]) for owner, value in zip(owners, values, strict=True)]
    others = [
        float(min((len(whose[word]) for word in value.split()), default=1)) for value in values
    ]
    alone = np.array(others) == 1
    return [np.log(here), np.log(others), alone.astype(np.float64)]
