from hypothesis import given
from hypothesis import strategies as st

from models.tagger.training.augmentation import Augmenter, apply_edits, make_augmenter
from record.document import Annotated, Document
from record.span import Span


def note(text: str, *spans: tuple[int, int, str]) -> Annotated:
    return Annotated(Document("1", text), tuple(Span(*span) for span in spans))


def surfaces(of: Annotated) -> list[tuple[str, str]]:
    return [(of.document.text[span.start : span.end], span.label) for span in of.spans]


NOTE = note("Le Dr Martin a vu Rose Petit le 12 mars.", (6, 12, "NAME"), (18, 28, "NAME"))


def test_an_edit_inside_a_span_or_beside_it_moves_the_spans() -> None:
    changed = apply_edits(
        NOTE, [(0, 2, "La"), (2, 3, ""), (6, 12, "Durand-Dupont"), (22, 23, "\n")]
    )
    assert changed.document.text == "LaDr Durand-Dupont a vu Rose\nPetit le 12 mars."
    assert surfaces(changed) == [("Durand-Dupont", "NAME"), ("Rose\nPetit", "NAME")]


def test_spans_that_touch_and_nest_move_as_well() -> None:
    nested = note("ab cd", (0, 2, "A"), (0, 5, "B"), (3, 5, "C"), (2, 3, "D"))
    changed = apply_edits(nested, [(0, 1, "xyz"), (2, 3, "  ")])
    assert surfaces(changed) == [("xyzb", "A"), ("xyzb  cd", "B"), ("cd", "C"), ("  ", "D")]


def test_no_share_changes_nothing() -> None:
    assert Augmenter(0.0, {})(NOTE, "1") is NOTE


def test_names_are_swapped_for_those_of_other_notes() -> None:
    other = note("Anne Mercier", (0, 12, "NAME"))
    augment = make_augmenter([NOTE, other], 1.0)
    seen = {text.casefold() for at in range(50) for text, _ in surfaces(augment(NOTE, str(at)))}
    assert "anne mercier" in seen


@given(st.text(max_size=60), st.data(), st.integers())
def test_spans_stay_on_what_they_cover(text: str, data: st.DataObject, seed: int) -> None:
    spans = []
    for label in "AB":
        if text:
            start = data.draw(st.integers(0, len(text) - 1))
            end = data.draw(st.integers(start + 1, len(text)))
            spans.append((start, end, label))
    given_note = note(text, *spans)
    augment = make_augmenter([given_note, NOTE], 1.0)
    changed = augment(given_note, str(seed))
    assert changed == augment(given_note, str(seed))
    assert [span.label for span in changed.spans] == [label for _, _, label in spans]
    assert all(span.end <= len(changed.document.text) for span in changed.spans)
