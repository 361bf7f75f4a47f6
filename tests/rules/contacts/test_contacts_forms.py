import pytest

from record.document import Document
from rules.contacts import (
    contacts,
    phone_context,
    phone_formats,
)
from rules.contacts.contacts import detect
from tests.growth import MOST, growth
from tests.rules.contacts import forms_contacts, forms_not_contacts
from tests.rules.marked import unmark
from tests.rules.mutation import survivors

MODULES = (contacts, phone_formats, phone_context)
HOSTILE = (
    "0", "1 ", "01 ", "01.", "+33 ", "(0", "((", "06 12\n", "tel ", "tel : au ", "fax ", "poste ",
    "poste 4512/", "a@", "a.", "a . ", "@ ", "www.", "http://", "f:", "::", "1.", "aa:", ".fr",
    "a.fr/", "912 345 678 ", "-", "[", "a-\n", "M. M. ", "aaaa", "o1", "1\n", ", ",
)  # fmt: skip


def spans(text: str, lang: str) -> list[tuple[int, int, str]]:
    return [
        (span.start, span.end, str(span.label)) for span in detect(Document("1", text, lang=lang))
    ]


@pytest.mark.parametrize("lang", forms_contacts.LANGUAGES)
@pytest.mark.parametrize("known", [True, False])
def test_finds_each_form_with_its_extent_and_label(lang: str, known: bool) -> None:
    lines = list(forms_contacts.forms(lang))
    missed = [
        line for line in lines if spans(*_told(line, lang if known else "")) != unmark(line)[1]
    ]
    assert len(lines) >= 1000
    assert len(missed) <= len(lines) // 100, missed


@pytest.mark.parametrize("lang", forms_contacts.LANGUAGES)
@pytest.mark.parametrize("known", [True, False])
def test_finds_nothing_in_what_is_no_contact(lang: str, known: bool) -> None:
    lines = list(forms_not_contacts.absent(lang))
    found = [line for line in lines if spans(line, lang if known else "")]
    assert len(lines) >= 500
    assert len(found) <= len(lines) // 200, found


def test_no_alternative_is_idle() -> None:
    lines = [
        (unmark(line)[0], lang)
        for lang in forms_contacts.LANGUAGES
        for line in (*forms_contacts.few(lang), *forms_not_contacts.values(lang))
    ]
    assert survivors(MODULES, detect, lines) == []


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_a_hostile_text_and_no_faster(unit: str) -> None:
    assert growth(lambda text: contacts.detect(Document("1", text)), unit) < MOST


def _told(line: str, lang: str) -> tuple[str, str]:
    return unmark(line)[0], lang
