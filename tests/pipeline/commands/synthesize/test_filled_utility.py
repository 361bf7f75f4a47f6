"""What a tagger learns from filled letters: one of each source, and two, beside the sources."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from evaluation.gate import LEAST_F1, Axis, Bound, Measured, Requirement, Verdict, decide
from evaluation.utility.tagger_utility import BOTH, REAL, SYNTHETIC, TWICE
from models.tagger.training.training import Corpora, train
from pipeline.cli import main
from pipeline.synthetic.measurements.tagger_utility import MEDICAL_OF_REAL
from synthesis.corpus_splitting import split_notes
from synthesis.prepared_corpus import digest, save_corpus
from tests.models.tagger.toy import toy_notes, toy_recipe

TAGGERS = {f"{setting}-{seed}" for setting in (REAL, SYNTHETIC, TWICE) for seed in (1, 2)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of toy notes, and letters that say the same, two of each."""
    folder = tmp_path_factory.mktemp("worth")
    notes = [each.annotated for each in toy_notes(24, lines=2)]
    save_corpus(split_notes(notes, seed=1), folder / "corpus", {"inside": True})
    place = folder / "filled"
    place.mkdir()
    lines = ""
    for number, note in enumerate(notes[:12]):
        spans = [{"start": s.start, "end": s.end, "label": s.label} for s in note.spans]
        for copy in range(3):  # the third of each is not learnt from
            about = {"letter": number, "copy": copy}
            told = {"note_id": f"{number}-{copy}", "text": note.document.text, "spans": spans}
            lines += json.dumps({**told, "synthetic": about}) + "\n"
    (place / "notes.jsonl").write_text(lines)
    manifest = {
        "format": 1, "corpus_sha256": digest(folder / "corpus"), "masked_sha256": "m",
        "notes_sha256": hashlib.sha256(lines.encode()).hexdigest(),
    }  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(manifest))
    # Taggers that are there are not trained again: one stands for all.
    train(Corpora(toy_notes(12), toy_notes(2, seed=2)), toy_recipe(epochs=6), folder / "tagger")
    for name in TAGGERS:
        shutil.copytree(folder / "tagger", folder / "worth" / "taggers" / name)
    return folder


def worth(folder: Path, *options: str) -> int:
    return main([
        "synthesize", "utility", str(folder / "filled"), str(folder / "corpus"), "-o",
        str(folder / "worth"), "--encoder", "tiny-1x32", "--seeds", "2",
        *options,
    ])  # fmt: skip


def test_once_and_twice_are_compared_with_the_sources(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert worth(folder) == 0
    told = json.loads((folder / "worth" / "utility.json").read_text())
    found = {each["name"]: each for each in told["measured"]}
    assert set(found) == {"utility-of-real", "filled-over-real", "twice-over-once"}
    for each in found.values():
        assert (each["seeds"], each["axis"]) == (2, "utility")
        assert set(each["detail"]) == {f"f1 of {name}" for name in (REAL, SYNTHETIC, TWICE)}
    assert found["twice-over-once"]["value"] == 0, "the same tagger learnt nothing more"
    assert set(told["tests"]) == {"synthetic against real", "twice against real"}
    assert {path.name for path in (folder / "worth" / "taggers").iterdir()} == TAGGERS
    assert "filled-over-real" in capsys.readouterr().out


def test_where_nothing_is_learnt_from_real_notes_nothing_that_is_lost_is_measured(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(Corpora(toy_notes(1), toy_notes(1, seed=2)), toy_recipe(epochs=1), tmp_path / "tagger")
    for name in TAGGERS:
        shutil.copytree(tmp_path / "tagger", tmp_path / "worth" / "taggers" / name)
    assert main([
        "synthesize", "utility", str(folder / "filled"), str(folder / "corpus"), "-o",
        str(tmp_path / "worth"), "--encoder", "tiny-1x32", "--seeds", "2",
    ]) == 0  # fmt: skip
    told = json.loads((tmp_path / "worth" / "utility.json").read_text())
    found = {each["name"]: each for each in told["measured"]}
    assert found["utility-of-real"]["detail"][f"f1 of {REAL}"] < LEAST_F1
    assert "filled-over-real" not in found, "else any letters would pass"
    measured = [Measured(**each | {"axis": Axis(each["axis"])}) for each in told["measured"]]
    bar = Requirement("filled-over-real", Bound.AT_LEAST, -0.05, Axis.UTILITY)
    decided = decide(measured, [bar])
    assert decided.verdict is Verdict.HOLD
    assert "filled-over-real: not measured" in decided.reasons
    assert "filled-over-real is not measured" in capsys.readouterr().out


def test_words_of_medicine_are_a_task_of_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for setting in (REAL, SYNTHETIC, BOTH):
        for seed in (1, 2):
            place = folder / "worth" / "medical" / f"{setting}-{seed}"
            shutil.copytree(folder / "tagger", place)
    assert worth(folder, "--medical") == 0
    told = json.loads((folder / "worth" / "utility.json").read_text())
    (found,) = (each for each in told["measured"] if each["name"] == MEDICAL_OF_REAL)
    assert (found["axis"], found["seeds"]) == ("utility", 2)
    # One tagger stands for all, so that both settings know as much.
    assert found["low"] == found["value"] == found["high"]
    assert set(found["detail"]) == {f"f1 of {each}" for each in (REAL, SYNTHETIC, BOTH)}
    assert "by words of medicine" in capsys.readouterr().out


def test_letters_that_were_not_filled_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "filled" / "notes.jsonl"
    path.write_text(path.read_text() + '{"note_id": "x", "text": "a"}\n')
    assert worth(folder) == 2
    assert "line 37: not a filled letter" in capsys.readouterr().err
