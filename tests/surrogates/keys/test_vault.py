"""The vault tells who somebody is to who has both keys, and nothing to anybody else."""

import pickle
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from record.errors import ConfigError
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.keys.vault import Vault, new_vault_key, open_vault

PERSONS = ("8012345678", "42", "é-7", "x" * 70)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    new_vault_key(tmp_path / "v.key")
    return open_vault(Path("v.db"), "file:v.key", tmp_path)


@pytest.fixture
def path(vault: Vault, cohort: CohortKey, tmp_path: Path) -> Path:
    assert vault.store(cohort, PERSONS) == 4
    return tmp_path / "v.db"


def surrogate(cohort: CohortKey, person: str) -> str:
    return str(cohort.pseudonym_of_text("person", person))


def test_everybody_stored_is_told(vault: Vault, path: Path, cohort: CohortKey) -> None:
    for person in PERSONS:
        assert vault.reveal(cohort, surrogate(cohort, person)) == person
    assert vault.store(cohort, (*PERSONS, "new")) == 1
    assert vault.reveal(cohort, surrogate(cohort, "new")) == "new"


def test_nothing_of_a_person_is_in_the_file(path: Path, cohort: CohortKey) -> None:
    content = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not any(person.encode() in content for person in PERSONS if len(person) > 3)
    with sqlite3.connect(path) as database:
        rows = database.execute("select * from persons").fetchall()
    assert {row[0] for row in rows} == {cohort.key_id}
    assert {row[1] for row in rows} == {surrogate(cohort, person) for person in PERSONS}
    # Lengths are padded.
    assert sorted(len(row[3]) for row in rows) == [48, 48, 48, 112]


def test_another_key_of_either_kind_opens_nothing(
    vault: Vault, path: Path, cohort: CohortKey, tmp_path: Path
) -> None:
    new_vault_key(tmp_path / "other.key")
    other = open_vault(Path("v.db"), "file:other.key", tmp_path)
    with pytest.raises(ConfigError) as raised:
        other.reveal(cohort, surrogate(cohort, "42"))
    assert raised.value.key == "reversal.key"
    with pytest.raises(ConfigError):
        other.store(cohort, ["1"])
    # Somebody with another master key claims that the rows are of their cohort.
    stranger = MasterKey(bytes(32)).cohort("asthma-2024")
    with sqlite3.connect(path) as database:
        database.execute("update persons set cohort_key_id = ?", (stranger.key_id,))
    with pytest.raises(ConfigError, match="was altered"):
        vault.reveal(stranger, surrogate(cohort, "42"))


def swap(database: sqlite3.Connection) -> None:
    database.execute("update persons set sealed = (select max(sealed) from persons), nonce = "
    "(select nonce from persons order by sealed desc limit 1)")  # fmt: skip


def flip(database: sqlite3.Connection) -> None:
    database.execute("update persons set sealed = x'00' || substr(sealed, 2)")


def cut(database: sqlite3.Connection) -> None:
    database.execute("update persons set sealed = substr(sealed, 1, 20)")


def empty(database: sqlite3.Connection) -> None:
    database.execute("update persons set sealed = x'', nonce = x''")


@pytest.mark.parametrize("change", [swap, flip, cut, empty])
def test_a_changed_row_is_refused(
    vault: Vault, path: Path, cohort: CohortKey, change: Callable[[sqlite3.Connection], None]
) -> None:
    with sqlite3.connect(path) as database:
        change(database)
    told = []
    for person in PERSONS:
        try:
            told.append((person, vault.reveal(cohort, surrogate(cohort, person))))
        except ConfigError as error:
            assert error.key == "reversal.vault"
            assert person not in str(error) or len(person) < 3
    assert all(person == found for person, found in told)
    assert len(told) <= (change is swap)


@pytest.mark.parametrize("keep", [0, 10, 5000])
def test_a_cut_file_is_refused(vault: Vault, path: Path, cohort: CohortKey, keep: int) -> None:
    path.write_bytes(path.read_bytes()[:keep])
    for act in (lambda: vault.store(cohort, ["1"]), lambda: vault.reveal(cohort, "1")):
        with pytest.raises(ConfigError) as raised:
            act()
        assert raised.value.key == "reversal.vault"


def test_who_is_not_there_is_not_told(
    vault: Vault, path: Path, cohort: CohortKey, master: MasterKey
) -> None:
    for other, person in ((cohort, "999"), (master.cohort("b"), "42")):
        with pytest.raises(ConfigError, match="not in the vault"):
            vault.reveal(other, surrogate(other, person))


def test_what_others_may_read_is_refused(vault: Vault, path: Path, cohort: CohortKey) -> None:
    path.chmod(0o640)
    with pytest.raises(ConfigError, match="accessible to other users"):
        vault.store(cohort, ["1"])
    path.chmod(0o600)
    path.with_name("v.key").chmod(0o644)
    with pytest.raises(ConfigError, match="accessible to other users"):
        open_vault(Path("v.db"), "file:v.key", path.parent)


def test_a_master_key_is_no_key_of_a_vault(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("cryptonym-key-v1\n" + "ab" * 32 + "\n")
    (tmp_path / "m").chmod(0o600)
    with pytest.raises(ConfigError, match="not a vault key"):
        open_vault(Path("v.db"), "file:m", tmp_path)
    with pytest.raises(ConfigError):
        new_vault_key(tmp_path / "m")


def test_a_vault_is_not_pickled_or_shown(vault: Vault, tmp_path: Path) -> None:
    secret = (tmp_path / "v.key").read_text().split()[1]
    assert secret not in repr(vault)
    with pytest.raises(TypeError) as raised:
        pickle.dumps(vault)
    assert secret not in str(raised.value)
