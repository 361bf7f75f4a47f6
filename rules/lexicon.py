"""Word lists that come with the rules: plain files, one folded entry a line, `#` for comments."""

from functools import cache
from importlib.resources import files

from record.folding import fold
from rules.views import plain


@cache
def lexicon(name: str) -> frozenset[str]:
    """Read a list of `rules/lexicons` as folded entries.

    Raises FileNotFoundError where there is no list of that name.
    """
    text = (files("rules") / "lexicons" / f"{name}.txt").read_text("utf-8")
    lines = (line.split("#", 1)[0].strip() for line in text.splitlines())
    return frozenset(fold(plain(line)) for line in lines if line)


@cache
def lexicons(*names: str) -> frozenset[str]:
    """Join several lists into one."""
    return frozenset[str]().union(*(lexicon(name) for name in names))
