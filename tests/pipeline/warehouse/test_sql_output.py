"""Outputs hold what was published, once, and nothing else, whatever was killed in between."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, text

from pipeline.config.settings import OutputSettings
from pipeline.warehouse.note_rows import NoteRow, OutputRow, PersonRow, pack, unpack
from pipeline.warehouse.sql_output import CdmSource, Output, SqlOutput
from pipeline.warehouse.warehouse import open_output
from record.errors import ConfigError, Unavailable, Unsafe
from record.span import Span

CANARY = "Zorglubine Quenneville"
DATE = Span(0, 2, "DATE")


@pytest.fixture(params=["sqlite", "postgresql", "parquet"])
def output_settings(request: pytest.FixtureRequest, tmp_path: Path) -> OutputSettings:
    urls = {"sqlite": f"sqlite:///{tmp_path}/research.db", "parquet": "parquet:research"}
    return OutputSettings(url=urls.get(request.param) or request.getfixturevalue("postgres_url"))


@pytest.fixture
def output(output_settings: OutputSettings, tmp_path: Path) -> Iterator[Output]:
    opened = open_output(output_settings, tmp_path)
    opened.check_writable()
    yield opened
    opened.close()


def released(
    note_id: int,
    person_id: int | None = None,
    words: str = "Vu ce jour.",
    spans: Sequence[Span] = (DATE,),
) -> OutputRow:
    note = NoteRow(
        note_id=note_id, person_id=person_id or note_id + 1000, note_date=date(2024, 1, 2),
        note_datetime=datetime(2024, 1, 2, 3, 4), note_type_concept_id=1, note_class_concept_id=2,
        note_title="T", note_text=words, encoding_concept_id=0, language_concept_id=0,
    )  # fmt: skip
    return OutputRow(note, tuple(spans), PersonRow(note.person_id, 8507, 1950, 1, 1, 0, 0))


BATCH = [released(k) for k in (5, 3, 2**61, 8)]


def test_outputs_agree(tmp_path: Path, postgres_url: str) -> None:
    digests = set()
    for url in (f"sqlite:///{tmp_path}/o.db", "parquet:o", postgres_url):
        output = open_output(OutputSettings(url=url), tmp_path)
        empty = output.digest()
        output.publish(BATCH[:2])
        output.publish(BATCH[2:])
        digests.add(output.digest())
        assert output.digest() != empty
        assert sorted(output.ids()) == [3, 5, 8, 2**61]
        assert output.text(2**61) == "Vu ce jour."
        assert output.text(4) is None
        output.close()
    assert len(digests) == 1


def test_publishing_twice_changes_nothing(output: Output) -> None:
    output.publish(BATCH)
    before = output.digest()
    output.publish(BATCH)
    output.publish(list(reversed(BATCH[:2])))
    assert output.digest() == before


def test_a_new_version_replaces_the_old_one(
    output: Output, output_settings: OutputSettings, tmp_path: Path
) -> None:
    output.publish(BATCH)
    before = output.digest()
    output.publish([released(5, words="Autre chose", spans=[]), released(9)])
    assert output.text(5) == "Autre chose"
    assert output.digest() != before
    output.publish([released(5)])
    output.withdraw([9])
    output.prune_persons()
    again = open_output(output_settings, tmp_path)
    assert again.digest() == output.digest() == before
    again.close()


def test_withdrawing_takes_notes_spans_and_lonely_persons(output: Output) -> None:
    shared = [released(1, person_id=77), released(2, person_id=77), released(3, person_id=78)]
    empty = output.digest()
    output.publish(shared)
    output.withdraw([1, 3, 99])
    output.prune_persons()
    only = output.digest()
    assert list(output.ids()) == [2]
    output.withdraw([1, 2])
    output.prune_persons()
    assert output.digest() == empty
    output.publish(shared[1:2])
    assert output.digest() == only


def test_the_order_of_publishing_leaves_no_trace(output: Output) -> None:
    output.publish(BATCH)
    before = output.digest()
    output.withdraw([row.note.note_id for row in BATCH])
    for row in reversed(BATCH):
        output.publish([row])
    assert output.digest() == before


def test_what_no_sink_can_store_is_stored_alike(output: Output) -> None:
    output.publish([released(1, words="a\0b\ud800c😀")])
    assert output.text(1) == "a\ufffdb\ufffdc😀"
    with pytest.raises(Unsafe, match="malformed"):
        output.publish([replace(released(2), note=replace(released(2).note, note_text=b"x"))])
    assert list(output.ids()) == [1]


def test_description_is_one_row(
    output: Output, output_settings: OutputSettings, tmp_path: Path
) -> None:
    described = CdmSource("Research", "R", "Hospital", cdm_release_date=date(2024, 1, 1))
    output.describe(described)
    output.describe(described)
    if output_settings.url.startswith("parquet:"):
        assert pq.read_table(tmp_path / "research" / "cdm_source.parquet").num_rows == 1


def test_parquet_bytes_are_those_of_a_clean_run(tmp_path: Path) -> None:
    def files(name: str) -> dict[Any, Any]:
        folder = tmp_path / name
        return {
            str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()
        }

    clean = open_output(OutputSettings(url="parquet:clean"), tmp_path)
    clean.publish(BATCH[:2])
    clean.publish(BATCH[2:])
    torn = open_output(OutputSettings(url="parquet:torn"), tmp_path)
    torn.publish(BATCH[:2])
    torn.publish(BATCH[2:])
    # Killed after the spans of a batch but before its notes; a temporary file was left, too.
    (tmp_path / "torn" / "note" / "part-000001.parquet").unlink()
    (tmp_path / "torn" / "note" / "part-000001.parquet.tmp").write_bytes(b"half")
    again = open_output(OutputSettings(url="parquet:torn"), tmp_path)
    again.check_writable()
    again.publish(BATCH[2:])
    assert files("torn") == files("clean")


def test_packing_is_canonical() -> None:
    row = released(4, words="é\0\n", spans=[Span(0, 1, "DATE", "rules.dates", 0.5)])
    assert pack(unpack(pack(row))) == pack(row)
    assert unpack(pack(BATCH[0])) == BATCH[0]


def test_outputs_of_another_shape_are_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "o.db") as db:
        db.execute("create table note (note_id integer)")
    with pytest.raises(ConfigError, match="table note: missing columns"):
        open_output(OutputSettings(url="sqlite:///o.db"), tmp_path)


# --- when the disk or the server fails -------------------------------------------------------


def _everything(error: BaseException | None) -> str:
    """All that an exception says, and all that hangs from it."""
    seen, words = set(), []
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        words += [str(error), repr(error), repr(error.args)]
        error = error.__cause__ or error.__context__ or getattr(error, "orig", None)
    return " ".join(words)


def test_a_full_disk_is_unavailable_and_says_no_text(tmp_path: Path) -> None:
    output = open_output(OutputSettings(url="sqlite:///o.db"), tmp_path)
    assert isinstance(output, SqlOutput)
    with output._engine.connect() as connection:
        pages = connection.exec_driver_sql("pragma page_count").scalar_one()
        connection.exec_driver_sql(f"pragma max_page_count = {pages + 2}")
    with pytest.raises(Unavailable, match="disk full") as caught:
        output.publish([released(k, words=f"{CANARY} {k} " * 500) for k in range(50)])
    assert CANARY not in _everything(caught.value)
    assert list(output.ids()) == []
    output.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_refused_statements_say_no_text(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = (
        f"sqlite:///{tmp_path}/o.db"
        if kind == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    output = open_output(OutputSettings(url=url), tmp_path)
    assert isinstance(output, SqlOutput)
    with output._engine.begin() as connection:
        connection.exec_driver_sql("alter table note rename column note_text to other")
    with pytest.raises(Unavailable) as caught:
        output.publish([released(1, words=CANARY)])
    assert CANARY not in _everything(caught.value)
    output.close()


def test_a_lost_connection_is_made_again(postgres_url: str) -> None:
    output = open_output(OutputSettings(url=postgres_url), Path())
    output.publish(BATCH)
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        connection.execute(
            text(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where pid <> pg_backend_pid() and datname = current_database()"
            )
        )
    engine.dispose()
    assert sorted(output.ids()) == [3, 5, 8, 2**61]
    output.close()


def test_a_killed_publisher_leaves_all_or_nothing(tmp_path: Path) -> None:
    program = (
        "import os, sys; sys.path.insert(0, os.getcwd()); from pathlib import Path\n"
        "from pipeline.config.settings import OutputSettings\n"
        "from pipeline.warehouse.warehouse import open_output\n"
        "from pipeline.warehouse.note_rows import unpack; import json\n"
        "lines = Path(sys.argv[1], 'rows').read_text().splitlines()\n"
        "rows = [unpack(line.encode()) for line in lines]\n"
        "output = open_output(OutputSettings(url=sys.argv[2]), Path(sys.argv[1]))\n"
        "print('ready', flush=True)\n"
        "while True: output.publish(rows)\n"
    )
    rows = [released(k, words="y" * 300) for k in range(300)]
    (tmp_path / "rows").write_bytes(b"\n".join(pack(row) for row in rows))
    expected = None
    for url in ("sqlite:///o.db", "parquet:o"):
        child = subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), url],
            stdout=subprocess.PIPE, cwd=Path(__file__).parents[3],
        )  # fmt: skip
        assert child.stdout
        try:
            child.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(0.7)
        finally:
            child.kill()
            child.wait()
        child.stdout.close()
        output = open_output(OutputSettings(url=url), tmp_path)
        output.check_writable()
        output.publish(rows)
        expected = expected or output.digest()
        assert output.digest() == expected
        output.close()
