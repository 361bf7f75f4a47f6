"""Surrogates of identifier numbers: same format, different value, valid check digits."""

import re
import sys
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache

from locales import check_digits
from record.errors import Unsafe
from record.label import Label
from surrogates.numbers.number_draws import Drawing, day
from surrogates.patient import gazetteer, lexicon, value_format
from surrogates.patient.lexicon import listed
from surrogates.patient.patient import DRAWS, Mention, Subject
from surrogates.patient.text_normalization import WORD, compact, fold
from surrogates.places.places import draw_town

_NIR = re.compile(r"[1-478]\d{4}(?:\d\d|2[ab])\d{6}(?:\d\d)?")
_CORSICA = ("2a", "2b")
_CORSICAN_CODE = "20000"
_ABROAD = "99"
_ORDERS = 999
# For births abroad the commune is a country: continent, then number within it.
_CONTINENTS, _COUNTRIES = 4, 50
_FEMALE = {"1": "2", "3": "4", "7": "8"}
_MALE = {female: male for male, female in _FEMALE.items()}
_FISCAL = re.compile(r"[a-z]{6}\d\d[abcdehlmprst]\d\d[a-z]\d{3}[a-z]")
_FISCAL_MONTHS = "abcdehlmprst"
_FISCAL_FEMALE = 40
_FISCAL_TOWNS = "abcdefghilm"
_CURP = re.compile(r"[a-z]{4}\d{6}[hm][a-z]{5}[0-9a-z]\d")
_STATES = (
    *("as", "bc", "bs", "cc", "ch", "cl", "cm", "cs", "df", "dg", "gr", "gt", "hg", "jc", "mc"),
    *("mn", "ms", "nt", "nl", "oc", "pl", "qr", "qt", "sl", "sp", "sr", "tc", "tl", "ts", "vz"),
    *("yn", "zs", "ne"),
)
_PENSION = re.compile(r"\d{8}[a-z]\d{3}")
_AREAS = 89
_HALF = 50
_FIRST = 2
_MILLENNIUM = 2000


def is_valid_nir(value: str) -> bool:
    """Return whether a number has the form of a NIR and the two check digits of it."""
    has_form = len(value) == 15 and _NIR.fullmatch(value) is not None
    return has_form and check_digits.nir_key(value[:13]) == value[13:]


def nir(value: str, drawing: Drawing) -> str | None:
    """France: sex, year and month of birth, department, commune, order, and two check digits.

    The month is that of the surrogate birth date; births abroad and in Corsica stay so. Months
    above 12, for unknown months, are kept with their year.
    """
    if not _NIR.fullmatch(value):
        return None
    if drawing.dry_run:
        return value
    written = day(1900 + int(value[1:3]), int(value[3:5]), 15)
    if written is None and drawing.subject.birth_date is None:
        born = value[1:5]
    else:
        moved = drawing.born(written or date.min)
        born = f"{moved:%y%m}"
    sex = value[0]
    sex_digits = _FEMALE if drawing.sex("") == "F" else _MALE if drawing.sex("") == "M" else {}
    department, commune = _nir_place(value, drawing)
    body = f"{sex_digits.get(sex, sex)}{born}{department}{commune}"
    return body + check_digits.nir_key(body) if len(value) == 15 else body


def _nir_place(value: str, drawing: Drawing) -> tuple[str, str]:
    """Return department, and commune with order number, of the birth town's surrogate."""
    commune, order = int(value[7:10]) - 1, int(value[10:13]) - 1
    # The other parts are fixed by the person: they select the permutation of the order number.
    tweak = value[:10]
    if value[5:7] == _ABROAD:
        sizes = (_CONTINENTS, _COUNTRIES, _ORDERS)
        places = (commune // 100, commune % 100, order)
        continent, country, order = drawing.places(places, sizes, "nir/abroad", value[:5])
        return _ABROAD, f"{continent + 1}{country + 1:02d}{order + 1:03d}"
    (order,) = drawing.places((order,), (_ORDERS,), "nir", tweak)
    number = _replace_commune(value[5:10], drawing)
    return number[:2], f"{number[2:]}{order + 1:03d}"


def _replace_commune(number: str, drawing: Drawing) -> str:
    """Return the number of a commune's surrogate, consistent with towns in the text.

    Corsica stays Corsica, since the letter must keep its place.
    """
    name = gazetteer.commune_name(number.upper()) or f"commune {number}"
    is_corsican = number[:2] in _CORSICA
    towns = None
    if is_corsican:
        towns = gazetteer.towns_around(_CORSICAN_CODE, "fr", gazetteer.DEPARTMENT)
    elif drawing.subject.locale != "fr":
        towns = lexicon.load("cities", "fr")
    for further in range(DRAWS):
        wanted = name if not further else f"{name} {further}"
        found = gazetteer.commune_number(*draw_town(wanted, drawing.subject, towns=towns)).lower()
        if (found[:2] in _CORSICA) is is_corsican:
            return found
    raise Unsafe("no-surrogate")


def belgian(value: str, drawing: Drawing) -> str | None:
    """Belgium: date of birth, serial number (odd for men), and two check digits.

    Month offsets of 20 or 40 (sex or registration unknown at issue) are kept.
    """
    if len(value) != 11 or not value.isdigit():
        return None
    later = [
        is_later
        for is_later in (False, True)
        if check_digits.belgian_digits(value[:9], is_later=is_later) == value[9:]
    ]
    if not later:
        return None
    extra = int(value[2:4]) // 20 * 20
    century = 2000 if later[0] else 1900
    written = day(century + int(value[:2]), int(value[2:4]) - extra, int(value[4:6]))
    if written is None:
        return None
    moved = drawing.born(written)
    serial = int(value[6:9])
    odd = {"M": 1, "F": 0}[drawing.sex("M" if serial % 2 else "F")]
    (place,) = drawing.places(((serial + 1) // 2 - 1,), (499,), "belgian", value[:6] + str(odd))
    body = f"{moved:%y}{moved.month + extra:02d}{moved:%d}{2 * place + 2 - odd:03d}"
    return body + check_digits.belgian_digits(body, is_later=moved.year >= _MILLENNIUM)


def italian(value: str, drawing: Drawing) -> str | None:
    """Italy, codice fiscale: letters of the names, date of birth, sex, town, and a check letter."""
    if not _FISCAL.fullmatch(value) or check_digits.italian_letter(value[:15]).lower() != value[15]:
        return None
    number = int(value[9:11])
    is_female = number > _FISCAL_FEMALE
    month = 1 + _FISCAL_MONTHS.index(value[8])
    written = day(1900 + int(value[6:8]), month, number - _FISCAL_FEMALE * is_female)
    if written is None:
        return None
    moved = drawing.born(written)
    number = moved.day + _FISCAL_FEMALE * (drawing.sex("F" if is_female else "M") == "F")
    # Z is a country abroad.
    towns = "z" if value[11] == "z" else _FISCAL_TOWNS
    town = drawing.signs(value[11:15], [towns, *["0123456789"] * 3], "italian", value[:11])
    letters = drawing.shaped(value[:6], speakable=True)
    body = f"{letters}{moved:%y}{_FISCAL_MONTHS[moved.month - 1]}{number:02d}{town}"
    return body + check_digits.italian_letter(body).lower()


def scottish(value: str, drawing: Drawing) -> str | None:
    """Scotland, CHI number: date of birth, serial number (ninth digit odd for men), check digit.

    Recognized only where it begins with the patient's birth date.
    """
    born = drawing.subject.birth_date
    if born is None or len(value) != 10 or not value.isdigit() or value[:6] != f"{born:%d%m%y}":
        return None
    if check_digits.nhs_digit(value[:9]) != value[9]:
        return None
    day_written = f"{drawing.born(born):%d%m%y}"
    odd = {"M": 1, "F": 0}[drawing.sex("M" if int(value[8]) % 2 else "F")]
    places = [int(value[6:8]), int(value[8]) // 2]
    # One serial number in eleven has no check digit: permute again.
    while True:
        places = drawing.places(places, (100, 5), "scottish")
        body = f"{day_written}{places[0]:02d}{2 * places[1] + odd}"
        last = check_digits.nhs_digit(body)
        if last is not None:
            return body + last


def mexican(value: str, drawing: Drawing) -> str | None:
    """Mexico, CURP: letters of the names, birth, sex, state, letters, and a check digit."""
    if not _CURP.fullmatch(value) or check_digits.curp_digit(value[:17]) != value[17]:
        return None
    # The character before the check digit gives the century.
    century = 1900 if value[16].isdigit() else 2000
    written = day(century + int(value[4:6]), int(value[6:8]), int(value[8:10]))
    if written is None:
        return None
    moved = drawing.born(written)
    sex = {"M": "h", "F": "m"}[drawing.sex("M" if value[10] == "h" else "F")]
    place = _STATES.index(value[11:13]) if value[11:13] in _STATES else 0
    (state,) = drawing.places((place,), (len(_STATES),), "mexican")
    letters = drawing.shaped(value[:4] + value[13:16], speakable=True)
    signs = "0123456789" if moved.year < _MILLENNIUM else "abcdefghijklmnopqrstuvwxyz"
    kind = drawing.signs(value[16], [signs], "mexican/kind")
    body = f"{letters[:4]}{moved:%y%m%d}{sex}{_STATES[state]}{letters[4:]}{kind}"
    return body + check_digits.curp_digit(body)


def german_pension(value: str, drawing: Drawing) -> str | None:
    """Germany, pension insurance: area, date of birth, initial, serial number (women from 50)."""
    if not _PENSION.fullmatch(value) or check_digits.german_digit(value[:11]) != value[11]:
        return None
    written = day(1900 + int(value[6:8]), int(value[4:6]), int(value[2:4]))
    if written is None:
        return None
    moved = drawing.born(written)
    serial = int(value[9:11])
    female = drawing.sex("F" if serial >= _HALF else "M") == "F"
    if drawing.key.algorithm != _FIRST:
        # The first version drew numbers of women from too many, and found none for some.
        serial %= _HALF
    places = (int(value[:2]) - 1, ord(value[8]) - ord("a"), serial)
    area, initial, serial = drawing.places(places, (_AREAS, 26, _HALF), "german", value[2:8])
    letter = chr(ord("a") + initial)
    body = f"{area + 1:02d}{moved:%d%m%y}{letter}{serial + _HALF * female:02d}"
    return body + check_digits.german_digit(body)


_IBAN = re.compile(r"[a-z]{2}\d{2}[a-z0-9]{10,30}")
_FRENCH = re.compile(r"\d{10}[a-z0-9]{11}\d{2}")
_SPANISH = re.compile(r"\d{20}")
_BELGIAN = re.compile(r"\d{12}")
_ITALIAN = re.compile(r"[a-z]\d{10}[a-z0-9]{12}")
_DIGITS, _LETTERS = "0123456789", "abcdefghijklmnopqrstuvwxyz"


def iban(value: str, drawing: Drawing) -> str | None:
    """IBAN: the country is kept; national check digits are valid too, where they are known."""
    if not _IBAN.fullmatch(value) or check_digits.iban_digits(value[:2], value[4:]) != value[2:4]:
        return None
    country, account = value[:2], value[4:]
    own = _NATIONAL.get(country)
    drawn = (own(account, drawing) if own else None) or _signs(account, drawing, country)
    return country + check_digits.iban_digits(country, drawn) + drawn


def french(value: str, drawing: Drawing) -> str | None:
    """France, RIB: bank, branch, account, and two check digits."""
    if not _FRENCH.fullmatch(value) or check_digits.rib_key(value[:21]) != value[21:]:
        return None
    drawn = _signs(value[:21], drawing, "fr")
    return drawn + check_digits.rib_key(drawn)


def spanish(value: str, drawing: Drawing) -> str | None:
    """Spain, CCC: bank and branch, two check digits, account."""
    if not _SPANISH.fullmatch(value):
        return None
    if check_digits.ccc_digits(value[:8], value[10:]) != value[8:10]:
        return None
    drawn = _signs(value[:8] + value[10:], drawing, "es")
    return drawn[:8] + check_digits.ccc_digits(drawn[:8], drawn[8:]) + drawn[8:]


def _belgian(value: str, drawing: Drawing) -> str | None:
    if (
        not _BELGIAN.fullmatch(value)
        or check_digits.belgian_account_digits(value[:10]) != value[10:]
    ):
        return None
    drawn = _signs(value[:10], drawing, "be")
    return drawn + check_digits.belgian_account_digits(drawn)


def _italian(value: str, drawing: Drawing) -> str | None:
    if not _ITALIAN.fullmatch(value) or check_digits.italian_letter(value[1:]).lower() != value[0]:
        return None
    drawn = _signs(value[1:], drawing, "it")
    return check_digits.italian_letter(drawn).lower() + drawn


def _signs(text: str, drawing: Drawing, country: str) -> str:
    """Return a digit for each digit and a letter for each letter."""
    kinds = "".join("d" if char.isdigit() else "l" for char in text)
    alphabets = [_DIGITS if kind == "d" else _LETTERS for kind in kinds]
    return drawing.signs(text, alphabets, f"account/{kinds}", country)


_NATIONAL = {
    "fr": french,
    "mc": french,
    "es": spanish,
    "be": _belgian,
    "it": _italian,
    "sm": _italian,
}


_SSN = re.compile(r"\d{9}")
_DNI = re.compile(r"(?P<kind>[xyz]?)(?P<digits>\d{7,8})(?P<letter>[a-z])")
_KVNR = re.compile(r"[a-z]\d{9}")
_NINO = re.compile(r"[a-z]{2}\d{6}[a-d]")
_RUT = re.compile(r"\d{1,2}\.?\d{3}\.?\d{3}-[0-9k]")
_CANADIAN = re.compile(r"\d{3}[ \-]\d{3}[ \-]\d{3}")
# The allowed first and second letters of a British number, and unissued pairs.
_NINO_FIRST, _NINO_SECOND = "abceghjklmnoprstwxyz", "abceghjklmnprstwxyz"
_NOT_ISSUED = frozenset(("bg", "gb", "kn", "nk", "nt", "tn", "zz"))
_SWISS = "756"
_LUHN_FROM = 8
_REMEMBERED = 128
_Maker = Callable[[str, Drawing], str | None]
# A prefix such as `NIR: ` or `DNI ` within the span is kept.
_HEAD = re.compile(r"^(?P<head>(?:[^\W\d_]+[\s.:°º#-]+)*)(?P<body>.*)$", re.DOTALL)


def replace(mention: Mention, subject: Subject) -> str:
    """Return another number of the same kind.

    Numbers that encode birth and sex agree with the shifted birth date and the patient's sex; a US
    SSN gets an area that is never issued; valid check digits stay valid; other numbers keep their
    format. Except for US numbers, two numbers of a kind and format never share a surrogate; numbers
    of patients, visits and clinicians have one permutation for the whole cohort.
    """
    # Split a prefix that names the number (`NIR : `, `MRN `) from the number
    match = _HEAD.fullmatch(mention.text)
    if match is None or not compact(match["body"]):
        head, text = ("", mention.text)
    else:
        known = all(fold(word) in _HEADS for word in WORD.findall(match["head"]))
        head, text = (match["head"], match["body"]) if known else ("", mention.text)
    value = compact(text)
    if not value:
        raise Unsafe("no-surrogate")
    maker = _recognize_kind(value, text, mention, subject)
    for counter in range(DRAWS):
        drawing = Drawing(mention, subject, counter)
        drawn = maker(value, drawing)
        # A result of another kind could collide with a surrogate of that kind.
        while drawn is not None and maker not in _TIED:
            if (
                _recognize_kind(drawn, value_format.apply_format(drawn, text), mention, subject)
                is maker
            ):
                break
            drawn = maker(drawn, drawing)
        if drawn is not None and drawn != value and drawn not in subject.avoided_codes:
            return head + value_format.apply_format(drawn, text)
    raise Unsafe("no-surrogate")


def _recognize_kind(value: str, text: str, mention: Mention, subject: Subject) -> _Maker:
    """Recognize the kind of a number; return the maker of its surrogates."""
    dry_run = Drawing(mention, subject, dry_run=True)
    return next(
        maker
        for maker in _candidate_makers(value, text, mention, subject)
        if maker(value, dry_run) is not None
    )


_HEADS = frozenset(
    listed(
        "n no num numero number nir ss secu insee ins ssn mrn ipp nda nip iep nhc npi rpps adeli"
        " finess dni nie nif naf nuss cip iban ref reference id dossier visit visite patient"
        " account card carte tarjeta col colegiado episodio historia sejour venue de la"
        " nn rijksregisternummer chi nhs curp rut nino bsn ahv avs kvnr rvnr codice fiscale"
    )
)
# Labels that may contain a national number.
_OF_PERSONS = frozenset((Label.SSN, Label.INSURANCE_ID, Label.ID, Label.PATIENT_ID))


def _candidate_makers(
    value: str, text: str, mention: Mention, subject: Subject
) -> Iterator[_Maker]:
    """Yield the makers that may apply, the most specific first.

    Format and check digits decide among them.
    """
    if not value.isascii():
        yield _shaped
        return
    lang = mention.lang or subject.locale
    if mention.label in _OF_PERSONS and subject.key.algorithm != _FIRST:
        yield from _OF_LANGUAGE.get((lang, len(value)), ())
    if mention.label in _OF_PERSONS:
        yield _swiss
        if mention.label == Label.SSN or is_valid_nir(value):
            yield nir
        yield from _of_size(_PERSONAL, len(value))
        if lang == "en" and mention.label != Label.SSN:
            yield _nhs
    if mention.label == Label.SSN:
        # The makers of national numbers of nine digits, by language and format
        if (
            _RUT.fullmatch(text.strip().lower())
            and check_digits.rut_digit(value[:-1]).lower() == value[-1]
        ):
            yield _chilean
        if _SSN.fullmatch(value):
            if lang == "nl" and check_digits.bsn_digit(value[:8]) == value[8]:
                yield _dutch
            if _CANADIAN.fullmatch(text.strip()) and check_digits.is_luhn(value):
                yield _luhn
            yield _american
    yield from _of_size(_ANYWHERE, len(value))
    yield _shaped


def _shaped(value: str, drawing: Drawing) -> str:
    return drawing.shaped(value)


def _american(value: str, drawing: Drawing) -> str:
    """Draw from the areas 900 to 999 and groups 01 to 49: neither an SSN nor an ITIN.

    They are fewer than issued numbers, so that collisions are possible.
    """
    if drawing.dry_run:
        return value
    draw = drawing.subject.key.draw(Label.SSN, value, 12, counter=drawing.counter)
    area, group, serial = (int.from_bytes(draw[i : i + 4], "big") for i in (0, 4, 8))
    return f"9{area % 100:02d}{1 + group % 49:02d}{1 + serial % 9999:04d}"


def _dutch(value: str, drawing: Drawing) -> str:
    body = drawing.until(value[:8], lambda digits: check_digits.bsn_digit(digits) is not None)
    return f"{body}{check_digits.bsn_digit(body)}"


def _dutch_person(value: str, drawing: Drawing) -> str | None:
    """Netherlands, BSN, eleven-test; not a number of zeros."""
    if not _is_number(value, 9) or check_digits.bsn_digit(value[:8]) != value[8]:
        return None
    return _dutch(value, drawing)


def _german_tax(value: str, drawing: Drawing) -> str | None:
    """Germany, tax number of a person: ten digits of which one recurs, and a check digit."""
    if not _is_number(value, 11) or check_digits.german_tax_digit(value[:10]) != value[10]:
        return None
    body = drawing.until(
        value[:10], lambda digits: check_digits.german_tax_digit(digits) is not None
    )
    return f"{body}{check_digits.german_tax_digit(body)}"


def _chilean(value: str, drawing: Drawing) -> str:
    body = drawing.shaped(value[:-1])
    return body + check_digits.rut_digit(body).lower()


def _spanish(value: str, drawing: Drawing) -> str | None:
    """Spain, DNI or NIE."""
    match = _DNI.fullmatch(value)
    if match is None or len(match["digits"]) + len(match["kind"]) != 8:
        return None
    kind, drawn = match["kind"], drawing.digits(match["digits"])
    number = str("xyz".index(kind)) + drawn if kind else drawn
    return kind + drawn + check_digits.dni_letter(number).lower()


def _affiliation(value: str, drawing: Drawing) -> str | None:
    """Spain, social security: province, number, and two check digits."""
    if not _is_number(value, 12) or check_digits.affiliation_digits(value[:10]) != value[10:]:
        return None
    province = int(value[:2])
    if not 1 <= province <= 52:
        return None
    places = (province - 1, int(value[2:10]))
    province, number = drawing.places(places, (52, 10**8), "affiliation")
    body = f"{province + 1:02d}{number:08d}"
    return body + check_digits.affiliation_digits(body)


def _swiss(value: str, drawing: Drawing) -> str | None:
    """Switzerland, AHV."""
    if not _is_number(value, 13) or not value.startswith(_SWISS):
        return None
    if check_digits.ean_digit(value[:12]) != value[12]:
        return None
    body = _SWISS + drawing.digits(value[3:12])
    return body + check_digits.ean_digit(body)


def _german_health(value: str, drawing: Drawing) -> str | None:
    """Germany, health insurance: a letter, eight digits, and a check digit."""
    if not _KVNR.fullmatch(value) or check_digits.german_digit(value[:9]) != value[9]:
        return None
    body = drawing.shaped(value[:9])
    return body + check_digits.german_digit(body)


def _british(value: str, drawing: Drawing) -> str | None:
    """United Kingdom, National Insurance: a prefix that is issued, digits, A to D."""
    if not _NINO.fullmatch(value) or value[:2] in _NOT_ISSUED:
        return None
    if value[0] not in _NINO_FIRST or value[1] not in _NINO_SECOND:
        return None
    alphabets = [_NINO_FIRST, _NINO_SECOND, *["0123456789"] * 6, "abcd"]
    drawn = drawing.signs(value, alphabets, "british")
    while drawn[:2] in _NOT_ISSUED:
        drawn = drawing.signs(drawn, alphabets, "british")
    return drawn


def _nhs(value: str, drawing: Drawing) -> str | None:
    """United Kingdom, NHS number."""
    if not _is_number(value, 10) or check_digits.nhs_digit(value[:9]) != value[9]:
        return None
    body = drawing.until(value[:9], lambda digits: check_digits.nhs_digit(digits) is not None)
    return f"{body}{check_digits.nhs_digit(body)}"


def _npi(value: str, drawing: Drawing) -> str | None:
    """United States, NPI: the first digit is kept."""
    if not _is_number(value, 10) or check_digits.npi_digit(value[:9]) != value[9]:
        return None
    body = value[0] + drawing.digits(value[1:9], value[0])
    return body + check_digits.npi_digit(body)


def _luhn(value: str, drawing: Drawing) -> str | None:
    """Cards, RPPS and others: the first digit, which gives their kind, is kept."""
    if not value.isdigit() or not check_digits.is_luhn(value):
        return None
    body = value[0] + drawing.digits(value[1:-1], value[0])
    return body + check_digits.luhn_digit(body)


def _is_number(value: str, length: int) -> bool:
    return len(value) == length and value.isdigit()


_Sizes = tuple[int, int]
_PERSONAL: tuple[tuple[_Maker, _Sizes], ...] = (
    (belgian, (11, 11)),
    (italian, (16, 16)),
    (scottish, (10, 10)),
    (mexican, (18, 18)),
    (german_pension, (12, 12)),
    (_german_health, (10, 10)),
    (_british, (9, 9)),
)
_ANYWHERE: tuple[tuple[_Maker, _Sizes], ...] = (
    (_spanish, (9, 9)),
    (iban, (14, 34)),
    (french, (23, 23)),
    (spanish, (20, 20)),
    (_affiliation, (12, 12)),
    (_npi, (10, 10)),
    (_luhn, (_LUHN_FROM, sys.maxsize)),
)
"""Makers with the fewest and most characters of their numbers, in the order they are tried."""


_OF_LANGUAGE: dict[tuple[str, int], tuple[_Maker, ...]] = {
    ("de", 11): (_german_tax,),
    ("nl", 9): (_dutch_person,),
}
"""Makers of the numbers of a language's notes, by language and number of characters."""


@lru_cache(_REMEMBERED)
def _of_size(makers: tuple[tuple[_Maker, _Sizes], ...], size: int) -> tuple[_Maker, ...]:
    return tuple(maker for maker, (least, most) in makers if least <= size <= most)


_TIED = frozenset(
    (
        *(
            nir,
            belgian,
            italian,
            scottish,
        ),
        *(mexican, german_pension, _american),
    )
)
"""Makers tied to a birth date or a number range: their results are not arbitrary numbers."""
