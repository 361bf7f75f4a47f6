"""Lists of names and places, one file for each kind and language: `locales/lexicons/fr/family.txt`.

Each line is an entry with what surrogates of it are drawn by (empty where none is) and an `x`
where rules know it: `Martin;1;x`. The head of a file explains the second column and names the
sources. The order of the lines decides surrogates: a line that is drawn, put between others,
changes those of every patient.
"""

from collections.abc import Iterator
from importlib.resources import files

from locales.registry import LANGUAGES

KINDS = frozenset(("cities", "countries", "family", "given", "regions"))
"""What there is a list of in each of `LISTED`."""

LISTED = tuple(code for code, language in LANGUAGES.items() if language.has_surrogates)
"""The languages that have lists."""


def known(kind: str, lang: str) -> tuple[str, ...]:
    """Return the entries that rules know. Raises FileNotFoundError where there is no such list."""
    return tuple(row[0] for row in _rows(kind, lang) if row[2:])


def drawn(kind: str, lang: str) -> tuple[tuple[str, str], ...]:
    """Return the entries that surrogates are drawn from in their order, each with its code.

    Raises FileNotFoundError where there is no such list.
    """
    return tuple((row[0], row[1]) for row in _rows(kind, lang) if row[1])


def _rows(kind: str, lang: str) -> Iterator[list[str]]:
    text = (files("locales") / "lexicons" / lang / f"{kind}.txt").read_text(encoding="utf-8")
    return (line.split(";") for line in text.splitlines() if not line.startswith("#"))
