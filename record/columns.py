"""Every column of the tables that research reads, and what happens to it: default-deny."""

from dataclasses import dataclass
from enum import StrEnum


class Treatment(StrEnum):
    """What happens to the values of a column."""

    REKEY = "rekey"
    SHIFT = "shift"
    REWRITE = "rewrite"
    KEEP = "keep"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What happens to a column, and why; `can_drop` where a policy may leave it out."""

    treatment: Treatment
    reason: str
    can_drop: bool = False


_REKEY, _SHIFT, _KEEP, _DROP = Treatment.REKEY, Treatment.SHIFT, Treatment.KEEP, Treatment.DROP
_JOIN = "the cohort's own id: joins hold inside the cohort and nowhere else"
_CODE = "a concept of the vocabulary, the same for many patients"
_MOVED = "moved by the patient's own days, as the dates in the text are"
_CLOCK = f"{_MOVED}; the time of day stays"
_SOURCE = "a value of the source, which may hold anything"

COLUMNS = {
    "note.note_id": ColumnRule(_REKEY, _JOIN),
    "note.person_id": ColumnRule(_REKEY, _JOIN),
    "note.note_date": ColumnRule(_SHIFT, _MOVED),
    "note.note_datetime": ColumnRule(_SHIFT, _CLOCK, can_drop=True),
    "note.note_type_concept_id": ColumnRule(_KEEP, _CODE),
    "note.note_class_concept_id": ColumnRule(_KEEP, _CODE),
    "note.note_title": ColumnRule(
        Treatment.REWRITE, "text: its spans are treated by label", can_drop=True
    ),
    "note.note_text": ColumnRule(Treatment.REWRITE, "text: its spans are treated by label"),
    "note.encoding_concept_id": ColumnRule(_KEEP, _CODE),
    "note.language_concept_id": ColumnRule(_KEEP, _CODE),
    "note.provider_id": ColumnRule(_REKEY, _JOIN, can_drop=True),
    "note.visit_occurrence_id": ColumnRule(_REKEY, _JOIN, can_drop=True),
    "note.visit_detail_id": ColumnRule(_REKEY, _JOIN, can_drop=True),
    "note.note_source_value": ColumnRule(_DROP, _SOURCE),
    "note.note_event_id": ColumnRule(_DROP, "names a row of the source"),
    "note.note_event_field_concept_id": ColumnRule(_DROP, "says which table that row is in"),
    "note_span.note_id": ColumnRule(_REKEY, _JOIN),
    "note_span.start_offset": ColumnRule(_KEEP, "a place in the new text"),
    "note_span.end_offset": ColumnRule(_KEEP, "a place in the new text"),
    "note_span.label": ColumnRule(_KEEP, "the kind of identifier that stood there"),
    "person.person_id": ColumnRule(_REKEY, _JOIN),
    "person.gender_concept_id": ColumnRule(_KEEP, _CODE, can_drop=True),
    "person.year_of_birth": ColumnRule(
        _SHIFT, f"{_MOVED}; of the birth date the year alone", can_drop=True
    ),
    "person.month_of_birth": ColumnRule(_DROP, "narrows down who it is"),
    "person.day_of_birth": ColumnRule(_DROP, "narrows down who it is"),
    "person.birth_datetime": ColumnRule(_DROP, "narrows down who it is"),
    "person.race_concept_id": ColumnRule(_KEEP, _CODE, can_drop=True),
    "person.ethnicity_concept_id": ColumnRule(_KEEP, _CODE, can_drop=True),
    "person.location_id": ColumnRule(_DROP, "leads to an address"),
    "person.provider_id": ColumnRule(_DROP, "leads to the patient's own physician"),
    "person.care_site_id": ColumnRule(_DROP, "leads to a place"),
    "person.person_source_value": ColumnRule(_DROP, _SOURCE),
    "person.gender_source_value": ColumnRule(_DROP, _SOURCE),
    "person.gender_source_concept_id": ColumnRule(_DROP, _SOURCE),
    "person.race_source_value": ColumnRule(_DROP, _SOURCE),
    "person.race_source_concept_id": ColumnRule(_DROP, _SOURCE),
    "person.ethnicity_source_value": ColumnRule(_DROP, _SOURCE),
    "person.ethnicity_source_concept_id": ColumnRule(_DROP, _SOURCE),
    "visit_occurrence.visit_occurrence_id": ColumnRule(_REKEY, _JOIN),
    "visit_occurrence.person_id": ColumnRule(_REKEY, _JOIN),
    "visit_occurrence.visit_concept_id": ColumnRule(_KEEP, _CODE, can_drop=True),
    "visit_occurrence.visit_start_date": ColumnRule(_SHIFT, _MOVED),
    "visit_occurrence.visit_start_datetime": ColumnRule(_SHIFT, _CLOCK, can_drop=True),
    "visit_occurrence.visit_end_date": ColumnRule(_SHIFT, _MOVED),
    "visit_occurrence.visit_end_datetime": ColumnRule(_SHIFT, _CLOCK, can_drop=True),
    "visit_occurrence.visit_type_concept_id": ColumnRule(_KEEP, _CODE, can_drop=True),
    "visit_occurrence.provider_id": ColumnRule(_REKEY, _JOIN, can_drop=True),
    "visit_occurrence.care_site_id": ColumnRule(_DROP, "leads to a place"),
    "visit_occurrence.visit_source_value": ColumnRule(_DROP, _SOURCE),
    "visit_occurrence.visit_source_concept_id": ColumnRule(_DROP, _SOURCE),
    "visit_occurrence.admitted_from_concept_id": ColumnRule(_KEEP, _CODE, can_drop=True),
    "visit_occurrence.admitted_from_source_value": ColumnRule(_DROP, _SOURCE),
    "visit_occurrence.discharged_to_concept_id": ColumnRule(_KEEP, _CODE, can_drop=True),
    "visit_occurrence.discharged_to_source_value": ColumnRule(_DROP, _SOURCE),
    "visit_occurrence.preceding_visit_occurrence_id": ColumnRule(_REKEY, _JOIN, can_drop=True),
}
"""Table and column of the output -> its rule; a column that is not here is not written."""
