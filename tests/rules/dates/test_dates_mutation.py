from itertools import chain

import pytest

from record.document import Document
from rules.dates import (
    beside_dates,
    calendar,
    context,
    dates,
    machine_dates,
    number_words,
    numeric,
    spaced_digits,
    telegraphic,
    weeks,
    written,
)
from rules.dates import feasts as feast_rules
from rules.matching import preceding_words
from tests.rules.dates.forms_birth_dates import born
from tests.rules.dates.forms_dates import found
from tests.rules.dates.forms_dates_each import each, feasts
from tests.rules.dates.forms_dates_words import no_dates, words
from tests.rules.dates.forms_no_dates import nothing
from tests.rules.dates.forms_telegraphic import counted, numbers, shortened
from tests.rules.marked import mark, unmark
from tests.rules.mutation import survivors

MODULES = (
    *(dates, numeric, written, context, calendar, spaced_digits, preceding_words, number_words),
    *(beside_dates, feast_rules, weeks, telegraphic, machine_dates),
)


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        *each(), *feasts(), *words(), *no_dates(), *shortened(), *counted(), *numbers(),
    ],
)  # fmt: skip
def test_finds_what_one_word_or_mark_decides(lang: str, line: str) -> None:
    text, _ = unmark(line)
    assert mark(text, dates.detect(Document("1", text, lang=lang))) == line


@pytest.mark.slow
def test_every_alternative_of_the_rules_for_dates_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # German days would be found by their dots without what announces them.
    monkeypatch.setattr(dates, "german_days", lambda _folded, _text: ())
    monkeypatch.setattr(dates, "unannounced_days", lambda _folded, _lang: ())
    # Those that one mark decides come first, as only so many lines are tried.
    marked = chain(
        *(each(), feasts(), shortened(), counted(), numbers(), found(), born(), nothing())
    )
    lines = [(unmark(line)[0], lang) for lang, line in marked]
    assert survivors(MODULES, dates.detect, lines) == []
