"""Continuous operation: new notes soon, whole runs now and then, a polite end, patience."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from signal import Signals
from threading import Event, Thread
from typing import Any, cast

import pytest

from pipeline.cli import main
from pipeline.commands import watch as watching
from pipeline.commands.options import engine
from pipeline.config.settings import load
from pipeline.night import watch
from pipeline.night.engine import run_in_process
from pipeline.night.event_log import EventLog, open_event_log
from pipeline.night.nightly import NightlyResult, run_nightly
from pipeline.night.run_history import PastRun, read_history
from pipeline.night.stop_signals import catch_stop_signals
from pipeline.night.watch import InProcessRunner, Watcher, WatchOptions
from pipeline.notes.worker_resources import resolve_urls
from pipeline.state.ledger import State
from pipeline.state.new_notes import find_new_units, has_new_notes
from pipeline.state.run_lock import make_run_lock
from pipeline.warehouse.warehouse import Source
from record.errors import Unavailable
from tests.pipeline.conftest import Site


class Ward:
    """A small hospital, whose later notes come in one by one."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.config = site.config
        self.kept: dict[int, Any] = {}
        with closing(self.db()) as db, db:
            # To read documents takes a process of its own.
            db.execute("delete from note where note_text = ''")
            self.names = [row[1] for row in db.execute("pragma table_info(note)")]
            self.notes = db.execute("select * from note order by note_id").fetchall()
            db.execute("delete from note where note_id > ?", (self.notes[4][0],))
        self.later = self.notes[5:]

    def db(self) -> sqlite3.Connection:
        return sqlite3.connect(self.site.folder / "hospital.db")

    def add(self, count: int | None) -> list[int]:
        """Let notes come in; returns their ids."""
        rows, self.later = self.later[:count], self.later[count:]
        marks = ",".join("?" * len(self.names))
        with closing(self.db()) as db, db:
            db.executemany(f"insert into note values ({marks})", rows)
        return [row[0] for row in rows]

    def held(self, note_ids: list[int]) -> list[int]:
        """Which of these notes the output holds."""
        released = self.site.released()
        return [note_id for note_id in note_ids if self.site.out_id(note_id) in released]

    def runs(self) -> list[PastRun]:
        settings = resolve_urls(load(self.config))
        return read_history(settings.state, settings.base)


@pytest.fixture
def ward(make_site: Callable[..., Site]) -> Ward:
    return Ward(make_site(60))


def script(
    ward: Ward, steps: Iterable[Callable[[], object]], **options: Any
) -> tuple[list[NightlyResult], list[float | None]]:
    """Keep watch; between two looks the next step is done, and after the last one it is stopped."""
    left = list(steps)
    told: list[NightlyResult] = []
    waits: list[float | None] = []

    class Stop(Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout)
            if left:
                left.pop(0)()
            if not left:
                self.set()
            return self.is_set()

    vigil = replace(WatchOptions(ward.config, interval=7.0, max_notes=4), **options)
    with closing(InProcessRunner()) as resident:
        Watcher(vigil, resident, Stop(), EventLog(), told.append).run()
    return told, waits


def test_new_notes_are_released_in_small_batches(ward: Ward) -> None:
    more = []
    told, waits = script(ward, [lambda: more.extend(ward.add(9)), lambda: None])
    first, *batches = (ended.summary.tally.outcomes for ended in told)
    assert first["planned"] == 5
    # Of nine, at most four make a batch; a unit is read as a whole, with the notes known in it.
    assert [batch["released"] + batch["quarantined"] for batch in batches] == [3, 4, 2]
    assert all(batch["planned"] <= 8 for batch in batches)
    assert len(ward.held(more)) >= 8
    assert [past.scope for past in ward.runs()] == ["new", "new", "new", "all"]
    assert waits == [7.0, 7.0], "it waits only when there is nothing to do"


def test_resources_of_another_configuration_are_opened_anew(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(InProcessRunner()) as resident:
        run_nightly(ward.config, resident)
        # As where a file of the model has changed: the settings are the same.
        monkeypatch.setattr("pipeline.notes.worker_resources.DETECTOR_VERSION", "floor-9999")
        new = ward.add(3)
        run_nightly(ward.config, resident)
    assert len(ward.held(new)) == 3


def test_a_batch_tells_nothing_of_deleted_or_changed_notes(ward: Ward) -> None:
    gone, changed = ward.notes[0][0], ward.notes[1][0]

    def happen() -> None:
        ward.add(1)
        with closing(ward.db()) as db, db:
            db.execute("delete from note where note_id = ?", (gone,))
            db.execute("update note set note_text = 'Tout va bien.' where note_id = ?", (changed,))

    now = iter(range(0, 10_000, 10))
    before = []
    told, _ = script(ward, [happen, lambda: before.extend(ward.held([gone, changed]))])
    assert before == [gone, changed], "a batch withdraws nothing"
    assert told[-1].summary.tally.outcomes["deleted"] == 0
    # The next whole run does.
    with closing(InProcessRunner()) as resident:
        stop = Event()
        watcher = Watcher(
            replace(WatchOptions(ward.config), sweep=5), resident, stop, EventLog(),
            lambda ended: stop.set(), clock=lambda: next(now),
        )  # fmt: skip
        watcher.run()
    assert ward.held([gone, changed]) == [changed]
    assert "Tout va bien." in ward.site.released().values()


def test_a_batch_that_was_interrupted_is_taken_up_as_a_batch(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole run that takes up a batch must not hold all other notes for deleted."""
    run_nightly(ward.config, run_in_process)
    before = ward.site.released()
    new = ward.add(3)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(State, "mark_published", stopped)
        with pytest.raises(KeyboardInterrupt):
            run_nightly(ward.config, run_in_process, most_new=4)
    assert (ward.runs()[0].scope, ward.runs()[0].status) == ("new", "interrupted")
    run_nightly(ward.config, run_in_process)
    assert before.items() <= ward.site.released().items()
    assert len(ward.held(new)) == 3
    assert [(past.scope, past.attempts) for past in ward.runs()[:2]] == [("all", 1), ("new", 2)]


def test_it_backs_off_while_the_database_is_away_and_goes_on(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    away, pauses, real = [True, True, True], [], run_nightly

    def sometimes(*arguments: Any, **options: Any) -> NightlyResult:
        if away:
            away.pop()
            raise Unavailable("source", "connection failed or lost", "wait")
        return real(*arguments, **options)

    monkeypatch.setattr(watch, "run_nightly", sometimes)
    told, waits = script(ward, [lambda: None] * 4)
    assert len(told) == 1
    pauses = [wait for wait in waits[:3] if wait is not None]
    assert pauses == sorted(pauses) == [1, 2, 4]


def test_patience_has_an_end(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: Any) -> None:
        raise Unavailable("source", "connection failed or lost", "wait")

    monkeypatch.setattr(watch, "run_nightly", never)
    with pytest.raises(Unavailable, match="lost"):
        script(ward, [lambda: None] * 9, patience=1e-9)
    told, _ = script(ward, [lambda: None])
    assert told == [], "asked to stop while it waits: no error"


def test_it_waits_while_a_run_holds_the_lock(ward: Ward) -> None:
    settings = resolve_urls(load(ward.config))
    with make_run_lock(settings.state.url, settings.base):
        told, waits = script(ward, [lambda: None, lambda: None])
    assert told == []
    assert waits == [7.0, 7.0]


@pytest.mark.parametrize("most", [1, 4, 200])
def test_new_notes_are_found_until_there_are_none(
    warehouse: Callable[..., Source], make_note: Callable[..., Any], tmp_path: Path, most: int
) -> None:
    """In each kind of source, whatever the size of its units: no note is left, none comes twice."""
    ids = list(range(3, 120, 2))
    source = warehouse(
        {"note": [make_note(note_id) for note_id in ids], "person": [{"person_id": 1}]}
    )

    class Ledger:
        def __init__(self) -> None:
            self.seen = set(ids[10:40])

        def find_known(self, note_ids: Iterable[int]) -> set[int]:
            return self.seen & set(note_ids)

    ledger = Ledger()
    state, batches = cast(State, ledger), []
    while has_new_notes(source, state):
        batch = list(find_new_units(source, state, most))
        assert [unit.index for unit, _ in batch] == list(range(len(batch)))
        batches.append({n for _, note_ids in batch for n in note_ids} - ledger.seen)
        for unit, note_ids in batch:
            assert [row.note_id for row in source.read(unit)] == note_ids
        ledger.seen |= batches[-1]
    assert list(find_new_units(source, state, most)) == []
    assert sum(map(len, batches)) == len(ids) - 30
    assert all(batches)


BLOCKED = "import signal; print(len(signal.pthread_sigmask(0, [])))"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_become_a_flag(number: Signals) -> None:
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    over = Event()
    other = Thread(target=over.wait)  # blocks nothing: the system may hand signals to it
    other.start()
    with catch_stop_signals() as stop:
        assert not stop.is_set()
        child = subprocess.run(
            [sys.executable, "-S", "-c", BLOCKED],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert child.stdout.strip() == "2", "children are not interrupted either"
        os.kill(os.getpid(), number)
        assert stop.wait(10)
    for _ in range(20):
        with catch_stop_signals() as stop:
            assert other.ident
            signal.pthread_kill(other.ident, number)
            assert stop.wait(10)
    over.set()
    other.join()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()
    assert {one: signal.getsignal(one) for one in before} == before


def test_the_command_ends_politely_and_writes_a_log(ward: Ward, tmp_path: Path) -> None:
    log = tmp_path / "watch.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "pipeline.cli", "watch", str(ward.config), "--interval", "0.1",
         "--log", str(log), "--plain"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    try:
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        said, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "error" not in errors
    assert first.startswith("run 1: 5 planned")
    assert said.splitlines()[-1] == "stopped"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["event"] for line in lines[:2]] == ["started", "phase"]
    (ended,) = (line for line in lines if line["event"] == "run ended")
    assert (ended["planned"], ended["exit_code"], ended["level"]) == (5, 0, "info")
    assert log.stat().st_mode & 0o777 == 0o600


def test_runs_are_told(ward: Ward, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(ward.config)]) == 0
    assert "there was no run yet" in capsys.readouterr().out
    run_nightly(ward.config, run_in_process)
    ward.add(2)
    run_nightly(ward.config, run_in_process, most_new=10)
    assert main(["runs", str(ward.config)]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["run", "started"]
    assert [line.split()[0] for line in lines] == ["2", "1"]
    assert main(["runs", str(ward.config), "--json", "--last", "1"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["run_id"], told["scope"], told["status"], told["exit_code"]) == (
        2,
        "new",
        "finished",
        0,
    )
    assert told["notes"]["released"] == 2
    assert told["about"]["key_id"]
    assert Path(ward.config).exists()


def test_an_error_is_written_down_without_a_traceback(tmp_path: Path) -> None:
    with (
        pytest.raises(Unavailable),
        open_event_log("log.jsonl", tmp_path) as journal,
        journal.log_command("run"),
    ):
        try:
            raise ValueError("Jean DUPONT")
        except ValueError:
            raise Unavailable("source", "disk full", "free space") from None
    told = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert told[-1]["message"] == "source: disk full. Remedy: free space"
    assert "DUPONT" not in (tmp_path / "log.jsonl").read_text()


def test_earlier_notes_are_detected_again_while_nothing_is_new(ward: Ward) -> None:
    run_nightly(ward.config, run_in_process)
    ward.site.configure("[limits]", '[rules]\nvisit_words = ["passage"]\n\n[limits]')
    told, waits = script(ward, [lambda: None, lambda: ward.add(2), lambda: None])
    whole, again, batch = told
    assert whole.summary.tally.outcomes["unchanged"] == 5
    assert (again.summary.backfill or {})["done"] == 5
    assert batch.summary.tally.outcomes["released"] == 2
    assert [past.scope for past in ward.runs()] == ["new", "backfill", "all", "all"]
    assert waits == [7.0, 7.0, 7.0]


@pytest.mark.parametrize(
    ("lines", "arguments", "expected"),
    [
        ("", [], "here"),
        ("", ["--workers", "2"], "processes"),
        ('kind = "spark"\nmaster = "spark://head:7077"', [], "spark://head:7077"),
        ('kind = "spark"', ["--workers", "2"], "None"),
        ("", ["--engine", "spark", "--master", "local[1]"], "local[1]"),
        ('kind = "spark"', ["--engine", "processes", "--workers", "2"], "processes"),
        ("", ["--runner=FnApiRunner"], "FnApiRunner"),
    ],
)
def test_batches_run_on_the_engine_that_a_run_would_take(
    ward: Ward,
    monkeypatch: pytest.MonkeyPatch,
    lines: str,
    arguments: list[str],
    expected: str,
) -> None:
    def named(name: str) -> Any:
        return lambda job: found.append(name) or run_in_process(job)  # type: ignore[func-returns-value]

    found: list[str] = []
    ward.site.configure("[limits]", f"[engine]\n{lines}\n\n[limits]")
    monkeypatch.setattr(engine, "run_in_workers", spawned := named("processes"))
    monkeypatch.setattr(watching, "run_in_workers", spawned)
    monkeypatch.setattr(engine, "_drive_on_spark", lambda master, _: named(str(master)))
    monkeypatch.setattr(watching, "load_runner", lambda: lambda rest: named(rest[0][9:]))
    monkeypatch.setattr(InProcessRunner, "__call__", lambda _, job: named("here")(job))
    original = Watcher._run_batch

    def once(self: Watcher, most_new: int | None) -> NightlyResult:
        self.stop.set()
        return original(self, most_new)

    monkeypatch.setattr(Watcher, "_run_batch", once)
    assert main(["watch", str(ward.config), "--plain", *arguments]) == 0
    assert found == [expected]
    assert ward.runs()[0].status == "finished"


def test_what_watch_refuses_as_run_does(ward: Ward, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in (
        (["--runner=DirectRunner"], "--runner=DirectRunner: it downloads an executable"),
        (["--master", "local[1]"], "--master: is that of Spark, and the engine is another one"),
        (["--intervall=3"], "did you mean --interval? See cryptonym watch --help"),
    ):
        assert main(["watch", str(ward.config), "--plain", *arguments]) == 2
        assert said in " ".join(capsys.readouterr().err.split())
    assert ward.runs() == []
