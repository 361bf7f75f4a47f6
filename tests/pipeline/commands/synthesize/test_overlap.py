"""Whether a pretrained model knows the corpus is measured, and asked for before notes leave."""

import json
import random
from pathlib import Path
from random import Random
from typing import Any

import pytest

from models.language.training.gpt2_weights import digest as base_digest
from pipeline.cli import main
from record.document import Annotated, Document
from surrogates.keys.keys import new_master
from synthesis.corpus_splitting import split_notes
from synthesis.prepared_corpus import save_corpus
from tests.models.gpt2 import save_gpt2

CANARY = "zebulonquist"
NAME = "base-overlap-13-words"


def text_of(chance: Random) -> str:
    words = [f"{chance.choice('bcdfgh')}{chance.choice('aeiou')}t" for _ in range(60)]
    return f"{CANARY} " + " ".join(words)


def lines(path: Path, texts: list[Any]) -> Path:
    content = [json.dumps({"note_id": f"n{at}", "text": text}) for at, text in enumerate(texts)]
    path.write_text("\n".join(content) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 60 notes, 40 notes of others, a base, and a generator that began with it."""
    folder = tmp_path_factory.mktemp("overlap")
    chance = random.Random(4)
    texts = [text_of(chance) for _ in range(60)]
    notes = [
        Annotated(Document(note_id=f"{at}", person_id=f"p{at // 2}", text=text), ())
        for at, text in enumerate(texts)
    ]
    save_corpus(split_notes(notes, seed=1), folder / "corpus", {"inside": True})
    save_gpt2(folder / "base", texts, places=128)
    lines(folder / "unseen.jsonl", [text_of(chance) for _ in range(40)])
    half = " ".join(texts[1].split()[:30])
    (folder / "web.txt").write_text(f"{texts[0].upper()}\n\nsomething else\n{half}\n")
    lines(folder / "web.jsonl", [text_of(chance), f"It said: {texts[2]}!"])
    new_master(folder / "master.key")
    given = ["--recipe", "gpt2", "--pretrained", folder / "base", "--vocabulary-size", "300"]
    assert synthesize("train", folder / "corpus", "-o", folder / "generator", *given) == 0
    given = ["--notes", "6", "--max-length", "60", "--seed", "3"]
    made = ["generate", folder / "generator", folder / "corpus", "-o", folder / "synthetic"]
    assert synthesize(*made, *given) == 0
    return folder


def synthesize(*words: object) -> int:
    return main(["synthesize", *map(str, words)])


def overlap(folder: Path, out: str, *given: Any, base: str = "base") -> int:
    words = [folder / base, folder / "corpus", "-o", folder / out, "--key", folder / "master.key"]
    return synthesize("overlap", *words, *given)


def told(folder: Path, out: str) -> Any:
    return json.loads((folder / out / "overlap.json").read_text())


@pytest.fixture(scope="module")
def measured(folder: Path) -> Any:
    texts = ["--text", folder / "web.txt", folder / "web.jsonl"]
    assert overlap(folder, "both", *texts, "--unseen", folder / "unseen.jsonl") == 0
    return told(folder, "both")


def test_notes_in_the_text_of_the_base_are_named(folder: Path, measured: Any) -> None:
    found = {each["name"]: each for each in measured["measured"]}
    assert found[NAME]["value"] == pytest.approx(3 / 60)
    assert (found[NAME]["null"], found[NAME]["control"]) == (0, 1)
    shares = {each["note_id"]: each["share"] for each in measured["notes"]}
    assert shares == {"0": 1, "1": pytest.approx(30 / 61, abs=1e-3), "2": 1}
    path = folder / "both" / "overlap.json"
    assert path.stat().st_mode & 0o077 == 0 and CANARY not in path.read_text()


def test_a_base_without_knowledge_guesses_and_a_taught_one_knows(measured: Any) -> None:
    asked = measured["measured"][1]
    assert asked["low"] <= 0.5 <= asked["high"]
    assert asked["control"] >= 0.9
    assert asked["detail"] == {
        "notes": 60, "unseen": 40, "taught": 10, "patients": 30, "other patients": 40,
    }  # fmt: skip


def report(folder: Path, name: str, *files: Path) -> Any:
    out = folder / name
    key = ["--key", folder / "master.key", "--measured", *files]
    assert synthesize("report", folder / "synthetic", "-o", out, *key) == 1
    return json.loads((out / "report.json").read_text())


def screened(folder: Path) -> Path:
    out = folder / "screened"
    if not out.exists():
        words = [folder / "synthetic", folder / "corpus", "-o", out, "--key", folder / "master.key"]
        assert synthesize("screen", *words) == 0
    return out / "screen.json"


def test_the_gate_asks_for_it_where_weights_were_there_before(
    folder: Path, measured: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads((folder / "synthetic" / "manifest.json").read_text())
    assert manifest["base_sha256"] == base_digest(folder / "base")
    without = report(folder, "without", screened(folder))
    assert "base-likelihood-auc: not measured" in without["reasons"]
    assert not any(reason.startswith(NAME) for reason in without["reasons"])
    assert any("synthesize overlap" in advice for advice in without["advice"])
    both = report(folder, "with", screened(folder), folder / "both" / "overlap.json")
    assert any(reason.startswith(f"{NAME}: upper bound is 0.13") for reason in both["reasons"])
    rows = {row["name"]: row for row in both["measured"]}
    assert rows["base-likelihood-auc"]["asked"].startswith("at most 0.6")
    assert CANARY not in capsys.readouterr().out + json.dumps(both)


def test_private_training_says_what_it_does_not_promise(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--recipe", "gpt2", "--pretrained", folder / "base", "--vocabulary-size", "300"]
    given += ["--epsilon", "8", "--max-minutes", "0.01"]
    assert synthesize("train", folder / "corpus", "-o", tmp_path / "private", *given) == 0
    assert "does not protect notes that the pretrained model" in capsys.readouterr().err


def test_another_base_does_not_count(folder: Path) -> None:
    save_gpt2(folder / "other", ["nothing to see"] * 9, width=32)
    assert overlap(folder, "others", "--text", folder / "web.txt", base="other") == 0
    key = ["--key", folder / "master.key", "-o", folder / "refused"]
    files = [screened(folder), folder / "others" / "overlap.json"]
    assert synthesize("report", folder / "synthetic", *key, "--measured", *files) == 1
    reasons = json.loads((folder / "refused" / "report.json").read_text())["reasons"]
    assert "overlap.json: holds measurements of other notes, or of another model" in reasons


def test_an_older_generation_is_asked_as_well(folder: Path, tmp_path: Path) -> None:
    for name in ("notes.jsonl", "manifest.json"):
        (tmp_path / name).write_bytes((folder / "synthetic" / name).read_bytes())
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    del manifest["base_sha256"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    key = ["--key", folder / "master.key", "-o", tmp_path / "report"]
    assert synthesize("report", tmp_path, *key, "--measured", screened(folder)) == 1
    reasons = json.loads((tmp_path / "report" / "report.json").read_text())["reasons"]
    assert "base-likelihood-auc: not measured" in reasons


def test_what_is_missing_is_said(
    folder: Path, measured: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n")
    one = lines(tmp_path / "one.jsonl", ["only this"])
    for given, said in (
        ([], "both missing"),
        (["--text", empty], "must contain words"),
        (["--text", tmp_path / "none.jsonl"], "none.jsonl"),
        (["--unseen", one], "at least two"),
    ):
        assert overlap(folder, "wrong", *given) == 2
        assert said in capsys.readouterr().err
    assert not (folder / "wrong").exists()
    assert overlap(folder, "both", "--text", empty) == 2
    assert "not empty" in capsys.readouterr().err


def test_a_plain_text_is_read_in_parts(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.synthetic.measurements.base_overlap._BLOCK", 50)
    (tmp_path / "glued.txt").write_text("x" * 300 + " " + (folder / "web.txt").read_text())
    assert overlap(folder, "parts", "--text", tmp_path / "glued.txt") == 0
    assert [each["note_id"] for each in told(folder, "parts")["notes"]] == ["0", "1"]
