"""Reading of proper names of places: capitalised words and the small words between them."""

import regex
from ahocorasick_rs import AhoCorasick

_LETTER = r"(?:[^\W\d_ºª]|\p{M})"
_TITLE = (
    r"(?:Dr|Dra|Sr|Sra|Sta|Sto|Gral|Pr|Prof|St|Ste|Mgr|Cdt|Gal|Ntra|Ntro|Cte|Alc)\.[ ]?(?=\p{Lu})"
)
_INITIALS = r"(?:\p{Lu}\.[ ]?){1,2}(?=\p{Lu}\p{L})"
_CAPITAL = rf"(?:{_TITLE}){{0,1}}\p{{Lu}}{_LETTER}*(?!/)(?:['’\-.]{_LETTER}+)*"
_SMALL = (
    r"(?:de|du|des|del|la|le|les|lès|el|los|las|y|et|sur|sous|en|aux|au|à|a|of|the|und|der|von"
    r"|van|i|da|do|dos)"
)
_NAME = regex.compile(
    rf"(?:{_SMALL}[ ]){{0,3}}(?:[dl]['’])?[\"«“]?[ ]?(?:{_INITIALS})?{_CAPITAL}"
    rf"(?:(?:[ ]|-\n|-)(?:{_SMALL}[ -]){{0,3}}(?:[dl]['’])?[\"«“]?{_CAPITAL}){{0,6}}[\"»”]?"
)
_WORD = regex.compile(r"[^\s\"«»“”]+")


def read_name(text: str, at: int, *, stops: frozenset[str] = frozenset()) -> int:
    """Read a proper name that begins at an offset; gives its end, or the offset if none is there.

    Offsets are code points. The name ends before the first of `stops` (small letters), unless it
    begins with one.
    """
    found = _NAME.match(text, at)
    if found is None:
        return at
    end = at
    for word in _WORD.finditer(text, at, found.end()):
        if word.start() > at and word.group().strip(".,").casefold() in stops:
            break
        end = word.end()
    return _without_small(text, at, end)


_TRAILING = regex.compile(rf"(?r)(?:[ -]{_SMALL}|[ ][dl]['’]?)+$")


def _without_small(text: str, at: int, end: int) -> int:
    trailing = _TRAILING.search(text, at, end)
    return trailing.start() if trailing else end


class Triggers:
    """Words that announce a place, found all at once."""

    __slots__ = ("_automaton", "_words")

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._automaton = AhoCorasick(words)

    def find(self, folded: str) -> list[tuple[int, int, str]]:
        """Find every word that stands alone: start, end (code points of the folded text), word.

        Where one is the beginning of another, both are given.
        """
        found: list[tuple[int, int, str]] = []
        for which, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=True):
            word = self._words[which]
            if start and folded[start - 1].isalnum():
                continue
            if word[-1].isalnum() and end < len(folded) and folded[end].isalnum():
                continue
            found.append((start, end, word))
        return found
