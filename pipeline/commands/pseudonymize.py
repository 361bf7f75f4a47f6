"""`cryptonym pseudonymize`: notes with every identifier replaced."""

import argparse
from pathlib import Path

from pipeline.commands.options.detection import add_detection, task_of
from pipeline.commands.options.keys import add_key
from pipeline.commands.options.note_counts import add_reporting, report
from pipeline.commands.options.values import add_out, parse_list
from pipeline.files.pseudonymization import PseudonymizationOptions, pseudonymize_file
from pipeline.reports.console import Console
from record.algorithms import ALGORITHMS

DESCRIPTION = """\
Replaces every identifier in notes by a surrogate, under the key of a cohort.
"""
EXAMPLES = """\
examples:
  cryptonym keys new master.key
  cryptonym pseudonymize notes.jsonl -o out.jsonl --key master.key --cohort research \\
      --patients patients.jsonl
  cryptonym pseudonymize found.jsonl -o out.jsonl --key master.key --cohort research --spans given

Notes that fail go to out.quarantine.jsonl, without text. The keys text, spans, person_id and
note_datetime are replaced; note_id is kept (--note-ids replace changes it); lang and note_type are
kept if they are plain codes; every other key is dropped unless listed in --keep-keys. Check note
ids and kept keys for identifiers yourself.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `pseudonymize`."""
    add = parser.add_argument
    add("notes", type=Path, metavar="NOTES.jsonl", help="notes, one JSON object a line")
    add_out(parser, "OUT.jsonl")
    add_key(parser, required=True)
    add(
        "--cohort", required=True, metavar="NAME",
        help="cohort name; with the key it determines all surrogates",
    )  # fmt: skip
    add(
        "--algorithm", type=int, choices=ALGORITHMS, metavar="VERSION",
        help="version of the surrogate algorithm, to continue outputs of version 2 without a "
        "custody folder (default: the cohort's recorded version, else the newest)",
    )  # fmt: skip
    add(
        "--policy",
        metavar="NAME|P.toml",
        help="bundled policy or policy file, see `cryptonym policy check` (default: replace "
        "everything)",
    )
    add(
        "--spans", choices=("given", "detect"), default="detect",
        help="source of spans: given in NOTES, or detect (default)",
    )  # fmt: skip
    add_detection(parser)
    add(
        "--keep-keys",
        default="",
        metavar="A,B",
        help="additional JSON keys of notes to copy unchanged",
    )
    add(
        "--note-ids",
        choices=("keep", "replace"),
        default="keep",
        help="treatment of note ids (default keep)",
    )
    add(
        "--allow-languages", default="", metavar="A,B",
        help="languages (ISO 639-1) let through although no rule speaks them (default: quarantine)",
    )  # fmt: skip
    add(
        "--allow-unknown", action="store_true",
        help="replacement also in notes whose person is not in --patients (default: quarantine)",
    )  # fmt: skip
    add(
        "--vault", type=Path, metavar="FILE",
        help="vault for re-identification with `cryptonym keys reveal` (default: none, releases "
        "are irreversible)",
    )  # fmt: skip
    add(
        "--vault-key",
        metavar="LOCATOR",
        help="key of the vault, written by `cryptonym keys new FILE --vault`",
    )
    add_reporting(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Replace; returns the exit code."""
    rules = PseudonymizationOptions(
        key=options.key,
        cohort=options.cohort,
        custody=options.custody,
        policy=options.policy,
        given=options.spans == "given",
        keep_keys=parse_list(options.keep_keys),
        allow_languages=parse_list(options.allow_languages),
        replace_ids=options.note_ids == "replace",
        allow_unknown=options.allow_unknown,
        vault=options.vault,
        vault_key=options.vault_key,
        algorithm=options.algorithm,
    )
    with console.progress() as progress:
        done = pseudonymize_file(task_of(options, detects=not rules.given), rules, progress)
    return report(done, options, console)
