"""Rules and a model together: which span wins where, what is cleaned, and what stays covered."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from evaluation.detection.alignment import Pair, tokenize
from evaluation.detection.scores import score_pairs
from pipeline.notes.overlap_resolution import (
    has_own_labels,
    resolve_beside_tagger,
    resolve_spans,
    trim_spans,
)
from record.span import Span

TEXT = "Mme Jeanne M. DUPONT-MARTIN, née le 12/03/1950, 12 rue des Lilas (75), tél. (+33) 1 44 55."
A, B = "LAST_NAME", "CITY"

# The thirteen relations of two intervals (Allen 1983): where the other span lies beside one from
# 10 to 20, and what both become: `1` is the span from 10 to 20, `2` the other one.
RELATIONS = {
    "before": ((22, 26), "1:10-20 2:22-26"),
    "after": ((4, 8), "2:4-8 1:10-20"),
    "meets": ((20, 24), "1:10-20 2:20-24"),
    "is met by": ((6, 10), "2:6-10 1:10-20"),
    "overlaps, the longer": ((18, 24), "1:10-20 2:20-24"),
    "overlaps, the shorter": ((14, 30), "1:10-14 2:14-30"),
    "is overlapped by, the longer": ((6, 12), "2:6-10 1:10-20"),
    "is overlapped by, the shorter": ((0, 16), "2:0-16 1:16-20"),
    "starts": ((10, 26), "2:10-26"),
    "is started by": ((10, 14), "1:10-20"),
    "during": ((6, 26), "2:6-26"),
    "contains": ((12, 16), "1:10-20"),
    "finishes": ((4, 20), "2:4-20"),
    "is finished by": ((16, 20), "1:10-20"),
    "equals": ((10, 20), "model:10-20"),
}


@pytest.mark.parametrize("labels", [(A, A), (A, B), (B, A)], ids=["same", "other", "swapped"])
@pytest.mark.parametrize("detectors", [("rules.names", "model"), ("model", "rules.names")])
@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_of_a_rule_and_a_model(
    relation: str, detectors: tuple[str, str], labels: tuple[str, str]
) -> None:
    where, decided = RELATIONS[relation]
    one, two = (
        Span(*offsets, label, detector, 0.7 if detector == "model" else 1.0)
        for offsets, label, detector in zip(((10, 20), where), labels, detectors, strict=True)
    )
    model = one if one.detector == "model" else two
    expected = [
        ({"1": one, "2": two, "model": model}[who].label, offsets)
        for who, _, offsets in (part.partition(":") for part in decided.split())
    ]
    for spans in ([one, two], [two, one]):
        found = resolve_spans(spans, "x" * 40)
        assert [(span.label, f"{span.start}-{span.end}") for span in found] == expected


def test_the_thirteen_relations_are_all_there() -> None:
    assert len({name.split(",")[0] for name in RELATIONS}) == 13


NUMBERS = {
    "SSN": ("2 55 08 14 168 025 38", "2 55 08 14 168 025 39"),
    "ACCOUNT": ("FR14 2004 1010 0505 0001 3M02 606", "FR14 2004 1010 0505 0001 3M02 607"),
    "PATIENT_ID": ("943 476 5919", "943 476 5918"),
    "VEHICLE_ID": ("1M8GDM9AXKP042788", "1M8GDM9A1KP042788"),
}


@pytest.mark.parametrize("label", NUMBERS)
def test_a_number_that_checks_by_its_digits_is_the_rules(label: str) -> None:
    for number, who in zip(NUMBERS[label], ("rules.identifiers", "model"), strict=True):
        rule = Span(0, len(number), label, "rules.identifiers")
        model = Span(0, len(number), "PHONE", "model", 0.99)
        assert [span.detector for span in resolve_spans([rule, model], number)] == [who]


@pytest.mark.parametrize(
    ("rule", "model", "winner"),
    [
        ("CITY", "HOSPITAL", "HOSPITAL"),
        ("FIRST_NAME", "CITY", "CITY"),
        ("CITY", "LAST_NAME", "LAST_NAME"),
        ("VISIT_ID", "ID", "ID"),
        ("ID", "PHONE", "PHONE"),
        # Rules tell names of persons apart by their lists, more often rightly.
        ("FIRST_NAME", "LAST_NAME", "FIRST_NAME"),
        ("LAST_NAME", "NAME", "LAST_NAME"),
        # Of two dates the one that is treated more strictly.
        ("DATE", "BIRTH_DATE", "BIRTH_DATE"),
        ("ZIP", "CITY", "ZIP"),
        ("BIRTH_DATE", "DATE", "BIRTH_DATE"),
    ],
)
def test_on_a_clash_of_labels_the_model_decides_but_for_names_and_births(
    rule: str, model: str, winner: str
) -> None:
    spans = [Span(0, 9, rule, "rules.any"), Span(0, 9, model, "model", 0.5)]
    assert [span.label for span in resolve_spans(spans, "x" * 9)] == [winner]


def test_what_is_known_of_the_patient_names_the_span() -> None:
    known, model = Span(10, 20, A, "known.family_names"), Span(10, 20, B, "model")
    assert resolve_spans([known, model], "x" * 40) == (known,)


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        (" Quill, ", "LAST_NAME", "Quill"),
        ("« Quill »", "LAST_NAME", "Quill"),
        ("J.", "FIRST_NAME", "J."),
        ("Klynor S.A.", "ORGANIZATION", "Klynor S.A."),
        ("EE.UU.", "COUNTRY", "EE.UU."),
        ("EE.UU..,", "COUNTRY", "EE.UU."),
        ("www.brisk.test.", "URL", "www.brisk.test"),
        ("12.5.", "DATE", "12.5"),
        ("Paris.", "CITY", "Paris"),
        ("J.,", "FIRST_NAME", "J."),
        ("J .", "FIRST_NAME", "J"),
        ("Évry.", "CITY", "Évry"),
        ("(+33) 1 44.", "PHONE", "(+33) 1 44"),
        (":+33 1 44", "FAX", "+33 1 44"),
        ("(+33", "DATE", "33"),
        ("Paris (75)", "CITY", "Paris (75)"),
        ("Paris (75))", "CITY", "Paris (75)"),
        ("(Paris)", "CITY", "Paris"),
        ('Clinic "Quill"', "HOSPITAL", 'Clinic "Quill"'),
        ('Clinic "Quill" x"', "HOSPITAL", 'Clinic "Quill" x'),
        ('"Quill"', "LAST_NAME", "Quill"),
        ("Clinic «Quill»", "HOSPITAL", "Clinic «Quill»"),
        ("Clinic “Quill”,", "HOSPITAL", "Clinic “Quill”"),
        ("3 Izq..", "STREET", "3 Izq."),
        ("Paris...", "CITY", "Paris"),
        ("[3 mai].", "DATE", "3 mai"),
        ("e\u0301te\u0301.", "CITY", "e\u0301te\u0301"),
        ("№ 5²", "ID", "5²"),
        ("_x-y_", "USERNAME", "x-y"),
        ("\u200b\n12\t", "DATE", "12"),
        ("\ue000.", "NAME", "\ue000"),
        (" Dr. med. ", "TITEL", "Dr. med."),
        ("\u00a0(Paris),\n", "ORT", "(Paris),"),
        (" - ", "TITEL", "-"),
        ("  ", "TITEL", None),
        ("-", "DATE", None),
        ("+", "PHONE", None),
        (" . ", "FIRST_NAME", None),
        ("😀", "ID", None),
    ],
)
def test_ends_are_cleaned(text: str, label: str, expected: str | None) -> None:
    whole = f"a{text}b"
    found = trim_spans([Span(1, 1 + len(text), label, "model", 0.5)], whole)
    assert [whole[span.start : span.end] for span in found] == [expected] * (expected is not None)
    assert all((s.label, s.detector, s.score) == (label, "model", 0.5) for s in found)
    assert trim_spans(found, whole) == found


def test_a_dot_that_another_follows_ends_an_abbreviation() -> None:
    for text, end in (("3 Izq.. X", 6), ("3 Izq. X", 5), ("3 Izq.", 5), ("2 5.. X", 3)):
        (found,) = trim_spans([Span(0, min(6, text.rindex(".") + 1), "STREET", "model")], text)
        assert found.end == end, text


def spans_of(detectors: list[Any], text: str = TEXT) -> SearchStrategy[list[Any]]:
    labels = st.sampled_from([A, B, "DATE", "PHONE", "FIRST_NAME"])
    return st.lists(
        st.builds(
            lambda start, size, *rest: Span(start, min(start + size, len(text)), *rest),
            st.integers(0, len(text) - 1),
            st.integers(1, 25),
            labels,
            st.sampled_from(detectors),
            st.sampled_from([0.3, 0.9, 1.0]),
        ),
        max_size=6,
    )


RULES = spans_of(["rules.names", "rules.dates", "known.phones"])
MODEL = spans_of(["model"])
GOLD = spans_of(["gold"])


def letters(spans: Iterable[Span], text: str) -> set[Any]:
    covered = {at for span in spans for at in range(span.start, span.end)}
    return {at for at in covered if text[at].isalnum()}


@given(st.text(" .,(+-)aé1\u0301", min_size=1, max_size=30), st.data())
def test_cleaning_uncovers_no_letter_and_no_digit(text: str, data: st.DataObject) -> None:
    spans = data.draw(spans_of(["model"], text))
    assert letters(trim_spans(spans, text), text) == letters(spans, text)


@given(RULES, MODEL)
def test_a_hybrid_covers_what_either_covers(rules: list[Span], model: list[Span]) -> None:
    found = hybrid(rules, model, TEXT)
    assert letters(found, TEXT) == letters([*rules, *model], TEXT)
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))


def redacted(gold: Sequence[Span], predicted: Sequence[Span]) -> float:
    """The share of gold tokens covered, of those that hold a letter or digit."""
    words = [Span(*each, "X") for each in tokenize(TEXT) if TEXT[each[0]].isalnum()]
    held = [word for word in words if any(word.overlaps(span) for span in gold)]
    return score_pairs([Pair("n", TEXT, tuple(held), tuple(predicted))], resamples=1)["redacted"]


def hybrid(rules: list[Span], model: list[Span], text: str) -> tuple[Span, ...]:
    return resolve_spans([*rules, *trim_spans(model, text)], text)


def published(rules: list[Span], model: list[Span]) -> list[Any]:
    """EDS-NLP's policy: within each the longest, then the model's span wins any overlap."""
    kept = list(resolve_spans(model, TEXT))
    return [*kept, *(s for s in resolve_spans(rules, TEXT) if not any(s.overlaps(k) for k in kept))]


@given(GOLD, RULES, MODEL)
def test_a_hybrid_redacts_no_less_than_either(
    gold: list[Span], rules: list[Span], model: list[Span]
) -> None:
    both = redacted(gold, hybrid(rules, model, TEXT))
    assert both >= max(redacted(gold, rules), redacted(gold, model))


def test_the_published_policy_redacts_less_than_the_rules_alone() -> None:
    """The same property, which a short span of the model that evicts a longer rule's breaks."""
    gold, rules, model = find(
        st.tuples(GOLD, RULES, MODEL),
        lambda sets: redacted(sets[0], published(*sets[1:])) < redacted(sets[0], sets[1]),
        settings=settings(max_examples=2000, database=None, derandomize=True),
    )
    assert redacted(gold, published(rules, model)) < redacted(gold, rules)
    assert redacted(gold, hybrid(rules, model, TEXT)) >= redacted(gold, rules)


OWN = MODEL.map(lambda found: [replace(span, label=f"SU_{span.label}") for span in found])
TO_OWN = {"DATE": "SU_DATE", "PHONE": "SU_PHONE"}


def signs(spans: Iterable[Span]) -> set[int]:
    covered = {at for span in spans for at in range(span.start, span.end)}
    return {at for at in covered if not TEXT[at].isspace()}


@given(GOLD, RULES, OWN)
def test_rules_leave_a_tagger_of_other_labels_its_score(
    gold: list[Span], rules: list[Span], model: list[Span]
) -> None:
    alone = resolve_beside_tagger(model, TEXT, {})
    both = resolve_beside_tagger([*rules, *model], TEXT, {})
    assert [span for span in both if span.detector == "model"] == list(alone)
    assert signs(both) == signs([*rules, *model])
    assert all(one.end <= two.start for one, two in itertools.pairwise(both))
    wanted = tuple(replace(span, label=f"SU_{span.label}") for span in gold)
    scored = (score_pairs([Pair("n", TEXT, wanted, found)], resamples=1) for found in (alone, both))
    one, two = ((each["strict"], each["token"]) for each in scored)
    assert one == two
    assert redacted(gold, both) >= max(redacted(gold, rules), redacted(gold, model))


@given(RULES, OWN)
def test_a_rule_has_a_label_of_the_tagger_only_for_a_whole_span(
    rules: list[Span], model: list[Span]
) -> None:
    whole = set(rules)
    for span in resolve_beside_tagger([*rules, *model], TEXT, TO_OWN):
        if span.detector != "model" and span.label.startswith("SU_"):
            assert replace(span, label=span.label.removeprefix("SU_")) in whole


def test_what_rules_find_beside_a_tagger_of_other_labels_is_mapped_or_marked() -> None:
    text = "Dr. Ana Roy, el 3 de mayo, tel. 555 123 (Lugo)"
    spans = [
        Span(4, 11, "NAME", "rules.names"), Span(8, 11, "TUTOR", "model", 0.8),
        Span(16, 25, "DATE", "rules.dates"), Span(32, 39, "PHONE", "known.phones"),
        Span(40, 46, "CITY", "rules.places"), Span(41, 45, "LUGAR", "model", 0.3),
    ]  # fmt: skip
    found = resolve_beside_tagger(spans, text, {"DATE": "FECHA", "NAME": "TUTOR"})
    assert [(text[span.start : span.end], span.label) for span in found] == [
        ("Ana", "rule:NAME"),
        ("Roy", "TUTOR"),
        ("3 de mayo", "FECHA"),
        ("555 123", "rule:PHONE"),
        ("(", "rule:CITY"),
        ("Lugo", "LUGAR"),
        (")", "rule:CITY"),
    ]
    assert has_own_labels(["DATE", "LUGAR"])
    assert not has_own_labels(["DATE", "CITY"])
