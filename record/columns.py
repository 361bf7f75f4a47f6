"""Every column of the OMOP tables in a release and how its values are treated (default: drop)."""

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
    "payer_plan_period": {
        "row": "payer_plan_period_id person_id",
        "date": "payer_plan_period_start_date payer_plan_period_end_date",
        "code": "payer_concept_id plan_concept_id sponsor_concept_id stop_reason_concept_id",
        "source": "payer_source_value plan_source_value sponsor_source_value family_source_value "
        "stop_reason_source_value",
        "source_code": "payer_source_concept_id plan_source_concept_id sponsor_source_concept_id "
        "stop_reason_source_concept_id",
    },
    "episode": {
        "row": "episode_id person_id",
        "code": "episode_concept_id episode_object_concept_id episode_type_concept_id "
        "episode_source_concept_id",
        "date": "episode_start_date",
        "end": "episode_end_date",
        "clock": "episode_start_datetime episode_end_datetime",
        "link": "episode_parent_id",
        "measure": "episode_number",
        "source": "episode_source_value",
    },
    "cost": {
        "row": "cost_id",
        "fact": "cost_event_id",
        "domain": "cost_domain_id",
        "code": "cost_type_concept_id currency_concept_id revenue_code_concept_id drg_concept_id",
        "amount": "total_charge total_cost total_paid paid_by_payer paid_by_patient "
        "paid_patient_copay paid_patient_coinsurance paid_patient_deductible paid_by_primary "
        "paid_ingredient_cost paid_dispensing_fee amount_allowed",
        "link": "payer_plan_period_id",
        "source": "revenue_code_source_value drg_source_value",
    },
    # Its rows are found by fact: OMOP CDM has the domains first, and no key.
    "fact_relationship": {
        "fact": "fact_id_1 fact_id_2",
        "fact_domain": "domain_concept_id_1 domain_concept_id_2",
        "fixed": "relationship_concept_id",
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
"""Table -> kind of column -> columns of that kind; `note_span` is not part of the OMOP CDM."""


class Treatment(StrEnum):
    """What happens to the values of a column."""

    REKEY = "rekey"
    SHIFT = "shift"
    REWRITE = "rewrite"
    GENERALIZE = "generalize"
    KEEP = "keep"
    DROP = "drop"


class ColumnType(StrEnum):
    """The type of a column's values; a value of another form is never kept."""

    ID = "id"
    DATE = "date"
    MOMENT = "moment"
    CODE = "code"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How a column is treated, and why; a policy may drop it where `can_drop` is set.

    `choices` are the other treatments that a policy may select. `label` is set where the values
    are identifiers that may also occur in notes.
    """

    treatment: Treatment
    reason: str
    can_drop: bool = False
    holds: ColumnType = ColumnType.TEXT
    choices: frozenset[Treatment] = frozenset()
    label: str = ""

    @property
    def allowed(self) -> frozenset[Treatment]:
        """The treatments that a policy may select for the column."""
        dropped = {Treatment.DROP} if self.can_drop else set()
        return frozenset({self.treatment} | self.choices | dropped)


_REKEY, _SHIFT, _KEEP, _DROP = Treatment.REKEY, Treatment.SHIFT, Treatment.KEEP, Treatment.DROP
_REWRITE = Treatment.REWRITE
_JOIN = "pseudonymous id of the cohort: joins work within the cohort only"
_DOMAIN = "says which table a fact is in"
_CODE = "a vocabulary concept, shared by many patients"
_MOVED = "shifted by the patient's own number of days, like the dates in the notes"
KEPT_CLOCK = "the time of day is kept"
"""What the reason of a column of moments says where a policy keeps exact times."""
_CLOCK = f"{_MOVED}; {KEPT_CLOCK}"
_SOURCE = "a source value, which may hold anything"
_BIRTH = "narrows down who the patient is"
_KEYED = frozenset((_REKEY,))
_AS_IN_NOTES = frozenset((_REKEY, _REWRITE))

_KINDS = {
    "row": ColumnRule(_REKEY, _JOIN, holds=ColumnType.ID),
    "link": ColumnRule(_REKEY, _JOIN, can_drop=True, holds=ColumnType.ID),
    "site": ColumnRule(_DROP, "identifies a place", holds=ColumnType.ID, choices=_KEYED),
    "physician": ColumnRule(
        _DROP, "identifies the patient's physician", holds=ColumnType.ID, choices=_KEYED
    ),
    "event": ColumnRule(_DROP, "refers to a row or table of the source", holds=ColumnType.ID),
    "date": ColumnRule(_SHIFT, _MOVED, holds=ColumnType.DATE),
    "end": ColumnRule(_SHIFT, _MOVED, can_drop=True, holds=ColumnType.DATE),
    "clock": ColumnRule(_SHIFT, _CLOCK, can_drop=True, holds=ColumnType.MOMENT),
    "birth_year": ColumnRule(
        _SHIFT, f"{_MOVED}; only the year of birth", can_drop=True, holds=ColumnType.NUMBER
    ),
    "birth": ColumnRule(_DROP, _BIRTH, holds=ColumnType.NUMBER, choices=frozenset((_SHIFT,))),
    "code": ColumnRule(_KEEP, _CODE, can_drop=True, holds=ColumnType.CODE),
    "fixed": ColumnRule(_KEEP, _CODE, holds=ColumnType.CODE),
    "source_code": ColumnRule(_DROP, _SOURCE, holds=ColumnType.CODE, choices=frozenset((_KEEP,))),
    "measure": ColumnRule(
        _KEEP, "a measurement or count", can_drop=True, holds=ColumnType.NUMBER
    ),
    "amount": ColumnRule(
        _KEEP,
        "an amount of money: who has the bills can recognise it",
        can_drop=True,
        holds=ColumnType.NUMBER,
    ),
    "fact": ColumnRule(_REKEY, _JOIN, holds=ColumnType.ID),
    "domain": ColumnRule(_KEEP, _DOMAIN),
    "fact_domain": ColumnRule(_KEEP, _DOMAIN, holds=ColumnType.CODE),
    "title": ColumnRule(_REWRITE, "text: each span is treated by its label", can_drop=True),
    "text": ColumnRule(_REWRITE, "text: each span is treated by its label"),
    "free": ColumnRule(_DROP, "free text, which may hold anything"),
    "offset": ColumnRule(_DROP, "an offset in the original text"),
    "place": ColumnRule(_KEEP, "an offset in the released text", holds=ColumnType.NUMBER),
    "label": ColumnRule(_KEEP, "the kind of identifier that was replaced"),
    "source": ColumnRule(_DROP, _SOURCE, choices=_KEYED),
    "patient_number": ColumnRule(_DROP, _SOURCE, choices=_AS_IN_NOTES, label=Label.PATIENT_ID),
    "visit_number": ColumnRule(_DROP, _SOURCE, choices=_AS_IN_NOTES, label=Label.VISIT_ID),
    "number": ColumnRule(_DROP, "the number of a single device, lot or sample", choices=_KEYED),
    "name": ColumnRule(_DROP, "names a person or a place"),
    "town": ColumnRule(_DROP, "shows where somebody lives", choices=frozenset((_KEEP,))),
    "zip": ColumnRule(
        _DROP, "shows where somebody lives", choices=frozenset((_KEEP, Treatment.GENERALIZE))
    ),
}  # fmt: skip

COLUMNS = {
    f"{table}.{column}": _KINDS[kind]
    for table, kinds in CDM.items()
    for kind, columns in kinds.items()
    for column in columns.split()
}
"""`table.column` of the output -> its rule; columns not listed are not written."""
COLUMNS["person.birth_datetime"] = replace(_KINDS["birth"], holds=ColumnType.MOMENT)

BIRTHS = frozenset(
    f"person.{name}" for kind in ("birth_year", "birth") for name in CDM["person"][kind].split()
)
"""The columns that hold a patient's date of birth or parts of it."""

TABLES = {
    table: tuple(name for columns in kinds.values() for name in columns.split())
    for table, kinds in CDM.items()
}
"""Table -> its columns."""

CHOSEN = {
    _REKEY: "selected by this policy: a code of the cohort, the same wherever the value recurs",
    _SHIFT: f"selected by this policy: {_MOVED}",
    _REWRITE: "selected by this policy: replaced like the same number in the patient's notes",
    Treatment.GENERALIZE: "selected by this policy: only its first digits",
    _KEEP: "selected by this policy: unchanged",
}
"""Treatment that a policy selects instead of the default -> its explanation."""

NO_VISITS = frozenset(("person", "death", "note", "note_nlp"))
"""The tables with dates that are no days of a visit, or those of notes."""

FACTS = {
    "cost": {"cost_event_id": "cost_domain_id"},
    "fact_relationship": {
        "fact_id_1": "domain_concept_id_1",
        "fact_id_2": "domain_concept_id_2",
    },
}
"""Table -> its columns that hold ids of rows of any table, each with the column that says which."""

DOMAINS = {
    "Visit": (8, "visit_occurrence"),
    "Procedure": (10, "procedure_occurrence"),
    "Drug": (13, "drug_exposure"),
    "Device": (17, "device_exposure"),
    "Condition": (19, "condition_occurrence"),
    "Measurement": (21, "measurement"),
    "Observation": (27, "observation"),
    "Specimen": (36, "specimen"),
    "Person": (56, "person"),
    "Note": (5085, "note"),
}
"""Domain of OMOP whose facts belong to a patient -> its concept and the table of its facts."""


def domains_of(column: str) -> dict[str | int, str]:
    """Return the values of a column of domains that are known, with the table of each."""
    is_concept = COLUMNS[column].holds is ColumnType.CODE
    return {concept if is_concept else name: table for name, (concept, table) in DOMAINS.items()}


_SHORTER = {"visit_occurrence": "visit"}
_ROLES = ("preceding_", "parent_")


def id_kind(column: str) -> str:
    """Return the kind of entity a column of ids refers to; columns of one kind share pseudonyms.

    `preceding_visit_occurrence_id` and `visit_occurrence_id` both refer to a `visit`,
    `episode_parent_id` to an `episode`.
    """
    name = column.removesuffix("_id").removesuffix("_parent")
    for role in _ROLES:
        name = name.removeprefix(role)
    return _SHORTER.get(name, name)


VISIT_LINKS = frozenset(
    f"{table}.{name}"
    for table, names in TABLES.items()
    if table not in ("visit_occurrence", "visit_detail")
    for name in names
    if name.endswith("_id") and id_kind(name) in ("visit", "visit_detail")
)
"""The columns by which rows of other tables refer to visits."""

STAFF_LINKS = frozenset(
    f"{table}.{name}"
    for table, names in TABLES.items()
    if table not in ("provider", "care_site")
    for name in names
    if name in ("provider_id", "care_site_id")
)
"""The columns that say who treated a patient, and where."""
