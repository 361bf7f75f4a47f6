"""Values out of blocks that are reserved for fiction and documentation, and what is free in them.

Nobody has the telephone number 555-0123 or an address at example.org: the authorities of numbers
and names keep them out of use. Surrogates are drawn from these blocks, so that two of them have the
block in common whomever they stand for. What tells of a person is the rest, which is drawn.

The blocks are those of public tables and stand here once more, so that a change of the surrogates
does not change what the attacks take for everybody's: Ofcom (numbers for drama), ARCEP (numbers for
audiovisual works), the North American plan (555-0100 to 555-0199), Bundesnetzagentur (Mitteilung
148/2021), RFC 2606 (names), RFC 5737 and RFC 3849 (addresses).
"""

import re
from dataclasses import dataclass, field

from evaluation.detection.leaks import fold_words
from record.label import Label


@dataclass(frozen=True, slots=True)
class ReservedValue:
    """The block that a value is from, and the parts of the value that the block leaves free."""

    block: str
    free: tuple[str, ...] = field(repr=False)


def _number(code: str, trunk: str, heads: str, most: int) -> re.Pattern[str]:
    """Match all digits of a number, with or without its country; what is behind is an extension."""
    return re.compile(rf"(?:(?:00)?{code})?{trunk}(?:{heads})(?P<line>\d{{1,{most}}})\d*")


_NUMBERS = {
    "555-01": re.compile(r"(?:00)?1?(?P<area>[2-9]\d\d)55501(?P<line>\d\d)\d*"),
    "01632 960": _number("44", "0?", "1632960", 3),
    "020 7946 0": _number("44", "0?", "2079460", 3),
    "07700 900": _number("44", "0?", "7700900", 3),
    **{
        f"0{head}": _number("33", "0?", head, 4)
        for head in ("19900", "26191", "35301", "46571", "53649", "63998")
    },
    **{
        f"0{head}": _number("49", "0?", head, 3)
        for head in (
            *("3023125", "6990009", "4066969", "8999998", "2214710", "17139200", "176040690"),
            *("15228817386", "15228895456", "15254599371"),
        )
    },
}
# Folded: words with blanks between them.
_HOST = re.compile(r"(?P<before>.* )?example (?:com|net|org)")
_PAGE = re.compile(r"(?P<before>.* )?example (?:com|net|org)(?P<after> .*)?")
_NETWORK = re.compile(r"(?:192 0 2|198 51 100|203 0 113|2001 db8) (?P<after>.*)")
_OF_EVERY_PAGE = frozenset(("http", "https", "www"))


def find_reserved(label: str, value: str) -> ReservedValue | None:
    """Return the block of a value and what it leaves free; None where nobody reserved it.

    Of an address of e-mail both sides of the `@` are free, each by itself.
    """
    if label in (Label.PHONE, Label.FAX):
        digits = "".join(char for char in _fold(value) if char.isascii() and char.isdigit())
        for block, pattern in _NUMBERS.items():
            if found := pattern.fullmatch(digits):
                return ReservedValue(block, tuple(found.groupdict().values()))
        return None
    if label == Label.EMAIL:
        local, at, host = value.rpartition("@")
        found = _HOST.fullmatch(_fold(host)) if at else None
        return found and ReservedValue("example", _words(_fold(local), found["before"]))
    if label == Label.URL:
        found = _PAGE.fullmatch(_fold(value))
        return found and ReservedValue("example", _words(*found.groups()))
    if label == Label.IP_ADDRESS:
        found = _NETWORK.fullmatch(_fold(value))
        return found and ReservedValue("documentation", _words(found["after"]))
    return None


def _fold(value: str) -> str:
    return " ".join(fold_words(value))


def _words(*parts: str | None) -> tuple[str, ...]:
    """Return the parts that hold more than what every address has."""
    kept = (
        " ".join(word for word in (part or "").split() if word not in _OF_EVERY_PAGE)
        for part in parts
    )
    return tuple(part for part in kept if part)
