"""Networks of masked language models that score every word of a vocabulary at each position."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.language.networks.word_head import WordHead, read_word_head
from models.tagger.encoders.encoder import Encoder, EncoderConfig, build_encoder, make_encoder
from models.tagger.encoders.subword_models import END, PADDING, START
from models.tagger.encoders.subword_models import MASK as MASK_PIECE
from models.tagger.encoders.subword_models import SPECIAL_TOKENS as PIECE_MARKS
from models.tagger.encoders.subword_models import UNKNOWN as UNKNOWN_PIECE
from record.errors import ConfigError

SPECIAL_TOKENS = ("<PAD>", "<UNK>", "<MASK>")
PAD, UNKNOWN, MASK = range(len(SPECIAL_TOKENS))

Shape = Mapping[str, Any]
"""What rebuilds a network without its weights, as JSON."""

_INIT_STD = 0.02
_PIECES = 3  # subwords of a word that are read, so that windows stay short
_VOCABULARY = 4_000  # pieces, or as many as the words need


class MaskedLM(nn.Module):
    """A transformer over whole words, trained from scratch."""

    def __init__(
        self, words: int, *, width: int, layers: int, heads: int, length: int, dropout: float
    ) -> None:
        super().__init__()
        self.shape = {
            "width": width, "layers": layers, "heads": heads, "length": length,
            "dropout": dropout,
        }  # fmt: skip
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
            nn.init.normal_(table.weight, std=_INIT_STD)

    def hidden(self, ids: Tensor) -> Tensor:
        """Read words in context: (texts, places) to (texts, places, width)."""
        places = torch.arange(ids.shape[1], device=ids.device)
        padding = ids == PAD
        hidden = self.embed(ids) + self.places(places)
        # Without a mask attention takes a faster way.
        mask = padding if bool(padding.any()) else None
        return self.norm(self.encoder(hidden, src_key_padding_mask=mask))  # type: ignore[no-any-return]

    def score(self, hidden: Tensor) -> Tensor:
        """Score words at some places: (..., width) to (..., words)."""
        return functional.linear(hidden, self.embed.weight, self.bias)


class EncoderLM(nn.Module):
    """A pretrained encoder with an output vector for each whole word.

    A word is read as its first pieces, a place to fill as the encoder's own mask, and a word that
    is not in the vocabulary as an unknown piece. Where the encoder comes with the head of a masked
    language model, words begin with that: one of a single piece scores as the model scores the
    piece, one of several as the mean of its pieces. Otherwise vectors begin as the means of pieces.
    """

    def __init__(self, words: int, *, encoder: Shape, length: int, most: int) -> None:
        super().__init__()
        made = build_encoder(encoder)
        assert isinstance(made, Encoder)
        self.shape = {"encoder": dict(encoder), "length": length, "most": most}
        self.length = length
        self.encoder = made
        self.dense = nn.Linear(made.width, made.width)
        self.norm = nn.LayerNorm(made.width)
        self.vectors = nn.Parameter(torch.zeros(words, made.width))
        self.bias = nn.Parameter(torch.zeros(words))
        self.register_buffer("pieces", torch.full((words, most), PADDING))
        self.register_buffer("counts", torch.zeros(words, dtype=torch.long))
        self.pieces: Tensor
        self.counts: Tensor
        nn.init.eye_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)

    @classmethod
    def of(cls, name: str, words: Sequence[str], length: int) -> "EncoderLM":
        """Begin with an encoder by name or folder, as `cryptonym train --encoder` takes them.

        `words` are the vocabulary, the marks first. Raises ConfigError.
        """
        encoder, subwords = make_encoder(EncoderConfig(name, _VOCABULARY), words)
        if not isinstance(encoder, Encoder):
            problem = f"{name} cannot predict masked words"
            raise ConfigError("--encoder", problem, "choose another encoder")
        if length * _PIECES + 2 > encoder.longest:
            most = (encoder.longest - 2) // _PIECES
            problem = "longer than the encoder's maximum input"
            raise ConfigError("--context", problem, f"give at most {most} words")
        network = cls(len(words), encoder=encoder.shape, length=length, most=_PIECES)
        network.encoder.load_state_dict(encoder.state_dict())
        for number, word in enumerate(words):
            network._set_pieces(number, [piece for ids in subwords.of(word)[1] for piece in ids])
        head = read_word_head(Path(name)) if Path(name).is_dir() else None
        for mark, piece in ((UNKNOWN, UNKNOWN_PIECE), (MASK, MASK_PIECE)):
            network._set_pieces(mark, [piece])
        network._set_pieces(PAD, [])
        network._init_vectors(normalized=head is None)
        if head is not None:
            names = [piece for piece, _ in subwords.pieces]
            network._load_head(head, names)
        return network

    def hidden(self, ids: Tensor) -> Tensor:
        """Read words in context: (texts, places) to (texts, places, width)."""
        counts = self.counts[ids]
        ends = counts.cumsum(1)
        starts = ends - counts + 1
        lengths = ends[:, -1] + 1
        window = torch.full((len(ids), int(lengths.max()) + 1), PADDING, device=ids.device)
        window[:, 0] = START
        for number in range(self.pieces.shape[1]):
            here = number < counts
            rows = here.nonzero()[:, 0]
            window[rows, (starts + number)[here]] = self.pieces[ids[here], number]
        window[torch.arange(len(ids), device=ids.device), lengths] = END
        found = self.encoder(window, lengths + 1)
        places = starts.clamp(max=window.shape[1] - 1)[..., None].expand(-1, -1, found.shape[-1])
        hidden = functional.gelu(self.dense(found.gather(1, places)))
        return self.norm(hidden)  # type: ignore[no-any-return]

    def score(self, hidden: Tensor) -> Tensor:
        """Score words at some places: (..., width) to (..., words)."""
        return functional.linear(hidden, self.vectors, self.bias)

    def _set_pieces(self, number: int, pieces: Sequence[int]) -> None:
        held = list(pieces)[: self.pieces.shape[1]]
        self.counts[number] = len(held)
        self.pieces[number] = PADDING
        self.pieces[number, : len(held)] = torch.tensor(held, dtype=torch.long)

    @torch.no_grad()
    def _load_head(self, head: WordHead, pieces: Sequence[str]) -> None:
        """Take the layers of a head, and for each word the mean bias of its pieces."""
        for layer, (weight, bias) in ((self.dense, head.dense), (self.norm, head.norm)):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
        marks = len(PIECE_MARKS)
        known = [0.0] * marks + [head.bias.get(piece, 0.0) for piece in pieces]
        inside = torch.arange(self.pieces.shape[1]) < self.counts[:, None]
        total = (torch.tensor(known)[self.pieces] * inside).sum(1)
        self.bias.copy_(total / self.counts.clamp_min(1))

    @torch.no_grad()
    def _init_vectors(self, *, normalized: bool) -> None:
        """Initialize word vectors with the mean of their subword embeddings."""
        table = self.encoder.embedded(self.pieces)
        inside = torch.arange(self.pieces.shape[1]) < self.counts[:, None]
        total = (table * inside[..., None]).sum(1) / self.counts.clamp_min(1)[:, None]
        self.vectors.copy_(functional.normalize(total, dim=-1) if normalized else total)


Network = MaskedLM | EncoderLM


def build(words: int, shape: Shape) -> Network:
    """Rebuild a network from its shape, with uninitialized weights."""
    return EncoderLM(words, **shape) if "encoder" in shape else MaskedLM(words, **shape)
