"""One process of a run: its share of the units through an in-memory pipeline of its own."""

import argparse
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import apache_beam as beam

from pipeline.beam.failures import QUARANTINE, DeadLetters, run_pipeline
from pipeline.beam.runners import list_pipelines, make_pipeline, refuse_passwords, split_runner
from pipeline.beam.session import close_all, tools_for, tools_of
from pipeline.beam.sinks import MergeTallies, WriteBatch, WriteSummary
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.settings import Settings, load
from pipeline.night.nightly import Job, JobRunner
from pipeline.night.supervisor import run_in_workers
from pipeline.notes.batch import Batch
from pipeline.notes.claimed_units import (
    claim_units,
    count_failure,
    end_when_hung,
    run_guarded_stage,
)
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.notes.stages import STAGES, read_batch
from pipeline.notes.worker_admission import WorkerRefused
from pipeline.notes.worker_resources import WorkerResources, resolve_urls
from pipeline.state.ledger import open_state
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


@dataclass(frozen=True)
class UnitShare:
    """What one pipeline works on: units of a run, and where its combined counts go.

    Each of its `claimers` claims units, one after another, until none is left; `holder` names the
    worker process of the pipeline, empty where the runner has workers of its own.
    """

    settings: Settings
    run_id: int
    summary: Path
    claimers: int = 1
    holder: str = ""


class Step(beam.DoFn):
    """Takes a batch through one stage; the stage is found by name on the worker.

    A batch that fails as a whole leaves the graph, and its unit is claimed anew.
    """

    def __init__(self, name: str, share: UnitShare) -> None:
        self._name = name
        self._settings = share.settings
        self._run_id = share.run_id

    def process(self, element: Batch) -> Iterator[Batch]:
        tools = tools_of(self._settings)  # not in setup(): a worker that is refused has none
        done: list[Batch] = []
        with count_failure(self._run_id, element.unit, tools):
            stage = dict(STAGES)[self._name]
            done.append(run_guarded_stage(self._name, stage, element, tools))
        yield from done


class ProcessUnits(beam.PTransform):
    """Every stage between reading and writing, fused into one chain by the runner."""

    def __init__(self, share: UnitShare) -> None:
        super().__init__()
        self._share = share

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        for name, _ in STAGES:
            batches |= name.capitalize() >> beam.ParDo(Step(name, self._share))
        return batches


class Claimers(beam.PTransform):
    """The numbers of those who claim units, spread over the workers of the runner."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def expand(self, begin: beam.Pipeline) -> beam.PCollection:
        numbers = begin | "Claimers" >> beam.Create(list(range(self._count)))
        return numbers | "Spread" >> beam.Reshuffle()


class ReadNotes(beam.DoFn):
    """Claims units until none is left, and reads the notes of each into one batch.

    The stages that follow are fused with this one: a batch is committed, or has failed, when the
    next unit is claimed. A worker that is refused claims none: the others do its work, and what
    drives the run reads in the state database why.
    """

    def __init__(self, share: UnitShare) -> None:
        self._settings = share.settings
        self._run_id = share.run_id
        self._holder = share.holder

    def process(self, element: int) -> Iterator[Batch]:
        holder = self._holder or f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
        try:
            tools = tools_for(self._settings, self._run_id, holder)
        except WorkerRefused:
            return
        with closing(claim_units(tools, self._run_id, holder)) as units:
            for unit in units:
                read: list[Batch] = []
                with count_failure(self._run_id, unit, tools):
                    read.append(run_guarded_stage("read", _read, Batch(unit=unit), tools))
                yield from read


def _read(batch: Batch, tools: WorkerResources) -> Batch:
    return read_batch(batch.unit, tools)


def build_nightly_graph(
    pipeline: beam.Pipeline, share: UnitShare, *, between: beam.PTransform | None = None
) -> beam.PCollection:
    """Lay out the graph of a share of a run.

    No note ever crosses a shuffle: numbers do, and counts. `between` is put between rewriting and
    writing; tests lose batches there. Returns the dead letters (Failure, without payload).
    """
    batches = (
        pipeline
        | "Plan" >> Claimers(share.claimers)
        | "Read" >> beam.ParDo(ReadNotes(share))
        | "Process units" >> ProcessUnits(share)
    )
    if between is not None:
        batches |= "Between" >> between
    outputs = batches | "DeadLetters" >> beam.ParDo(DeadLetters()).with_outputs(
        QUARANTINE, main="batches"
    )
    tallies = outputs["batches"] | "Write" >> beam.ParDo(WriteBatch(share.settings, share.run_id))
    (
        tallies
        | "Sum" >> beam.CombineGlobally(MergeTallies())
        | "Summary" >> beam.ParDo(WriteSummary(share.summary))
    )
    return outputs[QUARANTINE]


EXIT_FAILED = 1
_STDIN = 0
_CODES: dict[type[CryptonymError], int] = {ConfigError: 2, Unavailable: 4}


def work(
    share: UnitShare, arguments: Sequence[str], *, between: beam.PTransform | None = None
) -> None:
    """Run the pipeline over the units of a run that are not done yet.

    Raises RunnerFailed, or an error of ours.
    """
    settings = share.settings
    with closing(open_state(resolve_urls(settings).state, settings.base)) as state:
        if not state.count_pending(share.run_id):
            return
    refuse_passwords(settings, arguments)
    pipeline = make_pipeline(arguments)
    build_nightly_graph(pipeline, share, between=between)
    run_pipeline(pipeline, "what is done stays done")


def drive_on_runner(arguments: Sequence[str]) -> JobRunner:
    """Return what runs a whole job as one pipeline, on the runner that Beam's arguments name.

    Where workers may die without this process, it is in one of its own, which is started again;
    several worker pools get a pipeline each, and all claim units of the job. Raises ConfigError for
    an unsafe runner or an unknown option.
    """
    split_runner(arguments)

    def drive(job: Job) -> dict[str, int]:
        if pipelines := list_pipelines(arguments, job.workers):
            refuse_passwords(job.settings, arguments)
            return run_in_workers(replace(job, workers=len(pipelines), arguments=pipelines))
        summary = job.scratch / "worker-0.json"
        work(UnitShare(job.settings, job.run_id, summary, job.workers), arguments)
        return {}

    return drive


def main() -> int:
    """Work as a child of `cryptonym run`; prints one line of JSON about how it ended."""

    def do_share(options: argparse.Namespace) -> None:
        holder = options.summary.stem
        share = UnitShare(
            load(options.config), options.run, options.summary, options.claimers, holder
        )
        work(share, options.beam)

    return serve(do_share)


def serve(do_share: Callable[[argparse.Namespace], None]) -> int:
    """Do a share of the work as a child process; prints one line of JSON about how it ended."""
    parser = argparse.ArgumentParser(prog="python -m pipeline.beam.worker")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--run", type=int, required=True)
    parser.add_argument("--worker", type=int, required=True)
    parser.add_argument("--summary", type=Path, required=True)
    parser.add_argument("--claimers", type=int, default=1)
    options, rest = parser.parse_known_args()
    options.beam = rest

    # End this process when the supervisor is gone: its end of our standard input closes
    def wait() -> None:
        # Not through sys.stdin: its lock would be held when the interpreter ends.
        while os.read(_STDIN, 1):
            pass
        if os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)  # what this process has started for a runner, too
        os._exit(EXIT_FAILED)

    threading.Thread(target=wait, daemon=True, name="parent-watch").start()
    collect_garbage_rarely()
    end_when_hung()
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
