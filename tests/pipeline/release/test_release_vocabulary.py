"""Vocabulary tables of a release: shared concepts on request, the same in every kind of place."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, text

from record.errors import ConfigError
from tests.pipeline.conftest import Ward
from tests.pipeline.warehouse.test_vocabulary import CONCEPTS, fill

pytestmark = pytest.mark.slow
OWN = 2_000_000_001
CANARY = "Zorglubine Quenneville"


def add_vocabulary(ward: Ward) -> None:
    path = ward.config.with_name("hospital.db")
    fill(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "insert into concept select ?, ?, domain_id, vocabulary_id, concept_class_id, null, "
            "'x', valid_start_date, valid_end_date, null, null from concept where concept_id = 1",
            (OWN, CANARY),
        )
        db.execute(f"insert into domain values ('Ours', '{CANARY}', {OWN})")


def digest_folder(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def read(ward: Ward, output: str, name: str) -> list[dict[str, Any]]:
    folder = ward.folder / output.partition(":")[2]
    if output.startswith("parquet:"):
        return list(pq.read_table(folder / f"{name}.parquet").to_pylist())
    if output.startswith("jsonl:"):
        lines = (folder / f"{name}.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]
    engine = create_engine(ward.url(output).replace("postgresql:", "postgresql+psycopg:", 1))
    with engine.connect() as connection:
        rows = connection.execute(text(f"select * from {name} order by 1")).mappings()
        found = [dict(row) for row in rows]
    engine.dispose()
    return found


@pytest.mark.parametrize("form", ["sqlite", "postgresql", "parquet", "jsonl"])
def test_shared_concepts_come_and_go_with_the_option(
    ward: Ward, form: str, request: pytest.FixtureRequest
) -> None:
    urls = {"sqlite": "sqlite:///cohort.db", "parquet": "parquet:out", "jsonl": "jsonl:out"}
    output = urls.get(form) or str(request.getfixturevalue("postgres_url"))
    add_vocabulary(ward)
    assert ward.release(output=output).is_changed
    with pytest.raises(Exception, match="concept"):
        read(ward, output, "concept")
    made = ward.release(output=output, vocabulary=True)
    assert made.is_changed
    assert made.manifest["vocabulary"]["rows"] == {
        "concept": 3, "domain": 1, "concept_class": 1, "drug_strength": 1, "vocabulary": 1,
    }  # fmt: skip
    concepts = read(ward, output, "concept")
    assert [row["concept_name"] for row in concepts] == [row[1] for row in CONCEPTS]
    assert "entered_by" not in concepts[0]  # no column that OMOP CDM does not have
    assert str(concepts[0]["valid_end_date"]) == "2099-12-31"
    assert [row["domain_id"] for row in read(ward, output, "domain")] == ["Metadata"]
    assert read(ward, output, "drug_strength")[0]["amount_value"] == 0.25
    assert not ward.release(output=output, vocabulary=True).is_changed
    ward.hospital("select 1")
    with closing(sqlite3.connect(ward.config.with_name("hospital.db"))) as db, db:
        db.execute("update vocabulary set vocabulary_version = 'v5.0 2025'")
        db.execute("update concept set concept_name = 'Man' where concept_id = 8507")
    assert ward.release(output=output, vocabulary=True).is_changed
    assert read(ward, output, "concept")[2]["concept_name"] == "Man"
    gone = ward.release(output=output)
    assert gone.is_changed
    assert "vocabulary" not in gone.manifest
    if form in ("parquet", "jsonl"):
        with pytest.raises(FileNotFoundError):
            read(ward, output, "concept")
    else:
        assert read(ward, output, "concept") == []


def test_folders_have_digests_of_it_and_keep_equal_files(ward: Ward) -> None:
    add_vocabulary(ward)
    ward.release(output="parquet:out", vocabulary=True)
    folder = ward.folder / "out"
    sums = (folder / "SHA256SUMS").read_text()
    assert all(f"  {name}.parquet\n" in sums for name in ("concept", "domain", "vocabulary"))
    assert "| `concept` | 3 |" in (folder / "README.md").read_text()
    assert not any(CANARY.encode() in held for held in digest_folder(folder).values())
    before = (folder / "concept.parquet").stat().st_ino
    ward.release(*ward.EVERYBODY, output="parquet:out", vocabulary=True)
    assert (folder / "concept.parquet").stat().st_ino == before
    with (folder / "concept.parquet").open("ab") as file:
        file.write(b"x")  # a file that is not as its digest says is written anew
    ward.release(output="parquet:out", vocabulary=True, accept_withdrawals=True)
    assert pq.read_table(folder / "concept.parquet").num_rows == 3


def test_a_dry_run_writes_none_and_the_configuration_can_ask_for_it(ward: Ward) -> None:
    add_vocabulary(ward)
    text = ward.config.read_text()
    ward.config.write_text(f"{text}\n[cohorts.asthma]\nvocabulary = true\n")
    assert "vocabulary" in ward.release(output="parquet:out", dry_run=True).manifest
    assert not (ward.folder / "out").exists()
    ward.release(output="parquet:out")
    assert pq.read_table(ward.folder / "out" / "concept.parquet").num_rows == 3


def test_a_source_without_it_is_told(ward: Ward) -> None:
    with pytest.raises(ConfigError, match=r"--vocabulary: the source has no vocabulary tables"):
        ward.release(output="parquet:out", vocabulary=True)
    assert not (ward.folder / "out").exists()
