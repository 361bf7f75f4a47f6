"""Copies of single patients' notes are found, all of them, and phrases of the house are none."""

import math
import random
import re
import unicodedata
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.attacks import passages
from evaluation.attacks.passages import (
    OTHERS,
    PASSAGE,
    PassageIndex,
    PassageNotes,
    measure_passages,
    read_words,
    shared_passages,
    views,
)
from record.document import Annotated, Document
from record.span import Span

Note = list[list[str]]


def own_runs(real: Sequence[Note], owners: Sequence[str], length: int, others: int) -> set[str]:
    """By brute force: the runs of words that at most so many patients have."""
    holders: dict[str, set[str]] = {}
    for note, owner in zip(real, owners, strict=True):
        for view in note:
            for at in range(len(view) - length + 1):
                holders.setdefault(" ".join(view[at : at + length]), set()).add(owner)
    return {run for run, some in holders.items() if len(some) <= others}


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[Note], list[str], list[str]]:
    words = st.lists(st.sampled_from("abc"), max_size=9)
    count = draw(st.integers(1, 6))
    real = [draw(st.lists(words, min_size=1, max_size=2)) for _ in range(count)]
    owners = [draw(st.sampled_from("xyz")) for _ in range(count)]
    return real, owners, draw(words)


@given(corpora(), st.integers(1, 4), st.integers(1, 2))
def test_what_is_found_is_what_comparing_everything_finds(
    corpus: tuple[list[Note], list[str], list[str]], length: int, others: int
) -> None:
    real, owners, made = corpus
    index = PassageIndex(real, owners, length=length, others=others)
    own = own_runs(real, owners, length, others)
    marked = [False] * len(made)
    whose = set()
    for at in range(len(made) - length + 1):
        run = " ".join(made[at : at + length])
        if run in own:
            marked[at : at + length] = [True] * length
            whose |= {
                owner
                for note, owner in zip(real, owners, strict=True)
                if any(f" {run} " in f" {' '.join(view)} " for view in note)
            }
    found = index.find(made)
    covered = [any(start <= at < end for start, end in found) for at in range(len(made))]
    assert covered == marked
    assert all(one[0] < one[1] <= len(made) for one in found)
    assert index.patients([made]) == whose


def test_words_are_compared_in_small_letters_and_numbers_as_one() -> None:
    read = [word.text for word in read_words("Le 12/03/2024, TA 13,5 : A12 Straße 3.")]
    assert read == ["le", "0", "ta", "0", "a0", "strasse", "0"]
    one = Annotated(Document("1", "E\u0301te\u0301 chaud"), ())
    other = Annotated(Document("1", "\xe9t\xe9 CHAUD"), ())
    assert views(one) == views(other) == [["\xe9t\xe9", "chaud"]]


def test_of_a_note_with_spans_what_stands_outside_is_compared_as_well() -> None:
    text = "Mme Martin va mieux"
    assert views(Annotated(Document("1", text), (Span(4, 10, "LAST_NAME"),))) == [
        ["mme", "martin", "va", "mieux"],
        ["mme", "va", "mieux"],
    ]


CHUTE = (
    "Le patient a chut\xe9 dans son escalier mardi soir en portant des b\xfbches fines et humides "
    "vers la cave vo\xfbt\xe9e de sa grand-m\xe8re"
).split()


def every(words: list[str], change: Callable[[str], str], *, step: int = 1) -> str:
    return " ".join(change(word) if at % step == 0 else word for at, word in enumerate(words))


@pytest.mark.parametrize(
    "copy",
    [
        " ".join(CHUTE).upper(),
        "\n".join(CHUTE),
        "\xa0".join(CHUTE),
        "_".join(CHUTE),
        unicodedata.normalize("NFD", " ".join(CHUTE)),
        every(CHUTE, lambda word: f"{word[:1]}\u200b{word[1:]}", step=7),
        every(CHUTE, lambda word: f"{word[:2]}\xad{word[2:]}", step=7),
        every(CHUTE, lambda word: f"{word[:2]}-\n{word[2:]}" if len(word) > 3 else word),
        every(CHUTE, lambda word: f"{word[:2]}\xad\r\n  {word[2:]}" if len(word) > 3 else word),
        " ".join(CHUTE).replace("fi", "\ufb01").replace("a", "\uff41"),
        every(CHUTE, lambda word: f"{len(word)}. {word}", step=7),
        every(CHUTE, lambda word: f"{word}\ufe0f"),
    ],
)
def test_a_copy_whose_characters_were_changed_is_one(copy: str) -> None:
    index = PassageIndex([views(Annotated(Document("1", " ".join(CHUTE)), ()))], ["p"])
    assert index.patients(views(Annotated(Document("2", copy), ()))) == {"p"}
    # The same where the note has the changed text, and the copy has been cleaned.
    index = PassageIndex([views(Annotated(Document("1", copy), ()))], ["p"])
    assert index.patients(views(Annotated(Document("2", " ".join(CHUTE)), ()))) == {"p"}


def words_with_numbers(note: Annotated) -> Note:
    """All views but those without numbers."""
    text = passages.normalize(note.document.text)
    joined = passages.HYPHEN.sub("", text)
    return [[word.text for word in read_words(each)] for each in (text, joined)]


@pytest.mark.parametrize("view", ["normalize", "HYPHEN", "_WORD", "views"])
def test_the_control_falls_where_changed_characters_go_unseen(
    real: PassageNotes, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    blind: dict[str, Any] = {
        "normalize": lambda text: unicodedata.normalize("NFC", text),
        "HYPHEN": re.compile(r"(?!)"),
        "_WORD": re.compile(r"(?P<number>\d+)|\w+"),
        "views": words_with_numbers,
    }
    monkeypatch.setattr(passages, view, blind[view])
    found = measure_passages([drawn(random.Random(1))], real, 300, "d")
    assert found.control is not None and found.control < 1


def drawn(chance: Random, count: int = 60) -> Annotated:
    return note(
        [
            f"fi{chr(97 + chance.randrange(20))}{chr(97 + chance.randrange(20))}"
            for _ in range(count)
        ]
    )


def note(words: Sequence[str]) -> Annotated:
    return Annotated(Document("", " ".join(words)), ())


@pytest.fixture(scope="module")
def real() -> PassageNotes:
    chance = random.Random(3)
    return PassageNotes(
        [drawn(chance) for _ in range(400)], [f"p{number // 2}" for number in range(400)]
    )


@pytest.mark.parametrize("copies", [0, 1, 2, 4, 8])
def test_each_copy_among_two_thousand_notes_is_found(real: PassageNotes, copies: int) -> None:
    chance = random.Random(copies)
    made = [drawn(chance) for _ in range(2000 - 2 * copies)]
    made += [real.notes[2 * number] for number in range(copies)]
    for number in range(copies):  # twelve words of another patient's note in one of the made ones
        words = real.notes[100 + 2 * number].document.text.split()
        parts = (drawn(chance, 30).document.text.split() for _ in range(2))
        made.append(note([*next(parts), *words[20:32], *next(parts)]))
    found = measure_passages(made, real, 300, "d")
    assert (found.value, found.low, found.high) == (copies / 1000, copies / 1000, copies / 1000)
    assert found.detail["notes"] == found.detail["patients"] == 2 * copies
    assert found.detail["most_of_a_patient"] == min(1, copies)
    assert (found.null, found.control) == (0, 1)


def test_a_phrase_of_five_other_patients_is_nobodys() -> None:
    phrase = [f"p{number}" for number in range(PASSAGE)]
    for holders in (OTHERS, OTHERS + 1):
        real = [[[*phrase, f"{number}"]] for number in range(holders)]
        index = PassageIndex(real, map(str, range(holders)))
        assert bool(index.patients([["x", *phrase]])) is (holders == OTHERS)


def test_notes_without_a_passage_of_anybody_prove_nothing() -> None:
    same = [note(["a"] * 20)] * 8
    found = measure_passages(same, PassageNotes(same, [str(n) for n in range(8)]), 6, "d")
    assert found.value == 0 and found.control is not None and math.isnan(found.control)


def test_passages_that_two_texts_share_are_shown_where_they_stand() -> None:
    one, other = (
        "Er hat 3 Tage Husten, kein Fieber.",
        "Seit gestern: hat 14 Tage husten kein Auswurf",
    )
    marked = [
        [text[start:end] for start, end in found]
        for text, found in zip((one, other), shared_passages(one, other, length=4), strict=True)
    ]
    assert marked == [["hat 3 Tage Husten, kein"], ["hat 14 Tage husten kein"]]
    assert shared_passages(one, "", length=4) == [[], []]


def test_the_index_prints_no_word(real: PassageNotes) -> None:
    index = PassageIndex(map(views, real.notes), real.owners)
    assert "fia" not in repr(real) + repr(index)
