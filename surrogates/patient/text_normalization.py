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
# Letters that recognition puts for digits, in a run without any other letter.
_MISREAD_RUN = re.compile(r"(?<![^\W\d_])[0-9OoQIl|]+(?![^\W\d_])")
_DIGITS_OF_LETTERS = str.maketrans("OoQIl|", "000111")

fold = lru_cache(_REMEMBERED)(folding.fold)
unaccented = lru_cache(_REMEMBERED)(folding.strip_accents)


def read_misread_digits(text: str) -> str:
    """Return a number with digits for the letters that recognition put for them: `6l7 5lO OlOI`.

    Letters stay in words (`Tel`), and in runs before the first that has a digit (`Il a 9l ans`).
    """
    first = next((m.start() for m in _MISREAD_RUN.finditer(text) if not m[0].isalpha()), len(text))
    head, tail = text[:first], text[first:]
    return head + _MISREAD_RUN.sub(lambda match: match[0].translate(_DIGITS_OF_LETTERS), tail)


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
