"""The networks of private representations: noise, adversaries, and the de-identifier."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from models.private.adversaries import Adversaries, adversaries_loss
from models.private.adversary_training import (
    accuracy,
    accuracy_bound,
    freeze,
    make_adversaries,
    predict_pairs,
    train_adversaries,
)
from models.private.deidentifier import Deidentifier, EncodedSentence
from models.private.embeddings import Embeddings
from models.private.pseudonymization import NeighbourReplacer
from models.private.representer import IdentityRepresenter, Representer
from models.private.representer_training import CHANCE_LOSS, GradientReversal, representer_loss
from models.private.sentence_pairs import SentencePairSampler
from models.private.weight_selection import BestWeights, batches
from tests.models.private.test_private_words import NAMES, NONE, note

LENGTHS = torch.tensor([3, 5, 1])


@pytest.fixture
def vectors() -> Tensor:
    torch.manual_seed(1)
    inside = torch.arange(5) < LENGTHS[:, None]
    return torch.randn(3, 5, 6) * inside[..., None]


@pytest.fixture
def representer() -> Representer:
    torch.manual_seed(2)
    return Representer(6, 4, units=5)


def test_noise_is_learnt(representer: Representer, vectors: Tensor) -> None:
    representer(vectors, LENGTHS)[..., 0].sum().backward()
    for deviations in (representer.noise_in, representer.noise_out):
        assert deviations.grad is not None
        assert (deviations.grad != 0).all()


def test_no_two_encodings_are_alike(representer: Representer, vectors: Tensor) -> None:
    first, second = (representer(vectors, LENGTHS) for _ in range(2))
    inside = torch.arange(5) < LENGTHS[:, None]
    assert (first != second)[inside].all()
    silent = [representer(vectors, LENGTHS, noise=0.0) for _ in range(2)]
    assert torch.equal(*silent)
    assert torch.allclose(first.norm(dim=-1), inside.float(), atol=1e-5)


def test_sentences_are_encoded_alone(representer: Representer, vectors: Tensor) -> None:
    held = [row[:length].numpy() for row, length in zip(vectors, LENGTHS.tolist(), strict=True)]
    draw = torch.Generator().manual_seed(1)
    together = representer.encode(held, draw, noise=0.0)
    alone = [representer.encode([one], draw, noise=0.0)[0] for one in held]
    assert [one.shape for one in together] == [(3, 4), (5, 4), (1, 4)]
    for one, other in zip(together, alone, strict=True):
        assert one.dtype == np.float32
        assert np.allclose(one, other, atol=1e-6)
    again = [representer.encode(held, torch.Generator().manual_seed(5))[1] for _ in range(2)]
    assert (again[0] == again[1]).all()
    assert not np.allclose(again[0], together[1], atol=1e-3)


def test_how_far_twins_lie_apart(representer: Representer, vectors: Tensor) -> None:
    other = vectors.clone()
    other[:, 0] += 1
    assert (representer.squared_distance(vectors, vectors, LENGTHS) < 1e-9).all()
    assert (representer.squared_distance(vectors, other, LENGTHS) > 0).all()
    with torch.no_grad():
        representer.noise_in.zero_()
        representer.noise_out.copy_(torch.tensor([0.5, -1.0, 2.0, 3.0]))
    # Without noise taken in, encodings differ from their means by what is put out alone.
    means = [representer(each, LENGTHS, noise=0.0) for each in (vectors, other)]
    known = ((torch.sub(*means) * 2 / representer.noise_out) ** 2).sum((1, 2))
    assert torch.allclose(representer.squared_distance(vectors, other, LENGTHS), known, rtol=1e-4)
    twice = representer.squared_distance(vectors, other, LENGTHS, noise=2.0)
    assert torch.allclose(4 * twice, known, rtol=1e-4)
    # Whoever knows both means is right as often as the distance says.
    torch.manual_seed(3)
    mean = means[0][0] * 2 / representer.noise_out
    far = means[1][0] * 2 / representer.noise_out
    seen = mean + torch.randn(20_000, *mean.shape)
    near = ((seen - mean) ** 2).sum((1, 2)) < ((seen - far) ** 2).sum((1, 2))
    assert float(near.float().mean()) == pytest.approx(
        float(torch.special.ndtr(known[0].detach().sqrt() / 2)), abs=0.015
    )


def test_adversaries_who_guess_leave_the_representer_alone() -> None:
    deidentifying = torch.tensor(0.37)
    assert pytest.approx(math.log(2)) == CHANCE_LOSS
    assert adversaries_loss(torch.full((4,), 0.5), torch.tensor([1.0, 0, 1, 0])) == pytest.approx(
        CHANCE_LOSS
    )
    assert representer_loss(deidentifying, torch.tensor(math.log(2)), 1.0) == deidentifying
    for judging in (0.2, 1.1):
        lost = representer_loss(deidentifying, torch.tensor(judging), 2.0)
        assert float(lost) == pytest.approx(0.37 + 2 * abs(judging - math.log(2)))


def test_a_reversed_gradient_has_the_opposite_sign() -> None:
    held = torch.tensor([1.0, -2.0], requires_grad=True)
    given: Tensor = GradientReversal.apply(held)
    (given * torch.tensor([3.0, 5.0])).sum().backward()
    assert given.tolist() == [1, -2]
    assert held.grad is not None and held.grad.tolist() == [-3, -5]


def test_adversaries_see_no_padding(vectors: Tensor) -> None:
    torch.manual_seed(1)
    judges = Adversaries(6, 4, units=3)
    first, second = torch.randn(3, 5, 4), torch.randn(3, 5, 4)
    together = judges(vectors, first, second, LENGTHS)
    assert ((together > 0) & (together < 1)).all()
    for at, length in enumerate(LENGTHS.tolist()):
        alone = judges(
            *(one[at : at + 1, :length] for one in (vectors, first, second)), LENGTHS[at : at + 1]
        )
        assert torch.allclose(alone[0], together[at], atol=1e-6)


@pytest.fixture(scope="module")
def pairs() -> SentencePairSampler:
    drawn = np.random.default_rng(1).normal(size=(len(NAMES) + 1, 8)).astype(np.float32)
    words = Embeddings([*NAMES, "saw"], drawn, NONE)
    held = [
        note(first, "saw", second, phi=f"{first} {second}") for first, second in pairwise(NAMES)
    ]
    return SentencePairSampler([*held, note("saw")] * 3, words, NeighbourReplacer(words, 5))


def test_pairs_differ_in_one_token(pairs: SentencePairSampler) -> None:
    assert len(pairs) == 3 * (len(NAMES) - 1)
    found = list(pairs.draw("a", size=8))
    assert sum(len(one.own) for one in found) == len(pairs)
    for one in found:
        assert ((one.own != one.other).any(-1).sum(1) == 1).all()
    again = list(pairs.draw("a", size=8))
    assert all(torch.equal(one.other, two.other) for one, two in zip(found, again, strict=True))
    other = list(pairs.draw("b", size=8))
    assert not all(torch.equal(one.other, two.other) for one, two in zip(found, other, strict=True))


def test_who_sees_nothing_is_right_half_of_the_time(pairs: SentencePairSampler) -> None:
    judges = Adversaries(8, 8, units=2)
    blind = lambda vectors, lengths, noise: torch.zeros_like(vectors)  # noqa: E731
    assert accuracy(blind, judges, pairs, 1) == 0.5
    believed, truth = predict_pairs(blind, judges, next(pairs.draw("a")))
    assert believed.shape == truth.shape
    assert truth.mean() == 0.5


def test_adversaries_see_through_what_is_not_protected(pairs: SentencePairSampler) -> None:
    torch.manual_seed(1)
    judges = Adversaries(8, 8, units=16)
    found = train_adversaries(IdentityRepresenter(), judges, pairs, 16, rate=1e-2, batch=8)
    assert len(found) == 16
    assert found[-1] >= 0.9


def test_nobody_is_right_more_often_than_the_noise_allows(pairs: SentencePairSampler) -> None:
    torch.manual_seed(1)
    representer = Representer(8, 4, units=5)
    state = torch.get_rng_state()
    once, again, often = (accuracy_bound(representer, pairs, count, 1) for count in (1, 1, 4))
    assert torch.equal(state, torch.get_rng_state()) and (once == again).all()
    assert once.shape == (len(pairs),) and 0.5 < once.mean() < often.mean() < 1
    assert (accuracy_bound(representer, pairs, 1, 1, noise=0.0) == 1).all()
    judges = make_adversaries(8, 4, 8, seed=1)
    found = train_adversaries(representer, judges, pairs, 8, rate=1e-2, batch=8)
    judges = make_adversaries(8, 4, 8, seed=1)
    assert found[4:] == train_adversaries(representer, judges, pairs, 8, rate=1e-2, batch=8, last=4)
    # Four deviations of as many tosses of a coin.
    assert np.mean(found[4:]) < once.mean() + 4 * 0.5 / (8 * len(pairs)) ** 0.5


def test_what_is_frozen_learns_nothing(representer: Representer, vectors: Tensor) -> None:
    with freeze(representer, "no network"):
        assert not any(one.requires_grad for one in representer.parameters())
        assert not representer(vectors, LENGTHS).requires_grad
    assert all(one.requires_grad for one in representer.parameters())


def example(length: int, seed: int, *spans: tuple[int, int, str]) -> EncodedSentence:
    drawn = np.random.default_rng(seed)
    vectors = drawn.normal(size=(length, 4)).astype(np.float32)
    return EncodedSentence(vectors, drawn.integers(0, 7, length), spans)


def test_the_deidentifier_sees_no_padding() -> None:
    torch.manual_seed(1)
    network = Deidentifier(4, ("A", "B"), units=3).eval()
    held = [example(4, 1, (0, 2, "A")), example(2, 2), example(6, 3, (5, 6, "B"), (1, 3, "A"))]
    together = network.loss(network.collate(held)).detach()
    alone = [network.loss(network.collate([one])).detach() * len(one) for one in held]
    assert float(together) == pytest.approx(float(sum(alone)) / 12, abs=1e-5)
    spans = network.predict(network.collate(held))
    assert spans == [network.predict(network.collate([one]))[0] for one in held]
    with pytest.raises(ValueError, match="not in"):
        network.collate([example(2, 1, (0, 1, "C"))])


def test_dropout_is_drawn_in_training_alone() -> None:
    torch.manual_seed(1)
    network = Deidentifier(4, ("A",), units=3)
    batch = network.collate([example(5, 1, (1, 3, "A"))])
    assert float(network.loss(batch).detach()) != float(network.loss(batch).detach())
    network.loss(batch).backward()
    assert all(one.grad is not None for one in network.parameters())
    network.eval()
    assert float(network.loss(batch).detach()) == float(network.loss(batch).detach())


def test_case_tells_something() -> None:
    torch.manual_seed(1)
    network = Deidentifier(4, ("A",), units=3).eval()
    batch = network.collate([example(5, 1)])
    batch.casing[:] = 0
    before = network(batch)
    batch.casing[:] = 1
    assert not torch.allclose(before, network(batch))


def test_batches_hold_everybody_once() -> None:
    lengths = [int(length) for length in np.random.default_rng(1).integers(1, 40, 50)]
    for draw in (None, torch.Generator().manual_seed(1)):
        found = batches(lengths, 8, draw)
        assert sorted(at for batch in found for at in batch) == list(range(50))
        assert max(map(len, found)) == 8
        assert all(max(lengths[at] for at in b) - min(lengths[at] for at in b) < 20 for b in found)


def test_the_best_weights_are_kept() -> None:
    network, selection = nn.Linear(1, 1), BestWeights()
    for place, loss in enumerate((0.5, 0.2, 0.3, 0.4)):
        nn.init.constant_(network.weight, place)
        assert selection.consider(loss, network) == (place < 2)
    assert selection.stale == 2
    again = BestWeights.from_checkpoint(selection.to_json(), selection.state)
    again.restore(network)
    assert float(network.weight.detach()) == 1
    assert again.lowest == 0.2
    assert BestWeights.from_checkpoint(BestWeights().to_json(), {}).lowest == math.inf


def test_words_without_a_vector_make_no_pairs() -> None:
    words = Embeddings(["ana", "ruiz", "gomez"], np.eye(3, 8, dtype=np.float32), NONE)
    held = [note("2021", phi="2021"), note("Ana", phi="Ana"), note("unheard", phi="unheard")]
    found = SentencePairSampler(held, words, NeighbourReplacer(words, 3))
    assert [one.tokens for one in found.sentences] == [("Ana",)]
