"""Keys: hierarchy, files, and secrets that stay secret."""

import copy
import os
import pickle
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.errors import ConfigError
from surrogates.keys.keys import MasterKey, custody_of, load_master, new_master
from surrogates.keys.locators import is_foreign

CANARY = bytes.fromhex("c0ffee" * 10 + "c0fe")


def test_a_new_key_loads_again_and_is_the_owners_alone(tmp_path: Path) -> None:
    new_master(tmp_path / "master.key")
    assert stat.S_IMODE((tmp_path / "master.key").stat().st_mode) == 0o600
    first = load_master("file:master.key", tmp_path)
    second = load_master(f"file:{tmp_path / 'master.key'}", Path("elsewhere"))
    assert first.derive("store") == second.derive("store")


def test_an_existing_key_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    new_master(path)
    before = path.read_bytes()
    with pytest.raises(ConfigError) as raised:
        new_master(path)
    assert raised.value.key == "key.locator"
    assert path.read_bytes() == before


def test_two_new_keys_differ(tmp_path: Path) -> None:
    for name in "ab":
        new_master(tmp_path / name)
    a, b = (load_master(f"file:{name}", tmp_path) for name in "ab")
    assert a.derive("store") != b.derive("store")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"cryptonym-key-v1\n",
        b"cryptonym-key-v1\nzz\n",
        b"cryptonym-key-v1\n" + b"ab" * 31,
        b"cryptonym-key-v1\n" + b"ab" * 33,
        b"cryptonym-key-v9\n" + b"ab" * 32,
        b"ab" * 32,
        b"\xff" * 100,
    ],
)
def test_a_malformed_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "master.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ConfigError) as raised:
        load_master("file:master.key", tmp_path)
    assert raised.value.key == "key.locator"
    assert "cryptonym keys new" in raised.value.remedy


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o610, 0o601, 0o660, 0o666])
def test_a_key_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "master.key"
    new_master(path)
    path.chmod(mode)
    with pytest.raises(ConfigError) as raised:
        load_master("file:master.key", tmp_path)
    assert f"chmod 600 {path}" in raised.value.remedy


@pytest.mark.parametrize("locator", ["", "file:", "vault:x", "master.key", "FILE:master.key"])
def test_an_unknown_locator_is_refused(tmp_path: Path, locator: str) -> None:
    new_master(tmp_path / "master.key")
    with pytest.raises(ConfigError) as raised:
        load_master(locator, tmp_path)
    assert raised.value.key == "key.locator"


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir(mode=0o700)
    for name in ("pipe", "folder", "missing"):
        with pytest.raises(ConfigError) as raised:
            load_master(f"file:{name}", tmp_path)
        assert "cryptonym keys new" in raised.value.remedy


def test_a_link_of_ones_own_is_followed(tmp_path: Path) -> None:
    new_master(tmp_path / "master.key")
    (tmp_path / "link").symlink_to(tmp_path / "master.key")
    load_master("file:link", tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link away")
def test_somebody_elses_link_is_refused(tmp_path: Path) -> None:
    new_master(tmp_path / "master.key")
    (tmp_path / "link").symlink_to(tmp_path / "master.key")
    os.chown(tmp_path / "link", 12345, 12345, follow_symlinks=False)
    with pytest.raises(ConfigError):
        load_master("file:link", tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_somebody_elses_key_and_custody_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    new_master(path)
    os.chown(path, 12345, 12345)
    with pytest.raises(ConfigError, match="owned by another user") as raised:
        load_master("file:master.key", tmp_path)
    assert "chown" in raised.value.remedy
    os.chown(path, 0, 0)
    os.chown(custody_of(path), 12345, 12345)
    with pytest.raises(ConfigError, match="owned by another user"):
        load_master("file:master.key", tmp_path).cohort("c")
    os.chown(custody_of(path), 0, 0)
    assert load_master("file:master.key", tmp_path).cohort("c")


@pytest.mark.parametrize(("owner", "is_refused"), [(0, False), (1000, False), (1001, True)])
def test_root_and_oneself_may_own_a_key(
    owner: int, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = os.stat_result((0o100600, 1, 1, 1, owner, owner, 10, 0, 0, 0))
    assert is_foreign(found) is is_refused


def test_keys_are_not_pickled_copied_or_shown() -> None:
    master = MasterKey(CANARY)
    cohort = master.cohort("c")
    for key in (master, cohort, cohort.patient("7")):
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError) as raised:
                act(key)
            assert CANARY.hex() not in str(raised.value)
        secret = key._secret
        for shown in (repr(key), str(key), f"{key}", key.key_id):
            assert secret.hex() not in shown
            assert repr(secret) not in shown
        assert repr(key) == f"{type(key).__name__}(key_id={key.key_id!r})"
        assert len(key.key_id) == 8


def test_a_short_key_is_refused_without_showing_it() -> None:
    with pytest.raises(ValueError, match="32 bytes") as raised:
        MasterKey(CANARY[:31])
    assert CANARY[:8].hex() not in str(raised.value)


def test_branches_of_the_hierarchy_differ(master: MasterKey) -> None:
    a, b = master.cohort("a"), master.cohort("b")
    drawn = {
        a.patient("1").draw("X", "v"),
        a.patient("2").draw("X", "v"),
        b.patient("1").draw("X", "v"),
        a.patient("1").draw("Y", "v"),
        a.patient("1").draw("X", "w"),
        a.patient("1").draw("X", "v", counter=1),
        master.derive("X"),
        master.derive("a"),
    }
    assert len(drawn) == 8
    assert a.key_id != b.key_id
    assert a.pseudonym("person", "1") != a.pseudonym("visit", "1")
    assert a.pseudonym("person", "1") != b.pseudonym("person", "1")


@given(st.text(), st.text(), st.integers(0, 200))
def test_draws_are_deterministic_and_as_long_as_asked(label: str, value: str, size: int) -> None:
    first, second = (MasterKey(CANARY).cohort("c").patient("p") for _ in range(2))
    assert first.draw(label, value, size) == second.draw(label, value, size)
    assert len(first.draw(label, value, size)) == size
    assert first.draw(label, value, size) == first.draw(label, value, 300)[:size]


@given(st.text(), st.text())
def test_pseudonyms_fit_a_bigint(kind: str, value: str) -> None:
    assert 1 <= MasterKey(CANARY).cohort("c", algorithm=2).pseudonym(kind, value) < 2**62
    assert 1 <= MasterKey(CANARY).cohort("c").hashed(kind, value) < 2**62


@given(st.text(), st.integers(1, 2**31 - 1))
def test_pseudonyms_of_numbers_fit_an_integer(kind: str, number: int) -> None:
    assert 1 <= MasterKey(CANARY).cohort("c").pseudonym(kind, str(number)) < 2**31


def test_the_cache_of_patients_changes_nothing(master: MasterKey) -> None:
    cohort = master.cohort("a")
    before = cohort.patient("0").draw("X", "v")
    for number in range(5000):
        cohort.patient(str(number))
    assert cohort.patient("0").draw("X", "v") == before
