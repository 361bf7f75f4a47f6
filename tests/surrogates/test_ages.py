"""Ages stay exact up to the cap, and are one and the same above it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("92", "90+"),
        ("89", "89"),
        ("90", "90+"),
        ("90+", "90+"),
        ("74 ans", "74 ans"),
        ("94 ans", "90+ ans"),
        ("93 ans et 2 mois", "90+ ans et 2 mois"),
        ("95 semaines", "95 semaines"),
        ("120 jours", "120 jours"),
        ("92 a", "90+ a"),
        ("entre 85 et 95 ans", "entre 85 et 90+ ans"),
        ("90,5 ans", "90+ ans"),
        ("103-year-old", "90+-year-old"),
        ("quatre-vingt-douze ans", "90+ ans"),
        ("quatre vingt neuf ans", "quatre vingt neuf ans"),
        ("ninety-one", "90+"),
        ("noventa y tres años", "90+ años"),
        ("ochenta y nueve años", "ochenta y nueve años"),
        ("cent deux ans", "90+ ans"),
        ("one hundred and two", "90+"),
        ("ciento dos años", "90+ años"),
        ("nonagénaire", "90+"),
        ("trois mois", "trois mois"),
    ],
)
def test_table(replace, text: str, expected: str) -> None:
    assert replace(text, "AGE") == expected


@given(st.integers(0, 130))
def test_nobody_over_the_cap_can_be_told_from_another(replace, age: int) -> None:
    assert replace(f"{age} ans", "AGE") == (f"{age} ans" if age <= 89 else "90+ ans")
