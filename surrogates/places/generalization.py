"""Masks and generalizations that replace exact values: the label, or a truncated postal code."""

import re

from record.policy import Policy
from surrogates.patient import gazetteer
from surrogates.patient.patient import Mention, Subject

_FEWEST_PEOPLE = 20_000
_ZIP = re.compile(r"(?<!\d)\d{5}(?!\d)")


def mask(mention: Mention, _subject: Subject) -> str:
    """Return the label in brackets, the same for every value."""
    return f"[{mention.label}]"


def generalize_zip(mention: Mention, subject: Subject) -> str:
    """Return the first digits of a five-digit postal code, and stars for the rest: `750**`.

    First digits that the policy lists become zeros (45 CFR 164.514(b)(2)(i)(B)), and with a
    population table those of areas that have at most 20,000 people or are not in it. Values
    without five consecutive digits are masked: their coarse part is unknown.
    """
    return truncate_zip(mention.text, subject.policy) or mask(mention, subject)


def truncate_zip(text: str, policy: Policy) -> str | None:
    """Truncate a postal code like `generalize_zip`; None where it has no five digits."""
    found = _ZIP.search(text)
    if found is None:
        return None
    kept = policy.zip_digits
    first = found[0][:kept]
    if first in policy.zeroed_zips or not (
        policy.zip_table == "none" or gazetteer.people().get(first, 0) > _FEWEST_PEOPLE
    ):
        first = "0" * kept
    return first + "*" * (len(found[0]) - kept)
