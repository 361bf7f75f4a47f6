"""Options that name the labelled notes of a site, and the reader they ask for."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.sharing.site_notes import SiteReader


def add_notes(parser: argparse.ArgumentParser) -> None:
    """Add the notes, and how they are read."""
    add = parser.add_argument
    add(
        "--notes", nargs="+", required=True, metavar="NOTES",
        help="annotated files in any format that `evaluate` reads",
    )  # fmt: skip
    add(
        "--release", action="store_true",
        help="release instead of files as NOTES: a folder or URL written by `cryptonym release` or "
        "the nightly job",
    )  # fmt: skip
    add(
        "--manifest", type=Path, metavar="FILE",
        help="manifest of the release (default: the one in its folder)",
    )  # fmt: skip
    add("--schema", metavar="NAME", help="database schema of the release")
    add("--label-map", type=Path, metavar="M.toml", help="TOML file that renames labels")
    add("--binary", action="store_true", help="single label for all identifiers")


def site_reader(options: argparse.Namespace) -> "SiteReader":
    """Return the reader that the options ask for."""
    from pipeline.sharing.site_notes import SiteReader

    return SiteReader(
        os.environ,
        release=options.release,
        manifest=options.manifest,
        schema=options.schema,
        label_map=options.label_map,
        binary=options.binary,
    )
