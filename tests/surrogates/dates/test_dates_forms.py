"""Every date that the rules find in five languages moves, in its own form and no other."""

import re
from datetime import date
from itertools import chain

import pytest

from surrogates.dates import dates, parsing, rendering
from surrogates.dates.dates import complete_dates
from surrogates.patient.date_shift import DateShift
from tests.rules.dates import (
    forms_birth_dates,
    forms_dates,
    forms_dates_each,
    forms_dates_words,
    forms_telegraphic,
)
from tests.rules.marked import unmark

WRITTEN = date(2024, 5, 20)


def _found() -> list[tuple[str, str]]:
    """Return (language, text) of each date that the lines of the rules' tests mark."""
    lines = chain(
        forms_dates.found(),
        forms_dates_each.each(),
        forms_dates_words.words(),
        forms_birth_dates.born(),
        forms_telegraphic.shortened(),
    )
    found: dict[tuple[str, str], None] = {}
    for lang, line in lines:
        text, spans = unmark(line)
        found.update({(lang, text[start:end]): None for start, end, _ in spans})
    return list(found)


FOUND = _found()
# Repaired before they are read: a letter for a digit, a month with a letter too few.
REPAIRED = re.compile(r"[OÛl]\d|\d[OÛl]|\bfevier\b")
# What a number in words, an ordinal or an abbreviation has to do with the signs of a text.
SPELT = re.compile(r"[^\W\d_]{3,}[ -]+(?:et|y|und)?|\d ?(?:er|º)|[dD]['’]|[^\W\d_]\.")


@pytest.mark.parametrize("lang", ["fr", "en", "es", "de", "nl"])
@pytest.mark.parametrize("days", [-365, -213, -30, 1, 31, 100, 364])
def test_every_date_moves(lang: str, days: int) -> None:
    texts = [text for each, text in FOUND if each == lang]
    assert len(texts) >= 150
    moved = {text: dates.shift_text(text, days=days, written=WRITTEN, lang=lang) for text in texts}
    assert not [text for text, other in moved.items() if other is None or other == text]


@pytest.mark.parametrize("lang", ["fr", "en", "es", "de", "nl", ""])
def test_every_date_moves_in_a_note_of_another_language(lang: str) -> None:
    for _, text in FOUND:
        moved = dates.shift_text(text, days=100, written=WRITTEN, lang=lang)
        assert moved is not None
        assert moved != text


def test_what_is_read_is_written_back() -> None:
    for lang, text in FOUND:
        form = _read(text, lang)
        if REPAIRED.search(text) or re.fullmatch(r"(?:\d +)+\d", text):
            continue
        assert form is not None
        days = complete_dates(form.groups, WRITTEN)
        assert days is not None
        weekdays = [group.weekday for group in form.groups]
        assert rendering.render(form, list(zip(days, weekdays, strict=True))) == text


def _signs(text: str) -> str:
    return re.sub(r"[^\W_]+", "", text)


def test_the_shape_of_the_text_is_kept() -> None:
    for lang, text in FOUND:
        moved = dates.shift_text(text, days=100, written=WRITTEN, lang=lang)
        assert moved is not None
        if not SPELT.search(text):
            assert _signs(moved) == _signs(text)
        if re.search(r"[^\W\d_]{4,}", text) and not REPAIRED.search(text):
            assert text.isupper() == moved.isupper()
            assert text.islower() == moved.islower()
        if re.fullmatch(r"\d\d([/.-])\d\d\1\d\d(?:\d\d)?", text):
            assert len(moved) == len(text)


def test_a_full_date_comes_back() -> None:
    """Moving there and back means the same day; the order of 25/12 must be told for 12/07."""
    for lang, text in FOUND:
        form = _read(text, lang)
        if form is None or REPAIRED.search(text) or len(form.groups) != 1:
            continue
        roles = form.groups[0].roles
        if sorted(roles) == ["d", "m", "y"]:
            order = roles.index("d") < roles.index("m") if lang == "en" else None
            there = dates.move_text(text, DateShift(200, 1), written=WRITTEN, lang=lang)
            assert there is not None
            back = dates.move_text(
                there, DateShift(-200, -1), written=WRITTEN, lang=lang, day_first=order
            )
            other = _read(back or "", lang, order)
            assert other is not None
            assert _meant(other) == _meant(form)


def _read(text: str, lang: str, day_first: bool | None = None) -> parsing.DateForm | None:
    return parsing.parse(text, lang=lang, latest=WRITTEN.year + 10, day_first=day_first)


def _meant(form: parsing.DateForm) -> tuple[int, int, int]:
    group = form.groups[0]
    return group.year, group.month, group.day


def test_what_was_read_shows_no_text() -> None:
    form = parsing.parse("12 mars 2024", lang="fr", latest=2034)
    assert form is not None
    for shown in (form, form.groups[0], form.groups[0].slots[0], form.groups[0].slots[0].token):
        assert "12" not in repr(shown).partition(" at ")[0]
        assert "mars" not in repr(shown)
