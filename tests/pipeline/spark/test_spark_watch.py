"""Signals to `cryptonym watch` and `cryptonym run` with Spark as the engine."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from sqlalchemy import Engine, create_engine, text

from tests.pipeline.conftest import Site
from tests.pipeline.spark.test_cluster import has_spark, on_server, wait_until

HELD = text("select count(*) from run_unit where done = 0 and lease_ends > 0")


@has_spark
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_batch_of_tasks_is_completed(
    number: signal.Signals,
    make_site: Callable[..., Site],
    peaceful: str,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    monkeypatch.setenv("CRYPTONYM_TEST_STATE", postgres_url)
    site = on_server(make_site(30), postgres_url)
    site.configure("[limits]", '[engine]\nkind = "spark"\nmaster = "local[2]"\n\n[limits]')
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "pipeline.cli", "watch", str(site.config), "--plain",
         "--interval", "0.1", "--workers", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=site.environment | {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
    )  # fmt: skip
    engine = create_engine(postgres_url)
    try:
        wait_until(lambda: is_held(engine), process)
        process.send_signal(number)
        said, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    first, *_, last = said.splitlines()
    assert first.startswith("run 1: 30 planned"), errors
    assert (process.returncode, last) == (0, "stopped")
    assert site.digest() == peaceful
    with engine.connect() as connection:
        holders = set(connection.scalars(text("select holder from run_unit")))
    engine.dispose()
    assert {holder.rpartition(":")[2][:5] for holder in holders} == {"task-"}


def is_held(engine: Engine) -> bool:
    """Whether a worker has a unit that is not done."""
    with engine.connect() as connection:
        if connection.scalar(text("select to_regclass('run_unit')")) is None:
            return False
        return bool(connection.scalar(HELD))


@has_spark
@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_night_and_frees_its_units(
    number: signal.Signals,
    code: int,
    make_site: Callable[..., Site],
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    monkeypatch.setenv("CRYPTONYM_TEST_STATE", postgres_url)
    site = on_server(make_site(1_000), postgres_url)
    site.environment |= {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    engine = create_engine(postgres_url)
    process = site.start("--engine", "spark", "--master", "local[1]")
    wait_until(lambda: is_held(engine), process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == code, errors
    assert "Traceback (most recent call last)" not in errors
    assert site.released() == {}
    # Free at once, and not counted as a failure of the notes.
    with engine.connect() as connection:
        assert connection.scalar(HELD) == 0
        told = connection.execute(text("select max(failures), min(done) from run_unit"))
        assert told.one() in [(0, 0), (None, 0)]
    engine.dispose()
    assert site.wait_until_empty() == {}
