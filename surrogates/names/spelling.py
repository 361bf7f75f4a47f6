"""The correct spelling of misspelt names, known from the record or the note."""

from locales import name_endings
from surrogates.patient.patient import Mention, Subject


def correct(value: str, role: str, subject: Subject, mention: Mention) -> str:
    """Return the correct spelling of a misspelt folded word; empty where it is not misspelt.

    The names of the record come first, then those of the note (`NamedPerson.spelt`). A genitive or
    plural is that of a name of the record, the lists or the note.
    """
    if subject.known_people.knows(role, value):
        return ""
    right = subject.known_people.correct(role, value)
    told = next((each[2] for each in mention.person.spelt if each[:2] == (role, value)), "")
    if right or (subject.names.is_listed(role, value) and not _is_stem(told, value, subject)):
        return right
    return told


def inflect(drawn: str, value: str, role: str, subject: Subject, mention: Mention) -> str:
    """Return a surrogate in the genitive or plural where the folded word of a name is in it."""
    if _is_stem(correct(value, role, subject, mention), value, subject):
        return name_endings.inflect(drawn, subject.locale)
    return drawn


def _is_stem(right: str, value: str, subject: Subject) -> bool:
    people = subject.known_people
    return people.reads_endings and right in name_endings.stems(value, people.locale)
