"""Page segmentation on 40 held-out layouts: the line classifier against rectangles, and its cost.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.extraction.segmentation [--weights boxes.npz]
        [--keep 0.7]

No weights were fitted to these layouts. `recall` is the share of the characters of body and
tables that is kept. `absent` is the share of the planted identifiers outside of them, and nowhere
in them, that the kept text does not show. Prints Markdown. Without the variable, NumPy's threads
wait for one another, and the CPU time would be meaningless.
"""

import argparse
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.extraction.letters import render_letters
from extractors.document.lines import Line
from extractors.document.page import BODY_CLASSES, LineClass, Page
from extractors.layout.body_mask import BodyMask
from extractors.layout.labelled_pages import LabelledPage, LineScores, Segmenter, score_segmenter
from extractors.layout.line_classifier import KEEP, LineClassifier
from synthesis.fictional.labelled_pages.pages import LabelledPdf

Letter = tuple[LabelledPdf, list[LabelledPage]]

DEV_SEEDS = range(100_000, 100_080)
"""Seeds of letters in training layouts that no training sees: what is tuned is tuned on them."""

_SHIFT = 0.9, 36.0, 54.0  # scale; points to the right and down


@dataclass(frozen=True)
class Result:
    """What one segmenter made of the letters. `planted` and `absent` count identifiers."""

    scores: LineScores
    planted: int
    absent: int

    @property
    def absence(self) -> float:
        return self.absent / max(self.planted, 1)


def main() -> None:
    options = _parse()
    held_out = list(render_letters(range(options.documents), held_out=True))
    sample = [page for _, pages in render_letters(range(10), held_out=False) for page in pages]
    model = LineClassifier.load(options.weights, keep=options.keep)
    segmenters: dict[str, Segmenter] = {
        "fixed mask": BodyMask(),
        "mask fitted on 10 letters": BodyMask.learn(sample),
        "trained model": model,
    }
    moved = [(letter, shift_pages(pages)) for letter, pages in held_out]
    for name, test in (
        ("held-out layouts", held_out),
        ("held-out layouts, scaled and shifted", moved),
    ):
        results = {kind: measure(segmenter, test) for kind, segmenter in segmenters.items()}
        print(f"\n{len(test)} letters, {sum(len(pages) for _, pages in test)} pages: {name}\n")
        print(table(results))
    print(f"\n{class_table(measure(model, held_out).scores)}")
    print(f"\nFeatures and inference: {measure_milliseconds(model, held_out):.2f} CPU ms per page.")


def measure(segmenter: Segmenter, test: Sequence[Letter]) -> Result:
    """Segment every letter and compare with what was drawn."""
    planted = absent = 0
    for letter, pages in test:
        identifiers = outside_identifiers(letter)
        text = kept_text(pages, segmenter.classify([page.page for page in pages]))
        planted += len(identifiers)
        absent += sum(not _says(text, identifier) for identifier in identifiers)
    return Result(score_segmenter(segmenter, (pages for _, pages in test)), planted, absent)


def outside_identifiers(letter: LabelledPdf) -> set[str]:
    """Return the identifiers that stand outside of body and tables, and nowhere in them."""
    medicine = _spaced(mark.text for mark in letter.marks if mark.kind in BODY_CLASSES)
    found = (
        _spaced([identifier])
        for mark in letter.marks
        if mark.kind not in BODY_CLASSES
        for identifier in mark.identifiers
    )
    return {identifier for identifier in found if not _says(medicine, identifier)}


def kept_text(pages: Sequence[LabelledPage], given: Sequence[Sequence[LineClass]]) -> str:
    """Return the text of the lines that are kept."""
    return _spaced(
        line.text
        for labelled, kinds in zip(pages, given, strict=True)
        for line, kind in zip(labelled.page.lines, kinds, strict=True)
        if kind in BODY_CLASSES
    )


def _spaced(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())


def _says(text: str, identifier: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(identifier)}(?!\w)", text) is not None


def shift_pages(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """Draw the pages smaller and elsewhere on the paper, as a scanner or a printer does."""
    return [replace(labelled, page=_moved(labelled.page)) for labelled in pages]


def _moved(page: Page) -> Page:
    scale, right, down = _SHIFT

    def move(line: Line) -> Line:
        x0, y0, x1, y1 = line.place
        place = (x0 * scale + right, y0 * scale + down, x1 * scale + right, y1 * scale + down)
        return line._replace(place=place, size=line.size * scale)

    return replace(page, lines=tuple(map(move, page.lines)))


def measure_milliseconds(segmenter: Segmenter, test: Sequence[Letter]) -> float:
    """Return the time a page takes, the best of five times, letter by letter."""
    documents = [[page.page for page in pages] for _, pages in test]
    times = []
    for _ in range(6):
        started = time.process_time()
        for pages in documents:
            segmenter.classify(pages)
        times.append(time.process_time() - started)
    return min(times[1:]) / sum(map(len, documents)) * 1000


def table(results: dict[str, Result]) -> str:
    rows = ["| | recall | precision | F1 | identifiers absent |", "| --- | --- | --- | --- | --- |"]
    for name, result in results.items():
        scores = result.scores
        shares = (scores.recall, scores.precision, scores.f1, result.absence)
        cells = " | ".join(f"{100 * share:.2f} %" for share in shares)
        rows.append(f"| {name} | {cells} ({result.absent} of {result.planted}) |")
    return "\n".join(rows)


def class_table(scores: LineScores) -> str:
    rows = ["| class | lines | F1 |", "| --- | --- | --- |"]
    for kind in LineClass:
        count = sum(n for (true, _), n in scores.confusion.items() if true is kind)
        rows.append(f"| {kind} | {count} | {100 * scores.f1_of(kind):.1f} % |")
    return "\n".join(rows)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure page segmentation.")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--keep", type=float, default=KEEP)
    return parser.parse_args()


if __name__ == "__main__":
    main()
