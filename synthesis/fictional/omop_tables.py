"""The tables of OMOP CDM 5.4 that the fictional hospital fills, and its table of identities.

Columns, types and lengths follow the specification, https://ohdsi.github.io/CommonDataModel/cdm54.html
"""

from typing import Any

from sqlalchemy import Column, Date, DateTime, Integer, MetaData, Numeric, String, Table, Text
from sqlalchemy.types import TypeEngine


def _column(word: str, *, key: bool) -> "Column[Any]":
    """Make a column of `name:type`; `!` is NOT NULL, a number the length of a string."""
    name, _, kind = word.partition(":")
    return Column(
        name,
        _type(kind.rstrip("!")),
        primary_key=key,
        autoincrement=False,
        nullable=not kind.endswith("!"),
        index=name == "person_id" and not key,
    )


def _type(kind: str) -> "TypeEngine[Any]":
    plain = {"int": Integer, "date": Date, "time": DateTime, "text": Text, "num": Numeric}
    made: TypeEngine[Any] = plain[kind]() if kind in plain else String(int(kind))
    return made


class Tables:
    """All tables, in a schema of the database or in its default one."""

    def __init__(self, schema: str | None = None) -> None:
        self.metadata = MetaData()
        self._schema = schema
        self.location = self._add(
            "location",
            "location_id:int! address_1:50 address_2:50 city:50 state:2 zip:9 county:20 "
            "location_source_value:50 country_concept_id:int country_source_value:80 "
            "latitude:num longitude:num",
        )
        self.care_site = self._add(
            "care_site",
            "care_site_id:int! care_site_name:255 place_of_service_concept_id:int location_id:int "
            "care_site_source_value:50 place_of_service_source_value:50",
        )
        self.provider = self._add(
            "provider",
            "provider_id:int! provider_name:255 npi:20 dea:20 specialty_concept_id:int "
            "care_site_id:int year_of_birth:int gender_concept_id:int provider_source_value:50 "
            "specialty_source_value:50 specialty_source_concept_id:int gender_source_value:50 "
            "gender_source_concept_id:int",
        )
        self.person = self._add(
            "person",
            "person_id:int! gender_concept_id:int! year_of_birth:int! month_of_birth:int "
            "day_of_birth:int birth_datetime:time race_concept_id:int! ethnicity_concept_id:int! "
            "location_id:int provider_id:int care_site_id:int person_source_value:50 "
            "gender_source_value:50 gender_source_concept_id:int race_source_value:50 "
            "race_source_concept_id:int ethnicity_source_value:50 ethnicity_source_concept_id:int",
        )
        self.visit_occurrence = self._add(
            "visit_occurrence",
            "visit_occurrence_id:int! person_id:int! visit_concept_id:int! visit_start_date:date! "
            "visit_start_datetime:time visit_end_date:date! visit_end_datetime:time "
            "visit_type_concept_id:int! provider_id:int care_site_id:int visit_source_value:50 "
            "visit_source_concept_id:int admitted_from_concept_id:int "
            "admitted_from_source_value:50 discharged_to_concept_id:int "
            "discharged_to_source_value:50 preceding_visit_occurrence_id:int",
        )
        self.note = self._add(
            "note",
            "note_id:int! person_id:int! note_date:date! note_datetime:time "
            "note_type_concept_id:int! note_class_concept_id:int! note_title:250 note_text:text! "
            "encoding_concept_id:int! language_concept_id:int! provider_id:int "
            "visit_occurrence_id:int visit_detail_id:int note_source_value:50 note_event_id:int "
            "note_event_field_concept_id:int",
        )
        self.note_nlp = self._add(
            "note_nlp",
            "note_nlp_id:int! note_id:int! section_concept_id:int snippet:250 offset:50 "
            "lexical_variant:250! note_nlp_concept_id:int note_nlp_source_concept_id:int "
            "nlp_system:250 nlp_date:date! nlp_datetime:time term_exists:1 term_temporal:50 "
            "term_modifiers:2000",
        )
        self.cdm_source = self._add(
            "cdm_source",
            "cdm_source_name:255! cdm_source_abbreviation:25! cdm_holder:255! "
            "source_description:text source_documentation_reference:255 cdm_etl_reference:255 "
            "source_release_date:date! cdm_release_date:date! cdm_version:10 "
            "cdm_version_concept_id:int! vocabulary_version:20!",
            key=False,
        )
        self.patient_identity = self._add(
            "patient_identity",
            "person_id:int! given_names:text family_names:text birth_names:text birth_date:date "
            "gender:10 phones:text emails:text street:text zip:text city:text country:text "
            "mrn:text ssn:text insurance_id:text relative_given_names:text "
            "relative_family_names:text",
            key=False,
        )

    def _add(self, name: str, columns: str, *, key: bool = True) -> Table:
        words = columns.split()
        made = [_column(word, key=key and word is words[0]) for word in words]
        return Table(name, self.metadata, *made, schema=self._schema)
