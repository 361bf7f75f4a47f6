"""A release on Apache Beam: workers that claim its units, on whatever runner the arguments name."""

import argparse
import json
import os
import socket
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import apache_beam as beam

from pipeline.beam.failures import run_pipeline
from pipeline.beam.runners import list_pipelines, make_pipeline, refuse_passwords, split_runner
from pipeline.beam.sinks import WriteSummary
from pipeline.beam.worker import Claimers, serve
from pipeline.config.settings import load
from pipeline.night.nightly import Job, JobRunner
from pipeline.night.supervisor import run_in_workers
from pipeline.release.staging import LEASED
from pipeline.release.worker import ReleasePlace, join_staging, make_release_units


@dataclass(frozen=True)
class ReleaseShare:
    """What one pipeline works on: units of a release, and the file for their number.

    Each of its `claimers` claims units, one after another, until none is left; `holder` names the
    worker process of the pipeline, empty where the runner has workers of its own.
    """

    place: ReleasePlace
    summary: Path
    claimers: int = 1
    holder: str = ""


class MakeUnits(beam.DoFn):
    """Claims units and builds them; their rows leave this function in staged files only."""

    def __init__(self, share: ReleaseShare) -> None:
        self._place = share.place
        self._holder = share.holder

    def process(self, element: int) -> Iterator[int]:  # noqa: ARG002 - the number of a claimer
        holder = self._holder or f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
        with closing(make_release_units(self._place, holder)) as made:
            yield from made


class CountUnits(beam.CombineFn):
    """Counts the units that were made."""

    def create_accumulator(self) -> int:
        return 0

    def add_input(self, mutable_accumulator: int, element: int) -> int:
        return mutable_accumulator + element

    def merge_accumulators(self, accumulators: Iterable[int]) -> int:
        return sum(accumulators)

    def extract_output(self, accumulator: int) -> str:
        return json.dumps({"units": accumulator})


def build_release_graph(pipeline: beam.Pipeline, share: ReleaseShare) -> beam.PCollection:
    """Lay out the graph of a share of a release; returns a 1 for each unit that was made."""
    made = pipeline | "Plan" >> Claimers(share.claimers) | "Make" >> beam.ParDo(MakeUnits(share))
    (
        made
        | "Count" >> beam.CombineGlobally(CountUnits())
        | "Summary" >> beam.ParDo(WriteSummary(share.summary))
    )
    return made


def work(share: ReleaseShare, arguments: Sequence[str]) -> None:
    """Make units of a release that are not made yet; raises RunnerFailed, or an error of ours."""
    with closing(join_staging(share.place)) as staging:
        if staging.leases.is_finished(LEASED):
            return
    refuse_passwords(share.place.settings, arguments)
    pipeline = make_pipeline(arguments)
    build_release_graph(pipeline, share)
    run_pipeline(pipeline, "nothing was released")


def drive_release_on_runner(arguments: Sequence[str]) -> JobRunner:
    """Return what makes the units of a release on the runner that Beam's arguments name.

    Its pipelines are those of `drive_on_runner`.
    """
    split_runner(arguments)

    def drive(job: Job) -> dict[str, int]:
        place = json.loads(job.stdin_line)
        if pipelines := list_pipelines(arguments, job.workers):
            refuse_passwords(job.settings, arguments)
            return run_in_workers(replace(job, workers=len(pipelines), arguments=pipelines))
        share = ReleaseShare(
            ReleasePlace(job.settings, **place), job.scratch / "worker-0.json", job.workers
        )
        work(share, arguments)
        return {}

    return drive


def main() -> int:
    """Work as a child of `cryptonym release`; prints one line of JSON about how it ended."""
    # Not among the arguments, which every account sees: an output's URL may hold a password.
    place = json.loads(sys.stdin.readline())

    def do_share(options: argparse.Namespace) -> None:
        holder = options.summary.stem
        settings = load(options.config)
        share = ReleaseShare(
            ReleasePlace(settings, **place), options.summary, options.claimers, holder
        )
        work(share, options.beam)

    return serve(do_share)


if __name__ == "__main__":
    raise SystemExit(main())
