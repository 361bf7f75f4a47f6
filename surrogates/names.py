"""Surrogates of people's names: gender, case, compounds, particles and initials kept."""

import re
import unicodedata
from collections.abc import Iterable

from record.folding import fold
from record.label import Label
from surrogates import lexicon, shape
from surrogates.lexicon import Lexicon, listed
from surrogates.subject import WORD, Mention, Subject, pour_case

_PARTICLES = frozenset(
    listed(
        "de du des d la le les l da das do dos di del della den der van von vom zu zur y e i"
        " el los las al san ter ten ben bin bint ibn abu abd ould ait st ste saint sainte"
    )
)
_TITLES = frozenset(
    listed(
        "dr dre dra pr pre mme mmes mlle mrs mr ms miss mister madame monsieur mademoiselle docteur"
        " professeur prof doctor doctora professor sr sra srta don dona senor senora jr ii iii iv"
    )
)
_ELISIONS = frozenset("dlonm")
_VOWELS = frozenset("aeiouy")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# 'Ph.' and 'Chr.' stand for a given name as 'P.' does.
_LONGEST_ABBREVIATION = 3


def replace(mention: Mention, subject: Subject) -> str:
    """Give the name that stands for a name, word by word, with the blanks and signs between.

    Each word has its own surrogate, which its compounds share. It never starts with the letter
    of its original, so that an initial changes too.
    """
    text = unicodedata.normalize("NFC", mention.text)
    words = list(WORD.finditer(text))
    if not words:
        return shape.replace(mention, subject)
    kept = _kept(text, words)
    pieces: list[str] = []
    end = 0
    for number, word in enumerate(words):
        pieces.append(_between(text[end : word.start()], mention, subject))
        role = _role(mention.label, number, words, subject)
        dotted = text.startswith(".", word.end())
        pieces.append(word[0] if number in kept else _word(word[0], role, dotted, mention, subject))
        end = word.end()
    pieces.append(_between(text[end:], mention, subject))
    return "".join(pieces)


def part(word: str, role: str, subject: Subject) -> str:
    """Give the surrogate of one word of a name; `role` is FIRST_NAME or LAST_NAME."""
    value = fold(word)

    def accept(entry: str) -> bool:
        folded = fold(entry)
        return folded[0] != value[0] and folded not in subject.avoided

    return pour_case(word, subject.pick(role, value, _lexicon(value, role, subject), accept=accept))


def abbreviation(letters: str, role: str, known: Iterable[str], subject: Subject) -> str:
    """Give the first letters of the surrogate of the known name that starts with `letters`.

    Where no known name does, the letters are drawn; the first one always changes.
    """
    value = fold(letters)
    for name in known:
        if fold(name).startswith(value) and len(name) > len(value):
            return pour_case(letters, fold(part(name.title(), role, subject))[: len(value)].title())
    if len(value) > 1:
        return pour_case(letters, fold(part(value, role, subject))[: len(value)].title())
    others = _LETTERS.replace(value, "")
    drawn = others[subject.key.number(role, f"{value}.", len(others))]
    return drawn.upper() if letters.isupper() else drawn


def role_of(value: str, subject: Subject) -> str:
    """Tell whether a folded word is rather a given or a family name; '' where nothing tells."""
    if value in subject.family_folded:
        return Label.LAST_NAME
    if value in subject.given_folded:
        return Label.FIRST_NAME
    is_given = value in lexicon.given(subject.locale).places
    is_family = value in lexicon.load("family", subject.locale).places
    if is_given != is_family:
        return Label.FIRST_NAME if is_given else Label.LAST_NAME
    return ""


def _kept(text: str, words: list[re.Match[str]]) -> frozenset[int]:
    """Number the particles and titles, which stay, unless nothing else would change."""
    kept = set()
    for number, word in enumerate(words):
        value = fold(word[0])
        elided = value in _ELISIONS and fold(text[word.end() : word.end() + 1]) == "'"
        if value in _TITLES or elided or (value in _PARTICLES and len(value) > 1):
            kept.add(number)
        if value in ("d", "l", "y", "e", "i") and word[0].islower() and len(words) > 2:
            kept.add(number)
    changing = [word for number, word in enumerate(words) if number not in kept]
    return frozenset(kept) if changing else frozenset()


def _role(label: str, number: int, words: list[re.Match[str]], subject: Subject) -> str:
    if label != Label.NAME:
        return label
    known = role_of(fold(words[number][0]), subject)
    if known:
        return known
    return Label.FIRST_NAME if number == 0 and len(words) > 1 else Label.LAST_NAME


def _word(word: str, role: str, dotted: bool, mention: Mention, subject: Subject) -> str:
    known = (
        (*subject.given, *mention.given)
        if role == Label.FIRST_NAME
        else (*subject.family, *mention.family)
    )
    value = fold(word)
    if len(word) == 1 or (dotted and len(word) <= _LONGEST_ABBREVIATION):
        if value not in _LETTERS and len(word) == 1:
            return pour_case(word, part(word, role, subject))
        return abbreviation(word, role, known, subject)
    if len(word) == 2 and word.isupper() and not _VOWELS & set(value):
        return "".join(abbreviation(letter, role, known, subject) for letter in word)
    return part(word, role, subject)


def _lexicon(value: str, role: str, subject: Subject) -> Lexicon:
    if role != Label.FIRST_NAME:
        return lexicon.load("family", subject.locale)
    male = lexicon.load("given.male", subject.locale)
    female = lexicon.load("given.female", subject.locale)
    is_male, is_female = value in male.places, value in female.places
    if is_male == is_female and value in subject.own_given:
        is_male, is_female = subject.gender in ("M", "H"), subject.gender in ("F", "W")
    if is_male == is_female:
        return lexicon.given(subject.locale)
    return male if is_male else female


def _between(text: str, mention: Mention, subject: Subject) -> str:
    """Keep blanks and signs; digits within a name are replaced."""
    if not any(char.isalnum() for char in text):
        return text
    return shape.scramble(text, mention.label, subject)
