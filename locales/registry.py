"""The languages there are: every module of `locales.languages` that holds one."""

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import MappingProxyType

from locales import languages
from locales.language import Language, words

# Of two languages that fit equally well the first one is taken; others follow by their code.
_ORDER = ("fr", "en", "es", "de", "nl")


def _find() -> dict[str, Language]:
    names = [module.name for module in pkgutil.iter_modules(languages.__path__)]
    found = [import_module(f"{languages.__name__}.{name}").LANGUAGE for name in names]
    return {each.code: each for each in sorted(found, key=_rank)}


def _rank(language: Language) -> tuple[int, str]:
    code = language.code
    return (_ORDER.index(code) if code in _ORDER else len(_ORDER)), code


LANGUAGES: Mapping[str, Language] = MappingProxyType(_find())
"""The languages by their codes, in the order of precedence."""


FOREIGN_PARTICLES = words("al ben bin bint da di do dos i ould zu")
"""Small words inside family names of other origins than those of the languages."""


def every(pick: Callable[[Language], Iterable[str]]) -> frozenset[str]:
    """Return what all languages give, as one set."""
    return frozenset(word for language in LANGUAGES.values() for word in pick(language))


def alternatives(pick: Callable[[Language], str]) -> str:
    """Return the patterns of all languages as alternatives of one regular expression."""
    return "|".join(filter(None, map(pick, LANGUAGES.values())))
