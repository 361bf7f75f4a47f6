"""Training notes as passages, drawn into steps in random order."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.tagger.encoders.subword_tokenizer import SubWords
from models.tagger.encoders.windows import Window, length
from models.tagger.network import Pieces, TaggerBatch, collate
from models.tagger.sequences.alignment import (
    Booleans,
    Gold,
    TrainingNote,
    cut_text,
    passages,
    word_spans,
)
from models.tagger.training.augmentation import Augmenter
from models.tagger.training.recipe import TaggerRecipe

_WORDS = 300  # of a passage: more of them side by side learn faster than longer ones
_STEPS_SORTED = 8

T = TypeVar("T")


@dataclass(frozen=True)
class Passage:
    """Consecutive windows of a note and the tags allowed for the words of their cores.

    `tokens` is the length of all windows with their marks, `longest` that of the longest.
    """

    pieces: Pieces = field(repr=False)
    windows: Sequence[Window]
    allowed: Booleans = field(repr=False)
    tokens: int
    longest: int


@dataclass
class Samples:
    """Makes the steps of an epoch; the same epoch is always the same.

    `losses` counts spans that could not be learnt as they are, over all notes made.
    """

    notes: Sequence[TrainingNote] = field(repr=False)
    subwords: SubWords
    gold: Gold
    recipe: TaggerRecipe
    augment: Augmenter
    losses: Counter[str] = field(default_factory=Counter)
    _plain: list[list[Passage] | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._plain = [None] * len(self.notes)

    def steps(self, epoch: int) -> list[list[Passage]]:
        """Return the passages of each step: about as many tokens each, of any lengths."""
        seed = f"{self.recipe.seed}/{epoch}"
        random = Random(seed)  # noqa: S311 - to be repeatable, not secret
        found = [one for at in range(len(self.notes)) for one in self._passages(at, seed)]
        random.shuffle(found)
        pool = _STEPS_SORTED * self.recipe.step_tokens
        steps = [
            step
            for many in filled(found, pool, _tokens)
            for step in filled(sorted(many, key=_tokens), self.recipe.step_tokens, _tokens)
        ]
        random.shuffle(steps)
        return steps

    def _passages(self, at: int, seed: str) -> list[Passage]:
        note = self.notes[at]
        changed = self.augment(note.annotated, f"{seed}/{at}")
        if changed is not note.annotated:
            return self._made(TrainingNote(changed, note.labels), Counter())
        kept = self._plain[at]
        if kept is None:
            kept = self._plain[at] = self._made(note, self.losses)
        return kept

    def _made(self, note: TrainingNote, losses: Counter[str]) -> list[Passage]:
        # Nothing is learnt from context on each side, which costs a quarter of the time.
        cut = replace(self.recipe.cut, context=0)
        cutting = cut_text(note.annotated.document.text, self.subwords, cut)
        allowed = self.gold.allowed(note, cutting.words, losses)
        spans = word_spans(note.annotated.spans, cutting.words, Counter())
        found = []
        for group in passages(cutting.windows, spans, _WORDS):
            windows = cutting.windows[group.start : group.stop]
            sizes = [length(cutting.pieces, window) for window in windows]
            words = allowed[windows[0].core : windows[-1].core_end]
            found.append(Passage(cutting.pieces, windows, words, sum(sizes), max(sizes)))
        return found


def _tokens(passage: Passage) -> int:
    return passage.tokens


def filled(parts: Sequence[T], tokens: int, size: Callable[[T], int]) -> Iterator[list[T]]:
    """Part what has a size in tokens, in order, where as many tokens are reached."""
    group: list[T] = []
    total = 0
    for part in parts:
        of = size(part)
        if group and total + of / 2 > tokens:
            yield group
            group, total = [], 0
        group.append(part)
        total += of
    if group:
        yield group


@dataclass(frozen=True)
class CorpusPart:
    """Some passages of a step as tensors; `allowed` (passages, words, ...) and `lengths`."""

    batch: TaggerBatch
    lengths: Tensor
    allowed: Tensor


def parts(step: Sequence[Passage], tokens: int, device: torch.device) -> Iterator[CorpusPart]:
    """Return the passages of a step in parts of at most so many tokens with their padding.

    A passage that is longer is a part of its own.
    """
    part: list[Passage] = []
    for passage in sorted(step, key=lambda one: one.longest):
        windows = sum(len(one.windows) for one in part) + len(passage.windows)
        if part and windows * passage.longest > tokens:
            yield _part(part, device)
            part = []
        part.append(passage)
    yield _part(part, device)


def _part(passages: Sequence[Passage], device: torch.device) -> CorpusPart:
    batch = collate([(one.pieces, window) for one in passages for window in one.windows])
    lengths = torch.tensor([len(one.allowed) for one in passages])
    allowed = [torch.from_numpy(one.allowed) for one in passages]
    # Words beyond a length count for nothing, so any tag may be allowed there.
    padded = pad_sequence(allowed, batch_first=True, padding_value=True)
    return CorpusPart(batch.to(device), lengths.to(device), padded.to(device))
