"""Detection in files of notes (`cryptonym detect`), and processing of such files by line."""

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from pipeline.config.progress import Progress
from pipeline.files.alignment import Alignment, align
from pipeline.files.batch_processes import work_in_order
from pipeline.files.jsonl import (
    BadLine,
    JsonLine,
    count_lines,
    read_notes,
    read_patients,
    spans_to_json,
)
from pipeline.files.output_files import FileResult, OutputFiles
from pipeline.files.span_explanations import Finding, explain_spans
from pipeline.notes.detection import (
    DETECTOR_VERSION,
    KnownPatients,
    by_record,
    detect,
    spoken,
)
from pipeline.notes.error_boundary import attempt
from pipeline.notes.model_detection import TOGETHER, Foresight, SpanTagger
from pipeline.notes.overlap_resolution import (
    Precedence,
    has_own_labels,
    make_precedence,
    precedence_beside_tagger,
    resolve_beside_tagger,
    resolve_spans,
)
from pipeline.notes.selected_rules import load_selection, rule_of
from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable
from record.failure import Failure
from record.patient import PatientRecord
from record.span import Span
from rules.known.known import KnownPatient

DETECTORS = frozenset(("rules", "known"))
MODEL = "model"
"""The detector that uses a tagger model; available only if a model is given."""
MAX_NOTE_CHARACTERS = 1_000_000
"""Longer notes go to quarantine, as in the nightly job by default."""
_MAX_LINES_NAMED = 10


R = TypeVar("R")

FindingCallback = Callable[[Finding, str], None]
"""Called with a finding and the text of its note as in the file."""


@dataclass(frozen=True)
class NoteFileTask:
    """Input and output files, detectors, and the language of notes without one.

    Without `lang`, the language of such a note is identified from its text. `selection` is a file
    with the rules to leave out. `model` is the tagger of the detector `model`. `detection` says
    what takes part, one sentence each.
    """

    notes: Path
    out: Path
    patients: Path | None = None
    detectors: frozenset[str] = DETECTORS
    lang: str = ""
    selection: Path | None = None
    model: SpanTagger | None = None
    detection: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The input files, which must not be overwritten."""
        given = (self.notes, self.patients, self.selection)
        return tuple(path for path in given if path is not None)


@dataclass
class IdentifierFinder:
    """Finds identifiers with the selected detectors, given the patients of a file.

    `lang` is the language of a note without one that cannot be identified from its text.
    `dropped` are the rules left out, as named by `pipeline.files.rule_selection`.
    """

    patients: dict[str, PatientRecord] = field(repr=False)
    detectors: frozenset[str] = DETECTORS
    lang: str = ""
    known: KnownPatients = field(default_factory=KnownPatients)
    dropped: frozenset[str] = frozenset()
    model: SpanTagger | None = None
    warnings: list[str] = field(default_factory=list)
    _foresight: Foresight = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._foresight = Foresight(self.model)

    def patient(self, person_id: str | None) -> PatientRecord | None:
        """Return the record of a person, or None if unknown."""
        return None if person_id is None else self.patients.get(person_id)

    def spans(self, document: Document) -> tuple[Span, ...]:
        """Return the spans of all detectors in a clean document; they may overlap."""
        known = self._known(document)
        found: list[Span] = []
        if "rules" in self.detectors:
            found += (s for s in detect(document, known) if rule_of(s) not in self.dropped)
        elif known:
            found += by_record(document, known)
        found += self._foresight.spans(document)
        return tuple(found)

    def ask_model(self, lines: Sequence[JsonLine]) -> None:
        """Ask the model about the next notes together, which is faster than one by one.

        If that fails, it is asked about each alone, so that only the one at fault is refused.
        """
        clean = (attempt("", "detect", partial(clean_note, line)) for line in lines)
        documents = (each[0].document for each in clean if not isinstance(each, Failure))
        self._foresight = Foresight(self.model, documents)

    def _known(self, document: Document) -> KnownPatient | None:
        patient = self.patient(document.person_id) if "known" in self.detectors else None
        return self.known.of(patient) if patient else None

    def find(self, annotated: Annotated) -> Annotated:
        """Return a clean document with the resolved spans of the detectors."""
        document = spoken(annotated.document, self.lang)
        return Annotated(document, self.resolve(self.spans(document), document.text))

    def resolve(self, spans: Iterable[Span], text: str) -> tuple[Span, ...]:
        """Return disjoint spans; those of a tagger with labels of its own stay as they are."""
        if self.model and has_own_labels(self.model.labels):
            return resolve_beside_tagger(spans, text, self.model.rule_labels)
        return resolve_spans(spans, text)

    def precedence(self, spans: Collection[Span], text: str) -> Precedence:
        """Return the sort key by which spans are resolved."""
        if self.model and has_own_labels(self.model.labels):
            return precedence_beside_tagger
        return make_precedence(spans, text)


def make_finder(task: NoteFileTask) -> IdentifierFinder:
    """Return a finder for a task, with its patients and rule selection read from files."""
    warnings: list[str] = []
    patients = read_patients(task.patients, warnings) if task.patients else {}
    finder = IdentifierFinder(patients, task.detectors, model=task.model, warnings=warnings)
    if task.selection:
        finder.dropped = load_selection(task.selection, DETECTOR_VERSION, finder.warnings)
    return finder


def parse_detectors(text: str, *, has_model: bool = False) -> frozenset[str]:
    """Parse a list such as `rules,known,model`; raises ConfigError if it does not fit the model."""
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if not names or names - DETECTORS - {MODEL}:
        raise ConfigError("--detectors", "unknown detector", "choose from rules, known, model")
    if MODEL in names and not has_model:
        raise ConfigError("--detectors", "`model` contradicts --model none", "leave one out")
    return names


@dataclass(frozen=True)
class NoteDetection:
    """The spans of a note with offsets of the file, and what is told of each that was found."""

    spans: tuple[Span, ...]
    findings: list[Finding]
    is_known: bool


@dataclass(frozen=True)
class DetectionNotice:
    """What takes part in a detection, one sentence each, and what its user should know."""

    detection: tuple[str, ...]
    warnings: tuple[str, ...]


class BatchDetector:
    """Detects in batches of notes; findings are told if they are `explained`."""

    def __init__(self, task: NoteFileTask, *, explained: bool) -> None:
        self._finder = make_finder(task)
        self._explained = explained
        self.about = DetectionNotice(task.detection, tuple(self._finder.warnings))

    def __call__(self, lines: Sequence[JsonLine]) -> list[NoteDetection | Failure]:
        """Return the detection of each note, or why it is refused."""
        self._finder.ask_model(lines)
        return [
            attempt(line.annotated.document.note_id, "detect", partial(self._detect, line))
            for line in lines
        ]

    def _detect(self, line: JsonLine) -> NoteDetection:
        spans, findings = find_raw_spans(line, self._finder, explained=self._explained)
        person = self._finder.patient(line.annotated.document.person_id)
        return NoteDetection(spans, findings, person is not None)


class BatchDetection(Protocol):
    """Detects in batches of notes, wherever that is done; results come in their order."""

    def __call__(
        self,
        batches: Iterable[list[JsonLine]],
        *,
        explained: bool,
        ready: Callable[[DetectionNotice], None],
        warn: Callable[[str], None],
    ) -> Generator[list[NoteDetection | Failure], None, None]:
        """Yield the results of each batch; `ready` is called once, before the first of them."""


def open_detector(
    make_task: Callable[[int], NoteFileTask], explained: bool, processes: int
) -> BatchDetector:
    """Open a detector in one of so many processes, for a task that `make_task` makes there."""
    return BatchDetector(make_task(processes), explained=explained)


def detect_in_processes(make_task: Callable[[int], NoteFileTask], workers: int) -> BatchDetection:
    """Return what detects in so many processes of this machine, or in this one for one.

    `make_task` makes the task with its model in each process, given their number. Raises as
    `work_in_order`.
    """

    def detect_batches(
        batches: Iterable[list[JsonLine]],
        *,
        explained: bool,
        ready: Callable[[DetectionNotice], None],
        warn: Callable[[str], None],
    ) -> Generator[list[NoteDetection | Failure], None, None]:
        opened = partial(open_detector, make_task, explained)
        return work_in_order(opened, batches, workers, ready=ready, warn=warn)

    return detect_batches


def detect_file(
    task: NoteFileTask,
    progress: Progress,
    on_finding: FindingCallback | None = None,
    *,
    detection: BatchDetection | None = None,
) -> FileResult:
    """Add spans to notes; texts are not changed, and offsets refer to them.

    `on_finding` is called for every span that a detector found, even if it lost to another.
    `detection` does the work elsewhere, so that `task` needs no model; without it this process
    does. Notes, their order and what is told are the same. Raises as `detection` does; then nothing
    is written.
    """
    unknown = 0
    detection = detection or detect_in_processes(partial(keep_task, task), 1)
    with OutputFiles(task.out, task.inputs) as outputs:
        done = outputs.done

        def ready(about: DetectionNotice) -> None:
            done.warnings += about.warnings
            done.detection = about.detection

        explained, warn = on_finding is not None, done.warnings.append
        detect_batches = partial(detection, explained=explained, ready=ready, warn=warn)

        def step(line: JsonLine, found: NoteDetection | Failure) -> None:
            nonlocal unknown
            if isinstance(found, Failure):
                outputs.refuse(found)
                return
            for finding in found.findings:
                if on_finding:
                    on_finding(finding, line.annotated.document.text)
            unknown += not found.is_known
            outputs.note({**line.record, "spans": spans_to_json(found.spans)})

        process_batches(task, outputs, progress, detect_batches, step)
        if unknown and task.patients and "known" in task.detectors:
            done.warnings.append(f"no patient record for {unknown} notes")
    return done


def keep_task(task: NoteFileTask, processes: int) -> NoteFileTask:  # noqa: ARG001 - as it is
    """Return a task as it is, in any number of processes."""
    return task


def process_lines(
    task: NoteFileTask,
    outputs: OutputFiles,
    progress: Progress,
    step: Callable[[JsonLine], None],
    *,
    given: bool = False,
    ahead: Callable[[Sequence[JsonLine]], None] = lambda lines: None,
) -> None:
    """Apply a step to each note of a task; invalid lines go to quarantine.

    `ahead` is called with the next few notes before the first of them is processed.
    """

    def prepare(
        batches: Iterable[list[JsonLine]],
    ) -> Generator[list[JsonLine], None, None]:
        for batch in batches:
            ahead(batch)
            yield batch

    process_batches(task, outputs, progress, prepare, lambda line, _: step(line), given=given)


def process_batches(
    task: NoteFileTask,
    outputs: OutputFiles,
    progress: Progress,
    work: Callable[[Iterable[list[JsonLine]]], Generator[Sequence[R], None, None]],
    step: Callable[[JsonLine, R], None],
    *,
    given: bool = False,
) -> None:
    """Apply a step to each note of a task and what `work` gives for it; invalid lines go to
    quarantine.

    `work` is given the notes in batches that depend on the file alone, and yields a result for each
    note of a batch, in order; it may take some batches ahead.
    """
    progress.phase("reading")
    planned = count_lines(task.notes)
    progress.phase("working")
    bad: list[int] = []
    lines = read_notes(task.notes, lang=task.lang, given=given)
    taken: deque[list[JsonLine | BadLine]] = deque()

    def take() -> Iterator[list[JsonLine]]:
        while group := list(islice(lines, TOGETHER)):
            taken.append(group)
            yield [line for line in group if isinstance(line, JsonLine)]

    with closing(work(take())) as results:
        for result in results:
            found = iter(result)
            for line in taken.popleft():
                outputs.done.read += 1
                if isinstance(line, BadLine):
                    bad.append(line.number)
                    outputs.refuse(line.failure)
                else:
                    step(line, next(found))
                progress.advance(outputs.done.read, planned)
    assert not taken, "a batch without a result"
    if not outputs.done.read:
        outputs.done.warnings.append(f"{task.notes}: holds no notes; is it the right file?")
    outputs.done.warnings += describe_bad_lines(task.notes, bad)


def describe_bad_lines(path: Path, numbers: Sequence[int]) -> list[str]:
    """Return a warning that lists the invalid lines of a file, if there are any."""
    if not numbers:
        return []
    named = ", ".join(map(str, numbers[:_MAX_LINES_NAMED]))
    more = f" and {len(numbers) - _MAX_LINES_NAMED} more" * (len(numbers) > _MAX_LINES_NAMED)
    form = "each is a JSON object with note_id and text, `cryptonym extract` reads documents"
    return [f"{path}: not a valid note: line {named}{more}; {form}"]


def clean_note(line: JsonLine) -> tuple[Annotated, Alignment]:
    """Return a note with clean text and aligned spans, and the alignment.

    Raises Unreadable `too-long` or `unaligned`.
    """
    document = line.annotated.document
    if len(document.text) > MAX_NOTE_CHARACTERS:
        raise Unreadable("too-long")
    alignment = align(document.text)
    spans = alignment.to_clean(line.annotated.spans)
    return Annotated(replace(document, text=alignment.clean), spans), alignment


def find_raw_spans(
    line: JsonLine, finder: IdentifierFinder, *, explained: bool = False
) -> tuple[tuple[Span, ...], list[Finding]]:
    """Return the spans of a note with offsets of the file, and their findings if `explained`."""
    clean, alignment = clean_note(line)
    document = spoken(clean.document, finder.lang)
    found = finder.spans(document)
    # Two adjacent spans within a ligature now share its single character.
    resolved = finder.resolve(found, document.text)
    spans = resolve_spans(alignment.to_raw(resolved), alignment.raw)
    if not explained:
        return spans, []
    patient = finder.patient(document.person_id)
    ranked = finder.precedence(found, document.text)
    return spans, [
        replace(finding, span=alignment.to_raw([finding.span])[0])
        for finding in explain_spans(document, found, patient, precedence=ranked)
    ]
