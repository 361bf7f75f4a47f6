"""Private draws: no window changes a probability by more than e^epsilon, and the ledger adds up."""

import math
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from models.language.masked.masked_model import MaskedFiller, TrainedMasked
from models.language.masked.private_filling import (
    ExponentialMechanism,
    PrivacyAccountant,
    PrivateFiller,
)
from models.language.networks.masked_network import SPECIAL_TOKENS, MaskedLM
from record.errors import ConfigError
from synthesis.filling import draw

SCORES = st.lists(st.floats(-1e6, 1e6) | st.just(-math.inf), min_size=5, max_size=5).filter(
    lambda row: max(row) > -math.inf
)


@given(SCORES, SCORES, st.floats(0.05, 50), st.floats(0.01, 1e3))
@example([1e6] + [-1e6] * 4, [-1e6] + [1e6] * 4, 1.0, 8.0)
@example([-math.inf, 0, 0, 0, 0], [0, -math.inf, -math.inf, -math.inf, -math.inf], 8.0, 8.0)
def test_no_ratio_is_above_the_promise(
    one: list[float], other: list[float], epsilon: float, clip: float
) -> None:
    mechanism = ExponentialMechanism.of(epsilon, clip)
    assert mechanism.epsilon == pytest.approx(epsilon)
    chances = mechanism.probabilities(np.array([one, other]))
    assert chances.sum(1) == pytest.approx(np.ones(2))
    assert (chances > 0).all(), "whatever is in a window, any word may come"
    ratios = chances[0] / chances[1]
    assert max(ratios.max(), (1 / ratios).max()) <= math.exp(epsilon) * (1 + 1e-9)


def test_the_promise_is_nearly_used_up_by_the_worst_windows() -> None:
    """A mechanism that promised twice as much as it tells would waste half of it."""
    words = 100_000
    rows = np.zeros((2, words))
    rows[0, 0], rows[1, 0] = 8.0, -8.0
    chances = ExponentialMechanism.of(2.0).probabilities(rows)
    assert 1.99 < math.log(chances[0, 0] / chances[1, 0]) <= 2.0


def test_within_the_range_scores_are_the_models_own() -> None:
    scores = np.array([[0.0, 1.0, 2.0, 3.0]])
    softmax = np.exp(scores) / np.exp(scores).sum()
    assert ExponentialMechanism(1.0).probabilities(scores) == pytest.approx(softmax)
    assert ExponentialMechanism(1.0).probabilities(scores + 1e5) == pytest.approx(softmax)


class Toy:
    """Scores three words by the first word of the window."""

    writable = ("fever", "cough", "pain")

    def __init__(self) -> None:
        self.asked = 0

    def scores(self, windows: Sequence[Sequence[str | None]]) -> list[Any]:
        self.asked += len(windows)
        return [
            np.tile([5.0, 0.0, -5.0] if window[0] == "hot" else [-5.0, 0.0, 5.0], (holes, 1))
            for window in windows
            if (holes := list(window).count(None)) >= 0
        ]


HOT, COLD = ["hot", None, "and", None], ["cold", None]


def test_draws_follow_the_probabilities() -> None:
    mechanism = ExponentialMechanism.of(2.0)
    filler, count = PrivateFiller(Toy(), mechanism), 4000
    found = {
        name: Counter(
            word[0][0] for each in filler.candidates([window] * count, 1) for word in each[:1]
        )
        for name, window in (("hot", HOT), ("cold", COLD))
    }
    expected = mechanism.probabilities(np.array([[5.0, 0.0, -5.0]]))[0]
    for name, order in (("hot", Toy.writable), ("cold", Toy.writable[::-1])):
        for word, share in zip(order, expected, strict=True):
            error = 4.5 * math.sqrt(share * (1 - share) / count)  # once in 150,000 runs
            assert abs(found[name][word] / count - share) < error
    worst = max(abs(math.log(found["hot"][w] / found["cold"][w])) for w in Toy.writable)
    assert worst < mechanism.epsilon


def test_it_fills_in_the_place_of_another_filler() -> None:
    filler = PrivateFiller(Toy(), ExponentialMechanism.of(4.0))
    found = filler.candidates([HOT, COLD, ["hot"]], 6)
    assert [len(window) for window in found] == [2, 1, 0]
    for window in found:
        for candidates in window:
            assert len(candidates) == 1
            assert draw(candidates, 6, Random(1)) in Toy.writable
    assert filler.mechanism.epsilon == 4


def test_a_trained_model_can_be_drawn_from_privately() -> None:
    torch.manual_seed(1)
    words = (*SPECIAL_TOKENS, "fever", "37", ".", "cough", "pain")
    network = MaskedLM(len(words), width=16, layers=1, heads=2, length=8, dropout=0.0)
    torch.nn.init.normal_(network.embed.weight)
    model = MaskedFiller(TrainedMasked(network, words, {}))
    assert list(model.writable) == ["fever", "cough", "pain"], "whatever a window holds"
    windows: list[list[str | None]] = [[None, "fever", None], ["pain"], ["cough", None]]
    shares = model.candidates(windows, len(words))
    for rows, places in zip(model.scores(windows), shares, strict=True):
        assert rows.shape == (len(places), 3)
        chances = ExponentialMechanism(1.0, 50.0 / 2.1).probabilities(rows)
        for row, candidates in zip(chances, places, strict=True):
            assert dict(zip(model.writable, row, strict=True)) == pytest.approx(
                dict(candidates), rel=1e-3
            )
    assert model.scores([]) == []
    drawn = PrivateFiller(model, ExponentialMechanism.of(1.0)).candidates(windows, 1)
    assert [len(window) for window in drawn] == [2, 0, 1]


def test_draws_do_not_come_from_a_seed() -> None:
    filler = PrivateFiller(Toy(), ExponentialMechanism.of(0.1))
    runs = [str(filler.candidates([HOT] * 100, 1)) for _ in range(2)]
    assert runs[0] != runs[1]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("12"), st.integers(0, 500))))
def test_the_ledger_adds_up(charges: list[tuple[str, str, int]]) -> None:
    ledger = PrivacyAccountant(ExponentialMechanism(2.0, 8.0))  # 8 for each word
    for source, letter, words in charges:
        ledger.charge(source, letter, words)
    for (source, letter), epsilon in ledger.letters().items():
        assert epsilon == 8 * sum(w for s, n, w in charges if (s, n) == (source, letter))
    told = ledger.to_json()
    assert sum(ledger.sources().values()) == 8 * sum(words for *_, words in charges)
    assert told["words"] == sum(words for *_, words in charges)
    assert told["largest_epsilon_of_source"] == max(ledger.sources().values(), default=0)
    assert told["largest_epsilon_of_letter"] == max(ledger.letters().values(), default=0)
    assert told["epsilon_of_word"] == 8


def test_what_promises_nothing_is_refused() -> None:
    for wrong in (0, -1, math.nan, math.inf, 51):
        with pytest.raises(ConfigError):
            ExponentialMechanism.of(wrong)
        with pytest.raises(ConfigError):
            ExponentialMechanism(1.0, 26.0 if wrong == 51 else wrong)
    with pytest.raises(ValueError, match="finite"):
        ExponentialMechanism(1.0).probabilities(np.array([[-math.inf, -math.inf]]))
    with pytest.raises(ValueError, match="not be negative"):
        PrivacyAccountant(ExponentialMechanism(1.0)).charge("a", "1", -1)
