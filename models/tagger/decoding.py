"""From the scores of a text's words to spans: the best sequence of tags, in parts if it is long."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.tagger.sequences.alignment import SegmentedText
from models.tagger.sequences.chain_inference import ChainInference, Integers
from models.tagger.sequences.tags import TagScheme
from models.tagger.thresholds import SpanThresholds
from record.span import Span

DETECTOR = "model"

PredictedSpan = tuple[int, int, str, float]
"""First word, last word (exclusive), label and confidence."""

Floats = NDArray[np.float32]

_MAX_DECODED_WORDS = 1_000
_SPLIT_RANGE = 200
_SPLIT_CONFIDENCE = 0.99
_BATCH_WORDS = 16_384


class Decoder(Protocol):
    """Reads spans off the scores of words."""

    def decode(self, scores: Floats, lengths: Integers) -> list[list[PredictedSpan]]:
        """Return the spans of each sequence; scores are (notes, words, tags)."""

    def outside_probability(self, scores: Floats) -> Floats:
        """Return the probability that each word is outside of spans, without context. (words,)"""


@dataclass(frozen=True)
class ChainDecoder:
    """Decodes one linear chain over the tags of all labels: the best sequence of tags.

    With `thresholds`, words outside it are reported by their probability, and spans left out.
    """

    chain: ChainInference
    thresholds: SpanThresholds | None = None

    def decode(self, scores: Floats, lengths: Integers) -> list[list[PredictedSpan]]:
        """Return the spans of each sequence; scores are (notes, words, tags)."""
        precise = scores.astype(np.float64)
        tags = self.chain.viterbi(precise, lengths)
        spans = [list(self.chain.scheme.decode(row.tolist())) for row in tags]
        # Probabilities take longer than tags: only where there is a span to rate.
        read = [at for at, found in enumerate(spans) if found or self.thresholds]
        given: list[list[PredictedSpan]] = [[] for _ in spans]
        if read:
            shares = self.chain.marginals(precise[read], lengths[read])
            for at, of_tags in zip(read, shares, strict=True):
                of_words = of_tags[: lengths[at]]
                rated = rate_spans(spans[at], 1 - of_words[:, 0])
                given[at] = (
                    apply_thresholds(rated, of_words, self.chain.scheme, self.thresholds)
                    if self.thresholds
                    else rated
                )
        return given

    def outside_probability(self, scores: Floats) -> Floats:
        """Return the probability that each word is outside of spans, without context. (words,)"""
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        outside: Floats = shares[..., 0] / shares.sum(-1)
        return outside


def rate_spans(
    spans: Sequence[tuple[int, int, str]], confidence: NDArray[np.floating]
) -> list[PredictedSpan]:
    """Score spans by the mean probability that their words are in one (EDS-NLP)."""
    return [
        (first, end, label, min(1.0, max(0.0, float(confidence[first:end].mean()))))
        for first, end, label in spans
    ]


def apply_thresholds(
    best: Sequence[PredictedSpan],
    shares: NDArray[np.floating],
    scheme: TagScheme,
    thresholds: SpanThresholds,
) -> list[PredictedSpan]:
    """Return what thresholds leave of the best sequence and add to it, in order of place.

    `shares` are the probabilities of the tags of each word. (words, tags)
    """
    by_label = thresholds.by_label
    kept = [span for span in best if span[3] >= by_label.get(span[2], 0.0)]
    least = np.array([by_label.get(label, thresholds.others) for label in scheme.labels])
    of_labels = shares[:, 1:].reshape(len(shares), len(scheme.labels), -1).sum(-1)
    likeliest = of_labels.argmax(-1)
    inside = np.minimum(1 - shares[:, 0], 1.0)
    is_added = inside >= least[likeliest]
    for first, end, _, _ in best:
        is_added[first:end] = False
    added: list[PredictedSpan] = []
    for word in np.flatnonzero(is_added).tolist():
        label, score = scheme.labels[likeliest[word]], float(inside[word])
        if thresholds.joins and added and added[-1][1] == word and added[-1][2] == label:
            first, _, _, before = added.pop()
            added.append((first, word + 1, label, min(before, score)))
        else:
            added.append((word, word + 1, label, score))
    return sorted([*kept, *added])


def decode_notes(
    decoder: Decoder, cuttings: Sequence[SegmentedText], scores: Sequence[Floats]
) -> list[list[Span]]:
    """Return the spans of each text, in order; a very long one is decoded in parts."""
    found: list[list[PredictedSpan]] = [[] for _ in cuttings]
    parts = [
        (note, start, end)
        for note, cutting in enumerate(cuttings)
        for start, end in _split_long_note(decoder, cutting, scores[note])
    ]
    parts.sort(key=lambda part: part[1] - part[2])
    while parts:
        count = max(1, _BATCH_WORDS // (parts[0][2] - parts[0][1]))
        batch, parts = parts[:count], parts[count:]
        lengths = np.array([end - start for _, start, end in batch])
        padded = np.zeros((len(batch), lengths[0], scores[batch[0][0]].shape[1]), np.float32)
        for row, (note, start, end) in zip(padded, batch, strict=True):
            row[: end - start] = scores[note][start:end]
        spans = decoder.decode(padded, lengths)
        for (note, at, _), each in zip(batch, spans, strict=True):
            found[note] += [
                (first + at, end + at, label, confidence) for first, end, label, confidence in each
            ]
    return [
        [
            Span(cutting.words[first][0], cutting.words[end - 1][1], label, DETECTOR, confidence)
            for first, end, label, confidence in sorted(each)
        ]
        for cutting, each in zip(cuttings, found, strict=True)
    ]


def _split_long_note(
    decoder: Decoder, cutting: SegmentedText, scores: Floats
) -> Iterator[tuple[int, int]]:
    """Split a note where the network is confident that no span continues, ideally at line ends.

    Sums over sequences keep every step in memory, and run over all parts side by side.
    """
    words, start = len(cutting.words), 0
    breaks = set(cutting.breaks)
    while words - start > _MAX_DECODED_WORDS:
        earliest = start + _MAX_DECODED_WORDS - _SPLIT_RANGE
        outside = decoder.outside_probability(scores[earliest : start + _MAX_DECODED_WORDS])
        ranked = [
            (confidence > _SPLIT_CONFIDENCE, earliest + at in breaks, confidence)
            for at, confidence in enumerate(outside.tolist())
        ]
        best = ranked.index(max(ranked))
        yield start, earliest + best + 1
        start = earliest + best + 1
    if words > start:
        yield start, words
