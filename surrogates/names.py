"""Surrogates of people's names: gender, origin, case, compounds, particles and initials kept."""

import re
import unicodedata
from collections.abc import Iterable

from record.folding import fold
from record.label import Label
from surrogates import shape
from surrogates.circle import LONGEST_ABBREVIATION
from surrogates.misspelling import misspell, mistakes
from surrogates.name_draws import PURPOSE
from surrogates.name_words import ELISIONS, PARTICLES, TITLES
from surrogates.subject import WORD, Mention, Subject, pour_case

_VOWELS = frozenset("aeiouy")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NOBODY = Mention("", "")


def replace(mention: Mention, subject: Subject) -> str:
    """Give the name that stands for a name, word by word, with the blanks and signs between.

    Each word has its own surrogate, which its compounds share. It never starts with the letter
    of its original, so that an initial changes too.
    """
    text = unicodedata.normalize("NFC", mention.text)
    words = list(WORD.finditer(text))
    if not words:
        return shape.replace(mention, subject)
    if len(words) == 1 and (meant := subject.circle.monogram(words[0][0])):
        letters = "".join(_first(part(word, role, subject, mention)) for role, word in meant)
        between = (text[: words[0].start()], text[words[0].end() :])
        return letters.join(_between(each, mention, subject) for each in between)
    kept = _kept(text, words)
    roles = subject.circle.roles(text, words, mention.label)
    pieces: list[str] = []
    end = 0
    for number, word in enumerate(words):
        pieces.append(_between(text[end : word.start()], mention, subject))
        dotted = text.startswith(".", word.end())
        pieces.append(
            word[0] if number in kept else _word(word[0], roles[number], dotted, mention, subject)
        )
        end = word.end()
    pieces.append(_between(text[end:], mention, subject))
    return "".join(pieces)


def part(word: str, role: str, subject: Subject, mention: Mention = _NOBODY) -> str:
    """Give the surrogate of one word of a name; `role` is FIRST_NAME or LAST_NAME.

    A misspelling of a known name gives the same mistakes in that name's surrogate.
    """
    value = fold(word)
    right = spelt(value, role, subject, mention)
    if right:
        drawn = _drawn(right, role, subject, mention)
        like = mistakes(right, value)
        label = f"{PURPOSE}/misspelt/{role}"
        for wrong in misspell(fold(drawn), like, right, subject.key, label):
            free = wrong not in subject.avoided and not subject.names.is_listed(role, wrong)
            if free and wrong[0] != value[0]:
                return pour_case(word, wrong.title())
    return pour_case(word, _drawn(value, role, subject, mention))


def spelt(value: str, role: str, subject: Subject, mention: Mention) -> str:
    """Give the right spelling of a folded word that is misspelt; empty where it is not.

    The names of the record come first, then those that the note itself tells (`Who.spelt`).
    """
    if subject.circle.knows(role, value):
        return ""
    right = subject.circle.meant(role, value)
    if right or subject.names.is_listed(role, value):
        return right
    return next((each[2] for each in mention.who.spelt if each[:2] == (role, value)), "")


def abbreviation(
    letters: str, role: str, known: Iterable[str], subject: Subject, mention: Mention = _NOBODY
) -> str:
    """Give the first letters of the surrogate of the known name that starts with `letters`.

    Where no known name does, the letters are drawn; the first one always changes.
    """
    value = fold(letters)
    for name in known:
        if fold(name).startswith(value) and len(name) > len(value):
            drawn = part(name.title(), role, subject, mention)
            return pour_case(letters, fold(drawn)[: len(value)].title())
    if len(value) > 1:
        return pour_case(letters, fold(part(value, role, subject))[: len(value)].title())
    others = _LETTERS.replace(value, "")
    drawn = others[subject.key.number(role, f"{value}.", len(others))]
    return drawn.upper() if letters.isupper() else drawn


def _drawn(value: str, role: str, subject: Subject, mention: Mention) -> str:
    for own_role, own, settled in mention.who.settled:
        if (own_role, own) == (role, value):
            return settled
    patient = subject.circle.patient
    gender = patient.gender if value in patient.given else mention.who.gender
    if mention.who.turn and value not in (*patient.given, *patient.family):
        return subject.names.fresh(role, value, gender, mention.who.turn)
    return subject.names.draw(role, value, gender)


def _kept(text: str, words: list[re.Match[str]]) -> frozenset[int]:
    """Number the particles and titles, which stay, unless nothing else would change."""
    kept = set()
    for number, word in enumerate(words):
        value = fold(word[0])
        elided = value in ELISIONS and fold(text[word.end() : word.end() + 1]) == "'"
        if value in TITLES or elided or (value in PARTICLES and len(value) > 1):
            kept.add(number)
        if value in ("d", "l", "y", "e", "i") and word[0].islower() and len(words) > 2:
            kept.add(number)
    changing = [word for number, word in enumerate(words) if number not in kept]
    return frozenset(kept) if changing else frozenset()


def _word(word: str, role: str, dotted: bool, mention: Mention, subject: Subject) -> str:
    known = mention.who.given if role == Label.FIRST_NAME else mention.who.family
    if not mention.who.whole:
        known += subject.given if role == Label.FIRST_NAME else subject.family
    value = fold(word)
    if len(word) == 1 or (dotted and len(word) <= LONGEST_ABBREVIATION):
        if value not in _LETTERS and len(word) == 1:
            return pour_case(word, part(word, role, subject, mention))
        return abbreviation(word, role, known, subject, mention)
    if len(word) == 2 and word.isupper() and not _VOWELS & set(value):
        return "".join(abbreviation(each, role, known, subject, mention) for each in word)
    return part(word, role, subject, mention)


def _first(name: str) -> str:
    return fold(name)[0].upper()


def _between(text: str, mention: Mention, subject: Subject) -> str:
    """Keep blanks and signs; digits within a name are replaced."""
    if not any(char.isalnum() for char in text):
        return text
    return shape.scramble(text, mention.label, subject)
