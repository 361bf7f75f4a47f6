"""Detection of towns, regions and countries by what announces them."""

import re
from collections.abc import Collection, Iterator

from record.label import Label
from rules.dates.calendar import MONTHS
from rules.matching.lexicon import given_rank, lexicon, place_rank, surname_rank, word_rank
from rules.matching.scanner import Pattern
from rules.names.words import is_clinical, is_common, is_given_name
from rules.places.address_parts import read_name
from rules.places.gazetteer import Listed, find_listed, label_of, surely_town, wide_end
from rules.places.postcodes import STATE
from rules.places.town_names import STOPS, read_town, with_district

Found = tuple[int, int, str]

# A town follows, whatever its name.
_DWELLING = Pattern(
    r"\b(?:(?:nee?s?|habit[a-z]{1,3}|resid[a-z]{1,3}|demeurant|domicilie[es]{0,2}|vi[tv][a-z]{0,3})"
    r"(?: seule?| actuellement)? a"
    r"|nee? le [0-9][0-9a-z ./\-]{4,18}[0-9] ?a|(?:mairie|ville|pres) de"
    r"|(?:originaire|native|natif) de"
    r"|(?:liv(?:es?|ed|ing)|resid(?:es|ed|ing)|born|grew up|raised)(?: alone)? in"
    r"|(?:resident|native) of|(?:moved|relocated|(?:e|im)migrated) (?:from|to)|originally from"
    r"|(?:vive|viviendo|reside|residente|nacid[oa]|domiciliad[oa])(?: sol[oa])? en"
    r"|(?:natural|procedente|originari[oa]|vecin[oa]|ciudad|municipio) de"
    r"|(?:wohnhaft|wohnt|lebt|geb\.)(?: allein)? in|stammt aus"
    r"|(?:woont|woonachtig|geboren|wonende)(?: alleen)? (?:in|te)|afkomstig uit)[ \n]"
)
# A region or a country follows, if a place at all.
_ABROAD = Pattern(
    r"\b(?:(?:nee?s?|habit[a-z]{1,3}|resid[a-z]{1,3}|vi[tv][a-z]{0,3})(?: seule?| actuellement)?"
    r" (?:en|aux?|dans l(?:[ea]s?|'))"
    r"|(?:originaire|native|natif) d(?:u|es?|'))"
    r" ?(?=[a-z])"
)
_HEADED = Pattern(
    r"\b(localidad|provincia|ciudad|municipio|poblacion|ville|commune|lieu de naissance|city"
    r"|birthplace|place of birth|town|lugar(?: de nacimiento)?|region|departement|country"
    r"|pais(?: de nacimiento)?|pays(?: de naissance)?|nationalite|hometown"
    r"|wohnort|geburtsort|woonplaats|geboorteplaats)(?:/ ?\w{1,12})?[ ]?:[ ]{0,3}(?=[a-z'])"
)
_COUNTRY_HEADS = ("pais", "pays", "country", "nationalite")
_PREPOSITION = Pattern(
    r"\b(?:[Aa]|vers|sur|[Ee]n|[Ii]n|[Ff]rom|near|to|of|d'|[Dd]esde|hacia|at"
    r"|de|nach|aus|bei|naar|uit|te)[ \n]?(?<=[ '\n])[A-Z]",
    cased=True,
)
# So simple and so frequent that `re` alone is the faster one, three times so where it can look
# for one mark.
_COMMA, _DASH = re.compile(r",[ \n][A-Z][A-Za-z]"), re.compile(r"-[ \n][A-Z][A-Za-z]")
_BRACKETED = Pattern(r"\([A-Z][A-Za-z]", cased=True)
_OF_ALONE = re.compile(
    r"(?:region|nord|sud|est|banlieue|loin|centre|cabinet|prestataire|pharmacie|officine"
    r"|originaire) {1,2}\Z"
)
_LIVED = re.compile(r"(?:[0-9]|hopital|chu) a \Z")
# Towns lend their names to stages, classes of diseases and soaps.
_CLASSES = frozenset(
    "savon classification classe score critere criteres criteria punto signo linea stade stades"
    " stage stages estadio estadios consensus staging protocole protocolo syndrome"
    " clasificacion criterio criterios escala".split()
)
_CLASS = re.compile(r"(?:[la][1-4][abp+]?[0-9]?p?|[iv]{1,3}[ab]?)\Z")
_LINKS = frozenset("de d of selon la du".split())
_CLASS_AFTER = re.compile(r",? \(?(?:(?:[abl][1-4][ab+]?){1,3}|[iv]{1,3}[abe]{0,2})(?![a-z0-9])")
_THING = re.compile(r" \(?([a-z]+)")
_THINGS = frozenset(
    "stage stade estadio classification criteria virus score protocol protocole scale brace bowel"
    " stent consensus type conference grading knee catheter".split()
)
_DATELINE = Pattern(
    r"(?<=[a-zA-Z]), (le |a |den |el )?(?:[0-9]{1,2}(?:er|\.)?(?:[./\-][0-9]{1,2}[./\-]|"
    r"(?: de)? ?[a-z]{3})"
    r"|[0-9]{4}[/.\-][0-9]"
    r"|(?:[a-z]{3,7}di|dimanche|lunes|[a-z]{4,6}es|sabado|domingo),? [0-9])"
)
_LINE_NAME = re.compile(
    r"[ ]{0,40}([A-Z][A-Za-z'\-]+(?: (?:de |del |la )?[A-Z][A-Za-z'\-]+){0,3})\Z"
)
# Who or what was in a town that no list has: `from Dr. Gray in Trenton`, `in 2008 in Elmira`.
_SOMEWHERE = re.compile(
    r"(?<![A-Za-z])(?:(?:Dr|Prof|Pr|Mrs?|Ms)\.? (?:[A-Z][A-Za-z.'\-]*[ ]?){1,3}"
    r"|(?:19|20)[0-9]{2} |[Bb]orn(?: at term| prematurely)? |moved "
    r"|(?:father|mother|son|daughter|brother|sister|husband|wife) (?:[A-Z][A-Za-z.'\-]* ?){1,3})"
    r"in \Z"
)
_BEFORE_IN = frozenset("born term prematurely moved".split())
_FURTHER = re.compile(r"(?:[ ]?[,.\-/])?[ ]?\(?")
_REGION_ENDS = (" county", " parish", " province")
_ENDS = re.compile(r"[ ]?(?:[,.;:)\n|(]|-[^a-zA-Z]|\Z)| (?:T[ef]l|Tfno|E-?mail|Fax|[a-z0-9_.]+@)")
# Everyday words of French in small letters only.
_CERTAIN = frozenset(["paris"])
_OF = frozenset(["of", "de", "del", "d'", "at", "te"])
_GAP = re.compile(r"(?:,|\.| -)?[ \n](?=[A-Z])")
_NO_PLACES = ("schaft", "ung", "lage", "haus", "ehe", "heit", "keit", "woche", "monat")


def towns(cased: str, folded: str, lang: str) -> list[Found]:
    """Find towns, regions and countries behind what announces them; code points, half open.

    `cased` is the text without accents, `folded` without case too.
    """
    found = [
        *_towns_behind_dwelling_words(cased, folded),
        *_places_under_headings(cased, folded),
        *_places_abroad(cased, folded),
    ]
    found += _towns_behind_prepositions(cased, folded, lang)
    found += [*_towns_behind_marks(cased, folded, _BRACKETED), *_towns_in_datelines(cased, folded)]
    if lang != "en":  # where a state follows the comma, or a first name
        found += [
            *_towns_behind_marks(cased, folded, _COMMA),
            *_towns_behind_marks(cased, folded, _DASH),
        ]
    return found


def _towns_behind_dwelling_words(cased: str, folded: str) -> Iterator[Found]:
    for match in _DWELLING.finditer(folded):
        place = _read_any_place(cased, folded, match.end())
        if place:
            yield place


def _read_any_place(cased: str, folded: str, at: int) -> Found | None:
    """Read a town, region or country whatever its name that begins at an offset."""
    at = _without_article(cased, at, len(cased))
    end = read_town(cased, folded, at)
    if end == at:
        return None
    whole = read_name(cased, at, stops=STOPS)
    if folded.endswith(_REGION_ENDS, at, whole):
        return at, whole, Label.REGION
    known = find_listed(folded, at)
    if known and known.end >= end:
        kinds = (kind for kind in (Label.COUNTRY, Label.CITY) if kind in known.labels)
        return at, known.end, next(kinds, Label.REGION)
    name = folded[at:end]
    acronym = end - at <= 5 and cased[at:end].isupper()
    return None if acronym or _is_prose(name) else (at, end, Label.CITY)


_ARTICLE = re.compile(r"(?:(?:la|le|les|el|los|der|den|dem|die) |l'){1,2}(?=[A-Z])")


def _without_article(cased: str, at: int, end: int) -> int:
    article = _ARTICLE.match(cased, at, end)
    return article.end() if article else at


def _is_prose(name: str) -> bool:
    first = name.partition(" ")[0].removeprefix("l'").removeprefix("d'")
    if len(name) < 2 or is_clinical(first) or name.endswith(_NO_PLACES):
        return True
    return " " not in name and is_common(first)


def _places_abroad(cased: str, folded: str) -> Iterator[Found]:
    for match in _ABROAD.finditer(folded):
        at = match.end()
        known = find_listed(folded, at) if cased[at].isupper() else None
        if known and Label.CITY not in known.labels:
            country = Label.COUNTRY in known.labels
            yield at, known.end, Label.COUNTRY if country else Label.REGION


def _places_under_headings(cased: str, folded: str) -> Iterator[Found]:
    for match in _HEADED.finditer(folded):
        head, at = match[1], match.end()
        country = head.startswith(_COUNTRY_HEADS)
        end = read_name(cased, at) if country else read_town(cased, folded, at)
        labels = label_of(folded[at:end])
        if end == at or (not labels and _is_prose(folded[at:end])):
            continue
        if head == "nationalite" and Label.COUNTRY not in labels:
            continue
        kind = Label.COUNTRY if country or Label.COUNTRY in labels else Label.CITY
        if head == "region" or (labels and Label.CITY not in labels and kind is Label.CITY):
            kind = Label.REGION
        yield _without_article(cased, at, end), end, kind


def _towns_behind_prepositions(cased: str, folded: str, lang: str) -> Iterator[Found]:
    """Find listed towns behind a preposition: `à Lille`, `from Boston`."""
    for match in _PREPOSITION.finditer(cased):
        at = match.end() - 1
        known = find_listed(folded, at)
        if known is None:
            yield from _unlisted_town(cased, folded, match, lang)
            if lang == "en" and match.group().lower().startswith("in "):
                yield from _unlisted_place(cased, folded, at)
            continue
        said = folded[match.start() : at].rstrip()
        if said == "a" and lang == "en":
            continue  # the article
        if (
            said == "de"
            and lang != "es"
            and not _OF_ALONE.search(folded[max(0, match.start() - 16) : match.start()])
        ):
            continue
        if Label.CITY in known.labels and not _is_name_of_thing(cased, folded, at, known):
            yield at, with_district(folded, at, known.end), Label.CITY


def _towns_behind_marks(
    cased: str, folded: str, pattern: Pattern | re.Pattern[str]
) -> Iterator[Found]:
    """Find listed towns behind a comma, a dash or a bracket: `laboratoire (Albi)`."""
    for match in pattern.finditer(cased):
        at = match.end() - 2
        known = find_listed(folded, at)
        if (
            known
            and Label.CITY in known.labels
            and _ENDS.match(cased, with_district(folded, at, known.end))
            and not is_given_name(known.name)
            and not _is_name_of_thing(cased, folded, at, known)
        ):
            yield at, with_district(folded, at, known.end), Label.CITY


def _unlisted_town(cased: str, folded: str, match: re.Match[str], lang: str) -> Iterator[Found]:
    """Yield a town of the wide list alone, where its name is no word and no name of a person."""
    at = match.end() - 1
    if folded[match.start() : at].rstrip() in _OF or cased[at + 1 : at + 2].isupper():
        return
    end = wide_end(folded, at)
    if end == at:
        return
    name = folded[at:end].replace(". ", " ")
    if end - at < 5 or not 0 < place_rank(name) < 3 or not surely_town(name, lang):
        return
    least = 3 if place_rank(name) == 1 else 1
    everyday = 0 < word_rank(name) <= least
    person = 0 < surname_rank(name) < 5 - least or 0 < given_rank(name) < 5 - least
    if not everyday and not person:
        yield at, with_district(folded, at, end), Label.CITY


def _is_name_of_thing(cased: str, folded: str, at: int, known: Listed) -> bool:
    """Return whether the name of a town is that of a class or a thing: `L3B2 de Montréal`."""
    lived = cased[at + 1].islower() and _LIVED.search(folded[max(0, at - 16) : at]) is not None
    if known.name in lexicon("eponyms") and not lived:
        return True
    if not lived and is_common(known.name) and known.name not in _CERTAIN:
        return True
    if cased[known.end : known.end + 1] == "-" or _CLASS_AFTER.match(folded, known.end):
        return True
    thing = _THING.match(folded, known.end)
    if thing and thing[1] in _THINGS:
        return True
    before = folded[max(0, at - 40) : at].replace(",", " ").replace("'", " ").split()
    while before and before[-1] in _LINKS:
        before.pop()
    return bool(before) and (before[-1] in _CLASSES or _CLASS.match(before[-1]) is not None)


def _unlisted_place(cased: str, folded: str, at: int) -> Iterator[Found]:
    low = max(0, at - 24)
    before = cased[cased.rfind(" ", low, max(0, at - 4)) + 1 : max(0, at - 4)]
    if not (before[:1].isupper() or before[-4:].isdigit() or before in _BEFORE_IN):
        return
    if not _SOMEWHERE.search(cased[max(0, at - 60) : at]):
        return
    end = read_name(cased, at, stops=STOPS)
    words = folded[at:end].split()
    if not words or words[0] in MONTHS or any(is_clinical(word) for word in words):
        return
    if len(words) > 1 or not is_common(words[0]):
        yield at, end, Label.CITY


def behind_streets(cased: str, folded: str, ends: Collection[int], lang: str) -> Iterator[Found]:
    """Yield known towns right behind streets, without a postal code between."""
    for end in ends:
        gap = _GAP.match(cased, end)
        if gap is None:
            continue
        known = find_listed(folded, gap.end())
        town = known.end if known else wide_end(folded, gap.end())
        name = folded[gap.end() : town]
        if (known and Label.CITY in known.labels) or (
            surely_town(name, lang) and not surname_rank(name)
        ):
            if not _ENDS.match(cased, with_district(folded, gap.end(), town)):
                continue
            yield gap.end(), with_district(folded, gap.end(), town), Label.CITY


def _towns_in_datelines(cased: str, folded: str) -> Iterator[Found]:
    """Find where a letter was written: `Vichy, le 3 mai` at the beginning of a line."""
    for match in _DATELINE.finditer(folded):
        end = match.start()
        line = cased.rfind("\n", max(0, end - 80), end) + 1
        name = _LINE_NAME.match(cased[line:end]) if end - line < 80 else None
        if name is None:
            continue
        start = line + name.start(1)
        labels = label_of(folded[start:end])
        sure = match[1] == "le " and not is_clinical(folded[start:end].partition(" ")[0])
        if sure or labels & {Label.CITY, Label.REGION}:
            yield start, end, Label.CITY


def regions_behind_towns(cased: str, folded: str, found: Collection[Found]) -> list[Found]:
    """Find the region and the country that follow towns already found."""
    more: list[Found] = []
    for _, end, kind in found:
        at = end
        for _step in range(2):
            gap = _FURTHER.match(folded, at)
            place = _region_or_country(cased, folded, gap.end()) if gap and gap.group() else None
            if place is None or (kind == Label.ZIP and place[2] != Label.COUNTRY):
                break
            more.append(place)
            at = place[1]
    return more


def _region_or_country(cased: str, folded: str, at: int) -> Found | None:
    if not cased[at : at + 1].isupper():
        return None
    known = find_listed(folded, at)
    if known is None:
        state = STATE.match(cased, at) if cased[at - 2 : at] == ", " else None
        return (at, state.end(), Label.REGION) if state else None
    country = Label.COUNTRY in known.labels
    return at, known.end, Label.COUNTRY if country else Label.REGION
