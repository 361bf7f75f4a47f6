"""Files that `detect` cannot use: what is said of each, with which exit code."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from models.tagger.folder import VOCABULARY, WEIGHTS
from models.tagger.shipped_model import SETTINGS, SHIPPED
from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_DONE, EXIT_USAGE


@pytest.fixture
def detect(tmp_path: Path) -> Callable[..., int]:
    """Call `detect` on one note."""
    note = {"note_id": "1", "text": "Vu le 12/03/2019, mail a.b@example.org", "lang": "fr"}
    (tmp_path / "notes.jsonl").write_text(json.dumps(note) + "\n")

    def call(*more: object) -> int:
        files = (tmp_path / "notes.jsonl", "-o", tmp_path / "found.jsonl")
        return main([str(word) for word in ("detect", *files, *more, "--plain")])

    return call


@pytest.mark.parametrize(
    ("missing", "damaged", "said"),
    [
        ([WEIGHTS], [], f"{WEIGHTS}: cannot be read. Remedy: give a folder written by"),
        ([VOCABULARY], [], f"{VOCABULARY}: cannot be read. Remedy: give a folder written by"),
        ([SETTINGS], [], f"contains no {SETTINGS}. Remedy: give a folder written by"),
        ([], [WEIGHTS], f"{WEIGHTS}: checksum mismatch. Remedy: copy the folder again"),
        ([], [VOCABULARY], f"{VOCABULARY}: checksum mismatch. Remedy: copy the folder again"),
        ([], [SETTINGS], f"{SETTINGS}: not valid JSON. Remedy: give a folder written by"),
    ],
)
def test_a_tagger_that_is_not_whole_is_refused(
    missing: list[str],
    damaged: list[str],
    said: str,
    detect: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "tagger"
    folder.mkdir()
    for name in {SETTINGS, VOCABULARY, WEIGHTS} - {*missing, *damaged}:
        if name == WEIGHTS:
            (folder / name).symlink_to(SHIPPED / name)  # 57 MB
        else:
            shutil.copy(SHIPPED / name, folder)
    for name in damaged:
        (folder / name).write_bytes(b"\0damaged")
    assert detect("--model", folder) == EXIT_USAGE
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "found.jsonl").exists()


def test_a_choice_of_rules_for_another_version_is_obeyed_and_told_of(
    detect: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "selection.toml"
    path.write_text('detector_version = "floor-0"\ndropped = ["rules.contacts:EMAIL"]\n')
    assert detect("--model", "none", "--selection", path) == EXIT_DONE
    said = capsys.readouterr()
    assert f"{path}: made for another version; run `cryptonym select` again" in said.err
    assert f"rules left out by {path}: rules.contacts:EMAIL" in said.err
    assert "detection: rules floor-" in said.out
    (line,) = (tmp_path / "found.jsonl").read_text().splitlines()
    assert [span["label"] for span in json.loads(line)["spans"]] == ["DATE"]
