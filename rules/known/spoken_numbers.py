"""Known numbers and dates in words, as speech recognition writes what it hears."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cache, lru_cache
from itertools import product

from ahocorasick_rs import BytesAhoCorasick

from locales.registry import LANGUAGES
from record.folding import fold
from rules.matching.normalization import View

# Between the day, the month and the year, as letters alone.
_LINKS = ("", "of", "the", "de")
# A number of eight digits has as many different ones, nearly always.
_FEWEST_WORDS = 4


def spell_digits(digits: str) -> tuple[bytes, ...]:
    """Return the digits in the words of each language, without anything between."""
    return tuple("".join(map(words.__getitem__, digits)).encode() for words in _digit_words())


@lru_cache(maxsize=8)
def spoken_languages(letters: bytes) -> tuple[int, ...]:
    """Return which languages' digits may be spelt in a text of letters: their ranks."""
    automaton, ranks = _spoken_digits()
    found = {match[0] for match in automaton.find_matches_as_indexes(letters, overlapping=True)}
    if len(found) < _FEWEST_WORDS:
        return ()
    counts = Counter(rank for word in found for rank in ranks[word])
    return tuple(sorted(rank for rank, count in counts.items() if count >= _FEWEST_WORDS))


def find_spoken(view: View, spoken: bytes) -> Iterator[tuple[int, int]]:
    """Yield where letters stand in a view, whatever stands between them."""
    letters = view.stream.letters
    at = letters.find(spoken)
    if at < 0:
        return
    places = [place for place, code in enumerate(view.data) if chr(code).isalnum()]
    while at >= 0:
        yield places[at], places[at + len(spoken) - 1] + 1
        at = letters.find(spoken, at + 1)


class SpokenDay:
    """A day in words."""

    __slots__ = ("_days", "_years")

    def __init__(self, day: date) -> None:
        self._years = _year_words(day.year)
        self._days = _days_and_months(day.day, day.month)

    def find(self, view: View) -> Iterator[tuple[int, int]]:
        """Yield where the day stands in words, its year last."""
        letters = view.stream.letters
        for _, at, end in self._years.find_matches_as_indexes(letters, overlapping=True):
            before = letters[max(0, at - 64) : at]
            for day in self._days:
                if before.endswith(day):
                    yield from find_spoken(view, day + letters[at:end])
                    break


@cache
def _digit_words() -> tuple[dict[str, str], ...]:
    return tuple(
        {str(digit): _letters(language.numbers.cardinal(digit)) for digit in range(10)}
        for language in LANGUAGES.values()
    )


@cache
def _spoken_digits() -> tuple[BytesAhoCorasick, list[list[int]]]:
    """Return the words of digits, and for each the ranks of the languages that have it."""
    ranks: dict[bytes, list[int]] = {}
    for rank, words in enumerate(_digit_words()):
        for word in words.values():
            ranks.setdefault(word.encode(), []).append(rank)
    return BytesAhoCorasick(list(ranks)), list(ranks.values())


@cache
def _year_words(year: int) -> BytesAhoCorasick:
    written = {language.numbers.cardinal(year) for language in LANGUAGES.values()}
    if year >= 2000:
        rest = LANGUAGES["en"].numbers.cardinal(year - 2000) if year > 2000 else ""
        written |= {f"twothousand{rest}", f"twothousandand{rest}"}
    return BytesAhoCorasick(sorted({_letters(word).encode() for word in written}))


@cache
def _days_and_months(day: int, month: int) -> tuple[bytes, ...]:
    """Return the day before and behind the name of the month, longest first."""
    found: set[str] = set()
    for language in LANGUAGES.values():
        numbers = language.numbers
        days = {_letters(numbers.cardinal(day))}
        ordinals = numbers.ordinals.values()
        days |= {_letters(form.write(day)) for form in ordinals if day <= form.last}
        styles = language.dates.months
        months = {_letters(style.words[month - 1]) for style in styles if not style.short}
        for number, name in product(days, months):
            for first, second in ((number, name), (name, number)):
                found |= {f"{first}{one}{second}{two}" for one in _LINKS for two in _LINKS}
    return tuple(sorted((one.encode() for one in found), key=lambda one: (-len(one), one)))


def _letters(written: str) -> str:
    return "".join(char for char in fold(written) if "a" <= char <= "z")
