"""A release as tasks of Spark: the same bytes as in memory, and nothing secret in what is sent."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from sqlalchemy import create_engine, text

from pipeline.cli import main
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
from tests.keys import derive
from tests.pipeline.conftest import Site
from tests.pipeline.spark.test_cluster import cluster, end, has_spark, on_server, wait_until

__all__ = ["cluster"]  # a fixture
PERSONS = range(1, 13)
PASSWORD = "Sesamouvretoi"


def content(folder: Path) -> tuple[dict[str, bytes], Any]:
    """The files of a release, and its manifest without the time."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.pop("time")
    paths = folder.rglob("*.parquet")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}, manifest


def after_a_night(site: Site) -> Path:
    """Run the night, release a cohort in memory; returns the list of its persons."""
    site.configure("notes_per_unit = 5", "notes_per_unit = 4")
    derive(site.folder / "master.key", "asthma")
    assert run_nightly(site.config, run_in_process).exit_code in (0, 3)
    persons = site.folder / "persons.txt"
    persons.write_text("".join(f"{person}\n" for person in PERSONS))
    place = f"parquet:{site.folder / 'first'}"
    made = run_release(ReleaseRequest(site.config, "asthma", persons, place))
    assert made.manifest["units"] >= 4
    return persons


def start(site: Site, persons: Path, master: str) -> "subprocess.Popen[str]":
    words = ["release", str(site.config), "--cohort", "asthma", "--persons", str(persons)]
    words += ["--output", f"parquet:{site.folder / 'spark'}", "--plain", "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "pipeline.cli", *words, "--engine", "spark",
         "--master", master],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=site.environment | {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
    )  # fmt: skip


@has_spark
@pytest.mark.slow
def test_tasks_give_the_same_bytes(
    make_site: Callable[..., Site], postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    monkeypatch.setenv("CRYPTONYM_TEST_STATE", postgres_url)
    site = on_server(make_site(60), postgres_url)
    process = start(site, after_a_night(site), "local[2]")
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    assert content(site.folder / "spark") == content(site.folder / "first")


@has_spark
@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_releases_the_same_bytes(
    make_site: Callable[..., Site],
    postgres_url: str,
    cluster: tuple[str, list[psutil.Process]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    master, workers = cluster
    monkeypatch.setenv("CRYPTONYM_TEST_STATE", postgres_url)
    site = on_server(make_site(60), postgres_url)
    site.configure("[limits]", "[engine]\nlease_seconds = 3\n\n[limits]")
    persons = after_a_night(site)
    engine = create_engine(postgres_url)

    def find_victim() -> psutil.Process | None:
        schemas = text("select nspname from pg_namespace where nspname like 'cryptonym_release%'")
        with engine.connect() as connection:
            for schema in connection.scalars(schemas).all():
                held = f"select holder from {schema}.run_unit where done = 0 and lease_ends > 0"
                if not connection.scalar(text(f"select to_regclass('{schema}.run_unit')")):
                    continue
                for holder in connection.scalars(text(held)).all():
                    pid = int(holder.split(":")[1])
                    for worker in workers:
                        if pid in [child.pid for child in worker.children(recursive=True)]:
                            return worker
        return None

    process = start(site, persons, master)
    end(wait_until(find_victim, process))
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    assert content(site.folder / "spark") == content(site.folder / "first")
    engine.dispose()


def test_a_password_of_a_cohorts_output_is_not_sent(
    make_site: Callable[..., Site],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    monkeypatch.setenv("CRYPTONYM_TEST_STATE", "postgresql://localhost/nowhere")
    site = on_server(make_site(2), "")
    output = f"postgresql://me:{PASSWORD}@localhost/cohort"
    site.configure("[limits]", f'[cohorts.flu]\noutput = "{output}"\n\n[limits]')
    words = ["release", str(site.config), "--cohort", "flu", "--plain", "--engine", "spark"]
    assert main([*words, "--master", "spark://127.0.0.1:1"]) == 2
    said = capfd.readouterr().err
    assert "cohorts.flu.output: must not hold a password" in said
    assert PASSWORD not in said


def test_what_a_task_of_a_release_carries(make_site: Callable[..., Site]) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from functools import partial

    from pyspark import cloudpickle

    from pipeline.release.run import make_all_units
    from pipeline.release.worker import ReleasePlace
    from pipeline.spark.cluster import make_task

    site = make_site(2)
    task = make_task(
        partial(make_all_units, ReleasePlace(load(site.config), "cryptonym_release_1"))
    )
    packed = cloudpickle.dumps(task)
    key = (site.folder / "master.key").read_text().strip().splitlines()[-1]
    assert b"cryptonym_release_1" in packed
    assert key.encode() not in packed
