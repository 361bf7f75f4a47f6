"""How one number is drawn: under which key and label, and what it must agree with."""

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
"""Labels whose numbers name rows of the warehouse: one order for all patients of a cohort."""

_SEXES = frozenset("MF")


@dataclass(slots=True)
class Drawing:
    """One try to draw a number; further ones have a greater `counter`.

    One that is only `asked` for moves nothing: what makes numbers gives the same one back, or
    None where it is none of its kind.
    """

    mention: Mention
    subject: Subject
    counter: int = 0
    dry_run: bool = False

    @property
    def key(self) -> PatientKey:
        """The key of the cohort for the ids of its rows, else of the patient."""
        key = self.subject.key
        return key.shared if self.mention.label in SHARED else key

    def digits(self, text: str, tweak: str = "") -> str:
        """Return the digits that stand for others, any digit in any place."""
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
        """Return the digits that stand for others among those that are valid, as these are."""
        drawn = self.digits(text)
        while not valid(drawn):
            drawn = self.digits(drawn)
        return drawn

    def signs(self, text: str, alphabets: Sequence[str], name: str, tweak: str = "") -> str:
        """Return the signs that stand for others, each out of an alphabet of its own."""
        places = [max(0, signs.find(char)) for char, signs in zip(text, alphabets, strict=True)]
        drawn = self.places(places, [len(signs) for signs in alphabets], name, tweak)
        return "".join(signs[place] for place, signs in zip(drawn, alphabets, strict=True))

    def places(
        self, places: Sequence[int], sizes: Sequence[int], name: str, tweak: str = ""
    ) -> list[int]:
        """Return the places that stand for others of the same sizes."""
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
        """Return the signs that stand for others of the same shape."""
        if self.dry_run:
            return text
        return value_format.permute_value(
            text, self.mention.label, self.key, self.counter, speakable=speakable
        )

    def born(self, written: date) -> date:
        """Move the birth date of the patient, or where nobody knows it that in the number."""
        if self.dry_run:
            return written
        return dates.move_birth(self.subject.birth_date or written, self.subject)

    def sex(self, written: str) -> str:
        """Return the patient's sex, `M` or `F`, or where nobody knows it that in the number."""
        known = self.subject.gender in _SEXES and not self.dry_run
        return self.subject.gender if known else written


def day(year: int, month: int, day_of_month: int) -> date | None:
    """Make a date; None where the calendar has no such day."""
    try:
        return date(year, month, day_of_month)
    except ValueError:
        return None
