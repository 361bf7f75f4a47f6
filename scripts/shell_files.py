"""Write the manual page and the completions of bash and zsh from the parser of the command line.

    python scripts/shell_files.py [FOLDER]

FOLDER is deploy/shell where none is given. Needs the extras of [dev].
"""

import argparse
import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

from pipeline.cli import COMMANDS, load, make_whole_parser

PLACE = Path(__file__).parents[1] / "deploy" / "shell"


def main(folder: Path) -> None:
    """Write the three files, whose lines do not depend on the width of a terminal."""
    os.environ["COLUMNS"] = "80"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in render():
        (folder / name).write_text(text, encoding="utf-8")


def render() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    yield "cryptonym.bash", shtab.complete(make_parser(), shell="bash")
    yield "_cryptonym", shtab.complete(make_parser(), shell="zsh")
    about = {
        "date": "2026",
        "project_name": "cryptonym",
        "version": version("cryptonym"),
        "manual_title": "Cryptonym",
        "description": "pseudonymize the notes of a clinical data warehouse",
    }
    yield "cryptonym.1", str(Manpage(make_parser(), about, format="single-commands-section"))


def make_parser() -> argparse.ArgumentParser:
    """Make the parser with the options of every command; paths are completed as files."""
    parser = make_whole_parser({name: load(name) for name in COMMANDS})
    for each in list_parsers(parser):
        for action in each._actions:
            if action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return parser


def list_parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and all beneath it, but for `extract train`, which is no word of a shell."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                if " " not in word:
                    yield from list_parsers(inner)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PLACE)
