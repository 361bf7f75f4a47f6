"""Two cohorts of one warehouse cannot be joined by what stands in the place of identifiers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
import pytest

from evaluation.linkage import FIELDS, Evidence, evidence_of, intervals, judge, link, nearly
from record.document import Annotated, Document
from record.policy import Policy
from record.span import Span
from surrogates.columns import Columns
from surrogates.keys import MasterKey
from surrogates.rewrite import Rewriter
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.model import Hospital

PATIENTS = 500
# Guessing right so often happens less than once in ten thousand runs.
SURPRISING = 1e-4

Release = Mapping[str, Sequence[Evidence]]


@pytest.fixture(scope="module")
def hospital() -> Hospital:
    return make_hospital(PATIENTS, seed=3, notes_per_patient=1)


def _header(person: int, hospital: Hospital) -> tuple[Document, tuple[Span, ...]]:
    """Write what heads a letter: names, birth, address, numbers, and when they were seen."""
    record = hospital.patients[person]
    seen = next((visit.start for visit in hospital.visits if visit.person_id == person), None)
    home = record.addresses[0]
    parts = [("FIRST_NAME", name) for name in record.given_names]
    parts += [("LAST_NAME", name) for name in record.family_names]
    parts += [("BIRTH_DATE", f"{record.birth_date:%d/%m/%Y}"), ("ZIP", home.zip)]
    parts += [("CITY", home.city), ("PHONE", record.phones[0]) if record.phones else ("", "-")]
    parts += [(each.label, each.value) for each in record.identifiers]
    parts += [("DATE", f"{seen:%d/%m/%Y}"), ("DATE", f"{seen:%m/%Y}")] if seen else []
    text, spans = "", []
    for label, value in parts:
        if label:
            spans.append(Span(len(text), len(text) + len(value), label))
        text += value + " ; "
    return Document(f"n{person}", text, str(person), "fr"), tuple(spans)


def _release(hospital: Hospital, cohort: str) -> Release:
    """Release letters, visits and ids of everybody under the key of a cohort."""
    key, policy = MasterKey(bytes(range(32))).cohort(cohort), Policy()
    rewriter, columns = Rewriter(key, policy), Columns(key, policy)
    people = sorted(hospital.patients)
    notes = []
    for person in people:
        document, spans = _header(person, hospital)
        made = rewriter.rewrite(document, spans, hospital.patients[person])
        notes.append([Annotated(replace(document, text=made.text), made.spans)])
    visits = hospital.visits
    table = pa.table(
        {
            "visit_occurrence_id": [visit.visit_id for visit in visits],
            "person_id": [visit.person_id for visit in visits],
            "visit_start_date": [visit.start.date() for visit in visits],
        }
    )
    ids, days = defaultdict(set), defaultdict(set)
    rows = columns.treat("visit_occurrence", table).rows.to_pylist()
    for visit, row in zip(visits, rows, strict=True):
        ids[visit.person_id] |= {str(row["person_id"]), str(row["visit_occurrence_id"])}
        days[visit.person_id].add(row["visit_start_date"].toordinal())
    births = {
        person: columns.shift_date(str(person), hospital.patients[person].birth_date).toordinal()
        for person in people
    }
    found = {f: [evidence_of(each, f) for each in notes] for f in (*FIELDS, "partial dates")}
    found["ids"] = [shown | ids[p] for shown, p in zip(found["ids"], people, strict=True)]
    found["dates"] = [
        shown | {str(day) for day in days[p]}
        for shown, p in zip(found["dates"], people, strict=True)
    ]
    found["intervals"] = [intervals({*days[p], births[p]}) for p in people]
    found["births"] = [nearly(births[p] // 365, 2) for p in people]
    return found


@pytest.fixture(scope="module")
def asthma(hospital) -> Release:
    return _release(hospital, "asthma")


@pytest.fixture(scope="module")
def cancer(hospital) -> Release:
    return _release(hospital, "cancer")


@pytest.mark.parametrize("field", FIELDS)
def test_two_cohorts_are_linked_by_guessing_alone(asthma, cancer, field: str) -> None:
    found = link(asthma[field], cancer[field])
    assert found.p_value > SURPRISING
    assert found.low <= found.chance


def test_names_zips_ids_and_dates_together_do_not_link_either(asthma, cancer) -> None:
    first, second = (
        [frozenset.union(*of_one) for of_one in zip(*(r[f] for f in FIELDS), strict=True)]
        for r in (asthma, cancer)
    )
    assert link(first, second).p_value > SURPRISING
    assert link(first, first).rate > 0.99


def test_the_attack_works_where_one_key_made_both(hospital, asthma) -> None:
    """The positive control: the same cohort, released again."""
    again = _release(hospital, "asthma")
    for field, least in (("names", 0.98), ("zips", 0.3), ("ids", 0.98), ("dates", 0.98)):
        found = link(asthma[field], again[field])
        assert found.low > least
        assert found.p_value < 1e-12


def test_what_is_kept_by_design_links(asthma, cancer) -> None:
    """The known limit: distances between dates, and about when somebody was born."""
    exact = link(asthma["intervals"], cancer["intervals"])
    assert exact.rate > 0.9
    about = link(asthma["births"], cancer["births"])
    assert about.p_value < 1e-3
    assert about.rate < 0.2
    partly = link(asthma["partial dates"], cancer["partial dates"])
    assert partly.rate < 0.2


def test_a_match_is_judged_by_the_exact_test() -> None:
    """Values of R: binom.test(4, 500, 1/500, alternative = "greater"), and its interval."""
    found = judge(4, 500)
    assert found.p_value == pytest.approx(0.0188, abs=2e-4)
    assert (found.low, found.high) == pytest.approx((0.00218, 0.02035), abs=2e-5)
    assert (found.rate, found.chance) == (0.008, 0.002)


def test_nothing_shown_is_a_guess_and_the_order_tells_nothing() -> None:
    empty = [frozenset[str]()] * 400
    assert link(empty, empty).p_value > SURPRISING
    same = [frozenset(("Jean",))] * 400
    assert link(same, same).p_value > SURPRISING
    own = [frozenset((str(n), "common")) for n in range(400)]
    assert link(own, own).hits == 400


def test_a_rare_value_counts_more_than_common_ones() -> None:
    first = [frozenset("abx"), frozenset("aby"), frozenset("ab"), frozenset("ab")]
    second = [frozenset("xa"), frozenset("yab"), frozenset("ab"), frozenset("ab")]
    assert all(link(first, second, seed=seed).hits >= 2 for seed in range(5))


@pytest.mark.parametrize("sizes", [(0, 0), (1, 1), (2, 3)])
def test_releases_of_others_are_refused(sizes) -> None:
    with pytest.raises(ValueError, match="same patients"):
        link(*([frozenset("a")] * size for size in sizes))


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
    assert bool(evidence_of([note], "dates")) == is_whole
    assert bool(evidence_of([note], "partial dates")) != is_whole


def test_evidence_has_one_spelling() -> None:
    assert intervals([5, 1, 8]) == {"4", "3", "7"}
    assert nearly(10, 1) == {"about 9", "about 10", "about 11"}
