"""Delta tables as a source: only what their newest version holds is read."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.config.settings import IdentitySettings, SourceSettings
from pipeline.warehouse.warehouse import Source, open_source
from record.errors import ConfigError, Unavailable

NOTES = {"note_id": [1, 2, 3], "person_id": [1, 1, 2], "note_text": ["un", "deux", "trois"]}
IDENTITY = IdentitySettings("identity", {"family_names": "family", "given_names": "given"})


@pytest.fixture
def delta() -> Any:
    return pytest.importorskip("deltalake", reason="deltalake, an extra, is not installed")


def opened(folder: Path, identity: IdentitySettings | None = None) -> Source:
    return open_source(SourceSettings(url="parquet:.", identity=identity), folder)


def texts(source: Source) -> Iterator[str]:
    for unit, _ in source.store.plan(2):
        yield from (str(row.note_text) for row in source.read(unit))


def test_rows_that_were_deleted_or_replaced_are_not_read(delta: Any, tmp_path: Path) -> None:
    note = str(tmp_path / "note")
    delta.write_deltalake(note, pa.table(NOTES))
    delta.write_deltalake(str(tmp_path / "person"), pa.table({"person_id": [1, 2]}))
    assert list(texts(opened(tmp_path))) == ["un", "deux", "trois"]
    delta.DeltaTable(note).delete("note_id = 1")
    later = {"note_id": [4], "person_id": [2], "note_text": ["quatre"]}
    delta.write_deltalake(note, pa.table(later), mode="append")
    assert len(list((tmp_path / "note").glob("*.parquet"))) == 3  # the deleted row's file is there
    source = opened(tmp_path)
    assert sorted(texts(source)) == ["deux", "quatre", "trois"]
    assert source.store.present([1, 2, 4]) == {2, 4}
    assert source.malformed() == []


def test_a_column_that_was_added_later_is_known(delta: Any, tmp_path: Path) -> None:
    delta.write_deltalake(str(tmp_path / "note"), pa.table(NOTES))
    pq.write_table(pa.table({"person_id": [1, 2]}), tmp_path / "person.parquet")
    identity = str(tmp_path / "identity")
    delta.write_deltalake(identity, pa.table({"person_id": [1], "family": ["DUPONT"]}))
    added = {"person_id": [2], "family": ["MARTIN"], "given": ["Zoé"]}
    delta.write_deltalake(identity, pa.table(added), mode="append", schema_mode="merge")
    known = opened(tmp_path, IDENTITY).patients([1, 2])
    assert [record.family_names for record in known.values()] == [("DUPONT",), ("MARTIN",)]
    assert known[2].given_names == ("Zoé",)


def test_what_its_files_alone_do_not_tell_is_refused(delta: Any, tmp_path: Path) -> None:
    delta.write_deltalake(str(tmp_path / "person"), pa.table({"person_id": [1, 2]}))
    note = str(tmp_path / "note")
    delta.write_deltalake(note, pa.table(NOTES), partition_by=["person_id"])
    with pytest.raises(ConfigError, match="partitioned"):
        opened(tmp_path)
    vectors = {"delta.enableDeletionVectors": "true"}
    delta.write_deltalake(str(tmp_path / "death"), pa.table(NOTES), configuration=vectors)
    with pytest.raises(ConfigError, match="features of Delta"):
        opened(tmp_path)


def test_a_broken_log_stops_the_run(delta: Any, tmp_path: Path) -> None:
    (tmp_path / "note" / "_delta_log").mkdir(parents=True)
    pq.write_table(pa.table(NOTES), tmp_path / "note" / "part.parquet")
    with pytest.raises(Unavailable, match="invalid Delta table"):
        opened(tmp_path)


def test_without_the_extra_its_files_are_not_taken_for_plain_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "deltalake", None)
    (tmp_path / "note" / "_delta_log").mkdir(parents=True)
    pq.write_table(pa.table(NOTES), tmp_path / "note" / "part.parquet")
    with pytest.raises(ConfigError, match="pip install 'cryptonym\\[delta\\]'"):
        opened(tmp_path)
