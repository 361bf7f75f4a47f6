"""Two cohorts of one warehouse cannot be joined by what stands in the place of identifiers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from scipy.stats import binomtest

from benchmarks.night.attacks import collect_release_evidence
from evaluation.attacks.linkage import (
    Evidence,
    collect_evidence,
    compare_with_chance,
    date_intervals,
    link_patients,
    nearby_values,
)
from record.document import Annotated, Document
from record.span import Span
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.people.records import FictionalNote, Hospital

PATIENTS = 500
# Guessing right so often happens less than once in ten thousand runs.
SURPRISING = 1e-4

Release = Mapping[str, Sequence[Evidence]]


@pytest.fixture(scope="module")
def hospital() -> Hospital:
    return make_hospital(PATIENTS, seed=3, notes_per_patient=1, mean_characters=300)


@pytest.fixture(scope="module")
def letters(hospital: Hospital) -> list[FictionalNote]:
    """A letter for each patient of which the head alone is left."""
    last = {note.person_id: note for note in hospital.notes()}
    return [replace(note, annotated=_head(note, hospital)) for note in last.values()]


def _head(note: FictionalNote, hospital: Hospital) -> Annotated:
    """Write names, birth, address, numbers, and when they were seen."""
    record = hospital.patients[note.person_id]
    seen, home = note.written, record.addresses[0]
    parts = [("FIRST_NAME", name) for name in record.given_names]
    parts += [("LAST_NAME", name) for name in record.family_names]
    parts += [("BIRTH_DATE", f"{record.birth_date:%d/%m/%Y}"), ("ZIP", home.zip)]
    parts += [("PHONE", phone) for phone in record.phones]
    parts += [(each.label, each.value) for each in record.identifiers]
    parts += [("DATE", f"{seen:%d/%m/%Y}"), ("DATE", f"{seen:%m/%Y}")]
    text, spans = "", []
    for label, value in parts:
        spans.append(Span(len(text), len(text) + len(value), label))
        text += value + " ; "
    return Annotated(replace(note.annotated.document, text=text), tuple(spans))


@pytest.fixture(scope="module")
def asthma(hospital: Hospital, letters: list[FictionalNote]) -> Release:
    return collect_release_evidence(hospital, letters, "asthma")


@pytest.fixture(scope="module")
def cancer(hospital: Hospital, letters: list[FictionalNote]) -> Release:
    return collect_release_evidence(hospital, letters, "cancer")


@pytest.mark.parametrize(
    ("field", "chance"),
    # A given name keeps the sex, so that a guess is among half of the patients.
    [
        ("names", 2 / PATIENTS),
        ("zips", 1 / PATIENTS),
        ("ids", 1 / PATIENTS),
        ("dates", 1 / PATIENTS),
    ],
)
def test_two_cohorts_are_linked_by_guessing_alone(
    asthma: Release, cancer: Release, field: str, chance: float
) -> None:
    found = link_patients(asthma[field], cancer[field])
    assert binomtest(found.hits, PATIENTS, chance, alternative="greater").pvalue > SURPRISING


def test_all_of_these_together_do_not_link_either(asthma: Release, cancer: Release) -> None:
    found = link_patients(asthma["all combined"], cancer["all combined"])
    assert binomtest(found.hits, PATIENTS, 2 / PATIENTS, alternative="greater").pvalue > SURPRISING


def test_the_attack_works_where_one_key_made_both(
    hospital: Hospital, letters: list[FictionalNote], asthma: Release
) -> None:
    """The positive control: the same cohort, released again."""
    again = collect_release_evidence(hospital, letters, "asthma")
    for field, least in (("names", 0.9), ("zips", 0.3), ("ids", 0.98), ("dates", 0.9)):
        found = link_patients(asthma[field], again[field])
        assert found.low > least
        assert found.p_value < 1e-12


def test_distances_between_dates_link_by_design(asthma: Release, cancer: Release) -> None:
    """The known limit: whoever has two cohorts of the same patients can match their courses."""
    assert (
        link_patients(asthma["intervals between dates"], cancer["intervals between dates"]).rate
        > 0.9
    )


def test_a_match_is_judged_by_the_exact_test() -> None:
    """Values of R: binom.test(4, 500, 1/500, alternative = "greater"), and its interval."""
    found = compare_with_chance(4, 500)
    assert found.p_value == pytest.approx(0.0188, abs=2e-4)
    assert (found.low, found.high) == pytest.approx((0.00218, 0.02035), abs=2e-5)
    assert (found.rate, found.chance) == (0.008, 0.002)


def test_nothing_shown_is_a_guess_and_the_order_tells_nothing() -> None:
    empty = [frozenset[str]()] * 400
    assert link_patients(empty, empty).p_value > SURPRISING
    same = [frozenset(("Jean",))] * 400
    assert link_patients(same, same).p_value > SURPRISING
    own = [frozenset((str(n), "common")) for n in range(400)]
    assert link_patients(own, own).hits == 400


def test_a_rare_value_counts_more_than_common_ones() -> None:
    first = [frozenset("abx"), frozenset("aby"), frozenset("ab"), frozenset("ab")]
    second = [frozenset("xa"), frozenset("yab"), frozenset("ab"), frozenset("ab")]
    assert all(link_patients(first, second, seed=seed).hits >= 2 for seed in range(5))


@pytest.mark.parametrize("sizes", [(0, 0), (1, 1), (2, 3)])
def test_releases_of_others_are_refused(sizes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="same patients"):
        link_patients(*([frozenset("a")] * size for size in sizes))


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        *(
            ("12/03/2024", True),
            ("12 mars 2024", True),
            ("1er mars 2024", True),
            ("12032024", True),
        ),
        *(("mars 2024", False), ("03/2024", False), ("2024", False), ("mardi 12 mars", False)),
    ],
)
def test_whole_dates_are_told_from_partial_ones(text: str, is_whole: bool) -> None:
    note = Annotated(Document("n", text, "1"), (Span(0, len(text), "DATE"),))
    assert bool(collect_evidence([note], "dates")) == is_whole
    assert bool(collect_evidence([note], "partial dates")) != is_whole


def test_evidence_has_one_spelling() -> None:
    assert date_intervals([5, 1, 8]) == {"4", "3", "7"}
    assert nearby_values(10, 1) == {"about 9", "about 10", "about 11"}
