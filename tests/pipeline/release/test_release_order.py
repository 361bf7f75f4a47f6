"""What a release tells of its source beside its values: nothing by order, files, spans or dates."""

import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline.config.settings import load
from pipeline.notes.worker_resources import open_master
from pipeline.release import arrangement
from pipeline.release.plan import divide_keys
from pipeline.release.released_notes import ReleaseLocation, open_release
from pipeline.release.request import ReleaseRequest, decode_request, encode_request
from record.columns import TABLES, id_kind
from record.errors import ConfigError
from tests.pipeline.conftest import Ward


@pytest.fixture(scope="module")
def hall(
    night: Path, tmp_path_factory: pytest.TempPathFactory, make_ward: Callable[[Path, Path], Ward]
) -> Ward:
    """A hospital after its night, released in several units, in files."""
    ward = make_ward(night, tmp_path_factory.mktemp("hall"))
    config = ward.config.read_text().replace("[limits]", "[limits]\nnotes_per_unit = 6")
    ward.config.write_text(config)
    ward.first = ward.release(*ward.EVERYBODY, output="parquet:first")
    return ward


def tables_of(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The tables of a release, their rows in the order of its files."""
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        paths = sorted(place.glob("part-*.parquet"))
        yield place.name, [row for path in paths for row in pq.read_table(path).to_pylist()]


def test_every_table_is_sorted_by_its_id_over_all_files(hall: Ward) -> None:
    assert hall.first.manifest["units"] >= 4
    names = set()
    for name, rows in tables_of(hall.folder / "first"):
        keys = [row[TABLES.get(name, ("metadata_id",))[0]] for row in rows]
        assert keys == sorted(set(keys))
        names.add(name)
    assert {"person", "note", "visit_occurrence"} <= names
    # Who shares a clinician links patients under any key.
    assert not {"provider", "care_site"} & names


def test_neither_order_nor_file_tells_the_source(hall: Ward) -> None:
    key = hall.key()
    ids = np.array([note for (note,) in hall.hospital("select note_id from note")])
    by_id = dict(zip(key.pseudonyms("note", ids).tolist(), ids.tolist(), strict=True))
    paths = sorted((hall.folder / "first" / "note").glob("part-*.parquet"))
    ranges = divide_keys(31, hall.first.manifest["units"])
    sources, persons = [], []
    for path in paths:
        rows = pq.read_table(path).to_pylist()
        place = ranges[int(path.stem.removeprefix("part-"))]
        assert all(place.low <= row["note_id"] <= place.high for row in rows)
        sources += [by_id[row["note_id"]] for row in rows]
        persons.append({row["person_id"] for row in rows})
    assert abs(np.corrcoef(np.arange(len(sources)), sources)[0, 1]) < 0.3
    # Patients are not kept together either.
    assert len(persons) > 2
    assert len(set.union(*persons)) < sum(map(len, persons))


@pytest.mark.parametrize("output", ["parquet:again", "sqlite:///again.db", "jsonl:lines"])
def test_databases_and_files_hold_the_same_in_the_same_order(
    hall: Ward, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hall.folder)
    # Chunks that are too small for a table, and many: what comes out does not depend on them.
    if not output.startswith("parquet"):
        monkeypatch.setattr(arrangement, "CHUNK_BYTES", 2_000)
    made = hall.release(*hall.EVERYBODY, output=output)
    assert made.manifest["tables"] == hall.first.manifest["tables"]
    expected = dict(tables_of(hall.folder / "first"))["note"]
    if output.startswith("sqlite"):
        found = hall.rows("select note_id from note order by rowid", "again")
        assert found == [(row["note_id"],) for row in expected]
        return
    if output.startswith("parquet"):
        sums = [(hall.folder / place / "SHA256SUMS").read_text() for place in ("first", "again")]
        # Manifests have the time.
        assert len({each.partition("manifest.json")[0][:-66] for each in sums}) == 1
        return
    paths = sorted((hall.folder / "lines" / "note").glob("part-*.jsonl"))
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    assert [line["note_id"] for line in lines] == [row["note_id"] for row in expected]


def test_small_chunks_give_the_same_parquet_rows(
    hall: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrangement, "CHUNK_BYTES", 2_000)
    hall.release(*hall.EVERYBODY, output="parquet:chunks")
    assert dict(tables_of(hall.folder / "chunks")) == dict(tables_of(hall.folder / "first"))


def test_fewer_persons_and_another_number_of_parts(hall: Ward) -> None:
    """Ranges change with the number of persons: rows are compared by id, not by file."""
    hall.release(*hall.EVERYBODY, output="parquet:fewer")
    fewer = hall.release(1, 2, output="parquet:fewer", accept_withdrawals=True)
    assert fewer.manifest["units"] < hall.first.manifest["units"]
    changes = fewer.changes["note"]
    assert changes.added == changes.changed == 0
    assert changes.unchanged > 0 < changes.withdrawn
    again = hall.release(*hall.EVERYBODY, output="parquet:fewer")
    assert again.changes["note"].added == changes.withdrawn
    assert not hall.release(*hall.EVERYBODY, output="parquet:fewer").is_changed


def test_another_size_of_id_replaces_every_row(hall: Ward) -> None:
    first = hall.release(1, 2, output="parquet:wide")
    config = hall.config.read_text()
    hall.config.write_text(config + "\n[cohorts.asthma.policy]\nid_bits = 53\n")
    try:
        wide = hall.release(1, 2, output="parquet:wide")
        notes = wide.changes["note"]
        assert notes.withdrawn == notes.added == first.changes["note"].added
        assert wide.manifest["id_bits"] == 53
        rows = dict(tables_of(hall.folder / "wide"))
        assert max(row["note_id"] for row in rows["note"]) >= 2**31
    finally:
        hall.config.write_text(config)
    assert hall.release(1, 2, output="parquet:wide").changes["note"].added > 0


def test_every_reference_joins(hall: Ward) -> None:
    rows = dict(tables_of(hall.folder / "first"))
    keys = {id_kind(f"{name}_id"): {row[f"{name}_id"] for row in rows[name]} for name in rows
            if f"{name}_id" in TABLES.get(name, ())}  # fmt: skip
    joined = 0
    for name, found in rows.items():
        for column in (each for each in TABLES.get(name, ()) if id_kind(each) in keys):
            held, known = {row[column] for row in found} - {None}, keys[id_kind(column)]
            assert held <= known, (name, column)
            joined += len(held)
    assert joined > 100


def test_nightly_and_release_share_their_ids_under_one_key(hall: Ward) -> None:
    hall.release(*hall.EVERYBODY, output="sqlite:///same.db", name="research")
    released = set(hall.rows("select note_id, person_id from note", "same"))
    nightly = set(hall.rows("select note_id, person_id from note", "demo/research"))
    assert released <= nightly
    assert len(released) > 50
    assert all(0 < number < 2**31 for row in released for number in row)


def test_spans_are_released_only_where_asked_for(hall: Ward) -> None:
    plain = hall.release(1, 2, output="parquet:spans")
    assert plain.manifest["spans"] is False
    assert "note_span" not in plain.manifest["tables"]
    assert not (hall.folder / "spans" / "note_span").exists()
    readme = (hall.folder / "spans" / "README.md").read_text()
    assert "note_span" not in readme
    assert sum(plain.counts.labels.values()) > 100
    with pytest.raises(ConfigError, match="where surrogates stand") as caught:
        open_release(ReleaseLocation(str(hall.folder / "spans")))
    assert "--spans" in caught.value.remedy
    spans = hall.release(1, 2, output="parquet:spans", spans=True)
    told = open_release(ReleaseLocation(str(hall.folder / "spans"))).notes()
    assert sum(len(note.spans) for note in told) == sum(plain.counts.labels.values())
    assert spans.manifest["spans"] is True
    assert spans.changes["note_span"].added > 0
    assert spans.changes["note"].is_empty
    assert "note_span" in (hall.folder / "spans" / "README.md").read_text()
    gone = hall.release(1, 2, output="parquet:spans")
    assert gone.changes["note_span"].withdrawn == spans.changes["note_span"].added
    assert not (hall.folder / "spans" / "note_span").exists()


def test_a_cohort_of_the_first_version_is_released_as_before(hall: Ward) -> None:
    open_master(load(hall.config)).cohort("old", algorithm=2)
    made = hall.release(*hall.EVERYBODY, name="old", output="parquet:old")
    manifest, rows = made.manifest, dict(tables_of(hall.folder / "old"))
    assert manifest["versions"]["surrogates"] == "2"
    assert not {"spans", "id_bits"} & manifest.keys()
    assert len(rows["note_span"]) == sum(made.counts.labels.values()) > 100
    assert max(row["note_id"] for row in rows["note"]) > 2**53
    # Files are ranges of persons.
    files = sorted((hall.folder / "old" / "note").glob("part-*.parquet"))
    persons = [set(pq.read_table(path).column("person_id").to_pylist()) for path in files]
    assert len(set.union(*persons)) == sum(map(len, persons))
    assert not hall.release(*hall.EVERYBODY, name="old", output="parquet:old").is_changed


def test_a_cohort_of_the_configuration_may_ask_for_spans(hall: Ward) -> None:
    config = hall.config.read_text()
    hall.config.write_text(config + "\n[cohorts.asthma]\nspans = true\n")
    try:
        made = hall.release(1, output="parquet:configured")
    finally:
        hall.config.write_text(config)
    assert made.manifest["spans"] is True


def test_workers_learn_of_spans_and_the_last_date() -> None:
    parameters: dict[str, Any] = {
        "config": "a.toml", "cohort": "asthma", "persons": "p.txt", "schema": None,
        "since": None, "until": "2024-03-01", "latest": "2024-02-01", "kinds": [],
        "persons_sql": None, "columns": [], "policy": None, "spans": True,
        "withdraw_stale": False, "rebase": False, "held_days": 10,
        "first_days": -30, "shared_days": [],
    }  # fmt: skip
    request = decode_request(parameters, "parquet:x")
    assert request.spans
    assert request.latest == date(2024, 2, 1)
    assert request.is_late("2024-02-02", -10)
    assert request.is_late("2024-01-23")
    assert not request.is_late("2024-01-22 23:59:00")
    assert not request.is_late("unreadable")
    assert request.is_late("2024-01-30", -5)
    assert not request.is_late("2024-01-27", -5)
    assert not request.is_late("2024-02-01", -10)


def test_a_request_is_the_same_in_a_worker() -> None:
    request = ReleaseRequest(
        Path("/a.toml"), "asthma", persons=Path("/p.txt"), since=date(2020, 1, 1),
        until=date(2024, 1, 1), latest=date(2024, 1, 1), held_days=365, first_days=-30,
        kinds=frozenset(("letter",)), columns=frozenset(("cost",)), spans=True,
    )  # fmt: skip
    assert decode_request(json.loads(json.dumps(encode_request(request)))) == request


def dates_of(rows: list[dict[str, Any]]) -> Iterator[date]:
    for row in rows:
        for name, value in row.items():
            if name.endswith(("_date", "_datetime")) and name != "birth_datetime" and value:
                yield date(value.year, value.month, value.day)


@pytest.mark.parametrize("held", [0, 200])
def test_nothing_is_dated_after_the_last_day(hall: Ward, held: int) -> None:
    """Dates are compared in the source: pseudonyms of ids tell which row each one was."""
    dated = hall.hospital("select note_date, person_id from note")
    until = date.fromisoformat(sorted(dated)[len(dated) // 2][0])
    config = hall.config.read_text()
    hall.config.write_text(config + f"\n[cohorts.asthma.policy]\nhold_back_days = {held}\n")
    hall.hospital("update visit_occurrence set visit_end_date = '2099-01-01' where person_id = 2")
    try:
        made = hall.release(*hall.EVERYBODY, output=f"parquet:until-{held}", until=until)
    finally:
        hall.config.write_text(config)
        hall.hospital(
            "update visit_occurrence set visit_end_date = visit_start_date where person_id = 2"
        )
    shifts = {person: hall.tools().columns.days(str(person)) for person in hall.EVERYBODY}

    def is_due(day: str, person: int) -> bool:
        true = date.fromisoformat(day)
        return max(true, true + timedelta(days=held + shifts[person])) <= until

    assert made.counts.notes["selected"] == sum(is_due(*each) for each in dated) > 0
    key, tables = hall.key(), dict(tables_of(hall.folder / f"until-{held}"))
    notes = {
        note: (day, person)
        for note, day, person in hall.hospital("select note_id, note_date, person_id from note")
    }
    released = {row["note_id"] for row in tables["note"]}
    mine = {note for note in notes if key.pseudonym("note", str(note)) in released}
    assert all(is_due(*notes[note]) for note in mine)
    visits = {row["visit_occurrence_id"] for row in tables["visit_occurrence"]}
    for visit, *both, person in hall.hospital(
        "select visit_occurrence_id, visit_start_date, visit_end_date, person_id "
        "from visit_occurrence"
    ):
        if key.pseudonym("visit", str(visit)) in visits:
            assert is_due(max(both), person)
            assert person != 2
    # What refers to a visit that is left out refers to none.
    referred = {row["visit_occurrence_id"] for row in tables["note"]} - {None}
    assert referred <= visits
    assert any(row["visit_occurrence_id"] is None for row in tables["note"])
    last = until - timedelta(days=held)
    assert all(day <= last for rows in tables.values() for day in dates_of(rows))


@pytest.mark.parametrize("held", [0, 200])
def test_nothing_moves_before_the_first_day_that_all_may_have(hall: Ward, held: int) -> None:
    """Else the oldest date of a patient who was there before would tell the shift."""
    dated = hall.hospital("select note_date, person_id from note")
    since = date.fromisoformat(sorted(dated)[len(dated) // 3][0])
    config = hall.config.read_text()
    # Only the beginning counts here.
    hall.config.write_text(config + f"\n[cohorts.asthma.policy]\nhold_back_days = {held}\n")
    try:
        made = hall.release(
            *hall.EVERYBODY, output=f"parquet:since-{held}", since=since, until=date(2090, 1, 1)
        )
    finally:
        hall.config.write_text(config)
    shifts = {person: hall.tools().columns.days(str(person)) for person in hall.EVERYBODY}
    first = since - timedelta(days=30)

    def is_due(day: str, person: int) -> bool:
        true = date.fromisoformat(day)
        moved = true + timedelta(days=shifts[person])
        return true >= since and (not held or moved >= first)

    assert made.counts.notes["selected"] == sum(is_due(*each) for each in dated) > 0
    tables = dict(tables_of(hall.folder / f"since-{held}"))
    assert any(row["note_date"] < first for row in tables["note"]) is not bool(held)
    drugs = [row["drug_exposure_start_date"] for row in tables.get("drug_exposure", [])]
    assert all(day >= first for day in drugs) or not held


def test_without_a_last_day_days_are_held_back_from_the_day_of_the_release(hall: Ward) -> None:
    days = [date.fromisoformat(day) for (day,) in hall.hospital("select note_date from note")]
    # Shifts are of 30 to 365 days, so that a date counts as up to a year older than it is.
    held = (date.today() - sorted(days)[len(days) // 2]).days + 200
    config = hall.config.read_text()
    hall.config.write_text(config + f"\n[cohorts.asthma.policy]\nhold_back_days = {held}\n")
    try:
        made = hall.release(*hall.EVERYBODY, output="parquet:held", dry_run=True)
    finally:
        hall.config.write_text(config)
    assert 0 < made.counts.notes["selected"] < len(days)


def test_visits_that_the_policy_drops_are_not_there(hall: Ward) -> None:
    config = hall.config.read_text()
    hall.config.write_text(config + '\n[cohorts.asthma.policy]\nvisits = "drop"\n')
    try:
        made = hall.release(1, 2, output="parquet:stays")
    finally:
        hall.config.write_text(config)
    assert "visit_occurrence" not in made.manifest["tables"]
    assert not (hall.folder / "stays" / "visit_occurrence").exists()


@pytest.mark.parametrize(
    ("table", "number", "remedy"),
    [
        ("visit_occurrence", 2**31, "policy.id_bits = 53"),
        ("person", 2**53, "policy.id_bits = 63"),
        ("note", 0, "from 1"),
        ("visit_occurrence", -4, "from 1"),
    ],
)
def test_ids_beyond_their_size_are_refused_before_anything_is_written(
    hall: Ward, table: str, number: int, remedy: str
) -> None:
    (old,) = hall.hospital(f"select max({table}_id) from {table}")[0]
    change = f"update {table} set {table}_id = ? where {table}_id = ?"
    hall.hospital(change, number, old)
    try:
        with pytest.raises(ConfigError) as caught:
            hall.release(1, output="parquet:refused")
    finally:
        hall.hospital(change, old, number)
    assert caught.value.key == f"ids of {table}"
    assert str(number) in caught.value.problem
    assert remedy in caught.value.remedy
    assert not (hall.folder / "refused").exists()
