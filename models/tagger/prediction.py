"""Spans of notes by a network: windows in batches, then one best sequence over the whole note."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.tagger.encoders.subword_tokenizer import SubWords
from models.tagger.encoders.windows import Cut, Window, length
from models.tagger.network import Found, Network, collate
from models.tagger.sequences.alignment import Cutting, cut_text
from record.document import Document
from record.errors import Unsafe
from record.span import Span

DETECTOR = "model"

_LONGEST = 1_000
_CUT_WITHIN = 200
_CERTAIN = 0.99
_TOKENS = 2_048
_WORDS = 16_384


def predict(
    network: Network, subwords: SubWords, cut: Cut, documents: Sequence[Document]
) -> list[list[Span]]:
    """Find the spans of documents, in order of place; `score` is how sure the network is.

    Every character but white space was in some window. The network must be in evaluation mode.
    Raises Unsafe where a score is no finite number.
    """
    cuttings = [cut_text(document.text, subwords, cut) for document in documents]
    with torch.no_grad():
        scores = _scored(network, cuttings)
    return [
        [
            Span(cutting.words[first][0], cutting.words[end - 1][1], label, DETECTOR, sure)
            for first, end, label, sure in found
        ]
        for cutting, found in zip(cuttings, _read(network, cuttings, scores), strict=True)
    ]


def _scored(network: Network, cuttings: Sequence[Cutting]) -> list[Tensor]:
    """Score the tags of each note's words. (words, tags) each"""
    scores = [torch.empty(len(c.words), network.head.size) for c in cuttings]
    every = [(note, window) for note, c in enumerate(cuttings) for window in c.windows]
    for group in _groups(every, [length(cuttings[note].pieces, window) for note, window in every]):
        batch = collate([(cuttings[note].pieces, window) for note, window in group])
        given = network(batch.to(network.device)).float().cpu()
        at = 0
        for note, window in group:
            size = window.core_end - window.core
            scores[note][window.core : window.core_end] = given[at : at + size]
            at += size
    if not all(torch.isfinite(each).all() for each in scores):
        raise Unsafe("scores-not-finite")
    return scores


def _groups(
    every: Sequence[tuple[int, Window]], lengths: Sequence[int]
) -> Iterator[list[tuple[int, Window]]]:
    """Group windows of like length, so that no batch has too many pieces with its padding."""
    group: list[tuple[int, Window]] = []
    for place in sorted(range(len(every)), key=lambda at: -lengths[at]):
        group.append(every[place])
        if (len(group) + 1) * lengths[place] > _TOKENS:
            yield group
            group = []
    if group:
        yield group


def _read(
    network: Network, cuttings: Sequence[Cutting], scores: Sequence[Tensor]
) -> list[list[Found]]:
    """Read spans off scores; a very long note in parts."""
    found: list[list[Found]] = [[] for _ in cuttings]
    parts = [
        (note, start, end)
        for note, cutting in enumerate(cuttings)
        for start, end in _parts(network, cutting, scores[note])
    ]
    parts.sort(key=lambda part: part[1] - part[2])
    while parts:
        count = max(1, _WORDS // (parts[0][2] - parts[0][1]))
        batch, parts = parts[:count], parts[count:]
        padded = pad_sequence([scores[n][start:end] for n, start, end in batch], batch_first=True)
        lengths = torch.tensor([end - start for _, start, end in batch])
        spans = network.head.read(padded, lengths)
        for (note, at, _), each in zip(batch, spans, strict=True):
            found[note] += [(first + at, end + at, label, sure) for first, end, label, sure in each]
    return [sorted(each) for each in found]


def _parts(network: Network, cutting: Cutting, scores: Tensor) -> Iterator[tuple[int, int]]:
    """Part a note where it is longest certain that no span goes on: behind a line break, at best.

    Sums over sequences keep every step in memory, and run over all parts side by side.
    """
    words, start = len(cutting.words), 0
    breaks = set(cutting.breaks)
    while words - start > _LONGEST:
        earliest = start + _LONGEST - _CUT_WITHIN
        outside = network.head.outside(scores[earliest : start + _LONGEST])
        ranked = [
            (sure > _CERTAIN, earliest + at in breaks, sure)
            for at, sure in enumerate(outside.tolist())
        ]
        best = ranked.index(max(ranked))
        yield start, earliest + best + 1
        start = earliest + best + 1
    if words > start:
        yield start, words
