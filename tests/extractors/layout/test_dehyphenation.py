import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.layout.dehyphenation import clean_line, find_word_breaks

SOFT = "\u00ad"


def mended(text: str) -> str:
    within = {at for at, char in enumerate(text) if char == "\n"}
    for start, end in reversed(list(find_word_breaks(text, within))):
        text = text[:start] + text[end:]
    return text.replace(SOFT, "-")


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("une dou-\nleur vive", "une douleur vive"),
        ("une dou-  \n  leur", "une douleur"),
        (f"une dou{SOFT}\nleur", "une douleur"),
        ("Jean-\nPaul", "Jean-Paul"),
        (f"Jean{SOFT}\nPaul", "Jean-Paul"),
        ("a rendez-\nvous demain", "a rendez-vous demain"),
        ("post-\nopératoire", "post-opératoire"),
        ("le bien-être ; le bien-\nêtre", "le bien-être ; le bien-être"),
        ("un saut-lit, un saut-\nlit", "un saut-lit, un saut-lit"),
        ("un sautlit, un saut-lit, un saut-\nlit", "un sautlit, un saut-lit, un sautlit"),
        ("DUPONT-\nMARTIN", "DUPONT-MARTIN"),
        ("20-\n30 mg", "20-\n30 mg"),
        ("- un\n- deux", "- un\n- deux"),
        ("seul -\nmot", "seul -\nmot"),
        ("fin-\n\nautre", "fin-\n\nautre"),
        ("une dou\u2010\nleur", "une douleur"),
    ],
)
def test_words_over_two_lines(broken: str, whole: str) -> None:
    assert mended(broken) == whole


def test_a_capital_after_the_paragraphs_end_begins_another() -> None:
    assert list(find_word_breaks("Soekarno-\nPage 2", frozenset())) == []


@given(st.text(alphabet=f"aéBZ-{SOFT} \n1", max_size=40))
def test_only_hyphens_and_blanks_go(text: str) -> None:
    def letters(of: str) -> str:
        return "".join(char for char in of if char.isalnum())

    assert letters(mended(text)) == letters(text)


def test_a_soft_hyphen_stays_at_the_end_of_a_line_alone() -> None:
    assert clean_line(f"dou{SOFT}") == f"dou{SOFT}"
    assert clean_line(f"d{SOFT}ou{SOFT}  ") == f"dou{SOFT}"
    assert clean_line("ﬁn\u200b") == "fin"
