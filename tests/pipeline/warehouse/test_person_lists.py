"""Lists of persons in files of every form, read whole or refused."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, text

from pipeline.config.settings import SourceSettings
from pipeline.warehouse.person_lists import query_person_ids, read_person_ids
from record.errors import ConfigError, CryptonymError


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("a.txt", "", []),
        ("a.txt", "1\n\n2\r\n-3\n", [1, 2, -3]),
        ("a.txt", "patient\n1\n", [1]),
        ("a.csv", "person_id;name\n1;x\n2;y\n", [1, 2]),
        ("a.csv", "day,PERSON_ID\n2024-01-01,7\n2024-01-02,8\n", [7, 8]),
        ("a.csv", '"a;b";"person_id"\n"1;2";"9"\n', [9]),
        ("a.tsv", "7\tx\n", [7]),
        ("a.jsonl", '{"person_id": 4}\n\n{"person_id": "5", "x": 1}\n6\n', [4, 5, 6]),
    ],
)
def test_every_form_is_read(tmp_path: Path, name: str, text: str, ids: list[int]) -> None:
    (tmp_path / name).write_text(text)
    assert read_person_ids(tmp_path / name, "here") == ids


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "1\nWexlovitch\n"),
        ("a.txt", "1\n2.5\n"),
        ("a.csv", "day;person_id\nx;\n"),
        ("a.csv", "day;person_id\nx\n"),
        ("a.jsonl", '{"person_id": null}\n'),
        ("a.jsonl", '{"person": 4}\n'),
        ("a.jsonl", "{Wexlovitch\n"),
        ("a.jsonl", "true\n"),
        ("a.parquet", "Wexlovitch"),
        ("gone.txt", None),
        ("gone.parquet", None),
    ],
)
def test_anything_else_is_refused_without_a_word_of_it(
    tmp_path: Path, name: str, text: str | None
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(CryptonymError) as caught:
        read_person_ids(tmp_path / name, "here")
    assert "here" in str(caught.value)
    assert "Wexlovitch" not in str(caught.value)


def test_tables_of_parquet_have_the_column_or_it_is_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": ["a", "b"], "Person_Id": [1, 2]}), path)
    assert read_person_ids(path, "here") == [1, 2]
    pq.write_table(pa.table({"x": ["3", "4"]}), path)
    assert read_person_ids(path, "here") == [3, 4]
    pq.write_table(pa.table({"person_id": [1, None]}), path)
    with pytest.raises(ConfigError):
        read_person_ids(path, "here")


def test_a_query_reads_the_schema_of_the_source(postgres_url: str) -> None:
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text('create schema "Cdm"'))
        connection.execute(text('create table "Cdm".person (person_id bigint, name text)'))
        connection.execute(text("""insert into "Cdm".person values (4, '50%'), (7, 'x')"""))
    source = SourceSettings(postgres_url, schema="Cdm")

    def ask(sql: str) -> list[int]:
        return sorted(query_person_ids(sql, source, Path(), "--persons-sql"))

    assert ask("select person_id from person") == [4, 7]
    assert ask("select name, person_id from person where name like '%0%';") == [4]
    for refused in ("select 1; delete from person", "delete from person returning person_id"):
        with pytest.raises(CryptonymError):
            ask(refused)
    with engine.connect() as connection:
        assert connection.scalar(text('select count(*) from "Cdm".person')) == 2
    engine.dispose()


@pytest.mark.parametrize(
    ("make", "told"), [(False, "no such file: "), (True, "cannot be read as UTF-8 text: ")]
)
def test_a_list_that_cannot_be_read_is_named(tmp_path: Path, make: bool, told: str) -> None:
    path = tmp_path / "cohort.txt"
    if make:
        path.write_bytes(b"\xff\xfe1\n")
    with pytest.raises(ConfigError, match=f"--persons: {told}{re.escape(str(path))}"):
        read_person_ids(path, "--persons")
