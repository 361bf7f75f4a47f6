"""Benchmarks built of open text: five figures counted again, and nobody is in two parts."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from models.language.corpus.vocabulary import WordVocabulary
from models.language.training.recipe import make_recipe
from pipeline.cli import main
from pipeline.synthetic.generator_training import learn_vocabulary
from synthesis.corpus_splitting import PLACEHOLDER, SPLITS
from synthesis.corpus_statistics import words_in
from synthesis.prepared_corpus import load_corpus

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
ANNOTATED = CORPORA / "meddocan" / "train.jsonl"
BACKGROUND = CORPORA / "unannotated" / "es_meddocan_background.jsonl"

pytestmark = pytest.mark.skipif(
    not (ANNOTATED.is_file() and BACKGROUND.is_file()),
    reason="the corpora are not there: they lie beside the checkout",
)


def lines(path: Path, count: int) -> list[dict[str, Any]]:
    with path.open() as file:
        return [json.loads(line) for line, _ in zip(file, range(count), strict=False)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of 60 annotated notes, 60 others, and of each of these one that repeats it."""
    folder = tmp_path_factory.mktemp("open")
    others = lines(BACKGROUND, 60)
    # Repeated word by word, and with a few words more, under names of their own.
    again = [{**each, "note_id": f"again-{each['note_id']}"} for each in others[:30]]
    nearly = [
        {**each, "note_id": f"nearly-{each['note_id']}", "text": f"Informe nuevo. {each['text']}"}
        for each in others[30:]
    ]
    for name, some in (("a", lines(ANNOTATED, 60)), ("b", [*others, *again, *nearly])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in some))
    files = [str(folder / f"{name}.jsonl") for name in "ab"]
    words = ["--inside", "--form", "benchmark", "-o", str(folder / "corpus"), "--plain"]
    assert main(["synthesize", "prepare", *files, *words]) == 0
    return folder / "corpus"


def words_of(marked: str) -> list[str]:
    return [word for line in marked.split("<PAR>") for word in words_in(line)]


def test_the_five_figures_are_those_of_the_files(built: Path) -> None:
    told = json.loads((built / "prepared.json").read_text())["benchmark"]
    counts = {}
    for split in SPLITS:
        held = [json.loads(line) for line in (built / f"{split}.jsonl").read_text().splitlines()]
        assert told[f"{split}_notes"] == len(held) > 0
        counts[split] = Counter(word for each in held for word in words_of(each["marked"]))
    known = {word for word, count in counts["train"].items() if count >= 3}
    held_out = counts["dev"] + counts["test"]
    assert told["words"] == sum(each.total() for each in counts.values())
    assert told["vocabulary"] == len(known)
    unknown = sum(n for word, n in held_out.items() if word not in known)
    assert told["out_of_vocabulary"] == pytest.approx(unknown / held_out.total())
    assert counts["train"][PLACEHOLDER] > 300  # identifiers of the annotated notes


def test_no_held_out_note_is_one_of_train_or_nearly_so(built: Path) -> None:
    told = json.loads((built / "prepared.json").read_text())
    notes = load_corpus(built).notes

    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", text.lower())
        return set(zip(*(words[at:] for at in range(5)), strict=False))

    learnt = [runs(each.marked) for each in notes["train"]]
    held_out = [runs(each.marked) for split in SPLITS[1:] for each in notes[split]]
    shared = [max(len(one & other) for other in learnt) / len(one) for one in held_out]
    assert max(shared) < 0.9
    assert told["refused"]["repeats-train"] >= 10


def test_unknown_words_are_rare_in_train(built: Path) -> None:
    corpus = load_corpus(built)
    vocabulary = learn_vocabulary(corpus, make_recipe("medtext-2", {}))
    assert isinstance(vocabulary, WordVocabulary)
    learnt = Counter(w for each in corpus.notes["train"] for w in words_of(each.marked))
    known = {word.replace("\u2581", "") for word in vocabulary.words}
    held_out = {w for s in SPLITS[1:] for each in corpus.notes[s] for w in words_of(each.marked)}
    assert not known & {word for word in held_out if learnt[word] < 3}
    # Words count with the blank before them, so one with both spellings may fall below.
    assert {word for word, count in learnt.items() if count >= 6} <= known
