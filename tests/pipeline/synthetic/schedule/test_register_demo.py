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
