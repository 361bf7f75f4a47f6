from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.matching.language_identification import (
    LANGUAGES,
    NEIGHBOURS,
    _count_points,
    _count_points_of_each,
    encode_words,
    language,
    split_once,
    stretches,
)
from rules.matching.lexicon import lexicon
from tests.growth import MOST, growth
from tests.rules.matching import language_lines as lines

KINDS: dict[str, Mapping[str, Sequence[str]]] = {
    "prose": lines.PROSE,
    "headings": lines.HEADINGS,
    "terse": lines.TERSE,
    "findings": lines.FINDINGS,
    "capitals": lines.CAPITALS,
}
PROSE = {lang: " ".join(lines.PROSE[lang]) for lang in LANGUAGES}
PAIRS = [(one, other) for one in LANGUAGES for other in LANGUAGES if one != other]


def told(*parts: tuple[str, str]) -> list[tuple[int, int, str]]:
    """The stretches of a text put together from parts of known languages."""
    found, at = [], 0
    for lang, text in parts:
        found.append((at, at + len(text), lang))
        at += len(text)
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_short_notes_are_told_and_never_wrongly(lang: str) -> None:
    notes = [text for kind in KINDS.values() for text in kind[lang]]
    assert len(notes) >= 40
    answers = {text: language(text) for text in notes}
    assert not {text for text, answer in answers.items() if answer not in (lang, "")}
    unsure = [text for text, answer in answers.items() if not answer]
    assert len(unsure) <= 0.05 * len(notes), unsure


@pytest.mark.parametrize("lang", LANGUAGES)
def test_case_and_layout_do_not_matter(lang: str) -> None:
    for text in (PROSE[lang], PROSE[lang].upper(), PROSE[lang].replace(" ", "\n")):
        assert language(text) == lang
        assert stretches(text) == [(0, len(text), lang)]


@pytest.mark.parametrize("text", lines.NEIGHBOURS)
def test_neighbouring_languages_do_not_pass_for_ours(text: str) -> None:
    assert language(text) not in LANGUAGES


@pytest.mark.parametrize("text", lines.WORDLESS)
def test_where_no_word_tells_the_language_is_unsure(text: str) -> None:
    assert language(text) == ""
    assert stretches(text) == ([(0, len(text), "")] if text else [])


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_note_in_two_languages_is_cut_between_them(one: str, other: str) -> None:
    first, second = PROSE[one] + "\n\n", PROSE[other]
    assert stretches(first + second) == told((one, first), (other, second))


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_paragraph_inside_has_its_own_stretch(one: str, other: str) -> None:
    half = len(lines.PROSE[one]) // 2
    parts = (
        (one, " ".join(lines.PROSE[one][:half]) + "\n"),
        (other, " ".join(lines.PROSE[other][4:9]) + "\n"),
        (one, " ".join(lines.PROSE[one][half:])),
    )
    assert stretches("".join(text for _, text in parts)) == told(*parts)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_quoted_line_parts_nothing(one: str, other: str) -> None:
    half = len(lines.PROSE[one]) // 2
    before, after = " ".join(lines.PROSE[one][:half]), " ".join(lines.PROSE[one][half:])
    for quote in (*lines.TERSE[other], *lines.CAPITALS[other]):
        text = f"{before}\n« {quote} »\n{after}"
        assert stretches(text) == [(0, len(text), one)]


def test_the_language_of_a_mixed_note_is_that_of_its_longest_part() -> None:
    letter = f"{PROSE['nl']}\n\n{' '.join(lines.PROSE['en'][:5])}\n"
    assert language(letter) == "nl"
    assert [lang for _, _, lang in stretches(letter)] == ["nl", "en"]


def test_three_languages_have_three_stretches() -> None:
    parts = tuple((lang, PROSE[lang] + "\n") for lang in ("es", "de", "en"))
    assert stretches("".join(text for _, text in parts)) == told(*parts)


@given(
    st.lists(
        st.sampled_from(
            [*PROSE.values(), *lines.NEIGHBOURS, *lines.WORDLESS, "\n", "œ—漢字 ß.", " "]
        )
        | st.text(max_size=30),
        max_size=8,
    )
)
def test_stretches_cover_a_text_once_and_neighbours_differ(parts: list[str]) -> None:
    text = "".join(parts)
    found = stretches(text)
    assert "".join(text[start:end] for start, end, _ in found) == text
    assert all(start < end for start, end, _ in found)
    assert all(one[2] != other[2] for one, other in pairwise(found))
    assert {lang for _, _, lang in found} <= {*LANGUAGES, *NEIGHBOURS, ""}
    assert language(text) in {lang for _, _, lang in found} | {""}


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "\n",
        ". ",
        "l'",
        "the patient\nle patient\n",
        "the of and is was a with he le la les est pas une avec. ",
    ],
    ids=["letters", "newlines", "dots", "apostrophes", "lines", "sentences"],
)
def test_work_grows_with_the_text_and_no_faster(unit: str) -> None:
    assert growth(stretches, unit, 10_000) < MOST


def test_each_list_has_words_of_its_own_and_single_words_only() -> None:
    lists = {lang: lexicon(f"language_{lang}") for lang in (*LANGUAGES, *NEIGHBOURS)}
    for lang, words in lists.items():
        others = frozenset[str]().union(*(lists[other] for other in lists if other != lang))
        assert len(words - others) > (100 if lang in LANGUAGES else 25)
        assert all(word.rstrip("'").isalnum() for word in words)


@given(
    st.lists(
        st.lists(
            st.sampled_from(["the", "l'hopital", "de", "patient", "c'", "|", "", "und", "x|y", "ß"])
        ).map(" ".join)
    )
)
def test_many_parts_have_the_points_of_each_alone(parts: list[str]) -> None:
    data = [encode_words(part) for part in parts]
    assert _count_points_of_each(data) == [_count_points(split_once(part)[1]) for part in parts]
