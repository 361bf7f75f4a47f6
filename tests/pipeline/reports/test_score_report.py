"""The page of an evaluation stands alone, shows what was measured, and holds no text."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from evaluation.detection.alignment import Pair
from evaluation.detection.scores import score_pairs
from evaluation.detection.span_shapes import false_positive_shapes, leaked_shapes
from pipeline.reports.score_report import (
    MOST_KINDS,
    MOST_LABELS,
    ErrorExamples,
    render,
    write_scores,
)
from record.errors import ConfigError
from record.span import Span

HOSTILE = '"><script src=//x.test></script>'
TEXT = "Zoé Quill, 3 mai, aspirine à Évry"
GOLD = (Span(0, 3, "FIRST_NAME"), Span(4, 9, "LAST_NAME"), Span(11, 16, "DATE"))
FOUND = (Span(0, 3, "LAST_NAME"), Span(4, 9, "LAST_NAME"), Span(29, 33, "CITY"))


class Page(HTMLParser):
    """Collects tags, attributes and words; refuses tags that do not nest."""

    VOID = frozenset({"meta", "br"})

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

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += " " + data

    @property
    def text(self) -> str:
        return " ".join(self.words.split())


@dataclass
class Shape:
    label: str
    shape: str
    count: int


def page(pairs: list[Pair], is_medical: Callable[[Any], Any] | None = None) -> tuple[str, Page]:
    html = render(
        score_pairs(pairs, is_medical),
        ErrorExamples(leaked_shapes(pairs), false_positive_shapes(pairs)),
    )
    return html, Page(html)


def pairs(kind: str = "letter") -> list[Any]:
    return [
        Pair("a", TEXT, GOLD, GOLD, "1", kind),
        Pair("b", TEXT, GOLD, FOUND, "1", "imaging"),
        Pair("c", TEXT, (), (), None, ""),
    ]


def test_the_page_shows_what_was_measured() -> None:
    _, shown = page(pairs(), lambda word: word == "aspirine")
    assert "50.0 % of the notes have no identifier left readable" in shown.text
    assert "95 % interval 9.5 % to 90.5 %, 2 notes with an identifier" in shown.text
    assert "0 direct identifiers" in shown.text
    assert "1 indirect one (dates" in shown.text
    for words in ("imaging", "letter", "unnamed", "FIRST_NAME", "nothing"):
        assert words in shown.text
    assert "gold FIRST_NAME, predicted LAST_NAME: 1 of 2 tokens" in shown.text
    assert "9 aaa" in shown.text
    assert "Aaaa" in shown.text


def test_the_page_loads_nothing_and_holds_no_text() -> None:
    html, shown = page(pairs())
    assert not {"link", "img", "iframe", "object"} & set(shown.tags)
    assert not [name for name, _ in shown.attributes if name in ("src", "href", "onload")]
    assert not re.search(r"url\(|@import|https?://", html)
    assert "default-src 'none'" in html
    words = ("Zoé", "Quill", "mai", "aspirine", "Évry")
    assert not [word for word in words if re.search(rf"\b{word}\b", html)]


def test_other_predictions_stand_beside() -> None:
    rules = [Pair("a", TEXT, GOLD, GOLD[:1], "1", "letter")]
    scores = score_pairs([Pair("a", TEXT, GOLD, GOLD, "1", "letter")])
    text = Page(render(scores | {"beside": score_pairs(rules)}, ErrorExamples([], []))).text
    assert re.search(r"notes without any leak 100\.0 % [^+]* 0\.0 % [^+]*\+100\.0", text)
    assert re.search(r"LAST_NAME 100\.0 % [^+]* 0\.0 % [^+]*\+100\.0", text)


def test_a_calibrated_threshold_is_reported() -> None:
    found = {"threshold": 0.3, "alpha": 0.02, "risk": 0.004, "bound": 0.014, "documents": 99}
    html = render(score_pairs(pairs()) | {"calibration": found}, ErrorExamples([], []))
    assert "with a score below 0.300 are discarded" in Page(html).text
    assert "at most 2.0 %: calibrated on 99 notes" in Page(html).text
    assert "Threshold of the model" not in page(pairs())[0]


def test_names_from_files_are_escaped() -> None:
    label = Span(0, 3, HOSTILE)
    html, _ = page([Pair(HOSTILE, TEXT, (label,), (label,), HOSTILE, HOSTILE)])
    assert html.count("<script") == 1
    shapes = ErrorExamples([Shape(HOSTILE, HOSTILE, 1)], [])
    assert render(score_pairs([]), shapes).count("<script") == 1


def test_nothing_to_measure_is_said() -> None:
    _, shown = page([])
    assert "Nothing to score" in shown.text
    assert "100.0 %" not in shown.text.split("Definitions")[0].split("notes without any leak")[0]


def test_bars_and_intervals_are_as_long_as_the_rates() -> None:
    html, _ = page(pairs())
    bars = re.findall(r'<title>imaging: (\S+) %.*?d="M0 2h([\d.]+)v8H0z".*?d="M([\d.]+) 6H', html)
    assert bars == [("0.0", "0.00", "0.00")]
    # One patient alone tells nothing about others.
    found = re.findall(r"<title>DATE: (\S+) %, (\S+) % to (\S+) %</title>.*?h([\d.]+)v8", html)
    redacted, f1 = ("50.0", "0.0", "100.0", "50.00"), ("66.7", "0.0", "100.0", "66.67")
    assert found == [redacted, f1]


def test_many_labels_and_kinds_stay_readable() -> None:
    many = [
        Pair(str(n), "x" * 9, (Span(0, 9, f"L{n:02}"),), (), None, f"kind {n:02}")
        for n in range(30)
    ]
    html, shown = page(many)
    assert f"{30 - MOST_KINDS} kinds with fewer notes are not shown" in shown.text
    (matrix,) = re.findall(r'<table class="matrix">.*?</table>', html, re.S)
    (head,) = re.findall(r"<thead>.*?</thead>", matrix, re.S)
    # An empty corner, the labels, what shares one column, and nothing.
    assert head.count("<th>") == MOST_LABELS + 3
    assert "others" in head
    assert "gold others, predicted nothing: 6 of 6 tokens" in matrix


def test_the_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "scores.html"
    write_scores(path, score_pairs(pairs()), ErrorExamples([], []))
    assert path.read_text().startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ConfigError, match=r"choose a file in an existing folder"):
        write_scores(tmp_path / "no" / "scores.html", score_pairs([]), ErrorExamples([], []))
