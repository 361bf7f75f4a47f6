"""A graph of encoder layers in ONNX Runtime."""

from collections.abc import Callable

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors

from models.tagger.encoders.onnx_graph import INPUT, OUTPUT, Floats

Run = Callable[[Floats], Floats]
"""Encodes one window: (1, pieces, width) to the same shape."""

RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    *(runtime_errors.Fail, runtime_errors.InvalidArgument, runtime_errors.InvalidGraph),
    *(runtime_errors.NotImplemented, runtime_errors.RuntimeException, runtime_errors.EPFail),
)
"""What ONNX Runtime raises where it cannot run a graph."""

_ERRORS = 3


def make_session(graph: bytes, threads: int) -> Run:
    """Load a graph on so many threads; 0 for as many as the machine has cores.

    Raises one of RUNTIME_ERRORS.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # lengths change from window to window
    options.log_severity_level = _ERRORS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def run(window: Floats) -> Floats:
        hidden: Floats = session.run([OUTPUT], {INPUT: window})[0]
        return hidden

    return run
