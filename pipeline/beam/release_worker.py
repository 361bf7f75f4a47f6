"""One process of a release: its share of the units through an in-memory pipeline of its own."""

import argparse
import atexit
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
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
from pipeline.release.staging import LEASED, ReleaseStaging
from pipeline.release.unit import claim_release_units, make_unit


@dataclass(frozen=True)
class ReleaseShare:
    """What one pipeline works on: units of a release, and the file for their number.

    `holder` names the worker that claims them.
    """

    request: ReleaseRequest = field(repr=False)
    settings: Settings
    summary: Path
    holder: str


class MakeUnit(beam.DoFn):
    """Claims units and builds them; their rows leave this function in staged files only."""

    def __init__(self, share: ReleaseShare) -> None:
        self._request = share.request
        self._settings = share.settings
        self._holder = share.holder
        self._context: ReleaseContext | None = None

    def setup(self) -> None:
        self._context = open_worker_context(self._request, self._settings)
        atexit.register(self._context.close)

    def process(self, element: int) -> Iterator[int]:  # noqa: ARG002 - the number of a claimer
        context = self._context
        assert context is not None
        with closing(claim_release_units(context, self._holder)) as units:
            for unit in units:
                drop_error_texts(lambda unit=unit: make_unit(unit, context))  # type: ignore[misc]
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
    made = pipeline | "Claimer" >> beam.Create([0]) | "Make" >> beam.ParDo(MakeUnit(share))
    (
        made
        | "Count" >> beam.CombineGlobally(CountUnits())
        | "Summary" >> beam.ParDo(WriteSummary(share.summary))
    )
    return made


def work(request: ReleaseRequest, staging: ReleaseStaging, summary: Path) -> None:
    """Make units that are not made yet, as the worker that the summary is named after."""
    with closing(staging):
        if staging.leases.is_finished(LEASED):
            return
    pipeline = make_pipeline([])
    share = ReleaseShare(request, load(request.config), summary, summary.stem)
    build_release_graph(pipeline, share)
    run_pipeline(pipeline, "nothing was released")


def main() -> int:
    """Work as a child of `cryptonym release`; prints one line of JSON about how it ended."""
    # The output's URL comes this way, since it may hold a password.
    output = json.loads(sys.stdin.readline())

    def do_share(options: argparse.Namespace) -> None:
        staging = ReleaseStaging(options.summary.parent)
        work(decode_request(staging.read_parameters(), output), staging, options.summary)

    return serve(do_share)


if __name__ == "__main__":
    raise SystemExit(main())
