"""What rules and shipped tagger find in notes by authors on whom nothing was trained.

Floors lie about two standard errors below what was measured on these notes when they were set.
"""

from functools import cache

import pytest

from benchmarks.foreign import Tally, tally_arms
from models.tagger.onnx_tagger import OnnxTagger
from models.tagger.shipped_model import SHIPPED
from synthesis.register_notes import read_registers

pytestmark = pytest.mark.slow

EVERY = 8
"""Of the held-out notes of a language every eighth is scored."""
FLOORS = {
    # language: elements found, tokens covered that belong to an identifier, notes left clean
    "de": (0.90, 0.87, 0.22),
    "en": (0.86, 0.84, 0.05),
    "es": (0.90, 0.81, 0.30),
    "fr": (0.90, 0.89, 0.37),
    "nl": (0.90, 0.88, 0.30),
}


@cache
def tally(lang: str) -> Tally:
    notes = [note for note in read_registers() if note.is_held_out and note.lang == lang]
    chosen = [note.annotated for note in notes[::EVERY]]
    return tally_arms(chosen, {}, OnnxTagger.load(SHIPPED))["all"]


@pytest.mark.parametrize("lang", FLOORS)
def test_held_out_notes(lang: str) -> None:
    found = tally(lang)
    elements, precision, clean = FLOORS[lang]
    covered = found.tokens["hit"] + found.tokens["false"]
    assert found.elements[True] / found.elements.total() >= elements
    assert found.tokens["hit"] / covered >= precision
    assert found.clean[True] / found.clean.total() >= clean
