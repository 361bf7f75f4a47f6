"""spaCy's tagger learns a toy task as well from made letters, and its spans are those of words."""

import pytest

from benchmarks.detection.spacy_ner import SpacyTagger, TrainingPlan, train_recognizer
from evaluation.utility.tagger_utility import f1, score_finder
from record.document import Annotated, Document
from record.span import Span
from record.tokens import tokens
from tests.models.tagger.toy import toy_notes


def notes(count: int, seed: int) -> list[Annotated]:
    return [each.annotated for each in toy_notes(count, seed=seed)]


@pytest.fixture(scope="module")
def tagger() -> SpacyTagger:
    return train_recognizer(
        notes(20, 1), notes(4, 2), "en", TrainingPlan(40, words=80, every=20), 1
    )


def test_what_was_learnt_is_found_in_other_notes(tagger: SpacyTagger) -> None:
    assert f1(score_finder(tagger, notes(8, 3)).sum(0)) > 0.9


def test_the_same_seed_finds_the_same(tagger: SpacyTagger) -> None:
    again = train_recognizer(
        notes(20, 1), notes(4, 2), "en", TrainingPlan(40, words=80, every=20), 1
    )
    documents = [note.document for note in notes(8, 3)]
    assert again.spans(documents) == tagger.spans(documents)


def test_spans_cover_whole_words_whatever_stands_between(tagger: SpacyTagger) -> None:
    document = Document("n", "\n Dr  Zorblax\nseen.Dr Quendolyn, code 1234\n\n")
    found = tagger.spans([document, Document("e", "")])
    cut = tokens(document.text)
    assert found[0]
    assert {span.start for span in found[0]} <= {start for start, _ in cut}
    assert {span.end for span in found[0]} <= {end for _, end in cut}
    assert found[1] == []


def test_a_span_within_a_word_is_learnt_as_the_word() -> None:
    half = Annotated(Document("h", "Dr Zorblax today"), (Span(3, 7, "NAME"), Span(5, 10, "NAME")))
    train_recognizer([half], [half], "en", TrainingPlan(1, words=3), 1)
