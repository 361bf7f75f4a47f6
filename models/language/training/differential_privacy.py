"""Differentially private training (DP-SGD): per-note gradients are clipped and noise is added.

Abadi et al. (CCS 2016), by Opacus (Yousefpour et al., arXiv 2109.12298).
"""

import math
import secrets
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from opacus import GradSampleModule
from opacus.accountants import RDPAccountant
from opacus.accountants.utils import get_noise_multiplier
from opacus.optimizers import DPOptimizer
from torch import Tensor, nn
from torch.nn import functional

from models.checkpoint import trainable_parameters
from models.hardware import has_bfloat16
from models.language.corpus.batching import IGNORED, LanguageBatch, Text, collate_texts
from models.language.networks.gpt import GPT
from models.language.networks.language_model import LanguageModel
from models.language.training.learning_rate import one_cycle
from models.language.training.recipe import LanguageRecipe
from models.language.training.trainers import StepTrainer
from record.errors import ConfigError

UNIT = "note"
"""What the guarantee is for: one note more or less. A note is one text, cut at the context."""

_SAMPLE_RATE = 0.1  # of the notes, expected in a step
_LARGEST, _LEAST = 256, 4  # notes
_MICRO_BATCH = 8  # notes at a time, whose gradients are kept apart
_BITS = 62


class PrivateTrainer(StepTrainer):
    """AdamW on gradients that are clipped per note and noised.

    Which notes take part in a step and the noise come from the system's randomness, which is
    never kept: whoever knew it could take the noise away. So two trainings differ.
    """

    keeps_last = True

    def __init__(
        self, network: LanguageModel, texts: Sequence[Text], recipe: LanguageRecipe, end: int
    ) -> None:
        if not isinstance(network, GPT):
            raise ConfigError("--epsilon", "requires a transformer", "choose --recipe gpt")
        self.network, self._gpt, self._recipe, self._end = network, network, recipe, end
        self._device = network.embed.weight.device
        context = network.longest
        self._texts = [Text(text.ids[:context], text.asked) for text in texts]
        self._in_bfloat16 = has_bfloat16(self._device)
        self._generator = torch.Generator().manual_seed(secrets.randbits(_BITS))
        count = len(texts)
        self._expected = min(count, max(_LEAST, min(_LARGEST, round(_SAMPLE_RATE * count))))
        self._rate = self._expected / count
        self._steps = math.ceil(1 / self._rate)
        self._delta = recipe.delta or 1 / (10 * count)
        self._accountant = RDPAccountant()
        self._noise = noise_multiplier_for(
            recipe.epsilon or 0.0, self._delta, self._rate, self._steps * recipe.epochs
        )
        self._wrapped = GradSampleModule(network, loss_reduction="sum")
        self._peak = recipe.plan()[0].peak
        self.optimizer = torch.optim.AdamW(
            [weights for _, weights in trainable_parameters(network)],
            lr=self._peak,
            weight_decay=0.0,
        )
        noise_source = torch.Generator(self._device).manual_seed(secrets.randbits(_BITS))
        self._private = DPOptimizer(
            self.optimizer,
            noise_multiplier=self._noise,
            max_grad_norm=recipe.clip,
            expected_batch_size=self._expected,
            generator=noise_source,
        )

    def begin_epoch(self, epoch: int) -> int:  # noqa: ARG002
        """Every step draws its own notes."""
        return self._steps

    def train_step(self, step: int, progress: float) -> int:  # noqa: ARG002
        """Draw each note with the same small probability, and learn from those drawn."""
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(self._peak, progress)
        chosen = torch.rand(len(self._texts), generator=self._generator) < self._rate
        sampled = [self._texts[place] for place in chosen.nonzero().flatten().tolist()]
        self._wrapped.train()
        self._private.zero_grad()
        parts = [sampled[at : at + _MICRO_BATCH] for at in range(0, len(sampled), _MICRO_BATCH)]
        for number, part in enumerate(parts):
            # Put the gradient of each note beside the weights; a note weighs the same whatever its
            # length
            batch = collate_texts(part, self._end)
            with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
                scores = self._wrapped(batch.inputs.to(self._device))
            with _ignore_warnings():
                note_losses(scores.float(), batch).sum().backward()  # type: ignore[no-untyped-call]
            self._private.signal_skip_step(do_skip=number + 1 < len(parts))
            self._private.step()
            self._private.zero_grad()
        if not parts:
            # Take a step of noise alone: an empty sample must not be detectable.
            for weights in self._private.params:
                weights.grad_sample = weights.new_zeros((0, *weights.shape))
            self._private.signal_skip_step(do_skip=False)
            self._private.step()
            self._private.zero_grad()
        self._accountant.step(noise_multiplier=self._noise, sample_rate=self._rate)
        return sum(len(text.ids) - text.asked for text in sampled)

    def on_evaluation(self, perplexity: float) -> None:
        """Hear the perplexity on held-out notes, which changes nothing."""

    def place(self) -> dict[str, Any]:
        """Return what was spent."""
        spent = self._accountant.history
        return {
            "spent": [list(entry) for entry in spent],
            "privacy": {
                "epsilon": self._epsilon(),
                "delta": self._delta,
                "asked": self._recipe.epsilon,
                "unit": UNIT,
                "noise_multiplier": self._noise,
                "sample_rate": self._rate,
                "steps": sum(entry[2] for entry in spent),
                "clip": self._recipe.clip,
                "accountant": "rdp",
            },
        }

    def _epsilon(self) -> float:
        with _ignore_warnings():
            spent = self._accountant.history
            found: float = self._accountant.get_epsilon(self._delta) if spent else 0.0
        return found

    def tensors(self) -> dict[str, Tensor]:
        """Nothing is carried from step to step."""
        return {}

    def restore_state(self, place: Mapping[str, Any]) -> None:
        """Take back what was spent."""
        self._accountant.history = [tuple(entry) for entry in place["spent"]]

    def restore_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """Nothing is carried from step to step."""


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Suppress the harmless warnings of Opacus and torch about hooks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def note_losses(scores: Tensor, batch: LanguageBatch) -> Tensor:
    """Return the mean negative log-likelihood of the tokens of each note. (notes,)"""
    targets = batch.targets.to(scores.device)
    each = functional.cross_entropy(
        scores.transpose(1, 2), targets, ignore_index=IGNORED, reduction="none"
    )
    counts = (targets != IGNORED).sum(1).clamp_min(1)
    return each.sum(1) / counts


def noise_multiplier_for(epsilon: float, delta: float, rate: float, steps: int) -> float:
    """Return the noise multiplier that spends this budget in so many steps; raises ConfigError."""
    try:
        with _ignore_warnings():
            found: float = get_noise_multiplier(
                target_epsilon=epsilon, target_delta=delta, sample_rate=rate, steps=steps,
                accountant="rdp",
            )  # fmt: skip
    except ValueError:
        raise ConfigError(
            "--epsilon", "privacy budget too small", "raise --epsilon or lower --epochs"
        ) from None
    return found


def gradient_norms(network: nn.Module, texts: Sequence[Text], end: int) -> list[float]:
    """Return the norm of each note's gradient as computed by the hooks of Opacus."""
    wrapped = GradSampleModule(network, loss_reduction="sum")
    wrapped.zero_grad()
    batch = collate_texts(texts, end)
    with _ignore_warnings():
        note_losses(wrapped(batch.inputs), batch).sum().backward()  # type: ignore[no-untyped-call]
    squares = torch.zeros(len(texts))
    for weights in network.parameters():
        each: Tensor = getattr(weights, "grad_sample")  # noqa: B009 - Opacus puts it there
        squares += each.flatten(1).square().sum(1)
    wrapped.to_standard_module()
    found: list[float] = squares.sqrt().tolist()
    return found
