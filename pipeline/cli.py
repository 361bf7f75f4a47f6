"""The command line: one program with one subcommand for each task.

Each command is a module of `pipeline.commands`, imported when it is called and not before.
"""

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from typing import Any, NoReturn, Protocol, cast

from pipeline.commands.options.extras import find_missing_extra
from pipeline.commands.options.values import EXITS
from pipeline.config.exit_codes import EXIT_GATE, EXIT_UNAVAILABLE, EXIT_USAGE
from pipeline.config.installation import check_installation
from pipeline.config.near_misses import suggest
from pipeline.config.progress import ProgressMode
from pipeline.reports.console import Console
from record.errors import ConfigError, CryptonymError, Unavailable
from record.garbage_collection import collect_garbage_rarely, pause_garbage_collection

COMMANDS = {
    "demo": "create a fictional hospital and run the nightly job on it",
    "init": "look at a source and write a first configuration for it",
    "run": "run the nightly job, incremental and resumable",
    "watch": "run the nightly job continuously",
    "worker": "start workers for a run on another machine",
    "runs": "list runs and releases with their outcomes",
    "quality": "compare entity counts with earlier nights; accept or reject held runs",
    "doctor": "check configuration, keys, databases and machine",
    "audit sample": "draw a random sample of notes for human review",
    "audit read": "estimate the rate of notes without a leak from a reviewed sample",
    "corpus sample": "draw notes of the source for a first corpus, before any run",
    "corpus read": "agreement of annotation passes; splits for training by patient",
    "corpus table": "count types, kinds and splits of a corpus",
    "report dpo": "write the evidence of a period for the data protection officer",
    "release": "release a cohort under its own key, from stored spans",
    "extract": "extract text from documents",
    "extract train": "",
    "detect": "detect identifiers in notes",
    "pseudonymize": "replace identifiers in notes",
    "train": "train a tagger on annotated notes",
    "pretrain": "continue pre-training an encoder on your notes",
    "quantize": "quantize a tagger to int8",
    "evaluate": "score spans against gold annotations",
    "select": "select detection rules on annotated notes",
    "synthesize run": "make synthetic notes of a release, and publish those that may leave",
    "synthesize demo": "make synthetic notes of a demonstration hospital, and judge them",
    "synthesize prepare": "prepare a training corpus from a release",
    "synthesize train": "train a generator of annotated notes",
    "synthesize generate": "generate annotated synthetic notes",
    "synthesize filter": "drop synthetic notes that copy a patient's notes",
    "synthesize mask": "mask identifiers and a share of the other words in letters",
    "synthesize fill": "fill masked letters into synthetic ones",
    "synthesize compare": "compare filled letters with their sources",
    "synthesize overlap": "test whether a pretrained model has seen a corpus",
    "synthesize screen": "screen synthetic notes for copied or leaked content",
    "synthesize attack": "attack a generator for memorized training notes",
    "synthesize review": "write pages on which reviewers compare pairs of notes",
    "synthesize agreement": "measure the agreement of reviewers on pairs of notes",
    "synthesize utility": "measure what a tagger learns from synthetic notes",
    "synthesize fluency": "measure whether synthetic notes read like real ones",
    "synthesize battery": "measure the language quality of synthetic notes",
    "synthesize report": "decide whether synthetic notes may be released",
    "share encode": "encode labelled notes as shareable vectors",
    "share train": "train a de-identifier on the vectors of several sites",
    "share attack": "attack shared vectors to measure what they give away",
    "share report": "decide whether vectors may be shared",
    "keys new": "create a master key",
    "keys derive": "print key ids of one cohort or all",
    "keys destroy": "permanently destroy the secret of a cohort",
    "keys log": "print and verify the usage log of a key",
    "keys rotate": "create a new master key for future cohorts",
    "keys split": "split a key into shares (Shamir)",
    "keys reveal": "re-identify a person from a vault",
    "policy check": "validate a policy and show what it does",
}
"""Words of a command -> one line of help; `a b` is the module `pipeline.commands.a.b`."""

GROUPS = {
    "synthesize": "synthetic notes: run, prepare, train, generate, filter, screen, report and more",
    "share": "joint training on vectors instead of notes: encode, train, attack, report",
    "audit": "human review of a random sample: sample, read",
    "corpus": "a site's first annotated corpus: sample, read, table",
    "report": "documents for auditors: dpo",
    "keys": "key custody: new, derive, destroy, log, rotate, split, reveal",
    "policy": "treatment of every label and column: check",
}
"""First words shared by several commands, with one line of help.

`extract` is not a group: it takes any word for a file, and `extract train` is a separate command.
"""


_SAME_AS = {
    "anonymize": "pseudonymize",
    "deidentify": "pseudonymize",
    "keys create": "keys new",
    "keys generate": "keys new",
    "help": "--help",
    "version": "--version",
}
"""Words that people try, and what does it here."""


_QUICK = ("keys", "policy", "init")
"""First words of commands that take no time of their own, and some of which ask questions."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors say what was probably meant."""

    _given: Sequence[str] = ()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse, and remember the arguments for `error`."""
        self._given = list(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End the program with the message, and what options that do not exist may have meant."""
        super().error(f"{message}{self.near_misses()}")

    def near_misses(self) -> str:
        """Return what unknown options may have meant, as the end of a message."""
        known = set(re.findall(r"--[a-z][a-z-]*", self.format_usage()))
        options = {word.partition("=")[0] for word in self._given if word.startswith("--")}
        hints = {word: suggest(word, known) for word in sorted(options - known - {"--"})}
        return "".join(f"; {word}: {hint}" for word, hint in hints.items() if hint)


class CommandModule(Protocol):
    """A module of `pipeline.commands` that is a command."""

    DESCRIPTION: str
    EXAMPLES: str

    def add_options(self, parser: argparse.ArgumentParser, /) -> None:
        """Add the options of the command."""

    def run(self, options: argparse.Namespace, rest: list[str], console: Console, /) -> int:
        """Run the command and return the exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    console = Console(plain="--plain" in words, quiet="--json" in words)
    # What a command imports takes seconds on a busy machine.
    early = words[:1] != [] and words[0] not in _QUICK
    try:
        with console.watching(find_progress_mode(words), early=early):
            return _run_command(words, console, is_program=arguments is None)
    except ConfigError as error:
        console.error(str(error))
        return EXIT_USAGE
    except Unavailable as error:
        console.error(str(error))
        return EXIT_UNAVAILABLE
    except CryptonymError as error:
        console.error(str(error))
        return EXIT_GATE
    except ModuleNotFoundError as missing:
        extra = find_missing_extra(find_command(words) or "cryptonym", missing)
        if extra is None:
            raise
        console.error(str(extra))
        return EXIT_USAGE
    except KeyboardInterrupt:
        console.error("interrupted; run the command again to resume")
        return 130


def _run_command(words: list[str], console: Console, *, is_program: bool) -> int:
    check_installation()
    called = find_command(words)
    # Looking for reference cycles among what libraries load would take a quarter of the start.
    with pause_garbage_collection():
        command = load(called) if called else None
    parser = make_parser(called, command)
    if problem := describe_unknown_command(words):
        parser.error(problem)
    options, rest = parser.parse_known_args(_join_command(words))
    if rest and not options.takes_beam_options:
        hints = options.parser.near_misses()
        parser.error(f"unrecognized arguments: {' '.join(rest)}{hints}")
    assert command is not None
    if is_program:
        # Who calls this from Python has a collector to keep.
        collect_garbage_rarely()
    return command.run(options, rest, console)


def find_progress_mode(words: Sequence[str]) -> ProgressMode:
    """Return the value of `--progress` among the words; the parser refuses what is not one."""
    asked = ""
    for word, following in pairwise([*words, ""]):
        name, _, value = word.partition("=")
        if name == "--progress":
            asked = value or following
    return ProgressMode(asked) if asked in list(ProgressMode) else ProgressMode.AUTO


def find_command(words: Sequence[str]) -> str | None:
    """Return the command that the first words name, if any."""
    for count in (2, 1):
        name = " ".join(words[:count])
        if name in COMMANDS:
            return name
    return None


def describe_unknown_command(words: Sequence[str]) -> str:
    """Return what is wrong with the command that the first words name, and what was meant."""
    first, second = [*words, "", ""][:2]
    if not first or first.startswith("-") or find_command(words):
        return ""
    if first in GROUPS and (not second or second.startswith("-")):
        return ""
    name = f"{first} {second}" if first in GROUPS else first
    if name in _SAME_AS:
        hint = f"did you mean cryptonym {_SAME_AS[name]}?"
    else:
        # The action of a group, by itself, is most often its name without the group.
        inner = [each for each in COMMANDS if each.split()[-1] == first]
        hint = f"did you mean {' or '.join(inner)}?" if inner else _suggest_command(first, second)
    group = f" {first}" if first in GROUPS else ""
    return f"unknown command `{name}`; {hint or f'cryptonym{group} --help lists all'}"


def _suggest_command(first: str, second: str) -> str:
    if first not in GROUPS:
        return suggest(first, [*COMMANDS, *GROUPS])
    return suggest(second, [name.split()[1] for name in COMMANDS if name.split()[0] == first])


def load(name: str) -> CommandModule:
    """Import the module of a command.

    Raises ConfigError where what it needs is an extra that is not installed.
    """
    first, _, action = name.partition(" ")
    place = f"{first}.{action}" if first in GROUPS else "_".join(name.split())
    return cast(CommandModule, import_module(f"pipeline.commands.{place}"))


def make_parser(
    called: str | None = None, command: CommandModule | None = None
) -> argparse.ArgumentParser:
    """Make the parser with the help of every command, and the options of the one that is called."""
    return make_whole_parser({called: command} if called and command else {})


def make_whole_parser(loaded: Mapping[str, CommandModule]) -> argparse.ArgumentParser:
    """Make the parser with the help of every command, and the options of those loaded."""
    parser = Parser(
        prog="cryptonym",
        description="Pseudonymize the notes of a clinical data warehouse.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cryptonym {version('cryptonym')}")
    parser.set_defaults(takes_beam_options=False, parser=parser)
    added: Any = parser.add_subparsers(required=True, metavar="COMMAND")
    groups: dict[str, Any] = {}
    for name, summary in COMMANDS.items():
        first, _, action = name.partition(" ")
        if first in GROUPS:
            if first not in groups:
                group = added.add_parser(first, help=GROUPS[first], allow_abbrev=False)
                groups[first] = group.add_subparsers(required=True, metavar="ACTION")
            place, word = groups[first], action
        else:
            place, word = added, name
        texts: dict[str, Any] = {"help": summary} if summary else {}
        command = loaded.get(name)
        if command is not None:
            texts |= {"description": command.DESCRIPTION, "epilog": command.EXAMPLES}
        made = place.add_parser(
            word,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **texts,
        )
        if command is not None:
            command.add_options(made)
            made.set_defaults(parser=made)
            made.add_argument(
                "--progress", choices=tuple(ProgressMode), default=ProgressMode.AUTO.value,
                help="progress on standard error: plain lines, JSON lines or none (default auto: "
                "a bar on a terminal, otherwise lines; none with --json)",
            )  # fmt: skip
    return parser


def _join_command(words: list[str]) -> list[str]:
    """Join the words of a command such as `extract train`, whose first word is not a group."""
    name = " ".join(words[:2])
    is_one = name in COMMANDS and words[0] not in GROUPS and len(words) > 1
    return [name, *words[2:]] if is_one else words


if __name__ == "__main__":
    raise SystemExit(main())
