"""Linkage attack: matching the patients of two releases by what both show of them.

Two cohorts of one warehouse are released to two groups, which pool them. Where surrogates, ids
and dates come from different keys, matching should succeed no more often than guessing (the
linkability of the Article 29 Working Party's opinion 05/2014).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import binomtest

from evaluation.detection.leaks import fold_words
from record.document import Annotated
from record.label import Label

Evidence = frozenset[str]
"""Values that a release shows of one patient and that another release may share."""

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
"""Fields whose values in notes must not link patients; `partial dates` do by design."""

_LETTER = re.compile(r"[^\W\d_]")
_SHORTEST = 3
_PARTS, _YEAR = 3, 4
_RUN = re.compile(r"\d{6}|\d{8}")


@dataclass(frozen=True, slots=True)
class Linkage:
    """The number of patients that an attacker matched, compared with guessing.

    `hits` are patients matched with themselves; `low` and `high` bound their share (Clopper and
    Pearson 1934). `p_value` is the probability of at least as many hits by guessing.
    """

    hits: int
    patients: int
    low: float
    high: float
    p_value: float

    @property
    def rate(self) -> float:
        """The share of patients that were matched."""
        return self.hits / self.patients

    @property
    def chance(self) -> float:
        """The expected share when guessing."""
        return 1 / self.patients


def link_patients(
    first: Sequence[Evidence], second: Sequence[Evidence], *, seed: int = 1
) -> Linkage:
    """Match the patients of two releases; the patient at the same position of both is the same.

    For each patient of the first release the attacker selects the one of the second with the
    highest weight of shared values, where rare values weigh more; ties are broken at random. The
    attacker sees the patients shuffled. Raises ValueError unless both have the same number of
    patients, at least two.
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError("the releases must have the same patients, at least two")
    chance = np.random.default_rng(seed)
    order = chance.permutation(len(second))
    shared = _weigh_shared(first, [second[place] for place in order])
    # Ties are broken by noise smaller than any difference of weights.
    best = np.argmax(shared + chance.uniform(0, 1e-9, shared.shape), axis=1)
    hits = int(np.sum(order[best] == np.arange(len(first))))
    return compare_with_chance(hits, len(first))


def compare_with_chance(hits: int, patients: int) -> Linkage:
    """Compare a number of hits with chance by the exact binomial test."""
    test = binomtest(hits, patients, 1 / patients, alternative="greater")
    bounds = binomtest(hits, patients).proportion_ci(CONFIDENCE, method="exact")
    return Linkage(hits, patients, float(bounds.low), float(bounds.high), float(test.pvalue))


def _weigh_shared(first: Sequence[Evidence], second: Sequence[Evidence]) -> NDArray[np.float64]:
    """Return the weight of the values that two patients share: [patients of first, of second]."""
    places: dict[str, int] = {}
    for evidence in (*first, *second):
        for value in sorted(evidence):
            places.setdefault(value, len(places))
    rows, others = _to_matrix(first, places), _to_matrix(second, places)
    shown = np.asarray(others.sum(axis=0)).ravel()
    weights = np.log((1 + len(second)) / (1 + shown))
    found: NDArray[np.float64] = (rows.multiply(weights).tocsr() @ others.T).toarray()
    return found


def _to_matrix(patients: Sequence[Evidence], places: Mapping[str, int]) -> csr_array:
    columns = [places[value] for evidence in patients for value in evidence]
    ends = np.cumsum([0, *(len(evidence) for evidence in patients)])
    shape = (len(patients), max(1, len(places)))
    return csr_array((np.ones(len(columns)), columns, ends), shape=shape)


def collect_evidence(notes: Iterable[Annotated], field: str) -> Evidence:
    """Collect the values of a field in the notes of one patient, normalized.

    `notes` are released notes with their surrogates as spans. `dates` are those with day, month and
    year, `partial dates` all others.
    """
    labels = _FIELDS[field]
    texts = (
        fold_words(note.document.text[span.start : span.end])
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
        texts = (text for text in texts if _is_full_date(text) == (field == "dates"))
    return frozenset("".join(text) for text in texts) - {""}


def _is_full_date(text: Sequence[str]) -> bool:
    """Return whether the words of a date include day, month and year."""
    numbers = [word for word in text if word[0].isdigit()]
    has_year = any(len(word) == _YEAR for word in numbers)
    is_written = len(numbers) + 1 == _PARTS and has_year and len(text) > len(numbers)
    is_run = len(text) == 1 and bool(_RUN.fullmatch(text[0]))
    return len(numbers) >= _PARTS or is_written or is_run


def date_intervals(days: Iterable[int]) -> Evidence:
    """Return the number of days between each two dates of one patient, as values.

    Releases preserve them by design, so an attacker has them besides names and numbers.
    """
    known = sorted(set(days))
    return frozenset(
        str(later - earlier) for place, earlier in enumerate(known) for later in known[place + 1 :]
    )


def nearby_values(number: int, width: int) -> Evidence:
    """Return a number and its neighbours as values, so that close numbers share some.

    The closer two numbers are, the more values they share.
    """
    return frozenset(f"about {other}" for other in range(number - width, number + width + 1))
