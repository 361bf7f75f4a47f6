"""A release of an earlier version of the surrogate algorithm goes on, and moves as a whole."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.notes.worker_resources import open_master, open_reversal_vault
from pipeline.release.targets import FolderTarget, SqlTarget
from surrogates.keys.vault import new_vault_key
from tests.pipeline.clinic import Clinic
from tests.pipeline.conftest import Ward

OUTPUTS = ["sqlite:///cohort.db", "parquet:cohort", "jsonl:cohort"]


class Killed(BaseException):
    """A process that dies: nothing catches it."""


def begin_under(version: int, config: Path) -> None:
    """Record the cohort as one of a version, as the program of that version did."""
    open_master(load(config)).adopt("asthma", version)


def persons_under(ward: Ward, version: int) -> set[int]:
    key = ward.key().under(version)
    return {key.pseudonym("person", str(person)) for person in ward.EVERYBODY}


def read_persons(ward: Ward, output: str) -> set[int]:
    if output.startswith("sqlite"):
        return {row[0] for row in ward.rows("select person_id from person")}
    if output.startswith("jsonl"):
        lines = [p.read_text() for p in (ward.folder / "cohort" / "person").glob("*.jsonl")]
        return {json.loads(line)["person_id"] for line in "".join(lines).splitlines()}

    parts = (ward.folder / "cohort" / "person").glob("*.parquet")
    return {each for part in parts for each in pq.read_table(part)["person_id"].to_pylist()}


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_release_goes_on_under_its_version(ward: Ward, output: str) -> None:
    begin_under(2, ward.config)
    first = ward.release(output=output)
    assert first.manifest["versions"]["surrogates"] == "2"
    assert read_persons(ward, output) <= persons_under(ward, 2)
    again = ward.release(output=output)
    assert not again.is_changed
    more = ward.release(*range(1, 7), output=output)
    assert more.changes["person"].added == 2
    assert more.changes["note"].changed == more.changes["note"].withdrawn == 0


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("killed", [False, True])
def test_a_rebase_replaces_the_release_at_once(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, output: str, killed: bool
) -> None:
    begin_under(2, ward.config)
    ward.release(output=output)
    if killed:
        with monkeypatch.context() as patch:

            def die(*_: object) -> None:
                raise Killed

            patch.setattr(SqlTarget, "_publish_rows", die)
            patch.setattr(FolderTarget, "_switch_to", die)
            with pytest.raises(Killed):
                ward.release(output=output, rebase=True)
        assert read_persons(ward, output) <= persons_under(ward, 2)
        goes_on = ward.release(output=output)
        assert goes_on.manifest["versions"]["surrogates"] == "2"
        assert not goes_on.is_changed
    moved = ward.release(output=output, rebase=True)
    assert (moved.exit_code, moved.manifest["versions"]["surrogates"]) == (0, "3")
    assert moved.manifest["withdrawn"] == {"note_id": [], "person_id": []}
    assert read_persons(ward, output) <= persons_under(ward, 3)
    assert len(read_persons(ward, output)) == len(ward.FEW)
    again = ward.release(output=output)
    assert not again.is_changed
    assert again.manifest["versions"]["surrogates"] == "3"


def test_a_rebased_release_is_that_of_the_new_version(ward: Ward) -> None:
    begin_under(2, ward.config)
    ward.release()
    ward.release(rebase=True)
    ward.release(output="sqlite:///fresh.db")
    for table in ("person", "note", "visit_occurrence"):
        rows = f"select * from {table} order by 1"
        assert ward.rows(rows) == ward.rows(rows, "fresh")


def test_a_rebase_is_held_where_persons_are_missing(ward: Ward) -> None:
    begin_under(2, ward.config)
    ward.config.write_text(ward.config.read_text() + "\n[quality]\nmin_withdrawn = 1\n")
    ward.release(*ward.EVERYBODY)
    before = ward.rows("select note_id from note")
    held = ward.release(1, 2, rebase=True)
    assert held.held
    assert ward.rows("select note_id from note") == before
    assert ward.release(1, 2, rebase=True, accept_withdrawals=True).exit_code == 0


def test_the_vault_tells_the_persons_of_both_versions(ward: Ward) -> None:
    asked = '\n[reversal]\nvault = "persons.vault"\nkey = "file:vault.key"\n'
    ward.config.write_text(ward.config.read_text() + asked)
    new_vault_key(ward.config.parent / "vault.key")
    begin_under(2, ward.config)
    ward.release()
    old = ward.rows("select person_id from person")
    ward.release(rebase=True)
    vault = open_reversal_vault(load(ward.config))
    assert vault is not None
    for rows in (old, ward.rows("select person_id from person")):
        found = {vault.reveal(ward.key(), str(row[0])) for row in rows}
        assert found == {str(person) for person in ward.FEW}


def test_a_place_goes_on_under_its_own_version(ward: Ward) -> None:
    begin_under(2, ward.config)
    ward.release()
    ward.release(output="sqlite:///other.db")
    ward.release(rebase=True)
    assert ward.release(output="sqlite:///other.db").manifest["versions"]["surrogates"] == "2"
    assert ward.release().manifest["versions"]["surrogates"] == "3"
    # What is new is of the version that the cohort moved to.
    assert ward.release(output="sqlite:///third.db").manifest["versions"]["surrogates"] == "3"


def test_a_release_does_not_depend_on_the_version_of_the_nights(ward: Ward) -> None:
    open_master(load(ward.config)).adopt("research", 3)
    ward.release()
    before = ward.rows("select * from note order by 1")
    run_nightly(ward.config, run_in_process, rebase=True)
    assert not ward.release().is_changed
    assert ward.rows("select * from note order by 1") == before


def test_a_rebase_in_a_database(clinic: Clinic) -> None:
    open_master(load(clinic.config)).adopt("asthma", 2)
    clinic.run()
    assert clinic.release([1, 2, 3])[0] == 0
    old = clinic.output("select note_id, note_text from note", "cohort")
    assert clinic.release([1, 2, 3], "--rebase")[0] == 0
    new = clinic.output("select note_id, note_text from note", "cohort")
    assert len(new) == len(old)
    assert not {row[0] for row in old} & {row[0] for row in new}
    assert not {row[1] for row in old} & {row[1] for row in new}
