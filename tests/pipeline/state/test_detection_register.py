"""The register of configurations: what detected, when last, and that nobody else wrote it."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, insert, text

from pipeline.config.settings import StateSettings
from pipeline.state.detection_register import Detectors
from pipeline.state.ledger import State, open_state
from pipeline.state.row_codes import AlteredState
from pipeline.state.span_sealing import StateKeys
from pipeline.state.tables import ACCEPTED_CONFIG, LEDGER, RUN
from surrogates.keys.keys import MasterKey

A, B, C = b"a" * 16, b"b" * 16, b"c" * 16
DETECTORS = Detectors("floor-10", "floor-10 settings:1", "key", "policy")
KEYS = StateKeys(MasterKey(bytes(32)))


@pytest.fixture
def state(database_url: str, tmp_path: Path) -> Iterator[State]:
    with closing(open_state(StateSettings(database_url), tmp_path, KEYS)) as opened:
        yield opened


def execute(url: str, statement: Any, values: Any = None) -> None:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(statement, values)
    engine.dispose()


def test_earlier_configurations_tell_what_detected_and_when(state: State) -> None:
    state.detections.register(A, [], DETECTORS)
    state.detections.register(B, [C], DETECTORS)
    assert state.detections.read_accepted(B) == {B, C}
    (earlier,) = state.detections.read_earlier(B)
    assert (earlier.config, earlier.detectors) == (A, DETECTORS)
    assert datetime.now(UTC) - earlier.last_used < timedelta(minutes=10)
    assert {each.config for each in state.detections.read_earlier(C)} == {A, B}


@pytest.mark.parametrize("column", ["about", "code"])
def test_what_somebody_else_wrote_is_refused_until_a_run_removes_it(
    state: State, database_url: str, column: str
) -> None:
    state.detections.register(A, [], DETECTORS)
    later = json.dumps({"version": "floor-11", "last_used": "2199-01-01T00:00:00+00:00"})
    change = {"about": later, "code": b"x" * 32}[column]
    statement = text(f"update accepted_config set {column} = :value")
    execute(database_url, statement, {"value": change})
    with pytest.raises(AlteredState, match="accepted configurations"):
        state.detections.read_earlier(B)
    state.detections.register(B, [], DETECTORS)
    assert state.detections.read_earlier(B) == []


@pytest.mark.parametrize("has_run", [True, False])
def test_rows_of_the_version_before_are_read_with_the_history_of_runs(
    state: State, database_url: str, has_run: bool
) -> None:
    row = {"config": A, "accepted": A, "code": KEYS.code_configs(A + A), "about": None}
    execute(database_url, insert(ACCEPTED_CONFIG), [row])
    told = {"detector_version": "floor-9", "key_id": "key", "policy_id": "policy"}
    run = {"run_id": 1, "config": A, "phase": "finished", "started": "2026-01-02T01:00:00+00:00"}
    if has_run:
        execute(database_url, insert(RUN), [run | {"about": json.dumps(told)}])
        (earlier,) = state.detections.read_earlier(B)
        assert earlier.detectors == Detectors("floor-9", "floor-9", "key", "policy")
        assert earlier.last_used == datetime(2026, 1, 2, 1, tzinfo=UTC)
    else:
        assert state.detections.read_earlier(B) == []


def test_stale_notes_are_those_of_a_configuration_that_wait_for_nothing(
    state: State, database_url: str
) -> None:
    def row(note_id: int, config: bytes, outcome: int) -> dict[str, Any]:
        fixed = {"content": b"", "identity": b"", "was_released": 1}
        return fixed | {"note_id": note_id, "config": config, "outcome": outcome}

    rows = [row(1, A, 2), row(2, A, 1), row(3, B, 2), row(4, C, 2), row(5, C, 3)]
    execute(database_url, insert(LEDGER), rows)
    assert state.detections.find_stale(range(1, 9), [A, C]) == {1, 4, 5}
    for config in (A, B):
        state.detections.register(config, [], DETECTORS)
    assert state.detections.forget_unused([A, b"d" * 16, C]) == [A, C]
    assert {each.config for each in state.detections.read_earlier(b"d" * 16)} == {A, B}
