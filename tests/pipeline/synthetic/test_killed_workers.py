"""Two workers, one killed in the middle: what is done stays, and the notes are the same."""

import os
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_UNAVAILABLE
from tests.pipeline.synthetic.dying_workers import KILLED, LOADED, TRACES
from tests.synthesis.letters import letters
from tests.synthesis.releases import write_release


def call(*words: object) -> int:
    return main(["synthesize", *map(str, words), "--plain"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, a model that writes notes, one that fills letters, and masked letters."""
    made = tmp_path_factory.mktemp("killed")
    release = write_release(made / "release", letters(60), withdrawn={})
    corpus = made / "corpus"
    assert call("prepare", release, "-o", corpus) == 0
    small = ["--width", 32, "--layers", 1, "--heads", 2, "--epochs", 1]
    more = ["--recipe", "gpt-small", "--context", 256, "--vocabulary-size", 400]
    assert call("train", corpus, "-o", made / "model", *more, *small) == 0
    assert call("train", corpus, "-o", made / "filler", "--recipe", "masked", *small) == 0
    assert call("mask", corpus, "-o", made / "masked", "--share", 0.5) == 0
    assert main(["keys", "new", str(made / "master.key")]) == 0
    return made


def generate(folder: Path, out: Path, *options: object) -> int:
    return generate_in(["--batch", 2], folder, out, *options)


def generate_by_tokens(folder: Path, out: Path, *options: object) -> int:
    return generate_in(["--batch-tokens", 200], folder, out, *options)


def generate_in(batches: list[object], folder: Path, out: Path, *options: object) -> int:
    short = ["--notes", 12, "--min-length", 10, "--max-length", 80, *batches]
    return call("generate", folder / "model", folder / "corpus", "-o", out, *short, *options)


def fill(folder: Path, out: Path, *options: object) -> int:
    key = ["--key", folder / "master.key", "--cohort", "letters", "--top-k", 50, "--batch", 4]
    return call("fill", folder / "filler", folder / "masked", "-o", out, *key, *options)


@pytest.mark.parametrize(
    ("write", "module", "dying"),
    [
        (generate, "pipeline.beam.generation", "generate_and_die"),
        (generate_by_tokens, "pipeline.beam.generation", "generate_and_die"),
        (fill, "pipeline.beam.filling", "fill_and_die"),
    ],
)
def test_a_killed_worker_changes_nothing(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[..., int],
    module: str,
    dying: str,
) -> None:
    assert write(folder, tmp_path / "whole") == 0
    whole = (tmp_path / "whole" / "notes.jsonl").read_bytes()

    monkeypatch.setenv(TRACES, str(tmp_path))
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.setattr(f"{module}.work", getattr(import_module("dying_workers"), dying))
    out = tmp_path / "cut"
    assert write(folder, out, "--workers", 2) == EXIT_UNAVAILABLE
    assert (tmp_path / KILLED).exists()
    parts = {path: path.read_bytes() for path in (out / ".parts").glob("*.jsonl")}
    assert parts, "what the killed worker had written stays"
    assert not (out / "notes.jsonl").exists()

    assert write(folder, out, "--workers", 2) == 0
    assert (out / "notes.jsonl").read_bytes() == whole
    # Each process, of the first and of the second run, has loaded one model.
    loaded = Counter((tmp_path / LOADED).read_text().split())
    assert set(loaded.values()) == {1}
    assert str(os.getpid()) not in loaded
    assert 3 <= len(loaded) <= 4
