"""The notes of a site are split between those under attack and those of the attacker."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.training.shared_vectors import split_notes
from record.errors import ConfigError

LENGTHS = st.lists(st.integers(1, 9), min_size=2, max_size=30)


@given(LENGTHS, st.integers(1, 100), st.integers(0, 9))
def test_no_sentence_is_in_both_parts(lengths: list[int], most: int, seed: int) -> None:
    try:
        attacked, own = split_notes(lengths, most, seed)
    except ConfigError:
        return  # one note is longer than all others together
    assert 0 < len(attacked) <= most
    assert 0 < len(own) <= most
    assert not set(attacked) & set(own)
    assert {*attacked, *own} <= set(range(sum(lengths)))


def test_the_seed_decides() -> None:
    lengths = [3] * 20
    assert split_notes(lengths, 12, 1) == split_notes(lengths, 12, 1)
    assert split_notes(lengths, 12, 1) != split_notes(lengths, 12, 2)


def test_one_note_cannot_be_split() -> None:
    with pytest.raises(ConfigError, match="too few to attack"):
        split_notes([5], 10, 1)
