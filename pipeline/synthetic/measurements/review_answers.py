"""What reviewers answered about pairs of notes, as the gate reads it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evaluation.gate import Measured
from evaluation.utility.agreement import (
    SOUND,
    Agreement,
    ReaderAgreement,
    ReviewerAnswer,
    SoundnessAnswer,
    compare_readers,
    measure_agreement,
    measure_review,
    measure_soundness,
)
from pipeline.config.signing import hash_file
from pipeline.reports.review_pages import read_answers, read_known, read_sound
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
    readers: Sequence[ReaderAgreement] = ()


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
    readers = compare_readers(read)
    content: dict[str, Any] = {
        "format": 1,
        "questions": list(map(_without_nan, found)),
        "readers": list(map(_without_nan, readers)),
    }
    explained = [each for each in read if each.reason]
    explained.sort(key=lambda each: (-each.scores["linked"], each.pair, each.reviewer))
    if pairs is None:
        return ReviewedPairs(found, {**content, "measured": []}, True, explained, readers)
    known = read_known(pairs)
    measured = measure_review(read, known.kinds, data=known.data, review=hash_file(pairs))
    content["manifest"] = known.manifest
    content["measured"] = [] if measured is None else [measured.to_json()]
    return ReviewedPairs(found, content, measured is not None, explained, readers)


@dataclass(frozen=True)
class ReadSoundness:
    """What readers said of the soundness of notes; `measured` is None where a note has no answer.

    `content` has no text. `reasons` are the answers that readers explained, the lowest first.
    """

    measured: Measured | None
    content: dict[str, Any]
    reasons: Sequence[ReviewerAnswer] = field(default=(), repr=False)


def compare_soundness(answers: Sequence[Path], notes: Path) -> ReadSoundness:
    """Compare what readers answered about synthetic notes with what they did about real ones.

    Raises ConfigError where a file is damaged, about other notes, or given twice.
    """
    held, review = read_sound(notes), hash_file(notes)
    read = [ReviewerAnswer(**each) for each in read_answers(answers, review)]
    known = {note["note"]: note["known"] for note in held}
    remedy = "give each reader's file once"
    if len({(each.pair, each.reviewer) for each in read}) < len(read):
        raise ConfigError("ANSWERS.json", "two answers by the same reader about a note", remedy)
    try:
        told = [SoundnessAnswer(each.pair, each.reviewer, each.scores[SOUND]) for each in read]
        measured = measure_soundness(told, known, data=held[0]["data"], review=review)
    except (KeyError, ValueError):
        raise ConfigError("ANSWERS.json", "has answers to other questions", remedy) from None
    content = {
        "format": 1,
        "manifest": held[0]["manifest"],
        "measured": [] if measured is None else [measured.to_json()],
    }
    explained = sorted((e for e in read if e.reason), key=lambda e: (e.scores[SOUND], e.pair))
    return ReadSoundness(measured, content, explained)


def read_readers(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the agreement of every two readers that a file of measurements tells, if it does.

    Raises ValueError or TypeError for other content.
    """
    found: list[dict[str, Any]] = []
    for each in content.get("readers", ()):
        numbers = ("kappa", "rho", "p")
        if set(each) != {"question", "one", "other", "pairs", *numbers}:
            raise ValueError("is no agreement")
        row: dict[str, Any] = {name: str(each[name]) for name in ("question", "one", "other")}
        row["pairs"] = int(each["pairs"])
        row |= {name: None if each[name] is None else float(each[name]) for name in numbers}
        found.append(row)
    return found


def _without_nan(each: Agreement | ReaderAgreement) -> dict[str, Any]:
    """Return the fields; JSON has no NaN."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(each).items()
    }
