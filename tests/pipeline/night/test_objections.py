"""Persons who object: nothing of them is read, what was released goes, and may come back."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_USAGE
from pipeline.config.settings import load
from pipeline.night.nightly import Job, NightlyRun, run_nightly
from pipeline.night.watch import InProcessRunner
from pipeline.notes.detection import detect
from pipeline.release import run as releasing
from pipeline.release.run import ReleaseResult
from record.errors import ConfigError
from tests.pipeline.clinic import PERSONS, Clinic, everybody, notes_of

EVERY_NOTE = notes_of(*everybody())
PLANTED = "glomvixique"
MOST = range(1, PERSONS - 4)


def object_in_table(clinic: Clinic, persons: Any) -> str:
    clinic.source("create table if not exists opposition (person_id bigint)")
    clinic.source("delete from opposition")
    for person in persons:
        clinic.source("insert into opposition values (:person)", person=person)
    return '"opposition"'


def object_by_query(clinic: Clinic, persons: Any) -> str:
    object_in_table(clinic, persons)
    return '"select person_id from opposition where person_id > 0"'


def _write(clinic: Clinic, name: str, text: str) -> str:
    (clinic.folder / name).write_text(text)
    return f'"{name}"'


def object_in_list(clinic: Clinic, persons: Any) -> str:
    return _write(clinic, "objections.txt", "".join(f"{person}\n" for person in persons))


def object_in_table_of_text(clinic: Clinic, persons: Any) -> str:
    lines = "".join(f'"{90 + person}";"{person}"\n' for person in persons)
    return _write(clinic, "objections.csv", f"number;person_id\n{lines}")


def object_in_json_lines(clinic: Clinic, persons: Any) -> str:
    lines = "".join(json.dumps({"person_id": str(person)}) + "\n" for person in persons)
    return _write(clinic, "objections.jsonl", lines)


def object_in_parquet(clinic: Clinic, persons: Any) -> str:
    table = pa.table({"day": ["x"] * len(persons), "person_id": list(persons)})
    pq.write_table(table, clinic.folder / "objections.parquet")
    return '"objections.parquet"'


KINDS = [
    object_in_table, object_by_query, object_in_list, object_in_table_of_text,
    object_in_json_lines, object_in_parquet,
]  # fmt: skip


def say(clinic: Clinic, value: str) -> None:
    """Name the objections in the configuration."""
    text = re.sub(r"objections = .*\n", "", clinic.config.read_text())
    clinic.config.write_text(text.replace("[source]\n", f"[source]\nobjections = {value}\n"))


@pytest.mark.parametrize("place", KINDS)
def test_what_was_released_goes_the_next_night_and_comes_back(
    clinic: Clinic, place: Callable[[Clinic, Any], str]
) -> None:
    say(clinic, place(clinic, []))
    assert clinic.run().exit_code == EXIT_DONE
    before = clinic.output("select note_id, note_text from note order by 1")
    # Most persons object: that is asked for, and no limit applies.
    say(clinic, place(clinic, MOST))
    ended = clinic.run()
    assert ended.exit_code == EXIT_DONE
    assert clinic.released() == EVERY_NOTE - notes_of(*MOST)
    assert clinic.output("select count(*) from person") == [(PERSONS - len(MOST),)]
    gone = len(notes_of(*MOST))
    assert ended.summary.objections == {"persons": len(MOST), "notes": gone, "withdrawn": gone}
    assert ended.summary.unaccounted == 0
    again = {"persons": len(MOST), "notes": gone, "withdrawn": 0}
    assert clinic.run().summary.objections == again
    with clinic.state() as state:
        assert not state.find_known(sorted(notes_of(*MOST)))
        assert not state.read_sealed(sorted(notes_of(*MOST)))
    say(clinic, place(clinic, []))
    assert clinic.run(accept_fewer_objections=True).exit_code == EXIT_DONE
    assert clinic.output("select note_id, note_text from note order by 1") == before


def test_a_list_that_was_emptied_brings_nobody_back(clinic: Clinic) -> None:
    say(clinic, object_in_table(clinic, MOST))
    clinic.run()
    for change in ("delete from opposition", "delete from opposition where person_id <= 33"):
        object_in_table(clinic, MOST)
        clinic.source(change)
        code, _, err = clinic.call("run", "--workers", "1")
        assert code == EXIT_GATE
        assert "45 in the last run; nothing was read" in err
        assert clinic.call("run", "--dry-run")[0] == EXIT_GATE
        # Structured tables do not wait for the nightly job: a release checks the list, too.
        assert clinic.release(everybody())[0] == EXIT_GATE
    clinic.config.write_text(re.sub(r"objections = .*\n", "", clinic.config.read_text()))
    assert clinic.call("run", "--workers", "1")[0] == EXIT_GATE, "nor without the setting"
    assert clinic.released() == EVERY_NOTE - notes_of(*MOST)
    accepting = clinic.call("run", "--workers", "1", "--accept-fewer-objections")
    assert accepting[0] == EXIT_DONE
    assert clinic.released() == EVERY_NOTE
    assert clinic.call("run", "--workers", "1")[0] == EXIT_DONE


def test_every_cohort_loses_them_at_its_next_release(clinic: Clinic) -> None:
    say(clinic, object_in_table(clinic, []))
    clinic.run()
    assert clinic.release(everybody())[0] == EXIT_DONE
    object_in_table(clinic, MOST)
    # The list counts at once, also before the next night.
    code, out, _ = clinic.release(everybody())
    assert code == EXIT_DONE
    assert f"{len(MOST)} object" in out
    assert clinic.released("cohort", "asthma") == EVERY_NOTE - notes_of(*MOST)
    for table in ("person", "measurement"):
        found = clinic.output(f"select count(distinct person_id) from {table}", "cohort")
        assert found == [(PERSONS - len(MOST),)]
    clinic.run()
    # Who leaves without an objection still counts.
    object_in_table(clinic, [])
    clinic.run(accept_fewer_objections=True)
    assert clinic.release(everybody())[0] == EXIT_DONE
    object_in_table(clinic, range(1, 11))
    code, _, err = clinic.release(range(1, 16))
    assert code == EXIT_GATE
    assert "withdrawn notes: 70 of 100" in err


def test_report_and_officer_are_told(clinic: Clinic, tmp_path: Path) -> None:
    say(clinic, object_in_table(clinic, []))
    clinic.run()
    object_in_table(clinic, [1, 2, 3])
    code, out, _ = clinic.call("run", "--workers", "1")
    assert code == EXIT_DONE
    assert "objections: 3 persons, 6 notes not read, 6 withdrawn" in out
    report = json.loads((clinic.folder / "report.json").read_text())
    assert report["objections"] == {"persons": 3, "notes": 6, "withdrawn": 6}
    assert "persons who object" in (clinic.folder / "report.html").read_text()
    page = tmp_path / "pack.html"
    period = ("--from", "2001-01-01", "--to", "2099-12-31", "-o", str(page))
    assert main(["report", "dpo", str(clinic.config), *period]) == EXIT_DONE
    pack = json.loads(page.with_suffix(".json").read_text())
    assert pack["objections"] == {"persons": 3, "notes": 6, "withdrawn": 6}
    told = "3 persons object: 6 notes of theirs are not read, and 6 were withdrawn in the period."
    by_number = {each["number"]: each for each in pack["requirements"]}
    assert all(told in by_number[number]["shown"] for number in ("R16", "R18", "R20"))
    assert "Objections: 3 persons" in page.read_text()


def holds_planted(clinic: Clinic) -> list[str]:
    """The files, and on a server the rows, that hold the planted word; but for the source."""
    files = [path for path in clinic.folder.rglob("*") if path.is_file()]
    found = [path.name for path in files if PLANTED.encode() in path.read_bytes()]
    for place in ("state", "output", "cohort"):
        if clinic.urls[place].startswith("sqlite"):
            continue
        tables = clinic.output(
            "select table_name from information_schema.tables where table_schema = 'public'", place
        )
        for (table,) in tables:
            rows = clinic.output(f'select t::text from "{table}" t', place)
            encoded = PLANTED.encode().hex()
            found += [table for (row,) in rows if PLANTED in row or encoded in row]
    return [name for name in found if not name.startswith("source.db")]


@pytest.mark.parametrize("objects", [True, False])
def test_nothing_of_them_is_anywhere(
    clinic: Clinic, objects: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted text of objecting patients is in no output, state, stage or log.

    That of others is in the output; in the stage it is sealed.
    """
    clinic.source(
        "update note set note_text = note_text || :more where person_id <= 3",
        more=f"\nExamen {PLANTED}.",
    )
    say(clinic, object_in_table(clinic, [1, 2, 3] if objects else []))
    seen: list[str] = []

    def watch(document: Any, *more: Any) -> Any:
        seen.append(document.text)
        return detect(document, *more)

    monkeypatch.setattr("pipeline.notes.stages.detect", watch)
    staged: list[list[str]] = []

    def look(self: NightlyRun, *_args: Any) -> None:
        staged.append(holds_planted(clinic))

    with monkeypatch.context() as patch:
        patch.setattr(NightlyRun, "judge", look)
        with pytest.raises((AttributeError, TypeError)):
            clinic.run()  # stops while its notes are in the stage
    assert clinic.run().exit_code == EXIT_DONE
    publish = releasing._Release.publish

    def look_again(self: releasing._Release, *more: Any) -> ReleaseResult:
        staged.append(holds_planted(clinic))
        return publish(self, *more)

    monkeypatch.setattr(releasing._Release, "publish", look_again)
    assert clinic.release(everybody())[0] == EXIT_DONE
    assert any(PLANTED in text for text in seen) is not objects
    assert bool(holds_planted(clinic)) is not objects
    assert [bool(found) for found in staged] == [False, not objects]


def test_an_objection_reaches_what_a_run_has_staged(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*_args: object) -> None:
        raise KeyboardInterrupt

    say(clinic, object_in_table(clinic, []))
    with monkeypatch.context() as patch:
        patch.setattr(NightlyRun, "judge", kill)
        with pytest.raises(KeyboardInterrupt):
            clinic.run()
    object_in_table(clinic, [1, 2])
    published: list[set[int]] = []
    publish = NightlyRun.publish

    def watch(self: NightlyRun, run: Any) -> int:
        deleted = publish(self, run)
        published.append(clinic.released())
        return deleted

    monkeypatch.setattr(NightlyRun, "publish", watch)
    ended = clinic.run()
    assert published[0] == EVERY_NOTE - notes_of(1, 2)
    assert ended.exit_code == EXIT_DONE


def test_an_objection_reaches_what_a_run_holds(clinic: Clinic) -> None:
    say(clinic, object_in_table(clinic, []))
    clinic.run()
    clinic.source("update note set note_text = note_text || ' Revu.'")
    clinic.source("delete from note where person_id > 25")
    held = clinic.run()
    assert held.exit_code == EXIT_GATE
    object_in_table(clinic, [1, 2])
    assert clinic.decide(int(held.summary.run_id)) == EXIT_DONE
    assert clinic.released() == notes_of(*range(3, 26))


def test_without_its_list_nothing_runs(clinic: Clinic) -> None:
    clinic.run()
    before = clinic.released()
    for value in ('"opposed"', '"gone.txt"', '"select person_id from opposed"', '""', "{}",
                  '{ file = "a.txt", table = "b" }', '"bad.txt"', '"bad.jsonl"'):  # fmt: skip
        (clinic.folder / "bad.txt").write_text("1\nMme Wexlovitch\n")
        (clinic.folder / "bad.jsonl").write_text('{"person_id": "Wexlovitch"}\n')
        say(clinic, value)
        code, out, err = clinic.call("run", "--workers", "1")
        assert code == EXIT_USAGE or "statement failed" in err, value
        assert "objections" in err or "no table opposed" in err
        assert "Wexlovitch" not in out + err
    assert clinic.released() == before


def test_what_runs_continuously_reads_the_list_for_each_batch(clinic: Clinic) -> None:
    say(clinic, object_in_table(clinic, []))
    runner = InProcessRunner()
    shown: list[frozenset[int]] = []

    def drive(job: Job) -> dict[str, int]:
        done = runner(job)
        assert runner._resources is not None
        shown.append(runner._resources.source.objecting)
        return done

    try:
        run_nightly(clinic.config, drive)
        object_in_table(clinic, [1])
        run_nightly(clinic.config, drive)
    finally:
        runner.close()
    assert shown == [frozenset(), frozenset({1})]
    assert clinic.released() == EVERY_NOTE - notes_of(1)


def test_a_table_of_the_configuration_is_as_good_as_a_text(clinic: Clinic) -> None:
    object_in_list(clinic, [7])
    say(clinic, '{ file = "objections.txt" }')
    assert clinic.run().exit_code == EXIT_DONE
    assert clinic.released() == EVERY_NOTE - notes_of(7)
    settings = load(clinic.config)
    assert settings.source.objections is not None
    assert settings.source.objections.file == "objections.txt"
    say(clinic, '{ sql = "select 1", file = "x" }')
    with pytest.raises(ConfigError, match="give one of"):
        load(clinic.config)
