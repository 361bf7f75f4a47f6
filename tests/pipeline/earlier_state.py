"""State databases as the version before left them, and the tool that recovers notes from them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import event, text

from pipeline.config.settings import StateSettings
from pipeline.night.nightly import NightlyRun
from pipeline.state.ledger import State, open_state
from pipeline.state.migrations.upgrade import revisions
from pipeline.state.span_sealing import NoteFindings, NoteVersion, Seal, StateKeys
from pipeline.state.tables import STATE
from pipeline.warehouse.databases import connect

NEW_TABLES = ("row_code", "sealing", "accepted_config", "synthesis_run")
NEW_COLUMNS = ("attempt", "lease_ends", "holder", "failures", "error", "origin", "worked")
_ACCESSED = ("", "-wal", "-shm", "-journal")


@contextmanager
def version_before() -> Iterator[pytest.MonkeyPatch]:
    """What runs in this process stores rows as the version before did: in clear, unkeyed."""

    def close(self: Seal, version: NoteVersion, found: NoteFindings) -> bytes:
        return self.close(str(version.note_id), version.content, found)

    def open_(self: Seal, version: NoteVersion, sealed: bytes) -> NoteFindings:
        return self.open(str(version.note_id), version.content, sealed)

    def in_clear(self: Seal, version: NoteVersion, payload: bytes) -> bytes:
        return payload

    def unkeyed(self: StateKeys, kind: str, digest: bytes) -> bytes:
        return digest

    def leave_free_pages(connection: Any, *_: object) -> None:
        connection.execute("PRAGMA secure_delete = OFF")

    def connect_before(*arguments: Any, **options: Any) -> Any:
        engine = connect(*arguments, **options)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", leave_free_pages)
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Seal, "seal_findings", close)
        patch.setattr(Seal, "open_findings", open_)
        patch.setattr(Seal, "seal_staged", in_clear)
        patch.setattr(Seal, "open_staged", in_clear)
        patch.setattr(StateKeys, "key_digest", unkeyed)
        patch.setattr(NightlyRun, "secure", lambda *_: None)
        patch.setattr(State, "require_sealed", lambda _: None)
        patch.setattr("pipeline.state.schema_version.connect", connect_before)
        yield patch


def forget_new_tables(url: str, base: Path) -> None:
    """Leave only the tables that the version before had."""
    open_state(StateSettings(url), base).close()
    engine = connect(url, base, what="state.url", use="state")
    with engine.begin() as connection:
        for name in NEW_TABLES:
            connection.execute(text(f"drop table {name}"))
        connection.execute(text("drop index idx_run_unit_open"))
        for name in NEW_COLUMNS:
            connection.execute(text(f"alter table run_unit drop column {name}"))
        connection.execute(text("alter table ledger drop column digest"))
        before = {"number": revisions()[revisions().index("0004") - 1]}
        connection.execute(text("update alembic_version set version_num = :number"), before)
    engine.dispose()


def read_files(state: Path) -> bytes:
    """All bytes of a SQLite database: its pages, used or free, and the files beside it."""
    places = (state.with_name(state.name + ending) for ending in _ACCESSED)
    return b"\n".join(place.read_bytes() for place in places if place.is_file())


class Recovered(NamedTuple):
    """A staged note that was found: its id in the source where its row was whole, and its text."""

    note_id: int | None
    head: bytes


def recover_notes(data: bytes) -> list[Recovered]:
    """Find staged notes in the bytes of a SQLite database, without any key.

    A staged note is JSON that begins with the columns of the released note; the cell before it
    begins with the id in the source (sqlite.org/fileformat2.html, section 1.6).
    """
    found, start = [], data.find(b"[[")
    while start >= 0:
        head = data[start : start + 4000].split(b"]", 1)[0]
        if head.count(b",") > 8 and b'"' in head:
            found.append(Recovered(_find_row_id(data, start), head))
        start = data.find(b"[[", start + 1)
    return found


def _find_row_id(data: bytes, payload: int) -> int | None:
    for cell in range(payload - 6, max(payload - 40, 0), -1):
        _size, place = _read_varint(data, cell)
        row_id, place = _read_varint(data, place)
        header = place
        length, place = _read_varint(data, place)
        kinds = []
        while place < header + length and place < payload:
            kind, place = _read_varint(data, place)
            kinds.append(kind)
        if len(kinds) != 6 or place != header + length or kinds[0] != 0:
            continue
        # Columns of `stage`: id (an alias, stored as null), person, payload, kind, day, characters.
        is_blob = kinds[2] >= 12 and kinds[2] % 2 == 0
        if is_blob and place + _SIZES.get(kinds[1], 99) == payload:
            return row_id
    return None


_SIZES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for byte in data[place : place + 9]:
        place += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value, place


def count_texts(data: bytes, texts: list[str], length: int = 40) -> int:
    """Count the texts of which some stretch stands in the data as JSON or as it is."""

    def has(text: str) -> bool:
        middle = len(text) // 2
        parts = (text[start : start + length] for start in (0, middle, max(0, len(text) - length)))
        return any(
            part.encode() in data or json.dumps(part, ensure_ascii=False)[1:-1].encode() in data
            for part in parts
            if len(part) == length
        )

    return sum(map(has, texts))


def dump_rows(url: str, base: Path) -> dict[str, list[Any]]:
    """All rows of all tables."""
    engine = connect(url, base, what="state.url", use="state")
    with engine.connect() as connection:
        found = {
            table.name: [tuple(row) for row in connection.execute(table.select())]
            for table in STATE.sorted_tables
        }
    engine.dispose()
    return {name: sorted(rows, key=repr) for name, rows in found.items()}
