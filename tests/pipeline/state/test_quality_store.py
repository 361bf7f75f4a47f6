"""What the quality gate keeps, in each kind of state database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pipeline.config.settings import QualitySettings, StateSettings
from pipeline.quality.gate import Gate, assess_run
from pipeline.state.ledger import State, UnitResult, open_state
from pipeline.state.quality_counts import CountCell, Series
from pipeline.state.quality_series import RunCounts
from pipeline.state.quality_store import KEPT_DAYS, Alarm, GateDecision, QualityStore
from pipeline.state.unit_results import FailedNote, Fingerprint, StagedNote
from pipeline.warehouse.note_rows import Unit

NIGHT = date(2024, 3, 4)
PLACE = {"kind": "k", "site": "north", "extractor": "pdf", "day": "2024-03-04"}
CELLS = {
    CountCell("notes", **PLACE): 3,
    CountCell("worked", kind="k", site="north", day="2024-03-04"): 3,
}
ALARM = Alarm(Series("dates", "9999-99-99"), "d", 9.0, 1.0, 0.0, 2.0, 1e-9, 30, 9.0, False, False)


@pytest.fixture
def state(database_url: str, tmp_path: Path) -> Iterator[State]:
    opened = open_state(StateSettings(database_url), tmp_path)
    yield opened
    opened.close()


def staged(note_id: int, content: bytes) -> StagedNote:
    return StagedNote(
        note_id=note_id, person_id=1, content=content, identity=b"", config=b"c", sealed=b"s",
        payload=b"{}", kind="k", day="2024-03-04", characters=7,
    )  # fmt: skip


def refused(note_id: int) -> FailedNote:
    return FailedNote(
        note_id=note_id, person_id=1, content=b"x", identity=b"", config=b"c", stage="extract",
        error="Unreadable", reason="broken", kind="k", day=None,
    )  # fmt: skip


def work(
    state: State, prints: dict[Any, Any], *, failures: Sequence[Any] = (), content: bytes = b"a"
) -> int:
    """A run whose only unit stages notes with these fingerprints; returns its number."""
    run = state.begin(b"c", fresh=True)
    ids = [*prints, *failures]
    unit = Unit(0, "", min(ids), max(ids), len(ids))
    state.plan(run.run_id, [(unit, ids)])
    done = UnitResult(
        read_ids=ids, unchanged_ids=[], releases=[staged(k, content) for k in prints],
        failures=[refused(k) for k in failures], tally="{}",
        prints=[Fingerprint(k, value, **PLACE) for k, value in prints.items()],
    )  # fmt: skip
    state.commit_unit(run.run_id, unit, done)
    return run.run_id


def counted(run_id: Any, night: Any = NIGHT, cells: Any = CELLS) -> Any:
    return RunCounts(run_id, night, "c", cells)


def held(state: State) -> list[Any]:
    return [note.note_id for note in state.read_staged()]


def test_counts_are_stored_once_however_often_they_are_stored(state: State) -> None:
    quality = state.quality
    for cells in ({CountCell("notes"): 9}, CELLS, CELLS):
        quality.store_counts(counted(1, cells=cells))
    assert quality.cells([1]) == CELLS
    quality.store_counts(counted(2))
    assert quality.cells([1, 2])[CountCell("notes", **PLACE)] == 6
    (second, first) = quality.runs()
    assert (first.notes, first.night, first.conclusion) == (3, NIGHT, "unjudged")
    assert quality.runs(1) == [second] == quality.runs(since=NIGHT)[:1]
    quality.store_counts(counted(3, NIGHT + timedelta(days=KEPT_DAYS + 1)))
    assert not quality.cells([1, 2])
    assert len(quality.runs()) == 3


def test_copies_are_told_by_patient_and_text_whatever_their_id(state: State) -> None:
    first = work(state, {1: 11, 2: 22})
    second = work(state, {3: 11, 4: 44, 5: 44, 6: 66})
    assert state.quality.count_duplicates(first) == {}
    assert state.quality.count_duplicates(second) == {CountCell("copies", **PLACE): 2}
    # Done again, all of them, the first of each is no copy; and a note that is gone has none.
    again = work(state, {1: 11, 2: 22, 3: 11, 4: 44, 5: 44, 6: 66})
    assert state.quality.count_duplicates(again) == {CountCell("copies", **PLACE): 2}
    state.forget([4])
    work(state, {7: 70}, failures=[1])
    assert state.quality.count_duplicates(again) == {}


def test_what_is_held_is_not_published_until_it_is_accepted(state: State) -> None:
    run = work(state, {1: 1, 2: 2})
    state.quality.store_counts(counted(run))
    for _ in range(2):
        state.quality.store_verdict(run, "held", [ALARM])
    assert held(state) == []
    (known,) = state.quality.runs()
    assert (known.held, known.waits, known.alarms) == (2, True, (ALARM,))
    later = work(state, {2: 5, 3: 3}, content=b"b")
    assert held(state) == [2, 3]  # another version of 2, which this run made
    assert [note.note_id for note in state.read_staged(accepted=run)] == []
    decision = GateDecision(run, "accepted", "me", "right", new_normal=True)
    assert state.quality.decide(decision) == decision
    assert state.quality.decide(replace(decision, reason="other")).reason == "right"
    assert [note.note_id for note in state.read_staged(accepted=run)] == [1]
    assert [note.note_id for note in state.read_staged(accepted=later)] == []
    state.mark_published(state.read_staged(accepted=run))
    assert held(state) == [2, 3]
    assert len(state.quality.decisions()) == 1
    assert not state.quality.runs()[-1].waits


@pytest.mark.parametrize("again", [False, True])
def test_what_is_refused_is_in_quarantine(state: State, again: bool) -> None:
    run = work(state, {1: 1, 2: 2})
    state.quality.store_counts(counted(run))
    state.quality.store_verdict(run, "held", [ALARM])
    state.quality.decide(GateDecision(run, "rejected", "me", "wrong", again=again))
    assert state.quality.runs()[0].is_half_done
    assert state.quality.reject(run, again=again) == 2
    assert not state.quality.runs()[0].is_half_done
    assert state.quality.reject(run, again=again) == 0
    assert state.count_outcomes() == {"quarantined": 2}
    assert {note.reason for note in state.read_quarantined(9)} == {"run-rejected"}
    assert state.read_entries([1])[1].content == (b"" if again else b"a")
    assert state.quality.count_duplicates(run) == {}


def test_tables_that_are_missing_are_made(database_url: str, tmp_path: Path) -> None:
    state = open_state(StateSettings(database_url), tmp_path)
    with state._engine.begin() as connection:
        for name in ("run", "count", "print", "held", "decision"):
            connection.execute(text(f"drop table quality_{name}"))
    state.close()
    state = open_state(StateSettings(database_url), tmp_path)
    assert state.quality.runs() == []
    state.close()


def test_runs_without_alarm_are_read_once_for_all_that_one_gate_judges(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(lambda tracks, allowance: [])
    settings = QualitySettings()
    reads: list[Sequence[int]] = []
    cells = QualityStore.cells

    def read(store: QualityStore, run_ids: Sequence[int]) -> Mapping[CountCell, int]:
        reads.append(run_ids)
        return cells(store, run_ids)

    monkeypatch.setattr(QualityStore, "cells", read)
    for number in range(1, 5):
        night = NIGHT + timedelta(days=(number + 1) // 2)
        found = assess_run(state.quality, counted(number, night), settings, gate)
        assert found.conclusion == "learning"
    assert reads == [(1,), (1, 2), (3,)]
    # A second run of the night that did nothing is not counted.
    assert assess_run(state.quality, counted(5, night, {}), settings, gate).nights == 0
    assert len(state.quality.runs()) == 4
