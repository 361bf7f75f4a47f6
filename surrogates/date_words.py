"""The words of dates in French, English and Spanish: months, weekdays, seasons, numbers."""

from dataclasses import dataclass
from itertools import product

from record.folding import fold
from surrogates.lexicon import listed

LANGUAGES = ("fr", "en", "es")


@dataclass(frozen=True, slots=True)
class Style:
    """One way to write the months, weekdays or seasons: twelve, seven or four words."""

    lang: str
    words: tuple[str, ...]
    short: bool = False


def _style(lang: str, words: str, *, short: bool = False) -> Style:
    return Style(lang, tuple(words.split()), short)


# Of two styles that share a word, the first one takes it.
MONTHS = (
    _style(
        "fr",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    ),
    _style("fr", "jan fév mar avr mai jun jul aoû sep oct nov déc", short=True),
    _style("fr", "janv févr mars avr mai juin juil août sept oct nov déc", short=True),
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
)
WEEKDAYS = (
    _style("fr", "lundi mardi mercredi jeudi vendredi samedi dimanche"),
    _style("fr", "lun mar mer jeu ven sam dim", short=True),
    _style("en", "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    _style("en", "Mon Tue Wed Thu Fri Sat Sun", short=True),
    _style("en", "Mon Tues Wed Thurs Fri Sat Sun", short=True),
    _style("es", "lunes martes miércoles jueves viernes sábado domingo"),
    _style("es", "lun mar mié jue vie sáb dom", short=True),
)
# From the season that starts in March.
SEASONS = (
    _style("fr", "printemps été automne hiver"),
    _style("en", "spring summer autumn winter"),
    _style("en", "spring summer fall winter"),
    _style("es", "primavera verano otoño invierno"),
)
# Words that may stand in or beside a date and tell nobody anything.
CONNECTORS = frozenset(
    listed(  # French
        "le la les l du des de d en au aux a et ou jusqu jusque depuis entre vers fin debut mi"
        " milieu courant annee annees an ans mois date jour nuit matin soir apres avant ce ne nee"
        " environ dernier derniere prochain prochaine"
        # English
        " the of on in at to from and or until till through since early mid late year month day by"
        " between before after about around last next"
        # Spanish
        " el los las del al y o e desde hasta ano anos mes dia principios finales mediados inicios"
        " hacia pasado proximo"
    )
)
RANGE_WORDS = frozenset(listed("au aux a et ou to and or until till through al y o e hasta"))
ORDINALS = frozenset(listed("er st nd rd th o a re ere eme e"))

_UNITS = {
    "fr": listed(
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
        " seize dix-sept dix-huit dix-neuf"
    ),
    "en": listed(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen"
    ),
    "es": listed(
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
        " dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés"
        " veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
    ),
}
_TENS = {
    "fr": ("vingt", "trente", "quarante", "cinquante", "soixante"),
    "en": ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
    "es": (
        "veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa",
    ),
}  # fmt: skip


def spell(number: int, lang: str) -> str:
    """Write a number below 3000 in words."""
    if number < 100:
        return _spell_small(number, lang)
    if lang == "fr":
        return _spell_large(number, "fr", "mille", ("cent", "cents"))
    if lang == "es":
        return _spell_large(number, "es", "mil", ())
    thousands, rest = divmod(number, 1000)
    if number < 1000 or rest < 100:
        head = f"{_spell_small(number // (1000 if thousands else 100), lang)}"
        head += " thousand" if thousands else " hundred"
        rest = number % (1000 if thousands else 100)
        return head if not rest else f"{head} {_spell_small(rest, lang)}"
    head, rest = _spell_small(number // 100, lang), number % 100
    return f"{head} {'hundred' if not rest else _spell_small(rest, lang)}"


_HUNDREDS_ES = listed(
    "cien doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos"
    " novecientos"
)


def _spell_large(number: int, lang: str, thousand: str, hundred: tuple[str, ...]) -> str:
    thousands, rest = divmod(number, 1000)
    hundreds, rest = divmod(rest, 100)
    parts = []
    if thousands:
        parts.append(thousand if thousands == 1 else f"{_spell_small(thousands, lang)} {thousand}")
    if hundreds and lang == "es":
        parts.append("ciento" if hundreds == 1 and rest else _HUNDREDS_ES[hundreds - 1])
    elif hundreds == 1:
        parts.append(hundred[0])
    elif hundreds:
        parts.append(f"{_spell_small(hundreds, lang)} {hundred[0 if rest else 1]}")
    if rest:
        parts.append(_spell_small(rest, lang))
    return " ".join(parts)


def _spell_small(number: int, lang: str) -> str:
    units = _UNITS[lang]
    if number < len(units):
        return units[number]
    tens, unit = divmod(number, 10)
    if lang == "fr" and tens in (7, 9):
        tens, unit = tens - 1, unit + 10
    if lang == "fr" and tens == 8:
        return "quatre-vingts" if not unit else f"quatre-vingt-{units[unit]}"
    word = _TENS[lang][tens - 2]
    if not unit:
        return word
    if lang == "en":
        return f"{word}-{units[unit]}"
    joint = " y " if lang == "es" else " et " if unit in (1, 11) else "-"
    return f"{word}{joint}{units[unit]}"


def _spellings() -> dict[tuple[str, ...], tuple[str, int]]:
    found: dict[tuple[str, ...], tuple[str, int]] = {}
    numbers = [*range(1, 100), *range(1800, 2100)]
    for lang, number in product(LANGUAGES, numbers):
        spelt = fold(spell(number, lang))
        for form in (spelt, spelt.replace("cents", "cent"), spelt.replace("vingts", "vingt")):
            found.setdefault(tuple(form.replace("-", " ").split()), (lang, number))
    found[("premier",)] = ("fr", 1)
    found[("mil", "neuf", "cent")] = ("fr", 1900)
    return found


# Folded words of a number -> its language and value; and the longest there is.
SPELT = _spellings()
LONGEST_SPELT = max(map(len, SPELT))
SPELT_STARTS = frozenset(words[0] for words in SPELT)


def index(styles: tuple[Style, ...]) -> dict[str, list[tuple[Style, int]]]:
    """Map each folded word to the styles it belongs to and its number there, from 0."""
    found: dict[str, list[tuple[Style, int]]] = {}
    for style in styles:
        for number, word in enumerate(style.words):
            found.setdefault(fold(word), []).append((style, number))
    return found


MONTH_INDEX = index(MONTHS)
WEEKDAY_INDEX = index(WEEKDAYS)
SEASON_INDEX = index(SEASONS)
