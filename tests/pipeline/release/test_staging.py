"""Files of a release unit come to their places only through the worker that has the unit."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import OperationalError

from pipeline.release.staging import LEASED, ReleaseStaging, ReleaseUnit, ReleaseUnitResult
from pipeline.warehouse.note_rows import Unit


@pytest.fixture
def staging(tmp_path: Path) -> Iterator[ReleaseStaging]:
    made = ReleaseStaging.create(tmp_path / "staging")
    made.add_units([ReleaseUnit(0, 0, 9, [1], [2])])
    yield made
    made.remove()


def claim(staging: ReleaseStaging, holder: str) -> Unit:
    found = staging.leases.claim(LEASED, holder, 60)
    assert found is not None
    return found.unit


def write(staging: ReleaseStaging, unit: Unit, names: str) -> ReleaseStaging:
    draft = staging.draft(unit)
    for name in names:
        path = draft.path(name, unit.index, "parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"attempt {unit.attempt}")
    return draft


def visible(staging: ReleaseStaging) -> dict[str, str]:
    return {path.parent.name: path.read_text() for path in staging.folder.glob("?/part-*")}


def test_files_of_a_lost_claim_are_never_seen(staging: ReleaseStaging) -> None:
    made = ReleaseUnitResult((), {}, {}, {})
    first = claim(staging, "one")
    late = write(staging, first, "ab")
    assert visible(staging) == {}
    with staging._engine.begin() as connection:
        connection.execute(text("update run_unit set lease_ends = 1"))
    second = claim(staging, "two")
    # What an attempt left that was cut off while it moved its files.
    left = staging.path("c", 0, "parquet")
    left.parent.mkdir()
    write(staging, first, "c").path("c", 0, "parquet").replace(left)
    draft = write(staging, second, "a")
    late.commit(0, made)
    assert staging.result(0) is None
    draft.commit(0, made)
    assert visible(staging) == {"a": "attempt 2"}
    late.commit(0, made)
    assert visible(staging) == {"a": "attempt 2"}
    assert staging.leases.is_finished(LEASED)
    assert staging.progress() == (1, 1)


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_commit_that_fails_once_is_tried_again_with_all_files(
    staging: ReleaseStaging, is_lost: bool
) -> None:
    unit = claim(staging, "one")
    draft = write(staging, unit, "ab")
    cut_off = staging.path("c", 0, "parquet")
    cut_off.parent.mkdir()
    cut_off.touch()
    left = 1

    def fail(connection: Connection) -> None:
        nonlocal left
        if connection.get_execution_options().get("immediate") and left:
            left -= 1
            if is_lost:  # the server has committed, and its answer was lost
                connection.connection.commit()
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorname = "SQLITE_BUSY"
            raise OperationalError("commit", None, error)

    event.listen(staging._engine, "commit", fail)
    draft.commit(0, ReleaseUnitResult((), {}, {}, {}))
    assert left == 0
    assert visible(staging) == {"a": "attempt 1", "b": "attempt 1"}
    assert staging.result(0) is not None
    assert staging.leases.is_finished(LEASED)
    assert not any((staging.folder / "drafts").iterdir())
