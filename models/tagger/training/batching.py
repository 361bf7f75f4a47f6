"""Batching of training notes: passages of windows, shuffled into steps by token count."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.windows import Window, window_length
from models.tagger.network import NoteSubwords, TaggerBatch, collate
from models.tagger.sequences.alignment import (
    Booleans,
    GoldTags,
    TrainingNote,
    group_windows,
    segment_text,
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

    pieces: NoteSubwords = field(repr=False)
    windows: Sequence[Window]
    allowed: Booleans = field(repr=False)
    tokens: int
    longest: int


@dataclass
class TrainingBatches:
    """Makes the batches of an epoch, deterministically.

    `losses` counts spans that could not be learnt as they are, over all notes made.
    """

    notes: Sequence[TrainingNote] = field(repr=False)
    subwords: SubwordTokenizer
    gold: GoldTags
    recipe: TaggerRecipe
    augment: Augmenter
    losses: Counter[str] = field(default_factory=Counter)
    _unchanged: list[list[Passage] | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._unchanged = [None] * len(self.notes)

    def steps(self, epoch: int) -> list[list[Passage]]:
        """Return the passages of each step: about as many tokens each, of any lengths."""
        seed = f"{self.recipe.seed}/{epoch}"
        random = Random(seed)  # noqa: S311 - to be repeatable, not secret
        found = [one for at in range(len(self.notes)) for one in self._passages(at, seed)]
        random.shuffle(found)
        pool = _STEPS_SORTED * self.recipe.step_tokens
        steps = [
            step
            for many in group_by_tokens(found, pool, _tokens)
            for step in group_by_tokens(sorted(many, key=_tokens), self.recipe.step_tokens, _tokens)
        ]
        random.shuffle(steps)
        return steps

    def _passages(self, at: int, seed: str) -> list[Passage]:
        note = self.notes[at]
        changed = self.augment(note.annotated, f"{seed}/{at}")
        if changed is not note.annotated:
            return self._make_passages(TrainingNote(changed, note.labels), Counter())
        kept = self._unchanged[at]
        if kept is None:
            kept = self._unchanged[at] = self._make_passages(note, self.losses)
        return kept

    def _make_passages(self, note: TrainingNote, losses: Counter[str]) -> list[Passage]:
        # Nothing is learnt from context on each side, which costs a quarter of the time.
        cut = replace(self.recipe.cut, context=0)
        cutting = segment_text(note.annotated.document.text, self.subwords, cut)
        allowed = self.gold.allowed(note, cutting.words, losses)
        spans = word_spans(note.annotated.spans, cutting.words, Counter())
        found = []
        for group in group_windows(cutting.windows, spans, _WORDS):
            windows = cutting.windows[group.start : group.stop]
            sizes = [window_length(cutting.pieces, window) for window in windows]
            words = allowed[windows[0].core : windows[-1].core_end]
            found.append(Passage(cutting.pieces, windows, words, sum(sizes), max(sizes)))
        return found


def _tokens(passage: Passage) -> int:
    return passage.tokens


def group_by_tokens(parts: Sequence[T], tokens: int, size: Callable[[T], int]) -> Iterator[list[T]]:
    """Group items in order, starting a new group when so many tokens are reached."""
    group: list[T] = []
    total = 0
    for part in parts:
        size_of_part = size(part)
        if group and total + size_of_part / 2 > tokens:
            yield group
            group, total = [], 0
        group.append(part)
        total += size_of_part
    if group:
        yield group


@dataclass(frozen=True)
class MicroBatch:
    """Some passages of a step as tensors; `allowed` (passages, words, ...) and `lengths`."""

    batch: TaggerBatch
    lengths: Tensor
    allowed: Tensor


def micro_batches(
    step: Sequence[Passage], tokens: int, device: torch.device
) -> Iterator[MicroBatch]:
    """Return the passages of a step in micro-batches of at most so many tokens with padding.

    A passage that is longer is a part of its own.
    """
    part: list[Passage] = []
    for passage in sorted(step, key=lambda one: one.longest):
        windows = sum(len(one.windows) for one in part) + len(passage.windows)
        if part and windows * passage.longest > tokens:
            yield _micro_batch(part, device)
            part = []
        part.append(passage)
    yield _micro_batch(part, device)


def _micro_batch(passages: Sequence[Passage], device: torch.device) -> MicroBatch:
    batch = collate([(one.pieces, window) for one in passages for window in one.windows])
    lengths = torch.tensor([len(one.allowed) for one in passages])
    allowed = [torch.from_numpy(one.allowed) for one in passages]
    # Words beyond a length count for nothing, so any tag may be allowed there.
    padded = pad_sequence(allowed, batch_first=True, padding_value=True)
    return MicroBatch(batch.to(device), lengths.to(device), padded.to(device))
