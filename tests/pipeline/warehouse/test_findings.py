"""Surrogates as rows of `note_nlp` in an output: complete, unique, and gone with their notes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from pipeline.config.settings import OutputSettings
from pipeline.warehouse.findings import (
    LONGEST_VARIANT,
    MOST_FINDINGS,
    MOST_ID_BITS,
    NOTE_NLP,
    make_finding_rows,
)
from pipeline.warehouse.note_rows import NoteRow, OutputRow, PersonRow
from pipeline.warehouse.sql_output import Output
from pipeline.warehouse.warehouse import open_output
from record.columns import TABLES
from record.span import Span

WITH_FINDINGS = (NOTE_NLP, "visit_occurrence")
TEXT = "Mme 𝛼lvarez vue le 3 mai 2024 \x00 par Dr Petit."
SPANS = (Span(4, 11, "LAST_NAME"), Span(19, 29, "DATE"), Span(39, 44, "LAST_NAME"))


@pytest.fixture(params=["sqlite", "postgresql", "parquet"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    urls = {"sqlite": f"sqlite:///{tmp_path}/research.db", "parquet": "parquet:research"}
    return urls.get(request.param) or str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def output(url: str, tmp_path: Path) -> Iterator[Output]:
    opened = open_output(OutputSettings(url, tables=WITH_FINDINGS), tmp_path)
    opened.check_writable()
    yield opened
    opened.close()


def published(note_id: int, words: str = TEXT, spans: tuple[Span, ...] = SPANS) -> OutputRow:
    moment = datetime(2024, 5, 3, 9, 0)
    note = NoteRow(note_id, note_id + 1000, moment.date(), moment, note_text=words)
    return OutputRow(note, spans, PersonRow(note_id + 1000))


def findings(url: str, folder: Path) -> list[tuple[int, int, str, str]]:
    """Return id, note, variant and modifiers of all rows, by id."""
    names = ("note_nlp_id", "note_id", "lexical_variant", "term_modifiers")
    if url.startswith("parquet:"):
        paths = sorted((folder / "research" / NOTE_NLP).glob("*.parquet"))
        rows = [row for path in paths for row in pq.read_table(path).to_pylist()]
        return sorted(tuple(row[name] for name in names) for row in rows)
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:", 1))
    with engine.connect() as connection:
        asked = text(f"select {', '.join(names)} from {NOTE_NLP} order by 1")
        found = [tuple(row) for row in connection.execute(asked)]
    engine.dispose()
    return found


def test_rows_are_written_replaced_and_withdrawn_with_their_notes(
    output: Output, url: str, tmp_path: Path
) -> None:
    output.publish([published(7), published(3)])
    first = findings(url, tmp_path)
    assert [row[1:] for row in first] == [
        (note_id, variant, f"label={label}")
        for note_id in (3, 7)
        for variant, label in (
            ("𝛼lvarez", "LAST_NAME"), ("3 mai 2024", "DATE"), ("Petit", "LAST_NAME"),
        )
    ]  # fmt: skip
    assert len({row[0] for row in first}) == 6
    digest = output.digest()
    output.publish([published(7)])
    assert (findings(url, tmp_path), output.digest()) == (first, digest)
    output.publish([published(7, "Revu le 3.", (Span(8, 9, "DATE"),))])
    assert [row[2] for row in findings(url, tmp_path) if row[1] == 7] == ["3"]
    assert output.digest() != digest
    output.publish([published(7, "Rien.", ())])
    assert {row[1] for row in findings(url, tmp_path)} == {3}
    output.withdraw([3])
    assert findings(url, tmp_path) == []


def test_notes_of_before_get_their_rows_later(url: str, tmp_path: Path) -> None:
    """Whichever way a note came, the rows are the same."""
    plain = open_output(OutputSettings(url, tables=()), tmp_path)
    plain.check_writable()
    plain.publish([published(7), published(3), published(4, "Rien.", ())])
    plain.fill_findings()
    plain.close()
    later = open_output(OutputSettings(url, tables=WITH_FINDINGS), tmp_path)
    later.check_writable()
    later.publish([published(9)])
    later.fill_findings()
    filled, digest = findings(url, tmp_path), later.digest()
    assert {row[1] for row in filled} == {3, 7, 9}
    later.fill_findings()
    later.publish([published(3), published(7)])
    assert (findings(url, tmp_path), later.digest()) == (filled, digest)
    later.clear_tables([NOTE_NLP])
    assert findings(url, tmp_path) == []
    later.fill_findings()
    assert findings(url, tmp_path) == filled
    later.close()


def test_outputs_of_every_kind_agree(tmp_path: Path, postgres_url: str) -> None:
    digests = set()
    for url in (f"sqlite:///{tmp_path}/o.db", "parquet:o", postgres_url):
        output = open_output(OutputSettings(url, tables=WITH_FINDINGS), tmp_path)
        output.publish([published(7), published(3)])
        digests.add(output.digest())
        output.close()
    assert len(digests) == 1


PLACES = st.sets(
    st.tuples(
        st.integers(1, (1 << MOST_ID_BITS) - 1),
        st.integers(0, 400),
        st.integers(401, 800),
        st.sampled_from(("DATE", "PHONE")),
    ),
    max_size=30,
)


@given(PLACES)
def test_ids_are_unique_and_fit(places: set[tuple[int, int, int, str]]) -> None:
    day = date(2024, 1, 1)
    ids = {each[0] for each in places}
    notes = [
        {"note_id": each, "note_text": "x" * 800, "note_date": day, "note_datetime": None}
        for each in ids
    ]
    made = make_finding_rows(notes, places)
    assert len({row["note_nlp_id"] for row in made}) == len(made) == len(places)
    assert all(0 < row["note_nlp_id"] < 1 << 63 for row in made)
    assert all(row["note_nlp_id"] // MOST_FINDINGS == row["note_id"] for row in made)
    assert {(row["note_id"], row["offset"]) for row in made} == {(p[0], str(p[1])) for p in places}
    assert all(set(row) == set(TABLES[NOTE_NLP]) for row in made)
    assert all(len(row["lexical_variant"]) <= LONGEST_VARIANT for row in made)


def test_a_note_with_more_surrogates_than_ids_has_the_first_of_them() -> None:
    row = published(5, "1 " * 2 * MOST_FINDINGS)
    note = {name: getattr(row.note, name) for name in ("note_id", "note_text", "note_date")}
    places = [(5, 2 * k, 2 * k + 1, "AGE") for k in range(MOST_FINDINGS + 3)]
    made = make_finding_rows([{**note, "note_datetime": None}], reversed(places))
    assert [row["offset"] for row in made] == [str(2 * k) for k in range(MOST_FINDINGS)]


def test_what_cannot_be_stored_leaves_nothing(output: Output, url: str, tmp_path: Path) -> None:
    torn = published(8)
    torn = replace(torn, note=replace(torn.note, note_date="never"))
    with pytest.raises(Exception, match="malformed"):
        output.publish([published(3), torn])
    assert findings(url, tmp_path) == []
