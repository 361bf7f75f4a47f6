"""Normalization of short texts (folding, squeezing, case transfer), with a cache.

A name or number of a note is looked at by several makers, and words come again in every note of a
patient. What is remembered depends on the text alone.
"""

import re
import unicodedata
from functools import lru_cache

from record import folding

WORD = re.compile(r"[^\W\d_]+")
HAS_CONTENT = re.compile(r"[^\W_]")
"""Finds a letter or digit: signs and blanks alone identify nobody."""

_REMEMBERED = 1 << 12
_SIGNS = re.compile(r"[\W_]+")

fold = lru_cache(_REMEMBERED)(folding.fold)


@lru_cache(_REMEMBERED)
def squeeze(text: str) -> str:
    """Fold a phrase and part its words by single blanks: `Bar-le-Duc` is `bar le duc`."""
    return " ".join(fold(text).replace("-", " ").split())


@lru_cache(_REMEMBERED)
def compact(text: str) -> str:
    """Fold a value to its letters and digits: what is left decides its surrogate."""
    return _SIGNS.sub("", fold(text))


@lru_cache(_REMEMBERED)
def folded_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, each folded."""
    return tuple(fold(word) for word in WORD.findall(text))


@lru_cache(_REMEMBERED)
def unaccented(text: str) -> str:
    """Strip the accents of a text and keep its case."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def apply_case(model: str, text: str) -> str:
    """Write a text in the case of a model: all capitals, all small, or as the text stands.

    Capitals without accents stay without accents, as hospital forms write them.
    """
    if model.isupper() and len(model) > 1:
        return (unaccented(text) if model.isascii() else text).upper()
    return text.lower() if model.islower() else text
