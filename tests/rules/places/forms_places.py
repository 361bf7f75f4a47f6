"""Addresses, towns, care sites, jobs and companies as notes write them, and what looks like them.

`valid` and `negatives` give lines of one language; `tests.rules.marked` reads their marks.
"""

from collections.abc import Iterator
from itertools import product

from tests.rules.places.forms_no_places import NEGATIVES
from tests.rules.places.forms_places_english import ENGLISH
from tests.rules.places.forms_places_french import FRENCH
from tests.rules.places.forms_places_german_dutch import DUTCH, GERMAN
from tests.rules.places.forms_places_spanish import SPANISH
from tests.rules.places.forms_places_words import LINES

LANGUAGES = ("fr", "en", "es", "de", "nl")
VALID = {"fr": FRENCH, "en": ENGLISH, "es": SPANISH, "de": GERMAN, "nl": DUTCH}


def valid(lang: str) -> Iterator[str]:
    """Yield marked lines: each kind of value in each of its contexts."""
    for values, contexts in VALID[lang]:
        for value, context in product(_lines(values), _lines(contexts)):
            yield context.replace("{}", value).replace("\\n", "\n")
    yield from LINES[lang]


def negatives(lang: str) -> Iterator[str]:
    """Yield lines in which nothing is a place, a site or a job: each phrase in each context."""
    for values, contexts in NEGATIVES[lang]:
        for value, context in product(_lines(values), _lines(contexts)):
            yield context.replace("{}", value).replace("\\n", "\n")


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.strip().splitlines()]
