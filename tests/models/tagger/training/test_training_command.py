import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pipeline.cli import main
from pipeline.config.progress import Progress
from pipeline.files.jsonl import spans_to_json
from pipeline.files.note_files import NoteFileTask, detect_file
from pipeline.reports.charts import render_learning_curve
from record.document import Annotated, Document
from record.span import Span
from synthesis.fictional.hospital import make_hospital
from tests.models.tagger.toy import NAMES, toy_notes

QUICK = ["--encoder", "tiny-1x32", "--window", "48", "--context", "8", "--step-tokens", "128"]
QUICK += ["--encoder-rate", "3e-3", "--epochs", "4", "--plain"]


def write(path: Path, notes: list[Annotated], **more: Any) -> Path:
    records = [
        {
            "note_id": note.document.note_id,
            "text": note.document.text,
            "spans": spans_to_json(note.spans),
            **more,
        }
        for note in notes
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def toys(path: Path, count: int, seed: int, **more: Any) -> Path:
    return write(path, [note.annotated for note in toy_notes(count, seed=seed)], **more)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `tagger`, trained by the command in canonical labels."""
    folder = tmp_path_factory.mktemp("command")
    train, dev = toys(folder / "train.jsonl", 20, 1), toys(folder / "dev.jsonl", 10, 2)
    (folder / "map.toml").write_text('NAME = "LAST_NAME"\nID = "PATIENT_ID"\n')
    asked = ["train", "--train", train, "--dev", dev, "-o", folder / "tagger", *QUICK]
    assert main([str(word) for word in [*asked, "--label-map", folder / "map.toml"]]) == 0
    return folder


def test_train_then_detect(trained: Path, tmp_path: Path) -> None:
    notes = toys(tmp_path / "notes.jsonl", 5, 3)
    out = tmp_path / "out.jsonl"
    asked = ["detect", str(notes), "-o", str(out), "--model", str(trained / "tagger"), "--plain"]
    assert main([*asked, "--detectors", "model"]) == 0
    names = {"NAME": "LAST_NAME", "ID": "PATIENT_ID"}
    for given, found in zip(read(notes), read(out), strict=True):
        assert found["text"] == given["text"]
        assert {span["detector"] for span in found["spans"]} == {"model"}
        assert [(s["start"], s["end"], s["label"]) for s in found["spans"]] == [
            (s["start"], s["end"], names[s["label"]]) for s in given["spans"]
        ]


def test_the_model_joins_the_other_detectors(trained: Path, tmp_path: Path) -> None:
    text = "Dr Zorblax seen today code 1234 home\nmail a.b@example.org\n"
    notes = tmp_path / "notes.jsonl"
    notes.write_text(json.dumps({"note_id": "1", "text": text}) + "\n")
    asked = ["detect", str(notes), "-o", str(tmp_path / "out.jsonl"), "--plain"]
    assert main([*asked, "--model", str(trained / "tagger")]) == 0
    (found,) = read(tmp_path / "out.jsonl")
    kinds = {span["detector"].split(".")[0] for span in found["spans"]}
    assert kinds == {"model", "rules"}


def test_what_the_model_finds_is_replaced(trained: Path, tmp_path: Path) -> None:
    key, notes = tmp_path / "master.key", toys(tmp_path / "notes.jsonl", 3, 4, lang="en")
    assert main(["keys", "new", str(key)]) == 0
    asked = ["pseudonymize", str(notes), "-o", str(tmp_path / "out.jsonl"), "--key", str(key)]
    asked += ["--cohort", "c", "--model", str(trained / "tagger"), "--plain"]
    assert main(asked) == 0
    for record in read(tmp_path / "out.jsonl"):
        assert not any(name in record["text"] for name in NAMES)


def test_the_folder_holds_a_report_without_text(trained: Path) -> None:
    held = json.loads((trained / "tagger" / "training.json").read_text())
    assert held["labels"] == ["LAST_NAME", "PATIENT_ID"]
    assert held["notes"]["train"]["notes"] == 20
    assert held["best"]["f1"] == 1
    assert len(held["notes"]["sha256"]) == 64
    curve = ET.parse(trained / "tagger" / "learning_curve.svg").getroot()
    assert curve.tag.endswith("svg")
    for path in (trained / "tagger").iterdir():
        assert not any(name.encode() in path.read_bytes() for name in NAMES)


def test_labels_that_have_no_surrogate_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, out = toys(tmp_path / "train.jsonl", 4, 1), tmp_path / "tagger"
    asked: list[object] = [
        "train",
        "--train",
        train,
        "--dev",
        train,
        "-o",
        out,
        *QUICK,
        "--epochs",
        "1",
    ]
    assert main([str(word) for word in [*asked, "--json"]]) == 0
    assert set(json.loads(capsys.readouterr().out)) > {"f1", "zero_leak"}
    # The corpus calls it NAME and ID, which are canonical; another corpus may not.
    settings = json.loads((out / "tagger.json").read_text())
    settings["design"]["labels"] = ["NOM", "NUM"]
    (out / "tagger.json").write_text(json.dumps(settings))
    assert main(["keys", "new", str(tmp_path / "k")]) == 0
    words = ["pseudonymize", str(train), "-o", str(tmp_path / "o"), "--key", str(tmp_path / "k")]
    assert main([*words, "--cohort", "c", "--model", str(out)]) == 2
    assert "NOM, NUM" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "key"),
    [
        (["--window", "20"], "--window"),
        (["--encoder", "huge"], "--encoder"),
        (["--masked", "2"], "--masked"),
        (["--label-map", "none.toml"], "none.toml"),
    ],
)
def test_options_that_cannot_be_are_named(
    more: list[str], key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = str(toys(tmp_path / "notes.jsonl", 2, 1))
    assert main(["train", "--train", notes, "--dev", notes, "-o", str(tmp_path / "t"), *more]) == 2
    assert f"error: {key}" in capsys.readouterr().err
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("more", "key"),
    [
        (["--model", "nowhere"], "--model"),
        (["--detectors", "model", "--model", "none"], "--detectors"),
        (["--detectors", "rules", "--model", "nowhere"], "--model"),
    ],
)
def test_models_that_are_not_there_are_named(
    more: list[str], key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = toys(tmp_path / "notes.jsonl", 1, 1)
    assert main(["detect", str(notes), "-o", str(tmp_path / "o"), *more]) == 2
    assert f"error: {key}" in capsys.readouterr().err


def test_without_the_extra_the_remedy_is_told_and_detection_goes_on(
    trained: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = str(trained / "dev.jsonl")
    for name in [name for name in sys.modules if name.startswith(("models.", "pipeline.training"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["train", "--train", notes, "--dev", notes, "-o", str(tmp_path / "t")]) == 2
    assert "pip install 'cryptonym[models]'" in capsys.readouterr().err
    found = tmp_path / "found.jsonl"
    assert main(["detect", notes, "-o", str(found), "--model", str(trained / "tagger")]) == 0
    assert '"detector": "model"' in found.read_text("utf-8")


def test_files_with_other_labels_are_learnt_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train = []
    for label, seed in (("NAME", 1), ("ID", 2)):
        notes = [note.annotated for note in toy_notes(20, seed=seed)]
        kept = [
            type(note)(note.document, tuple(s for s in note.spans if s.label == label))
            for note in notes
        ]
        train.append(str(write(tmp_path / f"{label}.jsonl", kept)))
    dev = toys(tmp_path / "dev.jsonl", 10, 3)
    asked = ["train", "--train", *train, "--dev", str(dev), "-o", str(tmp_path / "t"), *QUICK]
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recall"] > 0.9


@pytest.mark.slow
def test_a_fictional_hospital_is_learnt_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = [note.annotated for note in make_hospital(7, seed=1, mean_characters=400).notes()]
    train, dev = write(tmp_path / "train.jsonl", notes[:-10]), tmp_path / "dev.jsonl"
    write(dev, notes[-10:])
    asked = ["train", "--train", train, "--dev", dev, "-o", tmp_path / "tagger", "--plain"]
    asked += ["--encoder", "tiny-1x64", "--epochs", "3", "--step-tokens", "512", "--json"]
    asked += ["--encoder-rate", "3e-3"]
    assert main([str(word) for word in asked]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["f1"] > 0.5
    assert scores["redacted"] > 0.8


@pytest.mark.slow
def test_training_starts_from_the_shipped_tagger_and_tells_what_that_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, dev = toys(tmp_path / "train.jsonl", 4, 1), toys(tmp_path / "dev.jsonl", 2, 2)
    out = tmp_path / "tagger"
    asked = ["train", "--train", train, "--dev", dev, "-o", out, "--epochs", "1", "--plain"]
    assert main([str(word) for word in asked]) == 0
    assert "(before training " in capsys.readouterr().out
    report = json.loads((out / "training.json").read_text())
    assert report["recipe"]["start"] == "default"
    assert [entry["epochs"] for entry in report["history"]] == [0, 1]


@pytest.mark.parametrize("more", [["--encoder", "tiny"], ["--vocabulary", "100"]])
def test_a_start_and_an_encoder_are_refused_together(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = str(toys(tmp_path / "notes.jsonl", 2, 1))
    asked = ["train", "--train", notes, "--dev", notes, "-o", str(tmp_path / "t"), *more]
    assert main([*asked, "--start", "default"]) == 2
    assert "error: --start" in capsys.readouterr().err


def test_a_curve_of_nothing_is_drawn() -> None:
    assert render_learning_curve([]).endswith("</svg>\n")


class Stubborn:
    """A tagger that fails whenever one note is among those it is asked about."""

    labels = ("NAME",)
    rule_labels: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        self.asked: list[int] = []

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        self.asked.append(len(documents))
        if any(document.note_id == "2" for document in documents):
            raise RuntimeError("Zorblax")
        return [[Span(3, 5, "NAME", "model", 0.5)] for _ in documents]


def test_a_note_that_the_model_cannot_read_is_refused_alone(tmp_path: Path) -> None:
    notes, model = toys(tmp_path / "notes.jsonl", 40, 1), Stubborn()
    task = NoteFileTask(notes, tmp_path / "out.jsonl", detectors=frozenset({"model"}), model=model)
    done = detect_file(task, Progress())
    assert (done.read, done.written, done.refused) == (40, 39, 1)
    assert model.asked == [16, *[1] * 16, 16, 8]
    (refused,) = read(tmp_path / "out.quarantine.jsonl")
    assert refused["note_id"] == "2"
    assert "Zorblax" not in json.dumps(refused)
