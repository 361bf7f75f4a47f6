"""An output of an earlier version of the surrogate algorithm goes on, and moves as a whole."""

import shutil
from copy import copy
from pathlib import Path

import pytest

from pipeline.config.exit_codes import EXIT_USAGE
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Incomplete, NightlyRun, run_nightly
from pipeline.night.output_versions import RebaseHeld
from pipeline.notes import stages
from pipeline.notes.worker_resources import open_master
from pipeline.quality.gate import Assessment
from pipeline.state.run_summary import Outcome
from pipeline.warehouse.parquet_output import ParquetOutput
from pipeline.warehouse.sql_output import SqlOutput
from record.errors import ConfigError
from surrogates.keys.keys import CohortKey
from tests.pipeline.clinic import Clinic
from tests.pipeline.conftest import Site


class Killed(BaseException):
    """A process that dies: nothing catches it."""


def begin_under(version: int, config: Path, cohort: str = "research") -> CohortKey:
    """Record a cohort as one of a version, as the program of that version did."""
    master = open_master(load(config))
    master.adopt(cohort, version)
    return master.cohort(cohort)


@pytest.fixture
def first(clinic: Clinic) -> Clinic:
    """A clinic whose output is one of the first version."""
    begin_under(2, clinic.config)
    clinic.run()
    return clinic


def notes_of(clinic: Clinic) -> set[int]:
    return {row[0] for row in clinic.output("select note_id from note")}


def ids_under(clinic: Clinic, version: int) -> set[int]:
    """The ids that the released notes have under a version."""
    key = open_master(load(clinic.config)).cohort("research").under(version)
    notes = (row[0] for row in clinic.source("select note_id from note"))
    return {key.pseudonym("note", str(note)) for note in notes}


def forbid_detection(patch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a note was detected again")

    patch.setattr(stages, "detect", refuse)


def test_an_output_goes_on_under_its_version(first: Clinic) -> None:
    before = notes_of(first)
    assert before <= ids_under(first, 2)
    first.source("update note set note_text = note_text || ' Fin.' where note_id = 1")
    ended = first.run()
    assert ended.summary.tally.outcomes[Outcome.RELEASED.value] == 1
    assert ended.summary.algorithm == 2
    assert notes_of(first) == before


def test_a_rebase_publishes_the_whole_output_and_detects_nothing(
    first: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = first.output("select note_text from note")
    with monkeypatch.context() as patch:
        forbid_detection(patch)
        ended = first.run(rebase=True)
    assert (ended.exit_code, ended.summary.algorithm) == (0, 3)
    after = first.output("select note_text from note")
    assert notes_of(first) <= ids_under(first, 3)
    assert len(after) == len(before)
    assert not set(after) & set(before)
    persons = "select count(*) from note where person_id not in (select person_id from person)"
    assert first.output(persons) == [(0,)]
    again = first.run()
    assert again.summary.tally.outcomes[Outcome.RELEASED.value] == 0
    assert again.summary.algorithm == 3
    assert open_master(load(first.config)).recorded_algorithm("research") == 3


def test_a_rebased_output_is_that_of_the_new_version(site: Site, tmp_path: Path) -> None:
    shutil.copytree(site.folder, tmp_path / "fresh")
    fresh = copy(site)
    fresh.folder, fresh.config = tmp_path / "fresh", tmp_path / "fresh" / "nightly.toml"
    run_nightly(fresh.config, run_in_process)
    begin_under(2, site.config)
    run_nightly(site.config, run_in_process)
    assert site.digest() != fresh.digest()
    run_nightly(site.config, run_in_process, rebase=True)
    assert site.digest() == fresh.digest()


@pytest.mark.parametrize("place", ["working", "restarting", "publishing"])
def test_an_interrupted_rebase_is_completed_and_never_mixes(
    first: Clinic, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    old = notes_of(first)
    with monkeypatch.context() as patch:
        _die_while(place, patch)
        with pytest.raises(Killed):
            first.run(rebase=True)
    found = notes_of(first)
    # Old notes, or new notes: an output in two versions at once would join neither.
    assert found == old or found <= ids_under(first, 3)
    with monkeypatch.context() as patch:
        forbid_detection(patch)
        ended = first.run()
    assert (ended.exit_code, ended.summary.algorithm) == (0, 3)
    assert len(notes_of(first)) == len(old)
    assert notes_of(first) <= ids_under(first, 3)


def _die_while(place: str, patch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise Killed

    if place == "working":
        patch.setattr(NightlyRun, "reconcile", die)
    elif place == "restarting":
        patch.setattr(SqlOutput, "restart", die)
    else:
        patch.setattr(SqlOutput, "publish", die)


def test_a_held_rebase_leaves_the_output(first: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(first.output("select note_id, note_text from note"))
    judge = NightlyRun.judge

    def hold(night: NightlyRun, *given: object) -> Assessment:
        judged = judge(night, *given)  # type: ignore[arg-type]
        patched = type("Held", (), {"is_held": True, "reasons": ("counts",), "run": judged.run})
        return patched()

    monkeypatch.setattr(NightlyRun, "judge", hold)
    with pytest.raises(RebaseHeld, match="The output is as it was"):
        first.run(rebase=True)
    assert sorted(first.output("select note_id, note_text from note")) == before


def test_a_rebase_of_a_new_version_changes_nothing(clinic: Clinic) -> None:
    clinic.run()
    before = sorted(clinic.output("select note_id, note_text from note"))
    ended = clinic.run(rebase=True)
    assert ended.summary.tally.outcomes[Outcome.RELEASED.value] == 0
    assert sorted(clinic.output("select note_id, note_text from note")) == before


def test_a_rebase_takes_no_part_of_the_notes_and_no_dry_run(clinic: Clinic) -> None:
    with pytest.raises(ConfigError, match="--rebase"):
        clinic.run(rebase=True, most_new=5)
    assert clinic.call("run", "--rebase", "--dry-run")[0] == EXIT_USAGE


def test_a_rebase_in_parquet_survives_a_kill_while_it_empties(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.configure('url = "sqlite:///research.db"', 'url = "parquet:research"')
    begin_under(2, site.config)
    run_nightly(site.config, run_in_process)
    old = site.digest()

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ParquetOutput, "describe", die)
        with pytest.raises(Killed):
            run_nightly(site.config, run_in_process, rebase=True)
    with monkeypatch.context() as patch:
        forbid_detection(patch)
        assert run_nightly(site.config, run_in_process).summary.algorithm == 3
    moved = site.digest()
    assert moved != old
    with pytest.raises(Incomplete), monkeypatch.context() as patch:
        patch.setattr(NightlyRun, "publish", lambda *_: (_ for _ in ()).throw(Incomplete("no")))
        run_nightly(site.config, run_in_process)
    assert site.digest() == moved
