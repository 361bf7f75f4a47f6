"""Where notes come from and where they go: a database or a folder of Parquet files."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pipeline.config.settings import IdentitySettings, OutputSettings, SourceSettings
from pipeline.warehouse.databases import connect, retrying_briefly
from pipeline.warehouse.note_rows import NoteRow, OutputRow, PersonRow, Unit
from pipeline.warehouse.parquet_output import ParquetOutput
from pipeline.warehouse.parquet_source import ParquetStore
from pipeline.warehouse.people import (
    Row,
    check_identity,
    find_clinicians,
    find_demographics,
    find_identified,
    find_note_ids,
    find_patients,
    find_visit_numbers,
)
from pipeline.warehouse.sql_output import Output, SqlOutput
from pipeline.warehouse.sql_source import SqlStore
from record.columns import TABLES
from record.failure import Failure
from record.patient import PatientRecord, PersonName

__all__ = ["JSONL", "PARQUET", "Output", "OutputRow", "Source", "open_output", "open_source"]

PARQUET = "parquet:"
"""What the URL of a folder of Parquet tables begins with."""
JSONL = "jsonl:"
"""What the URL of a folder of JSON Lines begins with; releases alone are written so."""
_TABLES = frozenset(TABLES) - {"note_span"}


class SourceTables(Protocol):
    """The tables of a source, wherever they are."""

    def require(self, table: str, columns: Sequence[str]) -> None:
        """Raise ConfigError unless the table is there with these columns."""
        ...

    def plan(self, size: int) -> Iterator[tuple[Unit, list[int]]]:
        """Cut the notes into units, each with its ids."""
        ...

    def malformed(self) -> list[Failure]:
        """Report the rows that no unit holds."""
        ...

    def read(self, unit: Unit) -> list[NoteRow]:
        """Read the notes of a unit."""
        ...

    def pick(self, note_ids: Collection[int], size: int) -> Iterator[list[NoteRow]]:
        """Read single notes, about `size` at a time."""
        ...

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes are there now."""
        ...

    def lookup(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Sequence[Row]:
        """Read the rows whose key is among the values."""
        ...

    def columns(self, table: str) -> tuple[str, ...]:
        """Name the columns of a table in lower case; none where there is no such table."""
        ...

    def scan(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Iterator[Mapping[str, Any]]:
        """Stream the rows whose key is among the values, some at a time, as columns."""
        ...

    def close(self) -> None:
        """Return what is open."""
        ...


@dataclass(frozen=True)
class Source:
    """An OMOP CDM 5.4 warehouse, read in bounded batches and never written."""

    store: SourceTables
    identity: IdentitySettings | None = None

    def plan(self, size: int) -> Iterator[tuple[Unit, list[int]]]:
        """Cut the notes into units of `size`, each with the ids it holds now.

        Rows whose id is no number or that share their id are in no unit: see `malformed`.
        """
        return self.store.plan(size)

    def malformed(self) -> list[Failure]:
        """Report each row that no unit can hold (`malformed-id`, `duplicate-id`)."""
        return self.store.malformed()

    def read(self, unit: Unit) -> list[NoteRow]:
        """Read the notes of a unit, values as the driver gives them."""
        return self.store.read(unit)

    def note_ids(self, person_ids: Collection[int]) -> list[int]:
        """Find the notes of persons; an id that several rows share comes as often."""
        return find_note_ids(self.store, person_ids)

    def pick(self, note_ids: Collection[int], size: int) -> Iterator[list[NoteRow]]:
        """Read single notes, about `size` at a time, with the values that `read` gives them.

        Ids that are not there, or that several rows share, are left out.
        """
        return self.store.pick(note_ids, size)

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes are in the source now."""
        return self.store.present(note_ids)

    def patients(self, person_ids: Collection[Any]) -> dict[int, PatientRecord]:
        """Assemble what is known of these persons; whom the source does not have is left out."""
        return find_patients(self.store, self.identity, person_ids)

    def demographics(self, person_ids: Collection[Any]) -> dict[int, PersonRow]:
        """Read what the output's person table is made from, under the source's ids."""
        return find_demographics(self.store, person_ids)

    def has_identity(self, person_ids: Collection[Any]) -> set[int]:
        """Return of whom enough is known: all, unless a row in the identity table is required."""
        return find_identified(self.store, self.identity, person_ids)

    def clinicians(self, provider_ids: Collection[Any]) -> dict[int, PersonName]:
        """Read the names of clinicians."""
        return find_clinicians(self.store, provider_ids)

    def visit_numbers(self, visit_ids: Collection[Any]) -> dict[int, str]:
        """Read the numbers that visits carry on paper."""
        return find_visit_numbers(self.store, visit_ids)

    def close(self) -> None:
        """Return connections and files."""
        self.store.close()


@retrying_briefly
def open_source(settings: SourceSettings, base: Path) -> Source:
    """Open a source and check its tables; a relative path starts at `base`.

    Raises ConfigError for missing tables or columns, Unavailable where it cannot be reached.
    """
    identity = settings.identity
    wanted = _TABLES | {identity.table.lower()} if identity else _TABLES
    store: SourceTables
    if settings.url.startswith(PARQUET):
        store = ParquetStore(base / settings.url.removeprefix(PARQUET), wanted)
    else:
        engine = connect(settings.url, base, what="source.url", use="source")
        store = SqlStore(engine, settings.schema, wanted)
    if identity:
        check_identity(identity)
        store.require(identity.table, [identity.person_id, *identity.columns.values()])
    return Source(store, identity)


@retrying_briefly
def open_output(settings: OutputSettings, base: Path) -> Output:
    """Open an output and create what it lacks; a relative path starts at `base`.

    Raises ConfigError for tables of another shape, Unavailable where it cannot be reached.
    """
    if settings.url.startswith(PARQUET):
        return ParquetOutput(base / settings.url.removeprefix(PARQUET))
    return SqlOutput(connect(settings.url, base, what="output.url", use="output"), settings.schema)
