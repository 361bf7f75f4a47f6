"""Sources read alike whatever holds them, and what is malformed in them is never lost silently."""

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from pipeline.config.settings import IdentitySettings, SourceSettings
from pipeline.warehouse.note_rows import PersonRow, Unit, parse_date, parse_datetime, parse_integer
from pipeline.warehouse.people import split_name
from pipeline.warehouse.warehouse import Source, open_source
from record.errors import ConfigError, Unavailable, Unreadable
from record.patient import Address, Identifier, PersonName

CANARY = "Zorglubine Quenneville"
IDENTITY = IdentitySettings(
    table="patient_identity",
    columns={
        "given_names": "given", "family_names": "family", "birth_date": "born", "phones": "phone",
        "SSN": "ssn", "street": "street", "zip": "zip", "city": "city",
        "relative_given_names": "mother",
    },
)  # fmt: skip


def planned(source: Source, size: int) -> list[Any]:
    return [note_id for _, ids in source.plan(size) for note_id in ids]


# --- reading ---------------------------------------------------------------------------------


def test_notes_read_alike(warehouse: Callable[..., Source], make_note: Callable[..., Any]) -> None:
    rows = [make_note(k, note_text="é\n" * (k % 9) or None) for k in (-5, 0, 3, 4, 900, 2**62)]
    source = warehouse({"note": rows})
    read = [note for unit, _ in source.plan(2) for note in source.read(unit)]
    assert [note.note_id for note in read] == [row["note_id"] for row in rows]
    for note, row in zip(read, rows, strict=True):
        assert (parse_date(note.note_date), parse_datetime(note.note_datetime)) == (
            row["note_date"],
            row["note_datetime"],
        )
        for name in set(row) - {"note_date", "note_datetime"}:
            assert getattr(note, name) == row[name], name
    assert source.present([3, 5, 2**62]) == {3, 2**62}


PATIENT_TABLES = {
    "person": [
        {"person_id": 1, "gender_concept_id": 8532, "year_of_birth": 1950, "month_of_birth": 2,
         "day_of_birth": 3, "birth_datetime": None, "race_concept_id": 0,
         "ethnicity_concept_id": 0, "location_id": 7, "person_source_value": "8012345678"},
        {"person_id": 2, "gender_concept_id": 0, "year_of_birth": 1961, "month_of_birth": None,
         "day_of_birth": None, "birth_datetime": datetime(1961, 5, 6), "race_concept_id": 8527,
         "ethnicity_concept_id": None, "location_id": None, "person_source_value": ""},
    ],
    "location": [
        {"location_id": 7, "address_1": "12 rue des Lilas", "address_2": "Bât. B", "city": "Paris",
         "state": None, "zip": "75012"},
    ],
    "provider": [
        {"provider_id": 1, "provider_name": "Dr Marie DUPONT"},
        {"provider_id": 2, "provider_name": None},
    ],
    "visit_occurrence": [
        {"visit_occurrence_id": 5, "visit_source_value": "2400077"},
        {"visit_occurrence_id": 6, "visit_source_value": None},
    ],
    "patient_identity": [
        {"person_id": 1, "given": "Jeanne; Anne", "family": "LEFÈVRE", "born": "1950-02-04",
         "phone": "01 44 55 66 77", "ssn": "2 50 02", "street": "3 quai d’Orsay; 1 rue B",
         "zip": "69001; 75001", "city": "Lyon", "mother": "Zoë"},
        {"person_id": 1, "given": "Jeanne", "family": "DURAND", "born": None, "phone": None,
         "ssn": None, "street": None, "zip": None, "city": None, "mother": None},
    ],
}  # fmt: skip


def test_single_notes_are_read_as_their_units_are(
    warehouse: Callable[..., Source], make_note: Callable[..., Any]
) -> None:
    notes = [make_note(number) for number in (*range(-3, 40), 2**40)]
    source = warehouse({"note": notes, "person": [{"person_id": p} for p in (1, 2, 3)]})
    wanted = {-3, 0, 7, 8, 39, 2**40, 555}
    units = [row for unit, _ in source.plan(10) for row in source.read(unit)]
    picked = [row for rows in source.pick(wanted, 10) for row in rows]
    assert sorted(picked, key=by_id) == sorted((r for r in units if r.note_id in wanted), key=by_id)
    assert set(source.note_ids([1])) == {n["note_id"] for n in notes if n["person_id"] == 1}


def by_id(row: Any) -> Any:
    return row.note_id


def test_patients_are_assembled(
    warehouse: Callable[..., Source], make_note: Callable[..., Any]
) -> None:
    source = warehouse({"note": [make_note(1)], **PATIENT_TABLES}, IDENTITY)
    found = source.patients({1, 2, 3, None, "x"})
    assert set(found) == {1, 2}
    patient = found[1]
    assert patient.given_names == ("Jeanne", "Anne")
    assert patient.family_names == ("DURAND", "LEFÈVRE")
    assert (patient.gender, patient.birth_date) == ("F", date(1950, 2, 4))
    assert patient.addresses == (
        Address("3 quai d’Orsay", "69001", "Lyon"),
        Address("1 rue B", "75001"),
        Address("12 rue des Lilas", "75012", "Paris"),
        Address("Bât. B"),
    )
    assert patient.identifiers == (
        Identifier("PATIENT_ID", "8012345678"),
        Identifier("SSN", "2 50 02"),
    )
    assert patient.relatives == (PersonName(("Zoë",)),)
    assert (found[2].birth_date, found[2].identifiers) == (date(1961, 5, 6), ())
    assert source.has_identity({1, 2}) == {1}
    assert source.demographics({2}) == {2: PersonRow(2, 0, 1961, 5, 6, 8527, None)}
    assert source.clinicians({1, 2, 3, None}) == {1: PersonName(("Marie",), ("DUPONT",))}
    assert source.visit_numbers({5, 6, None}) == {5: "2400077"}


@pytest.mark.parametrize(
    ("name", "given", "family"),
    [
        ("Marie DUPONT", ("Marie",), ("DUPONT",)),
        ("DUPONT Marie", ("Marie",), ("DUPONT",)),
        ("DUPONT, Marie", ("Marie",), ("DUPONT",)),
        ("Dr. Jean-Paul Marie de LA TOUR", ("Jean-Paul", "Marie"), ("de LA TOUR",)),
        ("John Q. Smith, MD", ("John", "Q."), ("Smith",)),
        ("Ludwig van Beethoven", ("Ludwig",), ("van Beethoven",)),
        ("Bernard308 Carter549", ("Bernard308",), ("Carter549",)),
        ("MARTIN", (), ("MARTIN",)),
        ("Pr", (), ()),
        ("", (), ()),
    ],
)
def test_names_are_split(name: str, given: tuple[str, ...], family: tuple[str, ...]) -> None:
    assert split_name(name) == PersonName(given, family)


# --- planning --------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    ids=st.sets(st.one_of(st.integers(-40, 40), st.integers(-(2**62), 2**62)), max_size=60),
    size=st.integers(1, 9),
)
def test_a_plan_holds_every_id_once(ids: set[int], size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with sqlite3.connect(f"{folder}/s.db") as db:
            db.execute("create table note (note_id integer primary key, person_id, note_text)")
            db.execute("create table person (person_id)")
            db.executemany("insert into note values (?, 1, 'x')", [(i,) for i in ids])
        pq.write_table(pa.table({"person_id": [1]}), f"{folder}/person.parquet")
        shuffled = sorted(ids, key=hash)
        columns = {
            "note_id": pa.array(shuffled, pa.int64()),
            "person_id": shuffled,
            "note_text": ["x"] * len(ids),
        }
        pq.write_table(pa.table(columns), f"{folder}/note.parquet", row_group_size=4)
        for url in ("sqlite:///s.db", "parquet:."):
            source = open_source(SourceSettings(url=url), Path(folder))
            units = list(source.plan(size))
            assert sorted(i for _, found in units for i in found) == sorted(ids)
            assert [unit.index for unit, _ in units] == list(range(len(units)))
            for unit, found in units:
                assert [note.note_id for note in source.read(unit)] == found
                assert 0 < len(found) == unit.count <= size
            for unit, found in reversed(units[::3]):
                assert [note.note_id for note in source.read(unit)] == found
            source.close()


def test_planning_is_lazy_and_small(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s.db") as db:
        db.execute("create table note (note_id integer primary key, person_id, note_text)")
        db.execute("create table person (person_id)")
        db.execute(
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) "
            "insert into note select i * 3, 1, printf('%.2000c', 'x') from n"
        )
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from pipeline.config.settings import SourceSettings\n"
        "from pipeline.warehouse.warehouse import open_source\n"
        "source = open_source(SourceSettings(url='sqlite:///s.db'), Path(sys.argv[1]))\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "count = sum(len(source.read(unit)) for unit, _ in source.plan(500))\n"
        "print(count, peak() - before)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True, check=True, text=True, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    count, grown = map(int, run.stdout.split())
    assert count == 60_000
    assert grown < 30_000, "kilobytes for 120 MB of notes"


# --- what is malformed -----------------------------------------------------------------------


@pytest.fixture
def messy(tmp_path: Path) -> Iterator[Source]:
    """A table without any constraint, as bulk loads leave it."""
    db = sqlite3.connect(tmp_path / "messy.db")
    db.execute("create table NOTE (NOTE_ID, PERSON_ID, NOTE_DATE, NOTE_TEXT)")
    db.execute("create table person (person_id integer)")
    rows = [
        (1, 1, "2024-01-01", "good"), (2, "p", "soon", 5), (None, 1, None, CANARY),
        (CANARY, 1, None, "text id"), (2.5, 1, None, "half"), (7, 1, None, "one of two"),
        (7, 2, None, "two of two"), (8, 1, None, b"\xe9t\xe9"),
    ]  # fmt: skip
    db.executemany("insert into NOTE values (?, ?, ?, ?)", rows)
    db.execute("insert into NOTE values (9, 1, null, cast(x'e974e9' as text))")
    db.commit()
    source = open_source(SourceSettings(url="sqlite:///messy.db"), tmp_path)
    yield source
    source.close()
    db.close()


def test_rows_without_a_place_are_reported(messy: Source) -> None:
    assert planned(messy, 2) == [1, 2, 8, 9]
    failures = [(f.note_id, f.stage, f.error, f.reason) for f in messy.malformed()]
    assert failures == [
        ("row-1", "read", "Unreadable", "malformed-id"),
        ("row-2", "read", "Unreadable", "malformed-id"),
        ("row-3", "read", "Unreadable", "malformed-id"),
        ("7", "read", "Unreadable", "duplicate-id"),
    ]
    assert CANARY not in str(failures)


def test_one_broken_value_does_not_spoil_the_batch(messy: Source) -> None:
    notes = messy.read(Unit(0, "", 1, 9, 4))
    assert [(n.note_id, n.note_text) for n in notes] == [
        (1, "good"), (2, 5), (8, b"\xe9t\xe9"), (9, b"\xe9t\xe9"),
    ]  # fmt: skip
    assert notes[1].person_id == "p"
    with pytest.raises(Unreadable, match="malformed"):
        parse_date(notes[1].note_date)


def test_parquet_reports_rows_without_a_place(tmp_path: Path) -> None:
    pq.write_table(pa.table({"person_id": [1.0, None]}), tmp_path / "person.parquet")
    notes = {"note_id": [1.0, None, 2.5, 7.0, 7.0], "person_id": [1.0] * 5, "note_text": ["x"] * 5}
    pq.write_table(pa.table(notes), tmp_path / "Note.parquet")
    source = open_source(SourceSettings(url="parquet:."), tmp_path)
    assert planned(source, 10) == [1]
    assert [f.note_id for f in source.malformed()] == ["row-1", "row-2", "7"]
    assert list(source.patients([1])) == [1]


def test_dates_beyond_python_come_as_text(postgres_url: str) -> None:
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(
            text(
                "create table note "
                "(note_id bigint, person_id bigint, note_text text, note_date date)"
            )
        )
        connection.execute(text("create table person (person_id bigint)"))
        connection.execute(
            text(
                "insert into note values "
                "(1, 1, 'x', 'infinity'), (2, 1, 'x', '2024-01-02'), (null, 1, 'x', null)"
            )
        )
    engine.dispose()
    source = open_source(SourceSettings(url=postgres_url), Path())
    notes = source.read(Unit(0, "", 1, 2, 2))
    assert [note.note_date for note in notes] == ["infinity", "2024-01-02"]
    assert len(source.malformed()) == 1
    source.close()


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), (3.0, 3), (3.5, None), ("3", None), (None, None), (True, None),
     (2**70, None), (float("nan"), None), (float("inf"), None), (b"3", None)],
)  # fmt: skip
def test_whole_numbers(value: float | str | bytes | None, number: int | None) -> None:
    assert parse_integer(value) == number


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("2024-03-02", datetime(2024, 3, 2)), ("2024-03-02 10:15:00", datetime(2024, 3, 2, 10, 15)),
        ("2024-03-02T10:15:00.5+00", datetime(2024, 3, 2, 10, 15, 0, 500_000)),
        (date(2024, 3, 2), datetime(2024, 3, 2)), (None, None), (" ", None),
    ],
)  # fmt: skip
def test_moments(value: str | date | None, found: datetime | None) -> None:
    assert parse_datetime(value) == found


# --- what is missing -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("sqlite:///nowhere.db", Unavailable),
        ("parquet:nowhere", Unavailable),
        ("sqlite://", ConfigError),
        ("mysql://user:s3cret@host/db", ConfigError),
        ("postgresql://user:s3cret@127.0.0.1:1/db", Unavailable),
        ("s3cret", ConfigError),
        ("postgresql://user:s3cret@host:port/db", ConfigError),
    ],
)
def test_a_source_that_is_not_there(
    url: str, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(error) as caught:
        open_source(SourceSettings(url=url), tmp_path)
    assert "s3cret" not in f"{caught.value} {caught.value!r} {caught.value.__context__!r}"
    assert list(tmp_path.iterdir()) == [], "nothing is created"


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (["note (note_id, person_id, note_text)"], "no table person"),
        (["note (note_id, note_text)", "person (person_id)"], "no column person_id"),
        (
            ["note (note_id, person_id, note_text)", "person (person_id)"],
            "no table patient_identity",
        ),
        (
            [
                "note (note_id, person_id, note_text)",
                "person (person_id)",
                "patient_identity (person_id)",
            ],
            "patient_identity has no column",
        ),
    ],
)
def test_a_source_of_another_shape(tables: list[str], message: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s.db") as db:
        for table in tables:
            db.execute(f"create table {table}")
    with pytest.raises(ConfigError, match=message):
        open_source(SourceSettings(url="sqlite:///s.db", identity=IDENTITY), tmp_path)


def test_a_source_is_never_written(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s.db") as db:
        db.execute("create table note (note_id integer primary key, person_id, note_text)")
        db.execute("create table person (person_id)")
    before = (tmp_path / "s.db").read_bytes()
    source = open_source(SourceSettings(url="sqlite:///s.db"), tmp_path)
    assert planned(source, 5) == []
    source.close()
    assert (tmp_path / "s.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["s.db"]
