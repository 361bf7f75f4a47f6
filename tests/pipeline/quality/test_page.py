"""The page of entity counts: whole in itself, readable without a picture, the same in a browser."""

from collections.abc import Callable
from datetime import date, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.quality.drift import judge
from pipeline.quality.gate import Assessment, describe_alarm
from pipeline.quality.page import PageContents, render_page
from pipeline.reports.charts import draw_line, place_mark
from pipeline.state.quality_counts import CountCell
from pipeline.state.quality_series import RunCounts, compare_runs
from pipeline.state.quality_store import Alarm, GateDecision, JudgedRun
from record.count_drift import WEEKDAYS

START = date(2024, 3, 4)


def counted(number: int, *, iso: int = 1) -> RunCounts:
    night = START + timedelta(days=number)
    place = {
        "kind": "<b>imaging</b>",
        "site": "north",
        "extractor": "pdf",
        "day": night.isoformat(),
    }
    shapes = {"99/99/9999": 300 - iso, "9999-99-99": iso}
    cells = {CountCell("dates", name, **place): count for name, count in shapes.items()}
    cells |= {CountCell("notes", **place): 100, CountCell("spans", "DATE", "rules", **place): 300}
    return RunCounts(number + 1, night, "c", cells)


def make_changed_dates() -> Assessment:
    """Assess a run whose dates have switched."""
    past, run = [counted(number) for number in range(30)], counted(30, iso=290)
    compared = compare_runs(past, run)
    verdicts = {v.name: v for v in judge([each.track for each in compared], 0.01)}
    by_series = {each.series: verdicts[each.track.name] for each in compared}
    alarms = tuple(
        Alarm(
            each.series, v.name, v.observed, v.expected, v.low, v.high, v.p_value, v.nights,
            sum(each.track.exposures[-WEEKDAYS:]), False, False,
        )
        for each in compared
        if (v := by_series[each.series]).is_alarm
    )  # fmt: skip
    assert alarms
    return Assessment(run, "held", alarms, 30, 28, compared, by_series)


@pytest.fixture(scope="module")
def page() -> tuple[str, Assessment]:
    """The page of a run whose dates have switched."""
    assessment = make_changed_dates()
    run, alarms = assessment.run, assessment.alarms
    waiting = JudgedRun(31, run.night, "c", "floor-5", 100, "held", alarms, held=100)
    decision = GateDecision(4, "accepted", "A. Martin", "<script>alert(1)</script>")
    return render_page(
        assessment, PageContents([waiting], [decision], [(31, "floor-6")])
    ), assessment


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text of titles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.found)


def test_the_page_loads_nothing_and_runs_its_own_script_alone(page: tuple[str, Assessment]) -> None:
    elements = Elements(page[0])
    assert not elements.count("img") + elements.count("link")
    assert elements.count("script") == 1
    for _, attributes in elements.found:
        assert not {name for name in attributes if name.startswith("on")}
        assert str(attributes.get("href", "#")).startswith("#")
    assert "default-src 'none'" in page[0]
    assert "<b>imaging" not in page[0]
    assert "<script>alert" not in page[0]


def test_each_chart_says_what_it_shows_and_has_a_table(page: tuple[str, Assessment]) -> None:
    elements = Elements(page[0])
    assert elements.count("svg") > 4
    # The page has a title of its own.
    assert elements.count("title") == elements.count("svg") + 1
    assert elements.count("summary") == elements.count("details") > 2
    assert elements.count("table") >= elements.count("details") // 2
    assert all(at["role"] == "img" for tag, at in elements.found if tag == "svg")
    assert elements.found.count(("html", {"lang": "en"})) == 1


def test_the_page_names_what_changed_and_what_to_do(page: tuple[str, Assessment]) -> None:
    html, assessment = page
    for alarm in assessment.alarms:
        assert alarm.title.replace("<", "&lt;").replace(">", "&gt;") in html
        assert ", expected " in describe_alarm(alarm)
    for words in ("--accept 31", "run 31 of 2024-04-03", "A. Martin", "floor-6", "9999-99-99"):
        assert words in html


def test_a_run_without_a_past_has_a_page(page: tuple[str, Assessment]) -> None:
    empty = Assessment(counted(0), "learning", (), 0, 28)
    html = render_page(empty, PageContents())
    assert "0 of 28 nights" in html
    assert "Nothing has been compared yet." in html


@given(
    st.lists(st.none() | st.floats(0, 1e6), min_size=2, max_size=40),
    st.floats(1e-3, 1e6),
)
@settings(max_examples=50)
def test_a_line_stays_inside_its_chart_and_has_a_point_for_each_value(
    values: list[float | None], top: float
) -> None:
    path = draw_line(values, top, width=100, height=20)
    points = path.replace("h.1", "").replace("L", "M").split("M")[1:]
    assert len(points) == sum(value is not None for value in values)
    for point in points:
        x, y = map(float, point.split())
        assert 0 <= x <= 100
        assert 0 <= y <= 20


def test_without_a_range_there_is_no_mark() -> None:
    assert (
        draw_line([None, None], 1, width=9, height=9)
        == draw_line([1.0], 1, width=9, height=9)
        == ""
    )
    assert place_mark(1.0, (None, None), 2.0, height=10) is None
    mark = place_mark(1.0, (0.5, 4.0), 2.0, height=10)
    assert mark is not None
    assert (mark.value, mark.low, mark.high) == (5.0, 7.5, 0.0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_it_without_complaint(
    page: tuple[str, Assessment], photograph: Callable[..., tuple[str, Path]], scheme: str
) -> None:
    complaints, picture = photograph(page[0], scheme)
    assert "CONSOLE" not in complaints
    assert picture.stat().st_size > 10_000
