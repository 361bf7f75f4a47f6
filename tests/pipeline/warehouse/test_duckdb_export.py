"""What DuckDB exports of a database is a folder of Parquet tables."""

from pathlib import Path

import pytest

from pipeline.config.settings import SourceSettings
from pipeline.warehouse.warehouse import open_source


def test_an_exported_database_is_read(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect() as database:
        database.execute("create table person (person_id bigint, year_of_birth integer)")
        database.execute("insert into person values (1, 1950), (2, 1960)")
        database.execute(
            "create table note "
            "(note_id bigint, person_id bigint, note_date date, note_text varchar)"
        )
        database.execute("insert into note values (1, 1, '2024-03-02', 'un'), (2, 2, null, 'deux')")
        database.execute(f"export database '{tmp_path / 'export'}' (format parquet)")
    source = open_source(SourceSettings(url="parquet:export"), tmp_path)
    rows = [row for unit, _ in source.store.plan(10) for row in source.read(unit)]
    assert [(row.note_id, row.person_id, row.note_date, row.note_text) for row in rows] == [
        (1, 1, "2024-03-02", "un"),
        (2, 2, None, "deux"),
    ]
    assert sorted(source.patients([1, 2])) == [1, 2]
