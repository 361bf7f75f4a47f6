"""Span prediction in PyTorch: windows in batches, then one best tag sequence per note."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from models.tagger.decoding import ChainDecoder, Decoder, Floats, PredictedSpan, decode_notes
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.windows import Window, WindowConfig, window_length
from models.tagger.network import Network, SingleChainHead, collate
from models.tagger.sequences.alignment import SegmentedText, segment_text
from models.tagger.sequences.chain_inference import ChainInference, Integers
from models.tagger.thresholds import SpanThresholds
from record.document import Document
from record.errors import Unsafe
from record.span import Span

_BATCH_TOKENS = 2_048


@dataclass(frozen=True)
class HeadDecoder:
    """Decodes with the head of a network."""

    network: Network

    def decode(self, scores: Floats, lengths: Integers) -> list[list[PredictedSpan]]:
        """Return the spans of each sequence; scores are (notes, words, tags)."""
        return self.network.head.decode(torch.from_numpy(scores), torch.from_numpy(lengths))

    def outside_probability(self, scores: Floats) -> Floats:
        """Return the probability that each word is outside of spans, without context. (words,)"""
        outside: Floats = self.network.head.outside_probability(torch.from_numpy(scores)).numpy()
        return outside


def predict(
    network: Network,
    subwords: SubwordTokenizer,
    cut: WindowConfig,
    documents: Sequence[Document],
    thresholds: SpanThresholds | None = None,
) -> list[list[Span]]:
    """Find the spans of documents, in order; `score` is the network's confidence.

    `thresholds` need the head of one chain.

    Every character but white space was in some window. The network must be in evaluation mode.
    Raises Unsafe if a score is not finite.
    """
    cuttings = [segment_text(document.text, subwords, cut) for document in documents]
    decoder = make_decoder(network, thresholds)
    return decode_notes(decoder, cuttings, score_words(network, cuttings))


def make_decoder(network: Network, thresholds: SpanThresholds | None) -> Decoder:
    """Return what reads spans off scores; thresholds count for the head of one chain alone."""
    if thresholds is None or not isinstance(network.head, SingleChainHead):
        return HeadDecoder(network)
    chain = network.head.chain
    learned = (
        np.asarray(weights.detach().cpu().numpy(), np.float64)
        for weights in (chain.transitions, chain.opening, chain.closing)
    )
    return ChainDecoder(ChainInference.of_learned(network.head.scheme, *learned), thresholds)


def score_words(network: Network, cuttings: Sequence[SegmentedText]) -> list[Floats]:
    """Score the tags of the words of each text. (words, tags) each

    Raises Unsafe if a score is not finite.
    """
    scores = [np.empty((len(c.words), network.head.size), np.float32) for c in cuttings]
    every = [(note, window) for note, c in enumerate(cuttings) for window in c.windows]
    with torch.no_grad():
        for group in _batches(
            every, [window_length(cuttings[note].pieces, window) for note, window in every]
        ):
            batch = collate([(cuttings[note].pieces, window) for note, window in group])
            given = network(batch.to(network.device)).float().cpu().numpy()
            at = 0
            for note, window in group:
                size = window.core_end - window.core
                scores[note][window.core : window.core_end] = given[at : at + size]
                at += size
    if not all(np.isfinite(each).all() for each in scores):
        raise Unsafe("scores-not-finite")
    return scores


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
