"""Pages in a browser: nothing is clipped, nothing overlaps, colours contrast, tables sort.

Without Chromium they are only made; contrast is measured where axe-core is installed
(`axe-core-python`).
"""

import html
import importlib.util
import json
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from evaluation.detection.alignment import Pair
from evaluation.detection.label_thresholds import trace_thresholds
from evaluation.detection.scores import score_pairs
from evaluation.detection.span_shapes import false_positive_shapes, leaked_shapes
from pipeline.night.release_history import ReleaseHistory, render_release_page
from pipeline.quality.gate import Assessment
from pipeline.quality.page import PageContents, make_label_panels, render_page
from pipeline.reports.gate_report import write_gate
from pipeline.reports.review_pages import write_pages
from pipeline.reports.run_comparison import ComparedRun, compare_runs
from pipeline.reports.run_report import RunBackground, render, render_comparison
from pipeline.reports.score_report import ErrorExamples
from pipeline.reports.score_report import render as render_scores
from pipeline.state.quality_counts import CountCell
from pipeline.state.quality_store import GateDecision
from pipeline.state.release_register import PastRelease
from pipeline.state.run_summary import RunSummary, Tally
from record.document import Document
from record.failure import Failure
from record.label import Label
from record.release import Release
from record.span import Span
from tests.pipeline.quality.test_page import make_changed_dates

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
AXE = importlib.util.find_spec("axe_core_python")
START = datetime(2026, 1, 17, 2)
LONGEST_KIND = "compte rendu d'hospitalisation complet 1"
DETECTORS = ("rules.dates", "rules.identifiers", "known.relatives", "model")
RATE = {"rate": 0.98, "low": 0.93, "high": 0.995}

pytestmark = pytest.mark.slow
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def busy_tally(factor: int) -> Tally:
    """Counts of many kinds, all labels and long names."""
    tally = Tally()
    kinds = [LONGEST_KIND, *(f"kind-of-note-{number:02}" for number in range(11))]
    for number, kind in enumerate(kinds):
        written = datetime(2026, 1 + number % 9, 1 + number)
        document = Document(str(number), "text" * 999, kind=kind, written=written)
        spans = tuple(
            Span(place, place + 1, str(label), DETECTORS[place % 4])
            for place, label in enumerate(Label)
        )
        for _ in range(factor):
            tally.add_release(document, Release(str(number), "new", spans))
        for place, label in enumerate(Label):
            for detector in {DETECTORS[place % 4], "model"}:
                tally.cells[CountCell("spans", str(label), detector, kind)] += 12345
    for number in range(40):
        failure = Failure(f"note-{number:012}", "extract", "Unreadable", "known-value-ambiguous")
        tally.add_failure(failure, kinds[number % 12])
    for number in range(9):
        tally.add_failure(Failure(str(number), "read", "Unavailable", "no-text-layer"), kinds[0])
        tally.add_extraction(kinds[number], number / 9, recognized=1)
    tally.outcomes.update({"planned": 49 + 12 * factor, "read": 49 + 12 * factor})
    tally.microseconds = Counter({"extract": 123_456_789_000, "skip": 3})
    tally.peak_memory = {"worker-0": 20_480_000, "worker-1": 9}
    return tally


def audits() -> dict[str, Any]:
    series = [
        {"sample": f"sample-{n}", "drawn": "2026-01-01", "read": "2026-01-02", "notes": 50}
        | {"zero_leak": RATE}
        for n in range(12)
    ]
    counted = {"clean": 9, "notes": 50}
    fall = {"is_alarm": True, "latest": counted, "earlier": counted, "p_value": 0.001}
    unread = {"sample": "s", "drawn": "2026-01-01"}
    due = {"is_due": True, "due": "2026-01-01", "unread": unread}
    return {**due, "fall": fall, "audits": series}


def busy_summary() -> RunSummary:
    return RunSummary(
        run_id="20260117",
        cohort="a-cohort-with-a-rather-long-name",
        key_id="k" * 64,
        policy_id="p" * 64,
        code_version="0.1.0",
        detector_version="rules-1",
        started=START,
        ended=START.replace(hour=5),
        workers=2,
        tally=busy_tally(3),
        held=("spans by kind: DATE in discharge was 12, expected 3456 (p = 1e-12)",),
        review={"notes": 50, "sample": "s-12", "read": "2026-01-02T10:00", "zero_leak": RATE},
        reevaluation=audits(),
        objections={"persons": 1, "notes": 1, "withdrawn": 12},
        tables={
            "checks": 149,
            "violations": [],
            "vocabulary": False,
            "left_out": {"fact_relationship": {"persons": 1_234, "absent": 1}, "cost": {}},
        },
    )


def releases() -> ReleaseHistory:
    place = "postgresql://research.example.org:5432/a_database_with_a_long_name"
    past = [
        PastRelease(
            release_id=number,
            cohort="a-cohort-with-a-rather-long-name",
            place=place,
            account="a.very.long.account.name",
            started=datetime(2026, 1, 1 + number, 3, tzinfo=UTC),
            ended=None,
            status="failed",
            exit_code=1,
            about={
                "publishing": True,
                "error": "Unavailable: the database of the output cannot be reached from here",
                "persons": {"released": 123_456},
                "notes": {"released": 12_345_678, "refused": 1_234},
                "changes": {"note": {"added": 1_234_567, "changed": 1_234_567}},
                "labels": {"DATE": 12 * number, "LAST_NAME": 3},
            },
        )
        for number in range(12)
    ]
    reason = "the interface of the laboratory sends another form of date since the upgrade"
    decision = GateDecision(4, "accepted", "Prof. A. Martin", reason)
    return ReleaseHistory(past, [decision])


def score_page() -> str:
    text = "x" * 99
    names = [f"{label}_OF_SOMEBODY"[:24] for label in Label]
    pairs = [
        Pair(
            str(number), text,
            tuple(Span(place * 3, place * 3 + 2, label) for place, label in enumerate(names)),
            tuple(Span(place * 3, place * 3 + 2, label) for place, label in enumerate(names[::2])),
            str(number), LONGEST_KIND if number else "",
        )
        for number in range(9)
    ]  # fmt: skip
    scores = score_pairs(pairs)
    rules = [replace(pair, predicted=pair.predicted[:5]) for pair in pairs]
    curve = [asdict(point) for point in trace_thresholds(pairs)]
    more = {"beside": score_pairs(rules), "threshold_curve": curve}
    shapes = ErrorExamples(leaked_shapes(pairs), false_positive_shapes(pairs))
    return render_scores(scores | more, shapes)


def gate_page(folder: Path) -> str:
    numbers = {"value": 0.5123, "low": 0.4, "high": 0.6, "null": 0.5, "control": 0.97}
    report = {
        "verdict": "HOLD",
        "reasons": ["membership-auc: interval is 0.56 to 0.64, must contain 0.5"],
        "advice": ["train for fewer epochs"],
        "about": {"what": "synthetic notes", "made": "2026-01-17", "notes SHA-256": "0" * 64},
        "measured": [
            {"axis": axis, "name": f"a-measure-of-{axis}-{n}", "problems": ["x"] * (n % 2)}
            | numbers
            | {"asked": "interval must contain 0.5, and the control must be at least 0.9"}
            for axis in ("detection", "privacy")
            for n in range(10)
        ],
    }
    write_gate(folder, report, {})
    return (folder / "report.html").read_text("utf-8")


def review_page(folder: Path) -> str:
    note = "Word " * 99 + "W" * 300
    parts = [(note, False), ("shared words " * 9, True)]
    pair = {"pair": 1, "synthetic": parts, "real": parts, "trial": True}
    return next(write_pages(folder, [[pair, pair]], review="digest")).read_text("utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every page with as much as it may have to show, and a first night."""
    changed: Assessment = make_changed_dates()
    earlier = [
        ComparedRun(str(9 - n), "2026-01-16 02:00", 90.0 + n, busy_tally(1 + n % 2))
        for n in range(5)
    ]
    panels = make_label_panels(changed)
    background = RunBackground(panels, releases(), earlier)
    summary = busy_summary()
    folder = tmp_path_factory.mktemp("pages")
    # As stored by a version that counted no rows left out.
    tables = {"checks": 149, "violations": [], "vocabulary": True}
    first = replace(summary, held=(), review=None, reevaluation=None, tables=tables)
    return {
        "run": render(summary, background),
        "first run": render(first),
        "comparison": render_comparison(compare_runs(earlier[1], earlier[0])),
        "releases": render_release_page(releases()),
        "quality": render_page(changed, PageContents(decisions=releases().decisions)),
        "scores": score_page(),
        "gate": gate_page(folder / "gate"),
        "review": review_page(folder / "review"),
    }


def browse(*arguments: str | Path) -> str:
    assert CHROMIUM
    done = subprocess.run(
        [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-background-networking", "--no-pdf-header-footer", *map(str, arguments),
        ],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def embed(kind: str, name: str, text: str) -> str:
    return f'<script type="{kind}" id="{name}">{text}</script>'


def test_every_page_is_made(pages: dict[str, str]) -> None:
    left_out = re.compile(r"<code>fact_relationship</code> left out: 1.?234 persons, 1 absent\.")
    assert [name for name, page in pages.items() if left_out.search(page)] == ["run"]
    assert all(page.rstrip().endswith("</html>") for page in pages.values())


@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_clipped_or_overlaps_and_colours_contrast(
    scheme: str, pages: dict[str, str], tmp_path: Path
) -> None:
    axe = ""
    if AXE and AXE.origin:
        axe = Path(AXE.origin).with_name("axe.min.js").read_text("utf-8")
    measuring = Path(__file__).with_name("layout.js").read_text("utf-8")
    data = json.dumps(pages).replace("</", "<\\/")
    harness = tmp_path / "harness.html"
    harness.write_text(
        "<!DOCTYPE html><meta charset=utf-8><body>"
        + embed("application/json", "pages", data)
        + embed("text/plain", "axe", axe)
        + f"<script>{measuring}</script>"
    )
    shown = browse(
        "--window-size=1300,1000",
        f"--blink-settings=preferredColorScheme={int(scheme == 'light')}",
        "--virtual-time-budget=120000",
        "--dump-dom",
        harness.as_uri(),
    )
    told = re.search(r'<pre id="told">(.*?)</pre>', shown, re.DOTALL)
    assert told, "the measuring did not end"
    found = json.loads(html.unescape(told[1]))
    assert len(found) == len(pages) * (3 * (scheme == "light") + bool(axe))
    assert {name: problems for name, problems in found.items() if problems} == {}


@in_browser
@pytest.mark.parametrize("name", ["run", "releases"])
def test_nothing_is_lost_in_print(name: str, pages: dict[str, str], tmp_path: Path) -> None:
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(pages[name], encoding="utf-8")
    browse(f"--print-to-pdf={printed}", page.as_uri())
    with pymupdf.open(printed) as pdf:
        words: list[str] = []
        for sheet in pdf:
            assert sheet.rect.width > sheet.rect.height
            for x0, _, x1, _, word, *_ in sheet.get_text("words"):
                assert 0 <= x0 < x1 <= sheet.rect.width, word
                words.append(word)
    shown = re.sub(r"<(script|style|title)\b.*?</\1>|<[^>]+>", " ", pages[name], flags=re.DOTALL)
    wanted = set(re.findall(r"\b[a-z]{3,12}\b", html.unescape(shown)))
    joined = "".join(words)  # long names break within a cell
    assert sorted(word for word in wanted if word not in joined) == []
    assert "Filter" not in words
