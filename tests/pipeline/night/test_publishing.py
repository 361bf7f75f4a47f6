"""The output is written only while the run has the lock of the state database."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from pipeline.night import publishing
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.night.publishing import fence
from pipeline.state.ledger import State
from pipeline.state.run_lock import Held, RunLock
from pipeline.warehouse.sql_output import Output
from tests.pipeline.conftest import Site

READS = {"close", "ids", "note_persons", "person_ids", "text", "digest", "origin", "description"}
READS |= {"filled_tables", "find_changed"}


def test_every_write_is_fenced() -> None:
    methods = {name for name, _ in inspect.getmembers(Output, inspect.isfunction) if name[0] != "_"}
    assert methods == READS | publishing._WRITES
    calls: list[str] = []

    class Recorder:
        def __getattr__(self, name: str) -> Callable[..., None]:
            return lambda *_: calls.append(name)

    recorder: Any = Recorder()
    for name in sorted(methods):
        fenced: Any = fence(recorder, lambda: calls.append("lock"))
        getattr(fenced, name)()
        assert calls == (["lock", name] if name in publishing._WRITES else [name])
        calls.clear()


def test_a_run_that_lost_the_lock_while_it_published_writes_no_more(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_staged = State.read_staged
    lost: list[bool] = []

    def keep(_: RunLock) -> None:
        if lost:
            raise Held("state", "another run holds the lock", "wait")

    def read_and_lose(*arguments: Any, **options: Any) -> Any:
        lost.append(True)
        return read_staged(*arguments, **options)

    monkeypatch.setattr(RunLock, "keep", keep)
    monkeypatch.setattr(State, "read_staged", read_and_lose)
    with pytest.raises(Held):
        run_nightly(site.config, run_in_process)
    assert site.released() == {}
    monkeypatch.undo()
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.released()
