"""The attack by names: it finds what names of the same stratum keep, and nothing in mixed ones."""

from functools import partial

import numpy as np
import pytest

from benchmarks.attacks.name_links import (
    count_links,
    describe_all,
    make_patients,
    release_forms,
    score_names,
)
from record.policy import Policy


@pytest.mark.parametrize(
    ("algorithm", "names", "least", "most"),
    [(2, None, 30, 60), (3, "same-stratum", 30, 60), (3, "mixed", 0, 12)],
)
def test_links(algorithm: int, names: str | None, least: int, most: int) -> None:
    chance = np.random.default_rng(1)
    policy = Policy(names=names)  # type: ignore[arg-type]
    target = make_patients(60, "fr", "target")
    forms = [
        [release_forms(patients, "fr", algorithm, policy, key) for key in ("one", "two")]
        for patients in (make_patients(300, "fr", "trained"), target)
    ]
    scores = score_names(forms[0], forms[1], chance, partial(describe_all, lang="fr"))
    # By chance two are, one of each sex.
    assert least <= count_links(scores, target, chance) <= most
