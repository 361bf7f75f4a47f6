"""What synthetic notes are worth: good ones nearly as much as real ones, misleading ones less."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.detection.intervals import student_interval
from evaluation.gate import Axis
from evaluation.utility.tagger_utility import (
    BOTH,
    REAL,
    SETTINGS,
    SYNTHETIC,
    TWICE,
    Utility,
    UtilityTrial,
    train_and_score,
)
from models.training_loop import TrainingCallbacks
from record.document import Annotated, Document
from tests.models.tagger.toy import toy_notes, toy_recipe


def notes(count: int, seed: int) -> list[Any]:
    return [each.annotated for each in toy_notes(count, seed=seed)]


def misleading(count: int, seed: int) -> list[Any]:
    """Notes in which one of the labels was never marked."""
    return [
        Annotated(note.document, tuple(span for span in note.spans if span.label == "NAME"))
        for note in notes(count, seed)
    ]


@pytest.fixture(scope="module")
def utility(tmp_path_factory: pytest.TempPathFactory) -> Any:
    trial = UtilityTrial(notes(10, 1), misleading(10, 2), notes(3, 3), notes(12, 4))
    folder = tmp_path_factory.mktemp("utility")
    recipe = toy_recipe(epochs=4)
    found = train_and_score(trial, recipe, (1, 2), folder)
    told: list[str] = []

    def tell(name: str) -> TrainingCallbacks:
        told.append(name)
        return TrainingCallbacks()

    again = train_and_score(trial, recipe, (1, 2), folder, tell)
    assert not told, "taggers that are there are not trained again"
    for setting in SETTINGS:
        assert (again.counts[setting] == found.counts[setting]).all()
    return found


def test_every_setting_is_scored_on_the_same_notes(utility: Utility) -> None:
    gold = {
        setting: (counts[..., 0] + counts[..., 2]).tolist()
        for setting, counts in utility.counts.items()
    }
    assert set(gold) == set(SETTINGS)
    assert gold[REAL] == gold[SYNTHETIC] == gold[BOTH]


def test_what_never_marks_a_label_is_worth_less(utility: Utility) -> None:
    real, synthetic = utility.scores(REAL, "recall"), utility.scores(SYNTHETIC, "recall")
    assert min(real) > max(synthetic)
    assert utility.differ(REAL, SYNTHETIC, "recall") < 0.01
    assert utility.differ(REAL, REAL, "f1") == 1.0


def test_the_number_for_the_gate(utility: Utility) -> None:
    measured = utility.measured("fiction")
    assert (measured.name, measured.axis, measured.seeds) == ("utility-of-real", Axis.UTILITY, 2)
    assert measured.low <= measured.value <= measured.high
    assert measured.value < 0.9
    assert set(measured.detail) == {f"f1 of {setting}" for setting in SETTINGS}


def test_twice_as_many_letters_take_the_place_of_both() -> None:
    r, a, b = (Annotated(Document(name, ""), ()) for name in "rab")
    trial = UtilityTrial([r], [a], [], [], [a, b])
    assert trial.learnt() == {REAL: [r], SYNTHETIC: [a], TWICE: [a, b]}
    # Hits, inventions and misses of two seeds in two notes.
    once, twice = np.full((2, 2, 3), (8.0, 2.0, 2.0)), np.full((2, 2, 3), (9.0, 1.0, 1.0))
    twice[1] = (10.0, 0.0, 0.0)
    gained = Utility({SYNTHETIC: once, TWICE: twice}).gained("x", TWICE, SYNTHETIC, "fiction")
    assert gained.value == pytest.approx(0.15) and gained.seeds == 2
    assert gained.low < 0.1 < 0.2 < gained.high  # two seeds tell little
    assert gained.detail == {"f1 of synthetic": 0.8, "f1 of twice": 0.95}


def test_one_seed_tells_nothing(tmp_path: Path) -> None:
    trial = UtilityTrial(notes(2, 1), notes(2, 2), notes(2, 3), notes(2, 4))
    with pytest.raises(ValueError, match="distinct"):
        train_and_score(trial, toy_recipe(), (1, 1), tmp_path)
    with pytest.raises(ValueError, match="two seeds"):
        student_interval([0.5])


def test_bounds_over_seeds_are_those_of_a_table() -> None:
    low, high = student_interval([0.8, 0.9, 1.0])
    assert (high - low) / 2 == pytest.approx(4.303 * 0.1 / 3**0.5, rel=1e-3)
    assert student_interval([0.5, 0.5]) == (0.5, 0.5)


def counts_of(*hits: float) -> Any:
    """A tagger a seed, which found so many of the ten spans of each of four notes."""
    return np.stack([np.array([[hit, 0, 10 - hit]] * 4) for hit in hits])


@pytest.mark.parametrize(("hits", "has_learnt"), [(0, False), (2.4, False), (2.6, True)])
def test_taggers_that_learnt_little_from_real_notes_are_no_measure(
    hits: float, has_learnt: bool
) -> None:
    # F1 of 0.387 and 0.413: recall of 24 and 26 %, nothing false
    utility = Utility({REAL: counts_of(hits, hits), SYNTHETIC: counts_of(0, 0)})
    assert utility.has_learnt is has_learnt


def test_without_both_and_with_taggers_of_real_notes_elsewhere(tmp_path: Path) -> None:
    trial = UtilityTrial(notes(2, 1), notes(2, 2), notes(1, 3), notes(2, 4), with_both=False)
    shared, recipe = tmp_path / "shared", toy_recipe(epochs=1)
    found = train_and_score(trial, recipe, (1,), tmp_path / "one", shared=shared)
    assert set(found.counts) == {REAL, SYNTHETIC}
    assert [path.name for path in shared.iterdir()] == [f"{REAL}-1"]
    told: list[str] = []

    def tell(name: str) -> TrainingCallbacks:
        told.append(name)
        return TrainingCallbacks()

    train_and_score(trial, recipe, (1,), tmp_path / "other", tell, shared=shared)
    assert told == [f"{SYNTHETIC}-1"], "the tagger of real notes is there"
