"""A release keeps who its persons are where a vault is asked for, and nowhere else."""

import pytest

from pipeline.config.settings import load
from pipeline.notes.worker_resources import open_reversal_vault
from record.algorithms import ALGORITHM
from record.errors import ConfigError
from surrogates.keys.vault import new_vault_key
from tests.pipeline.conftest import Ward


def test_the_vault_tells_the_persons_of_a_release(ward: Ward) -> None:
    folder = ward.config.parent
    assert open_reversal_vault(load(ward.config)) is None
    before = ward.config.read_text()
    asked = '\n[reversal]\nvault = "persons.vault"\nkey = "file:vault.key"\n'
    ward.config.write_text(before + asked)
    with pytest.raises(ConfigError):
        ward.release()
    assert not (ward.folder / "cohort.db").exists() or not ward.rows("select * from person")
    new_vault_key(folder / "vault.key")
    released = ward.release()
    assert released.manifest["versions"]["surrogates"] == str(ALGORITHM)
    vault, cohort = open_reversal_vault(load(ward.config)), ward.key()
    assert vault is not None
    parameters = {
        vault.reveal(cohort, str(row[0])) for row in ward.rows("select person_id from person")
    }
    assert parameters == {str(person) for person in ward.FEW}
    assert not ward.release().is_changed
