"""Ages stay exact up to the cap, and are one and the same above it."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.patient.patient import Subject
from surrogates.rewrite import Rewriter
from tests.surrogates.conftest import Replace


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("92", "90+"),
        ("89", "89"),
        ("9l year old", "90+ year old"),
        ("IO2 years", "90+ years"),
        ("1O2 years", "90+ years"),
        ("9O", "90+"),
        ("92 J.", "90+ J."),
        ("92J", "90+J"),
        ("92 j", "92 j"),
        ("91 y/o", "90+ y/o"),
        ("91 y.o.", "90+ y.o."),
        ("lO2 y/o", "90+ y/o"),
        ("6O ans", "6O ans"),
        ("n1nety-f1ve", "90+"),
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
        ("90s", "90+"),
        ("60s", "60s"),
        ("nineties", "90+"),
        ("octogénaire", "octogénaire"),
        ("93 Jahre", "90+ Jahre"),
        ("93-jährige", "90+-jährige"),
        ("95 Wochen", "95 Wochen"),
        ("siebenundsechzig", "siebenundsechzig"),
        ("dreiundneunzig", "90+"),
        ("dreiundneunzigjährige", "90+-jährige"),
        ("dreiundachtzigjährige", "dreiundachtzigjährige"),
        ("hundertzwei Jahre", "90+ Jahre"),
        ("einhundert", "90+"),
        ("Neunzigjähriger", "90+-jähriger"),
        ("94 jaar", "90+ jaar"),
        ("95 weken", "95 weken"),
        ("zevenenzestig", "zevenenzestig"),
        ("drieënnegentig", "90+"),
        ("drieënnegentigjarige", "90+-jarige"),
        ("honderdtwee", "90+"),
    ],
)
def test_table(replace: Replace, text: str, expected: str) -> None:
    assert replace(text, "AGE") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("octogénaire", "85+"),
        ("80s", "85+"),
        ("vierundachtzig", "vierundachtzig"),
        ("fünfundachtzig", "85+"),
        ("vijfentachtig", "85+"),
    ],
)
def test_a_lower_cap(cohort: CohortKey, replace: Replace, text: str, expected: str) -> None:
    policy = Policy(age_cap=84)
    subject = Subject(cohort.patient("42"), policy, None, days=40)
    assert replace(text, "AGE", subject=subject) == expected


@given(st.integers(0, 130))
def test_nobody_over_the_cap_can_be_told_from_another(replace: Replace, age: int) -> None:
    assert replace(f"{age} ans", "AGE") == (f"{age} ans" if age <= 89 else "90+ ans")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("à [95|AGE] semaines", "à 95 semaines"),
        ("à [95|AGE] SA + 3", "à 95 SA + 3"),
        ("âge : [93|AGE]\njours", "âge : 93\njours"),
        ("a [95|AGE]-day-old girl", "a 95-day-old girl"),
        ("entre [92|AGE] et [95|AGE] semaines", "entre 92 et 95 semaines"),
        ("[quatre-vingt-quinze|AGE] jours", "quatre-vingt-quinze jours"),
        ("mit [95|AGE] Wochen", "mit 95 Wochen"),
        # What may be something else is no unit: an age that is not capped tells too much.
        ("[95|AGE], 3 mois après", "90+, 3 mois après"),
        ("[95|AGE] ans et 2 mois", "90+ ans et 2 mois"),
        ("[95|AGE] sa femme", "90+ sa femme"),
        ("[95|AGE]. Jours calmes", "90+. Jours calmes"),
        ("[95 ans|AGE] semaines", "90+ ans semaines"),
        ("[95|AGE] moisissures", "90+ moisissures"),
    ],
)
def test_the_unit_may_follow_the_span(
    cohort: CohortKey,
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
    text: str,
    expected: str,
) -> None:
    document, spans = marked(text)
    assert Rewriter(cohort, Policy()).rewrite(document, spans, None).text == expected
