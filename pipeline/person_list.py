"""The persons of a cohort, read from a file that somebody made by hand or by a query."""

from dataclasses import dataclass, field
from pathlib import Path

from record.errors import ConfigError

_SETTING = "--persons"
_PARTED_BY = (";", "\t", ",")


@dataclass(frozen=True)
class PersonList:
    """The persons that a file names, each once, and how many lines repeat one."""

    person_ids: frozenset[int] = field(repr=False)
    duplicates: int = 0


def read_persons(path: Path) -> PersonList:
    """Read one person_id a line, or the first column of a table parted by `,`, `;` or tabs.

    The first line may be a heading; empty lines do not count. Raises ConfigError, which names the
    line and never what is in it, for anything that is no number, and for a file that names nobody.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(_SETTING, "cannot be read", "give a text file in UTF-8") from None
    cells = [(number, _first(line)) for number, line in enumerate(lines, 1) if line.strip()]
    if cells and not _is_number(cells[0][1]):
        del cells[0]
    for number, cell in cells:
        if not _is_number(cell):
            problem = f"line {number} has no person_id in its first column"
            raise ConfigError(_SETTING, problem, "write one person_id a line")
    ids = [int(cell) for _, cell in cells]
    if not ids:
        # Whoever empties the file by mistake must not empty the release.
        remedy = "name a person; to end a release, remove its output"
        raise ConfigError(_SETTING, "names nobody", remedy)
    return PersonList(frozenset(ids), len(ids) - len(set(ids)))


def _first(line: str) -> str:
    for sign in _PARTED_BY:
        line = line.partition(sign)[0]
    return line.strip().strip("\"'").strip()


def _is_number(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdigit() and int(cell) in range(-(2**63), 2**63)
