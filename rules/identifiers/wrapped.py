"""Numbers that the end of a line parts: read as one where check digits or a hyphen prove it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# The end of a line within letters and digits, with what indents or quotes the next line.
_END = re.compile(r"(?<=[0-9a-z.])-{0,2} {0,2}\r?\n[ >|]{0,16}(?=[.\-/]?[0-9a-z])")
# Near it, on one side, stand three digits, wherever it parts a number.
_THREE_DIGITS = re.compile(r"[0-9][ ./\-a-z]{0,6}[0-9][ ./\-a-z]{0,6}[0-9]")
_NEAR = 18
# What a code may consist of on one line: words with digits, and short ones.
_PIECE = r"(?:[a-z]{0,10}[0-9][0-9a-z./\-]*|[a-z]{1,6}(?![a-z]))"
_WORD = re.compile(_PIECE)
_TAIL = re.compile(rf"[.\-/]?(?:{_PIECE}(?: (?={_PIECE}))?){{1,8}}")
_REACH = 48
# No number with check digits has fewer digits, nor fewer letters and digits.
_FEWEST_DIGITS, _FEWEST_SIGNS = 6, 9


class Wrapped(NamedTuple):
    """A stretch around the end of a line, written in one line: folded, and with its case.

    `at` is where the second line begins in it, `start` the offset in the text, and `skipped` how
    much of the text is left out.
    """

    folded: str
    cased: str
    start: int
    at: int
    skipped: int
    hyphen: bool

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the stretch of the text for one that goes over the end of the line."""
        if not start < self.at < end:
            return None
        return self.start + start, self.start + end + self.skipped


def find_wrapped(folded: str, cased: str) -> Iterator[Wrapped]:
    """Yield the stretches in which a number may go over the end of a line.

    Each is written without the break, with a blank in its place, and with its hyphen.
    """
    for first, last in _find_ends(folded, cased):
        if cased[first - 1].islower() or cased[last].islower():
            continue
        start = _head_start(folded, first)
        tail = _TAIL.match(folded, last, last + _REACH)
        if tail and _may_be_number(folded[start:first], tail[0]):
            yield from _write_in_one_line(folded, cased, (start, first, last, tail.end()))


def _write_in_one_line(
    folded: str, cased: str, places: tuple[int, int, int, int]
) -> Iterator[Wrapped]:
    start, first, last, stop = places
    end = folded[first:last]
    hyphen = end[0] == "-"
    for between in ("", " ", "-") if hyphen else ("", " "):
        one, other = (text[start:first] + between + text[last:stop] for text in (folded, cased))
        at = first - start + len(between)
        yield Wrapped(one, other, start, at, len(end) - len(between), hyphen)


def _find_ends(folded: str, cased: str) -> Iterator[tuple[int, int]]:
    at = folded.find("\n")
    while at >= 0:
        # Small letters are those of words.
        if not (cased[at - 1].islower() or cased[at + 1 : at + 2].islower()):
            near = _THREE_DIGITS.search(folded, at + 1, at + 2 * _NEAR)
            if near or _THREE_DIGITS.search(folded, max(0, at - _NEAR), at):
                end = _END.search(folded, max(0, at - 5), at + _NEAR)
                if end:
                    yield end.span()
        at = folded.find("\n", at + 1)


def _head_start(folded: str, end: int) -> int:
    """Return where the words begin that may be the first part of a number."""
    start = end
    for word in reversed(folded[max(0, end - _REACH) : end].split(" ")):
        if not _WORD.fullmatch(word):
            break
        start -= len(word) + (start < end)
    return start


# What ends or begins a line as a whole: a date, and a word before something else.
_DAY_BEFORE = re.compile(r"[0-9]{1,2}([/.\-])[0-9]{1,2}\1(?:[0-9]{4}|(?<=/)[0-9]{2})\Z")
_DAY_AFTER = re.compile(r"[0-9]{1,2}/[0-9]{1,2}(?:/|\Z)")
_WORD_AFTER = re.compile(r"[a-z]{2,6}(?: |\Z)")
_BANK_BEFORE = re.compile(r"(?<![0-9a-z])[a-z]{2}[0-9]{2}(?![0-9/])")


def _may_be_number(head: str, tail: str) -> bool:
    digits = sum(map(str.isdigit, head)) + sum(map(str.isdigit, tail))
    signs = sum(map(str.isalnum, head)) + sum(map(str.isalnum, tail))
    if digits < _FEWEST_DIGITS or signs < _FEWEST_SIGNS:
        return False
    if _DAY_BEFORE.search(head) or _DAY_AFTER.match(tail):
        return False
    return not _WORD_AFTER.match(tail) or _BANK_BEFORE.search(head) is not None
