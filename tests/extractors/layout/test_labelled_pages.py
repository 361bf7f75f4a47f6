import json
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractors.document.lines import Line, rotate_upright
from extractors.document.page import LineClass, Page
from extractors.layout.labelled_pages import (
    LabelledPage,
    LineScores,
    group_by_document,
    read_pages,
    score_segmenter,
    write_pages,
)
from record.errors import ConfigError

NUMBER = st.floats(-2000, 2000)
DIRECTION = st.sampled_from([(1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)])


@st.composite
def lines(draw: st.DrawFn) -> Line:
    place, direction = draw(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER)), draw(DIRECTION)
    return Line(
        draw(st.text()),
        draw(st.integers(0, 99)),
        rotate_upright(place, direction),
        direction,
        place,
        draw(st.floats(0, 99)),
        draw(st.booleans()),
    )


@st.composite
def pages(draw: st.DrawFn) -> LabelledPage:
    rows = draw(st.lists(st.tuples(lines(), st.sampled_from(LineClass)), max_size=4))
    page = Page(draw(st.integers(0, 9)), 595.5, 842.0, tuple(line for line, _ in rows))
    return LabelledPage(draw(st.text(max_size=5)), page, tuple(kind for _, kind in rows))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(pages(), max_size=4))
def test_pages_survive_the_file(tmp_path: Path, written: list[LabelledPage]) -> None:
    write_pages(written, tmp_path / "pages.jsonl")
    assert list(read_pages(tmp_path / "pages.jsonl")) == written


def one(text: str = "Canary") -> LabelledPage:
    place = (0.0, 0.0, 9.0, 9.0)
    return LabelledPage(
        "d", Page(0, 100, 100, (Line(text, 0, place, place=place),)), (LineClass.BODY,)
    )


@pytest.mark.parametrize("exists", [True, False])
def test_only_the_owner_may_read_the_file(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "pages.jsonl"
    if exists:
        path.touch(0o644)
    write_pages([one()], path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_person_can_correct_a_class(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    write_pages([one()], path)
    path.write_text(path.read_text().replace('"class": "body"', '"class": "stamp"') + "\n\n")
    assert [page.classes for page in read_pages(path)] == [(LineClass.STAMP,)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"class": "body"', '"class": "Canary"'),
        ('"class": "body", ', ""),
        ('"width": 100', '"width": "100"'),
        ('"width": 100', '"width": NaN'),
        ('"width": 100', '"width": 1e999'),
        ('"page": 0', '"page": 0.5'),
        ('"place": [0.0, ', '"place": ['),
        ('"lines": [{', '"lines": [1, {'),
        ("{", "Canary {"),
    ],
)
def test_an_error_names_the_line_and_quotes_nothing(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "pages.jsonl"
    write_pages([one("Canary")] * 2, path)
    first, second = path.read_text().splitlines()
    path.write_text(first + "\n" + second.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        list(read_pages(path))
    assert caught.value.key == "pages.jsonl, line 2"
    assert "Canary" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        list(read_pages(tmp_path / "none"))


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="line 1"):
        list(read_pages(path))


def test_every_line_has_a_class() -> None:
    with pytest.raises(ConfigError):
        LabelledPage("d", one().page, ())


def test_reprs_hold_no_text() -> None:
    assert "Canary" not in repr(one())


def test_pages_are_gathered_by_document() -> None:
    names = [
        [page.document for page in pages]
        for pages in group_by_document(
            LabelledPage(name, Page(0, 1, 1, ()), ()) for name in "aabbc"
        )
    ]
    assert names == [["a", "a"], ["b", "b"], ["c"]]


class AllBody:
    def classify(self, pages: Sequence[Page]) -> list[list[LineClass]]:
        return [[LineClass.BODY] * len(page.lines) for page in pages]


def test_scores_count_characters_of_medicine_and_lines_of_classes() -> None:
    kinds = (LineClass.BODY, LineClass.TABLE, LineClass.HEADER, LineClass.STAMP)
    texts = ("0123456789", " 01234", "012", "0")
    lines = tuple(Line(text, 0, (0, 0, 1, 1)) for text in texts)
    scores = score_segmenter(AllBody(), [[LabelledPage("d", Page(0, 100, 100, lines), kinds)]])
    assert (scores.kept, scores.lost, scores.leaked, scores.dropped) == (15, 0, 4, 0)
    assert scores.recall == 1
    assert scores.precision == 15 / 19
    assert scores.f1 == 2 * (15 / 19) / (1 + 15 / 19)
    assert scores.f1_of(LineClass.BODY) == 2 / 5
    assert scores.f1_of(LineClass.HEADER) == 0
    assert scores.f1_of(LineClass.FOOTER) == 1


def test_lost_and_dropped_are_counted_too() -> None:
    scores = LineScores()
    scores.add(Line("abc", 0, (0, 0, 1, 1)), LineClass.BODY, LineClass.FOOTER)
    scores.add(Line("ab", 0, (0, 0, 1, 1)), LineClass.STAMP, LineClass.FOOTER)
    assert (scores.kept, scores.lost, scores.leaked, scores.dropped) == (0, 3, 0, 2)
    assert scores.recall == 0


def test_the_file_is_json_lines(tmp_path: Path) -> None:
    write_pages([one("é\u2028\n")] * 3, tmp_path / "pages.jsonl")
    rows = (tmp_path / "pages.jsonl").read_text(encoding="ascii").splitlines()
    assert [json.loads(row)["lines"][0]["text"] for row in rows] == ["é\u2028\n"] * 3
