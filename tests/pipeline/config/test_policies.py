"""Policies: shipped ones treat everything, names and files give the same, mistakes are refused."""

import json
import tomllib
from dataclasses import fields
from datetime import date, datetime
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config.policies import (
    build_policy,
    expand_policy,
    list_shipped_policies,
    read_policy,
    read_shipped_policy,
)
from pipeline.config.policy_description import describe_policy
from pipeline.config.settings import load
from pipeline.warehouse.omop_tables import make_output_tables, make_release_tables
from record.columns import COLUMNS, Treatment
from record.document import Document
from record.errors import ConfigError
from record.label import Label
from record.policy import Action, Policy
from record.span import Span
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

MINIMAL = '[source]\nurl = "sqlite:///a.db"\n[output]\nurl = "sqlite:///b.db"\n'
NAMES = ("gdpr-research", "hipaa-limited", "hipaa-safe-harbor", "mask-only", "synthetic-source")


@pytest.fixture(scope="module")
def cohort() -> CohortKey:
    return MasterKey(bytes(range(32))).cohort("policies")


def test_these_are_shipped() -> None:
    assert list_shipped_policies() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_policy_says_what_happens_to_every_label_and_why(name: str) -> None:
    table = tomllib.loads(read_shipped_policy(name))
    assert set(table["actions"]) == set(map(str, Label))
    assert set(table) <= {field.name for field in fields(Policy)}
    # Every setting stands under a comment that explains it.
    text = read_shipped_policy(name)
    assert text.count("\n#") >= 8
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "GDPR" in text or "45 CFR 164.514" in text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("label", list(Label))
def test_every_label_has_a_treatment_in_every_shipped_policy(
    cohort: CohortKey, name: str, label: Label
) -> None:
    policy = build_policy(read_policy(name, Path()), "fr")
    assert policy.action(label) in set(Action)
    text = "12 mars 2024" if label in ("DATE", "BIRTH_DATE") else "94 ans, 75012 Paris"
    document = Document("n1", text, "42", "fr")
    release = Rewriter(cohort, policy).rewrite(document, (Span(0, len(text), label),), None)
    if policy.action(label) is Action.KEEP:
        assert release.text == text
    elif policy.action(label) is Action.MASK:
        assert release.text == f"[{label}]"
    else:
        assert release.text != text


@pytest.mark.parametrize("name", NAMES)
def test_every_column_has_a_treatment_in_every_shipped_policy(name: str) -> None:
    policy = build_policy(read_policy(name, Path()), "fr")
    for column in COLUMNS:
        assert policy.treatment(column) in Treatment
    assert policy.treatment("note.shoe_size") is Treatment.DROP


def test_every_column_of_the_output_is_known() -> None:
    about_patients = ("note", "person", "note_span", "visit_occurrence")
    tables = make_release_tables(None).tables
    written = {f"{name}.{c.name}" for name in about_patients for c in tables[name].columns}
    assert written <= set(COLUMNS)
    assert set(make_output_tables(None).tables) <= {*about_patients, "cdm_source"}


def test_the_shipped_policies_differ() -> None:
    made = {build_policy(read_policy(name, Path()), "fr").policy_id for name in NAMES}
    assert len(made | {Policy().policy_id}) == len(NAMES) + 1


def test_digests_that_were_given_before_hold() -> None:
    assert Policy().policy_id == "48143b798062"
    assert Policy(max_shift_days=300).policy_id == "db411628cfab"
    assert Policy(zip_digits=2).policy_id != Policy().policy_id


# Names and files


def test_a_configuration_names_a_policy_and_changes_it(tmp_path: Path) -> None:
    path = tmp_path / "nightly.toml"
    path.write_text(
        MINIMAL + '[policy]\nname = "mask-only"\nage_cap = 80\n[policy.actions]\nAGE = "keep"\n'
        '[policy.columns]\n"note.note_title" = "drop"\n'
    )
    policy = load(path).make_policy()
    assert (policy.age_cap, policy.action("AGE")) == (80, Action.KEEP)
    assert policy.action("LAST_NAME") is Action.MASK
    dropped = {name for name, wanted in policy.columns.items() if wanted is Treatment.DROP}
    assert {"note.note_title", "note.note_datetime", "person.year_of_birth"} <= dropped


def test_a_policy_file_lies_beside_the_configuration_and_may_name_another(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "p.toml").write_text('name = "q.toml"\nage_cap = 70\n')
    (tmp_path / "ours" / "q.toml").write_text('name = "gdpr-research"\nlocale = "es"\n')
    path = tmp_path / "nightly.toml"
    path.write_text(MINIMAL + '[policy]\nname = "ours/p.toml"\n')
    policy = load(path).make_policy()
    assert (policy.age_cap, policy.locale, policy.birth_dates) == (70, "es", "year")
    # What is read once holds: a run in several processes has one policy.
    settings = load(path)
    (tmp_path / "ours" / "p.toml").unlink()
    assert settings.make_policy() == policy


def test_a_name_and_its_file_are_the_same(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / "copy.toml").write_text(read_shipped_policy(name))
        assert read_policy("copy.toml", tmp_path) == read_policy(name, tmp_path)


def test_a_whole_configuration_gives_its_policy(tmp_path: Path) -> None:
    (tmp_path / "nightly.toml").write_text(MINIMAL)
    assert build_policy(read_policy("nightly.toml", tmp_path), "fr") == Policy()


def test_check_gives_the_id_that_the_run_will_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nightly.toml"
    path.write_text('lang = "es"\n' + MINIMAL + '[policy]\nname = "mask-only"\n')
    assert main(["policy", "check", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["policy_id"] == load(path).make_policy().policy_id
    assert told["settings"]["locale"] == "es"


def test_policies_in_a_ring_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('name = "b.toml"')
    (tmp_path / "b.toml").write_text('name = "a.toml"')
    with pytest.raises(ConfigError, match="cycle"):
        read_policy("a.toml", tmp_path)
    with pytest.raises(ConfigError, match="neither a shipped policy nor a file"):
        expand_policy({"name": "gdpr"}, tmp_path)
    with pytest.raises(ConfigError, match="must be a string"):
        expand_policy({"name": 3}, tmp_path)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("shift = 3", "policy.shift"),
        ('age_cap = "old"', "policy.age_cap"),
        ("age_cap = true", "policy.age_cap"),
        ("min_shift_days = 0", "policy.min_shift_days"),
        ('date_precision = "century"', "policy.date_precision"),
        ("zip_digits = 5", "policy.zip_digits"),
        ('zeroed_zips = ["36"]', "policy.zeroed_zips"),
        ('actions = "mask"', "policy.actions"),
        ('columns = ["note.note_title"]', "policy.columns"),
        ('[actions]\nLAST_NAME = "hash"', "policy.actions.LAST_NAME"),
        ('[actions]\nSHOE_SIZE = "mask"', "policy.actions"),
        ('[actions]\nCITY = "generalize"', "policy.actions.CITY"),
        ('[columns]\n"note.shoe_size" = "drop"', "policy.columns.note.shoe_size"),
        ('[columns]\n"note.note_id" = "drop"', "policy.columns.note.note_id"),
        ('[columns]\n"note.note_source_value" = "keep"', "policy.columns.note.note_source_value"),
        ('[columns]\n"note.note_title" = "hash"', "policy.columns.note.note_title"),
    ],
)
def test_mistakes_are_refused_at_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, key: str
) -> None:
    (tmp_path / "p.toml").write_text(line + "\n")
    assert main(["policy", "check", str(tmp_path / "p.toml")]) == 2
    said = capsys.readouterr().err
    assert f"error: {key}" in said
    assert "Remedy: " in said
    nightly = tmp_path / "nightly.toml"
    in_tables = line.replace("[actions]", "[policy.actions]").replace(
        "[columns]", "[policy.columns]"
    )
    nightly.write_text(MINIMAL + "[policy]\n" + in_tables + "\n")
    with pytest.raises(ConfigError) as raised:
        load(nightly)
    assert raised.value.key.startswith(key)


@pytest.mark.parametrize("name", NAMES)
def test_tables_and_text_give_the_same_dates(cohort: CohortKey, name: str) -> None:
    policy = build_policy(read_policy(name, Path()), "fr")
    columns, day = Columns(cohort, policy), date(2024, 3, 12)
    moved = columns.shift_date("42", day)
    assert moved == columns.shift_datetime("42", datetime(2024, 3, 12, 10, 15)).date()
    assert ((moved.month, moved.day) == (1, 1)) == (policy.date_precision == "year")
    if policy.action("DATE") is Action.REPLACE:
        document = Document("n1", f"{day:%d/%m/%Y}", "42", "fr")
        release = Rewriter(cohort, policy).rewrite(document, (Span(0, 10, "DATE"),), None)
        assert release.text == f"{moved:%d/%m/%Y}"


# The command


@pytest.mark.parametrize("name", [None, *NAMES])
def test_check_shows_every_label_and_column(
    capsys: pytest.CaptureFixture[str], name: str | None
) -> None:
    assert main(["policy", "check", *([name] if name else []), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["labels"]) == set(map(str, Label))
    assert set(told["columns"]) == set(COLUMNS)
    assert all(each["reason"] for part in ("labels", "columns") for each in told[part].values())
    assert main(["policy", "check", *([name] if name else [])]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"policy {told['policy_id']}"
    for entry in (*Label, *COLUMNS):
        assert any(line.split()[:1] == [str(entry)] for line in lines)


def test_what_is_said_follows_the_settings() -> None:
    told = describe_policy(build_policy(read_policy("hipaa-safe-harbor", Path()), "en"))
    assert "reduced to the year" in told["labels"]["DATE"]["reason"]
    assert "000" in told["labels"]["ZIP"]["reason"]
    assert told["labels"]["REGION"]["action"] == "keep"
    assert told["labels"]["SSN"]["reason"] == "[SSN]"
    told = describe_policy(build_policy(read_policy("synthetic-source", Path()), "es"))
    assert "unchanged if surrogate places lie" in told["labels"]["COUNTRY"]["reason"]
    told = describe_policy(build_policy(read_policy("mask-only", Path()), "en"))
    assert told["columns"]["person.year_of_birth"] == {
        "treatment": "drop",
        "reason": "dropped by this policy",
    }
    told = describe_policy(Policy(actions={"AGE": Action.REPLACE}))
    assert told["labels"]["NAME"]["action"] == "refuse"


def test_check_speaks_of_names_that_are_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "check", "gdpr"]) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in ("policy.name", *NAMES))
