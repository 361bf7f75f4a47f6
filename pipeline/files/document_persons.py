"""The person that a document is about: from a map of files, the file name, or a field in it."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import regex

from extractors.document.limits import Extracted
from record.errors import ConfigError, Unreadable
from record.patient import PatientRecord

GROUP = "person_id"
"""The named group of a pattern, and the column of a map, that hold the person."""

_MOST_SECONDS = 1.0
_FILE = "file"
# What a field holds ends at white space, as numbers in letterheads do, and is on its line. Digits
# behind a blank may be the rest of a number, or another one.
_VALUE = r"[^\S\n]*[:=#][^\S\n]*(?P<value>\w[\w./-]*)(?P<more>[^\S\n]\d)?"


@dataclass(frozen=True)
class PersonSources:
    """Where the persons of documents come from; without any source, no document has one.

    `by_file` maps paths or names of files to persons. `pattern` is searched for in the name of a
    file. `field_name` is what precedes a colon and the person in the text of a document, on any
    line of any page. With `patients`, what was found may also be one of their identifiers. `inputs`
    are the files that this was read from.
    """

    by_file: Mapping[str, str] = field(default_factory=dict, repr=False)
    pattern: Any = None
    field_name: str = ""
    patients: Mapping[str, PatientRecord] | None = field(default=None, repr=False)
    inputs: tuple[Path, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.by_file or self.pattern or self.field_name)


class PersonFinder:
    """Finds the persons of documents; never chooses between two."""

    def __init__(self, sources: PersonSources, files: Sequence[Path]) -> None:
        self._sources = sources
        self._names = Counter(path.name for path in files)
        self._owners = _index_identifiers(sources.patients or {})
        words = map(re.escape, sources.field_name.split())
        self._field = re.compile(r"(?<!\w)" + r"\s+".join(words) + _VALUE, re.IGNORECASE)

    def find(self, path: Path, document: Extracted) -> str | None:
        """Return the person of a document, or None if no source names one.

        Raises Unreadable `ambiguous-person` if the sources name several, or a field may hold more.
        """
        values = {*self._from_map(path), *self._from_name(path), *self._from_text(document)}
        persons = {person for value in values for person in self._resolve(value)}
        if len(persons) > 1:
            raise Unreadable("ambiguous-person")
        return next(iter(persons), None)

    def _from_map(self, path: Path) -> Iterator[str]:
        by_file = self._sources.by_file
        if str(path) in by_file:
            yield by_file[str(path)]
        elif path.name in by_file:
            if self._names[path.name] > 1:
                raise Unreadable("ambiguous-person")  # files of one name in several folders
            yield by_file[path.name]

    def _from_name(self, path: Path) -> Iterator[str]:
        pattern = self._sources.pattern
        try:
            match = pattern.search(path.name, timeout=_MOST_SECONDS) if pattern else None
        except TimeoutError:
            # Patterns are the operator's own, and may try more ways than there is time for.
            raise Unreadable("slow-person-pattern") from None
        if match and match[GROUP]:
            yield match[GROUP]

    def _from_text(self, document: Extracted) -> Iterator[str]:
        if self._sources.field_name:
            # Letterheads are where the field is, and most layouts drop them from the text.
            lines = (line.text for page in document.page_lines for line in page.lines)
            for text in (document.text, *lines):
                for match in self._field.finditer(text):
                    if match["more"]:
                        raise Unreadable("ambiguous-person")
                    value = match["value"].rstrip("./-")
                    # A name or a heading is no id; known ones are compared with the patients'.
                    if self._sources.patients is not None or any(map(str.isdigit, value)):
                        yield value

    def _resolve(self, value: str) -> set[str]:
        """Return the persons that a value stands for."""
        patients = self._sources.patients
        if patients is None:
            return {value}
        owners = self._owners.get(_fold(value), set())
        return owners | {value} if value in patients else owners


def read_person_map(path: Path) -> dict[str, str]:
    """Read a CSV file with the columns `file` and `person_id`; raises ConfigError with the line."""
    persons: dict[str, str] = {}
    for number, name, person in _read_rows(path):
        where = f"--person-map {path}, line {number}"
        if not name or not person:
            problem = f"{_FILE} or {GROUP} is empty"
            raise ConfigError(where, problem, "fill in both, or remove the line")
        if persons.setdefault(name, person) != person:
            raise ConfigError(where, "a second person for one file", "keep one line a file")
    return persons


def parse_person_pattern(text: str) -> Any:
    """Compile a pattern of file names with `regex`; raises ConfigError if it names no person."""
    example = f"write one such as '^(?P<{GROUP}>[0-9]+)_'"
    try:
        pattern = regex.compile(text)
    except regex.error as error:
        problem = f"not a regular expression ({error})"
        raise ConfigError("--person-pattern", problem, example) from None
    if GROUP not in pattern.groupindex:
        raise ConfigError("--person-pattern", f"has no group named {GROUP}", example)
    return pattern


def _read_rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the number of each line, the name of its file, and its person."""
    remedy = f"give a CSV file with the columns {_FILE} and {GROUP}"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if missing := [name for name in (_FILE, GROUP) if name not in (rows.fieldnames or ())]:
                problem = f"has no column {' and '.join(missing)}"
                raise ConfigError(f"--person-map {path}", problem, remedy)
            for row in rows:
                yield rows.line_num, (row[_FILE] or "").strip(), (row[GROUP] or "").strip()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        problem = getattr(error, "strerror", None) or "not CSV in UTF-8"
        raise ConfigError(f"--person-map {path}", problem.lower(), remedy) from None


def _index_identifiers(patients: Mapping[str, PatientRecord]) -> dict[str, set[str]]:
    owners: dict[str, set[str]] = {}
    for person_id, value in _list_identifiers(patients.values()):
        owners.setdefault(_fold(value), set()).add(person_id)
    owners.pop("", None)
    return owners


def _list_identifiers(patients: Iterable[PatientRecord]) -> Iterator[tuple[str, str]]:
    for patient in patients:
        for identifier in patient.identifiers:
            yield patient.person_id, identifier.value


def _fold(value: str) -> str:
    """Return a number as it is compared: letters and digits, in one case."""
    return "".join(filter(str.isalnum, value)).casefold()
