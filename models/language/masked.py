"""A masked language model over whole words: what it is, how it is trained, how it fills places.

The recipe is that of Belkadi et al. (2023), section 3.2: weight decay 0.01, at most 10 epochs,
patience 2, selection by the perplexity of masked words on notes set aside, whose masks never
change. It starts from nothing and knows whole words alone, so that it never writes half of one.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights
from torch import Tensor, nn
from torch.nn import functional

from models.atomic import write
from models.checkpoint import CHECKPOINT, load_checkpoint, save_checkpoint
from models.language.masks import IGNORED, MaskRecipe, generator, masks
from record.errors import ConfigError

MARKS = ("<PAD>", "<UNK>", "<MASK>")
PAD, UNKNOWN, MASK = range(len(MARKS))

SETTINGS, WEIGHTS, TRAINING = "masked.json", "weights.safetensors", "training.json"

_FORMAT = 1
_DECAY = 0.01
_SPREAD = 0.02
_REMEDY = "name a folder that a masked language model was trained into"


@dataclass(frozen=True)
class MaskedRecipe:
    """Everything that decides what a training gives, apart from the notes.

    `length` is the most words that are seen together, `rare` how often a word must occur to be
    known, `batch` how many stretches are learnt from at a time.
    """

    mask: MaskRecipe = field(default_factory=MaskRecipe)
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
        """Give what differs for trainings that must not go on from each other's checkpoints."""
        return hashlib.sha256(
            json.dumps([asdict(self), notes], sort_keys=True).encode()
        ).hexdigest()


@dataclass(frozen=True)
class Letter:
    """The words of a note, and which of them identify."""

    words: Sequence[str] = field(repr=False)
    identifying: Sequence[bool] = field(repr=False)


class MaskedLM(nn.Module):
    """A transformer that scores every word of the vocabulary at every place."""

    def __init__(
        self, words: int, *, width: int, layers: int, heads: int, length: int, dropout: float
    ) -> None:
        super().__init__()
        self.length = length
        self.embed = nn.Embedding(words, width, padding_idx=PAD)
        self.places = nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout, "gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(words))
        # Words and places start alike: places drawn wider would drown the words.
        for table in (self.embed, self.places):
            nn.init.normal_(table.weight, std=_SPREAD)

    def forward(self, ids: Tensor) -> Tensor:
        """Score words: (texts, places) to (texts, places, words)."""
        places = torch.arange(ids.shape[1], device=ids.device)
        hidden = self.embed(ids) + self.places(places)
        hidden = self.encoder(hidden, src_key_padding_mask=ids == PAD)
        scores: Tensor = functional.linear(self.norm(hidden), self.embed.weight, self.bias)
        return scores


@dataclass(frozen=True)
class TrainedMasked:
    """A network with the words it knows, in the order of their ids; the marks come first."""

    network: MaskedLM
    words: tuple[str, ...] = field(repr=False)
    about: dict[str, Any]


class MaskedFiller:
    """Fills places by a trained network, on the GPU where there is one."""

    def __init__(self, trained: TrainedMasked) -> None:
        self._words = trained.words
        self._known = {word: number for number, word in enumerate(trained.words)}
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._network = trained.network.to(self._device).eval()
        # A mark, or a sign alone, is no word to put into a letter.
        told = [any(map(str.isalnum, word)) for word in trained.words]
        told[: len(MARKS)] = [False] * len(MARKS)
        self._allowed = torch.tensor(told, device=self._device)

    @classmethod
    def load(cls, folder: Path) -> "MaskedFiller":
        """Read a folder that a model was trained into; raises ConfigError."""
        return cls(load_masked(folder))

    @torch.inference_mode()
    def candidates(
        self, windows: Sequence[Sequence[str | None]], top: int
    ) -> list[list[list[tuple[str, float]]]]:
        """Give the `top` likeliest words for each place (None) of every window, likeliest first.

        Raises ValueError where a window has more words than the model sees together.
        """
        rows = [self._ids(window) for window in windows]
        if max(map(len, rows), default=0) > self._network.length:
            raise ValueError(f"a window has more than {self._network.length} words")
        scores = self._network(_padded(rows).to(self._device))
        scores = scores.masked_fill(~self._allowed, -torch.inf)
        found = []
        for row, ids in zip(scores, rows, strict=True):
            places = [number for number, word in enumerate(ids) if word == MASK]
            chosen = row[places].softmax(-1).topk(min(top, int(self._allowed.sum())))
            found.append(
                [
                    [(self._words[word], share) for word, share in zip(ids, shares, strict=True)]
                    for ids, shares in zip(
                        chosen.indices.tolist(), chosen.values.tolist(), strict=True
                    )
                ]
            )
        return found

    def _ids(self, window: Sequence[str | None]) -> list[int]:
        return [MASK if word is None else self._known.get(word, UNKNOWN) for word in window]


@dataclass
class _Place:
    epoch: int = 0
    history: list[float] = field(default_factory=list)


def train_masked(
    train: Sequence[Letter],
    dev: Sequence[Letter],
    recipe: MaskedRecipe,
    out: Path,
    tell: Callable[[int, float], None] = lambda epoch, perplexity: None,
) -> list[float]:
    """Train and write a folder; gives the perplexity of masked words before and after each epoch.

    What is kept is the model of the lowest one. A training that was interrupted goes on after its
    last whole epoch. Sets torch's random state. Raises ConfigError.
    """
    if (out / TRAINING).exists():
        remedy = "choose another folder, or remove this one"
        raise ConfigError(str(out), "holds a trained model already", remedy)
    if not any(letter.words for letter in train) or not any(letter.words for letter in dev):
        raise ConfigError("the notes", "are none to learn from, or none to select by", "give more")
    words = _learnt_words(train, recipe.rare)
    torch.manual_seed(recipe.seed)
    network = MaskedLM(
        len(words), width=recipe.width, layers=recipe.layers, heads=recipe.heads,
        length=recipe.length, dropout=recipe.dropout,
    )  # fmt: skip
    optimizer = torch.optim.AdamW(network.parameters(), recipe.rate, weight_decay=_DECAY)
    mark = recipe.fingerprint(_digest(train) + _digest(dev))
    trained = TrainedMasked(network, words, {"recipe": asdict(recipe)})
    stretches = [_stretches(trained, letters, recipe.length) for letters in (train, dev)]
    place = _Place()
    found = load_checkpoint(out, network, optimizer, mark)
    if found is not None:
        place = _Place(**found.place)
    else:
        place.history.append(_perplexity(network, stretches[1], recipe, len(words)))
    while place.epoch < recipe.epochs and not _is_stuck(place.history, recipe.patience):
        place.epoch += 1
        _learn(network, optimizer, stretches[0], recipe, place.epoch, len(words))
        place.history.append(_perplexity(network, stretches[1], recipe, len(words)))
        if place.history[-1] <= min(place.history):
            save_masked(trained, out)
        save_checkpoint(out, network, optimizer, asdict(place), mark)
        tell(place.epoch, place.history[-1])
    report = {"recipe": asdict(recipe), "perplexity": place.history, "words": len(words)}
    write(out / TRAINING, json.dumps(report, indent=1).encode())
    (out / CHECKPOINT).unlink(missing_ok=True)
    return place.history


def save_masked(trained: TrainedMasked, folder: Path) -> None:
    """Write a model; `masked.json` comes last, so that a folder with it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = dump_weights(dict(trained.network.state_dict()))
    write(folder / WEIGHTS, weights)
    recipe = trained.about["recipe"]
    shape = {name: recipe[name] for name in ("width", "layers", "heads", "length", "dropout")}
    held = {
        "format": _FORMAT,
        "shape": shape,
        "words": trained.words,
        "about": trained.about,
        "sha256": hashlib.sha256(weights).hexdigest(),
    }
    write(folder / SETTINGS, json.dumps(held).encode())


def load_masked(folder: Path) -> TrainedMasked:
    """Read a model; raises ConfigError where it is missing or damaged."""
    try:
        held = json.loads((folder / SETTINGS).read_text("utf-8"))
        weights = (folder / WEIGHTS).read_bytes()
        if held["format"] != _FORMAT or hashlib.sha256(weights).hexdigest() != held["sha256"]:
            raise ValueError
        network = MaskedLM(len(held["words"]), **held["shape"])
        network.load_state_dict(load_weights(weights))
        return TrainedMasked(network, tuple(held["words"]), held["about"])
    except OSError:
        raise ConfigError(str(folder), "holds no masked language model", _REMEDY) from None
    except (ValueError, KeyError, TypeError, RuntimeError, SafetensorError):
        raise ConfigError(str(folder), "is damaged", _REMEDY) from None


@dataclass(frozen=True)
class _Stretch:
    number: int
    ids: list[int] = field(repr=False)
    identifying: list[bool] = field(repr=False)


def _learnt_words(letters: Iterable[Letter], rare: int) -> tuple[str, ...]:
    """Give the words that may be written. Those that identify are not learnt at all."""
    counts = Counter(
        word
        for letter in letters
        for word, tells in zip(letter.words, letter.identifying, strict=True)
        if not tells
    )
    kept = (word for word, count in counts.items() if count >= rare and word not in MARKS)
    return (*MARKS, *sorted(kept, key=lambda word: (-counts[word], word)))


def _stretches(trained: TrainedMasked, letters: Sequence[Letter], length: int) -> list[_Stretch]:
    found: list[_Stretch] = []
    known = {word: number for number, word in enumerate(trained.words)}
    for letter in letters:
        ids = [known.get(word, UNKNOWN) for word in letter.words]
        for start in range(0, len(ids), length):
            part = slice(start, start + length)
            found.append(_Stretch(len(found), ids[part], list(letter.identifying[part])))
    return found


def _masked(stretch: _Stretch, recipe: MaskedRecipe, epoch: int, words: int) -> tuple[Any, Any]:
    chance = generator(recipe.seed, epoch, stretch.number)
    vocabulary = (MASK, len(MARKS), max(words, len(MARKS) + 1))
    seen, wanted = masks(stretch.ids, stretch.identifying, recipe.mask, vocabulary, chance)
    # What is unknown is seen, and never to be guessed: it would be learnt as a word.
    wanted[wanted == UNKNOWN] = IGNORED
    return seen, wanted


def _batches(
    stretches: Sequence[_Stretch], recipe: MaskedRecipe, epoch: int, words: int
) -> Iterator[tuple[Tensor, Tensor]]:
    order = np.argsort([len(each.ids) for each in stretches], kind="stable")
    groups = [order[at : at + recipe.batch] for at in range(0, len(order), recipe.batch)]
    if epoch:
        np.random.default_rng((recipe.seed, epoch)).shuffle(groups)
    for group in groups:
        pairs = [_masked(stretches[number], recipe, epoch, words) for number in group]
        seen = _padded([one.tolist() for one, _ in pairs])
        wanted = _padded([other.tolist() for _, other in pairs], IGNORED)
        yield seen, wanted


def _padded(rows: Sequence[Sequence[int]], filler: int = PAD) -> Tensor:
    most = max(map(len, rows), default=0)
    padded = torch.full((len(rows), most), filler)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = torch.tensor(row)
    return padded


def _loss(network: MaskedLM, seen: Tensor, wanted: Tensor) -> tuple[Tensor, int]:
    """Give the sum of the losses of words to guess, and their number."""
    chosen = wanted != IGNORED
    scores = network(seen)[chosen]
    total = functional.cross_entropy(scores, wanted[chosen], reduction="sum")
    return total, int(chosen.sum())


def _learn(
    network: MaskedLM,
    optimizer: torch.optim.Optimizer,
    stretches: Sequence[_Stretch],
    recipe: MaskedRecipe,
    epoch: int,
    words: int,
) -> None:
    torch.manual_seed(recipe.seed * 1_000_003 + epoch)
    network.train()
    for seen, wanted in _batches(stretches, recipe, epoch, words):
        total, count = _loss(network, seen, wanted)
        if count:
            optimizer.zero_grad()
            (total / count).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()


@torch.inference_mode()
def _perplexity(
    network: MaskedLM, stretches: Sequence[_Stretch], recipe: MaskedRecipe, words: int
) -> float:
    network.eval()
    nats, guessed = 0.0, 0
    for seen, wanted in _batches(stretches, recipe, 0, words):
        total, count = _loss(network, seen, wanted)
        nats, guessed = nats + float(total), guessed + count
    return float(np.exp(nats / guessed)) if guessed else float("inf")


def _is_stuck(history: Sequence[float], patience: int) -> bool:
    best = history.index(min(history))
    return best > 0 and len(history) - 1 - best >= patience


def _digest(letters: Sequence[Letter]) -> str:
    held = [[list(letter.words), list(map(bool, letter.identifying))] for letter in letters]
    return hashlib.sha256(json.dumps(held).encode()).hexdigest()
