"""Progress: a line at least every five seconds, with rate and time left, as text or as JSON."""

import json
import re
from io import StringIO
from itertools import pairwise

import pytest
from rich.console import Console as Terminal

from pipeline.cli import main
from pipeline.config.progress import ProgressMode
from pipeline.reports.console import Console
from pipeline.reports.progress_lines import (
    SECONDS_BETWEEN_LINES,
    ProgressLines,
    format_seconds,
)


class Watched:
    """Progress under a clock that only a test moves; keeps lines with their time."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.now = 100.0
        self.lines: list[tuple[float, str]] = []
        self.told = ProgressLines(self._keep, clock=lambda: self.now, as_json=as_json)

    def _keep(self, line: str) -> None:
        self.lines.append((self.now - 100, line))

    def wait(self, seconds: float, step: float = 0.5) -> None:
        """Let time pass while the thread of the console ticks."""
        for _ in range(round(seconds / step)):
            self.now += step
            self.told.tick()


def test_lines_have_rate_and_time_left() -> None:
    watched = Watched()
    watched.told.phase("working")
    for done in range(41):
        watched.told.advance(done, 40)
        watched.now += 0.5
    assert watched.lines == [
        (0, "working ..."),
        (5, "working: 10 of 40, 2.0/s, 15 s left"),
        (10, "working: 20 of 40, 2.0/s, 10 s left"),
        (15, "working: 30 of 40, 2.0/s, 5 s left"),
        (20, "working: 40 of 40, 2.0/s, in 20 s"),
    ]


def test_a_step_that_takes_long_is_told_of_as_well() -> None:
    watched = Watched()
    watched.wait(12)
    watched.told.phase("loading")
    watched.wait(12)
    watched.told.advance(1, 10)
    watched.wait(11)
    times = [at for at, _ in watched.lines]
    assert times[0] <= 10, "the first line within ten seconds"
    assert all(later - at <= SECONDS_BETWEEN_LINES for at, later in pairwise(times))
    assert [line for _, line in watched.lines] == [
        "starting ... 5 s", "starting ... 10 s", "loading ...", "loading ... 5 s",
        "loading ... 10 s", "loading: 1 of 10, 5.0/min, 1 min 48 s left",
        "loading: 1 of 10, 5.0/min, 1 min 48 s left",
    ]  # fmt: skip


def test_the_rate_is_that_of_the_last_minute_without_what_was_done_before() -> None:
    watched = Watched(as_json=True)
    watched.told.phase("working")
    done = 5_000  # by a run that was interrupted
    for seconds in range(121):
        watched.told.advance(done, 10_000)
        done += 10 if seconds < 60 else 1
        watched.now += 1
    first, last = (json.loads(line) for _, line in (watched.lines[2], watched.lines[-1]))
    assert first["per_second"] == 10
    assert last["per_second"] == pytest.approx(1, abs=0.2)
    assert last["seconds_left"] == pytest.approx((10_000 - last["done"]) / last["per_second"], 0.01)


def test_the_rate_of_large_steps_holds_between_them() -> None:
    watched = Watched(as_json=True)
    watched.told.phase("working")
    watched.told.advance(0, 2_000)
    for done in (500, 1_000):
        watched.wait(79)
        watched.now += 1
        watched.told.advance(done, 2_000)
    watched.wait(75)
    assert json.loads(watched.lines[-1][1])["per_second"] == 6.25
    watched.wait(85)
    assert json.loads(watched.lines[-1][1])["per_second"] < 3, "a step that does not end"


def test_json_lines_have_all_keys() -> None:
    watched = Watched(as_json=True)
    watched.told.phase("reading")
    watched.told.advance(3, 0)
    watched.wait(5)
    keys = {"event", "phase", "seconds", "done", "planned", "per_second", "seconds_left"}
    told = [json.loads(line) for _, line in watched.lines]
    assert all(each.keys() == keys and each["event"] == "progress" for each in told)
    assert (told[0]["done"], told[1]["done"], told[1]["planned"]) == (None, 3, None)


def test_waiting_is_said_once() -> None:
    watched = Watched()
    for _ in range(3):
        watched.told.idle()
        watched.wait(60)
    watched.told.phase("working")
    watched.told.finish()
    watched.wait(5)
    assert [line for _, line in watched.lines] == [
        "waiting ...", "working ...", "finishing ... 5 s"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min")],
)
def test_times_are_read_at_a_glance(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("mode", "quiet", "expected"),
    [
        ("auto", False, r"working \.\.\.\nworking: 2 of 2.*\n"),
        ("auto", True, ""),
        ("plain", True, r"working \.\.\.\nworking: 2 of 2.*\n"),
        ("none", False, ""),
        ("json", True, r'(\{"event": "progress", "phase": "working".*\}\n){2}'),
    ],
)
def test_the_console_shows_it_as_asked(
    mode: str, quiet: bool, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    console = Console(quiet=quiet)
    with console.watching(ProgressMode(mode), early=True), console.progress() as progress:
        progress.phase("working")
        progress.advance(1, 2)
        progress.advance(2, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(expected, err)


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = StringIO()
    console = Console()
    console._err = Terminal(file=shown, force_terminal=True, width=100)
    console._plain = False
    with console.watching(ProgressMode.AUTO, early=True), console.progress() as progress:
        progress.phase("working")
        progress.advance(9, 10)
        progress.phase("publishing")
        progress.advance(3, 0)
    assert "publishing" in shown.getvalue()
    assert "3/?" in shown.getvalue(), "a phase does not keep the total of the one before"


def test_a_bar_has_an_estimate_where_the_plan_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown, now = StringIO(), [0.0]
    console = Console()
    console._err = Terminal(file=shown, force_terminal=True, width=120)
    console._plain = False
    with console.watching(ProgressMode.AUTO, early=False):
        console._lines = ProgressLines(console._write_line, clock=lambda: now[0])
        with console.progress() as progress:
            progress.phase("training")
            for done in range(1, 6):
                now[0] += 2.0
                progress.advance(done, 20 + done)
    assert "30.0/min, 40 s left" in shown.getvalue()


@pytest.mark.parametrize("name", ["run", "keys new", "extract train"])
def test_every_command_takes_the_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*name.split(), "--help"])
    assert "--progress {auto,plain,json,none}" in capsys.readouterr().out
