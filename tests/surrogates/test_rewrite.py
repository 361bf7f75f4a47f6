"""Rewriting: what is outside the spans stays, what is inside goes, and nothing else decides."""

from collections.abc import Callable, Sequence
from dataclasses import replace as derive
from datetime import date, datetime
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.document import Document
from record.errors import Unsafe
from record.folding import fold
from record.label import Label
from record.languages import LANGUAGES
from record.patient import PatientRecord
from record.policy import Action, Policy
from record.span import Span
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.patient import lexicon
from surrogates.patient.text_normalization import WORD
from surrogates.rewrite import MAKERS, Rewriter

SAMPLES = {
    Label.FIRST_NAME: "Sophie",
    Label.LAST_NAME: "LEFEVRE",
    Label.NAME: "Dr Anne Roux",
    Label.USERNAME: "aroux2",
    Label.DATE: "12 mars 2024",
    Label.BIRTH_DATE: "03/02/1950",
    Label.AGE: "94 ans",
    Label.STREET: "12 rue Pasteur",
    Label.ZIP: "75012",
    Label.CITY: "Paris",
    Label.REGION: "Bretagne",
    Label.COUNTRY: "France",
    Label.HOSPITAL: "Hôpital Henri Mondor",
    Label.ORGANIZATION: "Renault",
    Label.PROFESSION: "boulanger",
    Label.PHONE: "01 44 55 66 77",
    Label.FAX: "01 44 55 66 78",
    Label.EMAIL: "a.roux@chu.fr",
    Label.URL: "https://chu.fr/a",
    Label.IP_ADDRESS: "10.1.2.3",
    Label.SSN: "150027511600123",
    Label.PATIENT_ID: "8012345678",
    Label.VISIT_ID: "2003H847569",
    Label.PROVIDER_ID: "10003456789",
    Label.INSURANCE_ID: "28 28647825 16",
    Label.ACCOUNT: "FR7630006000011234567890189",
    Label.DEVICE_ID: "SN-12AB",
    Label.VEHICLE_ID: "AB-123-CD",
    Label.ID: "X99",
    Label.OTHER: "fille",
}
VALUES = st.one_of(
    st.sampled_from(list(SAMPLES.items())),
    st.tuples(
        st.sampled_from(list(Label)),
        st.text(min_size=1, max_size=12).filter(lambda t: any(map(str.isalnum, t))),
    ),
)
NOTES = st.lists(st.tuples(st.text(max_size=12), VALUES), max_size=8)


def _build(note: Sequence[tuple[str, tuple[str, str]]]) -> tuple[Document, tuple[Span, ...]]:
    text, spans = "", []
    for between, (label, value) in note:
        text += between
        spans.append(Span(len(text), len(text) + len(value), label, "model", 0.5))
        text += value
    return Document("n1", text, "42", "fr", datetime(2024, 5, 20)), tuple(spans)


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("label", list(Label))
def test_every_label_has_a_replacement(
    cohort: CohortKey, record: PatientRecord, label: Label, locale: str
) -> None:
    value = SAMPLES[label]
    document = Document("n1", f"<{value}>", "42", locale)
    rewriter = Rewriter(cohort, Policy(locale=locale))
    release = rewriter.rewrite(document, (Span(1, 1 + len(value), label),), record)
    assert release.text[0] + release.text[-1] == "<>"
    assert fold(release.text) != fold(document.text)
    assert label in MAKERS


@given(NOTES)
@settings(max_examples=200)
def test_text_outside_the_spans_is_unchanged_and_offsets_hold(
    cohort: CohortKey, record: PatientRecord, note: list[tuple[str, tuple[Label, str]]]
) -> None:
    document, spans = _build(note)
    release = Rewriter(cohort, Policy()).rewrite(document, spans, record)
    assert len(release.spans) == len(spans)
    end = after = 0
    for old, new in zip(spans, release.spans, strict=True):
        assert document.text[end : old.start] == release.text[after : new.start]
        assert (old.label, old.detector, old.score) == (new.label, new.detector, new.score)
        value, surrogate = document.text[old.start : old.end], release.text[new.start : new.end]
        if old.label != Label.AGE:
            assert fold(value) != fold(surrogate)
        assert (
            surrogate[: len(surrogate) - len(surrogate.lstrip())]
            == (value[: len(value) - len(value.lstrip())])
        )
        end, after = old.end, new.end
    assert document.text[end:] == release.text[after:]


@given(NOTES, NOTES)
def test_nothing_else_decides(
    record: PatientRecord,
    note: list[tuple[str, tuple[Label, str]]],
    other: list[tuple[str, tuple[Label, str]]],
) -> None:
    """Neither what was written before, nor the order, nor the process."""
    document, spans = _build(note)
    fresh = Rewriter(MasterKey(bytes(32)).cohort("c"), Policy())
    used = Rewriter(MasterKey(bytes(32)).cohort("c"), Policy())
    used.rewrite(*_build(other), record)
    used.rewrite(derive(document, person_id="43"), spans, None)
    first = fresh.rewrite(document, spans, record)
    assert first == used.rewrite(document, spans, record) == fresh.rewrite(document, spans, record)


@given(VALUES, NOTES)
def test_a_value_is_the_same_in_every_note_of_a_patient(
    cohort: CohortKey,
    record: PatientRecord,
    value: tuple[Label, str],
    rest: list[tuple[str, tuple[Label, str]]],
) -> None:
    """But for what the document itself explains: initials, addresses, partial dates, codes."""
    label, text = value
    if label in (Label.ZIP, Label.EMAIL, Label.USERNAME):
        return
    if label in (Label.FIRST_NAME, Label.LAST_NAME, Label.NAME):
        text += " Grandville"
        text = text if min(map(len, WORD.findall(text))) > 3 else "Grandville"
    rewriter = Rewriter(cohort, Policy())
    released = []
    for note in ([("", (label, text))], [*rest, (" ", (label, text))]):
        release = rewriter.rewrite(*_build(note), record)
        last = release.spans[-1]
        released.append(release.text[last.start : last.end])
    assert released[0] == released[1]


def test_a_note(
    cohort: CohortKey,
    record: PatientRecord,
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    document, spans = marked(
        "M. [Jean|FIRST_NAME] [DUPONT|LAST_NAME], né le [03/02/1950|BIRTH_DATE], vu le"
        " [12/03/2024|DATE]. M. [Dupont|LAST_NAME] ([J.|FIRST_NAME] [DUPONT-MARTIN|LAST_NAME])."
    )
    policy = Policy(names="same-stratum", birth_dates="shift")
    release = Rewriter(cohort, policy).rewrite(document, spans, record)
    first, last, born, seen, again, initial, both = (
        release.text[span.start : span.end] for span in release.spans
    )
    assert again.upper() == last
    assert both.startswith(f"{last}-")
    assert initial == f"{fold(first)[0].upper()}."
    moved = [datetime.strptime(each, "%d/%m/%Y").date() for each in (born, seen)]
    assert moved[1] - moved[0] == date(2024, 3, 12) - date(1950, 2, 3)
    assert "dupont" not in fold(release.text)
    assert release.key_id == cohort.key_id
    assert release.policy_id == policy.under(cohort.algorithm).policy_id
    assert release.note_id == document.note_id


def test_code_and_town_side_by_side(
    cohort: CohortKey,
    record: PatientRecord,
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    towns = lexicon.load("cities", "fr")
    codes = dict(zip(towns.entries, towns.codes, strict=True))
    for text in ("[69003|ZIP] [Lyon|CITY]", "[Lyon|CITY] ([69003|ZIP])"):
        document, spans = marked(text)
        release = Rewriter(cohort, Policy()).rewrite(document, spans, record)
        parts = {span.label: release.text[span.start : span.end] for span in release.spans}
        assert codes[parts["CITY"]] == parts["ZIP"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Jean\n  Paul", "FIRST_NAME"),
        ("BOULOGNE-\nBILLANCOURT", "CITY"),
        ("  Paul ", "FIRST_NAME"),
        ("12 rue\n Pasteur", "STREET"),
        ("ISSY\nLES\nMOULINS", "CITY"),
        ("12\nmars 2024", "DATE"),
    ],
)
def test_line_breaks_and_outer_blanks_stay(cohort: CohortKey, text: str, label: str) -> None:
    document = Document("n1", text, "42", "fr")
    release = Rewriter(cohort, Policy()).rewrite(document, (Span(0, len(text), label),), None)
    assert ("\n" in release.text) == ("\n" in text)
    assert release.text.startswith(text[: len(text) - len(text.lstrip())])
    assert release.text.endswith(text[len(text.rstrip()) :])


def test_overlapping_or_unsorted_spans_are_refused(cohort: CohortKey) -> None:
    document = Document("n1", "Jean Dupont", "42")
    rewriter = Rewriter(cohort, Policy())
    for spans in (
        (Span(0, 5, "NAME"), Span(4, 8, "NAME")),
        (Span(5, 8, "NAME"), Span(0, 4, "NAME")),
        (Span(0, 4, "NAME"), Span(0, 4, "NAME")),
    ):
        with pytest.raises(Unsafe, match="overlapping-spans"):
            rewriter.rewrite(document, spans, None)
    with pytest.raises(Unsafe, match="span-outside-text"):
        rewriter.rewrite(document, (Span(5, 12, "NAME"),), None)


def test_touching_spans_are_disjoint(cohort: CohortKey) -> None:
    document = Document("n1", "12nov2023", "42", "fr")
    spans = (Span(0, 5, "DATE"), Span(5, 9, "DATE"))
    assert len(Rewriter(cohort, Policy()).rewrite(document, spans, None).spans) == 2


def test_what_the_policy_does_not_name_is_refused(cohort: CohortKey) -> None:
    document = Document("n1", "Jean", "42")
    policy = Policy(actions={"LAST_NAME": Action.REPLACE})
    for label, rules in (("FIRST_NAME", policy), ("UNHEARD_OF", Policy()), ("", Policy())):
        with pytest.raises(Unsafe, match="no-surrogate"):
            Rewriter(cohort, rules).rewrite(document, (Span(0, 4, label),), None)


def test_what_the_policy_keeps_is_kept(cohort: CohortKey) -> None:
    document = Document("n1", "de Bretagne", "42", "fr")
    actions = {**Policy().actions, "REGION": Action.KEEP}
    rewriter = Rewriter(cohort, Policy(actions=actions))
    release = rewriter.rewrite(document, (Span(3, 11, "REGION"),), None)
    assert release.text == document.text
    assert release.spans == (Span(3, 11, "REGION"),)


def test_another_persons_record_is_refused(cohort: CohortKey, record: PatientRecord) -> None:
    document = Document("n1", "Jean", "43")
    with pytest.raises(Unsafe, match="wrong-record"):
        Rewriter(cohort, Policy()).rewrite(document, (), record)


def test_a_note_of_nobody_is_its_own_patient(cohort: CohortKey) -> None:
    drawn = set()
    for note in range(40):
        document = Document(str(note), "Dupont", None, "fr")
        drawn.add(Rewriter(cohort, Policy()).rewrite(document, (Span(0, 6, "NAME"),), None).text)
    assert len(drawn) > 30


def test_a_changed_record_is_seen(cohort: CohortKey, record: PatientRecord) -> None:
    """The cache of patients must not outlive what is known of them."""
    rewriter = Rewriter(cohort, Policy())
    document = Document("n1", "Grandpierre", "42", "fr")
    spans = (Span(0, 11, "LAST_NAME"),)
    before = rewriter.rewrite(document, spans, record).text
    relative = derive(record.relatives[0], family_names=(before,))
    after = rewriter.rewrite(document, spans, derive(record, relatives=(relative,))).text
    assert fold(after) != fold(before)
    assert rewriter.rewrite(document, spans, record).text == before


def test_nothing_known_of_the_patient_comes_out(cohort: CohortKey, record: PatientRecord) -> None:
    known = "jean paul dupont martin marie legrand lilas paris".split()
    entries = lexicon.load("family", "fr").entries
    rewriter = Rewriter(cohort, Policy())
    # Every name of the list, in notes of a thousand: the time rises with the square of a note's.
    for first in range(0, len(entries), 1000):
        some = entries[first : first + 1000]
        spans, start = [], 0
        for entry in some:
            spans.append(Span(start, start + len(entry), "LAST_NAME"))
            start += len(entry) + 1
        release = rewriter.rewrite(Document("n1", " ".join(some), "42", "fr"), spans, record)
        assert not set(known) & set(fold(release.text).split())


def test_two_cohorts_cannot_be_joined(master: MasterKey) -> None:
    """Surrogates of 500 patients agree between two cohorts no more often than by chance.

    The chance of one agreement is about one in the lexicon's length. The bound is the number of
    agreements that chance exceeds with a probability below 1e-9.
    """
    names = lexicon.load("family", "fr").entries
    one, two = (Rewriter(master.cohort(name), Policy()) for name in ("one", "two"))
    samples = [("LAST_NAME", len(names) * 0.9), ("CITY", 270), ("ZIP", 270), ("DATE", 600)]
    agreements = dict.fromkeys((label for label, _ in samples), 0)
    for person in range(500):
        values = (names[person * 5 % len(names)], "Lyon", "69003", "12/03/2024")
        for (label, _), value in zip(samples, values, strict=True):
            document = Document("n1", value, str(person), "fr")
            spans = (Span(0, len(value), label),)
            same = (
                one.rewrite(document, spans, None).text == two.rewrite(document, spans, None).text
            )
            agreements[label] += same
    for label, choices in samples:
        assert agreements[label] <= _bound(500, 1 / choices, 1e-9), (label, agreements)


def _bound(trials: int, chance: float, alpha: float) -> int:
    left, number = 1.0, 0
    while left > alpha:
        left -= comb(trials, number) * chance**number * (1 - chance) ** (trials - number)
        number += 1
    return number


def test_neither_text_nor_key_is_in_an_error_or_a_repr(
    cohort: CohortKey, record: PatientRecord
) -> None:
    canary = "Zyxwvut"
    rewriter = Rewriter(cohort, Policy(actions={}))
    document = Document("n1", canary, canary, "fr")
    with pytest.raises(Unsafe) as raised:
        rewriter.rewrite(document, (Span(0, 7, "NAME"),), PatientRecord(canary))
    shown = f"{raised.value!r}{rewriter!r}{cohort!r}{list(rewriter._patients.values())!r}"
    assert canary not in shown
    assert cohort._secret.hex() not in shown
    assert repr(cohort._secret)[2:-1] not in shown
