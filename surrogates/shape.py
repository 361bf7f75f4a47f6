"""Surrogates that keep the shape of a value: a digit for each digit, a letter for each letter."""

from collections.abc import Callable

from record.errors import Unsafe
from record.folding import fold
from record.label import Label
from surrogates.subject import DRAWS, Mention, Subject, compact

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_VOWELS = "aeiouy"
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_DIGITS = "0123456789"


def replace(mention: Mention, subject: Subject) -> str:
    """Give a value of the same shape: digits, letters, case and separators in their places."""
    return scramble(mention.text, mention.label, subject)


def scramble(
    text: str, label: str, subject: Subject, *, mend: Callable[[str], str] | None = None
) -> str:
    """Draw a value of the same shape under a label.

    The letters and digits of the value alone decide, not its separators or case. `mend` may put
    right the check digits of the compact draw; its result must have the same length.
    Raises Unsafe where the value has no letters or digits, or all draws are known values.
    """
    value = compact(text)
    if not value:
        raise Unsafe("no-surrogate")
    for counter in range(DRAWS):
        drawn = _draw(value, label, subject, counter)
        if mend is not None:
            drawn = mend(drawn)
        if drawn != value and drawn not in subject.avoided_codes and drawn not in subject.avoided:
            return pour(drawn, text)
    raise Unsafe("no-surrogate")


def pour(drawn: str, model: str) -> str:
    """Write a compact value into the separators, blanks and case of a model of its length."""
    chars = iter(drawn)
    return "".join(
        _cased(next(chars), char) if folded.isalnum() else char
        for char, folded in zip(model, fold(model), strict=True)
    )


def _cased(drawn: str, model: str) -> str:
    return drawn.upper() if model.isupper() else drawn


def _draw(value: str, label: str, subject: Subject, counter: int) -> str:
    stream = subject.key.draw(label, value, 2 * len(value), counter=counter)
    drawn = []
    for place, char in enumerate(value):
        number = stream[2 * place] << 8 | stream[2 * place + 1]
        if not char.isdigit():
            letters = _letters(char, label)
            drawn.append(letters[number % len(letters)])
        elif place == 0 and char != "0":
            drawn.append(_DIGITS[1 + number % 9])
        else:
            drawn.append(_DIGITS[number % 10])
    return "".join(drawn)


def _letters(char: str, label: str) -> str:
    """Keep what is spoken speakable; codes take any letter."""
    if label != Label.OTHER:
        return _LETTERS
    return _VOWELS if char in _VOWELS else _CONSONANTS
