"""The private server, and published OMOP tables that read alike from every kind of database."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from pipeline.config.settings import SourceSettings
from pipeline.warehouse.warehouse import Source, open_source


def test_each_test_has_a_fresh_database(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(text("create table only_here (n integer)"))
        count = connection.scalar(
            text("select count(*) from information_schema.tables where table_schema = 'public'")
        )
    engine.dispose()
    assert count == 1


def test_fresh_again(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        found = connection.scalar(text("select to_regclass('only_here')"))
    engine.dispose()
    assert found is None


def test_the_server_listens_on_no_network(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        addresses = connection.scalar(text("show listen_addresses"))
    engine.dispose()
    assert addresses in ("", "127.0.0.1", "localhost")


@pytest.fixture
def synthea(
    database_url: str, synthea_tables: Callable[..., dict[str, int]]
) -> Iterator[tuple[Source, dict[str, int]]]:
    engine = create_engine(database_url.replace("postgresql://", "postgresql+psycopg://"))
    counts = synthea_tables(engine)
    engine.dispose()
    source = open_source(SourceSettings(url=database_url), Path())
    yield source, counts
    source.close()


def test_synthea_reads(synthea: tuple[Source, dict[str, int]]) -> None:
    source, counts = synthea
    assert counts == {
        "person": 28, "provider": 67, "visit_occurrence": 1_791, "death": 3,
        "note": 0, "location": 0, "care_site": 0,
    }  # fmt: skip
    assert list(source.plan(100)) == []
    assert source.malformed() == []
    first = source.patients([1])[1]
    assert (first.gender, str(first.birth_date)) == ("M", "1998-04-09")
    assert [i.value for i in first.identifiers] == ["1007c05b-8d20-8fe6-6790-44622f8316df"]
    row = source.demographics([1])[1]
    assert (row.year_of_birth, row.race_concept_id, row.ethnicity_concept_id) == (
        1998,
        8527,
        38003564,
    )
    assert source.clinicians([2])[2].family_names == ("Carter549",)
    assert source.visit_numbers([21, -1]) == {21: "3528b5de-9f60-a69a-ca36-d508f1f31852"}
    assert source.has_identity([1, 2]) == {1, 2}
