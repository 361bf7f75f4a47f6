"""Ids are permuted: one-to-one, within their size, and equal one by one and many at a time."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.errors import ConfigError
from record.policy import Policy
from surrogates.ciphers.id_permutation import ID_BITS, IdPermutation, refuse_id
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.tables.columns import Columns
from tests.surrogates.recomputed import expand
from tests.surrogates.test_algorithm import ff1

KEY = bytes(range(32))
sizes = st.sampled_from(ID_BITS)


@st.composite
def ids(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A size, and distinct ids of it, also the smallest and the largest."""
    bits = draw(sizes)
    number = st.integers(1, 2**bits - 1) | st.sampled_from((1, 2, 2**bits - 2, 2**bits - 1))
    return bits, draw(st.lists(number, unique=True, max_size=40))


@given(ids())
def test_many_are_permuted_as_each_is(given: tuple[int, list[int]]) -> None:
    bits, numbers = given
    permutation = IdPermutation(KEY, bits)
    moved = permutation.permute_all(np.array(numbers, np.int64)).tolist()
    assert moved == [permutation.permute(number) for number in numbers]
    assert len(set(moved)) == len(numbers)
    assert all(0 < number < 2**bits for number in moved)


@given(ids())
def test_it_is_what_the_documentation_says(given: tuple[int, list[int]]) -> None:
    bits, numbers = given
    secret = bytes(32)
    key = expand(expand(secret, b"algorithm\0003"), f"id\0visit\0{bits}".encode())
    columns = Columns(CohortKey(secret), Policy(id_bits=bits))  # type: ignore[arg-type]
    for number in numbers:
        written = f"{number:0{bits}b}"
        while int(written := ff1(key, written), 2) == 0:
            pass
        assert columns.pseudonym("visit", str(number)) == int(written, 2)


def test_what_would_become_zero_goes_through_again() -> None:
    class Walk(IdPermutation):
        pass

    permutation = Walk(KEY, 31)
    cipher = permutation._one
    low = cipher.decrypt(0)
    assert low > 0
    assert permutation.permute(low) == cipher.encrypt(0)
    assert permutation.permute_all(np.array([low])).tolist() == [cipher.encrypt(0)]


def test_a_large_range_never_collides() -> None:
    numbers = np.arange(1, 500_001, dtype=np.int64)
    for bits in ID_BITS:
        moved = IdPermutation(KEY, bits).permute_all(numbers)
        assert len(np.unique(moved)) == len(numbers)
        assert 0 < moved.min() <= moved.max() < 2**bits
        # The order of the source is not to be seen.
        assert abs(np.corrcoef(numbers, moved.astype(float))[0, 1]) < 0.01


@pytest.mark.parametrize("bits", ID_BITS)
@pytest.mark.parametrize("number", [0, -1, 2**63])
def test_what_is_outside_is_refused(bits: int, number: int) -> None:
    permutation = IdPermutation(KEY, bits)
    with pytest.raises(ValueError, match="outside"):
        permutation.permute(number)
    if number < 2**63:
        with pytest.raises(ValueError, match="outside"):
            permutation.permute_all(np.array([1, number]))


def test_only_known_sizes() -> None:
    with pytest.raises(ValueError, match="bits"):
        IdPermutation(KEY, 32)


def test_no_key_leaks() -> None:
    permutation = IdPermutation(KEY, 31)
    assert repr(permutation) == "IdPermutation(bits=31)"
    with pytest.raises(TypeError):
        pickle.dumps(permutation)


@pytest.mark.parametrize(
    ("number", "bits", "told"),
    [
        (2**31, 31, "policy.id_bits = 53"),
        (2**53, 31, "policy.id_bits = 63"),
        (2**53, 53, "policy.id_bits = 63"),
        (0, 31, "from 1"),
        (-7, 63, "from 1"),
    ],
)
def test_the_refusal_names_table_id_and_remedy(number: int, bits: int, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        refuse_id("measurement", number, bits)
    error = caught.value
    assert "measurement" in error.key
    assert str(number) in error.problem
    assert told in error.remedy


def test_kinds_cohorts_and_sizes_have_permutations_of_their_own() -> None:
    one, two = (MasterKey(KEY).cohort(name) for name in "ab")
    numbers = np.arange(1, 1001)
    drawn = [
        one.pseudonyms("visit", numbers),
        one.pseudonyms("person", numbers),
        two.pseudonyms("visit", numbers),
        one.with_id_bits(53).pseudonyms("visit", numbers) % 2**31,
    ]
    for place, some in enumerate(drawn):
        for others in drawn[place + 1 :]:
            assert (some == others).sum() <= 1


@pytest.mark.parametrize("text", ["", "a", "07", "+7", "-0", "7 ", "١", "9" * 20, "1" * 5000])
def test_text_is_hashed(text: str) -> None:
    cohort = MasterKey(KEY).cohort("a")
    assert cohort.pseudonym("note", text) == cohort.hashed("note", text)
    assert 1 <= cohort.hashed("note", text) < 2**62


@pytest.mark.parametrize("text", ["0", "-1", "2147483648", "9223372036854775807"])
def test_numbers_beyond_the_size_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="note"):
        MasterKey(KEY).cohort("a").pseudonym("note", text)


@pytest.mark.parametrize("text", ["0", "-1", "2147483648", "9223372036854775807", "A-7"])
def test_in_files_they_are_text(text: str) -> None:
    cohort = MasterKey(KEY).cohort("a")
    assert cohort.pseudonym_of_text("note", text) == cohort.hashed("note", text)
    assert cohort.pseudonym_of_text("note", "7") == cohort.pseudonym("note", "7")


def test_the_first_version_hashes_everything() -> None:
    cohort = MasterKey(KEY).cohort("a", algorithm=2)
    assert cohort.with_id_bits(53) is cohort
    for text in ("0", "-1", "7", "9223372036854775807", "a"):
        assert cohort.pseudonym("note", text) == cohort.hashed("note", text)
    assert cohort.pseudonyms("note", np.array([7])).tolist() == [cohort.pseudonym("note", "7")]
