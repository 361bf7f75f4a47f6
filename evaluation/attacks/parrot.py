"""The parrot attack: a tagger trained on released notes finds the identifiers left in them.

Surrogates hide missed identifiers among them. Carrell et al. (2019, JAMIA 26:1536) attack this:
mark everything that looks like an identifier in one half of the released notes, train a tagger on
it, and suspect in the other half what the tagger does not find, since the defender's tagger missed
it too. They found 211 of 310 leaks, with 191 false alarms. The second attacker here knows more:
as the program is public, they make releases of their own notes, know the leaks in them, and
learn what leaks look like (a shadow release, after Shokri et al. 2017).
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

from evaluation.detection.auc import area_under_curve
from evaluation.detection.leaks import fold_words
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
    """The leaks an attacker finds among the identifiers of a release, compared with guessing.

    `hits` are leaks among the `budget` most suspected identifiers; `low` and `high` bound their
    share of all leaks (Clopper and Pearson 1934); `p_value` is the probability of as many hits by
    guessing. `auc` is the probability that a leak is suspected more than a surrogate; 0.5 is
    chance.
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
        """The share of leaks that were found."""
        return self.hits / self.leaks if self.leaks else 0.0

    @property
    def precision(self) -> float:
        """The share of leaks among the suspected identifiers."""
        return self.hits / self.budget if self.budget else 0.0

    @property
    def chance(self) -> float:
        """The precision of guessing, and also its recall with as many suspects as leaks."""
        return self.leaks / self.identifiers if self.identifiers else 0.0


def score_suspicion(
    suspicion: Scores, is_leak: Flags, *, budget: int | None = None
) -> ParrotAttack:
    """Score an attacker's suspicion of each identifier; `budget` defaults to the number of leaks.

    Identifiers with equal suspicion are taken in random order.
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
        auc = area_under_curve(suspicion[is_leak], suspicion[~is_leak])
        chance = leaks / size
        p_value = float(binomtest(hits, max(1, budget), chance, alternative="greater").pvalue)
    return ParrotAttack(size, leaks, budget, hits, *bounds, p_value, auc)


def suspect_identifiers(known: Sequence[Annotated], other: Sequence[Annotated]) -> Scores:
    """Return the suspicion of each span of `other`, by a reader trained on `known`.

    Suspicion is high where the reader does not expect an identifier. Both are released notes in
    which everything that looks like an identifier is a span, surrogate or leak.
    """
    reader = ParrotReader()
    reader.learn(known)
    return np.array([1 - share for note in other for share in reader.expect(note)])


def suspect_by_halves(notes: Sequence[Annotated]) -> Scores:
    """Return the suspicion of each identifier by a reader trained on the other half."""
    half = len(notes) // 2
    return np.concatenate(
        [
            suspect_identifiers(notes[half:], notes[:half]),
            suspect_identifiers(notes[:half], notes[half:]),
        ]
    )


class ParrotReader:
    """A token classifier that learns from marked notes where identifiers occur."""

    def __init__(self) -> None:
        self._model = Logistic()

    def learn(self, notes: Iterable[Annotated]) -> None:
        """Train on the spans of notes."""
        rows: list[list[str]] = []
        marks: list[bool] = []
        for note in notes:
            tokens = list(_TOKEN.finditer(note.document.text))
            rows += _context_features(tokens)
            inside = np.zeros(len(note.document.text) + 1, np.bool_)
            for span in note.spans:
                inside[span.start : span.end] = True
            marks += [bool(inside[token.start()]) for token in tokens]
        self._model.fit(_hash_features(rows), np.array(marks, np.bool_))

    def expect(self, note: Annotated) -> list[float]:
        """Return the mean probability of an identifier over the words of each span."""
        tokens = list(_TOKEN.finditer(note.document.text))
        sure = self._model.predict(_hash_features(_context_features(tokens)))
        starts = np.array([token.start() for token in tokens])
        found = []
        for span in note.spans:
            first, last = np.searchsorted(starts, (span.start, span.end))
            found.append(float(sure[first:last].mean()) if last > first else 1.0)
        return found


class Shadow:
    """An attacker who learns from releases of their own, in which the leaks are known."""

    def __init__(self) -> None:
        self._model = Logistic()

    def learn(self, notes: Sequence[Annotated], suspicion: Scores, is_leak: Flags) -> None:
        """Train on a whole release, with the suspicion of `suspect_by_halves` and the truth."""
        self._model.fit(_leak_features(notes, suspicion), is_leak)

    def suspect(self, notes: Sequence[Annotated], suspicion: Scores) -> Scores:
        """Return the probability that each identifier of another release is a leak."""
        return self._model.predict(_leak_features(notes, suspicion))


class Logistic:
    """Ridge-regularized logistic regression with balanced classes."""

    def __init__(self) -> None:
        self._weights = np.zeros(0)

    def fit(self, rows: csr_array, marks: Flags) -> None:
        """Fit rows of features to their marks. Raises ValueError unless both classes occur."""
        share = marks.mean() if len(marks) else 0.0
        if not 0 < share < 1:
            raise ValueError("both classes must occur in the marks")
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
        """Return the probability of the marked class for each row."""
        chances: Scores = expit(rows @ self._weights)
        return chances


def _context_features(tokens: Sequence[re.Match[str]]) -> list[list[str]]:
    """Return the features of each token: the word, its form, and its neighbours."""
    plain = [token[0].casefold() for token in tokens]
    forms = [_word_form(token[0]) for token in tokens]
    rows = []
    for place, word in enumerate(plain):
        row = ["", f"w {word}", f"f {forms[place]}", f"e {word[-3:]}", f"b {word[:3]}"]
        for step in (*range(-_REACH, 0), *range(1, _REACH + 1)):
            beside = place + step
            if 0 <= beside < len(plain):
                row += [f"{step} {plain[beside]}", f"{step} f {forms[beside]}"]
        rows.append(row)
    return rows


def _word_form(word: str) -> str:
    if word.isdigit():
        return f"9{min(len(word), 5)}"
    return "A" if word.isupper() else "Aa" if word[:1].isupper() else "a"


def _hash_features(rows: Sequence[Sequence[str]]) -> csr_array:
    columns = [crc32(name.encode()) % _FEATURES for row in rows for name in row]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(rows), _FEATURES))


def _leak_features(notes: Sequence[Annotated], suspicion: Scores) -> csr_array:
    """Return features of every identifier of a release in which leaks may differ.

    These are its form and context, whether a reader of the other notes expects it, how often it
    recurs with its patient, as surrogates do, and with how many other patients, since surrogates
    come from lists and originals need not.
    """
    spans = [(note, span) for note in notes for span in note.spans]
    values = [" ".join(fold_words(note.document.text[s.start : s.end])) for note, s in spans]
    owners = [note.document.person_id or note.document.note_id for note, _ in spans]
    rows = [
        [str(span.label), *_surface_features(note, span.start, span.end, value)]
        for (note, span), value in zip(spans, values, strict=True)
    ]
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
    numbers = np.column_stack(
        [suspicion, *[np.log(here), np.log(others), alone.astype(np.float64)]]
    )
    return hstack([_hash_features(rows), csr_array(numbers)], format="csr")


def _surface_features(note: Annotated, start: int, end: int, value: str) -> Iterator[str]:
    before = _TOKEN.findall(note.document.text[max(0, start - 30) : start])[-_REACH:]
    yield ""
    yield f"before {' '.join(before).casefold()}"
    yield f"form {' '.join(map(_word_form, note.document.text[start:end].split()))}"
    for word in value.split():
        yield from (f"ends {word[-3:]}", f"ends {word[-2:]}", f"begins {word[:2]}")
