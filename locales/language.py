"""What a language contributes to dates, ages, numbers in words and names of persons."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


def words(text: str) -> frozenset[str]:
    """Return the words of a list that is written with blanks between them."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class DateStyle:
    """One way to write the months, weekdays or seasons: twelve, seven or four words.

    A `rare` style is taken only for a word that no other style has.
    """

    lang: str
    words: tuple[str, ...]
    short: bool = False
    rare: bool = False


def style(lang: str, text: str, *, short: bool = False, rare: bool = False) -> DateStyle:
    """Return a style for words with blanks between them."""
    return DateStyle(lang, tuple(text.split()), short, rare)


def _no_ending(_number: int) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DateWords:
    """The words of written dates; all but the styles are folded.

    Weeks begin on Monday, seasons with the one that starts in March. Of two styles that share a
    word, the first one takes it. `short_weekdays` are everyday words as well and count before a
    day alone. `month_misspellings` are found besides the months, never written, and so are
    `ambiguous_months` only beside a capital, a glued day or a hyphen where no year follows.
    `periods` are the nouns that divide a year, with their length in months, and `period_ranks`
    number them. `connectors` may stand in or beside a date and tell nothing; `range_words` join
    its two ends. `ordinal_endings` follow the digits of a day, `detached_endings` also a blank
    away from a 1; `ordinal_ending` returns that of a number where the number decides. After
    `day_words`, `month_words` and `year_words` a number or a month alone is a date;
    `vague_day_words` and `weak_year_words` introduce other numbers as well. `durations`
    are the units of time that follow a number which is no day.
    """

    months: tuple[DateStyle, ...]
    weekdays: tuple[DateStyle, ...]
    seasons: tuple[DateStyle, ...]
    short_weekdays: tuple[DateStyle, ...] = ()
    month_misspellings: Mapping[str, int] = field(default_factory=dict)
    ambiguous_months: frozenset[str] = frozenset()
    periods: Mapping[str, int] = field(default_factory=dict)
    period_ranks: tuple[DateStyle, ...] = ()
    connectors: frozenset[str] = frozenset()
    range_words: frozenset[str] = frozenset()
    ordinal_endings: frozenset[str] = frozenset()
    detached_endings: frozenset[str] = frozenset()
    ordinal_ending: Callable[[int], str] = _no_ending
    day_words: frozenset[str] = frozenset()
    vague_day_words: frozenset[str] = frozenset()
    month_words: frozenset[str] = frozenset()
    year_words: frozenset[str] = frozenset()
    weak_year_words: frozenset[str] = frozenset()
    durations: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OrdinalForm:
    """One way to write the day of a month as an ordinal, for the days up to `last`."""

    write: Callable[[int], str]
    last: int = 31


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberWords:
    """How a language writes numbers in words.

    `cardinal` writes a number from 0 to 2999. `ordinals` names the ways to write a day; each name
    begins with the language and a hyphen. `variants` and `ordinal_variants` are folded words that
    are read as well, `spellings` other ways to write a number in one or more words. `hundreds`
    and `thousands` multiply what stands before them, `links` may stand between the parts.
    `centuries` are the beginnings of years in one word.
    """

    cardinal: Callable[[int], str]
    ordinals: Mapping[str, OrdinalForm] = field(default_factory=dict)
    variants: Mapping[str, int] = field(default_factory=dict)
    ordinal_variants: Mapping[str, int] = field(default_factory=dict)
    hundreds: frozenset[str] = frozenset()
    thousands: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    centuries: Mapping[str, int] = field(default_factory=dict)
    spellings: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeWords:
    """The words of ages, folded; those that end in `_pattern` are alternatives of a regex.

    A number of `years_pattern` or `units_pattern` (months, weeks, days) is an age where the words
    around it allow one; `old_pattern` (`72 years old`) and `adjective_pattern` (`72-jähriger`)
    follow nothing else. The `_span` patterns read the text of a span that is known to be an age,
    where shorter forms and hours count too; `unit_after_pattern` reads the unit behind it, whose
    words mean nothing else. `announcing` words stand before an age, with `fillers` between.
    `persons` have ages. After `before_duration`, with `duration_fillers` between, and before
    `after_duration` (words joined by a slash) a number of years is a length of time. `of_age`
    follows the unit of an age. `decades` are words for a decade of life and its last year.
    """

    years_pattern: str
    units_pattern: str = ""
    old_pattern: str = ""
    adjective_pattern: str = ""
    years_span_pattern: str = ""
    units_span_pattern: str = ""
    unit_after_pattern: str = ""
    announcing: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    persons: frozenset[str] = frozenset()
    before_duration: frozenset[str] = frozenset()
    duration_fillers: frozenset[str] = frozenset()
    after_duration: frozenset[str] = frozenset()
    of_age: frozenset[str] = frozenset()
    decades: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonWords:
    """The words around names of persons, folded.

    `female_titles`, `male_titles`, `doctor_titles` and `other_titles` announce a name but for
    `cased_titles`, which do so in some writings only. `staff` are the titles and roles of those
    who treat, `kin` the relatives and friends, `particles` the small words inside family names.
    `women` and `men` are words that tell, right before a name, whose it is: relatives, roles,
    participles (`dite`); `beside_kin` may stand between them and the name.
    """

    female_titles: frozenset[str] = frozenset()
    male_titles: frozenset[str] = frozenset()
    doctor_titles: frozenset[str] = frozenset()
    other_titles: frozenset[str] = frozenset()
    cased_titles: frozenset[str] = frozenset()
    staff: frozenset[str] = frozenset()
    kin: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    women: frozenset[str] = frozenset()
    men: frozenset[str] = frozenset()
    beside_kin: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language by its ISO 639-1 code.

    `has_surrogates` tells that there are `lexicons` of names, towns and streets of it.
    """

    code: str
    dates: DateWords
    numbers: NumberWords
    ages: AgeWords
    persons: PersonWords = field(default_factory=PersonWords)
    has_surrogates: bool = False
