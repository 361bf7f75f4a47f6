"""Attacks on a language model: canaries, membership, memorization of single notes.

Each attack is also run on a model that cannot have learnt its target, and on one known to leak,
which was trained on a few notes thirty times over without differential privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.stats import spearmanr

from evaluation.attacks.copying import CANDIDATES
from evaluation.attacks.memorization import (
    Influence,
    compare_with_floor,
    counterfactual_scores,
    measure_influence,
    separate_members,
)
from evaluation.attacks.reference_models import (
    CONTROL_NOTES,
    AttackData,
    Floats,
    HalfSplit,
    ReferenceModels,
    draw_places,
    mean_log_probabilities,
    owners_of,
    score_tokens,
)
from evaluation.detection.intervals import mean_interval
from evaluation.gate import DETECTABLE, Axis, Measured
from models.language.corpus.batching import Text
from models.language.training.serialization import TrainedGenerator

LEAST_HALVES = 4
"""The least number of half models such that each note has one, not under attack, without it."""


@dataclass(frozen=True)
class AttackPlan:
    """The extent of the attacks: notes left out one by one, and models of random halves."""

    without: int = 4
    halves: int = 4
    seed: int = 1

    def __post_init__(self) -> None:
        if self.without < 2 or self.halves < LEAST_HALVES or self.halves % 2:
            raise ValueError(
                f"there must be at least two notes left out, and an even number of halves of at "
                f"least {LEAST_HALVES}"
            )


@dataclass(frozen=True)
class GeneratorAttackResult:
    """The measurements, and for each note left out its position in training with its scores."""

    measured: list[Measured]
    notes: list[dict[str, float | int]] = field(default_factory=list)


class GeneratorAttacks:
    """Runs all attacks on a model, trained with or without canaries."""

    def __init__(
        self,
        target: TrainedGenerator,
        ground: AttackData,
        partners: ReferenceModels,
        plan: AttackPlan,
    ) -> None:
        self._target, self._data, self._models, self._plan = target, ground, partners, plan
        self._chosen = draw_places(len(ground.train), plan.without, plan.seed)
        self._copied_places = draw_places(len(ground.train), CONTROL_NOTES, plan.seed + 1)
        self._split = HalfSplit.draw(ground, plan.halves, plan.seed)

    def attack(self, data: str) -> GeneratorAttackResult:
        """Run all attacks; `data` identifies the attacked model."""
        scores, notes = self._measure_influence(data)
        measured = [
            self._attack_canaries(data),
            self._attack_membership(data),
            scores,
            self._measure_memorization(data),
        ]
        return GeneratorAttackResult(measured, notes)

    # Trainings with and without single notes

    def _measure_influence(self, data: str) -> tuple[Measured, list[dict[str, float | int]]]:
        """Measure S-PDTP, with the change from reseeding alone as its floor."""
        ground, whole = self._data, self._models.whole()
        again = self._models.whole(reseeded=True)
        texts = [ground.train[place] for place in self._chosen]
        others = ground.test[: len(texts)]
        seen = score_tokens(whole, texts)
        found = [
            measure_influence(one, score_tokens(self._models.without(place), [text])[0])
            for one, place, text in zip(seen, self._chosen, texts, strict=True)
        ]
        floors = _compare_pairwise(seen, score_tokens(again, texts))
        outside = _compare_pairwise(score_tokens(whole, others), score_tokens(again, others))
        score = compare_with_floor(
            [each.largest for each in found],
            [each.largest for each in floors],
            patients=owners_of(texts),
        )
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
                "rank correlation with halves": self._rank_correlation(found),
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
        """Return the S-PDTP of the canaries under the leaky model."""
        ground = self._data
        texts = [each.scored_text(ground.vocabulary) for each in ground.canaries.planted]
        found = _compare_pairwise(
            score_tokens(self._leaky_model, texts), score_tokens(whole, texts)
        )
        return float(np.mean([each.largest for each in found]))

    def _rank_correlation(self, found: Sequence[Influence]) -> float:
        """Return the rank correlation of leave-one-out with half-split scores; 0 if undefined."""
        if len(found) < 3:
            return 0.0
        value = float(
            spearmanr([each.mean for each in found], self._scores[self._chosen]).statistic
        )
        return 0.0 if np.isnan(value) else value

    @cached_property
    def _leaky_model(self) -> TrainedGenerator:
        return self._models.leaky(self._copied_places)

    # Models of random halves

    @cached_property
    def _log_probabilities_by_half(self) -> Floats:
        """Mean log probabilities of all notes, train then test, under each half: [models, notes]

        They are centred such that test notes, which no model learnt, have mean 0 under each model,
        since one training may be luckier than another.
        """
        texts = [*self._data.train, *self._data.test]
        models = self._models.halves(self._split.members)
        found = np.stack([mean_log_probabilities(model, texts) for model in models])
        centred: Floats = found - found[:, self._split.train :].mean(1, keepdims=True)
        return centred

    @cached_property
    def _scores(self) -> Floats:
        return counterfactual_scores(self._log_probabilities_by_half, self._split.members)

    def _measure_memorization(self, data: str) -> Measured:
        """Measure how much likelier notes are to models that learnt them (Zhang et al., 2021)."""
        count = self._split.train
        scores = list(map(float, self._scores[:count]))
        low, high = mean_interval(scores, owners_of(self._data.train))
        known = mean_log_probabilities(self._leaky_model, self._texts(self._copied_places))
        known -= mean_log_probabilities(self._leaky_model, self._data.test).mean()
        leaky = known - self._mean_without()[self._copied_places]
        return Measured(
            "counterfactual-memorization", Axis.PRIVACY, float(np.mean(scores)), low, high, data,
            seeds=self._plan.halves, null=float(self._scores[count:].mean()),
            control=float(leaky.mean()),
            detail={"notes": count, "largest": max(scores), "place of it": int(np.argmax(scores))},
        )  # fmt: skip

    def _mean_without(self, but: int | None = None) -> Floats:
        """Return mean log probabilities under models that did not learn a note: [notes]

        `but` is the number of a model to leave out.
        """
        apart = ~self._split.members
        if but is not None:
            apart = np.delete(apart, but, axis=0)
            held = np.delete(self._log_probabilities_by_half, but, axis=0)
        else:
            held = self._log_probabilities_by_half
        found: Floats = np.where(apart, held, 0).sum(0) / apart.sum(0)
        return found

    # Who was learnt from

    def _attack_membership(self, data: str) -> Measured:
        """Attack membership by how much likelier a note is than to models without it."""
        count, plan = self._split.train, self._plan
        learnt = draw_places(count, CANDIDATES, plan.seed + 2)
        others = [count + at for at in draw_places(len(self._data.test), CANDIDATES, plan.seed + 3)]
        unseen = self._mean_without()

        def scored(model: TrainedGenerator, places: Sequence[int]) -> Floats:
            return mean_log_probabilities(model, self._texts(places)) - unseen[list(places)]

        found = separate_members(
            list(scored(self._target, learnt)),
            list(scored(self._target, others)),
            patients=(owners_of(self._texts(learnt)), owners_of(self._texts(others))),
        )
        leak = separate_members(
            list(scored(self._leaky_model, self._copied_places)),
            list(scored(self._leaky_model, others)),
        )
        # The first half model stands in for the target: notes it did not learn are not members.
        first = self._log_probabilities_by_half[0] - self._mean_without(but=0)
        strangers = [place for place in learnt if not self._split.members[0, place]]
        null = separate_members(list(first[strangers]), list(first[others]))
        return Measured(
            "model-membership-auc", Axis.PRIVACY, found.auc, found.low, found.high, data,
            null=null.auc, control=leak.auc,
            detail={
                "members": len(learnt), "others": len(others), DETECTABLE: found.detectable,
                "patients": len(set(owners_of(self._texts(learnt)))),
                "other patients": len(set(owners_of(self._texts(others)))),
            },
        )  # fmt: skip

    def _texts(self, places: Sequence[int]) -> list[Text]:
        count = self._split.train
        train, test = self._data.train, self._data.test
        return [train[place] if place < count else test[place - count] for place in places]

    # Canaries

    def _attack_canaries(self, data: str) -> Measured:
        """Attack by the likelihood of canaries: planted ones against as many that were not.

        The known leak of a private model is the same without privacy: the same notes and canaries,
        as often each. What would not be seen there is not gone here.
        """
        canaries, vocabulary = self._data.canaries, self._data.vocabulary
        planted = [each.scored_text(vocabulary) for each in canaries.planted]
        others = [each.scored_text(vocabulary) for each in canaries.others]
        is_own = "canaries" in self._target.about
        model = self._target if is_own else self._models.planted()
        one, other = mean_log_probabilities(model, planted), mean_log_probabilities(model, others)
        found = separate_members(list(one), list(other))
        null, leak = (
            separate_members(
                list(mean_log_probabilities(each, planted)),
                list(mean_log_probabilities(each, others)),
            )
            for each in (
                self._models.whole(),
                self._models.unprotected()
                if self._data.recipe.epsilon is not None
                else self._leaky_model,
            )
        )
        exposures = np.log2(len(other) + 1) - np.log2(1 + (other[None] > one[:, None]).sum(1))
        return Measured(
            "canary-auc", Axis.PRIVACY, found.auc, found.low, found.high, data,
            null=null.auc, control=leak.auc,
            detail={
                "planted": len(planted), "repeats": canaries.repeats,
                DETECTABLE: found.detectable,
                "in": "the model itself" if is_own else "a model of the same recipe",
                "median exposure in bits": float(np.median(exposures)),
                "largest exposure possible": float(np.log2(len(other) + 1)),
            },
        )  # fmt: skip


def _compare_pairwise(one: Sequence[Floats], other: Sequence[Floats]) -> list[Influence]:
    return [measure_influence(seen, unseen) for seen, unseen in zip(one, other, strict=True)]
