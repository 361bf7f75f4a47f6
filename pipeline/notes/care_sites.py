"""Where a note was written: the care site of its visit, or else of its author."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pipeline.warehouse.note_rows import (
    NoteRow,
    whole,
)
from pipeline.warehouse.people import Tables


class Sited(Protocol):
    """A source whose tables can be looked into."""

    @property
    def store(self) -> Tables:
        """The tables."""
        ...


class Sites:
    """The names of the sites of some notes: two queries at most.

    `names` maps care sites, as text, to names; others are called by their number.
    """

    def __init__(self, rows: Sequence[NoteRow], source: Sited, names: Mapping[str, str]) -> None:
        self._names = names
        self._visits = _care_sites(
            source.store, "visit_occurrence", (row.visit_occurrence_id for row in rows)
        )
        others = (row.provider_id for row in rows if not self._of_visit(row))
        self._providers = _care_sites(source.store, "provider", others)

    def of(self, row: NoteRow) -> str:
        """Name the site of a note; empty where nobody knows."""
        site = self._of_visit(row) or self._providers.get(whole(row.provider_id) or 0)
        return self._names.get(str(site), f"site-{site}") if site else ""

    def _of_visit(self, row: NoteRow) -> int | None:
        return self._visits.get(whole(row.visit_occurrence_id) or 0)


def _care_sites(tables: Tables, table: str, values: Iterable[object]) -> dict[int, int]:
    key = f"{table}_id"
    ids = sorted({number for value in values if (number := whole(value))})
    found: dict[int, int] = {}
    for row in tables.lookup(table, (key, "care_site_id"), key, ids) if ids else ():
        number, site = whole(row[key]), whole(row.get("care_site_id"))
        if number is not None and site is not None:
            found.setdefault(number, site)
    return found
