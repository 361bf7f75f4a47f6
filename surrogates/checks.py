"""Check digits that a surrogate number must satisfy."""

_DNI_LETTERS = "trwagmyfpdxbnjzsqvhlcke"
_NPI_PREFIX = "80840"


def nir_key(body: str) -> str:
    """Give the two-digit key of the 13 characters of a French NIR (2A and 2B are Corsica)."""
    number = body.replace("2a", "19").replace("2b", "18") if body[5:7] in ("2a", "2b") else body
    return f"{97 - int(number) % 97:02d}"


def dni_letter(digits: str) -> str:
    """Give the small letter that ends a Spanish DNI, or a NIE whose X, Y, Z reads 0, 1, 2."""
    return _DNI_LETTERS[int(digits) % 23]


def luhn_digit(digits: str) -> str:
    """Give the digit that makes a number valid when put after it (ISO/IEC 7812-1)."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        doubled = int(char) * (2 - place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)


def is_luhn(digits: str) -> bool:
    """Tell whether the last digit is the Luhn digit of the others."""
    return len(digits) > 1 and luhn_digit(digits[:-1]) == digits[-1]


def npi_digit(digits: str) -> str:
    """Give the last digit of a US National Provider Identifier for its first nine."""
    return luhn_digit(_NPI_PREFIX + digits)


def iban_digits(country: str, account: str) -> str:
    """Give the two check digits of an IBAN (ISO 13616), for small letters and digits."""
    number = "".join(str(int(char, 36)) for char in f"{account}{country}00")
    return f"{98 - int(number) % 97:02d}"


def affiliation_digits(number: str) -> str:
    """Give the control of a Spanish social-security number: two digits for the first ten."""
    province, rest = number[:2], number[2:]
    # Numbers below ten million are joined to the province without their leading zero.
    joined = province + rest[1:] if rest[0] == "0" else number
    return f"{int(joined) % 97:02d}"
