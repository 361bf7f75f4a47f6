"""Table definitions of OMOP CDM 5.4 for outputs, and the columns read from sources.

https://ohdsi.github.io/CommonDataModel/cdm54.html
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

from pipeline.warehouse.note_rows import NOTE_COLUMNS

# SQLite makes only INTEGER an alias of the row id; its INTEGER has 64 bits.
LONG = BigInteger().with_variant(Integer(), "sqlite")

CDM_VERSION, CDM_VERSION_CONCEPT = "5.4", 756265

PERSON_READ = (
    "person_id", "gender_concept_id", "year_of_birth", "month_of_birth", "day_of_birth",
    "birth_datetime", "race_concept_id", "ethnicity_concept_id", "location_id",
    "person_source_value",
)  # fmt: skip
LOCATION_READ = ("location_id", "address_1", "address_2", "city", "state", "zip")

REQUIRED = {
    "note": ("note_id", "person_id", "note_text"),
    "person": ("person_id",),
}
"""Required tables and columns of a source; other missing ones are treated as empty."""

_PERSON = (
    ("gender_concept_id", LONG), ("year_of_birth", Integer), ("month_of_birth", Integer),
    ("day_of_birth", Integer), ("birth_datetime", DateTime), ("race_concept_id", LONG),
    ("ethnicity_concept_id", LONG), ("location_id", LONG), ("provider_id", LONG),
    ("care_site_id", LONG), ("person_source_value", Text), ("gender_source_value", Text),
    ("gender_source_concept_id", LONG), ("race_source_value", Text),
    ("race_source_concept_id", LONG), ("ethnicity_source_value", Text),
    ("ethnicity_source_concept_id", LONG),
)  # fmt: skip
_CDM_SOURCE = (
    ("cdm_source_name", Text), ("cdm_source_abbreviation", Text), ("cdm_holder", Text),
    ("source_description", Text), ("source_documentation_reference", Text),
    ("cdm_etl_reference", Text), ("source_release_date", Date), ("cdm_release_date", Date),
    ("cdm_version", Text), ("cdm_version_concept_id", LONG), ("vocabulary_version", Text),
)  # fmt: skip
CDM_SOURCE_COLUMNS = tuple(name for name, _ in _CDM_SOURCE)
_VISIT = (
    ("person_id", LONG), ("visit_concept_id", LONG), ("visit_start_date", Date),
    ("visit_start_datetime", DateTime), ("visit_end_date", Date),
    ("visit_end_datetime", DateTime), ("visit_type_concept_id", LONG), ("provider_id", LONG),
    ("care_site_id", LONG), ("visit_source_value", Text), ("visit_source_concept_id", LONG),
    ("admitted_from_concept_id", LONG), ("admitted_from_source_value", Text),
    ("discharged_to_concept_id", LONG), ("discharged_to_source_value", Text),
    ("preceding_visit_occurrence_id", LONG),
)  # fmt: skip
_METADATA = (
    ("metadata_concept_id", LONG), ("metadata_type_concept_id", LONG), ("name", Text),
    ("value_as_string", Text), ("value_as_concept_id", LONG), ("value_as_number", Float),
    ("metadata_date", Date), ("metadata_datetime", DateTime),
)  # fmt: skip
_NOTE_TYPES = {
    "note_date": Date, "note_datetime": DateTime,
    "note_title": Text, "note_text": Text, "note_source_value": Text,
}  # fmt: skip


def make_output_tables(schema: str | None) -> MetaData:
    """Return the tables of an output: `note`, `person`, `cdm_source`, and `note_span`, our own.

    `note_span` has one row per surrogate: offsets are code points of `note_text`, half open.
    """
    tables = MetaData(schema=schema)
    others = [name for name in NOTE_COLUMNS if name != "note_id"]
    note = Table(
        "note",
        tables,
        Column("note_id", LONG, primary_key=True, autoincrement=False),
        *(Column(name, _NOTE_TYPES.get(name, LONG)) for name in others),
    )
    Index("idx_note_person_id", note.c.person_id)
    Table(
        "person",
        tables,
        Column("person_id", LONG, primary_key=True, autoincrement=False),
        *(Column(name, kind) for name, kind in _PERSON),
    )
    Table(
        "note_span",
        tables,
        Column("note_id", LONG, primary_key=True, autoincrement=False),
        Column("start_offset", Integer, primary_key=True, autoincrement=False),
        Column("end_offset", Integer, primary_key=True, autoincrement=False),
        Column("label", Text, primary_key=True),
    )
    Table("cdm_source", tables, *(Column(name, kind) for name, kind in _CDM_SOURCE))
    return tables


def make_release_tables(schema: str | None) -> MetaData:
    """Return the tables of a cohort release: an output's, `visit_occurrence` and `metadata`."""
    tables = make_output_tables(schema)
    for name, key, columns in (
        ("visit_occurrence", "visit_occurrence_id", _VISIT),
        ("metadata", "metadata_id", _METADATA),
    ):
        Table(
            name,
            tables,
            Column(key, LONG, primary_key=True, autoincrement=False),
            *(Column(column, kind) for column, kind in columns),
        )
    return tables
