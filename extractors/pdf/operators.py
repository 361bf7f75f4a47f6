"""Which kinds of operators a content stream may hold (ISO 32000-1, annex A), told in one pass.

Words that look like operators in strings and comments count, too: what is not found is not there,
what is found has to be looked for again.
"""

import threading
from enum import StrEnum
from typing import Any

import hyperscan


class Kind(StrEnum):
    """What operators do."""

    PAINTS = "paints"
    """An area is filled, or a picture, a shade or a form is drawn."""
    PICTURES = "pictures"
    """A picture or a form is drawn."""
    INTRICATE = "intricate"
    """Clips, patterns, shades, pictures, forms and what lets things shine through."""


_OPERATORS = {
    Kind.PAINTS: rb"[fFBb]\*?|sh|Do|EI",
    Kind.PICTURES: rb"Do|BI",
    Kind.INTRICATE: rb"W\*?|scn|SCN|sh|BI|EI|Do|gs",
}
_KINDS = tuple(_OPERATORS)
# An operator ends at a blank or where an operand begins; it begins after a blank, where an operand
# ended, or behind a number: readers part `0f` into two words.
_BEFORE = rb"(?:^|[\s\0\]>)}\d.])"
_AFTER = rb"(?:[\s\0/\[\](<>){}%]|$)"


class _Automaton(threading.local):
    # What is noted during a scan belongs to one thread.
    def __init__(self) -> None:
        self.database: Any = hyperscan.Database()
        self.database.compile(
            expressions=[_BEFORE + b"(?:" + some + b")" + _AFTER for some in _OPERATORS.values()],
            ids=list(range(len(_KINDS))),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH] * len(_KINDS),
        )


_AUTOMATON = _Automaton()


def kinds(content: bytes) -> tuple[Kind, ...]:
    """Return the kinds of operators that may be in a content stream, or in a part of one.

    Each once. A part begins and ends where no word is cut.
    """
    found: list[Kind] = []

    def report(number: int, *_: object) -> None:
        found.append(_KINDS[number])

    _AUTOMATON.database.scan(content, match_event_handler=report)
    return tuple(found)
