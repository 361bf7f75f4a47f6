"""A model in the nightly job: what it finds goes, what it fails on is held back."""

import json
import re
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from models.tagger.folder import WEIGHTS
from models.tagger.onnx_tagger import OnnxTagger
from models.tagger.runtime import Tagger
from models.tagger.sequences.alignment import TrainingNote
from models.tagger.shipped_model import digest, folder_of
from models.tagger.training.training import Corpora, train
from pipeline.cli import main
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.night.supervisor import _make_environment
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.model_detection import TOGETHER, Foresight
from pipeline.notes.threshold_file import CalibrationRecord, dump_thresholds
from pipeline.notes.worker_resources import config_hash, load_tagger
from record.document import Document
from record.errors import ConfigError
from record.span import Span
from surrogates.keys.keys import load_master
from tests.models.tagger.toy import toy_notes, toy_recipe, toy_training
from tests.pipeline.night.test_nightly import out_id, outcomes, released

pytestmark = pytest.mark.slow

TEXT = "Dr Plimsko seen today in the ward\n code 4821 without fever and pain\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tagger") / "toy"
    assert toy_training(out).f1 == 1.0
    return out


def ask(config: Path, folder: Path | str, *more: str) -> None:
    lines = "\n".join([f'folder = "{folder}"', *more])
    config.write_text(config.read_text().replace('folder = "none"', lines))


def plant(config: Path, text: str = TEXT, number: int = 0) -> Any:
    """Put a text into a note of its own; returns its id."""
    with sqlite3.connect(config.parent / "hospital.db") as db:
        rows = "select note_id from note where note_text <> '' order by note_id limit 1 offset ?"
        (note_id,) = db.execute(rows, (number,)).fetchone()
        db.execute("update note set note_text = ? where note_id = ?", (text, note_id))
    return note_id


def hash_of(config: Path) -> bytes:
    settings = load(config)
    return config_hash(settings, load_master("file:master.key", settings.base).cohort("research"))


def test_what_only_the_model_finds_is_replaced(config: Path, folder: Path) -> None:
    note_id = plant(config)
    run_nightly(config, run_in_process)
    assert "code 4821" in released(config)[out_id(config, note_id)]
    ask(config, folder)
    ended = run_nightly(config, run_in_process)
    progress = ended.summary.backfill
    assert progress is not None
    assert (progress["done"], progress["left"]) == (outcomes(ended)["planned"], 0)
    text = released(config)[out_id(config, note_id)]
    assert "4821" not in text
    assert " code " in text
    assert outcomes(run_nightly(config, run_in_process))["unchanged"] == outcomes(ended)["planned"]


def test_another_model_is_another_configuration(config: Path, folder: Path, tmp_path: Path) -> None:
    plain = hash_of(config)
    ask(config, folder)
    asked = hash_of(config)
    settings = (folder / "tagger.json").read_bytes()
    (folder / "tagger.json").write_bytes(settings + b"\n")
    try:
        assert len({plain, asked, hash_of(config)}) == 3
    finally:
        (folder / "tagger.json").write_bytes(settings)


def test_another_runtime_is_another_configuration(config: Path, folder: Path) -> None:
    ask(config, folder)
    asked = hash_of(config)
    line = f'folder = "{folder}"\n'
    config.write_text(config.read_text().replace(line, f'{line}runtime = "torch"\n'))
    assert hash_of(config) != asked
    tagger = load_tagger(load(config))
    assert isinstance(tagger, Tagger) and tagger.runtime == "torch"
    config.write_text(config.read_text().replace("torch", "nothing"))
    with pytest.raises(ConfigError, match=r"model\.runtime"):
        load(config)


def test_a_note_on_which_the_model_fails_is_held_back_alone(
    config: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = plant(config), plant(config, "note about the quokka\n", 1)
    spans = OnnxTagger.spans

    def failing(tagger: Any, documents: Sequence[Document]) -> list[list[Span]]:
        if any("quokka" in document.text for document in documents):
            raise RuntimeError("about the quokka")
        return spans(tagger, documents)

    monkeypatch.setattr(OnnxTagger, "spans", failing)
    ask(config, folder)
    run_nightly(config, run_in_process)
    texts = released(config)
    assert "4821" not in texts[out_id(config, first)]
    assert out_id(config, second) not in texts
    with sqlite3.connect(config.parent / "state.db") as db:
        held = "".join(db.iterdump())
    assert "RuntimeError" in held
    assert "quokka" not in held


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_folder_that_holds_no_model_is_refused(config: Path, name: str) -> None:
    ask(config, name)
    with pytest.raises(ConfigError, match=r"tagger\.json"):
        run_nightly(config, run_in_process)


def test_damaged_weights_end_the_run_and_doctor_says_so(
    config: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    (damaged / WEIGHTS).write_bytes(b"damaged")
    ask(config, damaged)
    for command, more in (("run", ("--workers", "1")), ("doctor", ())):
        assert main([command, str(config), *more, "--plain"]) == 2
        said = capsys.readouterr()
        # A worker tells where it was between the two.
        assert re.search(rf"{WEIGHTS}.{{0,40}}: checksum mismatch", said.out + said.err)
    with closing(sqlite3.connect(config.parent / "research.db")) as output:
        assert output.execute("select count(*) from note").fetchone() == (0,)


def test_a_model_with_labels_without_surrogates_is_refused(config: Path, tmp_path: Path) -> None:
    def renamed(note: TrainingNote) -> TrainingNote:
        spans = tuple(replace(span, label=f"MY_{span.label}") for span in note.annotated.spans)
        return replace(note, annotated=replace(note.annotated, spans=spans))

    notes = [renamed(note) for note in toy_notes(20)]
    train(Corpora(notes, notes[:2]), toy_recipe(epochs=1), tmp_path / "mine")
    ask(config, tmp_path / "mine")
    with pytest.raises(ConfigError, match="no action for the model's labels MY_ID, MY_NAME"):
        run_nightly(config, run_in_process)


def test_foresight_asks_about_many_at_once_and_about_the_others_alone(folder: Path) -> None:
    asked = []

    class Counting:
        labels = ()
        rule_labels: ClassVar[dict[str, str]] = {}

        def spans(self, documents: Sequence[Document]) -> list[Any]:
            asked.append(len(documents))
            if any(document.text == "bad" for document in documents):
                raise ValueError
            return [[] for _ in documents]

    documents = [Document(str(number), f"note {number}") for number in range(TOGETHER)]
    documents += [Document("x", "bad"), Document("y", "good")]
    foresight = Foresight(Counting(), documents)
    assert foresight.spans(documents[0]) == []
    assert foresight.spans(documents[1]) == []
    assert asked == [TOGETHER]
    assert foresight.spans(documents[-1]) == []
    with pytest.raises(ValueError):
        foresight.spans(documents[-2])
    assert asked == [TOGETHER, 2, 1, 1]
    assert "note" not in repr(foresight)
    assert Foresight(None, documents).spans(documents[-2]) == []


def test_relative_folders_start_at_the_configuration(tmp_path: Path) -> None:
    assert folder_of("mine", tmp_path) == tmp_path / "mine"
    assert folder_of("default", tmp_path).name == "weights"


def test_workers_share_the_processors_and_the_operator_may_say_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)))
    assert _make_environment({"A": "b"}, 3) == {"OMP_NUM_THREADS": "2", "A": "b"}
    assert _make_environment({}, 20) == {"OMP_NUM_THREADS": "1"}
    assert _make_environment({"OMP_NUM_THREADS": "5"}, 3) == {"OMP_NUM_THREADS": "5"}


def calibrated(path: Path, folder: Path, **by_label: float) -> Path:
    record = CalibrationRecord(by_label, digest(folder), DETECTOR_VERSION, 0.1, 0.08, 0.3, 40)
    path.write_text(dump_thresholds(record))
    return path


def test_thresholds_of_the_configuration_decide(
    config: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note_id = plant(config)
    plain = hash_of(config)
    path = calibrated(tmp_path / "t.toml", folder, ID=1.0, NAME=0.1)
    ask(config, folder, f'thresholds = "{path}"')
    ended = run_nightly(config, run_in_process)
    text = released(config)[out_id(config, note_id)]
    assert "code 4821" in text  # nothing is as sure as that
    assert "Plimsko" not in text
    assert "at most 8.00 % of a note's identifier tokens" in "; ".join(ended.summary.detection)
    assert "at most 8.00 %" in ended.report.read_text()
    first = hash_of(config)
    calibrated(path, folder, ID=0.2, NAME=0.1)
    assert len({plain, first, hash_of(config)}) == 3
    capsys.readouterr()
    for command in (["doctor"], ["run", "--workers", "1"]):
        assert main([*command, str(config), "--plain"]) == 0
        assert "at most 8.00 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("NAME", "NOBODY"), "no label NOBODY"),
        (('NAME" = 0.1', 'NAME" = 1.5'), "not a file of thresholds"),
        (('tagger = "', 'tagger = "0'), "made for another tagger"),
        (("bound", "bond"), "not a file of thresholds"),
        (("[thresholds]", "[thresholds"), "not valid TOML"),
    ],
)
def test_thresholds_that_do_not_fit_end_the_run(
    config: Path,
    folder: Path,
    tmp_path: Path,
    change: tuple[str, str],
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = calibrated(tmp_path / "t.toml", folder, NAME=0.1)
    path.write_text(path.read_text().replace(*change))
    ask(config, folder, f'thresholds = "{path}"')
    assert main(["run", str(config), "--plain", "--workers", "1"]) == 2
    said = capsys.readouterr().err
    assert problem in said
    assert "Remedy: " in said
    notes = tmp_path / "notes.jsonl"
    notes.write_text(json.dumps({"note_id": "1", "text": TEXT}) + "\n")
    files = ["detect", str(notes), "-o", str(tmp_path / "out.jsonl"), "--model", str(folder)]
    assert main([*files, "--thresholds", str(path)]) == 2
    assert problem in capsys.readouterr().err


def test_thresholds_without_a_tagger_are_refused(config: Path, tmp_path: Path) -> None:
    ask(config, "none", f'thresholds = "{tmp_path}/t.toml"')
    with pytest.raises(ConfigError) as refused:
        run_nightly(config, run_in_process)
    assert refused.value.key == "model.thresholds"


def test_rules_that_the_configuration_leaves_out_take_no_part(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note_id = plant(config, "vu le 12/03/2019 sans fièvre, mail a.b@example.org\n")
    plain = hash_of(config)
    path = tmp_path / "selection.toml"
    path.write_text('detector_version = "floor-0"\ndropped = ["rules.contacts:EMAIL"]\n')
    config.write_text(f'{config.read_text()}\n[detection]\nselection = "{path}"\n')
    ended = run_nightly(config, run_in_process)
    text = released(config)[out_id(config, note_id)]
    assert "a.b@example.org" in text
    assert "12/03/2019" not in text
    assert hash_of(config) != plain
    left_out, outdated = ended.warnings[:2]
    assert "rules.contacts:EMAIL" in left_out
    assert "another version" in outdated
    assert "rules.contacts:EMAIL" in ended.report.read_text()
    assert main(["doctor", str(config), "--plain"]) == 0
    assert "made for another version" in capsys.readouterr().out
    path.write_text("dropped = [1]")
    assert main(["run", str(config), "--plain", "--workers", "1"]) == 2
