"""Whether an expression written by a site can be matched in time that grows with the text only."""

import re
from typing import NamedTuple

from rules.matching.prefilter import atom, quantifier

_LONGEST = 64
_SHORTEST = 4
# Ways in which the variable parts of a shape may be shared out, at most.
_WAYS = 256
_PRINTABLE = "".join(map(chr, range(32, 127)))


class _PatternPiece(NamedTuple):
    """One character, set or group of an expression and how often it may stand."""

    text: str
    low: int
    high: int

    @property
    def inside(self) -> str:
        return self.text[3:-1] if self.text.startswith("(?:") else self.text[1:-1]

    @property
    def is_group(self) -> bool:
        return self.text[0] == "("


class _Unsound(Exception):
    """Carries what is wrong with a shape."""


def fault(shape: str) -> str:
    """Say what is wrong with a shape; empty where nothing is.

    A sound shape is a regular expression of characters, sets, groups, `|`, `?`, `{n}` and `{n,m}`,
    4 to 64 characters long, whose repetitions hold no repetition but an optional character that
    cannot be taken for the next. Nothing then has to be tried more than a few hundred times.
    """
    try:
        re.compile(shape)
        low, high, ways = _measure(shape, repeated=False)
    except re.error:
        return "not a regular expression"
    except _Unsound as problem:
        return str(problem)
    if high > _LONGEST:
        return "it may match more than 64 characters"
    if low < _SHORTEST:
        return "it may match fewer than 4 characters"
    return "too many parts of variable length" if ways > _WAYS else ""


def _measure(shape: str, *, repeated: bool) -> tuple[int, int, int]:
    """Return the least and the greatest width of an expression,
    and its ways of being shared out.
    """
    branches = _branches(shape)
    if repeated and len(branches) > 1:
        raise _Unsound("alternatives inside a repetition")
    measures = [_measure_branch(pieces, repeated=repeated) for pieces in branches]
    lows, highs, ways = zip(*measures, strict=True)
    return min(lows), max(highs), sum(ways) if len(ways) > 1 else ways[0]


def _measure_branch(pieces: list[_PatternPiece], *, repeated: bool) -> tuple[int, int, int]:
    low, high, ways = 0, 0, 1
    for place, piece in enumerate(pieces):
        varies = piece.high > piece.low
        if varies and repeated:
            # Refuse what varies inside a repetition, unless it is a character that the next
            # cannot be.
            following = pieces[place + 1 :]
            after = following[0] if following else None
            sure = after is not None and not after.is_group and after.low > 0
            if piece.is_group or piece.high > 1 or after is None or not sure:
                raise _Unsound("a repetition inside a repetition")
            if _characters(piece.text) & _characters(after.text):
                raise _Unsound("a repetition inside a repetition")
        least, most, within = 1, 1, 1
        if piece.is_group:
            least, most, within = _measure(piece.inside, repeated=repeated or piece.high > 1)
        low, high = low + least * piece.low, high + most * piece.high
        ways *= within * (piece.high - piece.low + 1 if not repeated else 1)
    return low, high, ways


def _characters(text: str) -> set[str]:
    return set(re.findall(text, _PRINTABLE))


def _branches(shape: str) -> list[list[_PatternPiece]]:
    branches: list[list[_PatternPiece]] = [[]]
    at = 0
    while at < len(shape):
        text = atom(shape, at)
        at += len(text)
        times = quantifier(shape, at)
        at += len(times)
        if text == "|":
            branches.append([])
        else:
            branches[-1].append(_piece(text, times))
    return branches


def _piece(text: str, times: str) -> _PatternPiece:
    if text in ("^", "$", ".") or (text[0] == "\\" and text[1:] not in _ESCAPES):
        raise _Unsound("an anchor, a reference or a dot")
    if text.startswith("(?") and not text.startswith("(?:"):
        raise _Unsound("a group with an extension")
    low, high = _bounds(times)
    return _PatternPiece(text, low, high)


_ESCAPES = ("d", ".", "-", "/", "(", ")", "+", "*", "?", "|", "[", "]", "\\", " ")


def _bounds(times: str) -> tuple[int, int]:
    if not times:
        return 1, 1
    if times == "?":
        return 0, 1
    counted = re.fullmatch(r"\{(\d+)(?:,(\d+))?\}", times)
    if counted is None:
        raise _Unsound("a repetition without an upper bound")
    return int(counted[1]), int(counted[2] or counted[1])
