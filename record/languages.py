"""The languages that surrogates are drawn in, as ISO 639-1 codes."""

from functools import lru_cache
from typing import Literal, get_args

Lang = Literal["fr", "en", "es", "de", "nl"]
"""A language of surrogates, of policies and of the fictional hospital."""

LANGUAGES: tuple[Lang, ...] = get_args(Lang)
"""All of them, in the order of precedence."""

FIRST_LANGUAGES: tuple[Lang, ...] = LANGUAGES[:3]
"""Those of the first version of the surrogate algorithm."""

OMOP_LANGUAGES: dict[int, Lang] = {
    4180190: "fr",
    4180186: "en",
    4182511: "es",
    4182504: "de",
    4182503: "nl",
}
"""OMOP concept of a language (vocabulary SNOMED, domain Language) -> its code."""


@lru_cache(256)
def primary_language(tag: str) -> str:
    """Return the language of a tag (BCP 47): `fr` for `fr-CA`; empty for an empty one."""
    return tag.replace("_", "-").partition("-")[0].lower()
