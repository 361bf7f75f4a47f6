"""Fictional identifiers in the format of real registers, with valid check digits."""

from datetime import date
from itertools import pairwise
from random import Random

# The letter of a DNI or NIE is the number modulo 23 (Spanish Royal Decree 1553/2005).
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_NIE_PREFIX = {"X": 0, "Y": 1, "Z": 2}


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
    return f"V{digits(rng, 9)}"


def exam_number(rng: Random, day: date) -> str:
    """Draw a laboratory's number for a specimen: year, letter, running number."""
    suffix = rng.choice(("", "", f"-{rng.randint(1, 9)}"))
    return f"{day.year % 100:02d}{rng.choice('BHPCR')}{digits(rng, 5)}{suffix}"


def national_number(rng: Random, lang: str, *, gender: str, birth: date, zip_code: str) -> str:
    """Draw a national identity or social-security number for a place of birth."""
    if lang == "fr":
        return nir(rng, gender=gender, birth=birth, zip_code=zip_code)
    return dni(rng) if lang == "es" else ssn(rng)


def nir(rng: Random, *, gender: str, birth: date, zip_code: str) -> str:
    """Draw a French NIR, 15 characters: sex, year, month, department, commune, order, key.

    The key is 97 less the first thirteen modulo 97, where 2A counts as 19 and 2B as 18.
    """
    department = zip_code[:2]
    if department == "20":
        department = "2A" if zip_code < "20200" else "2B"
    head = (
        f"{'1' if gender == 'M' else '2'}{birth.year % 100:02d}{birth.month:02d}{department}"
        f"{rng.randint(1, 620):03d}{rng.randint(1, 420):03d}"
    )
    number = int(head.replace("2A", "19").replace("2B", "18"))
    return f"{head}{97 - number % 97:02d}"


def ssn(rng: Random) -> str:
    """Draw a US social-security number with an area that was issued (001-665, 667-899)."""
    area = rng.choice([*range(1, 666), *range(667, 900)])
    return f"{area:03d}-{rng.randint(1, 99):02d}-{rng.randint(1, 9999):04d}"


def dni(rng: Random) -> str:
    """Draw a Spanish DNI, or now and then the NIE of a foreigner, with its letter."""
    if rng.random() < 0.15:
        prefix = rng.choice("XYZ")
        number = rng.randrange(10**7)
        return f"{prefix}{number:07d}{_DNI_LETTERS[(_NIE_PREFIX[prefix] * 10**7 + number) % 23]}"
    number = rng.randint(1_000_000, 99_999_999)
    return f"{number:08d}{_DNI_LETTERS[number % 23]}"


def provider_number(rng: Random, lang: str) -> str:
    """Draw a clinician's number: RPPS (11 digits), NPI (10) or número de colegiado (9)."""
    if lang == "fr":
        head = "10" + digits(rng, 8)
        return head + luhn_digit(head)
    if lang == "en":
        head = rng.choice("12") + digits(rng, 8)
        return head + luhn_digit("80840" + head)  # the NPI counts the issuer's prefix 80840
    return f"28{rng.randint(10, 52)}{digits(rng, 5)}"


def luhn_digit(head: str) -> str:
    """Compute the check digit that the Luhn formula (ISO/IEC 7812-1) appends."""
    total = 0
    for index, char in enumerate(reversed(head)):
        value = int(char) * (2 if index % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def insurance_number(rng: Random, lang: str) -> str:
    """Draw a member's number: mutuelle, US member id, or Spanish NASS with its control."""
    if lang == "fr":
        return f"{digits(rng, 8)}{rng.choice('ABCDEFGHJKL')}"
    if lang == "es":
        province, number = rng.randint(1, 50), rng.randint(10_000_000, 99_999_999)
        return f"{province:02d} {number} {int(f'{province:02d}{number}') % 97:02d}"
    return f"{''.join(rng.choices('ABCDEFGHJKLMNPQRTUVWXYZ', k=3))}{digits(rng, 9)}"


def iban(rng: Random, lang: str) -> str:
    """Draw a bank account: an IBAN with ISO 7064 check digits, or a US account number."""
    if lang == "en":
        return digits(rng, 12)
    country, length = ("FR", 23) if lang == "fr" else ("ES", 20)
    body = digits(rng, length)
    letters = "".join(str(ord(char) - 55) for char in country)
    check = 98 - int(f"{body}{letters}00") % 97
    whole = f"{country}{check:02d}{body}"
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
    if label == "PROVIDER_ID" and len(number) == 9 and rng.random() < 0.4:
        return f"{number[:2]} {number[2:4]} {number[4:]}"
    return number
