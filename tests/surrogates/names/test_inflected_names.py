"""Genitives and plurals of names, which keep their ending and are the same person's."""

from collections.abc import Callable
from dataclasses import replace as derive

import pytest

from record.document import Document
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.rewrite import Rewriter

Marked = Callable[[str], tuple[Document, list[Span]]]


def _parts(
    cohort: CohortKey, marked: Marked, text: str, record: PatientRecord | None, policy: Policy
) -> list[str]:
    document, spans = marked(text)
    document = derive(document, lang=policy.locale)
    release = Rewriter(cohort, policy).rewrite(document, spans, record)
    return [release.text[span.start : span.end] for span in release.spans]


def _is_inflected(name: str, written: str) -> bool:
    return written in (f"{name}s", f"{name}'", f"{name}es", f"{name}'s")


TEXTS = [
    ("de", "Herr [Grünwald|LAST_NAME], [Grünwalds|LAST_NAME] Befund"),
    ("de", "Herr [Okwuosa|LAST_NAME]; [Okwuosas|LAST_NAME] Befund"),
    ("de", "Frau [Meyer|LAST_NAME] und [Meyers|LAST_NAME] Sohn"),
    ("en", "Mr [Miller|LAST_NAME] and the [Millers|LAST_NAME]"),
    ("en", "Mr [Okwuosa|LAST_NAME] and the [Okwuosas|LAST_NAME]"),
    ("nl", "Dhr. [Jansen|LAST_NAME] en [Jansens|LAST_NAME] dochter"),
]


@pytest.mark.parametrize("names", ["mixed", "same-stratum"])
@pytest.mark.parametrize(("lang", "text"), TEXTS)
def test_the_surrogate_keeps_the_ending(
    cohort: CohortKey, marked: Marked, lang: str, text: str, names: str
) -> None:
    policy = Policy(locale=lang, names=names)  # type: ignore[arg-type]
    base = text.partition("[")[2].partition("|")[0]
    for record in (None, PatientRecord("42", family_names=(base,))):
        name, inflected = _parts(cohort, marked, text, record, policy)
        assert _is_inflected(name, inflected)


def test_a_listed_name_is_inflected_without_a_record(cohort: CohortKey, marked: Marked) -> None:
    policy = Policy(locale="de")
    (written,) = _parts(cohort, marked, "Herrn [Schmidts|LAST_NAME] Frau", None, policy)
    (name,) = _parts(cohort, marked, "Herr [Schmidt|LAST_NAME]", None, policy)
    assert _is_inflected(name, written)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("fr", "M. [Martin|LAST_NAME] et M. [Martins|LAST_NAME]"),
        ("en", "Mr [Jone|LAST_NAME] saw [Jame|FIRST_NAME] and [James|FIRST_NAME]"),
    ],
)
def test_names_that_end_so_are_names_of_their_own_elsewhere(
    cohort: CohortKey, marked: Marked, lang: str, text: str
) -> None:
    made = _parts(
        cohort, marked, text, PatientRecord("42", given_names=("James",)), Policy(locale=lang)
    )
    assert not _is_inflected(made[-2], made[-1])


def test_a_name_of_the_record_is_no_genitive(cohort: CohortKey, marked: Marked) -> None:
    record = PatientRecord("42", family_names=("Peters",))
    text = "Frau [Peter|LAST_NAME] und Herr [Peters|LAST_NAME]"
    one, other = _parts(cohort, marked, text, record, Policy(locale="de"))
    assert not _is_inflected(one, other)


def test_capitals_and_double_names_are_inflected(cohort: CohortKey, marked: Marked) -> None:
    text = "[MEIER-GRÜNWALD|LAST_NAME], [MEIER-GRÜNWALDS|LAST_NAME] Befund"
    record = PatientRecord("42", family_names=("Meier-Grünwald",))
    name, inflected = _parts(cohort, marked, text, record, Policy(locale="de"))
    assert inflected.isupper()
    assert inflected in (f"{name}S", f"{name}'")


def test_the_birth_name_is_another_than_the_present_one(cohort: CohortKey, marked: Marked) -> None:
    text = "Mme [DUPONT|LAST_NAME] née [MARTIN|LAST_NAME], mère Mme [Martin|LAST_NAME]"
    record = PatientRecord("42", family_names=("Dupont",), birth_names=("Martin",))
    for known in (record, None):
        married, born, mother = _parts(cohort, marked, text, known, Policy())
        assert married != born
        assert born == mother.upper()


def test_equal_names_by_birth_and_marriage_are_one(cohort: CohortKey, marked: Marked) -> None:
    text = "Mme [DUPONT|LAST_NAME] née [DUPONT|LAST_NAME]"
    record = PatientRecord("42", family_names=("Dupont",), birth_names=("Dupont",))
    for known in (record, None):
        married, born = _parts(cohort, marked, text, known, Policy())
        assert married == born


def test_a_birth_name_within_the_present_one_is_another(cohort: CohortKey, marked: Marked) -> None:
    text = "Mme [DUPONT-MARTIN|LAST_NAME] née [MARTIN|LAST_NAME]"
    record = PatientRecord("42", family_names=("Dupont-Martin",), birth_names=("Martin",))
    married, born = _parts(cohort, marked, text, record, Policy())
    assert married != born
