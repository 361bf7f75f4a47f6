"""The gender of surrogates of given names, where the note tells it."""

from collections.abc import Callable
from dataclasses import replace as derive

import pytest

from locales.word_lists import LISTED
from record.document import Document
from record.folding import fold
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.patient import lexicon, name_lists, name_pools
from surrogates.patient.context_gender import gender_before
from surrogates.rewrite import Rewriter

Marked = Callable[[str], tuple[Document, list[Span]]]


def _given(cohort: CohortKey, marked: Marked, lang: str, text: str) -> list[str]:
    document, spans = marked(text)
    document = derive(document, lang=lang)
    release = Rewriter(cohort, Policy(locale=lang)).rewrite(document, spans, None)
    return [
        release.text[span.start : span.end] for span in release.spans if span.label == "FIRST_NAME"
    ]


def _fits(name: str, gender: str, lang: str) -> bool:
    words = [fold(word) for word in name.replace("-", " ").split()]
    return all(name_pools.gender_of(word, lang) in ("", gender) for word in words)


TOLD = [
    ("fr", "sa fille [N]", "F"),
    ("fr", "son fils aîné [N]", "M"),
    ("fr", "son frère, [N],", "M"),
    ("fr", "Mme [N] [Roux|LAST_NAME]", "F"),
    ("fr", "M. [Roux|LAST_NAME] [N]", "M"),
    ("fr", "M. [ROUX|LAST_NAME], [N]", "M"),
    ("fr", "Mme [Roux|LAST_NAME], dite « [N] »", "F"),
    ("fr", "M. [Roux|LAST_NAME], dit « [N] »", "M"),
    ("fr", "Le patient [N]", "M"),
    ("fr", "La patiente [N]", "F"),
    ("fr", "une fille prénommée [N]", "F"),
    ("en", "his wife [N]", "F"),
    ("en", "her husband, [N]", "M"),
    ("en", "a son named [N]", "M"),
    ("en", "Mrs. [N] [Roux|LAST_NAME]", "F"),
    ("de", "seine Tochter [N]", "F"),
    ("de", "ihr Mann [N]", "M"),
    ("de", "Frau [N] [Roux|LAST_NAME]", "F"),
    ("de", "Herr [N] [Roux|LAST_NAME]", "M"),
    ("de", "die Patientin [N]", "F"),
    ("de", "der Patient [N]", "M"),
    ("es", "su hermano [N]", "M"),
    ("es", "su hija menor [N]", "F"),
    ("es", "Sra. [N] [Roux|LAST_NAME]", "F"),
    ("nl", "mevrouw [N] [Roux|LAST_NAME]", "F"),
    ("nl", "haar zoon [N]", "M"),
]


@pytest.mark.parametrize(("lang", "text", "gender"), TOLD)
def test_the_surrogate_has_the_gender_that_the_text_tells(
    cohort: CohortKey, marked: Marked, lang: str, text: str, gender: str
) -> None:
    # Names of either, of no list, and of the other gender.
    for name in ("Camille", "Robin", "Kim", "Andrea", "Xyzla", "Paul", "Marie"):
        (drawn,) = _given(cohort, marked, lang, text.replace("[N]", f"[{name}|FIRST_NAME]"))
        assert _fits(drawn, gender, lang), (name, drawn)


@pytest.mark.parametrize(
    ("lang", "before"),
    [
        ("fr", "Patient : "),
        ("fr", "la mère de "),
        ("fr", "Il vit avec sa fille. "),
        ("fr", "sa fille\n"),
        ("en", "she lives with her mother. "),
        ("en", "his wife and "),
        ("de", "Patient: "),
        ("en", "the patient "),
    ],
)
def test_other_words_tell_no_gender(lang: str, before: str) -> None:
    assert gender_before(f"{before}Camille", 0, len(before), lang) == ""


def test_a_name_before_is_not_looked_beyond() -> None:
    text = "sa fille Jeanne Camille"
    assert gender_before(text, text.index(" Camille"), text.index("Camille"), "fr") == ""


def test_all_mentions_of_a_name_have_one_gender(cohort: CohortKey, marked: Marked) -> None:
    text = "[Robin|FIRST_NAME] vient. Sa fille [Robin|FIRST_NAME] et [Robin|FIRST_NAME]"
    first, told, last = _given(cohort, marked, "fr", text)
    assert first == told == last
    assert _fits(told, "F", "fr")


def test_two_persons_of_one_name_have_surrogates_of_their_genders(
    cohort: CohortKey, marked: Marked
) -> None:
    text = "Mr [Robin|FIRST_NAME] [Roux|LAST_NAME], his wife [Robin|FIRST_NAME]"
    husband, wife = _given(cohort, marked, "en", text)
    assert _fits(husband, "M", "en")
    assert _fits(wife, "F", "en")


def test_a_nickname_has_the_gender_of_the_name_before_it(cohort: CohortKey, marked: Marked) -> None:
    for text, gender in (
        ("[Sophie|FIRST_NAME] « [Xyzla|FIRST_NAME] »", "F"),
        ('[Paul|FIRST_NAME] [Roux|LAST_NAME], alias "[Xyzla|FIRST_NAME]"', "M"),
        ("Mme [Roux|LAST_NAME] (« [Xyzla|FIRST_NAME] »)", "F"),
    ):
        assert _fits(_given(cohort, marked, "fr", text)[-1], gender, "fr")


def test_the_record_decides_the_gender_of_its_names(cohort: CohortKey, marked: Marked) -> None:
    document, spans = marked("[Andrea|FIRST_NAME] und seine Tochter [Andrea|FIRST_NAME]")
    record = PatientRecord("42", given_names=("Andrea",), gender="M")
    release = Rewriter(cohort, Policy(locale="de")).rewrite(
        derive(document, lang="de"), spans, record
    )
    one, other = (release.text[span.start : span.end] for span in release.spans)
    assert one == other
    assert _fits(one, "M", "de")


@pytest.mark.parametrize(
    ("name", "gender"),
    [
        ("aicha", "F"),
        ("slimane", "M"),
        ("ouassila", "F"),
        ("mamadou", "M"),
        ("fatoumata", "F"),
        ("kouassi", "M"),
        ("adjoua", "F"),
        ("mehmet", "M"),
        ("zeynep", "F"),
        ("nguyet", "F"),
        ("duc", "M"),
        ("joao", "M"),
        ("conceicao", "F"),
        ("agnieszka", "F"),
        ("zbigniew", "M"),
    ],
)
def test_names_of_other_origins_have_their_gender(name: str, gender: str) -> None:
    for locale in ("fr", "de", "nl"):
        assert name_pools.gender_of(name, locale) == gender


def test_no_list_tells_the_gender_of_made_up_names() -> None:
    assert name_pools.gender_of("xyzla", "fr") is None


def test_the_list_of_genders_holds_what_no_other_has() -> None:
    rows = [line.split(";") for line in lexicon.lines("genders", "any")]
    names = [name for name, _ in rows]
    listed = {name for lang in LISTED for name in name_lists.given(lang).genders}
    assert names == sorted(set(names))
    assert listed.isdisjoint(names)
    assert {gender for _, gender in rows} == {"m", "f"}
