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

from benchmarks.native import build

ROOT = Path(__file__).parents[1]
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
    files = sorted((ROOT / "tests" / "rules").glob("forms_*.py"))
    modules = [importlib.import_module(f"tests.rules.{file.stem}") for file in files]
    return sorted({text for module in modules for text in strings(list(vars(module).values()))})


def finds(rooms: Path, texts: list[str], cache: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "native_finds.py")],
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


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_compiled_rules_find_what_interpreted_rules_find(tmp_path: Path) -> None:
    texts = [*forms(), *HOSTILE]
    cache = tmp_path / "cache"
    ours = finds(ROOT, texts, cache)
    automata = {path.name for path in cache.rglob("*.hs")}
    native = finds(build(tmp_path), texts, cache)

    assert (ours["compiled"], native["compiled"]) == (False, True)
    assert all(file.endswith(".py") for file in ours["modules"].values())
    assert all(file.endswith(".so") for file in native["modules"].values())
    assert len(texts) > 5000
    assert sum(map(len, filter(None, ours["spans"]))) > 5000
    assert native["spans"] == ours["spans"]
    # The same expressions loosened by the same code: nothing is compiled once more.
    assert automata
    assert {path.name for path in cache.rglob("*.hs")} == automata
