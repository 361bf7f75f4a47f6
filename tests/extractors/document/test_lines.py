from hypothesis import given
from hypothesis import strategies as st

from extractors.document.lines import Line, rotate_upright, sort_reading_order
from extractors.document.page import Page
from extractors.layout.page_text import join_lines

LINES = st.builds(
    lambda text, block, x, y, width: Line(text, block, (x, y, x + width, y + 10)),
    st.text("ab ", max_size=3),
    st.integers(0, 5),
    st.floats(0, 500),
    st.floats(0, 800),
    st.floats(1, 200),
)


def joined(lines: list[Line]) -> str:
    return join_lines([Page(0, 595, 842, tuple(lines))]).text


def page(drawing: str) -> list[Line]:
    """Lines in the order of their letters; a drawing's rows are 12 points, its columns 6."""
    found = []
    for row, text in enumerate(drawing.splitlines()):
        for column, char in enumerate(text):
            if char.isalpha():
                box = (column * 6.0, row * 12.0, column * 6.0 + 6, row * 12.0 + 10)
                found.append(Line(char, ord(char), box))
    return sorted(found, key=lambda line: line.text)


def read(drawing: str) -> str:
    return "".join(line.text for line in sort_reading_order(page(drawing)))


def test_columns_drawn_one_after_the_other_are_read_so() -> None:
    assert read("a   e\nb   f\nc   g\nd   h") == "abcdefgh"


def test_a_footer_drawn_first_stays_first() -> None:
    assert read("b\nc\nd\ne\nf\n\na") == "abcdef"


def test_lines_drawn_in_disorder_are_read_by_their_place() -> None:
    assert read("c\na\nf\nb\ne\nd") == "cafbed"


def test_a_mirrored_page_keeps_its_order() -> None:
    assert read("f\ne\nd\nc\nb\na") == "abcdef"


def test_neighbours_in_a_row_share_a_line() -> None:
    lines = [
        Line("Nom :", 0, (50, 50, 80, 60)),
        Line("DUPONT", 0, (83, 50, 120, 60)),
        Line("Né le", 1, (200, 51, 230, 61)),
        Line("3/2/1950", 1, (50, 64, 100, 74)),
        Line("", 2, (50, 78, 60, 88)),
        Line(" ", 2, (50, 92, 60, 102)),
        Line("fin ", 2, (50, 106, 60, 116)),
    ]
    assert joined(lines) == "Nom : DUPONT\tNé le\n3/2/1950\n\nfin"


def test_rows_follow_the_direction_of_the_text() -> None:
    # Read from bottom to top, as on a page put on its side.
    upwards = (0.0, -1.0)
    boxes = [(100, 400, 110, 450), (100, 340, 110, 396), (114, 400, 124, 450)]
    texts = ["Nom :", "DUPONT", "Paris"]
    lines = [
        Line(t, 0, rotate_upright(b, upwards), upwards) for t, b in zip(texts, boxes, strict=True)
    ]
    assert joined(lines) == "Nom : DUPONT\nParis"


@given(st.lists(LINES, max_size=12))
def test_order_neither_loses_nor_invents(lines: list[Line]) -> None:
    ordered = sort_reading_order(lines)
    assert sorted(map(id, ordered)) == sorted(map(id, lines))
    kept = "".join(joined(ordered).split())
    assert kept == "".join("".join(line.text for line in ordered).split())
