"""Keyed permutations are permutations, without fixed points, and differ between patients."""

import pytest

from surrogates.keys.keys import CohortKey
from surrogates.permutations.list_permutation import Permutation


@pytest.mark.parametrize("size", [2, 3, 4, 5, 16, 17, 50, 255, 256, 257, 1000, 4389])
def test_step_is_a_bijection_without_fixed_points(cohort: CohortKey, size: int) -> None:
    for person in ("1", "2"):
        permutation = Permutation(cohort.patient(person), "L", size)
        image = [permutation.step(number) for number in range(size)]
        assert sorted(image) == list(range(size))
        assert all(after != before for before, after in enumerate(image))


def test_steps_walk_through_every_place(cohort: CohortKey) -> None:
    permutation = Permutation(cohort.patient("1"), "L", 40)
    assert sorted(permutation.step(7, times) for times in range(40)) == list(range(40))


def test_one_known_pair_does_not_tell_the_next(cohort: CohortKey) -> None:
    """Were it a rotation, all distances would be equal."""
    permutation = Permutation(cohort.patient("1"), "L", 1000)
    distances = {(permutation.step(number) - number) % 1000 for number in range(1000)}
    assert len(distances) > 500


def test_too_large_a_permutation_is_refused(cohort: CohortKey) -> None:
    with pytest.raises(ValueError, match="65536"):
        Permutation(cohort.patient("1"), "L", 65537)
