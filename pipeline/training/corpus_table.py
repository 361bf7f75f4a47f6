"""Counts a corpus: notes, patients, kinds and labels of each split, before and after extraction."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.files.jsonl import BadLine, JsonLine, read_notes
from pipeline.training.corpus import SPLITS
from record.errors import ConfigError


def count_corpus(folder: Path) -> dict[str, Any]:
    """Count the splits that `corpus read` wrote.

    `splits` has the numbers of each; `kinds` the notes of each kind by split; `labels` the spans
    of each label by split. `extraction` compares the text of documents after extraction with all
    text of their pages (before), over the documents where that is known: characters, annotated
    spans, and spans detected in either text, in sum and by label. What stands before has been
    detected only: nobody annotated it. Raises ConfigError for a missing file or an invalid line.
    """
    splits: dict[str, dict[str, int]] = {}
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
    extraction = _ExtractionCounts()
    for split in SPLITS:
        notes = list(_read_split(folder / f"{split}.jsonl"))
        documents = [line.annotated.document for line in notes]
        splits[split] = {
            "patients": len({document.person_id for document in documents}),
            "notes": len(notes),
            "documents": sum(line.record.get("origin") != "note_text" for line in notes),
            "characters": sum(len(document.text) for document in documents),
            "spans": sum(len(line.annotated.spans) for line in notes),
        }
        for line in notes:
            kinds[line.annotated.document.kind][split] += 1
            labels_of_note = Counter(span.label for span in line.annotated.spans)
            for label, count in labels_of_note.items():
                labels[label][split] += count
            extraction.add(line.record, labels_of_note)
    return {
        "splits": splits,
        "kinds": _by_split(kinds),
        "labels": _by_split(labels),
        "extraction": extraction.to_json(),
    }


class _ExtractionCounts:
    """Sums over documents whose text before extraction is known."""

    def __init__(self) -> None:
        self._documents = 0
        self._characters: Counter[str] = Counter()
        self._labels: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, record: Mapping[str, Any], annotated: Mapping[str, int]) -> None:
        """Add a note; one that is no such document adds nothing."""
        before, after = record.get("before_extraction"), record.get("after_extraction")
        if not before or not after:
            return
        self._documents += 1
        self._characters.update(before=before["characters"], after=after["characters"])
        counted = {
            "annotated": annotated,
            "detected_after": after["detected"],
            "detected_before": before["detected"],
        }
        for name, counts in counted.items():
            for label, count in counts.items():
                self._labels[label][name] += count

    def to_json(self) -> dict[str, Any]:
        """Return the sums as an object for JSON."""
        names = ("annotated", "detected_after", "detected_before")
        labels = {
            label: {name: counts[name] for name in names}
            for label, counts in sorted(self._labels.items())
        }
        return {
            "documents": self._documents,
            "characters": {name: self._characters[name] for name in ("before", "after")},
            "spans": {name: sum(counts[name] for counts in labels.values()) for name in names},
            "labels": labels,
        }


def _read_split(path: Path) -> Iterator[JsonLine]:
    for line in read_notes(path):
        if isinstance(line, BadLine):
            where = f"{path}, line {line.number}"
            raise ConfigError(where, "not a valid note", "make the corpus anew: corpus read")
        yield line


def _by_split(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {
        name: {split: counted.get(split, 0) for split in SPLITS}
        for name, counted in sorted(counts.items())
    }
