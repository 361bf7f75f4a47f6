"""Batches by a budget of tokens: as few as there can be, and the same notes by any workers."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.generation_files import Generation, plan_batches
from tests.synthesis.letters import letters
from tests.synthesis.test_synthesize_commands import QUICK, call, write

LENGTHS = st.lists(st.integers(0, 30), max_size=60)


@given(LENGTHS, st.integers(30, 200))
def test_each_place_is_in_one_batch_within_the_budget(lengths: list[int], most: int) -> None:
    batches = plan_batches(lengths, most)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[at] for at in batch) <= most for batch in batches)
    longest = [max(lengths[at] for at in batch) for batch in batches]
    assert longest == sorted(longest, reverse=True)


def partitions(places: Sequence[int]) -> Iterator[list[list[int]]]:
    """All ways to divide places into batches."""
    if not places:
        yield []
        return
    first, rest = places[0], places[1:]
    for found in partitions(rest):
        yield [[first], *found]
        for number, batch in enumerate(found):
            yield [*found[:number], [first, *batch], *found[number + 1 :]]


@given(st.lists(st.integers(1, 10), max_size=6), st.integers(10, 30))
def test_there_are_as_few_batches_as_there_can_be(lengths: list[int], most: int) -> None:
    fewest = min(
        len(way)
        for way in partitions(range(len(lengths)))
        if all(len(batch) * max(lengths[at] for at in batch) <= most for batch in way)
    )
    assert len(plan_batches(lengths, most)) == fewest


@given(st.lists(st.integers(1, 30), min_size=1))
def test_a_place_that_no_batch_holds_is_refused(lengths: list[int]) -> None:
    with pytest.raises(ValueError):
        plan_batches(lengths, max(lengths) - 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, and a model that has learnt from it a little."""
    made = tmp_path_factory.mktemp("tokens")
    notes = write(made / "notes.jsonl", letters(60))
    assert call("prepare", notes, "--inside", "-o", made / "corpus", "--plain") == 0
    assert call("train", made / "corpus", "-o", made / "model", *QUICK) == 0
    return made


def generate(folder: Path, out: Path, *options: object) -> int:
    short = ["--min-length", 10, "--max-length", 120, "--batch-tokens", 400, "--plain"]
    return call("generate", folder / "model", folder / "corpus", "-o", out, *short, *options)


def test_notes_are_the_same_for_any_number_of_workers_and_after_a_stop(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.synthetic import note_generation

    asked = ["--notes", 14]
    assert generate(folder, tmp_path / "whole", *asked) == 0
    whole = (tmp_path / "whole" / "notes.jsonl").read_bytes()
    ids = [json.loads(line)["note_id"] for line in whole.splitlines()]
    assert ids == [f"synthetic-1-{place:06d}" for place in range(14)]
    manifest = json.loads((tmp_path / "whole" / "manifest.json").read_text())
    assert manifest["batch"] is None and manifest["batch_tokens"] == 400

    def broken(*_: object) -> None:
        raise OSError("no space")

    with monkeypatch.context() as patched:
        patched.setattr(note_generation, "assemble", broken)
        with pytest.raises(OSError, match="no space"):
            generate(folder, tmp_path / "cut", *asked)
    parts = sorted((tmp_path / "cut" / ".parts").glob("*.jsonl"))
    sizes = [len(part.read_bytes().splitlines()) for part in parts]
    assert sum(sizes) == 14 and len(set(sizes)) > 1, "batches are of tokens, not of notes"
    places = [json.loads(part.read_text().splitlines()[0])["note_id"] for part in parts]
    assert places != sorted(places), "and of like length, not in order"
    parts[1].unlink()
    assert generate(folder, tmp_path / "cut", *asked, "--batch-tokens", 401) == 2
    assert generate(folder, tmp_path / "cut", *asked, "--workers", 2) == 0
    assert (tmp_path / "cut" / "notes.jsonl").read_bytes() == whole


def test_notes_are_chosen_among_batches_by_tokens(folder: Path, tmp_path: Path) -> None:
    chosen = ["--notes", 5, "--tags", "asked", "--candidates", 2]
    assert generate(folder, tmp_path / "out", *chosen) == 0
    lines = (tmp_path / "out" / "notes.jsonl").read_text().splitlines()
    ids = [json.loads(line)["note_id"] for line in lines]
    assert len(ids) == 5 and ids == sorted(ids)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["chosen_among"] == 10


def test_a_plan_is_of_index_and_seed(folder: Path, tmp_path: Path) -> None:
    made = Generation(
        folder / "model", folder / "corpus", tmp_path / "x", 20, 1, 32, batch_tokens=2000
    )
    again = Generation(
        folder / "model", folder / "corpus", tmp_path / "y", 20, 1, 8, batch_tokens=2000
    )
    assert [made.places(unit) for unit in made.units] == [
        again.places(unit) for unit in again.units
    ]
    assert made.fingerprint() == again.fingerprint()


def test_what_cannot_be_planned_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(folder, tmp_path / "out", "--notes", 4, "--batch-tokens", 20) == 2
    assert "--batch-tokens: less than one note may take" in capsys.readouterr().err
    assert generate(folder, tmp_path / "out", "--words", 100) == 2
    assert "--batch-tokens: needs a fixed number of notes" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        generate(folder, tmp_path / "out", "--notes", 4, "--batch", 4)
    assert not (tmp_path / "out").exists()
