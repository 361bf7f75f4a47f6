"""Case, accents and typography folded away, one code point for one, so that offsets survive."""

import re
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
# Most Western text fits one byte a character, which folds seven times as fast. The micro sign
# folds to a Greek letter and leaves that range: it counts with the others.
_FIRST_256 = "".join(map(chr, range(256)))
_LATIN = _FIRST_256.translate(_TABLE).replace("μ", "µ").encode("latin-1")
_LATIN_CASED = _FIRST_256.translate(_UNACCENT).replace("μ", "µ").encode("latin-1")
_MANY = 50  # one run of others in so many characters: then the table is faster
_OTHERS = re.compile(r"[^\x00-\xb4\xb6-\xff]+")


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


def _mixed(text: str, latin: bytes, table: dict[int, str]) -> str:
    """Translate what is Latin by bytes and the rest, often a dash or a quote, by the table."""
    others = list(_OTHERS.finditer(text))
    if len(others) * _MANY > len(text):
        return text.translate(table)
    parts: list[str] = []
    last = 0
    for other in others:
        start, end = other.span()
        parts += (_by_bytes(text[last:start], latin), other.group().translate(table))
        last = end
    parts.append(_by_bytes(text[last:], latin))
    return "".join(parts)


def _by_bytes(text: str, latin: bytes) -> str:
    return text.encode("latin-1").translate(latin).decode("latin-1")
