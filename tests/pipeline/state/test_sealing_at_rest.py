"""Nothing in a state database opens without a key: the version before is taken over and sealed."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text

from pipeline.config.settings import StateSettings, load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Incomplete, NightlyRun, run_nightly
from pipeline.notes.worker_resources import open_master, open_resources
from pipeline.state import sealing_at_rest
from pipeline.state.ledger import State, open_state
from pipeline.state.row_codes import AlteredState
from pipeline.state.run_summary import Outcome
from pipeline.state.span_sealing import NoteFindings, StateKeys
from pipeline.state.tables import LEDGER, SPAN_STORE, STAGE
from pipeline.state.unit_results import StagedNote
from pipeline.warehouse.databases import connect, transaction, upsert
from record.errors import ConfigError
from record.span import Span
from surrogates.keys.keys import MasterKey
from tests.pipeline.conftest import Site
from tests.pipeline.earlier_state import (
    count_texts,
    dump_rows,
    forget_new_tables,
    read_files,
    recover_notes,
    version_before,
)

STATE = "sqlite:///state.db"
NOTES = 40


def stop(_: NightlyRun, run: object) -> int:
    raise Incomplete("stopped before publishing")


@pytest.fixture(scope="module")
def before(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site after a night of the version before, which published its notes."""
    site = Site(tmp_path_factory.mktemp("before") / "site", template, NOTES)
    with version_before():
        assert run_nightly(site.config, run_in_process).exit_code == 0
    forget_new_tables(STATE, site.folder)
    return site


@pytest.fixture(scope="module")
def waiting(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site whose night of the version before was interrupted: its notes are staged in clear."""
    site = Site(tmp_path_factory.mktemp("waiting") / "site", template, NOTES)
    with version_before() as patch, pytest.raises(Incomplete):
        patch.setattr(NightlyRun, "publish", stop)
        run_nightly(site.config, run_in_process)
    forget_new_tables(STATE, site.folder)
    return site


def copy(site: Site, folder: Path) -> Site:
    """A copy of a site, as left by the version before."""
    shutil.copytree(site.folder, folder)
    copied = object.__new__(Site)
    vars(copied).update(vars(site) | {"folder": folder, "config": folder / "nightly.toml"})
    return copied


def bytes_of(site: Site) -> bytes:
    return read_files(site.folder / "state.db")


def digests_of(site: Site) -> set[bytes]:
    """The digests of notes and patients as whoever has the source can compute them."""
    with version_before(), open_resources(load(site.config)) as tools:
        return {
            digest
            for entry in tools.state.read_entries(range(10_000)).values()
            for digest in (entry.content, entry.identity)
        }


# Recovery without a key


def test_the_tool_recovers_published_notes_from_the_version_before(before: Site) -> None:
    texts = list(before.released().values())
    data = bytes_of(before)
    found = recover_notes(data)
    ids = {note_id for (note_id,) in before.source("select note_id from note")}
    print(f"{count_texts(data, texts)} of {len(texts)} texts, {len(found)} rows")
    assert count_texts(data, texts) >= 0.8 * len(texts)
    assert len({each.note_id for each in found} & ids) >= 0.8 * len(texts)


def test_the_tool_recovers_staged_notes_and_confirms_guesses(waiting: Site) -> None:
    found = recover_notes(bytes_of(waiting))
    assert len({each.note_id for each in found if each.note_id is not None}) >= 0.9 * NOTES
    guesses = digests_of(waiting)
    assert len(guesses) > NOTES
    assert all(guess in bytes_of(waiting) for guess in guesses)


@pytest.mark.parametrize("left", ["published", "staged"])
def test_nothing_is_recovered_after_the_version_before_was_taken_over(
    before: Site, waiting: Site, tmp_path: Path, left: str
) -> None:
    old = before if left == "published" else waiting
    guesses, site = digests_of(old), copy(old, tmp_path / "site")
    keys = StateKeys(open_master(load(site.config)))
    with closing(open_state(load(site.config).state, site.folder, keys)) as state:
        assert state.seal_at_rest() > 0
        assert state.seal_at_rest() == 0
        data = bytes_of(site)
    assert recover_notes(data) == []
    assert not any(guess in data for guess in guesses if len(guess) == 16 and any(guess))
    night = run_nightly(site.config, run_in_process)
    assert night.exit_code == 0
    texts = list(site.released().values())
    assert len(texts) > 0.8 * NOTES
    data = bytes_of(site)
    assert recover_notes(data) == []
    assert count_texts(data, texts) == 0


def test_nothing_is_recovered_from_a_run_of_this_version(make_site: Callable[..., Site]) -> None:
    site = make_site(NOTES)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Incomplete):
        patch.setattr(NightlyRun, "publish", stop)
        run_nightly(site.config, run_in_process)
    with closing(sqlite3.connect(site.folder / "state.db")) as db:
        assert db.execute("select count(*) from stage").fetchone()[0] > 0.8 * NOTES
    assert recover_notes(bytes_of(site)) == []
    assert run_nightly(site.config, run_in_process).exit_code == 0
    texts = list(site.released().values())
    assert len(texts) > 0.8 * NOTES
    assert recover_notes(bytes_of(site)) == []
    assert count_texts(bytes_of(site), texts) == 0


# Taking over


def test_nothing_becomes_stale_and_the_output_is_the_same(
    before: Site, waiting: Site, tmp_path: Path
) -> None:
    site = copy(before, tmp_path / "site")
    digest = site.digest()
    ended = run_nightly(site.config, run_in_process)
    outcomes = ended.summary.tally.outcomes
    assert outcomes[Outcome.UNCHANGED.value] == outcomes[Outcome.PLANNED.value] == NOTES
    assert site.digest() == digest
    late = copy(waiting, tmp_path / "late")
    assert late.released() == {}
    assert run_nightly(late.config, run_in_process).exit_code == 0
    assert late.digest() == digest


def test_other_commands_ask_for_a_run_first(waiting: Site, tmp_path: Path) -> None:
    site = copy(waiting, tmp_path / "site")
    with pytest.raises(ConfigError, match="rows of an earlier version") as refused:
        open_resources(load(site.config), release="research")
    assert "cryptonym run" in refused.value.remedy


def test_an_empty_database_needs_no_run_first(site: Site) -> None:
    with open_resources(load(site.config)) as tools:
        assert tools.accepted == {tools.config}


def take_over(site: Site, moment: int) -> int:
    """Take over in a process that is killed at a moment; return how it ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    left = moment

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def count_commit(connection: Connection) -> None:
        if connection.get_execution_options().get("immediate"):
            count()

    code = 1
    try:
        event.listen(Engine, "commit", count_commit)
        keys = StateKeys(open_master(load(site.config)))
        with closing(open_state(load(site.config).state, site.folder, keys)) as state:
            state.seal_at_rest(watch=count)
        code = 0
    finally:
        os._exit(code)


def test_killed_anywhere_it_goes_on_and_ends_in_the_same_state(
    waiting: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing_at_rest, "BATCH", 7)
    whole = copy(waiting, tmp_path / "whole")
    assert take_over(whole, 10_000) == 0
    expected = dump_rows(STATE, whole.folder)
    assert expected["sealing"]
    assert all(done for *_, done in expected["sealing"])
    killed = 0
    for moment in range(1, 100):
        site = copy(waiting, tmp_path / f"killed-{moment}")
        ended = take_over(site, moment)
        if ended == 0:
            break
        assert os.WTERMSIG(ended) == signal.SIGKILL
        killed += 1
        assert take_over(site, 10_000) == 0
        assert dump_rows(STATE, site.folder) == expected, moment
        assert recover_notes(bytes_of(site)) == []
        shutil.rmtree(site.folder)
    print(f"killed at each of {killed} moments")
    assert killed > 2 * NOTES / 7


def test_findings_that_do_not_open_are_processed_again(waiting: Site, tmp_path: Path) -> None:
    site = copy(waiting, tmp_path / "site")
    with closing(sqlite3.connect(site.folder / "state.db")) as db, db:
        (note_id,) = db.execute("select min(note_id) from span_store").fetchone()
        db.execute("update span_store set sealed = x'00' where note_id = ?", [note_id])
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.out_id(note_id) in site.released()


@pytest.mark.parametrize("is_logged", [False, True], ids=["without custody's log", "with it"])
def test_rows_of_the_version_before_are_taken_over_once(
    waiting: Site, tmp_path: Path, is_logged: bool
) -> None:
    site = copy(waiting, tmp_path / "site")
    state = site.folder / "state.db"
    old = state.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        if not is_logged:
            patch.setattr("pipeline.notes.worker_resources._SEAL", "use")
        assert run_nightly(site.config, run_in_process).exit_code == 0
    released = site.digest()
    # Whoever writes into the database puts the version before back, to have its rows sealed anew.
    for path in site.folder.glob("state.db*"):
        path.unlink()
    state.write_bytes(old)
    if is_logged:
        with pytest.raises(AlteredState, match="rows of an earlier version"):
            run_nightly(site.config, run_in_process)
        state.unlink()
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.digest() == released


# PostgreSQL

KEYS = StateKeys(MasterKey(bytes(32)))
CANARY = "Madame QUENNEVILLE-ZORGLUB est sortie le 3 mars. "


@pytest.fixture
def old_rows(postgres_url: str, tmp_path: Path) -> Iterator[tuple[str, Engine]]:
    """Staged and published notes on a server, as the version before wrote them."""
    open_state(StateSettings(postgres_url), tmp_path).close()
    engine = connect(postgres_url, tmp_path, what="state.url", use="state")
    version = {"content": b"c" * 16, "identity": b"i" * 16, "config": b"k" * 16}
    sealed = KEYS.seal.close("1", b"c" * 16, NoteFindings({"text": (Span(0, 5, "DATE"),)}))
    payload = ('[[1,2,"' + CANARY * 30 + '"]]').encode()
    with transaction(engine, "state", write=True) as connection:
        for note_id in range(1, 21):
            own = KEYS.seal.close(str(note_id), b"c" * 16, NoteFindings({"text": ()}))
            note = StagedNote(
                note_id, 1, **version, sealed=own or sealed, payload=payload, kind="letter",
                day=None, characters=9,
            )  # fmt: skip
            ledger = {"note_id": note_id, **version, "outcome": 1, "was_released": 0}
            upsert(connection, LEDGER, [ledger])
            for table in (SPAN_STORE, STAGE):
                row = {column.name: getattr(note, column.name) for column in table.columns}
                upsert(connection, table, [row])
    with closing(State(engine)) as state:
        state.mark_published(state.read_staged(limit=10))
    forget_new_tables(postgres_url, tmp_path)
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    yield postgres_url, engine
    engine.dispose()


def read_server(engine: Engine, folder: str) -> bytes:
    """The bytes of a server's files, after all pages were written."""
    with engine.connect() as connection:
        connection.execute(text("checkpoint"))
        data = Path(str(connection.scalar(text("show data_directory"))))
        number = connection.scalar(
            text("select oid from pg_database where datname = current_database()")
        )
    place = data / folder.format(number)
    return b"".join(path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file())


def test_a_server_keeps_nothing_in_its_tables(old_rows: Any, tmp_path: Path) -> None:
    url, engine = old_rows
    part = CANARY.encode()
    # Compression in storage (pglz) breaks repetitions: the first time a text stands whole.
    assert part in read_server(engine, "base/{}")
    with closing(open_state(StateSettings(url), tmp_path, KEYS)) as state:
        assert state.seal_at_rest() > 0
        state.check_rows()
        staged = state.read_staged()
        assert len(staged) == 10
        opened = [KEYS.seal.open_staged(note.version, note.payload) for note in staged]
        assert all(part in payload for payload in opened)
    assert part not in read_server(engine, "base/{}")
    # What the server's own log of changes still has is for its retention to remove.
    assert part in read_server(engine, "pg_wal")


def test_plain_vacuum_leaves_what_was_deleted(old_rows: Any) -> None:
    _, engine = old_rows
    with engine.connect() as connection:
        connection.execute(text("delete from stage"))
        assert CANARY.encode() in read_server(engine, "base/{}")
        connection.execute(text("vacuum stage"))
        connection.execute(text("vacuum full stage"))
        assert CANARY.encode() not in read_server(engine, "base/{}")
