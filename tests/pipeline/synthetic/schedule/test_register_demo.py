"""The demonstration of register notes: what authors marked, as it stands in a release."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pipeline.synthetic.schedule.register_demo import move_spans
from record.document import Annotated, Document
from record.span import Span


def released(text: str, found: list[Span], rng: Random) -> Annotated:
    """The text with a surrogate of another length for each of the spans."""
    pieces, spans, end, length = [], [], 0, 0
    for span in found:
        surrogate = "#" * rng.randint(1, 6)
        pieces += [text[end : span.start], surrogate]
        start = length + span.start - end
        length = start + len(surrogate)
        spans.append(Span(start, length, span.label))
        end = span.end
    return Annotated(Document("1", "".join([*pieces, text[end:]])), tuple(spans))


@given(st.integers(0, 10_000))
def test_what_was_missed_stands_where_its_text_is_and_what_was_found_at_its_surrogate(
    seed: int,
) -> None:
    rng = Random(seed)
    text = "".join(rng.choice("abcdefghij ") for _ in range(60))
    places = sorted(rng.sample(range(60), 2 * rng.randint(0, 5)))
    found = [Span(a, b, "NAME") for a, b in zip(places[::2], places[1::2], strict=True)]
    made = released(text, found, rng)
    gold = [Span(a, b, "DATE") for a in range(60) for b in (a + 1, a + 4) if b <= 60]
    moved = move_spans(text, gold, found, made)
    assert moved is not None
    surrogates = dict(zip(found, made.spans, strict=True))
    for before, after in zip(gold, moved, strict=True):
        touched = [each for each in found if each.start < before.end and before.start < each.end]
        if not touched:
            there = made.document.text[after.start : after.end]
            assert there == text[before.start : before.end]
        for each in touched:
            assert after.start <= surrogates[each].start < surrogates[each].end <= after.end


def test_a_release_of_another_text_has_no_gold() -> None:
    found = [Span(0, 3, "NAME")]
    made = Annotated(Document("1", "Eve came"), (Span(0, 3, "NAME"),))
    assert move_spans("Ann went", [], found, made) is None
    assert move_spans("Ann came", [], [], made) is None


def test_a_release_without_the_time_of_a_date_and_with_another_article_has_gold() -> None:
    rest = " She slept well, ate little and asked when she might go home again."
    text = "Seen 3 May 2024, 04:40 by Ann Lee, who is a driller of Rome. Called Bo at 10:15." + rest
    gold = [
        (text[start : start + len(part)], Span(start, start + len(part), label))
        for part, label in (
            *(("3 May 2024", "DATE"), ("04:40", "OTHER"), ("Ann Lee", "NAME"), ("Rome", "CITY")),
            *(("a driller", "PROFESSION"), ("Bo", "NAME")),
        )
        if (start := text.index(part)) >= 0
    ]
    found = [
        Span(start, start + len(part), "X")
        for part in ("3 May 2024", "Ann", "driller")
        if (start := text.index(part)) >= 0
    ]
    released = "Seen 20 March 2024, by Eve Lee, who is an engineer of Rome. Called Bo at 10:15."
    released += rest
    surrogates = tuple(
        Span(start, start + len(part), "X")
        for part in ("20 March 2024", "Eve", "engineer")
        if (start := released.index(part)) >= 0
    )
    moved = move_spans(
        text, [span for _, span in gold], found, Annotated(Document("1", released), surrogates)
    )
    assert moved is not None
    assert [(released[each.start : each.end], each.label) for each in moved] == [
        ("20 March 2024", "DATE"),
        ("Eve Lee", "NAME"),
        ("Rome", "CITY"),
        ("an engineer", "PROFESSION"),
        ("Bo", "NAME"),
    ], "the time is gone, and with it what was marked"


@given(st.integers(0, 10_000))
def test_marks_follow_their_words_through_changes_beside_surrogates(seed: int) -> None:
    rng = Random(seed)
    words = [f"w{number}" for number in range(rng.randint(20, 40))]
    kept = [word for word in words if rng.random() < 0.97]
    text, released_text = " ".join(words), " ".join(kept)
    gold = [
        Span(start, start + len(word), "NAME")
        for word in words
        if (start := f" {text} ".index(f" {word} ")) >= 0
    ]
    moved = move_spans(text, gold, [], Annotated(Document("1", released_text), ()))
    if moved is not None:
        there = [released_text[each.start : each.end].strip() for each in moved]
        assert set(kept) <= set(there)
        assert len(kept) >= 0.8 * len(words)
