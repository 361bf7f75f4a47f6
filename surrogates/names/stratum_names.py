"""Surrogates of names, word by word, which keep frequency, origin, gender, compounds, particles."""

from collections.abc import Iterable

from record.label import Label
from surrogates.names.spelling import correct, inflect
from surrogates.patient import value_format
from surrogates.patient.known_people import LONGEST_ABBREVIATION, NameToken
from surrogates.patient.misspelling import find_mistakes, misspell
from surrogates.patient.name_draws import PURPOSE
from surrogates.patient.patient import NOBODY, Mention, Subject
from surrogates.patient.text_normalization import apply_case, fold

_VOWELS = frozenset("aeiouy")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def replace(mention: Mention, subject: Subject) -> str:
    """Return the surrogate of a name, word by word, with the same separators.

    Each word has its own surrogate, also in compounds. It never starts with the letter of its
    original, so that initials change too.
    """
    reading = subject.known_people.read_name(mention.text, mention.label)
    text, words = reading.text, reading.words
    if not words:
        return value_format.replace(mention, subject)
    if reading.monogram:
        letters = "".join(
            fold(replace_word(w, role, subject, mention))[0].upper() for role, w in reading.monogram
        )
        between = (text[: words[0].start], text[words[0].end :])
        return letters.join(
            value_format.scramble_content(each, mention.label, subject) for each in between
        )
    pieces: list[str] = []
    end = 0
    for word in words:
        pieces.append(value_format.scramble_content(text[end : word.start], mention.label, subject))
        pieces.append(
            word.text if word.stays else _replace_word_or_initials(word, mention, subject)
        )
        end = word.end
    pieces.append(value_format.scramble_content(text[end:], mention.label, subject))
    return "".join(pieces)


def replace_word(word: str, role: str, subject: Subject, mention: Mention) -> str:
    """Return the surrogate of one word of a name; `role` is FIRST_NAME or LAST_NAME.

    A misspelt known name gives the same mistakes in that name's surrogate.
    """
    value = fold(word)
    right = correct(value, role, subject, mention)
    if right:
        drawn = _draw_name(right, role, subject, mention)
        if (inflected := inflect(drawn, value, role, subject, mention)) != drawn:
            return apply_case(word, inflected)
        like = find_mistakes(right, value)
        label = f"{PURPOSE}/misspelt/{role}"
        for wrong in misspell(fold(drawn), like, right, subject.key, label):
            free = wrong not in subject.avoided_names and not subject.names.is_listed(role, wrong)
            if free and wrong[0] != value[0]:
                return apply_case(word, wrong.title())
    return apply_case(word, _draw_name(value, role, subject, mention))


def abbreviate(
    letters: str, role: str, known: Iterable[str], subject: Subject, mention: Mention
) -> str:
    """Abbreviate the surrogate of the first known name that starts with `letters`.

    Without such a name the letters are drawn; the first one always changes.
    """
    value = fold(letters)
    for name in known:
        if fold(name).startswith(value) and len(name) > len(value):
            drawn = replace_word(name.title(), role, subject, mention)
            return apply_case(letters, fold(drawn)[: len(value)].title())
    if len(value) > 1:
        return apply_case(
            letters, fold(replace_word(value, role, subject, NOBODY))[: len(value)].title()
        )
    others = _LETTERS.replace(value, "")
    drawn = others[subject.key.number(role, f"{value}.", len(others))]
    return drawn.upper() if letters.isupper() else drawn


def _draw_name(value: str, role: str, subject: Subject, mention: Mention) -> str:
    for own_role, own, assigned in mention.person.assigned:
        if (own_role, own) == (role, value):
            return assigned
    patient = subject.known_people.patient
    gender = patient.gender if value in patient.given else mention.person.gender
    if mention.person.variant and value not in (*patient.given, *patient.family):
        return subject.names.draw_variant(role, value, gender, mention.person.variant)
    return subject.names.draw(role, value, gender)


def _replace_word_or_initials(word: NameToken, mention: Mention, subject: Subject) -> str:
    text, value, role = word.text, word.folded, word.role
    if len(text) == 1 or (word.is_dotted and len(text) <= LONGEST_ABBREVIATION):
        if value not in _LETTERS and len(text) == 1:
            return apply_case(text, replace_word(text, role, subject, mention))
        return abbreviate(
            text, role, _expansion_candidates(role, mention, subject), subject, mention
        )
    if len(text) == 2 and text.isupper() and not _VOWELS & set(value):
        known = _expansion_candidates(role, mention, subject)
        return "".join(abbreviate(each, role, known, subject, mention) for each in text)
    return replace_word(text, role, subject, mention)


def _expansion_candidates(role: str, mention: Mention, subject: Subject) -> tuple[str, ...]:
    """Return the names that an initial may stand for, those of the note first."""
    is_given = role == Label.FIRST_NAME
    known = mention.person.given if is_given else mention.person.family
    if mention.person.whole:
        return known
    return known + (subject.given if is_given else subject.family)
