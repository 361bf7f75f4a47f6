"""Surrogates of whole names: drawn from all names of the gender, in a form of their own.

A name of several words has the surrogate of its first; how many words that has, what joins them
and whether a particle stands before is drawn. Case, titles and the order of names are kept, and a
misspelling is corrected.
"""

from collections.abc import Iterable

from record.errors import Unsafe
from surrogates.names.spelling import correct, inflect
from surrogates.patient import value_format
from surrogates.patient.known_people import GIVEN, NameReading, NameUnit
from surrogates.patient.mixed_draws import DrawnName, MixedDraws
from surrogates.patient.name_pools import gender_of
from surrogates.patient.name_units import read_units
from surrogates.patient.patient import Mention, Place, Subject
from surrogates.patient.text_normalization import HAS_CONTENT, apply_case, fold

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def replace(mention: Mention, subject: Subject) -> str:
    """Return the surrogate of a mention, name by name."""
    reading = subject.known_people.read_name(mention.text, mention.label)
    units = read_units(reading, subject.known_people).units
    if not units:
        return value_format.replace(mention, subject)
    if reading.monogram:
        return _replace_monogram(reading, mention, subject)
    pieces: list[str] = []
    end = 0
    for unit in units:
        pieces.append(_keep_between(reading, end, unit.start, mention, subject))
        pieces.append(_replace_unit(unit, mention, subject))
        end = unit.end
    pieces.append(_keep_between(reading, end, len(reading.text), mention, subject))
    return "".join(pieces)


def replace_word(word: str, role: str, subject: Subject, mention: Mention) -> str:
    """Return the first word of the surrogate of a name that one of its words tells."""
    return apply_case(word, _draw(role, fold(word), mention, subject).words[0])


def abbreviate(
    letters: str, role: str, known: Iterable[str], subject: Subject, mention: Mention
) -> str:
    """Return the initial of the surrogate of the first known name that starts with `letters`.

    Without such a name it is drawn, and is another than the first of `letters`.
    """
    value = fold(letters)
    name = next((fold(n) for n in known if fold(n).startswith(value) and len(n) > len(value)), "")
    if not name and len(value) > 1:
        name = value
    if name:
        drawn = fold(_draw(role, name, mention, subject).words[0])[0]
    else:
        others = _LETTERS.replace(value, "")
        drawn = others[subject.key.number(role, f"{value}.", len(others))]
    return drawn if letters.islower() else drawn.upper()


def _replace_unit(unit: NameUnit, mention: Mention, subject: Subject) -> str:
    first = unit.words[0]
    if unit.is_short:
        letters = first.text if first.is_dotted else first.text[0]
        return abbreviate(letters, unit.role, _candidates(unit, mention, subject), subject, mention)
    drawn = _draw(unit.role, first.folded, mention, subject)
    words = frozenset(word.folded for word in unit.words)
    if not words.isdisjoint(drawn.folded):
        # Only words that nobody knows can meet what is drawn for the first one.
        gender = _gender(unit.role, first.folded, mention, subject)
        drawn = _draws(subject).draw_apart(unit.role, first.folded, gender, words)
        if not words.isdisjoint(drawn.folded):
            raise Unsafe("no-surrogate")
    text = inflect(drawn.text, unit.words[-1].folded, unit.role, subject, mention)
    return apply_case(unit.written, text)


def _draw(role: str, value: str, mention: Mention, subject: Subject) -> DrawnName:
    """Draw for the name that a folded word is of, as the record and the note tell."""
    person, draws = mention.person, _draws(subject)
    value = correct(value, role, subject, mention) or value
    value = next((each[2] for each in person.heads if each[:2] == (role, value)), value)
    gender = _gender(role, value, mention, subject)
    if person.place is Place.LATER:
        return draws.draw_member(role, value, gender)
    drawn = next((each[2] for each in person.apart if each[:2] == (role, value)), None)
    if drawn is None:
        patient = subject.known_people.patient
        own = patient.given if role == GIVEN else patient.family
        is_own = draws.groups.head(role, value) in own[:1]
        drawn = draws.draw(role, value, gender, "" if is_own else person.variant)
    return drawn if person.place is Place.ALONE else DrawnName(drawn.words[0], drawn.words[:1])


def _gender(role: str, value: str, mention: Mention, subject: Subject) -> str:
    """Return the gender of a given name: as the note tells, else the lists, else the person."""
    if role != GIVEN:
        return ""
    person = mention.person
    return person.told or gender_of(value, subject.locale) or person.gender


def _draws(subject: Subject) -> MixedDraws:
    if subject.mixed_names is None:
        raise Unsafe("no-surrogate")
    return subject.mixed_names


def _candidates(unit: NameUnit, mention: Mention, subject: Subject) -> tuple[str, ...]:
    """Return the names that an initial may stand for, those of the note first."""
    is_given = unit.role == GIVEN
    known = mention.person.given if is_given else mention.person.family
    if mention.person.whole:
        return known
    return known + (subject.given if is_given else subject.family)


def _replace_monogram(reading: NameReading, mention: Mention, subject: Subject) -> str:
    """Return one initial for the given names and one for the family names, in their order."""
    first = dict(reversed(reading.monogram))
    order = dict.fromkeys(role for role, _ in reading.monogram)
    drawn = (_draw(role, first[role], mention, subject).words[0] for role in order)
    letters = "".join(fold(word)[0].upper() for word in drawn)
    text, word = reading.text, reading.words[0]
    between = (text[: word.start], text[word.end :])
    return letters.join(
        value_format.scramble_content(each, mention.label, subject) for each in between
    )


def _keep_between(
    reading: NameReading, start: int, end: int, mention: Mention, subject: Subject
) -> str:
    """Keep titles, blanks and punctuation between two names; replace digits."""
    between = reading.text[start:end]
    if not HAS_CONTENT.search(between):
        return between
    pieces: list[str] = []
    at = start
    for word in reading.words:
        if start <= word.start and word.end <= end:
            pieces += (reading.text[at : word.start], word.text)
            at = word.end
    pieces.append(reading.text[at:end])
    pieces[::2] = (
        value_format.scramble_content(each, mention.label, subject) for each in pieces[::2]
    )
    return "".join(pieces)
