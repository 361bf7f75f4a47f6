"""Numbers in words in all languages, as folded text has them."""

import re
from itertools import takewhile

from locales.registry import LANGUAGES, every
from record.folding import fold

_LANGUAGES = [language.numbers for language in LANGUAGES.values()]


def _cardinals() -> dict[str, int]:
    """Map folded single words to the numbers they stand for."""
    found: dict[str, int] = {}
    for numbers in _LANGUAGES:
        for number in range(1, 100):
            found |= dict.fromkeys(_spellings(numbers.cardinal(number)), number)
        found |= numbers.variants
    return found


def _ordinals() -> dict[str, int]:
    """Map folded single words to the ranks they stand for."""
    found: dict[str, int] = {}
    for numbers in _LANGUAGES:
        for form in numbers.ordinals.values():
            for number in range(1, 100 if form.last > 1 else 2):
                found |= dict.fromkeys(_spellings(form.write(number)), number)
        found |= numbers.ordinal_variants
    return found


def _spellings(written: str) -> list[str]:
    """Return a number as folded text has it; nothing for one of several words."""
    word = fold(written)
    return [word, word.replace("ß", "ss")] if word.isalpha() else []


_ORDINALS = _ordinals()
_NUMBERS = _cardinals() | _ORDINALS
_CENTURIES = {word: years for numbers in _LANGUAGES for word, years in numbers.centuries.items()}
_CENTURY_WORDS = tuple(_CENTURIES)
_HUNDREDS = every(lambda language: language.numbers.hundreds)
_THOUSANDS = every(lambda language: language.numbers.thousands)
_LINKS = every(lambda language: language.numbers.links)
_WORDS = re.compile(r"[a-zß]{1,40}(?:[ \-][a-zß]+){0,7}")
_WORD = re.compile(r"[a-zß]{1,40}")
_LETTERS = re.compile(r"[a-zß]+\Z")
_BETWEEN = re.compile(r"[ \-]")
_LONGEST = 64


def read_number(words: str) -> int | None:
    """Read a number written in folded words; None where a word is not part of a number.

    Years said in two halves (`nineteen eighty five`) are read as one number.
    """
    total, current, previous = 0, 0, ""
    for word in words.replace("-", " ").split():
        number = _word_value(word)
        if word in _THOUSANDS:
            total, current = total + max(current, 1) * 1000, 0
        elif word in _HUNDREDS:
            current = max(current, 1) * 100
        elif word in ("vingt", "vingts") and previous == "quatre":
            current += 76
        elif number is not None:
            halves = 13 <= current <= 20 and 10 <= number < 100 and not total
            current = current * 100 + number if halves else current + number
        elif word not in _LINKS:
            return None
        previous = word
    return total + current


def _word_value(word: str) -> int | None:
    """Read one word, also a German or Dutch year in one word."""
    if word in _CENTURY_WORDS:
        return _CENTURIES[word]
    number = _NUMBERS.get(word)
    if number is None and word.startswith(_CENTURY_WORDS):
        for century, years in _CENTURIES.items():
            rest = _NUMBERS.get(word.removeprefix(century).removeprefix("und"))
            if word.startswith(century) and rest is not None:
                return years + rest
    return number


def is_number_word(word: str) -> bool:
    """Return whether a folded word is part of a number in words."""
    known = word in _NUMBERS or word in _LINKS or word in _HUNDREDS or word in _THOUSANDS
    return known or word.startswith(_CENTURY_WORDS)


def _letters_at_end(word: str) -> str:
    """Return the letters at the end of a word: `premier` of `(premier`."""
    letters = _LETTERS.search(word)
    return letters[0] if letters else ""


def read_number_before(folded: str, end: int) -> tuple[int, int] | None:
    """Read the number in words that ends at an offset: (start, number), None without one.

    Its words stand a blank or a hyphen apart.
    """
    words: list[str] = []
    for word in reversed(folded[max(0, end - _LONGEST) : end].replace("-", " ").split(" ")):
        bare = word if word.isalpha() else _letters_at_end(word)
        if not is_number_word(bare):
            break
        words.insert(0, bare)
        if bare is not word:
            break
    if not words:
        return None
    while words and words[0] in _LINKS:
        del words[0]
    number = read_number(" ".join(words))
    if not words or number is None or words[-1] in _LINKS:
        return None
    return end - len(" ".join(words)), number


def read_number_after(folded: str, at: int) -> tuple[int, int] | None:
    """Read the number in words that begins at an offset: (end, number), None without one."""
    first = _WORD.match(folded, at)
    if first is None or not is_number_word(first[0]):
        return None
    match = _WORDS.match(folded, at, at + _LONGEST)
    if match is None:
        return None
    words = list(takewhile(is_number_word, _BETWEEN.split(match[0])))
    while words and words[-1] in _LINKS:
        del words[-1]
    number = read_number(" ".join(words))
    return (at + len(" ".join(words)), number) if words and number is not None else None


def is_ordinal(word: str) -> bool:
    """Return whether a word is an ordinal, `first` and not `one`; of two words the last counts."""
    return word in _ORDINALS or word.endswith(("ste", "sten", "first", "second", "third"))
