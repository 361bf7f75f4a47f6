"""`cryptonym report dpo`: the evidence of a period, for a data protection officer."""

import argparse
import json
from pathlib import Path

from pipeline.audit.private_files import parse_json, write_private
from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import day
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.settings import load
from pipeline.dpo.evidence import gather_evidence
from pipeline.dpo.pack import Status, make_pack, render_pack, verify_seal
from pipeline.files.annotation_parsing import read_text
from pipeline.notes.worker_resources import open_master
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Writes a document for the data protection officer on a period: each requirement with its source and
the recorded evidence (policy, key usage, runs, quarantine, reviewed samples, attacks, incidents);
requirements without evidence are red. A printable page, and the same as JSON, sealed under the
master key. Contains counts and key ids, no text and no note ids.
"""
EXAMPLES = """\
examples:
  cryptonym report dpo nightly.toml --from 2025-01-01 --to 2025-03-31 -o dpo-2025-q1.html
  cryptonym report dpo nightly.toml --from 2025-01-01 --to 2025-03-31 -o q1.html \\
      --evidence attacks.json
  cryptonym report dpo nightly.toml --verify dpo-2025-q1.json

Exit codes: 0 done; 1 --verify: the document was altered; 2 usage or configuration error; 4 a
required service is unavailable.
"""


_STATUSES: dict[Status, str] = {
    "shown": "shown by the records",
    "partly": "shown in part",
    "missing": "without evidence (red)",
    "site": "for the site to show",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `report dpo`."""
    # Argparse cannot say that options belong together.
    parser.usage = (
        "cryptonym report dpo CONFIG.toml --from DATE --to DATE -o FILE.html\n"
        "                            [--evidence FILE.json] [--plain]\n"
        "                            [--progress {auto,plain,json,none}]\n"
        "       cryptonym report dpo CONFIG.toml --verify FILE.json"
    )
    add = parser.add_argument
    add("config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job")
    add(
        "--from",
        type=day,
        dest="since",
        metavar="DATE",
        help="first day of the period (UTC), YYYY-MM-DD; required unless --verify is given",
    )
    add(
        "--to",
        type=day,
        dest="until",
        metavar="DATE",
        help="last day of the period (UTC), YYYY-MM-DD; required unless --verify is given",
    )
    add(
        "-o", "--output", type=Path, metavar="FILE.html",
        help="HTML document; FILE.json is written beside it; required unless --verify is given",
    )  # fmt: skip
    add(
        "--evidence", type=Path, action="append", default=[], metavar="FILE.json",
        help='report with privacy measurements under "measured" (repeatable)',
    )  # fmt: skip
    add(
        "--verify",
        type=Path,
        metavar="FILE.json",
        help="JSON document whose seal is verified; nothing is written",
    )
    add_output_format(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Write the document, or check one; returns the exit code."""
    settings = load(options.config)
    if options.verify:
        pack = parse_json(str(options.verify), read_text(options.verify))
        if isinstance(pack, dict) and verify_seal(pack, open_master(settings)):
            console.say("the document is unchanged")
            return EXIT_DONE
        console.error("seal mismatch: the document was altered, or sealed under another key")
        return EXIT_GATE
    for name, value in (("--from", options.since), ("--to", options.until), ("-o", options.output)):
        if value is None:
            raise ConfigError(name, "required unless --verify is given", "give --from, --to and -o")
    if options.output.suffix != ".html":
        problem = f"must end in .html, not {options.output.name}"
        raise ConfigError("-o", problem, "name the page; FILE.json is written beside it")
    evidence, master = gather_evidence(settings, options.since, options.until, options.evidence)
    pack = make_pack(evidence, master)
    write_private(options.output.with_suffix(".json"), json.dumps(pack, indent=1) + "\n")
    write_private(options.output, render_pack(pack))
    counts = pack["statuses"]
    told = ", ".join(f"{counts.get(status, 0)} {words}" for status, words in _STATUSES.items())
    console.say(f"wrote {options.output}; of {sum(counts.values())} requirements: {told}")
    return EXIT_DONE
