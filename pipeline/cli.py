"""The command line: one program, one subcommand for each thing a user comes to do."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from pipeline.console import Console
from pipeline.installation import check_rooms
from pipeline.nightly import (
    EXIT_DONE,
    EXIT_GATE,
    EXIT_UNAVAILABLE,
    EXIT_USAGE,
    Drive,
    Ended,
    Job,
    run_nightly,
)
from pipeline.report import to_json
from pipeline.supervisor import drive as spawned
from record.errors import ConfigError, CryptonymError, Unavailable
from surrogates.keys import new_master

_EXITS = """\
exit codes:
  0  done
  1  finished, but a gate said no: notes missing at reconciliation, nothing released
  2  usage or configuration error; another run holds the lock
  3  finished, with more notes in quarantine than limits.max_quarantine_share allows
  4  a needed service could not be reached (database, folder of documents, disk space)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    options, rest = _parser().parse_known_args(arguments)
    if rest and not options.takes_beam_options:
        _parser().error(f"unrecognized arguments: {' '.join(rest)}")
    console = Console(plain=options.plain, quiet=getattr(options, "json", False))
    try:
        check_rooms()
        command: Callable[[argparse.Namespace, list[str], Console], int] = options.command
        return command(options, rest, console)
    except ConfigError as error:
        console.error(str(error))
        return EXIT_USAGE
    except Unavailable as error:
        console.error(str(error))
        return EXIT_UNAVAILABLE
    except CryptonymError as error:
        console.error(str(error))
        return EXIT_GATE
    except KeyboardInterrupt:
        console.error("interrupted; run again to go on where it stopped")
        return 130


def _run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    drive = _portable(rest) if rest else spawned
    with console.progress() as progress:
        ended = run_nightly(options.config, drive, workers=options.workers, progress=progress)
    _tell(ended, options, console)
    return ended.exit_code


def _portable(arguments: list[str]) -> Drive:
    """Drive one pipeline with Beam's own options, on the runner they name."""
    # Beam is heavy and only needed here: the default run starts it in its workers.
    from pipeline.beam.runners import split
    from pipeline.beam.worker import Part, work

    split(arguments)

    def drive(job: Job) -> dict[str, int]:
        work(job.settings, Part(job.run_id, 0, 1), arguments, summary=job.scratch / "worker-0.json")
        return {}

    return drive


def _tell(ended: Ended, options: argparse.Namespace, console: Console) -> None:
    if options.json:
        sys.stdout.write(json.dumps(to_json(ended.summary), sort_keys=True) + "\n")
    else:
        console.summary(ended.summary, resumed=ended.resumed)
        console.say(f"report: {ended.report}")


def _demo(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    # The fictional hospital and its PDF library are only needed here.
    from pipeline.demo import Fiction, make_demo, show_note

    fiction = Fiction(options.folder, options.patients, options.seed, options.lang)
    with console.progress() as progress:
        config = make_demo(fiction, progress, processes=options.workers)
        ended = run_nightly(config, spawned, workers=options.workers, progress=progress)
    _tell(ended, options, console)
    if not options.json:
        console.say(show_note(config))
    return ended.exit_code


def _keys_new(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    new_master(options.file)
    console.say(f"wrote a new master key to {options.file} (mode 600); keep a copy offline:")
    console.say("whoever has it can link every cohort, and without it no release can be continued")
    return EXIT_DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cryptonym",
        description="Pseudonymizes the notes of a clinical data warehouse.",
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cryptonym {version('cryptonym')}")
    parser.set_defaults(takes_beam_options=False, plain=False, json=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_demo(commands)
    _add_run(commands)
    _add_keys(commands)
    return parser


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _add_demo(commands: Commands) -> None:
    demo = commands.add_parser(
        "demo",
        help="make a fictional hospital and run the nightly job on it",
        description="Makes a fictional hospital in DIR (database, PDFs, gold annotations, "
        "configuration, key), runs the nightly job on it and shows a note before and after.",
        allow_abbrev=False,
    )
    demo.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    demo.add_argument("--patients", type=_positive, default=200, metavar="N", help="default 200")
    demo.add_argument("--seed", type=int, default=1, metavar="S", help="default 1")
    demo.add_argument("--lang", choices=("fr", "en", "es"), default="fr", help="default fr")
    demo.set_defaults(command=_demo)
    _add_common(demo)


def _add_run(commands: Commands) -> None:
    run = commands.add_parser(
        "run",
        help="the nightly job: incremental and resumable",
        description="Processes the notes that are new or changed since the last run. A run that "
        "was interrupted goes on where it stopped. Further options go to Apache Beam, such as "
        "--runner=FlinkRunner; the default runs in memory, offline, without opening a port.",
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    run.add_argument("config", type=Path, metavar="CONFIG.toml")
    run.set_defaults(command=_run, takes_beam_options=True)
    _add_common(run)


def _add_keys(commands: Commands) -> None:
    keys = commands.add_parser("keys", help="key custody", allow_abbrev=False)
    actions = keys.add_subparsers(required=True, metavar="ACTION")
    new = actions.add_parser("new", help="write a new master key", allow_abbrev=False)
    new.add_argument("file", type=Path, metavar="FILE", help="must not exist yet")
    new.set_defaults(command=_keys_new)


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--workers",
        type=_positive,
        default=min(2, os.cpu_count() or 1),
        metavar="N",
        help="processes side by side; default: 2, or 1 on a single core",
    )
    command.add_argument("--json", action="store_true", help="print the summary as JSON only")
    command.add_argument("--plain", action="store_true", help="plain lines instead of a bar")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
