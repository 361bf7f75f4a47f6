"""Every column of the common data model has a rule, and every choice of a policy is explained."""

from pipeline.config.policy_description import explain_column
from record.columns import (
    CDM,
    CHOSEN,
    COLUMNS,
    DOMAINS,
    FACTS,
    TABLES,
    ColumnType,
    Treatment,
    domains_of,
    id_kind,
)
from record.policy import Policy

# How many columns the tables have in the DDL of OMOP CDM 5.4.
WIDTHS = {
    "person": 18,
    "observation_period": 5,
    "visit_occurrence": 17,
    "visit_detail": 19,
    "condition_occurrence": 16,
    "drug_exposure": 23,
    "procedure_occurrence": 16,
    "device_exposure": 19,
    "measurement": 23,
    "observation": 21,
    "death": 7,
    "note": 16,
    "note_nlp": 14,
    "specimen": 15,
    "location": 12,
    "care_site": 6,
    "provider": 13,
    "drug_era": 7,
    "dose_era": 7,
    "condition_era": 6,
    "payer_plan_period": 17,
    "episode": 13,
    "cost": 22,
    "fact_relationship": 5,
}


def test_every_column_of_the_tables_is_named_once() -> None:
    assert {table: len(set(TABLES[table])) for table in WIDTHS} == WIDTHS
    assert set(TABLES) == {*WIDTHS, "note_span"} == set(CDM)
    assert len(COLUMNS) == sum(map(len, TABLES.values()))


def test_columns_of_ids_refer_to_one_kind_whatever_their_role() -> None:
    assert id_kind("episode_parent_id") == id_kind("episode_id") == "episode"
    assert id_kind("preceding_visit_occurrence_id") == id_kind("visit_occurrence_id") == "visit"
    assert id_kind("payer_plan_period_id") == "payer_plan_period"


def test_facts_are_in_tables_of_patients() -> None:
    for name, facts in FACTS.items():
        for fact, domain in facts.items():
            assert COLUMNS[f"{name}.{fact}"].allowed == {Treatment.REKEY}
            assert COLUMNS[f"{name}.{domain}"].allowed == {Treatment.KEEP}
            tables = domains_of(f"{name}.{domain}")
            assert len(tables) == len(set(tables.values())) == len(DOMAINS)
            assert all("person_id" in TABLES[table] for table in tables.values())
    assert domains_of("cost.cost_domain_id")["Drug"] == "drug_exposure"
    assert domains_of("fact_relationship.domain_concept_id_2")[13] == "drug_exposure"


def test_names_agree_with_what_is_done() -> None:
    """What a name of the CDM promises decides what may happen to the column at all."""
    for name in COLUMNS:
        _agrees(name)


def _agrees(name: str) -> None:
    rule, column = COLUMNS[name], name.partition(".")[2]
    may = rule.allowed
    assert rule.reason
    if column.endswith("_source_value"):
        assert Treatment.KEEP not in may
    if column.endswith("_concept_id"):
        assert rule.holds in (ColumnType.CODE, ColumnType.ID)
        assert may <= {Treatment.KEEP, Treatment.DROP}
    elif column.endswith("_id") and rule.holds is ColumnType.ID:
        assert may <= {Treatment.REKEY, Treatment.DROP}
    if column.endswith(("_date", "_datetime")):
        assert rule.holds in (ColumnType.DATE, ColumnType.MOMENT)
        assert Treatment.KEEP not in may
    assert Treatment.KEEP not in may or rule.holds is not ColumnType.ID


def test_a_policy_may_choose_and_says_so() -> None:
    for name, rule in COLUMNS.items():
        for choice in rule.choices:
            policy = Policy(columns={name: choice})
            assert policy.treatment(name) is choice
            assert explain_column(policy, name) == CHOSEN[choice]


def test_a_policy_that_caps_ages_tells_none_in_tables() -> None:
    capped = Policy(old_births="cap", columns={"person.month_of_birth": Treatment.SHIFT})
    births = ("year_of_birth", "month_of_birth", "day_of_birth", "birth_datetime")
    assert {capped.treatment(f"person.{name}") for name in births} == {Treatment.DROP}
    assert Policy().treatment("person.year_of_birth") is Treatment.SHIFT
