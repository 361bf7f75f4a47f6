"""Locators: files, variables and commands give a key, and never show one."""

import resource
import traceback
from pathlib import Path

import pytest

from record.errors import ConfigError, CryptonymError, Unavailable
from surrogates.keys import locators
from surrogates.keys.keys import MasterKey, load_master

SECRET = "c0ffee" * 10 + "c0fe"
KEY = f"cryptonym-key-v1\n{SECRET}\n"
EXPECTED = MasterKey(bytes.fromhex(SECRET)).key_id


@pytest.mark.parametrize("value", [KEY, KEY.strip(), KEY.replace("\n", " ")])
def test_a_variable_holds_a_key(value: str) -> None:
    assert load_master("env:KEY", Path(), environ={"KEY": value}).key_id == EXPECTED


def test_a_command_prints_a_key(tmp_path: Path) -> None:
    (tmp_path / "a key").write_text(KEY)
    locator = f"command:cat '{tmp_path / 'a key'}'"
    assert load_master(locator, Path()).key_id == EXPECTED


def test_no_shell_reads_a_command(tmp_path: Path) -> None:
    with pytest.raises(CryptonymError):
        load_master(f"command:echo x > {tmp_path / 'made'}", Path())
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("locator", "error"),
    [
        ("env:", ConfigError),
        ("env:NOT_SET", ConfigError),
        ("env:HALF", ConfigError),
        ("command:", ConfigError),
        ("command: ", ConfigError),
        ("command:'open", ConfigError),
        ("command:no-such-program-anywhere x", ConfigError),
        (f"command:sh -c 'echo {SECRET}; echo {SECRET} >&2; exit 3'", Unavailable),
        (f"command:echo cryptonym-key-v9 {SECRET}", ConfigError),
        ("command:head -c 100000 /dev/zero", ConfigError),
        ("vault:x", ConfigError),
        ("shares:", ConfigError),
        ("shares:/not/there,/nor/this", ConfigError),
        ("nowhere:x", ConfigError),
    ],
)
def test_what_gives_no_key_is_refused_and_shows_none(locator: str, error: type) -> None:
    environ = {"HALF": f"cryptonym-key-v1 {SECRET[:-2]}"}
    with pytest.raises(error) as raised:
        load_master(locator, Path(), environ=environ)
    assert raised.value.args[0] == "key.locator"
    assert SECRET[:20] not in str(raised.value)
    assert raised.value.__cause__ is None
    said = "".join(traceback.format_exception_only(raised.value))
    assert SECRET[:20] not in said


def test_a_command_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locators, "_SECONDS", 0.2)
    with pytest.raises(Unavailable, match="timed out"):
        load_master("command:sleep 60", Path())


def test_a_crash_leaves_no_memory_on_the_disk() -> None:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        load_master("env:KEY", Path(), environ={"KEY": KEY})
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
