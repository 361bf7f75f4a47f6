"""Detection of streets with their kind before their name: `12 bis rue des Lilas`, `C/ Goya`."""

import re
from collections.abc import Collection, Iterable, Iterator

from locales.registry import LANGUAGES
from record.folding import fold
from record.label import Label
from rules.matching.lexicon import lexicon, lexicons, word_rank
from rules.matching.scanner import Pattern
from rules.names.words import is_clinical, is_common
from rules.places.address_parts import (
    address_ahead,
    annex_end,
    cue_before,
    number_before,
    number_behind,
    postcode_ahead,
    read_name,
    spanish_tail,
)
from rules.places.gazetteer import find_listed, label_of

Place = tuple[int, int]

# Kinds that need no proof beyond a number, and those that are also enough without one.
_FULL = "street avenue road boulevard lane parkway highway terrace drive".split()
_PLAIN = (
    "court place circle trail way square crescent close row ave rd blvd ln pkwy hwy cir st dr ct pl"
).split()
_RARE = sorted(lexicon("street_suffixes_en") - {*_FULL, *_PLAIN})
_WITH_DOT = frozenset("st dr ave rd blvd ln ct pl pkwy hwy cir".split())


def _alternatives_capitalised(words: list[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(
        word[0].upper() + "".join(f"[{letter}{letter.upper()}]" for letter in word[1:])
        for word in longest_first
    )


_SUFFIX = Pattern(
    rf"\b(?<=[A-Za-z.'0-9][ ])({_alternatives_capitalised([*_FULL, *_PLAIN, *_RARE])})\b(?!')",
    cased=True,
)
# `County Road 12`: here the kind stands before its number.
_ROUTE = Pattern(
    r"\b(?<![.,/])[0-9]{1,5} (?:(?:county|state) (?:road|route)|highway|route) [0-9]{1,4}(?![0-9])"
)
_SMALL = Pattern(
    r"[0-9] (?:[a-z][a-z'.]{1,14} ){1,3}?(?:street|avenue|road|lane|drive)"
    r"(?![a-z])"
)
_ENGLISH_NUMBER = re.compile(r"[0-9]{1,6}[A-Za-z]?(?:-[0-9]{1,4})?\Z")
_ENGLISH_ORDINAL = re.compile(r"[0-9]{1,3}(?:st|nd|rd|th|ST|ND|RD|TH)\Z")
_WORD = re.compile(r"[A-Z][^\W\d_]*(?:['.\-][^\W\d_]*){0,3}\Z")
_GAP = re.compile(r", |,?\n| - ")
_POSTCODE = re.compile(r"(?:[A-Z][A-Za-z.]+,? ){0,3}(?:[A-Z]{2},? )?(?:[0-9]{5}|[A-Z]{1,2}[0-9])")
_FLAT = re.compile(r"(?:Flat|Unit|Apt\.?|Apartment|Suite) [0-9A-Za-z]{1,4}, ?\Z")
_COMPASS = frozenset("north south east west".split())
_NEAR = frozenset("on at of near".split())
_OPENS = re.compile(r"(?:^|[\n:;,|(]|(?<![a-z])(?:at|of|is|to|-))[ ]{0,4}\Z")
_CLOSES = re.compile(r"[ ]?(?:[,\-\n;|)]|apt|suite|unit|\.?\Z)")
_QUARTER = re.compile(r" (?:[NS][EW]?|[EW])(?![A-Za-z]|\.[A-Z])")
_DOT = re.compile(r"\.(?:,|[ ](?:[a-z0-9#]|Apt|Suite|Unit|[NSEW]{1,2}(?![A-Za-z])))")


def english_streets(cased: str, folded: str) -> list[Place]:
    """Find streets in the English order; offsets are code points of the text, half open.

    `cased` is the text without accents, `folded` without case too. House numbers, flats and
    points of the compass belong to the street.
    """
    found = [
        span
        for match in _SUFFIX.finditer(cased)
        if (span := _street_before_suffix(cased, folded, match.span(1)))
    ]
    found += [(match.start(), annex_end(folded, match.end())) for match in _ROUTE.finditer(folded)]
    return found + [
        (start, annex_end(folded, match.end()))
        for match in _SMALL.finditer(folded)
        if cue_before(folded, start := _number_start(folded, match.start()))
    ]


def _number_start(folded: str, at: int) -> int:
    while at and folded[at - 1].isdigit():
        at -= 1
    return at


def _street_before_suffix(cased: str, folded: str, place: Place) -> Place | None:
    start, end = place
    low = max(0, start - 40)
    previous = max(cased.rfind(" ", low, start - 1), cased.rfind("\n", low, start - 1), low - 1) + 1
    if not (cased[previous].isupper() or cased[previous].isdigit()):
        return None
    first, numbered = _english_name_start(cased, start)
    if first == start:
        return None
    kind = folded[start:end]
    words = folded[first:start].split()
    names = words[1:] if numbered else words
    if kind in _WITH_DOT and _DOT.match(cased, end):
        end += 1
    if not _is_proven(cased, folded, (first, end), kind, names, numbered=numbered):
        return None
    quarter = _QUARTER.match(cased, end)
    end = annex_end(folded, quarter.end() if quarter else end)
    flat = _FLAT.search(cased[max(0, first - 20) : first])
    return first - len(flat.group()) if flat else first, end


def _english_name_start(cased: str, start: int) -> tuple[int, bool]:
    """Go back over the name: gives where it begins and whether a house number is its first word."""
    low = max(0, start - 60)
    words = cased[max(cased.rfind("\n", low, start) + 1, low) : start - 1].split(" ")
    at = start
    for count, word in enumerate(reversed(words)):
        if count and _ENGLISH_NUMBER.match(word):
            before = cased[at - len(word) - 2 : at - len(word) - 1]
            return (start, False) if before in (".", "/") else (at - len(word) - 1, True)
        if count == 5 or not (_WORD.match(word) or _ENGLISH_ORDINAL.match(word)):
            near = count > 0 and word.lower() in _NEAR
            return (at, False) if near else (start, False)
        at -= len(word) + 1
    return start, False


def _is_proven(
    cased: str,
    folded: str,
    place: Place,
    kind: str,
    names: list[str],
    *,
    numbered: bool,
) -> bool:
    start, end = place
    if any(is_clinical(name) for name in names if name.isalpha() and name not in _COMPASS):
        return False
    if not numbered:
        return kind in _FULL and not any(is_common(name) for name in names)
    annexed = annex_end(folded, end) > end or _QUARTER.match(cased, end) is not None
    if kind in ("dr", "st") and cased[end : end + 2].strip(" .")[:1].isupper() and not annexed:
        return False  # a doctor or a saint follows
    if kind in _FULL or kind in _PLAIN:
        return any(len(name.strip(".")) > 2 for name in names) or kind in _FULL
    opens = _OPENS.search(folded[max(0, start - 6) : start]) is not None
    if not opens or not _CLOSES.match(folded, end):
        return False
    if annexed or cue_before(folded, start) or _is_followed_by_town(cased, folded, end):
        return True
    return folded[start : start + 3].isdigit() and not any(is_common(name) for name in names)


def _is_followed_by_town(cased: str, folded: str, end: int) -> bool:
    """Return whether a town follows, or a line begins with one."""
    gap = _GAP.match(cased, end)
    return gap is not None and (
        find_listed(folded, gap.end()) is not None or _POSTCODE.match(cased, gap.end()) is not None
    )


_COMPOUND_SURE = Pattern(
    r"(?:stra(?:ss|ß)e|str\.|gasse|allee|ufer|chaussee|straat|laan|plein|gracht|singel|kade|boulevard)"
    r" ?(?=[0-9])"
)
# These end the names of other things too: an address has to go on behind them.
_LIKELY = Pattern(r"(?:weg|platz|ring|damm|hof|markt|wall|graben|dijk|haven|park|pad) (?=[0-9])")
_PREPOSITION = Pattern(
    r"\b(?:Am|Im|Zum|Zur|(?:An|In|Auf|Unter) de[rmn])"
    r" (?:[A-Z][^\W\d_]{2,20} ){1,2}(?=[0-9])",
    cased=True,
)
_KIND_FIRST = Pattern(
    r"\b(?:Platz|Stra(?:ss|ß)e|Allee) (?:der|des)"
    r" (?:[0-9]{1,2}\. )?[A-Z][^\W\d_]{2,20} (?=[0-9])",
    cased=True,
)
_NUMBER = re.compile(
    r"[0-9]{1,4}(?![0-9])(?:(?:[-/][0-9]{1,3}){1,3}| ?- ?[IVX]{1,4}(?![A-Za-z])| hs(?![a-z])"
    r"| bis(?![a-z])|-?[A-Fa-f](?![A-Za-z])| [a-f](?![A-Za-z]))?(?![,.][0-9]|[A-Za-z%])"
    r"(?! ?(?:[mck]?[gm]|ml|x|Uhr|Tage?|Wochen?|Monate?|Jahren?|St)(?![a-z]))"
)
_WORD_BEFORE = re.compile(r"[^\s,;:()]+\Z")
_WHOLE_KINDS = frozenset(
    "strasse straße str. allee platz gasse ring weg damm markt ufer chaussee graben wall haven"
    " plein kade singel gracht dijk hof berg park".split()
)
_PARTICLES = frozenset("van de der den ter ten 't von zu".split())
_LEADING = frozenset(
    "burgemeester professor prof. dr. dokter doctor pastoor sint st. oude nieuwe grote kleine lange"
    " korte eerste tweede derde alte neue grosse große kleine obere untere".split()
)
_ORDINAL = re.compile(r"[0-9]e\Z")


def compound_streets(cased: str, folded: str) -> list[Place]:
    """Find streets with a house number; offsets are code points of the text, half open.

    `cased` is the text without accents, `folded` without case too.
    """
    found: list[Place] = []
    for pattern, text, sure in (
        (_COMPOUND_SURE, folded, True),
        (_LIKELY, folded, False),
        (_PREPOSITION, cased, False),
        (_KIND_FIRST, cased, False),
    ):
        for match in pattern.finditer(text):
            first = (
                _compound_name_start(cased, folded, match.end())
                if text is folded
                else match.start()
            )
            span = _with_house_number(cased, folded, first, match.end(), sure=sure)
            if span:
                found.append(span)
    return found


def _with_house_number(
    cased: str, folded: str, first: int | None, at: int, *, sure: bool
) -> Place | None:
    number = _NUMBER.match(cased, at)
    if first is None or number is None:
        return None
    if any(is_clinical(word) for word in folded[first:at].split()):
        return None
    end = annex_end(folded, number.end())
    if sure or postcode_ahead(folded, end) or cue_before(folded, first):
        return first, end
    return None


def _compound_name_start(cased: str, folded: str, number: int) -> int | None:
    """Return where the name begins whose last word ends before a house number."""
    line = max(cased.rfind("\n", 0, number) + 1, number - 70)
    word = _WORD_BEFORE.search(cased[line:number].rstrip(" "))
    if word is None:
        return None
    at = line + word.start()
    whole = folded[at : line + word.end()] in _WHOLE_KINDS
    if not cased[at].isupper() and not whole:
        return None
    before = _word_before(cased, line, at)
    if whole:
        if before is None or not cased[before].isupper():
            return None
        return before
    # Go back over `Burgemeester de` and the like; particles alone stay outside
    first = at
    while (before := _word_before(cased, line, at)) is not None:
        written = folded[before : at - 1]
        if written in _LEADING or _ORDINAL.match(written):
            first = at = before
        elif written in _PARTICLES:
            at = before
            first = at if cased[at].isupper() else first
        elif at < first and cased[before].isupper():
            first = at = before
        else:
            break
    return first


def _word_before(cased: str, line: int, at: int) -> int | None:
    """Return where the word begins that stands one blank before an offset, in the same line."""
    if at - 1 <= line or cased[at - 1] != " ":
        return None
    word = _WORD_BEFORE.search(cased[line : at - 1])
    return line + word.start() if word else None


Found = tuple[int, int, str]

_SPELT = Pattern(
    r"\b(?:(?:boite postale|p\.? ?o\.? ?box|apartado de correos|apdo\.?)[ ]?(?:n[°o]\.? ?)?"
    r"[0-9]{1,6}|postbus [0-9]{1,5}|postfach [0-9]{1,2}(?: ?[0-9]{2}){0,3})"
    r"(?![0-9/]|[.,][0-9]| ?mm)"
)
_LETTERS = Pattern(
    r"\b(?:b\.?p\.?|cs|tsa|apartado)[ ]?(?:n[°o]\.? ?)?[0-9]{1,6}(?![0-9/]|[.,][0-9]| ?(?:mm|/))"
)
# `Rosenhag 5,` or `12 Les Hauts de Seille,` before a postal code with its town.
_SEGMENT = re.compile(
    r"(?:^|[\n,:;] ?)((?:[0-9]{1,4} ?(?:bis|ter|[a-z])?,? )?(?:[A-Z'][A-Za-z'.\-ß]* ?"
    r"|(?:van|de|der|den|des|du|la|le|les|am|an|op|aan|zum|zur|in|el|los|las) ){1,6}"
    r"(?:[0-9]{1,4}(?:[a-z]|[-/][0-9]{1,3})?)?)[ ]?,?[ \n]{1,2}\Z"
)


def spelt_boxes(folded: str) -> list[tuple[int, int]]:
    """Find post boxes that are named in full; code points of the folded text, half open."""
    return [match.span() for match in _SPELT.finditer(folded)]


def letter_boxes(folded: str, found: Collection[Found]) -> list[Found]:
    """Find post boxes named by two letters beside places already found (`BP 12`, `CS 40123`)."""
    starts, ends = {start for start, _, _ in found}, {end for _, end, _ in found}
    return [
        (start, end, Label.STREET)
        for start, end in (match.span() for match in _LETTERS.finditer(folded))
        if any(end + gap in starts or start - gap in ends for gap in range(5))
    ]


def street_before(cased: str, folded: str, start: int, lang: str) -> tuple[int, int] | None:
    """Return the street without a kind that ends right before a postal code with its town."""
    low = max(0, start - 60)
    segment = _SEGMENT.search(cased, low, start)
    if segment is None or not any(char.isdigit() for char in segment[1]):
        return None
    if segment[1][0].isdigit() and lang == "es":
        return None
    first, last = segment.span(1)
    words = folded[first:last].replace("-", " ").split()
    if any(is_clinical(word) for word in words) or not any(len(word) > 3 for word in words):
        return None
    return first, first + len(cased[first:last].rstrip(" ,"))


# Kinds of ways that are hardly anything else, and those that are everyday words as well.
_STRONG_FRENCH = (
    "rue avenue boulevard allee allees impasse chemin quai faubourg esplanade chaussee venelle"
).split()
_STRONG_SPANISH = (
    "calle avenida avda avda. avda/ avd. c/ cl/ carretera ctra. glorieta ronda travesia"
    " rambla passeig carrer"
).split()
_WEAK_FRENCH = (
    "place cours passage route voie square villa cite hameau residence lotissement montee sentier"
    " promenade traverse ruelle rond-point parc lieu-dit mail cour clos domaine"
    " ave ave. bd bd. bld bld. bvd boul. r. ch. imp. all. rte rte. sq. fg res. pl."
).split()
_WEAK_SPANISH = (
    "plaza paseo camino via urbanizacion pasaje barrio bulevar av av. av/ po p.o pza pza. urb. c."
    " ctra acceso alameda callejon canada cuesta pasadizo vial costanilla poligono partida"
).split()
_DUTCH = ["laan van", "steenweg op"]
_STRONG = frozenset([*_STRONG_FRENCH, *_STRONG_SPANISH, *_DUTCH])
_SPANISH = frozenset([*_STRONG_SPANISH, *_WEAK_SPANISH])
_FRENCH = frozenset([*_STRONG_FRENCH, *_WEAK_FRENCH, "av", "av."])
# Of bodies and drips as well: an address has to go on behind them.
_VESSELS = frozenset("via acceso vial canada poligono partida cuesta camino pasaje".split())
# These are initials of persons as well.
_INITIALS = frozenset(["c.", "r.", "ch.", "pl."])
# The French gauge of a catheter (`Foley 16 Ch.`), a density of `C.`: streets in other languages.
_FOREIGN = {"de": frozenset(["ch.", "c."]), "en": frozenset(["c."]), "nl": frozenset(["ch.", "c."])}
_ONE_LETTER = re.compile(r"[a-z](?![\w'])")


def _longest_first(words: Iterable[str]) -> list[str]:
    # Of one length in one order: automata that were compiled by another process fit this one.
    return sorted(words, key=lambda word: (-len(word), word))


def _match_either_case(words: Iterable[str]) -> str:
    return "|".join(
        re.sub("[a-z]", lambda letter: f"[{letter[0].upper()}{letter[0]}]", re.escape(word))
        for word in words
    )


_NAMED = Pattern(
    rf"\b(?<!['°])({_match_either_case(_longest_first({*_SPANISH, *_FRENCH} - _STRONG))})"
    r"(?:[ ]|(?<=/))"
    r"(?:[a-z]{2,3}[ ]){0,3}(?:[dl]')?[\"«“]?[A-Z]",
    cased=True,
)
_NUMBERED = Pattern(
    r"[0-9][ ]?(?:bis|ter|quater|[a-f])?[ ]?,?[ \n]"
    rf"({'|'.join(re.escape(word) for word in _longest_first(_FRENCH - _STRONG))})(?=[ \n])"
)
_SURE = Pattern(
    rf"\b(?<!['°])({'|'.join(re.escape(word) for word in _longest_first(_STRONG))})"
    r"(?:(?=[ \n])|(?<=/)(?=[a-z]))"
)
_LINE_BREAK = re.compile(r"(?: (?:de|du|des|de la|del))?\n(?=[A-Za-z])")
_MILL = re.compile(r" a (?:vent|eau|huile|papier)(?![a-z])")
_MONTHS = frozenset(
    fold(month)
    for code in ("fr", "es")
    for style in LANGUAGES[code].dates.months
    for month in style.words
    if not style.short
)
# Streets named by a day, by a number, or by a name that is a kind.
_DAY_NAME = re.compile(
    r" (?:du |de la |del )?[0-9]{1,3}(?:er|re|e|eme)? (?:de )?"
    rf"(?:{'|'.join(_longest_first(_MONTHS))}"
    r"|regiment|division|armee)(?: (?:de )?[0-9]{4}(?![0-9])| (?:d')?[a-z]{5,12})?(?![a-z])"
)
_GRID = Pattern(
    r"\b(?:calle|carrera|cra\.?|diagonal|transversal) [0-9]{1,3} ?[a-z]?"
    r" (?:#|n[°o]?\.?) ?[0-9]{1,3} ?[a-z]? ?- ?[0-9]{1,3}(?![0-9])"
)
_GREAT_WAY = Pattern(r"\bgran via(?: [a-z]{4,12}){0,3}(?=,? (?:n[o°]\.? ?)?[0-9]{1,3}(?![0-9]))")
# What stands behind `Adresse :` up to the end of the line or the postal code, if it has a number.
_DECLARED = Pattern(
    r"\b(?:domicilio|direccion|adresse(?: postale| personnelle)?"
    r"|address|anschrift|adres)[ ]?:[ ]{0,3}"
    r"(?=[^\n@:;]{0,60}[0-9])([a-z][^\n@:;]{2,80}?)(?=[ ]?[,.]?[ ]?(?:[\n;@]|\Z|c\.?p\.?"
    r"|(?:[a-z]-)?[0-9]{5}(?![0-9])|[0-9]{4} ?[a-z]{2}(?![a-z])|(?<=, )"
    r"(?:[a-z]{1,2}-)?[0-9]{4} [a-z]|tel|e-?mail))"
)
_LOWER_NAME = re.compile(
    r"[ ](?:(?:de|du|la|le) ){0,2}[a-z'\-]{3,20}"
    r"(?: [a-z'\-]{2,20}){0,3}?(?=[ ]?[,.;\n)]|[ ][0-9]|[ ](?:a|et)[ ]|\Z)"
)
_BROKEN_NAME = re.compile(r"\n[dl]'[A-Z][a-zA-Z]+")
_STOPS = frozenset(
    "tel tel. telephone telefono tfno tfno. fax email e-mail mail service dr dr. m. mme adresse"
    " appt apt bat cedex nhc nocol suite unit flat localidad cp c.p. rendez-vous rdv ne nee ipp nda"
    " hospital hopital servicio correo s/n no n° numero phone tlf tlf. email: a esquina"
    " esc. esc piso portal no. batiment escalier".split()
)
_ARTICLES = frozenset("de du des la le les l' d' del los las el".split())


def streets(cased: str, folded: str, lang: str) -> list[Place]:
    """Find streets; offsets are code points of the text, half open.

    `cased` is the text without accents, `folded` without case too. House numbers, flats and
    floors belong to the street; postal codes and towns do not.
    """
    found = [
        span
        for place in sorted(
            {
                *_street_kinds(_NAMED, cased),
                *_street_kinds(_NUMBERED, folded),
                *_street_kinds(_SURE, folded),
            }
        )
        if (span := _read_street(cased, folded, place, lang))
    ]
    found += [match.span() for match in _GRID.finditer(folded)]
    found += [
        (match.start(), spanish_tail(folded, match.end())) for match in _GREAT_WAY.finditer(folded)
    ]
    return found


def declared_streets(folded: str) -> list[Place]:
    """Find what stands behind `Adresse :` and has a number; code points, half open."""
    return [
        (match.start(1), match.start(1) + len(match[1].rstrip(" .,-")))
        for match in _DECLARED.finditer(folded)
    ]


def _street_kinds(pattern: Pattern, text: str) -> Iterator[Place]:
    return (match.span(1) for match in pattern.finditer(text))


def _read_street(cased: str, folded: str, place: Place, lang: str) -> Place | None:
    start, end = place
    kind = folded[start:end]
    if start and (folded[start - 1].isalnum() or folded[start - 1] in "'°"):
        return None
    if kind[-1] == "/" and _ONE_LETTER.match(folded, end):
        return None  # `C/D 120/80`: no street has a letter for its name
    number = number_before(folded, start)
    cued = number is None and kind not in _INITIALS and cue_before(folded, start)
    strong = kind in _STRONG
    name_end = _name_end(
        cased, folded, end, lower=cued or (number is not None and strong and kind not in _SPANISH)
    )
    if name_end is None and number is not None:
        # Read a name in small letters behind an everyday word: an address must go on behind it
        small = _LOWER_NAME.match(folded, end)
        name_end = small.end() if small and postcode_ahead(folded, small.end()) else None
    if name_end is None:
        return None
    tail = _address_end(folded, name_end, kind, numbered=number is not None and kind in _FRENCH)
    if kind in _SPANISH - _FRENCH:
        number = None  # a number before is of the line before: Spanish ones stand behind
    certain = number is not None or cued or tail > name_end
    certain = certain or (kind in _FRENCH and postcode_ahead(folded, tail))
    if not certain and (lang == "de" or not _is_street_without_number(cased, place, tail)):
        return None
    if not strong and not cued and _is_prose(folded[end:name_end], kind):
        return None
    if kind in _VESSELS and not cued and not address_ahead(folded, tail):
        return None
    if kind in _FOREIGN.get(lang, ()) and not postcode_ahead(folded, tail):
        return None
    return start if number is None else number, tail


def _name_end(cased: str, folded: str, at: int, *, lower: bool) -> int | None:
    line_break = _LINE_BREAK.match(cased, at)
    if line_break:
        if not lower:
            return None
        at = line_break.end() - 1
    dated = _DAY_NAME.match(folded, at)
    if dated:
        return dated.end()
    begin = at + 1 if folded[at : at + 1] in " \n" else at
    end = read_name(cased, begin, stops=_STOPS)
    if end > begin:
        # A name may run on over a hyphen or an apostrophe at the end of a line.
        broken = _BROKEN_NAME.match(cased, end)
        mill = _MILL.match(folded, end)
        return broken.end() if broken else mill.end() if mill else end
    small = _LOWER_NAME.match(folded, at) if lower else None
    return small.end() if small else None


def _address_end(folded: str, end: int, kind: str, *, numbered: bool) -> int:
    if kind in _SPANISH and not numbered:
        tail = spanish_tail(folded, end)
        if tail > end:
            return tail
    if not numbered and kind not in _SPANISH:
        end = number_behind(folded, end)
    return annex_end(folded, end)


def _is_street_without_number(cased: str, place: Place, name_end: int) -> bool:
    """Return whether a street without number is one: `rue de Rivoli`, not a heading in capitals."""
    kind = cased[place[0] : place[1]]
    if kind.lower() not in _STRONG or kind.isupper():
        return False
    spanish = kind.lower() in _SPANISH
    return any(
        word[:1].isupper()
        and len(word) > 2
        and not is_common(word.lower())
        and not (spanish and word_rank(word.lower()))
        for word in cased[place[1] : name_end].split()
    )


def _is_prose(name: str, kind: str) -> bool:
    for word in name.split():
        if word not in _ARTICLES:
            bare = word.removeprefix("l'").removeprefix("d'")
            lists = (
                ("words_clinical",) if kind in _SPANISH else ("words_clinical", "function_words")
            )
            return bare in lexicons(*lists) and not label_of(bare)
    return True
