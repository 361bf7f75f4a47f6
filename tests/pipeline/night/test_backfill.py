"""A change of detectors: earlier finds stay releasable, and a backfill renews them by and by."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import pipeline.notes.worker_resources
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import DetectionSettings, Settings, load
from pipeline.night.engine import process_unit
from pipeline.night.nightly import Job, NightlyResult, run_nightly
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.claimed_units import claim_units
from pipeline.notes.detection import DETECTOR_VERSION, is_older
from pipeline.notes.worker_resources import find_releasable, open_resources
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.state.detection_register import Detectors, EarlierConfiguration
from record.errors import ConfigError
from tests.pipeline.clinic import Clinic, everybody, notes_of

CHANGED = '[rules]\nvisit_words = ["passage"]\n'
"""Other detectors, as far as the program can tell: every note counts as read by earlier ones."""
UNITS = "[limits]\nnotes_per_unit = 20\n"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
sqlite_alone = pytest.mark.parametrize("clinic", ["sqlite"], indirect=True)
"""What a server would do no otherwise; one test goes through all of it on both."""


def backfilling(units: int) -> Callable[[Job], dict[str, int]]:
    """A job runner whose time for a backfill is over after some units."""

    def run_job(job: Job) -> dict[str, int]:
        with open_resources(job.settings) as resources:
            claimed = claim_units(resources, job.run_id, "one of some units")
            for number, unit in enumerate(claimed, start=1):
                if unit.is_backfill and number > units:
                    break
                commit_batch(process_unit(unit, resources), resources, job.run_id)
        return {}

    return run_job


def night(clinic: Clinic, units: int = 100) -> NightlyResult:
    return run_nightly(clinic.config, backfilling(units), gate=Gate(judge))


def told(ended: NightlyResult) -> tuple[int, int]:
    """How many notes a backfill has done, and left."""
    progress = ended.summary.backfill
    assert progress is not None
    return progress["done"], progress["left"]


def release(clinic: Clinic) -> dict[str, int]:
    """Release everybody; returns how many notes each detector version has read."""
    code, out, err = clinic.release(everybody(), "--json")
    assert code == EXIT_DONE, err
    counts: dict[str, int] = json.loads(out)["manifest"]["counts"]["detectors"]
    return counts


def test_earlier_finds_are_released_until_a_backfill_has_renewed_them(clinic: Clinic) -> None:
    clinic.configure(UNITS)
    assert night(clinic).summary.backfill is None
    before = release(clinic)
    (old,) = before
    assert before == {old: 100}
    published = clinic.output("select note_id, note_text from note order by 1")
    clinic.configure(CHANGED)

    # A release before any night under the new detectors.
    assert release(clinic) == {old: 100}
    first = night(clinic, units=2)
    assert first.summary.tally.outcomes["unchanged"] == 100
    assert told(first) == (40, 60)
    mixed = release(clinic)
    (new,) = mixed.keys() - {old}
    assert mixed == {old: 60, new: 40}
    assert told(night(clinic, units=2)) == (40, 20)
    third = night(clinic, units=2)
    assert told(third) == (20, 0)
    assert release(clinic) == {new: 100}
    assert night(clinic).summary.backfill is None

    assert clinic.output("select note_id, note_text from note order by 1") == published
    with clinic.state() as state:
        assert {run.conclusion for run in state.quality.runs()} <= {"learning", "clean"}
        assert [state.scope(run) for run in (2, 3)] == ["all", "backfill"]


@sqlite_alone
def test_new_and_changed_notes_come_first_and_are_counted_alone(clinic: Clinic) -> None:
    clinic.configure(UNITS)
    night(clinic)
    clinic.configure(CHANGED)
    clinic.source("update note set note_text = 'Vu le 03/04/2024.' where note_id = 7")
    clinic.source("delete from note where note_id = 9")
    ended = night(clinic, units=0)
    outcomes = ended.summary.tally.outcomes
    assert (outcomes["released"], outcomes["unchanged"], outcomes["deleted"]) == (1, 98, 1)
    assert told(ended) == (0, 98)
    with clinic.state() as state:
        assert [run.notes for run in state.quality.runs()] == [1, 100]
    assert clinic.released() == notes_of(*everybody()) - {9}


@sqlite_alone
def test_the_persons_of_cohorts_in_the_order_come_first(clinic: Clinic) -> None:
    (clinic.folder / "few.txt").write_text("3\n50\n7\n")
    clinic.configure(UNITS)
    night(clinic)
    order = '[backfill]\norder = ["few", "asthma"]\n'
    clinic.configure(CHANGED + order + '[cohorts.few.persons]\nfile = "few.txt"\n')
    with pytest.raises(ConfigError, match=r"backfill\.order"):
        load(clinic.config)
    query = 'sql = "select person_id from person where person_id between 3 and 4"'
    clinic.configure(f"[cohorts.asthma.persons]\n{query}\n")
    ended = night(clinic, units=1)
    assert ended.summary.backfill is not None
    # Each cohort is a job of its own, whose time is over after a unit: two of the first, then one.
    assert ended.summary.backfill["cohorts"] == [
        {"cohort": "few", "done": 6, "left": 0},
        {"cohort": "asthma", "done": 2, "left": 0},
        {"cohort": "others", "done": 0, "left": 92},
    ]
    with clinic.state() as state:
        entries = state.read_entries(range(1, 101))
    new = {n for n in entries if entries[n].config != entries[min(notes_of(1))].config}
    assert new == notes_of(3, 4, 7, 50)
    assert "92 left" in clinic.call("runs")[1]
    assert "(left: few 0, asthma 0, others 92)" in clinic.call("runs")[1]


@sqlite_alone
@pytest.mark.parametrize("lines", ["[detection]\nkeep_days = 0\n", "security"])
def test_finds_that_may_not_be_kept_are_refused(
    clinic: Clinic, lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as context:
        context.setattr(pipeline.notes.worker_resources, "DETECTOR_VERSION", "floor-10")
        night(clinic)
        assert release(clinic).popitem()[1] == 100
    if lines == "security":
        changed = (DETECTOR_VERSION,)
        monkeypatch.setattr(pipeline.notes.worker_resources, "SECURITY_VERSIONS", changed)
    else:
        clinic.configure(lines)
    code, _, said = clinic.release(everybody())
    assert code == 2
    assert "cryptonym run" in said
    night(clinic, units=0)
    code, _, said = clinic.release(everybody())
    assert code == 2
    assert "100 of 100 notes are waiting" in said
    assert night(clinic).summary.backfill is not None
    assert list(release(clinic).values()) == [100]


@sqlite_alone
def test_another_policy_is_written_in_one_night(clinic: Clinic) -> None:
    clinic.configure(UNITS)
    night(clinic)
    clinic.configure('[policy.actions]\nDATE = "mask"\n')
    ended = night(clinic, units=0)
    assert ended.summary.tally.outcomes["released"] == 100
    assert ended.summary.backfill is None


@sqlite_alone
def test_a_version_that_this_program_has_not_is_no_demand(clinic: Clinic) -> None:
    clinic.configure('[detection]\nminimum_version = "floor-9999"\n')
    with pytest.raises(ConfigError, match=r"detection\.minimum_version"):
        night(clinic)


@pytest.mark.parametrize(
    ("version", "than", "older"),
    [
        ("floor-9", "floor-10", True), ("floor-10", "floor-10", False),
        ("floor-11", "floor-10", False), ("mended", "floor-10", True),
        ("floor-11", "mended", True), ("mended", "mended", False), ("roof-12", "floor-11", True),
    ],
)  # fmt: skip
def test_versions_have_an_order(version: str, than: str, older: bool) -> None:
    assert is_older(version, than) == older


PRESENT = Detectors(DETECTOR_VERSION, "now", "key", "policy")


@pytest.mark.parametrize(
    ("version", "days", "key", "demanded", "since", "kept"),
    [
        ("floor-10", 89, "key", None, (), True),
        ("floor-10", 91, "key", None, (), False),
        ("floor-10", 1, "another", None, (), False),
        ("floor-10", 1, "key", "floor-10", (), True),
        ("floor-10", 1, "key", "floor-11", (), False),
        ("floor-11", 1, "key", "floor-11", ("floor-11",), True),
        ("floor-10", 1, "key", None, ("floor-4", "floor-11"), False),
        ("floor-10", 1, "key", None, ("floor-4", "floor-10"), True),
    ],
)
def test_what_may_still_be_released(
    version: str,
    days: int,
    key: str,
    demanded: Any,
    since: tuple[str, ...],
    kept: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline.notes.worker_resources, "SECURITY_VERSIONS", since)
    earlier = EarlierConfiguration(
        b"c", Detectors(version, "then", key, "policy"), NOW - timedelta(days=days)
    )
    settings = Settings(None, None, detection=DetectionSettings(minimum_version=demanded))  # type: ignore[arg-type]
    assert find_releasable([earlier], PRESENT, settings, NOW) == ({b"c": "then"} if kept else {})


@sqlite_alone
def test_a_backfill_that_was_killed_is_done_with_the_next_night(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    clinic.configure(UNITS)
    night(clinic)
    clinic.configure(CHANGED)

    def stop(job: Job) -> dict[str, int]:
        done = backfilling(1)(job)
        with open_resources(job.settings) as resources:
            if resources.state.scope(job.run_id) == "backfill":
                raise KeyboardInterrupt
        return done

    with pytest.raises(KeyboardInterrupt):
        run_nightly(clinic.config, stop, gate=Gate(judge))
    ended = night(clinic)
    assert ended.summary.tally.outcomes["unchanged"] == 100
    assert told(ended) == (80, 0)
    assert clinic.released() == notes_of(*everybody())


@sqlite_alone
def test_time_left_is_told(clinic: Clinic, tmp_path: Path) -> None:
    clinic.configure(UNITS + "[backfill]\nminutes = 1\n")
    night(clinic)
    clinic.configure(CHANGED)
    ended = night(clinic, units=4)
    progress = ended.summary.backfill
    assert progress is not None
    assert progress["nights_left"] == 1
    assert 0 < progress["hours_left"] < 1
    assert "20</b><span>notes of earlier detectors left" in ended.report.read_text()
    assert json.loads(ended.report.with_suffix(".json").read_text())["backfill"] == progress
    assert "80 notes detected again, 20 left, about 0.0 h in 1 nights" in clinic.call("runs")[1]
