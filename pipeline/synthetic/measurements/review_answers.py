"""What reviewers answered about pairs of notes, as the gate reads it."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evaluation.utility.agreement import (
    Agreement,
    ReviewerAnswer,
    measure_agreement,
    measure_review,
)
from pipeline.config.signing import hash_file
from pipeline.reports.review_pages import read_answers, read_known
from record.errors import ConfigError


@dataclass(frozen=True)
class ReviewedPairs:
    """The agreement on each question, and what the gate reads; `is_whole` without missing answers.

    `content` has no text. `reasons` are the answers that reviewers explained, the most linked
    first: people are asked not to quote notes, and may have done so.
    """

    questions: Sequence[Agreement]
    content: dict[str, Any]
    is_whole: bool
    reasons: Sequence[ReviewerAnswer] = field(default=(), repr=False)


def compare_answers(answers: Sequence[Path], pairs: Path | None) -> ReviewedPairs:
    """Compare the files that reviewers saved; with `pairs` the review is measured for the gate.

    Raises ConfigError where a file is damaged, about other pairs, or given twice.
    """
    review = None if pairs is None else hash_file(pairs)
    read = [ReviewerAnswer(**each) for each in read_answers(answers, review)]
    try:
        found = measure_agreement(read)
    except ValueError as error:
        remedy = "give each reviewer's file once"
        raise ConfigError("ANSWERS.json", str(error), remedy) from None
    content: dict[str, Any] = {"format": 1, "questions": list(map(_without_nan, found))}
    explained = [each for each in read if each.reason]
    explained.sort(key=lambda each: (-each.scores["linked"], each.pair, each.reviewer))
    if pairs is None:
        return ReviewedPairs(found, {**content, "measured": []}, True, explained)
    known = read_known(pairs)
    measured = measure_review(read, known.kinds, data=known.data, review=hash_file(pairs))
    content["manifest"] = known.manifest
    content["measured"] = [] if measured is None else [measured.to_json()]
    return ReviewedPairs(found, content, measured is not None, explained)


def _without_nan(each: Agreement) -> dict[str, Any]:
    """Return the fields; JSON has no NaN."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(each).items()
    }
