"""References between the rows of an output: ids of rows that it does not have are emptied."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pipeline.warehouse.cdm_tables import Row
from record.columns import TABLES, id_kind

LINKED_TABLES = ("location", "care_site", "provider", "visit_occurrence", "visit_detail")
"""The tables that rows of others refer to, but person and note; each before those that refer to it.
"""
REQUIRED_LINKS = {"visit_detail": "visit_occurrence_id"}
"""The reference without which OMOP CDM has no row of a table."""

FACT_LINKS: Mapping[str, Mapping[str, str]] = {
    "cost": {"payer_plan_period_id": "payer_plan_period"}
}
"""Table of facts -> its columns that may be empty, and the tables of patients they refer to."""

Ids = NDArray[np.int64]

FindOwners = Callable[[str, Ids], Ids]
"""Returns the person of each row of a table, by the released ids of rows; 0 for an absent row."""

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


def make_lookup(load: Callable[[str], tuple[Ids, Ids]]) -> FindOwners:
    """Return a lookup in tables that are loaded once, as ids of rows and of their persons.

    They take 16 bytes for each row of a table that facts are in.
    """
    loaded: dict[str, tuple[Ids, Ids]] = {}

    def find_owners(table: str, ids: Ids) -> Ids:
        if table not in loaded:
            keys, persons = load(table)
            order = np.argsort(keys, kind="stable")
            loaded[table] = keys[order], persons[order]
        keys, persons = loaded[table]
        if not len(keys):
            return np.zeros(len(ids), np.int64)
        places = np.minimum(np.searchsorted(keys, ids), len(keys) - 1)
        found: Ids = np.where(keys[places] == ids, persons[places], 0)
        return found

    return find_owners


def gather(batches: Iterable[Sequence[Row]], size: int) -> Iterator[list[Row]]:
    """Yield the rows of batches in lots of one size, but for the last."""
    waiting: list[Row] = []
    for rows in batches:
        waiting += rows
        while len(waiting) >= size:
            yield waiting[:size]
            waiting = waiting[size:]
    if waiting:
        yield waiting
