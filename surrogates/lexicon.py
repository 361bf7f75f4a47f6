"""The word lists that surrogates are drawn from, one file for each kind and language."""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from record.folding import fold


@dataclass(frozen=True)
class Lexicon:
    """A list of entries in a fixed order, and where each of them stands by its squeezed form.

    `codes` holds the second field of each entry (the postal code of a town), where there is one.
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


def squeeze(text: str) -> str:
    """Fold a phrase and part its words by single blanks: `Bar-le-Duc` is `bar le duc`."""
    return " ".join(fold(text).replace("-", " ").split())


@cache
def load(kind: str, locale: str) -> Lexicon:
    """Read a lexicon of a language (`fr`, `en`, `es`), such as `family` or `given.male`."""
    return _build(f"{kind}.{locale}", _lines(f"{kind}.{locale}"))


@cache
def given(locale: str) -> Lexicon:
    """Give all given names of a language, whatever the gender."""
    return _build(
        f"given.{locale}",
        tuple(dict.fromkeys(_lines(f"given.male.{locale}") + _lines(f"given.female.{locale}"))),
    )


def _build(name: str, lines: tuple[str, ...]) -> Lexicon:
    parts = [line.partition(";") for line in lines]
    entries = tuple(entry for entry, _, _ in parts)
    codes = tuple(code for _, _, code in parts) if parts[0][1] else ()
    places = {squeeze(entry): place for place, entry in enumerate(entries)}
    return Lexicon(name, entries, codes, places)


def _lines(name: str) -> tuple[str, ...]:
    text = (files("surrogates") / "lexicons" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))
