"""Normalization of short texts (folding, squeezing, case transfer), with a cache.

Several surrogate makers normalize the same name or number, and words recur in every note of a
patient. Results depend only on the text.
"""

import re
from functools import lru_cache

from record import folding

WORD = re.compile(r"[^\W\d_]+")
HAS_CONTENT = re.compile(r"[^\W_]")
"""Matches a letter or digit: punctuation and blanks alone identify nobody."""

_REMEMBERED = 1 << 12
_SIGNS = re.compile(r"[\W_]+")

fold = lru_cache(_REMEMBERED)(folding.fold)
unaccented = lru_cache(_REMEMBERED)(folding.strip_accents)


@lru_cache(_REMEMBERED)
def squeeze(text: str) -> str:
    """Fold a phrase, with its words separated by single blanks: `Bar-le-Duc` is `bar le duc`."""
    return " ".join(fold(text).replace("-", " ").split())


@lru_cache(_REMEMBERED)
def compact(text: str) -> str:
    """Fold a value to its letters and digits, which determine its surrogate."""
    return _SIGNS.sub("", fold(text))


@lru_cache(_REMEMBERED)
def folded_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, each folded."""
    return tuple(fold(word) for word in WORD.findall(text))


def apply_case(model: str, text: str) -> str:
    """Return a text in the case of a model: upper case, lower case, or unchanged.

    Upper case without accents stays without accents, as in hospital forms.
    """
    if model.isupper() and len(model) > 1:
        return (unaccented(text) if model.isascii() else text).upper()
    return text.lower() if model.islower() else text
