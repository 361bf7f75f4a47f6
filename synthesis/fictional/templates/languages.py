"""The languages the fiction is written in."""

from synthesis.fictional.templates.de import LANGUAGE as GERMAN
from synthesis.fictional.templates.en import LANGUAGE as ENGLISH
from synthesis.fictional.templates.es import LANGUAGE as SPANISH
from synthesis.fictional.templates.fr import LANGUAGE as FRENCH
from synthesis.fictional.templates.grammar import LetterLanguage
from synthesis.fictional.templates.nl import LANGUAGE as DUTCH

LANGUAGES: dict[str, LetterLanguage] = {
    "fr": FRENCH, "en": ENGLISH, "es": SPANISH, "de": GERMAN, "nl": DUTCH,
}  # fmt: skip
