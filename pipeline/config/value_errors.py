"""Errors of values in configurations, told in their own words: what is expected, what was found."""

import re
from datetime import date, time
from typing import Any

from pydantic import ValidationError

_EXPECTED = {
    "string_type": "text in quotes",
    "int_type": "a whole number without quotes",
    "int_parsing": "a whole number without quotes",
    "int_from_float": "a whole number",
    "float_type": "a number without quotes",
    "float_parsing": "a number without quotes",
    "bool_type": "true or false, without quotes",
    "bool_parsing": "true or false, without quotes",
    "dict_type": "a table",
    "dataclass_type": "a table",
    "tuple_type": "a list in brackets",
    "list_type": "a list in brackets",
    "date_type": "a date such as 2024-03-02",
}
"""Kind of error -> what the value should be."""

_REWORDED = (
    (r"^Value error, ", ""),
    (r"^(?:Input|String|Tuple|List|Dictionary) should ", "must "),
    (r"must be greater than or equal to ", "must be at least "),
    (r"must be less than or equal to ", "must be at most "),
    (r"must match pattern '(.*)'$", r"must have the form \1"),
)

_FOUND = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a whole number"),
    (float, "a number with a fraction"),
    (list | tuple, "a list"),
    (dict, "a table"),
    (date | time, "a date or time"),
)


def describe_value_error(error: ValidationError) -> dict[str, Any]:
    """Return the first error as pydantic does, its message in plain words and never the value.

    A key that is unknown comes before others: what a misspelt key says is more than what is
    missing for it.
    """
    found = error.errors(include_url=False)
    first = next((each for each in found if each["type"] in UNKNOWN_KEY), found[0])
    expected = _EXPECTED.get(first["type"])
    message = first["msg"]
    for pattern, words in _REWORDED:
        message = re.sub(pattern, words, message)
    if expected:
        message = f"must be {expected}, and is {_name_type(first['input'])}"
    elif first["type"] in ("literal_error", "enum") and not isinstance(first["input"], str):
        message += f", and is {_name_type(first['input'])}"
    return {"type": first["type"], "loc": first["loc"], "msg": message}


UNKNOWN_KEY = ("unexpected_keyword_argument", "extra_forbidden")
"""The kinds of error of a key that is not known."""


def _name_type(value: object) -> str:
    return next((name for kind, name in _FOUND if isinstance(value, kind)), "something else")
