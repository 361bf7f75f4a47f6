"""What Spark stores of a night (event log, scratch files, logs) holds no text and no secret."""

import gzip
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.pipeline.conftest import Site
from tests.pipeline.spark.test_cluster import has_spark, on_server

NAME = "Wexlovitch"
"""A name in every note."""

WORD = "glomvixique"
"""A word of every note that names nobody, and is released."""

PASSWORD = "Sesamouvretoi"

RAISES = """
import pipeline.notes.detection
def detect(document):
    if document.note_id in ("2", "4"):
        raise ValueError(document.text, document.person_id)
    return []
pipeline.notes.detection.FAMILIES += (detect,)
"""


@has_spark
@pytest.mark.slow
def test_what_spark_stores_holds_no_text_and_no_secret(
    make_site: Callable[..., Site], postgres_url: str, tmp_path: Path
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    site = make_site(6)
    joined = "&" if "?" in postgres_url else "?"
    on_server(site, f"{postgres_url}{joined}application_name={PASSWORD}")
    site.source("update note set note_text = note_text || ? ", f" Mme {NAME} {WORD}.")
    places = {name: tmp_path / name for name in ("conf", "events", "scratch", "code")}
    for place in places.values():
        place.mkdir()
    (places["conf"] / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir file:{places['events']}\n"
        f"spark.eventLog.compress false\nspark.local.dir {places['scratch']}\n"
    )
    (places["code"] / "sitecustomize.py").write_text(RAISES)
    site.environment |= {
        "SPARK_CONF_DIR": str(places["conf"]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join([str(places["code"]), *filter(None, sys.path)]),
    }
    key = (site.folder / "master.key").read_text().strip().splitlines()[-1]
    shutil.rmtree(site.folder / "report", ignore_errors=True)
    ended = site.run("--engine", "spark", "--master", "local[1]", "--workers", "1")
    # Two notes of six are in quarantine: above the limit.
    assert ended.returncode == 3, ended.stderr
    assert any(WORD in text for text in site.released().values())
    assert [row[0] for row in site.output("select count(*) from note")] == [4]
    events = [path for path in places["events"].rglob("*") if path.is_file()]
    # The control: these are the events of this run.
    assert any(b"cryptonym run 1" in path.read_bytes() for path in events)
    stored = [path for path in places["scratch"].rglob("*") if path.is_file()] + events
    shown = [path.read_bytes() for path in stored]
    shown += [ended.stdout.encode(), ended.stderr.encode()]
    for data in (*shown, *(gzip.decompress(d) for d in shown if d[:2] == b"\x1f\x8b")):
        for word in (NAME, WORD, PASSWORD, key):
            assert word.encode() not in data


def test_what_a_task_carries(make_site: Callable[..., Site]) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pyspark import cloudpickle

    from pipeline.config.settings import load
    from pipeline.spark.cluster import claim_nightly_units, make_task

    site = make_site(2)
    os.environ["CRYPTONYM_TEST_STATE"] = f"postgresql://me:{PASSWORD}@db/state"
    try:
        on_server(site, os.environ["CRYPTONYM_TEST_STATE"])
        packed = cloudpickle.dumps(make_task(partial(claim_nightly_units, load(site.config), 1)))
    finally:
        del os.environ["CRYPTONYM_TEST_STATE"]
    key = (site.folder / "master.key").read_text().strip().splitlines()[-1]
    assert b"env:CRYPTONYM_TEST_STATE" in packed
    assert PASSWORD.encode() not in packed
    assert key.encode() not in packed
