"""Trains a tagger on files of annotated notes, and draws how it learnt."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from models.tagger.encoders.encoder import EncoderConfig
from models.tagger.encoders.windows import WindowConfig
from models.tagger.runtime import Tagger
from models.tagger.sequences.alignment import UNSURE, TrainingNote
from models.tagger.training.recipe import TaggerRecipe, default_recipe
from models.tagger.training.scores import Scores
from models.tagger.training.training import Corpora, read_start_scores, train
from models.training_loop import TrainingCallbacks
from pipeline.config.energy import Energy, EnergyMeter
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.progress import Progress
from pipeline.config.settings import EnergySettings
from pipeline.files.alignment import align
from pipeline.files.gold import read_annotated, read_label_map
from pipeline.notes.model_detection import TOGETHER, refine_spans
from pipeline.reports.charts import write_learning_curve
from pipeline.training.rule_labels import add_measured_labels
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span, merge_spans

SURE = 0.5
"""Of a span's score, below which a teacher's voice for it does not count."""


def taught(
    document: Document, found: Sequence[Sequence[Span]], labels: frozenset[str] | None
) -> TrainingNote:
    """Make a training note of what each teacher found in a document.

    What more than half of the teachers found, with border and label and a score of SURE at least,
    are its spans (tri-training: Zhou and Li, IEEE TKDE 2005). Beside these, where any teacher
    found anything, any label may be, so that doubts teach nothing. `labels` are those that all
    teachers look for; None where these are all of the corpus.
    """
    voices = Counter(
        place
        for spans in found
        for place in {(span.start, span.end, span.label) for span in spans if span.score >= SURE}
    )
    agreed = sorted(place for place, count in voices.items() if 2 * count > len(found))
    clear = tuple(Span(start, end, label) for start, end, label in agreed)
    every = sorted(span for spans in found for span in spans)
    unsure = [
        Span(start, end, UNSURE)
        for first, last in merge_spans(every)
        for start, end in _beside(first, last, merge_spans(clear))
        if not document.text[start:end].isspace()
    ]
    return TrainingNote(Annotated(document, tuple(sorted([*clear, *unsure]))), labels)


def _beside(start: int, end: int, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Return what is left of a stretch without those taken, which are in order and disjoint."""
    for first, last in taken:
        if last <= start or end <= first:
            continue
        if start < first:
            yield start, first
        start = last
    if start < end:
        yield start, end


@dataclass(frozen=True)
class TrainingRequest:
    """What is trained on and selected by, how, and where the tagger goes."""

    train: Sequence[Path]
    dev: Sequence[Path]
    out: Path
    recipe: TaggerRecipe
    label_map: Path | None = None
    unannotated: Sequence[Path] = ()
    teachers: Sequence[Path] = ()


def plan_recipe(
    encoder: EncoderConfig, window: int, context: int, changes: Mapping[str, Any]
) -> TaggerRecipe:
    """Return the recipe that suits an encoder, with `changes` by field.

    `window` is the most tokens of a window, `context` those on each side that are seen and not
    scored. Raises ConfigError where a window would hold nothing but context.
    """
    try:
        cut = WindowConfig(window, context)
    except ValueError as error:
        raise ConfigError("--window", str(error), "give more, or less --context") from None
    # Who sets the number of epochs wants no more steps than these, however few the notes.
    least = {"least_steps": 0} if "epochs" in changes else {}
    return replace(default_recipe(encoder), cut=cut, **{**changes, **least})


@dataclass
class TrainingResult:
    """What came of it: the scores of the weights kept, the energy it took, and warnings.

    `before` are the scores of the tagger that it started from, in the labels that both know;
    `rule_labels` the tagger's label for a rule's, where it has labels of its own.
    """

    scores: Scores
    energy: Energy
    before: Scores | None = None
    rule_labels: Mapping[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def train_files(request: TrainingRequest, progress: Progress) -> TrainingResult:
    """Train on notes and write the folder that `--model` takes.

    Where several files are given, each may be annotated with labels of its own: a label that no
    span of a file has is unknown there, not absent. Teachers label the notes without annotation.
    Raises ConfigError.
    """
    warnings: list[str] = []
    meter = EnergyMeter()
    renamed = read_label_map(request.label_map) if request.label_map else {}
    progress.phase("reading")
    is_one = len(request.train) == 1
    notes = [note for path in request.train for note in _read(path, renamed, warnings, is_one)]
    dev = [note for path in request.dev for note in _read(path, renamed, warnings, is_one)]
    if unknown := sorted(_labels(dev) - _labels(notes)):
        warnings.append(f"never learnt, but in --dev: {', '.join(unknown)}")
    about = {"train": _about(notes), "dev": _about(dev)}
    annotated = tuple(notes)
    if request.unannotated:
        progress.phase("labelling by teachers")
        more = list(_label_notes(request, _labels(notes), warnings, progress))
        about["unannotated"] = _about(more)
        notes += more
    progress.phase("training")
    watch = TrainingCallbacks(
        progress.advance,
        lambda scores: progress.phase(f"F1 {scores['f1']:.4f}, no leak {scores['zero_leak']:.3f}"),
    )
    corpora = Corpora(notes, dev, about)
    measured: dict[str, str] = {}

    def finish(folder: Path) -> None:
        progress.phase("measuring rules")
        measured.update(add_measured_labels(folder, annotated, dev))

    scores = train(corpora, request.recipe, request.out, watch, refine=refine_spans, finish=finish)
    write_learning_curve(request.out)
    energy = meter.read(EnergySettings(), measure_peak_kilobytes())
    return TrainingResult(scores, energy, read_start_scores(request.out), measured, warnings)


def _label_notes(
    request: TrainingRequest, labels: Set[str], warnings: list[str], progress: Progress
) -> Iterator[TrainingNote]:
    """Label notes by all teachers; spans that they may have are not looked at."""
    teachers = [Tagger.load(folder) for folder in request.teachers]
    shared = frozenset[str].intersection(*(frozenset(each.labels) for each in teachers))
    if strange := sorted({label for each in teachers for label in each.labels} - labels):
        problem = f"finds labels that --train has not: {', '.join(strange)}"
        raise ConfigError("--teacher", problem, "name taggers that learnt the same labels")
    documents = [
        _cleaned(note, {}).document
        for path in request.unannotated
        for note in read_annotated(path, warnings)
    ]
    for at in range(0, len(documents), TOGETHER):
        several = documents[at : at + TOGETHER]
        found = [each.spans(several) for each in teachers]
        for place, document in enumerate(several):
            yield taught(document, [spans[place] for spans in found], shared)
        progress.advance(at + len(several), len(documents))


def _read(
    path: Path, renamed: Mapping[str, str], warnings: list[str], is_one: bool
) -> list[TrainingNote]:
    notes = [_cleaned(note, renamed) for note in read_annotated(path, warnings)]
    if not any(note.spans for note in notes):
        raise ConfigError(str(path), "has no annotated notes", "give notes with spans")
    labels = None if is_one else frozenset(s.label for note in notes for s in note.spans)
    return [TrainingNote(note, labels) for note in notes]


def _cleaned(note: Annotated, renamed: Mapping[str, str]) -> Annotated:
    """Return a note as detection sees it, in the labels wanted."""
    alignment = align(note.document.text)
    spans = alignment.to_clean(note.spans)
    return Annotated(
        replace(note.document, text=alignment.clean),
        tuple(replace(span, label=renamed.get(span.label, span.label)) for span in spans),
    )


def _labels(notes: Sequence[TrainingNote]) -> set[str]:
    return {span.label for note in notes for span in note.annotated.spans}


def _about(notes: Sequence[TrainingNote]) -> dict[str, object]:
    labels = Counter(span.label for note in notes for span in note.annotated.spans)
    return {
        "notes": len(notes),
        "characters": sum(len(note.annotated.document.text) for note in notes),
        "spans": dict(sorted(labels.items())),
    }
