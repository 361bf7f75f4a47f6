"""Attacks on shared vectors see what leaks, and see nothing where there is nothing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.attacks.attack_trials import Rate, mean_over_seeds
from evaluation.attacks.sentence_pairs import (
    Encode,
    Vectors,
    choose_by_mean,
    derive_seeds,
    encode_pairs,
    make_pairs,
    whitening_matrix,
)
from evaluation.attacks.shared_vectors import (
    AttackedRelease,
    RunAttack,
    blinded_side,
    case_kind,
    measure_attacks,
    prepare_known_sentences,
    prepare_pair_attacks,
    prepare_trained_inverse,
    prepare_word_lookup,
    rank_of_true,
    replace_identifiers,
    shared_side,
    unprotected_side,
)
from evaluation.gate import Verdict, decide, read_requirements
from models.private import adversary_training
from models.private.embeddings import Embeddings
from models.private.pseudonymization import NeighbourReplacer
from models.private.sentences import Sentence
from models.tagger.encoders.bilstm import CASES

NAMES = [f"name{letter}{other}" for letter in "abcdefgh" for other in "xyzw"]
PLAIN = [f"word{letter}{other}" for letter in "abcdefghij" for other in "xyz"]
LOWER = CASES.index("lower")
SIZE = 12


def embeddings() -> Embeddings:
    chance = np.random.default_rng(1)
    matrix = chance.normal(size=(len(NAMES + PLAIN), SIZE)).astype(np.float32)
    return Embeddings(NAMES + PLAIN, matrix, np.zeros((0, SIZE), np.float32))


EMBEDDINGS = embeddings()


def sentences(count: int, seed: int) -> list[Sentence]:
    """Sentences of seven words, of which one or two are names."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        tokens = [PLAIN[at] for at in chance.integers(len(PLAIN), size=7)]
        places = sorted({int(at) for at in chance.integers(7, size=2)})
        for place in places:
            tokens[place] = NAMES[chance.integers(len(NAMES))]
        spans = tuple((place, place + 1, "NAME") for place in places)
        made.append(Sentence(tuple(tokens), ((0, 1),) * 7, (LOWER,) * 7, spans))
    return made


def plain(some: Sequence[Sentence], seed: int) -> list[Vectors]:
    return [EMBEDDINGS.vectors(each.tokens) for each in some]


def noisy(spread: float) -> Encode:
    """An encoder that adds noise, and nothing else."""

    def encode(some: Sequence[Sentence], seed: int) -> list[Vectors]:
        chance = np.random.default_rng(seed)
        shape = (len(some), 7, SIZE)
        noise = chance.normal(0, spread, shape).astype(np.float32) if spread else np.zeros(shape)
        return [v + n[: len(v)] for v, n in zip(plain(some, 0), noise, strict=True)]

    return encode


def hiding(some: Sequence[Sentence], seed: int) -> list[Vectors]:
    """An encoder that puts noise in the place of names, and so cannot give them away."""
    chance = np.random.default_rng(seed)
    found = []
    for sentence, vectors in zip(some, plain(some, 0), strict=True):
        made = vectors + chance.normal(0, 0.1, vectors.shape)
        named = np.array(sentence.phi)
        made[named] = chance.normal(size=(sum(named), SIZE))
        found.append(made.astype(np.float32))
    return found


def subject(encode: Encode, count: int = 240) -> AttackedRelease:
    attacked, words = sentences(count, 1), NAMES + PLAIN
    return AttackedRelease(
        sentences=attacked,
        shared=encode(attacked, 99),
        own=sentences(count, 2),
        encode=encode,
        plain=plain,
        replacing=NeighbourReplacer(EMBEDDINGS, 8),
        words=words,
        matrix=EMBEDDINGS.vectors(words),
    )


def able(attack: "RunAttack | None") -> "RunAttack":
    """An attack that there is enough to carry out."""
    assert attack is not None
    return attack


CHOICES = ("sentence-linkage", "averaged-1", "averaged-8", "sentence-membership")


def test_choices_between_twins_see_what_leaks_and_nothing_else() -> None:
    leaky, safe = subject(noisy(0.3), 160), subject(hiding, 160)
    seen = able(prepare_pair_attacks(leaky, leaky.encode, 1))(shared_side(leaky))
    none = able(prepare_pair_attacks(safe, safe.encode, 1))(shared_side(safe))
    known = able(prepare_pair_attacks(safe, safe.plain, 1))(unprotected_side(safe))
    tossed = able(prepare_pair_attacks(leaky, leaky.encode, 1))(blinded_side(leaky))
    for name in CHOICES:
        # Four deviations of as many tosses of a coin.
        slack = 4 * 0.5 / seen[name].tries ** 0.5
        assert seen[name].value > 0.9
        assert known[name].value == 1
        assert abs(none[name].value - 0.5) < slack
        assert abs(tossed[name].value - 0.5) < slack


def test_means_of_more_encodings_tell_more() -> None:
    twins = make_pairs(sentences(300, 1), NeighbourReplacer(EMBEDDINGS, 8), 1)
    encode = noisy(3.0)
    sights = encode_pairs(twins, encode, 1)
    shared = [encode(twins.real, seed) for seed in derive_seeds(1, 16, "shared")]
    right = [choose_by_mean(shared[:times], sights).mean() for times in (1, 4, 16)]
    assert right == sorted(right) and right[0] < 0.9 < right[-1]


def test_twins_differ_in_one_name_and_keep_what_a_file_shows() -> None:
    some = sentences(60, 3)
    twins = make_pairs(some, NeighbourReplacer(EMBEDDINGS, 8), 1)
    assert len(twins) == len(some)
    for real, other in zip(twins.real, twins.other, strict=True):
        places = [at for at in range(7) if real.tokens[at] != other.tokens[at]]
        assert len(places) == 1 and real.phi[places[0]]
        assert (real.casing, real.spans) == (other.casing, other.spans)


def test_words_are_read_off_a_table_where_they_can_be() -> None:
    leaky, safe = subject(noisy(0.2)), subject(hiding)
    seen = able(prepare_word_lookup(leaky, leaky.encode, 1))(shared_side(leaky))
    none = able(prepare_word_lookup(safe, safe.encode, 1))(shared_side(safe))
    tossed = able(prepare_word_lookup(leaky, leaky.encode, 1))(blinded_side(leaky))
    assert seen["nearest-word-1"].value > 0.9 and seen["repeated-word-1"].value > 0.9
    for rates in (none, tossed):
        assert rates["nearest-word-1"].value < 0.15
        assert rates["nearest-word-5"].value < 0.35
        assert rates["repeated-word-1"].value < 0.25
    assert none["other-word-1"].value > 0.9  # words that identify nobody were not hidden


def test_a_sentence_that_somebody_has_is_found_again() -> None:
    some = subject(noisy(0.3), 60)
    rates = able(prepare_known_sentences(some, some.encode, 1))(shared_side(some))
    assert rates["known-sentence"].value > 0.95
    assert rates["known-shape"].value < 0.7  # few labels, one case: many sentences look alike


def test_several_sights_tell_more_than_one() -> None:
    faint = subject(noisy(2.0))
    rates = able(prepare_word_lookup(faint, faint.encode, 1))(shared_side(faint))
    assert rates["repeated-word-1"].value > rates["nearest-word-1"].value + 0.1


def test_an_inverse_learns_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    course = adversary_training.InversionSettings
    monkeypatch.setattr(
        "evaluation.attacks.shared_vectors.InversionSettings",
        lambda seed: course(epochs=1, steps=50, seed=seed),
    )
    some = subject(plain, 80)
    state = torch.get_rng_state()
    ready = able(prepare_trained_inverse(some, some.plain, 1))
    assert torch.equal(torch.get_rng_state(), state)
    assert ready(unprotected_side(some))["trained-word-1"].value > 0.9
    assert ready(blinded_side(some))["trained-word-1"].value < 0.15


def test_what_is_measured_has_both_controls_and_passes_or_not() -> None:
    asked = read_requirements(
        {
            name: {"axis": "privacy", "at_most": 0.75, "control_at_least": 0.9}
            for name in ("averaged-1", "sentence-linkage")
        },
        where="share",
    )
    told = []
    for encode, verdict in ((hiding, Verdict.RELEASE), (noisy(0.0), Verdict.HOLD)):
        found = measure_attacks(
            subject(encode, 150), [1, 2, 3], "d", attacks=[prepare_pair_attacks],
            advance=lambda done, planned: told.append((done, planned)),
        )  # fmt: skip
        assert told[-4:] == [(done, 4) for done in range(1, 5)]
        assert all(each.null is not None and each.control == 1 for each in found)
        assert decide(found, asked).verdict is verdict


def test_without_identifiers_nothing_is_measured_and_the_gate_holds() -> None:
    nobody = [replace(each, spans=()) for each in sentences(20, 1)]
    some = replace(subject(hiding, 20), sentences=nobody)
    assert (
        measure_attacks(some, [1, 2], "d", attacks=[prepare_pair_attacks, prepare_word_lookup])
        == []
    )
    with pytest.raises(ValueError, match="two seeds"):
        measure_attacks(some, [1, 1], "d")


def test_seeds_of_two_uses_have_nothing_in_common() -> None:
    assert not set(derive_seeds(1, 50, "shared")) & set(derive_seeds(1, 50, "references"))
    assert derive_seeds(1, 5, "shared") == derive_seeds(1, 50, "shared")[:5]


@settings(max_examples=20)
@given(st.integers(1, 6), st.integers(0, 1000))
def test_whitened_noise_is_alike_in_all_directions(size: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    noise = chance.normal(size=(400, size)) @ chance.normal(size=(size, size))
    white = noise @ whitening_matrix(noise)
    spread = white.T @ white / len(white)
    assert np.allclose(spread - np.diag(np.diag(spread)), 0, atol=1e-6)
    assert spread.max() <= 1 + 1e-9
    assert np.isfinite(whitening_matrix(np.zeros((3, size)))).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.data())
def test_the_place_of_the_right_one(scores: list[int], data: st.DataObject) -> None:
    right = data.draw(st.integers(0, len(scores) - 1))
    others = [score for at, score in enumerate(scores) if at != right]
    expected = sum(s > scores[right] for s in others) + sum(s == scores[right] for s in others) / 2
    found = rank_of_true(np.array([scores], np.float64), np.array([right]))
    assert found.tolist() == [expected]


def test_drawn_words_take_the_place_of_names() -> None:
    some = sentences(30, 1)
    hidden = replace_identifiers(some, NAMES + PLAIN, 1)
    for before, after in zip(some, hidden, strict=True):
        changed = [a != b for a, b in zip(before.tokens, after.tokens, strict=True)]
        assert all(phi for phi, other in zip(before.phi, changed, strict=True) if other)
        assert before.casing == after.casing
    assert case_kind(CASES.index("upper")) == case_kind(LOWER) != CASES.index("numeric")


NEAR = {
    word: [word, *(other for other in "abcdef" if abs(ord(other) - ord(word)) <= 1)]
    for word in "abcdef"
}


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5), st.integers(1, 500))
def test_bounds_hold_the_mean_and_are_no_narrower_than_chance(
    values: list[float], tries: int
) -> None:
    value, low, high = mean_over_seeds([Rate(each, tries) for each in values])
    assert 0 <= low <= value <= high <= 1
    assert high - low >= 0.9 / tries
