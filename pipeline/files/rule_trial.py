"""Trial of the rules on gold annotations (`cryptonym select`): measures each, selects by result."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.config.progress import Progress
from pipeline.files.alignment import align
from pipeline.files.gold import read_annotated
from pipeline.files.jsonl import read_patients
from pipeline.files.note_files import IdentifierFinder
from pipeline.files.rule_selection import (
    MAX_LOSS,
    TOLERANCE,
    Selection,
    TokenCoverage,
    choose_rules,
    dump_selection,
)
from pipeline.notes.detection import DETECTOR_VERSION, spoken
from pipeline.notes.error_boundary import attempt
from pipeline.notes.overlap_resolution import trim_spans
from record.atomic_write import write_atomically
from record.document import Annotated
from record.errors import ConfigError
from record.failure import Failure
from record.span import Span


@dataclass(frozen=True)
class SelectionTrial:
    """The gold notes for measuring rules, with patients and the spans of a model on the same notes.

    `labels` maps the labels of gold and rules to common ones.
    """

    gold: Path
    patients: Path | None = None
    model_spans: Path | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    lang: str = ""
    tolerance: float = TOLERANCE
    max_loss: float = MAX_LOSS


def select_rules(trial: SelectionTrial, progress: Progress, warnings: list[str]) -> Selection:
    """Run every rule on gold notes and select which to use.

    A rule is judged only if gold has its label; the others are used without a trial, since for
    example a corpus without ages cannot measure rules for ages. Raises ConfigError if gold has no
    spans, or if the model's notes differ; a warning counts the notes that could not be searched.
    """
    finder = IdentifierFinder(
        read_patients(trial.patients) if trial.patients else {}, lang=trial.lang
    )
    model = _read_model_notes(trial, warnings)
    cells, failed = TokenCoverage(), 0
    names: dict[str, str] = {}
    wanted: set[str] = set()
    progress.phase("reading")
    notes = list(read_annotated(trial.gold, warnings))
    progress.phase("working")
    for number, note in enumerate(notes, start=1):
        document = note.document
        spans = _get_model_spans(
            document.note_id, document.text, model, is_asked=bool(trial.model_spans)
        )
        found = attempt(document.note_id, "detect", lambda note=note: _find_raw_spans(note, finder))  # type: ignore[misc]
        if isinstance(found, Failure):
            failed += 1
            continue
        wanted |= {trial.labels.get(span.label, span.label) for span in note.spans}
        names.update((f"{span.detector}:{span.label}", span.label) for span in found)
        cells.add(document.text, note.spans, itertools.chain(found, spans))
        progress.advance(number, len(notes))
    if failed:
        warnings.append(f"detection failed for {failed} notes, which were left out")
    if not wanted:
        problem = "contains no spans"
        raise ConfigError(str(trial.gold), problem, "give notes with gold spans")
    judged = [name for name, label in names.items() if trial.labels.get(label, label) in wanted]
    return choose_rules(cells, judged, tolerance=trial.tolerance, max_loss=trial.max_loss)


def write_selection(path: Path, selection: Selection) -> None:
    """Write a selection atomically; raises ConfigError if that is impossible."""
    try:
        write_atomically(path, dump_selection(selection, DETECTOR_VERSION).encode("utf-8"))
    except OSError as error:
        problem = (error.strerror or "cannot be written").lower()
        raise ConfigError(
            str(path), problem, "choose a file in an existing, writable folder"
        ) from None


def format_selection(selection: Selection) -> str:
    """Return a selection as a table for people."""
    lines = [f"{'rule':<34}{'tokens':>8}{'wrong':>8}{'alone':>8}{'wrong':>8}{'gain':>9}  decision"]
    for choice in selection.choices:
        decision = "left out" if choice.rule in selection.dropped else "used"
        if choice.rule in selection.kept:
            decision += ": too much of gold is covered by this rule alone"
        lines.append(
            f"{choice.rule:<34}{choice.tokens:>8}{choice.wrong:>8}{choice.alone:>8}"
            f"{choice.alone_wrong:>8}{choice.gain:>9.4f}  {decision}"
        )
    lines += [f"{rule:<34}{'':>41}  used, not judged" for rule in selection.unjudged]
    for name in ("precision", "redacted"):
        before, after = getattr(selection, name)
        lines.append(f"{name:<10} {before:.4f} with all rules, {after:.4f} with the selected rules")
    return "\n".join(lines)


def _find_raw_spans(note: Annotated, finder: IdentifierFinder) -> tuple[Span, ...]:
    alignment = align(note.document.text)
    document = spoken(replace(note.document, text=alignment.clean), finder.lang)
    return alignment.to_raw(finder.spans(document))


def _read_model_notes(trial: SelectionTrial, warnings: list[str]) -> dict[str, Annotated]:
    if trial.model_spans is None:
        return {}
    return {note.document.note_id: note for note in read_annotated(trial.model_spans, warnings)}


def _get_model_spans(
    note_id: str, text: str, model: Mapping[str, Annotated], *, is_asked: bool
) -> list[Span]:
    if not is_asked:
        return []
    note = model.get(note_id)
    if note is None or note.document.text != text:
        reason = "missing" if note is None else "text differs from gold"
        problem = f"note {note_id}: {reason}"
        raise ConfigError("--model-spans", problem, "run the model on the notes of GOLD")
    return trim_spans((replace(span, detector="model") for span in note.spans), text)
