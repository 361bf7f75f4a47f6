"""`cryptonym pseudonymize`: notes with every identifier replaced."""

import argparse
from pathlib import Path

from pipeline.commands.options.detection import (
    add_detection,
    task_of,
)
from pipeline.commands.options.keys import add_key
from pipeline.commands.options.note_counts import (
    add_reporting,
    report,
)
from pipeline.commands.options.values import add_out
from pipeline.files.pseudonymization import (
    Rules,
    pseudonymize_file,
)
from pipeline.reports.console import Console

DESCRIPTION = """\
Writes notes with every identifier replaced under the key of a cohort.
"""
EXAMPLES = """\
examples:
  cryptonym keys new master.key
  cryptonym pseudonymize notes.jsonl -o out.jsonl --key master.key --cohort research \\
      --patients patients.jsonl
  cryptonym pseudonymize found.jsonl -o out.jsonl --key master.key --cohort research --spans given

What is refused goes to out.quarantine.jsonl, without its text. Of a note's keys, text, spans,
person_id and note_datetime are written anew; note_id stays (--note-ids replace gives another); lang
and note_type stay where they are plain codes; every other key is left out unless --keep-keys names
it. Check note ids and kept keys for identifiers yourself.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `pseudonymize`."""
    add = parser.add_argument
    add("notes", type=Path, metavar="NOTES.jsonl")
    add_out(parser, "OUT.jsonl")
    add_key(parser, required=True)
    add("--cohort", required=True, metavar="NAME", help="decides, with the key, all surrogates")
    add("--policy", metavar="NAME|P.toml", help="shipped, or a file: `cryptonym policy check`")
    add(
        "--spans", choices=("given", "detect"), default="detect",
        help="take the spans that are in NOTES, or detect them (default)",
    )  # fmt: skip
    add_detection(parser)
    add("--keep-keys", default="", metavar="A,B", help="further keys of notes to copy as they are")
    add("--note-ids", choices=("keep", "replace"), default="keep", help="default keep")
    add(
        "--allow-unknown", action="store_true",
        help="with --patients: let notes pass whose person is not among them",
    )  # fmt: skip
    add(
        "--vault", type=Path, metavar="FILE",
        help="keep who the persons are in this file, for `cryptonym keys reveal`; default: nobody "
        "can tell",
    )  # fmt: skip
    add("--vault-key", metavar="LOCATOR", help="its own key: `cryptonym keys new FILE --vault`")
    add_reporting(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Replace; gives the exit code."""
    rules = Rules(
        key=options.key,
        cohort=options.cohort,
        custody=options.custody,
        policy=options.policy,
        given=options.spans == "given",
        keep_keys=frozenset(key.strip() for key in options.keep_keys.split(",") if key.strip()),
        replace_ids=options.note_ids == "replace",
        allow_unknown=options.allow_unknown,
        vault=options.vault,
        vault_key=options.vault_key,
    )
    with console.progress() as progress:
        done = pseudonymize_file(task_of(options), rules, progress)
    return report(done, options, console)
