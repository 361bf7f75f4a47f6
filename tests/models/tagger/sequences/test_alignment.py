from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.tagger.encoders.subword_models import TokenizerConfig
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.windows import WindowConfig, windows
from models.tagger.encoders.words import words
from models.tagger.sequences.alignment import (
    GoldTags,
    TrainingNote,
    group_windows,
    keep_disjoint,
    labels_of,
    segment_text,
    word_spans,
)
from models.tagger.sequences.tags import TagScheme
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span

SUBWORDS = SubwordTokenizer(
    [("▁", -1.0), *((char, -2.0) for char in "abcdeé ")], TokenizerConfig('{"type": "NFKC"}')
)
LABELS = ("DATE", "NAME")


def note(
    text: str, *spans: tuple[int, int, str], labels: frozenset[str] | None = None
) -> TrainingNote:
    return TrainingNote(
        Annotated(Document("1", text), tuple(Span(*span) for span in spans)), labels
    )


def allowed(
    of: TrainingNote, *, stacked: bool = False, losses: Counter[str] | None = None
) -> np.ndarray:
    cut = words(of.annotated.document.text)
    return GoldTags(LABELS, stacked).allowed(of, cut, Counter() if losses is None else losses)


def test_spans_become_tags_and_tags_become_spans() -> None:
    text = "Dr Rose Petit le 12 mars"
    of = note(text, (3, 13, "NAME"), (17, 24, "DATE"))
    (tags,) = [np.argwhere(allowed(of))[:, 1].tolist()]
    cut = words(text)
    found = {
        (cut[first][0], cut[end - 1][1], label)
        for first, end, label in TagScheme(LABELS).decode(tags)
    }
    assert found == {(3, 13, "NAME"), (17, 24, "DATE")}


@given(st.text("ab 1.\n", max_size=40), st.data())
def test_spans_grow_outward_to_whole_words(text: str, data: st.DataObject) -> None:
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))), "NAME")
    cut = words(text)
    losses: Counter[str] = Counter()
    touched = [at for at, (first, end) in enumerate(cut) if first < span.end and span.start < end]
    found = word_spans([span], cut, losses)
    assert found == ([(touched[0], touched[-1] + 1, "NAME")] if touched else [])
    assert losses["empty"] == (not touched)
    if touched:
        inside = span.start <= cut[touched[0]][0] and cut[touched[-1]][1] <= span.end
        assert losses["grown"] == (not inside)


def test_of_overlapping_spans_the_longest_stays() -> None:
    losses: Counter[str] = Counter()
    spans = [(0, 2, "A"), (1, 4, "B"), (4, 5, "A"), (4, 5, "A"), (4, 5, "B")]
    assert keep_disjoint(spans, losses) == [(1, 4, "B"), (4, 5, "A")]
    assert losses["overlapping"] == 2


def test_nested_spans_of_two_labels_are_kept_where_labels_are_stacked() -> None:
    of = note("Rose 12 mars", (0, 12, "NAME"), (5, 12, "DATE"))
    stacked = allowed(of, stacked=True)
    assert stacked.shape == (3, 2, 5)
    assert stacked.sum(-1).tolist() == [[1, 1]] * 3
    assert stacked[1:, 0].argmax(-1).tolist() == [1, 3]  # begin, last


def test_a_label_that_nobody_looked_for_is_unknown_where_nothing_else_is() -> None:
    of = note("Rose 12", (0, 4, "NAME"), labels=frozenset({"NAME"}))
    first, second = allowed(of)
    scheme = TagScheme(LABELS)
    assert [scheme.tags[at] for at in np.flatnonzero(first)] == ["U-NAME"]
    assert [scheme.tags[at] for at in np.flatnonzero(second)] == [
        "O", "B-DATE", "I-DATE", "L-DATE", "U-DATE"
    ]  # fmt: skip
    stacked = allowed(of, stacked=True)
    assert stacked[:, 0].all()
    assert stacked[:, 1].sum(-1).tolist() == [1, 1]


def test_labels_are_those_of_spans_and_of_what_was_looked_for() -> None:
    assert labels_of([note("a", (0, 1, "B")), note("a", labels=frozenset({"A"}))]) == ("A", "B")
    with pytest.raises(ConfigError, match="spans"):
        labels_of([note("a")])


MEGABYTES = [
    pytest.param("a" * 1_000_000, id="one word of a megabyte"),
    pytest.param("\n" * 1_000_000, id="a megabyte of line breaks"),
    pytest.param("é;7 \x00\n" * 30_000, id="junk"),
]


@pytest.mark.parametrize(
    "text", ["", " \n\t", "a" * 5000, "a " * 500, "\x00\u202e🩺 é", "." * 2000, *MEGABYTES]
)
def test_every_character_is_in_a_window(text: str) -> None:
    cutting = segment_text(text, SUBWORDS, WindowConfig(40, 8))
    seen = set[int]()
    for window in cutting.windows:
        for start, end in cutting.words[window.first : window.end]:
            seen.update(range(start, end))
    assert seen == {at for at, char in enumerate(text) if not char.isspace()} | {
        at for start, end in cutting.words for at in range(start, end)
    }


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=120),
    st.lists(st.tuples(st.integers(0, 119), st.integers(1, 30)), max_size=4),
)
def test_passages_hold_every_window_and_no_span_lies_in_two(
    sizes: list[int], drawn: list[tuple[int, int]]
) -> None:
    found = windows(sizes, [], WindowConfig(32, 4))
    spans = [(a, min(a + n, len(sizes)), "A") for a, n in drawn if a < len(sizes)]
    groups = list(group_windows(found, spans, 20))
    assert [at for group in groups for at in group] == list(range(len(found)))
    for group in groups:
        start, end = found[group.start].core, found[group.stop - 1].core_end
        assert all(
            start <= first and last <= end for first, last, _ in spans if start <= first < end
        )
