"""A release before anybody sees it: its units, the files they are made into, what came of each."""

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from pipeline.night.nightly import Incomplete
from pipeline.release.row_digests import Difference
from pipeline.state.tables import pack_ids, unpack_ids
from pipeline.warehouse.databases import connect, guard, retrying, transaction
from pipeline.warehouse.omop_tables import LONG

_WHAT = "draft"
_FILE = "draft.db"
_DRAFT = MetaData()
_PLAN = Table("plan", _DRAFT, Column("told", Text, nullable=False))
_UNIT = Table(
    "unit", _DRAFT,
    Column("unit", Integer, primary_key=True, autoincrement=False),
    Column("low", LONG), Column("high", LONG), Column("notes", Integer),
    Column("person_ids", LargeBinary), Column("note_ids", LargeBinary),
    Column("done", SmallInteger), Column("account", Text),
    Column("released", LargeBinary), Column("refused", LargeBinary), Column("outside", LargeBinary),
)  # fmt: skip
_PART = Table(
    "part", _DRAFT,
    Column("unit", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("rows", Integer), Column("total", Text), Column("sha256", Text),
    Column("unchanged", Integer), Column("added", LargeBinary), Column("changed", LargeBinary),
    Column("withdrawn", LargeBinary),
)  # fmt: skip


@dataclass(frozen=True)
class ReleaseUnit:
    """What is made and compared as one: the persons whose released ids are in `low..high`.

    The ids of persons and notes are those of the source; the range is inclusive.
    """

    index: int
    low: int
    high: int
    person_ids: list[int] = field(repr=False)
    note_ids: list[int] = field(repr=False)


@dataclass(frozen=True)
class PartMade:
    """One table of a unit: its rows, the sum of their hashes, its file, how it differs."""

    name: str
    rows: int
    total: int
    sha256: str
    difference: Difference


@dataclass(frozen=True)
class UnitMade:
    """What came of a unit; ids are those of the source.

    `counts` has numbers of rows by table and what became of them, `referred` the ids of rows in
    tables without patients that the rows of this unit lead to, `labels` numbers of surrogates.
    """

    parts: tuple[PartMade, ...]
    counts: dict[str, dict[str, int]]
    reasons: dict[str, int]
    referred: dict[str, list[int]]
    labels: dict[str, int] = field(default_factory=dict)
    released: list[int] = field(default_factory=list, repr=False)
    refused: list[int] = field(default_factory=list, repr=False)
    outside: list[int] = field(default_factory=list, repr=False)


class ReleaseDraft:
    """The folder of a release while it is made, which its owner alone may read.

    Workers open it side by side. Without keys and originals: it holds what will be published.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._engine: Engine = connect(f"sqlite:///{_FILE}", folder, what=_WHAT, use="state")

    @staticmethod
    def begin(folder: Path) -> "ReleaseDraft":
        """Make an empty draft in place of whatever an earlier one left."""
        with guard(_WHAT):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700, parents=True)
        draft = ReleaseDraft(folder)
        with transaction(draft._engine, _WHAT, write=True) as connection:
            _DRAFT.create_all(connection)
        return draft

    def tell(self, told: dict[str, Any]) -> None:
        """Store what worker processes must know."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(insert(_PLAN), [{"told": json.dumps(told)}])

    def told(self) -> dict[str, Any]:
        """Return what was told."""
        with transaction(self._engine, _WHAT) as connection:
            found: dict[str, Any] = json.loads(connection.scalar(select(_PLAN.c.told)) or "{}")
        return found

    def plan(self, units: Iterable[ReleaseUnit]) -> None:
        """Store the units."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for unit in units:
                row = {
                    "unit": unit.index, "low": unit.low, "high": unit.high, "done": 0,
                    "notes": len(unit.note_ids), "person_ids": pack_ids(unit.person_ids),
                    "note_ids": pack_ids(unit.note_ids),
                }  # fmt: skip
                connection.execute(insert(_UNIT), [row])

    def pending(self, worker: int, workers: int) -> list[int]:
        """Name the units that are not done, for one of several workers, in order."""
        mine = select(_UNIT.c.unit).where(_UNIT.c.done == 0, _UNIT.c.unit % workers == worker)
        with transaction(self._engine, _WHAT) as connection:
            return list(connection.scalars(mine.order_by(_UNIT.c.unit)))

    def indexes(self) -> list[int]:
        """Name all units, in order."""
        with transaction(self._engine, _WHAT) as connection:
            return list(connection.scalars(select(_UNIT.c.unit).order_by(_UNIT.c.unit)))

    def unit(self, index: int) -> ReleaseUnit:
        """Return a unit as it was planned."""
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(select(_UNIT).where(_UNIT.c.unit == index)).one()
        notes, persons = unpack_ids(row.note_ids), unpack_ids(row.person_ids)
        return ReleaseUnit(index, row.low, row.high, persons, notes)

    def progress(self) -> tuple[int, int]:
        """Count the notes of the units that are done, and all."""
        total = select(func.coalesce(func.sum(_UNIT.c.notes), 0))
        with transaction(self._engine, _WHAT) as connection:
            done = connection.scalar(total.where(_UNIT.c.done == 1))
            return int(done or 0), int(connection.scalar(total) or 0)

    def path(self, name: str, index: int, suffix: str) -> Path:
        """Name the file of a table's rows of a unit."""
        return self.folder / name / f"part-{index:06d}.{suffix}"

    @retrying
    def commit(self, index: int, made: UnitMade) -> None:
        """Store what came of a unit, whose files are in place; may be repeated."""
        account: dict[str, Any] = {
            "counts": made.counts, "reasons": made.reasons, "referred": made.referred,
            "labels": made.labels,
        }  # fmt: skip
        done = {
            "done": 1, "account": json.dumps(account), "released": pack_ids(made.released),
            "refused": pack_ids(made.refused), "outside": pack_ids(made.outside),
        }  # fmt: skip
        rows = [_part_row(index, part) for part in made.parts]
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(_PART).where(_PART.c.unit == index))
            connection.execute(update(_UNIT).where(_UNIT.c.unit == index).values(done))
            if rows:
                connection.execute(insert(_PART), rows)

    def made(self, index: int) -> UnitMade | None:
        """Return what came of a unit; None while it is not done."""
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(select(_UNIT).where(_UNIT.c.unit == index)).one()
            parts = connection.execute(select(_PART).where(_PART.c.unit == index)).all()
        if not row.done:
            return None
        return UnitMade(
            tuple(_part(part) for part in parts),
            **json.loads(row.account),
            released=unpack_ids(row.released),
            refused=unpack_ids(row.refused),
            outside=unpack_ids(row.outside),
        )

    def parts(self, name: str) -> Iterator[tuple[int, PartMade]]:
        """Stream what was made of a table, unit by unit."""
        of_table = select(_PART).where(_PART.c.name == name).order_by(_PART.c.unit)
        after = -1
        while True:
            with transaction(self._engine, _WHAT) as connection:
                row = connection.execute(of_table.where(_PART.c.unit > after).limit(1)).first()
            if row is None:
                return
            after = row.unit
            yield row.unit, _part(row)

    def close(self) -> None:
        """Return the connections."""
        self._engine.dispose()

    def remove(self) -> None:
        """Remove the draft."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def incomplete(problem: str) -> Incomplete:
    """Say that something is missing, so that nothing was released."""
    return Incomplete(
        f"{problem}; nothing was released, what was released before stays. Remedy: run again; if "
        "it happens again, report it"
    )


def _part_row(index: int, part: PartMade) -> dict[str, Any]:
    found = part.difference
    return {
        "unit": index, "name": part.name, "rows": part.rows, "total": f"{part.total:x}",
        "sha256": part.sha256, "unchanged": found.unchanged, "added": pack_ids(found.added),
        "changed": pack_ids(found.changed), "withdrawn": pack_ids(found.withdrawn),
    }  # fmt: skip


def _part(row: Any) -> PartMade:
    found = Difference(
        unpack_ids(row.added), unpack_ids(row.changed), unpack_ids(row.withdrawn), row.unchanged
    )
    return PartMade(row.name, row.rows, int(row.total, 16), row.sha256, found)
