"""How many of the places, sites and jobs that notes hold are found, and how much that is none."""

import pytest

from record.document import Document
from rules.places.places import detect
from tests.rules.marked import unmark
from tests.rules.places.forms_places import LANGUAGES, negatives, valid

LEAST = {"fr": 120, "en": 120, "es": 120, "de": 50, "nl": 50}


def outer(text: str, lang: str) -> set[tuple[int, int, str]]:
    """Return what is found, without what lies within something else that is found."""
    spans = detect(Document("n", text, lang=lang))
    return {
        (a.start, a.end, str(a.label))
        for a in spans
        if not any(b != a and b.start <= a.start and a.end <= b.end for b in spans)
    }


def test_there_are_enough_forms() -> None:
    counts = {lang: len(list(valid(lang))) for lang in LANGUAGES}
    hard = {lang: len(list(negatives(lang))) for lang in LANGUAGES}
    assert all(counts[lang] >= LEAST[lang] and hard[lang] >= LEAST[lang] for lang in LANGUAGES)
    assert sum(counts.values()) >= 500
    assert sum(hard.values()) >= 500


@pytest.mark.parametrize("lang", LANGUAGES)
def test_valid_forms_are_found_in_their_extent(lang: str) -> None:
    marked = missed = 0
    misses = []
    for line in valid(lang):
        text, spans = unmark(line)
        lost = set(spans) - outer(text, lang)
        marked, missed = marked + len(spans), missed + len(lost)
        misses += [f"{line} -> {sorted(outer(text, lang))}"] if lost else []
    assert missed <= 0.01 * marked, "\n".join(misses)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_valid_lines_hold_nothing_else(lang: str) -> None:
    lines = [unmark(line) for line in valid(lang)]
    wrong = [text for text, spans in lines if outer(text, lang) - set(spans)]
    assert len(wrong) <= 0.005 * len(lines), "\n".join(wrong)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_lookalikes_are_left_alone(lang: str) -> None:
    lines = list(negatives(lang))
    wrong = [f"{line} -> {found}" for line in lines if (found := outer(line, lang))]
    assert len(wrong) <= 0.005 * len(lines), "\n".join(wrong)
