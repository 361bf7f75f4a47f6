"""Cells of tables by the heading of their column, however the columns are parted."""

from hypothesis import given
from hypothesis import strategies as st

from rules.matching.table_columns import cells_under


def cells(text: str, *headings: str) -> list[str]:
    return [text[start:end] for start, end in cells_under(text, frozenset(headings))]


ALIGNED = """\
residente             hab     barthel   peso
aurelia cobo          101     35        49,2
benito munoz          102     80        71,0

genoveva tirado       107     0         37,4"""


def test_a_cell_stands_under_its_heading_until_a_blank_line() -> None:
    assert cells(ALIGNED, "hab") == ["101", "102"]
    assert cells(ALIGNED, "residente") == ["aurelia cobo", "benito munoz"]
    assert cells(ALIGNED, "cama") == []


def test_a_number_may_end_under_its_heading() -> None:
    text = "name   patient age   note\nx y            67   ok\nz w             5   ok"
    assert cells(text, "patient age") == ["67", "5"]


def test_tabs_and_bars_part_columns_by_their_number() -> None:
    tabs = "n\tnhc\tsillon\n1\t4724511\ts-02\n2\t\ts-05"
    assert cells(tabs, "sillon") == ["s-02", "s-05"]
    assert cells(tabs, "nhc") == ["4724511"]
    bars = "| dag | wond | paraaf |\n| 1 | 3 | jdw |\n| 2 | 2 | kvb |"
    assert cells(bars, "paraaf") == ["jdw", "kvb"]


def test_what_is_no_table_has_no_cells() -> None:
    assert cells("age   weight\n12   34\n15   36", "age") == []  # two headings
    assert cells("age   name   bed\n12   34   56", "age") == []  # one row
    assert cells("12   34   age\n12   34   56\n12   34   57", "age") == []  # mostly numbers
    assert cells("age  name  bed\nseen today\n12  a  b", "age") == []


@given(st.text(alphabet="ab1 \t|\n", max_size=120))
def test_cells_are_within_the_text_and_hold_no_ends_of_columns(text: str) -> None:
    for start, end in cells_under(text, frozenset(("a", "b", "ab"))):
        cell = text[start:end]
        assert cell and cell == cell.strip() and not set(cell) & set("\t|\n")
