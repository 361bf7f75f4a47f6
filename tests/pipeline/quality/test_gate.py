"""Entity counts gate the night: a small hospital over simulated nights, with a fault in one."""

import json
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline import cli
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_USAGE
from pipeline.config.settings import QualitySettings, Settings, StateSettings, load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import NightlyResult, NightlyRun, run_nightly
from pipeline.night.publishing import publish_staged
from pipeline.notes.worker_resources import make_seal, open_master, resolve_urls
from pipeline.quality.drift import judge
from pipeline.quality.gate import Assessment, Gate, assess_run
from pipeline.state.ledger import State, open_state
from pipeline.state.quality_counts import CountCell
from pipeline.state.quality_series import RunCounts
from pipeline.warehouse.sql_output import Output
from pipeline.warehouse.warehouse import open_output
from record.count_drift import CountSeries, DriftVerdict

START = date(2024, 3, 4)
NIGHTS = 6
NOTES = 22
RUN = str(NIGHTS + 1)
WORD = "glomvixique"
NAME = "Wexlovitch"

SETTINGS = """
[quality]
min_days = 5
window_days = 28
false_alarms_per_quarter = 10.0
prometheus = "metrics/cryptonym.prom"
hook = ["tee", "{folder}/told.json"]
"""


def assessed(ended: NightlyResult) -> Assessment:
    """What the gate made of a run, which it looked at."""
    assert ended.assessment is not None
    return ended.assessment


class Hospital:
    """A hospital that writes the same letters every night, under ids and days of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "nightly.toml"
        with self.source() as db:
            columns = [row[1] for row in db.execute("pragma table_info(note)")]
            rows = db.execute(
                "select * from note where note_text <> '' order by note_id limit ?",
                (NOTES,),
            ).fetchall()
            self.letters = [dict(zip(columns, row, strict=True)) for row in rows]
            db.execute("delete from note")
        self.last_id = 0

    def source(self) -> sqlite3.Connection:
        return sqlite3.connect(self.folder / "hospital.db")

    def write(
        self,
        night: int,
        change: Callable[[str], str] = lambda text: text,
    ) -> range:
        """Write tonight's letters; returns their ids."""
        with self.source() as db:
            first = self.last_id + 1
            for number, letter in enumerate(self.letters):
                self.last_id += 1
                text = (
                    change(letter["note_text"]) + f"\nRelu, {WORD}{'abc'[night % 3] * (night + 2)}"
                )
                day = (START + timedelta(days=night)).isoformat()
                row = letter | {
                    "note_id": self.last_id, "note_text": f"{text}{'x' * number}.",
                    "note_date": day, "note_datetime": f"{day} 10:00:00", "note_source_value": None,
                }  # fmt: skip
                marks = ", ".join("?" * len(row))
                db.execute(
                    f"insert into note ({', '.join(row)}) values ({marks})", list(row.values())
                )
        return range(first, self.last_id + 1)

    def run(
        self,
        night: int,
        judge: Callable[[Sequence[CountSeries], float], list[DriftVerdict]] | None = judge,
    ) -> NightlyResult:
        """Run the nightly job on a simulated day."""
        gate = Gate(judge, night_of=lambda run: START + timedelta(days=night))
        return run_nightly(self.config, run_in_process, gate=gate)

    def quality(self, *arguments: str) -> int:
        """Call the command."""
        return cli.main(["quality", str(self.config), "--plain", *arguments])

    def released(self) -> dict[Any, Any]:
        """The notes in the output by their ids in the source."""
        path = self.folder / "research.db"
        if not path.is_file():
            return {}
        with closing(sqlite3.connect(path)) as db:
            found = db.execute("select note_id, note_text from note").fetchall()
        assert len(found) == len({note_id for note_id, _ in found})
        settings = load(self.config)
        cohort = open_master(settings).cohort(settings.cohort)
        ids = {cohort.pseudonym("note", str(n)): n for n in range(1, self.last_id + 1)}
        return {ids[note_id]: text for note_id, text in found}

    def state(self) -> closing[Any]:
        settings = resolve_urls(load(self.config))
        return closing(open_state(settings.state, settings.base))


def to_iso(text: Any) -> str:
    """Write dates as ISO 8601, and three more of them."""
    iso = re.sub(r"\b(\d{2})[/.](\d{2})[/.](\d{4})\b", r"\3-\2-\1", text)
    return iso + "\nVu les 2024-01-02, 2024-01-03 et 2024-01-04."


@pytest.fixture(scope="module")
def sound(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Hospital:
    """A hospital after enough nights to learn from."""
    folder = tmp_path_factory.mktemp("quality") / "site"
    shutil.copytree(template, folder)
    hospital = Hospital(folder)
    text = hospital.config.read_text()
    hospital.config.write_text(text + SETTINGS.format(folder="FOLDER"))
    concluded = []
    for night in range(NIGHTS):
        hospital.write(night)
        ended = hospital.run(night)
        assert ended.exit_code == EXIT_DONE
        concluded.append(assessed(ended).conclusion)
    assert concluded[0] == "learning"
    assert concluded[-1] == "clean"
    return hospital


@pytest.fixture
def hospital(sound: Hospital, tmp_path: Path) -> Hospital:
    """A copy of it that a test may change."""
    folder = tmp_path / "site"
    shutil.copytree(sound.folder, folder)
    copy = Hospital.__new__(Hospital)
    copy.folder, copy.config = folder, folder / "nightly.toml"
    copy.letters, copy.last_id = sound.letters, sound.last_id
    copy.config.write_text(copy.config.read_text().replace("FOLDER", str(folder)))
    return copy


def test_a_run_that_alarms_is_held_then_accepted(
    hospital: Hospital, capsys: pytest.CaptureFixture[str]
) -> None:
    before = hospital.released()
    ids = hospital.write(NIGHTS, to_iso)
    ended = hospital.run(NIGHTS)
    assert ended.exit_code == EXIT_GATE
    assert assessed(ended).is_held
    assert any("dates written 9999-99-99" in reason for reason in assessed(ended).reasons)
    assert hospital.released() == before
    told = json.loads((hospital.folder / "told.json").read_text())
    assert told["conclusion"] == "held"
    assert told["waiting"] == [
        {"run_id": 7, "night": "2024-03-10", "notes": NOTES, "withdrawals": 0}
    ]
    # Not even the function that publishes can be made to release what is held.
    with hospital.state() as state, closing(_output(load(hospital.config))) as output:
        seal = make_seal(open_master(load(hospital.config)))
        assert publish_staged(state, output, seal) == 0
        assert publish_staged(state, output, seal, only=7) == 0
    assert hospital.quality() == EXIT_GATE
    assert "--accept 7" in capsys.readouterr().out
    deciding = ("--by", "A. Martin", "--reason", "the new software writes ISO dates")
    assert hospital.quality("--accept", RUN, *deciding, "--new-normal") == EXIT_DONE
    assert hospital.released().keys() == before.keys() | set(ids)
    once = hospital.released()
    assert hospital.quality("--accept", RUN, *deciding, "--new-normal") == EXIT_DONE
    assert hospital.released() == once
    assert hospital.quality() == EXIT_DONE
    with hospital.state() as state:
        (decision,) = state.quality.decisions()
        assert (decision.run_id, decision.decision, decision.decided_by) == (
            7,
            "accepted",
            "A. Martin",
        )
        assert decision.notes == NOTES
    for page in ("quality.html", "releases.html"):
        assert "A. Martin" in (hospital.folder / page).read_text()
    assert cli.main(["runs", str(hospital.config)]) == EXIT_DONE
    told = capsys.readouterr().out
    assert "held, accepted" in told
    assert f"accepted as the new normal, {NOTES} notes, by A. Martin" in told
    report = (hospital.folder / "report.html").read_text()
    assert "<h2>Labels by night</h2>" in report
    assert "<h3>PHONE</h3>" in report
    assert "A. Martin" not in report
    # What was called the new normal is learned anew, and holds nothing meanwhile.
    hospital.write(NIGHTS + 1, to_iso)
    assert hospital.run(NIGHTS + 1).exit_code == EXIT_DONE
    assert "A. Martin" in (hospital.folder / "report.html").read_text()


def test_without_a_new_normal_the_next_such_night_is_held_too(hospital: Hospital) -> None:
    hospital.write(NIGHTS, to_iso)
    assert hospital.run(NIGHTS).exit_code == EXIT_GATE
    assert hospital.quality("--accept", RUN, "--by", "me", "--reason", "once") == EXIT_DONE
    hospital.write(NIGHTS + 1, to_iso)
    assert hospital.run(NIGHTS + 1).exit_code == EXIT_GATE


def test_a_rejected_run_goes_to_quarantine_and_is_done_again_when_asked(hospital: Hospital) -> None:
    before = hospital.released()
    changed = 1
    with hospital.source() as db:
        (text,) = db.execute("select note_text from note where note_id = ?", (changed,)).fetchone()
        db.execute(
            "update note set note_text = ? where note_id = ?", (to_iso(text) + " Revu.", changed)
        )
    ids = hospital.write(NIGHTS, to_iso)
    assert hospital.run(NIGHTS).exit_code == EXIT_GATE
    assert hospital.released() == before  # an earlier version stays until somebody decides
    deciding = ("--by", "me", "--reason", "wrong software", "--again")
    assert hospital.quality("--reject", RUN, *deciding) == EXIT_DONE
    assert hospital.released().keys() == before.keys() - {changed}
    with hospital.state() as state:
        assert state.count_outcomes() == {"released": len(before) - 1, "quarantined": NOTES + 1}
        assert {note.reason for note in state.read_quarantined(100)} == {"run-rejected"}
    assert hospital.quality("--accept", RUN, "--by", "me", "--reason", "no") == EXIT_USAGE
    with hospital.source() as db:  # the software is repaired
        for number, letter in zip(ids, hospital.letters, strict=True):
            text = f"{letter['note_text']}\nRelu, {WORD} z{'z' * number}."
            db.execute("update note set note_text = ? where note_id = ?", (text, number))
    ended = hospital.run(NIGHTS + 1)
    assert ended.exit_code == EXIT_DONE
    assert hospital.released().keys() == before.keys() | set(ids)


def test_a_night_while_another_is_held(hospital: Hospital) -> None:
    """What is held stays held, what is new goes on, and a newer version replaces a held one."""
    before = hospital.released()
    held = hospital.write(NIGHTS, to_iso)
    assert hospital.run(NIGHTS).exit_code == EXIT_GATE
    superseded = held[0]
    with hospital.source() as db:
        db.execute(
            "update note set note_text = ? where note_id = ?",
            (f"{hospital.letters[0]['note_text']}\nVersion deux.", superseded),
        )
    new = hospital.write(NIGHTS + 1)
    assert hospital.run(NIGHTS + 1).exit_code == EXIT_DONE
    after = hospital.released()
    assert after.keys() == before.keys() | set(new) | {superseded}
    assert "Version deux" in after[superseded]
    assert hospital.quality() == EXIT_GATE  # one still waits
    assert hospital.quality("--accept", RUN, "--by", "me", "--reason", "right") == EXIT_DONE
    at_last = hospital.released()
    assert at_last.keys() == after.keys() | set(held)
    assert at_last[superseded] == after[superseded]


@pytest.mark.parametrize("moment", ["publishing", "marking"])
def test_killed_between(hospital: Hospital, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    before = hospital.released()
    ids = hospital.write(NIGHTS, to_iso)

    def kill(*_args: object, **_named: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if moment == "publishing":
            patch.setattr(NightlyRun, "publish", kill)
            with pytest.raises(KeyboardInterrupt):
                hospital.run(NIGHTS)
    ended = hospital.run(NIGHTS)
    assert ended.resumed == (moment == "publishing")
    assert ended.exit_code == EXIT_GATE
    assert hospital.released() == before
    with hospital.state() as state:
        counted = state.quality.cells([7])
        assert sum(n for cell, n in counted.items() if cell.measure == "worked") == NOTES
    deciding = ("--accept", RUN, "--by", "me", "--reason", "right")
    with monkeypatch.context() as patch:
        patch.setattr(State, "mark_published", kill)
        assert hospital.quality(*deciding) == 130
    # The next night completes what was accepted, and so does the command.
    if moment == "marking":
        # A night without any note would be held for its volume.
        ids = range(ids.start, hospital.write(NIGHTS + 1).stop)
        assert hospital.run(NIGHTS + 1).exit_code == EXIT_DONE
    assert hospital.quality(*deciding) == EXIT_DONE
    assert hospital.released().keys() == before.keys() | set(ids)
    with hospital.state() as state:
        assert len(state.quality.decisions()) == 1


def test_documents_fed_twice_are_held(hospital: Hospital) -> None:
    hospital.write(NIGHTS)
    with hospital.source() as db:
        columns = [row[1] for row in db.execute("pragma table_info(note)")]
        rest = ", ".join(name for name in columns if name != "note_id")
        db.execute(
            f"insert into note (note_id, {rest}) select note_id + 100000, {rest} from note "
            "where note_id > ?",
            (hospital.last_id - NOTES,),
        )
    ended = hospital.run(NIGHTS)
    assert ended.exit_code == EXIT_GATE
    assert any(reason.startswith("duplicate notes") for reason in assessed(ended).reasons)


def keep_of_tonight(hospital: Hospital, count: int) -> None:
    """Leave none of tonight's letters, or repeat them under other ids and with other words."""
    first = hospital.last_id - NOTES + 1
    with hospital.source() as db:
        db.execute("delete from note where note_id >= ?", (first + count,))
        columns = [row[1] for row in db.execute("pragma table_info(note)")]
        rest = ", ".join(name for name in columns if name not in ("note_id", "note_text"))
        for more in range(1, count // NOTES):
            db.execute(
                f"insert into note (note_id, note_text, {rest}) select note_id + ?, "
                f"note_text || ?, {rest} from note where note_id between ? and ?",
                (more * 1000, f" Fin {'z' * more}.", first, hospital.last_id),
            )
    hospital.last_id += 1000 * (count // NOTES)


@pytest.mark.parametrize("count", [0, NOTES * 10])
def test_a_night_of_far_fewer_or_more_notes_is_held(hospital: Hospital, count: int) -> None:
    before = hospital.released()
    hospital.write(NIGHTS)
    keep_of_tonight(hospital, count)
    ended = hospital.run(NIGHTS)
    (reason,) = (each for each in assessed(ended).reasons if each.startswith("notes: "))
    assert "notice only" not in reason
    assert ended.exit_code == EXIT_GATE
    assert hospital.released() == before
    assert hospital.quality("--accept", RUN, "--by", "me", "--reason", "a strike") == EXIT_DONE
    assert len(hospital.released()) == len(before) + count


@pytest.mark.parametrize(
    ("tonight", "conclusion"),
    [(0, "held"), (20, "held"), (60, "warned"), (180, "clean"), (600, "warned"), (2000, "held")],
)
def test_volume_holds_only_from_its_factor_on(
    tmp_path: Path, tonight: int, conclusion: str
) -> None:
    def count(notes: int) -> Counter[CountCell]:
        return Counter({CountCell("worked"): notes, CountCell("notes"): notes})

    settings, gate = QualitySettings(), Gate(judge)
    with closing(open_state(StateSettings(), tmp_path)) as state:
        for night in range(30):
            notes = (190, 200, 210)[night % 3] if night % 7 < 5 else 60
            counted = RunCounts(night + 1, START + timedelta(night), "c", count(notes))
            assert assess_run(state.quality, counted, settings, gate).conclusion in (
                "learning",
                "clean",
            )
        last = RunCounts(31, START + timedelta(30), "c", count(tonight))
        assert assess_run(state.quality, last, settings, gate).conclusion == conclusion
        warn = replace(settings, gate="warn")
        told = assess_run(state.quality, last, warn, gate).conclusion
        assert told == ("warned" if conclusion == "held" else conclusion)


def test_a_gate_that_warns_publishes_and_says_so(hospital: Hospital) -> None:
    hospital.config.write_text(
        hospital.config.read_text().replace("[quality]", '[quality]\ngate = "warn"')
    )
    ids = hospital.write(NIGHTS, to_iso)
    ended = hospital.run(NIGHTS)
    assert (ended.exit_code, assessed(ended).conclusion) == (EXIT_DONE, "warned")
    assert set(ids) <= hospital.released().keys()
    assert hospital.quality() == EXIT_GATE
    assert hospital.quality("--reject", RUN, "--by", "me", "--reason", "late") == EXIT_USAGE
    accept = ("--accept", RUN, "--by", "me", "--reason", "fine", "--new-normal")
    assert hospital.quality(*accept) == EXIT_DONE
    assert hospital.quality() == EXIT_DONE


def test_a_run_that_does_nothing_is_not_counted_and_a_hook_that_fails_stops_nothing(
    hospital: Hospital,
) -> None:
    hospital.config.write_text(
        re.sub(r"hook = .*", 'hook = ["false"]', hospital.config.read_text())
    )
    assert assessed(hospital.run(NIGHTS - 1)).conclusion == "unjudged"
    hospital.write(NIGHTS, to_iso)
    ended = hospital.run(NIGHTS)
    assert ended.exit_code == EXIT_GATE
    assert ended.warnings == ("quality.hook exited with code 1",)


def test_without_a_judge_runs_are_counted_alone(hospital: Hospital) -> None:
    ids = hospital.write(NIGHTS, to_iso)
    ended = hospital.run(NIGHTS, judge=None)
    assert (ended.exit_code, assessed(ended).conclusion) == (EXIT_DONE, "unjudged")
    assert set(ids) <= hospital.released().keys()
    with hospital.state() as state:
        assert state.quality.runs(1)[0].notes == NOTES


def check_metrics(lines: list[str], held: int) -> None:
    """What a collector of Prometheus' text format reads, and the figures of the run."""
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values["cryptonym_quality_held_runs"] == "1"
    assert values["cryptonym_quality_held_notes"] == str(held)
    assert float(values["cryptonym_quality_alarms"]) >= 1
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? -?[0-9.e+-]+')
    assert all(sample.fullmatch(line) for line in lines if not line.startswith("#"))
    types = Counter(line.split()[2] for line in lines if line.startswith("# TYPE"))
    assert set(types.values()) == {1}


def test_nothing_of_a_text_is_in_counts_pages_or_metrics(
    hospital: Hospital, capsys: pytest.CaptureFixture[str]
) -> None:
    with hospital.source() as db:
        db.execute("update patient_identity set family_names = ?", (NAME,))
    hospital.write(NIGHTS, lambda text: to_iso(text) + f"\nMme {NAME.upper()} va bien.")
    ended = hospital.run(NIGHTS)
    assert ended.exit_code == EXIT_GATE
    assert hospital.quality("--json", "--prometheus", str(hospital.folder / "other.prom")) == 1
    said = capsys.readouterr().out
    told = json.loads(said)
    assert told["conclusion"] == "held"
    with closing(sqlite3.connect(hospital.folder / "state.db")) as db:
        tables = ("quality_run", "quality_count", "quality_print", "quality_held")
        rows = [row for table in tables for row in db.execute(f"select * from {table}")]
    names = ("quality.html", "report.html", "report.json", "told.json", "other.prom")
    files = [hospital.folder / name for name in (*names, "metrics/cryptonym.prom")]
    for text in (said, repr(rows), repr(ended), *(path.read_text() for path in files)):
        assert text
        assert WORD not in text.lower()
        assert NAME.lower() not in text.lower()
        # Every letter of the hospital has words; none of its dates is anywhere.
        assert not re.search(r"\b\d{2}/\d{2}/(19|20)\d{2}\b", text)
    lines = (hospital.folder / "metrics" / "cryptonym.prom").read_text().splitlines()
    check_metrics(lines, held=NOTES * (NIGHTS + 1))  # patients with other names: all is done again


@pytest.mark.parametrize(
    "arguments",
    [
        ("--accept", "99", "--by", "me", "--reason", "x"),
        ("--accept", "6", "--by", "me", "--reason", "it was clean"),
        ("--accept", "6"),
        ("--reject", "6", "--by", "me", "--reason", "x", "--new-normal"),
        ("--again",),
    ],
)
def test_what_cannot_be_decided_is_refused(
    sound: Hospital, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sound.quality(*arguments) == EXIT_USAGE
    assert "Traceback" not in capsys.readouterr().err


def _output(settings: Settings) -> Output:
    return open_output(resolve_urls(settings).output, settings.base)
