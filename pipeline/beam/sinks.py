"""Where batches end: one transaction a batch, then its counts, combined over the run."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import apache_beam as beam

from pipeline.beam.metrics import BatchMetrics
from pipeline.beam.session import tools_of
from pipeline.config.settings import Settings
from pipeline.notes.batch import Batch
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.claimed_units import count_failure, run_guarded_stage
from pipeline.state.run_summary import Tally, merge_tallies
from record.atomic_write import OWNER_FILE, make_folders, write_atomically


class WriteBatch(beam.DoFn):
    """Commits a batch (releases to the stage, spans, ledger, quarantine) and returns its tally."""

    def __init__(self, settings: Settings, run_id: int) -> None:
        self._settings = settings
        self._run_id = run_id
        self._metrics: BatchMetrics | None = None

    def setup(self) -> None:
        self._metrics = BatchMetrics()

    def process(self, element: Batch) -> Iterator[str]:
        assert self._metrics is not None
        run_id, done, tools = self._run_id, list[str](), tools_of(self._settings)
        with count_failure(run_id, element.unit, tools):
            written = run_guarded_stage(
                "write",
                lambda batch, tools: commit_batch(batch, tools, run_id),
                element,
                tools,
            )
            self._metrics.add(written)
            # What the quality gate counts is read from the state database, not from here.
            done.append(json.dumps(replace(written.tally, cells=Counter()).to_json()))
        yield from done


class MergeTallies(beam.CombineFn):
    """Adds the tallies of batches, whatever their order."""

    def create_accumulator(self) -> Tally:
        return Tally()

    def add_input(self, mutable_accumulator: Tally, element: str) -> Tally:
        return mutable_accumulator.merge(Tally.from_json(json.loads(element)))

    def merge_accumulators(self, accumulators: Iterable[Tally]) -> Tally:
        return merge_tallies(accumulators)

    def extract_output(self, accumulator: Tally) -> str:
        return json.dumps(accumulator.to_json())


class WriteSummary(beam.DoFn):
    """Writes the combined tally of a pipeline to a file of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def process(self, element: str) -> Iterator[str]:
        make_folders(self._path.parent)
        write_atomically(self._path, element.encode("utf-8"), OWNER_FILE)
        yield element
