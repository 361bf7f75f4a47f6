"""What hands do to a word: keys missed, hit twice, in the wrong order or beside the right one."""

import random
import re

from benchmarks.attacks.damage.damage import Apply, WordEdit

WORD = re.compile(r"[^\W\d_]+")

NEAR_KEYS: dict[str, str] = {
    "a": "sz", "b": "vn", "c": "xv", "d": "sf", "e": "rz", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "km", "m": "nl", "n": "bm", "o": "ip", "p": "o",
    "q": "sw", "r": "et", "s": "dq", "t": "ry", "u": "yi", "v": "cb", "w": "xs", "x": "wc",
    "y": "tu", "z": "ea",
}  # fmt: skip


def _cased_like(new: str, old: str) -> str:
    """Give the new letters the case of the old one."""
    return new.upper() if old.isupper() else new


def edit_word(edit: WordEdit, least: int = 5) -> Apply:
    """Make a damage that edits one of the value's longer words."""

    def apply(value: str, rng: random.Random) -> str:
        """Edit a word drawn, or leave a value whose words are too short."""
        words = [found for found in WORD.finditer(value) if len(found.group()) >= least]
        for found in rng.sample(words, len(words)):
            damaged = edit(found.group(), rng)
            if damaged != found.group():
                return value[: found.start()] + damaged + value[found.end() :]
        return value

    return apply


def drop_last(word: str, _rng: random.Random) -> str:
    """Drop the last letter."""
    return word[:-1]


def drop_inner(word: str, rng: random.Random) -> str:
    """Drop a letter inside."""
    place = rng.randrange(1, len(word) - 1)
    return word[:place] + word[place + 1 :]


def drop_first(word: str, _rng: random.Random) -> str:
    """Drop the first letter."""
    return word[1:]


def drop_last_two(word: str, _rng: random.Random) -> str:
    """Lose the last two letters of a long word."""
    return word[:-2]


def double_last(word: str, _rng: random.Random) -> str:
    """Double the last letter."""
    return word + word[-1]


def double_inner(word: str, rng: random.Random) -> str:
    """Double a letter inside."""
    place = rng.randrange(1, len(word) - 1)
    return word[: place + 1] + word[place:]


def triple(word: str, rng: random.Random) -> str:
    """Repeat a letter twice more."""
    place = rng.randrange(1, len(word))
    return word[:place] + word[place] * 2 + word[place:]


def undouble(word: str, _rng: random.Random) -> str:
    """Write a double letter once."""
    return re.sub(r"(?i)([^\W\d_])\1", r"\1", word, count=1)


def swap(word: str, rng: random.Random) -> str:
    """Swap two neighbouring letters after the first."""
    places = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
    if not places:
        return word
    place = rng.choice(places)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def swap_first(word: str, _rng: random.Random) -> str:
    """Swap the first two letters, the case staying where it was."""
    return _cased_like(word[1].lower(), word[0]) + _cased_like(word[0].lower(), word[1]) + word[2:]


def replace_by(table: dict[str, str], first: int = 1) -> WordEdit:
    """Make an edit that replaces one letter by one that the table names."""

    def edit(word: str, rng: random.Random) -> str:
        """Replace one letter drawn."""
        places = [i for i in range(first, len(word)) if word[i].lower() in table]
        if not places:
            return word
        place = rng.choice(places)
        new = rng.choice(table[word[place].lower()])
        return word[:place] + _cased_like(new, word[place]) + word[place + 1 :]

    return edit


def replace_first(word: str, rng: random.Random) -> str:
    """Replace the first letter by a neighbour on the keyboard."""
    near = NEAR_KEYS.get(word[0].lower(), word[0])
    return _cased_like(rng.choice(near), word[0]) + word[1:]


def insert_near(word: str, rng: random.Random) -> str:
    """Insert a neighbour on the keyboard after a letter."""
    place = rng.randrange(1, len(word))
    near = NEAR_KEYS.get(word[place - 1].lower(), "e")
    return word[:place] + _cased_like(rng.choice(near), word[place - 1]) + word[place:]


def regroup(*pairs: tuple[str, str]) -> WordEdit:
    """Make an edit that applies one replacement of letter groups."""

    def edit(word: str, rng: random.Random) -> str:
        """Apply once a replacement drawn among those possible."""
        fitting = [pair for pair in pairs if pair[0] in word.lower()]
        if not fitting:
            return word
        old, new = rng.choice(fitting)
        place = word.lower().index(old)
        part = word[place : place + len(old)]
        new = new.title() if place == 0 and not word.isupper() else _cased_like(new, part)
        return word[:place] + new + word[place + len(old) :]

    return edit


def swap_layout(word: str, _rng: random.Random) -> str:
    """Type a French keyboard's A, Q, Z and W where the other layout has them."""
    changed = word.translate(str.maketrans("aqzwAQZW", "qawzQAWZ"))
    wrong = sum(old != new for old, new in zip(word, changed, strict=True))
    return changed if 4 * wrong <= len(word) else word
