"""Where workers of other machines give the files of a release to the process that drives it.

It is a schema of the state database, of one release alone: workers that an earlier release left
find theirs gone, and can store nothing in this one.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.schema import CreateSchema, DropSchema

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import make_seal, open_master, resolve_urls
from pipeline.state.schema_version import connect_state
from pipeline.state.span_sealing import Seal
from pipeline.warehouse.databases import connect, database_path, guard, retrying, transaction
from record.errors import ConfigError, Unavailable, Unsafe

_WHAT = "state"
_PREFIX = "cryptonym_release_"
_PIECE = 4 << 20
_PATH = re.compile(r"(?:units/[a-z_]+/unit|[a-z_]+/part)-\d{6}\.[a-z]+")
PIECE = Table(
    "piece", MetaData(),
    Column("unit", Integer, primary_key=True, autoincrement=False),
    Column("path", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sealed", LargeBinary, nullable=False),
)  # fmt: skip
"""The files of units that are done and not fetched yet, in pieces; each is sealed in its place."""


@dataclass(frozen=True)
class Exchange:
    """A schema of the state database; `engine` finds the tables of a release in it."""

    engine: Engine
    schema: str
    seal: Seal = field(repr=False)

    def send(self, connection: Connection, unit: int, folder: Path) -> None:
        """Store the files of a unit within the transaction that stores its result."""
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            name = path.relative_to(folder).as_posix()
            with path.open("rb") as file:
                for number, data in enumerate(iter(lambda: file.read(_PIECE), b"")):
                    sealed = self.seal.seal_piece(self._place(unit, name, number), data)
                    row = {"unit": unit, "path": name, "number": number, "sealed": sealed}
                    connection.execute(insert(PIECE), [row])

    def fetch(self, folder: Path) -> None:
        """Write the files of the units that are done to a folder, each to its place.

        Raises Unsafe where a piece was not made by a worker of this release.
        """
        while self._fetch_unit(folder):
            pass

    @retrying
    def _fetch_unit(self, folder: Path) -> bool:
        with transaction(self.engine, _WHAT, write=True) as connection:
            unit = connection.scalar(select(func.min(PIECE.c.unit)))
            if unit is None:
                return False
            mine = PIECE.c.unit == unit
            paths = select(PIECE.c.path).where(mine).distinct().order_by(PIECE.c.path)
            for name in connection.scalars(paths).all():
                if not _PATH.fullmatch(name):
                    raise Unsafe("broken-seal")
                place = folder / name
                with guard("release staging folder"):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    made = place.with_name(f"{place.name}.tmp")
                    with made.open("wb") as file:
                        for data in self._read(connection, unit, name):
                            file.write(data)
                    made.replace(place)
            connection.execute(delete(PIECE).where(mine))
        return True

    def _read(self, connection: Connection, unit: int, name: str) -> Iterator[bytes]:
        """Yield the pieces of a file in order, one at a time."""
        this = (PIECE.c.unit == unit) & (PIECE.c.path == name)
        count = connection.scalar(select(func.count()).select_from(PIECE).where(this)) or 0
        for number in range(count):
            sealed = connection.scalar(select(PIECE.c.sealed).where(this, PIECE.c.number == number))
            yield self.seal.open_piece(self._place(unit, name, number), bytes(sealed or b""))

    def _place(self, unit: int, name: str, number: int) -> str:
        return f"{self.schema}/{unit}/{name}/{number}"

    def remove(self) -> None:
        """Drop the schema with all that is in it."""
        with transaction(self.engine, _WHAT, write=True) as connection:
            connection.execute(DropSchema(self.schema, cascade=True, if_exists=True))


def has_server(settings: Settings) -> bool:
    """Return whether the state is on a server, which workers of other machines reach."""
    state = resolve_urls(settings).state
    return database_path(state.url, settings.base, what="state.url") is None


def create_exchange(settings: Settings) -> Exchange:
    """Create an empty schema; requires the run lock, under which those of others are left over.

    Raises ConfigError where the database's user may not create one.
    """
    engine = connect_state(resolve_urls(settings).state, settings.base)
    schema = f"{_PREFIX}{secrets.token_hex(8)}"
    with _explaining_denial():
        _replace_schemas(engine, schema)
    return _open(engine, schema, settings)


@retrying
def _replace_schemas(engine: Engine, schema: str) -> None:
    # What is named like ours and belongs to another user is not ours.
    left = text(
        "select nspname from pg_namespace where nspname like :pattern and nspowner = "
        "(select oid from pg_roles where rolname = current_user)"
    )
    with transaction(engine, _WHAT, write=True) as connection:
        pattern = _PREFIX.replace("_", r"\_") + "%"
        for name in connection.scalars(left, {"pattern": pattern}).all():
            connection.execute(DropSchema(name, cascade=True, if_exists=True))
        connection.execute(CreateSchema(schema))


@contextmanager
def _explaining_denial() -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        if "access denied" not in error.problem:
            raise
        problem = "its user may not create a schema, which a release on several machines needs"
        remedy = "grant create on database NAME to USER, or use --engine processes"
        raise ConfigError("state.url", problem, remedy) from None


def open_exchange(settings: Settings, schema: str) -> Exchange:
    """Open the schema of a release in a worker."""
    engine = connect(resolve_urls(settings).state.url, settings.base, what="state.url", use="state")
    return _open(engine, schema, settings)


def _open(engine: Engine, schema: str, settings: Settings) -> Exchange:
    seal = make_seal(open_master(settings))
    return Exchange(engine.execution_options(schema_translate_map={None: schema}), schema, seal)
