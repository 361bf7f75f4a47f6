"""Names in notes of another language than the cohort's: the patient's own keep their surrogates."""

from surrogates.keys.keys import PatientKey
from surrogates.patient.name_draws import NameDraws
from surrogates.patient.text_normalization import fold

OwnNames = tuple[tuple[str, str, str], ...]
"""Roles, folded words and genders of the names of a record."""


class LocalNames(NameDraws):
    """Draws names from the lists of a note's language, but for those of the patient's record.

    A name of the record has the surrogate that `home` draws for it, in the policy's language, so
    that one patient has one name in all notes; no other name of the note gets that surrogate.
    """

    def __init__(
        self,
        key: PatientKey,
        locale: str,
        known: frozenset[str],
        home: NameDraws,
        names_of_record: OwnNames,
    ) -> None:
        self._home = home
        self._words = frozenset(word for _, word, _ in names_of_record)
        taken = {fold(home.draw(*each)) for each in names_of_record}
        super().__init__(key, locale, known | taken, ())

    def draw(self, role: str, value: str, gender: str = "") -> str:
        """Return the surrogate of a folded word (see `NameDraws.draw`)."""
        if value in self._words:
            return self._home.draw(role, value, gender)
        return super().draw(role, value, gender)

    def draw_variant(self, role: str, value: str, gender: str, variant: str) -> str:
        """Return another surrogate of the same kind (see `NameDraws.draw_variant`)."""
        if value in self._words:
            return self._home.draw_variant(role, value, gender, variant)
        return super().draw_variant(role, value, gender, variant)
