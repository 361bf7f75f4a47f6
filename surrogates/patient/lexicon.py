"""The word lists that surrogates are drawn from, one file for each kind and language."""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from surrogates.patient.text_normalization import squeeze


@dataclass(frozen=True)
class Lexicon:
    """A list of entries in a fixed order, and where each of them stands by its squeezed form.

    `codes` holds the second field of each entry (a town's postal code), where there is one.
    The order decides surrogates: adding an entry changes those of every patient.
    """

    name: str
    entries: tuple[str, ...]
    codes: tuple[str, ...] = ()
    places: dict[str, int] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.entries)


def listed(text: str) -> tuple[str, ...]:
    """Part a table of words at its blanks."""
    return tuple(text.split())


@cache
def load(kind: str, locale: str) -> Lexicon:
    """Read a lexicon of a language (`fr`, `en`, `es`), such as `cities` or `given.male`."""
    return _build(f"{kind}.{locale}", lines(f"{kind}.{locale}"))


@cache
def given(locale: str) -> Lexicon:
    """Return all given names of a language, whatever the gender."""
    names = (f"given.{gender}.{locale}" for gender in ("male", "female", "both"))
    return _build(
        f"given.{locale}", tuple(dict.fromkeys(row for name in names for row in lines(name)))
    )


def _build(name: str, rows: tuple[str, ...]) -> Lexicon:
    parts = [row.partition(";") for row in rows]
    entries = tuple(entry for entry, _, _ in parts)
    codes = tuple(code for _, _, code in parts) if parts[0][1] else ()
    places = {squeeze(entry): place for place, entry in enumerate(entries)}
    return Lexicon(name, entries, codes, places)


def lines(name: str) -> tuple[str, ...]:
    """Return the lines of a list, such as `given.male.fr`, without its comments."""
    kind, _, locale = name.rpartition(".")
    file = files("surrogates") / "lexicons" / locale / f"{kind}.txt"
    text = file.read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))
