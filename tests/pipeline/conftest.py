"""A tiny warehouse that is the same in SQLite, PostgreSQL and Parquet."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from datetime import date, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    MetaData,
    Table,
    Text,
    create_engine,
    insert,
)

from pipeline.cli import main
from pipeline.config.progress import Progress
from pipeline.config.settings import IdentitySettings, OutputSettings, SourceSettings, load
from pipeline.night.demo import DemoOptions, make_demo
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.notes.worker_resources import WorkerResources, open_master, resolve_urls
from pipeline.release.release_context import open_release_tools
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import ReleaseResult, run_release
from pipeline.release.targets import open_target
from pipeline.state.run_lock import Held, RunLock, make_lock_path
from pipeline.warehouse.note_rows import NOTE_COLUMNS
from pipeline.warehouse.warehouse import Source, open_output, open_source
from surrogates.keys.keys import CohortKey, load_master
from tests.keys import derive, drawn_from
from tests.pipeline.clinic import Clinic, make_places

TEXTS = {"note_title", "note_text", "note_source_value"}
KINDS = {"note_date": (Date, pa.date32()), "note_datetime": (DateTime, pa.timestamp("us"))}
PLAIN = {
    "person": {
        "person_id": int, "gender_concept_id": int, "year_of_birth": int, "month_of_birth": int,
        "day_of_birth": int, "birth_datetime": datetime, "race_concept_id": int,
        "ethnicity_concept_id": int, "location_id": int, "person_source_value": str,
    },
    "location": {
        "location_id": int, "address_1": str, "address_2": str, "city": str, "state": str,
        "zip": str,
    },
    "provider": {"provider_id": int, "provider_name": str},
    "visit_occurrence": {"visit_occurrence_id": int, "visit_source_value": str},
    "patient_identity": {
        "person_id": int, "given": str, "family": str, "born": str, "phone": str, "ssn": str,
        "street": str, "zip": str, "city": str, "mother": str,
    },
}  # fmt: skip
SQL = {int: BigInteger, str: Text, datetime: DateTime}
ARROW = {int: pa.int64(), str: pa.string(), datetime: pa.timestamp("us")}


def note(note_id: int, **values: Any) -> dict[str, Any]:
    """A row of the note table with plausible values."""
    row = dict.fromkeys(NOTE_COLUMNS) | {
        "note_id": note_id, "person_id": 1 + abs(note_id) % 3, "note_date": date(2024, 3, 2),
        "note_datetime": datetime(2024, 3, 2, 10, 15), "note_type_concept_id": 32817,
        "note_class_concept_id": 0, "note_title": "Lettre", "note_text": f"Note {note_id} — fin.",
        "encoding_concept_id": 32678, "language_concept_id": 4180190,
    }  # fmt: skip
    return row | values


def _note_kinds(sql: bool) -> Iterator[tuple[str, type[Any]]]:
    for name in NOTE_COLUMNS:
        kind = KINDS.get(name, (Text, pa.string()) if name in TEXTS else (BigInteger, pa.int64()))
        yield name, kind[0] if sql else kind[1]


def _write_sql(url: str, tables: Any) -> None:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    metadata = MetaData()
    Table(
        "note", metadata,
        *(
            Column(name, kind, primary_key=name == "note_id", autoincrement=False)
            for name, kind in _note_kinds(True)
        ),
    )  # fmt: skip
    for name, columns in PLAIN.items():
        Table(name, metadata, *(Column(c, SQL[kind]) for c, kind in columns.items()))
    metadata.create_all(engine)
    with engine.begin() as connection:
        for name, rows in tables.items():
            if rows:
                connection.execute(insert(metadata.tables[name]), rows)
    engine.dispose()


def _write_parquet(folder: Path, tables: Any) -> None:
    folder.mkdir()
    for name, columns in PLAIN.items():
        schema = pa.schema([(c, ARROW[kind]) for c, kind in columns.items()])
        pq.write_table(
            pa.Table.from_pylist(tables.get(name, []), schema), folder / f"{name.upper()}.parquet"
        )
    (folder / "note").mkdir()
    notes = pa.Table.from_pylist(tables["note"], pa.schema(list(_note_kinds(False))))
    half = len(notes) // 2
    pq.write_table(notes[:half], folder / "note" / "a.parquet", row_group_size=7)
    pq.write_table(notes[half:], folder / "note" / "b.parquet", row_group_size=1_000_000)


@pytest.fixture(params=["sqlite", "postgresql", "parquet"])
def warehouse(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Source]]:
    """Writes tables into a database or folder and opens it as a source."""
    opened = []

    def make(tables: dict[Any, Any], identity: IdentitySettings | None = None) -> Source:
        if request.param == "parquet":
            _write_parquet(tmp_path / "tables", tables)
            url = "parquet:tables"
        elif request.param == "sqlite":
            url = f"sqlite:///{tmp_path}/hospital.db"
            _write_sql(url, tables)
        else:
            url = request.getfixturevalue("postgres_url")
            _write_sql(url, tables)
        opened.append(open_source(SourceSettings(url=url, identity=identity), Path(tmp_path)))
        return opened[-1]

    yield make
    for source in opened:
        source.close()


@pytest.fixture
def make_note() -> Callable[..., Any]:
    """Makes a row of the note table."""
    return note


@pytest.fixture(autouse=True)
def _steady_keys(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keys and noise that a test makes in this process are the same in every session."""
    with drawn_from(request.node.nodeid):
        yield


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hospital of twelve patients, made once."""
    folder = tmp_path_factory.mktemp("hospital") / "demo"
    with drawn_from("demo"):
        config = make_demo(DemoOptions(folder, patients=12, seed=7, model="none"), Progress())
    derive(folder / "master.key", "research")
    # Recognition takes seconds a page, and these nights are run again and again.
    config.write_text(config.read_text() + "\n[extraction]\nlanguages = []\n")
    return folder


@pytest.fixture
def config(template: Path, tmp_path: Path) -> Path:
    """A copy of the hospital's first notes that a test may change, in six units of work."""
    folder = tmp_path / "demo"
    shutil.copytree(template, folder)
    _execute(folder / "hospital.db", "delete from note where note_id > ?", (60,))
    path = folder / "nightly.toml"
    path.write_text(path.read_text().replace("[limits]", "[limits]\nnotes_per_unit = 10"))
    return path


class Site:
    """A copy of the hospital's first notes, and the program as an operator starts it there."""

    ENDED_BY = 600
    WORKERS = 2

    def __init__(self, folder: Path, template: Path, notes: int) -> None:
        shutil.copytree(template, folder)
        self.folder = folder
        self.config = folder / "nightly.toml"
        self.configure("[limits]", "[limits]\nnotes_per_unit = 5")
        self.source("delete from note where note_id > ?", notes)
        self.environment = os.environ | {"CRYPTONYM_TEST_SITE": str(folder)}
        self._seen: dict[int, str] = {}

    def configure(self, old: str, new: str) -> None:
        """Change the text of the configuration."""
        text = self.config.read_text()
        assert old in text
        self.config.write_text(text.replace(old, new))

    def source(self, statement: str, *values: object) -> list[Any]:
        """Run a statement on the hospital's database; returns its rows."""
        return _execute(self.folder / "hospital.db", statement, values)

    def output(self, statement: str) -> list[Any]:
        """Read from the output as an independent program would; nothing where it is not there."""
        path = self.folder / "research.db"
        return _execute(path, statement, ()) if path.is_file() else []

    def released(self) -> dict[int, str]:
        """The released notes' texts by their ids in the output."""
        return dict(self.output("select note_id, note_text from note"))

    def out_id(self, note_id: int) -> int:
        """The id that a note has in the output."""
        settings = load(self.config)
        cohort = load_master(settings.key.locator, settings.base).cohort(settings.cohort)
        return cohort.pseudonym("note", str(note_id))

    def digest(self) -> str:
        """What the output holds, as one hash."""
        settings = resolve_urls(load(self.config))
        with closing(open_output(settings.output, settings.base)) as output:
            return output.digest()

    def start(
        self, *arguments: str, stderr: int = subprocess.PIPE, **options: Any
    ) -> subprocess.Popen[str]:
        """Start the nightly job in a process group of its own."""
        command = [sys.executable, "-P", "-m", "pipeline.cli", "run", str(self.config), "--plain"]
        return subprocess.Popen(
            [*command, "--workers", str(self.WORKERS), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=self.environment,
            start_new_session=True,
            **options,
        )

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run the nightly job to its end; gives exit code, stdout and stderr."""
        process = self.start(*arguments, **options)
        stdout, stderr = process.communicate(timeout=self.ENDED_BY)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the nightly job begun by this process, not by one of its own; returns the same."""
        words = ["run", str(self.config), "--plain", "--workers", str(self.WORKERS), *arguments]
        with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
            code = main(words)
        return subprocess.CompletedProcess(words, code, stdout.getvalue(), stderr.getvalue())

    def processes(self) -> dict[Any, Any]:
        """The processes of this site that live, whoever their parent is now: id and command.

        A process that ends loses its environment before it closes its files, and its locks with
        them: one that was seen counts until the system has done with it.
        """
        mark = f"CRYPTONYM_TEST_SITE={self.folder}".encode()
        self._seen = {pid: line for pid, line in self._seen.items() if _lives(pid)}
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    self._seen[int(process.name)] = (process / "cmdline").read_bytes().decode()
        return dict(self._seen)

    def workers(self) -> list[Any]:
        """The ids of the worker processes that live."""
        return sorted(pid for pid, line in self.processes().items() if "beam.worker" in line)

    def wait_until_empty(self, seconds: int = 60) -> Any:
        """Wait until no process of this site is left, nor holds its lock; returns those that are.

        A process that is being started has the lock, and shows no environment yet.
        """
        deadline = time.monotonic() + seconds
        while ((left := self.processes()) or self._is_locked()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def _is_locked(self) -> bool:
        settings = resolve_urls(load(self.config))
        path = make_lock_path(settings.state.url, settings.base)
        try:
            with RunLock(path):
                return False
        except Held:
            return True

    def close(self) -> None:
        """End what still runs."""
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # What it still had is gone when it waits for its parent to ask how it ended.
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def _execute(path: Path, statement: str, values: Sequence[object]) -> list[Any]:
    with closing(sqlite3.connect(path)) as database, database:
        return database.execute(statement, values).fetchall()


@pytest.fixture
def make_site(template: Path, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Makes copies of the hospital with its first notes, and ends what still runs in them."""
    sites: list[Site] = []

    def make(notes: int = 30) -> Site:
        sites.append(Site(tmp_path / f"site-{len(sites)}", template, notes))
        return sites[-1]

    yield make
    for made in sites:
        made.close()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """The hospital's first thirty notes."""
    return make_site()


@pytest.fixture(scope="session")
def peaceful(template: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What must come out of the first thirty notes, as the engine alone makes it."""
    site = Site(tmp_path_factory.mktemp("peaceful") / "site", template, 30)
    assert run_nightly(site.config, run_in_process).exit_code == 0
    return site.digest()


@pytest.fixture(scope="session")
def undisturbed(
    template: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[int, str], float]:
    """Sixty notes that were run through in peace: what must come out, and the seconds it took."""
    site = Site(tmp_path_factory.mktemp("undisturbed") / "site", template, 60)
    started = time.monotonic()
    ended = site.run()
    assert ended.returncode == 0, ended.stderr
    return site.digest(), site.released(), time.monotonic() - started


@pytest.fixture(scope="session")
def night(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hospital after a night: its spans are stored; the last patients alone have documents."""
    folder = tmp_path_factory.mktemp("night") / "demo"
    shutil.copytree(template, folder)
    with closing(sqlite3.connect(folder / "hospital.db")) as db, db:
        # To read documents takes a process of its own, and most of a test's time.
        db.execute("delete from note where note_text = '' and person_id < 9")
    derive(folder / "master.key", "asthma")
    run_nightly(folder / "nightly.toml", run_in_process)
    return folder


class Ward:
    """A copy of that hospital, and cohorts released from it."""

    EVERYBODY = range(1, 13)
    first: ReleaseResult  # the release that tests of one module share, if any
    FEW = range(1, 5)

    def __init__(self, night: Path, folder: Path) -> None:
        shutil.copytree(night, folder / "demo")
        self.folder = folder
        self.config = folder / "demo" / "nightly.toml"

    def hospital(self, statement: str, *values: object) -> list[Any]:
        with closing(sqlite3.connect(self.config.with_name("hospital.db"))) as db, db:
            return db.execute(statement, values).fetchall()

    def persons(self, *person_ids: int) -> Path:
        path = self.folder / "persons.txt"
        path.write_text("".join(f"{person}\n" for person in person_ids))
        return path

    def order(
        self,
        *person_ids: int,
        output: str = "sqlite:///cohort.db",
        name: str = "asthma",
        **options: Any,
    ) -> ReleaseRequest:
        persons = self.persons(*(person_ids or self.FEW))
        return ReleaseRequest(self.config, name, persons, self.url(output), **options)

    def release(self, *person_ids: int, **options: Any) -> ReleaseResult:
        return run_release(self.order(*person_ids, **options))

    def tools(self) -> WorkerResources:
        request, settings = self.order(), load(self.config)
        with closing(open_target(request, settings)) as target:
            return open_release_tools(request, settings, target)

    def url(self, output: str) -> str:
        for form in ("///", "parquet:", "jsonl:"):
            output = output.replace(form, f"{form}{self.folder}/")
        return output

    def rows(self, statement: str, name: str = "cohort") -> list[Any]:
        with closing(sqlite3.connect(self.folder / f"{name}.db")) as db:
            return db.execute(statement).fetchall()

    def key(self, name: str = "asthma") -> CohortKey:
        return open_master(load(self.config)).cohort(name)

    def digest(self, output: str) -> str:
        with closing(open_output(OutputSettings(self.url(output)), self.config.parent)) as opened:
            return opened.digest()

    def text_notes(self) -> list[tuple[int, int]]:
        """Notes that are text in the table and were released, with their persons."""
        released = set(self.rows("select note_id from note", "demo/research"))
        key = self.key("research")
        rows = self.hospital(
            "select note_id, person_id from note where note_text <> '' order by note_id"
        )
        return [row for row in rows if (key.pseudonym("note", str(row[0])),) in released]


@pytest.fixture
def ward(night: Path, tmp_path: Path) -> Ward:
    return Ward(night, tmp_path)


@pytest.fixture(scope="session")
def make_ward() -> Callable[[Path, Path], Ward]:
    """Makes copies of that hospital for tests that share one."""
    return Ward


@pytest.fixture(params=["sqlite", "postgresql"])
def clinic(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Clinic]:
    """A clinic whose places are files, or databases of a server."""
    server = None
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres_server")
    with contextmanager(make_places)(server, tmp_path) as make_url:
        yield Clinic(tmp_path, make_url)


BROWSER = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None
)


@pytest.fixture
def photograph(tmp_path: Path) -> Callable[..., tuple[str, Path]]:
    """Shows a page in a real browser; returns what that complains of, and a picture of it."""
    if BROWSER is None:
        pytest.skip("no headless browser is installed")

    def show(html: str, scheme: str = "light") -> tuple[str, Path]:
        file, picture = tmp_path / "page.html", tmp_path / "page.png"
        file.write_text(html, encoding="utf-8")
        shown = subprocess.run(
            [
                BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,900",
                f"--blink-settings=preferredColorScheme={int(scheme == 'light')}",
                f"--screenshot={picture}", file.as_uri(),
            ],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        if not picture.is_file():
            pytest.skip("the browser made no picture")
        return shown.stderr, picture

    return show


@pytest.fixture
def browse(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a page where keys can be pressed and nothing can be fetched; returns the page of it."""
    driver = pytest.importorskip("playwright.sync_api", reason="no driver of browsers is installed")
    if BROWSER is None:
        pytest.skip("no headless browser is installed")
    with driver.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})

        def show(html: str, width: int = 1200) -> Any:
            file = tmp_path / "page.html"
            file.write_text(html, encoding="utf-8")
            page = context.new_page()
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(file.as_uri())
            return page

        yield show
        browser.close()
