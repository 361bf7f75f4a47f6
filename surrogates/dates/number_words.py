"""Numbers in words, as dates and ages of five languages write them: one, first, zweitausend."""

from collections.abc import Callable, Iterator

from surrogates.patient.lexicon import listed
from surrogates.patient.text_normalization import fold

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
    "de": listed(
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn"
        " fünfzehn sechzehn siebzehn achtzehn neunzehn"
    ),
    "nl": listed(
        "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien"
        " zestien zeventien achttien negentien"
    ),
}
_TENS = {
    "fr": listed("vingt trente quarante cinquante soixante"),
    "en": listed("twenty thirty forty fifty sixty seventy eighty ninety"),
    "es": listed("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa"),
    "de": listed("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"),
    "nl": listed("twintig dertig veertig vijftig zestig zeventig tachtig negentig"),
}
_HUNDREDS_ES = listed(
    "cien doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos"
    " novecientos"
)
# The words of rank that no rule makes, from 1 on; a rule makes the others.
_RANKS_EN = listed(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
)
_RANKS_NL = listed(
    "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde"
)
_RANKS_DE = {1: "erste", 3: "dritte", 7: "siebte", 8: "achte"}


def spell(number: int, lang: str) -> str:
    """Write a number below 3000 in words."""
    if number < 100:
        return _spell_small(number, lang)
    if lang == "fr":
        return _spell_large(number, "fr", "mille", ("cent", "cents"))
    if lang == "es":
        return _spell_large(number, "es", "mil", ())
    if lang in ("de", "nl"):
        return _spell_joined(number, lang)
    thousands, rest = divmod(number, 1000)
    if number < 1000 or rest < 100:
        head = f"{_spell_small(number // (1000 if thousands else 100), lang)}"
        head += " thousand" if thousands else " hundred"
        rest = number % (1000 if thousands else 100)
        return head if not rest else f"{head} {_spell_small(rest, lang)}"
    head, rest = _spell_small(number // 100, lang), number % 100
    return f"{head} {'hundred' if not rest else _spell_small(rest, lang)}"


def spell_rank(number: int, manner: str) -> str:
    """Write the rank of a day of the month in words, in one of `RANKS`.

    French and Spanish rank the first day alone and count the others.
    """
    if manner == "fr-premier":
        return "premier" if number == 1 else _spell_small(number, "fr")
    if manner == "es-primero":
        return "primero" if number == 1 else _spell_small(number, "es")
    return RANKS[manner](number)


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


def _spell_joined(number: int, lang: str) -> str:
    """Write a German or Dutch number from 100 on: one word, in Dutch a blank after thousands."""
    hundred, thousand = ("hundert", "tausend") if lang == "de" else ("honderd", "duizend")
    large = number >= 2000 or 1000 <= number < 1100
    heads, rest = divmod(number, 1000 if large else 100)
    head = "" if heads == 1 and lang == "nl" else _spell_small(heads, lang)
    head = "ein" if head == "eins" else head
    joint = " " if large and lang == "nl" else ""
    tail = spell(rest, lang) if rest else ""
    return (head + (thousand if large else hundred) + joint + tail).rstrip()


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
    if lang == "de":
        return f"{'ein' if unit == 1 else units[unit]}und{word}"
    if lang == "nl":
        return f"{units[unit]}{'ën' if units[unit].endswith('e') else 'en'}{word}"
    joint = " y " if lang == "es" else " et " if unit in (1, 11) else "-"
    return f"{word}{joint}{units[unit]}"


def _rank_en(number: int) -> str:
    if number <= len(_RANKS_EN):
        return _RANKS_EN[number - 1]
    tens, unit = divmod(number, 10)
    if tens == 1:
        return _spell_small(number, "en") + "th"
    word = _TENS["en"][tens - 2]
    return f"{word}-{_RANKS_EN[unit - 1]}" if unit else f"{word[:-1]}ieth"


def _rank_de(ending: str) -> Callable[[int], str]:
    def rank(number: int) -> str:
        regular = _spell_small(number, "de") + ("te" if number < 20 else "ste")
        return _RANKS_DE.get(number, regular) + ending

    return rank


def _rank_nl(number: int) -> str:
    if number <= len(_RANKS_NL):
        return _RANKS_NL[number - 1]
    return _spell_small(number, "nl") + ("de" if number < 20 else "ste")


# The ways to write a rank; the language stands before the hyphen.
RANKS: dict[str, Callable[[int], str]] = {
    "en-th": _rank_en,
    "de-te": _rank_de(""),
    "de-ten": _rank_de("n"),
    "de-ter": _rank_de("r"),
    "nl-de": _rank_nl,
}
_FIRST = {"premier": "fr-premier", "primero": "es-primero"}
_Known = dict[tuple[str, ...], list[tuple[str, int]]]


def _variants(spelt: str) -> Iterator[str]:
    """Yield the spellings of a number in words that are read alike."""
    yield spelt
    for before, after in (("cents", "cent"), ("vingts", "vingt"), ("ß", "ss")):
        if before in spelt:
            yield spelt.replace(before, after)
    # Dutch parts a year as `tweeduizend vierentwintig` or not; German never has to.
    for head in ("honderd", "duizend", "hundert", "tausend"):
        start, found, rest = spelt.partition(head)
        if found and rest:
            rest = rest.strip()
            yield from (f"{start}{head}{blank}{rest}" for blank in ("", " "))


def _add(known: _Known, spelt: str, manner: str, value: int) -> None:
    for variant in _variants(fold(spelt)):
        found = known.setdefault(tuple(variant.replace("-", " ").split()), [])
        if (manner, value) not in found:
            found.append((manner, value))


def _cardinals() -> _Known:
    known: _Known = {}
    for lang in _UNITS:
        for number in (*range(1, 100), *range(1800, 2100)):
            _add(known, spell(number, lang), lang, number)
    _add(known, "mil neuf cent", "fr", 1900)
    _add(known, "ein", "de", 1)
    return known


def _all() -> _Known:
    known = _cardinals()
    for manner in RANKS:
        for number in range(1, 32):
            _add(known, spell_rank(number, manner), manner, number)
    for word, manner in _FIRST.items():
        _add(known, word, manner, 1)
    return known


# Folded words of a number -> the manners it may be written in, each with its value.
SPELT = _all()
CARDINALS = _cardinals()
LONGEST_SPELT = max(map(len, SPELT))
SPELT_STARTS = frozenset(words[0] for words in SPELT)
