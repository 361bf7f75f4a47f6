"""Batches on RunInference: one model a process, one batch at a time, and no text in what fails."""

import io
import logging
import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import apache_beam as beam
import psutil
import pytest
from apache_beam.ml.inference.base import RunInference

from pipeline.beam import filling, generation
from pipeline.beam.failures import RunnerFailed
from pipeline.beam.inference import CountWritten, run_batches
from pipeline.beam.metrics import NAMESPACE
from pipeline.beam.runners import make_pipeline
from pipeline.beam.worker_pool import LOOPBACK, WorkerPool
from record.errors import ConfigError
from synthesis.filling_files import FillingJob
from synthesis.generation_files import Generation
from tests.pipeline.beam.tracing_handlers import CANARY, Loaded, TracingHandler


def loaded_by_process(folder: Path) -> Counter[str]:
    return Counter((folder / "loaded").read_text().split())


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """All that is logged, Beam's own lines among it."""
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    logging.getLogger().addHandler(handler)
    yield said
    logging.getLogger().removeHandler(handler)


def test_a_process_loads_one_model_for_all_batches(tmp_path: Path) -> None:
    run_batches(TracingHandler(tmp_path), range(40), [])
    assert loaded_by_process(tmp_path) == {str(os.getpid()): 1}
    assert len(list(tmp_path.glob("part-*"))) == 40


def test_each_process_of_a_pool_loads_one_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = str(Path(__file__).parent)
    path = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.syspath_prepend(here)
    handler = import_module("tracing_handlers").TracingHandler(tmp_path)
    with WorkerPool(LOOPBACK, 0, lambda line: None) as pool:
        external = ["--environment_type=EXTERNAL", f"--environment_config={pool.address}"]
        run_batches(handler, range(10), external)
    loaded = loaded_by_process(tmp_path)
    assert set(loaded.values()) == {1} and str(os.getpid()) not in loaded
    assert len(list(tmp_path.glob("part-*"))) == 10


@pytest.mark.parametrize("units", [[0], list(range(25))])
def test_beam_hands_over_one_batch_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, units: Sequence[int]
) -> None:
    lengths, lock = list[int](), threading.Lock()
    run = TracingHandler.run_inference

    def counting(
        self: TracingHandler, batch: Sequence[int], model: Loaded, given: None = None
    ) -> object:
        with lock:
            lengths.append(len(batch))
        return run(self, batch, model, given)

    monkeypatch.setattr(TracingHandler, "run_inference", counting)
    run_batches(TracingHandler(tmp_path), units, [])
    assert lengths == [1] * len(units)


@pytest.mark.parametrize("failing", ["open", "write"])
def test_what_fails_says_no_text(tmp_path: Path, logged: io.StringIO, failing: str) -> None:
    with pytest.raises(RunnerFailed) as caught:
        run_batches(TracingHandler(tmp_path, failing), range(3), [])
    assert "ValueError" in str(caught.value)
    assert CANARY not in str(caught.value) + repr(caught.value) + logged.getvalue()
    cause: BaseException | None = caught.value
    while cause is not None:
        assert CANARY not in repr(cause)
        cause = cause.__cause__


def test_metrics_hold_numbers_under_fixed_names(tmp_path: Path) -> None:
    pipeline = make_pipeline([])
    written = pipeline | beam.Create([1, 2, 3]) | RunInference(TracingHandler(tmp_path))
    written | "Count" >> beam.ParDo(CountWritten())
    result = pipeline.run()
    result.wait_until_finish()
    held = result.metrics().query()
    counters = {each.key.metric.name: each.committed for each in held["counters"]}
    assert counters["written"] == 6 and counters["num_inferences"] == 3
    keys = [each.key for kind in held.values() for each in kind]
    assert {key.metric.namespace for key in keys} >= {NAMESPACE}
    assert CANARY not in str(held)


def listening() -> set[object]:
    """The addresses on which this process and those it started can be reached."""
    this = psutil.Process()
    return {
        found.laddr
        for process in (this, *this.children(recursive=True))
        for found in process.net_connections(kind="inet")
        if found.status == psutil.CONN_LISTEN
    }


def test_no_model_is_served_on_a_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, during = listening(), list[set[object]]()
    write = TracingHandler.write

    def looking(self: TracingHandler, model: Loaded, unit: int) -> Mapping[str, int]:
        during.append(listening())
        return write(self, model, unit)

    monkeypatch.setattr(TracingHandler, "write", looking)
    run_batches(TracingHandler(tmp_path), range(2), [])
    assert len(during) == 2 and set().union(*during) <= before


def test_generation_and_filling_are_planned_alike(tmp_path: Path) -> None:
    generating = generation.GenerationHandler(Generation(tmp_path, tmp_path, tmp_path, 1, 1, 1))
    refilling = filling.FillingHandler(FillingJob(tmp_path, tmp_path, tmp_path, 1, 1, 1))
    for handler in (generating, refilling):
        assert not handler.share_model_across_processes()
        assert handler.batch_elements_kwargs() == {"min_batch_size": 1, "max_batch_size": 1}
        with pytest.raises(ConfigError):  # an error of ours, which says what to do
            handler.load_model()
