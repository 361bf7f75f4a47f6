"""One process of a run: its share of the units through an in-memory pipeline of its own."""

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apache_beam as beam

from pipeline.beam.failures import RunnerFailed
from pipeline.beam.graph import Share, nightly
from pipeline.beam.runners import make_pipeline, refuse_passwords
from pipeline.beam.session import close_all
from pipeline.config.memory import peak_kilobytes
from pipeline.config.settings import (
    Settings,
    load,
)
from pipeline.notes.boundary import (
    Unexpected,
    safely,
)
from pipeline.notes.worker_resources import settled
from pipeline.state.ledger import open_state
from record.errors import ConfigError, CryptonymError, Unavailable
from record.garbage_collection import collect_seldom

EXIT_FAILED = 1
_STDIN = 0
_CODES: dict[type[CryptonymError], int] = {ConfigError: 2, Unavailable: 4}


@dataclass(frozen=True)
class Part:
    """Which part of a run this is: worker number `worker` of `workers`."""

    run_id: int
    worker: int
    workers: int


def work(
    settings: Settings,
    part: Part,
    arguments: Sequence[str],
    *,
    summary: Path,
    between: beam.PTransform | None = None,
) -> None:
    """Run the pipeline over the units of a part that are not done yet.

    Whatever fails in it is raised as an error of ours: what runners say may quote a note.
    """
    state = open_state(settled(settings).state, settings.base)
    try:
        units = state.pending(part.run_id, part.worker, part.workers)
    finally:
        state.close()
    if not units:
        return
    refuse_passwords(settings, arguments)
    pipeline = make_pipeline(arguments)
    nightly(pipeline, Share(settings, part.run_id, units, summary), between=between)
    try:
        safely(lambda: pipeline.run().wait_until_finish())
    except Unexpected as error:
        raise RunnerFailed(f"the runner failed with {error}; what is done stays done") from None


def main() -> int:
    """Work as a child of `cryptonym run`; prints one line of JSON about how it ended."""

    def share(options: argparse.Namespace) -> None:
        part = Part(options.run, options.worker, options.workers)
        work(load(options.config), part, [], summary=options.summary)

    return serve(share)


def serve(share: Callable[[argparse.Namespace], None]) -> int:
    """Do a share of the work as a child process; prints one line of JSON about how it ended."""
    options = _parse()
    _die_with_parent()
    collect_seldom()
    ended: dict[str, object] = {}
    code = 0
    try:
        safely(lambda: share(options))
    except CryptonymError as error:
        code = _CODES.get(type(error), EXIT_FAILED)
        ended = {"error": type(error).__name__, "message": str(error)}
    finally:
        close_all()
    ended["peak_kilobytes"] = peak_kilobytes()
    sys.stdout.write(json.dumps(ended) + "\n")
    return code


def _die_with_parent() -> None:
    """End this process when the supervisor is gone: its end of our standard input closes."""

    def wait() -> None:
        # Not through sys.stdin: its lock would be held when the interpreter ends.
        while os.read(_STDIN, 1):
            pass
        os._exit(EXIT_FAILED)

    threading.Thread(target=wait, daemon=True, name="parent-watch").start()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m pipeline.beam.worker")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--run", type=int, required=True)
    parser.add_argument("--worker", type=int, required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--summary", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
