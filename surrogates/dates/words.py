"""The words of dates in all languages: months, weekdays, seasons, parts of a year."""

from collections.abc import Collection

from locales.language import DateStyle, style
from locales.registry import LANGUAGES, every
from surrogates.patient.text_normalization import fold

_DATES = [language.dates for language in LANGUAGES.values()]

# Of two styles that share a word, the first one takes it.
MONTHS = tuple(each for dates in _DATES for each in dates.months)
# Written between two signs only, as in `12-III-2024`.
ROMAN_MONTHS = style("", "I II III IV V VI VII VIII IX X XI XII")
WEEKDAYS = tuple(each for dates in _DATES for each in dates.weekdays)
# Words of every day as well: they count before the day alone.
SHORT_WEEKDAYS = tuple(each for dates in _DATES for each in dates.short_weekdays)
# From the season that starts in March.
SEASONS = tuple(each for dates in _DATES for each in dates.seasons)
PERIOD_RANKS = tuple(each for dates in _DATES for each in dates.period_ranks)


def _periods() -> dict[str, tuple[int, tuple[str, ...]]]:
    """Map what divides a year to its months and the languages that call it so."""
    found: dict[str, tuple[int, tuple[str, ...]]] = {}
    for language in LANGUAGES.values():
        for noun, months in language.dates.periods.items():
            found[noun] = months, (*found.get(noun, (0, ()))[1], language.code)
    return found


PERIODS = _periods()
# Words that may stand in or beside a date and tell nobody anything.
CONNECTORS = every(lambda language: language.dates.connectors)
RANGE_WORDS = every(lambda language: language.dates.range_words)
ORDINALS = every(lambda language: language.dates.ordinal_endings)
# What writes the ending of a number in the language of one that depends on it: `st`, `de`.
AGREEING = {
    language.dates.ordinal_ending(number): language.dates.ordinal_ending
    for language in LANGUAGES.values()
    for number in range(1, 32)
    if language.dates.ordinal_ending(number)
}
# These may stand a blank away from a 1: `1 er juin`, `1 º de mayo`.
DETACHED = every(lambda language: language.dates.detached_endings)


def index(styles: tuple[DateStyle, ...]) -> dict[str, list[tuple[DateStyle, int]]]:
    """Map each folded word to the styles it belongs to and its number there, from 0."""
    found: dict[str, list[tuple[DateStyle, int]]] = {}
    for each in styles:
        for number, word in enumerate(each.words):
            found.setdefault(fold(word), []).append((each, number))
    return found


MONTH_INDEX = index(MONTHS)
ROMAN_INDEX = index((ROMAN_MONTHS,))
WEEKDAY_INDEX = index(WEEKDAYS)
SHORT_WEEKDAY_INDEX = index(SHORT_WEEKDAYS)
SEASON_INDEX = index(SEASONS)
PERIOD_INDEX = index(PERIOD_RANKS)


def _known() -> dict[str, frozenset[str]]:
    known: dict[str, set[str]] = {}
    words = [(word, code) for code, each in LANGUAGES.items() for word in each.dates.connectors]
    for each in (*MONTHS, *WEEKDAYS, *SEASONS, *SHORT_WEEKDAYS):
        words += ((fold(word), each.lang) for word in each.words)
    for word, lang in words:
        known.setdefault(word, set()).add(lang)
    return {word: frozenset(langs) for word, langs in known.items()}


# Folded words of dates -> the languages that know them.
_KNOWN = _known()


def ranked(words: list[str], lang: str, likely: Collection[str] = ()) -> list[str]:
    """Rank the languages by how many of the folded words each knows.

    Where two know as many, `lang` goes first, then those that are `likely` for the look of it.
    """
    scores = dict.fromkeys(LANGUAGES, 0)
    for word in words:
        for each in _KNOWN.get(word, ()):
            scores[each] += 1
    return sorted(LANGUAGES, key=lambda each: (-scores[each], each != lang, each not in likely))
