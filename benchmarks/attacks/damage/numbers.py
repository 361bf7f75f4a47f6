"""Ways to group, pad, shorten and speak a number, and digits gone wrong."""

import random
import re

from benchmarks.attacks.damage.damage import Apply
from benchmarks.attacks.damage.glyphs import DIGITS

_DIGIT_WORDS: dict[str, tuple[str, ...]] = {
    "fr": tuple("zéro un deux trois quatre cinq six sept huit neuf".split()),
    "en": tuple("zero one two three four five six seven eight nine".split()),
    "es": tuple("cero uno dos tres cuatro cinco seis siete ocho nueve".split()),
    "de": tuple("null eins zwei drei vier fünf sechs sieben acht neun".split()),
}


def _without_separators(value: str) -> str:
    """Give the value without blanks and separators."""
    return re.sub(r"[\s./_-]", "", value)


def grouped(sep: str, *sizes: int) -> Apply:
    """Make a damage that groups a number anew."""

    def apply(value: str, rng: random.Random) -> str:
        """Group the number's signs by a size drawn."""
        signs, size = _without_separators(value), rng.choice(sizes)
        return sep.join(signs[i : i + size] for i in range(0, len(signs), size))

    return apply


def compact(value: str, _rng: random.Random) -> str:
    """Write the number without blanks."""
    return _without_separators(value)


def wrap_at_blank(value: str, rng: random.Random) -> str:
    """Break the line at one of the number's blanks."""
    places = [i for i, sign in enumerate(value) if sign == " "]
    if not places:
        return value
    place = rng.choice(places)
    return value[:place] + "\n" + value[place + 1 :]


def rewrite_if(pattern: str, *templates: str) -> Apply:
    """Make a damage that rewrites a number of a certain build."""

    def apply(value: str, rng: random.Random) -> str:
        """Rewrite the number's signs, or leave another build."""
        found = re.fullmatch(pattern, _without_separators(value))
        return found.expand(rng.choice(templates)) if found else value

    return apply


def scientific(value: str, rng: random.Random) -> str:
    """Write the number as a spreadsheet does in a narrow column, no digit lost."""
    signs = _without_separators(value)
    if not re.fullmatch(r"[1-9][0-9]{5,11}", signs):
        return value
    sign = rng.choice(".,")
    return f"{signs[0]}{sign}{signs[1:]}E+{len(signs) - 1:02d}"


def replace_digit(value: str, rng: random.Random) -> str:
    """Replace one digit by another."""
    places = [i for i, sign in enumerate(value) if sign.isdecimal()]
    if not places:
        return value
    place = rng.choice(places)
    return value[:place] + str((int(value[place]) + rng.randrange(1, 10)) % 10) + value[place + 1 :]


def swap_digits(value: str, rng: random.Random) -> str:
    """Swap two neighbouring digits."""
    places = [
        i
        for i in range(len(value) - 1)
        if value[i : i + 2].isdecimal() and value[i] != value[i + 1]
    ]
    if not places:
        return value
    place = rng.choice(places)
    return value[:place] + value[place + 1] + value[place] + value[place + 2 :]


def spoken_digits(value: str, rng: random.Random) -> str:
    """Write the digits as words."""
    words = _DIGIT_WORDS[rng.choice(tuple(_DIGIT_WORDS))]
    signs = _without_separators(value)
    return " ".join(words[int(sign)] if sign in DIGITS else sign for sign in signs)
