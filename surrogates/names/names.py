"""Surrogates of persons' names, as the policy draws them: mixed, or of the same stratum."""

from collections.abc import Iterable

from surrogates.names import mixed_names, stratum_names
from surrogates.patient.patient import NOBODY, Mention, Subject


def replace(mention: Mention, subject: Subject) -> str:
    """Return the surrogate of a name as written, in the same case.

    It never starts with the letter of its original, so that initials change too.
    """
    if subject.mixed_names is not None:
        return mixed_names.replace(mention, subject)
    return stratum_names.replace(mention, subject)


def replace_word(word: str, role: str, subject: Subject, mention: Mention = NOBODY) -> str:
    """Return one word for one word of a name; `role` is FIRST_NAME or LAST_NAME."""
    if subject.mixed_names is not None:
        return mixed_names.replace_word(word, role, subject, mention)
    return stratum_names.replace_word(word, role, subject, mention)


def abbreviate(
    letters: str, role: str, known: Iterable[str], subject: Subject, mention: Mention = NOBODY
) -> str:
    """Abbreviate the surrogate of the first known name that starts with `letters`.

    Without such a name the letters are drawn; the first one always changes.
    """
    if subject.mixed_names is not None:
        return mixed_names.abbreviate(letters, role, known, subject, mention)
    return stratum_names.abbreviate(letters, role, known, subject, mention)
