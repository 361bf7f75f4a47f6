"""Units are claimed one at a time, and only who has the lease of a unit stores its result."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text

from pipeline.config.settings import StateSettings
from pipeline.state.ledger import State, open_state
from pipeline.state.tables import RUN_UNIT, unpack_ids
from pipeline.state.unit_leases import (
    HOPELESS,
    MOST_FAILURES,
    Claim,
    RunEnded,
    UnitsFailed,
    count_most_deaths,
)
from pipeline.state.unit_results import FailedNote, StagedNote, UnitResult
from pipeline.warehouse.note_rows import Unit

ROOT = Path(__file__).parents[3]
SECONDS = 60.0
NONE = bytes(16)


@pytest.fixture
def state(database_url: str, tmp_path: Path) -> Iterator[State]:
    with closing(open_state(StateSettings(database_url), tmp_path)) as opened:
        yield opened


def plan(state: State, *groups: list[int]) -> int:
    run = state.begin(NONE, fresh=True)
    state.plan(
        run.run_id,
        [(Unit(k, "", ids[0], ids[-1], len(ids)), ids) for k, ids in enumerate(groups)],
    )
    return run.run_id


def note(note_id: int, sealed: bytes = b"s") -> StagedNote:
    return StagedNote(
        note_id=note_id, person_id=1, content=NONE, identity=NONE, config=NONE, sealed=sealed,
        payload=b"{}", kind="letter", day=None, characters=1,
    )  # fmt: skip


def ids_of(unit: Unit) -> list[int]:
    return unpack_ids(unit.wanted) if unit.wanted else list(range(unit.low, unit.high + 1))


def store(state: State, run_id: int, unit: Unit, sealed: bytes = b"s") -> bool:
    ids = ids_of(unit)
    notes = [note(note_id, sealed) for note_id in ids]
    return state.commit_unit(run_id, unit, UnitResult(ids, [], notes, [], "{}"))


def claim(state: State, run_id: int, holder: str = "one") -> Claim:
    claimed = state.leases.claim(run_id, holder, SECONDS)
    assert claimed is not None
    return claimed


def run_out(state: State, run_id: int) -> None:
    """Let all leases run out, as time would."""
    with state._engine.begin() as connection:
        statement = "update run_unit set lease_ends = 1 where run_id = :run and lease_ends > 0"
        connection.execute(text(statement), {"run": run_id})


def rows(state: State, run_id: int, *names: str) -> list[Any]:
    columns = [RUN_UNIT.c[name] for name in names]
    found = select(*columns).where(RUN_UNIT.c.run_id == run_id).order_by(RUN_UNIT.c.unit)
    with state._engine.connect() as connection:
        return [tuple(row) for row in connection.execute(found)]


# Claims ------------------------------------------------------------------------------------------


def test_each_unit_has_one_holder(state: State) -> None:
    run_id = plan(state, [1, 2], [3], [4])
    claims = [claim(state, run_id, name).unit for name in ("one", "two", "three")]
    assert [unit.index for unit in claims] == [0, 1, 2]
    assert state.leases.claim(run_id, "four", SECONDS) is None
    assert not state.leases.is_finished(run_id)
    assert all(store(state, run_id, unit) for unit in claims)
    assert state.leases.is_finished(run_id)


def test_threads_that_claim_at_once_share_the_units(state: State) -> None:
    run_id = plan(state, *[[k] for k in range(60)])

    def take(holder: str) -> list[int]:
        claims = iter(lambda: state.leases.claim(run_id, holder, SECONDS), None)
        return [claim.unit.index for claim in claims]

    with ThreadPoolExecutor(4) as pool:
        shares = list(pool.map(take, "abcd"))
    assert sorted(index for share in shares for index in share) == list(range(60))


def test_what_is_written_after_the_lease_was_lost_is_refused(state: State) -> None:
    run_id = plan(state, [1, 2])
    first = claim(state, run_id, "one").unit
    run_out(state, run_id)
    second = claim(state, run_id, "two").unit
    assert (second.index, second.attempt) == (0, 2)
    assert not store(state, run_id, first, b"late")
    assert state.read_entries([1, 2]) == {}
    assert store(state, run_id, second, b"in time")
    assert not store(state, run_id, first, b"late")
    assert {found.sealed for found in state.read_sealed([1, 2]).values()} == {b"in time"}
    assert rows(state, run_id, "holder", "failures") == [("two", 1)]


def test_a_lease_that_ran_out_is_kept_while_nobody_else_wants_the_unit(state: State) -> None:
    run_id = plan(state, [1])
    unit = claim(state, run_id).unit
    run_out(state, run_id)
    state.leases.renew(SECONDS)
    assert state.leases.claim(run_id, "two", SECONDS) is None
    assert store(state, run_id, unit)


def test_renewed_leases_tell_how_far_their_units_are(state: State) -> None:
    run_id = plan(state, [1, 2, 3], [4, 5])
    unit = claim(state, run_id).unit
    state.leases.note_progress(unit, 2)
    assert state.progress(run_id) == (0, 5)
    state.leases.renew(SECONDS)
    assert state.progress(run_id) == (2, 5)
    assert state.leases.fail(run_id, unit, "detect")
    assert state.progress(run_id) == (0, 5)
    again = claim(state, run_id).unit
    state.leases.renew(SECONDS)
    assert state.progress(run_id) == (0, 5)
    assert store(state, run_id, again)
    assert state.progress(run_id) == (3, 5)


def test_a_unit_is_hung_where_nothing_is_told_of_it(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    run_id = plan(state, [1, 2])
    assert not state.leases.is_hung(60)
    unit = claim(state, run_id).unit
    now += 60
    assert not state.leases.is_hung(60)
    now += 1
    assert state.leases.is_hung(60)
    state.leases.note_progress(unit, 0)  # a note was looked at, if only counted in part
    assert not state.leases.is_hung(60)
    now += 61
    assert state.leases.is_hung(60)
    assert state.leases.release(run_id, unit)
    assert not state.leases.is_hung(60)


def test_leases_of_the_dead_are_taken_and_of_a_whole_run_revoked(state: State) -> None:
    run_id = plan(state, [1], [2])
    dead, alive = claim(state, run_id, "dead").unit, claim(state, run_id, "alive").unit
    assert state.leases.take_from(run_id, "dead", as_failed=True) == 1
    assert state.leases.take_from(run_id, "dead", as_failed=True) == 0
    assert not store(state, run_id, dead)
    state.leases.revoke(run_id, as_failed=False)
    state.leases.renew(SECONDS)
    assert not store(state, run_id, alive)
    again = [claim(state, run_id, "new") for _ in range(2)]
    assert [found.unit.attempt for found in again] == [2, 2]
    assert rows(state, run_id, "failures") == [(1,), (0,)]


def test_a_unit_that_comes_back_without_a_result_is_nobodys_until_the_next_attempt(
    state: State,
) -> None:
    run_id = plan(state, [1], [2])
    lost, stored = claim(state, run_id).unit, claim(state, run_id).unit
    assert store(state, run_id, stored)
    assert not state.leases.mark_unreturned(run_id, stored)
    assert state.leases.mark_unreturned(run_id, lost)
    assert state.leases.is_finished(run_id)
    assert state.progress(run_id) == (1, 2)
    state.leases.revoke(run_id, as_failed=True)
    assert claim(state, run_id).unit.index == lost.index


def test_a_worker_of_an_abandoned_run_claims_and_writes_nothing(state: State) -> None:
    before = plan(state, [1, 2], [3])
    stale = claim(state, before, "stale").unit
    run_id = plan(state, [1, 2])
    assert state.leases.claim(before, "stale", SECONDS) is None
    assert state.leases.is_finished(before)
    ends = rows(state, before, "lease_ends")
    state.leases.renew(2 * SECONDS)
    assert rows(state, before, "lease_ends") == ends
    refused = [
        FailedNote(k, 1, NONE, NONE, NONE, "residue", "Unsafe", "residue", "", None) for k in (1, 2)
    ]
    unit = claim(state, run_id).unit
    assert state.commit_unit(run_id, unit, UnitResult([1, 2], [], [], refused, "{}"))
    assert not store(state, before, stale)
    state.set_phase(run_id, "publishing")
    assert not store(state, before, stale)
    state.finish(run_id, "{}")
    assert not store(state, before, stale)
    assert state.read_staged() == []
    assert state.count_outcomes() == {"quarantined": 2}


def test_nothing_is_written_to_a_run_that_is_published(state: State) -> None:
    run_id = plan(state, [1], [2])
    late = claim(state, run_id).unit
    state.set_phase(run_id, "publishing")
    assert state.leases.claim(run_id, "two", SECONDS) is None
    assert not store(state, run_id, late)
    assert state.read_staged() == []


def test_what_drives_an_abandoned_run_ends(state: State) -> None:
    run_id = plan(state, [1])
    assert store(state, run_id, claim(state, run_id).unit)
    state.finish(plan(state, [1]), "{}")
    drives = [
        lambda: state.plan(run_id, []),
        lambda: state.set_phase(run_id, "publishing"),
        lambda: state.finish(run_id, "{}"),
        lambda: list(state.find_deleted(run_id)),
    ]
    for drive in drives:
        with pytest.raises(RunEnded, match=f"run {run_id} was abandoned"):
            drive()


def test_another_release_of_a_unit_counts_nothing(state: State) -> None:
    run_id = plan(state, [1])
    for _ in range(MOST_FAILURES + 1):
        assert state.leases.release(run_id, claim(state, run_id).unit)
    assert not claim(state, run_id).unit.is_condemned


# Notes that end their worker ---------------------------------------------------------------------


def test_a_unit_that_fails_is_halved_until_the_note_is_alone(state: State) -> None:
    run_id = plan(state, list(range(10, 17)), [20])
    failures = 0
    while True:
        unit = claim(state, run_id).unit
        if unit.is_condemned:
            break
        if 13 in ids_of(unit):
            failures += 1
            assert state.leases.fail(run_id, unit, "detect failed on unit 0: ValueError")
        else:
            assert store(state, run_id, unit)
    assert ids_of(unit) == [13]
    # Three times whole, once in each of two halves, three times alone.
    assert failures == 3 + 2 + 3
    assert state.progress(run_id)[1] == 8
    assert state.count_done(run_id, 0, 1) == state.progress(run_id)[0] < 8
    while failures < 3 + 2 + HOPELESS:
        state.leases.fail(run_id, unit, "read failed")
        failures += 1
        again = claim(state, run_id)
        unit = again.unit
    assert again.is_hopeless
    assert store(state, run_id, unit)
    while (left := state.leases.claim(run_id, "one", SECONDS)) is not None:
        assert store(state, run_id, left.unit)
    assert state.leases.is_finished(run_id)
    assert state.read_entries(range(30)).keys() == {*range(10, 17), 20}
    assert len(list(state.read_tallies(run_id))) == len(rows(state, run_id, "unit"))


def test_where_every_note_fails_the_run_ends(state: State) -> None:
    run_id = plan(state, list(range(40)))
    with pytest.raises(UnitsFailed, match=r"11 notes failed.*detect failed on unit 5: ValueError"):
        for _ in range(200):
            unit = claim(state, run_id).unit
            if unit.is_condemned:
                assert store(state, run_id, unit)
            else:
                state.leases.fail(run_id, unit, "detect failed on unit 5: ValueError")
    assert len(state.read_entries(range(40))) == 10


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 9, 17, 500])
def test_how_often_one_note_ends_its_worker(workers: list[State], size: int) -> None:
    ends = []
    # The first and the last note are in the smaller and in the larger halves.
    for note_id in {0, size - 1}:
        run_id = plan(workers[0], list(range(size)))
        ended = 0
        while (claimed := workers[0].leases.claim(run_id, "one", SECONDS)) is not None:
            if note_id not in ids_of(claimed.unit) or claimed.is_hopeless:
                assert store(workers[0], run_id, claimed.unit)
                continue
            ended += 1
            assert workers[0].leases.take_from(run_id, "one", as_failed=True) == 1
        ends.append(ended)
    # As many notes as may be condemned in a small run.
    assert count_most_deaths(size) == 10 * max(ends)


# A random schedule -------------------------------------------------------------------------------

ACTIONS = st.tuples(
    st.sampled_from(["claim", "claim", "write", "write", "expire", "fail", "renew", "die"]),
    st.integers(0, 2),
)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[State]]:
    folder = tmp_path_factory.mktemp("leases")
    opened = [open_state(StateSettings("sqlite:///s.db"), folder) for _ in range(3)]
    yield opened
    for state in opened:
        state.close()


@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3), schedule=st.lists(ACTIONS))
def test_every_unit_is_written_once_by_the_holder_of_its_lease(
    workers: list[State], sizes: list[int], schedule: list[tuple[str, int]]
) -> None:
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    run_id = plan(workers[0], *[[*range(a, a + n)] for a, n in zip(starts, sizes, strict=True)])
    owner: dict[int, tuple[int, Unit] | None] = {}
    in_hand: list[list[Unit]] = [[], [], []]
    written: dict[int, int] = dict.fromkeys(range(sum(sizes)), 0)

    def take(number: int) -> bool:
        found = workers[number].leases.claim(run_id, f"worker-{number}", SECONDS)
        if found is None:
            return False
        in_hand[number].append(found.unit)
        owner.update(dict.fromkeys(ids_of(found.unit), (number, found.unit)))
        return True

    def write(number: int) -> None:
        unit = in_hand[number].pop(0)
        is_holder = all(owner[note_id] == (number, unit) for note_id in ids_of(unit))
        assert store(workers[number], run_id, unit) == is_holder
        for note_id in ids_of(unit) if is_holder else ():
            written[note_id] += 1

    def lose(is_lost: Any) -> None:
        owner.update({k: None for k, held in owner.items() if held and is_lost(held)})

    for action, number in schedule:
        if action == "claim":
            take(number)
        elif action == "expire":
            # It is still the holder until somebody claims the unit, or it renews the lease.
            run_out(workers[number], run_id)
        elif action == "renew":
            workers[number].leases.renew(SECONDS)
        elif action == "die":
            workers[number].leases.take_from(run_id, f"worker-{number}", as_failed=True)
            lose(lambda held, number=number: held[0] == number and not written[ids_of(held[1])[0]])
        elif in_hand[number] and action == "fail":
            unit = in_hand[number].pop(0)
            workers[number].leases.fail(run_id, unit, "failed")
            lose(lambda held, number=number, unit=unit: held == (number, unit))
        elif in_hand[number]:
            write(number)
    for number in range(3):
        while in_hand[number]:
            write(number)
    run_out(workers[0], run_id)
    while take(0):
        write(0)
    assert set(written.values()) == {1}
    assert workers[0].leases.is_finished(run_id)


# Real processes ----------------------------------------------------------------------------------

WORKER = (
    "import sys; from pathlib import Path\n"
    "from pipeline.state.ledger import *; from pipeline.config.settings import StateSettings\n"
    "url, base, run = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])\n"
    "state = open_state(StateSettings(url), base)\n"
    "unit = state.leases.claim(run, 'process', 1.0).unit\n"
    "print('claimed', flush=True); sys.stdin.readline()\n"
    "notes = [StagedNote(i, 1, bytes(16), bytes(16), bytes(16), b'process', b'{}', 'k', None, 1)\n"
    "         for i in range(unit.low, unit.high + 1)]\n"
    "print(state.commit_unit(run, unit, UnitResult([1, 2], [], notes, [], '{}')))\n"
)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_process_that_is_killed_or_stopped_beyond_its_lease_writes_nothing(
    database_url: str, state: State, tmp_path: Path, number: int
) -> None:
    run_id = plan(state, [1, 2])
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, database_url, str(tmp_path), str(run_id)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "claimed\n"
        os.kill(process.pid, number)
        assert rows(state, run_id, "holder", "done") == [("process", 0)]
        deadline = time.monotonic() + 30
        # By the clock of the database, not by ours: one that is held cannot be claimed.
        while (found := state.leases.claim(run_id, "other", SECONDS)) is None:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert store(state, run_id, found.unit, b"other")
        if number == signal.SIGSTOP:
            os.kill(process.pid, signal.SIGCONT)
            assert process.communicate("go on\n", timeout=60)[0] == "False\n"
    assert {found.sealed for found in state.read_sealed([1, 2]).values()} == {b"other"}
    assert rows(state, run_id, "holder", "attempt", "done") == [("other", 2, 1)]
