"""Lists of the words of a language: files with one word a line, and those of wordfreq."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from record.errors import ConfigError

_WORDFREQ = "wordfreq"


def word_list(named: str) -> Callable[[str], bool]:
    """Return what tells whether a word in small letters is in the list; raises ConfigError."""
    return load_words(named, "--words").__contains__


def load_words(named: str, key: str) -> frozenset[str]:
    """Return the words of a list in small letters; raises ConfigError with the key."""
    if Path(named).is_file():
        return _read_words(Path(named))
    return frozenset(
        map(str.casefold, _open_wordfreq(named, key).get_frequency_dict(named, "best"))
    )


def _read_words(path: Path) -> frozenset[str]:
    try:
        return frozenset(line.strip().casefold() for line in path.read_text("utf-8").splitlines())
    except (OSError, UnicodeDecodeError):
        raise ConfigError(str(path), "not readable text", "give one word a line") from None


def _open_wordfreq(lang: str, key: str) -> Any:
    try:
        wordfreq = import_module(_WORDFREQ)
    except ModuleNotFoundError:
        problem = "no such file, and the package wordfreq is not installed"
        raise ConfigError(key, problem, "give a file, or pip install wordfreq") from None
    if lang not in wordfreq.available_languages():
        problem = "no such file, and no language of wordfreq"
        raise ConfigError(key, problem, "give a file with one word a line")
    return wordfreq
