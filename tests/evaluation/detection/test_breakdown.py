"""What scores say beyond the corpus: kinds of notes, patients, labels confused, terms, strength."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from evaluation.detection.alignment import Pair
from evaluation.detection.identifier_types import IdentifierType, identifier_type
from evaluation.detection.scores import format_scores, score_pairs
from evaluation.detection.span_shapes import (
    SpanShape,
    false_positive_shapes,
    leaked_shapes,
    shape_of,
)
from record.label import Label
from record.span import Span

TEXT = "Zoé Quill, 3 mai, aspirine à Évry"
GOLD = (Span(0, 3, "FIRST_NAME"), Span(4, 9, "LAST_NAME"), Span(11, 16, "DATE"))


def pair(
    note_id: str,
    predicted: Sequence[Span | tuple[int, int, str]],
    *,
    gold: tuple[Span, ...] = GOLD,
    person: str | None = "1",
    kind: str = "letter",
) -> Pair:
    spans = tuple(span if isinstance(span, Span) else Span(*span) for span in predicted)
    return Pair(note_id, TEXT, gold, spans, person, kind)


MISSED = [
    pair("a", GOLD),
    # The date is missed, the first name taken for a last one, a drug and a town without need.
    pair(
        "b",
        [(0, 3, "LAST_NAME"), (4, 9, "LAST_NAME"), (18, 26, "CITY"), (29, 33, "CITY")],
        kind="imaging",
    ),
    pair("c", GOLD, person="2"),
    pair("d", (), gold=(), person="3"),
]


@pytest.fixture(scope="module")
def scores() -> dict[str, Any]:
    return score_pairs(MISSED, lambda word: word == "aspirine")


def test_each_kind_has_the_scores_of_its_notes(scores: dict[str, Any]) -> None:
    assert list(scores["per_kind"]) == ["imaging", "letter"]
    for kind, found in scores["per_kind"].items():
        alone = score_pairs(pair for pair in MISSED if pair.kind == kind)
        assert found == {name: alone[name] for name in found}
    assert scores["per_kind"]["imaging"]["fully_redacted"]["rate"] == 0
    assert scores["per_kind"]["letter"]["fully_redacted"]["documents"] == 2


def test_a_file_is_safe_when_all_of_its_notes_are(scores: dict[str, Any]) -> None:
    assert scores["fully_redacted"]["rate"] == pytest.approx(2 / 3)
    files = scores["fully_redacted_files"]
    assert (files["rate"], files["patients"]) == (0.5, 2)
    assert files["low"] < 0.5 < files["high"]


def test_a_note_without_a_person_is_its_own_patient() -> None:
    pairs = [pair("a", GOLD, person=None), pair("b", (), person=None), pair("c", (), person="a")]
    found = score_pairs(pairs)
    assert found["intervals"]["patients"] == found["fully_redacted_files"]["patients"] == 3


def test_confusion_counts_tokens_by_both_labels(scores: dict[str, Any]) -> None:
    assert scores["confusion"] == {
        "FIRST_NAME": {"FIRST_NAME": 2, "LAST_NAME": 1},
        "LAST_NAME": {"LAST_NAME": 3},
        "DATE": {"DATE": 4, "nothing": 2},
        "nothing": {"CITY": 2},
    }


def test_medical_terms_covered_without_need(scores: dict[str, Any]) -> None:
    assert scores["over_redaction_medical"] == {
        "terms": 4,
        "redacted": 1,
        "per_1000": 250,
        "share_of_over_redaction": 0.5,
    }
    assert score_pairs(MISSED)["over_redaction_medical"] is None


def test_gold_is_no_medical_term() -> None:
    found = score_pairs(MISSED, lambda word: word == "Quill")
    assert found["over_redaction_medical"]["terms"] == 1  # the note without gold


def test_leaks_weigh_by_strength(scores: dict[str, Any]) -> None:
    direct, quasi = (scores["leaks_by_strength"][kind] for kind in ("direct", "quasi"))
    assert (direct["spans"], direct["leaked"], direct["fully_redacted"]["rate"]) == (6, 0, 1)
    assert (quasi["spans"], quasi["leaked"], quasi["rate"]) == (3, 1, pytest.approx(1 / 3))
    assert scores["weighted_leaks"]["rate"] == pytest.approx(0.2 / (6 + 3 * 0.2))


def test_every_label_has_a_strength_and_unknown_ones_are_direct() -> None:
    assert identifier_type("NOMBRE") is identifier_type("") is IdentifierType.DIRECT
    quasi = {label for label in Label if identifier_type(label) is IdentifierType.QUASI}
    assert {Label.DATE, Label.ZIP} <= quasi
    assert not quasi & {Label.LAST_NAME, Label.SSN, Label.PHONE, Label.STREET, Label.ID}


def test_intervals_hold_the_scores_they_belong_to(scores: dict[str, Any]) -> None:
    intervals = scores["intervals"]
    assert (intervals["patients"], intervals["resamples"]) == (3, 2000)
    for name, value in (
        ("strict_f1", scores["strict"]["f1"]),
        ("token_f1", scores["token"]["f1"]),
        ("redacted", scores["redacted"]),
        ("fully_redacted", scores["fully_redacted"]["rate"]),
    ):
        assert intervals[name]["low"] <= value <= intervals[name]["high"]
    for found in scores["per_label"].values():
        for name in ("f1", "redacted"):
            bounds = found["intervals"][name]
            assert bounds["low"] <= found[name] <= bounds["high"] or not found["gold_tokens"]


def test_the_same_notes_give_the_same_scores(scores: dict[str, Any]) -> None:
    assert score_pairs(MISSED, lambda word: word == "aspirine") == scores


def test_the_table_names_kinds_and_what_names_none(scores: dict[str, Any]) -> None:
    assert "imaging" in format_scores(scores)
    assert "unknown" in format_scores(score_pairs([pair("a", GOLD, kind="")]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zoé 12/03", "Aaa 99/99"),
        ("ÉVRY\n\tǅ", "AAAA  A"),
        ("e\u0301", "a?"),
        ("٣北²😀", "9a??"),
        ("x" * 40, "a" * 32 + "…"),
    ],
)
def test_shapes_say_nothing(text: str, expected: str) -> None:
    assert shape_of(text) == expected


def test_examples_are_the_most_frequent_shapes() -> None:
    assert leaked_shapes(MISSED) == [SpanShape("DATE", "9 aaa", 1)]
    assert false_positive_shapes(MISSED) == [
        SpanShape("CITY", "Aaaa", 1),
        SpanShape("CITY", "aaaaaaaa", 1),
    ]
    many = [pair(str(n), [(0, n + 1, "X")], gold=()) for n in range(8)] * 2
    assert [example.count for example in false_positive_shapes(many)] == [2] * 5


def test_nothing_of_this_holds_text(scores: dict[str, Any]) -> None:
    said = json.dumps(scores, ensure_ascii=False) + format_scores(scores)
    said += repr([*leaked_shapes(MISSED), *false_positive_shapes(MISSED)])
    assert not [word for word in ("Zoé", "Quill", "mai", "aspirine", "Évry") if word in said]
