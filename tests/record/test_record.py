"""The nouns: invariants on construction, digests, round trips, and reprs that show nothing."""

import hashlib
import itertools
import json
from dataclasses import asdict
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable
from record.folding import fold
from record.label import Label
from record.patient import Address, Identifier, PatientRecord, PersonName
from record.policy import Action, Policy
from record.span import Span, merge_spans

CANARY = "Quillfeather"


@given(st.text())
def test_folding_keeps_offsets(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(max_codepoint=255)), st.sampled_from(["", "µ", "œ", "’"]))
def test_folding_a_letter_does_not_depend_on_its_neighbours(text: str, neighbour: str) -> None:
    alone = "".join(fold(char) for char in text)
    assert fold(text + neighbour) == alone + fold(neighbour)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Émilie ÇELİK", "emilie celik"),
        ("L’Haÿ–les‑Roses", "l'hay-les-roses"),
        ("Łukasz Øster", "lukasz oster"),
        ("a\u00a0b\u202fc", "a b c"),
        ("ligne\nsuivante", "ligne\nsuivante"),
        ("٠٩/۰۳/१९６𝟎, m²", "09/03/1960, m2"),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("start", "end", "score"), [(3, 3, 1.0), (-1, 2, 1.0), (5, 4, 1.0), (0, 1, 1.5)]
)
def test_impossible_spans_are_refused(start: int, end: int, score: float) -> None:
    with pytest.raises(ValueError, match="span"):
        Span(start, end, Label.DATE, "rules.dates", score)


def test_a_span_cannot_end_beyond_its_document() -> None:
    with pytest.raises(ValueError, match="after the end"):
        Annotated(Document("1", "short"), (Span(0, 9, Label.NAME),))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9))))
def test_covered_intervals_hold_exactly_the_spans_points(pairs: list[tuple[int, int]]) -> None:
    spans = [Span(start, start + size, "DATE") for start, size in pairs]
    points = {point for span in spans for point in range(span.start, span.end)}
    intervals = merge_spans(spans)
    assert {point for start, end in intervals for point in range(start, end)} == points
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(intervals))


RECORD = PatientRecord(
    person_id="42",
    given_names=("Jean", "Paul"),
    family_names=(CANARY,),
    birth_date=date(1950, 2, 3),
    addresses=(Address(street="12 rue des Lilas", zip="75012", city="Paris", country="FR"),),
    identifiers=(Identifier(Label.PATIENT_ID, "8012345678"),),
    relatives=(PersonName(("Marie",), (CANARY,)),),
)


def test_records_survive_json() -> None:
    assert PatientRecord.from_json(RECORD.to_json()) == RECORD


def test_the_digest_is_of_the_record_as_json() -> None:
    # What the state database holds must stay the digest of the same record.
    written = json.dumps(asdict(RECORD), sort_keys=True, default=str)
    assert RECORD.digest() == hashlib.blake2b(written.encode(), digest_size=16).digest()


def test_a_changed_identity_changes_the_digest() -> None:
    renamed = PatientRecord.from_json(RECORD.to_json() | {"family_names": ["Other"]})
    assert renamed.digest() != RECORD.digest()
    assert PatientRecord.from_json(RECORD.to_json()).digest() == RECORD.digest()


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({}, KeyError),
        ({"person_id": "1", "birth_date": "yesterday"}, ValueError),
        ({"person_id": "1", "given_names": "Jean"}, TypeError),
    ],
)
def test_malformed_records_are_refused(record: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        PatientRecord.from_json(record)


def test_nothing_shows_what_it_holds() -> None:
    document = Document("1", f"Mme {CANARY}", clinicians=(PersonName((), (CANARY,)),))
    assert CANARY not in repr(RECORD)
    assert CANARY not in repr(document)
    assert "8012345678" not in repr(RECORD.identifiers)


def test_every_label_has_an_action_by_default() -> None:
    assert all(Policy().action(label) is Action.REPLACE for label in Label)


def test_policies_are_told_apart_by_their_id() -> None:
    assert Policy().policy_id == Policy().policy_id
    assert Policy(max_shift_days=300).policy_id != Policy().policy_id


@pytest.mark.parametrize(
    "wrong", [{"min_shift_days": 0}, {"min_shift_days": 400}, {"locale": "xx"}]
)
def test_impossible_policies_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        Policy(**wrong)
    assert caught.value.remedy


def test_reasons_are_codes_and_nothing_else() -> None:
    assert str(Unreadable("no-text-layer")) == "no-text-layer"
    assert str(Unreadable(f"cannot read {CANARY}")) == "unspecified"


def test_a_policy_has_the_defaults_of_a_version() -> None:
    given = Policy()
    first, second = given.under(2), given.under(3)
    assert (first.birth_dates, first.times, first.shift_direction) == ("shift", "exact", "both")
    assert (second.birth_dates, second.times, second.shift_direction) == (
        ("month", "midnight", "past")
    )
    assert given.policy_id == first.policy_id == second.policy_id
    written = Policy(birth_dates="shift")
    assert written.policy_id == given.policy_id
    assert written.under(3).policy_id not in (given.policy_id, Policy(birth_dates="year").policy_id)
    with pytest.raises(ConfigError, match=r"policy\.times.*--rebase"):
        Policy(times="hour").under(2)
