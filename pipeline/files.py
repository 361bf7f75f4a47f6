"""The commands on files of notes: what they have in common, and finding spans."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.alignment import Alignment, align
from pipeline.boundary import attempt
from pipeline.detection import KnownPatients, by_record, detect, spoken
from pipeline.explain import Finding, explain
from pipeline.jsonl import BadLine, Line, count_lines, listed, read_notes, read_patients
from pipeline.nightly import Progress
from pipeline.outbox import Done, Outbox
from pipeline.resolve import resolve
from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable
from record.failure import Failure
from record.patient import PatientRecord
from record.span import Span

DETECTORS = frozenset(("rules", "known"))
LONGEST_NOTE = 1_000_000
"""Characters; a longer note goes to quarantine, as in the nightly job's default."""
_MOST_LINES_NAMED = 10

Tell = Callable[[Finding, str], None]
"""Is told of one finding, and of the text of the note as it stands in the file."""


@dataclass(frozen=True)
class Task:
    """Which notes to read and where to write; whom is known; the language of notes that name none.

    Without `lang`, the text of such a note tells its language.
    """

    notes: Path
    out: Path
    patients: Path | None = None
    detectors: frozenset[str] = DETECTORS
    lang: str = ""

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that must not be overwritten."""
        return (self.notes,) if self.patients is None else (self.notes, self.patients)


@dataclass
class Finder:
    """Finds identifiers with the detectors asked for; knows the patients of one file.

    `lang` is the language of a note that names none and whose text does not tell.
    """

    patients: dict[str, PatientRecord] = field(repr=False)
    detectors: frozenset[str] = DETECTORS
    lang: str = ""
    known: KnownPatients = field(default_factory=KnownPatients)

    def patient(self, person_id: str | None) -> PatientRecord | None:
        """Give what is known of a person, if anything is."""
        return None if person_id is None else self.patients.get(person_id)

    def spans(self, document: Document) -> tuple[Span, ...]:
        """Find all that the detectors find in a clean document; spans may overlap."""
        patient = self.patient(document.person_id) if "known" in self.detectors else None
        known = self.known.of(patient) if patient else None
        if "rules" in self.detectors:
            return detect(document, known)
        return tuple(by_record(document, known)) if known else ()

    def find(self, annotated: Annotated) -> Annotated:
        """Put the resolved spans of the detectors on a clean document."""
        document = spoken(annotated.document, self.lang)
        return Annotated(document, resolve(self.spans(document), document.text))


def make_finder(task: Task) -> Finder:
    """Read the patients of a task."""
    return Finder(read_patients(task.patients) if task.patients else {}, task.detectors)


def parse_detectors(text: str) -> frozenset[str]:
    """Read `rules,known`; raises ConfigError for `model`, which this version lacks."""
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if "model" in names:
        problem = "`model` is not available in this version"
        raise ConfigError("--detectors", problem, "choose from rules, known")
    if not names or names - DETECTORS:
        raise ConfigError("--detectors", "names no detector", "choose from rules, known")
    return names


def detect_file(task: Task, progress: Progress, tell: Tell | None = None) -> Done:
    """Add spans to notes; their text stays as it is, and offsets are those of that text.

    `tell` is told of every span that a detector found, also where it lost to another.
    """
    finder = make_finder(task)
    unknown = 0
    with Outbox(task.out, task.inputs) as outbox:

        def step(line: Line) -> None:
            nonlocal unknown
            document = line.annotated.document
            search = lambda: _raw_spans(line, finder, explained=bool(tell))  # noqa: E731
            found = attempt(document.note_id, "detect", search)
            if isinstance(found, Failure):
                outbox.refuse(found)
                return
            spans, findings = found
            for finding in findings:
                if tell:
                    tell(finding, document.text)
            unknown += finder.patient(document.person_id) is None
            outbox.note({**line.record, "spans": listed(spans)})

        each_line(task, outbox, progress, step)
        if unknown and task.patients and "known" in task.detectors:
            outbox.done.warnings.append(f"nothing is known of the person of {unknown} notes")
    return outbox.done


def each_line(
    task: Task,
    outbox: Outbox,
    progress: Progress,
    step: Callable[[Line], None],
    *,
    given: bool = False,
) -> None:
    """Take each note of a task through a step; lines that are no notes go to quarantine."""
    progress.phase("reading")
    planned = count_lines(task.notes)
    progress.phase("working")
    bad: list[int] = []
    for line in read_notes(task.notes, lang=task.lang, given=given):
        outbox.done.read += 1
        if isinstance(line, BadLine):
            bad.append(line.number)
            outbox.refuse(line.failure)
        else:
            step(line)
        progress.advance(outbox.done.read, planned)
    outbox.done.warnings += bad_lines(task.notes, bad)


def bad_lines(path: Path, numbers: Sequence[int]) -> list[str]:
    """Say which lines of a file are no notes."""
    if not numbers:
        return []
    named = ", ".join(map(str, numbers[:_MOST_LINES_NAMED]))
    more = f" and {len(numbers) - _MOST_LINES_NAMED} more" * (len(numbers) > _MOST_LINES_NAMED)
    return [f"{path}: not a note in line {named}{more}"]


def cleaned(line: Line) -> tuple[Annotated, Alignment]:
    """Give a note with clean text, its spans moved along, and the way back.

    Raises Unreadable `too-long` or `unaligned`.
    """
    document = line.annotated.document
    if len(document.text) > LONGEST_NOTE:
        raise Unreadable("too-long")
    alignment = align(document.text)
    spans = alignment.to_clean(line.annotated.spans)
    return Annotated(replace(document, text=alignment.clean), spans), alignment


def _raw_spans(
    line: Line, finder: Finder, *, explained: bool
) -> tuple[tuple[Span, ...], list[Finding]]:
    """Give the spans of a note as it stands in the file and, if asked for, what explains them."""
    clean, alignment = cleaned(line)
    document = spoken(clean.document, finder.lang)
    found = finder.spans(document)
    # Two spans that met within a ligature now share its one character.
    spans = resolve(alignment.to_raw(resolve(found, document.text)), alignment.raw)
    if not explained:
        return spans, []
    patient = finder.patient(document.person_id)
    return spans, [
        replace(finding, span=alignment.to_raw([finding.span])[0])
        for finding in explain(document, found, patient)
    ]
