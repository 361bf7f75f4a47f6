"""How a masked language model is trained, resumable after every epoch.

The recipe is that of Belkadi et al. (2023), section 3.2: weight decay 0.01, at most 10 epochs,
patience 2, selection by the perplexity of masked words on notes set aside, whose masks never
change. It begins with nothing, or with an encoder that was trained before.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.hardware import has_bfloat16
from models.language.corpus.masking import IGNORED, MaskRecipe, generator, masks
from models.language.masked.masked_model import TrainedMasked, padded, save_masked
from models.language.networks.masked_network import (
    MARKS,
    MASK,
    UNKNOWN,
    EncoderLM,
    MaskedLM,
    Network,
)
from models.training_loop import (
    TimeBudget,
    TrainingCallbacks,
    TrainingLoop,
    TrainingPosition,
    require_no_model,
    take_step,
    write_report,
)
from record.errors import ConfigError

TRAINING = "training.json"

_DECAY = 0.01
_CLIP = 1.0
_FROZEN = 1  # seed of the masks of notes that models are selected by, whatever else is drawn


@dataclass(frozen=True)
class MaskedRecipe:
    """Everything that decides what a training gives, apart from the notes.

    `length` is the most words that are seen together, `rare` how many notes must hold a word for
    it to be known, `batch` how many stretches are learnt from at a time. `judge` masks the notes
    that models are selected by: trainings can only be compared where it is the same. With an
    `encoder` (a name or a folder) training begins with it; its own sizes then count.
    """

    mask: MaskRecipe = field(default_factory=MaskRecipe)
    judge: MaskRecipe = field(default_factory=MaskRecipe)
    encoder: str = ""
    width: int = 192
    layers: int = 4
    heads: int = 6
    length: int = 256
    rare: int = 2
    rate: float = 1e-3
    batch: int = 8
    epochs: int = 10
    patience: int = 2
    dropout: float = 0.1
    seed: int = 1

    def fingerprint(self, notes: str) -> str:
        """Return what differs for trainings that must not go on from each other's checkpoints."""
        return hashlib.sha256(
            json.dumps([asdict(self), notes], sort_keys=True).encode()
        ).hexdigest()


@dataclass(frozen=True)
class MaskedLetter:
    """The words of a note, and which of them identify."""

    words: Sequence[str] = field(repr=False)
    identifying: Sequence[bool] = field(repr=False)


@dataclass(frozen=True)
class MaskedCorpora:
    """Notes to train on and notes for model selection."""

    train: Sequence[MaskedLetter] = field(repr=False)
    dev: Sequence[MaskedLetter] = field(repr=False)


@dataclass
class _MaskedPosition(TrainingPosition):
    """How far a training has come; `history` are perplexities, the first before any epoch."""

    history: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class _Course:
    """What is learnt from and selected by, and how."""

    train: Sequence["_Stretch"] = field(repr=False)
    dev: Sequence["_Stretch"] = field(repr=False)
    recipe: MaskedRecipe
    words: int


def train_masked(
    corpora: MaskedCorpora,
    recipe: MaskedRecipe,
    out: Path,
    callbacks: TrainingCallbacks | None = None,
    *,
    about: Mapping[str, Any] | None = None,
    max_minutes: float | None = None,
) -> list[float]:
    """Train and write a folder; return the perplexity of masked words before and after each epoch.

    Keeps the model with the lowest perplexity, with `about` in its settings. Resumes after the
    last complete epoch; `max_minutes` ends the training after the epoch in which they pass. Seeds
    torch's global generator. Raises ConfigError.
    """
    require_no_model(out, TRAINING, "a trained model")
    if not all(any(each.words for each in part) for part in (corpora.train, corpora.dev)):
        problem = "none to train on, or none for model selection"
        raise ConfigError("the notes", problem, "give more notes")
    return _MaskedTraining(
        corpora, recipe, out, callbacks or TrainingCallbacks(), about or {}, max_minutes
    ).run()


class _MaskedTraining(TrainingLoop[_MaskedPosition]):
    """Epochs have one step each; masks of epoch 0 are those of the development notes."""

    network: Network

    def __init__(
        self,
        corpora: MaskedCorpora,
        recipe: MaskedRecipe,
        out: Path,
        callbacks: TrainingCallbacks,
        about: Mapping[str, Any],
        max_minutes: float | None,
    ) -> None:
        train, dev = corpora.train, corpora.dev
        self.out, self.callbacks = out, callbacks
        self.epochs, self.patience = recipe.epochs, recipe.patience
        self.words = words = _learnt_words(train, recipe.rare)
        torch.manual_seed(recipe.seed)
        self.network = _begin(words, recipe)
        self.network.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        weights = [each for each in self.network.parameters() if each.requires_grad]
        self.optimizer = torch.optim.AdamW(weights, recipe.rate, weight_decay=_DECAY)
        self.fingerprint = recipe.fingerprint(digest_of(train, dev))
        self.trained = TrainedMasked(self.network, words, {"recipe": asdict(recipe), **about})
        self.course = _Course(
            _stretches(words, train, recipe.length), _stretches(words, dev, recipe.length),
            recipe, len(words),
        )  # fmt: skip
        self.position, self.budget = _MaskedPosition(), TimeBudget(max_minutes)
        self.resume()
        if not self.position.history:
            self.position.history.append(_perplexity(self.network, self.course))

    def run(self) -> list[float]:
        recipe, history = self.course.recipe, self.position.history
        self.run_epochs()
        report = {
            "recipe": asdict(recipe), "perplexity": history, "words": len(self.words),
            "mark": self.fingerprint,
        }  # fmt: skip
        write_report(self.out, TRAINING, report)
        return history

    def stale_evaluations(self) -> int:
        history = self.position.history
        best = history.index(min(history))
        # The first entry precedes any training: nothing has improved yet.
        return len(history) - 1 - best if best > 0 else 0

    def time_used(self) -> float:
        return super().time_used() if self.position.epoch else 0.0

    def train_step(self, step: int, steps: int) -> None:  # noqa: ARG002
        """Train for an epoch."""
        course, epoch = self.course, self.position.epoch + 1
        torch.manual_seed(course.recipe.seed * 1_000_003 + epoch)
        self.network.train()
        planned = len(course.train) * course.recipe.epochs
        done = len(course.train) * (epoch - 1)
        for seen, wanted in _batches(course.train, course, epoch):
            total, count = _loss(self.network, seen, wanted)
            if count:
                self.optimizer.zero_grad()
                (total / count).backward()  # type: ignore[no-untyped-call]
                take_step(self.network, self.optimizer, _CLIP)
            done += len(seen)
            self.callbacks.advance(done, planned)

    def end_epoch(self, *, is_last: bool) -> None:  # noqa: ARG002
        history = self.position.history
        history.append(_perplexity(self.network, self.course))
        if history[-1] <= min(history):
            save_masked(self.trained, self.out)

    def report_epoch(self) -> None:
        epoch, perplexity = self.position.epoch, self.position.history[-1]
        self.callbacks.evaluated({"epoch": epoch, "perplexity": perplexity})


def _begin(words: Sequence[str], recipe: MaskedRecipe) -> Network:
    if recipe.encoder:
        return EncoderLM.of(recipe.encoder, words, recipe.length)
    return MaskedLM(
        len(words), width=recipe.width, layers=recipe.layers, heads=recipe.heads,
        length=recipe.length, dropout=recipe.dropout,
    )  # fmt: skip


@dataclass(frozen=True)
class _Stretch:
    number: int
    ids: list[int] = field(repr=False)
    identifying: list[bool] = field(repr=False)


def _learnt_words(letters: Iterable[MaskedLetter], rare: int) -> tuple[str, ...]:
    """Return the words that may be written, the most frequent first.

    A word that identifies in as many notes as it does not is none of them: it may identify where
    nobody saw it.
    """
    counts: Counter[str] = Counter()
    identifying: Counter[str] = Counter()
    for letter in letters:
        pairs = list(zip(letter.words, letter.identifying, strict=True))
        counts.update({word for word, tells in pairs if not tells})
        identifying.update({word for word, tells in pairs if tells})
    kept = (
        word
        for word, count in counts.items()
        if count >= rare and count > identifying[word] and word not in MARKS
    )
    return (*MARKS, *sorted(kept, key=lambda word: (-counts[word], word)))


def _stretches(
    words: Sequence[str], letters: Sequence[MaskedLetter], length: int
) -> list[_Stretch]:
    found: list[_Stretch] = []
    known = {word: number for number, word in enumerate(words)}
    for letter in letters:
        ids = [known.get(word, UNKNOWN) for word in letter.words]
        for start in range(0, len(ids), length):
            part = slice(start, start + length)
            found.append(_Stretch(len(found), ids[part], list(letter.identifying[part])))
    return found


def _masked(stretch: _Stretch, course: _Course, epoch: int) -> tuple[Any, Any]:
    recipe = course.recipe
    chance = generator(recipe.seed if epoch else _FROZEN, epoch, stretch.number)
    vocabulary = (MASK, len(MARKS), max(course.words, len(MARKS) + 1))
    share = recipe.mask if epoch else recipe.judge
    seen, wanted = masks(stretch.ids, stretch.identifying, share, vocabulary, chance)
    # What is unknown is seen, and never to be guessed: it would be learnt as a word.
    wanted[wanted == UNKNOWN] = IGNORED
    return seen, wanted


def _batches(
    stretches: Sequence[_Stretch], course: _Course, epoch: int
) -> Iterator[tuple[Tensor, Tensor]]:
    batch = course.recipe.batch
    order = np.argsort([len(each.ids) for each in stretches], kind="stable")
    groups = [order[at : at + batch] for at in range(0, len(order), batch)]
    if epoch:
        np.random.default_rng((course.recipe.seed, epoch)).shuffle(groups)
    for group in groups:
        pairs = [_masked(stretches[number], course, epoch) for number in group]
        seen = padded([one.tolist() for one, _ in pairs])
        wanted = padded([other.tolist() for _, other in pairs], IGNORED)
        yield seen, wanted


def _loss(network: Network, seen: Tensor, wanted: Tensor) -> tuple[Tensor, int]:
    """Return the sum of the losses of words to guess, and their number."""
    device = network.bias.device
    chosen = (wanted != IGNORED).to(device)
    with torch.autocast(device.type, torch.bfloat16, enabled=has_bfloat16(device)):
        scores = network.score(network.hidden(seen.to(device))[chosen])
    target = wanted.to(device)[chosen]
    return functional.cross_entropy(scores.float(), target, reduction="sum"), len(target)


@torch.inference_mode()
def _perplexity(network: Network, course: _Course) -> float:
    network.eval()
    nats, guessed = 0.0, 0
    for seen, wanted in _batches(course.dev, course, 0):
        total, count = _loss(network, seen, wanted)
        nats, guessed = nats + float(total), guessed + count
    return float(np.exp(nats / guessed)) if guessed else float("inf")


def digest_of(*parts: Sequence[MaskedLetter]) -> str:
    """Return what changes with any word of the notes, or with what identifies in them."""
    total = hashlib.sha256()
    for letters in parts:
        held = [[list(letter.words), list(map(bool, letter.identifying))] for letter in letters]
        total.update(json.dumps(held).encode())
    return total.hexdigest()
