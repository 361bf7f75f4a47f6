"""Measures which label of a site's own a rule's finds have, for rules beside a tagger of these."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scipy.stats import binomtest

from models.tagger.folder import write_rule_labels
from models.tagger.loading import load_tagger_folder
from models.tagger.sequences.alignment import TrainingNote
from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import TOGETHER, refine_spans
from pipeline.notes.overlap_resolution import has_own_labels, resolve_spans
from record.document import Document
from record.span import Span

LEAST_PRECISION = 0.5
"""An addition of at least this precision raises any F1 (Lipton et al., ECML 2014: above F1 / 2)."""


@dataclass
class RuleLabelTally:
    """Counts exact matches of rules with gold, and of these what a tagger did not find itself."""

    matches: Counter[tuple[str, str]] = field(default_factory=Counter)
    added: Counter[str] = field(default_factory=Counter)
    right: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, note: TrainingNote, rules: Sequence[Span], tagged: Sequence[Span] | None) -> None:
        """Count the disjoint spans of rules in a note; `tagged` are None for notes learnt from."""
        gold = {(span.start, span.end): str(span.label) for span in note.annotated.spans}
        for span in rules:
            rule, label = str(span.label), gold.get((span.start, span.end))
            if label is not None:
                self.matches[rule, label] += 1
            if tagged is not None and not any(map(span.overlaps, tagged)):
                self.added[rule] += 1
                if label is not None:
                    self.right[rule, label] += 1

    def choose(self) -> dict[str, str]:
        """Return the labels of rules that are worth a label of the tagger, each with that.

        It is the label of most exact matches. What a rule adds to the tagger must be exactly gold's
        more often than LEAST_PRECISION, by the lower bound at 95 %.
        """
        found: dict[str, str] = {}
        for (rule, label), _ in sorted(self.matches.items(), key=lambda each: (-each[1], each[0])):
            if rule in found:
                continue
            found[rule] = label
        return {
            rule: label
            for rule, label in sorted(found.items())
            if _lower_bound(self.right[rule, label], self.added[rule]) >= LEAST_PRECISION
        }


def _lower_bound(right: int, added: int) -> float:
    if not added:
        return 0.0
    return float(binomtest(right, added).proportion_ci(0.95, method="wilson").low)


def add_measured_labels(
    folder: Path, train: Sequence[TrainingNote], dev: Sequence[TrainingNote]
) -> Mapping[str, str]:
    """Add to a tagger's folder which of its labels spans of rules get beside it; return them.

    Where its labels are ours there is nothing to add. What it does not find itself is measured on
    `dev`: of the notes that it learnt from it misses next to nothing.
    """
    tagger = load_tagger_folder(folder)
    if not has_own_labels(tagger.labels):
        return {}
    tally = RuleLabelTally()
    for note in train:
        tally.add(note, _search(note.annotated.document), None)
    for start in range(0, len(dev), TOGETHER):
        some = dev[start : start + TOGETHER]
        documents = [note.annotated.document for note in some]
        for note, spans in zip(some, tagger.spans(documents), strict=True):
            document = note.annotated.document
            tally.add(note, _search(document), refine_spans(spans, document))
    if found := tally.choose():
        write_rule_labels(folder, found)
    return found


def _search(document: Document) -> tuple[Span, ...]:
    return resolve_spans(by_rules(document), document.text)
