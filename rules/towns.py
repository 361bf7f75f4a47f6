"""Detection of postal codes, towns, regions and countries."""

import re

import regex

from record.folding import fold
from record.label import Label
from rules.calendar import MONTHS, WEEKDAY
from rules.lexicon import lexicon
from rules.name_parts import clinical, common
from rules.proper import Triggers, read_name

Found = tuple[int, int, str]

_ZIP = regex.compile(
    r"(?<![\w.,/\-])(?:(?:f|e|d)-)?([0-9]{5}|[0-9]{2} [0-9]{3})"
    r"(?![\w/%]|[.,][0-9]|-[0-9]{1,3}(?![0-9]))"
)
_ZIP_CUE = regex.compile(
    r"(?<![a-z])(?:c\.? ?p\.?|code postal|codigo postal|cod\.? postal|zip(?: code)?|postcode"
    r"|dans le|apartado)[ :.]{1,4}"
    r"([0-9]{5}|[0-9]{2} [0-9]{3})(?![0-9])"
)
_CEDEX = regex.compile(r"[ \-]cedex(?: [0-9]{1,2})?(?![a-z0-9])")
_DISTRICT = regex.compile(r"[ ](?:[0-9]{1,2}(?:er|e|eme)?(?: arrondissement)?)(?![\w/.,%:])")
_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ"
    "|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD"
    "|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR"
)
_AMERICAN = regex.compile(
    rf"(?P<city>\p{{Lu}}[\p{{L}}.'’\-]+(?:[ ]\p{{Lu}}[\p{{L}}.'’\-]+){{0,3}}),?[ ]"
    rf"(?P<state>{_STATES}|\p{{Lu}}\p{{Ll}}+(?:[ ]\p{{Lu}}\p{{Ll}}+)?)"
    r"(?:,?[ ]|,?\n)(?P<zip>[0-9]{5}(?:-[0-9]{4})?)(?![0-9])"
)
_BRITISH = regex.compile(
    r"(?<![\p{L}\d])[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][ABD-HJLNP-UW-Z]{2}(?![\p{L}\d])"
)
_CUES = Triggers([
    "localidad", "provincia", "ciudad", "municipio", "poblacion", "ville", "commune",
    "lieu de naissance", "city", "birthplace", "place of birth", "birth place",
    "town", "lugar", "lugar de nacimiento", "ne a", "nee a", "habite a", "habitant a", "habitent a",
    "reside a", "residant a",
    "demeurant a", "domicilie a", "domiciliee a", "vit a", "vivant a", "vivent a",
    "originaire de", "vit en", "habite en", "vivant en", "native de",
    "natif de", "lives in", "living in", "resides in", "born in", "resident of", "native of",
    "moved from", "moved to",
    "natural de", "residente en", "reside en", "vive en", "procedente de", "originario de",
    "nacido en", "nacida en",
    "fait a", "le maire de", "mairie de", "pres de", "la ville de", "localidad de", "ciudad de",
    "municipio de",
    "region", "department", "departement", "country", "pais", "pays", "pais de nacimiento",
    "pays de naissance",
    "nationalite", "hometown",
])  # fmt: skip
_LABELS = {
    "pais": Label.COUNTRY,
    "pays": Label.COUNTRY,
    "country": Label.COUNTRY,
    "region": Label.REGION,
}
# These announce a place only with a colon behind them.
_WITH_COLON = frozenset(
    ["localidad", "provincia", "ciudad", "municipio", "poblacion", "ville", "commune",
     "lieu de naissance", "city", "town", "birthplace", "place of birth", "birth place",
     "lugar", "lugar de nacimiento", "region", "department", "departement", "country", "pais",
     "pays",
     "pais de nacimiento",
     "pays de naissance", "nationalite", "hometown"]
)  # fmt: skip
_COLON = regex.compile(r"(?:/ ?\w+)?[ ]?:[ ]{0,3}")
_PREPOSITION = regex.compile(
    r"(?r)(?:(?<![a-z])(?:a|vers|sur|en|in|from|near|to|of|d'|desde|hacia|at"
    r"|(?:pres|region|nord|sud|est|ouest|banlieue|ville|loin|centre|cabinet|prestataire"
    r"|pharmacie|officine|laboratoire|urgences|ssr|originaire) {1,2}de)|[,(\-])[ ]?$"
)
_AT = regex.compile(r"(?r)(?:nee? |[0-9] |hopital |chu |vit |habite )a[ ]$")
_OF = regex.compile(r"(?r)(?<![a-z])(?:de|del)[ ]$")
# A letter begins with where and when it was written.
_DATELINE = regex.compile(
    r"(?m)^[ \t]{0,40}(\p{Lu}[\p{L}'’\-]+(?:[ ](?:de |del "
    r"|la )?\p{Lu}[\p{L}'’\-]+){0,3}), (le )?(?:a )?"
    rf"(?:(?i:{WEEKDAY}|sábado|miércoles),? )?"
    r"(?:[0-9]{1,2}(?:er)?(?:[ ./\-]|(?=\p{L}{3}))|[0-9]{4}[/.\-][0-9])"
)
# Towns lend their names to stages, classes of diseases and soaps.
_NO_TOWN_BEFORE = regex.compile(
    r"(?r)(?:savon|classification|classe|score|criteres?|criteria|stades?|stages?|estadios?"
    r"|staging|protocole|syndrome|[la][1-4][abp+]?[0-9]?p?|[iv]{1,3}[ab]?)"
    r"[ ,](?:de |d'|of |selon |selon la classification de |du )?$"
)
_NO_TOWN_AFTER = regex.compile(
    r",? \(?(?:l[1-4](?![a-z])|[al][1-4][ab+]|a[1-3] ?l|stage|stade|estadio|classification|criteria"
    r"|[iv]{1,3}[abe]{0,2}(?![a-z])|virus|score)"
)
# Who or what was in a town that no list has: `from Dr. Gray in Trenton`, `in 2008 in Elmira`.
_IN_PLACE = re.compile(r" in (?=[A-ZÀ-Þ][a-zß-ÿ])")
_SOMEWHERE = regex.compile(
    r"(?r)(?<!\p{L})(?:(?:Dr|Prof|Pr|Mrs?|Ms)\.?[ ](?:\p{Lu}[\p{L}.'’\-]*[ ]?){1,3}"
    r"|(?:19|20)[0-9]{2}|[Bb]orn(?:[ ]at term|[ ]prematurely)?|(?:lives|moved|living)"
    r"|(?:father|mother|son|daughter|brother|sister|husband|wife)"
    r"[ ](?:\p{Lu}[\p{L}.'’\-]*[ ]?){1,3})$"
)
_FURTHER = regex.compile(r"(?:[ ]?[,.\-/])?[ ]?\(?")
_STOPS = frozenset(
    "tel tél tel. tél. téléphone teléfono tfno tfno. fax email e-mail mail correo dr dr. cp"
    " service servicio cedex nhc france"
    " españa né née ipp nda le les du rendez-vous date email: hospital".split()
)


def towns(text: str, folded: str, before: list[tuple[int, int]], lang: str) -> list[Found]:
    """Find postal codes, towns, regions and countries; code points, half open.

    `before` are streets and care sites already found: what follows them needs no other proof.
    """
    ends = {end for _, end in before}
    found = [*_zips(text, folded, ends, lang), *_cued(text, folded), *_listed(text, folded, lang)]
    found += [
        (*match.span(1), Label.CITY)
        for match in _DATELINE.finditer(text)
        if folded[match.start(1) : match.end(1)] in lexicon("cities") | lexicon("regions")
        or (match[2] and not clinical(folded[match.start(1) : match.end(1)].partition(" ")[0]))
    ]
    if lang in ("en", ""):
        found += _american(text)
        found += _somewhere(text, folded)
        found += [(*match.span(), Label.ZIP) for match in _BRITISH.finditer(text)]
    return found + _further(text, folded, found)


def _zips(text: str, folded: str, ends: set[int], lang: str) -> list[Found]:
    found: list[Found] = [(*match.span(1), Label.ZIP) for match in _ZIP_CUE.finditer(folded)]
    found += [
        hit
        for match in _ZIP.finditer(folded)
        if lang != "en"
        for hit in _zip(text, folded, match.span(), ends)
    ]
    return found


def _zip(text: str, folded: str, place: tuple[int, int], ends: set[int]) -> list[Found]:
    start, end = place
    follows_street = any(end_of in ends for end_of in range(max(0, start - 4), start + 1))
    begin = end
    while begin < min(len(text), end + 3) and text[begin] in " ,\n.":
        begin += 1
    town_end = _town_end(text, folded, begin)
    town = folded[begin:town_end].partition(" ")[0] if town_end > begin else ""
    whole = folded[begin:town_end]
    if town_end > begin and (follows_street or _is_town(whole) or _after_break(text, start, town)):
        return [(start, end, Label.ZIP), (begin, town_end, Label.CITY)]
    if follows_street:
        return [(start, end, Label.ZIP)]
    before = _town_before(text, start)
    if before:
        return [(start, end, Label.ZIP), (*before, Label.CITY)]
    return []


def _town_end(text: str, folded: str, begin: int) -> int:
    end = read_name(text, begin, stops=_STOPS)
    name = folded[begin:end]
    if end == begin or (clinical(name.partition(" ")[0]) and not _is_town(name)):
        return begin
    broken = _BROKEN.match(text, end)
    end = broken.end() if broken else end
    cedex = _CEDEX.match(folded, end)
    if cedex:
        return int(cedex.end())
    district = _DISTRICT.match(folded, end)
    return (
        district.end() if district and folded[begin:end] in ("paris", "lyon", "marseille") else end
    )


# `ISSY LES` or `BOULOGNE-` at the end of a line goes on in the next.
_BROKEN = regex.compile(r"(?:[ -](?i:les|lès|sur|sous|en|la|le|de|du)|-)\n\p{Lu}[\p{L}\-]+")


def _is_town(name: str) -> bool:
    return (
        name in lexicon("cities")
        or name.partition(" cedex")[0] in lexicon("cities")
        or " cedex" in name
    )


def _after_break(text: str, start: int, town: str) -> bool:
    before = text[max(0, start - 2) : start]
    opens = start == 0 or before[-1:] == "\n" or before in (", ", "- ", "– ", ". ")
    return opens and len(town) > 2 and not common(town) and not clinical(town)


def _town_before(text: str, start: int) -> tuple[int, int] | None:
    match = _BEFORE_ZIP.search(text, max(0, start - 40), start)
    if match is None:
        return None
    name = match["town"]
    at = match.start("town")
    while name and fold(name) not in lexicon("cities"):
        cut = name.find(" ")
        if cut < 0:
            return None
        at += cut + 1
        name = name[cut + 1 :]
    return (at, at + len(name)) if name else None


_BEFORE_ZIP = regex.compile(
    r"(?r)(?P<town>\p{Lu}[\p{L}'’\-]+(?:[ ](?:de |la "
    r"|del )?\p{Lu}[\p{L}'’\-]+){0,3})(?:,? (?:dans le |\()?|-|, |\. )$"
)


def _american(text: str) -> list[Found]:
    found: list[Found] = []
    for match in _AMERICAN.finditer(text):
        state = match["state"]
        if len(state) > 2 and fold(state) not in lexicon("regions"):
            continue
        found.append((*match.span("city"), Label.CITY))
        found.append((*match.span("state"), Label.REGION))
        found.append((*match.span("zip"), Label.ZIP))
    return found


def _somewhere(text: str, folded: str) -> list[Found]:
    found: list[Found] = []
    for match in _IN_PLACE.finditer(text):
        if not _SOMEWHERE.search(text, max(0, match.start() - 60), match.start()):
            continue
        end = read_name(text, match.end(), stops=_STOPS)
        words = folded[match.end() : end].split()
        if not words or words[0] in MONTHS or any(clinical(word) for word in words):
            continue
        if len(words) > 1 or not common(words[0]):
            found.append((match.end(), end, Label.CITY))
    return found


def _cued(text: str, folded: str) -> list[Found]:
    found: list[Found] = []
    for _, end, cue in _CUES.find(folded):
        at = _value_at(folded, end, cue)
        if at is None:
            continue
        kind = _LABELS.get(cue.split(" ")[0], Label.CITY)
        name_end = read_name(text, at, stops=frozenset() if kind is Label.COUNTRY else _STOPS)
        name = folded[at:name_end]
        if name_end == at or _is_prose(name):
            continue
        if name in lexicon("countries"):
            kind = Label.COUNTRY
        elif kind is Label.CITY and name in lexicon("regions") and name not in lexicon("cities"):
            kind = Label.REGION
        found.append((_without_article(text, at, name_end), name_end, kind))
    return found


def _value_at(folded: str, end: int, cue: str) -> int | None:
    colon = _COLON.match(folded, end)
    if colon:
        return int(colon.end())
    if cue in _WITH_COLON or folded[end : end + 1] != " ":
        return None
    return end + 1


def _is_prose(name: str) -> bool:
    first = name.partition(" ")[0].removeprefix("l'").removeprefix("d'")
    if name in lexicon("cities") or name in lexicon("countries"):
        return False
    return clinical(first) or (common(first) and " " not in name) or len(name) < 2


def _without_article(text: str, at: int, end: int) -> int:
    article = regex.match(
        r"(?:la |le |les |el |los |du |de |l['’])+(?=\p{Lu})", text, pos=at, endpos=end
    )
    return article.end() if article else at


def _listed(text: str, folded: str, lang: str) -> list[Found]:
    """Find towns of the lexicon behind a preposition: `à Lille`, `from Boston`."""
    found: list[Found] = []
    for start, end, name in _city_triggers().find(folded):
        if not text[start].isupper() or folded[end : end + 1] == "-":
            continue
        before = max(0, start - 16)
        lived = text[start + 1].islower() and _AT.search(folded, before, start) is not None
        if name in lexicon("eponyms") and not lived:
            continue
        said = _PREPOSITION.search(folded, before, start) or (
            lang == "es" and _OF.search(folded, before, start)
        )
        if said and (lived or not common(name)) and not _lends_name(folded, start, end):
            found.append((start, end, Label.CITY))
    return found


def _lends_name(folded: str, start: int, end: int) -> bool:
    """Tell whether the name of a town is that of a class or a thing: `L3B2 de Montréal`."""
    if _NO_TOWN_AFTER.match(folded, end):
        return True
    return _NO_TOWN_BEFORE.search(folded, max(0, start - 40), start) is not None


_LISTS: list[Triggers] = []


def _city_triggers() -> Triggers:
    if not _LISTS:
        names = lexicon("cities")
        apart = {name.replace("-", " ") for name in names if name.startswith(("saint", "sainte"))}
        _LISTS.append(Triggers(sorted(names | apart)))
    return _LISTS[0]


def _further(text: str, folded: str, found: list[Found]) -> list[Found]:
    """Find the region and the country that follow a town."""
    more: list[Found] = []
    for _, end, kind in found:
        at = end
        for _step in range(2):
            gap = _FURTHER.match(folded, at)
            place = _named_place(text, folded, gap.end()) if gap and gap.group() else None
            if place is None or (kind == Label.ZIP and place[2] != Label.COUNTRY):
                break
            more.append(place)
            at = place[1]
    return more


def _named_place(text: str, folded: str, at: int) -> Found | None:
    """Read a region or a country of the lexicons that begins at an offset."""
    end = read_name(text, at)
    while end > at:
        name = folded[at:end]
        if name in lexicon("countries"):
            return at, end, Label.COUNTRY
        if name in lexicon("regions") or name in lexicon("cities"):
            return at, end, Label.REGION
        end = max(at, text.rfind(" ", at, end))
    return None
