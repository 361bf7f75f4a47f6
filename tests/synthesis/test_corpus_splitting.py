import json
import math
from pathlib import Path
from random import Random

import pytest
from scipy.spatial.distance import jensenshannon

from models.language.corpus.vocabulary import UNKNOWN, BytePairVocabulary, WordVocabulary
from models.language.training.recipe import make_recipe
from pipeline.synthetic.generator_training import learn_vocabulary, longest_entities
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span
from synthesis.corpus_splitting import (
    SPLITS,
    benchmark_statistics,
    opening,
    split_notes,
    to_benchmark_form,
)
from synthesis.corpus_statistics import changes, corpus_statistics, distance, shares_of
from synthesis.markup import encode
from synthesis.note_requests import (
    MAX_COUNT,
    Request,
    entity_count,
    frequent_kinds,
    limit_entities,
    marks_of,
    request_like,
    with_label_shares,
)
from synthesis.prepared_corpus import digest, label_counts, load_corpus, save_corpus
from tests.synthesis.letters import letters


def note(
    number: object, text: str, *spans: tuple[int, int, str], person: str | None = None
) -> Annotated:
    document = Document(str(number), text, person)
    return Annotated(document, tuple(Span(*span) for span in spans))


def test_all_notes_of_a_patient_are_in_one_part() -> None:
    notes = [note(n, f"word{n} " * 8, person=f"p{n // 3}") for n in range(300)]
    parting = split_notes(notes, seed=1)
    parts: dict[str | None, str] = {}
    for each in parting.notes:
        assert parts.setdefault(each.note.document.person_id, each.split) == each.split
    sizes = {split: len(parting.part(split)) for split in SPLITS}
    assert sizes["train"] > 200 and min(sizes["dev"], sizes["test"]) > 10
    again = split_notes(reversed(notes), seed=1)
    assert {e.note.document.note_id: e.split for e in again.notes} == {
        e.note.document.note_id: e.split for e in parting.notes
    }


def test_held_out_notes_that_repeat_train_are_left_out() -> None:
    chance = Random(1)
    words = [f"w{n}" for n in range(500)]
    bases = [chance.choices(words, k=80) for _ in range(60)]
    notes = [note(n, " ".join(base)) for n, base in enumerate(bases)]
    copies = [note(f"copy{n}", "  ".join(base).upper()) for n, base in enumerate(bases)]
    nearly = [note(f"near{n}", " ".join(["other", *base])) for n, base in enumerate(bases)]
    fresh = [note(f"fresh{n}", " ".join(chance.choices(words, k=80))) for n in range(40)]
    parting = split_notes([*notes, *copies, *nearly, *fresh], seed=3)
    train = {" ".join(e.note.document.text.lower().split()) for e in parting.part("train")}
    held_out = [e for e in parting.notes if e.split != "train"]
    assert held_out and parting.refused["repeats-train"] > 10
    for each in held_out:
        plain = " ".join(each.note.document.text.lower().split())
        assert plain not in train
        assert f"other {plain}" not in train and plain.removeprefix("other ") not in train


def test_empty_and_nested_notes_are_counted() -> None:
    parting = split_notes([note(1, " "), note(2, "abc", (0, 3, "A"), (1, 2, "B"))], seed=1)
    assert parting.refused == {"empty": 1, "nested-spans": 1}


def test_the_benchmark_form() -> None:
    found = note(
        1, "Name: Ana.\nSeen [**Date**] by\nDr Gil. home", (6, 9, "NAME"), (33, 36, "NAME")
    )
    assert to_benchmark_form(found) == (
        "Name:<PAR>deidentified.<PAR>Seen deidentified by Dr deidentified. home"
    )
    parting = split_notes(
        [note(n, f"a common word{n} here", person=str(n)) for n in range(40)],
        seed=1, encode_note=to_benchmark_form, shares=(0.5, 0.25, 0.25),
    )  # fmt: skip
    figures = benchmark_statistics(parting, rare=3)
    counts = {split: len(parting.part(split)) for split in SPLITS}
    assert {split: figures[f"{split}_notes"] for split in SPLITS} == counts
    assert figures["words"] == 5 * 40  # a, common, word, number, here
    assert figures["vocabulary"] == 4
    assert figures["out_of_vocabulary"] == pytest.approx(0.2)


def test_unknown_words_are_those_rare_in_train_alone() -> None:
    vocabulary = WordVocabulary.learn(marks_of(["A"], []), ["b b b c c", "b c d"], rare=3)
    assert vocabulary.words == ("▁b", "▁c") or set(vocabulary.words) <= {"▁b", "b", "▁c", "c"}
    assert vocabulary.marks[vocabulary.encode("d")[0]] == UNKNOWN


def test_words_come_back_but_for_rare_ones() -> None:
    texts = [encode(each) for each in letters(40)]
    vocabulary = WordVocabulary.learn(marks_of(["NAME", "DATE", "CITY"], []), texts, rare=1)
    for text in texts:
        assert vocabulary.decode(vocabulary.encode(text)) == text


def test_statistics_of_a_toy_counted_by_hand() -> None:
    toy = [
        note(1, "Ana came. She left.\nHome", (0, 3, "NAME")),
        note(2, "On 5/03 Ana", (3, 7, "DATE"), (8, 11, "NAME")),
    ]
    found = corpus_statistics(toy)
    # Ana came . She left . Home | On 5 / 03 Ana
    assert (found.documents, found.words, found.sentences) == (2, 12, 4)
    assert found.vocabulary == len({*"Ana came . She left Home On 5 / 03".split()})
    assert (found.words_per_document, found.median_words, found.words_per_sentence) == (6, 6, 3)
    assert found.labels == {"NAME": 2, "DATE": 1}
    assert found.shares == {"DATE": pytest.approx(1 / 3), "NAME": pytest.approx(2 / 3)}
    assert set(changes(found, found).values()) == {0.0}
    assert found.characters == 24 + 11


def test_a_doubled_type_is_reported_as_such() -> None:
    one = corpus_statistics([note(1, "a b c", (0, 1, "A"), (2, 3, "B"))])
    two = corpus_statistics([note(1, "a b c", (0, 1, "A"), (2, 3, "B"), (4, 5, "B"))])
    moved = changes(one, two)
    assert moved["labels.B"] == 1.0 and moved["labels.A"] == 0.0
    assert changes(two, corpus_statistics([note(1, "a b c", (0, 1, "C"))]))["labels.C"] == math.inf


def test_distance_is_that_of_jensen_and_shannon() -> None:
    chance = Random(2)
    for _ in range(20):
        first = {label: chance.randint(0, 20) for label in "ABCDE"}
        second = {label: chance.randint(0, 20) for label in "ABCDEF"}
        names = sorted("ABCDEF")
        expected = jensenshannon(
            [first.get(name, 0) for name in names], [second.get(name, 0) for name in names], base=2
        )
        assert distance(first, second) == pytest.approx(float(expected))
    assert distance(first, first) == 0
    assert distance({"A": 1}, {"B": 3}) == 1
    assert distance({}, {}) == 0 and distance({"A": 1}, {}) == 1
    assert shares_of({"A": 0}) == {}


def test_requests_are_written_as_marks() -> None:
    request = Request("letter", {"NAME": 2, "DATE": 99, "CITY": 0}, "Dear")
    assert request.codes() == (
        f"<KIND=letter><DATE_WANTED><COUNT={MAX_COUNT}><NAME_WANTED><COUNT=2><BODY>"
    )
    kinds = frequent_kinds(letters(10))
    assert kinds == ["letter", "report"]
    marks = marks_of(["NAME", "CITY", "DATE"], kinds)
    assert len(set(marks)) == len(marks)
    for each in letters(10):
        found = request_like(each, kinds)
        assert sum(found.counts.values()) == len(each.spans) and found.kind in kinds
    many = [with_label_shares(request, {"A": 3, "B": 1}, Random(n)).counts for n in range(40)]
    assert sum(counts.get("A", 0) for counts in many) / (101 * 40) == pytest.approx(0.75, abs=0.03)
    assert "titulo" not in frequent_kinds([note(1, "x")])


def test_an_opening_is_the_first_words() -> None:
    assert opening("Datos del paciente grave.") == "Datos del paciente"
    assert opening("Nombre: <NAME_START>Ana<NAME_END>") == "Nombre:"
    assert opening("<NAME_START>Ana<NAME_END>") == ""


def test_a_corpus_is_written_and_read(tmp_path: Path) -> None:
    parting = split_notes(letters(60), seed=1)
    manifest = save_corpus(parting, tmp_path / "c", {"inside": True})
    corpus = load_corpus(tmp_path / "c")
    assert {split: len(corpus.notes[split]) for split in SPLITS} == {
        split: len(parting.part(split)) for split in SPLITS
    }
    assert len((tmp_path / "c" / "requests.jsonl").read_text().splitlines()) == len(
        corpus.notes["dev"]
    ) + len(corpus.notes["test"])
    assert corpus.requests.draw(Random(1)).opening == "Nombre:"
    assert corpus.stream("dev").count("<END>") == len(corpus.notes["dev"])
    assert manifest["origin"] == {"inside": True}
    assert (tmp_path / "c" / "train.jsonl").stat().st_mode & 0o077 == 0
    vocabulary = learn_vocabulary(corpus, make_recipe("gpt", {"vocabulary_size": 400}))
    assert isinstance(vocabulary, BytePairVocabulary)
    texts = corpus.texts("train", vocabulary)
    for text, marked in zip(texts, corpus.notes["train"], strict=True):
        assert vocabulary.decode(text.ids[: text.asked]) == marked.codes
        assert vocabulary.decode(text.ids[text.asked : -1]) == marked.marked
    longest = longest_entities(corpus, texts, vocabulary)
    assert set(longest) == {"NAME", "CITY", "DATE"} and min(longest.values()) >= 2
    before = digest(tmp_path / "c")
    with pytest.raises(ConfigError, match="not empty"):
        save_corpus(parting, tmp_path / "c", {})
    lines = (tmp_path / "c" / "dev.jsonl").read_text()
    (tmp_path / "c" / "dev.jsonl").write_text(lines.replace("Nombre", "Nombra"))
    with pytest.raises(ConfigError, match="checksum mismatch"):
        load_corpus(tmp_path / "c")
    (tmp_path / "c" / "prepared.json").unlink()
    with pytest.raises(ConfigError, match="contains no"):
        digest(tmp_path / "c")
    assert len(before) == 64
    assert all(json.loads(line)["codes"].endswith("<BODY>") for line in lines.splitlines())


def test_a_part_without_notes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="would be empty"):
        save_corpus(split_notes(letters(1), seed=1), tmp_path / "c", {})


def test_requests_that_do_not_fit_keep_their_shares() -> None:
    request = Request("letter", {"NAME": 30, "DATE": 60, "CITY": 10}, "Dear", 80)
    fitted = [limit_entities(request, 20, Random(number)) for number in range(400)]
    assert {entity_count(each) for each in fitted} == {20}
    assert {(each.kind, each.opening, each.words) for each in fitted} == {("letter", "Dear", 80)}
    assert distance(request.counts, label_counts(fitted)) <= 0.02
    assert limit_entities(request, 100, Random(1)) is request
    assert limit_entities(request, 0, Random(1)).counts == {}


def test_a_request_knows_how_long_the_note_was() -> None:
    asked = request_like(note(1, "one two, three.\n\nfour", (0, 3, "NAME")), ())
    assert (asked.words, asked.counts) == (6, {"NAME": 1})
