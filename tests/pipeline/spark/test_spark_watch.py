"""`cryptonym watch` with Spark as the engine of the configuration."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from sqlalchemy import create_engine, text

from tests.pipeline.conftest import Site
from tests.pipeline.spark.test_cluster import has_spark, on_server


@has_spark
@pytest.mark.slow
def test_batches_are_tasks_of_spark(
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
    assert process.stdout
    try:
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        said, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert first.startswith("run 1: 30 planned"), errors
    assert (process.returncode, said.splitlines()[-1]) == (0, "stopped")
    assert site.digest() == peaceful
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        holders = set(connection.scalars(text("select holder from run_unit")))
    engine.dispose()
    assert {holder.rpartition(":")[2][:5] for holder in holders} == {"task-"}
