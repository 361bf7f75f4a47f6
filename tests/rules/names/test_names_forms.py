"""Recall over the forms that names take in notes, and silence over words that look like names."""

from collections import Counter

import pytest

from record.document import Document
from rules.names.names import detect
from tests.rules.marked import mark, unmark
from tests.rules.names.forms_names import valid
from tests.rules.names.forms_no_names import invalid

VALID = sorted(set(valid()))
INVALID = sorted(set(invalid(each=30)))
FLOORS = {"fr": 120, "en": 120, "es": 120, "de": 50, "nl": 50}


def _missed(lang: str, marked: str) -> list[str]:
    text, wanted = unmark(marked)
    found = {(span.start, span.end, str(span.label)) for span in detect(_note(text, lang))}
    return [text[start:end] for start, end, label in wanted if (start, end, label) not in found]


def _note(text: str, lang: str) -> Document:
    return Document("n", text, lang=lang)


@pytest.mark.parametrize("lang", FLOORS)
def test_enough_forms_and_hard_negatives(lang: str) -> None:
    assert Counter(of for of, _ in VALID)[lang] >= FLOORS[lang]
    assert Counter(of for of, _ in INVALID)[lang] >= FLOORS[lang]
    assert min(len(VALID), len(INVALID)) >= 500


@pytest.mark.parametrize("lang", FLOORS)
def test_names_are_found_with_their_extent_and_kind(lang: str) -> None:
    lines = [line for of, line in VALID if of == lang]
    missed = [(line, names) for line in lines if (names := _missed(lang, line))]
    assert len(missed) <= len(lines) * 0.01, missed


@pytest.mark.parametrize("lang", FLOORS)
def test_nothing_more_is_found_beside_names(lang: str) -> None:
    lines = [unmark(line) for of, line in VALID if of == lang]
    more = [
        mark(text, spans)
        for text, wanted in lines
        if (spans := [
            span for span in detect(_note(text, lang))
            if (span.start, span.end, str(span.label)) not in wanted
        ])
    ]  # fmt: skip
    assert len(more) <= len(lines) * 0.01, more


@pytest.mark.parametrize("lang", FLOORS)
def test_words_that_look_like_names_are_left_alone(lang: str) -> None:
    lines = [line for of, line in INVALID if of == lang]
    wrong = [mark(line, spans) for line in lines if (spans := detect(_note(line, lang)))]
    assert len(wrong) <= len(lines) * 0.005, wrong
