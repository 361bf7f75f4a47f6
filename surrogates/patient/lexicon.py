"""The word lists that surrogates are drawn from: names and places of `locales`, and its own."""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from locales import word_lists
from surrogates.patient.text_normalization import squeeze


@dataclass(frozen=True)
class Lexicon:
    """A list of entries in a fixed order, and where each of them stands by its squeezed form.

    `codes` holds the postal codes of towns.
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
    entries, codes = zip(*rows(kind, locale), strict=True)
    return _build(f"{kind}.{locale}", entries, codes if kind == "cities" else ())


@cache
def given(locale: str) -> Lexicon:
    """Return all given names of a language, whatever the gender."""
    genders = ("given.male", "given.female", "given.both")
    return _build(
        f"given.{locale}", tuple(entry for kind in genders for entry, _ in rows(kind, locale))
    )


def _build(name: str, entries: tuple[str, ...], codes: tuple[str, ...] = ()) -> Lexicon:
    places = {squeeze(entry): place for place, entry in enumerate(entries)}
    return Lexicon(name, entries, codes, places)


def rows(kind: str, locale: str) -> tuple[tuple[str, str], ...]:
    """Return the entries of a list in their order, each with its code; empty where it has none."""
    name, _, gender = kind.partition(".")
    if name not in word_lists.KINDS:
        return tuple((line, "") for line in lines(kind, locale))
    letter = gender[:1]
    return tuple(
        (entry, code.removeprefix(letter))
        for entry, code in word_lists.drawn(name, locale)
        if code.startswith(letter)
    )


def lines(kind: str, locale: str) -> tuple[str, ...]:
    """Return the lines of a list that only surrogates have, without its comments."""
    file = files("surrogates") / "lexicons" / locale / f"{kind}.txt"
    text = file.read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))
