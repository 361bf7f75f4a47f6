"""What a pretrained model may have seen of a corpus before it was trained on it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from evaluation.attacks.pretraining_overlap import (
    OwnedTexts,
    measure_likelihood,
    measure_shared_runs,
    overlap_id,
)
from evaluation.gate import Measured
from models.language.training.foundation_model import Floats, FoundationModel
from models.language.training.gpt2_weights import digest
from pipeline.config.progress import Progress
from pipeline.files.gold import read_annotated
from record.errors import ConfigError
from synthesis.corpus_splitting import owner_of
from synthesis.markup import decode
from synthesis.prepared_corpus import digest as corpus_digest
from synthesis.prepared_corpus import load_corpus

_BLOCK = 2**20  # characters of a plain text at a time
_PLAIN = ".txt"


@dataclass(frozen=True)
class OverlapRequest:
    """A pretrained model, the corpus it may have seen, and what to compare with.

    `text` are files of what the model learnt from, `unseen` notes that it cannot have seen; at
    most `notes` of each kind are tested, chosen by `seed`.
    """

    base: Path
    corpus: Path
    text: Sequence[Path] = ()
    unseen: Path | None = None
    notes: int = 200
    seed: int = 1


@dataclass(frozen=True)
class BaseOverlap:
    """The measurements of a model and a corpus, and the notes found in what the model read."""

    data: str
    measured: Sequence[Measured]
    notes: Sequence[dict[str, Any]]
    warnings: Sequence[str] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads: numbers and note ids, without any text."""
        return {
            "format": 1,
            "data": self.data,
            "measured": [each.to_json() for each in self.measured],
            "notes": list(self.notes),
        }


def measure_overlap(request: OverlapRequest, progress: Progress) -> BaseOverlap:
    """Look for the notes in the model's training text, and ask the model how likely they are.

    Raises ConfigError where there is nothing to compare with.
    """
    if not request.text and request.unseen is None:
        remedy = "give --text, what the model learnt from, or --unseen, notes newer than the model"
        raise ConfigError("--text, --unseen", "both missing", remedy)
    data = overlap_id(digest(request.base), corpus_digest(request.corpus))
    warnings: list[str] = []
    progress.phase("reading")
    corpus = load_corpus(request.corpus)
    held = [(split, note) for split, notes in corpus.notes.items() for note in notes]
    texts = [decode(note.marked)[0] for _, note in held]
    owners = [note.owner for _, note in held]
    measured: list[Measured] = []
    shares: Sequence[float] = ()
    if request.text:
        progress.phase("searching the text")
        read = (text for path in request.text for text in read_texts(path, warnings))
        try:
            found, shares = measure_shared_runs(texts, owners, read, data)
        except ValueError as error:
            raise ConfigError("--text", str(error), "give what the model learnt from") from None
        measured.append(found)
    if request.unseen is not None:
        progress.phase("scoring the notes")
        unseen = [note.document for note in read_annotated(request.unseen, warnings)]
        newer = OwnedTexts(
            [each.text for each in unseen],
            [owner_of(each.person_id, each.note_id) for each in unseen],
        )
        known, others = (_draw(some, request) for some in (OwnedTexts(texts, owners), newer))
        base = FoundationModel.of_folder(request.base)
        watched = _WatchedModel(base, progress, len(known.texts) + len(others.texts))
        try:
            measured.append(measure_likelihood(watched, known, others, data, seed=request.seed))
        except ValueError as error:
            remedy = "give a hundred notes or more"
            raise ConfigError("--unseen", str(error), remedy) from None
    notes = [
        {"note_id": note.note_id, "split": split, "share": round(share, 4)}
        for (split, note), share in zip(held, shares, strict=False)
        if share
    ]
    return BaseOverlap(data, measured, notes, warnings)


class _WatchedModel:
    """A model that reports how many texts it has scored."""

    def __init__(self, model: FoundationModel, progress: Progress, planned: int) -> None:
        self._model, self._progress, self._planned, self._done = model, progress, planned, 0

    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        for each in self._model.log_probabilities(texts):
            self._done += 1
            self._progress.advance(self._done, max(self._done, self._planned))
            yield each

    def overfitted(self, texts: Sequence[str]) -> "_WatchedModel":
        self._progress.phase("training the control")
        model = self._model.overfitted(texts, self._progress.advance)
        self._progress.phase("scoring with the control")
        return _WatchedModel(model, self._progress, self._planned)


def _draw(notes: OwnedTexts, request: OverlapRequest) -> OwnedTexts:
    """Choose notes that hold anything at all."""
    held = [place for place, text in enumerate(notes.texts) if text.strip()]
    chance = Random(request.seed)  # noqa: S311 - what is drawn is no secret
    return notes.drawn(chance.sample(held, min(request.notes, len(held))))


def read_texts(path: Path, warnings: list[str]) -> Iterator[Iterator[str]]:
    """Read the texts of a file one by one, each in parts that end between words.

    A plain text, of any size, is never held as a whole; any other file holds notes. Raises
    ConfigError.
    """
    if path.suffix.lower() == _PLAIN and path.is_file():
        yield _read_blocks(path)
        return
    for note in read_annotated(path, warnings):
        yield iter([note.document.text])


def _read_blocks(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            rest = ""
            while part := rest + file.read(_BLOCK - len(rest)):
                end = 1 + max(part.rfind(" "), part.rfind("\n")) or len(part)
                rest = part[end:]
                yield part[:end]
    except OSError:
        raise ConfigError(str(path), "cannot be read", "give a text file") from None
