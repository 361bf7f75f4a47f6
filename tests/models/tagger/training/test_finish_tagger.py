"""The last steps of a tagger: thresholds by label, and 16-bit weights."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.detection import finish_tagger
from benchmarks.foreign import Tally
from models.tagger import serialization
from models.tagger.folder import WEIGHTS
from models.tagger.loading import LoadedTagger, load_tagger_folder
from models.tagger.shipped_model import ONNX, SETTINGS, TORCH
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span
from synthesis.register_notes import RegisterNote
from tests.models.tagger.toy import toy_notes, toy_training


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tagger") / "toy"
    assert toy_training(out).f1 == 1.0
    return out


def scored(folder: Path) -> tuple[serialization.TrainedTagger, list[finish_tagger.ScoredNote]]:
    notes = [
        RegisterNote("en", "toy", "1", number, note.annotated)
        for number, note in enumerate(toy_notes(12, seed=3))
    ]
    trained = serialization.load(folder)
    return trained, finish_tagger.score_notes(trained, notes)


def test_the_lower_the_precision_the_more_is_covered(folder: Path) -> None:
    tallies, by_least = finish_tagger.try_thresholds(*scored(folder), (0.9, 0.5, 0.0))
    assert list(tallies) == [None, 0.9, 0.5, 0.0]
    covered = [
        each["en"].tokens["hit"] + each["en"].tokens["false"] for each in list(tallies.values())[1:]
    ]
    assert covered == sorted(covered)
    assert tallies[None]["en"].tokens["missed"] == 0
    for label in ("ID", "NAME"):
        values = [by_least[least][label] for least in (0.9, 0.5, 0.0)]
        assert values == sorted(values, reverse=True)
        assert all(0 <= value <= 1 for value in values)


def tally(hit: int, false: int, clean: int) -> Tally:
    found = Tally()
    found.tokens.update({"hit": hit, "false": false})
    found.clean[True] = clean
    return found


def test_the_precision_taken_leaves_most_notes_clean_at_the_precision_asked_for() -> None:
    tallies: dict[float | None, dict[str, Tally]] = {
        None: {"en": tally(80, 0, 50), "fr": tally(80, 0, 50)},
        0.9: {"en": tally(90, 2, 10), "fr": tally(90, 2, 10)},
        0.5: {"en": tally(95, 5, 20), "fr": tally(95, 5, 12)},
        0.4: {"en": tally(95, 5, 20), "fr": tally(95, 5, 12)},
        0.3: {"en": tally(98, 6, 30), "fr": tally(98, 30, 40)},
    }
    assert finish_tagger.choose_least(tallies, 0.93) == 0.5
    assert finish_tagger.choose_least(tallies, 0.7) == 0.3
    assert finish_tagger.choose_least(tallies, 0.97) == 0.9
    assert finish_tagger.choose_least(tallies, 1.1) is None


def test_weights_are_the_mean_of_several(folder: Path, tmp_path: Path) -> None:
    toy_training(tmp_path / "other", seed=2, epochs=1)
    one, two = serialization.load(folder), serialization.load(tmp_path / "other")
    mean = [
        (first + second) / 2
        for first, second in zip(one.network.parameters(), two.network.parameters(), strict=True)
    ]
    finish_tagger.average_weights(one, [two])
    for got, wanted in zip(one.network.parameters(), mean, strict=True):
        torch.testing.assert_close(got, wanted)


def test_taggers_of_other_labels_have_no_mean(folder: Path, tmp_path: Path) -> None:
    toy_training(tmp_path / "stacked", head="stacked", epochs=1)
    one, two = serialization.load(folder), serialization.load(tmp_path / "stacked")
    with pytest.raises(SystemExit, match="different designs"):
        finish_tagger.average_weights(one, [two])


def test_what_is_written_has_thresholds_and_16_bits(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "shipped"
    _, notes = scored(folder)
    monkeypatch.setattr(finish_tagger, "read_registers", lambda: [each.note for each in notes])
    monkeypatch.setattr(RegisterNote, "is_held_out", True)
    monkeypatch.setattr(sys, "argv", ["finish_tagger", str(folder), str(out), "--least", "0.0"])
    finish_tagger.main()
    assert "least precision 0" in capsys.readouterr().out
    written = serialization.load(out)
    assert written.thresholds is not None
    assert set(written.thresholds.by_label) == {"ID", "NAME"}
    assert (out / WEIGHTS).stat().st_size < 0.6 * (folder / WEIGHTS).stat().st_size
    assert torch.equal(written.network.scores.weight, written.network.scores.weight.half().float())
    note = toy_notes(1, seed=5)[0].annotated
    for runtime in (TORCH, ONNX):
        after, before = (load_tagger_folder(each, runtime) for each in (out, folder))
        assert places(after, note) > places(before, note)


@pytest.mark.parametrize("thresholds", [{"CITY": 0.5}, {"NAME": "much"}, 7])
def test_thresholds_that_are_none_are_a_corrupt_tagger(
    folder: Path, tmp_path: Path, thresholds: Any
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    settings = json.loads((broken / SETTINGS).read_text())
    (broken / SETTINGS).write_text(json.dumps({**settings, "thresholds": thresholds}))
    for runtime in (TORCH, ONNX):
        with pytest.raises(ConfigError):
            load_tagger_folder(broken, runtime)


def places(tagger: LoadedTagger, note: Annotated) -> set[int]:
    (found,) = tagger.spans([note.document])
    return {at for span in found for at in range(span.start, span.end)}


def test_notes_of_nobody_count_as_untouched() -> None:
    found = Tally()
    found.add(Annotated(Document("1", "no one here"), ()), [])
    found.add(Annotated(Document("2", "no one here"), ()), [Span(0, 2, "NAME", "model")])
    assert (found.untouched[True], found.untouched[False]) == (1, 1)
