"""Accents and umlauts that are dropped, taken apart, replaced or put on the wrong letter."""

import random
import unicodedata

from benchmarks.attacks.damage.damage import Apply
from benchmarks.attacks.damage.typing_errors import replace_by

_ACCENT_SIGNS = {
    "\u0301": "´", "\u0300": "`", "\u0302": "^", "\u0308": "¨", "\u0327": "¸", "\u0303": "~",
}  # fmt: skip


def drop_accents(value: str, _rng: random.Random) -> str:
    """Write the letters without accents."""
    parts = unicodedata.normalize("NFD", value)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def bare_letters(value: str) -> str:
    """Give the value in small letters without accents."""
    return drop_accents(value.lower(), random.Random(0))


def decompose(value: str, _rng: random.Random) -> str:
    """Write each accent as a combining sign."""
    return unicodedata.normalize("NFD", value)


def accents_beside(after: bool, plain: bool) -> Apply:
    """Make a damage that writes each accent as a sign of its own."""

    def apply(value: str, _rng: random.Random) -> str:
        """Write the accents beside their letters."""
        out = ""
        for sign in value:
            parts = unicodedata.normalize("NFD", sign)
            base, marks = parts[0], parts[1:]
            accent = "".join("'" if plain else _ACCENT_SIGNS.get(mark, "") for mark in marks)
            out += base + accent if after else accent + base
        return out

    return apply


def spell_umlauts(value: str, _rng: random.Random) -> str:
    """Write umlauts, ligatures and sharp s with two letters."""
    table = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "œ": "oe", "æ": "ae", "ø": "oe"}
    upper = {key.upper(): new.upper() for key, new in table.items() if key != "ß"}
    for old, new in (table | upper).items():
        value = value.replace(old, new)
    return value


def accented_as(signs: str) -> Apply:
    """Make a damage that puts a sign in place of each letter beyond ASCII."""

    def apply(value: str, rng: random.Random) -> str:
        """Replace the letters beyond ASCII, of which a readable word has at most two."""
        count = sum(ord(sign) > 127 for sign in value)
        sign = rng.choice(signs) if signs else ""
        if not 0 < 3 * count <= len(value):
            return value
        return "".join(sign if ord(old) > 127 else old for old in value)

    return apply


def add_accent(word: str, rng: random.Random) -> str:
    """Put an accent on a vowel that has none."""
    table = {"a": "àâ", "e": "éè", "i": "îï", "o": "ôö", "u": "ùü"}
    return replace_by(table, 1)(word, rng)
