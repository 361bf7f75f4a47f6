"""Span prediction: windows in batches, then one best tag sequence per note."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.windows import Window, WindowConfig, window_length
from models.tagger.network import Network, PredictedSpan, collate
from models.tagger.sequences.alignment import SegmentedText, segment_text
from record.document import Document
from record.errors import Unsafe
from record.span import Span

DETECTOR = "model"

_MAX_DECODED_WORDS = 1_000
_SPLIT_RANGE = 200
_SPLIT_CONFIDENCE = 0.99
_BATCH_TOKENS = 2_048
_BATCH_WORDS = 16_384


def predict(
    network: Network, subwords: SubwordTokenizer, cut: WindowConfig, documents: Sequence[Document]
) -> list[list[Span]]:
    """Find the spans of documents, in order; `score` is the network's confidence.

    Every character but white space was in some window. The network must be in evaluation mode.
    Raises Unsafe if a score is not finite.
    """
    cuttings = [segment_text(document.text, subwords, cut) for document in documents]
    return decode(network, cuttings, score_words(network, cuttings))


def score_words(network: Network, cuttings: Sequence[SegmentedText]) -> list[Tensor]:
    """Score the tags of the words of each text. (words, tags) each

    Raises Unsafe if a score is not finite.
    """
    with torch.no_grad():
        scores = [torch.empty(len(c.words), network.head.size) for c in cuttings]
        every = [(note, window) for note, c in enumerate(cuttings) for window in c.windows]
        for group in _batches(
            every, [window_length(cuttings[note].pieces, window) for note, window in every]
        ):
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


def decode(
    network: Network, cuttings: Sequence[SegmentedText], scores: Sequence[Tensor]
) -> list[list[Span]]:
    """Return the spans of each text under the best sequence of tags for the scores of its words."""
    return [
        [
            Span(cutting.words[first][0], cutting.words[end - 1][1], label, DETECTOR, confidence)
            for first, end, label, confidence in found
        ]
        for cutting, found in zip(cuttings, _best_spans(network, cuttings, scores), strict=True)
    ]


def _batches(
    every: Sequence[tuple[int, Window]], lengths: Sequence[int]
) -> Iterator[list[tuple[int, Window]]]:
    """Group windows of like length, so that no batch has too many pieces with its padding."""
    group: list[tuple[int, Window]] = []
    for place in sorted(range(len(every)), key=lambda at: -lengths[at]):
        group.append(every[place])
        if (len(group) + 1) * lengths[place] > _BATCH_TOKENS:
            yield group
            group = []
    if group:
        yield group


def _best_spans(
    network: Network, cuttings: Sequence[SegmentedText], scores: Sequence[Tensor]
) -> list[list[PredictedSpan]]:
    """Read spans off scores; a very long note in parts."""
    found: list[list[PredictedSpan]] = [[] for _ in cuttings]
    parts = [
        (note, start, end)
        for note, cutting in enumerate(cuttings)
        for start, end in _split_long_note(network, cutting, scores[note])
    ]
    parts.sort(key=lambda part: part[1] - part[2])
    while parts:
        count = max(1, _BATCH_WORDS // (parts[0][2] - parts[0][1]))
        batch, parts = parts[:count], parts[count:]
        padded = pad_sequence([scores[n][start:end] for n, start, end in batch], batch_first=True)
        lengths = torch.tensor([end - start for _, start, end in batch])
        spans = network.head.decode(padded, lengths)
        for (note, at, _), each in zip(batch, spans, strict=True):
            found[note] += [
                (first + at, end + at, label, confidence) for first, end, label, confidence in each
            ]
    return [sorted(each) for each in found]


def _split_long_note(
    network: Network, cutting: SegmentedText, scores: Tensor
) -> Iterator[tuple[int, int]]:
    """Split a note where the network is confident that no span continues, ideally at line ends.

    Sums over sequences keep every step in memory, and run over all parts side by side.
    """
    words, start = len(cutting.words), 0
    breaks = set(cutting.breaks)
    while words - start > _MAX_DECODED_WORDS:
        earliest = start + _MAX_DECODED_WORDS - _SPLIT_RANGE
        outside = network.head.outside_probability(scores[earliest : start + _MAX_DECODED_WORDS])
        ranked = [
            (confidence > _SPLIT_CONFIDENCE, earliest + at in breaks, confidence)
            for at, confidence in enumerate(outside.tolist())
        ]
        best = ranked.index(max(ranked))
        yield start, earliest + best + 1
        start = earliest + best + 1
    if words > start:
        yield start, words
