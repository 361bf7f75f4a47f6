"""Independent search of released texts for known values of their patient.

It deliberately shares no code with the rules or the residue check, so that an error there cannot
hide itself here.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from record.patient import PatientRecord

_WORD = re.compile(r"[^\W_]+")
_SHORTEST_NAME = 3
_SHORTEST_NUMBER = 6


@dataclass(frozen=True, slots=True)
class Leak:
    """A known value in a text: the field of the record and the position in the text.

    `position` is the number of the word, counted from zero, at which the value begins.
    """

    field_name: str
    position: int


@dataclass(frozen=True)
class LeakScanner:
    """Searches texts for the known values of one patient, word by word.

    Case, accents and everything between words are ignored: `JEAN-PAUL`, `Jean Paul` and
    `jean–paul` are the same two words. Numbers (phones, identifiers) are compared by their digits,
    across separators. Names of fewer than three letters are not searched.
    """

    phrases: dict[tuple[str, ...], str] = field(repr=False)
    numbers: dict[str, str] = field(repr=False)

    def scan(self, text: str) -> list[Leak]:
        """Return every leak in a text."""
        found = fold_words(text)
        leaks = []
        for phrase, name in self.phrases.items():
            size = len(phrase)
            for at in range(len(found) - size + 1):
                if tuple(found[at : at + size]) == phrase:
                    leaks.append(Leak(name, at))
        for run in _DIGITS.finditer(text):
            digits = "".join(char for char in run.group() if char.isdigit())
            leaks.extend(
                Leak(name, run.start()) for number, name in self.numbers.items() if number in digits
            )
        return leaks


def make_leak_scanner(record: PatientRecord) -> LeakScanner:
    """Make the scanner for a patient's record."""
    phrases: dict[tuple[str, ...], str] = {}
    numbers: dict[str, str] = {}
    for name, value in _known_phrases(record):
        folded = tuple(fold_words(value))
        if len("".join(folded)) >= _SHORTEST_NAME:
            phrases.setdefault(folded, name)
    for name, value in _known_numbers(record):
        digits = "".join(char for char in value if char.isdigit())
        if len(digits) >= _SHORTEST_NUMBER:
            numbers.setdefault(digits, name)
    return LeakScanner(phrases, numbers)


def fold_words(text: str) -> list[str]:
    """Split a text into words, without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _WORD.findall(bare.casefold())


def _known_phrases(record: PatientRecord) -> Iterator[tuple[str, str]]:
    people = [("given_names", record.given_names), ("family_names", record.family_names)]
    people.append(("birth_names", record.birth_names))
    for relative in record.relatives:
        people.append(("relatives", relative.given_names + relative.family_names))
    for name, values in people:
        for value in values:
            yield name, value
    for address in record.addresses:
        yield from (("street", address.street), ("city", address.city), ("zip", address.zip))
    yield from (("emails", email) for email in record.emails)
    yield from (("identifiers", identifier.value) for identifier in record.identifiers)
    if record.birth_date:
        yield from (("birth_date", written) for written in _write_date(record.birth_date))


def _known_numbers(record: PatientRecord) -> Iterator[tuple[str, str]]:
    # The last nine digits are the same in national and international form.
    yield from (("phones", "".join(filter(str.isdigit, phone))[-9:]) for phone in record.phones)
    for identifier in record.identifiers:
        if not any(char.isalpha() for char in identifier.value):
            yield "identifiers", identifier.value


def _write_date(day: date) -> Iterator[str]:
    yield f"{day:%d/%m/%Y}"
    yield f"{day:%Y-%m-%d}"
    yield f"{day.day}/{day.month}/{day.year}"
    for months in _MONTHS:
        yield f"{day.day} {months[day.month - 1]} {day.year}"
        yield f"{day.day} de {months[day.month - 1]} de {day.year}"
        yield f"{months[day.month - 1]} {day.day} {day.year}"


_MONTHS = tuple(
    names.split()
    for names in (
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "january february march april may june july august september october november december",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
)

_DIGITS = re.compile(r"\d(?:[ .\-/]?\d)*")
