"""Rows of a release on their way into a database: whatever a text holds arrives as it is."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, select

from pipeline.release.database_rows import replace_parts
from pipeline.release.row_digests import Difference
from pipeline.release.staging import PartResult, ReleaseStaging
from pipeline.release.unit_files import TableFile
from pipeline.warehouse.cdm_tables import make_tables
from pipeline.warehouse.databases import connect, transaction

TABLES = make_tables(None)
UNITS = count()
TEXTS = ["", "\\.", "a\n\\.\nb", '"', 'a","b', "\\N", "\r\n", "é\t— 38 °C", "NULL", " x "]
TEXT = st.none() | st.sampled_from(TEXTS) | st.text(st.characters(exclude_categories=["Cs"]))
MOMENTS = st.none() | st.datetimes(datetime(1000, 1, 1), datetime(3000, 1, 1))
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path}/output.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    made = connect(url, tmp_path, what="output", use="output")
    with transaction(made, "output", write=True) as connection:
        for name in ("note", "measurement"):
            TABLES[name].create(connection)
    yield made
    made.dispose()


@pytest.fixture
def staging(tmp_path: Path) -> Iterator[ReleaseStaging]:
    with closing(ReleaseStaging.create(tmp_path / "draft")) as made:
        yield made


def show(
    engine: Engine, staging: ReleaseStaging, name: str, rows: list[Any], found: Difference
) -> list[Any]:
    """Bring rows into a table as the delivery of a unit does; returns what is there then."""
    index = next(UNITS)
    part = TableFile(staging.path(name, index, "parquet"), TABLES[name])
    part.add(rows)
    part.close()
    made = PartResult(name, len(rows), part.hashes.total, "", found, index)
    with transaction(engine, "output", write=True) as connection:
        replace_parts(connection, TABLES[name], staging, lambda: [made])
        return [tuple(row) for row in connection.execute(select(TABLES[name]))]


def filled(name: str, **values: Any) -> tuple[Any, ...]:
    return tuple(values.get(column.name) for column in TABLES[name].columns)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_texts_days_and_numbers_arrive_as_they_are(
    engine: Engine, staging: ReleaseStaging, data: st.DataObject
) -> None:
    texts = st.lists(st.tuples(TEXT, MOMENTS, NUMBERS), min_size=1, max_size=5)
    some = [
        (text and text.replace("\0", ""), moment, number)
        for text, moment, number in data.draw(texts)
    ]
    notes = [
        filled("note", note_id=n, note_text=text, note_title=text, note_datetime=moment,
               note_date=moment and moment.date())
        for n, (text, moment, _) in enumerate(some)
    ]  # fmt: skip
    rows = [
        filled("measurement", measurement_id=n, value_as_number=number, value_source_value=text)
        for n, (text, _, number) in enumerate(some)
    ]
    everything = Difference(list(range(len(some))), [], list(range(len(some), 5)), 0)
    again = Difference([], list(range(len(some))), list(range(len(some), 5)), 0)
    for name, expected in (("note", notes), ("measurement", rows)):
        with transaction(engine, "output", write=True) as connection:
            connection.execute(TABLES[name].delete())
        assert sorted(show(engine, staging, name, expected, everything), key=first) == expected
        assert sorted(show(engine, staging, name, expected, again), key=first) == expected


def first(row: Any) -> Any:
    return row[0]


def test_only_what_differs_is_written(engine: Engine, staging: ReleaseStaging) -> None:
    old = [
        filled("note", note_id=n, note_text="old", note_date=date(2020, 1, n)) for n in (1, 2, 3)
    ]
    show(engine, staging, "note", old, Difference([1, 2, 3], [], [], 0))
    new = [
        filled("note", note_id=n, note_text="new", note_date=date(2020, 1, n)) for n in (1, 2, 4)
    ]
    seen = show(engine, staging, "note", new, Difference([4], [2], [3], 1))
    assert sorted(seen, key=first) == [old[0], new[1], new[2]]
