"""Retrains the classes of lines on a site's own pages, and says how well they are told apart."""

from collections.abc import Sequence
from pathlib import Path

from extractors.layout.labelled_pages import (
    LabelledPage,
    Segmenter,
    group_by_document,
    read_pages,
    score_segmenter,
)
from extractors.layout.line_classifier import LineClassifier
from extractors.layout.training import train_line_classifier
from pipeline.config.progress import Progress
from record.errors import ConfigError

_HELD_OUT_EVERY = 5
_FEWEST = 5


def train_file(
    pages: Path, out: Path, progress: Progress, *, steps: int, seed: int
) -> dict[str, float]:
    """Go on from the shipped weights with every document of a file but each fifth.

    Those are for the scores: the share of the letter's characters that is kept, and F1 of that,
    before and after. Raises ConfigError for a file that is not of labelled pages or too small.
    """
    labelled = group_by_document(read_pages(pages))
    if len(labelled) < _FEWEST:
        problem = f"holds {len(labelled)} documents"
        raise ConfigError(str(pages), problem, f"label the pages of at least {_FEWEST}")
    held_out = labelled[::_HELD_OUT_EVERY]
    seen = [pages for number, pages in enumerate(labelled) if number % _HELD_OUT_EVERY]
    shipped = LineClassifier.load()
    progress.phase("training")
    model = train_line_classifier(
        seen,
        seed=seed,
        steps=steps,
        start=shipped,
        progress=lambda step, _: progress.advance(step + 1, steps),
    )
    model.save(out)
    return {
        **_scores("shipped", shipped, held_out),
        **_scores("trained", model, held_out),
    }


def _scores(
    name: str, segmenter: Segmenter, held_out: Sequence[Sequence[LabelledPage]]
) -> dict[str, float]:
    scores = score_segmenter(segmenter, held_out)
    return {f"body recall, {name}": scores.recall, f"body F1, {name}": scores.f1}
