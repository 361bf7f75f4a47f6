"""Draws the parts of a number under its key and label, consistent with the patient's data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from record.label import Label
from surrogates.dates import dates
from surrogates.keys.keys import PatientKey
from surrogates.patient import value_format
from surrogates.patient.patient import Mention, Subject
from surrogates.permutations import code_permutation

SHARED = frozenset((Label.PATIENT_ID.value, Label.VISIT_ID.value, Label.PROVIDER_ID.value))
"""Labels of row ids of the warehouse: one permutation for all patients of a cohort."""

_SEXES = frozenset("MF")


@dataclass(slots=True)
class Drawing:
    """One attempt to draw a number; further attempts have a greater `counter`.

    A `dry_run` changes nothing: a maker returns the same number, or None where the number is not of
    its kind.
    """

    mention: Mention
    subject: Subject
    counter: int = 0
    dry_run: bool = False

    @property
    def key(self) -> PatientKey:
        """The cohort's shared key for row ids, else the patient's key."""
        key = self.subject.key
        return key.shared if self.mention.label in SHARED else key

    def digits(self, text: str, tweak: str = "") -> str:
        """Permute digits, any digit in any place."""
        if self.dry_run or len(text) > code_permutation.LONGEST:
            return self.signs(text, ["0123456789"] * len(text), "digits", tweak)
        drawn = code_permutation.permute_number(
            int(text),
            10 ** len(text),
            key=self.key,
            label=self.mention.label,
            name="digits",
            tweak=tweak,
            times=self.counter,
        )
        return f"{drawn:0{len(text)}d}"

    def until(self, text: str, valid: Callable[[str], bool]) -> str:
        """Permute digits within the valid ones, to which these belong."""
        drawn = self.digits(text)
        while not valid(drawn):
            drawn = self.digits(drawn)
        return drawn

    def signs(self, text: str, alphabets: Sequence[str], name: str, tweak: str = "") -> str:
        """Permute characters, each within its own alphabet."""
        places = [max(0, signs.find(char)) for char, signs in zip(text, alphabets, strict=True)]
        drawn = self.places(places, [len(signs) for signs in alphabets], name, tweak)
        return "".join(signs[place] for place, signs in zip(drawn, alphabets, strict=True))

    def places(
        self, places: Sequence[int], sizes: Sequence[int], name: str, tweak: str = ""
    ) -> list[int]:
        """Permute places of a mixed radix with the given sizes."""
        if self.dry_run:
            return list(places)
        return code_permutation.permute_places(
            places,
            sizes,
            key=self.key,
            label=self.mention.label,
            name=name,
            tweak=tweak,
            times=self.counter,
        )

    def shaped(self, text: str, *, speakable: bool = False) -> str:
        """Permute characters within their format."""
        if self.dry_run:
            return text
        return value_format.permute_value(
            text, self.mention.label, self.key, self.counter, speakable=speakable
        )

    def born(self, written: date) -> date:
        """Shift the patient's birth date, or the one in the number where it is unknown."""
        if self.dry_run:
            return written
        return dates.move_birth(self.subject.birth_date or written, self.subject)

    def sex(self, written: str) -> str:
        """Return the patient's sex, `M` or `F`, or the one in the number where it is unknown."""
        known = self.subject.gender in _SEXES and not self.dry_run
        return self.subject.gender if known else written


def day(year: int, month: int, day_of_month: int) -> date | None:
    """Return a date; None where it does not exist."""
    try:
        return date(year, month, day_of_month)
    except ValueError:
        return None
