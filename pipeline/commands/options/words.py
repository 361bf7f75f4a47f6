"""The option that names a list of words of a language, to tell what is none."""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from record.errors import ConfigError

_WORDFREQ = "wordfreq"


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add --words."""
    parser.add_argument(
        "--words", metavar="FILE|LANG",
        help="list of words, to count non-words: a file with one word a line, or the code of a "
        "language of the package wordfreq, which must be installed",
    )  # fmt: skip


def word_list(named: str) -> Callable[[str], bool]:
    """Return what tells whether a word in small letters is in the list; raises ConfigError."""
    path = Path(named)
    if path.is_file():
        try:
            words = {line.strip().casefold() for line in path.read_text("utf-8").splitlines()}
        except (OSError, UnicodeDecodeError):
            raise ConfigError(str(path), "not readable text", "give one word a line") from None
        return words.__contains__
    try:
        wordfreq = import_module(_WORDFREQ)
    except ModuleNotFoundError:
        problem = "no such file, and the package wordfreq is not installed"
        raise ConfigError("--words", problem, "give a file, or pip install wordfreq") from None
    if named not in wordfreq.available_languages():
        problem = "no such file, and no language of wordfreq"
        raise ConfigError("--words", problem, "give a file with one word a line")
    return lambda word: bool(wordfreq.zipf_frequency(word, named) > 0)
