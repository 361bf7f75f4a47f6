"""A warehouse's first week: OHDSI's sample in PostgreSQL, from `init` to releases that load.

    python -m benchmarks.night.first_week [--notes 200] [--model none] [--archive ZIP] [--ddl DIR]

The sample (Synthea27Nj) is loaded into a schema with OHDSI's own DDL, beside made-up identities and
notes about its persons. Then, as an operator would: `cryptonym init`, a night, changes at the
source, a night that must find exactly these, one that must find nothing, and releases of two
cohorts. The nightly output and both releases are loaded into OHDSI's tables with primary keys and
constraints on, and joined in pandas and in Polars. Prints a Markdown table; the exit code is 1 if
anything is not as it should be. The sample and the DDL are expected beside the checkout.
"""

import argparse
import os
import random
import re
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow.parquet as pq
from sqlalchemy import Connection, Engine, create_engine, text

from benchmarks.night.empty_night import own_server
from pipeline.cli import main as cryptonym
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly

_SHARED = Path(__file__).parents[3] / "shared" / "fixtures"
_UNREAD = ("concept_relationship",)
_FIRST = ("location", "care_site", "provider", "person", "visit_occurrence", "visit_detail", "note")
"""Tables that others refer to come first."""
_REFUSED = 0.05
_OUTCOMES = ("released", "unchanged", "quarantined", "deleted")
_COHORTS = {"asthma": range(1, 15), "diabetes": range(10, 29)}
_GIVEN = ("Amelia", "Walter", "Priscilla", "Desmond", "Rosalind", "Hector", "Ingrid")
# Names of no list, so that no surrogate is one of them.
_FAMILY = ("Wexlovitch", "Osterholzer", "Lindqvister", "Abernathew", "Castellanero", "Fitzroyden")
_TEXT = (
    "{given} {family}, born {born:%m/%d/%Y}, MRN {mrn}, was seen on {day:%B %d, %Y}. "
    "Blood pressure 120/80 mmHg, no chest pain. Call {phone} for the results of visit {number}. "
    "Mrs. {family} will come again in two weeks."
)
_MORE = """
[model]
folder = "{model}"
[quality]
gate = "warn"
max_withdrawn_share = 1.0
"""

Seen = Iterator[tuple[str, str, bool]]
"""What was done, what was seen, and whether it is as it should be."""


def main() -> int:
    options = _parse()
    failed = False
    print("| step | seen | as it should be |\n| --- | --- | --- |")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url, _ = stack.enter_context(own_server(folder))
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:", 1))
        stack.callback(engine.dispose)
        os.environ["WAREHOUSE_URL"] = url
        started = time.perf_counter()
        for step, seen, is_right in _run_week(engine, folder, options):
            failed |= not is_right
            print(f"| {step} | {seen} | {'yes' if is_right else 'NO'} |", flush=True)
        print(f"\n{time.perf_counter() - started:.0f} s")
    return int(failed)


def _run_week(engine: Engine, folder: Path, options: argparse.Namespace) -> Seen:
    with engine.begin() as connection:
        rows = load_sample(connection, options.archive, options.ddl)
        notes = make_notes(connection, options.notes)
    yield "the sample, with OHDSI's DDL", f"{rows} rows, {notes} notes", notes == options.notes
    config = folder / "nightly.toml"
    places = ("--source", "env:WAREHOUSE_URL", "--output", "parquet:research")
    code, _ = _call("init", str(config), *places, "--yes")
    written = config.read_text(encoding="utf-8") if config.exists() else ""
    found = 'schema = "cdm"' in written and 'table = "patient_identity"' in written
    yield "`init`", f"exit code {code}, schema and identities found: {found}", not code and found
    config.write_text(written + _MORE.format(model=options.model), encoding="utf-8")
    first = _run_night(config)
    yield "first night", _describe(first), first["released"] + first["quarantined"] == notes
    with engine.begin() as connection:
        change_source(connection, notes)
    second = _run_night(config)
    wanted = {"done": 5 + 5, "unchanged": notes - 5 - 2, "deleted": 2}
    done = {"done": second["released"] + second["quarantined"]}
    counted = done | {name: second[name] for name in ("unchanged", "deleted")}
    yield "5 changed, 5 new, 2 deleted", _describe(second), counted == wanted
    third = _run_night(config)
    yield "nothing changed", _describe(third), third["unchanged"] == notes + 3
    for cohort, persons in _COHORTS.items():
        listed = folder / f"{cohort}.txt"
        listed.write_text("".join(f"{person}\n" for person in persons), encoding="utf-8")
        where = ("--persons", str(listed), "--output", f"parquet:{folder / cohort}")
        code, said = _call("release", str(config), "--cohort", cohort, *where, "--plain")
        count = len(_read(folder / cohort, "note"))
        refused = [line for line in said.splitlines() if line.startswith("refused: ")]
        seen = "; ".join([f"exit code {code}, {count} notes", *refused])
        # 3: released, with more notes refused than the limit of 5 %.
        yield f"release of {cohort}", seen, count > 0 and code == (3 if _is_above(said) else 0)
    for place in ("research", *_COHORTS):
        yield from _check_place(engine, folder / place, options.ddl)
    names = ("research", *_COHORTS)
    ids = [{row["person_id"] for row in _read(folder / name, "person")} for name in names]
    shared = sum(len(a & b) for k, a in enumerate(ids) for b in ids[k + 1 :])
    yield "ids that two of them share", str(shared), shared == 0


def load_sample(connection: Connection, archive: Path, ddl: Path) -> int:
    """Load the sample's files into a schema `cdm` with OHDSI's tables; returns their rows."""
    connection.exec_driver_sql("create schema cdm")
    _run_script(connection, ddl, "ddl", "cdm")
    loaded = 0
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            table = Path(name).stem.lower()
            if "/" in name or table in _UNREAD:
                continue
            data = opened.read(name).decode("utf-8-sig")
            columns = ", ".join(f'"{each}"' for each in data.splitlines()[0].lower().split(","))
            with _cursor(connection).copy(
                f"copy cdm.{table} ({columns}) from stdin with (format csv, header)"
            ) as copy:
                copy.write(data.encode())
            loaded += data.count("\n") - 1
    return loaded


def make_notes(connection: Connection, notes: int) -> int:
    """Write identities of the sample's persons, and notes at their visits; returns their number."""
    draw = random.Random(27)
    connection.exec_driver_sql(
        "create table cdm.patient_identity (person_id integer, given_name text, family_name text, "
        "birth_date date, phone text, mrn text)"
    )
    people = {}
    for row in connection.execute(text("select * from cdm.person order by person_id")):
        born = date(row.year_of_birth, row.month_of_birth, row.day_of_birth)
        known = {"given": draw.choice(_GIVEN), "family": draw.choice(_FAMILY), "born": born}
        known |= {"phone": f"(973) 555-01{row.person_id:02}", "mrn": f"80{row.person_id:06}"}
        people[row.person_id] = known
        statement = (
            "insert into cdm.patient_identity values (:id, :given, :family, :born, :phone, :mrn)"
        )
        connection.execute(text(statement), known | {"id": row.person_id})
    visits = connection.execute(
        text("select * from cdm.visit_occurrence order by visit_occurrence_id")
    ).all()
    for number, visit in enumerate(draw.sample(visits, notes + 5), start=1):
        day = visit.visit_start_date + timedelta(days=draw.randint(0, 1))
        note_text = _TEXT.format(**people[visit.person_id], day=day, number=number)
        values = {"id": number, "person": visit.person_id, "day": day, "text": note_text}
        values |= {"visit": visit.visit_occurrence_id, "provider": visit.provider_id}
        table = "note" if number <= notes else "later_note"
        if number == notes + 1:
            connection.exec_driver_sql("create table later_note (like cdm.note)")
        place = "cdm.note" if table == "note" else table
        connection.execute(
            text(
                f"insert into {place} (note_id, person_id, note_date, note_type_concept_id, "
                "note_class_concept_id, note_title, note_text, encoding_concept_id, "
                "language_concept_id, provider_id, visit_occurrence_id) values (:id, :person, "
                ":day, 32817, 44814639, 'Outpatient note', :text, 32678, 4180186, :provider, "
                ":visit)"
            ),
            values,
        )
    return int(connection.scalar(text("select count(*) from cdm.note")) or 0)


def change_source(connection: Connection, notes: int) -> None:
    """Change five notes, add five and delete two."""
    for statement in (
        "update cdm.note set note_text = note_text || ' Seen again.' where note_id <= 5",
        "insert into cdm.note select * from later_note",
        f"delete from cdm.note where note_id in ({notes}, {notes - 1})",
    ):
        connection.execute(text(statement))


def _run_night(config: Path) -> Counter[str]:
    tally = run_nightly(config, run_in_process).summary.tally
    outcomes = Counter({name: tally.outcomes[name] for name in _OUTCOMES})
    for (stage, error, reason, _), count in tally.quarantine.items():
        outcomes[f"({stage} {reason or error})"] += count
    return outcomes


def _describe(outcomes: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in outcomes.items() if count)


def _call(*words: str) -> tuple[int, str]:
    """Call a command; returns its exit code, and what it says."""
    with redirect_stdout(StringIO()) as said, redirect_stderr(said):
        return cryptonym(list(words)), said.getvalue()


def _is_above(said: str) -> bool:
    selected, released = map(int, re.findall(r"notes: (\d+) selected, (\d+) released", said)[0])
    return selected - released > _REFUSED * selected


def _check_place(engine: Engine, place: Path, ddl: Path) -> Seen:
    name = place.name
    tables = {
        path.name.removesuffix(".parquet"): _read(place, path.name.removesuffix(".parquet"))
        for path in sorted(place.resolve().iterdir())
        if path.is_dir() or path.suffix == ".parquet"
    }
    with engine.begin() as connection:
        loaded = load_with_constraints(connection, tables, ddl, name)
        rows = sum(map(len, tables.values())) - len(tables.get("note_span", ()))
    yield f"{name}, with constraints on", f"{loaded} rows of {rows} loaded", loaded == rows > 0
    notes, persons, visits = (
        tables.get(each, []) for each in ("note", "person", "visit_occurrence")
    )
    for library, count in (("pandas", _join_pandas), ("Polars", _join_polars)):
        joined = count(notes, persons, visits)
        yield f"{name}, joins in {library}", f"{joined} of {len(notes)}", joined == len(notes)
    leaks = sum(any(each in row["note_text"] for each in _FAMILY) for row in notes)
    yield f"{name}, notes with a family name of the source", str(leaks), leaks == 0


Rows = list[dict[str, Any]]


def _read(place: Path, table: str) -> Rows:
    paths = sorted((place / table).glob("part-*.parquet"))
    paths += [path for path in [place / f"{table}.parquet"] if path.is_file()]
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def _join_pandas(notes: Rows, persons: Rows, visits: Rows) -> int:
    joined = pandas.DataFrame(notes).merge(pandas.DataFrame(persons)[["person_id"]], on="person_id")
    return len(
        joined.merge(pandas.DataFrame(visits)[["visit_occurrence_id"]], on="visit_occurrence_id")
    )


def _join_polars(notes: Rows, persons: Rows, visits: Rows) -> int:
    read: Callable[[Rows], polars.DataFrame] = lambda rows: polars.from_dicts(  # noqa: E731
        rows, infer_schema_length=None
    )
    joined = read(notes).join(read(persons).select("person_id"), on="person_id")
    return joined.join(read(visits).select("visit_occurrence_id"), on="visit_occurrence_id").height


def load_with_constraints(
    connection: Connection, tables: dict[str, Rows], ddl: Path, schema: str
) -> int:
    """Load tables into OHDSI's, with all keys and constraints on; returns the rows loaded."""
    connection.exec_driver_sql(f"create schema {schema}")
    for script in ("ddl", "primary_keys", "constraints"):
        _run_script(connection, ddl, script, schema)
    concepts = {
        row[column]
        for rows in tables.values()
        for row in rows
        for column in row
        if "concept_id" in column and row[column] is not None
    }
    # A release has no vocabulary: the concepts that it refers to are there at every site.
    connection.exec_driver_sql("set session_replication_role = replica")
    concept = (
        f"insert into {schema}.concept values (:id, 'x', 'x', 'x', 'x', null, 'x', '2000-01-01', "
        "'2099-01-01', null)"
    )
    connection.execute(text(concept), [{"id": each} for each in sorted(concepts)])
    connection.exec_driver_sql("set session_replication_role = origin")
    loaded = 0
    others = sorted(set(tables) - set(_FIRST) - {"note_span"})
    for name in (*_FIRST, *others):
        if not (rows := tables.get(name)):
            continue
        columns = list(rows[0])
        quoted = ", ".join(f'"{column}"' for column in columns)
        with _cursor(connection).copy(f"copy {schema}.{name} ({quoted}) from stdin") as copy:
            for row in rows:
                copy.write_row([row[column] for column in columns])
        loaded += int(connection.scalar(text(f"select count(*) from {schema}.{name}")) or 0)
    return loaded


def _run_script(connection: Connection, ddl: Path, name: str, schema: str) -> None:
    script = (ddl / f"{name}.sql").read_text().replace("@cdmDatabaseSchema", schema)
    connection.exec_driver_sql(script)


def _cursor(connection: Connection) -> Any:
    return connection.connection.cursor()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--model", default="none", help="tagger: `none` or `default`")
    sample = _SHARED / "omop_synthea27nj/Synthea27Nj_5.4.zip"
    parser.add_argument("--archive", type=Path, default=sample)
    parser.add_argument("--ddl", type=Path, default=_SHARED / "omop_ddl/postgresql")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
