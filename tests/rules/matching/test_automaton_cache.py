import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hyperscan
import pytest

from rules.matching import scanner

EXPRESSIONS = ["mars [0-9]{4}", "[a-z]+@"]
TEXT = b"le 3 mars 2024, a@b"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "cryptonym" / "automata"


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    made: list[int] = []
    compile_ = scanner._compile

    def compile_and_count(expressions: Sequence[bytes]) -> hyperscan.Database:
        made.append(len(expressions))
        return compile_(expressions)

    monkeypatch.setattr(scanner, "_compile", compile_and_count)
    return made


def hits(database: hyperscan.Database) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    database.scan(
        TEXT,
        match_event_handler=lambda number, start, end, *_: found.append((number, start, end)),
        scratch=hyperscan.Scratch(database),
    )
    return found


def only(cache: Path) -> Path:
    (path,) = cache.iterdir()
    return path


def test_what_was_compiled_is_read_the_next_time(cache: Path, compiles: list[int]) -> None:
    first, second = scanner.database(EXPRESSIONS), scanner.database(EXPRESSIONS)
    assert compiles == [2]
    assert hits(first) == hits(second) == [(0, 5, 14), (1, 16, 18)]
    assert stat.S_IMODE(only(cache).stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_other_expressions_are_compiled_for_themselves(cache: Path, compiles: list[int]) -> None:
    scanner.database(EXPRESSIONS)
    assert hits(scanner.database(EXPRESSIONS[:1])) == [(0, 5, 14)]
    # The border between two expressions counts, not only their letters.
    scanner.database(["ab", "c"])
    scanner.database(["a", "bc"])
    assert compiles == [2, 1, 2, 2]


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.chmod(0o620),
        lambda path: path.chmod(0o602),
        lambda path: path.parent.chmod(0o770),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(path.read_bytes()[:-9] + b"altered!!"),
        lambda path: path.write_bytes(b""),
        lambda path: path.symlink_to(path.rename(path.parents[1] / "moved")),
    ],
    ids=["group", "others", "folder", "cut", "altered", "empty", "link"],
)
def test_what_others_may_have_written_is_compiled_anew(
    cache: Path, compiles: list[int], harm: Callable[[Any], Any]
) -> None:
    scanner.database(EXPRESSIONS)
    harm(only(cache))
    assert hits(scanner.database(EXPRESSIONS)) == [(0, 5, 14), (1, 16, 18)]
    assert compiles == [2, 2]


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(occupied))
    assert len(hits(scanner.database(EXPRESSIONS))) == 2


def test_an_account_without_a_home_has_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scanner, "user_cache_path", lambda name: Path("~/.cache") / name)
    assert len(hits(scanner.database(EXPRESSIONS))) == 2
    assert list(tmp_path.iterdir()) == []


def test_the_newest_few_stay(cache: Path) -> None:
    for number in range(scanner._KEPT + 3):
        scanner.database(["a" * (number + 1)])
    assert len(list(cache.iterdir())) == scanner._KEPT


def test_what_is_used_stays(cache: Path, compiles: list[int]) -> None:
    for number in range(scanner._KEPT + 3):
        scanner.database(EXPRESSIONS)
        scanner.database(["a" * (number + 1)])
        old = time.time_ns() - 10**12 + number
        os.utime(cache / f"{scanner._digest(EXPRESSIONS)}.hs", ns=(old, old))
    compiles.clear()
    scanner.database(EXPRESSIONS)
    assert compiles == []


EVERY = """
import hashlib, pipeline.notes.detection, rules.known.known
from rules.matching.scanner import AUTOMATA
print(sorted(pattern.pattern for automaton in AUTOMATA for pattern in automaton.patterns))
"""


def test_every_process_has_the_same_expressions() -> None:
    """Otherwise none could use what another has compiled: that takes seconds of each."""
    told = {
        subprocess.run(
            [sys.executable, "-c", EVERY],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
    assert len(told.pop()) > 1000
