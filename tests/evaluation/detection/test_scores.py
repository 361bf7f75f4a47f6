"""Twelve small documents scored by hand, and what must hold for any annotation."""

import json
import random
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.detection.alignment import (
    Coverage,
    Pair,
    join_across_signs,
    merge_touching_spans,
    pair_annotations,
    tokenize,
)
from evaluation.detection.scores import format_scores, score_pairs
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span


@dataclass
class Case:
    """A text, gold and predicted spans, and what scoring that document alone must give.

    Triples are (tp, fp, fn); `redacted` is (redacted, gold tokens); `over` counts the tokens that
    are touched without need; `leaks` are starts of gold spans.
    """

    name: str
    text: str
    gold: list[tuple[int, int, str]]
    predicted: list[tuple[int, int, str]]
    strict: tuple[int, int, int]
    unlabelled: tuple[int, int, int]
    merged: tuple[int, int, int]
    token: tuple[int, int, int]
    redacted: tuple[int, int]
    over: int = 0
    leaks: tuple[int, ...] = ()


GOLDEN = [
    # 0123456789
    Case("all found", "Zoé Roy ok", [(0, 3, "F"), (4, 7, "L")], [(0, 3, "F"), (4, 7, "L")],
         (2, 0, 0), (2, 0, 0), (1, 0, 0), (2, 0, 0), (2, 2)),
    Case("nothing found", "Zoé Roy ok", [(0, 3, "F"), (4, 7, "L")], [],
         (0, 0, 2), (0, 0, 2), (0, 0, 1), (0, 0, 2), (0, 2), leaks=(0, 4)),
    Case("wrong label", "Zoé Roy ok", [(0, 3, "F")], [(0, 3, "L")],
         (0, 1, 1), (1, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1)),
    # One token of two: the span is not exact, and half of it stays readable.
    Case("partial overlap", "Zoé Roy ok", [(0, 7, "N")], [(0, 3, "N")],
         (0, 1, 1), (0, 1, 1), (0, 1, 1), (1, 0, 1), (1, 2), leaks=(0,)),
    # Half a token is no redaction: the other half can be read.
    Case("half a token", "Zoé Roy ok", [(4, 7, "L")], [(4, 6, "L")],
         (0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 1), leaks=(4,)),
    Case("too long", "Zoé Roy ok", [(0, 3, "F")], [(0, 7, "F")],
         (0, 1, 1), (0, 1, 1), (0, 1, 1), (1, 1, 0), (1, 1), over=1),
    Case("empty gold, empty prediction", "rien ici", [], [],
         (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0)),
    Case("empty gold, false alarm", "rien ici", [], [(0, 4, "L")],
         (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0), over=1),
    # White space belongs to no token, neither within the span nor at its end.
    Case("white space in the span", "le 3 \n mai 1950 ",
         [(3, 16, "D")], [(3, 4, "D"), (7, 15, "D")],
         (0, 2, 1), (0, 2, 1), (0, 1, 1), (3, 0, 0), (3, 3)),
    # As in MEDDOCAN: `Roy, Zoé` as one span or as two is the same once joined.
    Case("merged", "Roy, Zoé ok", [(0, 8, "N")], [(0, 3, "N"), (5, 8, "N")],
         (0, 2, 1), (0, 2, 1), (1, 0, 0), (2, 0, 1), (2, 3), leaks=(0,)),
    # A word between them keeps spans apart.
    Case("not merged", "Roy et Zoé", [(0, 3, "N"), (7, 10, "N")], [(0, 10, "N")],
         (0, 1, 2), (0, 1, 2), (0, 1, 2), (2, 1, 0), (2, 2), over=1),
    # The longer gold span gives the shared token its label; digits and letters are two tokens.
    Case("overlapping gold", "12nov 1950", [(0, 10, "B"), (0, 5, "D")], [(0, 5, "D"), (6, 10, "B")],
         (1, 1, 1), (1, 1, 1), (1, 0, 0), (1, 2, 2), (3, 3)),
]  # fmt: skip


def make(case: Case, note_id: str = "1") -> Pair:
    gold, predicted = (
        tuple(Span(*span) for span in spans) for spans in (case.gold, case.predicted)
    )
    return Pair(note_id, case.text, gold, predicted)


def counts(found: dict[str, Any]) -> tuple[Any, Any, Any]:
    return found["tp"], found["fp"], found["fn"]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case.name)
def test_twelve_documents_scored_by_hand(case: Case) -> None:
    scores = score_pairs([make(case)])
    for name in ("strict", "unlabelled", "merged", "token"):
        assert counts(scores[name]) == getattr(case, name), name
    part, whole = case.redacted
    assert scores["redacted"] == (part / whole if whole else 0)
    assert scores["over_redaction"] == 1000 * case.over / len(tokenize(case.text))
    assert tuple(leak["start"] for leak in scores["leaks"]) == case.leaks
    fully = scores["fully_redacted"]
    assert fully["documents"] == bool(case.gold)
    assert fully["rate"] == (bool(case.gold) and not case.leaks)


def test_the_corpus_is_their_sum() -> None:
    scores = score_pairs(make(case, str(number)) for number, case in enumerate(GOLDEN))
    for name in ("strict", "unlabelled", "merged", "token"):
        sums = tuple(map(sum, zip(*(getattr(case, name) for case in GOLDEN), strict=True)))
        assert counts(scores[name]) == sums
    tokens = sum(len(tokenize(case.text)) for case in GOLDEN)
    assert scores["over_redaction"] == 1000 * sum(case.over for case in GOLDEN) / tokens
    assert scores["redacted"] == 15 / 20
    # By hand from Wilson's formula for 6 of 10, z = 1.959964.
    fully = scores["fully_redacted"]
    assert (fully["rate"], fully["documents"]) == (0.6, 10)
    assert fully["low"] == pytest.approx(0.31267, abs=1e-5)
    assert fully["high"] == pytest.approx(0.83182, abs=1e-5)
    assert [leak["note_id"] for leak in scores["leaks"]] == ["1", "1", "3", "4", "9"]


def test_scores_of_one_label_are_those_of_its_spans() -> None:
    scores = score_pairs([make(GOLDEN[0]), make(GOLDEN[2], "2")])
    first = scores["per_label"]["F"]
    assert (first["precision"], first["recall"], first["redacted"]) == (1, 0.5, 1)
    assert counts(first["token"]) == (1, 0, 1)
    assert scores["per_label"]["L"]["precision"] == 0.5
    assert scores["strict"]["f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))


def test_nothing_to_score_promises_nothing() -> None:
    scores = score_pairs([])
    assert scores["fully_redacted"] == {"rate": 0, "low": 0, "high": 1, "documents": 0}
    assert (scores["redacted"], scores["over_redaction"], scores["leaks"]) == (0, 0, [])


def test_neither_scores_nor_their_table_hold_text() -> None:
    pairs = [make(case, str(number)) for number, case in enumerate(GOLDEN)]
    said = (
        json.dumps(score_pairs(pairs), ensure_ascii=False)
        + format_scores(score_pairs(pairs))
        + repr(pairs)
    )
    assert not [word for word in ("Zoé", "Roy", "1950", "rien") if word in said]


TEXT = "Dr. Zoé Roy-Lee, 12nov 1950 ;\n  le (3) à X_1. "


@st.composite
def annotations(draw: st.DrawFn) -> list[Pair]:
    def spans() -> tuple[Span, ...]:
        starts = st.integers(0, len(TEXT) - 1)
        pieces = st.tuples(starts, st.integers(1, 12), st.sampled_from("ABC"))
        return tuple(
            Span(start, min(start + size, len(TEXT)), label)
            for start, size, label in draw(st.lists(pieces, max_size=6))
        )

    return [Pair(str(number), TEXT, spans(), spans()) for number in range(draw(st.integers(1, 3)))]


@given(annotations())
def test_what_holds_for_any_annotation(pairs: list[Pair]) -> None:
    scores = score_pairs(pairs)
    assert scores["redacted"] >= scores["token"]["recall"]
    assert scores["unlabelled"]["recall"] >= 0
    fully = scores["fully_redacted"]
    assert fully["low"] - 1e-12 <= fully["rate"] <= fully["high"] + 1e-12
    assert len({leak["note_id"] for leak in scores["leaks"]}) == round(
        fully["documents"] * (1 - fully["rate"])
    )
    assert (scores["redacted"] == 1) <= (not scores["leaks"])
    for name in ("strict", "token"):
        labels = [
            found if name == "strict" else found["token"] for found in scores["per_label"].values()
        ]
        for key in ("tp", "fp", "fn"):
            assert sum(found[key] for found in labels) == scores[name][key]


@given(annotations(), st.randoms(use_true_random=False))
def test_redaction_is_blind_to_labels_and_order(pairs: list[Pair], chance: Random) -> None:
    def other(spans: tuple[Span, ...]) -> tuple[Any, ...]:
        mixed = [Span(s.start, s.end, chance.choice("XYZ"), "b", 0.5) for s in spans]
        random.Random(1).shuffle(mixed)
        return tuple(mixed)

    blind = [Pair(p.note_id, p.text, p.gold, other(p.predicted)) for p in pairs]
    before, after = score_pairs(pairs), score_pairs(blind)
    for key in ("redacted", "fully_redacted", "over_redaction", "leaks", "unlabelled", "merged"):
        assert before[key] == after[key]


@given(annotations())
def test_gold_scores_full_marks_against_itself(pairs: list[Pair]) -> None:
    scores = score_pairs([Pair(p.note_id, p.text, p.gold, p.gold) for p in pairs])
    assert (scores["leaks"], scores["over_redaction"]) == ([], 0)
    for name in ("strict", "unlabelled", "merged", "token"):
        assert (scores[name]["fp"], scores[name]["fn"]) == (0, 0)


@given(annotations())
def test_covering_more_never_leaks_more(pairs: list[Pair]) -> None:
    more = [Pair(p.note_id, p.text, p.gold, (*p.predicted, *p.gold[:1])) for p in pairs]
    before, after = score_pairs(pairs), score_pairs(more)
    assert after["redacted"] >= before["redacted"]
    assert len(after["leaks"]) <= len(before["leaks"])


@given(annotations())
def test_cover_agrees_with_counting_characters(pairs: list[Pair]) -> None:
    spans = pairs[0].gold
    covered = {at for span in spans for at in range(span.start, span.end)}
    stretches = merge_touching_spans(spans)
    assert {at for start, end in stretches for at in range(start, end)} == covered
    cover = Coverage(stretches)
    for start, end in tokenize(TEXT):
        parts = cover.parts(start, end)
        assert {at for low, high in parts for at in range(low, high)} == covered & {
            *range(start, end)
        }
        assert cover.holds(start, end) is ({*range(start, end)} <= covered)


@given(st.text(max_size=40))
def test_every_character_but_white_space_is_in_one_token(text: str) -> None:
    tokens = tokenize(text)
    assert tokens == sorted(tokens)
    covered = [at for start, end in tokens for at in range(start, end)]
    assert len(covered) == len(set(covered))
    assert {at for at, char in enumerate(text) if not char.isspace()} == set(covered)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("12nov", "12 nov"),
        ("Roy-Lee,", "Roy - Lee ,"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ("a_1 (b)", "a _ 1 ( b )"),
        ("l’été", "l ’ été"),
    ],
)
def test_tokens_are_words_numbers_and_signs(text: str, words: str) -> None:
    assert " ".join(text[start:end] for start, end in tokenize(text)) == words


def test_spans_join_over_signs_alone() -> None:
    text = "a, b c\n-d"
    spans = [Span(0, 1, "X"), Span(3, 4, "Y"), Span(8, 9, "X")]
    assert join_across_signs(spans, text) == [(0, 4), (8, 9)]
    assert join_across_signs([*spans, Span(5, 6, "X")], text) == [(0, 9)]


def annotated(note_id: str, text: str = "Zoé", label: str = "A") -> Annotated:
    return Annotated(Document(note_id, text), (Span(0, 3, label),))


def test_notes_meet_by_id_and_gold_decides_which_are_scored() -> None:
    paired = pair_annotations(
        [annotated("1"), annotated("2")], [annotated("3"), annotated("2", label="B")]
    )
    assert (paired.missing, paired.extra) == (1, 1)
    assert [(p.note_id, len(p.predicted)) for p in paired.pairs] == [("1", 0), ("2", 1)]
    renamed = pair_annotations([annotated("2")], [annotated("2", label="B")], {"B": "A"})
    assert score_pairs(renamed.pairs)["strict"]["f1"] == 1


@pytest.mark.parametrize(
    ("gold", "predicted"), [("1 1", "1"), ("1", "1 1"), ("1", "1:Zoe")], ids=str
)
def test_what_cannot_be_compared_is_refused(gold: str, predicted: str) -> None:
    def notes(spec: str) -> list[Any]:
        return [annotated(*word.split(":")) for word in spec.split()]

    with pytest.raises(ConfigError) as caught:
        pair_annotations(notes(gold), notes(predicted))
    assert "Zo" not in str(caught.value)


def test_what_rules_mark_counts_where_no_label_does() -> None:
    text = "Zoé Roy, Lille, ok"
    gold = (Span(0, 3, "F"), Span(4, 7, "L"), Span(9, 14, "C"))
    tagged = (Span(0, 3, "F", "model"),)
    marked = (
        Span(4, 7, "rule:LAST_NAME", "rules.names"),
        Span(16, 18, "rule:CITY", "rules.places"),
    )
    alone, both = (
        score_pairs([Pair("n", text, gold, found)], resamples=1)
        for found in (tagged, (*tagged, *marked))
    )
    for name in ("strict", "token", "confidence"):
        assert both[name] == alone[name]
    assert both["per_label"].keys() == alone["per_label"].keys() == {"F", "L", "C"}
    assert (alone["marked"], both["marked"]) == (0, 2)
    assert both["unlabelled"] | {"precision": 0, "recall": 0, "f1": 0} == {
        "tp": 2, "fp": 1, "fn": 1, "precision": 0, "recall": 0, "f1": 0
    }  # fmt: skip
    assert (alone["redacted"], both["redacted"]) == (1 / 3, 2 / 3)
    assert (alone["over_redaction"], both["over_redaction"] > 0) == (0, True)
    assert both["confusion"]["L"] == {"rule:LAST_NAME": 1}
    assert "2 spans labelled rule:" in format_scores(both)
    assert "rule:" not in format_scores(alone)
