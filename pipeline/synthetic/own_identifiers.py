"""Where else the identifiers of a patient's letters stand: missed mentions, and what came back."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from record.document import Annotated, Document
from record.folding import fold
from record.label import Label
from record.patient import Address, Identifier, PatientRecord, PersonName
from record.span import Span
from rules.known.known import KnownPatient
from surrogates.patient.known_people import is_particle

DETECTOR = "known.letter"
"""Who says that an identifier stands here: it does elsewhere in letters of that patient."""

_DATES = frozenset((Label.DATE.value, Label.BIRTH_DATE.value))
_ADDRESSES = frozenset((Label.STREET.value, Label.ZIP.value, Label.CITY.value))
_NUMBERS = frozenset(
    label.value
    for label in (
        *(Label.SSN, Label.PATIENT_ID, Label.VISIT_ID, Label.PROVIDER_ID, Label.INSURANCE_ID),
        *(Label.ACCOUNT, Label.DEVICE_ID, Label.VEHICLE_ID, Label.ID),
    )
)
_NAMES = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.NAME.value))
_LONG = 5  # letters of a name of which one may be wrong: shorter ones meet others by chance
_NAMED = 4  # letters of a name that must not be written as an everyday word either
_NEAR = 2  # mistakes that make another name of it
_SHORT = 4  # letters and digits; what is shorter stands everywhere
_DIGITS = 5  # of a date: with fewer it names a year or a month, as many others do
_WORD = re.compile(r"[^\W\d_]{2,}")
_ALNUM = re.compile(r"[^\W_]")
_LIMITLESS = frozenset((Label.AGE.value,))


class OwnIdentifiers:
    """The identifiers of one patient's letters, ready to be looked for.

    Names, contacts, numbers and addresses are found in every form that `rules.known` knows, other
    case, accents, order and misspellings among them; whatever is long enough is found by its
    letters and digits, folded. Single letters, ages, and dates that are no whole day are not
    looked for: many share them.
    """

    def __init__(self, letters: Iterable[Annotated]) -> None:
        values: dict[tuple[str, str], None] = {}
        for letter in letters:
            text = letter.document.text
            for span in letter.spans:
                value = " ".join(text[span.start : span.end].split())
                values[span.label, value] = None
        self._labels = {label for label, _ in values}
        self.record = _record(values)
        """All of them as what is known of somebody, for who must not write them again."""
        self._known = KnownPatient(self.record)
        self._names = frozenset(
            word
            for (label, value) in values
            for word in _WORD.findall(fold(value))
            if label in _NAMES and len(word) >= _NAMED and not is_particle(word)
        )
        self._long = sorted(word for word in self._names if len(word) >= _LONG)
        self._is_name: dict[str, bool] = {}
        self._exact = [(label, pattern) for label, pattern in map(_exact, values) if pattern]

    def is_name(self, word: str) -> bool:
        """Return whether a word is one of these names, whatever its case and accents, or nearly.

        Particles and names of fewer than four letters do not count.
        """
        if word not in self._is_name:
            folded = fold(word)
            self._is_name[word] = folded in self._names or self._is_near(folded)
        return self._is_name[word]

    def nearly(self, letter: Annotated) -> list[Span]:
        """Return the names of a letter in which a word is one of these names, but for a letter."""
        text = fold(letter.document.text)
        return [
            span
            for span in letter.spans
            if span.label in _NAMES
            and any(map(self._is_near, _WORD.findall(text[span.start : span.end])))
        ]

    def _is_near(self, word: str) -> bool:
        return any(
            abs(len(word) - len(name)) < _NEAR
            and (word[:2] == name[:2] or word[-2:] == name[-2:])
            and OSA.distance(word, name) < _NEAR
            for name in (self._long if len(word) >= _LONG else ())
        )

    def find(self, document: Document) -> list[Span]:
        """Find them in a letter; spans may overlap."""
        # Who of them is a doctor nobody tells, so each is looked for as both.
        known = self._known.detect(replace(document, clinicians=self.record.relatives))
        found = [
            Span(span.start, span.end, self._named(span.label), DETECTOR)
            for span in known
            if len(_ALNUM.findall(document.text, span.start, span.end)) > 1
        ]
        folded = fold(document.text)
        found += (
            Span(*match.span(), label, DETECTOR)
            for label, pattern in self._exact
            for match in pattern.finditer(folded)
        )
        return found

    def _named(self, label: str) -> str:
        """Return the label that a name has here: not everybody tells first from last ones."""
        is_whole = label in _NAMES and label not in self._labels and Label.NAME in self._labels
        return Label.NAME.value if is_whole else label


def _exact(named: tuple[str, str]) -> tuple[str, re.Pattern[str] | None]:
    label, value = named
    folded = fold(value)
    if label in _LIMITLESS or len(_ALNUM.findall(folded)) < _SHORT:
        return label, None
    if label in _DATES and sum(map(str.isdigit, folded)) < _DIGITS:
        return label, None
    words = r"\s+".join(map(re.escape, folded.split()))
    return label, re.compile(rf"(?<![^\W_]){words}(?![^\W_])")


def _record(values: Iterable[tuple[str, str]]) -> PatientRecord:
    """Write what is known as a record; persons are not told apart, so each name stands alone."""
    named = list(values)

    def of(*labels: str) -> Sequence[str]:
        return [value for label, value in named if label in labels]

    names = [PersonName(given_names=(value,)) for value in of(Label.FIRST_NAME)]
    family = [*of(Label.LAST_NAME)]
    # A particle alone is nobody's name, and stays where surrogates are written.
    words = (word for value in of(Label.NAME) for word in _WORD.findall(value))
    family += (word for word in words if not is_particle(fold(word)))
    names += (PersonName(family_names=(value,)) for value in dict.fromkeys(family))
    return PatientRecord(
        person_id="",
        phones=tuple(of(Label.PHONE, Label.FAX)),
        emails=tuple(of(Label.EMAIL)),
        identifiers=tuple(Identifier(label, value) for label, value in named if label in _NUMBERS),
        addresses=tuple(
            Address(**{label.lower(): value}) for label, value in named if label in _ADDRESSES
        ),
        relatives=tuple(names),
    )
