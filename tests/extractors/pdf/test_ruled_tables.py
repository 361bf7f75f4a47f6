"""Tables with ruled borders: their cells, from drawing to the rows of the text."""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdfplumber import table

from extractors.document.limits import Limits
from extractors.document.lines import Box
from extractors.document.options import Engine, Layout, Options
from extractors.document.page import locate_boxes
from extractors.extractor import Extractor
from extractors.pdf.ruled_tables import MAX_RULES, find_cells, find_tables

ENGINES = list(Engine)
Draw = Callable[[pymupdf.Page], object]


def drawn(draw: Draw, pages: int = 1) -> bytes:
    with pymupdf.open() as document:
        for _ in range(pages):
            draw(document.new_page(width=595, height=842))
        return bytes(document.tobytes())


def full(data: bytes, engine: Engine = Engine.PYMUPDF, limits: Limits | None = None) -> str:
    options = Options(layout=Layout.FULL, engine=engine, languages=())
    return Extractor(limits or Limits(), options).extract(data).text


XS, YS = (50, 130, 200, 280), (100, 120, 156, 176, 196)
CELLS = {  # column, row: text lines
    (0, 0): ["Analyse"], (1, 0): ["Résultat"], (2, 0): ["Unité"],
    (0, 1): ["Immuno-", "fixation des", "protéines"], (1, 1): ["47"], (2, 1): ["g/L"],
    (0, 2): ["Natrémie"], (1, 2): ["139"], (2, 2): ["mmol/L"],
    (0, 3): ["Kaliémie"], (1, 3): ["4,2"], (2, 3): ["mmol/L"],
}  # fmt: skip
ROWS = (
    "Analyse\tRésultat\tUnité\nImmunofixation des protéines\t47\tg/L\n"
    "Natrémie\t139\tmmol/L\nKaliémie\t4,2\tmmol/L"
)


def lab_table(page: pymupdf.Page, *, rectangles: bool = False) -> None:
    """Draw a table column by column, as some programs do, with text before and after it."""
    page.insert_text((50, 80), "Biologie", fontsize=10)
    if rectangles:
        for (x0, x1), (y0, y1) in product(pairwise(XS), pairwise(YS)):
            page.draw_rect((x0, y0, x1, y1))
    else:
        for x in XS:
            page.draw_line((x, YS[0]), (x, YS[-1]))
        for y in YS:
            page.draw_line((XS[0], y), (XS[-1], y))
    for (column, row), words in sorted(CELLS.items()):
        middle = (YS[row] + YS[row + 1]) / 2 - 5.5 * len(words)
        for number, word in enumerate(words):
            page.insert_text((XS[column] + 4, middle + 11 * number + 8.5), word, fontsize=9)
    page.insert_text((50, 230), "Conclusion : stable", fontsize=10)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rectangles", [False, True])
def test_a_value_stands_beside_its_name(engine: Engine, rectangles: bool) -> None:
    data = drawn(lambda page: lab_table(page, rectangles=rectangles))
    assert full(data, engine) == f"Biologie\n{ROWS}\nConclusion : stable"


@pytest.mark.parametrize("engine", ENGINES)
def test_without_rules_the_drawing_order_stays(engine: Engine) -> None:
    def draw(page: pymupdf.Page) -> None:
        for (column, row), words in sorted(CELLS.items()):
            page.insert_text((XS[column], YS[row] + 8), words[0], fontsize=9)

    assert full(drawn(draw), engine).startswith("Analyse\nImmuno-\nNatrémie\nKaliémie\nRésultat")


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_offsets_lead_to_the_boxes_of_the_page(rotation: int, crop: bool, engine: Engine) -> None:
    def draw(page: pymupdf.Page) -> None:
        lab_table(page)
        if crop:
            page.set_cropbox(pymupdf.Rect(30, 40, 500, 700))
        page.set_rotation(rotation)

    data = drawn(draw)
    options = Options(layout=Layout.FULL, engine=engine, languages=(), locate=True)
    read = Extractor(Limits(), options).extract(data)
    if rotation == 0:
        assert ROWS in read.text
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for word in ("Résultat", "47", "protéines", "139", "Kaliémie", "4,2"):
            at = read.text.index(word)
            [(number, box)] = locate_boxes(read.pieces, at, at + len(word))
            [there] = document[number].search_for(word)
            assert pymupdf.Rect(box).intersects(there * document[number].rotation_matrix), word
    pieces = sorted(read.pieces)
    assert all(one.end <= other.start for one, other in pairwise(pieces))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_turned_on_its_page_is_read_by_its_own_rows(engine: Engine) -> None:
    def draw(page: pymupdf.Page) -> None:
        cells = {(0, 0): "Nom", (1, 0): "Valeur", (0, 1): "Na", (1, 1): "139", (0, 2): "K",
                 (1, 2): "4,2"}  # fmt: skip
        for x in (100, 130, 160, 190):  # rows run upwards, columns from bottom to top
            page.draw_line((x, 300), (x, 500))
        for y in (300, 400, 500):
            page.draw_line((100, y), (190, y))
        for (column, row), word in sorted(cells.items()):
            at = (118 + 30 * row, 490 - 100 * column)
            page.insert_text(at, word, fontsize=9, rotate=90)

    assert full(drawn(draw), engine) == "Nom\tValeur\nNa\t139\nK\t4,2"


def test_tables_drawn_in_a_form_are_found(tmp_path: Path) -> None:
    with (
        pymupdf.open(stream=drawn(lab_table), filetype="pdf") as source,
        pymupdf.open() as document,
    ):
        page = document.new_page(width=595, height=842)
        page.show_pdf_page(page.rect, source, 0)
        assert ROWS in full(document.tobytes())


@pytest.mark.parametrize("engine", ENGINES)
def test_two_tables_keep_their_places(engine: Engine) -> None:
    def draw(page: pymupdf.Page) -> None:
        for top in (100, 300):
            for x in (50, 150, 250):
                page.draw_line((x, top), (x, top + 60))
            for y in range(top, top + 61, 20):
                page.draw_line((50, y), (250, y))
            for column, row in product(range(2), range(3)):
                words = f"{'ab'[column]}{top + row}"
                page.insert_text((55 + 100 * column, top + 14 + 20 * row), words, fontsize=9)
            page.insert_text((50, top + 100), f"Texte {top}", fontsize=9)

    assert full(drawn(draw), engine) == (
        "a100\tb100\na101\tb101\na102\tb102\nTexte 100\n"
        "a300\tb300\na301\tb301\na302\tb302\nTexte 300"
    )


def test_hostile_drawings_stay_within_the_limits() -> None:
    def many_lines(page: pymupdf.Page) -> None:
        page.insert_text((50, 80), "Biologie", fontsize=10)
        shape = page.new_shape()
        for number in range(3 * MAX_RULES):
            at = number % 800
            shape.draw_line((at, 0), (at, 842))
        shape.finish()
        shape.commit()

    limits = Limits(seconds=20)
    assert full(drawn(many_lines, pages=3), limits=limits).count("Biologie") == 3
    assert full(drawn(many_lines), Engine.PDFPLUMBER, limits) == "Biologie"


GRIDS: dict[str, Sequence[Box]] = {
    "lines far too many": [(x / 100, 0, x / 100, 500) for x in range(100_000)],
    "a fine grid": [(x * 4, 0, x * 4, 999) for x in range(200)]
    + [(0, y * 4, 999, y * 4) for y in range(200)],
    "a grid of many crossings": [(x * 8, 0, x * 8, 999) for x in range(75)]
    + [(0, y * 8, 999, y * 8) for y in range(75)],
    "a frame": [(0, 0, 500, 700)],
    "nothing": [],
    "lines below each other": [(0, y, 500, y) for y in range(0, 700, 20)],
}


@pytest.mark.parametrize("name", GRIDS)
def test_what_is_no_table(name: str) -> None:
    assert find_tables(GRIDS[name]) == ()


_SIDES = st.lists(st.integers(1, 50), min_size=3, max_size=8, unique=True)


@settings(max_examples=50, deadline=None)
@given(_SIDES, _SIDES)
def test_every_grid_gives_its_cells(columns: list[int], rows: list[int]) -> None:
    xs, ys = sorted(x * 10.0 for x in columns), sorted(y * 10.0 for y in rows)
    rules = [(x, ys[0], x, ys[-1]) for x in xs] + [(xs[0], y, xs[-1], y) for y in ys]
    [found] = find_tables(rules)
    expected = [(x0, y0, x1, y1) for x0, x1 in pairwise(xs) for y0, y1 in pairwise(ys)]
    assert sorted(found) == sorted(expected)


_RULES = st.lists(
    st.tuples(st.booleans(), st.integers(0, 12), st.integers(0, 12), st.integers(1, 12)),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(_RULES)
def test_cells_are_those_of_pdfplumber(rules: Sequence[tuple[bool, int, int, int]]) -> None:
    edges = [_edge(*rule) for rule in rules]
    joined = table.merge_edges(edges, 3, 3, 3, 3)
    crossings = table.edges_to_intersections(joined, 3, 3)
    theirs = table.intersections_to_cells(crossings)
    assert sorted(find_cells(crossings)) == sorted(theirs)


def _edge(upright: bool, at: int, start: int, length: int) -> dict[str, object]:
    at, start, end = 5 * at, 5 * start, 5 * (start + length)
    box: Box = (at, start, at, end) if upright else (start, at, end, at)
    return {
        "orientation": "v" if upright else "h",
        **dict(zip(("x0", "top", "x1", "bottom"), box, strict=True)),
        "doctop": box[1],
        "width": box[2] - box[0],
        "height": box[3] - box[1],
    }
