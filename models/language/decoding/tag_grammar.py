"""Constrained decoding: which tags may come next, so that generated tags are well formed."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from models.language.corpus.vocabulary import END, Vocabulary

_EXCLUDED = float("-inf")
_OUTSIDE = 0
_TAGS = 2
_ROOM = 4  # ids that the shortest entity takes: tag, word, tag, and the end
_SHORTEST = 3  # the same without the end
_MAX_END_PROBABILITY = 0.99

LENGTH_TOLERANCE = 0.2
"""How much longer than wanted, as a share, a text may be before it ends with its next sentence."""


@dataclass(frozen=True)
class TagTokens:
    """The tags that the grammar constrains.

    `pairs` open and close entities of a label, `outside` may not stand inside an entity, and
    `hidden` may not occur in a text. `longest` is the most tokens of an entity of each label.
    """

    pairs: Sequence[tuple[str, str]]
    longest: Sequence[int]
    outside: Sequence[str] = ()
    hidden: Sequence[str] = ()


def most_entities(room: int) -> int:
    """Return how many entities of one word each fit into so many tokens."""
    return max(0, (room - 1) // _SHORTEST)


class Grammar:
    """A finite automaton over ids. Its states: outside; for each label, just opened, and open
    with a letter or a digit inside. An entity closes before another opens or the text ends."""

    def __init__(self, vocabulary: Vocabulary, marks: TagTokens) -> None:
        self.labels = len(marks.pairs)
        self.end = vocabulary.mark(END)
        count = len(vocabulary.marks)
        self.starts = torch.tensor([vocabulary.mark(start) for start, _ in marks.pairs]).long()
        self.ends = torch.tensor([vocabulary.mark(end) for _, end in marks.pairs]).long()
        self.has_alphanumeric = vocabulary.has_alphanumeric
        breaks = [vocabulary.mark(mark) for mark in marks.outside]
        self.ends_sentence = vocabulary.ends_sentence.index_fill(
            0, torch.tensor(breaks).long(), True
        )
        """Which ids end a sentence or a line."""
        states = 1 + 2 * self.labels
        self.allowed = torch.ones(states, count, dtype=torch.bool)
        self.allowed[_OUTSIDE, self.ends] = False
        within = [self.end, *self.starts.tolist(), *map(vocabulary.mark, marks.outside)]
        self.allowed[1:, within] = False
        self.allowed[1:, self.ends] = False
        self.after = torch.arange(states)[:, None].repeat(1, count)
        for number, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            self.after[:, start] = self.opened(number)
            self.after[:, end] = _OUTSIDE
            self.allowed[self.opened(number) + 1, end] = True
        self.longest = torch.tensor([0, *(n for each in marks.longest for n in (each, each))])
        """The most ids of an entity, by state."""
        hidden = torch.tensor([vocabulary.mark(mark) for mark in marks.hidden]).long()
        self.hidden = torch.cat([hidden, vocabulary.excluded])

    def on(self, device: torch.device) -> "Grammar":
        """Return the same grammar on a device."""
        if self.starts.device == device:
            return self
        moved = copy(self)
        moved.__dict__.update(
            {name: each.to(device) for name, each in vars(self).items() if isinstance(each, Tensor)}
        )
        return moved

    @staticmethod
    def opened(label: int) -> int:
        """Return the state in which a label was just opened; the next one is open with a word."""
        return 1 + 2 * label

    def advance(self, states: Tensor, ids: Tensor) -> Tensor:
        """Return the states after one more id of each text. (rows,)"""
        marks = self.after.shape[1]
        is_mark = ids < marks
        is_opened = (states % 2 == 1) & self.has_alphanumeric[ids]
        after_text = states + (is_opened & ~is_mark).long()
        return torch.where(is_mark, self.after[states, ids.clamp_max(marks - 1)], after_text)

    def length_to_last_sentence(self, ids: Sequence[int]) -> int:
        """Return how many ids go up to the last end of a sentence or line, all of them where an
        entity begins or ends after it, or there is none."""
        tags = {*self.starts.tolist(), *self.ends.tolist()}
        for at in range(len(ids), 0, -1):
            if self.ends_sentence[ids[at - 1]]:
                return at
            if ids[at - 1] in tags:
                break
        return len(ids)


@dataclass
class TagRules:
    """Decoding constraints of a batch of texts. (rows,) except `left`.

    `written` counts tokens, `least` and `most` bound it; `inside` counts those of the open entity
    after its tag; `left` (rows, labels) is how many entities of each label are still required,
    None if any may come. Without `is_masked` tags are unconstrained. `target_length` is the
    intended length, None if there is none; `is_rest` means that a sentence or line has just ended.
    """

    grammar: Grammar
    states: Tensor
    written: Tensor
    least: Tensor
    most: Tensor
    left: Tensor | None
    inside: Tensor
    is_masked: bool = True
    hurried: Tensor | None = None
    """Whether what was missing had to come at once, for want of room; None before it was asked."""
    target_length: Tensor | None = None
    is_rest: Tensor | None = None

    def apply(self, scores: Tensor) -> Tensor:
        """Rule out what may not come next, in place. (rows, vocabulary)"""
        grammar, room = self.grammar, self.most - self.written
        scores.index_fill_(1, grammar.hidden, _EXCLUDED)
        if self.target_length is not None:
            self._favour_end(scores, self.target_length)
        if self.left is not None:
            self._enforce_entities(scores)
        scores[self.written < self.least, grammar.end] = _EXCLUDED
        if self.is_masked:
            self._mask(scores)
            tight = (room < _ROOM).nonzero()
            scores[tight, grammar.starts] = _EXCLUDED
            self._force_closing(scores, room)
        return _force_token(scores, (room <= 0).nonzero().flatten(), grammar.end)

    def _mask(self, scores: Tensor) -> None:
        """Rule out what the grammar forbids. Where a model would rather break the line, open
        another entity or end than close the open one, that probability goes to its end tag."""
        grammar = self.grammar
        marks = grammar.after.shape[1]
        allowed = grammar.allowed[self.states]
        rows = self._in_entity_with_word.nonzero().flatten()
        tags = grammar.ends[(self.states[rows] - 2) // 2]
        forbidden = scores[rows, :marks].masked_fill(allowed[rows], _EXCLUDED).logsumexp(1)
        scores[:, :marks].masked_fill_(~allowed, _EXCLUDED)
        scores[rows, tags] = torch.logaddexp(scores[rows, tags], forbidden)

    @property
    def _in_entity_with_word(self) -> Tensor:
        """Return which texts are inside an entity with a word. (rows,)"""
        return (self.states > 0) & (self.states % 2 == 0)

    def _favour_end(self, scores: Tensor, target_length: Tensor) -> None:
        """Make the end likelier wherever a sentence ends in a text that is as long as wanted.

        Of the probability of all else a share goes to the end, which grows from 0 at the length
        wanted to nearly 1.
        """
        share = (self.written - target_length) / (LENGTH_TOLERANCE * target_length).clamp_min(1.0)
        rows = (self._after_sentence & (share > 0)).nonzero().flatten()
        if not len(rows):
            return
        share, end = share[rows].clamp_max(_MAX_END_PROBABILITY), self.grammar.end
        others = scores[rows]
        others[:, end] = _EXCLUDED
        others = others.logsumexp(1)
        odds = (scores[rows, end] - others).exp()
        scores[rows, end] = others + (odds + share).log() - (-share).log1p()

    @property
    def _after_sentence(self) -> Tensor:
        """Return which texts just ended a sentence. (rows,)"""
        if self.is_rest is None:
            return torch.zeros_like(self.states, dtype=torch.bool)
        return self.is_rest

    def _enforce_entities(self, scores: Tensor) -> None:
        """Hold texts to the entities wanted: where one would end too early, the probability of
        its end goes to the tags that are missing."""
        assert self.left is not None
        grammar = self.grammar
        tags = scores[:, grammar.starts].masked_fill(self.left <= 0, _EXCLUDED)
        missing = (self.left > 0).any(1)
        end = scores[:, grammar.end, None]
        shared = torch.logaddexp(tags, end + tags.log_softmax(1))
        scores[:, grammar.starts] = torch.where(missing[:, None], shared, tags)
        scores[missing, grammar.end] = _EXCLUDED
        # Let nothing but missing entities come where the room left is needed for them: at most the
        # last half of a text, unless they take more even with a word each. Where a sentence ends
        # they come sooner than in the middle of one.
        assert self.left is not None
        room = self.most - self.written
        each = self.grammar.longest[1::2] + _TAGS
        needed = torch.minimum((each * self.left.clamp_min(0)).sum(1), self.most // 2)
        needed = torch.maximum(
            torch.where(self._after_sentence, 2 * needed, needed), self._reserved_room
        )
        late = missing & (self.states == _OUTSIDE) & (room <= needed) & (room >= _ROOM)
        if self.hurried is None:
            self.hurried = torch.zeros_like(late)
        self.hurried |= late
        rows, starts = late.nonzero(), self.grammar.starts
        tags = scores[rows, starts]
        scores[rows.flatten()] = _EXCLUDED
        scores[rows, starts] = tags

    @property
    def _reserved_room(self) -> Tensor:
        """Return the room that entities still wanted take with a word each. (rows,)"""
        if self.left is None:
            return torch.zeros_like(self.written)
        missing = self.left.clamp_min(0).sum(1)
        return _SHORTEST * missing + (missing > 0).long()

    def _force_closing(self, scores: Tensor, room: Tensor) -> None:
        """Close entities before there is no more room, for them or for those that must come."""
        grammar, room = self.grammar, room - self._reserved_room
        wordless = (self.states % 2 == 1) & (room <= _ROOM // 2)
        rows = wordless.nonzero().flatten()
        scores[rows] = scores[rows].masked_fill(~grammar.has_alphanumeric, _EXCLUDED)
        full = (room <= 1) | (self.inside >= grammar.longest[self.states])
        rows = (self._in_entity_with_word & full).nonzero().flatten()
        _force_token(scores, rows, grammar.ends[(self.states[rows] - 2) // 2])

    def advance(self, ids: Tensor, counts: Tensor) -> None:
        """Take the next ids of all texts; those that `counts` is false for are not of the body."""
        grammar = self.grammar
        self.states = torch.where(counts, grammar.advance(self.states, ids), self.states)
        self.is_rest = counts & grammar.ends_sentence[ids] & (self.states == _OUTSIDE)
        # The tag that opens an entity is none of its tokens.
        is_inside = (self.states > 0) & (ids[:, None] != grammar.starts).all(1)
        self.inside = torch.where(is_inside, self.inside + counts.long(), 0)
        self.written = self.written + (counts & (ids != grammar.end)).long()
        if self.left is not None:
            begun = (ids[:, None] == grammar.starts) & counts[:, None]
            self.left = self.left - begun.long()

    def keep(self, rows: Tensor) -> "TagRules":
        """Return the rules of some rows."""
        held: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        kept: dict[str, Any] = {n: v[rows] for n, v in held.items() if isinstance(v, Tensor)}
        return replace(self, **kept)


def _force_token(scores: Tensor, rows: Tensor, number: Tensor | int) -> Tensor:
    """Leave one id to some rows, in place."""
    scores[rows] = _EXCLUDED
    scores[rows, number] = 0.0
    return scores
