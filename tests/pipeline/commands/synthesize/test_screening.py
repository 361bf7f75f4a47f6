"""Synthetic notes are screened and judged: copies are held back, new notes with proof may leave."""

import hashlib
import json
import random
import re
import sys
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from evaluation.gate import Axis, Measured
from pipeline.cli import main
from pipeline.config.signing import verify_statement
from record.document import Annotated, Document
from record.errors import ConfigError
from surrogates.keys.keys import new_master
from synthesis.corpus_splitting import split_notes
from synthesis.prepared_corpus import digest, save_corpus

WORDS = [f"word{number}" for number in range(300)]
CANARY = "zebulonquist"


def text_of(chance: Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(60))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 600 notes of 300 patients, a key, 500 new notes and 500 with copies."""
    folder = tmp_path_factory.mktemp("screening")
    chance = random.Random(2)
    notes = [
        Annotated(
            Document(
                note_id=f"{number}",
                person_id=f"p{number // 2}",
                text=f"{CANARY} {text_of(chance)}",
            ),
            (),
        )
        for number in range(600)
    ]
    save_corpus(split_notes(notes, seed=1), folder / "corpus", {"inside": True})
    new_master(folder / "master.key")
    new = [text_of(chance) for _ in range(500)]
    generated(folder, "new", new)
    generated(folder, "copies", [*new[:480], *(note.document.text for note in notes[:20])])
    return folder


def generated(folder: Path, name: str, texts: list[str]) -> None:
    """What generation would have written."""
    place = folder / name
    place.mkdir()
    lines = [
        json.dumps({"note_id": f"s{number}", "text": text, "spans": []})
        for number, text in enumerate(texts)
    ]
    content = ("\n".join(lines) + "\n").encode()
    (place / "notes.jsonl").write_bytes(content)
    manifest = {
        "format": 1, "notes_sha256": hashlib.sha256(content).hexdigest(), "model_sha256": "m",
        "corpus_sha256": digest(folder / "corpus"), "seed": 1, "decoding": {"method": "nucleus"},
        "privacy": None, "base_sha256": None, "well_formed": 1.0, "tags": {"distance": 0.01},
    }  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(manifest))


def screened(folder: Path, name: str) -> Path:
    out = folder / f"screened-{name}"
    if not out.exists():
        code = main(
            ["synthesize", "screen", str(folder / name), str(folder / "corpus"), "-o", str(out)]
        )
        assert code == 0
    return out


def test_without_the_extra_it_says_how_to_install_it(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("evaluation.attacks.proximity", "pipeline.synthetic.measurements.screening"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "bm25s", None)
    places = [str(folder / "new"), str(folder / "corpus"), "-o", str(tmp_path / "out")]
    assert main(["synthesize", "screen", *places]) == 2
    assert "pip install 'cryptonym[models]'" in capsys.readouterr().err


def reported(folder: Path, name: str, *measured: Any) -> Any:
    files = [screened(folder, name) / "screen.json", *measured]
    return main([
        "synthesize", "report", str(folder / name), "-o", str(folder / f"report-{name}"),
        "--key", str(folder / "master.key"), "--measured", *map(str, files),
    ])  # fmt: skip


def utility(folder: Path, name: str) -> Path:
    """A file of measurements, as another tool may write it."""
    data = json.loads((folder / name / "manifest.json").read_text())["notes_sha256"]
    told = {"measured": [asdict(Measured("utility-of-real", Axis.UTILITY, 0.9, 0.88, 0.92, data))]}
    path = folder / f"utility-{name}.json"
    path.write_text(json.dumps(told))
    return path


def report_of(folder: Path, name: str) -> Any:
    return json.loads((folder / f"report-{name}" / "report.json").read_text())


def test_what_was_not_measured_holds(folder: Path) -> None:
    assert reported(folder, "new") == 1
    assert report_of(folder, "new")["reasons"] == ["utility-of-real: not measured"]


def test_new_notes_with_proof_may_leave(folder: Path) -> None:
    assert reported(folder, "new", utility(folder, "new")) == 0
    report = report_of(folder, "new")
    assert (report["verdict"], report["reasons"]) == ("RELEASE", [])
    assert all(row["asked"] and not row["problems"] for row in report["measured"])


def test_copies_are_held_and_named(folder: Path) -> None:
    assert reported(folder, "copies", utility(folder, "copies")) == 1
    reasons = " ".join(report_of(folder, "copies")["reasons"])
    assert "verbatim-8-words: upper bound above null is" in reasons


def test_the_pairs_to_read_hold_the_copies_and_nobody_else_may_read_them(folder: Path) -> None:
    review = screened(folder, "copies") / "review.jsonl"
    assert review.stat().st_mode & 0o077 == 0
    pairs = [json.loads(line) for line in review.read_text().splitlines()]
    assert sum(pair["synthetic"] == pair["real"] for pair in pairs) >= 12  # 20, those in train


def test_no_text_in_what_is_told(folder: Path) -> None:
    reported(folder, "copies", utility(folder, "copies"))
    for path in [screened(folder, "copies") / "screen.json", *(folder / "report-copies").iterdir()]:
        assert CANARY not in path.read_text()
        assert "word17" not in path.read_text()


def test_the_report_stands_alone(folder: Path) -> None:
    reported(folder, "new", utility(folder, "new"))
    page = (folder / "report-new" / "report.html").read_text()
    assert "RELEASE" in page
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=", page)


def test_the_manifest_is_signed_and_vouches_for_the_report(folder: Path) -> None:
    reported(folder, "new", utility(folder, "new"))
    place = folder / "report-new"
    statement = json.loads((place / "manifest.json").read_text())
    assert (
        statement["report_sha256"]
        == hashlib.sha256((place / "report.json").read_bytes()).hexdigest()
    )
    # As somebody without our code would check it.
    rest = {
        key: value for key, value in statement.items() if key not in ("public_key", "signature")
    }
    said = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(statement["public_key"]))
    key.verify(bytes.fromhex(statement["signature"]), said)
    verify_statement(statement, statement["public_key"])
    for changed in ({"verdict": "HOLD"}, {"signature": "00"}, {"new": 1}):
        with pytest.raises(ConfigError, match="invalid for this statement and key"):
            verify_statement(statement | changed, statement["public_key"])


@pytest.mark.parametrize("what", ["notes", "measured elsewhere", "damaged"])
def test_other_notes_than_those_measured_are_refused(
    folder: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    screened(folder, "new")
    if what == "notes":
        generated(folder, "changed", ["a b c"])
        with (folder / "changed" / "notes.jsonl").open("a") as file:
            file.write('{"note_id": "x", "text": "more"}\n')
        name, measured = "changed", screened(folder, "new") / "screen.json"
    else:
        name, measured = "new", utility(folder, "copies")
        if what == "damaged":
            measured.write_text('{"measured": [{"name": 3}]}')
    code = main([
        "synthesize", "report", str(folder / name), "-o", str(folder / "no"), "--measured",
        str(measured), "--key", str(folder / "master.key"),
    ])  # fmt: skip
    assert code == 2
    said = capsys.readouterr().err
    problem = {"notes": "has changed", "measured elsewhere": "holds measurements of other notes"}
    assert problem.get(what, "holds no measurements") in said
    assert not (folder / "no").exists()


def test_the_corpus_must_be_the_one_that_was_learnt_from(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(5)
    notes = [Annotated(Document(note_id=str(n), text=text_of(chance)), ()) for n in range(60)]
    save_corpus(split_notes(notes, seed=1), tmp_path / "other", {"inside": True})
    words = ["synthesize", "screen", str(folder / "new"), str(tmp_path / "other")]
    assert main([*words, "-o", str(tmp_path / "out")]) == 2
    assert "not the corpus" in capsys.readouterr().err
