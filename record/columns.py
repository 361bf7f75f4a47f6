"""Every column of the tables that research reads, and what happens to it: default-deny."""

from dataclasses import dataclass, replace
from enum import StrEnum

from record.label import Label

CDM = {
    "note": {
        "row": "note_id person_id",
        "date": "note_date",
        "clock": "note_datetime",
        "fixed": "note_type_concept_id note_class_concept_id encoding_concept_id "
        "language_concept_id",
        "title": "note_title",
        "text": "note_text",
        "link": "provider_id visit_occurrence_id visit_detail_id",
        "source": "note_source_value",
        "event": "note_event_id note_event_field_concept_id",
    },
    "note_span": {"row": "note_id", "place": "start_offset end_offset", "label": "label"},
    "note_nlp": {
        "row": "note_nlp_id note_id",
        "code": "section_concept_id note_nlp_concept_id note_nlp_source_concept_id",
        "free": "snippet lexical_variant nlp_system term_exists term_temporal term_modifiers",
        "offset": "offset",
        "date": "nlp_date",
        "clock": "nlp_datetime",
    },
    "person": {
        "row": "person_id",
        "code": "gender_concept_id race_concept_id ethnicity_concept_id",
        "birth_year": "year_of_birth",
        "birth": "month_of_birth day_of_birth birth_datetime",
        "site": "location_id care_site_id",
        "physician": "provider_id",
        "patient_number": "person_source_value",
        "source": "gender_source_value race_source_value ethnicity_source_value",
        "source_code": "gender_source_concept_id race_source_concept_id "
        "ethnicity_source_concept_id",
    },
    "death": {
        "row": "person_id",
        "date": "death_date",
        "clock": "death_datetime",
        "code": "death_type_concept_id cause_concept_id cause_source_concept_id",
        "source": "cause_source_value",
    },
    "observation_period": {
        "row": "observation_period_id person_id",
        "date": "observation_period_start_date observation_period_end_date",
        "code": "period_type_concept_id",
    },
    "visit_occurrence": {
        "row": "visit_occurrence_id person_id",
        "code": "visit_concept_id visit_type_concept_id admitted_from_concept_id "
        "discharged_to_concept_id",
        "date": "visit_start_date visit_end_date",
        "clock": "visit_start_datetime visit_end_datetime",
        "link": "provider_id preceding_visit_occurrence_id",
        "site": "care_site_id",
        "visit_number": "visit_source_value",
        "source_code": "visit_source_concept_id",
        "source": "admitted_from_source_value discharged_to_source_value",
    },
    "visit_detail": {
        "row": "visit_detail_id person_id visit_occurrence_id",
        "code": "visit_detail_concept_id visit_detail_type_concept_id admitted_from_concept_id "
        "discharged_to_concept_id",
        "date": "visit_detail_start_date visit_detail_end_date",
        "clock": "visit_detail_start_datetime visit_detail_end_datetime",
        "link": "provider_id preceding_visit_detail_id parent_visit_detail_id",
        "site": "care_site_id",
        "visit_number": "visit_detail_source_value",
        "source_code": "visit_detail_source_concept_id",
        "source": "admitted_from_source_value discharged_to_source_value",
    },
    "condition_occurrence": {
        "row": "condition_occurrence_id person_id",
        "code": "condition_concept_id condition_type_concept_id condition_status_concept_id "
        "condition_source_concept_id",
        "date": "condition_start_date",
        "end": "condition_end_date",
        "clock": "condition_start_datetime condition_end_datetime",
        "link": "provider_id visit_occurrence_id visit_detail_id",
        "free": "stop_reason",
        "source": "condition_source_value condition_status_source_value",
    },
    "drug_exposure": {
        "row": "drug_exposure_id person_id",
        "code": "drug_concept_id drug_type_concept_id route_concept_id drug_source_concept_id",
        "date": "drug_exposure_start_date drug_exposure_end_date",
        "end": "verbatim_end_date",
        "clock": "drug_exposure_start_datetime drug_exposure_end_datetime",
        "measure": "refills quantity days_supply",
        "link": "provider_id visit_occurrence_id visit_detail_id",
        "free": "stop_reason sig",
        "number": "lot_number",
        "source": "drug_source_value route_source_value dose_unit_source_value",
    },
    "procedure_occurrence": {
        "row": "procedure_occurrence_id person_id",
        "code": "procedure_concept_id procedure_type_concept_id modifier_concept_id "
        "procedure_source_concept_id",
        "date": "procedure_date",
        "end": "procedure_end_date",
        "clock": "procedure_datetime procedure_end_datetime",
        "measure": "quantity",
        "link": "provider_id visit_occurrence_id visit_detail_id",
        "source": "procedure_source_value modifier_source_value",
    },
    "device_exposure": {
        "row": "device_exposure_id person_id",
        "code": "device_concept_id device_type_concept_id device_source_concept_id "
        "unit_concept_id unit_source_concept_id",
        "date": "device_exposure_start_date",
        "end": "device_exposure_end_date",
        "clock": "device_exposure_start_datetime device_exposure_end_datetime",
        "measure": "quantity",
        "link": "provider_id visit_occurrence_id visit_detail_id",
        "number": "unique_device_id production_id",
        "source": "device_source_value unit_source_value",
    },
    "measurement": {
        "row": "measurement_id person_id",
        "code": "measurement_concept_id measurement_type_concept_id operator_concept_id "
        "value_as_concept_id unit_concept_id measurement_source_concept_id unit_source_concept_id",
        "date": "measurement_date",
        "clock": "measurement_datetime",
        "measure": "value_as_number range_low range_high",
        "link": "provider_id visit_occurrence_id visit_detail_id",
        "free": "measurement_time",
        "source": "measurement_source_value unit_source_value value_source_value",
        "event": "measurement_event_id meas_event_field_concept_id",
    },
    "observation": {
        "row": "observation_id person_id",
        "code": "observation_concept_id observation_type_concept_id value_as_concept_id "
        "qualifier_concept_id unit_concept_id observation_source_concept_id",
        "date": "observation_date",
        "clock": "observation_datetime",
        "measure": "value_as_number",
        "link": "provider_id visit_occurrence_id visit_detail_id",
        "free": "value_as_string",
        "source": "observation_source_value unit_source_value qualifier_source_value "
        "value_source_value",
        "event": "observation_event_id obs_event_field_concept_id",
    },
    "specimen": {
        "row": "specimen_id person_id",
        "code": "specimen_concept_id specimen_type_concept_id unit_concept_id "
        "anatomic_site_concept_id disease_status_concept_id",
        "date": "specimen_date",
        "clock": "specimen_datetime",
        "measure": "quantity",
        "number": "specimen_source_id",
        "source": "specimen_source_value unit_source_value anatomic_site_source_value "
        "disease_status_source_value",
    },
    "condition_era": {
        "row": "condition_era_id person_id",
        "code": "condition_concept_id",
        "date": "condition_era_start_date condition_era_end_date",
        "measure": "condition_occurrence_count",
    },
    "drug_era": {
        "row": "drug_era_id person_id",
        "code": "drug_concept_id",
        "date": "drug_era_start_date drug_era_end_date",
        "measure": "drug_exposure_count gap_days",
    },
    "dose_era": {
        "row": "dose_era_id person_id",
        "code": "drug_concept_id unit_concept_id",
        "date": "dose_era_start_date dose_era_end_date",
        "measure": "dose_value",
    },
    "provider": {
        "row": "provider_id",
        "name": "provider_name npi dea year_of_birth",
        "code": "specialty_concept_id gender_concept_id",
        "site": "care_site_id",
        "source": "provider_source_value specialty_source_value gender_source_value",
        "source_code": "specialty_source_concept_id gender_source_concept_id",
    },
    "care_site": {
        "row": "care_site_id",
        "name": "care_site_name",
        "code": "place_of_service_concept_id",
        "site": "location_id",
        "source": "care_site_source_value place_of_service_source_value",
    },
    "location": {
        "row": "location_id",
        "name": "address_1 address_2 county latitude longitude",
        "town": "city state",
        "zip": "zip",
        "code": "country_concept_id",
        "source": "location_source_value country_source_value",
    },
}
"""Table -> kind of column -> the columns of that kind; `note_span` is ours."""


class Treatment(StrEnum):
    """What happens to the values of a column."""

    REKEY = "rekey"
    SHIFT = "shift"
    REWRITE = "rewrite"
    GENERALIZE = "generalize"
    KEEP = "keep"
    DROP = "drop"


class Holds(StrEnum):
    """What values a column may hold; what is of another form is never kept."""

    ID = "id"
    DATE = "date"
    MOMENT = "moment"
    CODE = "code"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What happens to a column, and why; `can_drop` where a policy may leave it out.

    `choices` are the other treatments that a policy may choose. `label` names the kind of
    identifier that the values are, where a note may hold them too.
    """

    treatment: Treatment
    reason: str
    can_drop: bool = False
    holds: Holds = Holds.TEXT
    choices: frozenset[Treatment] = frozenset()
    label: str = ""

    @property
    def allowed(self) -> frozenset[Treatment]:
        """Everything that a policy may write of the column."""
        dropped = {Treatment.DROP} if self.can_drop else set()
        return frozenset({self.treatment} | self.choices | dropped)


_REKEY, _SHIFT, _KEEP, _DROP = Treatment.REKEY, Treatment.SHIFT, Treatment.KEEP, Treatment.DROP
_REWRITE = Treatment.REWRITE
_JOIN = "the cohort's own id: joins hold inside the cohort and nowhere else"
_CODE = "a concept of the vocabulary, the same for many patients"
_MOVED = "moved by the patient's own days, as the dates in the text are"
_CLOCK = f"{_MOVED}; the time of day stays"
_SOURCE = "a value of the source, which may hold anything"
_BIRTH = "narrows down who it is"
_KEYED = frozenset((_REKEY,))
_AS_IN_NOTES = frozenset((_REKEY, _REWRITE))

_KINDS = {
    "row": ColumnRule(_REKEY, _JOIN, holds=Holds.ID),
    "link": ColumnRule(_REKEY, _JOIN, can_drop=True, holds=Holds.ID),
    "site": ColumnRule(_DROP, "leads to a place", holds=Holds.ID, choices=_KEYED),
    "physician": ColumnRule(
        _DROP, "leads to the patient's own physician", holds=Holds.ID, choices=_KEYED
    ),
    "event": ColumnRule(_DROP, "names a row of the source, or its table", holds=Holds.ID),
    "date": ColumnRule(_SHIFT, _MOVED, holds=Holds.DATE),
    "end": ColumnRule(_SHIFT, _MOVED, can_drop=True, holds=Holds.DATE),
    "clock": ColumnRule(_SHIFT, _CLOCK, can_drop=True, holds=Holds.MOMENT),
    "birth_year": ColumnRule(
        _SHIFT, f"{_MOVED}; of the birth date the year alone", can_drop=True, holds=Holds.NUMBER
    ),
    "birth": ColumnRule(_DROP, _BIRTH, holds=Holds.NUMBER, choices=frozenset((_SHIFT,))),
    "code": ColumnRule(_KEEP, _CODE, can_drop=True, holds=Holds.CODE),
    "fixed": ColumnRule(_KEEP, _CODE, holds=Holds.CODE),
    "source_code": ColumnRule(_DROP, _SOURCE, holds=Holds.CODE, choices=frozenset((_KEEP,))),
    "measure": ColumnRule(
        _KEEP, "a number that was measured or counted", can_drop=True, holds=Holds.NUMBER
    ),
    "title": ColumnRule(_REWRITE, "text: its spans are treated by label", can_drop=True),
    "text": ColumnRule(_REWRITE, "text: its spans are treated by label"),
    "free": ColumnRule(_DROP, "free text, which may hold anything"),
    "offset": ColumnRule(_DROP, "a place in the original text"),
    "place": ColumnRule(_KEEP, "a place in the new text", holds=Holds.NUMBER),
    "label": ColumnRule(_KEEP, "the kind of identifier that stood there"),
    "source": ColumnRule(_DROP, _SOURCE, choices=_KEYED),
    "patient_number": ColumnRule(_DROP, _SOURCE, choices=_AS_IN_NOTES, label=Label.PATIENT_ID),
    "visit_number": ColumnRule(_DROP, _SOURCE, choices=_AS_IN_NOTES, label=Label.VISIT_ID),
    "number": ColumnRule(_DROP, "a number of one thing or sample", choices=_KEYED),
    "name": ColumnRule(_DROP, "names a person or a place"),
    "town": ColumnRule(_DROP, "tells where somebody lives", choices=frozenset((_KEEP,))),
    "zip": ColumnRule(
        _DROP, "tells where somebody lives", choices=frozenset((_KEEP, Treatment.GENERALIZE))
    ),
}  # fmt: skip

COLUMNS = {
    f"{table}.{column}": _KINDS[kind]
    for table, kinds in CDM.items()
    for kind, columns in kinds.items()
    for column in columns.split()
}
"""Table and column of the output -> its rule; a column that is not here is not written."""
COLUMNS["person.birth_datetime"] = replace(_KINDS["birth"], holds=Holds.MOMENT)

BIRTHS = frozenset(
    f"person.{name}" for kind in ("birth_year", "birth") for name in CDM["person"][kind].split()
)
"""The columns that tell when a patient was born."""

TABLES = {
    table: tuple(name for columns in kinds.values() for name in columns.split())
    for table, kinds in CDM.items()
}
"""Table -> its columns."""

CHOSEN = {
    _REKEY: "by this policy the cohort's own code of it, the same wherever it recurs",
    _SHIFT: f"by this policy {_MOVED}",
    _REWRITE: "by this policy as the same number reads in the patient's notes",
    Treatment.GENERALIZE: "by this policy its first digits alone",
    _KEEP: "by this policy as it is",
}
"""Treatment that a policy chose in the place of the usual one -> what it says of it."""

_SHORTER = {"visit_occurrence": "visit"}
_ROLES = ("preceding_", "parent_")


def id_kind(column: str) -> str:
    """Return what a column of ids counts: every column of a kind has the same pseudonyms.

    `preceding_visit_occurrence_id` and `visit_occurrence_id` both count a `visit`.
    """
    name = column.removesuffix("_id")
    for role in _ROLES:
        name = name.removeprefix(role)
    return _SHORTER.get(name, name)
