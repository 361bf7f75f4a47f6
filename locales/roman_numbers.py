"""Years in Roman numbers: `MMXXI`."""

_SIGNS = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")),
    *((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)


def write_roman(number: int) -> str:
    """Write a number in Roman capitals."""
    written = ""
    for value, sign in _SIGNS:
        count, number = divmod(number, value)
        written += sign * count
    return written


ROMAN_YEARS = {write_roman(year).lower(): year for year in range(1900, 2100)}
"""Years that notes speak of, by their Roman numbers in small letters."""
