"""The report stands alone, tells the truth about the run, and cannot be scripted from outside."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pipeline.reports.detector_legend import describe_detector
from pipeline.reports.quarantine_remedies import remedy
from pipeline.reports.run_comparison import ComparedRun
from pipeline.reports.run_report import (
    MOST_KINDS,
    OTHER_KINDS,
    RunBackground,
    render,
    to_json,
    write_report,
)
from pipeline.state.quality_counts import CountCell
from pipeline.state.run_summary import Outcome, RunSummary, Tally
from record.document import Document
from record.errors import Unavailable
from record.failure import Failure
from record.release import Release
from record.span import Span

ROOT = Path(__file__).parents[3]
ROOMS = ("extractors", "rules", "models", "surrogates", "pipeline")
START = datetime(2026, 1, 17, 2)
HOSTILE = '"><script src=//x.test></script>'


class Page(HTMLParser):
    """Collects tags, attributes and text; refuses tags that do not nest."""

    VOID = frozenset({"meta", "br", "path", "line"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += " " + data

    @property
    def text(self) -> str:
        return " ".join(self.words.split())


def summary(tally: Tally) -> RunSummary:
    return RunSummary(
        run_id="2026-01-17",
        cohort="research",
        key_id="k-1",
        policy_id="p-1",
        code_version="0.1.0",
        detector_version="rules-1",
        started=START,
        ended=START + timedelta(seconds=75),
        workers=2,
        tally=tally,
        max_quarantine_share=0.5,
    )


def busy(kinds: int = 3) -> Tally:
    tally = Tally()
    for number in range(kinds):
        document = Document(str(number), "text", kind=f"kind {number}", written=START)
        tally.add_release(
            document, Release(str(number), "new", (Span(0, 3, "DATE", "rules.dates"),))
        )
    tally.add_failure(Failure("n-77", "extract", "Unreadable", "encrypted"), "scan")
    tally.add(Outcome.PLANNED, kinds + 1)
    tally.add_seconds("extract", 1.5)
    tally.add_memory("worker-0", 204_800)
    return tally


def test_it_shows_what_the_run_did() -> None:
    text = Page(render(summary(busy()))).text
    for expected in (
        "All 4 planned notes are accounted for.",
        "3 notes released",
        "3 identifiers replaced",
        "1 min 15 s 2 workers",
        "encrypted The document is password-protected.",
        "n-77",
        "1 1.00 per note",
        "extract 1.5 s",
        "worker-0 200.0 MB",
        "Digest of the released notes",
    ):
        assert expected in text


def test_it_loads_nothing_and_runs_its_own_script_alone() -> None:
    html = render(summary(busy()))
    page = Page(html)
    assert not {"link", "img", "iframe", "object"} & set(page.tags)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert dict(page.attributes)["http-equiv"] == "Content-Security-Policy"
    assert policy in [value for name, value in page.attributes if name == "content"]
    assert not [name for name, _ in page.attributes if name in ("src", "href") or name[:2] == "on"]
    assert not re.search(r"url\(|@import|https?:", html)


@pytest.mark.parametrize("place", ["kind", "stage", "error", "reason", "note_id", "label", "run"])
def test_hostile_names_stay_text(place: str) -> None:
    given = dict.fromkeys(("kind", "stage", "error", "reason", "note_id", "label", "run"), "x")
    given[place] = HOSTILE
    tally = Tally()
    span = Span(0, 1, given["label"], given["stage"])
    document = Document("1", "", kind=given["kind"], written=START)
    tally.add_release(document, Release("1", "", (span,)))
    failure = Failure(given["note_id"], given["stage"], given["error"], given["reason"])
    tally.add_failure(failure, given["kind"])
    tally.add_seconds(given["stage"], 1.0)
    tally.add_memory(given["stage"], 1)
    page = Page(render(replace(summary(tally), run_id=given["run"], cohort=given["run"])))
    assert page.tags.count("script") == 1
    assert HOSTILE in page.text


def test_numbers_and_nouns_agree() -> None:
    text = Page(render(replace(summary(busy(1)), workers=1))).text
    for expected in (
        "1 note released",
        "1 identifier replaced",
        "4 characters processed",
        "1 worker,",
        "All 2 planned notes are accounted for.",
    ):
        assert expected in text
    tally = Tally()
    tally.add(Outcome.PLANNED)
    text = Page(render(summary(tally))).text
    assert "1 planned note is unaccounted for." in text
    tally.add(Outcome.UNCHANGED)
    assert "The one planned note is accounted for." in Page(render(summary(tally))).text
    assert "No note was planned." in Page(render(summary(Tally()))).text


def test_the_first_night_has_charts_and_no_trends() -> None:
    text = Page(render(summary(busy()))).text
    for expected in ("kind 0 1", "encrypted 1", "DATE 3", "rules.dates rules: dates and times"):
        assert expected in text
    assert "Runs The last" not in text
    assert "This run beside run" not in text
    assert "Rules alone beside the tagger" not in text


def test_rules_alone_stand_beside_the_tagger() -> None:
    tally = busy()
    for detector, label, count in (
        ("rules.names", "LAST_NAME", 5),
        ("known.family_names", "LAST_NAME", 2),
        ("model", "LAST_NAME", 9),
        ("model", "CITY", 4),
    ):
        tally.cells[CountCell("spans", label, detector, "kind 1")] += count
    text = Page(render(summary(tally))).text
    assert "LAST_NAME 7 9 0" in text
    assert "CITY 0 4 0" in text
    assert "known of the patient: family name 2 0" in text


def test_runs_before_are_charted_and_compared() -> None:
    before = ComparedRun("9", "2026-01-16 02:00", 60.0, busy(1))
    text = Page(render(summary(busy()), RunBackground(earlier=[before]))).text
    assert "The last 2 runs, oldest first" in text
    assert "This run beside run 9" in text
    assert "Labels DATE 1 1 3 1 per released note +0.0 %" in text
    assert "Kinds of notes kind 2 0 0 1 33.3 % of released new" in text


def test_every_detector_has_a_meaning() -> None:
    files = [path for room in ("rules", "models") for path in (ROOT / room).rglob("*.py")]
    found = {
        name
        for path in files
        for name in re.findall(r'DETECTOR = "([^"]+)"', path.read_text(encoding="utf-8"))
    }
    assert {"rules.names", "model"} <= found
    assert [name for name in sorted(found) if not describe_detector(name)] == []
    assert describe_detector("known.phones") == "known of the patient: telephone"
    assert describe_detector("of.others") == ""


def test_a_quiet_night_has_a_page_too() -> None:
    text = Page(render(replace(summary(Tally()), ended=START))).text
    assert "Empty: no notes are in quarantine." in text
    assert "No note was released in this run." in text


def test_a_lost_note_is_the_first_thing_said() -> None:
    tally = busy()
    tally.add(Outcome.PLANNED, 2)
    text = Page(render(summary(tally))).text
    assert "Do not use this release: 2 planned notes are unaccounted for." in text
    assert "are accounted for." not in text


def test_the_share_of_notes_that_a_reason_costs_is_shown() -> None:
    tally = Tally()
    tally.add(Outcome.READ, 400)
    tally.quarantine["residue", "Unsafe", "known-value-ambiguous", "letter"] = 3
    text = Page(render(summary(tally))).text
    assert "3 0.75 % known-value-ambiguous" in text


def test_quarantine_above_the_limit_is_said() -> None:
    text = Page(render(replace(summary(busy(1)), max_quarantine_share=0.1))).text
    assert "Too many notes in quarantine: 50.0 %, limit 10.0 %." in text


def test_many_kinds_share_a_column_and_none_is_lost() -> None:
    text = Page(render(summary(busy(MOST_KINDS + 4)))).text
    assert f"{OTHER_KINDS} 4 notes" in text
    assert text.count("1.00 per note") == MOST_KINDS + 1


def test_json_holds_the_same_counts() -> None:
    record = json.loads(json.dumps(to_json(summary(busy()))))
    assert record["notes"]["released"] == 3
    assert record["within_limit"] is True
    assert record["unaccounted"] == 0
    assert Tally.from_json(record["counts"]) == busy()


def test_the_same_counts_give_the_same_page() -> None:
    left, right = busy(), Tally().merge(busy())
    assert render(summary(left)) == render(summary(right))


def reasons() -> set[str]:
    """Every reason code that a room raises, read from its source."""
    raised = re.compile(r"""(?:Unreadable|Unsafe)\(\s*"([^"]+)"|"reason": "([^"]+)\"""")
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    found = [raised.findall(path.read_text(encoding="utf-8")) for path in files]
    return {first or second for pairs in found for first, second in pairs}


def test_every_reason_has_an_answer() -> None:
    assert "encrypted" in reasons()
    assert sorted(reason for reason in reasons() if remedy(reason) == remedy("")) == []
    assert remedy("never-heard-of").action


def test_page_and_json_are_written_again_in_place(tmp_path: Path) -> None:
    page = write_report(summary(Tally()), tmp_path / "new" / "folder")
    assert write_report(summary(busy()), page.parent) == page
    assert page.read_text(encoding="utf-8") == render(summary(busy()))
    assert json.loads(page.with_suffix(".json").read_text()) == to_json(summary(busy()))
    assert sorted(path.name for path in page.parent.iterdir()) == ["report.html", "report.json"]


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match=r"report\.folder"):
        write_report(summary(Tally()), tmp_path / "file")
