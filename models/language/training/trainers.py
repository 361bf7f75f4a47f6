"""How language models take a training step: LSTMs on streams, transformers on documents."""

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
    Text,
    batches,
    bound_tokens,
    bptt_chunks,
    collate_texts,
    make_streams,
    split_at_context,
)
from models.language.networks.gpt import GPT
from models.language.networks.language_model import LanguageModel
from models.language.networks.lstm import LSTM
from models.language.training.learning_rate import PlateauSchedule, group_peaks, one_cycle, stage_at
from models.language.training.recipe import LanguageRecipe
from models.training_loop import make_generator, take_step

_GROUPS = 4
_DECAY = 0.01
_BETAS, _EPSILON = (0.9, 0.99), 1e-8
_MARK_RATE = 0.03  # of the root mean square of the embeddings


class StepTrainer(ABC):
    """Batches, optimizer and update rule of one kind of training; seeded by epoch and step."""

    network: LanguageModel
    optimizer: torch.optim.Optimizer
    keeps_last = False
    """Whether the last weights are kept, instead of those that foresee held-out notes best."""

    @abstractmethod
    def begin_epoch(self, epoch: int) -> int:
        """Prepare an epoch and return its number of steps."""

    @abstractmethod
    def train_step(self, step: int, progress: float) -> int:
        """Take one step at a progress through the training; return the tokens trained on."""

    @abstractmethod
    def on_evaluation(self, perplexity: float) -> None:
        """Receive the perplexity on held-out notes."""

    @abstractmethod
    def place(self) -> dict[str, Any]:
        """Return the JSON state that a checkpoint stores."""

    @abstractmethod
    def tensors(self) -> dict[str, Tensor]:
        """Return tensors that a checkpoint keeps."""

    @abstractmethod
    def restore_state(self, place: Mapping[str, Any]) -> None:
        """Restore what `place` returned, before weights and optimizer state are loaded."""

    @abstractmethod
    def restore_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the tensors of a checkpoint."""


class StreamTrainer(StepTrainer):
    """Plain SGD on parallel streams; the LSTM state is carried from chunk to chunk."""

    def __init__(
        self, network: LSTM, texts: Sequence[Text], recipe: LanguageRecipe, end: int
    ) -> None:
        self.network, self._lstm, self._recipe = network, network, recipe
        self._device = network.embed.weight.device
        streams = make_streams(texts, end, recipe.streams).to(self._device)
        self._chunks = list(bptt_chunks(streams, recipe.sequence))
        self.optimizer = torch.optim.SGD(network.parameters(), lr=recipe.rate)
        self._plateau = PlateauSchedule(recipe.rate, recipe.divisor, recipe.floor, recipe.gain)
        self._state = network.start(recipe.streams, 0).state
        self._in_bfloat16 = has_bfloat16(self._device)

    def begin_epoch(self, epoch: int) -> int:  # noqa: ARG002
        """Go to the beginning of the streams."""
        return len(self._chunks)

    def train_step(self, step: int, progress: float) -> int:  # noqa: ARG002
        """Learn from one stretch."""
        if step == 0:
            self._state = self._lstm.start(self._recipe.streams, 0).state
        batch = self._chunks[step]
        self.network.train()
        self.optimizer.param_groups[0]["lr"] = self._plateau.rate
        self.optimizer.zero_grad()
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
            scores, state = self._lstm.forward_from(batch.inputs, self._state)
        loss = functional.cross_entropy(scores.float().flatten(0, 1), batch.targets.flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        take_step(self.network, self.optimizer, self._recipe.clip)
        self._state = (state[0].detach().float(), state[1].detach().float())
        return batch.targets.numel()

    def on_evaluation(self, perplexity: float) -> None:
        """Divide the rate where the perplexity stopped falling."""
        self._plateau.read(perplexity)

    def place(self) -> dict[str, Any]:
        """Return the rate and the best perplexity."""
        return {"rate": self._plateau.rate, "best": self._plateau.best}

    def tensors(self) -> dict[str, Tensor]:
        """Return the state."""
        return {"hidden": self._state[0], "cell": self._state[1]}

    def restore_state(self, place: Mapping[str, Any]) -> None:
        """Take back the rate."""
        self._plateau.rate, self._plateau.best = place["rate"], place["best"]

    def restore_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """Take back the state."""
        self._state = (tensors["hidden"].to(self._device), tensors["cell"].to(self._device))


class DocumentTrainer(StepTrainer):
    """AdamW on documents, stage by stage, each training its own layers."""

    def __init__(
        self, network: GPT, texts: Sequence[Text], recipe: LanguageRecipe, end: int
    ) -> None:
        self.network, self._gpt, self._recipe, self._end = network, network, recipe, end
        self._device = network.embed.weight.device
        self._texts = split_at_context(texts, network.longest)
        self._batches: list[list[Text]] = []
        self._stage = -1
        self._peaks: list[float] = []
        self._in_bfloat16 = has_bfloat16(self._device)
        self._trainable = {id(weights) for _, weights in trainable_parameters(network)}
        self.restore_state({"stage": 0})

    def begin_epoch(self, epoch: int) -> int:
        """Put the documents together anew."""
        draw = make_generator(self._recipe.seed, "order", epoch)
        self._batches = batches(self._texts, self._recipe.step_tokens, draw)
        return len(self._batches)

    def train_step(self, step: int, progress: float) -> int:
        """Learn from one batch."""
        number, share = stage_at(self._recipe.plan(), progress)
        if number != self._stage:
            self.restore_state({"stage": number})
        for group, peak in zip(self.optimizer.param_groups, self._peaks, strict=True):
            group["lr"] = one_cycle(peak, share)
        batch = collate_texts(self._batches[step], self._end)
        self.network.train()
        self.optimizer.zero_grad()
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
            scores = self.network(batch.inputs.to(self._device))
        targets = batch.targets.to(self._device).flatten()
        functional.cross_entropy(
            scores.float().flatten(0, 1), targets, ignore_index=IGNORED
        ).backward()  # type: ignore[no-untyped-call]
        take_step(self.network, self.optimizer, self._recipe.clip)
        return int((batch.targets != IGNORED).sum())

    def on_evaluation(self, perplexity: float) -> None:
        """Hear the perplexity on held-out notes, which changes nothing."""

    def tensors(self) -> dict[str, Tensor]:
        """Nothing is carried from step to step."""
        return {}

    def restore_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """Nothing is carried from step to step."""

    def place(self) -> dict[str, Any]:
        """Return the stage."""
        return {"stage": self._stage}

    def restore_state(self, place: Mapping[str, Any]) -> None:
        """Enter a stage: which layers learn, and how fast."""
        self._stage = place["stage"]
        groups = layer_groups(self._gpt)
        found = group_peaks(self._recipe.plan()[self._stage], len(groups))
        made: list[dict[str, Any]] = []
        self._peaks = []
        for group, peak in zip(groups, found, strict=True):
            weights = [each for each in group if id(each) in self._trainable]
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


class PretrainedTrainer(StepTrainer):
    """AdamW on documents, all weights that may learn at one rate, in parts that fit into memory.

    Embeddings of marks learn faster: they begin as those of words, which they must leave behind
    before the model stops writing these words in their place.
    """

    def __init__(
        self, network: LanguageModel, texts: Sequence[Text], recipe: LanguageRecipe, end: int
    ) -> None:
        self.network, self._recipe, self._end = network, recipe, end
        self._device = network.device
        self._texts = split_at_context(texts, network.longest)
        self._batches: list[list[Text]] = []
        self._in_bfloat16 = has_bfloat16(self._device)
        tables: list[nn.Parameter] = network.tables()
        self._marks = [_MarkRows(table, network.marks) for table in tables if network.marks]
        learning = [
            weights
            for name, weights in trainable_parameters(network)
            if name not in network.learning_rows
        ]
        # Embeddings keep their length: of most of them no gradient tells anything.
        kept = {id(each) for each in tables}
        decayed = [each for each in learning if each.ndim > 1 and id(each) not in kept]
        others = [each for each in learning if each.ndim < 2 or id(each) in kept]
        self.optimizer = torch.optim.AdamW(
            [{"params": some, "weight_decay": decay}
             for some, decay in ((decayed, _DECAY), (others, 0.0)) if some],
            lr=recipe.plan()[0].peak, betas=_BETAS,
        )  # fmt: skip

    def begin_epoch(self, epoch: int) -> int:
        """Put the documents together anew."""
        draw = make_generator(self._recipe.seed, "order", epoch)
        self._batches = batches(self._texts, self._recipe.step_tokens, draw)
        return len(self._batches)

    def train_step(self, step: int, progress: float) -> int:
        """Learn from one batch: the gradients of its parts add up to that of the whole."""
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(self._recipe.plan()[0].peak, progress)
        texts = self._batches[step]
        tokens = self._recipe.micro_tokens or self._recipe.step_tokens
        parts = batches(texts, bound_tokens(tokens, self.network.vocabulary), None)
        total = sum(len(text.ids) - text.asked for text in texts)
        self.network.train()
        self.network.zero_grad()
        for part in parts:
            batch = collate_texts(part, self._end)
            with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
                scores = self.network(batch.inputs.to(self._device))
            targets = batch.targets.to(self._device).flatten()
            loss = functional.cross_entropy(
                scores.float().flatten(0, 1), targets, ignore_index=IGNORED, reduction="sum"
            )
            (loss / max(1, total)).backward()  # type: ignore[no-untyped-call]
        for marks in self._marks:
            marks.take_step(one_cycle(1.0, progress))
        take_step(self.network, self.optimizer, self._recipe.clip)
        return total

    def on_evaluation(self, perplexity: float) -> None:
        """Hear the perplexity on held-out notes, which changes nothing."""

    def place(self) -> dict[str, Any]:
        """Return how many steps the embeddings of marks took."""
        return {"mark_steps": [marks.steps for marks in self._marks]}

    def tensors(self) -> dict[str, Tensor]:
        """Return the moments of the embeddings of marks."""
        return {
            f"{number}/{name}": value
            for number, marks in enumerate(self._marks)
            for name, value in (("mean", marks.mean), ("square", marks.square))
        }

    def restore_state(self, place: Mapping[str, Any]) -> None:
        """Take back the steps."""
        for marks, steps in zip(self._marks, place["mark_steps"], strict=True):
            marks.steps = steps

    def restore_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """Take back the moments."""
        for number, marks in enumerate(self._marks):
            marks.mean.copy_(tensors[f"{number}/mean"])
            marks.square.copy_(tensors[f"{number}/square"])


class _MarkRows:
    """The first rows of a table, which learn by Adam at a rate of their own.

    The rate is a share of how large the numbers of the table are. Whatever else learns of the table
    sees no gradient of these rows.
    """

    def __init__(self, table: nn.Parameter, rows: int) -> None:
        self._table, self._rows = table, rows
        self._rate = _MARK_RATE * float(table.detach()[rows:].square().mean().sqrt())
        self.mean = torch.zeros_like(table.detach()[:rows])
        self.square = torch.zeros_like(self.mean)
        self.steps = 0

    @torch.no_grad()
    def take_step(self, share: float) -> None:
        """Update the rows at a share of their highest rate, and take their gradient away."""
        if self._table.grad is None:
            return
        gradient = self._table.grad[: self._rows].clone()
        self._table.grad[: self._rows] = 0
        self.steps += 1
        first, second = _BETAS
        self.mean.lerp_(gradient, 1 - first)
        self.square.lerp_(gradient.square(), 1 - second)
        root = (self.square / (1 - second**self.steps)).sqrt_().add_(_EPSILON)
        self._table[: self._rows] -= share * self._rate / (1 - first**self.steps) * self.mean / root


def layer_groups(network: GPT) -> list[list[nn.Parameter]]:
    """Divide a transformer: three thirds of its blocks, then embeddings and the last norm."""
    blocks = list(network.blocks)
    third = max(1, -(-len(blocks) // (_GROUPS - 1)))
    parts = [blocks[at : at + third] for at in range(0, len(blocks), third)]
    groups = [[each for block in part for each in block.parameters()] for part in parts]
    last = [*network.embed.parameters(), *network.places.parameters(), *network.norm.parameters()]
    return [*groups, last]
