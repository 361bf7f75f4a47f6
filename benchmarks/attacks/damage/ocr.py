"""What text recognition and transcribers do to a word that is hard to read."""

import random

from benchmarks.attacks.damage.damage import WordEdit

LOOK_ALIKES: dict[str, str] = {
    "b": "h", "h": "b", "e": "c", "c": "e", "n": "u", "u": "n", "t": "f", "f": "t", "i": "l",
    "l": "i", "a": "o", "o": "a", "g": "q", "q": "g", "r": "v", "v": "r",
}  # fmt: skip


def insert_sign(signs: str) -> WordEdit:
    """Make an edit that puts one of the signs inside the word."""

    def edit(word: str, rng: random.Random) -> str:
        """Insert a sign drawn."""
        place = rng.randrange(1, len(word))
        return word[:place] + rng.choice(signs) + word[place:]

    return edit


def lose_letter(signs: str) -> WordEdit:
    """Make an edit that puts one of the signs where a letter was."""

    def edit(word: str, rng: random.Random) -> str:
        """Replace an inner letter by a sign drawn."""
        place = rng.randrange(1, len(word))
        return word[:place] + rng.choice(signs) + word[place + 1 :]

    return edit


def bracket_letter(word: str, rng: random.Random) -> str:
    """Put brackets around one letter."""
    place = rng.randrange(1, len(word))
    left, right = rng.choice(("[]", "()"))
    return word[:place] + left + word[place] + right + word[place + 1 :]
