"""Rows as values are stored as rows as dictionaries are."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    Engine,
    MetaData,
    Numeric,
    Table,
    Text,
    create_engine,
    delete,
    select,
)

from pipeline.warehouse.databases import connect, transaction, upsert, upsert_values

_WHAT = "output.url"
FIELDS = MetaData()
VALUES = Table(
    "plain_or_not",
    FIELDS,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("words", Text),
    Column("day", Date),
    Column("moment", DateTime),
    Column("amount", Numeric(10, 2, asdecimal=False)),
)
KEYS = Table("keys_alone", FIELDS, Column("a", BigInteger, primary_key=True, autoincrement=False),
             Column("b", Text, primary_key=True))  # fmt: skip

ids = st.integers(0, 5)
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
rows_of_values = st.lists(
    st.tuples(
        ids,
        st.none() | words,
        st.none() | st.dates(date(1900, 1, 1)),
        st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
        st.none() | st.integers(-10_000, 10_000).map(lambda cents: cents / 100),
    ),
    max_size=6,
    unique_by=lambda row: row[0],
)
rows_of_keys = st.lists(st.tuples(ids, words), max_size=6)


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    url = f"sqlite:///{tmp_path}/o.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    made = connect(url, tmp_path, what=_WHAT, use="output")
    request.addfinalizer(made.dispose)
    FIELDS.drop_all(made)
    FIELDS.create_all(made)
    request.addfinalizer(lambda: FIELDS.drop_all(create_engine(made.url)))
    return made


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(rows_of_values, max_size=3), st.lists(rows_of_keys, max_size=3))
def test_values_are_stored_as_dictionaries_are(
    engine: Engine, some: list[list[tuple[Any, ...]]], others: list[list[tuple[Any, ...]]]
) -> None:
    for table, batches in ((VALUES, some), (KEYS, others)):
        stored = []
        for is_plain in (False, True):
            with transaction(engine, _WHAT, write=True) as connection:
                connection.execute(delete(table))
                for rows in batches:
                    if is_plain:
                        upsert_values(connection, table, rows)
                    else:
                        named = [dict(zip(table.c.keys(), row, strict=True)) for row in rows]
                        upsert(connection, table, named)
                everything = select(table).order_by(*table.primary_key)
                stored.append([tuple(row) for row in connection.execute(everything)])
        assert stored[0] == stored[1]


def test_a_row_of_another_length_is_refused(engine: Engine) -> None:
    with (
        pytest.raises((ValueError, TypeError)),
        transaction(engine, _WHAT, write=True) as connection,
    ):
        upsert_values(connection, VALUES, [(1, "a")])
