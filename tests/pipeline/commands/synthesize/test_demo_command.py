"""`cryptonym synthesize demo`: from an empty folder to two verdicts, with little to learn from."""

import json
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_GATE, EXIT_USAGE
from pipeline.synthetic.measurements.letter_comparison import DEMO
from pipeline.synthetic.schedule import register_demo
from synthesis.generation_files import NOTES

pytestmark = pytest.mark.slow

TINY = {"width": 32, "layers": 1, "heads": 2, "length": 128, "epochs": 1, "rate": 0.002}
PATIENTS = 40


def test_two_verdicts_from_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(register_demo, "_FILLER", TINY)
    monkeypatch.setattr(register_demo, "_SEEDS", 2)
    folder = tmp_path / "demo"
    words = ["synthesize", "demo", str(folder), "--patients", str(PATIENTS), "--model", "none"]
    assert main([*words, "--epochs", "1", "--json"]) == EXIT_GATE

    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"drawn", "likeliest"}
    for name, each in told.items():
        assert each["verdict"] == "HOLD"
        assert set(each["seconds"]) == {
            *("prepare", "train", "mask", "fill", "compare", "screen", "utility"),
        }
        problems = dict(reason.split(": ", 1) for reason in each["reasons"])
        # Rules alone miss names, and taggers of one epoch learn nothing that could be lost.
        assert "lower bound" in problems["masker-recall"]
        assert problems.pop("filled-over-real") == "not measured"
        # Words in a thousand places are not counted where there are fewer.
        assert problems.pop("distinct-fills") == "not measured"
        assert not [why for why in problems.values() if "measured" in why or "signed" in why], (
            "everything else is measured, and of these letters"
        )
        report = json.loads((folder / name / "report" / "report.json").read_text())
        assert report["verdict"] == "HOLD"
        assert report["reasons"] == each["reasons"]
        assert (folder / name / "report" / "report.html").stat().st_size
        letters = (folder / name / "filtered" / NOTES).read_text().splitlines()
        assert len(letters) > PATIENTS / 2
    # The likeliest words are few, which holds letters that nobody would read.
    assert any(why.startswith("most-frequent-fills") for why in told["likeliest"]["reasons"])

    # Taggers of real notes are trained once for both cases, and none of both kinds of notes.
    assert {path.name for path in (folder / "taggers").iterdir()} == {"real-1", "real-2"}
    for name in told:
        trained = {path.name for path in (folder / name / "utility" / "taggers").iterdir()}
        assert trained == {"synthetic-1", "synthetic-2"}

    # Nearly every note has the marks of its author, none of which is a person's.
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines()]
    assert len(gold) >= 0.95 * PATIENTS
    assert {note["annotator"] for note in gold} == {DEMO}

    assert main(words) == EXIT_USAGE, "a folder that is not empty stays as it is"
