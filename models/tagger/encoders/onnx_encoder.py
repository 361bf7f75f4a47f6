"""Encoder inference with ONNX Runtime, verified against PyTorch before use."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.onnx_graph import LayersShape, write_graph
from models.tagger.encoders.onnx_session import RUNTIME_ERRORS, Run, make_session
from models.tagger.encoders.subword_models import END, SPECIAL_TOKENS, START
from models.tagger.encoders.windows import MARGIN

_MAX_ERROR = {False: 1e-3, True: 0.1}  # mean distance from PyTorch's vectors, of their mean size
_CHECKED = 64


class ExportFailed(Exception):
    """An encoder could not be exported, or its exported graph gives other results."""


def write_body(body: nn.Module, *, eight_bits: bool) -> bytes:
    """Write the layers of a transformers model as `write_graph` does; raises ValueError."""
    weights = {
        name: value.detach().float().cpu().numpy()
        for name, value in body.get_submodule("encoder").named_parameters()
    }
    try:
        shape = LayersShape.of(body.config.to_dict())  # type: ignore[union-attr, operator]
    except KeyError:
        raise ValueError("not a BERT encoder with GELU") from None
    return write_graph(weights, shape, eight_bits=eight_bits)


class OnnxEncoder:
    """Replaces an encoder at inference: one window at a time, without padding.

    Its layers run in ONNX Runtime on as many threads as PyTorch, with multiplications in 8 bits or
    all in 32; embeddings stay in PyTorch. Raises ExportFailed.
    """

    runtime_errors: ClassVar[tuple[type[Exception], ...]] = RUNTIME_ERRORS

    def __init__(self, encoder: Encoder, *, eight_bits: bool = False) -> None:
        self._encoder = encoder
        self._eight_bits = eight_bits
        try:
            self._run, tolerance = self._load()
            self._check(tolerance)
        except ValueError as error:
            raise ExportFailed(str(error)) from None
        except self.runtime_errors as error:
            raise ExportFailed(type(error).__name__) from None

    def _load(self) -> tuple[Run, float]:
        """Return what runs the layers, and how far its vectors may be from PyTorch's."""
        graph = write_body(self._encoder.body, eight_bits=self._eight_bits)
        run = make_session(graph, torch.get_num_threads())
        return run, _MAX_ERROR[self._eight_bits]

    @torch.no_grad()
    def __call__(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Encode windows as the encoder does; 0 beyond a length."""
        embedded = self._encoder.body.embeddings(inputs_embeds=self._encoder.embedded(ids))
        hidden = torch.zeros_like(embedded)
        for row, length in enumerate(lengths.tolist()):
            window = embedded[row : row + 1, :length].numpy()
            hidden[row, :length] = torch.from_numpy(self._run(window)[0])
        return hidden

    def _check(self, tolerance: float) -> None:
        generator = torch.Generator().manual_seed(1)
        pieces = self._encoder.pieces.num_embeddings
        count = min(_CHECKED, self._encoder.longest) - MARGIN
        inner = torch.randint(
            len(SPECIAL_TOKENS), len(SPECIAL_TOKENS) + pieces, (count,), generator=generator
        )
        ids = torch.cat([torch.tensor([START]), inner, torch.tensor([END])])[None]
        lengths = torch.tensor([ids.shape[1]])
        with torch.no_grad():
            right = self._encoder(ids, lengths)
        distance = (self(ids, lengths) - right).abs().mean() / right.abs().mean()
        if not distance <= tolerance:  # also true for NaN
            raise ExportFailed("its output differs too much from PyTorch's")
