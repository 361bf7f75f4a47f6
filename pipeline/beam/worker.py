"""One process of a run: its share of the units through an in-memory pipeline of its own."""

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import apache_beam as beam

from pipeline.beam.failures import QUARANTINE, DeadLetters, run_guarded_stage, run_pipeline
from pipeline.beam.runners import make_pipeline, refuse_passwords, split_runner
from pipeline.beam.session import close_all, tools_of
from pipeline.beam.sinks import MergeTallies, WriteBatch, WriteSummary
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.settings import Settings, load
from pipeline.night.nightly import Job, JobRunner
from pipeline.notes.batch import Batch
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.notes.stages import STAGES, read_batch
from pipeline.notes.worker_resources import WorkerResources, resolve_urls
from pipeline.state.ledger import open_state
from pipeline.warehouse.note_rows import Unit
from record.errors import ConfigError, CryptonymError, Unavailable
from record.garbage_collection import collect_garbage_rarely


class BatchCoder(beam.coders.Coder):
    """Keeps batches, which hold notes, in the process that read them.

    The chain of stages is fused, so a runner has no cause to write a batch; one that tries fails
    here instead of shuffling notes. Beam samples the size of elements by encoding them, which
    took a fifth of the run: the size is a constant.
    """

    def encode(self, value: Batch) -> NoReturn:
        """Refuse; raises TypeError."""
        raise TypeError("a batch of notes never leaves its process")

    def decode(self, encoded: bytes) -> NoReturn:
        """Refuse; raises TypeError."""
        raise TypeError("a batch of notes never leaves its process")

    def estimate_size(self, value: Batch) -> int:
        """Return a constant, for Beam's displays."""
        return 1

    def is_deterministic(self) -> bool:
        """Batches are no keys."""
        return False


beam.coders.registry.register_coder(Batch, BatchCoder)


class Step(beam.DoFn):
    """Takes a batch through one stage; the stage is found by name on the worker."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._tools: WorkerResources | None = None

    def setup(self) -> None:
        self._tools = tools_of(self._settings)

    def process(self, element: Batch) -> Iterator[Batch]:
        assert self._tools is not None
        yield run_guarded_stage(self._name, dict(STAGES)[self._name], element, self._tools)


class ProcessUnits(beam.PTransform):
    """Every stage between reading and writing, fused into one chain by the runner."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        for name, _ in STAGES:
            batches |= name.capitalize() >> beam.ParDo(Step(name, self._settings))
        return batches


class PlannedUnits(beam.PTransform):
    """The units of work of a run, spread over the workers: ranges of keys, never notes."""

    def __init__(self, units: Sequence[Unit]) -> None:
        super().__init__()
        self._units = list(units)

    def expand(self, begin: beam.Pipeline) -> beam.PCollection:
        return begin | "Units" >> beam.Create(self._units) | "Spread" >> beam.Reshuffle()


class ReadNotes(beam.DoFn):
    """Reads the notes of a unit from the warehouse into one batch.

    A unit of a backfill whose time is over is left for the next one, unless it is the first.
    """

    def __init__(self, settings: Settings, run_id: int) -> None:
        self._settings = settings
        self._run_id = run_id
        self._has_begun = False
        self._tools: WorkerResources | None = None

    def setup(self) -> None:
        self._tools = tools_of(self._settings)

    def process(self, element: Unit) -> Iterator[Batch]:
        assert self._tools is not None
        is_late = element.wanted and self._has_begun and self._tools.state.is_over(self._run_id)
        self._has_begun = True
        if is_late:
            return
        empty = Batch(unit=element)
        yield run_guarded_stage(
            "read", lambda batch, tools: read_batch(batch.unit, tools), empty, self._tools
        )


@dataclass(frozen=True)
class UnitShare:
    """What one pipeline works on: units of a run, and where its combined counts go."""

    settings: Settings
    run_id: int
    units: Sequence[Unit]
    summary: Path


def build_nightly_graph(
    pipeline: beam.Pipeline, share: UnitShare, *, between: beam.PTransform | None = None
) -> beam.PCollection:
    """Lay out the graph of a share of a run.

    No note ever crosses a shuffle: units do, and counts. `between` is put between rewriting and
    writing; tests lose batches there. Returns the dead letters (Failure, without payload).
    """
    settings = share.settings
    batches = (
        pipeline
        | "Plan" >> PlannedUnits(share.units)
        | "Read" >> beam.ParDo(ReadNotes(settings, share.run_id))
        | "Process units" >> ProcessUnits(settings)
    )
    if between is not None:
        batches |= "Between" >> between
    outputs = batches | "DeadLetters" >> beam.ParDo(DeadLetters()).with_outputs(
        QUARANTINE, main="batches"
    )
    tallies = outputs["batches"] | "Write" >> beam.ParDo(WriteBatch(settings, share.run_id))
    (
        tallies
        | "Sum" >> beam.CombineGlobally(MergeTallies())
        | "Summary" >> beam.ParDo(WriteSummary(share.summary))
    )
    return outputs[QUARANTINE]


EXIT_FAILED = 1
_STDIN = 0
_CODES: dict[type[CryptonymError], int] = {ConfigError: 2, Unavailable: 4}


@dataclass(frozen=True)
class WorkerShare:
    """Which part of a run this is: worker number `worker` of `workers`."""

    run_id: int
    worker: int
    workers: int


def work(
    settings: Settings,
    part: WorkerShare,
    arguments: Sequence[str],
    *,
    summary: Path,
    between: beam.PTransform | None = None,
) -> None:
    """Run the pipeline over the units of a part that are not done yet.

    Raises RunnerFailed, or an error of ours.
    """
    state = open_state(resolve_urls(settings).state, settings.base)
    try:
        units = state.pending(part.run_id, part.worker, part.workers)
    finally:
        state.close()
    if not units:
        return
    refuse_passwords(settings, arguments)
    pipeline = make_pipeline(arguments)
    build_nightly_graph(pipeline, UnitShare(settings, part.run_id, units, summary), between=between)
    run_pipeline(pipeline, "what is done stays done")


def drive_on_runner(arguments: Sequence[str]) -> JobRunner:
    """Return what runs a whole job as one pipeline, on the runner that Beam's arguments name.

    Raises ConfigError for an unsafe runner or an unknown option.
    """
    split_runner(arguments)

    def drive(job: Job) -> dict[str, int]:
        summary = job.scratch / "worker-0.json"
        work(job.settings, WorkerShare(job.run_id, 0, 1), arguments, summary=summary)
        return {}

    return drive


def main() -> int:
    """Work as a child of `cryptonym run`; prints one line of JSON about how it ended."""

    def do_share(options: argparse.Namespace) -> None:
        part = WorkerShare(options.run, options.worker, options.workers)
        work(load(options.config), part, [], summary=options.summary)

    return serve(do_share)


def serve(do_share: Callable[[argparse.Namespace], None]) -> int:
    """Do a share of the work as a child process; prints one line of JSON about how it ended."""
    parser = argparse.ArgumentParser(prog="python -m pipeline.beam.worker")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--run", type=int, required=True)
    parser.add_argument("--worker", type=int, required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--summary", type=Path, required=True)
    options = parser.parse_args()

    # End this process when the supervisor is gone: its end of our standard input closes
    def wait() -> None:
        # Not through sys.stdin: its lock would be held when the interpreter ends.
        while os.read(_STDIN, 1):
            pass
        os._exit(EXIT_FAILED)

    threading.Thread(target=wait, daemon=True, name="parent-watch").start()
    collect_garbage_rarely()
    ended: dict[str, object] = {}
    code = 0
    try:
        drop_error_texts(lambda: do_share(options))
    except CryptonymError as error:
        code = _CODES.get(type(error), EXIT_FAILED)
        ended = {"error": type(error).__name__, "message": str(error)}
    finally:
        close_all()
    ended["peak_kilobytes"] = measure_peak_kilobytes()
    sys.stdout.write(json.dumps(ended) + "\n")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
