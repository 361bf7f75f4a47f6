"""A release that would withdraw many notes or persons changes nothing until that is accepted."""

import json

import pytest

from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_USAGE
from tests.pipeline.clinic import PERSONS, Clinic, everybody, notes_of, read_places

EVERY_NOTE = notes_of(*everybody())
HALF = range(1, PERSONS // 2 + 1)


@pytest.mark.parametrize("output", ["database", "jsonl"])
def test_a_list_cut_in_half_is_held_until_it_is_accepted(clinic: Clinic, output: str) -> None:
    if output == "jsonl":
        clinic.urls["cohort"] = f"jsonl:{clinic.folder / 'cohort'}"
    clinic.run()
    assert clinic.release(everybody())[0] == EXIT_DONE
    code, out, err = clinic.release(HALF)
    assert code == EXIT_GATE
    assert "note: 0 added, 0 changed, 50 withdrawn, 50 unchanged" in out
    assert "withdrawn notes: 50 of 100 in the output; more than 30 need a decision" in err
    assert "--accept-withdrawals" in err
    if output == "database":
        assert clinic.released("cohort", "asthma") == EVERY_NOTE
    code, runs = clinic.json("runs")
    held = next(each for each in runs if each["what"] == "release")
    assert (held["status"], held["exit_code"]) == ("held", EXIT_GATE)
    assert clinic.release(everybody())[1].endswith("the release is unchanged\n")
    assert clinic.release(HALF, "--accept-withdrawals")[0] == EXIT_DONE
    if output == "database":
        assert clinic.released("cohort", "asthma") == notes_of(*HALF)
    (accepted,) = (each for each in clinic.json("runs")[1] if each.get("release_id") == 4)
    assert accepted["about"]["accepts_withdrawals"]


def test_an_emptied_source_does_not_empty_the_cohort(clinic: Clinic) -> None:
    clinic.run()
    clinic.release(everybody())
    clinic.source("delete from note")
    assert clinic.run().exit_code == EXIT_GATE
    code, _, err = clinic.release(everybody())
    assert code == EXIT_GATE
    assert "withdrawn notes: 100 of 100" in err
    assert clinic.released("cohort", "asthma") == EVERY_NOTE


def test_a_few_persons_leave_at_once(clinic: Clinic) -> None:
    clinic.run()
    clinic.release(everybody())
    assert clinic.release(everybody()[:-10])[0] == EXIT_DONE
    assert clinic.released("cohort", "asthma") == notes_of(*everybody()[:-10])


def test_a_dry_run_tells_and_writes_nothing(clinic: Clinic) -> None:
    clinic.run()
    before = read_places(clinic)
    code, out, _ = clinic.release(everybody(), "--dry-run")
    assert code == EXIT_DONE
    assert "note: 100 added, 0 changed, 0 withdrawn, 0 unchanged" in out
    assert "measurement: 50 added" in out
    assert out.endswith("dry run, nothing was written: the release would be updated\n")
    assert read_places(clinic) == before
    assert clinic.release(everybody())[0] == EXIT_DONE
    before = read_places(clinic)
    code, out, _ = clinic.release(everybody(), "--dry-run")
    assert "the release would stay unchanged" in out
    code, out, err = clinic.release(HALF, "--dry-run", "--json")
    assert code == EXIT_GATE
    told = json.loads(out)
    assert told["dry_run"]
    assert told["changes"]["person"] == {
        "added": 0, "changed": 0, "withdrawn": 25, "unchanged": 25,
    }  # fmt: skip
    assert told["held"]
    assert "the release would be held: withdrawn notes: 50 of 100" in err
    assert read_places(clinic) == before
    assert clinic.released("cohort", "asthma") == EVERY_NOTE


def test_a_dry_run_of_a_new_cohort_makes_no_key(clinic: Clinic) -> None:
    clinic.run()
    custody = clinic.folder / "master.key.custody"
    before = {path.name for path in custody.iterdir()}
    persons = clinic.folder / "persons.txt"
    persons.write_text("1\n2\n")
    output = ("--persons", str(persons), "--output", clinic.urls["cohort"])
    code, told = clinic.json("release", "--cohort", "new", *output, "--dry-run")
    assert (code, told["changes"]["note"]["added"]) == (EXIT_DONE, 4)
    assert {path.name for path in custody.iterdir()} == before
    assert clinic.json("runs")[1][0]["what"] == "run"


def test_a_dry_run_before_the_first_night_is_refused(clinic: Clinic) -> None:
    code, _, err = clinic.release(everybody(), "--dry-run")
    assert code == EXIT_USAGE
    assert "no state database yet" in err
    assert not (clinic.folder / "state.db").exists()
