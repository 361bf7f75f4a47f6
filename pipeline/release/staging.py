"""Staging folder of a release: its planned units, their files and their results, unpublished."""

import copy
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
from pipeline.release.exchange import PIECE, Exchange
from pipeline.release.row_digests import Difference
from pipeline.state.detection_register import WorkerRegister
from pipeline.state.tables import DONE, OPEN, RUN, RUN_UNIT, WORKING, pack_ids, unpack_ids
from pipeline.state.unit_leases import UnitLeases, is_lease_kept
from pipeline.warehouse.databases import connect, guard, retrying, transaction
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.omop_tables import LONG
from record.atomic_write import make_folders
from record.errors import ConfigError, CryptonymError

_WHAT = "release staging folder"
_FILE = "staging.db"
LEASED = 0
"""The number of the run that the leases of a staging folder belong to: it has only one."""
_STAGING = MetaData()
_PARAMETERS = Table("parameters", _STAGING, Column("json", Text, nullable=False))
_UNIT = Table(
    "unit", _STAGING,
    Column("unit", Integer, primary_key=True, autoincrement=False),
    Column("low", LONG), Column("high", LONG), Column("notes", Integer),
    Column("person_ids", LargeBinary), Column("note_ids", LargeBinary),
    Column("done", SmallInteger), Column("result", Text),
    Column("released", LargeBinary), Column("refused", LargeBinary), Column("outside", LargeBinary),
)  # fmt: skip
_PART = Table(
    "part", _STAGING,
    Column("unit", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("rows", Integer), Column("total", Text), Column("sha256", Text),
    Column("unchanged", Integer), Column("added", LargeBinary), Column("changed", LargeBinary),
    Column("withdrawn", LargeBinary),
)  # fmt: skip


@dataclass(frozen=True)
class ReleaseUnit:
    """The persons whose released ids are in `low..high`, built and compared together.

    The ids of persons and notes are those of the source; the range is inclusive.
    """

    index: int
    low: int
    high: int
    person_ids: list[int] = field(repr=False)
    note_ids: list[int] = field(repr=False)


@dataclass(frozen=True)
class PartResult:
    """One table of a unit: row count, sum of row hashes, file digest, and difference.

    `difference` compares the rows with those that are published. `index` is the number of the
    unit, or of the range of keys.
    """

    name: str
    rows: int
    total: int
    sha256: str
    difference: Difference
    index: int = 0


@dataclass(frozen=True)
class ReleaseUnitResult:
    """The result of a unit; ids are those of the source.

    `counts` has row counts by table and outcome, `referred` the ids of rows in tables without
    patients that rows of this unit refer to, `labels` the number of surrogates by label,
    `detectors` the number of released notes by what detected their spans, `written`
    rows and the sum of their hashes by table, where parts are made of all units together.
    """

    parts: tuple[PartResult, ...]
    counts: dict[str, dict[str, int]]
    reasons: dict[str, int]
    referred: dict[str, list[int]]
    labels: dict[str, int] = field(default_factory=dict)
    detectors: dict[str, int] = field(default_factory=dict)
    released: list[int] = field(default_factory=list, repr=False)
    refused: list[int] = field(default_factory=list, repr=False)
    outside: list[int] = field(default_factory=list, repr=False)
    written: dict[str, tuple[int, int]] = field(default_factory=dict)


class ReleaseStaging:
    """The folder in which a release is built, readable by its owner alone.

    Workers open it concurrently. It holds what will be published: no keys and no original text.
    The files of a unit that a worker has claimed come to their places with its result, if it still
    has the unit then. With an exchange, plan and results are in there, and workers of other
    machines, which have folders of their own, send their files through it. `workers` has the
    demands on workers, and who was refused.
    """

    def __init__(self, folder: Path, exchange: Exchange | None = None) -> None:
        self.folder = folder
        self.exchange = exchange
        if exchange is None:
            engine = connect(f"sqlite:///{_FILE}", folder, what=_WHAT, use="state")
        else:
            engine = exchange.engine
        self._engine: Engine = engine
        self.leases = UnitLeases(engine)
        self.workers = WorkerRegister(engine)
        self._claimed: Unit | None = None
        self._is_guest = False
        self._has_cleared = False

    def draft(self, claimed: Unit) -> "ReleaseStaging":
        """Return this folder for the work on a claimed unit, whose files have another place."""
        drafted = copy.copy(self)
        drafted._claimed = claimed
        drafted._has_cleared = False
        return drafted

    @property
    def _place(self) -> Path:
        unit = self._claimed
        if unit is None:
            return self.folder
        return self.folder / "drafts" / f"{unit.index:06d}-{unit.attempt}"

    @staticmethod
    def create(folder: Path, exchange: Exchange | None = None) -> "ReleaseStaging":
        """Create an empty staging folder; remove what an earlier release left there."""
        with guard(_WHAT):
            shutil.rmtree(folder, ignore_errors=True)
            make_folders(folder)
        staging = ReleaseStaging(folder, exchange)
        with transaction(staging._engine, _WHAT, write=True) as connection:
            _STAGING.create_all(connection)
            for table in (RUN, RUN_UNIT, PIECE):
                table.create(connection)
            started = datetime.now(UTC).isoformat()
            run = {"run_id": LEASED, "config": b"", "phase": WORKING, "started": started}
            connection.execute(insert(RUN), [run])
        return staging

    @staticmethod
    def open(folder: Path) -> "ReleaseStaging":
        """Open the staging folder of a release in a worker process.

        Raises ConfigError where it is not there, as on another machine.
        """
        if not (folder / _FILE).is_file():
            problem = "this worker does not see the folder in which the release is built"
            remedy = "put the state on PostgreSQL for workers on other machines"
            raise ConfigError("worker.staging", problem, remedy)
        return ReleaseStaging(folder)

    @staticmethod
    def join(exchange: Exchange) -> "ReleaseStaging":
        """Join a release as a worker of another machine, with a folder that `close` removes."""
        with guard(_WHAT):
            folder = Path(tempfile.mkdtemp(prefix="cryptonym-release-"))
        joined = ReleaseStaging(folder, exchange)
        joined._is_guest = True
        return joined

    def store_parameters(self, parameters: dict[str, Any]) -> None:
        """Store the parameters that worker processes need."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(insert(_PARAMETERS), [{"json": json.dumps(parameters)}])

    def read_parameters(self) -> dict[str, Any]:
        """Return the stored parameters."""
        with transaction(self._engine, _WHAT) as connection:
            stored = connection.scalar(select(_PARAMETERS.c.json))
        parameters: dict[str, Any] = json.loads(stored or "{}")
        return parameters

    def add_units(self, units: Iterable[ReleaseUnit]) -> None:
        """Store planned units."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for unit in units:
                row = {
                    "unit": unit.index, "low": unit.low, "high": unit.high, "done": 0,
                    "notes": len(unit.note_ids), "person_ids": pack_ids(unit.person_ids),
                    "note_ids": pack_ids(unit.note_ids),
                }  # fmt: skip
                connection.execute(insert(_UNIT), [row])
                # A unit of persons cannot be halved: it has no notes of its own there.
                lease = {
                    "run_id": LEASED, "unit": unit.index, "part": "", "low": unit.low,
                    "high": unit.high, "count": 0, "planned": pack_ids([]), "done": OPEN,
                }  # fmt: skip
                connection.execute(insert(RUN_UNIT), [lease])

    def indexes(self) -> list[int]:
        """Return the indexes of all units, in order."""
        with transaction(self._engine, _WHAT) as connection:
            return list(connection.scalars(select(_UNIT.c.unit).order_by(_UNIT.c.unit)))

    def unit(self, index: int) -> ReleaseUnit:
        """Return a planned unit."""
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(select(_UNIT).where(_UNIT.c.unit == index)).one()
        notes, persons = unpack_ids(row.note_ids), unpack_ids(row.person_ids)
        return ReleaseUnit(index, row.low, row.high, persons, notes)

    def progress(self) -> tuple[int, int]:
        """Return the number of notes in finished units, and in all units."""
        total = select(func.coalesce(func.sum(_UNIT.c.notes), 0))
        with transaction(self._engine, _WHAT) as connection:
            done = connection.scalar(total.where(_UNIT.c.done == 1))
            return int(done or 0), int(connection.scalar(total) or 0)

    def path(self, name: str, index: int, suffix: str) -> Path:
        """Return the path of a unit's rows of a table."""
        return self._place / name / f"part-{index:06d}.{suffix}"

    def unit_path(self, name: str, index: int) -> Path:
        """Return the path of a unit's rows of a table, before they are sorted with all others."""
        return self._place / "units" / name / f"unit-{index:06d}.parquet"

    def unit_files(self, name: str) -> list[Path]:
        """Return the files of the units that have rows of a table, in order."""
        return sorted(self.unit_path(name, 0).parent.glob("unit-*.parquet"))

    @retrying
    def add_part(self, part: PartResult) -> None:
        """Store a part of a table whose file is in place; idempotent."""
        row = _part_row(part.index, part)
        this = (_PART.c.unit == part.index) & (_PART.c.name == part.name)
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(_PART).where(this))
            connection.execute(insert(_PART), [row])

    def commit(self, index: int, made: ReleaseUnitResult) -> None:
        """Store the result of a unit, and put its files into place if it was claimed.

        Nothing happens where the claim was lost: another worker makes the unit.
        """
        if self._store_result(index, made) and self._claimed is not None:
            self.leases.forget(LEASED, self._claimed)
            shutil.rmtree(self._place, ignore_errors=True)

    @retrying
    def _store_result(self, index: int, made: ReleaseUnitResult) -> bool:
        """Store the result of a unit with its files; return whether it still was this worker's."""
        result: dict[str, Any] = {
            "counts": made.counts, "reasons": made.reasons, "referred": made.referred,
            "labels": made.labels, "detectors": made.detectors, "written": made.written,
        }  # fmt: skip
        done = {
            "done": 1, "result": json.dumps(result), "released": pack_ids(made.released),
            "refused": pack_ids(made.refused), "outside": pack_ids(made.outside),
        }  # fmt: skip
        rows = [_part_row(index, part) for part in made.parts]
        here = (RUN_UNIT.c.run_id == LEASED, RUN_UNIT.c.unit == index)
        with transaction(self._engine, _WHAT, write=True) as connection:
            if self._claimed is not None:
                held = connection.execute(select(RUN_UNIT).where(*here)).one()
                if held.done == DONE and held.attempt == self._claimed.attempt:
                    return True  # committed, which a connection that was lost then did not tell
                if held.done or not is_lease_kept(held, self._claimed):
                    return False
                if self._is_guest:
                    assert self.exchange is not None
                    self.exchange.send(connection, index, self._place)
                else:
                    # Others wait for this transaction before they write.
                    self._move_files(index)
            ended = update(RUN_UNIT).where(*here).values(done=DONE, lease_ends=None)
            connection.execute(ended)
            connection.execute(delete(_PART).where(_PART.c.unit == index))
            connection.execute(update(_UNIT).where(_UNIT.c.unit == index).values(done))
            if rows:
                connection.execute(insert(_PART), rows)
        return True

    def fetch_files(self) -> None:
        """Put the files that workers of other machines have sent into their places."""
        if self.exchange is not None:
            self.exchange.fetch(self.folder)

    def _move_files(self, index: int) -> None:
        """Put the files of the claimed unit in place of those of an attempt that was cut off.

        Tried again, it moves what is left: files that are in place are then those of this claim,
        as long as it has the unit.
        """
        if not self._has_cleared:
            for pattern in (f"*/part-{index:06d}.*", f"units/*/unit-{index:06d}.parquet"):
                for left in self.folder.glob(pattern):
                    left.unlink()
            self._has_cleared = True
        for made in sorted(path for path in self._place.rglob("*") if path.is_file()):
            place = self.folder / made.relative_to(self._place)
            place.parent.mkdir(parents=True, exist_ok=True)
            made.replace(place)

    def result(self, index: int) -> ReleaseUnitResult | None:
        """Return the result of a unit; None while it is unfinished."""
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(select(_UNIT).where(_UNIT.c.unit == index)).one()
            parts = connection.execute(select(_PART).where(_PART.c.unit == index)).all()
        if not row.done:
            return None
        return ReleaseUnitResult(
            tuple(_part(part) for part in parts),
            **json.loads(row.result),
            released=unpack_ids(row.released),
            refused=unpack_ids(row.refused),
            outside=unpack_ids(row.outside),
        )

    def parts(self, name: str) -> Iterator[tuple[int, PartResult]]:
        """Stream the parts of a table, unit by unit."""
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
        """Close the database connections; the folder of a guest goes with them."""
        self._engine.dispose()
        if self._is_guest:
            shutil.rmtree(self.folder, ignore_errors=True)

    def remove(self) -> None:
        """Delete the staging folder, and what is in the exchange."""
        if self.exchange is not None:
            with suppress(CryptonymError):
                self.exchange.remove()
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def incomplete(problem: str) -> Incomplete:
    """Return the error for a release that is not published because something is missing."""
    return Incomplete(
        f"{problem}; nothing was published and the previous release is unchanged. Remedy: run "
        "again; report the problem if it persists"
    )


def _part_row(index: int, part: PartResult) -> dict[str, Any]:
    found = part.difference
    return {
        "unit": index, "name": part.name, "rows": part.rows, "total": f"{part.total:x}",
        "sha256": part.sha256, "unchanged": found.unchanged, "added": pack_ids(found.added),
        "changed": pack_ids(found.changed), "withdrawn": pack_ids(found.withdrawn),
    }  # fmt: skip


def _part(row: Any) -> PartResult:
    found = Difference(
        unpack_ids(row.added), unpack_ids(row.changed), unpack_ids(row.withdrawn), row.unchanged
    )
    return PartResult(row.name, row.rows, int(row.total, 16), row.sha256, found, row.unit)
