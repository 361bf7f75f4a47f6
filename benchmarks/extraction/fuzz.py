"""Fuzzing of the document reader: outcomes, time and memory for thousands of damaged documents.

    python -m benchmarks.extraction.fuzz [--count 5000] [--seed 1] [--first 0] [--recognize]
        [--keep FOLDER]

Each document is small, made from its number and the seed alone, and either read or refused with a
reason. Prints the reasons by kind of document, the slowest document, and the peak memory of the
reading process and of this one. Ends with exit code 1 if the reading process crashed over one, or
one took more time or memory than it may: `--keep` puts those into a folder.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.extraction.mutations import mutate_specimen
from benchmarks.extraction.specimens import make_specimens
from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.document_reader import DocumentReader
from record.errors import Unreadable

READ = "read"
MARGIN_SECONDS = 20.0
"""What a document may take beyond its limit: a process is ended, and another one started."""
SHOWN = 20
MOST_GROWTH_KB = 100_000
"""How much this process may grow over all documents, however many."""


@dataclass(frozen=True)
class Attempt:
    """What came of one document: `outcome` is READ or the reason for which it was refused.

    Memory in kilobytes is resident: the most the reading process ever held, None where that is
    gone, and what this process holds now.
    """

    number: int
    name: str
    outcome: str
    origin: str
    blank: bool
    seconds: float
    child_peak: int | None
    parent: int


def read_documents(
    reader: DocumentReader, seed: int, numbers: Iterable[int], *, named: bool = True
) -> Iterator[Attempt]:
    """Read the documents of these numbers; whatever is raised but Unreadable is not caught."""
    whole = make_specimens()
    for number in numbers:
        name, data = mutate_specimen(seed, number, whole)
        origin, blank = "", False
        started = time.monotonic()
        try:
            extracted = reader.read(data, name=name if named else "")
            outcome, origin, blank = READ, extracted.origin, not extracted.text.strip()
        except Unreadable as unreadable:
            outcome = unreadable.reason
        yield Attempt(
            number,
            name,
            outcome,
            origin,
            blank,
            time.monotonic() - started,
            read_memory(sandbox_process(reader), "VmHWM"),
            read_memory("self", "VmRSS") or 0,
        )


def sandbox_process(reader: DocumentReader) -> int | None:
    """Return the reading process of a reader, if it has one now."""
    return reader._sandbox.pid


def read_memory(process: int | str | None, what: str) -> int | None:
    """Read how many kilobytes a process has: VmRSS now, VmHWM at most so far."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    values = [int(line.split()[1]) for line in lines if line.startswith(f"{what}:")]
    return values[0] if values else None


def main() -> int:
    options = _parse()
    limits = Limits(seconds=options.seconds, memory_mb=options.memory_mb)
    languages = ("eng", "fra", "spa") if options.recognize else ()
    with DocumentReader(limits, Options(Layout(options.layout), languages=languages)) as reader:
        idle = read_specimens(reader)
        numbers = range(options.first, options.first + options.count)
        made = list(_watched(read_documents(reader, options.seed, numbers, named=options.named)))
    print(_table(made))
    print(_costs(made, idle))
    wrong = [one for one in made if list_faults(one, limits, idle)]
    for one in wrong:
        _keep(options, one)
    for one in wrong[:SHOWN]:
        print(f"number {one.number} ({one.name}): {', '.join(list_faults(one, limits, idle))}")
    print(f"{len(wrong)} documents violated a limit")
    growth = made[-1].parent - made[0].parent
    print(f"memory of this process grew by {growth / 1000:.0f} MB")
    return int(bool(wrong) or growth > MOST_GROWTH_KB)


def read_specimens(reader: DocumentReader) -> int:
    """Read every document as it was before it was spoilt; returns the kilobytes held after that."""
    for name, data in make_specimens().items():
        with suppress(Unreadable):
            reader.read(data, name=name)
    return read_memory(sandbox_process(reader), "VmRSS") or 0


def list_faults(one: Attempt, limits: Limits, idle: int) -> list[str]:
    """List what must not happen over a document; `idle` is the memory of an idle process in KB."""
    found = ["crashed"] if one.outcome == "crashed" else []
    if one.blank:
        found.append("blank text")
    if one.seconds > 2 * limits.seconds + MARGIN_SECONDS:  # a second chance after another's death
        found.append(f"{one.seconds:.0f} s")
    if one.child_peak is not None and one.child_peak > idle + 1024 * limits.memory_mb:
        found.append(f"{one.child_peak / 1000:.0f} MB")
    return found


def _watched(made: Iterator[Attempt]) -> Iterator[Attempt]:
    for count, one in enumerate(made, 1):
        if count % 500 == 0:
            print(f"{count} documents", file=sys.stderr, flush=True)
        yield one


def _table(made: list[Attempt]) -> str:
    names = sorted({one.name for one in made})
    counts = Counter((one.outcome, one.name) for one in made)
    totals = Counter(one.outcome for one in made)
    rows = [
        "| outcome | " + " | ".join(names) + " | all |",
        "| --- " + "| ---: " * (len(names) + 1),
    ]
    for outcome, total in totals.most_common():
        cells = (str(counts[outcome, name]) for name in names)
        rows.append(f"| {outcome} | {' | '.join(cells)} | {total} |")
    return "\n".join(rows)


def _costs(made: list[Attempt], idle: int) -> str:
    slowest = max(made, key=lambda one: one.seconds)
    total = sum(one.seconds for one in made)
    peak = max((one.child_peak or 0 for one in made), default=0)
    return (
        f"{len(made)} documents in {total:.0f} s; the slowest took {slowest.seconds:.2f} s "
        f"(number {slowest.number}, {slowest.name}, {slowest.outcome}); peak memory of the sandbox "
        f"{peak / 1000:.0f} MB at most ({idle / 1000:.0f} MB after sound documents), this one "
        f"{max(one.parent for one in made) / 1000:.0f} MB"
    )


def _keep(options: argparse.Namespace, one: Attempt) -> None:
    if options.keep:
        options.keep.mkdir(exist_ok=True)
        _, data = mutate_specimen(options.seed, one.number, make_specimens())
        (options.keep / f"{options.seed}-{one.number}-{one.name}").write_bytes(data)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first document")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--memory-mb", type=int, default=512)
    parser.add_argument("--layout", choices=("full", "body"), default="full")
    parser.add_argument("--recognize", action="store_true", help="run OCR, which is slow")
    parser.add_argument("--named", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--keep", type=Path, help="folder for documents that violated a limit")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
