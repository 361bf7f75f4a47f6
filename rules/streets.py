"""Detection of streets with their numbers, in the French, Spanish and English order of words."""

import regex

from rules.lexicon import lexicon, lexicons
from rules.name_parts import clinical, common
from rules.proper import Triggers, read_name

# Kinds of ways that are hardly anything else, and those that are everyday words as well.
_STRONG = (
    "rue avenue boulevard allee allees impasse chemin quai faubourg esplanade calle avenida"
    " avda avda."
    " avd. c/ cl/ carretera ctra. glorieta ronda travesia rambla passeig carrer strasse straße"
).split()
_WEAK = (
    "place cours passage route voie square villa cite hameau residence lotissement montee sentier"
    " promenade traverse ruelle rond-point parc lieu-dit plaza paseo camino via urbanizacion"
    " pasaje barrio"
    " bulevar av av. ave. bd bd. bld bvd blvd boul. r. pl. ch. imp. all. rte rte. sq. fbg fg"
    " p.º pza. pza"
    " ctra c. urb. pº avd carr. cr. bvd. bld. res. cl."
    " acceso alameda callejon canada cuesta pasadizo vial costanilla poligono partida"
).split()
_ENGLISH = (
    "street avenue road boulevard drive lane court place terrace parkway highway circle trail"
    " way square"
    " st st. ave ave. rd rd. blvd blvd. dr dr. ln ln. ct ct. pl pkwy hwy cir crescent close row"
).split()
_FULL_ENGLISH = frozenset("street avenue road boulevard drive lane parkway highway terrace".split())
_FRENCH = Triggers([*_STRONG, *_WEAK])
_RARE_ENGLISH = sorted(lexicon("street_suffixes_en") - frozenset(_ENGLISH))
_AFTER_NAME = Triggers([*_ENGLISH, *_RARE_ENGLISH])
_RARE = frozenset(_RARE_ENGLISH)
_OPENS = regex.compile(r"(?r)(?:^|[\n:;,|(]|(?<![a-z])(?:at|of|is|to|-))[ \t]{0,4}$")
_CLOSES = regex.compile(r"[ ]?(?:[,\-\n;|)]|apt|suite|unit|$)")
_STRONG_SET = frozenset(_STRONG)
_SPANISH = frozenset(
    "calle avenida avda avda. avd. avd c/ cl/ carretera ctra. ctra glorieta ronda travesia"
    " rambla passeig carrer"
    " plaza paseo camino via urbanizacion pasaje barrio bulevar pza. pza p.º urb. pº carr. cl."
    " av. av cr. c."
    " acceso alameda callejon canada cuesta pasadizo vial costanilla poligono partida".split()
)
_STOPS = frozenset(
    "tel tél tel. tél. téléphone telephone teléfono tfno tfno. fax email e-mail mail service dr"
    " dr. m. mme adresse appt apt"
    " bat bât cedex france españa nhc localidad cp c.p. rendez-vous rdv né née ipp nda hospital"
    " hôpital servicio"
    " correo s/n nº n° numéro phone tlf tlf. email: à a esquina".split()
)
_NUMBER = regex.compile(
    r"(?r)(?<![\p{L}\d.,/:])(?:n[°o] ?)?[0-9]{1,4}(?:[ ]?(?:[-/]"
    r"|et)[ ]?[0-9]{1,4})?(?:[ ]?(?:bis|ter|quater|[a-f]))?[ ]?,?[ \n]{1,2}$"
)
_DATE_NAME = regex.compile(
    r"[ ]?(?:du |de |des |de la )?[0-9]{1,2}(?:er"
    r"|\.)? (?:de )?(?:\p{L}{3,10})(?: (?:de )?[0-9]{4})?"
)
_MONTH = regex.compile(
    r"janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|enero"
    r"|febrero"
    r"|marzo|abril|mayo|junio|julio|agosto|octubre|noviembre|diciembre|juni|mai|regiment|division"
)
_ANNEX = regex.compile(
    r"(?:,? ?(?:appt?|apt|appartement|bat|batiment|esc|escalier|etage|porte|hall|apartment|suite"
    r"|unit|floor|fl|#|piso|pta|esc)"
    r"\.? ?n?[°o]?[a-z0-9]{1,4}(?![a-z0-9])|, ?[0-9]{1,2}(?:er|e|eme) etage){1,3}"
)
_TAIL = regex.compile(
    r"(?:,? ?(?:n[º°o]\.?|num\.?|numero)? ?(?:[0-9]{1,4}(?: ?[-/y] ?[0-9]{1,4}(?![0-9oa]))*"
    r"(?: ?(?:bis|[a-h](?![a-z])))?|s/n|km\.? ?[0-9.,]{1,7}))"
    r"(?:[ ]?[,.\-–]?[ ]?(?:[a-z]?[0-9]{1,2} ?(?:[ºª°]|[oa](?![a-z]))?(?: ?-? ?(?:[a-h]|izda"
    r"|dcha|izq|der|dcho|izqda)\.?(?![a-z]))?(?![0-9a-z])"
    r"|bajo(?: [a-h])?(?![a-z])|atico(?: [a-h])?|[a-h](?![a-z])|esc\.? ?[0-9a-z]{1,2}"
    r"|portal [0-9a-z]{1,2}|local [0-9]{1,2}"
    r"|(?:planta|piso|puerta|apto?\.?|apartamento) ?[0-9a-z]{1,3}|izda|dcha|edificio)){0,4}"
)
_LETTER_AND_DOT = regex.compile(r"(?r)(?<![a-z])[a-z]\.$")
_LOWER_NAME = regex.compile(
    r"[ ](?:de la |de l'|du |des |de |d'|la |le |los |las "
    r"|del )?[\p{Ll}'’\-]{3,20}(?: [\p{Ll}'’\-]{2,20}){0,3}?"
    r"(?=[ ]?[,.;\n)]|[ ][0-9]|[ ](?:à|a|et|in)[ ]\p{Lu}|$)"
)
# What stands behind `Adresse :` up to the end of the line or the postal code, if it has a number.
_DECLARED = regex.compile(
    r"(?<![a-z])(?:domicilio|direccion|adresse(?: postale| personnelle| du patient"
    r"| de la patiente)?|address|street)[ ]?:[ ]{0,3}"
    r"(?=[^\n@:;]{0,60}[0-9])([a-z][^\n@:;]{2,80}?)(?=[ ]?[,.]?[ ]?(?:[\n;@]|$|c\.?p\.?"
    r"|(?:[a-z]-)?[0-9]{5}(?![0-9])|tel|email|e-mail|http))"
)
_ADDRESS_CUE = regex.compile(
    r"(?r)(?<![a-z])(?:adresse|address|domicile|domicilio|direccion|habite|demeurant|residant"
    r"|reside|lives|demeure|domiciliee?|vit|sis|siege)(?![a-z])"
    r"[a-z ,]{0,24}[: ]{1,3}(?:au |a |en |at |la |le |l'|dans la )?$"
)
_BEFORE_ENGLISH = regex.compile(
    r"(?r)(?<![\p{L}\d.,/])(?P<number>[0-9]{1,6}(?:-[0-9]{1,4})?[ ]|(?<=(?:[Oo]n|[Aa]t|[Oo]f"
    r"|[Nn]ear) ))"
    r"(?:(?:[NSEW]\.?|North|South|East|West|[0-9]{1,3}(?:st|nd|rd|th)"
    r"|\p{Lu}[\p{L}'’]+\.?)[ ]){1,4}$"
)


def streets(text: str, folded: str) -> list[tuple[int, int]]:
    """Find streets; offsets are code points of the text, half open.

    House numbers, flats and floors belong to the street; postal codes and towns do not.
    """
    found = [
        span
        for start, end, kind in _FRENCH.find(folded)
        if (span := _street(text, folded, (start, end), kind))
    ]
    found += [_declared(text, match.span(1)) for match in _DECLARED.finditer(folded)]
    found += [
        span
        for start, end, kind in _AFTER_NAME.find(folded)
        if (span := _english(text, folded, (start, end), kind))
    ]
    return found


def _declared(text: str, place: tuple[int, int]) -> tuple[int, int]:
    start, end = place
    return start, start + len(text[start:end].rstrip(" .,-"))


def _street(text: str, folded: str, place: tuple[int, int], kind: str) -> tuple[int, int] | None:
    start, end = place
    if start and folded[start - 1] in "°º":
        return None  # degrees: `38 °C. EVA 5`
    number = _NUMBER.search(folded, max(0, start - 18), start)
    cued = _ADDRESS_CUE.search(folded, max(0, start - 40), start) is not None
    numbered = number is not None
    name_end = _name_end(text, folded, end, lower=cued or (numbered and kind in _STRONG_SET))
    if name_end is None:
        return None
    tail = _tail(folded, name_end, kind)
    certain = numbered or cued or tail > name_end
    if not certain and not _stands_alone(text, place, name_end, kind):
        return None
    first = folded[end:name_end].split()
    if kind not in _STRONG_SET and not cued and _is_prose(first):
        return None
    return number.start() + _blank(folded, number.start()) if number else start, tail


def _blank(folded: str, at: int) -> int:
    return 1 if folded[at].isspace() else 0


def _name_end(text: str, folded: str, at: int, *, lower: bool) -> int | None:
    dated = _DATE_NAME.match(folded, at)
    if dated and _MONTH.search(dated.group()):
        return int(dated.end())
    blank = text[at : at + 1] == " "
    if not blank and folded[at - 1] not in "./":
        return None
    begin = at + 1 if blank else at
    if not blank and folded[at - 2 : at] in ("c.", "r.", " ."):
        return None
    end = read_name(text, begin, stops=_STOPS)
    if end > begin:
        # A name may run on over a hyphen or an apostrophe at the end of a line.
        joined = regex.match(r"\n[dl]['’]\p{Lu}\p{L}+", text, pos=end)
        return int(joined.end()) if joined else end
    if not lower:
        return None
    small = _LOWER_NAME.match(text, at)
    return int(small.end()) if small else None


def _tail(folded: str, end: int, kind: str) -> int:
    if kind in _SPANISH:
        tail = _TAIL.match(folded, end)
        # Five digits are a postal code.
        if tail and not folded[tail.end() : tail.end() + 1].isdigit():
            end = int(tail.end())
            return end - 1 if _LETTER_AND_DOT.search(folded, max(0, end - 3), end) else end
    annex = _ANNEX.match(folded, end)
    return int(annex.end()) if annex else end


def _stands_alone(text: str, place: tuple[int, int], name_end: int, kind: str) -> bool:
    """Tell whether a street without number is one: `rue de Rivoli`, not a heading in capitals."""
    if kind not in _STRONG_SET:
        return False
    words = text[place[1] : name_end].split()
    if not words or text[place[0] : place[1]].isupper():
        return False
    return any(word[:1].isupper() and len(word) > 2 for word in words)


def _is_prose(words: list[str]) -> bool:
    small = {"de", "du", "des", "la", "le", "les", "l'", "d'", "del", "los", "las", "el"}
    telling = [word for word in words if word not in small]
    return not telling or telling[0] in lexicons("words_clinical", "function_words")


def _english(text: str, folded: str, place: tuple[int, int], kind: str) -> tuple[int, int] | None:
    start, end = place
    before = _BEFORE_ENGLISH.search(text, max(0, start - 60), start)
    if before is None or not text[start].isupper():
        return None
    words = folded[before.start() : start].split()
    if not before["number"] and (kind not in _FULL_ENGLISH or any(common(word) for word in words)):
        return None
    if kind in ("dr", "dr.", "st", "st.") and text[end : end + 2].strip()[:1].isupper():
        return None  # a doctor or a saint follows
    if any(clinical(word) for word in words if word.isalpha()):
        return None
    if kind in _RARE and not (
        before["number"]
        and _OPENS.search(folded, max(0, before.start() - 6), before.start())
        and _CLOSES.match(folded, end)
    ):
        return None
    annex = _ANNEX.match(folded, end)
    return before.start(), annex.end() if annex else end
