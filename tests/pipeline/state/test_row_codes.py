"""Rows of the state database that were changed or put back from outside are detected."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, delete, insert, select, text

from pipeline.config.settings import StateSettings, load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Incomplete, NightlyRun, run_nightly
from pipeline.notes.worker_resources import open_master
from pipeline.state.ledger import State, open_state
from pipeline.state.row_codes import ROOT, AlteredState, find_block
from pipeline.state.span_sealing import StateKeys
from pipeline.state.tables import LEDGER, ROW_CODE, SPAN_STORE
from pipeline.state.unit_results import FailedNote, StagedNote, UnitResult
from pipeline.warehouse.note_rows import Unit
from surrogates.keys.keys import MasterKey
from tests.pipeline.conftest import Site, Ward
from tests.pipeline.earlier_state import version_before

KEYS = StateKeys(MasterKey(bytes(range(32))))
A, B = b"a" * 16, b"b" * 16


def staged(note_id: int, content: bytes = A) -> StagedNote:
    return StagedNote(
        note_id, 1, content, A, A, b"s" * 16 + content, b"p", kind="k", day=None, characters=1
    )


def failed(note_id: int) -> FailedNote:
    return FailedNote(note_id, 1, A, A, A, "detect", "Unsafe", "residue", "k", None)


def commit(state: State, *notes: StagedNote | FailedNote) -> None:
    """A whole run over these notes."""
    run, ids = state.begin(A, fresh=True), [note.note_id for note in notes]
    unit = Unit(0, "", min(ids), max(ids), len(ids))
    state.plan(run.run_id, [(unit, ids)])
    releases = [note for note in notes if isinstance(note, StagedNote)]
    failures = [note for note in notes if isinstance(note, FailedNote)]
    state.commit_unit(run.run_id, unit, UnitResult(ids, [], releases, failures, "{}"))
    state.mark_published(releases)
    state.finish(run.run_id, "{}")


@pytest.fixture
def state(database_url: str, tmp_path: Path) -> Iterator[State]:
    with closing(open_state(StateSettings(database_url), tmp_path, KEYS)) as opened:
        opened.seal_at_rest()
        yield opened


@pytest.fixture
def rows(database_url: str) -> Iterator[Any]:
    """Runs a statement on the database, as somebody else would."""
    engine = create_engine(database_url.replace("postgresql://", "postgresql+psycopg://"))

    def execute(statement: Any, values: Any = None) -> list[Any]:
        with engine.begin() as connection:
            found = connection.execute(statement, values or {})
            return list(map(tuple, found)) if found.returns_rows else []

    yield execute
    engine.dispose()


NOTES = (staged(1), staged(2), failed(3), staged(1000), staged(-7))


def test_what_the_program_writes_matches(state: State) -> None:
    state.check_rows()
    commit(state, *NOTES)
    state.check_rows()
    commit(state, staged(1, B), failed(2), staged(3))
    state.check_rows()
    state.forget([1, 1000])
    state.mark_withdrawn([2])
    state.check_rows()
    state.forget([2, 3, -7])
    state.check_rows()
    assert state.count_outcomes() == {}


@pytest.mark.parametrize(
    "statement",
    [
        "update ledger set config = :other where note_id = 2",
        "update ledger set content = :other where note_id = 2",
        "update ledger set identity = :other where note_id = 2",
        "update ledger set outcome = 2 where note_id = 3",
        "update ledger set note_id = 5 where note_id = 2",
        "update span_store set sealed = :other where note_id = 2",
        "update ledger set identity = content || config where note_id = 2",
        "delete from span_store where note_id = 2",
        "delete from ledger where note_id = 2",
        "delete from ledger",
        "delete from row_code",
        "delete from row_code where block = 0",
        "update row_code set total = :other where block = 0",
    ],
)
def test_a_row_that_was_changed_is_detected_once(state: State, rows: Any, statement: str) -> None:
    commit(state, *NOTES)
    rows(text(statement), {"other": B} if ":other" in statement else None)
    with pytest.raises(AlteredState, match="changed outside the program"):
        state.check_rows()
    assert state.read_entries([1]) == {} or state.read_entries([1])[1].content == b""
    state.check_rows()


def test_rows_put_back_are_detected_even_with_their_codes(state: State, rows: Any) -> None:
    commit(state, *NOTES)
    kept = {
        table: [dict(zip(table.columns.keys(), row, strict=True)) for row in rows(select(table))]
        for table in (LEDGER, SPAN_STORE, ROW_CODE)
    }
    commit(state, staged(1, B))
    state.check_rows()
    for table, key in ((LEDGER, "note_id"), (SPAN_STORE, "note_id"), (ROW_CODE, "block")):
        numbers = [0] if table is ROW_CODE else [1]
        rows(delete(table).where(table.c[key].in_(numbers)))
        rows(insert(table), [row for row in kept[table] if row[key] in numbers])
    with pytest.raises(AlteredState):
        state.check_rows()
    state.check_rows()


def test_writing_beside_a_changed_row_does_not_approve_it(state: State, rows: Any) -> None:
    commit(state, *NOTES)
    rows(text("update ledger set outcome = 2 where note_id = 3"))
    commit(state, staged(2, B))
    commit(state, staged(3, B))
    with pytest.raises(AlteredState):
        state.check_rows()


def test_notes_outside_the_block_are_left_alone(state: State, rows: Any) -> None:
    commit(state, *NOTES)
    rows(text("update ledger set identity = content || config where note_id = 2"))
    with pytest.raises(AlteredState, match="among 3 notes"):
        state.check_rows()
    entries = state.read_entries([1, 2, 3, 1000, -7])
    assert {n for n, entry in entries.items() if entry.content == A} == {1000, -7}
    # Those in the output stay known, so that they can be withdrawn.
    assert {n for n, entry in entries.items() if entry.content == b""} == {1, 2}


def test_without_keys_what_is_written_counts_as_changed(
    state: State, database_url: str, tmp_path: Path
) -> None:
    with closing(open_state(StateSettings(database_url), tmp_path)) as keyless:
        commit(keyless, staged(1))
    with pytest.raises(AlteredState):
        state.check_rows()


@given(
    st.lists(
        st.lists(st.tuples(st.integers(-600, 600), st.booleans()), min_size=1, max_size=9),
        max_size=5,
    )
)
def test_codes_follow_any_history(
    tmp_path_factory: pytest.TempPathFactory, history: list[list[tuple[int, bool]]]
) -> None:
    folder = tmp_path_factory.mktemp("state")
    with closing(open_state(StateSettings("sqlite:///s.db"), folder, KEYS)) as opened:
        opened.seal_at_rest()
        for notes in history:
            by_id = {n: staged(n, B) if is_good else failed(n) for n, is_good in notes}
            commit(opened, *by_id.values())
            opened.forget([n for n in by_id if n % 5 == 0])
            opened.check_rows()


def test_no_block_is_the_root() -> None:
    assert not find_block(-(2**63)) <= ROOT <= find_block(2**63 - 1)


# Findings of an older configuration

SECRET = "471-zq"


def undo_findings(ward: Ward) -> int:
    """Put back a note's findings of a configuration that overlooked a number; return its id."""
    note, person = ward.text_notes()[0]
    ward.hospital(
        "update note set note_text = note_text || ? where note_id = ?", f" Séjour {SECRET}.", note
    )
    run_nightly(ward.config, run_in_process)
    overlooked = read_findings(ward, note)
    ward.config.write_text(ward.config.read_text() + '\n[rules]\nvisit_shapes = ["[0-9]{3}-zq"]\n')
    run_nightly(ward.config, run_in_process)
    assert SECRET not in released_texts(ward, person)
    assert read_findings(ward, note) != overlooked
    with closing(sqlite3.connect(ward.config.with_name("state.db"))) as db, db:
        db.execute("update span_store set sealed = ? where note_id = ?", [overlooked, note])
    return note


def read_findings(ward: Ward, note: int) -> bytes:
    with closing(sqlite3.connect(ward.config.with_name("state.db"))) as db:
        found = db.execute("select sealed from span_store where note_id = ?", [note]).fetchone()
    return bytes(found[0])


def released_texts(ward: Ward, person: int) -> str:
    ward.release(person, withdraw_stale=True)
    return "\n".join(str(row[0]) for row in ward.rows("select note_text from note"))


@pytest.mark.parametrize("is_before", [True, False], ids=["the version before", "this version"])
def test_findings_of_an_older_configuration_are_not_accepted(ward: Ward, is_before: bool) -> None:
    state = ward.config.with_name("state.db")
    state.unlink()
    with version_before() if is_before else nullcontext():
        note = undo_findings(ward)
        person = ward.hospital("select person_id from note where note_id = ?", note)[0][0]
        texts = released_texts(ward, person)
    assert (SECRET in texts) is is_before
    if is_before:
        return
    with pytest.raises(AlteredState):
        run_nightly(ward.config, run_in_process)
    assert run_nightly(ward.config, run_in_process).exit_code == 0
    assert SECRET not in released_texts(ward, person)
    key = ward.key().pseudonym("note", str(note))
    assert (key,) in ward.rows("select note_id from note")


def test_staged_notes_that_were_changed_are_not_published(make_site: Callable[..., Site]) -> None:
    site = make_site(20)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Incomplete):
        patch.setattr(NightlyRun, "publish", _stop)
        run_nightly(site.config, run_in_process)
    with closing(sqlite3.connect(site.folder / "state.db")) as db, db:
        ids = [note_id for (note_id,) in db.execute("select note_id from stage order by 1")]
        swapped = "(select payload from stage where note_id = ?)"
        db.execute(f"update stage set payload = {swapped} where note_id = ?", ids[:2])
    with pytest.raises(AlteredState, match=re.escape(f"(first id: {ids[1]})")):
        run_nightly(site.config, run_in_process)
    assert site.released() == {}
    assert run_nightly(site.config, run_in_process).exit_code == 0
    whole = make_site(20)
    run_nightly(whole.config, run_in_process)
    assert site.digest() == whole.digest()


def _stop(_: NightlyRun, run: object) -> int:
    raise Incomplete("stopped before publishing")


# Accepted configurations


def test_only_the_configuration_itself_is_accepted_today(site: Site) -> None:
    run_nightly(site.config, run_in_process)
    keys = StateKeys(open_master(load(site.config)))
    with closing(open_state(load(site.config).state, site.folder, keys)) as state:
        config = state.read_entries([1])[1].config
        assert state.detections.read_accepted(config) == {config}


def test_a_list_of_configurations_is_authentic_or_refused(state: State, rows: Any) -> None:
    assert state.detections.read_accepted(A) == {A}
    state.detections.register(A)
    assert state.detections.read_accepted(A) == {A}
    state.detections.register(A, [B])
    assert state.detections.read_accepted(A) == {A, B}
    assert state.detections.read_accepted(B) == {B}
    rows(text("update accepted_config set accepted = :other"), {"other": A + B + b"c" * 16})
    with pytest.raises(AlteredState, match="accepted configurations"):
        state.detections.read_accepted(A)
    state.detections.register(A)
    assert state.detections.read_accepted(A) == {A}
