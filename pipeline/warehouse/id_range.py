"""Checks that the ids of a source fit the pseudonyms of a cohort, before anything is written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pipeline.warehouse.findings import MOST_ID_BITS, NOTE_NLP
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.warehouse import Source
from record.algorithms import ALGORITHMS
from record.columns import COLUMNS, FACTS, TABLES, ColumnType, Treatment
from record.errors import ConfigError
from surrogates.ciphers.id_permutation import refuse_id
from surrogates.keys.keys import CohortKey

_NIGHTLY = ("note", "person")
_OF_A_NIGHT = frozenset(("person_id", "provider_id", "visit_occurrence_id", "visit_detail_id"))


def check_nightly_ids(source: Source, cohort: CohortKey) -> None:
    """Check the ids of persons and notes, and those that notes refer to; see `check_ids`."""
    if cohort.algorithm > ALGORITHMS[0]:
        check_night_ids(source, cohort.id_bits)


def check_night_ids(source: Source, bits: int) -> None:
    """Check what a night replaces: see `check_ids`."""
    wanted = {
        name: [each for each in TABLES[name] if each in _OF_A_NIGHT or each == TABLES[name][0]]
        for name in _NIGHTLY
    }
    check_ids(source, bits, wanted)


def check_table_ids(source: Source, cohort: CohortKey, tables: Iterable[str]) -> None:
    """Check the key of each of these tables; see `check_ids`."""
    if cohort.algorithm > ALGORITHMS[0]:
        check_ids(source, cohort.id_bits, list_keys(tables))


def check_finding_ids(cohort: CohortKey) -> None:
    """Raise ConfigError if ids made from those of notes, as in `note_nlp`, would be too large."""
    if cohort.id_bits > MOST_ID_BITS:
        problem = f"ids of notes with {cohort.id_bits} bits leave no room for those of {NOTE_NLP}"
        remedy = f"set policy.id_bits = {MOST_ID_BITS}, or leave {NOTE_NLP} out"
        raise ConfigError("output.tables", problem, remedy)


def list_keys(tables: Iterable[str]) -> dict[str, Sequence[str]]:
    """Return the key of each table of OMOP CDM that has one."""
    return {
        name: TABLES[name][:1]
        for name in tables
        if name in TABLES and TABLES[name][0] not in FACTS.get(name, ())
    }


def check_ids(source: Source, bits: int, wanted: Mapping[str, Sequence[str]]) -> None:
    """Raise ConfigError for a table with ids that pseudonyms of so many bits have no place for.

    `wanted` maps tables to columns of ids; those that the source lacks are left out. The first
    version of the surrogate algorithm hashes ids, and takes any.
    """
    for table, columns in wanted.items():
        present = source.store.columns(table)
        names = [name for name in columns if name in present and _is_replaced(table, name)]
        if not names:
            continue
        for least, most in source.store.extremes(table, names).values():
            _check(table, least, most, bits)


def _is_replaced(table: str, column: str) -> bool:
    rule = COLUMNS.get(f"{table}.{column}")
    return rule is not None and rule.holds is ColumnType.ID and rule.treatment is Treatment.REKEY


def _check(table: str, least: Any, most: Any, bits: int) -> None:
    if isinstance(least, str) and isinstance(most, str) and table not in _NIGHTLY:
        raise ConfigError(
            f"ids of {table}",
            "they are text",
            "number the rows from 1, for example in a view of the source",
        )
    for number in (parse_integer(most), parse_integer(least)):
        if number is not None and not 0 < number < 1 << bits:
            refuse_id(table, number, bits)
