"""Counters and distributions of the graph, for display: reconciliation never relies on them."""

from apache_beam.metrics import Metrics

from pipeline.notes.batch import Batch

NAMESPACE = "cryptonym"


class BatchMetrics:
    """What a written batch adds to the counters of the run."""

    def __init__(self) -> None:
        self._read = Metrics.counter(NAMESPACE, "notes_read")
        self._released = Metrics.counter(NAMESPACE, "notes_released")
        self._unchanged = Metrics.counter(NAMESPACE, "notes_unchanged")
        self._quarantined = Metrics.counter(NAMESPACE, "notes_quarantined")
        self._spans = Metrics.distribution(NAMESPACE, "spans_per_note")
        self._characters = Metrics.distribution(NAMESPACE, "characters_per_note")

    def add(self, batch: Batch) -> None:
        """Count the notes of a batch by what became of them."""
        self._read.inc(len(batch.read_ids))
        self._released.inc(len(batch.items))
        self._unchanged.inc(len(batch.unchanged))
        self._quarantined.inc(len(batch.refused))
        for item in batch.items:
            if item.document is not None:
                self._spans.update(len(item.found))
                self._characters.update(len(item.document.text))
