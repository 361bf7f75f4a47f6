from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.document.lines import Box, Line
from extractors.document.page import BODY_CLASSES, LineClass, Page
from extractors.layout.page_text import join_kept_lines, join_lines
from extractors.layout.table_rows import join_table_rows

B, H = LineClass.BODY, LineClass.HEADER
GRID = tuple(
    (100.0 * x, 40.0 * y, 100.0 * x + 100, 40.0 * y + 40) for y in range(3) for x in range(3)
)


def line(text: str, x: float, y: float, block: int = 0) -> Line:
    """A line of 10 points height; letters are 5 points wide."""
    box = (x, y, x + 5 * len(text), y + 10)
    return Line(text, block, box, place=box, size=10)


def joined(lines: list[Line], *tables: tuple[Box, ...]) -> list[str]:
    return [whole.text for whole, _ in join_table_rows(lines, tables)]


NAMES = [line("Natrémie", 5, 15), line("Kaliémie", 5, 55), line("CRP", 5, 95)]
VALUES = [line("139", 105, 15), line("4,2", 105, 55), line("5", 105, 95)]
ROWS = ["Natrémie\t139", "Kaliémie\t4,2", "CRP\t5"]


def test_rows_of_columns() -> None:
    assert joined([*NAMES, *VALUES], GRID) == ROWS
    assert joined([*NAMES, *VALUES]) == [one.text for one in (*NAMES, *VALUES)]


def test_a_table_is_where_its_first_line_was() -> None:
    before, between = line("avant", 5, 200), line("entre", 5, 300)
    assert joined([before, *NAMES, between, *VALUES], GRID) == ["avant", *ROWS, "entre"]


def test_wrapped_words_and_lists() -> None:
    words = ["Immuno-", "fixation", "des", "protéines"]
    wrapped = [line(word, 5, 41 + 9 * number) for number, word in enumerate(words)]
    lines = [NAMES[0], *wrapped, NAMES[2], *VALUES]
    assert joined(lines, GRID)[1] == "Immuno-\nfixation des protéines\t4,2"
    page = Page(0, 300, 120, tuple(lines), (GRID,))
    assert "\nImmunofixation des protéines\t4,2\n" in join_lines([page]).text
    name = [line("de Guillain-", 5, 45), line("Barré", 5, 60)]
    assert joined([NAMES[0], *name, NAMES[2], *VALUES], GRID)[1] == ("de Guillain-Barré\t4,2")
    prose = [line(f"phrase {number}.", 105, 41 + 7 * number) for number in range(5)]
    assert joined([*NAMES, VALUES[0], *prose, VALUES[2]], GRID)[1] == (
        "Kaliémie\t" + "\n".join(one.text for one in prose)
    )


def test_rows_with_no_rule_between_them_stay_rows() -> None:
    head = (0.0, 0.0, 100.0, 20.0), (100.0, 0.0, 200.0, 20.0), (200.0, 0.0, 300.0, 20.0)
    below = (0.0, 20.0, 100.0, 90.0), (100.0, 20.0, 200.0, 90.0), (200.0, 20.0, 300.0, 90.0)
    lines = [
        line(f"{column}{row}", 5 + 100 * column, 5 + 20 * row)
        for column in range(3)
        for row in range(4)
    ]
    expected = ["00\t10\t20", "01\t11\t21", "02\t12\t22", "03\t13\t23"]
    assert joined(lines, head + below) == expected
    two = [one for one in lines if not one.text.startswith("2")]
    two += [line("20", 205, 5)]  # a column that is empty below its head
    assert joined(two, head + below) == ["00\t10\t20", "01\t11", "02\t12", "03\t13"]


def test_frames_and_single_cells_stay_as_they_are() -> None:
    frame = ((0.0, 0.0, 100.0, 60.0), (100.0, 0.0, 200.0, 60.0))
    address = [line("M. DUPONT", 5, 5), line("12 rue X", 5, 20), line("CHU", 105, 5)]
    assert joined(address, frame) == ["M. DUPONT", "12 rue X", "CHU"]
    title = line("Hématologie", 5, 50)
    assert joined([NAMES[0], VALUES[0], title, NAMES[2], VALUES[2]], GRID) == [
        "Natrémie\t139",
        "Hématologie",
        "CRP\t5",
    ]


def test_what_stands_beside_a_line_across_cells() -> None:
    across = line("Prélèvement du matin à jeun", 5, 45)
    beside = [line("wrapped", 205, 60), line("H", 205, 45)]
    assert joined([NAMES[0], VALUES[0], *beside, across, NAMES[2], VALUES[2]], GRID) == [
        "Natrémie\t139",
        "Prélèvement du matin à jeun\tH",
        "wrapped",
        "CRP\t5",
    ]


def test_only_kept_lines_are_joined_and_rows_stay_together() -> None:
    dropped = line("CHU DE X", 5, 5)
    page = Page(0, 300, 120, (dropped, *NAMES, *VALUES), (GRID,))
    kinds = [[H] + [B] * 6]
    text = join_kept_lines([page], kinds, BODY_CLASSES)
    assert text.text == "\n".join(ROWS)  # high rows are no paragraphs
    assert {piece.kind for piece in text.pieces} == {B}
    assert [text.text[piece.start : piece.end] for piece in text.pieces] == [
        "Natrémie", "139", "Kaliémie", "4,2", "CRP", "5",
    ]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 290), st.integers(0, 110), st.text(max_size=8))))
def test_no_character_is_lost_and_runs_cover_the_rest(
    places: list[tuple[int, int, str]],
) -> None:
    lines = [
        Line(words, number, (x, y, x + 9.0, y + 9.0), place=(x, y, x + 9.0, y + 9.0))
        for number, (x, y, words) in enumerate(places)
    ]
    pairs = join_table_rows(lines, [GRID])

    def letters(some: list[Line]) -> Counter[str]:
        return Counter("".join("".join(one.text.split()) for one in some))

    assert letters(lines) == letters([whole for whole, _ in pairs])
    assert all(first in lines for _, first in pairs)
    for whole, _ in pairs:
        if whole.block < 0:
            runs = "".join(whole.text[run.start : run.end] for run in whole.runs)
            assert "".join(runs.split()) == "".join(whole.text.split())
