"""Attacks on a language model itself: whose notes it learnt, and what it keeps of them.

Each attack is also made on a model that cannot have learnt what is looked for, and on one that is
known to leak: one that learnt a few notes thirty times over, without differential privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.stats import spearmanr

from evaluation.attacks.copying import CANDIDATES
from evaluation.attacks.memorization import Influence, attack, counterfactual, excess, influence
from evaluation.attacks.reference_models import (
    CONTROL_NOTES,
    Floats,
    Ground,
    Partners,
    Split,
    drawn,
    means,
    told,
)
from evaluation.detection.intervals import percentile_interval
from evaluation.gate import Axis, Measured
from models.language.corpus.batching import Text
from models.language.training.serialization import TrainedGenerator

LEAST_HALVES = 4
"""With fewer models no note has one that neither learnt it nor is attacked itself."""


@dataclass(frozen=True)
class AttackPlan:
    """How much is measured: notes left out one by one, and models of random halves."""

    without: int = 4
    halves: int = 4
    seed: int = 1

    def __post_init__(self) -> None:
        if self.without < 2 or self.halves < LEAST_HALVES or self.halves % 2:
            raise ValueError("two notes, and an even number of halves from 4 on, are needed")


@dataclass(frozen=True)
class Attacked:
    """What was measured, and for each note left out its place in train with its scores."""

    measured: list[Measured]
    notes: list[dict[str, float | int]] = field(default_factory=list)


class Attacker:
    """Makes all attacks on a model that says it has planted canaries, or that has none."""

    def __init__(
        self, target: TrainedGenerator, ground: Ground, partners: Partners, plan: AttackPlan
    ) -> None:
        self._target, self._ground, self._partners, self._plan = target, ground, partners, plan
        self._chosen = drawn(len(ground.train), plan.without, plan.seed)
        self._copied = drawn(len(ground.train), CONTROL_NOTES, plan.seed + 1)
        self._split = Split.draw(ground, plan.halves, plan.seed)

    def attack(self, data: str) -> Attacked:
        """Measure everything; `data` names the model that is judged."""
        scores, notes = self._without(data)
        return Attacked([self._canaries(data), self._membership(data), scores, self._kept(data)],
                        notes)  # fmt: skip

    # Trainings with and without single notes

    def _without(self, data: str) -> tuple[Measured, list[dict[str, float | int]]]:
        """Measure S-PDTP beside what another seed alone changes, and its share of notes."""
        ground, whole = self._ground, self._partners.whole()
        again = self._partners.whole(reseeded=True)
        texts = [ground.train[place] for place in self._chosen]
        others = ground.test[: len(texts)]
        seen = told(whole, texts)
        found = [
            influence(one, told(self._partners.without(place), [text])[0])
            for one, place, text in zip(seen, self._chosen, texts, strict=True)
        ]
        floors = _pairwise(seen, told(again, texts))
        outside = _pairwise(told(whole, others), told(again, others))
        score = excess([each.largest for each in found], [each.largest for each in floors])
        measured = Measured(
            "s-pdtp", Axis.PRIVACY, score.score,
            min(score.score, score.floor + score.low), max(score.score, score.floor + score.high),
            data, null=score.floor, control=self._control_influence(whole),
            detail={
                "notes": len(texts),
                "floor of notes in neither": float(np.mean([each.largest for each in outside])),
                "signed at the largest": float(np.mean([each.signed for each in found])),
                "mean change": float(np.mean([each.mean for each in found])),
                "mean change, floor": float(np.mean([abs(each.mean) for each in floors])),
                "rank correlation with halves": self._agreement(found),
            },
        )  # fmt: skip
        notes: list[dict[str, float | int]] = [
            {
                "place": place, "s_pdtp": each.largest, "floor": floor.largest,
                "signed": each.signed, "mean": each.mean, "halves": float(self._scores[place]),
            }
            for place, each, floor in zip(self._chosen, found, floors, strict=True)
        ]  # fmt: skip
        return measured, notes

    def _control_influence(self, whole: TrainedGenerator) -> float:
        """Return the S-PDTP of the canaries that the leaky model learnt."""
        ground = self._ground
        texts = [each.scored_text(ground.vocabulary) for each in ground.canaries.planted]
        found = _pairwise(told(self._leaky, texts), told(whole, texts))
        return float(np.mean([each.largest for each in found]))

    def _agreement(self, found: Sequence[Influence]) -> float:
        """Compare the order of notes by being left out with that by halves; 0 without one."""
        if len(found) < 3:
            return 0.0
        value = float(
            spearmanr([each.mean for each in found], self._scores[self._chosen]).statistic
        )
        return 0.0 if np.isnan(value) else value

    @cached_property
    def _leaky(self) -> TrainedGenerator:
        return self._partners.leaky(self._copied)

    # Models of random halves

    @cached_property
    def _by_halves(self) -> Floats:
        """Mean log probabilities of all notes, train then test, under each half: [models, notes]

        Those of test, which no model learnt, have the mean 0 under each: one training is luckier
        than another, and that is not what a model keeps.
        """
        texts = [*self._ground.train, *self._ground.test]
        models = self._partners.halves(self._split.members)
        found = np.stack([means(model, texts) for model in models])
        centred: Floats = found - found[:, self._split.train :].mean(1, keepdims=True)
        return centred

    @cached_property
    def _scores(self) -> Floats:
        return counterfactual(self._by_halves, self._split.members)

    def _kept(self, data: str) -> Measured:
        """Measure how much likelier notes are to models that learnt them (Zhang et al., 2021)."""
        count = self._split.train
        scores = list(map(float, self._scores[:count]))
        low, high = percentile_interval(scores)
        known = means(self._leaky, self._texts(self._copied))
        known -= means(self._leaky, self._ground.test).mean()
        leaky = known - self._unseen()[self._copied]
        return Measured(
            "counterfactual-memorization", Axis.PRIVACY, float(np.mean(scores)), low, high, data,
            seeds=self._plan.halves, null=float(self._scores[count:].mean()),
            control=float(leaky.mean()),
            detail={"notes": count, "largest": max(scores), "place of it": int(np.argmax(scores))},
        )  # fmt: skip

    def _unseen(self, but: int | None = None) -> Floats:
        """Return what notes are to models that did not learn them, one model left out: [notes]"""
        apart = ~self._split.members
        if but is not None:
            apart = np.delete(apart, but, axis=0)
            held = np.delete(self._by_halves, but, axis=0)
        else:
            held = self._by_halves
        found: Floats = np.where(apart, held, 0).sum(0) / apart.sum(0)
        return found

    # Who was learnt from

    def _membership(self, data: str) -> Measured:
        """Attack by how much likelier a note is to the model than to models without it."""
        count, plan = self._split.train, self._plan
        learnt = drawn(count, CANDIDATES, plan.seed + 2)
        others = [count + at for at in drawn(len(self._ground.test), CANDIDATES, plan.seed + 3)]
        unseen = self._unseen()

        def scored(model: TrainedGenerator, places: Sequence[int]) -> Floats:
            return means(model, self._texts(places)) - unseen[list(places)]

        found = attack(list(scored(self._target, learnt)), list(scored(self._target, others)))
        leak = attack(list(scored(self._leaky, self._copied)), list(scored(self._leaky, others)))
        # The first half as if it were the model: what it did not learn are no members.
        first = self._by_halves[0] - self._unseen(but=0)
        strangers = [place for place in learnt if not self._split.members[0, place]]
        null = attack(list(first[strangers]), list(first[others]))
        return Measured(
            "model-membership-auc", Axis.PRIVACY, found.auc, found.low, found.high, data,
            null=null.auc, control=leak.auc,
            detail={"members": len(learnt), "others": len(others)},
        )  # fmt: skip

    def _texts(self, places: Sequence[int]) -> list[Text]:
        count = self._split.train
        train, test = self._ground.train, self._ground.test
        return [train[place] if place < count else test[place - count] for place in places]

    # Canaries

    def _canaries(self, data: str) -> Measured:
        """Attack by how likely canaries are: those planted, and as many that were not."""
        canaries, vocabulary = self._ground.canaries, self._ground.vocabulary
        planted = [each.scored_text(vocabulary) for each in canaries.planted]
        others = [each.scored_text(vocabulary) for each in canaries.others]
        is_own = "canaries" in self._target.about
        model = self._target if is_own else self._partners.planted()
        one, other = means(model, planted), means(model, others)
        found = attack(list(one), list(other))
        null, leak = (
            attack(list(means(each, planted)), list(means(each, others)))
            for each in (self._partners.whole(), self._leaky)
        )
        exposures = np.log2(len(other) + 1) - np.log2(1 + (other[None] > one[:, None]).sum(1))
        return Measured(
            "canary-auc", Axis.PRIVACY, found.auc, found.low, found.high, data,
            null=null.auc, control=leak.auc,
            detail={
                "planted": len(planted), "repeats": canaries.repeats,
                "in": "the model itself" if is_own else "a model of the same recipe",
                "median exposure in bits": float(np.median(exposures)),
                "largest exposure possible": float(np.log2(len(other) + 1)),
            },
        )  # fmt: skip


def _pairwise(one: Sequence[Floats], other: Sequence[Floats]) -> list[Influence]:
    return [influence(seen, unseen) for seen, unseen in zip(one, other, strict=True)]
