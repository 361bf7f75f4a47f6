"""Reading of proper names of places: capitalised words and the small words between them."""

import re

_LETTER = r"[^\W\d_]"
_TITLES = "Dra|Sr|Sra|Sta|Sto|Gral|Pr|Prof|St|Ste|Mgr|Cdt|Gal|Ntra|Ntro|Cte|Alc"
_AHEAD = r"\.[ ]?(?=[A-Z])"
_INITIALS = r"(?:[A-Z]\.[ ]?){1,2}(?=[A-Z][a-zA-Z])"
_CAPITALISED = rf"(?!No[A-Z])[A-Z]{_LETTER}{{0,30}}(?!/)(?:['\-.]{_LETTER}{{1,30}}){{0,5}}"
_SMALL = (
    r"(?:de|du|des|del|la|le|les|el|los|las|y|et|sur|sous|en|aux|au|a|of|the|und|der|von"
    r"|van|i|da|do|dos)"
)
_NAME = re.compile(
    rf"(?:{_SMALL}[ ]){{0,3}}(?:[dl]'|'[st][ -])?[\"«“]?[ ]?(?:{_INITIALS})?"
    rf"(?:(?:Dr|{_TITLES}){_AHEAD})?{_CAPITALISED}"
    rf"(?:(?:[ ]|-\n)(?:{_SMALL}[ -]){{0,3}}(?:[dl]')?[\"«“]?"
    rf"(?:(?:{_TITLES}){_AHEAD})?{_CAPITALISED}){{0,6}}[\"»”]?"
)
_WORD = re.compile(r"[^\s\"«»“”]+")
_OPEN = re.compile(r"[\"«“]")
_TRAILING = re.compile(r"[ -][a-z]{1,4}\Z")


def read_name(cased: str, at: int, *, stops: frozenset[str] = frozenset()) -> int:
    """Read a proper name that begins at an offset; returns its end, or the offset if none is there.

    `cased` is text without accents; offsets are code points. The name ends before the first of
    `stops` (small letters), unless it begins with one.
    """
    found = _NAME.match(cased, at)
    if found is None:
        return at
    end = found.end()
    last = at
    for word in _WORD.finditer(cased, at, end):
        if last > at and word.group().strip(".,").lower() in stops:
            return _without_small_words(cased, at, last)
        last = word.end()
    return (
        last + 1 if last < end and cased[last] in '"»”' and _OPEN.search(cased, at, last) else last
    )


def _without_small_words(cased: str, at: int, end: int) -> int:
    while trailing := _TRAILING.search(cased, max(at, end - 5), end):
        end = trailing.start()
    return end
