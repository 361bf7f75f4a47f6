"""Check digits that a surrogate number must satisfy."""

_DNI_LETTERS = "trwagmyfpdxbnjzsqvhlcke"
_NPI_PREFIX = "80840"
# Digit -> the sum of the digits of its double.
_DOUBLED = str.maketrans("0123456789", "0246813579")


def nir_key(body: str) -> str:
    """Return the two-digit key of the 13 characters of a French NIR (2A and 2B are Corsica)."""
    number = body.replace("2a", "19").replace("2b", "18") if body[5:7] in ("2a", "2b") else body
    return f"{97 - int(number) % 97:02d}"


def dni_letter(digits: str) -> str:
    """Return the small letter that ends a Spanish DNI, or a NIE whose X, Y, Z reads 0, 1, 2."""
    return _DNI_LETTERS[int(digits) % 23]


def luhn_digit(digits: str) -> str:
    """Return the digit that makes a number valid when put after it (ISO/IEC 7812-1)."""
    doubled, single = digits[::-2].translate(_DOUBLED), digits[-2::-2]
    return str(-sum(map(int, doubled + single)) % 10)


def is_luhn(digits: str) -> bool:
    """Return whether the last digit is the Luhn digit of the others."""
    return len(digits) > 1 and luhn_digit(digits[:-1]) == digits[-1]


def npi_digit(digits: str) -> str:
    """Return the last digit of a US National Provider Identifier for its first nine."""
    return luhn_digit(_NPI_PREFIX + digits)


def iban_digits(country: str, account: str) -> str:
    """Return the two check digits of an IBAN (ISO 13616), for small letters and digits."""
    number = "".join(str(int(char, 36)) for char in f"{account}{country}00")
    return f"{98 - int(number) % 97:02d}"


def affiliation_digits(number: str) -> str:
    """Return the control of a Spanish social-security number: two digits for the first ten."""
    province, rest = number[:2], number[2:]
    # Numbers below ten million are joined to the province without their leading zero.
    joined = province + rest[1:] if rest[0] == "0" else number
    return f"{int(joined) % 97:02d}"


def rib_key(account: str) -> str:
    """Return the key of a French bank account: 5 digits, 5 digits, 11 signs (small letters)."""
    # Letters count by their places in three rows: a-i, j-r, and s-z from 2 on.
    digits = "".join(
        char if char.isdigit() else "12345678912345678923456789"[ord(char) - ord("a")]
        for char in account
    )
    bank, branch, number = int(digits[:5]), int(digits[5:10]), int(digits[10:21])
    return f"{97 - (89 * bank + 15 * branch + 3 * number) % 97:02d}"


def ccc_digits(bank: str, account: str) -> str:
    """Return the two digits of a Spanish bank account, for its 8 and its 10 digits."""
    found = ""
    for part in (f"00{bank}", account):
        rest = 11 - sum(int(char) * 2**place for place, char in enumerate(part)) % 11
        found += "1" if rest == 10 else "0" if rest == 11 else str(rest)
    return found


def belgian_account_digits(account: str) -> str:
    """Return the two digits that end a Belgian bank account, for its first ten."""
    return f"{int(account) % 97 or 97:02d}"


def belgian_digits(body: str, *, is_later: bool) -> str:
    """Return the two digits that end a Belgian national number; `is_later` for births from 2000."""
    return f"{97 - int(f'2{body}' if is_later else body) % 97:02d}"


_ODD = (
    1,
    0,
    5,
    7,
    9,
    13,
    15,
    17,
    19,
    21,
    2,
    4,
    18,
    20,
    11,
    3,
    6,
    8,
    12,
    14,
    16,
    10,
    22,
    25,
    24,
    23,
)


def italian_letter(signs: str) -> str:
    """Return the small letter that ends an Italian codice fiscale or begins a bank
    account (CIN).
    """
    total = 0
    for place, char in enumerate(signs):
        value = int(char) if char.isdigit() else ord(char) - ord("a")
        total += value if place % 2 else _ODD[value]
    return chr(ord("a") + total % 26)


def nhs_digit(digits: str) -> str | None:
    """Return the last digit of a British NHS or CHI number for its first nine; None has none."""
    rest = -sum((10 - place) * int(char) for place, char in enumerate(digits)) % 11
    return None if rest == 10 else str(rest)


def bsn_digit(digits: str) -> str | None:
    """Return the last digit of a Dutch BSN for its first eight; None has none."""
    rest = sum((9 - place) * int(char) for place, char in enumerate(digits)) % 11
    return None if rest == 10 else str(rest)


def ean_digit(digits: str) -> str:
    """Return the last digit of a number of 13 for its first 12: EAN, the Swiss AHV number."""
    return str(-sum(int(char) * (1 + 2 * (place % 2)) for place, char in enumerate(digits)) % 10)


def rut_digit(digits: str) -> str:
    """Return the sign that ends a Chilean RUT: a digit or `k`."""
    total = sum(int(char) * (2 + place % 6) for place, char in enumerate(reversed(digits)))
    return "0123456789k"[-total % 11]


def curp_digit(signs: str) -> str:
    """Return the digit that ends a Mexican CURP, for its first 17 signs in small letters."""
    alphabet = "0123456789abcdefghijklmnñopqrstuvwxyz"
    return str(-sum((18 - p) * alphabet.index(char) for p, char in enumerate(signs)) % 10)


def german_digit(signs: str) -> str:
    """Return the digit that ends a German insurance number: pension (11 signs) or health (9).

    A letter counts as its place in the alphabet, in two digits; digits of products are summed.
    """
    digits = "".join(c if c.isdigit() else f"{ord(c) - ord('a') + 1:02d}" for c in signs)
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1) if len(digits) == 12 else (1, 2) * 5
    products = (int(d) * weight for d, weight in zip(digits, weights, strict=True))
    return str(sum(product // 10 + product % 10 for product in products) % 10)
