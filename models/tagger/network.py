"""The tagger network: subwords to words, words to tag scores, scores to spans."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from models.tagger.decoding import PredictedSpan, rate_spans
from models.tagger.encoders.bilstm import BiLSTM
from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.subword_models import END, PADDING, START
from models.tagger.encoders.windows import Window
from models.tagger.sequences.crf import LinearChainCRF, StackedCRF
from models.tagger.sequences.tags import TagScheme

_KERNEL = 3

NoteSubwords = Sequence[tuple[int, ...]]
"""The ids of the pieces of each word of a note."""


@dataclass(frozen=True)
class TaggerBatch:
    """Padded windows of any notes.

    `ids` (windows, pieces) with `lengths` (windows,); `words` (windows, pieces) is the word each
    piece belongs to, `most` for marks and padding; `core` (windows, most) marks the words that the
    window labels.
    """

    ids: Tensor
    lengths: Tensor
    words: Tensor
    core: Tensor
    most: int

    def to(self, device: torch.device) -> "TaggerBatch":
        """Return the same batch on a device."""
        ids, lengths = self.ids.to(device), self.lengths.to(device)
        return TaggerBatch(ids, lengths, self.words.to(device), self.core.to(device), self.most)


def collate(parts: Sequence[tuple[NoteSubwords, Window]]) -> TaggerBatch:
    """Put windows of notes into one batch, in order."""
    most = max(window.end - window.first for _, window in parts)
    rows, owners = [], []
    core = torch.zeros(len(parts), most, dtype=torch.bool)
    for number, (pieces, window) in enumerate(parts):
        inside = pieces[window.first : window.end]
        sizes = [len(ids) for ids in inside]
        row = np.fromiter((one for ids in inside for one in ids), np.int64, sum(sizes))
        rows.append(torch.from_numpy(np.concatenate([[START], row, [END]])))
        owner = np.repeat(np.arange(len(inside)), sizes)
        owners.append(torch.from_numpy(np.concatenate([[most], owner, [most]])))
        core[number, window.core - window.first : window.core_end - window.first] = True
    lengths = torch.tensor([len(row) for row in rows])
    ids = pad_sequence(rows, batch_first=True, padding_value=PADDING)
    words = pad_sequence(owners, batch_first=True, padding_value=most)
    return TaggerBatch(ids, lengths, words, core, most)


@dataclass(frozen=True)
class TaggerArchitecture:
    """The layers on top of the encoder: `single` or `stacked` CRF, or `softmax`; with or without
    CNN.

    `dropout` is of words' vectors, in training.
    """

    labels: tuple[str, ...]
    head: str = "single"
    convolution: bool = False
    dropout: float = 0.1


class Network(nn.Module):
    """Scores the tags of words in windows, and decodes spans."""

    def __init__(self, encoder: Encoder | BiLSTM, design: TaggerArchitecture) -> None:
        super().__init__()
        self.design = design
        self.encoder = encoder
        self.in_bfloat16 = False
        """Whether the encoder computes in bfloat16; weights and sequences never do."""
        self.exported: Callable[[Tensor, Tensor], Tensor] | None = None
        """What encodes in place of the encoder, where that was exported."""
        self.head: SingleChainHead | StackedChainHead | SoftmaxHead = _HEADS[design.head](
            design.labels
        )
        width = encoder.width
        self.convolution = (
            nn.Conv1d(width, width, _KERNEL, padding=_KERNEL // 2) if design.convolution else None
        )
        self.scores = nn.Linear(width, self.head.size)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.scores.weight.device

    def forward(self, batch: TaggerBatch) -> Tensor:
        """Score the tags of the words of all cores, in order. (words, tags)"""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.in_bfloat16):
            hidden = (self.exported or self.encoder)(batch.ids, batch.lengths)
        words = self._pooled(hidden.float(), batch)
        words = functional.dropout(words, self.design.dropout, self.training)
        if self.convolution is not None:
            words = words + functional.gelu(self.convolution(words.transpose(1, 2))).transpose(1, 2)
        scores: Tensor = self.scores(words[batch.core])
        return scores

    def _pooled(self, hidden: Tensor, batch: TaggerBatch) -> Tensor:
        """Return the mean of each word's pieces. (windows, most, width); 0 beyond the words."""
        windows, width = len(hidden), hidden.shape[2]
        slots = batch.most + 1
        rows = torch.arange(windows, device=hidden.device)[:, None] * slots + batch.words
        summed = hidden.new_zeros(windows * slots, width)
        summed = summed.index_add(0, rows.flatten(), hidden.flatten(0, 1))
        counts = torch.bincount(rows.flatten(), minlength=windows * slots).clamp_min(1)
        return (summed / counts[:, None]).view(windows, slots, width)[:, : batch.most]


class SingleChainHead(nn.Module):
    """One linear-chain CRF over the tags of all labels."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.scheme = TagScheme(labels)
        self.size = len(self.scheme)
        self.chain = LinearChainCRF(self.scheme, learned=True)

    def loss(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return the negative log-likelihood of the allowed tags. (notes,)"""
        return self.chain.negative_log_likelihood(scores, lengths, allowed)

    def with_recall_margin(self, scores: Tensor, allowed: Tensor, cost: float) -> Tensor:
        """Raise the outside score of words in gold spans, so that training has to outdo it.

        Softmax-margin with a cost of misses alone (Mohit et al., EACL 2012), for training only.
        """
        return scores + cost * _outside_mask(scores, ~allowed[..., 0])

    def decode(self, scores: Tensor, lengths: Tensor) -> list[list[PredictedSpan]]:
        """Return the spans of each sequence; scores are (notes, words, tags)."""
        tags = self.chain.viterbi(scores, lengths)
        spans = [list(self.scheme.decode(row.tolist())) for row in tags]
        # Probabilities take longer than tags: only where there is a span to rate.
        with_spans = [at for at, found in enumerate(spans) if found]
        given: list[list[PredictedSpan]] = [[] for _ in spans]
        if with_spans:
            confidence = 1 - self.chain.marginals(scores[with_spans], lengths[with_spans])[..., 0]
            for at, words in zip(with_spans, confidence, strict=True):
                given[at] = rate_spans(spans[at], words.numpy())
        return given

    def outside_probability(self, scores: Tensor) -> Tensor:
        """Return the probability that each word is outside of spans, without context. (words,)"""
        return scores.softmax(-1)[..., 0]


class SoftmaxHead(nn.Module):
    """Independent softmax per word, as a baseline; invalid tag sequences are repaired.

    What the others are compared with; tags that make no whole span are mended.
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.scheme = TagScheme(labels)
        self.size = len(self.scheme)

    def loss(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return the negative log-likelihood of the allowed tags, summed over words. (notes,)"""
        logs = scores.log_softmax(-1).masked_fill(~allowed, -torch.inf).logsumexp(-1)
        inside = torch.arange(scores.shape[1], device=scores.device) < lengths[:, None]
        return -logs.masked_fill(~inside, 0.0).sum(1)

    def with_recall_margin(self, scores: Tensor, allowed: Tensor, cost: float) -> Tensor:
        """Raise the outside score of words in gold spans, as `SingleChainHead` does."""
        return scores + cost * _outside_mask(scores, ~allowed[..., 0])

    def decode(self, scores: Tensor, lengths: Tensor) -> list[list[PredictedSpan]]:
        """Return the spans of each sequence; scores are (notes, words, tags)."""
        tags, confidence = scores.argmax(-1), 1 - self.outside_probability(scores)
        return [
            rate_spans(list(self.scheme.repair(row[:length].tolist())), words.numpy())
            for row, words, length in zip(tags, confidence, lengths.tolist(), strict=True)
        ]

    def outside_probability(self, scores: Tensor) -> Tensor:
        """Return the probability that each word is outside of spans. (words,)"""
        return scores.softmax(-1)[..., 0]


class StackedChainHead(nn.Module):
    """One CRF per label, so that spans of different labels may nest."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.labels = labels
        self.size = 5 * len(labels)
        self.chain = StackedCRF(labels)

    def loss(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return the negative log-likelihood of the allowed tags, summed over labels. (notes,)"""
        return self.chain.negative_log_likelihood(self._by_label(scores), lengths, allowed)

    def with_recall_margin(self, scores: Tensor, allowed: Tensor, cost: float) -> Tensor:
        """Raise the outside score of gold words, as `SingleChainHead` does."""
        each = self._by_label(scores)
        return (each + cost * _outside_mask(each, ~allowed[..., 0])).view_as(scores)

    def decode(self, scores: Tensor, lengths: Tensor) -> list[list[PredictedSpan]]:
        """Return the spans of each sequence; scores are (notes, words, 5 x labels)."""
        each = self._by_label(scores)
        tags = self.chain.viterbi(each, lengths)
        confidence = 1 - self.chain.marginals(each, lengths)[..., 0]  # (notes, words, labels)
        given = []
        for note in range(len(tags)):
            found: list[PredictedSpan] = []
            for place, label in enumerate(self.labels):
                spans = list(TagScheme((label,)).decode(tags[note, :, place].tolist()))
                found += rate_spans(spans, confidence[note, :, place].numpy())
            given.append(sorted(found))
        return given

    def outside_probability(self, scores: Tensor) -> Tensor:
        """Return the probability that each word is outside of spans, without context. (words,)"""
        return self._by_label(scores).softmax(-1)[..., 0].amin(-1)

    def _by_label(self, scores: Tensor) -> Tensor:
        return scores.view(*scores.shape[:-1], len(self.labels), 5)


_HEADS: dict[str, type[SingleChainHead] | type[StackedChainHead] | type[SoftmaxHead]] = {
    "single": SingleChainHead,
    "stacked": StackedChainHead,
    "softmax": SoftmaxHead,
}


def _outside_mask(scores: Tensor, where: Tensor) -> Tensor:
    """Return 1 for the outside tag of some words, 0 elsewhere; shaped like the scores."""
    mask = torch.zeros_like(scores)
    mask[..., 0] = where
    return mask
