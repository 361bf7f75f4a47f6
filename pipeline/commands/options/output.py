"""Options that decide how a command reports, and output as JSON."""

import argparse
import json
import sys

SUMMARY = "JSON summary only"
MEASUREMENTS = "JSON measurements only"
MANIFEST = "JSON manifest only"


def add_json(parser: argparse.ArgumentParser, what: str = "JSON output only") -> None:
    """Add --json, whose help is `what`."""
    parser.add_argument("--json", action="store_true", help=what)


def add_output_format(parser: argparse.ArgumentParser, *, json: str = "") -> None:
    """Add --plain, and --json with its help where the command reports."""
    if json:
        add_json(parser, json)
    parser.add_argument(
        "--plain", action="store_true", help="plain lines instead of a progress bar"
    )


def print_json(content: object, options: argparse.Namespace) -> None:
    """Print an object as one line of JSON where --json was given."""
    if options.json:
        sys.stdout.write(json.dumps(content, sort_keys=True) + "\n")
