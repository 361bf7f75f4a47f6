"""A tally means the same in whatever order its batches arrive."""

import json
import pickle
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.state.quality_counts import CountCell
from pipeline.state.run_summary import (
    MAX_SAMPLES,
    NO_KIND,
    UNDATED,
    Outcome,
    RunSummary,
    Tally,
    merge_tallies,
)
from record.document import Document
from record.failure import Failure
from record.release import Release
from record.span import Span

NAMES = st.sampled_from(["a", "b", "c"])
KINDS = st.sampled_from(["", "discharge", "imaging", "<script>"])
DAYS = st.none() | st.datetimes(datetime(1950, 1, 1), datetime(2030, 1, 1))
TEXTS = st.text(max_size=5)
SPANS = st.lists(
    st.builds(Span, st.just(0), st.just(1), st.sampled_from(["DATE", "ZIP"]), NAMES), max_size=3
).map(tuple)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    tally = Tally()
    for outcome in draw(st.lists(st.sampled_from(list(Outcome)), max_size=3)):
        tally.add(outcome, draw(st.integers(0, 5)))
    for note_id in draw(st.lists(st.text(max_size=3), max_size=3)):
        document = Document(note_id, draw(TEXTS), kind=draw(KINDS), written=draw(DAYS))
        tally.add_release(document, Release(note_id, draw(TEXTS), draw(SPANS)))
    for note_id in draw(st.lists(st.text(max_size=3), max_size=12)):
        tally.add_failure(Failure(note_id, draw(NAMES), "Unsafe", draw(NAMES)), draw(KINDS))
    for stage in draw(st.lists(NAMES, max_size=3)):
        tally.add_seconds(stage, draw(st.floats(0, 1e6)))
        tally.add_memory(stage, draw(st.integers(0, 10**9)))
    for name in draw(st.lists(NAMES, max_size=3)):
        tally.cells[CountCell("spans", name, kind=draw(KINDS))] += 1
    return tally


@given(tallies(), tallies())
def test_merging_commutes(a: Tally, b: Tally) -> None:
    assert a.merge(b).to_json() == b.merge(a).to_json()


@given(tallies(), tallies(), tallies())
def test_merging_associates(a: Tally, b: Tally, c: Tally) -> None:
    assert a.merge(b).merge(c).to_json() == a.merge(b.merge(c)).to_json()


@given(tallies())
def test_nothing_is_neutral(tally: Tally) -> None:
    assert tally.merge(Tally()).to_json() == tally.to_json() == merge_tallies([tally]).to_json()
    assert merge_tallies([]) == Tally()


@given(tallies(), tallies())
def test_merging_leaves_its_parts_alone(a: Tally, b: Tally) -> None:
    before = json.dumps([a.to_json(), b.to_json()])
    a.merge(b).add(Outcome.READ, 7)
    assert json.dumps([a.to_json(), b.to_json()]) == before


@given(tallies())
def test_json_and_pickle_keep_a_tally(tally: Tally) -> None:
    written = json.dumps(tally.to_json())
    assert Tally.from_json(json.loads(written)).to_json() == tally.to_json()
    assert pickle.loads(pickle.dumps(tally)) == tally


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=2, max_size=6))
def test_a_batch_counts_like_its_notes_one_by_one(notes: list[tuple[str, str]]) -> None:
    whole = Tally()
    for note_id, text in notes:
        whole.add_release(Document(note_id, text), Release(note_id, text))
    parts = []
    for note_id, text in reversed(notes):
        parts.append(Tally())
        parts[-1].add_release(Document(note_id, text), Release(note_id, text))
    assert merge_tallies(parts) == whole


def test_what_a_release_counts() -> None:
    tally = Tally()
    spans = (Span(0, 4, "ZIP", "rules.places"), Span(5, 9, "DATE", "rules.dates"))
    document = Document("1", "twelve chars", kind="imaging", written=datetime(2024, 3, 2, 23, 59))
    tally.add_release(document, Release("1", "other text", spans))
    tally.add_release(Document("2", "none"), Release("2", "none"))
    assert tally.outcomes == {"released": 2}
    assert tally.characters == 16
    assert tally.notes_without_spans == 1
    assert tally.notes == {("imaging", "2024-03-02"): 1, (NO_KIND, UNDATED): 1}
    assert tally.spans == {
        ("ZIP", "imaging", "2024-03-02"): 1,
        ("DATE", "imaging", "2024-03-02"): 1,
    }
    assert tally.detectors == {"rules.places": 1, "rules.dates": 1}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([("1", "a")], [("1", "b")]),
        ([("1", "2 mg")], [("12", " mg")]),
        ([("1", "a"), ("2", "b")], [("1", "b"), ("2", "a")]),
        ([("1", "a")], [("1", "a"), ("1", "a")]),
        ([], [("", "")]),
    ],
)
def test_other_output_has_another_digest(
    left: list[tuple[str, str]], right: list[tuple[str, str]]
) -> None:
    digests = []
    for notes in (left, right):
        tally = Tally()
        for note_id, text in notes:
            tally.add_release(Document(note_id, ""), Release(note_id, text))
        digests.append(tally.digest)
    assert digests[0] != digests[1]


def test_few_note_ids_stand_for_many() -> None:
    tally = Tally()
    for number in range(50):
        tally.add_failure(Failure(f"{number:02}", "extract", "Unreadable", "encrypted"), "imaging")
    cause = ("extract", "Unreadable", "encrypted", "imaging")
    assert tally.quarantine == {cause: 50}
    assert tally.samples == {cause: tuple(f"{number:02}" for number in range(MAX_SAMPLES))}


def test_a_typed_title_is_not_taken_for_a_kind_of_note() -> None:
    tally = Tally()
    title = "Letter about Jeanne Martin, born 3 February 1950, to her cardiologist"
    tally.add_release(Document("1", "", kind=title), Release("1", ""))
    tally.add_failure(Failure("2", "extract", "Unreadable"), title)
    assert "Jeanne" not in json.dumps(tally.to_json())


@pytest.mark.parametrize(
    ("released", "refused", "limit", "within"),
    [(0, 0, 0.0, True), (95, 5, 0.05, True), (94, 6, 0.05, False), (0, 1, 0.99, False)],
)
def test_the_limit_of_quarantine(released: int, refused: int, limit: float, within: bool) -> None:
    tally = Tally()
    tally.add(Outcome.UNCHANGED, 1000)
    tally.add(Outcome.RELEASED, released)
    tally.add(Outcome.QUARANTINED, refused)
    assert summary(tally, max_quarantine_share=limit).within_limit is within


def test_a_lost_note_is_unaccounted_for() -> None:
    tally = Tally()
    tally.add(Outcome.PLANNED, 10)
    tally.add(Outcome.RELEASED, 6)
    tally.add(Outcome.UNCHANGED, 2)
    tally.add(Outcome.QUARANTINED, 1)
    assert summary(tally).unaccounted == 1


def summary(tally: Tally, *, max_quarantine_share: float = 1.0) -> RunSummary:
    start = datetime(2026, 1, 1, 2)
    return RunSummary(
        run_id="1",
        cohort="research",
        key_id="k",
        policy_id="p",
        code_version="0",
        detector_version="0",
        started=start,
        ended=start + timedelta(seconds=3),
        workers=1,
        tally=tally,
        max_quarantine_share=max_quarantine_share,
    )


def test_many_days_are_counted_by_month_and_nothing_is_lost() -> None:
    tally = Tally()
    for day in range(1, 61):
        moment = datetime(2024, 1, 1) + timedelta(days=day)
        document = Document(f"n{day}", "Mme X", written=moment, kind="nursing")
        tally.add_release(document, Release(f"n{day}", "Mme Y", (Span(4, 5, "LAST_NAME"),)))
    coarse = tally.group_by_month()
    assert set(coarse.notes) == {("nursing", f"2024-0{month}-01") for month in (1, 2, 3)}
    assert coarse.spans.total() == tally.spans.total() == 60
    assert coarse.outcomes == tally.outcomes
    assert tally.group_by_month(most_days=60) is tally
    assert coarse.group_by_month(most_days=1) == coarse
