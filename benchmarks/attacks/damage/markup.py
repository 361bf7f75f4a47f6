"""Frames and markup around a value or inside of it."""

import random

from benchmarks.attacks.damage.damage import Apply


def within(*frames: str) -> Apply:
    """Make a damage that writes the value inside a frame."""

    def apply(value: str, rng: random.Random) -> str:
        """Put the value into a frame drawn."""
        return rng.choice(frames).replace("{}", value)

    return apply


def tagged(*tags: str) -> Apply:
    """Make a damage that marks up a part of the value, both signs given with `¦` between."""

    def apply(value: str, rng: random.Random) -> str:
        """Mark the value up from or to a place inside."""
        if len(value) < 4:
            return value
        left, right = rng.choice(tags).split("¦")
        place = rng.randrange(1, len(value) - 1)
        if rng.random() < 0.5:
            return left + value[:place] + right + value[place:]
        return value[:place] + left + value[place:] + right

    return apply


def json_field(value: str, rng: random.Random) -> str:
    """Write the value as an escaped JSON field."""
    escaped = "".join(f"\\u{ord(sign):04x}" if ord(sign) > 127 else sign for sign in value)
    return rng.choice(('{"id":"%s"}', '{\\"val\\":\\"%s\\"}')) % escaped
