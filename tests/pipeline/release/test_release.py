"""A cohort released from stored spans: another key, nothing that is not vouched for."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binom
from sqlalchemy import create_engine, text

import pipeline.notes.detection
import pipeline.notes.stages
import pipeline.notes.worker_resources
from extractors.document_reader import DocumentReader
from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_DONE, EXIT_QUARANTINE
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.notes.worker_resources import make_seal, open_master
from pipeline.state.ledger import open_state
from pipeline.state.tables import STAGED
from record.errors import ConfigError
from tests.pipeline.conftest import Ward


def test_under_the_nightly_cohorts_name_the_same_comes_out(ward: Ward) -> None:
    released = ward.release(*ward.EVERYBODY, name="research", spans=True)
    assert released.exit_code == EXIT_DONE
    assert ward.digest("sqlite:///cohort.db") == ward.digest("sqlite:///demo/research.db")


@pytest.mark.parametrize("output", ["parquet:cohort", "jsonl:cohort", "postgresql"])
def test_every_output_holds_the_same(
    ward: Ward, output: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ward.folder)
    options = {"output": output}
    if output == "postgresql":
        options = {"output": request.getfixturevalue("postgres_url"), "schema": "cohort"}
        engine = create_engine(options["output"].replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.execute(text("create schema cohort"))
        engine.dispose()
    first, second = ward.release(), ward.release(**options)
    assert first.manifest == second.manifest
    assert not ward.release(**options).is_changed
    fewer = ward.release(*ward.FEW[1:], **options)
    assert fewer.changes["person"].withdrawn == 1
    assert fewer.changes["note"].added == fewer.changes["note"].changed == 0
    if output.startswith("parquet"):
        ward.release(*ward.FEW[1:])
        assert ward.digest("parquet:cohort") == ward.digest("sqlite:///cohort.db")


def test_nothing_is_detected(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*arguments: Any, **options: Any) -> None:
        raise AssertionError("detected")

    for module, name in (
        (pipeline.notes.detection, "detect"),
        (pipeline.notes.stages, "detect"),
        (pipeline.notes.stages, "detect_identifiers"),
        (pipeline.notes.stages, "resolve_and_seal"),
        (pipeline.notes.stages, "resolve_spans"),
        (pipeline.notes.stages, "Foresight"),
        (pipeline.notes.worker_resources, "load_tagger"),
    ):
        monkeypatch.setattr(module, name, forbidden)
    monkeypatch.setattr(pipeline.notes.detection, "FAMILIES", (forbidden,))
    released = ward.release(*ward.EVERYBODY)
    assert released.counts.notes["released"] > 80
    # A surrogate may happen to spell something known of the patient: the note is held back.
    assert set(released.counts.refused) <= {"quarantined", "residue"}


def test_no_document_is_read_again_unless_its_text_was_not_kept(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ward.release(*ward.EVERYBODY)
    released = {note for (note,) in ward.rows("select note_id from note")}
    read = []
    monkeypatch.setattr(DocumentReader, "read", lambda self, data, name: read.append(name))
    again = ward.release(*ward.EVERYBODY)
    assert read == []
    assert not again.is_changed
    notes = "select note_id from note where coalesce(note_text, '') = ''"
    documents = [note for (note,) in ward.hospital(notes)]
    settings = load(ward.config)
    seal = make_seal(open_master(settings))
    with closing(open_state(settings.state, settings.base)) as state:
        kept = state.read_sealed(documents)
        assert len(kept) >= 5
        forgotten = {
            note: replace(seal.open_findings(found.version, found.sealed), read=None)
            for note, found in kept.items()
        }
    with closing(sqlite3.connect(ward.config.with_name("state.db"))) as db, db:
        for note, found in forgotten.items():
            sealed = seal.seal_findings(kept[note].version, found)
            db.execute("update span_store set sealed = ? where note_id = ?", [sealed, note])
    last = ward.release(*ward.EVERYBODY, withdraw_stale=True)
    assert len(read) == len(kept)
    gone = released & {ward.key().pseudonym("note", str(note)) for note in kept}
    assert len(gone) >= len(kept) - 1  # under this key one happens to spell something known
    assert last.counts.notes["released"] == first.counts.notes["released"] - len(gone)


def test_no_model_is_read(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(settings: Any) -> None:
        raise AssertionError("loaded")

    monkeypatch.setattr(pipeline.notes.worker_resources, "load_tagger", forbidden)
    (ward.config.parent / "tagger").mkdir()
    (ward.config.parent / "tagger" / "tagger.json").write_text("{}")
    named = 'folder = "tagger"'
    ward.config.write_text(ward.config.read_text().replace('folder = "none"', named))
    released = ward.release(1, withdraw_stale=True)
    assert set(released.counts.refused) == {"stale-spans"}
    assert len(released.manifest["versions"]["model"]) == 64


def test_from_a_folder_of_tables(ward: Ward) -> None:
    folder = ward.config.parent
    (folder / "tables").mkdir()
    for table in ("note", "person", "location", "provider", "visit_occurrence", "patient_identity"):
        with closing(sqlite3.connect(folder / "hospital.db")) as db:
            db.row_factory = sqlite3.Row
            where = "where person_id < 4 and note_text <> ''" if table == "note" else ""
            rows = [dict(row) for row in db.execute(f"select * from {table} {where}")]
        pq.write_table(pa.Table.from_pylist(rows), folder / "tables" / f"{table}.parquet")
    (folder / "state.db").unlink()
    (folder / "research.db").unlink()
    configured = ward.config.read_text().replace("sqlite:///hospital.db", "parquet:tables")
    ward.config.write_text(configured.replace("[limits]", "[limits]\nnotes_per_unit = 7"))
    run_nightly(ward.config, run_in_process)
    released = ward.release(1, 2, 3, name="research", spans=True)
    assert released.changes["visit_occurrence"].added > 5
    assert ward.digest("sqlite:///cohort.db") == ward.digest("sqlite:///demo/research.db")
    only = ward.release(2, name="research", spans=True)
    assert only.changes["note"].withdrawn > 0
    assert only.changes["note"].added == only.changes["note"].changed == 0


def test_every_note_is_in_the_release_or_refused(ward: Ward) -> None:
    counts = ward.release(2, 5, 77, 5).counts
    (total,) = ward.hospital("select count(*) from note where person_id in (2, 5)")[0]
    assert counts.notes["selected"] == total
    assert counts.notes["released"] + counts.notes["refused"] == total
    assert counts.persons == {
        "listed": 3, "released": 2, "unknown": 1, "duplicates": 1, "refused": 0,
    }  # fmt: skip
    persons = {ward.key().pseudonym("person", person) for person in "25"}
    for table in ("person", "note", "visit_occurrence"):
        assert {row[0] for row in ward.rows(f"select person_id from {table}")} == persons


def test_joins_and_intervals_hold(ward: Ward) -> None:
    ward.release(*ward.EVERYBODY)
    key = ward.key()
    days = dict(ward.rows("select note_id, note_date from note"))
    visits = dict(ward.rows("select visit_occurrence_id, visit_start_date from visit_occurrence"))
    joined = ward.rows(
        "select count(*) from note join visit_occurrence using (visit_occurrence_id, person_id)"
    )
    assert joined[0][0] == len(days)
    shifts = defaultdict(set)
    for kind, table, column in (
        ("note", "note", "note_date"),
        ("visit", "visit_occurrence", "visit_start_date"),
    ):
        moved = days if kind == "note" else visits
        for row, person, day in ward.hospital(
            f"select {table}_id, person_id, {column} from {table}"
        ):
            after = moved.get(key.pseudonym(kind, str(row)))
            if after:
                shifts[person].add((date.fromisoformat(after) - date.fromisoformat(day)).days)
    assert len(shifts) == len(ward.EVERYBODY)
    assert all(len(found) == 1 and 30 <= abs(*found) <= 365 for found in shifts.values())


def test_two_cohorts_cannot_be_linked(ward: Ward) -> None:
    for name in ("asthma", "stroke"):
        ward.release(*ward.EVERYBODY, name=name, output=f"sqlite:///{name}.db", spans=True)
    for table, columns in (
        ("person", "person_id"),
        ("visit_occurrence", "visit_occurrence_id, person_id, provider_id"),
        ("note", "note_id, person_id, provider_id, visit_occurrence_id"),
    ):
        mine, theirs = (
            {value for row in ward.rows(f"select {columns} from {table}", name) for value in row}
            for name in ("asthma", "stroke")
        )
        assert mine
        assert mine & theirs <= {None}
    one, other = surrogates(ward, "asthma"), surrogates(ward, "stroke")
    common = one.keys() & other.keys()
    assert len(common) > 200
    agreeing = sum(one[key] == other[key] for key in common)
    # As between two cohorts of the nightly job: lexicons are not uniform.
    chance = 1 / min(len(set(one.values())), len(set(other.values())))
    assert binom.sf(agreeing - 1, len(common), chance) > 1e-6


def surrogates(ward: Ward, name: str) -> dict[tuple[Any, Any, Any], Any]:
    """What became of each name of each person, told by the stored spans."""
    settings, key = load(ward.config), ward.key(name)
    seal = make_seal(open_master(settings))
    texts = dict(ward.rows("select note_id, note_text from note", name))
    spans = defaultdict(list)
    for note, *span in ward.rows("select * from note_span order by 1, 2", name):
        spans[note].append(span)
    with closing(open_state(settings.state, settings.base)) as state:
        notes = [note for note, _ in ward.text_notes()]
        sealed = state.read_sealed(notes)
    found = {}
    for note, person, original in ward.hospital("select note_id, person_id, note_text from note"):
        out = key.pseudonym("note", str(note))
        if note not in sealed or out not in texts:
            continue
        opened = seal.open_findings(sealed[note].version, sealed[note].sealed).spans["text"]
        for old, (start, end, label) in zip(opened, spans[out], strict=True):
            if label in ("LAST_NAME", "FIRST_NAME") and old.end - old.start > 3:
                value = original[old.start : old.end].casefold()
                found[person, label, value] = texts[out][start:end].casefold()
    return found


def changed_text(ward: Ward) -> int:
    note, _ = ward.text_notes()[0]
    ward.hospital("update note set note_text = note_text || ' Fin.' where note_id = ?", note)
    return 1


def changed_identity(ward: Ward) -> int:
    _, person = ward.text_notes()[0]
    ward.hospital("update patient_identity set family_names = 'QUILL' where person_id = ?", person)
    return sum(1 for _, other in ward.text_notes() if other == person)


def changed_document(ward: Ward) -> int:
    documents = "select note_source_value from note where note_text = '' and person_id = 11"
    (name,) = ward.hospital(documents)[0]
    with (ward.config.parent / "pdf" / name).open("ab") as file:
        file.write(b"\n%\n")
    return 1


def changed_configuration(ward: Ward) -> int:
    lines = '\n[rules]\nvisit_words = ["sejour"]\n[detection]\nkeep_days = 0\n'
    ward.config.write_text(ward.config.read_text() + lines)
    return sum(person in (1, 2, 11) for _, person in ward.text_notes())


CHANGES = [changed_text, changed_identity, changed_document, changed_configuration]


@pytest.mark.parametrize("change", CHANGES)
def test_stale_spans_are_refused_until_the_nightly_job_has_caught_up(
    ward: Ward, change: Callable[[Any], Any]
) -> None:
    before = ward.release(1, 2, 11)
    least = change(ward)
    if change is changed_configuration:
        seen = ward.digest("sqlite:///cohort.db")
        with pytest.raises(ConfigError, match="run `cryptonym run` first"):
            ward.release(1, 2, 11)
        assert ward.digest("sqlite:///cohort.db") == seen
    refused = ward.release(1, 2, 11, withdraw_stale=True)
    assert refused.counts.refused["stale-spans"] >= least
    assert refused.changes["note"].withdrawn == refused.counts.refused["stale-spans"]
    assert refused.changes["note"].changed == refused.changes["note"].added == 0
    is_above = refused.counts.refused_share > 0.2
    assert refused.exit_code == (EXIT_QUARANTINE if is_above else EXIT_DONE)
    run_nightly(ward.config, run_in_process)
    caught_up = ward.release(1, 2, 11)
    assert "stale-spans" not in caught_up.counts.refused
    assert caught_up.counts.notes["selected"] == before.counts.notes["selected"]


def test_a_note_that_was_never_detected_is_refused(ward: Ward) -> None:
    columns = [row[1] for row in ward.hospital("pragma table_info(note)")][1:]
    names = ", ".join(columns)
    ward.hospital(
        f"insert into note (note_id, {names}) select 999999, {names} from note "
        "where note_text <> '' limit 1"
    )
    assert ward.release().counts.refused["not-detected"] == 1


def test_what_the_nightly_job_holds_back_stays_out(ward: Ward) -> None:
    note, _ = ward.text_notes()[0]
    ward.hospital("update note set note_date = 'x', note_datetime = 'x' where note_id = ?", note)
    run_nightly(ward.config, run_in_process)
    before = ward.release().counts
    assert before.refused["quarantined"] >= 1
    ids = {row[0] for row in ward.rows("select note_id from note")}
    assert ward.key().pseudonym("note", str(note)) not in ids


def test_spans_of_another_version_are_refused_whoever_put_them_there(ward: Ward) -> None:
    note, _ = ward.text_notes()[0]
    with closing(sqlite3.connect(ward.config.with_name("state.db"))) as db, db:
        db.execute("update span_store set sealed = zeroblob(40) where note_id = ?", (note,))
    assert ward.release().counts.refused["broken-seal"] == 1


def test_what_a_night_has_not_published_yet_stays_out(ward: Ward) -> None:
    note, _ = ward.text_notes()[0]
    with closing(sqlite3.connect(ward.config.with_name("state.db"))) as db, db:
        db.execute("update ledger set outcome = ? where note_id = ?", (STAGED, note))
    assert ward.release().counts.refused["not-published"] == 1


def test_a_cohort_whose_key_was_destroyed_is_released_no_more(ward: Ward) -> None:
    ward.release(1)
    before = ward.digest("sqlite:///cohort.db")
    key = ["--key", str(ward.config.with_name("master.key"))]
    assert main(["keys", "destroy", "--cohort", "asthma", *key]) == EXIT_DONE
    with pytest.raises(ConfigError):
        ward.release(1, 2)
    assert ward.digest("sqlite:///cohort.db") == before
