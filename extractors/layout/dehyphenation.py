"""Rejoining words hyphenated at line ends, and cleaning the lines of a page."""

import re
from collections.abc import Iterator, Sequence, Set

from extractors.plain.plain_text import clean

_BREAK = re.compile("(?<=[^\\W\\d_])(?:\u00ad+|[-\u2010])[^\\S\n]*\n[^\\S\n]*(?=[^\\W\\d_])")
_HYPHEN = re.compile("[-\u2010\u00ad][^\\S\n]*\n")  # fast to search
_BEFORE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*$")
_AFTER = re.compile(r"[^\W\d_]+")

# First halves that keep their hyphen in French, English or Spanish, wherever the line ends.
_KEEPS_HYPHEN = frozenset(
    "after all anti après arc arrière au auto avant bas beau belle best bien brother by ceux "
    "celle celui ci co contre cross demi deux dix double en end entre ex extra face father fine "
    "follow franco full grand grande gros half haut hémi high inter intra ischio là lui long low "
    "maxillo mi micro mid mini mother moyen multi néo non nord nouveau off ouest out over par "
    "passe peut petit petite plus pluri point porte post pre pré pro quasi quatre rendez sacro "
    "sans self semi short sister soi sous sterno sud sur tele tête thoraco three tri trois two "
    "ultra un uni up vaso vice vis well x".split()
)
_LOOK_BACK = 60


def clean_line(raw: str) -> str:
    """Clean one line of a page; a soft hyphen at its end is kept for `find_word_breaks`."""
    if raw.isascii() and raw.isprintable():
        return raw
    stripped = raw.rstrip()
    if stripped.endswith("\u00ad"):
        return clean(stripped.rstrip("\u00ad")) + "\u00ad"
    return clean(raw)


# Characters that cleaning never changes, in any context.
_CLEAN = re.compile("[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u20ac]*")


def clean_lines(raws: Sequence[str]) -> Sequence[str]:
    """Clean the lines of a page one by one."""
    if _CLEAN.fullmatch("".join(raws)):
        return raws
    return list(map(clean_line, raws))


def find_word_breaks(text: str, within: Set[int]) -> Iterator[tuple[int, int]]:
    """Return the ranges to remove so that words broken over two lines are rejoined.

    `within` holds the offsets of the line breaks inside a paragraph. There, before a capital
    (`Jean-/Paul`), the line break is removed and the hyphen kept. Before a lowercase letter the
    hyphen is removed too, unless it is part of the word: its first half is known to keep it, or
    the text has the word with its hyphen elsewhere and never without.
    """
    folded = ""
    for start, end in _find_candidates(text):
        if text[end].isupper() and text.index("\n", start) not in within:
            continue
        soft = text[start] == "\u00ad"
        folded = folded or text.casefold()
        if soft or _is_hyphen_removed(text, folded, start, end):
            yield (start, end) if text[end].islower() else (start + 1, end)
        else:
            yield start + 1, end


def _find_candidates(text: str) -> Iterator[tuple[int, int]]:
    for hyphen in _HYPHEN.finditer(text):
        start = hyphen.start()
        while text[start] == "\u00ad" == text[start - 1 : start]:
            start -= 1
        if match := _BREAK.match(text, start):
            yield match.span()


def _is_hyphen_removed(text: str, folded: str, start: int, end: int) -> bool:
    if not text[end].islower() or not text[start - 1].islower():
        return False
    before = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    after = _AFTER.match(text, end)
    if before is None or after is None:
        return False
    first, second = before.group().casefold(), after.group().casefold()
    if first in _KEEPS_HYPHEN or len(folded) != len(text):
        return first not in _KEEPS_HYPHEN
    return f"{first}-{second}" not in folded or f"{first}{second}" in folded
