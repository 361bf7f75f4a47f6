"""The correct spelling of misspelt names, known from the record or the note."""

from surrogates.patient.patient import Mention, Subject


def correct(value: str, role: str, subject: Subject, mention: Mention) -> str:
    """Return the correct spelling of a misspelt folded word; empty where it is not misspelt.

    The names of the record come first, then those of the note (`NamedPerson.spelt`).
    """
    if subject.known_people.knows(role, value):
        return ""
    right = subject.known_people.correct(role, value)
    if right or subject.names.is_listed(role, value):
        return right
    return next((each[2] for each in mention.person.spelt if each[:2] == (role, value)), "")
