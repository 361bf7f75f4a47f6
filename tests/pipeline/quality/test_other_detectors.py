"""The gate after a change of detectors: what depends on them is learned anew, the rest is not."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from pipeline.config.settings import QualitySettings, StateSettings
from pipeline.quality.drift import judge
from pipeline.quality.gate import BACKFILL, Assessment, Gate, assess_backfill, assess_run
from pipeline.state.ledger import State, open_state
from pipeline.state.quality_counts import CountCell, Series
from pipeline.state.quality_series import RunCounts
from pipeline.state.quality_store import Alarm

START = date(2024, 3, 4)
OLD, NEW = "floor-10 settings:00", "floor-11 settings:11"
SETTINGS = QualitySettings(min_days=5)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with closing(open_state(StateSettings(), tmp_path)) as opened:
        yield opened


def counts(night: int, found: float, notes: int = 200) -> Counter[CountCell]:
    """A night's notes, of which each has so many names; nights vary a little."""
    names = round(notes * found * (0.99, 1.0, 1.01)[night % 3])
    return Counter(
        {
            CountCell("worked"): notes,
            CountCell("notes"): notes,
            CountCell("characters"): 900 * notes,
            CountCell("spans", "LAST_NAME", "rules"): names,
            CountCell("span-squares", "LAST_NAME"): names,
        }
    )


def assess(
    state: State, night: int, version: str, cells: Counter[CountCell], config: str = ""
) -> Assessment:
    run = RunCounts(
        night + 1, START + timedelta(night), config or version[-2:], cells, version=version
    )
    return assess_run(state.quality, run, SETTINGS, Gate(judge))


@pytest.mark.parametrize(("version", "is_held"), [(OLD, True), (NEW, False)])
def test_what_other_detectors_find_is_no_fault(state: State, version: str, is_held: bool) -> None:
    for night in range(20):
        assess(state, night, OLD, counts(night, 3.0))
    for night in range(20, 23):
        ended = assess(state, night, version, counts(night, 5.0))
        assert ended.is_held == is_held
        assert bool(ended.baseline) != is_held
    assert ended.conclusion == ("held" if is_held else "learning")
    told = "no baseline of these detectors yet: 2 of 5 nights, 20 of other detectors"
    assert (told in ended.baseline) != is_held


def test_a_fault_is_held_again_once_there_is_a_baseline(state: State) -> None:
    for night in range(20):
        assess(state, night, OLD, counts(night, 3.0))
    for night in range(20, 32):
        ended = assess(state, night, NEW, counts(night, 5.0))
        assert ended.conclusion == ("learning" if night < 25 else "clean")
    assert assess(state, 32, NEW, counts(32, 3.0)).is_held


def test_volumes_do_not_depend_on_detectors(state: State) -> None:
    for night in range(20):
        assess(state, night, OLD, counts(night, 3.0))
    assess(state, 20, NEW, counts(20, 5.0))
    lost = assess(state, 21, NEW, counts(21, 5.0, notes=4))
    assert lost.is_held
    assert [alarm.series for alarm in lost.alarms if alarm.holds] == [Series("notes")]


def test_nights_of_an_earlier_program_are_like_those_of_the_same_configuration(
    state: State,
) -> None:
    for night in range(20):
        assess(state, night, "floor-11", counts(night, 3.0), config="c")
    assert assess(state, 20, NEW, counts(20, 5.0), config="c").is_held


def test_a_backfill_is_in_no_night_and_held_only_for_what_it_withdraws(state: State) -> None:
    for night in range(20):
        assess(state, night, NEW, counts(night, 3.0))
    again = RunCounts(50, START + timedelta(20), "11", {}, version=BACKFILL)
    gate = Gate(judge)
    assert assess_backfill(state.quality, again, SETTINGS, gate).conclusion == "unjudged"
    assert len(state.quality.runs()) == 20
    excess = Alarm(Series("withdrawn"), "notes", 90, 0, 0, 5, 0, 0, 100, False, False)
    held = assess_backfill(state.quality, again, SETTINGS, Gate(judge, excesses=(excess,)))
    assert held.is_held
    run = RunCounts(60, START + timedelta(21), "11", counts(21, 3.0), version=NEW)
    next_night = assess_run(state.quality, run, SETTINGS, gate)
    assert (next_night.conclusion, next_night.nights) == ("clean", 20)
    assert next_night.other_nights == 0
