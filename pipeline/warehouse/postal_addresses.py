"""Splits an address that one column holds as a whole into street, postal code and city."""

import re

from record.patient import Address

# A postal code and the town before or behind it. Digits alone may be a house number: something
# with letters must come before, or the code stands behind the town.
_CODE = (
    r"(?:[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}"  # United Kingdom
    r"|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"  # Canada
    r"|[1-9][0-9]{3} ?[A-Z]{2}\b"  # Netherlands
    r"|(?:[A-Z]{1,2}-)?[0-9]{5}(?:-[0-9]{4})?"  # France, Germany, Spain, United States
    r"|(?:[A-Z]{1,2}-)?[1-9][0-9]{3})"  # Austria, Belgium, Switzerland
)
_BEFORE_TOWN = re.compile(rf"(?<![\w-])(?P<zip>{_CODE})[ ]+(?P<city>[^\W\d_][^,;\d]*)$")
_BEHIND_TOWN = re.compile(rf"^(?P<city>[^\W\d_][^,;\d]*?)?[ ]*(?<![\w-])(?P<zip>{_CODE})$")
_REGION = re.compile(r"(?:^|[ ])(?P<region>[A-Z]{2,3})$")
_SEPARATOR = re.compile(r"\s*(?:[,;\r\n]|\s-\s)+\s*")


def split_address(text: str) -> Address:
    """Return a whole address by its parts: `12 rue des Lilas, 75012 Paris` and the like.

    Lines or commas separate its parts; a town stands before or behind its postal code. What
    cannot be told apart is the street.
    """
    parts = [part for part in _SEPARATOR.split(text.strip()) if part]
    for at, part in enumerate(parts):
        if found := _BEFORE_TOWN.search(part):
            street = [*parts[:at], part[: found.start()].strip()]
            if any(map(_has_letters, street)):
                return _make_address(street, found["zip"], found["city"], parts[at + 1 :])
        if at and (found := _BEHIND_TOWN.search(part)):
            city, street, region = found["city"] or "", parts[:at], ""
            if named := _REGION.search(city):
                city, region = city[: named.start()].strip(), named["region"]
            if not city and len(street) > 1:
                city = street.pop()
            return _make_address(street, found["zip"], city, parts[at + 1 :], region)
    return Address(text.strip())


def _make_address(
    street: list[str], code: str, city: str, behind: list[str], region: str = ""
) -> Address:
    country = behind[-1] if behind else ""
    joined = ", ".join(part for part in (*street, *behind[:-1]) if part)
    return Address(joined, code, city.strip(), country=country, region=region)


def _has_letters(part: str) -> bool:
    return any(map(str.isalpha, part))
