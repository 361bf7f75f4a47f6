"""Encoder inference with OpenVINO, verified against PyTorch before use."""

from typing import Any, ClassVar

import openvino
import torch

from models.hardware import has_bfloat16, has_vnni
from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.onnx_encoder import ExportFailed, OnnxEncoder, write_body
from models.tagger.encoders.onnx_graph import Floats
from models.tagger.encoders.onnx_session import Run

# Mean distance from PyTorch's vectors, of their mean size; the check's pieces are of no language,
# further from what 8 bits were fitted to than any note.
_MAX_ERROR = {False: 1e-3, True: 0.05}
_MAX_ERROR_INT8 = 0.4

Quantized = tuple[bytes, bytes]
"""A graph in OpenVINO's XML, and its constants."""


class OpenVinoEncoder(OnnxEncoder):
    """Runs the encoder in OpenVINO: in bfloat16 where the processor supports it, else float32."""

    runtime_errors: ClassVar[tuple[type[Exception], ...]] = (RuntimeError,)

    def _load(self) -> tuple[Run, float]:
        graph = write_body(self._encoder.body, eight_bits=False)
        is_half = has_bfloat16(torch.device("cpu"))
        return compile_graph(openvino.Core().read_model(graph), is_half=is_half), _MAX_ERROR[
            is_half
        ]


class QuantizedOpenVinoEncoder(OpenVinoEncoder):
    """Runs a graph with int8 multiplications made by `quantize`.

    Raises ExportFailed, also where the processor has no products of 8 bits that cannot overflow.
    """

    def __init__(self, encoder: Encoder, quantized: Quantized) -> None:
        self._quantized = quantized
        super().__init__(encoder, eight_bits=True)

    def _load(self) -> tuple[Run, float]:
        if not has_vnni():
            raise ExportFailed("the processor has no VNNI, so int8 products may overflow")
        graph = openvino.Core().read_model(*self._quantized)
        is_half = has_bfloat16(torch.device("cpu"))
        return compile_graph(graph, is_half=is_half), _MAX_ERROR_INT8


def compile_graph(graph: Any, *, is_half: bool) -> Run:
    """Return a function that runs a graph on as many threads as PyTorch."""
    settings = {
        "INFERENCE_PRECISION_HINT": "bf16" if is_half else "f32",
        "INFERENCE_NUM_THREADS": torch.get_num_threads(),
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,  # two processes would share one core
    }
    request = openvino.Core().compile_model(graph, "CPU", settings).create_infer_request()

    def run(window: Floats) -> Floats:
        given: Floats = request.infer({0: window})[0]
        return given

    return run
