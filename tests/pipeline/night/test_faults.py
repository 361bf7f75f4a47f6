"""What goes wrong around the nightly job: the exit code, what it says, and nothing released."""

import gc
import os
import resource
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, text

import pipeline.notes.detection
import surrogates.rewrite
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Job, run_nightly
from record.document import Document
from record.errors import Unavailable
from record.label import Label
from tests.pipeline.conftest import Site
from tests.pipeline.moving import move

SECRET = "Zyxwvutsrq"
WHOLE = 30


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker meets every fault; what several do is the matter of other tests."""
    monkeypatch.setattr(Site, "WORKERS", 1)


def refused(site: Site, code: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the job, which must refuse with this code, say these words and release nothing."""
    ended = site.call()
    assert ended.returncode == code, ended.stderr
    assert ended.stderr.count("cryptonym: error: ") == 1
    assert "Remedy: " in ended.stderr
    assert "Traceback" not in ended.stderr
    for word in words:
        assert word in ended.stderr
    assert site.released() == {}
    return ended


def recovers(site: Site) -> None:
    """Run the job again after the fault is gone; everything must be there."""
    again = run_nightly(site.config, run_in_process)
    assert again.exit_code == 0
    assert again.summary.tally.outcomes["planned"] == WHOLE
    expected = WHOLE - sum(site_quarantine(site).values())
    assert len(site.released()) == expected > WHOLE / 2


def site_quarantine(site: Site) -> Counter[Any]:
    """Notes in quarantine: how many for which cause."""
    with sqlite3.connect(site.folder / "state.db") as state:
        return Counter(state.execute("select stage, error, reason from quarantine"))


# Configuration


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda key: key.unlink(), ("key.locator", "No such file", "cryptonym keys new")),
        (lambda key: key.chmod(0o644), ("key.locator", "accessible to other users", "chmod 600")),
        (lambda key: key.write_text("cryptonym-key-v1\nabc\n"), ("not a master key",)),
        (lambda key: key.write_bytes(b"\xff" * 100), ("not a master key",)),
    ],
    ids=["missing", "loose", "short", "bytes"],
)
def test_keys(site: Site, break_it: Callable[[Any], Any], words: tuple[str, ...]) -> None:
    break_it(site.folder / "master.key")
    refused(site, 2, "master.key", *words)
    assert not (site.folder / "state.db").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[limits]", "[limits]\nmax_notes = 3", ("limits.max_notes",)),
        ("[limits]", "[limit]", ("limit:",)),
        ('lang = "fr"', 'lang = "it"', ("lang:",)),
        ("[limits]", "[limits", ("not valid TOML",)),
        ("sqlite:///hospital.db", "env:NOT_SET_ANYWHERE", ("NOT_SET_ANYWHERE", "export")),
        ("sqlite:///hospital.db", f"mysql://root:{SECRET}@host/db", ("source.url",)),
        ('table = "patient_identity"', 'table = "nothing"', ("no table nothing",)),
        ('family_names = "family_names"', 'family_names = "nothing"', ("no column nothing",)),
    ],
)
def test_configuration(site: Site, old: str, new: str, words: tuple[str, ...]) -> None:
    site.configure(old, new)
    ended = refused(site, 2, *words)
    assert SECRET not in ended.stderr


# Services that are not there


def test_source_is_missing(site: Site) -> None:
    (site.folder / "hospital.db").rename(site.folder / "elsewhere.db")
    told = f"no such database file: {site.folder.resolve() / 'hospital.db'}"
    refused(site, 4, "source.url", told, "check the path")


def test_source_is_no_database(site: Site) -> None:
    (site.folder / "hospital.db").write_bytes(b"%PDF-1.7 not a database " * 200)
    refused(site, 4, "source", "database corrupted", "backup")


@pytest.mark.slow
@pytest.mark.parametrize("file", ["hospital.db", "research.db"])
def test_server_is_unreachable(site: Site, file: str) -> None:
    pytest.importorskip("psycopg")
    site.configure(f"sqlite:///{file}", f"postgresql://me:{SECRET}@127.0.0.1:1/warehouse")
    what = {"hospital.db": "source", "research.db": "output"}[file]
    ended = refused(site, 4, f"{what}: connection failed", "check that the server is running")
    assert SECRET not in ended.stderr


def test_folder_of_documents_is_missing(site: Site) -> None:
    (site.folder / "pdf").rename(site.folder / "unmounted")
    refused(site, 4, "source.documents", "not a directory", "mount the folder")
    (site.folder / "unmounted").rename(site.folder / "pdf")


def test_folder_of_documents_goes_away_during_the_run(site: Site) -> None:
    def unmount(job: Job) -> dict[str, int]:
        (site.folder / "pdf").rename(site.folder / "unmounted")
        return run_in_process(job)

    with pytest.raises(Unavailable, match="folder of documents"):
        run_nightly(site.config, unmount)
    assert site.released() == {}
    (site.folder / "unmounted").rename(site.folder / "pdf")
    recovers(site)


# Disks that are full


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own that can be made to hold more."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or _mount("-t", "tmpfs", "-o", "size=256k", "none", folder):
        pytest.skip("mounting a small disk needs root")
    yield folder
    # What an error left behind in this process may still hold a file open.
    gc.collect()
    subprocess.run(["umount", "--lazy", folder], check=True)


def _mount(*arguments: str | Path) -> int:
    return subprocess.run(["mount", *arguments], check=False, stderr=subprocess.DEVNULL).returncode


def fill(folder: Path, leave: int) -> None:
    """Fill a disk but for some kilobytes."""
    (folder / "ballast").write_bytes(bytes((256 - leave) * 1024))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "leave"),
    [("state.db", 0), ("state.db", 160), ("research.db", 48), ("research.db", 160)],
)
def test_disk_is_full(site: Site, peaceful: str, small_disk: Path, file: str, leave: int) -> None:
    site.configure(f"sqlite:///{file}", f"sqlite:///{small_disk}/{file}")
    fill(small_disk, leave)
    ended = site.call()
    what = {"state.db": "state", "research.db": "output"}[file]
    assert ended.returncode == 4, ended.stderr
    assert "disk full" in ended.stderr
    assert what in ended.stderr
    assert "free space, then run again" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert _notes(small_disk / file if file == "research.db" else site.folder / "research.db") == 0
    assert _mount("-o", "remount,size=64m", small_disk) == 0
    again = run_nightly(site.config, run_in_process)
    assert again.exit_code == 0
    assert again.summary.tally.outcomes["planned"] == WHOLE
    assert site.digest() == peaceful


def _notes(path: Path) -> int:
    if not path.is_file():
        return 0
    with sqlite3.connect(path) as output:
        if not output.execute("select 1 from sqlite_master where name = 'note'").fetchall():
            return 0
        return output.execute("select count(*) from note").fetchone()[0]


@pytest.mark.slow
def test_report_cannot_be_written(site: Site, small_disk: Path) -> None:
    site.configure("[limits]", f'[report]\nfolder = "{small_disk}"\n\n[limits]')
    fill(small_disk, 8)
    ended = site.call()
    assert ended.returncode == 4
    assert "report.folder" in ended.stderr
    assert "Remedy: " in ended.stderr
    assert _mount("-o", "remount,size=64m", small_disk) == 0
    recovers(site)
    assert (small_disk / "report.html").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [20, 150])
def test_files_may_not_grow(site: Site, peaceful: str, kilobytes: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, kilobytes * 1024))

    ended = site.run(preexec_fn=limit)
    assert ended.returncode == 4, ended.stderr
    assert "cryptonym: error: " in ended.stderr
    assert "disk" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert _notes(site.folder / "research.db") == 0
    recovers(site)
    assert site.digest() == peaceful


@pytest.mark.slow
def test_summaries_of_workers_are_not_needed(site: Site, peaceful: str) -> None:
    (site.folder / ".cryptonym").write_text("in the way")
    ended = site.call()
    assert ended.returncode == 0, ended.stderr
    assert f"{WHOLE} planned" in ended.stdout
    assert site.digest() == peaceful


# Our own mistakes


def faulty(document: Document) -> list[Any]:
    if document.note_id == "3":
        raise ValueError(f"cannot go on at {SECRET}: {document.text}")
    return []


def test_a_detector_that_raises_costs_one_note(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    families = (*pipeline.notes.detection.FAMILIES, faulty)
    monkeypatch.setattr(pipeline.notes.detection, "FAMILIES", families)
    run_nightly(site.config, run_in_process)
    causes = site_quarantine(site)
    assert causes["detect", "ValueError", ""] == 1
    assert site.out_id(3) not in site.released()
    assert len(site.released()) == WHOLE - causes.total()
    assert SECRET.encode() not in (site.folder / "state.db").read_bytes()


def test_a_maker_of_surrogates_that_raises_costs_its_notes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def maker(mention: Any, subject: Any) -> None:
        raise KeyError(SECRET)

    monkeypatch.setitem(surrogates.rewrite.MAKERS, Label.SSN, maker)
    site.configure("max_quarantine_share = 0.2", "max_quarantine_share = 1.0")
    run_nightly(site.config, run_in_process)
    causes = site_quarantine(site)
    assert causes["rewrite", "KeyError", ""] > 0
    assert len(site.released()) == WHOLE - causes.total() > 0
    assert SECRET.encode() not in (site.folder / "state.db").read_bytes()


def test_a_mistake_that_is_mended_costs_nothing(
    site: Site, peaceful: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as context:
        families = (*pipeline.notes.detection.FAMILIES, faulty)
        context.setattr(pipeline.notes.detection, "FAMILIES", families)
        run_nightly(site.config, run_in_process)
    monkeypatch.setattr(pipeline.notes.worker_resources, "DETECTOR_VERSION", "mended")
    run_nightly(site.config, run_in_process)
    assert site.out_id(3) in site.released()
    assert site.digest() == peaceful


WORKERS_DIE = """
import os, sys
if "pipeline.beam.worker" in sys.orig_argv:
    os._exit(1)
"""
BATCHES_FAIL = f"""
import pipeline.notes.stages
def read(unit, tools):
    raise RuntimeError("{SECRET}")
pipeline.notes.stages.read_batch = read
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (WORKERS_DIE, ("worker-", "exited with code 1 without a message")),
        (BATCHES_FAIL, ("worker-", "read failed on unit ", "RuntimeError")),
    ],
    ids=["die", "fail"],
)
def test_workers_that_always_fail_end_the_run(
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mistake: str,
    words: tuple[str, ...],
) -> None:
    (tmp_path / "sitecustomize.py").write_text(mistake)
    with monkeypatch.context() as context:
        context.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
        ended = refused(site, 1, "nothing was released", *words)
    assert SECRET not in ended.stdout + ended.stderr
    recovers(site)


# A server that goes away and comes back


@pytest.fixture
def served(site: Site, postgres_url: str) -> Iterator[tuple[Site, Engine]]:
    """The hospital on a server: source, state and output are three databases."""
    server = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    database = server.url.database
    assert database
    names = {file: f"{database}_{file}" for file in ("hospital", "state", "research")}
    with server.connect() as connection:
        for file, name in names.items():
            connection.execute(text(f"create database {name}"))
            url = postgres_url.replace("+psycopg", "").replace(database, name)
            site.configure(f"sqlite:///{file}.db", url)
    move(site.folder / "hospital.db", server.url.set(database=names["hospital"]))
    yield site, server
    with server.connect() as connection:
        for name in names.values():
            connection.execute(text(f"drop database {name} with (force)"))
    server.dispose()


TERMINATE = text(
    "select pg_terminate_backend(pid) from pg_stat_activity"
    " where datname like current_database() || '\\_%' and state is not null"
)


MOST_LOST = 40
"""A server that never stays is no passing trouble: a slow machine would rightly give up on it."""

FEW_LOST = 4
"""What is lost in a row while a run opens its databases: it tries five times within 8 seconds."""


def terminate(server: Engine) -> int:
    """End every connection of the job, as a server does that is started again."""
    with server.connect() as connection:
        return len(connection.execute(TERMINATE).all())


@pytest.mark.slow
def test_a_server_that_comes_back_costs_nothing(served: tuple[Site, Engine], peaceful: str) -> None:
    site, server = served
    process = site.start()
    assert process.stderr
    assert any(line.startswith("working ...") for line in process.stderr)
    lost = 0
    while process.poll() is None:
        time.sleep(0.5)
        lost += terminate(server) if lost < MOST_LOST else 0
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 0, stderr
    assert lost > 5
    assert f"{WHOLE} planned" in stdout
    assert site.digest() == peaceful


@pytest.mark.slow
def test_connections_lost_in_a_row_cost_nothing(served: tuple[Site, Engine], peaceful: str) -> None:
    site, server = served
    done = threading.Event()

    def harass() -> None:
        lost = 0
        while not done.wait(0.15) and lost < FEW_LOST:
            lost += terminate(server)

    thread = threading.Thread(target=harass)
    thread.start()
    try:
        run_nightly(site.config, run_in_process)
    finally:
        done.set()
        thread.join()
    assert site.digest() == peaceful
