"""Case, accents and typography folded away, mostly one code point for one: offsets survive."""

import unicodedata


class _Unaccent(dict[int, str]):
    """Maps a code point to one without accent; filled on demand, used by `str.translate`."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        base = _TYPOGRAPHY.get(char) or unicodedata.normalize("NFKD", char)[:1] or char
        self[code] = base
        return base


class _Fold(dict[int, str]):
    """Maps a code point to one folded character; filled on demand, used by `str.translate`."""

    def __missing__(self, code: int) -> str:
        base = _UNACCENT[code]
        lowered = base.lower()
        self[code] = folded = lowered if len(lowered) == 1 else chr(code)
        return folded


# Characters that writers and programs use for one another.
_TYPOGRAPHY = {
    "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'",
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "\u00ad": "-",
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2007": " ", "\t": " ",
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i",
}  # fmt: skip

_UNACCENT = _Unaccent()
_TABLE = _Fold()
# Most Western text fits one byte a character, which folds twenty times as fast. What does not
# becomes a question mark, as does the micro sign, which folds to a Greek letter.
_FIRST_256 = "".join(map(chr, range(256)))
_LATIN = _FIRST_256.translate(_TABLE).encode("latin-1", "replace")
_LATIN_CASED = _FIRST_256.translate(_UNACCENT).encode("latin-1", "replace")
_MANY = 20  # one other in so many characters: then the table is faster


def fold(text: str) -> str:
    """Lower the case, strip accents and unify quotes, dashes and blanks.

    The result has exactly one code point for each of the text: offsets hold in both.
    Line breaks stay line breaks. Ligatures of two letters (`œ`, `ß`) keep their place unexpanded.
    """
    return text.translate(_TABLE) if text.isascii() else _mixed(text, _LATIN, _TABLE)


def unaccent(text: str) -> str:
    """Strip accents and unify quotes, dashes and blanks; the case stays.

    The result has exactly one code point for each of the text: offsets hold in both.
    """
    return text.translate(_UNACCENT) if text.isascii() else _mixed(text, _LATIN_CASED, _UNACCENT)


def strip_accents(text: str) -> str:
    """Strip accents and keep the rest: case, typography and compatibility characters (`½`, `ﬁ`).

    Combining marks disappear, other characters stay composed or not as Unicode decomposes them:
    offsets do not hold.
    """
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _mixed(text: str, latin: bytes, table: dict[int, str]) -> str:
    """Translate what is Latin by bytes and the rest, often a dash or a quote, by the table."""
    translated = text.encode("latin-1", "replace").translate(latin).decode("latin-1")
    others = translated.count("?") - text.count("?")
    if others * _MANY > len(text):
        return text.translate(table)
    parts: list[str] = []
    last, at = 0, -1
    while others:
        at = translated.index("?", at + 1)
        if text[at] != "?":
            parts += (translated[last:at], table[ord(text[at])])
            last = at + 1
            others -= 1
    return "".join((*parts, translated[last:])) if parts else translated
