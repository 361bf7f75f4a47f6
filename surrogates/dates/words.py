"""The words of dates in five languages: months, weekdays, seasons, parts of a year."""

from collections.abc import Collection
from dataclasses import dataclass

from surrogates.patient.lexicon import listed
from surrogates.patient.text_normalization import fold

LANGUAGES = ("fr", "en", "es", "de", "nl")


@dataclass(frozen=True, slots=True)
class DateStyle:
    """One way to write the months, weekdays or seasons: twelve, seven or four words.

    A `rare` style is taken only for a word that no other style has.
    """

    lang: str
    words: tuple[str, ...]
    short: bool = False
    rare: bool = False


def _style(lang: str, words: str, *, short: bool = False, rare: bool = False) -> DateStyle:
    return DateStyle(lang, tuple(words.split()), short, rare)


# Of two styles that share a word, the first one takes it.
MONTHS = (
    _style(
        "fr",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    ),
    _style("fr", "jan fév mar avr mai jun jul aoû sep oct nov déc", short=True),
    _style("fr", "janv févr mars avr mai juin juil août sept oct nov déc", short=True),
    _style("fr", "janv févr mars avr mai juin juill août sept oct nov déc", short=True, rare=True),
    _style(
        "en",
        "January February March April May June July August September October November December",
    ),
    _style("en", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", short=True),
    _style("en", "Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec", short=True),
    _style(
        "es",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ),
    _style("es", "ene feb mar abr may jun jul ago sep oct nov dic", short=True),
    _style("es", "ene feb mar abr may jun jul ago sept oct nov dic", short=True),
    _style(
        "es",
        "enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre",
    ),
    _style("es", "ene febr mzo abr may jun jul agto set oct nov dbre", short=True),
    _style(
        "de",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    ),
    _style("de", "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez", short=True),
    _style("de", "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez", short=True),
    _style("de", "Jan Feb März Apr Mai Jun Jul Aug Sept Okt Nov Dez", short=True),
    _style("de", "Jan Febr März Apr Mai Jun Jul Aug Sept Okt Nov Dez", short=True, rare=True),
    _style(
        "de",
        "Januar Februar Maerz April Mai Juni Juli August September Oktober November Dezember",
    ),
    _style(
        "de",
        "Jänner Feber März April Mai Juni Juli August September Oktober November Dezember",
    ),
    _style("de", "Jän Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez", short=True, rare=True),
    _style(
        "nl",
        "januari februari maart april mei juni juli augustus september oktober november december",
    ),
    _style("nl", "jan feb mrt apr mei jun jul aug sep okt nov dec", short=True),
    _style("nl", "jan febr mrt apr mei jun jul aug sept okt nov dec", short=True),
)
# Written between two signs only, as in `12-III-2024`.
ROMAN_MONTHS = _style("", "I II III IV V VI VII VIII IX X XI XII")
WEEKDAYS = (
    _style("fr", "lundi mardi mercredi jeudi vendredi samedi dimanche"),
    _style("fr", "lun mar mer jeu ven sam dim", short=True),
    _style("en", "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    _style("en", "Mon Tue Wed Thu Fri Sat Sun", short=True),
    _style("en", "Mon Tues Wed Thurs Fri Sat Sun", short=True),
    _style("en", "Mon Tues Wed Thur Fri Sat Sun", short=True),
    _style("es", "lunes martes miércoles jueves viernes sábado domingo"),
    _style("es", "lun mar mié jue vie sáb dom", short=True),
    _style("de", "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
    _style("de", "Montag Dienstag Mittwoch Donnerstag Freitag Sonnabend Sonntag"),
    _style("nl", "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
)
# Words of every day as well: they count before the day alone.
SHORT_WEEKDAYS = (
    _style("de", "Mo Di Mi Do Fr Sa So", short=True),
    _style("nl", "ma di wo do vr za zo", short=True),
)
# From the season that starts in March.
SEASONS = (
    _style("fr", "printemps été automne hiver"),
    _style("en", "spring summer autumn winter"),
    _style("en", "spring summer fall winter"),
    _style("es", "primavera verano otoño invierno"),
    _style("de", "Frühling Sommer Herbst Winter"),
    _style("de", "Frühjahr Sommer Herbst Winter"),
    _style("nl", "lente zomer herfst winter"),
    _style("nl", "voorjaar zomer najaar winter"),
)
# What divides a year: its months, and the languages that call it so.
PERIODS: dict[str, tuple[int, tuple[str, ...]]] = {
    "trimestre": (3, ("fr", "es")),
    "semestre": (6, ("fr", "es")),
    "quarter": (3, ("en",)),
    "quartal": (3, ("de",)),
    "halbjahr": (6, ("de",)),
    "kwartaal": (3, ("nl",)),
    "halfjaar": (6, ("nl",)),
}
PERIOD_RANKS = (
    _style("fr", "premier deuxième troisième quatrième"),
    _style("fr", "premier second troisième quatrième"),
    _style("en", "first second third fourth"),
    _style("es", "primer segundo tercer cuarto"),
    _style("de", "erstes zweites drittes viertes"),
    _style("de", "ersten zweiten dritten vierten"),
    _style("de", "erste zweite dritte vierte"),
    _style("nl", "eerste tweede derde vierde"),
)
# Words that may stand in or beside a date and tell nobody anything.
_CONNECTORS = {
    "fr": listed(
        "le la les l du des de d en au aux a et ou jusqu jusque depuis entre vers fin debut mi"
        " milieu courant annee annees an ans mois date jour nuit matin soir apres avant ce ne nee"
        " environ dernier derniere prochain prochaine"
    ),
    "en": listed(
        "the of on in at to from and or until till through since early mid late year month day by"
        " between before after about around last next"
    ),
    "es": listed(
        "el los las del al y o e desde hasta ano anos mes dia principios finales mediados inicios"
        " hacia pasado proximo en de a la"
    ),
    "de": listed(
        "am vom den dem der des im in bis und zum zur ab seit von anfang mitte ende jahr jahre"
        " jahres jahren monat monats tag tages tage vor nach ca etwa um gegen zwischen letzten"
        " letzter nachsten uhr oder"
    ),
    "nl": listed(
        "op van tot en het de in t m jaar maand dag begin eind einde medio vanaf sinds rond voor na"
        " circa tussen d dd om uur der den half"
    ),
}
CONNECTORS = frozenset(word for words in _CONNECTORS.values() for word in words)
RANGE_WORDS = frozenset(
    listed("au aux a et ou to and or until till through al y o e hasta bis und oder tot m")
)
ORDINALS = frozenset(listed("er st nd rd th o a re ere eme e de ste"))
# These may stand a blank away from a 1: `1 er juin`, `1 º de mayo`.
DETACHED = frozenset(listed("er o re"))


def index(styles: tuple[DateStyle, ...]) -> dict[str, list[tuple[DateStyle, int]]]:
    """Map each folded word to the styles it belongs to and its number there, from 0."""
    found: dict[str, list[tuple[DateStyle, int]]] = {}
    for style in styles:
        for number, word in enumerate(style.words):
            found.setdefault(fold(word), []).append((style, number))
    return found


MONTH_INDEX = index(MONTHS)
ROMAN_INDEX = index((ROMAN_MONTHS,))
WEEKDAY_INDEX = index(WEEKDAYS)
SHORT_WEEKDAY_INDEX = index(SHORT_WEEKDAYS)
SEASON_INDEX = index(SEASONS)
PERIOD_INDEX = index(PERIOD_RANKS)


def _known() -> dict[str, frozenset[str]]:
    known: dict[str, set[str]] = {}
    words = [(word, lang) for lang, words in _CONNECTORS.items() for word in words]
    for style in (*MONTHS, *WEEKDAYS, *SEASONS, *SHORT_WEEKDAYS):
        words += ((fold(word), style.lang) for word in style.words)
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
