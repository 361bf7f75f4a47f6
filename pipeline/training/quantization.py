"""Makes the encoder of a tagger multiply in 8 bits, and tells what it then finds otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from models.hardware import has_vnni
from models.tagger import serialization
from models.tagger.quantization import quantize
from models.tagger.runtime import Tagger
from models.tagger.shipped_model import OPENVINO, OPENVINO_INT8
from pipeline.config.progress import Progress
from pipeline.files.alignment import align
from pipeline.files.gold import read_annotated
from pipeline.notes.model_detection import TOGETHER
from record.document import Document
from record.errors import ConfigError
from record.span import Span

_COMPARED = 100
_EVERY = 5


@dataclass
class Quantization:
    """What came of it: notes fitted to and compared on, and spans of the tagger with and without.

    `fitted_to_same` tells that the notes compared on are those that were fitted to. Where the
    processor cannot run the result `compared` is 0.
    """

    notes: int = 0
    compared: int = 0
    fitted_to_same: bool = False
    spans: int = 0
    spans_in_eight_bits: int = 0
    same: int = 0

    @property
    def agreement(self) -> float:
        """Return F1 of the spans in 8 bits against those without, with borders and labels."""
        return 2 * self.same / max(1, self.spans + self.spans_in_eight_bits)


def quantize_tagger(
    tagger: Path, notes: Path, out: Path, progress: Progress, warnings: list[str]
) -> Quantization:
    """Write a copy of a tagger with its encoder in 8 bits as well, fitted to notes.

    Every fifth note is kept to compare on, where there are ten or more. Raises ConfigError.
    """
    progress.phase("reading")
    documents = [
        replace(note.document, text=align(note.document.text).clean)
        for note in read_annotated(notes, warnings)
    ]
    if not documents:
        raise ConfigError(str(notes), "has no notes", "give notes such as the tagger will read")
    is_same = len(documents) < 2 * _EVERY
    compared = documents if is_same else documents[::_EVERY]
    fitted = documents if is_same else [d for at, d in enumerate(documents) if at % _EVERY]
    progress.phase("fitting")
    texts = [document.text for document in fitted]
    serialization.save_quantized(tagger, *quantize(serialization.load(tagger), texts), out)
    done = Quantization(notes=len(fitted), fitted_to_same=is_same)
    if has_vnni():
        progress.phase("comparing")
        _compare(out, compared[:_COMPARED], done, progress)
    return done


def _compare(out: Path, notes: Sequence[Document], done: Quantization, progress: Progress) -> None:
    taggers = [Tagger.load(out, runtime) for runtime in (OPENVINO, OPENVINO_INT8)]
    for at in range(0, len(notes), TOGETHER):
        several = notes[at : at + TOGETHER]
        whole, rough = (tagger.spans(several) for tagger in taggers)
        for spans, others in zip(whole, rough, strict=True):
            done.spans += len(spans)
            done.spans_in_eight_bits += len(others)
            done.same += len(_places(spans) & _places(others))
        done.compared += len(several)
        progress.advance(done.compared, len(notes))


def _places(spans: Sequence[Span]) -> set[tuple[int, int, str]]:
    return {(span.start, span.end, span.label) for span in spans}
