"""An encoder that OpenVINO computes, checked against PyTorch before it is used."""

from typing import ClassVar

import openvino
import torch

from models.precision import has_bfloat16
from models.tagger.exported import Exported, Floats, Run

_FAULTS = {False: 1e-3, True: 0.05}  # mean distance from PyTorch's vectors, of their mean size


class ByOpenVINO(Exported):
    """Encodes by OpenVINO: in bfloat16 where the processor multiplies in it, else in 32 bits."""

    refusals: ClassVar[tuple[type[Exception], ...]] = (RuntimeError,)

    def _loaded(self, graph: bytes, *, eight_bits: bool) -> tuple[Run, float]:
        """Give what runs a graph, and how far its vectors may be from PyTorch's."""
        if eight_bits:
            raise ValueError("OpenVINO is given no graph in 8 bits")
        is_half = has_bfloat16(torch.device("cpu"))
        core = openvino.Core()
        settings = {
            "INFERENCE_PRECISION_HINT": "bf16" if is_half else "f32",
            "INFERENCE_NUM_THREADS": torch.get_num_threads(),
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,  # two processes would share one core
        }
        request = core.compile_model(core.read_model(graph), "CPU", settings).create_infer_request()

        def run(window: Floats) -> Floats:
            given: Floats = request.infer({0: window})[0]
            return given

        return run, _FAULTS[is_half]
