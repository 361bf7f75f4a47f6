"""Format-preserving surrogates: a digit for each digit, a letter for each letter."""

from record.errors import Unsafe
from record.label import Label
from surrogates.keys.keys import PatientKey
from surrogates.patient.patient import DRAWS, Mention, Subject
from surrogates.patient.text_normalization import HAS_CONTENT, compact, fold
from surrogates.permutations import code_permutation

_ALPHABETS = {
    "z": "0",
    "n": "123456789",
    "d": "0123456789",
    "l": "abcdefghijklmnopqrstuvwxyz",
    "v": "aeiouy",
    "c": "bcdfghjklmnpqrstvwxz",
}
"""Kind of a position -> the characters allowed there."""


def replace(mention: Mention, subject: Subject) -> str:
    """Return a value of the same format: digits, letters, case and separators in their places."""
    return scramble(mention.text, mention.label, subject)


def scramble(text: str, label: str, subject: Subject, *, key: PatientKey | None = None) -> str:
    """Return the surrogate of the same format for a value under a label.

    It depends only on the letters and digits of the value, not on separators or case. Two values
    of a format get different surrogates, except where one is skipped because it is a known value
    of the patient. `key` replaces the patient's key. Raises Unsafe where the value has no letters
    or digits, or all values of its format are known values.
    """
    value = compact(text)
    if not value:
        raise Unsafe("no-surrogate")
    for counter in range(DRAWS):
        drawn = permute_value(
            value, label, key or subject.key, counter, speakable=label == Label.OTHER
        )
        if drawn != value and drawn not in subject.avoided_codes and drawn not in subject.avoided:
            return apply_format(drawn, text)
    raise Unsafe("no-surrogate")


def scramble_content(text: str, label: str, subject: Subject) -> str:
    """Scramble a text that has letters or digits; blanks and punctuation alone stay."""
    return scramble(text, label, subject) if text and HAS_CONTENT.search(text) else text


def permute_value(
    value: str, label: str, key: PatientKey, counter: int, *, speakable: bool = False
) -> str:
    """Return the image of a compact value under the permutation of all values of its format.

    A leading zero is kept, and no other first digit becomes zero. `speakable` keeps vowels and
    consonants apart.
    """
    if (
        value.isascii()
        and value.isdigit()
        and value[0] != "0"
        and len(value) <= code_permutation.LONGEST
    ):
        # The index of a number is its value minus the smallest number of its length.
        first = 10 ** (len(value) - 1)
        moved = code_permutation.permute_number(
            int(value) - first,
            9 * first,
            key=key,
            label=label,
            name="n" + "d" * (len(value) - 1),
            times=counter,
        )
        return str(first + moved)
    kinds, alphabets = _split_kinds(value, speakable)
    drawn = code_permutation.permute_places(
        [_sign_index(char, signs) for char, signs in zip(value, alphabets, strict=True)],
        [len(signs) for signs in alphabets],
        key=key,
        label=label,
        name=kinds,
        # Letters of other scripts have no index: they select a permutation of their own.
        tweak="" if value.isascii() else value,
        times=counter,
    )
    return "".join(signs[place] for place, signs in zip(drawn, alphabets, strict=True))


def apply_format(drawn: str, model: str) -> str:
    """Write a compact value with the separators and case of a model of its length."""
    if model.isascii() and model.isdigit():
        return drawn
    if fold(model).isalnum():
        return "".join(map(_match_case, drawn, model))
    chars = iter(drawn)
    return "".join(
        _match_case(next(chars), char) if folded.isalnum() else char
        for char, folded in zip(model, fold(model), strict=True)
    )


def _match_case(drawn: str, model: str) -> str:
    return drawn.upper() if model.isupper() else drawn


class _KindTable(dict[int, str]):
    """Maps a code point to the kind of its position, on demand; for `str.translate`."""

    def __init__(self, vowel: str, consonant: str) -> None:
        self._vowel, self._consonant = vowel, consonant

    def __missing__(self, code: int) -> str:
        char = chr(code)
        letter = self._vowel if char in _ALPHABETS["v"] else self._consonant
        self[code] = kind = "d" if char.isdigit() else letter
        return kind


_LETTERS_ALIKE, _VOWELS_APART = _KindTable("l", "l"), _KindTable("v", "c")


def _split_kinds(value: str, speakable: bool) -> tuple[str, list[str]]:
    """Return the kinds of the positions of a value, and the characters allowed in each."""
    kinds = value.translate(_VOWELS_APART if speakable else _LETTERS_ALIKE)
    if kinds[0] == "d" and value != "0":
        kinds = ("z" if value[0] == "0" else "n") + kinds[1:]
    return kinds, [_ALPHABETS[kind] for kind in kinds]


def _sign_index(char: str, signs: str) -> int:
    place = signs.find(char)
    return place if place >= 0 else ord(char) % len(signs)
