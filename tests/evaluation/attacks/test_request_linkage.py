"""Notes that gave their requests as a whole are found by what anybody sees of them."""

from dataclasses import replace
from random import Random
from statistics import fmean

import numpy as np
import pytest

from evaluation.attacks.request_linkage import (
    RequestCandidates,
    attack_requests,
    visible_features,
)
from evaluation.gate import DETECTABLE
from record.document import Annotated, Document
from record.span import Span
from synthesis.note_requests import Request, RequestMarginals

LABELS = ("CITY", "DATE", "ID", "NAME", "PHONE", "STREET")


def notes(count: int, seed: int) -> list[Request]:
    """Notes whose entities go with their length, as those of a ward do."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        words = int(chance.lognormal(5.5, 0.6)) + 20
        counts = {label: int(number) for label, number in zip(
            LABELS, chance.poisson(words / 60, len(LABELS)), strict=True
        )}  # fmt: skip
        found.append(Request(str(chance.choice(["letter", "report"])), counts, "", words))
    return found


def candidates(seed: int = 1, patients: int = 60) -> RequestCandidates:
    """Two notes of each patient."""
    held, trained = notes(2 * patients, seed), notes(6 * patients, seed + 100)
    return RequestCandidates(
        held,
        [f"p{number // 2}" for number in range(len(held))],
        trained,
        [f"q{number // 2}" for number in range(len(trained))],
    )


def like_single_notes(held: list[Request], count: int) -> list[Request]:
    """Notes by requests of earlier versions: those of one note, written a little longer or not."""
    rng = Random(3)
    asked = [rng.choice(held) for _ in range(count)]
    return [replace(each, words=round(each.words * rng.uniform(0.9, 1.2))) for each in asked]


def test_requests_like_single_notes_are_found() -> None:
    real = candidates()
    found = attack_requests(like_single_notes(list(real.held_out), 600), real, "some")
    assert (found.name, found.data) == ("request-linkage", "some")
    assert found.value > 0.9 and found.low > 0.85
    assert found.control is not None and found.control > 0.95
    assert found.null == pytest.approx(0.5, abs=0.1)
    assert found.detail["patients"] == 60 and found.detail["other patients"] == 180
    assert float(found.detail[DETECTABLE]) < 0.65


def test_requests_of_marginals_are_not() -> None:
    """By the held-out notes themselves or by as many others: hardly a difference."""
    areas: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(1, 9):
        real = candidates(seed, patients=200)
        for is_own, areas_so_far in areas.items():
            source = real.held_out if is_own else notes(400, seed + 5000)
            marginals = RequestMarginals(zip(source, real.patients, strict=True))
            made = [marginals.draw(Random(f"{seed}/{place}")) for place in range(600)]
            found = attack_requests(made, real, "some")
            assert found.high < 0.65
            assert found.control is not None and found.control > 0.95
            areas_so_far.append(found.value)
    assert fmean(areas[True]) == pytest.approx(0.5, abs=0.05)
    assert fmean(areas[True]) - fmean(areas[False]) < 0.04


def test_notes_like_those_of_train_are_found_below_a_guess() -> None:
    real = candidates()
    found = attack_requests(like_single_notes(list(real.trained), 1500), real, "some")
    assert found.high < 0.2


def test_bounds_are_those_of_patients() -> None:
    real = candidates(patients=30)
    once = attack_requests(notes(200, 9), real, "some")
    # Each note ten times over is no further patient.
    often = RequestCandidates(
        10 * list(real.held_out),
        10 * list(real.patients),
        10 * list(real.trained),
        10 * list(real.others),
    )
    again = attack_requests(notes(200, 9), often, "some")
    assert again.high - again.low > 0.7 * (once.high - once.low)
    with pytest.raises(ValueError, match="must have a patient"):
        RequestCandidates(notes(2, 1), ["a"], notes(2, 2), ["b", "c"])


def test_what_is_seen_of_a_note_is_none_of_its_words() -> None:
    note = Annotated(Document("1", "Seen by Dr Smith.", kind="x"), (Span(11, 16, "NAME"),))
    assert visible_features(note, "letter") == Request("letter", {"NAME": 1}, "", 5)


def test_notes_that_all_look_alike_let_nobody_be_found() -> None:
    alike = [Request("letter", {"NAME": 1}, "", 60)] * 8
    patients = list("abcdefgh")
    found = attack_requests(alike, RequestCandidates(alike, patients, alike, patients), "some")
    assert (found.value, found.control) == (0.5, 0.5)
