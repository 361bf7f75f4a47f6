"""Digests by the source's database: the same notes are found as where every row is read."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, select, text, update
from sqlalchemy.engine import Engine

from pipeline.config.settings import ChangeSettings, Settings, load
from pipeline.night.engine import process_unit
from pipeline.notes.batch import EMPTY_HASH
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.worker_resources import WorkerResources, open_resources
from pipeline.state.tables import LEDGER
from pipeline.warehouse import sql_source
from pipeline.warehouse.databases import connect
from pipeline.warehouse.sql_source import SqlStore
from pipeline.warehouse.warehouse import open_source
from record.errors import ConfigError
from tests.keys import make_key

NOTES, PERSONS, NIGHTS = 15, 4, 16
PER_UNIT = 4

_TABLES = (
    "create table person (person_id bigint, gender_concept_id integer, year_of_birth integer)",
    "create table provider (provider_id bigint, provider_name varchar(60))",
    "create table visit_occurrence (visit_occurrence_id bigint, visit_source_value text)",
    "create table patient_identity (person_id bigint, family text)",
    "create table note (note_id bigint, person_id bigint, note_date date, "
    "note_datetime timestamptz, note_type_concept_id integer, note_title varchar(50), "
    "note_text text, provider_id bigint, visit_occurrence_id bigint, note_source_value text, "
    "note_event_id numeric)",
)
_CONFIG = """
[source]
url = "{url}"
[source.identity]
table = "patient_identity"
[source.identity.columns]
family_names = "family"
[output]
url = "sqlite:///research.db"
[model]
folder = "none"
"""

Change = tuple[str, dict[str, Any]]


def _note(note_id: int, **values: Any) -> Change:
    row = {"note_id": note_id, "person_id": 1 + note_id % PERSONS, "note_date": "2024-03-02",
           "note_datetime": "2024-03-02 10:15:00+01", "note_title": "Lettre",
           "note_text": f"Vu le 02/03/2024 par M. Wexlovitch, note {note_id}.",
           "provider_id": 1 + note_id % 2, "visit_occurrence_id": 1 + note_id % 3}  # fmt: skip
    row |= values
    names = ", ".join(row)
    return f"insert into note ({names}) values ({', '.join(f':{name}' for name in row)})", row


def _make_changes(draw: random.Random) -> Iterator[Change]:
    """Changes that a night must find, and some that are none."""
    note = {"id": draw.randint(1, NOTES)}
    person = {"id": draw.randint(1, PERSONS)}
    number = draw.randint(1, 3)
    edits = (
        "note_text = note_text || ' '",
        "note_text = 'Contrôle. Ça va 👍.'",
        "note_text = ''",
        "note_text = null",
        "note_text = 'Vu.', note_title = null",
        "note_text = 'Vu. Et revu.', note_title = ''",
        "note_title = note_title || substr(note_text, 1, 1), note_text = substr(note_text, 2)",
        "note_title = '-', note_source_value = null",
        "note_title = null, note_source_value = '-'",
        "note_date = note_date + 1",
        "note_date = 'infinity'",
        "note_datetime = note_datetime + interval '1 microsecond'",
        "note_event_id = 5.0",
        "note_event_id = 5.00",
        "note_type_concept_id = coalesce(note_type_concept_id, 0) + 1",
        f"person_id = {number}",
        "person_id = null",
        f"provider_id = {number}",
        f"visit_occurrence_id = {number}",
        "note_text = note_text",
    )
    yield f"update note set {draw.choice(edits)} where note_id = :id", note
    yield "delete from note where note_id = :id", note
    yield _note(draw.randint(1, NOTES + 3))  # also one that is there: two rows of an id
    others = (
        f"update patient_identity set family = 'Osterholz{number}' where person_id = :id",
        "delete from patient_identity where person_id = :id",
        f"insert into patient_identity values (:id, 'Lindqvist{number}')",
        f"update person set year_of_birth = 1950 + {number} where person_id = :id",
        f"update provider set provider_name = 'Dr Anna Berg{number}' where provider_id = :id",
        "delete from provider where provider_id = :id",
        "insert into provider values (:id, 'Dr Ida Holm')",
        f"update visit_occurrence set visit_source_value = 'V{number}' "
        "where visit_occurrence_id = :id",
    )
    yield draw.choice(others), person


@pytest.fixture
def hospital(postgres_url: str) -> Iterator[Engine]:
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        for statement in _TABLES:
            connection.execute(text(statement))
        for number in range(1, PERSONS + 1):
            for statement in (
                "insert into person values (:n, 8507, 1950)",
                "insert into patient_identity values (:n, 'Wexlovitch')",
                "insert into provider values (:n, 'Dr Olaf Berg')",
                "insert into visit_occurrence values (:n, '2024000' || cast(:n as text))",
            ):
                connection.execute(text(statement), {"n": number})
        for number in range(1, NOTES + 1):
            connection.execute(text(_note(number)[0]), _note(number)[1])
    yield engine
    engine.dispose()


@pytest.fixture
def settings(hospital: Engine, tmp_path: Path) -> Settings:
    url = hospital.url.render_as_string(hide_password=False)
    path = tmp_path / "nightly.toml"
    path.write_text(_CONFIG.format(url=url.replace("+psycopg", "")))
    make_key(tmp_path / "master.key", "research")
    return load(path)


@pytest.fixture
def open_way(settings: Settings) -> Iterator[Callable[..., WorkerResources]]:
    """Opens the source with a state database of its own, with or without digests."""
    with ExitStack() as stack:

        def make(name: str, *, digests: bool) -> WorkerResources:
            own = replace(settings, state=replace(settings.state, url=f"sqlite:///{name}.db"))
            with pytest.MonkeyPatch.context() as patch:
                if not digests:
                    patch.setattr(sql_source, "_make_digest", lambda *_: None)
                return stack.enter_context(open_resources(own))

        yield make


def _run_night(resources: WorkerResources) -> dict[str, set[Any]]:
    """Process a night in units; returns what became of the notes."""
    state, changes = resources.state, resources.settings.source.changes
    since = state.find_since(changes.full_every) if changes else None
    run = state.begin(resources.config, since=since)
    state.plan(run.run_id, resources.source.plan(PER_UNIT))
    names = ("read", "unchanged", "done", "refused", "deleted")
    found: dict[str, set[Any]] = {name: set() for name in names}
    while claim := state.leases.claim(run.run_id, "worker-0", 600):
        batch = commit_batch(process_unit(claim.unit, resources), resources, run.run_id)
        found["read"].update(batch.read_ids)
        found["unchanged"].update(batch.unchanged)
        found["done"].update(item.row.note_id for item in batch.items)
        found["refused"].update(
            (each.failure.note_id, each.failure.reason) for each in batch.refused
        )
        assert batch.tally.outcomes["read"] == len(batch.read_ids)
        assert batch.tally.outcomes["unchanged"] == len(batch.unchanged)
    assert state.reconcile(run.run_id, resources.source).ok
    for gone in state.find_deleted(run.run_id):
        found["deleted"].update(gone)
        state.forget(gone)
    state.finish(run.run_id, "{}")
    return found


def test_both_ways_find_the_same(
    hospital: Engine, open_way: Callable[..., WorkerResources]
) -> None:
    by_digest, by_row = open_way("digest", digests=True), open_way("row", digests=False)
    draw, found = random.Random(32), set[str]()
    for night in range(NIGHTS):
        first = _run_night(by_digest)
        assert first == _run_night(by_row), f"night {night}"
        found |= {name for name, notes in first.items() if notes}
        with hospital.begin() as connection:
            # Every fourth night finds what the one before left.
            for statement, values in _make_changes(draw) if night % 4 else ():
                connection.execute(text(statement), values)
    assert found == {"read", "unchanged", "done", "refused", "deleted"}
    assert _read_ledger(by_digest.settings, "content") == _read_ledger(by_row.settings, "content")


def test_unchanged_rows_do_not_travel(
    hospital: Engine, open_way: Callable[..., WorkerResources], monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = open_way("digest", digests=True)
    _run_night(resources)
    with hospital.begin() as connection:
        connection.execute(text("update note set note_text = 'Vu.' where note_id = 3"))
        connection.execute(text("delete from patient_identity where person_id = 1"))
    picked: list[int] = []
    pick = SqlStore.pick

    def watch(store: SqlStore, note_ids: Any, size: int) -> Any:
        picked.extend(note_ids)
        return pick(store, note_ids, size)

    monkeypatch.setattr(SqlStore, "pick", watch)
    monkeypatch.setattr(SqlStore, "read", lambda *_: pytest.fail("read every row"))
    _run_night(resources)
    assert picked == [3, 4, 8, 12]  # its own, and those of that person


def test_an_earlier_ledger_gets_its_digests_from_one_full_comparison(
    open_way: Callable[..., WorkerResources], monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = open_way("digest", digests=True)
    _run_night(resources)
    before = _read_ledger(resources.settings, "digest")
    _write_ledger(resources.settings, dict.fromkeys(before, None))
    assert len(_run_night(resources)["unchanged"]) == NOTES
    assert _read_ledger(resources.settings, "digest") == before
    monkeypatch.setattr(SqlStore, "read", lambda *_: pytest.fail("read every row"))
    assert len(_run_night(resources)["unchanged"]) == NOTES


def test_a_digest_is_of_no_use_in_another_row_or_for_another_version(
    hospital: Engine, open_way: Callable[..., WorkerResources]
) -> None:
    resources = open_way("digest", digests=True)
    _run_night(resources)
    first = _read_ledger(resources.settings, "digest")
    with hospital.begin() as connection:
        plain = set(connection.scalars(text("select sha256(note_text::bytea) from note")))
        connection.execute(text("update note set note_text = 'Vu.' where note_id = 1"))
        # The same row but for its id.
        connection.execute(text("delete from note where note_id = 2"))
        statement, row = _note(2)
        row |= {name: _note(6)[1][name] for name in ("note_text", "person_id", "provider_id")}
        connection.execute(text(statement), row)
    assert len(set(first.values())) == NOTES and not plain & set(first.values())
    _run_night(resources)
    # A restored text, with the digest of that version put back beside the version since.
    with hospital.begin() as connection:
        connection.execute(
            text("update note set note_text = :text where note_id = 1"),
            {"text": _note(1)[1]["note_text"]},
        )
    _write_ledger(resources.settings, {1: first[1], 2: first[3]})
    assert 1 in _run_night(resources)["done"]
    assert _run_night(resources)["done"] == set()


def _engine(settings: Settings) -> Engine:
    return connect(settings.state.url, settings.base, what="state", use="state")


def _read_ledger(settings: Settings, column: str) -> dict[int, bytes]:
    engine = _engine(settings)
    with engine.begin() as connection:
        rows = connection.execute(select(LEDGER.c.note_id, LEDGER.c[column])).all()
    engine.dispose()
    return {row[0]: row[1] for row in rows}


def _write_ledger(settings: Settings, values: dict[int, Any], column: str = "digest") -> None:
    engine = _engine(settings)
    with engine.begin() as connection:
        for note_id, value in values.items():
            here = update(LEDGER).where(LEDGER.c.note_id == note_id)
            connection.execute(here.values({column: value}))
    engine.dispose()


@pytest.mark.parametrize(
    "change",
    [
        "alter table note alter column note_event_id type text",
        "alter table note alter column note_title type text",
        "alter table note add column note_class_concept_id integer",
    ],
)
def test_another_type_of_a_column_is_another_digest(
    change: str, hospital: Engine, settings: Settings
) -> None:
    """Drivers return another value for it: what is found is found by reading the rows."""

    def digests() -> list[bytes | None]:
        source = open_source(settings.source, settings.base)
        rows = [source.read_digests(unit) for unit, _ in source.plan(100)]
        source.close()
        return [row.digest for found in rows for row in found or ()]

    before = digests()
    with hospital.begin() as connection:
        connection.execute(text(change))
    assert len(before) == NOTES and not set(before) & set(digests())


@pytest.mark.parametrize("digests", [True, False])
def test_a_column_narrows_nights_between_full_ones(
    digests: bool, hospital: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not touched is found by the next full comparison, and what is touched at once."""
    with hospital.begin() as connection:
        connection.execute(text("alter table note add column touched timestamp"))
        connection.execute(text("update note set touched = '2020-01-01' where note_id > 1"))
    narrowed = replace(settings.source, changes=ChangeSettings("touched", full_every=3))
    settings = replace(settings, source=narrowed)
    if not digests:
        monkeypatch.setattr(sql_source, "_make_digest", lambda *_: None)
    with open_resources(settings) as resources:
        assert len(_run_night(resources)["done"]) == NOTES
        with hospital.begin() as connection:
            for statement in (
                "update note set note_text = 'Touché.', touched = now() where note_id = 2",
                "update note set note_text = 'Touché.' where note_id = 3",
                "update patient_identity set family = 'Holm' where person_id = 1",
                "delete from note where note_id = 9",
                _note(16)[0],
            ):
                connection.execute(text(statement), _note(16)[1] if ":" in statement else {})
        first = _run_night(resources)
        assert first["done"] == {2, 16} and first["deleted"] == {9}
        # As of a note that ended its worker before it was read.
        _write_ledger(settings, {5: EMPTY_HASH}, "content")
        assert _run_night(resources)["done"] == {5}
        assert _run_night(resources)["done"] == {3, 4, 8, 12}
        assert _run_night(resources)["done"] == set()
        since = [row[0] for row in _read_since(settings)]
        assert [bool(each) for each in since] == [False, True, True, False, True]


def _read_since(settings: Settings) -> list[Any]:
    engine = _engine(settings)
    with engine.begin() as connection:
        found = text("select json_extract(about, '$.since') from run order by run_id")
        rows = list(connection.execute(found))
    engine.dispose()
    return rows


def test_a_column_of_another_type_is_refused(settings: Settings) -> None:
    for name in ("note_text", "missing"):
        source = replace(settings.source, changes=ChangeSettings(name))
        with pytest.raises(ConfigError):
            open_source(source, settings.base)
    source = replace(settings.source, url="parquet:tables", changes=ChangeSettings("touched"))
    with pytest.raises(ConfigError, match="database only"):
        open_source(source, settings.base)
