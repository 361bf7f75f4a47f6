"""The last steps of a tagger: a shift of its scores towards recall, and 16-bit weights."""

import sys
from pathlib import Path

import pytest
import torch

from benchmarks.detection import finish_tagger
from benchmarks.foreign import Tally
from models.tagger import serialization
from models.tagger.folder import WEIGHTS
from models.tagger.runtime import Tagger
from record.document import Annotated, Document
from record.span import Span
from synthesis.register_notes import RegisterNote
from tests.models.tagger.toy import toy_notes, toy_training


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tagger") / "toy"
    assert toy_training(out).f1 == 1.0
    return out


def test_the_greater_the_shift_the_more_is_covered(folder: Path) -> None:
    notes = [
        RegisterNote("en", "toy", "1", number, note.annotated)
        for number, note in enumerate(toy_notes(6, seed=3))
    ]
    tallies = finish_tagger.score_shifts(serialization.load(folder), notes, (0.0, 4.0, 40.0))
    covered = [each["en"].tokens["hit"] + each["en"].tokens["false"] for each in tallies.values()]
    assert covered == sorted(covered)
    assert tallies[0.0]["en"].tokens["missed"] == 0
    assert tallies[40.0]["en"].tokens["false"] > tallies[0.0]["en"].tokens["false"]


def tally(hit: int, false: int, clean: int) -> Tally:
    found = Tally()
    found.tokens.update({"hit": hit, "false": false})
    found.clean[True] = clean
    return found


def test_the_shift_taken_leaves_most_notes_clean_at_the_precision_asked_for() -> None:
    tallies = {
        -1.0: {"en": tally(80, 0, 5), "fr": tally(80, 0, 5)},
        0.0: {"en": tally(90, 2, 10), "fr": tally(90, 2, 10)},
        1.0: {"en": tally(95, 5, 20), "fr": tally(95, 5, 12)},
        2.0: {"en": tally(95, 5, 20), "fr": tally(95, 5, 12)},
        3.0: {"en": tally(98, 6, 30), "fr": tally(98, 30, 40)},
    }
    assert finish_tagger.choose_shift(tallies, 0.93) == 1.0
    assert finish_tagger.choose_shift(tallies, 0.7) == 3.0
    assert finish_tagger.choose_shift(tallies, 0.99) == -1.0
    assert finish_tagger.choose_shift(tallies, 1.1) == 0.0


def test_what_is_written_is_shifted_and_in_16_bits(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "shipped"
    monkeypatch.setattr(sys, "argv", ["finish_tagger", str(folder), str(out), "--shift", "1.5"])
    finish_tagger.main()
    assert "shift 1.5" in capsys.readouterr().out
    before, after = serialization.load(folder), serialization.load(out)
    moved = before.network.scores.bias[0] - after.network.scores.bias[0]
    assert moved.item() == pytest.approx(1.5, abs=0.01)
    assert (out / WEIGHTS).stat().st_size < 0.6 * (folder / WEIGHTS).stat().st_size
    assert torch.equal(after.network.scores.weight, after.network.scores.weight.half().float())
    note = toy_notes(1, seed=5)[0].annotated
    assert places(Tagger.load(out), note) >= places(Tagger.load(folder), note)


def places(tagger: Tagger, note: Annotated) -> set[int]:
    (found,) = tagger.spans([note.document])
    return {at for span in found for at in range(span.start, span.end)}


def test_notes_of_nobody_count_as_untouched() -> None:
    found = Tally()
    found.add(Annotated(Document("1", "no one here"), ()), [])
    found.add(Annotated(Document("2", "no one here"), ()), [Span(0, 2, "NAME", "model")])
    assert (found.untouched[True], found.untouched[False]) == (1, 1)
