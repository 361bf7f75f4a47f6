"""The rules compiled to C are the same rules: what they find, and what they refuse."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.detection.native import build

ROOT = Path(__file__).parents[1]
PIECES = 1500
"""Of each language, with the values of a patient known."""
HOSTILE = (
    "",
    "\x00\ufeff\u202e12/03/1954",
    "\U0001f600 Dr. \ud800 Roche",
    "né le " * 400,
    "1 " * 999,
)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.splitlines()
    elif isinstance(value, Mapping):
        yield from strings([*value, *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from strings(one)


def forms() -> list[str]:
    """Every line of the tables of forms, those that are identifiers and those that are not."""
    files = sorted((ROOT / "tests" / "rules").rglob("forms_*.py"))
    modules = [
        importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        for file in files
    ]
    return sorted({text for module in modules for text in strings(list(vars(module).values()))})


def finds(rooms: Path, texts: list[str], cache: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "native_finds.py"), str(PIECES)],
        input=json.dumps(texts),
        cwd=rooms,
        env={**os.environ, "PYTHONPATH": str(rooms), "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("build"), opt_level="0")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_compiled_rules_find_what_interpreted_rules_find(native: Path, tmp_path: Path) -> None:
    texts = [*forms(), *HOSTILE]
    cache = tmp_path / "cache"
    ours = finds(ROOT, texts, cache)
    automata = {path.name for path in cache.rglob("*.hs")}
    theirs = finds(native, texts, cache)

    assert (ours["compiled"], theirs["compiled"]) == (False, True)
    assert all(file.endswith(".py") for file in ours["modules"].values())
    assert all(file.endswith(".so") for file in theirs["modules"].values())
    assert set(theirs["modules"]) == set(ours["modules"])
    # A pattern in `setup.py` that no longer matches would compile nothing.
    on_disk = {file.stem for file in (ROOT / "rules").rglob("[!_]*.py")}
    built = {file.name.split(".")[0] for file in (native / "rules").rglob("*.so")}
    assert built == on_disk
    assert len(texts) > 5000
    assert sum(map(len, filter(None, ours["spans"]))) > 5000
    assert None not in ours["spans"]  # nothing was refused
    assert theirs["spans"] == ours["spans"]
    # The same expressions loosened by the same code: nothing is compiled once more.
    assert automata
    assert {path.name for path in cache.rglob("*.hs")} == automata


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_the_nightly_job_runs_on_compiled_rules(native: Path, tmp_path: Path) -> None:
    """Among other things what is configured of the rules reaches the workers, by pickle."""
    folder = tmp_path / "demo"
    fiction = ["demo", str(folder), "--patients", "2", "--model", "none", "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *fiction, "--json"],
        cwd=native,
        env={**os.environ, "PYTHONPATH": str(native)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout)["notes"]
    assert notes["released"] == notes["planned"] > 0
