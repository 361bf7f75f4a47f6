"""One process of a release: its share of the units through an in-memory pipeline of its own."""

import argparse
import json
import sys
from pathlib import Path

from pipeline.beam.failures import RunnerFailed
from pipeline.beam.release_graph import ReleaseShare, release
from pipeline.beam.runners import make_pipeline
from pipeline.beam.worker import serve
from pipeline.config.settings import load
from pipeline.notes.boundary import (
    Unexpected,
    safely,
)
from pipeline.release.draft import Draft
from pipeline.release.request import Order
from pipeline.release.run import order_told


def work(order: Order, draft: Draft, part: tuple[int, int], summary: Path) -> None:
    """Make the units of a part (worker number, of how many) that are not made yet."""
    indexes = draft.pending(*part)
    draft.close()
    if not indexes:
        return
    pipeline = make_pipeline([])
    release(pipeline, ReleaseShare(order, load(order.config), indexes, summary))
    try:
        safely(lambda: pipeline.run().wait_until_finish())
    except Unexpected as error:
        raise RunnerFailed(f"the runner failed with {error}; nothing was released") from None


def main() -> int:
    """Work as a child of `cryptonym release`; prints one line of JSON about how it ended."""
    # The output's URL comes this way, since it may hold a password.
    output = json.loads(sys.stdin.readline())

    def share(options: argparse.Namespace) -> None:
        draft = Draft(options.summary.parent)
        part = (options.worker, options.workers)
        work(order_told(draft.told(), output), draft, part, options.summary)

    return serve(share)


if __name__ == "__main__":
    raise SystemExit(main())
