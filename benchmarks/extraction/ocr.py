"""Character error rate of OCR on scanned pages of the fictional hospital, by language.

    python -m benchmarks.extraction.ocr [--notes 10] [--dpi 300] [--languages eng,fra,spa]

Prints a Markdown table. The character error rate is the number of letters, signs and blanks to
insert, delete or change so that what was recognized becomes what was printed, over the number of
those printed; runs of blanks count as one.

`any order`: lines are matched wherever they stand, as columns and letterheads have no single
order. Lines that are the same on both sides are paired first; then, again and again, the two whose
best common stretch is longest and cleanest, and what is left of either goes on. What finds no
partner counts in full, missing and superfluous alike.
`in order`: Levenshtein distance of the whole texts, printed order against reading order.
"""

import argparse
import os
import platform
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pymupdf
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from extractors.document.page import Page
from extractors.layout.page_text import join_lines
from extractors.pdf.ocr import Recognizer
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.pdf_letters.rendering import render

HOSPITAL_LANGUAGES = ("fr", "en", "es")
_NOTES_PER_PATIENT = 3

# Below this similarity (of 100) two stretches are no attempt at the same line.
_SIMILAR = 50.0
_NUDGE = 2


@dataclass
class Errors:
    """What was counted on the notes of one language."""

    characters: int = 0
    any_order: int = 0
    in_order: int = 0
    pages: int = 0
    seconds: float = 0.0
    confidences: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    def row(self, name: str) -> str:
        """Lay the counts out as a row of the table."""
        return (
            f"| {name} | {len(self.rates)} | {self.pages} | {self.characters} | "
            f"{100 * self.any_order / self.characters:.2f} % | {100 * max(self.rates):.2f} % | "
            f"{100 * self.in_order / self.characters:.2f} % | "
            f"{statistics.mean(self.confidences):.3f} | {self.seconds / self.pages:.2f} |"
        )


def main() -> None:
    options = _parse()
    recognizer = Recognizer(
        options.languages.split(","), dpi=options.dpi, tessdata=options.tessdata
    )
    if not recognizer.available:
        raise SystemExit("install tesserocr and tesseract's data for each language")
    print(
        f"images at {options.dpi} dpi; {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}\n\n"
        "| language | notes | pages | characters | any order | worst note | in order "
        "| confidence | s/page |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    with recognizer:
        for lang in HOSPITAL_LANGUAGES:
            print(measure(recognizer, scans(lang, options.notes, options.seed)).row(lang))


def scans(lang: str, notes: int, seed: int) -> Iterator[tuple[bytes, str]]:
    """Return scanned notes and the text printed on them."""
    hospital = make_hospital(
        -(-notes // _NOTES_PER_PATIENT) * 2,
        seed=seed,
        lang=lang,
        notes_per_patient=_NOTES_PER_PATIENT,
        pdf_share=0.0,
        scan_share=1.0,
    )
    for note, _ in zip(hospital.notes(), range(notes), strict=False):
        data, annotated = render(note, hospital, seed=seed)
        yield data, annotated.document.text


def measure(recognizer: Recognizer, notes: Iterator[tuple[bytes, str]]) -> Errors:
    """Recognize notes and count what went wrong."""
    errors = Errors()
    for data, printed in notes:
        started = time.process_time()
        text = recognize(recognizer, data, errors)
        errors.seconds += time.process_time() - started
        truth = _lines(printed)
        wrong = any_order(truth, _lines(text))
        letters = sum(map(len, truth))
        errors.characters += letters
        errors.any_order += wrong
        errors.rates.append(wrong / letters)
        errors.in_order += Levenshtein.distance(" ".join(truth), " ".join(_lines(text)))
    return errors


def recognize(recognizer: Recognizer, data: bytes, errors: Errors) -> str:
    """Return the text of every page, in reading order."""
    pages = []
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for number, page in enumerate(document):
            seen = recognizer.read(page)
            pages.append(Page(number, page.rect.width, page.rect.height, seen.lines))
            errors.confidences.append(seen.confidence)
    errors.pages += len(pages)
    return join_lines(pages).text


def any_order(printed: list[str], read: list[str]) -> int:
    """Count the edits between two sets of lines, wherever these stand."""
    same = Counter(printed) & Counter(read)
    missing = list((Counter(printed) - same).elements())
    extra = list((Counter(read) - same).elements())
    edits = 0
    while (pair := _closest(missing, extra)) is not None:
        one, other = missing.pop(pair[0]), extra.pop(pair[1])
        (a, b), (c, d), distance = _stretch(one, other)
        edits += distance
        missing += filter(None, (one[:a].strip(), one[b:].strip()))
        extra += filter(None, (other[:c].strip(), other[d:].strip()))
    return edits + sum(map(len, missing)) + sum(map(len, extra))


def _closest(missing: list[str], extra: list[str]) -> tuple[int, int] | None:
    best, pair = 0.0, None
    for i, one in enumerate(missing):
        for j, other in enumerate(extra):
            short, long = sorted((one, other), key=len)
            found = fuzz.partial_ratio_alignment(short, long, score_cutoff=_SIMILAR)
            if found is None:
                continue
            worth = (found.score - _SIMILAR) * (found.src_end - found.src_start)
            if worth > best:
                best, pair = worth, (i, j)
    return pair


def _stretch(one: str, other: str) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Return the common stretch of two lines, in each of them, and its edits."""
    turned = len(one) > len(other)
    short, long = (other, one) if turned else (one, other)
    found = fuzz.partial_ratio_alignment(short, long)
    assert found is not None
    part = short[found.src_start : found.src_end]
    # The stretch has the length of the short line; with an edit in it, it may be a little longer.
    distance, _, start, end = min(
        (Levenshtein.distance(part, long[x:y]), abs(x - found.dest_start), x, y)
        for x in range(max(0, found.dest_start - _NUDGE), found.dest_start + _NUDGE + 1)
        for y in range(found.dest_end - _NUDGE, min(len(long), found.dest_end + _NUDGE) + 1)
        if x <= y
    )
    inner, outer = (found.src_start, found.src_end), (start, end)
    return (outer, inner, distance) if turned else (inner, outer, distance)


def _lines(text: str) -> list[str]:
    rows = (" ".join(row.split()) for row in text.split("\n"))
    return [row for row in rows if row]


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=10, help="notes per language")
    parser.add_argument("--dpi", type=int, default=300, help="resolution of the images")
    parser.add_argument(
        "--languages", default="eng,fra,spa", help="comma-separated languages, by tesseract's names"
    )
    parser.add_argument("--tessdata", help="folder of tesseract's data")
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


if __name__ == "__main__":
    main()
