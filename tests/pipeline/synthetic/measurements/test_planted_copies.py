"""Copies planted among two thousand notes: all are found and dropped, and none is left."""

import hashlib
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluation.attacks.passages import OTHERS, PASSAGE
from evaluation.gate import Verdict, decide
from evaluation.gate_case import load_requirements
from pipeline.config.progress import Progress
from pipeline.synthetic.measurements.copy_filter import DROPPED, filter_copies
from pipeline.synthetic.measurements.decision import SETS
from pipeline.synthetic.measurements.screening import screen_notes
from record.document import Annotated, Document
from synthesis.corpus_splitting import split_notes
from synthesis.generation_files import NOTES
from synthesis.prepared_corpus import digest, load_corpus, save_corpus

MADE, PATIENTS, PASSAGE_WORDS = 2000, 300, 12
HOUSE = "thank you for seeing this patient in our clinic today with kind regards from all of us"
"""What letters of everybody say: to say it, too, is no copy."""


def write_note(rng: Random) -> str:
    # Words so many that none stands beside a phrase of the house in two notes.
    words = ["".join(rng.choices("abdefgiklmnoprstu", k=8)) for _ in range(60)]
    words[20] = f"{rng.randrange(10, 300)}/{rng.randrange(10, 99)}"
    return f"{' '.join(words[:40])}. {HOUSE}. {' '.join(words[40:])}"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, folder = Random(1), tmp_path_factory.mktemp("planted") / "corpus"
    notes = [
        Annotated(Document(f"n{number}", write_note(rng), f"p{number // 2}"), ())
        for number in range(2 * PATIENTS)
    ]
    save_corpus(split_notes(notes, seed=1), folder, {})
    return folder


def generated(folder: Path, corpus: Path, texts: list[str]) -> Path:
    folder.mkdir()
    lines = "".join(
        json.dumps({"note_id": f"s{number}", "text": text, "spans": []}) + "\n"
        for number, text in enumerate(texts)
    )
    (folder / NOTES).write_text(lines)
    manifest: dict[str, Any] = {
        "format": 1, "corpus_sha256": digest(corpus), "well_formed": 1.0,
        "notes_sha256": hashlib.sha256(lines.encode()).hexdigest(), "tags": {"distance": 0.0},
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def hide(copy: str, way: int) -> str:
    """A copy as it is, in capitals, with other numbers, or on other lines."""
    if way == 1:
        return copy.upper()
    if way == 2:
        return re.sub(r"\d+", "77", copy)
    return copy.replace(" ", "\n") if way == 3 else copy


def copied_passages(made: Path, corpus: Path) -> Any:
    found = screen_notes(made, corpus, Progress(), seed=1)
    return next(each for each in found.measured if each.name == "copied-passages")


def plant(folder: Path, corpus: Path, count: int, made: int) -> tuple[Path, set[str]]:
    """Notes among which are so many whole copies, and as many with a passage; and their ids."""
    rng = Random(f"planted {count}")
    train = load_corpus(corpus).notes["train"]
    real = [note.marked.replace("<PAR>", "\n") for note in rng.sample(train, 2 * count)]
    texts = [write_note(rng) for _ in range(made)]
    places = rng.sample(range(made), 2 * count)
    for number, place in enumerate(places):
        if number < count:
            texts[place] = hide(real[number], number % 4)
        else:
            passage = " ".join(real[number].split()[5 : 5 + PASSAGE_WORDS])
            texts[place] = f"{texts[place]} {hide(passage, number % 4)}."
    return generated(folder, corpus, texts), {f"s{place}" for place in places}


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_every_planted_copy_is_dropped_and_nothing_else(
    tmp_path: Path, corpus: Path, count: int
) -> None:
    made, planted = plant(tmp_path / "made", corpus, count, MADE)
    told = filter_copies(made, corpus, tmp_path / "filtered", Progress())
    dropped = (tmp_path / "filtered" / DROPPED).read_text().splitlines()
    assert {json.loads(line)["note_id"] for line in dropped} == planted
    assert told["filtered"]["read"] == MADE
    assert told["filtered"]["dropped"] == 2 * count
    assert len((tmp_path / "filtered" / NOTES).read_text().splitlines()) == MADE - 2 * count


def test_one_copy_holds_notes_and_what_the_filter_leaves_has_none(
    tmp_path: Path, corpus: Path
) -> None:
    made, _ = plant(tmp_path / "made", corpus, 1, 100)
    (bar,) = (
        each
        for each in load_requirements(Path("synthetic"), SETS)
        if each.name == "copied-passages"
    )
    before = copied_passages(made, corpus)
    assert before.control == 1
    assert decide([before], [bar]).verdict is Verdict.HOLD
    filter_copies(made, corpus, tmp_path / "filtered", Progress())
    after = copied_passages(tmp_path / "filtered", corpus)
    assert after.value == after.high == 0
    assert decide([after], [bar]).verdict is Verdict.RELEASE


def test_a_passage_is_eight_words_and_a_phrase_of_the_house_is_none(
    tmp_path: Path, corpus: Path
) -> None:
    words = load_corpus(corpus).notes["train"][0].marked.split()[5:]
    rng = Random(9)
    texts = [
        f"{write_note(rng)} {' '.join(words[: PASSAGE - 1])}.",
        f"{write_note(rng)} {' '.join(words[:PASSAGE])}.",
    ]
    filter_copies(generated(tmp_path / "made", corpus, texts), corpus, tmp_path / "f", Progress())
    (dropped,) = (tmp_path / "f" / DROPPED).read_text().splitlines()
    assert json.loads(dropped)["note_id"] == "s1"
    assert len(HOUSE.split()) > PASSAGE, "which more than OTHERS patients have"
    assert PATIENTS > OTHERS
