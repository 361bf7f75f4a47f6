"""Choosing notes that together are as asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis import generation_files as part_files
from synthesis.generation_files import select_rows


@st.composite
def orders(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    counts = st.lists(st.integers(0, 4), min_size=columns, max_size=columns)
    has = np.array([draw(counts) for _ in range(rows)], dtype=np.float64)
    wanted = np.array(draw(counts), dtype=np.float64)
    return has, wanted, draw(st.integers(0, rows))


def greedily(has: np.ndarray, wanted: np.ndarray, count: int) -> list[int]:
    """The definition, without blocks."""
    spread = has.var(axis=0)
    taken: list[int] = []
    for number in range(1, count + 1):
        rest = [row for row in range(len(has)) if row not in taken]
        gap = [has[[*taken, row]].sum(axis=0) - number * wanted for row in rest]
        cost = [sum(g**2 / s for g, s in zip(each, spread, strict=True) if s) for each in gap]
        taken.append(rest[int(np.argmin(np.round(cost, 9)))])
    return sorted(taken)


@given(orders())
def test_rows_are_taken_one_by_one_as_defined(order: tuple[np.ndarray, np.ndarray, int]) -> None:
    chosen = select_rows(*order)
    has, wanted, count = order
    assert len(set(chosen)) == len(chosen) == count
    assert chosen == sorted(chosen)

    def cost(rows: list[int]) -> float:
        spread = has.var(axis=0)
        gap = (has[rows].sum(axis=0) - count * wanted)[spread > 0]
        return float((gap**2 / spread[spread > 0]).sum())

    assert cost(chosen) == pytest.approx(cost(greedily(*order)))


def test_the_mean_comes_near_to_what_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(1)
    has = chance.poisson([4.0, 0.1, 300.0], (3000, 3)).astype(np.float64)
    wanted = np.array([4.5, 0.4, 310.0])
    first = np.abs(has[:600].mean(axis=0) - wanted)
    for block in (4096, 500):
        monkeypatch.setattr(part_files, "_BLOCK", block)
        chosen = select_rows(has, wanted, 600)
        assert len(chosen) == 600
        assert (np.abs(has[chosen].mean(axis=0) - wanted) < first / 5).all()
    assert sum(row < 1500 for row in chosen) == 300


def test_what_is_the_same_in_all_rows_tells_nothing_and_no_row_is_taken_twice() -> None:
    has = np.array([[2.0, 1.0], [2.0, 5.0], [2.0, 3.0]])
    assert select_rows(has, np.array([9.0, 3.0]), 2) == [0, 2]
    assert select_rows(has[:, :1], np.array([9.0]), 3) == [0, 1, 2]
    assert select_rows(has[:, :0], np.zeros(0), 2) == [0, 1]


def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError):
        select_rows(np.zeros((2, 1)), np.zeros(1), 3)
