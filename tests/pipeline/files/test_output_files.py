"""Output files: whole or not at all, and nothing of a killed process stays beside them."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.files.output_files import OutputFiles
from surrogates.keys.keys import new_master

ROOT = Path(__file__).parents[3]
KILLED = """
import os, signal, sys
from pathlib import Path
from pipeline.files.output_files import OutputFiles
with OutputFiles(Path(sys.argv[1]), []) as files:
    files.note({"note_id": "1", "text": "Wexlovitch"})
    files._files[1].flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def left(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*"))


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    out = tmp_path / "notes [1].jsonl"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(out)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert any(b"Wexlovitch" in path.read_bytes() for path in left(tmp_path))
    other = tmp_path / ".notes [1].jsonl.mine"
    other.write_text("mine")
    with OutputFiles(out, []) as files:
        files.note({"note_id": "2", "text": "x"})
    assert left(tmp_path) == [other]
    assert out.read_text().count("\n") == 1


def test_what_another_process_writes_stays(tmp_path: Path) -> None:
    out = tmp_path / "notes.jsonl"
    with OutputFiles(out, []) as one:
        one.note({"note_id": "1", "text": "one"})
        with OutputFiles(out, []) as two:
            assert len(left(tmp_path)) == 4
            two.note({"note_id": "2", "text": "two"})
    assert '"one"' in out.read_text() and not left(tmp_path)


def test_a_key_that_few_notes_have_is_counted_and_not_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new_master(tmp_path / "key")
    notes = [{"note_id": str(n), "person_id": "1", "text": "x", "author": "A"} for n in range(3)]
    notes[0]["Wexlovitch"] = "1"
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(json.dumps(note) + "\n" for note in notes))
    words = ["pseudonymize", str(source), "-o", str(tmp_path / "out.jsonl"), "--lang", "fr"]
    words += ["--key", f"file:{tmp_path / 'key'}", "--cohort", "c", "--model", "none"]
    assert main([*words, "--allow-unknown", "--plain"]) == 0
    told = capsys.readouterr().err
    assert "author (3), 1 more that fewer notes have" in told and "Wexlovitch" not in told
    assert "Wexlovitch" not in (tmp_path / "out.jsonl").read_text()
