"""A trained tagger as a detector, on PyTorch, ONNX Runtime or OpenVINO."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from models.hardware import has_bfloat16
from models.tagger import serialization
from models.tagger.encoders.encoder import Encoder
from models.tagger.network import Network
from models.tagger.prediction import predict
from models.tagger.shipped_model import AUTO, ONNX, ONNX_INT8, OPENVINO, OPENVINO_INT8, TORCH
from models.tagger.thresholds import SpanThresholds
from record.document import Document
from record.errors import ConfigError
from record.span import Span

_log = logging.getLogger(__name__)


class Tagger:
    """Finds spans with a trained network, on one of RUNTIMES.

    With AUTO, PyTorch takes a GPU or a processor that multiplies in bfloat16 where there is one;
    else ONNX Runtime takes the encoder in 32 bits, and PyTorch again what ONNX Runtime cannot.
    Notes given together share batches. OPENVINO_INT8 needs the encoder `quantized`. Raises
    ConfigError where another runtime than PyTorch is asked for and cannot be.
    """

    def __init__(
        self,
        trained: serialization.TrainedTagger,
        runtime: str = AUTO,
        quantized: tuple[bytes, bytes] | None = None,
        *,
        thresholds: SpanThresholds | None = None,
    ) -> None:
        self._trained, self._thresholds = trained, thresholds or trained.thresholds
        if thresholds and trained.network.design.head != "single":
            problem = f"do not fit a tagger with the head `{trained.network.design.head}`"
            raise ConfigError("thresholds", problem, "leave them out")
        network = trained.network
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        is_fast = device.type == "cuda" or has_bfloat16(device)
        required = runtime not in (AUTO, TORCH)
        tried = required or (runtime == AUTO and not is_fast)
        exported = tried and _export(network, runtime, quantized, required=required)
        self.runtime = (runtime if required else ONNX) if exported else TORCH
        """What the encoder runs on."""
        network.to("cpu" if exported else device).eval()
        network.in_bfloat16 = not exported and has_bfloat16(device)

    @classmethod
    def load(
        cls, path: Path, runtime: str = AUTO, *, thresholds: SpanThresholds | None = None
    ) -> "Tagger":
        """Read a folder that `cryptonym train` wrote. Raises ConfigError."""
        quantized = serialization.load_quantized(path) if runtime == OPENVINO_INT8 else None
        return cls(serialization.load(path), runtime, quantized, thresholds=thresholds)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that spans may have, in alphabetical order."""
        return self._trained.network.design.labels

    @property
    def rule_labels(self) -> Mapping[str, str]:
        """The label for a rule's, where the tagger's are a site's own."""
        return self._trained.rule_labels

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find spans; those of one document are in order of place. `score` is in [0, 1]."""
        trained = self._trained
        return predict(trained.network, trained.subwords, trained.cut, documents, self._thresholds)


def _export(
    network: Network, runtime: str, quantized: tuple[bytes, bytes] | None, *, required: bool
) -> bool:
    """Export the encoder to another runtime if possible; raises ConfigError if `required`."""
    if not isinstance(network.encoder, Encoder):
        return _unavailable(
            "recurrent encoders cannot be exported to ONNX", required=required, quiet=True
        )
    try:
        from models.tagger.encoders.onnx_encoder import ExportFailed, OnnxEncoder  # noqa: PLC0415 # may be left out

        if runtime in (OPENVINO, OPENVINO_INT8):
            from models.tagger.encoders.openvino_encoder import (  # noqa: PLC0415 # an extra
                OpenVinoEncoder,
                QuantizedOpenVinoEncoder,
            )
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        install = "pip install 'cryptonym[openvino]', or " if name == "openvino" else ""
        return _unavailable(f"{name} is not installed", required=required, before=install)
    try:
        if runtime == OPENVINO:
            network.exported = OpenVinoEncoder(network.encoder)
        elif runtime == OPENVINO_INT8:
            if quantized is None:
                return _unavailable("the tagger has no quantized encoder", required=required)
            network.exported = QuantizedOpenVinoEncoder(network.encoder, quantized)
        else:
            network.exported = OnnxEncoder(network.encoder, eight_bits=runtime == ONNX_INT8)
    except ExportFailed as error:
        return _unavailable(f"the encoder cannot be exported ({error})", required=required)
    return True


def _unavailable(problem: str, *, required: bool, quiet: bool = False, before: str = "") -> bool:
    if required:
        raise ConfigError("runtime", problem, f"{before}use the runtime `torch` or `auto`")
    if not quiet:
        _log.warning("%s; falling back to PyTorch, which is slower", problem)
    return False
