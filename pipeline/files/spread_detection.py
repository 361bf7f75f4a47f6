"""Detection on several machines, which put what they find into a folder that they share."""

import fcntl
import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from threading import Event, Thread
from typing import Any

from pipeline.config.progress import Progress
from pipeline.files.jsonl import (
    BadLine,
    JsonLine,
    count_lines,
    dump_line,
    read_notes,
    spans_to_json,
)
from pipeline.files.note_files import (
    BatchDetection,
    BatchDetector,
    DetectionNotice,
    NoteDetection,
    NoteFileTask,
)
from pipeline.files.span_explanations import Finding, SpanOutcome
from pipeline.notes.model_detection import TOGETHER
from record.errors import ConfigError, Unavailable
from record.failure import Failure
from record.span import Span

_MOST_BATCHES = 64
"""Batches of a part: what is done again at most where a machine fails."""
_PARTS_OF_A_TASK = 4
_ORDER = "order.json"
_POLL_SECONDS = 0.5
_SHARED = "give a folder that all machines share, and change nothing in it meanwhile"

Found = list[NoteDetection | Failure]


@dataclass(frozen=True)
class SpreadDetection:
    """What other machines are sent: paths and options, no text and nothing known of a patient.

    The notes are cut into `count` parts of `size` batches each; `out` is the folder of the parts,
    which hold note ids, offsets and labels.
    """

    notes: Path
    out: Path
    size: int
    count: int
    make_task: Callable[[int], NoteFileTask]
    explained: bool

    def part(self, unit: int) -> Path:
        """Return the file of a part."""
        return self.out / f"part-{unit:08d}.json"

    def pending(self) -> list[int]:
        """Return the numbers of the parts that are not there."""
        there = {path.name for path in self.out.glob("part-*.json")}
        return [unit for unit in range(self.count) if self.part(unit).name not in there]


@dataclass(frozen=True)
class PartWriting:
    """What has `write_parts` called on other machines, in so many tasks.

    `files` are those beside the notes that all machines must read alike.
    """

    write: Callable[[SpreadDetection, Sequence[int], Sequence[str]], None]
    tasks: int
    files: tuple[Path, ...] = ()


def detect_on_machines(
    task: NoteFileTask,
    make_task: Callable[[int], NoteFileTask],
    writing: PartWriting,
    progress: Progress,
) -> BatchDetection:
    """Return what detects on other machines, with the batches and the results of one process.

    They share the folder of the output, where parts lie until all are there; `make_task` makes the
    task in each of their processes. Raises Unavailable where they read other notes than this
    machine, ConfigError where they detect with something else, and as `writing` does.
    """

    def detect_batches(
        batches: Iterable[list[JsonLine]],
        *,
        explained: bool,
        ready: Callable[[DetectionNotice], None],
        warn: Callable[[str], None],  # noqa: ARG001 - Spark tries a task again without a word
    ) -> Generator[Found, None, None]:
        if task.notes.exists() and not task.notes.is_file():
            problem = "not a regular file, which other machines cannot read"
            raise ConfigError(str(task.notes), problem, "write the notes to a file first")
        source = iter(batches)
        # Before anything is started: a file that is not there is told here.
        first = list(islice(source, 1))
        planned = count_lines(task.notes)
        total = -(-planned // TOGETHER)
        size = max(1, min(_MOST_BATCHES, total // (_PARTS_OF_A_TASK * writing.tasks)))
        # An empty file has a part as well, which tells what takes part.
        count = max(1, -(-total // size))
        with _make_folder(task.out, writing.files) as folder:
            notes = task.notes.absolute()
            job = SpreadDetection(notes, folder, size, count, make_task, explained)
            with _watch(job, progress, planned):
                writing.write(job, job.pending(), [])
            progress.phase("writing")
            yield from _read_parts(job, chain(first, source), ready)

    return detect_batches


@contextmanager
def _make_folder(out: Path, files: Sequence[Path]) -> Iterator[Path]:
    """Make the folder of the parts beside the output, and remove it in the end.

    It says which version and files are meant, and is locked while this process lives.
    """
    _remove_left(out)
    # Digests of what is known of patients lie in this folder rather than in what Spark keeps.
    order = {"version": version("cryptonym"), "files": _digest_files(files)}
    name = out.absolute()
    try:
        folder = Path(tempfile.mkdtemp(dir=name.parent, prefix=f".{name.name}.parts-"))
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise ConfigError(str(out), problem, "choose a file in a writable folder") from None
    try:
        with (folder / _ORDER).open("w", encoding="utf-8") as file:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            json.dump(order, file)
            file.flush()
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left(out: Path) -> None:
    """Remove the folders that killed processes left; those of one that lives are locked."""
    for left in out.absolute().parent.glob(f".{glob.escape(out.name)}.parts-*"):
        if left.is_symlink():
            continue
        with suppress(OSError), (left / _ORDER).open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left)


def _digest_files(paths: Sequence[Path]) -> dict[str, str]:
    """Return the digests of files by their absolute paths; raises ConfigError."""
    digests = {}
    for path in paths:
        try:
            with path.open("rb") as file:
                digests[str(path.absolute())] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            problem = (error.strerror or "cannot be read").lower()
            raise ConfigError(str(path), problem, "give the path of a readable file") from None
    return digests


@contextmanager
def _watch(job: SpreadDetection, progress: Progress, planned: int) -> Iterator[None]:
    """Report progress by the parts that are there.

    In a thread of its own, so that an interrupt meets the work.
    """
    is_done = Event()

    def tell() -> None:
        while not is_done.wait(_POLL_SECONDS):
            done = (job.count - len(job.pending())) * job.size * TOGETHER
            progress.advance(min(done, planned), planned)

    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_done.set()
        thread.join()


# On the other machines ----------------------------------------------------------------------------


def write_parts(job: SpreadDetection, units: Sequence[int], _arguments: Sequence[str]) -> None:
    """Detect in these parts of the notes, and put each into the folder, whole or not at all.

    Raises Unavailable or ConfigError where this machine lacks or differs in what the work is about.
    """
    _check_machine(job)
    # Spark counts one processor to each of the tasks that run on a machine.
    task = job.make_task(len(os.sched_getaffinity(0)))
    detector = BatchDetector(task, explained=job.explained)
    chosen, lines = frozenset(units), job.size * TOGETHER
    notes = read_notes(
        job.notes, lang=task.lang, given=False, wanted=lambda place: place // lines in chosen
    )
    for unit in sorted(chosen):
        batches = _take_batches(islice(notes, lines))
        content = {
            "about": asdict(detector.about),
            "batches": [
                {"sha256": _digest_notes(batch), "found": list(map(_to_json, detector(batch)))}
                for batch in batches
            ],
        }
        _write_whole(job.part(unit), json.dumps(content))


def _take_batches(notes: Iterator[JsonLine | BadLine]) -> Iterator[list[JsonLine]]:
    """Yield the batches of one process: so many lines each, of which some may be no notes."""
    while group := list(islice(notes, TOGETHER)):
        yield [line for line in group if isinstance(line, JsonLine)]


def _check_machine(job: SpreadDetection) -> None:
    try:
        order = json.loads((job.out / _ORDER).read_text("utf-8"))
    except FileNotFoundError:
        raise Unavailable(str(job.out), "is not there", _SHARED) from None
    if order["version"] != version("cryptonym"):
        problem = f"version {version('cryptonym')}, and the command has {order['version']}"
        raise ConfigError("cryptonym", problem, "install the same version on all machines")
    digests = _digest_files([Path(path) for path in order["files"]])
    for path, digest in order["files"].items():
        if digests[path] != digest:
            raise ConfigError(path, "is not that of the command", _SHARED)


def _write_whole(path: Path, content: str) -> None:
    """Write a file for its owner; two copies of a task may write the same one."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(content)
    Path(file.name).replace(path)


# Parts --------------------------------------------------------------------------------------------


def _read_parts(
    job: SpreadDetection,
    batches: Iterable[list[JsonLine]],
    ready: Callable[[DetectionNotice], None],
) -> Iterator[Found]:
    """Yield what the parts say of each batch, once it is clear that they speak of these notes."""
    told: Any = None
    source = iter(batches)
    for unit in range(job.count):
        part = json.loads(job.part(unit).read_text("utf-8"))
        if told is None:
            told = part["about"]
            ready(DetectionNotice(tuple(told["detection"]), tuple(told["warnings"])))
        if part["about"] != told:
            problem = "machines do not detect with the same models, runtimes or files"
            remedy = "make them alike, and name the runtime with --runtime"
            raise ConfigError("--engine spark", problem, remedy)
        for written in part["batches"]:
            batch = next(source, None)
            if batch is None or written["sha256"] != _digest_notes(batch):
                raise _make_mismatch(job)
            yield list(map(_from_json, written["found"]))
    if next(source, None) is not None:
        raise _make_mismatch(job)


def _make_mismatch(job: SpreadDetection) -> Unavailable:
    problem = "was changed, or is not the same file on all machines"
    return Unavailable(str(job.notes), problem, _SHARED)


def _digest_notes(batch: Sequence[JsonLine]) -> str:
    """Return a digest of notes and their places: offsets fit no other text."""
    digest = hashlib.sha256()
    for line in batch:
        digest.update(f"{line.number} {dump_line(line.record)}\n".encode())
    return digest.hexdigest()


def _to_json(found: NoteDetection | Failure) -> dict[str, Any]:
    if isinstance(found, Failure):
        return {"refused": asdict(found)}
    return {
        "spans": spans_to_json(found.spans),
        "findings": [each.to_json() for each in found.findings],
        "is_known": found.is_known,
    }


def _from_json(found: Mapping[str, Any]) -> NoteDetection | Failure:
    if "refused" in found:
        return Failure(**found["refused"])
    spans = tuple(Span(**span) for span in found["spans"])
    return NoteDetection(spans, list(map(_read_finding, found["findings"])), found["is_known"])


_OF_A_SPAN = ("start", "end", "label", "detector", "score")


def _read_finding(found: Mapping[str, Any]) -> Finding:
    span = Span(**{key: found[key] for key in _OF_A_SPAN})
    rest = {key: value for key, value in found.items() if key not in _OF_A_SPAN}
    return Finding(**rest | {"span": span, "outcome": SpanOutcome(found["outcome"])})
