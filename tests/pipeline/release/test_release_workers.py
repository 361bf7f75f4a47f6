"""Who builds a release changes nothing of it: any number of workers, any engine, killed or not."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from sqlalchemy import create_engine, text

from pipeline.beam import release_worker
from pipeline.beam.failures import RunnerFailed
from pipeline.beam.release_worker import ReleaseShare, drive_release_on_runner
from pipeline.beam.worker_pool import LOOPBACK, WorkerPool
from pipeline.cli import main
from pipeline.commands.options import engine
from pipeline.config.exit_codes import EXIT_DONE, EXIT_USAGE
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Incomplete, Job, run_nightly
from pipeline.notes.worker_admission import WorkerRefused
from pipeline.notes.worker_resources import resolve_urls
from pipeline.release import worker
from pipeline.release.exchange import create_exchange
from pipeline.release.release_context import ReleaseContext, open_context, staging_folder
from pipeline.release.request import complete_request, encode_request
from pipeline.release.run import run_release
from pipeline.release.staging import LEASED, ReleaseStaging, ReleaseUnit, ReleaseUnitResult
from pipeline.release.targets import FolderTarget
from pipeline.release.worker import ReleasePlace, make_release_units, open_worker_context
from pipeline.state.run_lock import _ADVISORY, Held
from pipeline.warehouse.note_rows import Unit
from record.errors import ConfigError, Unavailable, Unsafe
from surrogates.keys.custody import make_folder
from tests.pipeline.beam.test_worker_pool import PRISM, needs_prism
from tests.pipeline.conftest import Ward


@pytest.fixture(scope="module")
def hall(
    night: Path, tmp_path_factory: pytest.TempPathFactory, make_ward: Callable[[Path, Path], Ward]
) -> Ward:
    """A hospital after its night, released in several units, in memory."""
    ward = make_ward(night, tmp_path_factory.mktemp("hall"))
    config = ward.config.read_text().replace("[limits]", "[limits]\nnotes_per_unit = 6")
    ward.config.write_text(config)
    ward.first = ward.release(*ward.EVERYBODY, output="parquet:first", spans=True)
    assert ward.first.manifest["units"] >= 4
    return ward


def content(folder: Path) -> tuple[dict[str, bytes], Any]:
    """The files of a release, and its manifest without the time."""
    paths = sorted(path for path in folder.rglob("*.parquet"))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.pop("time")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}, manifest


def command(ward: Ward, name: str, *arguments: str) -> list[str]:
    persons = str(ward.persons(*ward.EVERYBODY))
    output = ward.url(f"parquet:{name}")
    words = ["release", str(ward.config), "--cohort", "asthma", "--persons", persons, "--spans"]
    return [*words, "--output", output, "--plain", *arguments]


# The same bytes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [["--workers", "1"], ["--workers", "2"], ["--workers", "3", "--runner=FnApiRunner"]],
    ids=" ".join,
)
def test_every_engine_gives_the_same_bytes(hall: Ward, arguments: list[str]) -> None:
    name = f"engine{len(arguments)}{arguments[1]}"
    assert main(command(hall, name, *arguments)) == EXIT_DONE
    assert content(hall.folder / name) == content(hall.folder / "first")
    assert not list((hall.config.parent / ".cryptonym").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("pools", [1, 2])
def test_pools_of_workers_give_the_same_bytes(hall: Ward, pools: int) -> None:
    name = f"pools-{pools}"
    with ExitStack() as stack:
        addresses = [
            stack.enter_context(WorkerPool(LOOPBACK, 0, lambda line: None)).address
            for _ in range(pools)
        ]
        external = ["--environment_type=EXTERNAL", f"--environment_config={','.join(addresses)}"]
        assert main(command(hall, name, *external)) == EXIT_DONE
    assert content(hall.folder / name) == content(hall.folder / "first")


@needs_prism
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["LOOPBACK", "PROCESS"])
def test_prism_gives_the_same_bytes(hall: Ward, kind: str) -> None:
    prism = ["--runner=PrismRunner", f"--prism_location={PRISM}", f"--environment_type={kind}"]
    assert main(command(hall, f"prism-{kind}", "--workers", "2", *prism)) == EXIT_DONE
    assert content(hall.folder / f"prism-{kind}") == content(hall.folder / "first")


@pytest.mark.slow
def test_a_killed_worker_costs_nothing(hall: Ward) -> None:
    words = [sys.executable, "-P", "-m", "pipeline.cli"]
    process = subprocess.Popen(
        [*words, *command(hall, "killed", "--workers", "2")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    database = staging_folder(load(hall.config)) / "staging.db"
    victim = stop_a_holder(process, database)
    assert not (hall.folder / "killed").exists()
    victim.kill()
    _, said = process.communicate(timeout=300)
    assert process.returncode == EXIT_DONE, said
    assert content(hall.folder / "killed") == content(hall.folder / "first")


def stop_a_holder(process: "subprocess.Popen[str]", database: Path) -> psutil.Process:
    """Stop a worker process while it has a unit; returns it."""
    held = "select holder from run_unit where done = 0 and lease_ends > 0 and holder = ?"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        assert process.poll() is None
        for child in psutil.Process(process.pid).children():
            with suppress(psutil.NoSuchProcess, sqlite3.Error, ValueError):  # not a worker yet
                line = child.cmdline()
                holder = f"worker-{line[line.index('--worker') + 1]}"
                os.kill(child.pid, signal.SIGSTOP)
                with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as db:
                    if db.execute(held, [holder]).fetchall():
                        return child
                os.kill(child.pid, signal.SIGCONT)
        time.sleep(0.02)
    raise AssertionError("no worker has had a unit")


def test_units_that_a_runner_loses_are_noticed(hall: Ward) -> None:
    with pytest.raises(Incomplete, match="not all units were built"):
        run_release(hall.order(1, 2, 3, output="parquet:lost"), drive=lambda job: {})
    assert not (hall.folder / "lost").exists()


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--master", "spark://head:7077"], "--master: is that of Spark, and the engine is"),
        (["--engine", "spark", "--runner=x"], "--runner=x: is an option of Apache Beam"),
        (["--runner=DirectRunner"], "--runner=DirectRunner: it downloads an executable"),
        (["--cohrt=x"], "did you mean --cohort? See cryptonym release --help"),
        (["--cohrt=x", "--dry-run"], "did you mean --cohort? See cryptonym release --help"),
    ],
)
def test_what_release_refuses_as_run_does(
    hall: Ward, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(command(hall, "refused", *arguments)) == EXIT_USAGE
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (hall.folder / "refused").exists()


def test_a_release_of_an_earlier_version_stays_on_this_machine(
    hall: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReleaseContext, "is_sorted", False)
    with pytest.raises(ConfigError, match=r"^--engine: .* --rebase"):
        run_release(hall.order(1, output="parquet:early"), drive=lambda job: {}, is_distant=True)
    assert not (hall.folder / "early").exists()


@pytest.fixture
def planned(hall: Ward) -> Iterator[ReleaseContext]:
    """A release whose one unit waits for workers."""
    settings = load(hall.config)
    order = complete_request(hall.order(1), settings)
    staging = ReleaseStaging.create(staging_folder(settings))
    context = open_context(order, settings, staging)
    staging.store_parameters(
        {"request": encode_request(order), "origin": None, "suffix": context.target.suffix}
    )
    staging.workers.demand(LEASED, context.proof)
    staging.add_units([ReleaseUnit(0, 0, 2**62 - 1, [1], [])])
    yield context
    context.close()
    staging.remove()


@pytest.mark.parametrize("name", ["version", "key", "policy", "configuration", "tables"])
def test_a_worker_that_would_write_something_else_is_refused(
    planned: ReleaseContext, name: str
) -> None:
    place = ReleasePlace(planned.tools.settings)
    planned.staging.workers.demand(LEASED, planned.proof | {name: "another"})
    with pytest.raises(WorkerRefused, match=rf"^worker.{name}: has another ") as caught:
        open_worker_context(place, "worker-7")
    assert list(make_release_units(place, "worker-8")) == []
    refused = planned.staging.workers.read_refused(LEASED)
    assert refused.keys() == {"worker-7", "worker-8"}
    assert str(refused["worker-7"]) == str(caught.value)
    assert not planned.staging.leases.is_finished(LEASED)


def test_a_worker_with_a_wrong_clock_is_refused(planned: ReleaseContext) -> None:
    place = ReleasePlace(planned.tools.settings)
    with pytest.raises(WorkerRefused, match=r"^worker.clock: is \d+ s ahead of"):
        open_worker_context(place, "worker-7", lambda: time.time() + 1000)


def test_a_worker_never_draws_the_secret_of_a_cohort(
    planned: ReleaseContext, tmp_path: Path
) -> None:
    make_folder(tmp_path / "custody")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    settings = planned.tools.settings
    other = replace(settings, key=replace(settings.key, custody=str(tmp_path / "custody")))
    with pytest.raises(WorkerRefused, match=r"^worker.key: the custody folder of this worker"):
        open_worker_context(ReleasePlace(other), "worker-7")
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path: data for path, data in after.items() if not path.name.endswith("lock")} == before


def test_a_worker_that_does_not_see_the_staging_folder_is_told(hall: Ward) -> None:
    settings = load(hall.config)
    with pytest.raises(ConfigError, match=r"^worker.staging: .* state on PostgreSQL"):
        open_worker_context(ReleasePlace(settings), "worker-7")
    assert not staging_folder(settings).exists()


def test_a_release_whose_workers_are_all_refused_publishes_nothing(hall: Ward) -> None:
    def drive(job: Job) -> dict[str, int]:
        changed = replace(job.settings, lang="de")
        assert list(make_release_units(ReleasePlace(changed), "worker-0")) == []
        return {}

    with pytest.raises(ConfigError, match=r"worker-0 was refused, and no other could end"):
        run_release(hall.order(1, output="parquet:refused"), drive=drive)
    assert not (hall.folder / "refused").exists()


def test_a_refused_worker_is_told_and_the_others_do_its_work(
    hall: Ward, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def drive(job: Job) -> dict[str, int]:
        changed = replace(job.settings, lang="de")
        assert list(make_release_units(ReleasePlace(changed), "worker-0")) == []
        assert job.task is not None
        job.task("worker-1")
        return {}

    monkeypatch.setattr(engine, "run_in_workers", drive)
    assert main(command(hall, "warned")) == EXIT_DONE
    said = " ".join(capsys.readouterr().err.split())
    assert "warning: worker worker-0 was refused: worker.policy: has another policy" in said
    assert content(hall.folder / "warned") == content(hall.folder / "first")


def test_the_engine_of_the_configuration_is_taken(
    hall: Ward, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.delitem(sys.modules, "pipeline.spark.cluster", raising=False)
    # Of a test before this one.
    monkeypatch.delattr("pipeline.spark.cluster", raising=False)
    config = hall.config.read_text()
    hall.config.write_text(f'{config}\n[engine]\nkind = "spark"\n')
    try:
        assert main(command(hall, "configured")) == EXIT_USAGE
        assert "pip install 'cryptonym[spark]'" in " ".join(capsys.readouterr().err.split())
        assert main(command(hall, "configured", "--dry-run")) == EXIT_DONE
    finally:
        hall.config.write_text(config)


@pytest.mark.parametrize(
    ("error", "raised"),
    [(Unavailable("x", "y", "z"), Unavailable), (ValueError("Wexlovitch"), RunnerFailed)],
)
def test_what_fails_in_the_graph_is_told_without_text(
    planned: ReleaseContext, monkeypatch: pytest.MonkeyPatch, error: Any, raised: type[Exception]
) -> None:
    def failing(unit: Unit, context: ReleaseContext) -> None:
        raise error

    monkeypatch.setattr(worker, "make_unit", failing)
    share = ReleaseShare(
        ReleasePlace(planned.tools.settings), planned.staging.folder / "worker-0.json"
    )
    with pytest.raises(raised) as caught:
        release_worker.work(share, [])
    assert "Wexlovitch" not in str(caught.value)


# Workers of other machines ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def far(
    night: Path,
    tmp_path_factory: pytest.TempPathFactory,
    make_ward: Callable[[Path, Path], Ward],
    postgres_server: str,
) -> Iterator[Ward]:
    """The same hospital with its state on a server, after a night of its own."""
    ward = make_ward(night, tmp_path_factory.mktemp("far"))
    server = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text("create database far"))
    url = server.url.set(database="far").render_as_string(hide_password=False)
    text_of = ward.config.read_text().replace("[limits]", "[limits]\nnotes_per_unit = 6")
    ward.config.write_text(text_of.replace("sqlite:///state.db", "env:CRYPTONYM_TEST_FAR"))
    (ward.config.parent / "research.db").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CRYPTONYM_TEST_FAR", url)
        run_nightly(ward.config, run_in_process)
        ward.first = ward.release(*ward.EVERYBODY, output="parquet:first", spans=True)
        yield ward
    with server.connect() as connection:
        connection.execute(text("drop database far with (force)"))
    server.dispose()


def schemas(ward: Ward) -> list[str]:
    engine = create_engine(resolve_urls(load(ward.config)).state.url)
    with engine.connect() as connection:
        found = "select nspname from pg_namespace where nspname like 'cryptonym%' order by 1"
        names = list(connection.scalars(text(found)))
    engine.dispose()
    return names


def test_files_come_by_way_of_the_server(
    far: Ward, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen: list[list[str]] = []

    def drive(job: Job) -> dict[str, int]:
        assert job.task is not None
        job.task("guest-1")
        seen.append(schemas(far))
        return {}

    everybody = far.order(*far.EVERYBODY, output="parquet:sent", spans=True)
    run_release(everybody, drive=drive, is_distant=True)
    assert content(far.folder / "sent") == content(far.folder / "first")
    assert len(seen[0]) == 1
    assert schemas(far) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_release_that_lost_its_lock_publishes_nothing(
    far: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = create_engine(resolve_urls(load(far.config)).state.url, isolation_level="AUTOCOMMIT")
    move, thief = FolderTarget._move_files, server.connect()

    def steal(*arguments: Any) -> list[str]:
        # The server was restarted, and another machine's run was faster.
        locks = "from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()"
        thief.execute(text(f"select pg_terminate_backend(pid) {locks}"))
        while not thief.scalar(text(f"select pg_try_advisory_lock({_ADVISORY})")):
            time.sleep(0.05)
        return move(*arguments)

    monkeypatch.setattr(FolderTarget, "_move_files", steal)
    try:
        with pytest.raises(Held, match="a process on another machine"):
            run_release(far.order(*far.EVERYBODY, output="parquet:stolen", spans=True))
    finally:
        thief.close()
        server.dispose()
    assert not (far.folder / "stolen").exists()
    monkeypatch.undo()
    run_release(far.order(*far.EVERYBODY, output="parquet:stolen", spans=True))
    assert content(far.folder / "stolen") == content(far.folder / "first")
    assert len(list(far.folder.glob(".stolen-*"))) == 1


def test_a_pool_of_workers_sends_the_same_bytes(far: Ward) -> None:
    with WorkerPool(LOOPBACK, 0, lambda line: None) as pool:
        external = ["--environment_type=EXTERNAL", f"--environment_config={pool.address}"]
        order = far.order(*far.EVERYBODY, output="parquet:pool", spans=True)
        run_release(order, drive=drive_release_on_runner(external), workers=2, is_distant=True)
    assert content(far.folder / "pool") == content(far.folder / "first")


@pytest.fixture
def staged(far: Ward, tmp_path: Path) -> Iterator[tuple[ReleaseStaging, ReleaseStaging]]:
    """The staging of the driving process with one unit, and that of a worker elsewhere."""
    exchange = create_exchange(load(far.config))
    staging = ReleaseStaging.create(tmp_path / "staging", exchange)
    staging.add_units([ReleaseUnit(0, 0, 9, [1], [2])])
    guest = ReleaseStaging.join(exchange)
    yield staging, guest
    guest.close()
    staging.remove()


def draft(guest: ReleaseStaging) -> ReleaseStaging:
    claim = guest.leases.claim(LEASED, "guest", 60)
    assert claim is not None
    drafted = guest.draft(claim.unit)
    path = drafted.unit_path("note", 0)
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(range(256)) * 40_000)
    return drafted


MADE = ReleaseUnitResult((), {}, {}, {})


def test_large_files_come_in_pieces(staged: tuple[ReleaseStaging, ReleaseStaging]) -> None:
    staging, guest = staged
    draft(guest).commit(0, MADE)
    assert staging.unit_files("note") == []
    staging.fetch_files()
    (path,) = staging.unit_files("note")
    assert path.read_bytes() == bytes(range(256)) * 40_000
    assert staging.progress() == (1, 1)
    staging.fetch_files()


def test_pieces_that_were_changed_are_refused(
    staged: tuple[ReleaseStaging, ReleaseStaging],
) -> None:
    staging, guest = staged
    draft(guest).commit(0, MADE)
    assert staging.exchange is not None
    with staging._engine.begin() as connection:
        moved = f"update {staging.exchange.schema}.piece set number = 9 - number"
        connection.execute(text(moved))
    with pytest.raises(Unsafe, match="broken-seal"):
        staging.fetch_files()
    assert staging.unit_files("note") == []


def test_a_worker_that_an_earlier_release_left_stores_nothing(
    far: Ward, staged: tuple[ReleaseStaging, ReleaseStaging]
) -> None:
    _, guest = staged
    late = draft(guest)
    newer = create_exchange(load(far.config))
    assert schemas(far) == [newer.schema]
    with pytest.raises(Unavailable):
        late.commit(0, MADE)
    newer.remove()
    newer.engine.dispose()


def test_a_user_who_may_not_create_a_schema_is_told(far: Ward) -> None:
    settings = resolve_urls(load(far.config))
    engine = create_engine(settings.state.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("create role reader login in role pg_read_all_data"))
    poor = engine.url.set(username="reader").render_as_string(hide_password=False)
    try:
        with pytest.raises(ConfigError, match=r"^state.url: its user may not create a schema"):
            create_exchange(replace(settings, state=replace(settings.state, url=poor)))
    finally:
        with engine.connect() as connection:
            connection.execute(text("drop role reader"))
        engine.dispose()
