"""Two releases of the same fictional patients under two keys, as files that an attacker reads.

Every identifier of the notes is known and replaced, so that what links is what is released on
purpose. The rows are those of a release: the same code treats columns and texts, and sorts.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from record.algorithms import ALGORITHMS
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns
from synthesis.fictional.people.records import Hospital

MASTER = MasterKey(bytes(range(32)))
TABLES = ("person", "visit_occurrence", "note", "name")
NAMES = frozenset(("FIRST_NAME", "LAST_NAME", "NAME"))
_FEMALE, _MALE = 8532, 8507
_PAGE = 2_000


@dataclass(frozen=True)
class Release:
    """The rows of a release by table; `name` has the surrogates of names with note and label.

    Names are given to the attackers, who would have to find them in the texts.
    """

    tables: Mapping[str, list[dict[str, Any]]]

    @property
    def persons(self) -> list[int]:
        """The ids of the persons, in the order of the release."""
        return [row["person_id"] for row in self.tables["person"]]


@dataclass(frozen=True)
class Pair:
    """Two releases of the same patients; `truth` leads from a person of one to that of the other.

    `policy` is what both were made under, `algorithm` the version of the surrogates.
    """

    first: Release
    second: Release
    truth: Mapping[int, int]


def make_pair(
    hospital: Hospital, policy: Policy, algorithm: int, keys: tuple[str, str] = ("asthma", "cancer")
) -> Pair:
    """Release all patients of a hospital to two cohorts."""
    first, second = (MASTER.cohort(name, algorithm=algorithm) for name in keys)
    truth = {
        first.pseudonym("person", str(person)): second.pseudonym("person", str(person))
        for person in hospital.patients
    }
    made = [make_release(hospital, policy, key) for key in (first, second)]
    return Pair(made[0], made[1], truth)


def make_release(hospital: Hospital, policy: Policy, key: CohortKey) -> Release:
    """Release all patients of a hospital under the key of a cohort."""
    columns = Columns(key, policy)
    tables: dict[str, list[dict[str, Any]]] = {
        "person": _treat(columns, "person", _person_rows(hospital)),
        "visit_occurrence": _treat(columns, "visit_occurrence", _visit_rows(hospital)),
    }
    tables["note"], tables["name"] = _notes(hospital, columns, Rewriter(key, policy))
    _hold_back(tables, policy, key.algorithm)
    if policy.visits == "drop":
        tables["visit_occurrence"] = []
    if key.algorithm > 2:
        for name, rows in tables.items():
            if rows:
                rows.sort(key=lambda row, name=name: _sort_key(name, row))  # type: ignore[misc]
    return Release(tables)


def _hold_back(tables: dict[str, list[dict[str, Any]]], policy: Policy, algorithm: int) -> None:
    """Leave out what is dated in the days that the policy holds back before the newest date."""
    held = policy.under(algorithm).hold_back_days or 0
    if algorithm == ALGORITHMS[0] or not held:
        return
    dated = (("visit_occurrence", "visit_end_date"), ("note", "note_date"))
    days = [row[column] for name, column in dated for row in tables[name]]
    # Shifts are of a month at least: a release ends that much later than its newest date.
    last = max(days) + timedelta(days=policy.min_shift_days - held)
    for name, column in dated:
        tables[name] = [row for row in tables[name] if row[column] <= last]
    kept = {row["note_id"] for row in tables["note"]}
    tables["name"] = [row for row in tables["name"] if row["note_id"] in kept]


def _sort_key(name: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["note_id"], row["start"]) if name == "name" else (row[f"{name}_id"],)


def _treat(columns: Columns, table: str, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    treated = columns.treat(table, pa.Table.from_pylist(list(rows)))
    if treated.refused:
        raise ValueError(f"rows of {table} were refused: {dict(treated.refused)}")
    found: list[dict[str, Any]] = treated.rows.to_pylist()
    return found


def _person_rows(hospital: Hospital) -> Iterator[dict[str, Any]]:
    for person, record in hospital.patients.items():
        born = record.birth_date
        yield {
            "person_id": person,
            "gender_concept_id": {"M": _MALE, "F": _FEMALE}.get(record.gender, 0),
            "year_of_birth": born.year if born else None,
            "month_of_birth": born.month if born else None,
            "day_of_birth": born.day if born else None,
        }


def _visit_rows(hospital: Hospital) -> Iterator[dict[str, Any]]:
    for visit in hospital.visits:
        yield {
            "visit_occurrence_id": visit.visit_id,
            "person_id": visit.person_id,
            "visit_start_datetime": visit.start,
            "visit_end_datetime": visit.end,
            "visit_start_date": visit.start.date(),
            "visit_end_date": visit.end.date(),
            "provider_id": visit.provider_id,
            "care_site_id": visit.care_site_id,
        }


def _notes(
    hospital: Hospital, columns: Columns, rewriter: Rewriter
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    names: list[dict[str, Any]] = []
    raw: list[dict[str, Any]] = []
    for note in hospital.notes():
        document, record = note.annotated.document, hospital.patients[note.person_id]
        released = rewriter.rewrite(document, note.annotated.spans, record)
        note_id = columns.pseudonym("note", str(note.note_id))
        raw.append(
            {
                "note_id": note.note_id,
                "person_id": note.person_id,
                "note_date": note.written.date(),
                "note_datetime": note.written,
                "provider_id": note.provider_id,
                "visit_occurrence_id": note.visit_id,
            }
        )
        rows.append({"note_text": released.text})
        names += [
            {"note_id": note_id, "start": span.start, "label": span.label, "text": text}
            for span, text in _surrogates(released.text, released.spans)
            if span.label in NAMES
        ]
    for start in range(0, len(raw), _PAGE):
        treated = _treat(columns, "note", raw[start : start + _PAGE])
        for row, more in zip(treated, rows[start : start + _PAGE], strict=True):
            more.update({name: value for name, value in row.items() if name != "note_text"})
    return rows, names


def _surrogates(text: str, spans: Iterable[Span]) -> Iterator[tuple[Span, str]]:
    for span in spans:
        yield span, text[span.start : span.end]


def write_release(release: Release, folder: Path) -> None:
    """Write a release as JSON Lines, one file a table, for attackers that read files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in release.tables.items():
        lines = (json.dumps(row, default=str, ensure_ascii=False) for row in rows)
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
