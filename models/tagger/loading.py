"""Loading of a tagger on the runtime asked for; PyTorch is imported only where it is needed."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from models.tagger.onnx_tagger import OnnxTagger, Unsupported
from models.tagger.shipped_model import AUTO, ONNX, ONNX_INT8, OPENVINO, OPENVINO_INT8
from models.tagger.thresholds import SpanThresholds
from record.document import Document
from record.errors import ConfigError
from record.span import Span


class LoadedTagger(Protocol):
    """A trained tagger on some runtime."""

    runtime: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that spans may have, in alphabetical order."""

    @property
    def rule_labels(self) -> Mapping[str, str]:
        """The label for a rule's, where the tagger's are a site's own."""

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the spans of each document."""


def load_tagger_folder(
    folder: Path,
    runtime: str = AUTO,
    *,
    threads: int = 0,
    thresholds: SpanThresholds | None = None,
) -> LoadedTagger:
    """Read a folder that `cryptonym train` wrote, for one of RUNTIMES.

    ONNX Runtime takes so many threads, 0 for one for each core; PyTorch has settings of its own.

    AUTO is PyTorch where it is installed and has a GPU, else ONNX: machines without one find the
    same. ONNX and ONNX_INT8 need no PyTorch; taggers that are no BERT below one linear chain
    always do. Raises ConfigError, also where `thresholds` are given to such a tagger.
    """
    if runtime in (ONNX, ONNX_INT8) or (runtime == AUTO and not _has_gpu()):
        try:
            name = ONNX if runtime == AUTO else runtime
            return OnnxTagger.load(folder, name, threads=threads, thresholds=thresholds)
        except Unsupported as reason:
            if not find_spec("torch"):
                problem = f"needs PyTorch: {reason}"
                remedy = "pip install 'cryptonym[models]'"
                raise ConfigError(str(folder), problem, remedy) from None
    try:
        from models.tagger.runtime import Tagger  # noqa: PLC0415 # an extra, and seconds to import
    except ModuleNotFoundError as error:
        extras = "models,openvino" if runtime in (OPENVINO, OPENVINO_INT8) else "models"
        problem, remedy = f"{error.name} is not installed", f"pip install 'cryptonym[{extras}]'"
        raise ConfigError(f"runtime {runtime}", problem, remedy) from None
    return Tagger.load(folder, runtime, thresholds=thresholds)


def _has_gpu() -> bool:
    if not find_spec("torch"):
        return False
    import torch  # noqa: PLC0415 # an extra, and seconds to import

    return torch.cuda.is_available()
