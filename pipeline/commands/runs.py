"""`cryptonym runs`: what became of each run."""

import argparse
import json
import sys
from pathlib import Path

from pipeline.commands.options import add_speech, positive
from pipeline.console import Console
from pipeline.databases import database_path
from pipeline.exits import EXIT_DONE
from pipeline.operations.history import PastRun, read_history
from pipeline.settings import load
from pipeline.tools import settled

DESCRIPTION = (
    "Shows the runs of the nightly job, latest first: when, how they ended, what they did."
)
EXAMPLES = """\
examples:
  cryptonym runs nightly.toml
  cryptonym runs nightly.toml --last 90 --json

Exit codes: 0 done; 2 usage or configuration; 4 the state database could not be reached.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `runs`."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.add_argument(
        "--last", type=positive, default=20, metavar="N", help="so many runs; default 20"
    )
    add_speech(parser, json="print an array of JSON objects, one a run")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Show the runs; gives the exit code."""
    settings = settled(load(options.config))
    path = database_path(settings.state.url, settings.base, what="state.url")
    is_there = path is None or path.is_file()
    found = read_history(settings.state, settings.base, limit=options.last) if is_there else []
    if options.json:
        sys.stdout.write(json.dumps([past.to_json() for past in found], sort_keys=True) + "\n")
    elif not found:
        console.say("there was no run yet")
    else:
        console.say(_table(found))
    return EXIT_DONE


_COUNTED = ("planned", "released", "unchanged", "quarantined", "deleted")


def _table(runs: list[PastRun]) -> str:
    rows = [["run", "started (UTC)", "seconds", "ended", "exit", *_COUNTED]]
    rows += [_row(past) for past in runs]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _row(past: PastRun) -> list[str]:
    again = f" at attempt {past.attempts}" if past.attempts > 1 else ""
    return [
        str(past.run_id) + (" (new notes)" if past.scope == "new" else ""),
        past.started.strftime("%Y-%m-%d %H:%M:%S"),
        f"{(past.ended - past.started).total_seconds():.1f}" if past.ended else "",
        past.status + again,
        "" if past.exit_code is None else str(past.exit_code),
        *(str(past.notes.get(name, 0)) for name in _COUNTED),
    ]
