"""Ways to order, join, abbreviate and spell the parts of a name."""

import random
import re

from benchmarks.attacks.damage.accents import bare_letters, spell_umlauts
from benchmarks.attacks.damage.damage import Apply

_NATO_WORDS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November "
        "Oscar Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu".split(),
        strict=True,
    )
)

_FRENCH_WORDS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        "Anatole Berthe Célestin Désiré Eugène François Gaston Henri Irma Joseph Kléber Louis "
        "Marcel Nicolas Oscar Pierre Quintal Raoul Suzanne Thérèse Ursule Victor William Xavier "
        "Yvonne Zoé".split(),
        strict=True,
    )
)


def _first_and_last(value: str) -> tuple[str, str] | None:
    """Give first name and surname of a name of two or more words."""
    first, _, last = value.partition(" ")
    return (first, last) if last else None


def ordered(*frames: str) -> Apply:
    """Make a damage that writes first name (f), initials (i) and surname (l) in a frame."""

    def apply(value: str, rng: random.Random) -> str:
        """Write the name's parts in a frame drawn, or leave a single word."""
        parts = _first_and_last(value)
        if parts is None:
            return value
        initials = [part[0].upper() for part in re.split("[-' ]", parts[0]) if part]
        return rng.choice(frames).format(
            f=parts[0], l=parts[1], L=parts[1].upper(), i="".join(initials),
            dots=".-".join(initials) + ".",
        )  # fmt: skip

    return apply


def passport_zone(value: str, rng: random.Random) -> str:
    """Write a name as the machine-readable zone of a passport does."""
    parts = _first_and_last(spell_umlauts(value, rng))
    if parts is None:
        return value
    first, last = (re.sub("[^A-Z]", "<", bare_letters(part).upper()) for part in parts)
    return f"P<FRA{last}<<{first}<<<<<<"


def login(value: str, rng: random.Random) -> str:
    """Write a name as a login or a mail address."""
    parts = _first_and_last(bare_letters(value))
    if parts is None:
        return value
    first, last = (part.replace(" ", "").replace("'", "") for part in parts)
    return rng.choice((f"{first}.{last}@mail.example", f"{first[0]}{last}", f"{last}_{first}"))


def hyphens_as(*signs: str) -> Apply:
    """Make a damage that writes the hyphen of a double name otherwise."""

    def apply(value: str, rng: random.Random) -> str:
        """Replace the hyphens between letters."""
        return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", rng.choice(signs), value)

    return apply


def apostrophes_as(*signs: str) -> Apply:
    """Make a damage that writes the apostrophe of a name otherwise."""

    def apply(value: str, rng: random.Random) -> str:
        """Replace the apostrophes."""
        return re.sub("['’]", rng.choice(signs), value)

    return apply


def rewrite_particle(value: str, _rng: random.Random) -> str:
    """Write particles glued, apart or in the other form."""
    rules = (("de la ", "Dela"), ("de ", "De"), ("le ", "Le"), ("van ", "Van"), ("mac", "Mac "),
             ("mc", "Mc "), ("saint-", "St "), ("saint ", "St-"), ("von ", "v. "))  # fmt: skip
    for old, new in rules:
        found = re.search(rf"(?i)\b{old}(?=\w)", value)
        if found:
            return value[: found.start()] + new + value[found.end() :]
    return value


def glue_words(value: str, _rng: random.Random) -> str:
    """Write the words of a name without anything between."""
    return re.sub(r"[\s'’-]", "", value)


def spell_nato(value: str, _rng: random.Random) -> str:
    """Spell the last word by the spelling alphabet."""
    return " ".join(_NATO_WORDS.get(sign, sign) for sign in bare_letters(value).split(" ")[-1])


def spell_french(value: str, _rng: random.Random) -> str:
    """Spell the last word as it is dictated in French."""
    letters = bare_letters(value).split(" ")[-1]
    return ", ".join(
        f"{letter.upper()} comme {_FRENCH_WORDS[letter]}" if letter in _FRENCH_WORDS else letter
        for letter in letters
    )
