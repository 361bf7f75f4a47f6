"""Statements of a source in the dialects of SQL Server and Oracle; no test has a server of them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, event
from sqlalchemy.dialects import mssql, oracle
from sqlalchemy.engine import Dialect

from pipeline.config.settings import SourceSettings
from pipeline.warehouse import databases
from pipeline.warehouse.databases import Use, connect
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.person_lists import query_person_ids
from pipeline.warehouse.sql_source import SqlStore
from record.errors import ConfigError

DIALECTS: dict[str, Callable[[], Dialect]] = {"mssql": mssql.dialect, "oracle": oracle.dialect}
COLUMNS = "n.note_id AS note_id, n.person_id AS person_id, n.note_text AS note_text"

# What is done -> its statement; {TOP} and {FETCH} are where the two differ, {DUAL} too.
STATEMENTS: dict[str, tuple[Callable[[SqlStore], Any], list[str]]] = {
    "plan": (
        lambda store: list(store.plan(10)),
        [
            "SELECT {TOP}n.note_id AS note_id, count(*) AS count_1 FROM note "
            "WHERE n.note_id IS NOT NULL GROUP BY n.note_id ORDER BY n.note_id{FETCH}",
            "SELECT {TOP}n.note_id AS note_id, count(*) AS count_1 FROM note "
            "WHERE n.note_id IS NOT NULL AND n.note_id > :p GROUP BY n.note_id "
            "ORDER BY n.note_id{FETCH}",
        ],
    ),
    "malformed": (
        lambda store: store.malformed(),
        [
            "SELECT count(*) AS count_1 FROM note WHERE n.note_id IS NULL",
            "SELECT n.note_id AS note_id FROM note WHERE n.note_id IS NOT NULL "
            "GROUP BY n.note_id HAVING count(*) > :p ORDER BY n.note_id",
        ],
    ),
    "read": (
        lambda store: store.read(Unit(0, "", 1, 9, 1)),
        [
            f"SELECT {COLUMNS} FROM note WHERE n.note_id IS NOT NULL "
            "AND n.note_id BETWEEN :p AND :p ORDER BY n.note_id"
        ],
    ),
    "pick": (
        lambda store: list(store.pick([1, 2], 5)),
        [
            f"SELECT {COLUMNS} FROM note WHERE n.note_id IS NOT NULL "
            "AND n.note_id IN (:p, :p) ORDER BY n.note_id"
        ],
    ),
    "present": (
        lambda store: store.present([1]),
        ["SELECT n.note_id AS note_id FROM note WHERE n.note_id IN (:p)"],
    ),
    "lookup": (
        lambda store: store.lookup("person", ("person_id", "year_of_birth"), "person_id", [1]),
        [
            "SELECT person.person_id AS person_id, person.year_of_birth AS year_of_birth "
            "FROM person WHERE person.person_id IN (:p)"
        ],
    ),
    "values": (
        lambda store: store.values("person", "person_id"),
        ["SELECT DISTINCT person.person_id FROM person"],
    ),
    "one extreme": (
        lambda store: store.extremes("person", ("person_id",)),
        [
            "SELECT (SELECT min(person.person_id) AS min_1 FROM person) AS anon_1, "
            "(SELECT max(person.person_id) AS max_1 FROM person) AS anon_2{DUAL}"
        ],
    ),
    "extremes": (
        lambda store: store.extremes("note", ("note_id", "person_id")),
        [
            "SELECT min(n.note_id) AS min_1, max(n.note_id) AS max_1, "
            "min(n.person_id) AS min_2, max(n.person_id) AS max_2 FROM note"
        ],
    ),
    "scan": (
        lambda store: list(store.scan("person", ("person_id",), "person_id", [1, 2])),
        ["SELECT person.person_id AS person_id FROM person WHERE person.person_id IN (:p, :p)"],
    ),
}
OWN = {
    "mssql": {"{TOP}": "TOP 20000 ", "{FETCH}": "", "{DUAL}": ""},
    "oracle": {"{TOP}": "", "{FETCH}": " FETCH FIRST 20000 ROWS ONLY", "{DUAL}": " FROM DUAL"},
}


@pytest.mark.parametrize("done", STATEMENTS)
@pytest.mark.parametrize("name", DIALECTS)
def test_a_source_is_read_by_the_statements_of_its_dialect(
    name: str, done: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, seen = create_engine("sqlite://"), list[Any]()
    with engine.begin() as connection:
        connection.exec_driver_sql("create table note (note_id int, person_id int, note_text text)")
        connection.exec_driver_sql("create table person (person_id int, year_of_birth int)")
        connection.exec_driver_sql("insert into note values (1, 1, 'x')")
    store = SqlStore(engine, None, {"note", "person"})
    monkeypatch.setattr(engine.dialect, "name", name)
    event.listen(engine, "before_execute", lambda _connection, clause, *_: seen.append(clause))
    act, statements = STATEMENTS[done]
    act(store)
    dialect, found = DIALECTS[name](), list[str]()
    for clause in seen:
        made = clause.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
        plain = re.sub(r":\w+", ":p", " ".join(str(made).split()))
        found.append(plain.replace("note.", "n."))
    for mark, text in OWN[name].items():
        statements = [each.replace(mark, text) for each in statements]
    assert found == statements
    engine.dispose()


@pytest.mark.parametrize("name", DIALECTS)
def test_names_of_a_schema_are_written_in_front(name: str) -> None:
    from sqlalchemy import column, select, table

    made = select(table("note", column("note_id"), schema="cdm").c.note_id)
    assert "FROM cdm.note" in " ".join(str(made.compile(dialect=DIALECTS[name]())).split())


@pytest.mark.parametrize("name", DIALECTS)
def test_they_are_read_only_and_ask_for_their_driver(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{name}://me:Wexlovitch@server/cdm"
    uses: tuple[Use, ...] = ("output", "state")
    for use in uses:
        with pytest.raises(ConfigError, match="unsupported database"):
            connect(url, Path(), what="output.url", use=use)

    def lacks_driver(*_: Any, **__: Any) -> None:
        raise ModuleNotFoundError

    monkeypatch.setattr(databases, "create_engine", lacks_driver)
    with pytest.raises(ConfigError) as caught:
        connect(url, Path(), what="source.url")
    assert f"cryptonym[{name}]" in str(caught.value)
    assert "Wexlovitch" not in str(caught.value)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_query_of_the_operator_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = create_engine("sqlite://")
    monkeypatch.setattr(engine.dialect, "name", name)
    monkeypatch.setattr("pipeline.warehouse.person_lists.connect", lambda *_, **__: engine)
    with pytest.raises(ConfigError, match="list the persons in a file"):
        list(query_person_ids("select 1", SourceSettings(f"{name}://x/y"), Path(), "here"))
