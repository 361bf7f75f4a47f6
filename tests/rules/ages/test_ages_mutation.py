from itertools import chain

import pytest

from record.document import Document
from rules.ages import ages
from rules.dates import number_words
from tests.rules.ages.forms_ages import found, nothing
from tests.rules.ages.forms_ages_each import each
from tests.rules.ages.forms_ages_words import lengths, people
from tests.rules.marked import mark, unmark
from tests.rules.mutation import survivors


@pytest.mark.parametrize(("lang", "line"), [*each(), *people(), *lengths()])
def test_finds_what_one_word_or_mark_decides(lang: str, line: str) -> None:
    text, _ = unmark(line)
    assert mark(text, ages.detect_numbers(Document("1", text, lang=lang))) == line


def test_every_alternative_of_the_rules_for_ages_is_needed() -> None:
    # Those that one mark decides come first, as only so many lines are tried.
    lines = [(unmark(line)[0], lang) for lang, line in chain(each(), found(), nothing())]
    assert survivors((ages, number_words), ages.detect_numbers, lines) == []
