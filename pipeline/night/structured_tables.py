"""The structured tables of the nightly output: rows of its persons, and what these refer to."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
import pyarrow as pa

from pipeline.warehouse.cdm_tables import (
    FACT_TABLES,
    REFERENCE_TABLES,
    STAFF_TABLES,
    VISIT_TABLES,
    Row,
    make_tables,
    patient_tables,
)
from pipeline.warehouse.databases import chunks, retrying
from pipeline.warehouse.fact_rows import FactReader, list_fact_tables
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.parquet_source import ParquetStore
from pipeline.warehouse.row_links import LINKED_TABLES, NOTE_LINKS, PresentRows
from pipeline.warehouse.sql_output import Output
from pipeline.warehouse.table_reader import (
    empty_impossible_ids,
    present_columns,
    read_rows,
    to_rows,
)
from pipeline.warehouse.warehouse import Source
from record.columns import Treatment
from record.policy import Policy
from surrogates.keys.keys import CohortKey
from surrogates.tables.columns import Columns, Subjects

_PERSONS = 500
_PARQUET_FACTOR = 16
_DEFINED = make_tables(None)


def list_nightly_tables(names: Collection[str], source: Source, policy: Policy) -> tuple[str, ...]:
    """Return the tables of an output in write order: those the source has and the policy keeps."""
    dropped = {
        *(VISIT_TABLES if policy.visits == "drop" else ()),
        *(STAFF_TABLES if policy.clinicians == "drop" else ()),
    }
    ordered = dict.fromkeys((*LINKED_TABLES, *patient_tables()))
    wanted = [name for name in ordered if name in names and name not in dropped]
    facts = [name for name in list_fact_tables(source) if name in names]
    return (*(name for name in wanted if present_columns(source, name)), *facts)


@dataclass
class StructuredTables:
    """Writes the rows of persons that the output has; only what differs is written.

    `names` are the tables in write order, `earlier` those that runs have ever written. What a table
    holds depends on source, key and policy alone, so that an interrupted run is completed by doing
    it again. `refused` counts rows that could not be treated, by reason, `refused_facts` those of
    tables of facts by table and reason.
    """

    source: Source
    output: Output
    cohort: CohortKey
    policy: Policy
    names: tuple[str, ...]
    earlier: frozenset[str] = frozenset()
    refused: Counter[str] = field(default_factory=Counter)
    refused_facts: dict[str, Counter[str]] = field(default_factory=dict)
    _columns: Columns = field(init=False, repr=False)
    _done: set[int] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        self._columns = Columns(self.cohort, self.policy)

    def write(self, person_ids: Collection[int | None]) -> None:
        """Write the rows of persons of the source, unless this run wrote them before.

        Rows of persons whom the source no longer has, or who object, stay until these are pruned:
        a held withdrawal keeps both notes and rows.
        """
        if not self.names:
            return
        is_scanned = isinstance(self.source.store, ParquetStore)
        fresh = sorted({each for each in person_ids if each is not None} - self._done)
        # Files are gone through once for each of these.
        for some in chunks(fresh, _PERSONS * (_PARQUET_FACTOR if is_scanned else 1)):
            known = list(self.source.demographics(some))
            if known:
                self.refused.update(self._write(known))
            self._done.update(some)

    def write_all(self) -> None:
        """Write the rows of all persons of the output, then remove what nothing refers to."""
        released = np.fromiter(self.output.person_ids(), np.int64)
        if self.names and len(released):
            found = map(parse_integer, self.source.store.values("person", "person_id"))
            limit = 1 << self.cohort.id_bits
            ids = [each for each in found if each is not None and 0 < each < limit]
            persons = np.array(sorted(ids), np.int64)
            drawn = self.cohort.pseudonyms("person", persons)
            self.write(persons[np.isin(drawn, released)].tolist())
        self.output.clear_tables(self.earlier - set(self.names))
        # The rows that facts are in, and notes, are all there now, or gone.
        reader = FactReader(self.source, self.cohort, self._columns, _DEFINED, self.refused_facts)
        for name in (name for name in FACT_TABLES if name in self.names):
            self.output.write_facts(name, partial(reader.read, name))

    @retrying
    def _write(self, persons: Sequence[int]) -> Counter[str]:
        """Write the rows of persons of the source; return how many could not be treated, by reason.

        Again from the start where a connection is lost: rows are streamed, and only what differs is
        written.
        """
        refused = Counter[str]()
        subjects = Subjects(records={
            str(each): record for each, record in self.source.patients(persons).items()
        })  # fmt: skip
        referred: dict[str, set[int]] = {name: set() for name in REFERENCE_TABLES}
        rows: dict[str, list[Row]] = {}
        for name in self.names:
            if name not in (*REFERENCE_TABLES, *FACT_TABLES):
                batches = read_rows(self.source, name, "person_id", persons)
                rows[name] = self._treat(name, batches, referred, subjects, refused)
        has_clinicians = "provider" in self.names
        links = self._read_links(persons, referred, refused) if has_clinicians else None
        references = self._read_references(referred, refused)
        present = PresentRows()
        for name in (name for name in LINKED_TABLES if name in self.names):
            made = references if name in REFERENCE_TABLES else rows
            made[name] = present.settle(name, _names(name), made[name])
        for name in rows.keys() - set(LINKED_TABLES):
            rows[name] = present.clear(name, _names(name), rows[name])
        self.output.write_references(references)
        drawn = self.cohort.pseudonyms("person", np.array(persons, np.int64)).tolist()
        by_drawn = dict(zip(drawn, persons, strict=True))
        changed = self.output.find_changed(drawn, rows)
        if not changed:
            return refused
        if links is None:
            written = sorted(by_drawn[each] for each in changed)
            links = self._read_links(written, referred, refused)
        theirs = [row for row in links if row[1] in changed]
        mine = {
            name: [row for row in found if row[_names(name).index("person_id")] in changed]
            for name, found in rows.items()
        }
        columns = ("note_id", "person_id", *NOTE_LINKS)
        cleared = present.clear("note", columns, theirs)
        self.output.write_rows(changed, mine, {row[0]: row[2:] for row in cleared})
        return refused

    def _read_links(
        self, persons: Sequence[int], referred: dict[str, set[int]], refused: Counter[str]
    ) -> list[Row]:
        """Read what the notes of persons refer to, as note, person and `NOTE_LINKS`."""
        columns = ("note_id", "person_id", *NOTE_LINKS)
        present = set(present_columns(self.source, "note"))
        batches = (
            {name: column for name, column in columns_read.items() if name in columns}
            for columns_read in read_rows(
                self.source, "note", "person_id", persons, only=[n for n in columns if n in present]
            )
        )
        rows = self._treat("note", batches, referred, Subjects(), refused)
        places = [_names("note").index(name) for name in columns]
        return [tuple(row[place] for place in places) for row in rows]

    def _read_references(
        self, referred: dict[str, set[int]], refused: Counter[str]
    ) -> dict[str, list[Row]]:
        """Read the rows of tables without patients, and of those that these refer to."""
        rows: dict[str, list[Row]] = {}
        for name in REFERENCE_TABLES:
            if name in self.names:
                batches = read_rows(self.source, name, f"{name}_id", sorted(referred[name]))
                rows[name] = self._treat(name, batches, referred, Subjects(), refused)
        return {name: rows[name] for name in reversed(rows)}

    def _treat(
        self,
        name: str,
        batches: Iterator[Mapping[str, pa.Array]],
        referred: dict[str, set[int]],
        subjects: Subjects,
        refused: Counter[str],
    ) -> list[Row]:
        """Treat rows; add the ids of rows without patients that they refer to, and refusals."""
        rows: dict[int, Row] = {}
        for columns in batches:
            columns = empty_impossible_ids(name, columns, self.cohort)  # noqa: PLW2901
            treated = self._columns.treat(name, pa.table(columns), subjects)
            refused.update(treated.refused)
            for row in to_rows(treated.rows, _DEFINED[name]):
                rows.setdefault(row[0], row)
            for other, known in referred.items():
                column = f"{other}_id"
                is_kept = self.policy.treatment(f"{name}.{column}") is Treatment.REKEY
                if other != name and column in columns and is_kept:
                    numbers = map(parse_integer, columns[column].to_pylist())
                    known.update(each for each in numbers if each is not None)
        return list(rows.values())


@cache
def _names(table: str) -> tuple[str, ...]:
    return tuple(_DEFINED[table].columns.keys())
