"""References between the rows of an output: ids of rows that it does not have are emptied."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from pipeline.warehouse.cdm_tables import Row
from record.columns import TABLES, id_kind

LINKED_TABLES = ("location", "care_site", "provider", "visit_occurrence", "visit_detail")
"""The tables that rows of others refer to, but person and note; each before those that refer to it.
"""
REQUIRED_LINKS = {"visit_detail": "visit_occurrence_id"}
"""The reference without which OMOP CDM has no row of a table."""

_TABLE_OF_KIND = {id_kind(f"{name}_id"): name for name in LINKED_TABLES}


@cache
def link_columns(table: str) -> Mapping[str, str]:
    """Return the columns of a table that refer to linked tables, with the table of each."""
    names = (name for name in TABLES.get(table, ())[1:] if name.endswith("_id"))
    return {
        name: _TABLE_OF_KIND[id_kind(name)] for name in names if id_kind(name) in _TABLE_OF_KIND
    }


NOTE_LINKS = link_columns("note")
"""The columns by which a note refers to rows of other tables, with the table of each."""


@dataclass
class PresentRows:
    """The rows of linked tables that an output has, by table and id.

    The value of an id is the person of its row, None in a table without patients: a row refers to
    no visit of another person.
    """

    owners: dict[str, dict[int, int | None]] = field(default_factory=dict, repr=False)

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows with the columns of `TABLES`."""
        names = TABLES[table]
        place = names.index("person_id") if "person_id" in names else None
        known = self.owners.setdefault(table, {})
        known.update((row[0], None if place is None else row[place]) for row in rows)

    def has(self, table: str, number: int, person_id: int | None) -> bool:
        """Return whether a row of a person may refer to this row."""
        known = self.owners.get(table)
        if known is None or number not in known:
            return False
        owner = known[number]
        return owner is None or owner == person_id

    def settle(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> list[Row]:
        """Add the rows of a table, and return them as `clear` does: they may refer to each other.

        The tables that they refer to must be settled before.
        """
        self.add(table, rows)
        kept = self.clear(table, columns, rows)
        if len(kept) < len(rows):
            del self.owners[table]
            self.add(table, kept)
            return self.clear(table, columns, kept)
        return kept

    def clear(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> list[Row]:
        """Return rows without the ids of absent rows, and without the rows that need one of them.

        `columns` are those of the rows.
        """
        return [row for row in self.clear_each(table, columns, rows) if row is not None]

    def clear_each(
        self, table: str, columns: Sequence[str], rows: Iterable[Row]
    ) -> list[Row | None]:
        """Return each row without the ids of absent rows, or None for one that needs one."""
        linked = link_columns(table)
        links = [(k, linked[name]) for k, name in enumerate(columns) if name in linked]
        person = columns.index("person_id") if "person_id" in columns else None
        needed = REQUIRED_LINKS.get(table)
        required = columns.index(needed) if needed in columns else None
        made: list[Row | None] = []
        for row in rows:
            owner = None if person is None else row[person]
            gone = {
                k for k, other in links if row[k] is not None and not self.has(other, row[k], owner)
            }
            if gone:
                row = tuple(None if k in gone else each for k, each in enumerate(row))  # noqa: PLW2901
            made.append(None if required is not None and row[required] is None else row)
        return made
