"""Noised counts: a patient changes them by so much, noise hides that, requests follow them."""

import math
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.errors import ConfigError
from synthesis.markup import encode
from synthesis.noised_requests import (
    NoisedCounts,
    count_notes,
    noise_counts,
    two_sided_geometric,
)
from synthesis.note_requests import EDGES, MAX_COUNT, Request
from synthesis.prepared_corpus import MarkedNote
from tests.synthesis.letters import letters

LABELS = ("CITY", "DATE", "NAME")
NOTES = [
    MarkedNote("<BODY>", encode(note), f"p{number // 3}", f"{number}")
    for number, note in enumerate(letters(36))
]
PATIENTS = sorted({note.owner for note in NOTES})


def flat(notes: list[MarkedNote], seed: int) -> list[float]:
    found = count_notes(notes, LABELS, seed=seed)
    return [*found.lengths, *(count for label in LABELS for count in found.labels[label])]


@given(st.sets(st.sampled_from(PATIENTS)), st.sampled_from(PATIENTS), st.integers(0, 5))
def test_a_patient_changes_one_count_of_each_kind(some: set[str], patient: str, seed: int) -> None:
    without = [note for note in NOTES if note.owner in some - {patient}]
    with_it = [note for note in NOTES if note.owner in some | {patient}]
    change = [
        one - other for one, other in zip(flat(with_it, seed), flat(without, seed), strict=True)
    ]
    assert sum(map(abs, change)) == len(LABELS) + 1
    nobodys = [replace(note, has_person=False) for note in NOTES]
    assert not any(flat(nobodys, seed))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_noise_is_what_its_epsilon_says(epsilon: float) -> None:
    rng = Random(4)
    drawn = Counter(two_sided_geometric(epsilon, rng.random) for _ in range(40_000))
    base = (1 - math.exp(-epsilon)) / (1 + math.exp(-epsilon))
    for number in range(-2, 3):
        expected = base * math.exp(-epsilon * abs(number))
        error = (expected * (1 - expected) / 40_000) ** 0.5
        assert abs(drawn[number] / 40_000 - expected) < 5 * error
    # One more changes no probability by more than e^epsilon.
    assert math.exp(-epsilon * 2) / math.exp(-epsilon * 3) == pytest.approx(math.exp(epsilon))


def test_each_kind_of_count_has_its_part_of_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[float] = []

    def noise(epsilon: float, uniform: object) -> int:
        parts.append(epsilon)
        return 0

    monkeypatch.setattr("synthesis.noised_requests.two_sided_geometric", noise)
    found = noise_counts(NOTES, LABELS, 2.0, seed=1)
    assert set(parts) == {2.0 / 4}
    assert len(parts) == len(EDGES) - 1 + 3 * (MAX_COUNT + 1)
    assert sum(found.lengths) == len(PATIENTS)
    assert NoisedCounts.from_json(found.to_json()) == found
    for epsilon in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ConfigError, match="--requests-epsilon"):
            noise_counts(NOTES, LABELS, epsilon, seed=1)


def test_two_countings_differ_by_chance() -> None:
    one, other = (noise_counts(NOTES, LABELS, 0.1, seed=1) for _ in range(2))
    assert one != other


def test_requests_follow_the_counts() -> None:
    counts = NoisedCounts(
        [-5, 0, 3, 0, 0, 0, 0, 0],
        {"CITY": [0, -2, 8, *[0] * 18], "DATE": [30, 10, *[0] * 19], "NAME": [-1] * 21},
        epsilon=1.0,
    )
    base = Request("letter", {"NAME": 7, "CITY": 1}, "Seen by", 900)
    drawn = [counts.drawn(base, Random(number)) for number in range(400)]
    assert {each.counts["CITY"] for each in drawn} == {2}
    assert {each.counts["NAME"] for each in drawn} == {7}  # noise left nothing
    assert 0.18 < sum(each.counts["DATE"] for each in drawn) / 400 < 0.32
    assert all(EDGES[2] <= each.words < EDGES[3] for each in drawn)
    assert all((each.kind, each.opening) == ("letter", "Seen by") for each in drawn)
    assert counts.drawn(base, Random(3)) == counts.drawn(base, Random(3))
