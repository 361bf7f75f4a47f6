"""Extraction of documents from files into a file of notes, with page classes on request."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from extractors.document.limits import Extracted, Limits
from extractors.document.options import Options
from extractors.document_reader import DocumentReader, read_file
from extractors.layout.labelled_pages import LabelledPage, write_pages
from pipeline.config.progress import Progress
from pipeline.files.document_persons import PersonFinder, PersonSources
from pipeline.files.output_files import FileResult, OutputFiles
from pipeline.notes.error_boundary import attempt
from record.errors import ConfigError, Unavailable, Unreadable
from record.failure import Failure


@dataclass(frozen=True)
class ExtractionTask:
    """Which documents to extract, with which options, and where to write.

    `labels` is a file for the lines of PDF pages with their classes, `pictures` a folder for
    PDFs of the pages with the classes drawn over them. `persons` says where the persons of the
    notes come from.
    """

    files: Sequence[Path]
    out: Path
    limits: Limits
    options: Options
    min_quality: float = 0.6
    labels: Path | None = None
    pictures: Path | None = None
    persons: PersonSources = field(default_factory=PersonSources)


def extract_files(task: ExtractionTask, progress: Progress) -> FileResult:
    """Extract documents into notes whose ids are the names of the files.

    A document that cannot be read, or whose quality is too low, goes to quarantine under its
    file name, and so does one of which several persons are named. Raises ConfigError for documents
    that do not exist, and like Unavailable for paths that cannot be written.
    """
    _check_existence(task.files)
    options = replace(
        task.options,
        keep_lines=task.labels is not None or bool(task.persons.field_name),
        draw_classes=task.pictures is not None,
    )
    finder = PersonFinder(task.persons, task.files)
    nobody = 0
    taken: set[str] = set()
    labelled: list[LabelledPage] = []
    progress.phase("extracting")
    _make_folder(task.pictures)
    with (
        OutputFiles(task.out, (*task.files, *task.persons.inputs)) as outputs,
        DocumentReader(task.limits, options) as reader,
    ):
        for number, path in enumerate(task.files, start=1):
            step = lambda path=path: _read_document(path, reader, task, finder)  # noqa: E731
            read = attempt(path.name, "extract", step)
            if isinstance(read, Failure):
                outputs.refuse(read)
            else:
                found, person = read
                nobody += person is None
                name = _make_unique_name(path.stem, taken)
                outputs.note(_make_note(name, found, person))
                labelled += _make_labelled_pages(name, found)
                _write_picture(name, found, task.pictures)
            outputs.done.read = number
            progress.advance(number, len(task.files))
    if task.labels is not None:
        write_pages(labelled, task.labels)
    if folders := sum(path.is_dir() for path in task.files):
        outputs.done.warnings.append(f"not a document but a folder: {folders}; name files: DIR/*")
    if nobody and task.persons:
        problem = f"no person was found for {nobody} of {outputs.done.written} notes"
        outputs.done.warnings.append(f"{problem}; `pseudonymize --patients` will refuse them")
    return outputs.done


def _check_existence(files: Sequence[Path]) -> None:
    """Raise ConfigError for files that do not exist; a link to nothing is a file to be refused."""
    missing = [path for path in files if not os.path.lexists(path)]
    if not missing:
        return
    problem = "does not exist"
    if len(missing) > 1:
        problem += f", and neither do {len(missing) - 1} others"
    raise ConfigError(str(missing[0]), problem, "correct the path, or check the shell's pattern")


def _read_document(
    path: Path, reader: DocumentReader, task: ExtractionTask, finder: PersonFinder
) -> tuple[Extracted, str | None]:
    try:
        found = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise Unreadable("missing-document") from None
    data = read_file(found.name, found.parent, reader.limits, hard_links=True)
    extracted = reader.read(data, name=found.name)
    if not extracted.text.strip():
        raise Unreadable("no-text")
    if extracted.quality.score < task.min_quality:
        raise Unreadable("low-quality")
    return extracted, finder.find(path, extracted)


def _make_note(name: str, found: Extracted, person: str | None) -> dict[str, object]:
    return {
        "note_id": name,
        **({} if person is None else {"person_id": person}),
        "text": found.text,
        "origin": found.origin,
        "quality": round(found.quality.score, 4),
    }


def _make_labelled_pages(name: str, found: Extracted) -> list[LabelledPage]:
    pages = zip(found.page_lines, found.line_classes, strict=True)
    return [LabelledPage(name, page, kinds) for page, kinds in pages]


def _make_folder(folder: Path | None) -> None:
    if folder is None:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        raise ConfigError(str(folder), "cannot be created", "choose another folder") from None


def _write_picture(name: str, found: Extracted, folder: Path | None) -> None:
    if folder is None or not found.classes_pdf:
        return
    path = folder / f"{name}.classes.pdf"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(found.classes_pdf)
    except OSError as error:
        problem = error.strerror or "cannot be written"
        raise Unavailable(str(path), problem, "check the disk, then run again") from None


def _make_unique_name(stem: str, taken: set[str]) -> str:
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name)
    return name
