"""Folding of case, accents and typography that maps each code point to one, keeping offsets."""

import unicodedata


class _Unaccent(dict[int, str]):
    """Table for `str.translate` that removes accents and writes every digit in ASCII.

    Filled on demand.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        base = _TYPOGRAPHY.get(char) or unicodedata.normalize("NFKD", char)[:1] or char
        if not base.isascii():
            digit = unicodedata.digit(base, -1)  # Arabic-Indic, Devanagari and all other scripts
            base = str(digit) if digit >= 0 else base
        self[code] = base
        return base


class _Fold(dict[int, str]):
    """Table for `str.translate` that folds case and accents; filled on demand."""

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
# Most Western text fits in Latin-1, and folding bytes is twenty times as fast. Other characters
# become a question mark first, as does the micro sign, which folds to a Greek letter.
_FIRST_256 = "".join(map(chr, range(256)))
_LATIN = _FIRST_256.translate(_TABLE).encode("latin-1", "replace")
_LATIN_CASED = _FIRST_256.translate(_UNACCENT).encode("latin-1", "replace")
_CHARACTERS_PER_OTHER = 20  # with more characters outside Latin-1, the table is faster


def fold(text: str) -> str:
    """Lower the case, strip accents and unify quotes, dashes, blanks and the digits of all scripts.

    The result has one code point for each of the text, so offsets are valid in both. Line breaks
    are kept. Ligatures of two letters (`œ`, `ß`) are not expanded.
    """
    return (
        text.translate(_TABLE) if text.isascii() else _translate_mostly_latin(text, _LATIN, _TABLE)
    )


def unaccent(text: str) -> str:
    """Strip accents and unify quotes, dashes, blanks and the digits of all scripts; case is kept.

    The result has one code point for each of the text, so offsets are valid in both.
    """
    return (
        text.translate(_UNACCENT)
        if text.isascii()
        else _translate_mostly_latin(text, _LATIN_CASED, _UNACCENT)
    )


def _translate_mostly_latin(text: str, latin: bytes, table: dict[int, str]) -> str:
    """Translate Latin-1 characters as bytes and the others, often dashes and quotes, by table."""
    translated = text.encode("latin-1", "replace").translate(latin).decode("latin-1")
    others = translated.count("?") - text.count("?")
    if others * _CHARACTERS_PER_OTHER > len(text):
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


def strip_accents(text: str) -> str:
    """Strip accents only: case, typography and compatibility characters (`½`, `ﬁ`) are kept.

    Combining marks are removed, and the remaining characters stay as canonical decomposition
    leaves them, so offsets are not kept.
    """
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))
