"""What one step of training does: with an LSTM on streams, with a transformer on documents."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.checkpoint import trainable_parameters
from models.hardware import has_bfloat16
from models.language.corpus.batching import (
    IGNORED,
    Lesson,
    Text,
    batches,
    lesson,
    lessons_of,
    stream,
    stretches,
)
from models.language.networks.gpt import GPT
from models.language.networks.language_model import LanguageModel
from models.language.networks.lstm import LSTM
from models.language.training.learning_rate import Plateau, one_cycle, peaks, stage_at
from models.language.training.recipe import LanguageRecipe
from models.training_loop import make_generator, take_step

_GROUPS = 4
_DECAY = 0.01


class TrainingSteps(ABC):
    """Everything that differs between trainings; chance comes from seed, epoch and step alone."""

    network: LanguageModel
    optimizer: torch.optim.Optimizer
    keeps_last = False
    """Whether the last weights are kept, instead of those that foresee held-out notes best."""

    @abstractmethod
    def begin(self, epoch: int) -> int:
        """Lay out an epoch; returns its number of steps."""

    @abstractmethod
    def learn(self, step: int, progress: float) -> int:
        """Take one step of the epoch at a progress through the whole; returns the ids learnt."""

    @abstractmethod
    def judged(self, perplexity: float) -> None:
        """Hear the perplexity on held-out notes."""

    @abstractmethod
    def place(self) -> dict[str, Any]:
        """Return what a checkpoint keeps beside weights and the optimizer's memory."""

    @abstractmethod
    def extras(self) -> dict[str, Tensor]:
        """Return tensors that a checkpoint keeps."""

    @abstractmethod
    def prepare(self, place: Mapping[str, Any]) -> None:
        """Come to the state that `place` tells of, before weights and memory are restored."""

    @abstractmethod
    def restore(self, extras: Mapping[str, Tensor]) -> None:
        """Take back the tensors of a checkpoint."""


class StreamCourse(TrainingSteps):
    """Plain gradient descent on streams; the state is carried from stretch to stretch."""

    def __init__(
        self, network: LSTM, texts: Sequence[Text], recipe: LanguageRecipe, end: int
    ) -> None:
        self.network, self._lstm, self._recipe = network, network, recipe
        self._device = network.embed.weight.device
        streams = stream(texts, end, recipe.streams).to(self._device)
        self._stretches = list(stretches(streams, recipe.sequence))
        self.optimizer = torch.optim.SGD(network.parameters(), lr=recipe.rate)
        self._plateau = Plateau(recipe.rate, recipe.divisor, recipe.floor, recipe.gain)
        self._state = network.start(recipe.streams, 0).state
        self._in_bfloat16 = has_bfloat16(self._device)

    def begin(self, epoch: int) -> int:  # noqa: ARG002
        """Go to the beginning of the streams."""
        return len(self._stretches)

    def learn(self, step: int, progress: float) -> int:  # noqa: ARG002
        """Learn from one stretch."""
        if step == 0:
            self._state = self._lstm.start(self._recipe.streams, 0).state
        given = self._stretches[step]
        self.network.train()
        self.optimizer.param_groups[0]["lr"] = self._plateau.rate
        self.optimizer.zero_grad()
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
            scores, state = self._lstm.read(given.read, self._state)
        loss = functional.cross_entropy(scores.float().flatten(0, 1), given.wanted.flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        take_step(self.network, self.optimizer, self._recipe.clip)
        self._state = (state[0].detach().float(), state[1].detach().float())
        return given.wanted.numel()

    def judged(self, perplexity: float) -> None:
        """Divide the rate where the perplexity stopped falling."""
        self._plateau.read(perplexity)

    def place(self) -> dict[str, Any]:
        """Return the rate and the best perplexity."""
        return {"rate": self._plateau.rate, "best": self._plateau.best}

    def extras(self) -> dict[str, Tensor]:
        """Return the state."""
        return {"hidden": self._state[0], "cell": self._state[1]}

    def prepare(self, place: Mapping[str, Any]) -> None:
        """Take back the rate."""
        self._plateau.rate, self._plateau.best = place["rate"], place["best"]

    def restore(self, extras: Mapping[str, Tensor]) -> None:
        """Take back the state."""
        self._state = (extras["hidden"].to(self._device), extras["cell"].to(self._device))


class DocumentCourse(TrainingSteps):
    """AdamW on whole documents, stage by stage, each with the layers that learn in it."""

    def __init__(
        self, network: GPT, texts: Sequence[Text], recipe: LanguageRecipe, end: int
    ) -> None:
        self.network, self._gpt, self._recipe, self._end = network, network, recipe, end
        self._device = network.embed.weight.device
        self._texts = lessons_of(texts, network.longest)
        self._batches: list[list[Text]] = []
        self._stage = -1
        self._peaks: list[float] = []
        self._in_bfloat16 = has_bfloat16(self._device)
        self._open = {id(weights) for _, weights in trainable_parameters(network)}
        self.prepare({"stage": 0})

    def begin(self, epoch: int) -> int:
        """Put the documents together anew."""
        draw = make_generator(self._recipe.seed, "order", epoch)
        self._batches = batches(self._texts, self._recipe.step_tokens, draw)
        return len(self._batches)

    def learn(self, step: int, progress: float) -> int:
        """Learn from one batch."""
        number, share = stage_at(self._recipe.plan(), progress)
        if number != self._stage:
            self.prepare({"stage": number})
        for group, peak in zip(self.optimizer.param_groups, self._peaks, strict=True):
            group["lr"] = one_cycle(peak, share)
        given = lesson(self._batches[step], self._end)
        self.network.train()
        self.optimizer.zero_grad()
        self._loss(given).backward()  # type: ignore[no-untyped-call]
        take_step(self.network, self.optimizer, self._recipe.clip)
        return int((given.wanted != IGNORED).sum())

    def _loss(self, given: Lesson) -> Tensor:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
            scores = self.network(given.read.to(self._device))
        wanted = given.wanted.to(self._device).flatten()
        return functional.cross_entropy(scores.float().flatten(0, 1), wanted, ignore_index=IGNORED)

    def judged(self, perplexity: float) -> None:
        """Hear the perplexity on held-out notes, which changes nothing."""

    def extras(self) -> dict[str, Tensor]:
        """Nothing is carried from step to step."""
        return {}

    def restore(self, extras: Mapping[str, Tensor]) -> None:
        """Nothing is carried from step to step."""

    def place(self) -> dict[str, Any]:
        """Return the stage."""
        return {"stage": self._stage}

    def prepare(self, place: Mapping[str, Any]) -> None:
        """Enter a stage: which layers learn, and how fast."""
        self._stage = place["stage"]
        groups = layer_groups(self._gpt)
        found = peaks(self._recipe.plan()[self._stage], len(groups))
        made: list[dict[str, Any]] = []
        self._peaks = []
        for group, peak in zip(groups, found, strict=True):
            weights = [each for each in group if id(each) in self._open]
            for each in weights:
                each.requires_grad_(peak is not None)
            if peak is None:
                continue
            # Norms and biases have no reason to be small.
            for decay, some in (
                (_DECAY, [each for each in weights if each.ndim > 1]),
                (0.0, [each for each in weights if each.ndim < 2]),
            ):
                if some:
                    made.append({"params": some, "lr": peak, "weight_decay": decay})
                    self._peaks.append(peak)
        self.optimizer = torch.optim.AdamW(made, betas=(0.9, 0.99))


def layer_groups(network: GPT) -> list[list[nn.Parameter]]:
    """Part a transformer: three thirds of its blocks, then embeddings and the last norm."""
    blocks = list(network.blocks)
    third = max(1, -(-len(blocks) // (_GROUPS - 1)))
    parts = [blocks[at : at + third] for at in range(0, len(blocks), third)]
    groups = [[each for block in part for each in block.parameters()] for part in parts]
    last = [*network.embed.parameters(), *network.places.parameters(), *network.norm.parameters()]
    return [*groups, last]
