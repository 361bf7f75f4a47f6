"""The shipped weights on layouts that no training saw."""

from pathlib import Path

import pytest

from benchmarks.extraction.letters import render_letters
from benchmarks.extraction.segmentation import (
    Letter,
    Result,
    measure,
    outside_identifiers,
    shift_pages,
)
from extractors.document.page import BODY_CLASSES
from extractors.layout.body_mask import BodyMask
from extractors.layout.labelled_pages import score_segmenter
from extractors.layout.line_classifier import LineClassifier

pytestmark = pytest.mark.slow

HELD_OUT = 40
CARD = Path(__file__).parents[3] / "extractors" / "layout" / "weights" / "MODEL_CARD.md"


@pytest.fixture(scope="module")
def held_out() -> list[Letter]:
    return list(render_letters(range(HELD_OUT), held_out=True))


@pytest.fixture(scope="module")
def result(held_out: list[Letter]) -> Result:
    return measure(LineClassifier.load(), held_out)


@pytest.fixture(scope="module")
def masks() -> list[BodyMask]:
    sample = [page for _, pages in render_letters(range(10), held_out=False) for page in pages]
    return [BodyMask(), BodyMask.learn(sample)]


def test_layouts_differ_and_have_something_to_tell(held_out: list[Letter]) -> None:
    assert len({letter.layout for letter, _ in held_out}) == HELD_OUT
    kinds = [kind for _, pages in held_out for page in pages for kind in page.classes]
    assert sum(kind in BODY_CLASSES for kind in kinds) > 1000
    assert sum(kind not in BODY_CLASSES for kind in kinds) > 1000
    assert sum(len(outside_identifiers(letter)) for letter, _ in held_out) > 400


def test_99_percent_of_the_medicine_is_kept(result: Result) -> None:
    assert result.scores.recall >= 0.99


def test_95_percent_of_the_identifiers_around_it_are_gone(result: Result) -> None:
    assert result.absence >= 0.95


def test_the_model_beats_both_masks(
    result: Result, masks: list[BodyMask], held_out: list[Letter]
) -> None:
    for mask in masks:
        floor = measure(mask, held_out)
        assert result.scores.f1 > floor.scores.f1
        assert result.scores.recall > floor.scores.recall
        assert result.absence > floor.absence


def test_the_model_beats_both_masks_on_pages_that_were_moved(
    masks: list[BodyMask], held_out: list[Letter]
) -> None:
    moved = [shift_pages(pages) for _, pages in held_out]
    trained = score_segmenter(LineClassifier.load(), moved)
    assert trained.recall >= 0.98
    for mask in masks:
        assert trained.f1 > score_segmenter(mask, moved).f1


def test_a_mask_learned_from_ten_beats_the_fixed_one_where_the_layout_is_shifted(
    held_out: list[Letter],
) -> None:
    moved = [shift_pages(pages) for _, pages in held_out]
    learned = BodyMask.learn([page for pages in moved[:10] for page in pages])
    assert score_segmenter(learned, moved[10:]).f1 > score_segmenter(BodyMask(), moved[10:]).f1


def test_the_weights_have_a_card() -> None:
    text = CARD.read_text(encoding="utf-8")
    assert "Apache-2.0" in text
    assert "fictional" in text
