"""Extraction throughput in pages per second and core, compared with raw PyMuPDF and pdfplumber.

    python -m benchmarks.extraction.extract [--pages 100] [--rounds 5] [--folder PDFS] [--profile]

The PDFs are letters of the fictional hospital with a text layer, in layouts that training never
saw, or those of a folder. All arms read every document in turn, in this process, several rounds;
processor time counts. Prints a Markdown table: read ratios, not absolute numbers.
"""

import argparse
import cProfile
import io
import os
import platform
import pstats
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from itertools import count
from pathlib import Path
from statistics import median

import pdfplumber
import pymupdf
from pdfplumber.utils.exceptions import PdfminerException

from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.extractor import Extractor
from record.errors import Unreadable
from synthesis.fictional.labelled_pages.pages import labelled_letter

Arm = Callable[[bytes], object]

LANGUAGES = ("fr", "en", "es")
RATIOS = (("full", "raw PyMuPDF"), ("body", "raw PyMuPDF"), ("body", "pdfplumber"))
TOP_COSTS = 25
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def main() -> None:
    options = _parse()
    _run_on_one_core()
    arms = make_arms()
    source = list_pdfs(options.folder) if options.folder else make_letters()
    documents = list(select_readable(source, arms, options.pages))
    pages = sum(map(page_count, documents))
    if options.profile:
        for name in ("full", "body"):
            print(profile(name, arms[name], documents))
        return
    rounds = [measure(arms, documents, number) for number in range(options.rounds)]
    print(table(pages, documents, rounds))


def make_arms() -> dict[str, Arm]:
    """Return what is compared, by name."""
    full = Extractor(Limits(), Options(layout=Layout.FULL, languages=()))
    body = Extractor(Limits(), Options(layout=Layout.BODY, languages=()))
    return {
        "raw PyMuPDF": raw_pymupdf,
        "full": full.extract,
        "body": body.extract,
        "pdfplumber": raw_pdfplumber,
    }


def raw_pymupdf(data: bytes) -> list[str]:
    """Read the text of each page and nothing else."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        return [page.get_text("text") for page in document]


def raw_pdfplumber(data: bytes) -> list[str]:
    """Read the text of each page and nothing else."""
    with pdfplumber.open(io.BytesIO(data)) as document:
        return [page.extract_text() for page in document.pages]


def make_letters() -> Iterator[bytes]:
    """Make letters for ever, in one language after the other."""
    for seed in count():
        yield labelled_letter(seed, LANGUAGES[seed % len(LANGUAGES)], held_out=True).data


def list_pdfs(folder: Path) -> Iterator[bytes]:
    """Return the PDFs under a folder."""
    for path in sorted(folder.rglob("*.pdf")):
        yield path.read_bytes()


def select_readable(
    documents: Iterable[bytes], arms: dict[str, Arm], pages: int
) -> Iterator[bytes]:
    """Return the documents that all arms can read, until they have so many pages."""
    left_out = 0
    for data in documents:
        if pages <= 0:
            break
        try:
            for arm in arms.values():
                arm(data)
        except (Unreadable, RuntimeError, PdfminerException):
            left_out += 1
            continue
        pages -= page_count(data)
        yield data
    if left_out:
        print(f"{left_out} PDFs skipped: not readable by every arm\n")


def page_count(data: bytes) -> int:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        return int(document.page_count)


def measure(arms: dict[str, Arm], documents: list[bytes], turn: int) -> dict[str, float]:
    """Read every document with every arm, a different one first each time; gives seconds."""
    names = list(arms)
    seconds = dict.fromkeys(names, 0.0)
    for number, data in enumerate(documents, turn):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            started = time.process_time()
            arms[name](data)
            seconds[name] += time.process_time() - started
    return seconds


def table(pages: int, documents: list[bytes], rounds: list[dict[str, float]]) -> str:
    """Lay the results out as Markdown."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("pymupdf", "pdfplumber", "numpy"))
    lines = [
        f"{len(documents)} PDFs, {pages} pages, {len(rounds)} rounds; {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {libraries}",
        "",
        "| arm | pages/s per core | ms per page | relative to raw PyMuPDF |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name in rounds[0]:
        seconds = median(taken[name] for taken in rounds)
        lines.append(
            f"| {name} | {pages / seconds:.0f} | {1000 * seconds / pages:.2f} | "
            f"{_ratio(rounds, name, 'raw PyMuPDF'):.2f} |"
        )
    lines += ["", "| speed ratio | median | lowest | highest |", "| --- | ---: | ---: | ---: |"]
    for name, base in RATIOS:
        each = [taken[base] / taken[name] for taken in rounds]
        lines.append(
            f"| {name} / {base} | {median(each):.2f} | {min(each):.2f} | {max(each):.2f} |"
        )
    return "\n".join(lines)


def _ratio(rounds: list[dict[str, float]], name: str, base: str) -> float:
    return median(taken[base] / taken[name] for taken in rounds)


def profile(name: str, arm: Arm, documents: list[bytes]) -> str:
    """Return where an arm spends its time, by function."""
    for data in documents:  # what is loaded once is not of interest
        arm(data)
    profiler = cProfile.Profile()
    profiler.enable()
    for data in documents:
        arm(data)
    profiler.disable()
    report = io.StringIO()
    pstats.Stats(profiler, stream=report).sort_stats("tottime").print_stats(TOP_COSTS)
    return f"{name}\n{report.getvalue()}"


def _run_on_one_core() -> None:
    # As the reading process does; NumPy asks for it once, when it is imported.
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
        os.execve(sys.executable, [*sys.orig_argv], environment)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100, help="minimum number of pages")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--folder", type=Path, help="folder of PDFs to read instead of fictional ones"
    )
    parser.add_argument("--profile", action="store_true", help="print a profile instead")
    return parser.parse_args()


if __name__ == "__main__":
    main()
