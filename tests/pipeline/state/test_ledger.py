"""What the state database promises: nothing twice, nothing lost, nothing forgotten."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from pipeline.config.settings import StateSettings
from pipeline.night.run_history import read_history
from pipeline.state import schema_version
from pipeline.state.audit_records import AuditReview, open_audit_records
from pipeline.state.ledger import State, open_state
from pipeline.state.tables import pack_ids, unpack_ids
from pipeline.state.unit_results import FailedNote, StagedNote, UnitResult
from pipeline.warehouse.note_rows import Unit
from record.errors import Unavailable, Unsafe

ROOT = Path(__file__).parents[3]
CANARY = "Zorglubine Quenneville"
A, B, NONE = b"a" * 16, b"b" * 16, bytes(16)


@pytest.fixture
def state(database_url: str, tmp_path: Path) -> Iterator[State]:
    opened = open_state(StateSettings(database_url), tmp_path)
    yield opened
    opened.close()


class Warehouse:
    """A source that holds these ids."""

    def __init__(self, ids: Iterable[int]) -> None:
        self.ids = set(ids)

    def present(self, note_ids: Sequence[int]) -> set[int]:
        return self.ids & set(note_ids)


def units(*groups: list[int]) -> list[Any]:
    return [
        (Unit(k, "", min(ids, default=0), max(ids, default=0), len(ids)), list(ids))
        for k, ids in enumerate(groups)
    ]


def staged(
    note_id: int, content: bytes = A, config: bytes = A, payload: bytes = b"{}"
) -> StagedNote:
    return StagedNote(
        note_id=note_id, person_id=1, content=content, identity=NONE, config=config,
        sealed=b"sealed" + content, payload=payload, kind="letter", day="2024-01-02", characters=7,
    )  # fmt: skip


def failed(note_id: int, content: bytes = A, config: bytes = A) -> FailedNote:
    return FailedNote(
        note_id=note_id, person_id=None, content=content, identity=NONE, config=config,
        stage="extract", error="Unreadable", reason="no-text", kind="letter", day=None,
    )  # fmt: skip


def result(
    releases: Sequence[int] = (),
    failures: Sequence[int] = (),
    unchanged: Sequence[int] = (),
    content: bytes = A,
    tally: str = "{}",
    config: bytes = A,
) -> UnitResult:
    """The result of a unit, from ids."""
    return UnitResult(
        read_ids=[*releases, *failures, *unchanged],
        unchanged_ids=list(unchanged),
        releases=[staged(k, content, config) for k in releases],
        failures=[failed(k, content, config) for k in failures],
        tally=tally,
    )


def everything(state: State) -> dict[Any, Any]:
    """The rows of every table, as they are."""
    with state._engine.connect() as connection:
        return {
            name: connection.execute(text(f"select * from {name} order by 1, 2")).all()
            for name in ("run", "run_unit", "ledger", "span_store", "stage", "quarantine")
        }


def claimed(state: State, run_id: int) -> list[Unit]:
    """All units that can be claimed now."""
    claims = iter(lambda: state.leases.claim(run_id, "test", 60), None)
    return [claim.unit for claim in claims]


def publish(state: State) -> None:
    """What the run does after it was reconciled."""
    while notes := state.read_staged(limit=2):
        state.mark_published(notes)


def night(state: State, *groups: list[int], results: list[Any], config: bytes = A) -> int:
    """A whole run, up to its end."""
    run = state.begin(config)
    planned = units(*groups)
    state.plan(run.run_id, planned)
    for (unit, _), came in zip(planned, results, strict=True):
        state.commit_unit(run.run_id, unit, came)
    assert state.reconcile(run.run_id, Warehouse(set().union(*groups))).ok
    publish(state)
    return run.run_id


# --- runs and plans --------------------------------------------------------------------------


def test_an_interrupted_run_is_taken_up(state: State) -> None:
    first = state.begin(A)
    assert (first.resumed, first.phase) == (False, "planning")
    state.plan(first.run_id, units([1, 2]))
    again = state.begin(A)
    assert again == replace(first, resumed=True, phase="working")
    state.set_phase(first.run_id, "publishing")
    assert state.begin(A).phase == "publishing"
    state.finish(first.run_id, "{}")
    assert state.begin(A).run_id == first.run_id + 1


def test_another_configuration_begins_anew(state: State) -> None:
    first = state.begin(A)
    second = state.begin(B)
    assert (second.resumed, second.run_id) == (False, first.run_id + 1)
    third = state.begin(B, fresh=True)
    assert (third.resumed, third.run_id) == (False, second.run_id + 1)
    assert state.begin(B) == replace(third, resumed=True)


def test_a_plan_replaces_the_plan_before(state: State) -> None:
    run = state.begin(A)
    state.plan(run.run_id, units([1], [2], [3]))
    state.plan(run.run_id, units([4, 5], [6]))
    assert [unit.count for unit in claimed(state, run.run_id)] == [2, 1]
    assert state.progress(run.run_id) == (0, 3)


def test_a_plan_that_breaks_off_leaves_nothing(state: State) -> None:
    run = state.begin(A)

    def breaking() -> Iterator[Any]:
        yield from units([1], [2])
        raise Unsafe("broken-off")

    with pytest.raises(Unsafe):
        state.plan(run.run_id, breaking())
    assert state.begin(A).phase == "planning"
    assert claimed(state, run.run_id) == []


def test_workers_share_the_units(state: State) -> None:
    run = state.begin(A)
    planned = units(*[[k] for k in range(10)])
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, planned[3][0], result([3]))
    assert [unit.index for unit in claimed(state, run.run_id)] == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert claimed(state, run.run_id) == []
    assert state.count_pending(run.run_id) == 9
    assert state.progress(run.run_id) == (1, 10)


@given(st.sets(st.integers(-(2**63), 2**63 - 1)))
def test_ids_are_packed_without_loss(ids: set[int]) -> None:
    assert unpack_ids(pack_ids(ids)) == sorted(ids)


# --- units -----------------------------------------------------------------------------------


def test_committing_twice_changes_nothing(state: State) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1, 2, 3])
    state.plan(run.run_id, planned)
    assert state.commit_unit(run.run_id, unit, result([1, 2], [3], tally="first"))
    before = everything(state)
    assert not state.commit_unit(run.run_id, unit, result([1, 2], [3], tally="second"))
    assert everything(state) == before
    assert list(state.read_tallies(run.run_id)) == ["first"]


def test_a_unit_nobody_planned_is_refused(state: State) -> None:
    run = state.begin(A)
    with pytest.raises(Unsafe, match="unknown-unit"):
        state.commit_unit(run.run_id, Unit(9, "", 1, 1, 1), result([1]))
    assert state.read_entries([1]) == {}


@pytest.mark.parametrize("came", [result([1], config=B), result([], [1], config=B)])
def test_a_result_of_another_configuration_is_refused(state: State, came: UnitResult) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1])
    state.plan(run.run_id, planned)
    before = everything(state)
    with pytest.raises(Unsafe, match="other-configuration"):
        state.commit_unit(run.run_id, unit, came)
    assert everything(state) == before


def test_a_failing_commit_leaves_nothing(state: State) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1, 2])
    state.plan(run.run_id, planned)
    before = everything(state)
    broken = result([1], [2])
    broken.failures[0] = replace(broken.failures[0], stage=cast(str, None), reason=CANARY)
    with pytest.raises(Unavailable) as caught:
        state.commit_unit(run.run_id, unit, broken)
    assert CANARY not in repr(caught.value) + str(caught.value) + repr(caught.value.__context__)
    assert everything(state) == before


def test_the_ledger_knows_versions(state: State) -> None:
    night(state, [1, 2, 3], results=[result([1, 2], [3])])
    assert {k: (e.content, e.outcome) for k, e in state.read_entries(range(9)).items()} == {
        1: (A, "released"), 2: (A, "released"), 3: (A, "quarantined"),
    }  # fmt: skip
    assert state.count_outcomes() == {"released": 2, "quarantined": 1}
    assert [(n.note_id, n.reason) for n in state.read_quarantined(5)] == [(3, "no-text")]
    assert state.read_sealed([1, 3])[1].sealed == b"sealed" + A
    assert set(state.read_sealed([1, 3])) == {1}


def test_staged_notes_come_back_whole(state: State) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1, 2])
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, unit, result([1, 2]))
    assert state.read_staged() == [staged(1), staged(2)]
    assert state.read_staged(after=1) == [staged(2)]
    assert CANARY not in repr(staged(1, payload=CANARY.encode()))


def test_a_note_that_recovers_leaves_quarantine_and_back(state: State) -> None:
    night(state, [1], results=[result([], [1])])
    night(state, [1], results=[result([1], content=B)])
    assert state.read_quarantined(5) == []
    assert list(state.find_withdrawable()) == []
    night(state, [1], results=[result([], [1])])
    assert state.read_sealed([1]) == {}
    assert list(state.find_withdrawable()) == [[1]]
    state.mark_withdrawn([1])
    assert list(state.find_withdrawable()) == []
    assert list(state.read_released_ids()) == []


def test_a_resumed_commit_after_publishing_stages_nothing_again(state: State) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1])
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, unit, result([1]))
    publish(state)
    state.commit_unit(run.run_id, unit, result([1]))
    assert state.read_staged() == []
    assert list(state.read_released_ids()) == [1]


def test_a_version_that_was_staged_meanwhile_is_not_marked_as_published(state: State) -> None:
    run = state.begin(A)
    planned = units([1, 2, 3])
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, planned[0][0], result([1, 2, 3]))
    written = state.read_staged()
    run = state.begin(B)
    state.plan(run.run_id, planned)
    came = result([1, 2], [3], content=B, config=B)
    state.commit_unit(run.run_id, planned[0][0], came)
    state.mark_published([*written[:1], *came.releases[1:], *written[2:]])
    assert [(note.note_id, note.content) for note in state.read_staged()] == [(1, B)]
    assert state.count_outcomes() == {"staged": 1, "released": 1, "quarantined": 1}
    # What is in the output can be withdrawn.
    assert list(state.read_released_ids()) == [1, 2, 3]
    assert list(state.find_withdrawable()) == [[3]]


def test_what_an_abandoned_run_staged_is_harmless(state: State) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1, 2])
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, unit, result([1, 2]))
    night(state, [1], results=[result([1], content=B, config=B)], config=B)
    # Note 2 is gone from the source: the first run's version must not stay.
    assert [list(c) for c in state.find_deleted(2)] == [[2]]
    state.forget([2])
    assert {k: e.content for k, e in state.read_entries([1, 2]).items()} == {1: B}


def test_finished_runs_leave_their_summaries(state: State) -> None:
    for k in range(3):
        run_id = night(state, [1], results=[result([], [], [1]) if k else result([1])])
        state.finish(run_id, f"summary {k}")
    assert state.read_summaries(2) == ["summary 2", "summary 1"]
    assert len(everything(state)["run_unit"]) == 1


# --- is everything accounted for -------------------------------------------------------------


@pytest.fixture
def worked(state: State) -> int:
    """A run whose units are done: notes 1 to 9, of which 3 is refused and 7 unchanged."""
    night_before = night(state, [7], results=[result([7])])
    state.finish(night_before, "{}")
    run = state.begin(A)
    planned = units([1, 2, 3], [4, 5, 6], [7, 8, 9])
    state.plan(run.run_id, planned)
    for (unit, _), came in zip(
        planned, [result([1, 2], [3]), result([4, 5, 6]), result([8, 9], [], [7])], strict=True
    ):
        state.commit_unit(run.run_id, unit, came)
    return run.run_id


def tamper(state: State, statement: str) -> None:
    with state._engine.begin() as connection:
        connection.execute(text(statement))


def test_all_is_well(state: State, worked: int) -> None:
    found = state.reconcile(worked, Warehouse(range(1, 10)))
    assert found.ok
    assert (found.planned, found.accounted, found.deleted_meanwhile) == (9, 9, 0)


@pytest.mark.parametrize(
    ("statement", "missing", "astray"),
    [
        ("update run_unit set accounted = null, read_ids = null where unit = 1", [4, 5, 6], 0),
        ("delete from ledger where note_id = 5", [5], 1),
        ("delete from ledger where note_id = 7", [7], 0),
        ("delete from stage where note_id = 8", [], 1),
        ("delete from stage", [], 7),
        ("delete from quarantine", [], 1),
        ("update ledger set outcome = 1 where note_id = 7", [], 2),
        ("update ledger set outcome = 3 where note_id = 1", [], 2),
        ("delete from span_store where note_id = 2", [], 1),
    ],
)  # fmt: skip
def test_what_is_lost_is_noticed(
    state: State, worked: int, statement: str, missing: list[int], astray: int
) -> None:
    tamper(state, statement)
    if "note_id = 7" in statement and "outcome" in statement:
        tamper(state, "delete from span_store where note_id = 7")
    found = state.reconcile(worked, Warehouse(range(1, 10)))
    assert not found.ok
    assert (list(found.missing_ids), found.missing, found.inconsistent) == (
        missing,
        len(missing),
        astray,
    )


@pytest.mark.parametrize("lost", [[], [5], [4, 6]])
def test_one_note_dropped_on_the_way_is_noticed_and_made_good(
    state: State, lost: list[int]
) -> None:
    run = state.begin(A)
    ((unit, ids),) = planned = units([4, 5, 6])
    state.plan(run.run_id, planned)
    came = replace(result([k for k in ids if k not in lost]), read_ids=ids)
    state.commit_unit(run.run_id, unit, came)
    found = state.reconcile(run.run_id, Warehouse(ids))
    assert (found.ok, list(found.missing_ids)) == (not lost, lost)
    if lost:
        assert state.count_pending(run.run_id) == 1
        rest = [k for k in ids if k not in lost]
        state.commit_unit(run.run_id, unit, result(lost, [], rest))
    assert state.reconcile(run.run_id, Warehouse(ids)).ok


@pytest.mark.parametrize("is_altered", [False, True])
def test_nothing_of_a_unit_that_is_opened_again_counts(state: State, is_altered: bool) -> None:
    run = state.begin(A)
    planned = units([1, 2])
    state.plan(run.run_id, planned)
    (unit,) = claimed(state, run.run_id)
    state.commit_unit(run.run_id, unit, result([1, 2]))
    publish(state)
    if is_altered:
        state.discard([1, 2])
    else:
        tamper(state, "update ledger set outcome = 1 where note_id = 1")
        assert not state.reconcile(run.run_id, Warehouse([1, 2])).ok
    # It is claimed again, and its batch is lost on the way.
    (unit,) = claimed(state, run.run_id)
    assert state.leases.mark_unreturned(run.run_id, unit)
    for _ in range(2):
        found = state.reconcile(run.run_id, Warehouse([1, 2]))
        assert (found.ok, found.accounted, found.missing_ids) == (False, 0, (1, 2))
        state.leases.revoke(run.run_id, as_failed=True)


def test_notes_astray_are_done_again(state: State, worked: int) -> None:
    publish(state)
    tamper(state, "update ledger set outcome = 1 where note_id in (1, 3)")
    assert not state.reconcile(worked, Warehouse(range(1, 10))).ok
    assert state.count_pending(worked) == 3
    entries = state.read_entries(range(1, 10))
    assert entries[1].content != A, "its hash matches nothing: it will be done again"
    assert 3 not in entries
    for unit, came in zip(
        claimed(state, worked),
        [result([1], [3], [2]), result([], [], [4, 5, 6]), result([], [], [7, 8, 9])],
        strict=True,
    ):
        state.commit_unit(worked, unit, came)
    assert state.reconcile(worked, Warehouse(range(1, 10))).ok


def test_notes_deleted_meanwhile_are_not_missing(state: State) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1, 2, 3])
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, unit, result([1, 3]))
    found = state.reconcile(run.run_id, Warehouse([1, 3]))
    assert (found.ok, found.deleted_meanwhile, found.accounted) == (True, 1, 2)


# --- deleted at the source -------------------------------------------------------------------


@given(
    known=st.sets(st.integers(-50, 50), max_size=30),
    now=st.lists(st.sets(st.integers(-50, 50), max_size=8), max_size=5),
    page=st.integers(1, 7),
)
def test_tombstones_are_what_the_source_has_no_more(
    known: set[int], now: list[set[int]], page: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import pipeline.state.reconciliation

    state = open_state(StateSettings("sqlite:///s.db"), tmp_path_factory.mktemp("state"))
    first = state.begin(A)
    ((unit, _),) = planned = units(sorted(known))
    state.plan(first.run_id, planned)
    state.commit_unit(first.run_id, unit, result(sorted(known)))
    state.finish(first.run_id, "{}")
    run = state.begin(A)
    state.plan(run.run_id, units(*map(sorted, now)))
    whole, pipeline.state.reconciliation._LEDGER_PAGE = (
        pipeline.state.reconciliation._LEDGER_PAGE,
        page,
    )
    try:
        gone = []
        for chunk in state.find_deleted(run.run_id):
            gone += chunk
            state.forget(chunk)
    finally:
        pipeline.state.reconciliation._LEDGER_PAGE = whole
    assert gone == sorted(known - set().union(*now))
    assert set(state.read_entries(range(-50, 51))) == known & set().union(*now)
    state.close()


def test_notes_read_but_not_planned_are_not_deleted(state: State) -> None:
    run = state.begin(A)
    ((unit, _),) = planned = units([1, 9])
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, unit, result([1, 5, 9, 12]))
    assert list(state.find_deleted(run.run_id)) == []


# --- several processes, and trouble ----------------------------------------------------------

WORKER = (
    "import sys, time; from pathlib import Path\n"
    "from pipeline.state.ledger import *; from pipeline.config.settings import StateSettings\n"
    "url, base, run, worker = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])\n"
    "last = int(sys.argv[5]) if sys.argv[5:] else None\n"
    "state = open_state(StateSettings(url), base)\n"
    "while claim := state.leases.claim(run, str(worker), 60):\n"
    "    unit = claim.unit\n"
    "    if last is not None and unit.low > last: time.sleep(600)\n"
    "    ids = list(range(unit.low, unit.high + 1))\n"
    "    notes = [StagedNote(i, 1, b'a' * 16, bytes(16), b'a' * 16, b's', b'p' * 2000, 'k',\n"
    "                        None, 1) for i in ids]\n"
    "    state.commit_unit(run, unit, UnitResult(ids, [], notes, [], '{}'))\n"
)


def test_two_processes_commit_at_once(database_url: str, state: State, tmp_path: Path) -> None:
    run = state.begin(A)
    planned = units(*[list(range(k * 20, k * 20 + 20)) for k in range(40)])
    state.plan(run.run_id, planned)
    command = [sys.executable, "-c", WORKER, database_url, str(tmp_path), str(run.run_id)]
    workers = [subprocess.Popen([*command, str(worker)], cwd=ROOT) for worker in range(2)]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    found = state.reconcile(run.run_id, Warehouse(range(800)))
    assert (found.ok, found.accounted) == (True, 800)


def test_a_worker_killed_between_commits_loses_nothing(
    database_url: str, state: State, tmp_path: Path
) -> None:
    run = state.begin(A)
    state.plan(run.run_id, units(*[list(range(k * 20, k * 20 + 20)) for k in range(200)]))
    command = [sys.executable, "-c", WORKER, database_url, str(tmp_path), str(run.run_id)]
    # It waits in the middle, lest it be through before it is looked at.
    worker = subprocess.Popen([*command, "0", "2000"], cwd=ROOT)
    while not state.progress(run.run_id)[0]:
        assert worker.poll() is None
    worker.kill()
    worker.wait()
    done, planned = state.progress(run.run_id)
    assert 0 < done < planned
    assert sum(len(state.read_staged(after=k, limit=100)) for k in (-1,)) == min(done, 100)
    state.leases.revoke(run.run_id, as_failed=True)
    subprocess.run([*command, "1"], check=True, cwd=ROOT)
    assert state.reconcile(run.run_id, Warehouse(range(4000))).ok


def test_a_full_disk_is_unavailable_and_says_no_text(tmp_path: Path) -> None:
    state = open_state(StateSettings("sqlite:///s.db"), tmp_path)
    run = state.begin(A)
    ((unit, _),) = planned = units([1])
    state.plan(run.run_id, planned)
    with state._engine.connect() as connection:
        pages = connection.exec_driver_sql("pragma page_count").scalar_one()
        connection.exec_driver_sql(f"pragma max_page_count = {pages + 1}")
    came = replace(result([1]), releases=[staged(1, payload=CANARY.encode() * 1000)])
    with pytest.raises(Unavailable, match="disk full") as caught:
        state.commit_unit(run.run_id, unit, came)
    assert CANARY not in repr(caught.value) + repr(caught.value.__context__)
    assert state.count_pending(run.run_id) == 1
    state.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "s.db").write_text(CANARY * 100)
    with pytest.raises(Unavailable, match="corrupted"):
        open_state(StateSettings("sqlite:///s.db"), tmp_path)


def test_the_state_is_for_its_owner_alone(tmp_path: Path) -> None:
    state = open_state(StateSettings("sqlite:///s.db"), tmp_path)
    state.begin(A)
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
    state.close()


def test_the_ledger_is_small(tmp_path: Path) -> None:
    state = open_state(StateSettings("sqlite:///s.db"), tmp_path)
    run = state.begin(A)
    ((unit, ids),) = planned = units(list(range(20_000)))
    state.plan(run.run_id, planned)
    state.commit_unit(run.run_id, unit, result(ids))
    state.close()
    with sqlite3.connect(tmp_path / "s.db") as db:
        for table in ("stage", "span_store"):
            db.execute(f"delete from {table}")
        db.commit()
        db.execute("vacuum")
    db.close()
    assert (tmp_path / "s.db").stat().st_size / 20_000 < 70, "bytes a note"


def test_urls_of_servers_that_do_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(Unavailable, match=r"state: connection failed") as caught:
        open_state(StateSettings("postgresql://u:s3cret@127.0.0.1:1/db"), tmp_path)
    assert "s3cret" not in str(caught.value) + repr(caught.value)


def test_two_processes_open_one_state(postgres_url: str, tmp_path: Path) -> None:
    state = open_state(StateSettings(postgres_url), tmp_path)
    again = open_state(StateSettings(postgres_url), tmp_path)
    run = state.begin(A)
    assert again.begin(A).run_id == run.run_id
    state.close()
    again.close()


@pytest.mark.parametrize(
    ("opened", "gives"),
    [
        (lambda where: list(open_state(*where).read_released_ids()), []),
        (lambda where: read_history(*where), []),
        (lambda where: read_reviews(*where), []),
    ],
    ids=["ledger", "history", "reviews"],
)
def test_a_server_that_is_away_for_a_moment_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Callable[[Any], Any], gives: list[Any]
) -> None:
    where = (StateSettings("sqlite:///state.db"), tmp_path)
    open_state(*where).close()
    look, failures = schema_version.read_revision, iter("ab")

    def fails_twice(connection: Connection) -> str | None:
        if next(failures, None):
            raise Unavailable("state", "connection failed or lost", "run again")
        return look(connection)

    monkeypatch.setattr(schema_version, "read_revision", fails_twice)
    assert opened(where) == gives
    assert next(failures, None) is None


def read_reviews(settings: Any, base: Any) -> list[AuditReview]:
    with open_audit_records(settings, base) as records:
        return records.reviews()
