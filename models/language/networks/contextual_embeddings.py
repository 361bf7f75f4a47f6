"""Contextual embeddings of the subwords of a text, by an encoder from a local folder or package."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import normalize
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModel
from transformers.utils.logging import disable_progress_bar

from models.tagger.encoders.encoder import EncoderConfig, make_encoder
from models.tagger.encoders.subword_models import END, PADDING, START
from models.tagger.encoders.windows import WindowConfig, windows
from record.errors import ConfigError

Floats = NDArray[np.float32]

PACKAGED = ("e5-small", "e5-small-6")
"""Encoders that are read from installed packages, by name."""

_DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
_CONTEXT = 32  # pieces on either side of those whose vectors a window gives
_LONGEST = 512
_AT_ONCE = 8


@dataclass(frozen=True)
class _Encoder:
    """How to tokenize a text, wrap a window in special tokens, and encode a batch of windows.

    `encode` takes ids and lengths, (windows, ids) and (windows,), and gives (windows, ids, width).
    """

    ids: Callable[[str], Sequence[int]]
    before: Sequence[int]
    after: Sequence[int]
    encode: Callable[[Tensor, Tensor], Tensor]
    longest: int
    width: int


class ContextualEmbeddings:
    """Computes unit vectors of the last layer for the subwords of a text.

    A text longer than the encoder sees is encoded in windows, each piece with the context that it
    has in the middle of one.
    """

    def __init__(self, encoder: _Encoder) -> None:
        self._encoder = encoder
        marks = len(encoder.before) + len(encoder.after)
        self._cut = WindowConfig(min(encoder.longest, _LONGEST) - marks, _CONTEXT)

    @classmethod
    def of_folder(cls, folder: Path) -> "ContextualEmbeddings":
        """Load the folder of a HuggingFace encoder; raises ConfigError."""
        disable_progress_bar()  # type: ignore[no-untyped-call]  # a command has its own
        try:
            held = (folder / "tokenizer.json").read_text("utf-8")
            json.loads(held)["model"]["type"]
            # Weights in a pickle could run code.
            model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
        except (OSError, ValueError, KeyError, TypeError, SafetensorError):
            problem = "not an encoder with model.safetensors, config.json and tokenizer.json"
            raise ConfigError(
                str(folder), problem, "give the folder of a Hugging Face encoder"
            ) from None
        model = model.eval().to(_DEVICE)
        tokenizer = Tokenizer.from_str(held)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        marks = tokenizer.encode("").ids
        middle = len(marks) // 2

        def encode(ids: Tensor, lengths: Tensor) -> Tensor:
            inside = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
            hidden: Tensor = model(input_ids=ids, attention_mask=inside.long()).last_hidden_state
            return hidden

        # Some families count places from behind the padding.
        longest = int(getattr(model.config, "max_position_embeddings", _LONGEST)) - 2
        return cls(
            _Encoder(
                lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
                marks[:middle], marks[middle:], encode, longest, model.config.hidden_size,
            )
        )  # fmt: skip

    @classmethod
    def packaged(cls, name: str, texts: Iterable[str]) -> "ContextualEmbeddings":
        """Make one of `PACKAGED` for these texts, whose pieces it will know; raises ConfigError."""
        encoder, subwords = make_encoder(EncoderConfig(name), texts)
        encoder.eval().to(_DEVICE)
        longest = getattr(encoder, "longest", _LONGEST)
        return cls(
            _Encoder(
                lambda text: [piece for word in subwords.of(text)[1] for piece in word],
                [START], [END], encoder, longest, encoder.width,
            )
        )  # fmt: skip

    @torch.inference_mode()
    def __call__(self, text: str) -> Floats:
        """Encode a text: [pieces, width], without the marks around it."""
        ids = self._encoder.ids(text)
        held = windows([1] * len(ids), [], self._cut)
        parts = [np.zeros((0, self._encoder.width), np.float32)]
        for start in range(0, len(held), _AT_ONCE):
            some = held[start : start + _AT_ONCE]
            vectors = self._encode([ids[each.first : each.end] for each in some])
            parts += [
                row[each.core - each.first : each.core_end - each.first]
                for row, each in zip(vectors, some, strict=True)
            ]
        return np.concatenate(parts)

    def _encode(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        before, after = self._encoder.before, self._encoder.after
        whole = [torch.tensor([*before, *row, *after]) for row in rows]
        lengths = torch.tensor([len(each) for each in whole], device=_DEVICE)
        ids = pad_sequence(whole, batch_first=True, padding_value=PADDING).to(_DEVICE)
        hidden = self._encoder.encode(ids, lengths)
        found = normalize(hidden.float(), dim=-1).cpu().numpy()
        first = len(before)
        return [each[first : first + len(row)] for each, row in zip(found, rows, strict=True)]
