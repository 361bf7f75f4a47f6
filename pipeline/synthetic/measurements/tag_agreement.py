"""Drops synthetic notes whose annotations are not what detectors find in them, and counts them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

from models.tagger.loading import load_tagger_folder
from models.tagger.shipped_model import DEFAULT, NO_MODEL, digest, folder_of
from pipeline.config.progress import Progress
from pipeline.files.jsonl import JsonLine, dump_line, spans_to_json
from pipeline.files.note_files import IdentifierFinder, find_raw_spans
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.error_boundary import attempt
from pipeline.notes.model_detection import TOGETHER
from record.document import Annotated
from record.errors import ConfigError
from record.failure import Failure
from record.label import RULE_MARK, Label
from record.span import Span

AGREEMENT = 0.5
"""The least F1 that may be asked for: what falls below it is what the gate counts."""

AGREEMENT_COUNTS = "agreement"
"""What the manifest of filtered notes tells of the comparison, under `filtered`."""

DISAGREEING = "disagreeing.jsonl"
"""The file of notes that were dropped, with the spans that detectors found in them."""

COARSE_LABELS: dict[str, str] = {
    label.value: coarse
    for coarse, labels in {
        "names": (Label.FIRST_NAME, Label.LAST_NAME, Label.NAME),
        "dates": (Label.DATE, Label.BIRTH_DATE),
        "ages": (Label.AGE,),
        "places": (Label.STREET, Label.ZIP, Label.CITY, Label.REGION, Label.COUNTRY),
        "institutions": (Label.HOSPITAL, Label.ORGANIZATION),
        "professions": (Label.PROFESSION,),
        "contacts": (
            *(Label.USERNAME, Label.PHONE, Label.FAX, Label.EMAIL, Label.URL),
            Label.IP_ADDRESS,
        ),
        "numbers": (
            *(Label.SSN, Label.PATIENT_ID, Label.VISIT_ID, Label.PROVIDER_ID, Label.INSURANCE_ID),
            *(Label.ACCOUNT, Label.DEVICE_ID, Label.VEHICLE_ID, Label.ID),
        ),
        "other": (Label.OTHER,),
    }.items()
    for label in labels
}
"""The coarse label of each of ours; a label that is a site's own is its own coarse label."""


@dataclass(frozen=True)
class AgreementRule:
    """The least F1 at which a note is kept, and the tagger beside rules.

    `model` is a folder that `cryptonym train` wrote, `default` for the shipped tagger, or `none`
    for rules alone. Raises ConfigError, about the option `key`, where the F1 is below AGREEMENT or
    above 1.
    """

    least: float = AGREEMENT
    model: str = DEFAULT
    key: str = "--agreement"

    def __post_init__(self) -> None:
        if not AGREEMENT <= self.least <= 1:
            problem = f"must be at least {AGREEMENT:g}, which the gate counts, and at most 1"
            raise ConfigError(self.key, problem, f"give {AGREEMENT:g} or more")

    def model_digest(self) -> str | None:
        """Return the digest of the tagger, None for rules alone; raises ConfigError."""
        return None if self.model == NO_MODEL else digest(folder_of(self.model))


@dataclass
class LabelOverlap:
    """Characters of one coarse label: of annotations, of detections, and those that they share.

    `covered` are those of annotations that any detection covers, whatever its label.
    """

    written: int = 0
    found: int = 0
    shared: int = 0
    covered: int = 0

    def to_json(self) -> dict[str, float | int]:
        """Return the counts, and F1."""
        return {
            "written": self.written,
            "found": self.found,
            "shared": self.shared,
            "covered": self.covered,
            "f1": _f1(self.shared, self.written, self.found),
        }


@dataclass
class AgreementSummary:
    """The agreement of each note that was compared, and how far the labels of all of them agree.

    Notes that detectors could not read (`unread`) have none, and count as 0.
    """

    notes: list[float] = field(default_factory=list)
    labels: dict[str, LabelOverlap] = field(default_factory=dict)
    unread: int = 0

    def add(self, note: Annotated, found: Iterable[Span]) -> float:
        """Count a note with what detectors found in it; returns their agreement."""
        found, text = tuple(found), note.document.text
        score = measure_agreement(note.spans, found, text)
        self.notes.append(score)
        ours, theirs = (_cover_by_label(spans, text) for spans in (note.spans, found))
        anything = _cover(found, text)
        for label in ours.keys() | theirs.keys():
            first, second = ours.get(label, frozenset()), theirs.get(label, frozenset())
            overlap = self.labels.setdefault(label, LabelOverlap())
            overlap.written += len(first)
            overlap.found += len(second)
            overlap.shared += len(first & second)
            overlap.covered += len(first & anything)
        return score

    def add_unread(self) -> None:
        """Count a note that detectors could not read."""
        self.notes.append(0.0)
        self.unread += 1


@dataclass(frozen=True)
class AgreementResult:
    """The lines of notes that agree and of those that do not, and the counts for the manifest."""

    kept: Sequence[bytes] = field(repr=False)
    dropped: bytes = field(repr=False)
    counts: Mapping[str, Any]


def measure_agreement(first: Iterable[Span], second: Iterable[Span], text: str) -> float:
    """Return the F1 of the letters and digits that spans cover, whatever their labels.

    It is 1 where both cover the same or nothing, 0 where they share none, and the same whichever
    comes first. Blanks and signs do not count: a name in one span is a name in two.
    """
    one, other = _cover(first, text), _cover(second, text)
    return _f1(len(one & other), len(one), len(other))


def compare_annotations(
    notes: Sequence[tuple[Annotated, bytes]], rule: AgreementRule, progress: Progress
) -> AgreementResult:
    """Part notes, each with its line, by whether their spans are what detectors find in them.

    Detectors are those of `cryptonym detect` with the same `--model`. A note that they cannot read
    is dropped. Raises ConfigError where the tagger cannot be loaded.
    """
    model = rule.model_digest()
    tagger = None if model is None else load_tagger_folder(folder_of(rule.model))
    finder = IdentifierFinder({}, model=tagger)
    summary, kept, dropped = AgreementSummary(), [], []
    for done, ((note, line), found) in enumerate(zip(notes, _find(notes, finder), strict=True)):
        if done % TOGETHER == 0:
            progress.advance(done, len(notes))
        if isinstance(found, Failure):
            summary.add_unread()
            dropped.append(_dropped_line(line, []))
        elif summary.add(note, found) < rule.least:
            dropped.append(_dropped_line(line, found))
        else:
            kept.append(line)
    content = b"".join(dropped)
    counts = {
        "least": rule.least,
        "rules": DETECTOR_VERSION,
        "model": model,
        "compared": len(notes),
        "dropped": len(dropped),
        "unread": summary.unread,
        "share": len(dropped) / len(notes) if notes else 0.0,
        "mean": fmean(summary.notes) if notes else 1.0,
        "labels": {name: each.to_json() for name, each in sorted(summary.labels.items())},
        "dropped_sha256": hashlib.sha256(content).hexdigest(),
    }
    return AgreementResult(kept, content, counts)


def _find(
    notes: Sequence[tuple[Annotated, bytes]], finder: IdentifierFinder
) -> Iterator[tuple[Span, ...] | Failure]:
    """Return what detectors find in each note, or why they cannot read it."""
    for begin in range(0, len(notes), TOGETHER):
        batch = [
            # Without its spans: detectors see the text alone.
            JsonLine(begin + number, Annotated(note.document), {})
            for number, (note, _) in enumerate(notes[begin : begin + TOGETHER], start=1)
        ]
        finder.ask_model(batch)
        for line in batch:
            step = partial(find_raw_spans, line, finder)
            found = attempt(line.annotated.document.note_id, "detect", step)
            yield found if isinstance(found, Failure) else found[0]


def _dropped_line(line: bytes, found: Iterable[Span]) -> bytes:
    record = {**json.loads(line), "found": spans_to_json(found)}
    return f"{dump_line(record)}\n".encode()


def _cover(spans: Iterable[Span], text: str) -> frozenset[int]:
    return frozenset(
        place
        for span in spans
        for place, char in enumerate(text[span.start : span.end], span.start)
        if char.isalnum()
    )


def _cover_by_label(spans: Iterable[Span], text: str) -> dict[str, frozenset[int]]:
    groups: dict[str, list[Span]] = {}
    for span in spans:
        name = span.label.removeprefix(RULE_MARK)
        groups.setdefault(COARSE_LABELS.get(name, name), []).append(span)
    return {name: _cover(some, text) for name, some in groups.items()}


def _f1(shared: int, first: int, second: int) -> float:
    return 2 * shared / (first + second) if first + second else 1.0
