"""How letters are filled where nothing else is asked for."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.synthetic.letter_filling import FillRequest
from synthesis.filling import Filling, FillingMethod


def filling(**changes: Any) -> Filling:
    return FillRequest(Path("model"), Path("masked"), Path("out"), batch=32, **changes).filling


@pytest.mark.parametrize(
    ("changes", "top"),
    [
        ({}, 1),
        ({"method": "iterative"}, 6),
        ({"copies": 2}, 6),
        ({"copies": 2, "top_k": 1}, 1),
        ({"method": "iterative", "top_k": 3}, 3),
    ],
)
def test_words_are_drawn_where_letters_would_be_alike(changes: dict[str, Any], top: int) -> None:
    assert filling(**changes).top == top


def test_the_rest_is_what_was_asked_for() -> None:
    found = filling(method="iterative", window=40, seed=7, together=3)
    assert found == Filling(FillingMethod.ITERATIVE, 6, 40, 7, together=3)
