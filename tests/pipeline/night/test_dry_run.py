"""A dry run tells what a night would do, as the night then does it, and writes nothing."""

from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_USAGE
from tests.pipeline.clinic import PERSONS, Clinic, everybody, notes_of, read_places

EVERY_NOTE = notes_of(*everybody())


def test_before_the_first_night_everything_would_appear(clinic: Clinic) -> None:
    (clinic.folder / "persons.txt").touch()
    before = read_places(clinic)
    code, told = clinic.json("run", "--dry-run")
    assert code == EXIT_DONE
    assert told["notes"] == {"appear": 100, "change": 0, "go": 0, "unchanged": 0}
    assert told["persons"] == {"appear": PERSONS, "change": 0, "go": 0}
    assert told["dry_run"]
    assert read_places(clinic) == before
    # Its cohort has no key yet, and gets none.
    clinic.config.write_text(clinic.config.read_text().replace('"research"', '"another"'))
    assert clinic.json("run", "--dry-run")[1]["notes"]["appear"] == 100
    assert sum(path.suffix == ".cohort" for path in clinic.folder.rglob("*")) == 2


def test_it_foresees_what_the_night_does(clinic: Clinic) -> None:
    clinic.run()
    clinic.source("update note set note_text = note_text || ' Revu.' where note_id = 1")
    clinic.source("delete from note where person_id = 2 or note_id = 5")
    clinic.source("update note set note_id = 150, person_id = 4 where note_id = 9")
    clinic.source("insert into person select 99, 8507, 1960, 1, 1, 0, 0, null, '99'")
    clinic.source("update note set note_id = 151, person_id = 99 where note_id = 11")
    before = read_places(clinic)
    code, told = clinic.json("run", "--dry-run")
    assert code == EXIT_DONE
    # Gone: 3, 4 and 5, and 9 and 11, which have other numbers now.
    assert told["notes"] == {"appear": 2, "change": 1, "go": 5, "unchanged": 94}
    assert told["persons"] == {"appear": 1, "change": 5, "go": 1}
    assert read_places(clinic) == before
    outcomes = clinic.run().summary.tally.outcomes
    assert (outcomes["released"], outcomes["deleted"], outcomes["unchanged"]) == (3, 5, 94)
    told = clinic.json("run", "--dry-run")[1]
    assert told["notes"] == {"appear": 0, "change": 0, "go": 0, "unchanged": 97}
    assert set(told["persons"].values()) == {0}


def test_it_says_whether_the_night_would_be_held(clinic: Clinic) -> None:
    clinic.run()
    clinic.source("delete from note")
    before = read_places(clinic)
    code, out, err = clinic.call("run", "--dry-run")
    assert code == EXIT_GATE
    assert "notes: 0 would appear, 0 change, 100 go, 0 unchanged" in out
    assert "persons: 0 would appear, 0 change, 50 go" in out
    assert "the run would be held: withdrawn notes: 100 of 100 in the output" in err
    assert read_places(clinic) == before
    clinic.run()
    code, told = clinic.json("run", "--dry-run")
    assert (code, told["held"], told["waiting"]) == (EXIT_GATE, [], 100)
    assert clinic.released() == EVERY_NOTE


def test_what_is_objected_to_is_told_and_not_held(clinic: Clinic) -> None:
    clinic.run()
    persons = clinic.folder / "objections.txt"
    persons.write_text("".join(f"{person}\n" for person in range(1, 41)))
    text = clinic.config.read_text()
    clinic.config.write_text(text.replace("[source]", '[source]\nobjections = "objections.txt"'))
    code, told = clinic.json("run", "--dry-run")
    assert code == EXIT_DONE
    assert told["notes"]["go"] == 80
    assert told["objections"] == {"persons": 40, "notes": 80}
    assert clinic.released() == EVERY_NOTE


def test_an_output_of_another_key_is_refused(clinic: Clinic) -> None:
    clinic.run()
    clinic.config.write_text(clinic.config.read_text().replace('"research"', '"another"'))
    assert clinic.call("run", "--dry-run")[0] == EXIT_USAGE
