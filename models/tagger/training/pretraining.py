"""Continued pre-training of an encoder on unannotated notes, by whole-word masking.

Masked language modelling of whole words (Devlin et al., NAACL 2019; Cui et al., TASLP 2021) on the
text that the tagger will read (Gururangan et al., ACL 2020).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import exp
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.checkpoint import trainable_parameters
from models.hardware import has_bfloat16
from models.tagger.encoders.encoder import Encoder, load_pretrained, save_encoder
from models.tagger.encoders.subword_models import MASK, SPECIAL_TOKENS
from models.tagger.encoders.windows import MARGIN, Window, WindowConfig, window_length
from models.tagger.network import NoteSubwords, TaggerBatch, collate
from models.tagger.sequences.alignment import segment_text
from models.tagger.training.batching import group_by_tokens
from models.tagger.training.optimizer import set_learning_rate
from models.tagger.training.training import package_versions
from models.training_loop import (
    TimeBudget,
    TrainingCallbacks,
    TrainingLoop,
    TrainingPosition,
    make_generator,
    require_no_model,
    take_step,
    write_report,
)
from record.errors import ConfigError

PRETRAINING = "pretraining.json"

_HIDDEN, _SWAPPED = 0.8, 0.1  # of what is guessed; the rest stays as it is (Devlin et al.)
_HELD_OUT = 20  # one note in twenty is held out for evaluation
_STEPS_SORTED = 8
_SHARES = ("guessed", "warm_up")
_ABOVE_0 = ("epochs", "rate", "step_tokens", "part_tokens", "guessed", "clip")

Part = tuple[NoteSubwords, Window]


@dataclass(frozen=True)
class PretrainRecipe:
    """Hyperparameters of continued pre-training; tokens are subwords.

    A step learns from about `step_tokens`, `part_tokens` at a time, of whose words the share
    `guessed` is hidden. The pieces' embeddings stay as they are unless `learn_embeddings`: which of
    them have changed then tells which pieces occur in the notes. The same recipe and notes give
    the same weights on the same machine with the same number of threads.
    """

    encoder: str = "e5-small"
    cut: WindowConfig = field(default_factory=lambda: WindowConfig(254, 0))
    epochs: int = 2
    seed: int = 1
    step_tokens: int = 4096
    part_tokens: int = 2048
    rate: float = 1e-4
    guessed: float = 0.15
    warm_up: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    checkpoint_steps: int = 100
    learn_embeddings: bool = False

    def __post_init__(self) -> None:
        for name in _ABOVE_0:
            if not getattr(self, name) > 0:
                raise ConfigError(
                    f"--{name.replace('_', '-')}", "must be above 0", "give a positive number"
                )
        for name in _SHARES:
            if not 0 <= getattr(self, name) < 1:
                problem = "must be at least 0 and below 1"
                raise ConfigError(f"--{name.replace('_', '-')}", problem, "give a fraction")

    def fingerprint(self, notes: str) -> str:
        """Return a hash of the notes' digest and of all settings that affect the weights."""
        kept = {**asdict(self), "checkpoint_steps": 0}
        return hashlib.sha256(json.dumps([kept, notes], sort_keys=True).encode()).hexdigest()


class MaskedLanguageHead(nn.Module):
    """Predicts masked subwords, with output weights tied to the encoder's embeddings.

    `candidates` are the ids of the pieces that may be guessed, in order.
    """

    def __init__(self, encoder: Encoder, candidates: Tensor) -> None:
        super().__init__()
        self.encoder = encoder
        self.dense = nn.Linear(encoder.width, encoder.width)
        self.norm = nn.LayerNorm(encoder.width)
        self.bias = nn.Parameter(torch.zeros(len(candidates)))
        self.register_buffer("candidates", candidates, persistent=False)
        places = torch.full((int(candidates[-1]) + 1,), -1)
        places[candidates] = torch.arange(len(candidates))
        self.register_buffer("places", places, persistent=False)
        self.candidates: Tensor
        self.places: Tensor

    def forward(self, batch: TaggerBatch, seen: Tensor, guessed: Tensor) -> Tensor:
        """Return the negative log-likelihood of each masked subword.

        `seen` are the masked ids, `guessed` the positions to predict, (windows, pieces) each; the
        result has one number per predicted subword.
        """
        hidden = self.encoder(seen, batch.lengths)[guessed]
        hidden = self.norm(functional.gelu(self.dense(hidden)))
        known = self.encoder.pieces.weight[self.candidates - len(SPECIAL_TOKENS)]
        scores = functional.linear(hidden, known, self.bias)
        wanted = self.places[batch.ids[guessed]]
        return functional.cross_entropy(scores.float(), wanted, reduction="none")


@dataclass
class PretrainingPosition(TrainingPosition):
    """How far it has come; `perplexities` on the held-out notes, the first before any step."""

    perplexities: list[float] = field(default_factory=list)


def pretrain(
    texts: Sequence[str],
    recipe: PretrainRecipe,
    out: Path,
    callbacks: TrainingCallbacks | None = None,
) -> list[float]:
    """Continue pre-training an encoder on texts; write a folder that `make_encoder` accepts.

    The folder contains the encoder's full original vocabulary, so that it does not reveal which
    words occur in the texts. Returns the perplexity of masked subwords in held-out texts, before
    and after each epoch. Resumes from the checkpoint in the folder. Seeds torch's global
    generator. Raises ConfigError, also if the folder already contains an encoder.
    """
    require_no_model(out, PRETRAINING, "a pretrained encoder")
    return _Pretraining(texts, recipe, out, callbacks or TrainingCallbacks()).run()


class _Pretraining(TrainingLoop[PretrainingPosition]):
    network: MaskedLanguageHead

    def __init__(
        self, texts: Sequence[str], recipe: PretrainRecipe, out: Path, callbacks: TrainingCallbacks
    ) -> None:
        self.recipe, self.out, self.callbacks = recipe, out, callbacks
        self.budget, self.epochs = TimeBudget(None), recipe.epochs
        torch.manual_seed(recipe.seed)
        encoder, self.subwords = load_pretrained(recipe.encoder)
        encoder.pieces.requires_grad_(recipe.learn_embeddings)
        if recipe.cut.pieces + MARGIN > encoder.longest:
            problem = "longer than the encoder's maximum input"
            raise ConfigError("--window", problem, f"give at most {encoder.longest - 2}")
        every = list(dict.fromkeys(texts))
        Random(recipe.seed).shuffle(every)  # noqa: S311 - to be repeatable, not secret
        self.held_out, self.train = self._windows_of(every[::_HELD_OUT]), []
        for at in range(1, _HELD_OUT):
            self.train += self._windows_of(every[at::_HELD_OUT])
        self.notes = len(every) - len(every[::_HELD_OUT])
        candidates = self._candidate_pieces()
        if not self.train or not candidates:
            raise ConfigError("NOTES", "too few notes to train on", "give two notes or more")
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.in_bfloat16 = has_bfloat16(device)
        self.network = MaskedLanguageHead(encoder, torch.tensor(candidates)).to(device)
        self.optimizer = self._optimizer()
        self.digest = hashlib.sha256(json.dumps(sorted(every)).encode()).hexdigest()
        self.fingerprint = recipe.fingerprint(self.digest)
        self.position = PretrainingPosition()
        self.steps: list[list[Part]] = []
        self.resume()

    def _windows_of(self, texts: Sequence[str]) -> list[Part]:
        found: list[Part] = []
        for text in texts:
            cutting = segment_text(text, self.subwords, self.recipe.cut)
            found += [(cutting.pieces, window) for window in cutting.windows]
        return found

    def _candidate_pieces(self) -> list[int]:
        """Return the ids of all pieces that occur: others cannot be what was hidden."""
        parts = self.train + self.held_out
        ids = {
            number
            for pieces, window in parts
            for word in pieces[window.first : window.end]
            for number in word
            if number >= len(SPECIAL_TOKENS)
        }
        return sorted(ids)

    def _optimizer(self) -> torch.optim.AdamW:
        groups: dict[bool, list[nn.Parameter]] = {True: [], False: []}
        pieces = self.network.encoder.pieces.weight
        for _, weights in trainable_parameters(self.network):
            # Decay would wear down the embeddings of all pieces that the notes do not have.
            groups[weights.ndim > 1 and weights is not pieces].append(weights)
        rate = self.recipe.rate
        return torch.optim.AdamW(
            [
                {"params": groups[True], "peak": rate, "weight_decay": self.recipe.weight_decay},
                {"params": groups[False], "peak": rate, "weight_decay": 0.0},
            ],
            lr=rate,
        )

    def run(self) -> list[float]:
        if not self.position.perplexities:
            self._evaluate()
        self.run_epochs(self.recipe.checkpoint_steps)
        self.out.mkdir(parents=True, exist_ok=True)
        save_encoder(self.network.encoder, self.subwords, self.out)
        report: dict[str, Any] = {
            "recipe": asdict(self.recipe),
            "notes": self.notes,
            "sha256": self.digest,
            "perplexities": self.position.perplexities,
            "versions": package_versions(),
        }
        write_report(self.out, PRETRAINING, report)
        return self.position.perplexities

    def begin_epoch(self, epoch: int) -> int:
        # The windows of each step, of similar length, in random order
        random = Random(f"{self.recipe.seed}/{epoch}")  # noqa: S311 - repeatable, not secret
        parts = list(self.train)
        random.shuffle(parts)
        tokens = self.recipe.step_tokens
        steps = [
            step
            for pool in group_by_tokens(parts, _STEPS_SORTED * tokens, _length)
            for step in group_by_tokens(sorted(pool, key=_length), tokens, _length)
        ]
        random.shuffle(steps)
        self.steps = steps
        return len(self.steps)

    def end_step(self, steps: int) -> None:
        done = self.notes * (self.position.epoch + self.position.step / steps)
        self.callbacks.advance(int(done), self.notes * self.epochs)

    def end_epoch(self, *, is_last: bool) -> None:  # noqa: ARG002
        self._evaluate()

    def train_step(self, step: int, steps: int) -> None:
        recipe, network = self.recipe, self.network
        generator = make_generator(recipe.seed, self.position.epoch, step)
        epochs = self.position.epoch + (step + 0.5) / steps
        set_learning_rate(self.optimizer, epochs / recipe.epochs, recipe.warm_up)
        network.train()
        self.optimizer.zero_grad()
        parts = group_by_tokens(self.steps[step], recipe.part_tokens, _length)
        made = [self._mask(part, generator) for part in parts]
        pieces = max(1, sum(int(guessed.sum()) for _, _, guessed in made))
        for batch, seen, guessed in made:
            if guessed.any():
                with self._precision():
                    loss = network(batch, seen, guessed).sum() / pieces
                loss.backward()
        take_step(network, self.optimizer, recipe.clip)

    def _precision(self) -> torch.autocast:
        device = self.network.bias.device.type
        return torch.autocast(device, torch.bfloat16, enabled=self.in_bfloat16)

    def _mask(
        self, part: Sequence[Part], generator: torch.Generator
    ) -> tuple[TaggerBatch, Tensor, Tensor]:
        """Return a batch, its masked ids, and the positions to predict."""
        batch = collate(part)
        seen, guessed = mask_words(
            batch, self.network.candidates.cpu(), self.recipe.guessed, generator
        )
        device = self.network.bias.device
        return batch.to(device), seen.to(device), guessed.to(device)

    def _evaluate(self) -> None:
        """Evaluate the perplexity of held-out notes, with the same masks each time."""
        self.network.eval()
        generator = torch.Generator().manual_seed(self.recipe.seed)
        total, pieces = 0.0, 0
        with torch.no_grad():
            every = sorted(self.held_out, key=_length)
            for part in group_by_tokens(every, self.recipe.part_tokens, _length):
                batch, seen, guessed = self._mask(part, generator)
                if guessed.any():
                    with self._precision():
                        total += float(self.network(batch, seen, guessed).sum())
                    pieces += int(guessed.sum())
        perplexity = exp(min(total / max(pieces, 1), 50.0))
        self.position.perplexities.append(perplexity)
        self.callbacks.evaluated({"perplexity": perplexity})


def mask_words(
    batch: TaggerBatch, candidates: Tensor, share: float, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Mask words of a batch; return the masked ids and the positions to predict.

    Each word is taken with the probability `share`, with all of its pieces (Cui et al.); of its
    pieces 0.8 become the mask, 0.1 another of `candidates`, the others stay (Devlin et al.). Marks
    and line breaks are never taken. All (windows, pieces).
    """
    windows = len(batch.ids)
    taken = torch.rand(windows, batch.most + 1, generator=generator) < share
    taken[:, batch.most] = False
    guessed = taken.gather(1, batch.words) & (batch.ids >= len(SPECIAL_TOKENS))
    fate = torch.rand(batch.ids.shape, generator=generator)
    drawn = torch.randint(len(candidates), batch.ids.shape, generator=generator)
    seen = batch.ids.masked_fill(guessed & (fate < _HIDDEN), MASK)
    swapped = guessed & (fate >= _HIDDEN) & (fate < _HIDDEN + _SWAPPED)
    return torch.where(swapped, candidates[drawn], seen), guessed


def _length(part: Part) -> int:
    return window_length(*part)
