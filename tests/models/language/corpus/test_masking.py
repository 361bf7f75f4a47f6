"""What is to be guessed: the share that was asked for, identifiers first, fresh every epoch."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.language.corpus.masking import IGNORED, MaskRecipe, mask_generator, mask_tokens

VOCABULARY = (4, 10, 1000)


def drawn(
    recipe: MaskRecipe, *, notes: int = 200, length: int = 512, epoch: int = 1, share: float = 0.2
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Ids, signs, what is seen and what is wanted of many notes."""
    for note in range(notes):
        told = np.random.default_rng(note)
        ids, identifying = told.integers(10, 1000, length), told.random(length) < share
        chance = mask_generator(1, epoch, note)
        yield ids, identifying, *mask_tokens(ids, identifying, recipe, VOCABULARY, chance)


@pytest.mark.parametrize("psi", [0.15, 0.3, 0.5, 0.7])
def test_the_share_is_the_one_that_was_asked_for(psi: float) -> None:
    wanted = np.concatenate([found[3] for found in drawn(MaskRecipe(psi))])
    assert len(wanted) > 10**5
    assert np.mean(wanted != IGNORED) == pytest.approx(psi, abs=0.005)


@pytest.mark.parametrize("phi", [0.75, 1.0])
def test_identifiers_are_taken_first(phi: float) -> None:
    rates = [
        np.mean(wanted[identifying] != IGNORED)
        for _, identifying, _, wanted in drawn(MaskRecipe(0.5, phi))
    ]
    assert np.mean(rates) == pytest.approx(phi, abs=0.005)


def test_more_identifiers_than_the_budget_holds_fill_it() -> None:
    for ids, identifying, _, wanted in drawn(MaskRecipe(0.3, 1.0), notes=5, share=0.9):
        assert identifying[wanted != IGNORED].all()
        assert np.sum(wanted != IGNORED) <= 0.3 * len(ids) + 1


def test_eight_in_ten_are_masked_one_is_another_and_one_stays() -> None:
    kinds = {"masked": 0, "kept": 0, "other": 0}
    for ids, _, seen, wanted in drawn(MaskRecipe(0.5)):
        chosen = wanted != IGNORED
        kinds["masked"] += int(np.sum(seen[chosen] == VOCABULARY[0]))
        kinds["kept"] += int(np.sum(seen[chosen] == ids[chosen]))
        kinds["other"] += int(np.sum((seen != ids)[chosen] & (seen[chosen] != VOCABULARY[0])))
    total = sum(kinds.values())
    shares = [kinds[kind] / total for kind in ("masked", "other", "kept")]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.01)


def test_training_sees_other_masks_every_epoch_and_validation_the_same() -> None:
    first, second = (list(drawn(MaskRecipe(), notes=3, epoch=epoch)) for epoch in (1, 2))
    assert all((one[3] != other[3]).any() for one, other in zip(first, second, strict=True))
    frozen = [list(drawn(MaskRecipe(), notes=3, epoch=0)) for _ in range(2)]
    for one, other in zip(*frozen, strict=True):
        assert (one[2] == other[2]).all()


@given(
    st.lists(st.tuples(st.integers(10, 999), st.booleans()), max_size=40),
    st.floats(0.01, 1),
    st.floats(0, 1),
    st.integers(0, 9),
)
def test_what_is_not_guessed_stays(
    tokens: list[tuple[int, bool]], psi: float, phi: float, note: int
) -> None:
    ids = np.array([token for token, _ in tokens], np.int64)
    signs = np.array([sign for _, sign in tokens], np.bool_)
    seen, wanted = mask_tokens(
        ids, signs, MaskRecipe(psi, phi), VOCABULARY, mask_generator(1, 1, note)
    )
    free = wanted == IGNORED
    assert (seen[free] == ids[free]).all()
    assert (wanted[~free] == ids[~free]).all()
    assert abs(np.sum(~free) - psi * len(ids)) < 1


@pytest.mark.parametrize(("psi", "phi"), [(0, 0.5), (1.1, 0.5), (0.5, -0.1), (0.5, 1.1)])
def test_shares_that_mean_nothing_are_refused(psi: float, phi: float) -> None:
    with pytest.raises(ValueError, match="psi"):
        MaskRecipe(psi, phi)
