"""Words that make a telephone or fax number of what follows them, and words that do not."""

import re
from collections.abc import Iterator

from record.label import Label
from rules.matching.scanner import Pattern

# Words after which a number of six digits and more is a telephone's.
_PHONE = frozenset(
    "tel tels telephone telephones telephonique tph telef telf telfs tlf tlfs tlfn tlfno tfno"
    " telefono telefonos telefonico movil moviles celular cel fono phone ph cellphone mobile"
    " mobiles mob gsm portable telefon telefonnummer fon handy handynummer mobil rufnummer"
    " telefoon telefoonnummer mobiel whatsapp".split()
)
_FAX = frozenset("fax faxer faxed faxnummer telefax telecopie telecopieur facsimile".split())
# Words after which a number of seven digits and more is one.
_CALL = frozenset(
    "joindre joignable joignables rappeler appeler call callback reached llamar llamada"
    " localizable contactar erreichbar anrufen ruckruf bereikbaar bereiken bellen belt"
    " hotline".split()
)
# Words after which such a number must have nine digits, or groups, or stand behind a colon.
_PLACE = frozenset(
    "contact contacto contacter standard zentrale secretariat secretariaat secretaria"
    " consultations consultas ligne office home cell".split()
)
# Words of a ward's own telephones, with numbers of three to six digits.
_BEEPER = frozenset("dect bip busca pager pieper".split())
_TWO_WORDS = ("page me", "numero court")
_INTERNAL = _BEEPER.union(
    _TWO_WORDS,
    "poste postes pagers beeper bleep buscapersonas ext extension extensiones anexo interno"
    " interne int durchwahl dw app apparat piepser funk klappe nebenstelle toestel toestelnr"
    " doorkiesnummer tst seinnummer zoemer joignable joignables tel telephone phone telefono"
    " telefoon telefon tlf tfno".split(),
)
# Words of other numbers, which may be grouped like a telephone's.
_OTHER = (
    "ipp", "nip", "nda", "mrn", "nhc", "nhs", "bsn", "lot", "lote", "charge", "dossier", "ref",
    "episodio", "historia", "expediente", "codigo", "factura", "finess", "siren", "rpps", "adeli",
    "konto", "ndc", "acct", "accession", "order", "case", "patientnr",
    "fall-?nr", "pat.-nr",
)  # fmt: skip
# People beside whom a bare run of nine or ten digits is a telephone number.
_PEOPLE = (
    "hij[oa]", "herman[oa]", "espos[oa]", "marido", "mujer", "madre", "padre", "pareja",
    "daughter", "son", "wife", "husband", "mother", "father", "sister", "brother",
)  # fmt: skip

_EVERY_WORD = _PHONE | _FAX | _CALL | _PLACE | _INTERNAL
_EVERY = "|".join(sorted(_EVERY_WORD))
_TRIGGER = Pattern(
    rf"\b(?:{_EVERY})\b[^0-9\n]{{0,30}}(?:\n[^0-9\n]{{0,12}})?[0-9]|\b(?:dect|bip|tel)[0-9]"
)
_WORD = re.compile(rf"(?:{'|'.join(_TWO_WORDS)}|[a-z]+)")
_NO_WORD = r"[^a-z0-9\n]{0,4}"
# How a word leads to a number: with short words between, with a colon, or with anything.
_NEAR = re.compile(
    rf"(?:\n|{_NO_WORD})"
    r"(?:(?:[a-z°]{1,3}|numero|number|unter|naar|fijo|fixe|perso|prive|privat|garde|thuis|back"
    rf"|telephonique|\([a-z .]{{1,20}}\))(?![a-z]){_NO_WORD}){{0,3}}\n?"
)
_COLON = re.compile(r"[^0-9\n:]{0,25}: {0,2}\n?")
_LOOSE = re.compile(r"[^0-9\n.:;,]{0,25}")
_FAR = 45

_AFTER_OTHER = re.compile(rf"(?<![a-z])(?:{'|'.join(_OTHER)})(?![a-z])[^0-9\n]{{0,12}}\Z")
_AFTER_PERSON = re.compile(rf"(?<![a-z])(?:{'|'.join(_PEOPLE)})(?![a-z])[^0-9\n]{{0,25}}\Z")
_FAX_BEHIND = re.compile(r" ?[\-(/,]? ?fax\b(?![^a-z0-9\n]{0,4}n?[°r]?[^a-z0-9\n]{0,4}[0-9])")

_DATE = r"[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-](?:[0-9]{2}){1,2}(?![0-9])(?![/.\-][0-9])"
# Six to fifteen digits, however they are grouped, up to a date or a time.
_RUN = re.compile(
    r"[+(]{0,2}[0-9o](?:(?! {1,2}(?:[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-][0-9]{2}|[0-9]{1,2} ?[h:]))"
    r"(?:[ .\-/()·]{0,3}|[ \-.]?\n)[0-9ol]){5,14}(?![0-9a-z])"
)
_OPENS = re.compile(r"[(+]{1,3} ?\Z")
_APART = re.compile(r" [/\-] |/(?=[0-9]{7})")
_DATED = re.compile(
    rf"\(?(?:{_DATE}|0[1-9]/[12][09][0-9]{{2}}(?![0-9])"
    r"|[0-9]{1,2} [0-9]{2} [12][09][0-9]{2}(?![0-9])"
    r"|[12][09][0-9]{2}[/.\-][0-9]{1,2}[/.\-][0-9]{1,2}(?![0-9]))"
)
_GROUPED = re.compile(r".*\)|[0-9]{3,4}[ .\-][0-9]{4}\Z|[0-9]{2}(?:[ .\-][0-9]{2}){3}\Z")
# Measures and years in a row.
_SERIES = re.compile(
    r"(?:[1-5][0-9]{2}(?: [0-9]{3}){1,3}|20[0-9]{2}(?: 20[0-9]{2})+)\Z"
    r"|[0-9]{2,3}/[0-9]{2,3} [0-9]{2,3}/"
)

_UNIT = re.compile(r" ?([%°]|[a-z]{1,8})(?!\.[a-z])")
_UNITS = frozenset(
    "mg mcg g kg ml l cm mm m km mmhg ans jours dias days tage dagen semaines mois ui u mmol h min"
    " degres degrees grados euros copies copias cells units bpm % °".split()
)
# A number of a ward's own telephones.
_INNER = re.compile(
    r"(?:[0-9]{3,6}|[0-9]-[0-9]{4}|[0-9] [0-9]{2} [0-9]{2}|[0-9]{2} [0-9]{2}(?: [0-9]{1,2})?"
    r"|[0-9]{2,4}-[0-9]{1,4})"
    r"(?![0-9a-z])(?![.,:\-][0-9])(?! [0-9])(?!/[0-9]{1,2}(?![0-9]))"
)
_INNER_LISTED = re.compile(r" ?(?:/|,|ou|et|or|and|y|o|oder|of|en|und) ?(?=[0-9]{3})")
_EXTENSION = re.compile(
    r",? {0,2}[(\-/]? ?(?:ext(?:ension)?\.?|x|poste|anexo|int(?:erno)?\.|durchwahl|toestel|tst\.)"
    r" ?[:.n°#]{0,2} ?(?:(?<!x)[0-9]|[0-9]{2,6})\)?(?![0-9])"
)
_YEAR = re.compile("[12][09][0-9]{2}")
_ANGLE = 180
_EXTENDS = re.compile(r"\bext(?:ension)?[^0-9]{0,6}\Z")


# Without one of these nothing is a fax.
_FAX_SIGN = re.compile(r"fax|telecop|facsim|f[.:]")
_INITIAL = re.compile(r"(?<!\w)f[.:] ?\Z")
_AND_FAX = re.compile(r"[^a-z0-9\n]{0,3}(?:[a-z]{1,3} )?")


def label(folded: str, start: int, end: int) -> Label:
    """Return FAX or PHONE for a number, by the words before and behind it."""
    window = max(0, start - _FAR)
    if not _FAX_SIGN.search(folded, window, end + 8):
        return Label.PHONE
    if _INITIAL.search(folded, window, start):
        return Label.FAX
    words = [word for word in _phone_words(folded, start, window) if word[0] not in _PLACE]
    if not words:
        return Label.FAX if _FAX_BEHIND.match(folded, end) else Label.PHONE
    word, at = words[-1]
    both = len(words) > 1 and _AND_FAX.fullmatch(folded, words[-2][1], at - len(word))
    return Label.FAX if word in _FAX and not both else Label.PHONE


def _phone_words(folded: str, start: int, window: int) -> list[tuple[str, int]]:
    """Return the words that lead to a number at an offset, with their ends, from left to right."""
    words: list[tuple[str, int]] = []
    for match in _WORD.finditer(folded, window, start):
        word, at = match[0], match.end()
        if word in _EVERY_WORD and _leads_to_number(folded, word, at, start):
            words.append((word, at))
    return words


def _leads_to_number(folded: str, word: str, at: int, start: int) -> bool:
    if _NEAR.fullmatch(folded, at, start):
        return True
    if word in _FAX and _LOOSE.fullmatch(folded, at, start):
        return True
    return word not in _CALL and _COLON.fullmatch(folded, at, start) is not None


def extension(folded: str, end: int) -> int:
    """Return the end of a number with its extension, where one follows."""
    longer = _EXTENSION.match(folded, end)
    return longer.end() if longer else end


def follows_phone_word(folded: str, start: int) -> bool:
    """Return whether a word for a telephone or fax stands right before an offset."""
    return bool(_phone_words(folded, start, max(0, start - _FAR)))


def follows_other_number_word(folded: str, start: int) -> bool:
    """Return whether a word for a number of another kind stands right before an offset."""
    return bool(_AFTER_OTHER.search(folded, max(0, start - _FAR), start))


def follows_relative(folded: str, start: int) -> bool:
    """Return whether a relative is named shortly before an offset."""
    return bool(_AFTER_PERSON.search(folded, max(0, start - _FAR), start))


def is_measure(folded: str, end: int) -> bool:
    """Return whether a unit stands at an offset."""
    unit = _UNIT.match(folded, end)
    return unit is not None and unit[1] in _UNITS


def is_date(folded: str, start: int) -> bool:
    """Return whether a date begins at an offset."""
    return bool(_DATED.match(folded, start))


def numbers_behind_phone_words(folded: str) -> Iterator[tuple[int, int]]:
    """Yield the numbers that a word for a telephone or fax stands before, whatever their shape.

    Whole numbers have six to fifteen digits, internal ones three to six after their own words.
    """
    for trigger in _TRIGGER.finditer(folded):
        digit = trigger.end() - 1
        opens = _OPENS.search(folded, max(0, digit - 4), digit)
        start = opens.start() if opens else digit
        whole = list(_whole_numbers(folded, trigger.start(), start))
        yield from whole or _internal_numbers(folded, trigger.start(), digit)


# `cord pH 6.98/7.11`, not a telephone's `ph`.
_ACIDITY = re.compile(r"[67][.,][0-9]{1,2} ?[/,;] ?[67][.,][0-9]{1,2}(?!\.?[0-9])")


def _whole_numbers(folded: str, word: int, start: int) -> Iterator[tuple[int, int]]:
    run = _RUN.match(folded, start)
    if (
        run is None
        or _ACIDITY.match(folded, start)
        or _DATED.match(folded, start)
        or is_measure(folded, run.end())
    ):
        return
    for begin, end in _split_numbers(folded, start, run.end()):
        if begin != start or _is_whole_number(folded, word, begin, end):
            yield begin, end


def _split_numbers(folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Part a run at a slash or dash between two whole numbers; what is cut short is left out."""
    while split := _APART.search(folded, start, end):
        if _count_digits(folded, start, split.start()) < 6:
            break
        yield start, split.start()
        start = split.end()
    if _count_digits(folded, start, end) >= 6:
        yield start, end


def _count_digits(folded: str, start: int, end: int) -> int:
    return sum("0" <= char <= "9" for char in folded[start:end])


def _is_whole_number(folded: str, word: int, start: int, end: int) -> bool:
    if _SERIES.match(folded, start, end) or follows_other_number_word(folded, start):
        return False
    words = {found for found, _ in _phone_words(folded, start, word)}
    if words & _PHONE or words & _FAX:
        return True
    count = _count_digits(folded, start, end)
    if count < 7:
        return False
    if count >= 9 or folded[start - 2] == ":" or _GROUPED.match(folded, start, end):
        return bool(words & _PLACE or words & _CALL or words & _BEEPER)
    return bool(words & _CALL)


def _internal_numbers(folded: str, word: int, start: int) -> Iterator[tuple[int, int]]:
    number = _INNER.match(folded, start)
    if number is None or not _is_internal(folded, word, start):
        return
    if _is_angle(folded, number) or (_YEAR.fullmatch(number[0]) and folded[start - 2].isalpha()):
        return
    while number and not is_measure(folded, number.end()):
        yield number.span()
        link = _INNER_LISTED.match(folded, number.end())
        number = _INNER.match(folded, link.end()) if link else None


def _is_internal(folded: str, word: int, start: int) -> bool:
    for found, at in _phone_words(folded, start, word):
        if found in _INTERNAL and (found in _BEEPER or _NEAR.fullmatch(folded, at, start)):
            return True
    return False


def _is_angle(folded: str, number: re.Match[str]) -> bool:
    """Return whether a number may be how far a joint goes."""
    extends = _EXTENDS.search(folded, max(0, number.start() - 14), number.start())
    return extends is not None and number[0].isdigit() and int(number[0]) <= _ANGLE
