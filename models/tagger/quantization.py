"""Int8 quantization of an encoder, calibrated on notes by NNCF, for OpenVINO."""

import os
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import islice
from logging import WARNING
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import openvino
import torch

from models.tagger import serialization
from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.onnx_encoder import write_body
from models.tagger.encoders.onnx_graph import Floats
from models.tagger.encoders.openvino_encoder import Quantized
from models.tagger.network import collate
from models.tagger.sequences.alignment import segment_text
from record.errors import ConfigError

os.environ["NNCF_CI"] = "1"  # or NNCF reports its use to its makers
import nncf

WINDOWS = 300
"""Windows that scales are fitted to: as many as NNCF takes by default."""


def quantize(trained: serialization.TrainedTagger, texts: Sequence[str]) -> Quantized:
    """Quantize an encoder to int8, calibrated on texts like those it will process.

    Activations have one scale for each matrix, evened out over columns before (SmoothQuant, Xiao
    et al., ICML 2023), weights one for each column; sums, norms and attention's exponentials stay
    as they are. What is given holds scales and weights, and no text. Raises ConfigError where the
    encoder is none of BERT's kin, or the texts are empty.
    """
    if not isinstance(trained.network.encoder, Encoder):
        raise ConfigError(
            "TAGGER", "recurrent encoders cannot be quantized", "use the runtime `torch`"
        )
    try:
        graph = write_body(trained.network.encoder.body, eight_bits=False)
    except ValueError as error:
        raise ConfigError(
            "TAGGER", f"cannot be quantized: {error}", "use the runtime `torch`"
        ) from None
    windows = _windows(trained, trained.network.encoder, texts)
    if not windows:
        raise ConfigError(
            "NOTES", "contain no text", "give notes like those the tagger will process"
        )
    nncf.set_log_level(WARNING)
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # bars of its own
        fitted = nncf.quantize(
            openvino.Core().read_model(graph),
            nncf.Dataset(windows),
            subset_size=len(windows),
            model_type=nncf.ModelType.TRANSFORMER,
        )
    with TemporaryDirectory() as place:
        path = Path(place) / "encoder.xml"
        openvino.save_model(fitted, path)
        return path.read_bytes(), path.with_suffix(".bin").read_bytes()


@torch.no_grad()
def _windows(
    trained: serialization.TrainedTagger, encoder: Encoder, texts: Sequence[str]
) -> list[Floats]:
    """Return the first windows of all texts, then the second ones, as far as they are needed."""
    cuttings = [segment_text(text, trained.subwords, trained.cut) for text in texts]
    most = max((len(cutting.windows) for cutting in cuttings), default=0)
    every = (
        (cutting.pieces, cutting.windows[place])
        for place in range(most)
        for cutting in cuttings
        if place < len(cutting.windows)
    )
    found = []
    for one in islice(every, WINDOWS):
        embedded = encoder.embedded(collate([one]).ids)
        vectors: Floats = encoder.body.embeddings(inputs_embeds=embedded).numpy()
        found.append(np.ascontiguousarray(vectors))
    return found
