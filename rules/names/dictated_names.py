"""Names in small letters in dictations without capitals: `patient samuel`, `prénom manuel`."""

from collections.abc import Iterator

from record.label import Label
from rules.matching.lexicon import given_rank, surname_rank, word_rank
from rules.matching.scanner import Pattern
from rules.names.found_names import Found

MOST_CAPITALS = 3
"""A text with more capitals is none that was dictated without."""

_SHORTEST_TEXT = 60
_GIVEN = Pattern(r"(?<![\w'\-])(?:prenom|voornaam|vorname|first name) ([a-z]{3,15})(?![\w'\-])")
_PERSON = Pattern(
    r"(?<![\w'\-])(?:patiente?|paciente|monsieur|madame|mister|missus|herr|frau|meneer|mevrouw|aide"
    r"|operateur|assistent) ([a-z]{3,15})(?![\w'\-])"
)
_FREQUENT, _KNOWN = 2, 3  # ranks of names
_OF_A_LANGUAGE = 2  # a rank: the 5,000 most frequent words
_TITLES = frozenset("doktor docteur doctor dokter doctora professeur professor".split())


def dictated_names(cased: str, folded: str, lang: str) -> Iterator[Found]:
    """Yield names of the lists, in small letters, behind a word for a person.

    `cased` is the text without accents, `folded` without case too; code points, half open.
    """
    for match in _GIVEN.finditer(folded):
        if 0 < given_rank(match[1]) <= _FREQUENT:
            yield *match.span(1), str(Label.FIRST_NAME)
    if len(cased) < _SHORTEST_TEXT or has_capitals(cased):
        return
    for match in _PERSON.finditer(folded):
        word = match[1]
        if word in _TITLES or _is_word(word, lang):
            continue
        if 0 < given_rank(word) <= _KNOWN:
            yield *match.span(1), str(Label.FIRST_NAME)
        elif 0 < surname_rank(word) <= _KNOWN:
            yield *match.span(1), str(Label.LAST_NAME)


def has_capitals(text: str) -> bool:
    """Return whether a text has more capitals than one that was dictated without."""
    return sum(map(str.isupper, text)) > MOST_CAPITALS


def _is_word(word: str, lang: str) -> bool:
    return 0 < word_rank(word, lang) <= _OF_A_LANGUAGE
