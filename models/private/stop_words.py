"""Words that say nothing of anybody, by language; names hold them as well (`de la Cruz`)."""

from collections.abc import Iterable

from stop_words import StopWordError, get_stop_words

from record.errors import ConfigError


def stop_words(languages: Iterable[str]) -> frozenset[str]:
    """Return the stop words of some languages (ISO 639-1), case folded; raises ConfigError."""
    held: set[str] = set()
    for language in languages:
        try:
            found = get_stop_words(language)
        except StopWordError:
            problem = "is no language whose stop words are known"
            raise ConfigError(language, problem, "give its code: fr, es, en") from None
        held |= {word.casefold() for word in found}
    return frozenset(held)
