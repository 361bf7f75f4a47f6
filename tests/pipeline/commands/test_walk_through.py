"""The walk-throughs in the documents are commands that work, one after the other, as they stand."""

import json
import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from tests.keys import derive

DOCS = Path(__file__).parents[3] / "docs"
FIRST_SECTION = r"^## From the demo hospital.*?^```sh\n(.*?)^```$"

TINY = {
    "synthesize generate": "--notes 4 --min-length 10 --max-length 150 --workers 1",
    "synthesize fill": "--workers 1",
}
"""What is added to a command, so that it takes seconds: the last of two options counts."""

TINY_MODELS = {
    "generator": "--width 16 --layers 1 --vocabulary-size 450 --epochs 1",
    "filler": "--width 16 --layers 1 --heads 2 --context 128 --epochs 1",
}


def walk(page: str) -> list[list[str]]:
    """The commands of a walk-through, as words."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(FIRST_SECTION, text, re.MULTILINE | re.DOTALL)
    assert found, page
    lines = found[1].replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def name_of(words: list[str]) -> str:
    return " ".join(words[:2]) if words[0] == "synthesize" else words[0]


def tiny(words: list[str]) -> list[str]:
    """A command with sizes for which nobody waits."""
    name = name_of(words)
    extra = TINY.get(name, "")
    if name == "synthesize train":
        extra = TINY_MODELS[words[words.index("-o") + 1]]
    return [*words, *extra.split(), *(["--plain"] if name != "demo" else [])]


def make_hospital(night: Path, folder: Path) -> None:
    """What `demo` made, after its night, with few patients to release."""
    shutil.copytree(night, folder)
    derive(folder / "master.key", "study", "letters")
    with closing(sqlite3.connect(folder / "hospital.db")) as db, db:
        db.execute("delete from person where person_id > 7")


def prepare(words: list[str]) -> int:
    """Prepare a corpus: of few patients a part may be empty, which another seed mends."""
    codes = (main([*words, "--seed", str(seed)]) for seed in range(1, 30))
    return next((code for code in codes if code == EXIT_DONE), EXIT_GATE)


@pytest.mark.parametrize("page", ["synthesis.md", "mask-and-fill.md"])
def test_a_walk_through_works_as_it_stands(
    page: str,
    night: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = walk(page)
    assert {words[0] for words in lines} == {"cryptonym"}  # nothing else is needed
    commands = [words[1:] for words in lines]
    assert [commands[0][0], name_of(commands[-1])] == ["demo", "synthesize report"]
    make_hospital(night, tmp_path / commands[0][1])
    for words in map(tiny, commands[1:]):
        name = name_of(words)
        code = prepare(words) if name == "synthesize prepare" else main(words)
        wanted = EXIT_GATE if name == "synthesize report" else EXIT_DONE
        assert code == wanted, (words, capsys.readouterr().err)
    out = tmp_path / commands[-1][commands[-1].index("-o") + 1]
    report = json.loads((out / "report.json").read_text())
    assert report["verdict"] == "HOLD"
    assert report["reasons"]
    assert report["advice"]
    shown = (out / "report.html").read_text()
    assert "Suggestions" in shown
    assert all(row["name"] in shown for row in report["measured"])
