"""Misspelt names: what was mistaken, and the same mistakes in other names."""

import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from surrogates.keys.keys import CohortKey, PatientKey
from surrogates.patient.misspelling import Kind, Mistake, SpellingCorrector, find_mistakes, misspell

WORDS = st.text("abcdeinorst", max_size=9)


@pytest.fixture(scope="module")
def key(cohort: CohortKey) -> PatientKey:
    return cohort.patient("42")


@given(WORDS, WORDS)
def test_there_are_as_many_mistakes_as_the_distance(one: str, other: str) -> None:
    assert len(find_mistakes(one, other)) == OSA.distance(one, other)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("dupont", "dupond", Mistake("wrong", 5)),
        ("dupont", "dupon", Mistake("missing", 5)),
        ("dupont", "duppont", Mistake("twice", 2)),
        ("dupont", "dupnot", Mistake("exchanged", 3)),
        ("dupont", "dupiont", Mistake("more", 3)),
        ("lefebvre", "lefevre", Mistake("missing", 4)),
    ],
)
def test_mistakes_are_told(right: str, wrong: str, expected: Mistake) -> None:
    assert find_mistakes(right, wrong) == (expected,)


@given(
    st.sampled_from("dupont lefebvre martin rodriguez hautecloque".split()),
    st.sampled_from("verdurin gallardo chonnier lacombe".split()),
    st.integers(1, 4),
    st.sampled_from(typing.get_args(Kind)),
)
def test_a_mistake_is_made_again(
    key: PatientKey, right: str, name: str, at: int, kind: Kind
) -> None:
    """The mistakes in another name are as many, of the same kind, and spare the first letter."""
    made = misspell(name, (Mistake(kind, at),), right, key, "test")
    wrong = next(made)
    assert OSA.distance(name, wrong) == 1
    assert wrong[0] == name[0]
    assert len(wrong) - len(name) == {"missing": -1, "twice": 1, "more": 1}.get(kind, 0)
    assert wrong == next(misspell(name, (Mistake(kind, at),), right, key, "test"))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("dupond", "dupont"),
        ("upont", "dupont"),
        ("martine", "martin"),
        ("hauteclokue", "hautecloque"),
        ("hautclocque", "hautecloque"),
        ("dupont", ""),  # right as it is
        ("durant", ""),  # two mistakes in a short name
        ("anne", ""),  # too short
        ("durond", ""),
        ("xupond", ""),
    ],
)
def test_who_is_meant(word: str, meant: str) -> None:
    assert SpellingCorrector(["dupont", "martin", "hautecloque", "anna"]).correct(word) == meant


def test_of_two_names_as_near_none_is_meant() -> None:
    assert SpellingCorrector(["marten", "martin"]).correct("martyn") == ""
    assert SpellingCorrector(["marten", "martin"]).correct("martinn") == "martin"
