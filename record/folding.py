"""Case, accents and typography folded away, one code point for one, so that offsets survive."""

import unicodedata


class _Fold(dict[int, str]):
    """Maps a code point to one folded character; filled on demand, used by `str.translate`."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = _TYPOGRAPHY.get(char)
        if folded is None:
            base = unicodedata.normalize("NFKD", char)[:1] or char
            lowered = base.lower()
            folded = lowered if len(lowered) == 1 else char
        self[code] = folded
        return folded


# Characters that writers and programs use for one another.
_TYPOGRAPHY = {
    "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'",
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "\u00ad": "-",
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2007": " ", "\t": " ",
    "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ı": "i",
}  # fmt: skip

_TABLE = _Fold()


def fold(text: str) -> str:
    """Lower the case, strip accents and unify quotes, dashes and blanks.

    The result has exactly one code point for each of the text: offsets hold in both.
    Line breaks stay line breaks. Ligatures of two letters (`œ`, `ß`) keep their place unexpanded.
    """
    return text.translate(_TABLE)
