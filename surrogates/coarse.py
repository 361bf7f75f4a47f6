"""Coarser values in the place of exact ones: the label alone, or the first digits of a code."""

import re

from surrogates.subject import Mention, Subject

_ZIP = re.compile(r"(?<!\d)\d{5}(?!\d)")


def mask(mention: Mention, _subject: Subject) -> str:
    """Give the label in brackets, the same for every value."""
    return f"[{mention.label}]"


def generalize_zip(mention: Mention, subject: Subject) -> str:
    """Give the first digits of a postal code of five, and stars for the rest: `750**`.

    First digits that the policy lists become zeros (45 CFR 164.514(b)(2)(i)(B)). What has no
    five digits in a row is masked, since nobody said which part of it is the coarse one.
    """
    found = _ZIP.search(mention.text)
    if found is None:
        return mask(mention, subject)
    kept = subject.policy.zip_digits
    first = found[0][:kept]
    if first in subject.policy.zeroed_zips:
        first = "0" * kept
    return first + "*" * (len(found[0]) - kept)
