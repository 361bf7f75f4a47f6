"""Surrogates of places, care sites, organizations and occupations."""

import re

from record.errors import Unsafe
from record.folding import fold
from record.label import Label
from surrogates import lexicon, shape
from surrogates.lexicon import Lexicon, listed, squeeze
from surrogates.subject import DRAWS, WORD, Mention, Subject, compact, pour_case

_ZIP = re.compile(r"\d{5}")
# `Paris 11`, `Lyon 3e`, `Lille Cedex 9`: what follows the name of a town.
_TOWN_END = re.compile(
    r"(?:[\s,\-]*\(?\b(?:cedex|cdx)\b)?[\s,\-]*\(?(?:\d+\s?(?:e|er|eme|th)?\b)?[\s.)]*$"
)
_STREET_TYPES = (
    r"(?:rue|r|avenue|av|ave|boulevard|boul|bd|blvd|bvd|place|pl|chemin|ch|che|allees?|all|impasse"
    r"|imp|quai|route|rte|square|sq|cours|crs|passage|psg|villa|cite|residence|res|sentier|sente"
    r"|faubourg|fbg|fg|rond-point|ruelle|voie|hameau|lotissement|lot|promenade|esplanade|montee"
    r"|calle|c/|cl|avda|avenida|avd|plaza|pza|plza|paseo|p\.?º|po|camino|cno|cmno|carretera|ctra"
    r"|ronda|rda|travesia|trva|via|glorieta|urbanizacion|urb|callejon|pasaje|pje|rambla|barrio)"
)
_BEFORE = re.compile(rf"(?<!\w){_STREET_TYPES}(?!\w)\.?\s*,?\s*")
_AFTER = re.compile(
    r"\s+(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|ct|boulevard|blvd|way|place|pl"
    r"|terrace|ter|circle|cir|highway|hwy|parkway|pkwy|square|sq|trail|trl|close|crescent|gardens"
    r"|grove|hill|row|mews|loop|plaza|pike|alley|run|path)\b\.?"
)
_HOUSE = re.compile(r"^\W*\d+[\s,]*(?:(?:bis|ter|quater|[a-d])\b[\s,]*)?(?:[-/]\s*\d+[\s,]*)?")
# What may follow a street: a comma, a number, a floor, a flat. Its words say nothing.
_DETAIL = re.compile(
    r"(?:\s*[,#\n\d]|\s-\s|\s+s/n\b|\s+(?:no?|num|numero|apt|appt|app|apartment|appartement|suite"
    r"|ste|unit|floor|bat|batiment|esc|escalier|etage|porte|hall|bp|cs|piso|puerta|portal|izda|dcha"
    r"|bajo)\b).*$",
    re.DOTALL,
)
_DETAIL_WORDS = frozenset(
    listed(
        "no n num numero apt appt app apartment appartement suite ste unit floor bat batiment esc"
        " escalier etage porte hall bp cs piso puerta portal izda dcha izquierda derecha bajo bis"
        " ter er e eme o a s sn st nd rd th box po rdc y et and"
    )
)
# A street with no longer word than this is a house or flat alone.
_SHORT = 3
_SITE_TYPES = re.compile(
    r"^(?:(?:(?:grand|ancien|nouvel|nouveau|complejo|complexe|centenario|general)\s+)?"
    r"(?:hopital|hopitaux|hop|hospital|hospitalier|hospitaliere|hospitalario|hospitalaria|hospices"
    r"|centre|center|centro|clinique|clinica|clinic|polyclinique|policlinica|chu|chru|chr|ch|chi"
    r"|ghu|gh|groupe|institut|institute|instituto|maternite|maternity|maternidad|maison|residence"
    r"|residencia|ehpad|ssr|medical|medico|infirmary|sanatorium|sanatorio|nursing|home|health|salud"
    r"|universitaire|universitario|universitaria|university|regional|general|intercommunal|prive"
    r"|privee|privado|civil|civils|militaire|militar|de sante|de salud|de soins|de repos|hu|hgu|hc)"
    r"(?:\s+|$))+"
)
_SITE_END = re.compile(
    r"(?:\s+(?:hospital|medical center|medical centre|clinic|health center|health centre"
    r"|infirmary|nursing home|regional hospital|general hospital|community hospital))+$"
)
_JOINT = re.compile(r"^(?:de la|de los|de las|de l'|del|de|du|des|d'|of|at)\s*")


def replace_city(mention: Mention, subject: Subject) -> str:
    """Give a town; a district number or CEDEX after its name keeps its shape."""
    folded = fold(mention.text)
    if not WORD.search(folded):
        return replace_zip(mention, subject)
    end = _TOWN_END.search(folded)
    cut = end.start() if end and end.start() else len(folded)
    name, tail = mention.text[:cut], mention.text[cut:]
    place = city_place(name, subject)
    entry = lexicon.load("cities", subject.locale).entries[place]
    return pour_case(name, entry) + _renumber(tail, mention, subject)


def city_place(name: str, subject: Subject) -> int:
    """Tell which town of the lexicon stands for a town, by the folded name alone."""
    return subject.place(
        Label.CITY,
        _town(name),
        lexicon.load("cities", subject.locale),
        accept=subject.allows,
    )


def replace_zip(mention: Mention, subject: Subject) -> str:
    """Give a postal code: that of the surrogate of the town beside it, else of a drawn town.

    Beside a town the town alone decides, so that both agree; another shape keeps its shape.
    """
    digits = compact(mention.text)
    if not _ZIP.match(digits) or not digits.isdigit():
        return shape.replace(mention, subject)
    towns = lexicon.load("cities", subject.locale)
    if mention.city:
        cut = _TOWN_END.search(fold(mention.city))
        name = mention.city[: cut.start()] if cut and cut.start() else mention.city
        code = towns.codes[city_place(name, subject)]
        if code != digits[:5] and code not in subject.avoided_codes:
            return _pour_zip(code, mention, subject)
    for counter in range(DRAWS):
        place = subject.key.number(Label.ZIP, digits[:5], len(towns), counter=counter)
        code = towns.codes[place]
        if code != digits[:5] and code not in subject.avoided_codes:
            return _pour_zip(code, mention, subject)
    raise Unsafe("no-surrogate")


def replace_street(mention: Mention, subject: Subject) -> str:
    """Give a street of the same type: number, name and details each drawn anew."""
    text = mention.text
    folded = fold(text)
    if all(len(word) < _SHORT or word in _DETAIL_WORDS for word in WORD.findall(folded)):
        drawn = _scrambled(text, mention.label, subject)
        return drawn if fold(drawn) != folded else shape.replace(mention, subject)
    house = _HOUSE.match(folded)
    start = house.end() if house else 0
    kind = _BEFORE.search(folded, start)
    if kind and kind.start() - start <= 1:
        start = kind.end()
    rest = folded[start:]
    after = _AFTER.search(rest) if subject.locale == "en" or kind is None else None
    detail = _DETAIL.search(rest, 1) if rest else None
    end = start + (after.start() if after else detail.start() if detail else len(rest))
    name = _street_name(text[start:end], subject)
    head = _renumber(text[:start], mention, subject)
    kind_after = after.end() - after.start() if after else 0
    tail = text[end : end + kind_after] + _detail(text[end + kind_after :], mention, subject)
    drawn = head + name + tail
    return drawn if fold(drawn) != folded else shape.replace(mention, subject)


def replace_site(mention: Mention, subject: Subject) -> str:
    """Give a care site of the same type with another name."""
    text = mention.text
    folded = fold(text)
    kind = _SITE_TYPES.match(folded)
    start = kind.end() if kind else 0
    joint = _JOINT.match(folded[start:]) if kind else None
    tail = None if kind else _SITE_END.search(folded)
    end = tail.start() if tail else len(text)
    core = text[start + (joint.end() if joint else 0) : end]
    sites = lexicon.load("hospitals", subject.locale)
    if not core.strip():
        return _entry(Label.HOSPITAL, squeeze(text), sites, text, subject)
    name = _entry(Label.HOSPITAL, squeeze(core), sites, core, subject)
    blank = " " if kind and not text[start - 1 : start].isspace() else ""
    return text[:start] + blank + name + text[end:]


def replace_listed(mention: Mention, subject: Subject) -> str:
    """Give another entry of the lexicon of the label: region, country, organization, occupation."""
    kind = _LISTED[mention.label]
    entries = lexicon.load(kind, subject.locale)
    return _entry(mention.label, squeeze(mention.text), entries, mention.text, subject)


_LISTED = {
    Label.REGION.value: "regions",
    Label.COUNTRY.value: "countries",
    Label.ORGANIZATION.value: "organizations",
    Label.PROFESSION.value: "professions",
}


def _entry(label: str, value: str, entries: Lexicon, model: str, subject: Subject) -> str:
    return pour_case(model, subject.pick(label, value, entries, accept=subject.allows))


def _town(name: str) -> str:
    """Squeeze the name of a town; `St Malo` is Saint-Malo."""
    return " ".join("saint" if word in ("st", "st.") else word for word in squeeze(name).split())


def _pour_zip(code: str, mention: Mention, subject: Subject) -> str:
    rest = compact(mention.text)[5:]
    further = compact(shape.scramble(rest, Label.ZIP, subject)) if rest else ""
    return shape.pour(code + further, mention.text)


def _street_name(name: str, subject: Subject) -> str:
    streets = lexicon.load("streets", subject.locale)
    stripped = name.rstrip(" .,\n")
    value = squeeze(stripped)
    if not value:
        return name
    drawn = subject.pick(Label.STREET, value, streets, accept=subject.allows)
    return pour_case(stripped, drawn) + name[len(stripped) :]


def _detail(text: str, mention: Mention, subject: Subject) -> str:
    """Keep the words for floors and flats; drop other words, which may be another name."""
    pieces = re.split(r"([^\W\d_]{3,})", text)
    words = (piece if fold(piece) in _DETAIL_WORDS else "" for piece in pieces[1::2])
    between = pieces[::2]
    kept = "".join(a + b for a, b in zip(between, (*words, ""), strict=True))
    return _scrambled(kept, mention.label, subject)


def _scrambled(text: str, label: str, subject: Subject) -> str:
    """Draw numbers and single letters anew (`6 F`), and keep the words for floors and flats."""

    def drawn(match: re.Match[str]) -> str:
        known = fold(match[0]) in _DETAIL_WORDS
        return match[0] if known else shape.scramble(match[0], f"{label}/number", subject)

    return re.sub(r"\d+|[^\W\d_]+", drawn, text)


def _renumber(text: str, mention: Mention, subject: Subject) -> str:
    """Draw the digits of a text anew, by all of the mention's value."""

    def drawn(match: re.Match[str]) -> str:
        return shape.scramble(match[0], f"{mention.label}/number", subject)

    return re.sub(r"\d+", drawn, text)
