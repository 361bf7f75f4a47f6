"""The recipe and the grid by which a model that fills words is trained."""

from pathlib import Path
from typing import Any

import pytest

from models.language.masked.grid_search import PUBLISHED
from models.language.masked.training import MaskedRecipe
from pipeline.synthetic.filler_training import FillerRequest, read_grid
from record.errors import ConfigError


def recipe(**changes: Any) -> MaskedRecipe:
    return FillerRequest(Path("corpus"), Path("out"), **changes).recipe()


def test_an_encoder_learns_more_slowly_and_sees_less() -> None:
    assert recipe() == MaskedRecipe()
    started = recipe(encoder="e5-small")
    assert (started.encoder, started.rate, started.length) == ("e5-small", 1e-4, 160)
    assert recipe(encoder="e5-small", changes={"rate": 0.1}).rate == 0.1


def test_shares_and_sizes_must_make_sense() -> None:
    assert recipe(psi=0.3, phi=1.0).mask.psi == 0.3
    with pytest.raises(ConfigError, match="--psi: must be above 0 and at most 1, not 0"):
        recipe(psi=0.0)
    with pytest.raises(ConfigError, match="--heads: must divide the width of 192, not 5"):
        recipe(changes={"heads": 5})


def test_a_grid_is_lists_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text("psi = [0.3, 0.5]\nbatch = [8]\n")
    assert read_grid(str(path)) == {"psi": [0.3, 0.5], "batch": [8]}
    assert read_grid("published") is PUBLISHED
    for text, problem in (
        ("psi = 0.3", "grid.psi: must be a list of numbers"),
        ("psi = []", "grid.psi: must be a list of numbers"),
        ("psi = [true]", "grid.psi: must be a list of numbers"),
        ("psi", "--grid: .* is not a readable TOML file"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=problem):
            read_grid(str(path))
