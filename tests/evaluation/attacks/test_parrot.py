"""What attackers find in a release: what was left in it, and nothing but guesses elsewhere."""

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks.night.attacks import (
    OWN,
    STRANGE,
    Planted,
    attack_releases,
    plant,
    plant_at_random,
    plant_nothing,
)
from evaluation.attacks.parrot import (
    Logistic,
    ParrotAttack,
    ParrotReader,
    score_suspicion,
    suspect_identifiers,
)
from record.document import Annotated, Document
from record.policy import Policy
from record.span import Span
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.people.records import Hospital

MISSED = 0.02
SURPRISING = 1e-4


def _hospital(seed: int) -> Hospital:
    return make_hospital(20, seed=seed, notes_per_patient=2, mean_characters=500)


@pytest.fixture(scope="module")
def attacked() -> dict[str, dict[str, ParrotAttack]]:
    return dict(attack_releases(_hospital(3), _hospital(1003), MISSED))


@pytest.mark.parametrize("attacker", ["parrot", "shadow"])
def test_nothing_is_found_where_nothing_was_missed(
    attacked: dict[str, dict[str, ParrotAttack]], attacker: str
) -> None:
    """What is suspected reads like the patient's originals as seldom as like another's."""
    own, strange = attacked[OWN][attacker], attacked[STRANGE][attacker]
    assert own.budget == strange.budget == round(MISSED * own.identifiers)
    both = own.hits + strange.hits
    assert not both or binomtest(own.hits, both, 0.5, alternative="greater").pvalue > SURPRISING


def test_misses_at_random_hide_from_the_parrot(
    attacked: dict[str, dict[str, ParrotAttack]],
) -> None:
    """They stand where surrogates do: that is what hiding in plain sight is for."""
    found = attacked["missed at random"]["parrot"]
    assert found.leaks == found.budget == round(MISSED * found.identifiers)
    assert found.p_value > SURPRISING


def test_misses_that_a_detector_would_make_are_found(
    attacked: dict[str, dict[str, ParrotAttack]],
) -> None:
    found = attacked["missed where unexpected"]["parrot"]
    assert found.auc > 0.8
    assert found.p_value < SURPRISING
    assert found.low > found.chance


@pytest.mark.parametrize("attacker", ["parrot", "shadow"])
def test_the_attack_finds_everything_where_nothing_hides_it(
    attacked: dict[str, dict[str, ParrotAttack]], attacker: str
) -> None:
    """The positive control: beside labels in brackets an original stands out."""
    found = attacked["missed at random, others masked"][attacker]
    assert found.recall > 0.9
    assert found.auc > 0.97


def test_what_was_left_is_where_it_is_said_to_be() -> None:
    hospital = _hospital(5)
    plain = Policy(locale="fr")
    whole, holed = (
        plant(hospital, 0.1, choose, plain) for choose in (plant_nothing, plant_at_random)
    )
    assert not whole.is_leak.any()
    assert 0 < holed.is_leak.sum() < len(holed.is_leak)
    gold = [
        note.annotated.document.text[span.start : span.end]
        for note in hospital.notes()
        for span in note.annotated.spans
        if span.label != "AGE"
    ]
    left = [text for text, is_leak in zip(_texts(holed), holed.is_leak, strict=True) if is_leak]
    assert left == [t for t, is_leak in zip(gold, holed.is_leak, strict=True) if is_leak]
    kept = [t for t, is_leak in zip(_texts(holed), holed.is_leak, strict=True) if not is_leak]
    made = [t for t, is_leak in zip(_texts(whole), holed.is_leak, strict=True) if not is_leak]
    assert np.mean([one == other for one, other in zip(kept, made, strict=True)]) > 0.9
    assert all(holed.recurs[holed.is_leak])


def _texts(planted: Planted) -> list[str]:
    return [
        note.document.text[span.start : span.end] for note in planted.notes for span in note.spans
    ]


def _marked(*lines: tuple[str, str]) -> list[Annotated]:
    found = []
    for number, (before, value) in enumerate(lines):
        span = Span(len(before), len(before) + len(value), "NAME")
        found.append(Annotated(Document(f"{number}", before + value, f"{number}"), (span,)))
    return found


def test_a_reader_expects_what_it_has_read_of() -> None:
    known = _marked(*[("vu par le docteur ", f"Nom{n}") for n in range(20)])
    other = _marked(("vu par le docteur ", "Autre"), ("voisine de palier ", "petit"))
    expected, strange = suspect_identifiers(known, other)
    assert expected < 0.3 < strange
    reader = ParrotReader()
    reader.learn(known)
    within_a_word = Annotated(Document("n", "docteur", "1"), (Span(3, 5, "NAME"),))
    assert reader.expect(within_a_word) == [1.0]


def test_a_regression_separates_what_can_be_separated() -> None:
    chance = np.random.default_rng(1)
    marks = chance.random(400) < 0.05
    rows = np.column_stack([np.ones(400), marks * 2 + chance.normal(0, 0.1, 400)])
    model = Logistic()
    model.fit(rows, marks)
    sure = model.predict(rows)
    assert sure[marks].min() > 0.5 > sure[~marks].max()
    with pytest.raises(ValueError, match="both classes"):
        Logistic().fit(rows, np.zeros(400, np.bool_))


def test_suspicion_is_judged_by_exact_tests() -> None:
    """Of 100, 10 are leaks; the 10 most suspected hold 4 of them."""
    is_leak = np.zeros(100, np.bool_)
    is_leak[[0, 1, 2, 3, 50, 51, 52, 53, 54, 55]] = True
    found = score_suspicion(-np.arange(100.0), is_leak)
    assert (found.hits, found.budget, found.leaks) == (4, 10, 10)
    assert (found.recall, found.precision, found.chance) == (0.4, 0.4, 0.1)
    # R: binom.test(4, 10)$conf.int, and binom.test(4, 10, 0.1, alternative = "greater").
    assert (found.low, found.high) == pytest.approx((0.1216, 0.7376), abs=1e-4)
    assert found.p_value == pytest.approx(0.0128, abs=1e-4)
    pairs = sum(int(leak < other) for leak in np.flatnonzero(is_leak) for other in range(100)
                if not is_leak[other])  # fmt: skip
    assert found.auc == pytest.approx(pairs / (10 * 90))


def test_equal_suspicion_is_a_guess() -> None:
    is_leak = np.arange(1000) < 100
    found = score_suspicion(np.zeros(1000), is_leak)
    assert found.auc == 0.5
    assert found.p_value > SURPRISING
    empty = score_suspicion(np.zeros(5), np.zeros(5, np.bool_), budget=2)
    assert (empty.recall, empty.chance, empty.p_value) == (0.0, 0.0, 1.0)
    assert score_suspicion(np.zeros(0), np.zeros(0, np.bool_)).precision == 0.0
