"""A tiny warehouse that is the same in SQLite, PostgreSQL and Parquet."""

from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    MetaData,
    Table,
    Text,
    create_engine,
    insert,
)

from pipeline.note import NOTE_COLUMNS
from pipeline.settings import SourceSettings
from pipeline.warehouse import open_source

TEXTS = {"note_title", "note_text", "note_source_value"}
KINDS = {"note_date": (Date, pa.date32()), "note_datetime": (DateTime, pa.timestamp("us"))}
PLAIN = {
    "person": {
        "person_id": int, "gender_concept_id": int, "year_of_birth": int, "month_of_birth": int,
        "day_of_birth": int, "birth_datetime": datetime, "race_concept_id": int,
        "ethnicity_concept_id": int, "location_id": int, "person_source_value": str,
    },
    "location": {
        "location_id": int, "address_1": str, "address_2": str, "city": str, "state": str, "zip": str,
    },
    "provider": {"provider_id": int, "provider_name": str},
    "visit_occurrence": {"visit_occurrence_id": int, "visit_source_value": str},
    "patient_identity": {
        "person_id": int, "given": str, "family": str, "born": str, "phone": str, "ssn": str,
        "street": str, "zip": str, "city": str, "mother": str,
    },
}  # fmt: skip
SQL = {int: BigInteger, str: Text, datetime: DateTime}
ARROW = {int: pa.int64(), str: pa.string(), datetime: pa.timestamp("us")}


def note(note_id, **values):
    """A row of the note table with plausible values."""
    row = dict.fromkeys(NOTE_COLUMNS) | {
        "note_id": note_id, "person_id": 1 + abs(note_id) % 3, "note_date": date(2024, 3, 2),
        "note_datetime": datetime(2024, 3, 2, 10, 15), "note_type_concept_id": 32817,
        "note_class_concept_id": 0, "note_title": "Lettre", "note_text": f"Note n° {note_id} — fin.",
        "encoding_concept_id": 32678, "language_concept_id": 4180190,
    }  # fmt: skip
    return row | values


def _note_kinds(sql):
    for name in NOTE_COLUMNS:
        kind = KINDS.get(name, (Text, pa.string()) if name in TEXTS else (BigInteger, pa.int64()))
        yield name, kind[0] if sql else kind[1]


def _write_sql(url, tables):
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    metadata = MetaData()
    Table(
        "note", metadata,
        *(Column(n, kind, primary_key=n == "note_id", autoincrement=False) for n, kind in _note_kinds(True)),
    )  # fmt: skip
    for name, columns in PLAIN.items():
        Table(name, metadata, *(Column(c, SQL[kind]) for c, kind in columns.items()))
    metadata.create_all(engine)
    with engine.begin() as connection:
        for name, rows in tables.items():
            if rows:
                connection.execute(insert(metadata.tables[name]), rows)
    engine.dispose()


def _write_parquet(folder, tables):
    folder.mkdir()
    for name, columns in PLAIN.items():
        schema = pa.schema([(c, ARROW[kind]) for c, kind in columns.items()])
        pq.write_table(
            pa.Table.from_pylist(tables.get(name, []), schema), folder / f"{name.upper()}.parquet"
        )
    (folder / "note").mkdir()
    notes = pa.Table.from_pylist(tables["note"], pa.schema(list(_note_kinds(False))))
    half = len(notes) // 2
    pq.write_table(notes[:half], folder / "note" / "a.parquet", row_group_size=7)
    pq.write_table(notes[half:], folder / "note" / "b.parquet", row_group_size=1_000_000)


@pytest.fixture(params=["sqlite", "postgresql", "parquet"])
def warehouse(request, tmp_path):
    """Writes tables into a database or folder and opens it as a source."""
    opened = []

    def make(tables, identity=None):
        if request.param == "parquet":
            _write_parquet(tmp_path / "tables", tables)
            url = "parquet:tables"
        elif request.param == "sqlite":
            url = f"sqlite:///{tmp_path}/hospital.db"
            _write_sql(url, tables)
        else:
            url = request.getfixturevalue("postgres_url")
            _write_sql(url, tables)
        opened.append(open_source(SourceSettings(url=url, identity=identity), Path(tmp_path)))
        return opened[-1]

    yield make
    for source in opened:
        source.close()


@pytest.fixture
def make_note():
    """Makes a row of the note table."""
    return note
