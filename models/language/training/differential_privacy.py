"""Differentially private training (DP-SGD) whose unit is the patient.

Abadi et al. (CCS 2016), with all notes of a patient as one sample (user-level privacy; McMahan et
al., ICLR 2018). Opacus (Yousefpour et al., arXiv 2109.12298) clips, adds the noise and accounts.
"""

import math
import secrets
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from opacus.accountants import RDPAccountant
from opacus.accountants.utils import get_noise_multiplier
from opacus.optimizers import DPOptimizer
from torch import Tensor, nn
from torch.nn import functional

from models.checkpoint import trainable_parameters
from models.hardware import has_bfloat16
from models.language.corpus.batching import (
    IGNORED,
    LanguageBatch,
    Text,
    batches,
    bound_tokens,
    collate_texts,
)
from models.language.corpus.contributions import Contribution, group_by_patient
from models.language.networks.language_model import LanguageModel
from models.language.training.learning_rate import one_cycle
from models.language.training.recipe import LanguageRecipe
from models.language.training.trainers import StepTrainer
from record.errors import ConfigError

UNIT = "patient"
"""What the guarantee is for: all notes of one patient more or less."""

_SAMPLE_RATE = 0.1  # of the patients, expected in a step
_LARGEST, _LEAST = 256, 4  # patients
_MICRO_TOKENS = 8192  # ids of a patient's notes computed at a time
_BITS = 62


class PrivateTrainer(StepTrainer):
    """AdamW on gradients that are clipped per patient and noised.

    Which patients take part in a step, the noise and what dropout leaves out come from the system's
    randomness, which is never kept: whoever knew it could take the noise away. So two trainings
    differ. Patients are computed one after the other, whatever the network: each has one gradient.
    """

    keeps_last = True

    def __init__(
        self, network: LanguageModel, texts: Sequence[Text], recipe: LanguageRecipe, end: int
    ) -> None:
        self.network, self._recipe, self._end = network, recipe, end
        self._device = network.device
        self._context = min(recipe.context, network.longest or recipe.context)
        self.patients = group_by_patient(
            texts, notes=recipe.patient_notes, context=self._context, seed=recipe.seed
        )
        if not self.patients:
            problem = "no note of train has a patient, who is the unit of privacy"
            raise ConfigError("--epsilon", problem, "prepare a corpus of notes with patients")
        self._left_out = sum(not text.owner for text in texts)
        self._in_bfloat16 = has_bfloat16(self._device)
        self._generator = torch.Generator().manual_seed(secrets.randbits(_BITS))
        count = len(self.patients)
        self._expected = min(count, max(_LEAST, min(_LARGEST, round(_SAMPLE_RATE * count))))
        self._rate = self._expected / count
        self._steps = math.ceil(1 / self._rate)
        self._delta = recipe.delta or 1 / (10 * count)
        self._accountant = RDPAccountant()
        self._noise = noise_multiplier_for(
            recipe.epsilon or 0.0, self._delta, self._rate, self._steps * recipe.epochs
        )
        self._peak = recipe.plan()[0].peak
        self._learning = [_Learning(name, each, network) for name, each in _trainable(network)]
        self.optimizer = torch.optim.AdamW(
            [each.updated for each in self._learning], lr=self._peak, weight_decay=0.0
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
        """Every step draws its own patients."""
        return self._steps

    def sample(self) -> list[Contribution]:
        """Draw each patient with the same small probability, whoever else is drawn."""
        drawn = torch.rand(len(self.patients), generator=self._generator, dtype=torch.float64)
        return [self.patients[place] for place in (drawn < self._rate).nonzero().flatten().tolist()]

    def train_step(self, step: int, progress: float) -> int:  # noqa: ARG002
        """Draw patients, and learn from those drawn."""
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(self._peak, progress)
        # What dropout leaves out must not depend on who else was drawn.
        torch.manual_seed(secrets.randbits(_BITS))
        sampled = self.sample()
        self.accumulate(sampled, is_last=True)
        self._accountant.step(noise_multiplier=self._noise, sample_rate=self._rate)
        return sum(len(text.ids) - text.asked for notes in sampled for text in notes)

    def accumulate(self, sampled: Sequence[Contribution], *, is_last: bool) -> None:
        """Add up the clipped gradients of patients; with `is_last`, add noise and take the step.

        A sample of nobody is a step of noise alone: it must not be detectable.
        """
        self.network.train()
        self._private.zero_grad()
        for number, notes in enumerate(sampled or [()]):
            for each, gradient in zip(self._learning, self._gradient(notes), strict=True):
                each.updated.grad_sample = gradient
            is_between = not is_last or number + 1 < len(sampled)
            self._private.signal_skip_step(do_skip=is_between)
            self._private.step()
            self._private.zero_grad()

    def summed(self) -> list[Tensor]:
        """Return the clipped gradients added up since the last step, one tensor for all weights."""
        return [each.updated.summed_grad for each in self._learning]

    def _gradient(self, notes: Contribution) -> Iterator[Tensor]:
        """Compute the gradient of a patient's mean loss; a note weighs the same at any length.

        (1, *shape) for each of the weights, (0, *shape) for nobody. A gradient that is not finite
        counts as zero, since nothing can clip it.
        """
        if not notes:
            yield from (each.updated.new_zeros((0, *each.updated.shape)) for each in self._learning)
            return
        for each in self._learning:
            each.weights.grad = None
        tokens = bound_tokens(self._recipe.micro_tokens or _MICRO_TOKENS, self.network.vocabulary)
        for part in batches(notes, tokens, None):
            batch = collate_texts(part, self._end)
            with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
                scores = self.network(batch.inputs.to(self._device))
            loss = note_losses(scores.float(), batch).sum() / len(notes)
            loss.backward()  # type: ignore[no-untyped-call]
        gradients = [each.gradient() for each in self._learning]
        is_finite = all(bool(torch.isfinite(each).all()) for each in gradients)
        yield from (each[None] if is_finite else torch.zeros_like(each[None]) for each in gradients)

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
                "patients": len(self.patients),
                "patient_notes": self._recipe.patient_notes,
                "note_ids": self._context,
                "notes": sum(map(len, self.patients)),
                "notes_without_patient": self._left_out,
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
        """Return what the optimizer keeps of weights of which only some rows learn."""
        return {
            f"{each.name}/{moment}": value
            for each in self._learning
            if each.is_part
            for moment, value in self.optimizer.state.get(each.updated, {}).items()
        }

    def restore_state(self, place: Mapping[str, Any]) -> None:
        """Take back what was spent."""
        self._accountant.history = [tuple(entry) for entry in place["spent"]]

    def restore_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """Take back what the optimizer kept."""
        for each in self._learning:
            if each.is_part:
                # As the optimizer has it, its count of steps stays on the processor.
                self.optimizer.state[each.updated] = {
                    moment: value if moment == "step" else value.to(self._device)
                    for name, value in tensors.items()
                    for of, _, moment in [name.rpartition("/")]
                    if of == each.name
                }


class _Learning:
    """Weights that learn, and the part of them that is clipped, noised and updated.

    Of a table of which only some rows learn, that part is a view of these: noise on the others
    would spoil what is public already.
    """

    def __init__(self, name: str, weights: nn.Parameter, network: LanguageModel) -> None:
        self.name, self.weights = name, weights
        self._rows = network.learning_rows.get(name)
        self.is_part = self._rows is not None
        self.updated: Any = nn.Parameter(weights.data[: self._rows]) if self.is_part else weights

    def gradient(self) -> Tensor:
        """Return the gradient of the part that learns."""
        gradient = self.weights.grad
        if gradient is None:
            return torch.zeros_like(self.updated)
        return gradient[: self._rows].float() if self.is_part else gradient.float()


def _trainable(network: LanguageModel) -> list[tuple[str, nn.Parameter]]:
    return list(trainable_parameters(network))


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Suppress the warnings of Opacus about orders of the Renyi divergence."""
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


@cache
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
