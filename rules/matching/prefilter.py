"""Regular expressions loosened for an automaton that only finds where a match may begin."""

import re
from functools import lru_cache

_UNKNOWN = r"\x3f"
"""What stands for a code point beyond ASCII in the bytes that the automaton reads."""

_WIDEST = 96
"""Characters of an expression that the automaton reads: its size grows with their number."""

_GAP = 16
"""An automaton stops before a gap that may be so many characters longer than it must be.

What follows would spare it few places, and it has to follow all gaps that are open at a time.
"""

_LOOKAROUND = ("(?=", "(?!", "(?<=", "(?<!")
_QUANTIFIERS = "?*+{"
_GROUP = re.compile(r"\((?:\?(?::|P<\w+>))?")


def loosen(pattern: str) -> str:
    """Drop from an expression what an automaton cannot do, so that it matches at least as often.

    Lookaround and anchors go; a reference to a group becomes any character. A word boundary must
    stand beside a letter or digit of ASCII, as it may lie elsewhere beside other letters. What an
    expression may do without at its end goes as well: the automaton then reports a place once,
    not once for each length; and of an expression that is long or has a wide gap only the
    beginning is left.
    """
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith(_LOOKAROUND, at):
            at = closing(pattern, at) + 1
            continue
        piece = atom(pattern, at) if pattern[at] == "[" else pattern[at : at + _width(pattern, at)]
        out.append(_loosen_class(piece) if piece[0] == "[" else _loosen_piece(piece))
        at += len(piece)
    return _shorten("".join(out))


def leading_class(pattern: str) -> str:
    """Return what a negative lookbehind at the beginning demands, as an expression of one
    character.

    Empty where there is none, or none of one plain set of characters, or where alternatives follow.
    """
    if not pattern.startswith("(?<!") or any(piece == "|" for _, piece in _pieces(pattern)):
        return ""
    inner = pattern[4 : closing(pattern, 0)]
    if inner == r"[^\n]":  # the beginning of a line
        return r"(?:^|\n)"
    if inner != atom(inner, 0) or inner[0] in "(.^$" or inner.startswith("[^"):
        return ""
    plain = "".join(char for char in inner.strip("[]") if char.isascii())
    if not plain or re.match(f"[{plain}]", "?"):
        return ""  # a question mark stands for a character that is not in the set
    return f"(?:^|[^{plain}])"


def atom(pattern: str, at: int) -> str:
    """Cut out the bracketed set, the group or the single character that begins at an offset."""
    if pattern[at] == "(":
        return pattern[at : closing(pattern, at) + 1]
    return (
        _character_class(pattern, at)
        if pattern[at] == "["
        else pattern[at : at + _width(pattern, at)]
    )


def quantifier(pattern: str, at: int) -> str:
    """Cut out the quantifier at an offset, with a lazy or possessive mark; empty without one."""
    if at >= len(pattern) or pattern[at] not in _QUANTIFIERS:
        return ""
    end = pattern.index("}", at) + 1 if pattern[at] == "{" else at + 1
    return pattern[at : end + (pattern[end : end + 1] in ("?", "+"))]


def closing(pattern: str, at: int) -> int:
    """Find the parenthesis that closes the one at an offset."""
    depth = 0
    while True:
        if pattern[at] == "[":
            at += len(_character_class(pattern, at))
            continue
        depth += {"(": 1, ")": -1}.get(pattern[at], 0)
        if not depth:
            return at
        at += _width(pattern, at)


def _width(pattern: str, at: int) -> int:
    return 2 if pattern[at] == "\\" else 1


def _character_class(pattern: str, at: int) -> str:
    end = at + 1
    if pattern[end] == "^":
        end += 1
    if pattern[end] == "]":
        end += 1
    while pattern[end] != "]":
        end += _width(pattern, end)
    return pattern[at : end + 1]


def _loosen_class(piece: str) -> str:
    negated = piece[1] == "^"
    ascii_only = "".join(char if char.isascii() else "" for char in piece)
    if negated:
        return ascii_only if len(ascii_only) > 3 else r"[\s\S]"
    unknown = ascii_only != piece or r"\w" in piece
    return ascii_only[:-1] + (_UNKNOWN if unknown else "") + "]"


def _loosen_piece(piece: str) -> str:
    if piece in (r"\B", r"\A", r"\Z", "^", "$"):
        return ""
    if piece == r"\w":
        return rf"[\w{_UNKNOWN}]"
    if piece[0] == "\\" and piece[1:].isdigit():
        return "."
    return piece if piece.isascii() else _UNKNOWN


def _shorten(pattern: str) -> str:
    """Cut the end of each alternative to the least that must be there."""
    bars = [at for at, piece in _pieces(pattern) if piece == "|"]
    edges = zip([-1, *bars], [*bars, len(pattern)], strict=True)
    return "|".join(_shorten_branch(pattern[first + 1 : last]) for first, last in edges)


def _shorten_branch(branch: str) -> str:
    branch = _cut_before_wide_gap(branch)
    while branch:
        last, piece = _pieces(branch)[-1]
        times = branch[last + len(piece) :]
        least = _min_quantifier(times) if times else times
        if last == 0 and least is None:
            break
        if least != times:
            branch = branch[:last] + ("" if least is None else piece + least)
        elif last and _max_width(branch) > _WIDEST:
            branch = branch[:last]
        elif times or piece[0] != "(":
            break
        else:
            opening = _GROUP.match(piece)
            inner = piece[opening.end() : -1] if opening else ""
            return f"{branch[:last]}(?:{_shorten(inner)})"
    return branch


def _cut_before_wide_gap(branch: str) -> str:
    """Cut a branch before its first wide gap: nearly any characters, few of them or many."""
    for at, piece in _pieces(branch):
        times = quantifier(branch, at + len(piece))
        if at and piece.startswith("[^") and _max_repeats(times) - _min_repeats(times) >= _GAP:
            return branch[:at]
    return branch


# Each question about an expression begins with its pieces, and a group is in what surrounds it.
@lru_cache(maxsize=512)
def _pieces(pattern: str) -> tuple[tuple[int, str], ...]:
    """Return the characters, sets, groups and bars of an expression without their quantifiers."""
    found = []
    at = 0
    while at < len(pattern):
        piece = atom(pattern, at)
        found.append((at, piece))
        at += len(piece)
        at += len(quantifier(pattern, at))
    return tuple(found)


def _max_width(pattern: str) -> int:
    """Count the characters of the longest match; an unbounded repetition counts as its least."""
    widths = [0]
    for at, piece in _pieces(pattern):
        if piece == "|":
            widths.append(0)
            continue
        times = quantifier(pattern, at + len(piece))
        widths[-1] += _piece_width(piece) * _max_repeats(times)
    return max(widths)


def min_width(pattern: str) -> int:
    """Count the characters of the shortest match of an expression without lookaround."""
    widths = [0]
    for at, piece in _pieces(pattern):
        if piece == "|":
            widths.append(0)
            continue
        times = quantifier(pattern, at + len(piece))
        width = min_width(_GROUP.sub("", piece[:-1], count=1)) if piece[0] == "(" else 1
        widths[-1] += 0 if piece == r"\b" else width * _min_repeats(times)
    return min(widths)


def _min_repeats(times: str) -> int:
    least = _min_quantifier(times) if times else ""
    if least is None:
        return 0
    return int(least[1:-1]) if least else 1


def _piece_width(piece: str) -> int:
    if piece[0] == "(":
        return _max_width(_GROUP.sub("", piece[:-1], count=1))
    return 0 if piece == r"\b" else 1


def _max_repeats(times: str) -> int:
    bounds = re.match(r"\{(\d*),?(\d*)\}", times)
    return int(bounds[2] or bounds[1] or 1) if bounds else 1


def _min_quantifier(times: str) -> str | None:
    """Return the shortest form of a quantifier; None where nothing need be there."""
    if times[0] == "{":
        low = times[1:].partition("}")[0].partition(",")[0]
        return {"": None, "0": None, "1": ""}.get(low, f"{{{low}}}")
    return "" if times[0] == "+" else None
