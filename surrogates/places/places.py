"""Surrogates of towns, postal codes, streets, regions, organizations, occupations, care sites."""

import re
from functools import lru_cache

from record.errors import Unsafe
from record.label import Label
from record.policy import Policy
from surrogates.patient import gazetteer, lexicon, value_format
from surrogates.patient.lexicon import Lexicon, listed
from surrogates.patient.patient import DRAWS, Mention, Subject
from surrogates.patient.text_normalization import WORD, apply_case, compact, fold, squeeze
from surrogates.places import germanic, postcodes

_ZIP = re.compile(r"\d{5}")
_ZIP_OF = {"nl": re.compile(r"[1-9]\d{3}(?:[a-z]{2})?")}
# What may follow the name of a town: `Paris 11`, `Lyon 3e`, `Lille Cedex 9`.
_TOWN_END = re.compile(
    r"(?:[\s,\-]*\(?\b(?:cedex|cdx)\b)?[\s,\-]*\(?(?:\d+\s?(?:e|er|eme|th)?\b)?[\s.)]*$"
)
_STATE = re.compile("[A-Z]{2}")
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
# What may follow a street: a comma, a number, a floor, a flat. Its words identify nothing.
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
# A street whose words are all shorter than this is only a house or flat.
_SHORT = 3
# The version of the algorithm in which towns of English notes are American.
_FIRST = 2
_REMEMBERED = 1 << 12


def replace_city(mention: Mention, subject: Subject) -> str:
    """Return a town; a district number or CEDEX after its name keeps its format."""
    folded = fold(mention.text)
    if not WORD.search(folded):
        return replace_zip(mention, subject)
    name, tail = _split_town(mention.text)
    drawn, _ = draw_town(name, subject, country=mention.country)
    return apply_case(name, drawn) + _renumber(tail, mention, subject)


def draw_town(
    name: str, subject: Subject, *, towns: Lexicon | None = None, country: str = ""
) -> tuple[str, str]:
    """Return the surrogate of a town, and its postal code, by the folded name alone.

    Where the policy keeps the department or region, it is in the same one, if the patient's
    addresses or a list locate the town. It is one of `towns`, if given. In English notes it is
    British or Canadian where the original is by its name or the `country` of its postcode.
    """
    value = _normalize_town(name)
    if towns is None and subject.key.algorithm != _FIRST:
        towns = postcodes.towns_of(country, value, subject)
    if towns is None:
        towns = lexicon.load("cities", subject.locale)
        if subject.policy.keep_area != gazetteer.EVERYWHERE:
            code = subject.home_codes.get(value) or gazetteer.code_of(value, subject.locale)
            towns = gazetteer.towns_around(code, subject.locale, subject.policy.keep_area)
    place = subject.place(Label.CITY, value, towns, accept=subject.allows)
    return towns.entries[place], towns.codes[place]


def replace_zip(mention: Mention, subject: Subject) -> str:
    """Return a postal code: that of the adjacent town's surrogate, else of a drawn town.

    Next to a town, it depends on the town alone, so that both agree; other formats are kept.
    """
    written, locale = compact(mention.text), subject.locale
    country = postcodes.country_of(mention.text)
    if locale == "en" and country in ("gb", "ca") and subject.key.algorithm != _FIRST:
        code = ""
        if mention.city:
            _, code = draw_town(_split_town(mention.city)[0], subject, country=country)
        return postcodes.replace_postcode(mention, subject, country, code)
    if not (_ZIP_OF[locale].fullmatch(written) if locale in _ZIP_OF else _is_five(written)):
        return value_format.replace(mention, subject)
    own = written[: gazetteer.code_width(locale)]
    if mention.city:
        _, code = draw_town(_split_town(mention.city)[0], subject)
        if code != own and code not in subject.avoided_codes:
            return _apply_zip(code, mention, subject)
    towns = gazetteer.towns_around(written, locale, subject.policy.keep_area)
    for counter in range(DRAWS):
        place = subject.key.number(Label.ZIP, own, len(towns), counter=counter)
        code = towns.codes[place]
        if code != own and code not in subject.avoided_codes:
            return _apply_zip(code, mention, subject)
    raise Unsafe("no-surrogate")


def _is_five(written: str) -> bool:
    return written.isdigit() and _ZIP.match(written) is not None


@lru_cache(_REMEMBERED)
def _split_town(text: str) -> tuple[str, str]:
    """Split the name of a town from the district or CEDEX after it."""
    end = _TOWN_END.search(fold(text))
    cut = end.start() if end and end.start() else len(text)
    return text[:cut], text[cut:]


def replace_street(mention: Mention, subject: Subject) -> str:
    """Return a street of the same type, with number, name and details replaced."""
    text = mention.text
    folded = fold(text)
    if all(len(word) < _SHORT or word in _DETAIL_WORDS for word in WORD.findall(folded)):
        drawn = _scramble_numbers(text, mention.label, subject)
        return drawn if fold(drawn) != folded else value_format.replace(mention, subject)
    if subject.locale in germanic.LOCALES:
        drawn = _replace_germanic_street(mention, subject)
        return drawn if fold(drawn) != folded else value_format.replace(mention, subject)
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
    tail = text[end : end + kind_after] + _replace_detail(
        text[end + kind_after :], mention, subject
    )
    drawn = head + name + tail
    return drawn if fold(drawn) != folded else value_format.replace(mention, subject)


def _replace_germanic_street(mention: Mention, subject: Subject) -> str:
    """Return a street whose type is the end of its name: `Ahornweg 3` for `Berliner Weg 12`."""
    text = mention.text
    street = germanic.parse_street(text, subject.locale)
    if street is None:
        return value_format.replace(mention, subject)
    stems = lexicon.load("streets", subject.locale)

    def accept(entry: str) -> bool:
        return subject.allows(f"{entry}{street.type}") and subject.allows(entry)

    value = squeeze(text[street.start : street.stem_end].strip(" -.")) or street.type
    drawn = subject.pick(Label.STREET, value, stems, accept=accept) + street.type
    head = _renumber(text[: street.start], mention, subject)
    tail = _replace_detail(text[street.end :], mention, subject)
    return head + apply_case(text[street.start : street.end], drawn) + tail


def replace_region(mention: Mention, subject: Subject) -> str:
    """Return a region: that of the surrogate of the town beside it, where a list knows it.

    A region that would be the same is drawn, as one that stands alone is.
    """
    if mention.city:
        _, code = draw_town(_split_town(mention.city)[0], subject, country=mention.country)
        if not code.isdigit() and (
            name := postcodes.replace_region(mention.text, subject, mention.country, code)
        ):
            return name
        abbreviated = _STATE.fullmatch(mention.text) is not None
        name = gazetteer.region_name(code, subject.locale, abbreviated=abbreviated)
        if name and squeeze(name) != squeeze(mention.text) and subject.allows(name):
            return name if abbreviated else apply_case(mention.text, name)
    return replace_listed(mention, subject)


def replace_listed(mention: Mention, subject: Subject) -> str:
    """Return another entry of the label's lexicon: country, organization, occupation.

    The country of all surrogate places is kept where the policy says so.
    """
    if is_kept(mention.label, mention.text, subject.policy, subject.locale):
        return mention.text
    kind = _LISTED[mention.label]
    entries = lexicon.load(kind, subject.locale)
    return apply_case(
        mention.text,
        subject.pick(mention.label, squeeze(mention.text), entries, accept=subject.allows),
    )


def is_kept(label: str, text: str, policy: Policy, locale: str = "") -> bool:
    """Return whether a mention is kept: the country of a language, where the policy keeps an area.

    Without a language it is that of the policy.
    """
    if label != Label.COUNTRY or policy.keep_area == gazetteer.EVERYWHERE:
        return False
    return gazetteer.is_home(squeeze(text), locale or policy.locale)


_LISTED = {
    Label.REGION.value: "regions",
    Label.COUNTRY.value: "countries",
    Label.ORGANIZATION.value: "organizations",
    Label.PROFESSION.value: "professions",
}


@lru_cache(_REMEMBERED)
def _normalize_town(name: str) -> str:
    """Normalize the name of a town; `St Malo` is Saint-Malo."""
    return " ".join("saint" if word in ("st", "st.") else word for word in squeeze(name).split())


def _apply_zip(code: str, mention: Mention, subject: Subject) -> str:
    written = compact(mention.text)
    rest = written[gazetteer.code_width(subject.locale) :]
    if rest and subject.locale == "nl":
        number = subject.key.number(f"{Label.ZIP}/letters", written, len(germanic.LETTER_PAIRS))
        further = germanic.LETTER_PAIRS[number].lower()
    else:
        further = compact(value_format.scramble(rest, Label.ZIP, subject)) if rest else ""
    return value_format.apply_format(code + further, mention.text)


def _street_name(name: str, subject: Subject) -> str:
    streets = lexicon.load("streets", subject.locale)
    stripped = name.rstrip(" .,\n")
    value = squeeze(stripped)
    if not value:
        return name
    drawn = subject.pick(Label.STREET, value, streets, accept=subject.allows)
    return apply_case(stripped, drawn) + name[len(stripped) :]


def _replace_detail(text: str, mention: Mention, subject: Subject) -> str:
    """Keep the words for floors and flats; drop other words, which may be names."""
    pieces = re.split(r"([^\W\d_]{3,})", text)
    kept_words = _detail_words(subject)
    words = (piece if fold(piece) in kept_words else "" for piece in pieces[1::2])
    between = pieces[::2]
    kept = "".join(a + b for a, b in zip(between, (*words, ""), strict=True))
    return _scramble_numbers(kept, mention.label, subject)


def _detail_words(subject: Subject) -> frozenset[str]:
    is_germanic = subject.locale in germanic.LOCALES
    return _DETAIL_WORDS | germanic.DETAIL_WORDS if is_germanic else _DETAIL_WORDS


def _scramble_numbers(text: str, label: str, subject: Subject) -> str:
    """Replace numbers and single letters (`6 F`), and keep the words for floors and flats."""

    kept = _detail_words(subject)

    def drawn(match: re.Match[str]) -> str:
        known = fold(match[0]) in kept
        return match[0] if known else value_format.scramble(match[0], f"{label}/number", subject)

    return re.sub(r"\d+|[^\W\d_]+", drawn, text)


def _renumber(text: str, mention: Mention, subject: Subject) -> str:
    """Replace the digits of a text."""

    def drawn(match: re.Match[str]) -> str:
        return value_format.scramble(match[0], f"{mention.label}/number", subject)

    return re.sub(r"\d+", drawn, text)


_SITE_TYPES = re.compile(
    r"^(?:(?:(?:grand|ancien|nouvel|nouveau|complejo|complexe|centenario|general)\s+)?"
    r"(?:hopital|hopitaux|hop|hospital|hospitalier|hospitaliere|hospitalario|hospitalaria|hospices"
    r"|centre|center|centro|clinique|clinica|clinic|polyclinique|policlinica|chu|chru|chr|ch|chi"
    r"|ghu|gh|groupe|institut|institute|instituto|maternite|maternity|maternidad|maison|residence"
    r"|residencia|ehpad|ssr|medical|medico|infirmary|sanatorium|sanatorio|nursing|home|health|salud"
    r"|universitaire|universitario|universitaria|university|regional|general|intercommunal|prive"
    r"|privee|privado|civil|civils|militaire|militar|de sante|de salud|de soins|de repos|hu|hgu|hc"
    r"|service|servicio|unite|unidad|unit|pavillon|pabellon|pavilion|salle|sala|ward|wing|aile"
    r"|secteur|batiment|bat|building|planta|edificio)"
    r"(?:\s+|$))+"
)
_SITE_END = re.compile(
    r"(?:\s+(?:hospital|medical center|medical centre|clinic|health center|health centre"
    r"|infirmary|nursing home|regional hospital|general hospital|community hospital))+$"
)
_PREPOSITION = re.compile(r"^(?:de la|de los|de las|de l'|del|de|du|des|d'|of|at)\s*")
# The number or letter of a ward.
_NUMBER = re.compile(r"\d{1,4}[A-Za-z]?|[A-Z]\d{0,3}")
_VOWELS = frozenset("aeiouyh")
_SITES_REMEMBERED = 1 << 12


def replace(mention: Mention, subject: Subject) -> str:
    """Return a care site or ward of the same type with another name.

    A site named after its town gets the town's surrogate; a site named after a person is identified
    by the family name, with or without the given name; a number or letter is replaced.
    """
    text = mention.text
    if subject.locale in germanic.LOCALES:
        return _replace_germanic_site(text, subject)
    start, end, core, has_kind, has_preposition = _parse_site(text)
    if not core.strip():
        return _draw_site_name(text, text, subject)
    if has_kind and _NUMBER.fullmatch(core.strip()):
        return text[: end - len(core)] + value_format.scramble(
            core, f"{Label.HOSPITAL}/ward", subject
        )
    blank = " " if has_kind and not text[start - 1 : start].isspace() else ""
    if has_preposition and squeeze(core) in lexicon.load("cities", subject.locale).places:
        # Another town with its preposition: `de Rennes`, `d'Angers`.
        joined = text[start:end]
        drawn, _ = draw_town(core, subject)
        preposition = "of " if subject.locale == "en" else "de "
        if subject.locale == "fr" and fold(drawn)[:1] in _VOWELS:
            preposition = "d'"
        return text[:start] + blank + (apply_case(joined, preposition) + apply_case(core, drawn))
    return text[:start] + blank + _draw_site_name(core, core, subject) + text[end:]


def _replace_germanic_site(text: str, subject: Subject) -> str:
    """Return a care site of the same type, which stands first in the surrogate."""
    site = germanic.parse_site(text, subject.locale)
    name = site.name.strip()
    if not name:
        return _draw_site_name(text, text, subject)
    if site.kind and _NUMBER.fullmatch(name):
        drawn = value_format.scramble(name, f"{Label.HOSPITAL}/ward", subject)
    elif squeeze(name) in lexicon.load("cities", subject.locale).places:
        drawn = apply_case(name, draw_town(name, subject)[0])
    else:
        drawn = _draw_site_name(name, name, subject)
        return f"{site.kind} {drawn}" if site.kind else drawn
    return site.kind + site.between + drawn


@lru_cache(_SITES_REMEMBERED)
def _parse_site(text: str) -> tuple[int, int, str, bool, bool]:
    """Return start and end of a site's name in its text, and the name without its preposition.

    Also return whether a type precedes it, and whether a preposition follows the type.
    """
    folded = fold(text)
    kind = _SITE_TYPES.match(folded)
    start = kind.end() if kind else 0
    preposition = _PREPOSITION.match(folded[start:]) if kind else None
    tail = None if kind else _SITE_END.search(folded)
    end = tail.start() if tail else len(text)
    core = text[start + (preposition.end() if preposition else 0) : end]
    return start, end, core, kind is not None, preposition is not None


def _draw_site_name(core: str, model: str, subject: Subject) -> str:
    sites, value = (
        lexicon.load("hospitals", subject.locale),
        _distinctive_words(core, subject.locale),
    )

    def accept(entry: str) -> bool:
        # `Mondor` must not become `Henri Mondor`, the same site.
        return _distinctive_words(entry, subject.locale) != value and subject.allows(entry)

    return apply_case(model, subject.pick(Label.HOSPITAL, value, sites, accept=accept))


@lru_cache(_SITES_REMEMBERED)
def _distinctive_words(core: str, locale: str) -> str:
    """Drop given names and initials before a family name: `Henri Mondor` is Mondor."""
    value = squeeze(core)
    given = lexicon.given(locale).places
    words = value.split()
    while len(words) > 1 and (len(words[0].rstrip(".")) == 1 or words[0] in given):
        words = words[1:]
    return " ".join(words)
