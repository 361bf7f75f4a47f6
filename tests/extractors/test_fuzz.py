"""Spoilt documents of every kind: each is read or refused, in bounded time and memory.

The same documents by the thousand: `python -m benchmarks.extraction.fuzz`.
"""

import hashlib
import io
import itertools
import re
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil
import pytest

from benchmarks.extraction.fuzz import (
    MOST_GROWTH_KB,
    READ,
    Attempt,
    list_faults,
    read_documents,
    read_memory,
    read_specimens,
    sandbox_process,
)
from benchmarks.extraction.mutations import mutate_specimen
from benchmarks.extraction.specimens import make_specimens, zip_members
from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.document_reader import DocumentReader
from extractors.pdf.ocr import Recognizer
from record.errors import Unreadable

LIMITS = Limits(seconds=10, memory_mb=512)
SEED = 20
NAMES = sorted(make_specimens())
KINDS = len(NAMES)
NO_PLAIN_TEXT = (".pdf", ".rtf", ".docx")
LANGUAGES = ("eng", "fra", "spa")


@contextmanager
def reading(
    layout: Layout, languages: tuple[str, ...] = ()
) -> Iterator[tuple[DocumentReader, int]]:
    """Open a reader that has read every sound document; returns the kilobytes it then holds."""
    with DocumentReader(LIMITS, Options(layout, languages=languages)) as reader:
        yield reader, read_specimens(reader)


def check(made: list[Attempt], idle: int) -> Counter[str]:
    """Check each attempt; returns how often each outcome came."""
    wrong = {one.number: found for one in made if (found := list_faults(one, LIMITS, idle))}
    assert wrong == {}
    for one in made:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", one.outcome)
        assert (one.outcome == READ) == bool(one.origin)
        if one.name.endswith(NO_PLAIN_TEXT):
            assert one.origin != "plain"
    return Counter(one.outcome for one in made)


def pdfs(count: int) -> list[int]:
    """Return the numbers of the first spoilt documents that are PDFs."""
    numbers = (number for number in itertools.count() if NAMES[number % KINDS].endswith(".pdf"))
    return list(itertools.islice(numbers, count))


@pytest.fixture(scope="module")
def full() -> Iterator[tuple[DocumentReader, int]]:
    with reading(Layout.FULL) as opened:
        yield opened


def test_sound_documents_are_read(full: tuple[DocumentReader, int]) -> None:
    for name, data in make_specimens().items():
        extracted = full[0].read(data, name=name)
        assert "LEFÈVRE" in extracted.text
        assert "furosémide 40 mg" in extracted.text


def test_spoilt_documents_are_read_or_refused(full: tuple[DocumentReader, int]) -> None:
    reader, idle = full
    made = list(read_documents(reader, SEED, range(28 * KINDS)))
    outcomes = check(made, idle)
    # What was spoilt is not all the same: some are read, and others fail far from the door.
    assert outcomes[READ] > len(made) / 10
    assert outcomes["broken"] > len(made) / 10
    assert len(outcomes) > 5
    assert {one.name for one in made if one.outcome == READ} == set(NAMES)
    assert made[-1].parent - made[0].parent < MOST_GROWTH_KB


def test_spoilt_documents_are_read_or_refused_line_by_line() -> None:
    with reading(Layout.BODY) as (reader, idle):
        outcomes = check(list(read_documents(reader, SEED + 1, pdfs(100))), idle)
    assert outcomes[READ] > 10


@pytest.mark.slow
def test_spoilt_documents_are_recognized_or_refused() -> None:
    if not Recognizer(LANGUAGES).available:
        pytest.skip("tesseract is not installed")
    with reading(Layout.FULL, LANGUAGES) as (reader, idle):
        check(list(read_documents(reader, SEED + 2, pdfs(36))), idle)


def test_a_reading_process_does_not_grow(full: tuple[DocumentReader, int]) -> None:
    """The same documents again and again: memory is taken for the first time alone."""
    reader, _ = full
    numbers = range(2 * KINDS)
    sizes = []
    for _ in range(6):
        before = sandbox_process(reader)
        list(read_documents(reader, SEED, numbers))
        held = read_memory(sandbox_process(reader), "VmRSS")
        sizes.append(held if sandbox_process(reader) == before else None)
    kept = [size for size in sizes[1:] if size is not None]
    assert not kept or max(kept) - min(kept) < 30_000


def test_the_same_bytes_come_to_the_same_end(full: tuple[DocumentReader, int]) -> None:
    """Whatever was read before: a document leaves nothing behind for the next."""

    def end(reader: DocumentReader, name: str, data: bytes) -> str:
        try:
            return hashlib.sha256(reader.read(data, name=name).text.encode()).hexdigest()
        except Unreadable as unreadable:
            return unreadable.reason

    whole = make_specimens()
    documents = [mutate_specimen(SEED + 3, number, whole) for number in range(4 * KINDS)]
    ends = [end(full[0], *document) for document in documents]
    full[0].close()
    assert [end(full[0], *document) for document in reversed(documents)] == ends[::-1]


def test_nothing_is_left_open() -> None:
    with reading(Layout.FULL) as (reader, _):
        list(read_documents(reader, SEED, range(KINDS)))
        open_before = psutil.Process().num_fds()
        list(read_documents(reader, SEED, range(KINDS, 3 * KINDS)))
        assert psutil.Process().num_fds() == open_before
        pid = sandbox_process(reader)
    assert pid is not None
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_spoils_alike(name: str) -> None:
    whole = make_specimens()
    first = NAMES.index(name)
    for number in range(first, first + 5 * KINDS, KINDS):
        once = mutate_specimen(SEED, number, whole)
        assert once[0] == name
        assert mutate_specimen(SEED, number, make_specimens()) == once


RUN = 40_000
LATIN_1 = b" \xe9t\xe9 hospitalis\xe9e."
UTF_8 = LATIN_1.decode("latin-1").encode()
WRAPPED: dict[str, Callable[[bytes], bytes]] = {
    "txt": lambda run: run + LATIN_1,
    "rtf": lambda run: b"{\\rtf1\\ansi\\ansicpg1252 " + run + b" \\'e9t\\'e9.\\par}",
    "html": lambda run: b"<html><body><pre>" + run + UTF_8 + b"</pre></body></html>",
    "eml": lambda run: (
        (b"Subject: %s\nFrom: a@example.org\nMIME-Version: 1.0\n" % run)
        + (b"Content-Type: text/plain; charset=windows-1252\n\n" + run + LATIN_1)
    ),
    "xml": lambda run: make_specimens()["letter.xml"].replace(
        b"<paragraph>", b"<paragraph>" + run + UTF_8, 1
    ),
    "docx": lambda run: zip_members(
        {
            name: part.replace(b"<w:t>", b'<w:t xml:space="preserve">' + run + UTF_8, 1)
            for name, part in unzipped(make_specimens()["letter.docx"]).items()
        }
    ),
}


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("kind", WRAPPED)
@pytest.mark.parametrize(
    "sign", [b"a", b"A", b"7", b" ", b"\t", b"\xe9", b"\xe9a", b"-", b"=", b"_", b"'", b"a ", b"\n"]
)
def test_long_runs_are_read_in_linear_time(
    full: tuple[DocumentReader, int], kind: str, sign: bytes
) -> None:
    """Patterns that look ahead or back at every place would take minutes for these."""
    if kind in ("xml", "docx"):
        sign = sign.decode("latin-1").encode()
    data = WRAPPED[kind](sign * (RUN // len(sign)))
    started = time.monotonic()
    with suppress(Unreadable):
        full[0].read(data, name=f"run.{kind}")
    assert time.monotonic() - started < LIMITS.seconds / 2
