"""Codes of a shape are permuted: none stays, and no two meet."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locales import check_digits
from record.patient import PatientRecord
from surrogates.keys.keys import CohortKey, PatientKey
from surrogates.numbers import identifiers
from surrogates.numbers.number_draws import Drawing
from surrogates.patient import value_format
from surrogates.patient.patient import Mention, Subject
from surrogates.permutations import code_permutation
from tests.surrogates.conftest import Replace


@pytest.fixture(scope="module")
def key(cohort: CohortKey) -> PatientKey:
    return cohort.patient("42")


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 101])
def test_an_order_permutes_and_leaves_nothing_in_its_place(key: PatientKey, size: int) -> None:
    order = code_permutation.IndexPermutation(key, "ID", "x", size)
    stepped = [order.step(number) for number in range(size)]
    assert sorted(stepped) == list(range(size))
    assert size == 1 or all(one != other for one, other in enumerate(stepped))
    assert size < 5 or stepped != [order.step(number, b"tweak") for number in range(size)]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6).flatmap(
    lambda sizes: st.tuples(st.just(sizes), st.tuples(*(st.integers(0, s - 1) for s in sizes)))
))  # fmt: skip
def test_places_are_parted_as_they_were_joined(both: tuple[list[int], tuple[int, ...]]) -> None:
    sizes, places = both
    assert code_permutation.decode_places(
        code_permutation.encode_places(places, sizes), sizes
    ) == list(places)


@given(st.integers(1, 10**9) | st.integers(10**60, 10**70), st.integers(0, 3), st.booleans())
def test_numbers_stand_where_their_signs_do(
    key: PatientKey, number: int, counter: int, speakable: bool
) -> None:
    text = str(number)
    sizes = [9] + [10] * (len(text) - 1)
    places = [int(text[0]) - 1, *map(int, text[1:])]
    name = "n" + "d" * (len(text) - 1)
    moved = code_permutation.permute_places(
        places, sizes, key=key, label="ID", name=name, times=counter
    )
    expected = "".join(map(str, (moved[0] + 1, *moved[1:])))
    assert value_format.permute_value(text, "ID", key, counter, speakable=speakable) == expected


@given(st.from_regex(r"[0-9]{1,12}|[0-9]{63,66}", fullmatch=True), st.sampled_from(["", "4"]))
def test_digits_stand_where_their_signs_do(
    subject_of: Callable[..., Subject], digits: str, tweak: str
) -> None:
    drawing = Drawing(Mention(digits, "ID"), subject_of())
    signs = drawing.signs(digits, ["0123456789"] * len(digits), "digits", tweak)
    assert drawing.digits(digits, tweak) == signs
    assert Drawing(drawing.mention, drawing.subject, dry_run=True).digits(digits) == digits


@pytest.mark.parametrize(
    "values",
    [
        [f"{number:03d}" for number in range(0, 1000, 3)],
        [f"{number}a" for number in range(100)],
        [f"{letter}{number}" for letter in "abcxyz" for number in range(50)],
    ],
    ids=["digits", "digits and a letter", "a letter and digits"],
)
def test_no_two_values_of_a_shape_meet(key: PatientKey, values: list[str]) -> None:
    drawn = [value_format.permute_value(value, "ID", key, 0) for value in values]
    assert len(set(drawn)) == len(values)
    assert all(one != other for one, other in zip(drawn, values, strict=True))
    assert list(map(len, drawn)) == list(map(len, values))
    # A first zero stays one, and none is made.
    assert [one[0] == "0" and len(one) > 1 for one in drawn] == [
        value[0] == "0" and len(value) > 1 for value in values
    ]


def test_numbers_with_and_without_check_digits_never_meet(
    subject_of: Callable[..., Subject],
) -> None:
    subject = subject_of()
    texts = [f"{number:08d}" for number in range(10**7, 10**7 + 150)]
    assert 5 < sum(map(check_digits.is_luhn, texts)) < 40
    drawn = {text: identifiers.replace(Mention(text, "ID"), subject) for text in texts}
    assert len(set(drawn.values())) == len(texts)
    assert all(
        check_digits.is_luhn(text) == check_digits.is_luhn(found) for text, found in drawn.items()
    )


def test_ids_of_rows_are_one_for_the_cohort_and_others_are_not(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    for label, is_shared in [("PATIENT_ID", 1), ("VISIT_ID", 1), ("PROVIDER_ID", 1), ("ID", 0)]:
        one, other = (
            replace("8012345678", label, subject=subject_of(person)) for person in ("1", "2")
        )
        assert (one == other) == is_shared


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=8).filter(lambda text: any(map(str.isalnum, text))))
def test_other_scripts_have_surrogates_too(subject_of: Callable[..., Subject], text: str) -> None:
    drawn = value_format.scramble(text, "ID", subject_of())
    assert drawn == value_format.scramble(text, "ID", subject_of())


def test_what_is_known_of_the_patient_is_passed_over(subject_of: Callable[..., Subject]) -> None:
    from record.patient import Identifier

    free = value_format.scramble("77", "ID", subject_of())
    record = PatientRecord("42", identifiers=(Identifier("ID", free),))
    assert value_format.scramble("77", "ID", subject_of(record=record)) not in ("77", free)


def test_threads_draw_the_same_codes_at_once(key: PatientKey) -> None:
    values = [f"{number:07d}" for number in range(60)]

    def drawn(_thread: int) -> list[str]:
        return [value_format.permute_value(value, "ID", key, 0) for value in values]

    with ThreadPoolExecutor(4) as threads:
        assert all(found == drawn(0) for found in threads.map(drawn, range(8)))
