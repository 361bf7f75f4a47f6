"""An encoder that OpenVINO computes, checked against PyTorch before it is used."""

from typing import Any, ClassVar

import openvino
import torch

from models.hardware import has_bfloat16, has_vnni
from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.onnx_encoder import Exported, ExportFailed, Floats, Run
from models.tagger.encoders.onnx_graph import write_graph

# Mean distance from PyTorch's vectors, of their mean size; the check's pieces are of no language,
# further from what 8 bits were fitted to than any note.
_FAULTS = {False: 1e-3, True: 0.05}
_FAULT_IN_EIGHT_BITS = 0.4

Quantized = tuple[bytes, bytes]
"""A graph in OpenVINO's XML, and its constants."""


class ByOpenVINO(Exported):
    """Encodes by OpenVINO: in bfloat16 where the processor multiplies in it, else in 32 bits."""

    refusals: ClassVar[tuple[type[Exception], ...]] = (RuntimeError,)

    def _loaded(self) -> tuple[Run, float]:
        graph = write_graph(self._encoder.body, eight_bits=False)
        is_half = has_bfloat16(torch.device("cpu"))
        return compiled(openvino.Core().read_model(graph), is_half=is_half), _FAULTS[is_half]


class InEightBits(ByOpenVINO):
    """Encodes by OpenVINO with multiplications in 8 bits, by a graph that `quantize` made.

    Raises ExportFailed, also where the processor has no products of 8 bits that cannot overflow.
    """

    def __init__(self, encoder: Encoder, quantized: Quantized) -> None:
        self._quantized = quantized
        super().__init__(encoder, eight_bits=True)

    def _loaded(self) -> tuple[Run, float]:
        if not has_vnni():
            raise ExportFailed("the processor has no VNNI: its products of 8 bits may overflow")
        graph = openvino.Core().read_model(*self._quantized)
        is_half = has_bfloat16(torch.device("cpu"))
        return compiled(graph, is_half=is_half), _FAULT_IN_EIGHT_BITS


def compiled(graph: Any, *, is_half: bool) -> Run:
    """Return what runs a graph on as many threads as PyTorch."""
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
