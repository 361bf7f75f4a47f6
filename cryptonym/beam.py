"""Beam transforms over notes as dictionaries or named tuples, for anybody's pipeline."""

from collections.abc import Iterator, Mapping
from typing import Any

import apache_beam as beam

from cryptonym.detector import Detector
from cryptonym.notes import read_patient
from cryptonym.pseudonymizer import Pseudonymizer
from record.errors import ConfigError, Refused
from record.patient import PatientRecord

NOTES, REFUSED = "notes", "refused"
"""The outputs of each transform: notes, and what is said of those refused, without text."""


class Detect(beam.PTransform):
    """Adds `spans` to notes; options are those of `Detector`.

    A note has the keys of `notes.jsonl`, and `patient` with what is known of its patient, if
    anything. Returns the outputs NOTES and REFUSED.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._options = options

    def expand(self, notes: Any) -> Any:
        """Apply to a collection of notes."""
        return notes | beam.ParDo(_Detecting(self._options)).with_outputs(REFUSED, main=NOTES)


class Pseudonymize(beam.PTransform):
    """Replaces the `spans` of notes by surrogates; arguments are those of `Pseudonymizer`.

    `key` is a locator that workers can resolve; no key enters the graph. Keys of a note that are
    not of `cryptonym pseudonymize` are left out, `patient` among them. Returns the outputs NOTES
    and REFUSED.
    """

    def __init__(self, key: str, cohort: str, **options: Any) -> None:
        super().__init__()
        self._options = {"key": key, "cohort": cohort, **options}

    def expand(self, notes: Any) -> Any:
        """Apply to a collection of notes."""
        rewriting = _Rewriting(self._options)
        return notes | beam.ParDo(rewriting).with_outputs(REFUSED, main=NOTES)


class _Detecting(beam.DoFn):
    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        self._options = options

    def setup(self) -> None:
        self._detector = Detector(**self._options)

    def process(self, element: Any) -> Iterator[Any]:
        record = _read(element)
        try:
            (found,) = self._detector.detect_records([record], [_read_patient(record)])
        except Refused as refused:
            yield _refusal(record, refused)
        else:
            yield found


class _Rewriting(beam.DoFn):
    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        self._options = options

    def setup(self) -> None:
        self._pseudonymizer = Pseudonymizer(**self._options)

    def process(self, element: Any) -> Iterator[Any]:
        record = _read(element)
        try:
            patient = _read_patient(record)
            record.pop("patient", None)
            yield self._pseudonymizer.apply_record(record, patient)
        except Refused as refused:
            yield _refusal(record, refused)

    def teardown(self) -> None:
        self._pseudonymizer.close()


def _read(element: Any) -> dict[str, Any]:
    """Return a note as a dictionary of its own: a named tuple or row is one, too."""
    return dict(element) if isinstance(element, Mapping) else dict(element._asdict())


def _read_patient(record: Mapping[str, Any]) -> PatientRecord | None:
    """Return what is known of a note's patient; raises Refused, so that other notes go on."""
    try:
        return read_patient(record.get("patient"))
    except ConfigError:
        raise Refused("read", "ConfigError", "malformed-patient") from None


def _refusal(record: Mapping[str, Any], refused: Refused) -> Any:
    told = {"stage": refused.stage, "error": refused.error, "reason": refused.reason}
    return beam.pvalue.TaggedOutput(REFUSED, {"note_id": record.get("note_id"), **told})
