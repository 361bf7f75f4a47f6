"""Stop words by language, which are never replaced even inside names (`de la Cruz`)."""

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
            problem = "no stop words for this language"
            raise ConfigError(
                language, problem, "give an ISO 639-1 code such as fr, es or en"
            ) from None
        held |= {word.casefold() for word in found}
    return frozenset(held)
