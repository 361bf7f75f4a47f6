"""The languages the fiction is written in."""

from synthesis.fictional.grammar import Language
from synthesis.fictional.templates.en import LANGUAGE as ENGLISH
from synthesis.fictional.templates.es import LANGUAGE as SPANISH
from synthesis.fictional.templates.fr import LANGUAGE as FRENCH

LANGUAGES: dict[str, Language] = {"fr": FRENCH, "en": ENGLISH, "es": SPANISH}
