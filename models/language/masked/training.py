"""Training of a masked language model over whole words, resumable after every epoch.

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
from models.language.corpus.masking import IGNORED, MaskRecipe, mask_generator, mask_tokens
from models.language.masked.masked_model import TrainedMasked, padded, save_masked
from models.language.networks.masked_network import (
    MASK,
    SPECIAL_TOKENS,
    UNKNOWN,
    EncoderLM,
    MaskedLM,
    Network,
)
from models.language.networks.word_head import read_word_head, whole_words
from models.training_loop import (
    TimeBudget,
    TrainingCallbacks,
    TrainingLoop,
    TrainingPosition,
    require_no_model,
    take_step,
    write_report,
)
from record.atomic_write import make_folders
from record.errors import ConfigError

TRAINING = "training.json"

_DECAY = 0.01
_CLIP = 1.0
_EVALUATION_SEED = (
    1  # seed of the masks of notes that models are selected by, whatever else is drawn
)


@dataclass(frozen=True)
class MaskedRecipe:
    """Hyperparameters of a masked language model.

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
        """Return a hash of all settings and the notes' digest."""
        return hashlib.sha256(
            json.dumps([asdict(self), notes], sort_keys=True).encode()
        ).hexdigest()


@dataclass(frozen=True)
class MaskedLetter:
    """The words of a note, and whether each is part of an identifier."""

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
class _MaskedData:
    """Chunks of the training and development notes, with the recipe."""

    train: Sequence["_Chunk"] = field(repr=False)
    dev: Sequence["_Chunk"] = field(repr=False)
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
    make_folders(out)  # before the checkpoint, whose words are those of the notes
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
        self.words = words = _with_own_words(_known_words(train, recipe.rare), train, recipe)
        torch.manual_seed(recipe.seed)
        self.network = _make_network(words, recipe)
        self.network.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        weights = [each for each in self.network.parameters() if each.requires_grad]
        self.optimizer = torch.optim.AdamW(weights, recipe.rate, weight_decay=_DECAY)
        self.fingerprint = recipe.fingerprint(digest_of(train, dev))
        self.trained = TrainedMasked(self.network, words, {"recipe": asdict(recipe), **about})
        self.data = _MaskedData(
            _chunks(words, train, recipe.length), _chunks(words, dev, recipe.length),
            recipe, len(words),
        )  # fmt: skip
        self.position, self.budget = _MaskedPosition(), TimeBudget(max_minutes)
        self.resume()
        if not self.position.history:
            self.position.history.append(_perplexity(self.network, self.data))

    def run(self) -> list[float]:
        recipe, history = self.data.recipe, self.position.history
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
        data, epoch = self.data, self.position.epoch + 1
        torch.manual_seed(data.recipe.seed * 1_000_003 + epoch)
        self.network.train()
        planned = len(data.train) * data.recipe.epochs
        done = len(data.train) * (epoch - 1)
        for inputs, targets in _batches(data.train, data, epoch):
            total, count = _loss(self.network, inputs, targets)
            if count:
                self.optimizer.zero_grad()
                (total / count).backward()  # type: ignore[no-untyped-call]
                take_step(self.network, self.optimizer, _CLIP)
            done += len(inputs)
            self.callbacks.advance(done, planned)

    def end_epoch(self, *, is_last: bool) -> None:  # noqa: ARG002
        history = self.position.history
        history.append(_perplexity(self.network, self.data))
        if history[-1] <= min(history):
            save_masked(self.trained, self.out)

    def report_epoch(self) -> None:
        epoch, perplexity = self.position.epoch, self.position.history[-1]
        self.callbacks.evaluated({"epoch": epoch, "perplexity": perplexity})


def _make_network(words: Sequence[str], recipe: MaskedRecipe) -> Network:
    if recipe.encoder:
        return EncoderLM.of(recipe.encoder, words, recipe.length)
    return MaskedLM(
        len(words), width=recipe.width, layers=recipe.layers, heads=recipe.heads,
        length=recipe.length, dropout=recipe.dropout,
    )  # fmt: skip


@dataclass(frozen=True)
class _Chunk:
    number: int
    ids: list[int] = field(repr=False)
    identifying: list[bool] = field(repr=False)


def _known_words(letters: Iterable[MaskedLetter], rare: int) -> tuple[str, ...]:
    """Return the words of the vocabulary, the most frequent first.

    A word that identifies in as many notes as it does not is none of them: it may identify where
    nobody saw it.
    """
    counts: Counter[str] = Counter()
    identifying: Counter[str] = Counter()
    for letter in letters:
        pairs = list(zip(letter.words, letter.identifying, strict=True))
        counts.update({word for word, is_identifying in pairs if not is_identifying})
        identifying.update({word for word, is_identifying in pairs if is_identifying})
    kept = (
        word
        for word, count in counts.items()
        if count >= rare and count > identifying[word] and word not in SPECIAL_TOKENS
    )
    return (*SPECIAL_TOKENS, *sorted(kept, key=lambda word: (-counts[word], word)))


def _with_own_words(
    words: tuple[str, ...], letters: Sequence[MaskedLetter], recipe: MaskedRecipe
) -> tuple[str, ...]:
    """Add the words of single notes that a pretrained masked model knows as one piece.

    Its head scores them from the first; an encoder alone would have to learn them. They are
    everybody's words, and not those of one note's patient.
    """
    folder = Path(recipe.encoder)
    if not recipe.encoder or not folder.is_dir() or read_word_head(folder) is None:
        return words
    known = set(words)
    identifying: set[str] = set()
    seen: set[str] = set()
    for letter in letters:
        for word, is_identifying in zip(letter.words, letter.identifying, strict=True):
            (identifying if is_identifying else seen).add(word)
    folded = {word.casefold() for word in identifying}
    more = whole_words(folder, seen - known)
    return (*words, *(word for word in more if word not in folded))


def _chunks(words: Sequence[str], letters: Sequence[MaskedLetter], length: int) -> list[_Chunk]:
    found: list[_Chunk] = []
    known = {word: number for number, word in enumerate(words)}
    for letter in letters:
        ids = [known.get(word, UNKNOWN) for word in letter.words]
        for start in range(0, len(ids), length):
            part = slice(start, start + length)
            found.append(_Chunk(len(found), ids[part], list(letter.identifying[part])))
    return found


def _mask_chunk(chunk: _Chunk, data: _MaskedData, epoch: int) -> tuple[Any, Any]:
    recipe = data.recipe
    rng = mask_generator(recipe.seed if epoch else _EVALUATION_SEED, epoch, chunk.number)
    vocabulary = (MASK, len(SPECIAL_TOKENS), max(data.words, len(SPECIAL_TOKENS) + 1))
    share = recipe.mask if epoch else recipe.judge
    inputs, targets = mask_tokens(chunk.ids, chunk.identifying, share, vocabulary, rng)
    # What is unknown is seen, and never to be guessed: it would be learnt as a word.
    targets[targets == UNKNOWN] = IGNORED
    return inputs, targets


def _batches(
    chunks: Sequence[_Chunk], data: _MaskedData, epoch: int
) -> Iterator[tuple[Tensor, Tensor]]:
    batch = data.recipe.batch
    order = np.argsort([len(each.ids) for each in chunks], kind="stable")
    groups = [order[at : at + batch] for at in range(0, len(order), batch)]
    if epoch:
        np.random.default_rng((data.recipe.seed, epoch)).shuffle(groups)
    for group in groups:
        pairs = [_mask_chunk(chunks[number], data, epoch) for number in group]
        inputs = padded([one.tolist() for one, _ in pairs])
        targets = padded([other.tolist() for _, other in pairs], IGNORED)
        yield inputs, targets


def _loss(network: Network, inputs: Tensor, targets: Tensor) -> tuple[Tensor, int]:
    """Return the sum of the losses of words to guess, and their number."""
    device = network.bias.device
    chosen = (targets != IGNORED).to(device)
    with torch.autocast(device.type, torch.bfloat16, enabled=has_bfloat16(device)):
        scores = network.score(network.hidden(inputs.to(device))[chosen])
    target = targets.to(device)[chosen]
    return functional.cross_entropy(scores.float(), target, reduction="sum"), len(target)


@torch.inference_mode()
def _perplexity(network: Network, data: _MaskedData) -> float:
    network.eval()
    nats, guessed = 0.0, 0
    for inputs, targets in _batches(data.dev, data, 0):
        total, count = _loss(network, inputs, targets)
        nats, guessed = nats + float(total), guessed + count
    return float(np.exp(nats / guessed)) if guessed else float("inf")


def digest_of(*parts: Sequence[MaskedLetter]) -> str:
    """Return a digest of the words of notes and of which ones are identifiers."""
    total = hashlib.sha256()
    for letters in parts:
        held = [[list(letter.words), list(map(bool, letter.identifying))] for letter in letters]
        total.update(json.dumps(held).encode())
    return total.hexdigest()
