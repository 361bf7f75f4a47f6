"""The linkage attack: who is who in two releases of the same patients, by what both show of them.

Two cohorts of one warehouse are given to two groups, who pool them. Where surrogates, ids and
dates come from different keys, what the releases show should tell no more than a guess does
(SPEC EDS-9, acceptance c; the linkability of the Article 29 Working Party's opinion 05/2014).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import binomtest

from evaluation.detection.leaks import words
from record.document import Annotated
from record.label import Label

Evidence = frozenset[str]
"""What a release shows of one patient: values that another release may show too."""

CONFIDENCE = 0.95

_DATES = frozenset((Label.DATE, Label.BIRTH_DATE))
_FIELDS = {
    "names": frozenset((Label.FIRST_NAME, Label.LAST_NAME, Label.NAME)),
    "zips": frozenset((Label.ZIP,)),
    "ids": frozenset(
        (
            *(Label.SSN, Label.PATIENT_ID, Label.VISIT_ID, Label.PROVIDER_ID, Label.INSURANCE_ID),
            *(Label.ACCOUNT, Label.DEVICE_ID, Label.VEHICLE_ID, Label.ID),
            *(Label.PHONE, Label.FAX, Label.EMAIL, Label.USERNAME, Label.URL, Label.IP_ADDRESS),
        )
    ),
    "dates": _DATES,
    "partial dates": _DATES,
}
FIELDS = ("names", "zips", "ids", "dates")
"""Fields whose evidence in notes must not link; `partial dates`, which tell about when, do."""

_LETTER = re.compile(r"[^\W\d_]")
_SHORTEST = 3
_PARTS, _YEAR = 3, 4
_RUN = re.compile(r"\d{6}|\d{8}")


@dataclass(frozen=True, slots=True)
class Linkage:
    """How many of the patients an attacker matched, beside what guessing matches.

    `hits` are patients whose best match is themselves; `low` and `high` bound their share
    (Clopper and Pearson 1934). `p_value` is the chance of so many hits, or more, by guessing.
    """

    hits: int
    patients: int
    low: float
    high: float
    p_value: float

    @property
    def rate(self) -> float:
        """The share of the patients that were matched."""
        return self.hits / self.patients

    @property
    def chance(self) -> float:
        """The share that guessing matches on average."""
        return 1 / self.patients


def link(first: Sequence[Evidence], second: Sequence[Evidence], *, seed: int = 1) -> Linkage:
    """Match the patients of two releases; the one at a place of both is the same.

    For each patient of the first the attacker names the one of the second with whom they share
    most, a value counting the more the fewer patients show it; among equals the guess is drawn.
    The attacker sees the patients shuffled. Raises ValueError unless both have as many patients,
    two at least.
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError("two releases of the same patients, two at least")
    chance = np.random.default_rng(seed)
    order = chance.permutation(len(second))
    shared = _shared(first, [second[place] for place in order])
    # Among equals a draw decides: noise below any difference of evidence.
    best = np.argmax(shared + chance.uniform(0, 1e-9, shared.shape), axis=1)
    hits = int(np.sum(order[best] == np.arange(len(first))))
    return judge(hits, len(first))


def judge(hits: int, patients: int) -> Linkage:
    """Set hits beside chance, by the exact binomial test."""
    test = binomtest(hits, patients, 1 / patients, alternative="greater")
    bounds = binomtest(hits, patients).proportion_ci(CONFIDENCE, method="exact")
    return Linkage(hits, patients, float(bounds.low), float(bounds.high), float(test.pvalue))


def _shared(first: Sequence[Evidence], second: Sequence[Evidence]) -> NDArray[np.float64]:
    """Weigh what each two patients share: [patients of first, patients of second]."""
    places: dict[str, int] = {}
    for evidence in (*first, *second):
        for value in sorted(evidence):
            places.setdefault(value, len(places))
    rows, others = _matrix(first, places), _matrix(second, places)
    shown = np.asarray(others.sum(axis=0)).ravel()
    weights = np.log((1 + len(second)) / (1 + shown))
    found: NDArray[np.float64] = (rows.multiply(weights).tocsr() @ others.T).toarray()
    return found


def _matrix(patients: Sequence[Evidence], places: Mapping[str, int]) -> csr_array:
    columns = [places[value] for evidence in patients for value in evidence]
    ends = np.cumsum([0, *(len(evidence) for evidence in patients)])
    shape = (len(patients), max(1, len(places)))
    return csr_array((np.ones(len(columns)), columns, ends), shape=shape)


def evidence_of(notes: Iterable[Annotated], field: str) -> Evidence:
    """Gather what the notes of one patient show of a field, in one spelling.

    `notes` are released ones, with their surrogates as spans. `dates` are those with day, month
    and year, `partial dates` all others.
    """
    labels = _FIELDS[field]
    texts = (
        words(note.document.text[span.start : span.end])
        for note in notes
        for span in note.spans
        if span.label in labels
    )
    if field == "names":
        return frozenset(
            word
            for text in texts
            for word in text
            if len(word) >= _SHORTEST and _LETTER.match(word)
        )
    if labels is _DATES:
        texts = (text for text in texts if _is_whole(text) == (field == "dates"))
    return frozenset("".join(text) for text in texts) - {""}


def _is_whole(text: Sequence[str]) -> bool:
    """Return whether the words of a date are those of a day, a month and a year."""
    numbers = [word for word in text if word[0].isdigit()]
    has_year = any(len(word) == _YEAR for word in numbers)
    is_written = len(numbers) + 1 == _PARTS and has_year and len(text) > len(numbers)
    is_run = len(text) == 1 and bool(_RUN.fullmatch(text[0]))
    return len(numbers) >= _PARTS or is_written or is_run


def intervals(days: Iterable[int]) -> Evidence:
    """Return the lengths, in days, between all dates of one patient, each as a value.

    Releases keep them by design: this is what the attacker has beside names and numbers.
    """
    known = sorted(set(days))
    return frozenset(
        str(later - earlier) for place, earlier in enumerate(known) for later in known[place + 1 :]
    )


def nearly(number: int, width: int) -> Evidence:
    """Return a number and those around it, so that two numbers not farther apart share values.

    The nearer they are, the more values they share.
    """
    return frozenset(f"about {other}" for other in range(number - width, number + width + 1))
