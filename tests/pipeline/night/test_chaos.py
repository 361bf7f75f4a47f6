"""What an operator's worst days bring: a clock set back, two schedulers, a backup of yesterday."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta, tzinfo
from threading import Barrier, Thread
from typing import Any

import pytest

from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import load
from pipeline.night import nightly
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Incomplete, Job, NightlyResult, run_nightly
from pipeline.night.run_history import PastRun, read_history
from pipeline.state import ledger
from pipeline.state.run_lock import Held
from surrogates.keys import usage_log
from surrogates.keys.keys import load_master
from tests.pipeline.conftest import Site


class Hospital:
    """Twenty notes whose source a test changes from night to night."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.config = site.config
        with closing(self.db()) as db, db:
            # To read documents takes a process of its own.
            db.execute("delete from note where note_text = ''")
            ids = [row[0] for row in db.execute("select note_id from note order by note_id")]
        self.ids = ids[:20]
        self.sql("delete from note where note_id > ?", self.ids[-1])

    def db(self) -> sqlite3.Connection:
        return sqlite3.connect(self.site.folder / "hospital.db")

    def sql(self, statement: str, *values: Any) -> list[Any]:
        with closing(self.db()) as db, db:
            return db.execute(statement, values).fetchall()

    def night(self) -> NightlyResult:
        return run_nightly(self.config, run_in_process)

    def released(self) -> Any:
        return self.site.released()

    def holds(self, note_id: int) -> bool:
        return self.site.out_id(note_id) in self.released()

    def history(self) -> list[PastRun]:
        settings = load(self.config)
        return read_history(settings.state, settings.base)


@pytest.fixture
def hospital(make_site: Callable[..., Site]) -> Hospital:
    return Hospital(make_site(60))


def set_clock(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """Set what every part that asks for the time is told."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return moment.astimezone(tz)

    for module in (ledger, nightly, usage_log):
        monkeypatch.setattr(module, "datetime", Clock)


# The clock ----------------------------------------------------------------------------------------


def test_a_clock_that_is_set_back_costs_nothing(
    hospital: Hospital, monkeypatch: pytest.MonkeyPatch
) -> None:
    hospital.night()
    before = hospital.released()
    new = hospital.ids[3]
    hospital.sql("update note set note_text = 'Tout va bien.' where note_id = ?", new)
    with monkeypatch.context() as patch:
        set_clock(patch, datetime.now(UTC) - timedelta(days=400))
        ended = hospital.night()
        assert ended.exit_code == EXIT_DONE
        assert ended.summary.tally.outcomes["released"] == 1
        assert ended.summary.started.year < datetime.now(UTC).year
    after = hospital.released()
    assert after.keys() == before.keys()
    changed = {note_id for note_id in before if before[note_id] != after[note_id]}
    assert changed == {hospital.site.out_id(new)}
    # The next night knows which run was the last one, whatever the clock said.
    assert hospital.night().summary.tally.outcomes["unchanged"] == len(hospital.ids)
    assert [run.run_id for run in hospital.history()] == [3, 2, 1]
    settings = load(hospital.config)
    custody = load_master(settings.key.locator, settings.base).custody
    assert custody is not None
    with custody.locked():
        assert custody.log.problems() == []


# Two schedulers -----------------------------------------------------------------------------------


def test_of_two_schedulers_one_runs_and_the_other_is_told(hospital: Hospital) -> None:
    barrier, ended, held = Barrier(2), [], []

    def slowly(job: Job) -> dict[str, int]:
        barrier.wait(60)  # the other one comes while this one holds the lock
        barrier.wait(60)
        return run_in_process(job)

    def first() -> None:
        ended.append(run_nightly(hospital.config, slowly))

    scheduler = Thread(target=first)
    scheduler.start()
    barrier.wait(60)
    try:
        with pytest.raises(Held, match="another run holds the lock"):
            hospital.night()
        held.append(True)
    finally:
        barrier.wait(60)
        scheduler.join()
    assert held
    assert len(ended) == 1
    assert len(hospital.released()) == ended[0].summary.tally.outcomes["released"]
    assert [run.run_id for run in hospital.history()] == [1]
    assert hospital.night().summary.tally.outcomes["unchanged"] == len(hospital.ids)


# Yesterday's backup -------------------------------------------------------------------------------


def back_up(hospital: Hospital) -> Callable[[], None]:
    """A backup of the state database, as SQLite makes one, and what puts it back."""
    state = hospital.site.folder / "state.db"
    kept = hospital.site.folder / "yesterday.db"
    with closing(sqlite3.connect(state)) as source, closing(sqlite3.connect(kept)) as copy:
        source.backup(copy)

    def restore() -> None:
        for path in hospital.site.folder.glob("state.db*"):
            path.unlink()
        shutil.copy(kept, state)
        state.chmod(0o600)

    return restore


def test_a_state_of_yesterday_loses_nothing_and_releases_nothing_twice(hospital: Hospital) -> None:
    """Changed, withdrawn and deleted notes of today end as they would have without the restore."""
    changed, refused, deleted = hospital.ids[1:4]
    hospital.night()
    restore = back_up(hospital)
    hospital.sql("update note set note_text = 'Tout va bien.' where note_id = ?", changed)
    hospital.sql("update note set note_text = '' where note_id = ?", refused)
    hospital.sql("delete from note where note_id = ?", deleted)
    hospital.night()
    today = hospital.released()
    assert not hospital.holds(refused)
    assert not hospital.holds(deleted)
    restore()
    hospital.night()
    assert hospital.released() == today
    # Once more, for the read-back of a run compares all that is there.
    assert hospital.night().summary.tally.outcomes["unchanged"] == len(hospital.ids) - 1


def test_notes_that_only_today_knew_are_not_left_behind(hospital: Hospital) -> None:
    """Released today; the restored state could neither learn of their end nor withdraw them."""
    deleted, refused, kept = hospital.ids[5:8]
    rows = hospital.sql("select * from note where note_id between ? and ?", deleted, kept)
    hospital.sql("delete from note where note_id between ? and ?", deleted, kept)
    hospital.night()
    restore = back_up(hospital)
    marks = ",".join("?" * len(rows[0]))
    for row in rows:
        hospital.sql(f"insert into note values ({marks})", *row)
    hospital.night()
    assert all(hospital.holds(note_id) for note_id in (deleted, refused, kept))
    before = hospital.released()[hospital.site.out_id(kept)]
    restore()
    hospital.sql("delete from note where note_id = ?", deleted)
    hospital.sql("update note set note_text = '' where note_id = ?", refused)
    hospital.night()
    assert not hospital.holds(deleted)
    assert not hospital.holds(refused)
    assert hospital.released()[hospital.site.out_id(kept)] == before


def test_a_state_of_yesterday_cannot_hide_what_the_output_lost(hospital: Hospital) -> None:
    """The ledger calls released what is not there: that is told, and not made good in silence."""
    hospital.night()
    with closing(sqlite3.connect(hospital.site.folder / "research.db")) as db, db:
        db.execute("delete from note where note_id = ?", (hospital.site.out_id(hospital.ids[0]),))
    with pytest.raises(Incomplete, match="do not match"):
        hospital.night()


def test_what_was_held_stays_held_when_the_state_goes_back(hospital: Hospital) -> None:
    """A note refused yesterday and today is not released because the ledger forgot why."""
    refused = hospital.ids[2]
    hospital.sql("update note set note_text = '' where note_id = ?", refused)
    hospital.night()
    restore = back_up(hospital)
    hospital.night()
    restore()
    hospital.night()
    assert not hospital.holds(refused)
    for path in hospital.site.folder.glob("state.db*"):
        path.unlink()
    hospital.night()
    assert not hospital.holds(refused), "not even when the whole ledger is lost"
