"""Who may be a worker: one that differs is refused with its reason, and others do the work."""

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Job, run_nightly
from pipeline.notes.worker_admission import MOST_SECONDS_APART, WorkerRefused, admit_worker
from record.errors import ConfigError
from surrogates.keys.keys import new_master
from tests.pipeline.conftest import Site

Admit = Callable[[Job], None]
NOTES = 6


@pytest.fixture
def small(make_site: Callable[..., Site]) -> Site:
    return make_site(NOTES)


def admit(job: Job, **changes: Any) -> None:
    admit_worker(replace(job.settings, **changes), job.run_id, "node-7:41")


def check_refused(site: Site, try_worker: Admit, message: str) -> None:
    """The night of a site ends without a worker that is refused, whose reason it tells."""
    refusals: list[str] = []

    def drive(job: Job) -> dict[str, int]:
        with pytest.raises(WorkerRefused) as caught:
            try_worker(job)
        refusals.append(str(caught.value))
        return run_in_process(job)

    ended = run_nightly(site.config, drive)
    assert message in refusals[0]
    assert f"worker node-7:41 was refused: {refusals[0]}" in ended.warnings
    assert ended.exit_code == 0
    assert len(site.released()) == NOTES


def test_the_worker_that_is_like_the_run(small: Site) -> None:
    def drive(job: Job) -> dict[str, int]:
        admit(job)
        return run_in_process(job)

    ended = run_nightly(small.config, drive)
    assert not [warning for warning in ended.warnings if "refused" in warning]
    assert len(small.released()) == NOTES


def test_another_version(small: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def try_worker(job: Job) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("pipeline.notes.worker_admission.version", lambda name: "0.0.9")
            admit(job)

    check_refused(small, try_worker, "worker.version: has another version of cryptonym (0.0.9, ")


def test_other_detectors(small: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def try_worker(job: Job) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("pipeline.notes.worker_admission.DETECTOR_VERSION", "0")
            admit(job)

    check_refused(small, try_worker, "worker.detectors: has other detectors (0, the run ")


def test_other_weights(small: Site, tmp_path: Path) -> None:
    folder = tmp_path / "tagger"
    folder.mkdir()
    (folder / "tagger.json").write_text(json.dumps({"weights": "of the worker"}))

    def try_worker(job: Job) -> None:
        admit(job, model=replace(job.settings.model, folder=str(folder)))

    check_refused(small, try_worker, "worker.weights: has a model with other weights (")


def test_another_key(small: Site) -> None:
    other = small.folder / "other.key"
    new_master(other)

    def try_worker(job: Job) -> None:
        admit(job, key=replace(job.settings.key, locator=f"file:{other}"))

    check_refused(small, try_worker, "worker.key: has another key (")


@pytest.mark.parametrize("name", [None, "version", "detectors", "weights", "key", "configuration"])
def test_a_demand_that_is_missing(small: Site, name: str | None) -> None:
    """Somebody deletes what a worker must prove, so that one with another key may write."""
    other = small.folder / "other.key"
    new_master(other)

    def try_worker(job: Job) -> None:
        with closing(sqlite3.connect(small.folder / "state.db")) as state, state:
            (text,) = state.execute("select about from run").fetchone()
            about = json.loads(text)
            if name is None:
                del about["workers"]
            else:
                del about["workers"][name]
            state.execute("update run set about = ?", [json.dumps(about)])
        admit(job, key=replace(job.settings.key, locator=f"file:{other}"))

    told = name or "version, detectors, weights, key, configuration"
    check_refused(small, try_worker, f"worker: cannot be checked: the run does not tell its {told}")


def test_a_key_that_is_missing(small: Site) -> None:
    def try_worker(job: Job) -> None:
        admit(job, key=replace(job.settings.key, locator="file:/nowhere/master.key"))

    check_refused(small, try_worker, "key")


def test_another_configuration(small: Site) -> None:
    def try_worker(job: Job) -> None:
        admit(job, lang="de" if job.settings.lang != "de" else "fr")

    check_refused(small, try_worker, "worker.configuration: has another configuration: other ")


@pytest.mark.parametrize(("sign", "direction"), [(1, "ahead of"), (-1, "behind")])
def test_another_clock(small: Site, sign: int, direction: str) -> None:
    def try_worker(job: Job) -> None:
        # Within the limit, less what the machine may take meanwhile.
        near, far = sign * MOST_SECONDS_APART / 2, sign * 3600
        admit_worker(job.settings, job.run_id, "near", lambda: time.time() + near)
        admit_worker(job.settings, job.run_id, "node-7:41", lambda: time.time() + far)

    check_refused(small, try_worker, f"s {direction} that of the state database")


def test_where_every_worker_is_refused_the_run_says_why(
    small: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drive(job: Job) -> dict[str, int]:
        with monkeypatch.context() as patch:
            patch.setattr("pipeline.notes.worker_admission.version", lambda name: "0.0.9")
            with pytest.raises(WorkerRefused):
                admit(job)
        return {}

    with pytest.raises(
        ConfigError, match=r"worker.version: .* node-7:41 was refused, and no other"
    ):
        run_nightly(small.config, drive)
    assert small.released() == {}
    # What was refused once may be corrected: the run goes on, and forgets the refusal.
    ended = run_nightly(small.config, run_in_process)
    assert ended.exit_code == 0
    assert ended.warnings == ()
    assert load(small.config).cohort == ended.summary.cohort
