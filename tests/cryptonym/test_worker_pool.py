"""The transforms on Beam's own worker pool: other processes, to which only a locator goes."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms import environments

import cryptonym
from cryptonym.beam import NOTES, REFUSED, Detect, Pseudonymize
from tests.keys import make_key

ROOT = Path(__file__).parents[2]
MODULE = "apache_beam.runners.worker.worker_pool_main"
PATIENT = {"person_id": "7", "given_names": ["Jean"], "family_names": ["Vauquelin"]}
RECORDS: list[dict[str, Any]] = [
    {"note_id": "1", "person_id": "7", "text": "Vu M. Jean VAUQUELIN le 3 mai 2021."},
    {"note_id": "2", "text": "Mme Lucie BERNARD, tél. 06 12 34 56 78."},
    {"note_id": "3", "text": None},
]


@pytest.fixture
def pool() -> Iterator[str]:
    """The address of a pool, which is ended with the workers that it started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # The pool starts its workers as `python`, in the folder of the sources.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", MODULE, f"--service_port={port}"]
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        for _ in range(3000):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert server.poll() is None
            time.sleep(0.1)
        yield f"localhost:{port}"
    finally:
        # The workers are in the pool's session, and nothing else is.
        os.killpg(server.pid, 9)
        server.wait()


def by_hand(key: str) -> list[dict[str, Any]]:
    """What the library makes of the first two notes in this process."""
    detector = cryptonym.Detector(lang="fr", model="none")
    found = []
    with cryptonym.Pseudonymizer(key, "study") as pseudonymizer:
        for record, patient in zip(RECORDS, (PATIENT, None), strict=False):
            (detected,) = detector.detect_records([record], [patient])
            found.append(pseudonymizer.apply_record(detected, patient))
    return found


@pytest.mark.slow
def test_workers_in_other_processes_give_the_same_notes(pool: str, tmp_path: Path) -> None:
    make_key(tmp_path / "master.key", "study")
    key = f"file:{tmp_path / 'master.key'}"
    given = [{**RECORDS[0], "patient": PATIENT}, *RECORDS[1:]]
    runner = FnApiRunner(default_environment=environments.ExternalEnvironment(pool))
    pipeline = beam.Pipeline(runner=runner, options=PipelineOptions([]))
    found = pipeline | beam.Create(given) | Detect(lang="fr", model="none")
    done = found[NOTES] | Pseudonymize(key, "study")
    assert_that(done[NOTES], equal_to(by_hand(key)), label="notes")
    told = {"note_id": "3", "stage": "read", "error": "Unreadable", "reason": "no-text"}
    assert_that(found[REFUSED], equal_to([told]), label="refused by detection")
    assert_that(done[REFUSED], equal_to([]), label="refused by rewriting")
    graph = pipeline.to_runner_api()
    assert isinstance(graph, beam_runner_api_pb2.Pipeline)
    secret = Path(key.removeprefix("file:")).read_text().split()[-1]
    assert secret.encode() not in graph.SerializeToString()
    pipeline.run().wait_until_finish()
