"""The option that names a list of words of a language, to tell what is none."""

import argparse


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add --words."""
    parser.add_argument(
        "--words", metavar="FILE|LANG",
        help="list of words, to count non-words: a file with one word a line, or the code of a "
        "language of the package wordfreq, which must be installed",
    )  # fmt: skip
