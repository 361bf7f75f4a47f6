"""The labelled notes of a site, as the commands of `share` take them."""

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.config.settings import resolve
from pipeline.files.gold import read_annotated, read_label_map
from pipeline.synthetic.release import ReleaseLocation, open_release
from record.document import Annotated
from record.errors import ConfigError

if TYPE_CHECKING:
    from pipeline.sharing.site_encoding import Site


def add_notes(parser: argparse.ArgumentParser) -> None:
    """Add the notes, and how they are read."""
    add = parser.add_argument
    add(
        "--notes", nargs="+", required=True, metavar="NOTES",
        help="annotated files in any format that `evaluate` reads",
    )  # fmt: skip
    add(
        "--release", action="store_true",
        help=("treat NOTES as a release: a folder or URL written by `cryptonym release` or the "
              "nightly job"),
    )  # fmt: skip
    add(
        "--manifest",
        type=Path,
        metavar="FILE",
        help=("manifest of the release, if stored elsewhere"),
    )
    add("--schema", metavar="NAME", help="schema in the release's database")
    add("--label-map", type=Path, metavar="M.toml", help="TOML file that renames labels")
    add("--binary", action="store_true", help="use one label for all identifiers")


def read_site(options: argparse.Namespace, warnings: list[str]) -> "Site":
    """Read and cut the notes that options name; raises ConfigError."""
    return site_at(options.notes, options, warnings)


def site_at(places: Sequence[str], options: argparse.Namespace, warnings: list[str]) -> "Site":
    """Read and cut notes in the way that options say; raises ConfigError."""
    from pipeline.sharing.site_encoding import make_site

    renamed = read_label_map(options.label_map) if options.label_map else {}
    return make_site(_notes(places, options, warnings), renamed, binary=options.binary)


def _notes(
    places: Sequence[str], options: argparse.Namespace, warnings: list[str]
) -> Iterator[Annotated]:
    if not options.release:
        for name in places:
            yield from read_annotated(Path(name), warnings)
        return
    if len(places) > 1:
        raise ConfigError("--notes", "is more than one release", "give one")
    where = resolve(places[0], os.environ)
    yield from open_release(ReleaseLocation(where, options.manifest, options.schema)).notes()
