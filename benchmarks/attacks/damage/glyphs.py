"""Case, and letters and digits of other alphabets and styles in place of the plain ones."""

import random
import re

from benchmarks.attacks.damage.accents import bare_letters
from benchmarks.attacks.damage.damage import Apply

LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
SMALL_CAPITALS = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡxʏᴢ"
CYRILLIC_LOOK_ALIKES = ("ABCEHIJKMOPSTXYaceijopsxy", "АВСЕНІЈКМОРЅТХУасеіјорѕху")
GREEK_LOOK_ALIKES = ("ABEHIKMNOPTXYZaikopuvxy", "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖαικορυνχγ")


def capitals_lock(value: str, _rng: random.Random) -> str:
    """Type with the capitals lock on."""
    return value.title().swapcase()


def late_shift(value: str, _rng: random.Random) -> str:
    """Hold the shift key one letter too long."""
    title = value.title()
    return re.sub(r"([^\W\d_])([^\W\d_])(?=[^\W\d_])", _upper_two, title, count=1)


def _upper_two(found: re.Match[str]) -> str:
    """Write the match in capitals."""
    return found.group().upper()


def mixed_case(value: str, rng: random.Random) -> str:
    """Draw the case of each letter."""
    return "".join(rng.choice((sign.lower(), sign.upper())) for sign in value)


def lower_case(value: str, _rng: random.Random) -> str:
    """Write all in small letters."""
    return value.lower()


def replace_signs(old: str, new: str) -> Apply:
    """Make a damage that replaces each sign by its partner."""
    table = str.maketrans(old, new)

    def apply(value: str, _rng: random.Random) -> str:
        """Replace every sign that the table has."""
        return value.translate(table)

    return apply


def replace_one_sign(old: str, new: str) -> Apply:
    """Make a damage that replaces one sign by its partner."""
    table = dict(zip(old, new, strict=True))

    def apply(value: str, rng: random.Random) -> str:
        """Replace one sign drawn."""
        places = [i for i, sign in enumerate(value) if sign in table]
        if not places:
            return value
        place = rng.choice(places)
        return value[:place] + table[value[place]] + value[place + 1 :]

    return apply


def signs_from(start: int, count: int = 10) -> str:
    """Give so many signs from a code point on."""
    return "".join(chr(start + i) for i in range(count))


def styled(capital: int, small: int, zero: int) -> Apply:
    """Make a damage that writes letters and digits in a styled block of Unicode."""
    digits = signs_from(zero) if zero else DIGITS
    return replace_signs(LATIN + DIGITS, signs_from(capital, 26) + signs_from(small, 26) + digits)


def _in_alphabet(pairs: str, singles: str, targets: str) -> Apply:
    """Make a damage that writes a name in another alphabet."""
    table = dict(zip(singles, targets, strict=True))
    table |= dict(item.split("=") for item in pairs.split())

    def apply(value: str, _rng: random.Random) -> str:
        """Write the name in the other alphabet, the longest groups first."""
        groups = sorted(table, key=len, reverse=True)
        found = re.compile("|".join(map(re.escape, groups)))
        return found.sub(lambda match: table[match.group()], bare_letters(value)).title()

    return apply


in_cyrillic = _in_alphabet(
    "ch=ш sh=ш ph=ф ou=у eau=о au=о x=кс",
    "abcdefghijklmnopqrstuvwyz",
    "абкдефгхижклмнопкрстуввиз",
)

in_greek = _in_alphabet(
    "ch=χ ph=φ th=θ ou=ου ps=ψ b=μπ d=ντ",
    "acefghijklmnopqrstuvwxyz",
    "ακεφγχιζκλμνοπκρστυββξυζ",
)
