"""Worker processes are started for units that are there."""

from pathlib import Path

import pytest

from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Job, run_nightly
from pipeline.night.supervisor import WorkerFailed, run_in_workers
from tests.pipeline.conftest import Site


def make_job(site: Site, tmp_path: Path, *, is_finished: bool) -> Job:
    return Job(
        site.config, load(site.config), run_id=1, workers=2, scratch=tmp_path, lock_fd=0,
        watch=lambda: None, program="no_such_program", is_finished=lambda: is_finished,
    )  # fmt: skip


def test_nobody_is_started_where_nothing_is_left(site: Site, tmp_path: Path) -> None:
    assert run_in_workers(make_job(site, tmp_path, is_finished=True)) == {}
    with pytest.raises(WorkerFailed, match="worker-"):
        run_in_workers(make_job(site, tmp_path, is_finished=False))


def test_a_look_for_new_notes_starts_nobody_where_none_are(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_nightly(site.config, run_in_process).exit_code == 0
    before = site.digest()

    def refuse(*_: object) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr("pipeline.night.supervisor.Supervisor._start", refuse)
    assert run_nightly(site.config, run_in_workers, most_new=10).exit_code == 0
    assert site.digest() == before
