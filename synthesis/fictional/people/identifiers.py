"""Fictional identifiers in the format of real registers, with valid check digits."""

from datetime import date
from itertools import pairwise
from random import Random

from locales import check_digits

# What the letter that begins a NIE counts as (Spanish Royal Decree 1553/2005).
_NIE_PREFIX = {"X": "0", "Y": "1", "Z": "2"}


_GERMAN_MOBILES = ("151", "157", "160", "170", "171", "172", "175", "176")
_GERMAN_AREAS = ("30", "40", "69", "89", "221", "228", "341", "351", "511", "711", "6221", "7141")
_DUTCH_AREAS = (
    "10",
    "13",
    "20",
    "24",
    "30",
    "40",
    "50",
    "58",
    "70",
    "73",
    "115",
    "174",
    "299",
    "343",
)


def digits(rng: Random, count: int) -> str:
    """Draw a string of decimal digits."""
    return f"{rng.randrange(10**count):0{count}d}"


def patient_number(rng: Random) -> str:
    """Draw a hospital's patient number: ten digits, the first an 8."""
    return "8" + digits(rng, 9)


def visit_number(rng: Random, lang: str) -> str:
    """Draw a hospital's number for a stay or consultation."""
    if lang == "fr":
        return f"{rng.randint(75, 94)}{digits(rng, 8)}"
    if lang == "es":
        return f"{rng.randint(10, 25)}{digits(rng, 6)}-{rng.randint(1, 9)}"
    if lang == "de":
        return f"4{digits(rng, 9)}"
    if lang == "nl":
        return f"{rng.randint(20, 25)}-{digits(rng, 6)}"
    return f"V{digits(rng, 9)}"


def exam_number(rng: Random, day: date) -> str:
    """Draw a laboratory's number for a specimen: year, letter, running number."""
    suffix = rng.choice(("", "", f"-{rng.randint(1, 9)}"))
    return f"{day.year % 100:02d}{rng.choice('BHPCR')}{digits(rng, 5)}{suffix}"


def national_number(rng: Random, lang: str, *, gender: str, birth: date, zip_code: str) -> str:
    """Draw a national identity or social-security number for a place of birth."""
    if lang == "fr":
        return nir(rng, gender=gender, birth=birth, zip_code=zip_code)
    if lang == "de":
        return rvnr(rng, gender=gender, birth=birth)
    if lang == "nl":
        return bsn(rng)
    return dni(rng) if lang == "es" else ssn(rng)


def rvnr(rng: Random, *, gender: str, birth: date) -> str:
    """Draw a German pension insurance number: area, birth, initial, serial number, check digit."""
    serial = rng.randint(0, 49) + 50 * (gender == "F")
    letter = rng.choice("ABCDEFGHIJKLMNOPRSTUVWZ")
    head = f"{rng.randint(2, 89):02d}{birth:%d%m%y}{letter}{serial:02d}"
    return head + check_digits.german_digit(head)


def kvnr(rng: Random) -> str:
    """Draw a German health insurance number: a letter, eight digits and a check digit."""
    head = rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + digits(rng, 8)
    return head + check_digits.german_digit(head)


def bsn(rng: Random) -> str:
    """Draw a Dutch BSN, nine digits that pass the eleven-test."""
    while True:
        head = str(rng.randint(10_000_000, 29_999_999))
        last = check_digits.bsn_digit(head)
        if last is not None:
            return head + last


def nir(rng: Random, *, gender: str, birth: date, zip_code: str) -> str:
    """Draw a French NIR, 15 characters: sex, year, month, department, commune, order, key."""
    department = zip_code[:2]
    if department == "20":
        department = "2A" if zip_code < "20200" else "2B"
    head = (
        f"{'1' if gender == 'M' else '2'}{birth.year % 100:02d}{birth.month:02d}{department}"
        f"{rng.randint(1, 620):03d}{rng.randint(1, 420):03d}"
    )
    return head + check_digits.nir_key(head)


def ssn(rng: Random) -> str:
    """Draw a US social-security number with an area that was issued (001-665, 667-899)."""
    area = rng.choice([*range(1, 666), *range(667, 900)])
    return f"{area:03d}-{rng.randint(1, 99):02d}-{rng.randint(1, 9999):04d}"


def dni(rng: Random) -> str:
    """Draw a Spanish DNI, or now and then the NIE of a foreigner, with its letter."""
    if rng.random() < 0.15:
        prefix = rng.choice("XYZ")
        number = digits(rng, 7)
        return prefix + number + check_digits.dni_letter(_NIE_PREFIX[prefix] + number)
    number = f"{rng.randint(1_000_000, 99_999_999):08d}"
    return number + check_digits.dni_letter(number)


def provider_number(rng: Random, lang: str) -> str:
    """Draw a clinician's number: RPPS (11 digits), NPI (10), número de colegiado or LANR (9),
    AGB (8).
    """
    if lang == "fr":
        head = "10" + digits(rng, 8)
        return head + check_digits.luhn_digit(head)
    if lang == "en":
        head = rng.choice("12") + digits(rng, 8)
        return head + check_digits.npi_digit(head)
    if lang == "de":
        return f"{rng.randint(40, 99)}{digits(rng, 7)}"
    if lang == "nl":
        return f"01{digits(rng, 6)}"
    return f"28{rng.randint(10, 52)}{digits(rng, 5)}"


def insurance_number(rng: Random, lang: str) -> str:
    """Draw a member's number: mutuelle, US member id, Spanish NASS, German KVNR, Dutch polis."""
    if lang == "fr":
        return f"{digits(rng, 8)}{rng.choice('ABCDEFGHJKL')}"
    if lang == "es":
        province, number = f"{rng.randint(1, 50):02d}", str(rng.randint(10_000_000, 99_999_999))
        return f"{province} {number} {check_digits.affiliation_digits(province + number)}"
    if lang == "de":
        return kvnr(rng)
    if lang == "nl":
        return f"{rng.randint(1, 9)}{digits(rng, 8)}"
    return f"{''.join(rng.choices('ABCDEFGHJKLMNPQRTUVWXYZ', k=3))}{digits(rng, 9)}"


def iban(rng: Random, lang: str) -> str:
    """Draw a bank account: an IBAN with ISO 7064 check digits, or a US account number."""
    if lang == "en":
        return digits(rng, 12)
    country, length = {"fr": ("FR", 23), "de": ("DE", 18), "nl": ("NL", 10)}.get(lang, ("ES", 20))
    body = digits(rng, length)
    if lang == "nl":
        body = rng.choice(("ABNA", "INGB", "RABO", "SNSB", "TRIO")) + body
    whole = f"{country}{check_digits.iban_digits(country, body)}{body}"
    return " ".join(whole[i : i + 4] for i in range(0, len(whole), 4))


def device_number(rng: Random) -> str:
    """Draw the serial number of an implant."""
    return f"{''.join(rng.choices('ABDEGHKLMNPRSTVW', k=3))}{digits(rng, 6)}{rng.choice('ABCDEH')}"


def phone(rng: Random, lang: str, *, mobile: bool = False) -> str:
    """Draw a telephone number as its country writes it in full."""
    if lang == "fr":
        lead = rng.choice(("06", "07")) if mobile else f"0{rng.randint(1, 5)}"
        return " ".join([lead, *(digits(rng, 2) for _ in range(4))])
    if lang == "es":
        if mobile:
            return f"6{digits(rng, 2)} {digits(rng, 3)} {digits(rng, 3)}"
        return f"9{rng.randint(1, 8)}{digits(rng, 1)} {digits(rng, 3)} {digits(rng, 3)}"
    if lang == "de":
        if mobile:
            return f"0{rng.choice(_GERMAN_MOBILES)} {digits(rng, 7)}"
        area = rng.choice(_GERMAN_AREAS)
        return f"0{area} {rng.randint(2, 9)}{digits(rng, 9 - len(area))}"
    if lang == "nl":
        if mobile:
            return f"06-{rng.randint(1, 5)}{digits(rng, 7)}"
        area = rng.choice(_DUTCH_AREAS)
        return f"0{area}-{rng.randint(2, 8)}{digits(rng, 8 - len(area))}"
    # Exchange 555 is the one of fiction.
    return f"({rng.randint(201, 989)}) 555-{digits(rng, 4)}"


def respell_phone(rng: Random, number: str, lang: str) -> str:
    """Write a telephone number in another usual way; its digits stay."""
    bare = "".join(char for char in number if char.isdigit())
    if lang == "fr":
        pairs = [bare[i : i + 2] for i in range(0, 10, 2)]
        rest = " ".join(pairs[1:])
        forms = [number] * 6 + [".".join(pairs), ".".join(pairs), "-".join(pairs), bare]
        forms += [f"+33 {bare[1]} {rest}", f"+33 (0){bare[1]} {rest}", f"0033{bare[1:]}"]
    elif lang == "de":
        lead, _, line = number.partition(" ")
        forms = [number] * 5 + [f"{lead}/{line}", f"{lead}/{line}", f"{lead}-{line}", bare]
        forms += [f"({lead}) {line}", f"+49 {lead[1:]} {line}", f"+49 (0){lead[1:]} {line}"]
        forms += [f"{lead} {line[:3]} {line[3:]}", f"0049{bare[1:]}"]
    elif lang == "nl":
        lead, _, line = number.partition("-")
        forms = [number] * 6 + [f"{lead} {line}", f"{lead} - {line}", bare, f"({lead}) {line}"]
        forms += [f"+31 {lead[1:]} {line}", f"+31{bare[1:]}", f"0031{bare[1:]}"]
    elif lang == "es":
        forms = [number] * 5 + [
            bare,
            f"+34 {number}",
            f"{bare[:2]} {bare[2:5]} {bare[5:7]} {bare[7:]}",
        ]
        forms += [number.replace(" ", "."), number.replace(" ", "-"), f"0034{bare}"]
    else:
        area, exchange, line = bare[:3], bare[3:6], bare[6:]
        forms = [number] * 4 + [f"{area}-{exchange}-{line}"] * 3
        forms += [
            f"{area}.{exchange}.{line}",
            f"+1 {area} {exchange} {line}",
            f"{area} {exchange} {line}",
        ]
    return rng.choice(forms)


def respell_number(rng: Random, number: str, label: str) -> str:
    """Write a number with or without the blanks that group it."""
    if label == "SSN" and len(number) == 15 and rng.random() < 0.6:
        cuts = (0, 1, 3, 5, 7, 10, 13, 15)
        return " ".join(number[a:b] for a, b in pairwise(cuts))
    if label == "SSN" and number[-1].isalpha() and rng.random() < 0.3:
        return f"{number[:-1]}-{number[-1]}"
    if label == "PROVIDER_ID" and len(number) == 9 and number[0] < "4" and rng.random() < 0.4:
        return f"{number[:2]} {number[2:4]} {number[4:]}"
    return number
