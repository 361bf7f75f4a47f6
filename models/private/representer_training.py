"""Adversarial training of a private representation, in three phases or by gradient reversal.

Three phases after Feutry et al. (arXiv 1802.09386), as Friedrich et al. (ACL 2019) use them: first
representer and de-identifier learn together; then adversaries learn, the representer frozen; then
both take turns, and the representer learns to leave adversaries guessing. With `reversal` all learn
at once and the adversaries' gradient is reversed (Ganin et al., JMLR 2016): the weaker way, kept
for comparison.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, count
from math import log
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from models.private.adversaries import Adversaries, adversaries_loss
from models.private.adversary_training import evaluate_adversaries, freeze, predict_pairs
from models.private.deidentifier import BINARY, Deidentifier, EncodedSentence, VectorBatch, examples
from models.private.deidentifier_training import mean_loss, minimize, token_scores
from models.private.pseudonymization import NeighbourReplacer
from models.private.recipe import RepresenterRecipe, SentenceCorpus
from models.private.representer import Representer
from models.private.sentence_pairs import SentencePairBatch, SentencePairSampler
from models.private.sentences import Sentence
from models.private.serialization import SETTINGS, RepresenterBundle, RepresenterNetworks, save
from models.private.weight_selection import BestWeights, batches
from models.training_loop import (
    TimeBudget,
    TrainingCallbacks,
    TrainingLoop,
    TrainingPosition,
    delete_checkpoint,
    make_generator,
    require_no_model,
    seed_torch,
)
from record.errors import ConfigError

CHANCE_LOSS = log(2)
"""The loss of adversaries that can only guess, in nats."""

_PHASES = {"phases": ("first", "second", "third"), "reversal": ("joint",)}
_SCORED = 64  # sentences at a time


def train(
    corpus: SentenceCorpus,
    recipe: RepresenterRecipe,
    out: Path,
    callbacks: TrainingCallbacks | None = None,
) -> dict[str, float]:
    """Train a private representation, write it to a folder and return its scores on `dev`.

    Resumes from the checkpoint in the folder, with the same weights as an uninterrupted training.
    Seeds torch's global generator. Raises ConfigError, also if the folder already contains a
    private representation.
    """
    require_no_model(out, SETTINGS, "a private representation")
    return _RepresenterTraining(corpus, recipe, out, callbacks or TrainingCallbacks()).run()


def representer_loss(deidentifier_loss: Tensor, adversary_loss: Tensor, weight: float) -> Tensor:
    """Return the representer's loss, lowest where adversaries perform at chance level."""
    return deidentifier_loss + weight * (adversary_loss - CHANCE_LOSS).abs()


class GradientReversal(torch.autograd.Function):
    """Identity whose gradient has the opposite sign (Ganin et al., 2016)."""

    @staticmethod
    def forward(ctx: Any, held: Tensor) -> Tensor:  # noqa: ARG004
        """Return it as it is."""
        return held.view_as(held)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # noqa: ARG004
        """Turn the gradient."""
        return -gradient


@dataclass
class _RepresenterPosition(TrainingPosition):
    """How far a training has come: `epoch` of `phase`, and the losses of every epoch so far."""

    phase: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    selection: dict[str, float | int | None] = field(default_factory=dict)


class _RepresenterTraining(TrainingLoop[_RepresenterPosition]):
    network: RepresenterNetworks

    def __init__(
        self,
        corpus: SentenceCorpus,
        recipe: RepresenterRecipe,
        out: Path,
        callbacks: TrainingCallbacks,
    ) -> None:
        self.corpus, self.recipe, self.out, self.callbacks = corpus, recipe, out, callbacks
        self.budget, self.patience = TimeBudget(None), recipe.patience
        embeddings = corpus.embeddings
        changes = NeighbourReplacer(embeddings, recipe.neighbours, corpus.stop_words)
        self.pairs = SentencePairSampler(corpus.train, embeddings, changes)
        self.dev_pairs = SentencePairSampler(corpus.dev, embeddings, changes)
        if not len(self.pairs) or not len(self.dev_pairs):
            problem = "no sentence contains an identifying word that can be replaced"
            raise ConfigError("the notes", problem, "give more annotated notes")
        self.train, self.dev = self._examples(corpus.train), self._examples(corpus.dev)
        torch.manual_seed(recipe.seed)
        sizes = (embeddings.size, recipe.size)
        self.network = RepresenterNetworks(
            Representer(*sizes, recipe.units),
            Deidentifier(recipe.size, recipe.labels, recipe.units),
            Adversaries(*sizes, recipe.adversary_units),
        )
        self.optimizer = torch.optim.NAdam(self.network.parameters(), recipe.rate)
        self.position, self.selection = _RepresenterPosition(), BestWeights()
        settings = json.dumps(asdict(recipe))
        self.fingerprint = hashlib.sha256(f"{settings}{corpus.digest()}".encode()).hexdigest()
        extras = self.resume()
        if extras is not None:
            self.selection = BestWeights.from_checkpoint(self.position.selection, extras)

    def _examples(self, sentences: Sequence[Sentence]) -> list[EncodedSentence]:
        one = self.recipe.labels == BINARY
        held = [sentence.binary() if one else sentence for sentence in sentences]
        return examples(held, (self.corpus.embeddings.vectors(each.tokens) for each in held))

    @property
    def phase(self) -> str:
        return _PHASES[self.recipe.way][self.position.phase]

    def run(self) -> dict[str, float]:
        position = self.position
        while position.phase < len(_PHASES[self.recipe.way]):
            epochs = self.recipe.epochs
            self.epochs = (
                sum(epochs)
                if self.phase == "joint"
                else epochs[_PHASES["phases"].index(self.phase)]
            )
            self.run_epochs()
            self.selection.restore(self.network)
            self.selection = BestWeights()
            position.phase, position.epoch = position.phase + 1, 0
            self.checkpoint()
        return self._finish()

    def stale_evaluations(self) -> int:
        return self.selection.stale

    def train_step(self, step: int, steps: int) -> None:  # noqa: ARG002
        """Train for an epoch of a phase, and evaluate."""
        phase, position = self.phase, self.position
        seed = f"{self.recipe.seed}/{phase}/{position.epoch}"
        seed_torch(seed)
        self.network.train()
        losses = {
            "first": self._train_first,
            "second": self._train_second,
            "third": self._train_third,
            "joint": self._train_jointly,
        }[phase](seed)
        epoch = position.epoch
        entry: dict[str, Any] = {"phase": phase, "epoch": epoch, **losses, **self._validate()}
        self.selection.consider(self._selection_loss(phase, entry), self.network)
        position.history.append(entry)

    def report_epoch(self) -> None:
        self.callbacks.evaluated(self.position.history[-1])

    def _selection_loss(self, phase: str, entry: Mapping[str, Any]) -> float:
        """Return the loss that selects weights and ends a phase."""
        if phase == "second":
            return float(entry["dev_adversaries"])
        task_loss = float(entry["dev_deidentifier"] + self.recipe.hiding * entry.get("dev_told", 0))
        gap = 0.0 if phase == "first" else abs(entry["dev_adversaries"] - CHANCE_LOSS)
        return task_loss + self.recipe.weight * gap

    def _train_first(self, seed: str) -> dict[str, float]:
        """Representer and de-identifier learn together."""
        lost = []
        with freeze(self.network.adversaries):
            for batch, held in self._batches_with_pairs(seed):
                lost.append(self._step(self._representer_loss(batch, held)))
        return {"deidentifier": _mean(lost)}

    def _train_second(self, seed: str) -> dict[str, float]:
        """Adversaries learn, all else frozen."""
        with freeze(self.network.representer, self.network.deidentifier):
            lost = [self._step(self._adversary_loss(batch)) for batch in self._pair_batches(seed)]
        return {"adversaries": _mean(lost)}

    def _train_third(self, seed: str) -> dict[str, float]:
        """Train the representer against both networks, then both networks on its new output.

        Turns are those of the paper, each beginning with the others: the first has only them.
        What is kept was judged by adversaries that had just learnt.
        """
        if self.position.epoch:
            lost = []
            with freeze(self.network.deidentifier, self.network.adversaries):
                for batch, held in self._batches_with_pairs(f"{seed}/turn"):
                    losses = self._representer_loss(batch, held), self._adversary_loss(held)
                    lost.append(self._step(representer_loss(*losses, self.recipe.weight)))
            found = {"representer": _mean(lost)}
        else:
            found = {}
        with freeze(self.network.representer, self.network.adversaries):
            lost = [self._step(self._deidentifier_loss(batch)) for batch in self._batches(seed)]
        return {**found, "deidentifier": _mean(lost), **self._train_second(f"{seed}/second")}

    def _train_jointly(self, seed: str) -> dict[str, float]:
        """All learn at once, the representer from the adversaries' gradient reversed."""
        found: dict[str, list[float]] = {"deidentifier": [], "adversaries": []}
        for batch, held in self._batches_with_pairs(seed):
            deidentifier_loss = self._deidentifier_loss(batch)
            predictions = predict_pairs(
                self._represent_reversed, self.network.adversaries, held, self.recipe.noise
            )
            adversary_loss = adversaries_loss(*predictions)
            self._step(deidentifier_loss + self._distinguishability_loss(held) + adversary_loss)
            found["deidentifier"].append(float(deidentifier_loss.detach()))
            found["adversaries"].append(float(adversary_loss.detach()))
        return {name: _mean(lost) for name, lost in found.items()}

    def _represent_reversed(self, vectors: Tensor, lengths: Tensor, *, noise: float) -> Tensor:
        made = self.network.representer(vectors, lengths, noise=noise)
        given: Tensor = GradientReversal.apply(made)  # type: ignore[no-untyped-call]
        return given

    def _step(self, loss: Tensor) -> float:
        return minimize(self.network, self.optimizer, loss)

    def _deidentifier_loss(self, batch: VectorBatch) -> Tensor:
        """Return the loss of the de-identifier on representations drawn now."""
        return self.network.deidentifier.loss(self._encode(batch))

    def _representer_loss(self, batch: VectorBatch, held: SentencePairBatch) -> Tensor:
        """Return the de-identifier's loss plus the distinguishability penalty."""
        return self._deidentifier_loss(batch) + self._distinguishability_loss(held)

    def _distinguishability_loss(self, held: SentencePairBatch) -> Tensor | float:
        return self.recipe.hiding * self._divergence(held).mean() if self.recipe.hiding else 0.0

    def _divergence(self, held: SentencePairBatch) -> Tensor:
        """Return how much an encoding reveals about which copy it encodes, in nats. (sentences,)

        It is the divergence of two normal distributions, half their squared distance.
        """
        squared_distance = self.network.representer.squared_distance(
            held.own, held.other, held.lengths, noise=self.recipe.noise
        )
        return squared_distance / 2

    def _encode(self, batch: VectorBatch) -> VectorBatch:
        made = self.network.representer(batch.vectors, batch.lengths, noise=self.recipe.noise)
        return batch.with_vectors(made)

    def _adversary_loss(self, held: SentencePairBatch) -> Tensor:
        parts = self.network
        predictions = predict_pairs(parts.representer, parts.adversaries, held, self.recipe.noise)
        return adversaries_loss(*predictions)

    def _batches(self, seed: str) -> Iterator[VectorBatch]:
        order = batches([len(one) for one in self.train], self.recipe.batch, make_generator(seed))
        for places in order:
            yield self.network.deidentifier.collate([self.train[place] for place in places])

    def _pair_batches(self, seed: str) -> Iterator[SentencePairBatch]:
        return self.pairs.draw(seed, self.recipe.batch)

    def _batches_with_pairs(self, seed: str) -> Iterator[tuple[VectorBatch, SentencePairBatch]]:
        """Iterate over all sentences once, with a batch of pairs for each batch."""
        rounds = chain.from_iterable(self._pair_batches(f"{seed}/{turn}") for turn in count())
        return zip(self._batches(seed), rounds, strict=False)

    def _validate(self) -> dict[str, float]:
        """Return losses and adversary accuracy on the development notes."""
        self.network.eval()
        seed_torch(self.recipe.seed, "validation")
        deidentifier, recipe = self.network.deidentifier, self.recipe
        order = batches([len(one) for one in self.dev], _SCORED, None)
        with torch.no_grad():
            held = [
                self._encode(deidentifier.collate([self.dev[place] for place in places]))
                for places in order
            ]
        parts = self.network
        lost, right = evaluate_adversaries(
            parts.representer, parts.adversaries, self.dev_pairs, "dev", recipe.noise
        )
        found = {
            "dev_deidentifier": mean_loss(deidentifier, held),
            "dev_adversaries": lost,
            "dev_accuracy": right,
        }
        if recipe.hiding:
            with torch.no_grad():
                divergence = torch.cat(
                    [self._divergence(some) for some in self.dev_pairs.draw("told")]
                )
            found["dev_told"] = float(divergence.mean())
        return found

    def before_checkpoint(self) -> None:
        self.position.selection = self.selection.to_json()

    def extra_tensors(self) -> dict[str, Tensor]:
        return self.selection.state

    def _finish(self) -> dict[str, float]:
        parts, recipe = self.network, self.recipe
        parts.eval()
        found = self._validate()
        vectors = parts.representer.encode(
            [one.vectors for one in self.dev], make_generator(recipe.seed, "dev"), recipe.noise
        )
        held = [
            EncodedSentence(rows, one.casing, one.spans)
            for one, rows in zip(self.dev, vectors, strict=True)
        ]
        scores = {**found, **asdict(token_scores(parts.deidentifier, held))}
        about = {
            "recipe": asdict(recipe),
            "corpus": self.corpus.digest(),
            "history": self.position.history,
            "dev": scores,
        }
        kit = RepresenterBundle(
            self.corpus.embeddings, parts.representer, parts.deidentifier, parts.adversaries, about
        )
        save(kit, self.out)
        delete_checkpoint(self.out)
        return scores


def _mean(lost: Sequence[float]) -> float:
    return sum(lost) / len(lost)
