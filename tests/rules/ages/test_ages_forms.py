from collections import Counter

import pytest

from record.document import Document
from rules.ages.ages import detect_numbers as detect
from tests.rules.ages.forms_ages import found, nothing
from tests.rules.marked import mark, unmark

LEAST = {"fr": 120, "en": 120, "es": 120, "de": 50, "nl": 50}


def marks(lang: str, text: str) -> str:
    return mark(text, detect(Document("1", text, lang=lang)))


@pytest.mark.parametrize("named", [True, False])
def test_finds_ages_of_five_languages(named: bool) -> None:
    total: Counter[str] = Counter()
    missed: dict[str, list[str]] = {lang: [] for lang in LEAST}
    for lang, line in found():
        total[lang] += 1
        text, spans = unmark(line)
        seen = detect(Document("1", text, lang=lang if named else ""))
        if [(s.start, s.end, str(s.label)) for s in seen] != spans:
            missed[lang].append(mark(text, seen))
    assert sum(total.values()) >= 500
    assert all(total[lang] >= least for lang, least in LEAST.items())
    assert all(len(missed[lang]) <= 0.01 * total[lang] for lang in LEAST), missed


@pytest.mark.parametrize("named", [True, False])
def test_finds_no_ages_in_lengths_of_time(named: bool) -> None:
    total: Counter[str] = Counter()
    wrong: dict[str, list[str]] = {lang: [] for lang in LEAST}
    for lang, line in nothing():
        total[lang] += 1
        seen = marks(lang if named else "", line)
        if seen != line:
            wrong[lang].append(seen)
    assert sum(total.values()) >= 500
    assert all(total[lang] >= least for lang, least in LEAST.items())
    assert all(len(wrong[lang]) <= 0.005 * total[lang] for lang in LEAST), wrong
