"""Further mentions of names that any detector found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.label import Label
from record.span import Span
from rules.names.mentions import find_mentions


def mentions(text: str, *names: str, lang: str = "en", label: str = Label.LAST_NAME) -> list[str]:
    """Find further mentions where each name is found at its first place by a model."""
    found = [
        Span(text.index(name), text.index(name) + len(name), label, "model", 0.9) for name in names
    ]
    return [
        text[max(0, span.start - 4) : span.end]
        for span in find_mentions(Document("1", text, lang=lang), found)
    ]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Spoke to Okwuosa. Plan: Okwuosa to ring.", "Okwuosa", ["an: Okwuosa"]),
        ("Okwuosa, Ada\nOKWUOSA seen", "Okwuosa", ["Ada\nOKWUOSA"]),
        ("Ewa Wrobel. Later Wrobel, EWA", "Ewa Wrobel", ["ter Wrobel", "el, EWA"]),
        ("Mme Lefèvre. LEFEVRE rappelle", "Lefèvre", ["re. LEFEVRE"]),
        ("dr okwuosa rang, then okwuosa left", "okwuosa", ["hen okwuosa"]),
    ],
    ids=["again", "in capitals", "each word", "without accents", "in small letters"],
)  # fmt: skip
def test_a_name_covers_its_other_mentions(text: str, name: str, expected: list[str]) -> None:
    assert sorted(mentions(text, name)) == sorted(expected)


@pytest.mark.parametrize(
    ("lang", "text", "name", "expected"),
    [
        ("de", "Herr Grünwald. Grünwalds Befund", "Grünwald", ["ld. Grünwalds"]),
        ("de", "Herr Grünwald. Die Grünwalds", "Grünwald", ["Die Grünwalds"]),
        ("de", "Herrn Grünwalds Befund. Grünwald", "Grünwalds", ["nd. Grünwald"]),
        ("de", "HERR GRÜNWALD, GRÜNWALDS BEFUND", "GRÜNWALD", ["LD, GRÜNWALDS"]),
        ("nl", "Dhr. Jansen. Jansens dochter", "Jansen", ["en. Jansens"]),
        ("en", "Mr Okwuosa and the Okwuosas", "Okwuosa", ["the Okwuosas"]),
        ("en", "Mr Willis and the Willises", "Willis", ["the Willises"]),
    ],
)
def test_a_name_covers_its_genitives_and_plurals(
    lang: str, text: str, name: str, expected: list[str]
) -> None:
    assert mentions(text, name, lang=lang) == expected


@pytest.mark.parametrize(
    ("lang", "text", "name"),
    [
        ("fr", "M. Grünwald. Grünwalds", "Grünwald"),
        ("en", "Mr Price is here. Prices rise", "Price"),
        ("en", "Ms Okwuosa. Okwuosas-Rees, xOkwuosas", "Okwuosa"),
        ("de", "Frau Li. Lis Befund", "Li"),
        ("de", "Herr Grünwald, am grünwalds", "Grünwald"),
        ("de", "Herr Grünwald, Grünwaldsee, Grünwalds-Hof", "Grünwald"),
    ],
)
def test_other_words_are_no_genitives(lang: str, text: str, name: str) -> None:
    assert mentions(text, name, lang=lang) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ms Rose is here. Rose bengal stain.", "Rose"),
        ("Mr Parkinson rang. Parkinson disease.", "Parkinson"),
        ("Dr Okwuosa: okwuosa stays in small letters", "Okwuosa"),
        ("Okwuosa okwuosa-like Okwuosason x@Okwuosa", "Okwuosa"),
        ("Dr Lindqvist. 12 Lindqvist Street", "Lindqvist"),
        ("Dr Li came. Li 0.8 mmol/l", "Li"),
        ("CHF came. CHF again", "CHF"),
        ("Mme Petit dort. Petit déjeuner", "Petit"),
        ("Nurse Amiodarone. Amiodarone 200", "Amiodarone"),
    ],
)
def test_what_may_mean_something_else_is_left(text: str, name: str) -> None:
    assert mentions(text, name) == []


def test_spans_of_other_labels_have_no_mentions() -> None:
    assert mentions("Zagreb and Zagreb", "Zagreb", label=Label.CITY) == []


def test_mentions_have_label_detector_and_score_of_the_first() -> None:
    text = "Okwuosa. Okwuosa."
    found = [Span(0, 7, Label.FIRST_NAME, "model", 0.4)]
    assert find_mentions(Document("1", text), found) == [
        Span(9, 16, Label.FIRST_NAME, "model", 0.4)
    ]


@given(
    st.text("Okwuosa Émile-.12\n", max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)), max_size=4),
)
def test_mentions_overlap_nothing_found(text: str, places: list[tuple[int, int]]) -> None:
    found = [
        Span(start, min(len(text), start + size), Label.LAST_NAME, "model")
        for start, size in places
        if start < len(text)
    ]
    for span in find_mentions(Document("1", text), found):
        assert 0 <= span.start < span.end <= len(text)
        assert all(span.end <= other.start or other.end <= span.start for other in found)
