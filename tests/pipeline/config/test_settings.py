"""The configuration: read once, checked whole, and errors that help without showing values."""

import os
import pickle
from dataclasses import asdict
from pathlib import Path

import pytest

from pipeline.config.settings import IdentitySettings, load, resolve_url
from pipeline.config.url_passwords import has_password
from pipeline.notes.worker_resources import resolve_urls
from pipeline.warehouse.people import check_identity
from record.errors import ConfigError
from record.policy import Action

MINIMAL = """
[source]
url = "sqlite:///hospital.db"
[output]
url = "sqlite:///research.db"
"""

IDENTITY = "[source.identity]\ntable = 'a; drop table note'\ncolumns = {}\n"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "nightly.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_minimal_configuration_has_sane_defaults(tmp_path: Path) -> None:
    settings = load(write(tmp_path, MINIMAL))
    assert settings.base == tmp_path.resolve()
    assert settings.cohort == "research"
    assert settings.make_policy().locale == settings.lang == "fr"
    assert hash(settings.limits) == hash(load(tmp_path / "nightly.toml").limits)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (MINIMAL + "[sauce]\nurl='x'\n", "sauce"),
        (MINIMAL + "[limits]\nnotes_per_unit = 0\n", "limits.notes_per_unit"),
        (MINIMAL + "[limits]\nnotes = 1\n", "limits.notes"),
        (MINIMAL.replace("[output]", "[outputs]"), "output"),
        (MINIMAL + "[source.kinds]\n1 = 'Note of Mr X'\n", "source.kinds.1"),
        (MINIMAL + "[policy]\nshift = 3\n", "policy"),
        (MINIMAL + "[policy.actions]\nNAME = 'hash'\n", "policy"),
        (MINIMAL + "[policy.actions]\nNICKNAME = 'keep'\n", "policy.actions"),
        ("base = '/'\n" + MINIMAL, "base"),
        ("lang = 'tlh'\n" + MINIMAL, "lang"),
        (MINIMAL + IDENTITY, "source.identity.table"),
        *(
            (MINIMAL + f"[source.identity]\ntable = 'a'\ncolumns.SSN = {value}\n",
             "source.identity.columns.SSN")
            for value in ("3", "[]", "['a', 3]", "'a b'", "['a', 'b;']", '"a\\n"', "{}")
        ),
    ],
)  # fmt: skip
def test_errors_name_the_key_and_a_remedy(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, text))
    assert key in caught.value.key
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cohort = 5\n" + MINIMAL, "cohort: must be text in quotes, and is a whole number"),
        ("cohort = 2024-03-02\n" + MINIMAL, "cohort: must be text in quotes, and is a date or"),
        ("lang = 'tlh'\n" + MINIMAL, "lang: must be 'fr', 'en'"),
        ("lang = true\n" + MINIMAL, "and is true or false"),
        ("source = 'x.db'\n", "source: must be a table, and is text"),
        (
            MINIMAL.replace("[output]", "hard_links = 'yes'\n[output]"),
            "source.hard_links: must be true or false, without quotes, and is text",
        ),
        (
            MINIMAL.replace("[output]", "hard_links = 1\n[output]"),
            "source.hard_links: must be true or false, without quotes, and is a whole number",
        ),
        (
            MINIMAL + "[limits]\nnotes_per_unit = '64'\n",
            "limits.notes_per_unit: must be a whole number without quotes, and is text",
        ),
        (
            MINIMAL + "[limits]\nmax_quarantine_share = '0.1'\n",
            "limits.max_quarantine_share: must be a number without quotes, and is text",
        ),
        (MINIMAL + "[limits]\nnotes_per_unit = true\n", "must be a whole number"),
        (MINIMAL + "[limits]\nnotes_per_unit = 0\n", "limits.notes_per_unit: must be at least"),
        (MINIMAL + "tables = 'visit'\n", "output.tables: must be a list in brackets, and is text"),
        (
            MINIMAL + "[policy]\nkeep_weekday = 'yes'\n",
            "policy.keep_weekday: must be true or false, without quotes, and is text",
        ),
    ],
)
def test_a_value_of_another_type_is_told_in_plain_words(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, text))
    said = str(caught.value)
    assert told in said
    assert "nightly.toml" in said or "policy" in told
    assert not any(word in said for word in ("Input", "should", "tlh", "0.1'", "x.db"))


def test_numbers_lists_and_names_of_members_are_taken_as_toml_has_them(tmp_path: Path) -> None:
    more = "[limits]\nmax_quarantine_share = 1\n[extraction]\nlayout = 'full'\n"
    settings = load(write(tmp_path, MINIMAL + "tables = ['visit_occurrence']\n" + more))
    assert settings.limits.max_quarantine_share == 1.0
    assert settings.output.tables == ("visit_occurrence",)
    assert settings.extraction.layout == "full"


def test_a_field_may_have_several_columns(tmp_path: Path) -> None:
    text = "[source.identity]\ntable = 'a'\ncolumns = {family_names = ['x', 'y'], SSN = 'x'}\n"
    identity = load(write(tmp_path, MINIMAL + text)).source.identity
    assert identity is not None
    # One column is a text as ever, by which notes that were read are known again.
    assert asdict(identity)["columns"] == {"family_names": ("x", "y"), "SSN": "x"}
    assert identity.columns_of("family_names") == ("x", "y")
    assert (identity.columns_of("SSN"), identity.columns_of("zip")) == (("x",), ())
    assert identity.all_columns == ["person_id", "x", "y"]


@pytest.mark.parametrize("name", ["street", "birth_date", "relative_given_names"])
def test_what_belongs_together_is_in_one_column(name: str) -> None:
    check_identity(IdentitySettings("a", {name: ("x",), "family_names": ("x", "y")}))
    with pytest.raises(ConfigError, match=rf"columns\.{name}: must be one column"):
        check_identity(IdentitySettings("a", {name: ("x", "y")}))


def test_broken_toml_and_missing_files_are_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(write(tmp_path, "[source"))
    with pytest.raises(ConfigError, match="no such file"):
        load(tmp_path / "absent.toml")


def test_passwords_are_never_shown(tmp_path: Path) -> None:
    secret = MINIMAL.replace("sqlite:///hospital.db", "postgresql://etl:s3cr3t@db/omop")
    settings = load(write(tmp_path, secret))
    assert "s3cr3t" not in repr(settings)
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, secret + "[source.identity]\ntable = 3\n"))
    assert "s3cr3t" not in str(caught.value)


def test_urls_from_the_environment_travel_by_name(tmp_path: Path) -> None:
    settings = load(write(tmp_path, MINIMAL.replace("sqlite:///hospital.db", "env:OMOP_URL")))
    assert b"s3cr3t" not in pickle.dumps(settings)
    found = resolve_url(settings.source.url, {"OMOP_URL": "postgresql://s3cr3t@db"}, tmp_path)
    assert found.endswith("@db")
    with pytest.raises(ConfigError, match="not set"):
        resolve_url(settings.source.url, {}, tmp_path)


def test_urls_from_a_private_file_travel_by_name(tmp_path: Path) -> None:
    settings = load(write(tmp_path, MINIMAL.replace("sqlite:///hospital.db", "file:omop.url")))
    path = tmp_path / "omop.url"
    for content in ("postgresql://reader:s3cr3t@db/cdm\n", "postgresql://reader:s3cr3t@db/cdm\r\n"):
        path.write_bytes(content.encode())
        for mode in (0o600, 0o400):
            path.chmod(mode)
            assert resolve_urls(settings).source.url == "postgresql://reader:s3cr3t@db/cdm"
        path.chmod(0o600)
    assert resolve_url(f"file:{path}", {}, Path("/nowhere")).endswith("@db/cdm")
    assert b"s3cr3t" not in pickle.dumps(settings)
    assert not has_password(settings.source.url)
    assert resolve_url("sqlite:///file:omop.url?uri=true", {}, tmp_path).startswith("sqlite:")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o611])
def test_a_url_in_a_file_that_others_can_access_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "omop.url"
    path.write_text("postgresql://reader:s3cr3t@db/cdm")
    path.chmod(mode)
    with pytest.raises(ConfigError, match="must not be accessible to other users") as caught:
        resolve_url("file:omop.url", {}, tmp_path)
    assert caught.value.key == "url file:PATH"
    assert f"chmod 600 {path}, if that is the URL" in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"postgresql://a:s3cr3t@db\nmore", b"s3cr3t\xff", b"postgresql://s3cr3t/" * 300],
)
def test_a_file_that_holds_no_url_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "omop.url"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="does not hold one URL in one line") as caught:
        resolve_url("file:omop.url", {}, tmp_path)
    assert "s3cr3t" not in str(caught.value)


def test_a_file_of_a_url_that_is_not_there_is_told(tmp_path: Path) -> None:
    for name in ("absent", ""):
        with pytest.raises(ConfigError, match=r"^url file:PATH: .*Remedy: write the URL into it"):
            resolve_url(f"file:{name}", {}, tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(ConfigError, match="not a regular file"):
        resolve_url("file:pipe", {}, tmp_path)


def test_policy_actions_override_and_the_rest_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, MINIMAL + "[policy.actions]\nPROFESSION = 'keep'\n")
    policy = load(path).make_policy()
    assert policy.action("PROFESSION") is Action.KEEP
    assert policy.action("LAST_NAME") is Action.REPLACE
    assert policy.action("SHOE_SIZE") is None
