"""Masking of letters: identifiers, and a share of the other words, marked for replacement.

Three phases, as in Belkadi et al. (2023): whatever identifies is always masked; medical words are
protected; of the other words a share of each part of speech is masked. Where phases claim the same
word, identifiers come before medicine, and medicine before parts of speech.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Protocol

from record.document import Document
from record.errors import ConfigError
from record.span import Span
from record.tokens import Token, is_break, tokens


class Phase(StrEnum):
    """The phase that decided on a word."""

    IDENTIFIER = "identifier"
    MEDICAL = "medical"
    SPEECH = "speech"
    REST = "rest"
    """None: the word stays."""


@dataclass(frozen=True, slots=True)
class MaskingDecision:
    """Whether the words from `start` to `end` are masked, and why.

    `reason` is the label of the identifier, the class of the medical entity or the part of speech.
    An identifier is decided on as a whole, other words one by one.
    """

    start: int
    end: int
    phase: Phase
    reason: str
    is_masked: bool


@dataclass(frozen=True)
class Masking:
    """How much is masked: shares from 0 to 1.

    `speech` are shares to mask by part of speech, `medical` shares to *keep* by class of medical
    entity (default 1), and `slots` widens or narrows identifiers by up to so many words, since
    their number of words tells something about them.
    """

    speech: Mapping[str, float] = field(default_factory=dict)
    medical: Mapping[str, float] = field(default_factory=dict)
    slots: int = 0
    seed: int = 1

    def __post_init__(self) -> None:
        for name, shares in (("speech", self.speech), ("medical", self.medical)):
            for key, value in shares.items():
                if not 0 <= value <= 1:
                    problem = "must be between 0 and 1"
                    raise ConfigError(f"{name}.{key}", problem, "give a fraction")
        if self.slots < 0:
            raise ConfigError("slots", "must be at least 0", "give 0 or more")


class MedicalTagger(Protocol):
    """Finds medical entities, of classes of its own."""

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the entities of each document."""


@dataclass(frozen=True)
class MaskedDocument:
    """A letter with its decisions, in order and disjoint; uncovered text is white space."""

    document: Document = field(repr=False)
    decisions: tuple[MaskingDecision, ...]
    widths: tuple[int, ...]
    """How many words each masked decision gets, in order of the masked ones."""

    def render(self, mask: str = "<mask>") -> str:
        """Write the letter with a mask for each word to be filled in."""
        parts: list[str] = []
        at = 0
        widths = iter(self.widths)
        text = self.document.text
        for decision in self.decisions:
            if decision.is_masked:
                parts += [text[at : decision.start], " ".join([mask] * next(widths))]
                at = decision.end
        return "".join([*parts, text[at:]])

    @property
    def identifiers(self) -> list[Span]:
        """The identifiers, in order, each as long as what is masked of it."""
        return [
            Span(each.start, each.end, each.reason)
            for each in self.decisions
            if each.phase is Phase.IDENTIFIER
        ]

    def counts(self) -> Counter[tuple[Phase, str, bool]]:
        """Count decisions by phase, reason and whether it masks."""
        return Counter((each.phase, each.reason, each.is_masked) for each in self.decisions)


def words_of(text: str) -> list[Token]:
    """Return the words and signs of a text: its tokens without line breaks."""
    return [word for word in tokens(text) if not is_break(text, word)]


def mask(
    document: Document,
    identifiers: Iterable[Span],
    medical: Iterable[Span],
    masking: Masking,
    parts: Sequence[str] | None = None,
) -> MaskedDocument:
    """Decide for every word of a letter whether it is masked.

    `parts` is the part of speech of each of its words (`words_of`), such as NOUN, empty where it
    is not known. Of `count` words of a part of speech, int(share x count) are masked, drawn at
    random; likewise of the words of a medical class. The same letter, seed and spans give the same
    decisions, whatever other letters are masked.
    """
    text = document.text
    words = words_of(text)
    rng = _rng(document.note_id, masking.seed)
    groups = _merge_overlapping(_grow_to_words(span, words) for span in identifiers)
    taken = touched_words(groups, words)
    kinds = {
        word: span.label for word, span in _words_in_spans(medical, words) if word not in taken
    }
    decisions = [
        MaskingDecision(group.start, group.end, Phase.IDENTIFIER, group.label, is_masked=True)
        for group in groups
    ]
    free = [number for number in range(len(words)) if number not in taken]
    parts = parts or [""] * len(words)
    if len(parts) != len(words):
        raise ValueError("parts must have one entry per word")
    to_mask = _draw_words(
        {number: kinds[number] for number in free if number in kinds},
        {kind: 1 - masking.medical.get(kind, 1.0) for kind in set(kinds.values())},
        rng,
    ) | _draw_words(
        {
            n: parts[n]
            for n in free
            if n not in kinds and any(map(str.isalnum, text[slice(*words[n])]))
        },
        masking.speech,
        rng,
    )
    for number in free:
        is_medical = number in kinds
        phase = Phase.MEDICAL if is_medical else Phase.SPEECH if parts[number] else Phase.REST
        reason = kinds[number] if is_medical else parts[number]
        decisions.append(MaskingDecision(*words[number], phase, reason, number in to_mask))
    decisions.sort(key=lambda each: (each.start, each.end))
    return MaskedDocument(
        document, tuple(decisions), tuple(_widths(decisions, words, masking, rng))
    )


def _merge_overlapping(spans: Iterable[Span]) -> list[Span]:
    """Return disjoint identifiers in order; those that overlap become one,
    named after the first.
    """
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            if span.end > merged[-1].end:
                merged[-1] = Span(merged[-1].start, span.end, merged[-1].label)
        else:
            merged.append(span)
    return merged


def _words_in_spans(
    spans: Iterable[Span], words: Sequence[tuple[int, int]]
) -> Iterable[tuple[int, Span]]:
    """Return the numbers of the words that spans touch; of several spans the last one wins."""
    starts, ends = [start for start, _ in words], [end for _, end in words]
    for span in spans:
        for number in range(bisect_right(ends, span.start), bisect_left(starts, span.end)):
            yield number, span


def touched_words(spans: Iterable[Span], words: Sequence[tuple[int, int]]) -> set[int]:
    """Return the numbers of the words that spans touch."""
    return {number for number, _ in _words_in_spans(spans, words)}


def _grow_to_words(span: Span, words: Sequence[tuple[int, int]]) -> Span:
    """Extend an identifier to word boundaries, so that no part of a word remains."""
    inside = [words[number] for number in touched_words([span], words)]
    start = min([span.start, *(start for start, _ in inside)])
    end = max([span.end, *(end for _, end in inside)])
    return Span(start, end, span.label)


def _draw_words(kinds: Mapping[int, str], shares: Mapping[str, float], rng: Random) -> set[int]:
    """Draw int(share x count) words of each kind."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for number, kind in sorted(kinds.items()):
        groups[kind].append(number)
    drawn: set[int] = set()
    for kind, numbers in sorted(groups.items()):
        # What is 3 as a product of decimals may be 2.9999 in binary.
        drawn.update(rng.sample(numbers, int(shares.get(kind, 0.0) * len(numbers) + 1e-9)))
    return drawn


def _widths(
    decisions: Iterable[MaskingDecision],
    words: Sequence[tuple[int, int]],
    masking: Masking,
    rng: Random,
) -> Iterable[int]:
    for decision in decisions:
        if not decision.is_masked:
            continue
        words_in_decision = len(
            touched_words([Span(decision.start, decision.end, decision.reason)], words)
        )
        change = 0
        if decision.phase is Phase.IDENTIFIER and masking.slots:
            change = rng.randint(-masking.slots, masking.slots)
        yield max(1, words_in_decision + change)


def _rng(note_id: str, seed: int) -> Random:
    digest = hashlib.blake2b(f"{seed}/{note_id}".encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest))  # noqa: S311 - what is drawn is no secret
