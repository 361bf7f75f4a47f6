import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.lines import Line
from extractors.document.page import LineClass, Page
from extractors.layout.body_mask import BodyMask
from extractors.layout.labelled_pages import LabelledPage, score_segmenter
from record.errors import ConfigError


def line(x0: float, y0: float, x1: float, y1: float, text: str = "text") -> Line:
    return Line(text, 0, (x0, y0, x1, y1), place=(x0, y0, x1, y1))


def letter(left: float, top: float, bottom: float) -> LabelledPage:
    """A page of 100 x 100 with a header, a margin note, a body and a footer."""
    rows = [
        (line(left, 2, 95, top - 1), LineClass.HEADER),
        (line(1, top + 2, left - 1, top + 4), LineClass.MARGIN_NOTE),
        *((line(left, y, 95, y + 2), LineClass.BODY) for y in range(int(top) + 1, int(bottom), 3)),
        (line(left, bottom + 3, 95, bottom + 5), LineClass.FOOTER),
    ]
    lines, classes = zip(*rows, strict=True)
    return LabelledPage("letter", Page(0, 100, 100, lines), classes)


def test_lines_are_told_by_their_side() -> None:
    mask = BodyMask((0.2, 0.2, 0.9, 0.8))
    page = Page(
        0,
        100,
        200,
        (
            line(30, 80, 70, 84),
            line(30, 10, 70, 14),
            line(30, 180, 70, 184),
            line(0, 80, 15, 84),
            line(92, 80, 99, 84),
        ),
    )
    assert [list(map(str, kinds)) for kinds in mask.classify([page])] == [
        ["body", "header", "footer", "margin-note", "margin-note"]
    ]


@pytest.mark.parametrize(("coverage", "kind"), [(0.49, "body"), (0.51, "margin-note")])
def test_half_a_line_inside_is_inside_by_half(coverage: float, kind: str) -> None:
    page = Page(0, 100, 100, (line(10, 40, 30, 44),))
    assert BodyMask((0.2, 0.2, 0.9, 0.8), coverage).classify([page]) == [[LineClass(kind)]]


@given(st.floats(5, 40), st.floats(10, 40), st.floats(60, 90))
def test_a_mask_learned_from_a_layout_keeps_its_body_alone(
    left: float, top: float, bottom: float
) -> None:
    page = letter(left, top, bottom)
    scores = score_segmenter(BodyMask.learn([page]), [[page]])
    assert (scores.lost, scores.leaked) == (0, 0)


def test_learned_beats_fixed_on_a_shifted_layout() -> None:
    pages = [letter(38, 35, 80 + n % 3) for n in range(10)]
    test = [[letter(38, 35, 83)]]
    assert (
        score_segmenter(BodyMask.learn(pages), test).f1 == 1 > score_segmenter(BodyMask(), test).f1
    )


def test_nothing_to_learn_from_is_an_error() -> None:
    page = LabelledPage("d", Page(0, 100, 100, (line(0, 0, 9, 9),)), (LineClass.HEADER,))
    for pages in ([], [page]):
        with pytest.raises(ConfigError, match="no line is labelled body"):
            BodyMask.learn(pages)


@pytest.mark.parametrize("body", [(0.5, 0, 0.5, 1), (0, 0, 1.1, 1), (0, 0.9, 1, 0.1)])
def test_no_rectangle_is_an_error(body: tuple[float, float, float, float]) -> None:
    with pytest.raises(ConfigError):
        BodyMask(body)


@pytest.mark.parametrize("coverage", [0, 1.5])
def test_no_share_is_an_error(coverage: float) -> None:
    with pytest.raises(ConfigError):
        BodyMask(coverage=coverage)


def test_a_page_without_lines_or_size() -> None:
    assert BodyMask().classify([Page(0, 100, 100, ())]) == [[]]
    (kinds,) = BodyMask().classify([Page(0, 0, 0, (line(0, 0, 9, 9),))])
    assert len(kinds) == 1
