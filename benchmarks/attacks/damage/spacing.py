"""Values that are spaced out, broken between lines, or mixed with signs that nobody sees."""

import random
import re

from benchmarks.attacks.damage.damage import Apply


def put_between(sep: str, least: int = 3) -> Apply:
    """Make a damage that puts a separator between all signs of the value."""

    def apply(value: str, _rng: random.Random) -> str:
        """Space the value out."""
        signs = [sign for sign in value if not sign.isspace()]
        return sep.join(signs) if len(signs) >= least else value

    return apply


def split_by(*seps: str) -> Apply:
    """Make a damage that puts one separator somewhere inside a run of letters or digits."""

    def apply(value: str, rng: random.Random) -> str:
        """Split the value at a place drawn."""
        places = [i for i in range(1, len(value)) if value[i - 1].isalnum() and value[i].isalnum()]
        if not places:
            return value
        place = rng.choice(places)
        return value[:place] + rng.choice(seps) + value[place:]

    return apply


def scatter(*seps: str) -> Apply:
    """Make a damage that puts invisible signs at several places."""

    def apply(value: str, rng: random.Random) -> str:
        """Insert after about every second sign, and once at least."""
        first = rng.randrange(1, len(value)) if len(value) > 1 else 0
        out = ""
        for i, sign in enumerate(value):
            out += (rng.choice(seps) if i and (i == first or rng.random() < 0.5) else "") + sign
        return out

    return apply


def mark_each(mark: str) -> Apply:
    """Make a damage that puts a mark after every letter or digit."""

    def apply(value: str, _rng: random.Random) -> str:
        """Mark every letter or digit."""
        return "".join(sign + mark if sign.isalnum() else sign for sign in value)

    return apply


def blanks_as(*seps: str) -> Apply:
    """Make a damage that writes the value's blanks as something else."""

    def apply(value: str, rng: random.Random) -> str:
        """Replace the blanks, or leave a value without."""
        return value.replace(" ", rng.choice(seps))

    return apply


def print_twice(value: str, _rng: random.Random) -> str:
    """Print every letter twice."""
    return "".join(sign * 2 if sign.isalpha() else sign for sign in value)


def overstrike(value: str, _rng: random.Random) -> str:
    """Print every sign over itself with a backspace."""
    return "".join(f"{sign}\b{sign}" if sign.isalnum() else sign for sign in value)


def type_and_erase(value: str, rng: random.Random) -> str:
    """Keep a wrong key and the backspace that erased it."""
    return split_by("x\b", "k\b", "o\x7f")(value, rng)


def first_apart(value: str, _rng: random.Random) -> str:
    """Set the first letter of the last word apart."""
    return re.sub(r"([^\W\d_])([^\W\d_]{3,})$", r"\1 \2", value)


def override_direction(value: str, _rng: random.Random) -> str:
    """Store the value backwards between marks that show it forwards."""
    return f"\u202e{value[::-1]}\u202c"
