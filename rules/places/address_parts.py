"""Reading of the parts of an address: proper names, house numbers, flats, words of address."""

import re

from rules.places.gazetteer import find_listed

_NUMBER = re.compile(
    r"(?<![a-z\d.,/:])(?:n[°o]\.? ?)?[0-9]{1,4}(?:[ ]?(?:[-/]|et)[ ]?[0-9]{1,4})?"
    r"(?:[ ]?(?:bis|ter|quater|[a-f]))?[ ]?,?[ \n]{1,2}\Z"
)
_ANNEX = re.compile(
    r"(?:,? ?(?:(?:app(?:t|artement)?|apto?|apartment|bat(?:iment)?|esc(?:alier)?|etage|porte|hall"
    r"|suite|unit|floor|fl|bte|bus|whg)(?![a-z])\.? ?(?:n[°o] ?)?|# ?)"
    r"[a-z0-9]{1,4}(?![a-z0-9])"
    r"|, ?[0-9]{1,2}(?:er|e|eme|\.) ?(?:etage|og|stock)(?![a-z])){1,3}"
)
_SPANISH_NUMBER = (
    r"(?:,? ?(?:n[º°o]\.?|num\.?|numero)? ?(?:[0-9]{1,4}(?![0-9])"
    r"(?: ?[-/y] ?[0-9]{1,4}(?![0-9oa]))?"
    r"(?: ?bis)?|s/n)|,? km\.? ?[0-9.,]{0,6}[0-9])"
)
_SPANISH_TAIL = re.compile(
    rf"{_SPANISH_NUMBER}(?:[ ]?[,.\-]?[ ]?(?:[a-z]?[0-9]{{1,2}} ?(?:°|[oa](?=[a-h]?(?![a-z])))?"
    r"[a-h]?(?![0-9a-z])"
    r"|bajo(?: [a-h])?(?![a-z])|atico(?: [a-h])?(?![a-z])"
    r"|[a-h](?:(?![a-z]|-[0-9]|\.[a-z])|-[0-9]{1,2}(?![0-9]))"
    r"|edificio(?![a-z])"
    r"|(?:izda|dcha|izq|der|dcho|izqda)\.?(?![a-z0-9])"
    r"|(?:esc|portal|local|planta|piso|puerta|apto?|apartamento|int|bloque)\.? ?[0-9a-z]{1,3}"
    r"(?![0-9a-z]))){0,6}"
)
_LETTER_AND_DOT = re.compile(r"(?<![a-z])[a-z]\.\Z")
_NUMBER_BEHIND = re.compile(
    r",? [0-9]{1,3}(?: ?[a-f](?![a-z]))?(?![0-9a-z/%.]|,[0-9]"
    r"| ?(?:[mck]?[gm]|ml|fois|jours?|h|ans|mois)(?![a-z]))"
)
_CUE = re.compile(
    r"(?<![a-z])(?:add?ress?e?|domicil[a-z]{1,6}|direccion|habit(?:e|ait|ant)|demeur(?:e|ant)"
    r"|resid(?:e|es|ant|ing|ente)|lives|living|lived|vit|vive|sise?|siege"
    r"|woon(?:t|achtig)|wonende|wohn(?:t|haft)|anschrift)(?![a-z])"
    r"[a-z ,]{0,24}[: ]{1,3}(?:[a-z]{1,2} )?\Z"
)
_POSTCODE_AHEAD = re.compile(
    r"[ ]{0,2}[,.\-|]?[ \n]{1,3}[-(]?[ ]?(?:[a-z]{1,2}-)?[0-9]{2} ?[0-9]{2,3}(?![0-9])"
    r"[ ,.)-]{0,3}[a-z]"
)
_TOWN_AHEAD = re.compile(r"[ ]?[,.\-]?[ \n](?:de |en )?")


def number_before(folded: str, start: int) -> int | None:
    """Return where a house number begins that stands right before an offset of the folded text."""
    number = _NUMBER.search(folded[max(0, start - 18) : start])
    if number is None:
        return None
    return max(0, start - 18) + number.start()


def number_behind(folded: str, end: int) -> int:
    """Return the end of a house number behind a French name of a street, or the offset itself."""
    number = _NUMBER_BEHIND.match(folded, end)
    return number.end() if number else end


def annex_end(folded: str, end: int) -> int:
    """Return the end of flats, stairs and floors that follow an offset, or the offset itself."""
    annex = _ANNEX.match(folded, end)
    return annex.end() if annex else end


def spanish_tail(folded: str, end: int) -> int:
    """Return the end of a Spanish house number with floor and door, or the offset itself."""
    tail = _SPANISH_TAIL.match(folded, end)
    # Five digits are a postal code.
    if tail is None or folded[tail.end() : tail.end() + 1].isdigit():
        return end
    last = end + len(tail.group().rstrip())
    return last - 1 if _LETTER_AND_DOT.search(folded[max(0, last - 3) : last]) else last


def cue_before(folded: str, start: int) -> bool:
    """Return whether words of address or of dwelling lead to an offset of the folded text."""
    return _CUE.search(folded[max(0, start - 48) : start]) is not None


def address_ahead(folded: str, end: int) -> bool:
    """Return whether a postal code, a town or the end of the line follows a street."""
    if postcode_ahead(folded, end):
        return True
    gap = _TOWN_AHEAD.match(folded, end)
    return gap is not None and find_listed(folded, gap.end()) is not None


def postcode_ahead(folded: str, end: int) -> bool:
    """Return whether a postal code and a word follow an offset of the folded text."""
    return _POSTCODE_AHEAD.match(folded, end) is not None


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
        if last > at and len(word.group()) == 1 and cased[word.end() : word.end() + 1].isdigit():
            # `Vancouver V6B 1A1`: the letter begins a code.
            return _without_small_words(cased, at, last)
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
