"""One process of a release: its share of the units through an in-memory pipeline of its own."""

import argparse
import atexit
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import apache_beam as beam

from pipeline.beam.failures import run_pipeline
from pipeline.beam.runners import make_pipeline
from pipeline.beam.sinks import WriteSummary
from pipeline.beam.worker import serve
from pipeline.config.settings import Settings, load
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.release.release_context import ReleaseContext, open_worker_context
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import decode_request
from pipeline.release.staging import ReleaseStaging
from pipeline.release.unit import make_unit


@dataclass(frozen=True)
class ReleaseShare:
    """What one pipeline works on: some units of a release, and the file for their number."""

    request: ReleaseRequest = field(repr=False)
    settings: Settings
    indexes: Sequence[int]
    summary: Path


class MakeUnit(beam.DoFn):
    """Builds a staged unit; its rows leave this function in staged files only."""

    def __init__(self, share: ReleaseShare) -> None:
        self._request = share.request
        self._settings = share.settings
        self._context: ReleaseContext | None = None

    def setup(self) -> None:
        self._context = open_worker_context(self._request, self._settings)
        atexit.register(self._context.close)

    def process(self, element: int) -> Iterator[int]:
        context = self._context
        assert context is not None
        drop_error_texts(lambda: make_unit(element, context))
        yield 1


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
    made = (
        pipeline
        | "Units" >> beam.Create(list(share.indexes))
        | "Spread" >> beam.Reshuffle()
        | "Make" >> beam.ParDo(MakeUnit(share))
    )
    (
        made
        | "Count" >> beam.CombineGlobally(CountUnits())
        | "Summary" >> beam.ParDo(WriteSummary(share.summary))
    )
    return made


def work(
    request: ReleaseRequest, staging: ReleaseStaging, part: tuple[int, int], summary: Path
) -> None:
    """Make the units of a part (worker number, of how many) that are not made yet."""
    indexes = staging.pending_units(*part)
    staging.close()
    if not indexes:
        return
    pipeline = make_pipeline([])
    build_release_graph(pipeline, ReleaseShare(request, load(request.config), indexes, summary))
    run_pipeline(pipeline, "nothing was released")


def main() -> int:
    """Work as a child of `cryptonym release`; prints one line of JSON about how it ended."""
    # The output's URL comes this way, since it may hold a password.
    output = json.loads(sys.stdin.readline())

    def do_share(options: argparse.Namespace) -> None:
        staging = ReleaseStaging(options.summary.parent)
        part = (options.worker, options.workers)
        work(decode_request(staging.read_parameters(), output), staging, part, options.summary)

    return serve(do_share)


if __name__ == "__main__":
    raise SystemExit(main())
