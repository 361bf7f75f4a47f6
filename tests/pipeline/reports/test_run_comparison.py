"""Two runs side by side: rates that are right, and a command that shows them."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.reports.run_comparison import ComparedRun, compare_runs, format_comparison
from pipeline.reports.run_report import render_comparison
from pipeline.state.run_summary import Tally


def tally(released: int, dates: int) -> Tally:
    return Tally(
        outcomes=Counter(planned=10, read=8, released=released, quarantined=8 - released),
        notes=Counter({("letter", "2026-01-01"): released}),
        spans=Counter({("DATE", "letter", "2026-01-01"): dates}),
        detectors=Counter({"rules.dates": dates}),
        quarantine=Counter({("extract", "Unreadable", "", "letter"): 8 - released}),
        microseconds=Counter(detect=2_000_000),
    )


def test_rates_are_compared_and_not_amounts() -> None:
    earlier = ComparedRun("1", "2026-01-01 02:00", 4.0, tally(8, 16))
    later = ComparedRun("2", "2026-01-02 02:00", 8.0, tally(4, 12))
    found = compare_runs(earlier, later)
    rows = {(part.title, row.name): row for part in found.parts for row in part.rows}
    assert rows["Labels", "DATE"].amounts == (16, 12)
    assert rows["Labels", "DATE"].rates == (2.0, 3.0)
    assert rows["Labels", "DATE"].change == pytest.approx(50)
    assert rows["Quarantine", "Unreadable"].rates == (0.0, 50.0)
    assert rows["Quarantine", "Unreadable"].change is None
    assert rows["Notes", "released"].rates == (80.0, 40.0)
    assert rows["Seconds", "whole run"].rates == (500.0, 1000.0)
    lines = [line.split() for line in format_comparison(found).splitlines()]
    assert ["DATE", "16", "2", "12", "3", "+50.0", "%"] in lines
    assert ["Unreadable", "0", "0", "4", "50", "new"] in lines


def test_a_change_from_almost_nothing_is_no_percentage() -> None:
    def at(detect: int, dates: int) -> ComparedRun:
        counts = tally(8, dates)
        counts.microseconds = Counter(detect=detect, read=2_000_000, write=0)
        return ComparedRun("1", "2026-01-01 02:00", 4.0, counts)

    found = compare_runs(at(3, 2), at(600_000, 400))
    told = {row.name: part.describe_change(row) for part in found.parts for row in part.rows}
    assert (told["stage detect"], told["stage read"], told["DATE"]) == ("new", "+0.0 %", "× 200")
    back = compare_runs(at(600_000, 400), at(3, 2))
    told = {row.name: part.describe_change(row) for part in back.parts for row in part.rows}
    assert (told["stage detect"], told["DATE"]) == ("-100.0 %", "-99.5 %")
    for page in (format_comparison(found), render_comparison(found)):
        assert "× 200" in page
        assert not re.search(r"\+\d{4,}", page)


def test_a_run_without_notes_is_compared() -> None:
    nothing = ComparedRun("1", "2026-01-01 02:00", 0.0, Tally())
    assert compare_runs(nothing, nothing).parts == ()
    # Nothing is new tonight: labels, detectors and kinds of no notes have no rates.
    night = ComparedRun("2", "2026-01-02 02:00", 8.0, tally(8, 16))
    idle = ComparedRun("3", "2026-01-03 02:00", 8.0, tally(0, 0))
    titles = [part.title for part in compare_runs(night, idle).parts]
    assert titles == ["Notes", "Quarantine", "Seconds"]


def test_the_command_compares_and_the_next_report_does(
    night: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(night, tmp_path / "demo")
    config = str(tmp_path / "demo" / "nightly.toml")
    assert main(["run", config, "--workers", "1", "--plain"]) == 0
    assert "This run beside run 1" in (tmp_path / "demo" / "report.html").read_text()
    page = tmp_path / "compared.html"
    capsys.readouterr()
    assert main(["runs", config, "--compare", "1", "2", "--html", str(page), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    released = next(row for row in found["Notes"] if row["name"] == "released")
    assert released["amounts"][0] > released["amounts"][1] == 0
    assert "<h1>Runs 1 and 2</h1>" in page.read_text()
    assert main(["runs", config, "--compare", "1", "7"]) == 2
    assert "there is no finished run 7" in capsys.readouterr().err
    assert main(["runs", config, "--html", str(page)]) == 2
    assert "needs --compare" in capsys.readouterr().err
