"""Loading of a tagger on the runtime asked for; PyTorch is imported only where it is needed."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from models.tagger.onnx_tagger import OnnxTagger, Unsupported
from models.tagger.shipped_model import AUTO, ONNX, ONNX_INT8
from record.document import Document
from record.errors import ConfigError
from record.span import Span


class LoadedTagger(Protocol):
    """A trained tagger on some runtime."""

    runtime: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that spans may have, in alphabetical order."""

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the spans of each document."""


def load_tagger_folder(folder: Path, runtime: str = AUTO) -> LoadedTagger:
    """Read a folder that `cryptonym train` wrote, for one of RUNTIMES.

    ONNX and ONNX_INT8 need no PyTorch, nor does AUTO where it is not installed; taggers that are no
    BERT below one linear chain always do. Raises ConfigError.
    """
    if runtime in (ONNX, ONNX_INT8) or (runtime == AUTO and not find_spec("torch")):
        try:
            return OnnxTagger.load(folder, ONNX if runtime == AUTO else runtime)
        except Unsupported as reason:
            if not find_spec("torch"):
                problem = f"needs PyTorch: {reason}"
                remedy = "pip install 'cryptonym[models]'"
                raise ConfigError(str(folder), problem, remedy) from None
    try:
        from models.tagger.runtime import Tagger  # noqa: PLC0415 # an extra, and seconds to import
    except ModuleNotFoundError as error:
        problem, remedy = f"{error.name} is not installed", "pip install 'cryptonym[models]'"
        raise ConfigError(f"runtime {runtime}", problem, remedy) from None
    return Tagger.load(folder, runtime)
