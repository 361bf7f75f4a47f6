"""Whole tables, treated over Arrow, give what the treatment of single values gives."""

from collections import Counter
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.algorithms import ALGORITHMS
from record.columns import COLUMNS, DOMAINS, FACTS, TABLES, Treatment, domains_of, id_kind
from record.document import Document
from record.errors import ConfigError
from record.patient import Identifier, PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import PSEUDONYMS, CohortKey, MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Birth, Columns, Subjects, Treated, to_pseudonyms, treat

POLICIES = (
    Policy(),
    Policy(keep_weekday=True),
    Policy(date_precision="month", birth_dates="month"),
    Policy(date_precision="year", birth_dates="shift"),
    Policy(date_precision="year", birth_dates="year"),
    Policy(birth_dates="year"),
    Policy(birth_dates="jitter"),
    Policy(times="exact"),
    Policy(times="hour", keep_season=True),
    Policy(times="order", shift_direction="both"),
    Policy(date_precision="year", birth_dates="month", times="exact"),
    Policy(date_precision="month", birth_dates="jitter"),
)
DAYS = st.one_of(
    st.dates(date(1890, 1, 1), date(2110, 1, 1)),
    st.sampled_from(
        [
            *(date(2024, 2, 29), date(2000, 2, 29), date(2023, 12, 31), date(2024, 1, 1)),
            *(date(2023, 1, 31), date(2023, 3, 31), date(2023, 7, 1)),
        ]
    ),
)
ROWS = st.lists(st.tuples(st.integers(1, 4), st.none() | DAYS, st.times()), max_size=5)
UNITS = ("s", "ms", "us", "ns")


@pytest.fixture(scope="module")
def columns(cohort: CohortKey) -> Columns:
    return Columns(cohort, Policy())


@pytest.fixture(scope="module")
def exact(cohort: CohortKey) -> Columns:
    return Columns(cohort, Policy(times="exact"))


def _measured(columns: Columns, **values: list[Any] | pa.Array) -> Treated:
    """Treat measurements of person 1, unless the values name others."""
    size = len(next(iter(values.values())))
    rows = {"measurement_id": list(range(1, size + 1)), "person_id": [1] * size} | values
    return columns.treat("measurement", pa.table(rows))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.policy_id)
@settings(max_examples=15)
@given(rows=ROWS)
def test_dates_move_as_single_ones(
    cohort: CohortKey, policy: Policy, rows: list[tuple[int, date | None, time]]
) -> None:
    columns = Columns(cohort, policy)
    persons = [person for person, _, _ in rows]
    days = [day for _, day, _ in rows]
    moments = [datetime.combine(day, at) if day else None for _, day, at in rows]
    expected = [d and columns.shift_date(str(p), d) for p, d in zip(persons, days, strict=True)]
    found = [m and columns.shift_datetime(str(p), m) for p, m in zip(persons, moments, strict=True)]
    treated = _measured(
        columns,
        person_id=pa.array(persons, pa.int64()),
        measurement_date=pa.array(days, pa.date32()),
        measurement_datetime=pa.array(moments, pa.timestamp("us")),
    )
    assert treated.rows["measurement_date"].to_pylist() == expected
    assert treated.rows["measurement_datetime"].to_pylist() == found
    assert not treated.refused
    written = _measured(
        columns,
        person_id=pa.array(persons, pa.int64()),
        measurement_date=pa.array([d and d.isoformat() for d in days], pa.string()),
        measurement_datetime=pa.array([m and m.isoformat(" ") for m in moments], pa.string()),
    )
    assert written.rows["measurement_date"].to_pylist() == [d and d.isoformat() for d in expected]
    texts = written.rows["measurement_datetime"].to_pylist()
    assert [text and datetime.fromisoformat(text) for text in texts] == found


@given(st.lists(DAYS, min_size=2, max_size=5))
def test_distances_hold_in_tables_and_notes(
    cohort: CohortKey, columns: Columns, days: list[date]
) -> None:
    """Leap days, the ends of months and years: all pairs, in two tables and a text."""
    first = _measured(columns, measurement_date=days).rows["measurement_date"].to_pylist()
    rows = pa.table({"person_id": [1] * len(days), "death_date": days})
    second = columns.treat("death", rows).rows["death_date"].to_pylist()
    text = " ".join(f"{day:%d/%m/%Y}" for day in days)
    spans = tuple(Span(11 * at, 11 * at + 10, "DATE") for at in range(len(days)))
    note = Rewriter(cohort, Policy()).rewrite(Document("n", text, "1", "fr"), spans, None)
    third = [datetime.strptime(word, "%d/%m/%Y").date() for word in note.text.split()]
    for one, other in combinations(range(len(days)), 2):
        expected = days[other] - days[one]
        assert all(moved[other] - moved[one] == expected for moved in (first, second, third))
    assert first == second == third


@pytest.mark.parametrize("unit", UNITS)
def test_exact_moments_keep_unit_and_zone(exact: Columns, unit: str) -> None:
    naive = datetime(2024, 3, 30, 2, 30)
    days = exact.shift_date("1", naive.date()) - naive.date()
    for zone in (None, "UTC", "Europe/Paris", "+05:00"):
        column = pa.array([naive, None], pa.timestamp(unit))
        if zone:
            column = pa.compute.assume_timezone(column, zone)
        treated = _measured(exact, measurement_datetime=column).rows["measurement_datetime"]
        assert treated.type == pa.timestamp(unit, zone)
        local = pa.compute.local_timestamp(treated) if zone else treated
        moved = local.cast(pa.timestamp("us")).to_pylist()
        assert moved == [naive + days, None]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("2024-03-12", "{day}"),
        (" 2024-03-12 ", "{day}"),
        ("20240312", "{day}"),
        ("2024-03-12 10:11", "{day} 10:11"),
        ("2024-03-12T10:11:12.345678901Z", "{day}T10:11:12.345678901Z"),
        ("2024-03-12 10:11:12+02", "{day} 10:11:12+02"),
        ("20240312T101112", "{day} 10:11:12"),
        ("", None),
        ("  ", None),
    ],
)
def test_exact_texts_of_dates(exact: Columns, text: str, moved: str | None) -> None:
    day = exact.shift_date("1", date(2024, 3, 12))
    for values in ([text], [text, "2024-03-12"], [text, "12 mars 2024"]):
        treated = _measured(exact, measurement_datetime=values)
        expected = moved and moved.format(day=day)
        assert treated.rows["measurement_datetime"].to_pylist()[0] == expected
    treated = _measured(exact, measurement_date=[text])
    assert treated.rows["measurement_date"].to_pylist() == [moved and str(day)]


@pytest.mark.parametrize(
    ("text", "midnight", "hour"),
    [
        ("2024-03-12", "", ""),
        ("2024-03-12 10:11", " 00:00", " 10:00"),
        ("2024-03-12T10:11:12.345678901Z", "T00:00:00", "T10:00:00"),
        ("2024-03-12 10:11:12+02", " 00:00:00", " 10:00:00"),
        ("20240312T101112", " 00:00:00", " 10:00:00"),
    ],
)
def test_texts_of_times(cohort: CohortKey, text: str, midnight: str, hour: str) -> None:
    for times, expected in (("midnight", midnight), ("hour", hour)):
        columns = Columns(cohort, Policy(times=times))  # type: ignore[arg-type]
        day = columns.shift_date("1", date(2024, 3, 12))
        for values in ([text], [text, "2024-03-12 00:00"], [text, None, "2024-03-12T09:09"]):
            treated = _measured(columns, measurement_datetime=values)
            assert treated.rows["measurement_datetime"].to_pylist()[0] == f"{day}{expected}"


@given(st.lists(st.times(), max_size=6), DAYS, st.sampled_from(UNITS))
def test_times_in_order(cohort: CohortKey, times: list[time], day: date, unit: str) -> None:
    """The order of a patient's moments on a day holds, by minutes; midnight alone stays."""
    columns = Columns(cohort, Policy(times="order"))
    moments = [datetime.combine(day, at.replace(microsecond=0)) for at in times]
    column = pa.array(moments, pa.timestamp("us")).cast(pa.timestamp(unit))
    treated = _measured(columns, measurement_datetime=column).rows["measurement_datetime"]
    moved = treated.cast(pa.timestamp("us")).to_pylist()
    for (one, first), (other, second) in combinations(zip(moments, moved, strict=True), 2):
        same = (one.hour, one.minute) == (other.hour, other.minute)
        assert first == second if same else (one < other) == (first < second)
    for one, first in zip(moments, moved, strict=True):
        assert first.date() == columns.shift_date("1", day)
        assert (first.time() == time.min) == (one.time() < time(0, 1))


def test_a_cut_moment_in_text_is_midnight(cohort: CohortKey) -> None:
    columns = Columns(cohort, Policy(date_precision="month"))
    first = columns.shift_date("1", date(2024, 3, 12))
    texts = ["2024-03-12T10:11:12.5Z", "2024-03-12 10:11", "2024-03-12"]
    treated = _measured(columns, measurement_datetime=texts).rows["measurement_datetime"]
    assert treated.to_pylist() == [f"{first}T00:00:00", f"{first} 00:00", f"{first}"]


def test_refused_rows_are_left_out_and_counted_once(columns: Columns) -> None:
    late = "9999-12-29" if columns.days("1") > 0 else "0001-01-02"
    treated = _measured(
        columns,
        measurement_id=[1, 2, 3, 4, None, 6, 7],
        person_id=[1, None, 1, 1, 1, None, 1],
        measurement_date=["2024-03-12", "2024-03-12", "12/03/2024", late, "2024-03-12", "x", None],
        measurement_datetime=[None] * 6 + ["2024-02-30 10:00:00"],
    )
    assert treated.refused == Counter({"no-person": 2, "malformed": 2, "date-out-of-range": 1}) + (
        Counter({"no-id": 1})
    )
    assert treated.kept.tolist() == [True] + [False] * 6
    assert treated.rows["measurement_id"].to_pylist() == [columns.pseudonym("measurement", "1")]
    assert "2024" not in repr(treated)


@pytest.mark.parametrize("value", [20240312, 19794.0, True])
def test_a_number_is_no_date(columns: Columns, value: object) -> None:
    treated = _measured(columns, measurement_date=[value, None])
    assert treated.refused == {"malformed": 1}
    assert treated.rows["measurement_date"].to_pylist() == [None]


def test_far_moments_are_refused_in_nanoseconds(columns: Columns) -> None:
    """An Arrow type may end before the calendar does."""
    edge = np.iinfo(np.int64).max - 10 if columns.days("1") > 0 else np.iinfo(np.int64).min + 10
    column = pa.array([edge], pa.int64()).cast(pa.timestamp("ns"))
    assert _measured(columns, measurement_datetime=column).refused == {"date-out-of-range": 1}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data())
def test_ids_are_those_of_single_values(
    master: MasterKey, data: st.DataObject, algorithm: int
) -> None:
    """The first version hashes any number; the newest has a place for those of a policy's size."""
    policy = Policy() if algorithm == 2 else Policy(id_bits=63)
    columns = Columns(master.cohort("ids", algorithm=algorithm), policy)
    numbers = st.integers(-(2**63) if algorithm == 2 else 1, 2**63 - 1)
    values = data.draw(st.lists(st.none() | numbers, max_size=6))
    expected = [None if v is None else columns.pseudonym("visit", str(v)) for v in values]
    for _ in range(2):
        rows = _measured(columns, visit_occurrence_id=pa.array(values, pa.int64())).rows
        assert rows["visit_occurrence_id"].to_pylist() == expected
    known = [value for value in values if value is not None]
    table = pa.table({"visit_occurrence_id": pa.array(known, pa.int64()), "person_id": known})
    treated = columns.treat("visit_occurrence", table).rows
    assert treated["visit_occurrence_id"].to_pylist() == [v for v in expected if v is not None]
    assert treated["person_id"].to_pylist() == [columns.pseudonym("person", str(v)) for v in known]


@pytest.mark.parametrize(("number", "remedy"), [(2**31, "id_bits = 53"), (0, "from 1"), (-1, "")])
@pytest.mark.parametrize("name", ["measurement_id", "person_id", "visit_occurrence_id"])
def test_ids_beyond_the_size_stop_the_table(
    columns: Columns, name: str, number: int, remedy: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        _measured(columns, **{"unit_concept_id": [1, 1], name: [5, number]})
    assert str(number) in caught.value.problem
    assert remedy in caught.value.remedy


def test_pseudonyms_are_reduced_as_large_numbers_are() -> None:
    edges = [0, 1, PSEUDONYMS - 1, PSEUDONYMS, PSEUDONYMS + 1, 2**64 - 1, 2**127, 2**128 - 1]
    edges += [PSEUDONYMS * (2**66 + 4), 2**64 * PSEUDONYMS, 2**124 + 2**62, 2**128 - 2**62]
    digests = b"".join(edge.to_bytes(16, "big") + bytes(16) for edge in edges)
    assert to_pseudonyms(digests).to_pylist() == [1 + edge % PSEUDONYMS for edge in edges]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([7.0, 7.5, float("nan"), 1e300]),
        pa.array([Decimal("7"), Decimal("7.5"), None, None]),
        pa.array([7, 2**63, None, None], pa.uint64()),
        pa.array([7, None, None, None], pa.int16()),
        pa.array([7, None, None, None]).dictionary_encode(),
    ],
)
def test_ids_in_other_numbers(columns: Columns, values: pa.Array) -> None:
    rows = _measured(columns, visit_occurrence_id=values).rows
    expected = [columns.pseudonym("visit", "7"), None, None, None]
    assert rows["visit_occurrence_id"].to_pylist() == expected


def test_a_column_of_ids_counts_the_same_under_every_name() -> None:
    assert id_kind("preceding_visit_occurrence_id") == id_kind("visit_occurrence_id") == "visit"
    assert id_kind("parent_visit_detail_id") == id_kind("visit_detail_id") == "visit_detail"
    assert id_kind("care_site_id") == "care_site"


@pytest.mark.parametrize("table", sorted(set(TABLES) - {"note_span"}))
def test_no_text_of_a_source_comes_through(columns: Columns, table: str) -> None:
    """Every column of every table holds text that names somebody, as untyped databases allow."""
    whole: dict[str, list[Any]] = {"person_id": [1], "note_id": [5], TABLES[table][0]: [9]}
    names = [name for name in TABLES[table] if name not in whole]
    rows = {name: whole[name] for name in TABLES[table] if name in whole}
    rows |= {name: ["Jean DUPONT 75012"] for name in names}
    subjects = Subjects(owners={5: 1})
    treated = columns.treat(table, pa.table(rows), subjects)
    dated = {n for n in names if COLUMNS[f"{table}.{n}"].treatment is Treatment.SHIFT}
    facts = FACTS.get(table, {})
    assert bool(treated.refused) == bool(dated - {"year_of_birth"} or facts)
    plain = {name: [None] if name in dated else value for name, value in rows.items()}
    for fact, domain in facts.items():
        plain |= {fact: [9], domain: [next(iter(domains_of(f"{table}.{domain}")))]}
    treated = columns.treat(table, pa.table(plain), subjects)
    assert treated.rows.num_rows == 1
    assert list(treated.rows.schema.names) == list(plain)
    told = str(treated.rows.to_pylist())
    assert not any(word in told for word in ("Jean", "DUPONT", "75012"))


def test_what_nobody_named_is_refused_at_the_start(cohort: CohortKey) -> None:
    policy = Policy()
    for table, name in (("measurement", "shoe_size"), ("diagnoses", "person_id")):
        with pytest.raises(ConfigError) as refused:
            treat(table, pa.table({"person_id": [1], name: [1]}), cohort, policy)
        assert refused.value.remedy
        with pytest.raises(ConfigError):
            Columns(cohort, policy).check(table, ["person_id", name])
    Columns(cohort, policy).check("measurement", TABLES["measurement"])


def test_dropped_columns_are_empty_or_no_concept(cohort: CohortKey) -> None:
    drop = {f"measurement.{n}": Treatment.DROP for n in ("unit_concept_id", "value_as_number")}
    drop |= {"measurement.visit_occurrence_id": Treatment.DROP}
    rows = _measured(
        Columns(cohort, Policy(columns=drop)),
        unit_concept_id=[8840],
        value_as_number=[5.5],
        visit_occurrence_id=[3],
        range_low=["4.5"],
        operator_concept_id=["4172703"],
    ).rows.to_pylist()[0]
    assert rows["unit_concept_id"] == 0
    assert rows["value_as_number"] is rows["visit_occurrence_id"] is None
    assert rows["range_low"] == 4.5
    assert rows["operator_concept_id"] is None


def test_a_policy_may_choose(cohort: CohortKey, record: PatientRecord) -> None:
    choices = {
        "person.person_source_value": Treatment.REWRITE,
        "person.month_of_birth": Treatment.SHIFT,
        "person.birth_datetime": Treatment.SHIFT,
        "person.gender_source_value": Treatment.REKEY,
        "location.zip": Treatment.GENERALIZE,
        "location.city": Treatment.KEEP,
    }
    policy = Policy(columns=choices, zeroed_zips=("692",), birth_dates="shift", times="exact")
    columns = Columns(cohort, policy)
    person = {
        "person_id": [42, 7],
        "year_of_birth": [1950, 1960],
        "month_of_birth": [2, None],
        "day_of_birth": [3, None],
        "birth_datetime": [datetime(1950, 2, 3, 4), None],
        "person_source_value": ["8012345678", None],
        "gender_source_value": ["M", " "],
    }
    known = Subjects(records={"42": record})
    rows = columns.treat("person", pa.table(person), known).rows.to_pylist()
    moved = columns.shift_birth("42", Birth(1950, 2, 3))
    assert (rows[0]["year_of_birth"], rows[0]["month_of_birth"]) == (moved.year, moved.month)
    born = datetime.combine(date(moved.year, moved.month or 0, moved.day or 0), time(4))
    assert rows[0]["birth_datetime"] == born
    assert rows[0]["day_of_birth"] is None
    assert rows[0]["gender_source_value"] == str(columns.pseudonym("gender_source_value", "M"))
    # As the same number reads in the patient's notes.
    note = Document("n1", "IPP 8012345678", "42", "fr")
    released = Rewriter(cohort, Policy()).rewrite(note, (Span(4, 14, "PATIENT_ID"),), record)
    assert f"IPP {rows[0]['person_source_value']}" == released.text
    assert rows[1]["gender_source_value"] is rows[1]["person_source_value"] is None
    places = {"location_id": [1, 2], "zip": ["75012", "69234"], "city": ["Lyon", None]}
    rows = columns.treat("location", pa.table(places)).rows.to_pylist()
    assert [row["zip"] for row in rows] == ["750**", "000**"]
    assert [row["city"] for row in rows] == ["Lyon", None]


@pytest.mark.parametrize("name", ["person.birth_datetime", "note.note_text", "provider.npi"])
def test_a_policy_keeps_nothing_that_names(name: str) -> None:
    with pytest.raises(ConfigError, match="is not allowed"):
        Policy(columns={name: Treatment.KEEP})


def test_what_others_found_in_notes_moves_with_their_patient(columns: Columns) -> None:
    rows = pa.table({"note_nlp_id": [1, 2], "note_id": [5, 6], "nlp_date": [date(2024, 2, 29)] * 2})
    treated = columns.treat("note_nlp", rows, Subjects(owners={5: 42}))
    assert treated.refused == {"no-person": 1}
    (row,) = treated.rows.to_pylist()
    assert row["nlp_date"] == columns.shift_date("42", date(2024, 2, 29))
    assert row["note_id"] == columns.pseudonym("note", "5")


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.policy_id)
@settings(max_examples=40)
@given(born=DAYS, lived=st.one_of(st.integers(0, 400), st.integers(0, 40_000)))
def test_nobody_dies_before_they_are_born(
    cohort: CohortKey, policy: Policy, born: date, lived: int
) -> None:
    """Whatever is cut down or moved on, for every patient and every length of a life."""
    columns = Columns(cohort, policy)
    died = date.fromordinal(born.toordinal() + lived)
    for person in range(1, 9):
        parts = columns.shift_birth(str(person), Birth(born.year, born.month, born.day))
        moved = date(parts.year, parts.month or 1, parts.day or 1)
        assert moved <= columns.shift_date(str(person), died)
        assert moved <= columns.shift_date(str(person), born)


@settings(max_examples=25)
@given(
    parts=st.lists(
        st.tuples(
            st.none() | st.integers(1880, 2030),
            st.none() | st.integers(1, 12),
            st.none() | st.integers(1, 31),
        ),
        max_size=4,
    )
)
def test_births_are_those_of_single_persons(
    columns: Columns, parts: list[tuple[int | None, int | None, int | None]]
) -> None:
    years, months, days = zip(*parts, strict=True) if parts else ((), (), ())
    rows = pa.table(
        {
            "person_id": pa.array(range(1, len(parts) + 1), pa.int64()),
            "year_of_birth": pa.array(years, pa.int32()),
            "month_of_birth": pa.array(months, pa.int32()),
            "day_of_birth": pa.array(days, pa.int32()),
        }
    )
    treated = columns.treat("person", rows)
    expected = []
    for person, (year, month, day) in enumerate(parts, start=1):
        try:
            if year and month and day:
                date(year, month, day)
        except ValueError:
            continue
        birth = year and columns.shift_birth(str(person), Birth(year, month, day)).year
        expected.append(birth)
    assert treated.rows["year_of_birth"].to_pylist() == expected
    assert treated.refused == Counter({"no-date": len(parts) - len(expected)}) + Counter()
    assert set(treated.rows["month_of_birth"].to_pylist()) <= {None}


def test_batches_do_not_matter(cohort: CohortKey, columns: Columns) -> None:
    rows = pa.table(
        {
            "measurement_id": list(range(1, 41)),
            "person_id": [1 + n % 5 for n in range(40)],
            "visit_occurrence_id": [1 + n % 7 for n in range(40)],
            "measurement_date": [f"2024-01-{1 + n % 28:02d}" for n in range(40)],
        }
    )
    whole = columns.treat("measurement", rows).rows
    parts = [columns.treat("measurement", part).rows for part in rows.to_batches(max_chunksize=7)]
    assert pa.concat_tables(parts).combine_chunks() == whole.combine_chunks()
    assert treat("measurement", rows, cohort, Policy()).rows == whole
    assert columns.treat("measurement", rows.slice(0, 0)).rows.num_rows == 0


def test_aware_moments_are_those_of_single_ones(cohort: CohortKey) -> None:
    moment = datetime(2024, 3, 30, 23, 30, tzinfo=UTC)
    column = pa.array([moment], pa.timestamp("us", "UTC"))
    for times in ("exact", "midnight", "hour", "order"):
        columns = Columns(cohort, Policy(times=times))
        treated = _measured(columns, measurement_datetime=column).rows["measurement_datetime"]
        expected = columns.shift_datetime("1", moment).replace(tzinfo=UTC)
        assert treated.to_pylist() == [expected]


def test_visits_by_month(cohort: CohortKey) -> None:
    """All dates but those of deaths and notes are at the first of their month."""
    columns = Columns(cohort, Policy(visits="month", times="exact"))
    exact_day = columns.shift_date("1", date(2024, 3, 12))
    rows = _measured(
        columns,
        measurement_date=[date(2024, 3, 12)],
        measurement_datetime=[datetime(2024, 3, 12, 10, 11)],
    ).rows.to_pylist()
    assert rows[0]["measurement_date"] == exact_day.replace(day=1)
    assert rows[0]["measurement_datetime"] == datetime.combine(exact_day.replace(day=1), time.min)
    visits = pa.table(
        {"visit_occurrence_id": [1], "person_id": [1], "visit_start_date": [date(2024, 3, 12)]}
    )
    found = columns.treat("visit_occurrence", visits).rows["visit_start_date"].to_pylist()
    assert found == [exact_day.replace(day=1)]
    deaths = pa.table({"person_id": [1], "death_date": [date(2024, 3, 12)]})
    assert columns.treat("death", deaths).rows["death_date"].to_pylist() == [exact_day]


def test_visits_left_out(cohort: CohortKey) -> None:
    columns = Columns(cohort, Policy(visits="drop"))
    rows = _measured(columns, visit_occurrence_id=[3], visit_detail_id=[4]).rows.to_pylist()
    assert rows[0]["visit_occurrence_id"] is rows[0]["visit_detail_id"] is None
    assert {"visit_occurrence_id", "visit_detail_id"} <= columns.dropped("note")
    staff = {"provider_id", "care_site_id"}
    assert columns.dropped("visit_occurrence") <= staff


@pytest.mark.parametrize("born", [date(1930, 5, 6), date(1945, 12, 31), date(1946, 1, 1)])
@pytest.mark.parametrize("births", ["month", "year", "shift", "jitter"])
def test_released_births(cohort: CohortKey, born: date, births: str) -> None:
    """No day, no month of the old, and no datetime that would hold either."""
    choices = {
        f"person.{n}": Treatment.SHIFT for n in ("month_of_birth", "day_of_birth", "birth_datetime")
    }
    columns = Columns(cohort, Policy(columns=choices, birth_dates=births))  # type: ignore[arg-type]
    person = {
        "person_id": [42, 42],
        "year_of_birth": [born.year] * 2,
        "month_of_birth": [born.month, None],
        "day_of_birth": [born.day, None],
        "birth_datetime": [datetime.combine(born, time(4)), None],
    }
    text = person | {"birth_datetime": [f"{born} 04:00:00", " "]}
    for table in (pa.table(person), pa.table(text)):
        first, second = columns.treat("person", table).rows.to_pylist()
        moved = columns.shift_birth("42", Birth(born.year, born.month, born.day))
        is_old = born.year < 1946
        assert first["year_of_birth"] == moved.year
        assert first["month_of_birth"] == (None if is_old or births == "year" else moved.month)
        keeps_day = births in ("shift", "jitter") and not is_old
        assert first["day_of_birth"] == (moved.day if keeps_day else None)
        assert (first["birth_datetime"] is not None) == keeps_day
        assert (
            second["month_of_birth"] is second["day_of_birth"] is second["birth_datetime"] is None
        )


FACT_IDS = st.lists(
    st.tuples(
        st.sampled_from([*(concept for concept, _ in DOMAINS.values()), 33, 57, 0, None]),
        st.integers(-2, 2**31 + 2) | st.none(),
    ),
    max_size=20,
)


@given(FACT_IDS)
def test_facts_have_the_ids_of_the_tables_that_their_domains_name(
    cohort: CohortKey, facts: list[tuple[int | None, int | None]]
) -> None:
    """No id of the source is ever kept: what is not known is refused."""
    rows = [(8, 7, domain, number) for domain, number in facts]
    names = ("domain_concept_id_1", "fact_id_1", "domain_concept_id_2", "fact_id_2")
    columns = [pa.array(each, pa.int64()) for each in zip(*rows, strict=True)] or [
        pa.array([], pa.int64()) for _ in names
    ]
    table = pa.table(dict(zip(names, columns, strict=True)))
    treated = Columns(cohort, Policy()).treat("fact_relationship", table)
    tables = dict(DOMAINS.values())
    good = [
        (domain, number)
        for domain, number in facts
        if domain in tables and number is not None and 0 < number < 2**31
    ]
    kinds = {concept: id_kind(f"{name}_id") for concept, name in tables.items()}
    assert (kinds[8], kinds[13], kinds[56]) == ("visit", "drug_exposure", "person")
    assert treated.rows["fact_id_2"].to_pylist() == [
        cohort.pseudonym(kinds[domain], str(number)) for domain, number in good
    ]
    assert set(treated.rows["fact_id_1"].to_pylist()) <= {cohort.pseudonym("visit", "7")}
    assert treated.refused.total() == len(facts) - len(good)
    strange = sum(domain not in tables for domain, _ in facts)
    assert treated.refused["unknown-domain"] == strange


def test_a_domain_is_never_text_of_the_source(columns: Columns) -> None:
    rows = pa.table(
        {
            "cost_id": [1, 2, 3, 4],
            "cost_event_id": [9, 9, 9, 9],
            "cost_domain_id": ["Drug", "DUPONT", None, "drug "],
            "total_paid": [1.5, 2, 3, 4],
            "drg_source_value": ["DUPONT"] * 4,
        }
    )
    treated = columns.treat("cost", rows)
    assert treated.rows["cost_domain_id"].to_pylist() == ["Drug"]
    assert treated.rows["total_paid"].to_pylist() == [1.5]
    assert "DUPONT" not in str(treated.rows.to_pylist())
    assert treated.refused == {"unknown-domain": 3}
    numbers = rows.set_column(2, "cost_domain_id", pa.array([13, 13, 13, 13]))
    assert columns.treat("cost", numbers).rows.num_rows == 0


def test_numbers_known_of_the_patient_are_emptied(columns: Columns) -> None:
    record = PatientRecord(
        "42",
        birth_date=date(1957, 2, 14),
        phones=("06 12 34 56 78",),
        identifiers=(Identifier("PATIENT_ID", "8001234567"),),
    )
    known = [8001234567, 612345678, 19570214, 14021957, 2141957]
    others = [8001234568, 120, 37.5, 8001234567.5, None]
    rows = pa.table(
        {
            "measurement_id": range(1, 12),
            "person_id": [42] * 10 + [43],
            "value_as_number": pa.array([*known, *others, 8001234567], pa.float64()),
        }
    )
    treated = columns.treat("measurement", rows, Subjects(records={"42": record}))
    assert treated.rows["value_as_number"].to_pylist() == [None] * 5 + [*others, 8001234567]
    assert not treated.refused
