"""Withdrawals above the limit hold a run: nothing leaves the output until somebody decides."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import NightlyResult, NightlyRun, run_nightly
from pipeline.quality.gate import Gate
from pipeline.state.ledger import State
from tests.pipeline.clinic import Clinic, everybody, notes_of

EVERY_NOTE = notes_of(*everybody())


def assert_held(clinic: Clinic, ended: NightlyResult) -> None:
    """A run that is held, with all notes where they were."""
    assert ended.exit_code == EXIT_GATE
    assert ended.assessment is not None
    assert ended.assessment.holds_withdrawals
    assert clinic.released() == EVERY_NOTE


def empty(clinic: Clinic) -> None:
    clinic.source("delete from note")


def halve(clinic: Clinic) -> None:
    clinic.source("delete from note where note_id % 2 = 0")


def lose_persons(clinic: Clinic) -> None:
    """No note of anybody can be vouched for: all go to quarantine."""
    clinic.source("delete from person")


@pytest.mark.parametrize("lose", [empty, halve, lose_persons])
def test_a_mass_withdrawal_is_held_until_it_is_accepted(
    clinic: Clinic, lose: Callable[[Clinic], None]
) -> None:
    assert clinic.run().exit_code == EXIT_DONE
    assert clinic.released() == EVERY_NOTE
    persons = clinic.output("select count(*) from person")
    lose(clinic)
    ended = clinic.run()
    assert_held(clinic, ended)
    assert clinic.output("select count(*) from person") == persons
    run_id = int(ended.summary.run_id)
    code, told = clinic.json("quality")
    assert code == EXIT_GATE
    gone = len(EVERY_NOTE) if lose is not halve else len(EVERY_NOTE) // 2
    assert told["waiting"][0] | {"night": ""} == {
        "run_id": run_id, "night": "", "notes": 0, "withdrawals": gone,
    }  # fmt: skip
    assert f"withdrawn notes: {gone} of {len(EVERY_NOTE)} in the output" in told["reasons"][0]
    # The next night changes nothing, and does not turn green.
    assert clinic.run().exit_code == EXIT_GATE
    assert clinic.released() == EVERY_NOTE
    assert clinic.decide(run_id) == EXIT_DONE
    assert len(clinic.released()) == len(EVERY_NOTE) - gone
    assert clinic.decide(run_id) == EXIT_DONE, "repeating it changes nothing"
    assert clinic.run().exit_code == EXIT_DONE
    assert len(clinic.released()) == len(EVERY_NOTE) - gone
    assert clinic.call("quality")[0] == EXIT_DONE


def test_a_rejected_run_withdraws_nothing_and_the_next_is_judged_anew(clinic: Clinic) -> None:
    clinic.run()
    empty(clinic)
    first = clinic.run()
    assert clinic.decide(int(first.summary.run_id), by="--reject") == EXIT_DONE
    assert clinic.released() == EVERY_NOTE
    second = clinic.run()
    assert_held(clinic, second)
    assert second.summary.run_id != first.summary.run_id


def test_notes_that_return_wait_no_longer(clinic: Clinic) -> None:
    clinic.run()
    clinic.source("create table kept as select * from note")
    empty(clinic)
    held = int(clinic.run().summary.run_id)
    clinic.source("insert into note select * from kept where note_id > 2")
    ended = clinic.run()
    assert ended.exit_code == EXIT_GATE, "two notes still wait"
    outcomes = ended.summary.tally.outcomes
    assert (outcomes["released"], outcomes["unchanged"]) == (0, len(EVERY_NOTE) - 2)
    assert clinic.released() == EVERY_NOTE
    assert clinic.decide(held) == EXIT_DONE
    assert clinic.released() == EVERY_NOTE - {1, 2}
    assert clinic.run().exit_code == EXIT_DONE


def test_a_few_withdrawals_go_at_once(clinic: Clinic) -> None:
    clinic.run()
    clinic.source("delete from note where note_id <= 30")
    assert clinic.run().exit_code == EXIT_DONE
    assert clinic.released() == EVERY_NOTE - set(range(1, 31))


def test_an_emptied_source_is_held_however_few_its_notes(clinic: Clinic) -> None:
    clinic.source("delete from note where note_id > 12")
    clinic.run()
    clinic.source("delete from note")
    assert clinic.run().exit_code == EXIT_GATE
    assert clinic.released() == set(range(1, 13))


def test_the_limit_is_configured(clinic: Clinic) -> None:
    clinic.configure("[quality]\nmin_withdrawn = 3\nmax_withdrawn_share = 0.1\n")
    clinic.run()
    clinic.source("delete from note where note_id <= 10")
    assert clinic.run().exit_code == EXIT_DONE
    # Of 90 notes nine may go; of 45 persons four, and three always.
    clinic.source("delete from note where note_id <= 20")
    ended = clinic.run()
    assert ended.exit_code == EXIT_GATE
    assert ended.assessment is not None
    assert [alarm.title for alarm in ended.assessment.alarms] == [
        "withdrawn notes",
        "withdrawn persons",
    ]


def test_what_is_new_waits_with_the_run(clinic: Clinic) -> None:
    clinic.run()
    halve(clinic)
    clinic.source("update note set note_text = 'Revu le 03/03/2024.' where note_id = 1")
    before = clinic.output("select note_text from note order by note_id")
    ended = clinic.run()
    assert_held(clinic, ended)
    assert clinic.output("select note_text from note order by note_id") == before
    assert clinic.decide(int(ended.summary.run_id)) == EXIT_DONE
    texts = [row[0] for row in clinic.output("select note_text from note")]
    assert len(texts) == len(EVERY_NOTE) // 2
    assert sum(text.startswith("Revu le") for text in texts) == 1


def test_a_version_that_waits_is_not_published_once_its_note_is_gone(clinic: Clinic) -> None:
    def hold(tracks: Any, allowance: float) -> list[Any]:
        return []

    clinic.run()
    clinic.source("update note set note_text = 'Revu le 03/03/2024.' where note_id = 1")
    halve(clinic)
    first = int(clinic.run(Gate(hold)).summary.run_id)
    clinic.source("delete from note")
    second = int(clinic.run(Gate(hold)).summary.run_id)
    assert clinic.decide(first) == EXIT_DONE
    assert clinic.released() == EVERY_NOTE - {n for n in EVERY_NOTE if n % 2 == 0}
    texts = [row[0] for row in clinic.output("select note_text from note")]
    assert not any(text.startswith("Revu le") for text in texts)
    assert clinic.decide(second) == EXIT_DONE
    assert clinic.released() == set()


@pytest.mark.parametrize("moment", ["judged", "accepting"])
def test_killed_between(clinic: Clinic, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    def kill(*_args: object, **_named: Any) -> None:
        raise KeyboardInterrupt

    clinic.run()
    empty(clinic)
    if moment == "judged":
        with monkeypatch.context() as patch:
            patch.setattr(NightlyRun, "publish", kill)
            with pytest.raises(KeyboardInterrupt):
                clinic.run()
    ended = clinic.run()
    assert ended.resumed == (moment == "judged")
    assert ended.exit_code == EXIT_GATE
    assert clinic.released() == EVERY_NOTE
    held = json.loads(clinic.call("quality", "--json")[1])["waiting"][0]["run_id"]
    if moment == "accepting":
        with monkeypatch.context() as patch:
            patch.setattr(State, "forget", kill)
            assert clinic.decide(held) == 130
        # The next night completes what was accepted, as the command does.
        assert clinic.run().exit_code == EXIT_DONE
        assert clinic.released() == set()
    assert clinic.decide(held) == EXIT_DONE
    assert clinic.released() == set()


def test_the_command_says_what_is_held(clinic: Clinic) -> None:
    run_nightly(clinic.config, run_in_process)
    empty(clinic)
    code, _, err = clinic.call("run", "--workers", "1")
    assert code == EXIT_GATE
    assert "it would withdraw too much, and nothing from it was published or withdrawn" in err
    assert "withdrawn notes: 100 of 100 in the output; more than 30 need a decision" in err
    report = (clinic.folder / "report.html").read_text()
    assert "withdrawn persons: 50 of 50" in report
    assert "would withdraw too much" in (clinic.folder / "quality.html").read_text()
    assert "100 withdrawals" in clinic.call("runs")[1]
