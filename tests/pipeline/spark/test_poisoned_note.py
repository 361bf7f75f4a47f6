"""A note that ends the Python process of each task that reads it: the night ends without it."""

import os
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.pipeline.conftest import Site
from tests.pipeline.night.test_claimed_units import NOTES, SITE_CUSTOMIZE, poisoned, poisoned_id
from tests.pipeline.spark.test_cluster import HERE, has_spark, on_server, start_cluster

__all__ = ["poisoned"]  # a fixture


@has_spark
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["local", "standalone"])
def test_a_note_that_ends_each_task_is_isolated(
    kind: str, poisoned: Site, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    code, conf = tmp_path / "code", tmp_path / "conf"
    code.mkdir()
    conf.mkdir()
    marked = SITE_CUSTOMIZE.replace("pipeline.beam.worker", "pyspark.daemon")
    assert marked != SITE_CUSTOMIZE
    (code / "sitecustomize.py").write_text(marked)
    # Of a site that has it on: the only executor would be left out.
    (conf / "spark-defaults.conf").write_text("spark.excludeOnFailure.enabled true\n")
    on_server(poisoned, postgres_url)
    poisoned.configure("[limits]", "[engine]\nlease_seconds = 1\n\n[limits]")
    monkeypatch.syspath_prepend(str(code))
    poisoned.environment |= {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(conf),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    spark = ["--engine", "spark", "--workers", "1", "--master"]
    if kind == "local":
        ended = poisoned.run(*spark, "local[1]")
    else:
        with start_cluster(tmp_path, postgres_url, [HERE]) as (master, _):
            ended = poisoned.run(*spark, master)
    assert ended.returncode == 0, ended.stderr
    assert "[Stage" not in ended.stderr
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        found = connection.execute(text("select note_id, stage, error, reason from quarantine"))
        assert found.all() == [(poisoned_id(poisoned), "isolate", "Unsafe", "worker-killed")]
    engine.dispose()
    released = poisoned.released()
    assert len(released) == NOTES - 1
    assert poisoned.out_id(poisoned_id(poisoned)) not in released
