"""Detection of identifiers in single notes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptonym.notes import (
    LOCK,
    NoteDate,
    Patient,
    check_language,
    dated,
    read_note,
    read_patient,
    unless_refused,
)
from models.tagger.loading import load_tagger_folder
from models.tagger.shipped_model import AUTO, DEFAULT, NO_MODEL, folder_of
from pipeline.files.jsonl import JsonLine, spans_to_json
from pipeline.files.note_files import IdentifierFinder, find_raw_spans
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.error_boundary import attempt
from pipeline.notes.selected_rules import load_selection
from pipeline.notes.threshold_file import check_labels_exist, load_thresholds
from record.errors import ConfigError
from record.patient import PatientRecord
from record.span import Span


class Detector:
    """Finds identifiers with rules, what is known of the patient, and a tagger.

    `lang` is the language of notes whose language their text does not tell. `model` is a folder
    that `cryptonym train` wrote, `default` for the shipped tagger, or `none`; `thresholds` and
    `selection` are files, as of `cryptonym detect`. Raises ConfigError. May be called from several
    threads, which take turns.
    """

    def __init__(
        self,
        *,
        lang: str = "",
        model: str = DEFAULT,
        runtime: str = AUTO,
        thresholds: str | Path | None = None,
        selection: str | Path | None = None,
    ) -> None:
        check_language(lang)
        self.lang = lang
        self._finder = IdentifierFinder({}, lang=lang)
        if model == NO_MODEL and thresholds:
            problem = "there is no tagger whose thresholds they are"
            raise ConfigError("thresholds", problem, "leave them out, or name a tagger")
        if model != NO_MODEL:
            folder = folder_of(model)
            chosen = load_thresholds(Path(thresholds), folder)[0] if thresholds else None
            tagger = load_tagger_folder(folder, runtime, thresholds=chosen)
            if thresholds and chosen:
                check_labels_exist(Path(thresholds), chosen, tagger.labels)
            self._finder = IdentifierFinder({}, lang=lang, model=tagger)
        if selection:
            self._finder.dropped = load_selection(Path(selection), DETECTOR_VERSION, [])

    def detect(
        self,
        text: str,
        patient: Patient | None = None,
        *,
        lang: str = "",
        note_datetime: NoteDate = None,
    ) -> tuple[Span, ...]:
        """Return the spans of a text, disjoint and in order; offsets are code points.

        Raises Refused, without text, where the note cannot be read, and ConfigError for a language
        that is none of ours.
        """
        check_language(lang)
        record = {"note_id": "note", "text": text, "lang": lang} | dated(note_datetime)
        (found,) = self._find_all([record], [patient])
        return found

    def detect_many(
        self, texts: Sequence[str], patients: Sequence[Patient | None] | None = None
    ) -> list[tuple[Span, ...]]:
        """Return the spans of several texts, for which the tagger is asked together."""
        records = [{"note_id": str(number), "text": text} for number, text in enumerate(texts)]
        return self._find_all(records, patients)

    def detect_records(
        self,
        records: Sequence[Mapping[str, Any]],
        patients: Sequence[Patient | None] | None = None,
    ) -> list[dict[str, Any]]:
        """Return notes, objects of `notes.jsonl`, as `cryptonym detect` writes them: with `spans`.

        Spans that were there are replaced. There is a patient, or None, for each note. Raises
        Refused, without text, where one of the notes cannot be read.
        """
        found = self._find_all(records, patients)
        return [
            {**record, "spans": spans_to_json(spans)}
            for record, spans in zip(records, found, strict=True)
        ]

    def _find_all(
        self,
        records: Sequence[Mapping[str, Any]],
        patients: Sequence[Patient | None] | None,
    ) -> list[tuple[Span, ...]]:
        known = [read_patient(each) for each in patients or [None] * len(records)]
        lines = [
            read_note(record, patient, given=False)
            for record, patient in zip(records, known, strict=True)
        ]
        with LOCK:
            self._finder.ask_model(lines)
            return [self._find(line, patient) for line, patient in zip(lines, known, strict=True)]

    def _find(self, line: JsonLine, patient: PatientRecord | None) -> tuple[Span, ...]:
        document = line.annotated.document
        self._finder.patients = {str(document.person_id): patient} if patient else {}
        step = lambda: find_raw_spans(line, self._finder)[0]  # noqa: E731
        return unless_refused(attempt(document.note_id, "detect", step))
