"""Writes the fictional hospital to a folder: database, PDFs, and the gold spans of every note."""

import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import create_engine

from record.errors import ConfigError
from synthesis.fictional.omop import document_name, write_omop
from synthesis.fictional.pdf_letters.letterhead import Letter, LetterDirectory
from synthesis.fictional.pdf_letters.rendering import render_letter
from synthesis.fictional.people.records import FictionalNote, Hospital

DATABASE = "hospital.db"
DOCUMENTS = "pdf"
TRUTH = "truth.jsonl"
PATIENTS = "patients.jsonl"

_PARTIAL = ".hospital.partial"
_CHUNK = 32
_AHEAD = 4

Printed = tuple[FictionalNote, bytes | None]


@dataclass
class HospitalCounts:
    """How much was written; `pdfs` are printed notes, `scans` those without a text layer."""

    patients: int = 0
    visits: int = 0
    notes: int = 0
    pdfs: int = 0
    scans: int = 0
    spans: int = 0


def write_hospital(
    hospital: Hospital,
    folder: Path,
    *,
    seed: int,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
) -> HospitalCounts:
    """Write `hospital.db`, `pdf/`, `truth.jsonl` and `patients.jsonl` into a folder.

    The same hospital and seed give the same files, whatever the number of processes. Files appear
    in the folder only when all are complete, the database last. `progress` receives how many notes
    are done. With several processes the caller's main module must be importable.
    Raises ConfigError when the folder holds a hospital already.
    """
    if (folder / DATABASE).exists():
        raise ConfigError(
            f"{folder}", f"already contains {DATABASE}", "give another folder, or delete the file"
        )
    partial = folder / _PARTIAL
    shutil.rmtree(partial, ignore_errors=True)  # what a killed run left
    (partial / DOCUMENTS).mkdir(parents=True)
    try:
        counts = _write(hospital, partial, _Printing(seed, processes), progress)
        _put_in_place(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return counts


@dataclass(frozen=True, slots=True)
class _Printing:
    """How notes are rendered."""

    seed: int
    processes: int


def _write(
    hospital: Hospital,
    partial: Path,
    printing: _Printing,
    progress: Callable[[int], None] | None,
) -> HospitalCounts:
    counts = HospitalCounts(patients=len(hospital.patients), visits=len(hospital.visits))
    engine = create_engine(f"sqlite:///{partial / DATABASE}")

    def filed(truth: TextIO) -> Iterator[FictionalNote]:
        for note, data in _printed(hospital, printing):
            name = document_name(note)
            if name and data is not None:
                (partial / DOCUMENTS / name).write_bytes(data)
            truth.write(json.dumps(_truth(note, name), ensure_ascii=False) + "\n")
            counts.notes += 1
            counts.pdfs += note.rendering == "pdf"
            counts.scans += note.rendering == "scan"
            counts.spans += len(note.annotated.spans)
            if progress:
                progress(counts.notes)
            yield note

    try:
        with _durable(partial / TRUTH) as truth:
            write_omop(hospital, engine, notes=filed(truth))
    finally:
        engine.dispose()
    with _durable(partial / PATIENTS) as lines:
        for record in hospital.patients.values():
            lines.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")
    return counts


def _truth(note: FictionalNote, name: str | None) -> dict[str, Any]:
    """Return a line of `truth.jsonl`; for a note in a PDF it includes rendering and file."""
    truth = {
        "note_id": f"{note.note_id}",
        "person_id": f"{note.person_id}",
        "text": note.annotated.document.text,
        "lang": note.lang,
        "note_datetime": note.written.isoformat(),
        "note_type": note.kind,
        "spans": [
            {"start": span.start, "end": span.end, "label": span.label}
            for span in note.annotated.spans
        ],
    }
    return {**truth, "rendering": note.rendering, "file": name} if name else truth


# Printing ----------------------------------------------------------------------------------------


def _printed(hospital: Hospital, printing: _Printing) -> Iterator[Printed]:
    """Every note in order, those in PDFs with all that the PDF shows for their text."""
    directory = LetterDirectory(hospital)
    letters = (
        note if note.rendering == "text" else directory.letter(note, seed=printing.seed)
        for note in hospital.notes()
    )
    if printing.processes <= 1:
        yield from (_print(letter, printing.seed) for letter in letters)
        return
    chunks = iter(lambda: list(islice(letters, _CHUNK)), [])
    with ProcessPoolExecutor(printing.processes, get_context("spawn")) as pool:
        waiting: deque[Future[list[Printed]]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(_print_all, chunk, printing.seed))
            if len(waiting) > _AHEAD * printing.processes:  # bounds the memory, keeps the order
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _print_all(letters: Iterable[FictionalNote | Letter], seed: int) -> list[Printed]:
    return [_print(letter, seed) for letter in letters]


def _print(letter: FictionalNote | Letter, seed: int) -> Printed:
    if isinstance(letter, FictionalNote):
        return letter, None
    data, annotated = render_letter(letter, seed=seed)
    return replace(letter.note, annotated=annotated), data


# Files -------------------------------------------------------------------------------------------


@contextmanager
def _durable(path: Path) -> Iterator[TextIO]:
    with path.open("w", encoding="utf-8") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _put_in_place(partial: Path, folder: Path) -> None:
    (folder / DOCUMENTS).mkdir(exist_ok=True)
    for document in sorted((partial / DOCUMENTS).iterdir()):
        document.replace(folder / DOCUMENTS / document.name)
    for name in (TRUTH, PATIENTS, DATABASE):
        (partial / name).replace(folder / name)
