"""Notes written one by one: how they are read, which are different, and how slots are filled."""

import itertools
import json
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Annotated
from record.errors import ConfigError
from record.folding import fold
from record.label import Label
from synthesis.register_notes import (
    FEWEST_WORDS,
    HELD_OUT_AUTHORS,
    HELD_OUT_REGISTERS,
    SHORT_REGISTERS,
    RegisterFiller,
    RegisterNote,
    find_different,
    parse_slots,
    read_registers,
    words_outside,
)

CHALLENGE = Path(__file__).parents[3] / "shared/corpora/challenge_dev"
PLAIN = st.text(st.characters(exclude_characters="[]|", exclude_categories=["Cs"]), max_size=20)
SLOT = st.tuples(PLAIN.filter(bool), st.sampled_from([label.value for label in Label]))


@pytest.fixture(scope="module")
def notes() -> list[RegisterNote]:
    return read_registers()


@given(st.lists(st.tuples(PLAIN, SLOT)), PLAIN)
def test_slots_are_parsed_where_they_stand(
    pieces: list[tuple[str, tuple[str, str]]], rest: str
) -> None:
    marked = "".join(f"{before}[[{text}|{label}]]" for before, (text, label) in pieces) + rest
    text, spans = parse_slots(marked, "here")
    assert text == "".join(before + value for before, (value, _) in pieces) + rest
    assert [s.label for s in spans] == [label for _, (_, label) in pieces]
    for span, (_, (value, label)) in zip(spans, pieces, strict=True):
        covered = text[span.start : span.end]
        assert covered == value or (label == "AGE" and covered.startswith(value))


@pytest.mark.parametrize("marked", ["[[Awa|NOM]]", "[[Awa|FIRST_NAME]", "a [[b", "b]]"])
def test_a_broken_slot_is_refused_without_its_text(marked: str) -> None:
    with pytest.raises(ConfigError, match="here") as caught:
        parse_slots(marked, "here")
    assert "Awa" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=== note\nVu.", "head"),
        ("=== note author=1\nVu ce jour.", "0 slots"),
        ("=== nobody author=1\nVu [[Awa|FIRST_NAME]].", "1 slots"),
    ],
)
def test_a_file_that_is_written_otherwise_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "fr").mkdir()
    (tmp_path / "fr" / "messages.txt").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_registers(tmp_path)


def test_a_folder_without_notes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no notes"):
        read_registers(tmp_path)


def test_near_copies_count_as_one(tmp_path: Path) -> None:
    words = [f"mot{number}" for number in range(60)]
    (tmp_path / "fr").mkdir()
    written = [
        [*words, "[[Awa|FIRST_NAME]]"],
        [*words[:50], "[[Léa|FIRST_NAME]]", *(f"x{number}" for number in range(12))],
        [*(f"y{number}" for number in range(60)), "[[Léa|FIRST_NAME]]", *words[:14]],
    ]
    text = "\n".join(f"=== note author=1\n{' '.join(each)}" for each in written)
    (tmp_path / "fr" / "letters.txt").write_text(text, encoding="utf-8")
    assert [note.number for note in find_different(read_registers(tmp_path))] == [1, 3]


# The notes that are there -------------------------------------------------------------------------


def test_notes_are_different_long_and_by_several_authors(notes: list[RegisterNote]) -> None:
    assert len(find_different(notes)) > 0.99 * len(notes)
    long = [note for note in notes if note.register not in SHORT_REGISTERS]
    sizes = [len(words_outside(note.annotated)) for note in long]
    assert min(sizes) >= FEWEST_WORDS
    assert statistics.median(sizes) >= 120
    assert sum(not note.annotated.spans for note in notes) >= 0.1 * len(notes)
    by_lang = Counter(note.lang for note in notes)
    assert min(by_lang[lang] for lang in ("fr", "en", "es")) >= 800
    assert min(by_lang[lang] for lang in ("de", "nl")) >= 250
    assert len({(note.lang, note.register) for note in notes}) >= 60
    assert len({note.author for note in notes}) == 14


def test_held_out_notes_are_of_every_language(notes: list[RegisterNote]) -> None:
    held_out = Counter(note.lang for note in notes if note.is_held_out)
    assert set(held_out) == {"fr", "en", "es", "de", "nl"}
    assert all(
        note.is_held_out
        == (note.author in HELD_OUT_AUTHORS or (note.lang, note.register) in HELD_OUT_REGISTERS)
        for note in notes
    )


def test_no_identifier_of_a_sure_form_stands_outside_slots(notes: list[RegisterNote]) -> None:
    sure = re.compile(r"[\w.]+@[\w.]+\.\w+|https?://|(?<![\d.,])\d{7,}")
    for note in notes:
        text, end = note.annotated.document.text, 0
        for span in (*note.annotated.spans, None):
            between = text[end : span.start if span else None]
            assert not sure.search(between), note.annotated.document.note_id
            end = span.end if span else end


def _outside(note: Annotated) -> list[str]:
    ends = [0, *(span.end for span in note.spans)]
    starts = [*(span.start for span in note.spans), None]
    return [note.document.text[a:b] for a, b in zip(ends, starts, strict=True)]


def test_filling_changes_slots_alone_and_is_the_same_again(notes: list[RegisterNote]) -> None:
    filler, again = RegisterFiller(notes, seed=1), RegisterFiller(notes, seed=1)
    changed = total = 0
    for note in notes[::17]:
        one, two = filler.fill(note, 1), filler.fill(note, 2)
        assert one == again.fill(note, 1)
        for filled in (one, two):
            assert _outside(filled) == _outside(note.annotated)
            assert [s.label for s in filled.spans] == [s.label for s in note.annotated.spans]
        values = defaultdict(set)
        for before, after in zip(note.annotated.spans, one.spans, strict=True):
            example = note.annotated.document.text[before.start : before.end]
            value = one.document.text[after.start : after.end]
            values[before.label, fold(example)].add(fold(value))
            changed += value != example
            total += 1
        assert all(len(found) == 1 for found in values.values())
    assert changed > 0.5 * total


# Nothing of the development set -------------------------------------------------------------------


def _challenge() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for path in sorted(CHALLENGE.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "spans" in row:
                spans = sorted(row["spans"], key=lambda span: span["start"])
                yield (
                    row["text"],
                    [(s["label"], row["text"][s["start"] : s["end"]]) for s in spans],
                )


def _runs(text: str, size: int = 12) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", fold(text))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def _telling(values: list[tuple[str, str]]) -> set[str]:
    """Full names, addresses with a number, and numbers of six digits and more."""
    found = {
        f"{fold(a)} {fold(b)}"
        for (one, a), (two, b) in itertools.pairwise(values)
        if {one, two} == {"FIRST_NAME", "LAST_NAME"} and min(len(a), len(b)) > 2
    }
    for label, value in values:
        digits = re.sub(r"\D", "", value)
        if len(digits) >= 6 and label not in ("DATE", "BIRTH_DATE"):
            found.add(digits)
        if label == "STREET" and digits:
            found.add(fold(value))
    return found


def test_no_note_has_anything_of_the_development_set(notes: list[RegisterNote]) -> None:
    if not CHALLENGE.is_dir():
        pytest.skip("the development set is not there: it is shared beside the checkout")
    theirs = list(_challenge())
    assert len(theirs) > 200
    runs = set().union(*(_runs(text) for text, _ in theirs))
    telling = set().union(*(_telling(values) for _, values in theirs))
    for note in notes:
        text = note.annotated.document.text
        values = [(str(s.label), text[s.start : s.end]) for s in note.annotated.spans]
        assert runs.isdisjoint(_runs(text)), note.annotated.document.note_id
        assert telling.isdisjoint(_telling(values)), note.annotated.document.note_id
