"""A release kept up to date: what changed alone, all at once or not at all, and nothing told."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import main
from pipeline.commands.options import engine
from pipeline.config.exit_codes import EXIT_DONE, EXIT_QUARANTINE
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Incomplete, run_nightly
from pipeline.notes.batch import Batch
from pipeline.notes.stored_spans import run_release_stages
from pipeline.notes.worker_resources import WorkerResources
from pipeline.release import arrangement
from pipeline.release import run as running
from pipeline.release import unit as making
from pipeline.release.persons import read_persons
from pipeline.release.release_context import ReleaseContext
from pipeline.release.row_digests import TableHashes, add_totals
from pipeline.release.staging import ReleaseStaging
from pipeline.release.targets import FolderTarget
from pipeline.state.run_lock import Held, RunLock
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.warehouse import Source
from record.errors import ConfigError, Unavailable
from tests.pipeline.conftest import Ward


@pytest.mark.parametrize(
    ("output", "step"),
    [
        *[("sqlite:///cohort.db", step) for step in (2, 3, 4)],
        *[("parquet:cohort", step) for step in (2, 3)],
    ],
)
def test_a_release_that_lost_its_lock_while_it_published_changes_nothing(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, output: str, step: int
) -> None:
    ward.release(*ward.EVERYBODY, output=output)
    before, calls = ward.digest(output), 0

    def keep(_: RunLock) -> None:
        nonlocal calls
        calls += 1
        if calls >= step:
            raise Held("state", "another run holds the lock", "wait")

    monkeypatch.setattr(RunLock, "keep", keep)
    with pytest.raises(Held):
        ward.release(output=output, accept_withdrawals=True)
    assert calls == step
    assert ward.digest(output) == before
    monkeypatch.undo()
    assert ward.release(output=output, accept_withdrawals=True).is_changed
    assert ward.digest(output) != before


def test_the_second_release_changes_nothing(ward: Ward) -> None:
    assert ward.release().is_changed
    files = [ward.folder / "cohort.db", *ward.config.parent.glob("release-asthma-*")]
    assert len(files) == 3
    before = [path.read_bytes() for path in files]
    again = ward.release()
    assert not again.is_changed
    assert all(change.is_empty for change in again.changes.values())
    assert [path.read_bytes() for path in files] == before


def test_only_what_changed_is_touched(ward: Ward) -> None:
    ward.release()
    note, _ = ward.text_notes()[0]
    ward.hospital("update note set note_text = note_text || ' Fin.' where note_id = ?", note)
    run_nightly(ward.config, run_in_process)
    changes = ward.release().changes
    assert changes["note"].changed == 1
    assert changes["note"].added == changes["note"].withdrawn == 0
    assert changes["person"].is_empty


def test_a_withdrawn_person_is_gone_from_the_file_itself(ward: Ward) -> None:
    ward.release(spans=True)
    key = ward.key()
    gone = key.pseudonym("person", "3")
    (text,) = ward.rows(f"select note_text from note where person_id = {gone} limit 1")[0]
    ward.release(1, 2, 4, spans=True)
    for table in ("person", "note", "visit_occurrence"):
        assert ward.rows(f"select count(*) from {table} where person_id = {gone}") == [(0,)]
    orphans = "select count(*) from note_span where note_id not in (select note_id from note)"
    assert ward.rows(orphans) == [(0,)]
    held = b"".join(path.read_bytes() for path in ward.folder.glob("cohort.db*"))
    assert text[:40].encode() not in held
    added = ward.release().changes
    assert added["person"].added == 1
    assert added["note"].added > 0


def test_window_and_kinds(ward: Ward) -> None:
    settings = load(ward.config)
    kind, concept = next((kind, concept) for concept, kind in settings.source.kinds.items())
    days = [date.fromisoformat(row[0]) for row in ward.hospital("select note_date from note")]
    middle = sorted(days)[len(days) // 2]
    within = sum(day >= middle for day in days)
    # Of the first days only those are released that every patient may have, however shifted.
    assert 0 < ward.release(*ward.EVERYBODY, since=middle).counts.notes["selected"] < within
    config = ward.config.read_text()
    ward.config.write_text(config + "\n[cohorts.asthma.policy]\nhold_back_days = 0\n")
    counts = ward.release(*ward.EVERYBODY, since=middle).counts
    assert counts.notes["selected"] == within
    ward.config.write_text(config)
    counts = ward.release(*ward.EVERYBODY, kinds=frozenset((kind,))).counts
    (total,) = ward.hospital(
        "select count(*) from note where note_class_concept_id = ?", int(concept)
    )[0]
    assert counts.notes["selected"] == total > 0
    manifest = next(ward.config.parent.glob("release-asthma-*.json")).read_text()
    assert middle.isoformat() not in manifest


class Killed(BaseException):
    """Stands for a process that is gone."""


def test_a_kill_leaves_the_old_folder_or_the_new(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    ward.release(output="parquet:cohort")
    place = ward.folder / "cohort"
    before = ward.digest("parquet:cohort"), (place / "manifest.json").read_bytes()

    def killed(self: FolderTarget, made: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(FolderTarget, "_switch_to", killed)
        with pytest.raises(Killed):
            ward.release(1, 2, output="parquet:cohort")
    assert (ward.digest("parquet:cohort"), (place / "manifest.json").read_bytes()) == before
    ward.release(1, 2, output="parquet:cohort")
    assert ward.digest("parquet:cohort") != before[0]
    versions = [path for path in ward.folder.iterdir() if path.name.startswith(".cohort-")]
    assert versions == [place.resolve()]


HARD = """
import os, sys
from pathlib import Path
from pipeline.release import targets
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
replace = targets.replace_parts
def dying(connection, table, *rest):
    if table.name == "note":
        os._exit(9)
    return replace(connection, table, *rest)
targets.replace_parts = dying
run_release(ReleaseRequest(Path(sys.argv[1]), "asthma", Path(sys.argv[2]), sys.argv[3]))
"""


def test_a_kill_leaves_the_old_tables_or_the_new(ward: Ward) -> None:
    ward.release()
    before = ward.digest("sqlite:///cohort.db")
    command: list[str | Path] = [sys.executable, "-P", "-c", HARD, ward.config, ward.persons(1, 2)]
    ended = subprocess.run([*command, ward.url("sqlite:///cohort.db")], check=False)
    assert ended.returncode == 9
    assert ward.digest("sqlite:///cohort.db") == before
    assert ward.release(1, 2).changes["person"].withdrawn == 2


def test_lost_notes_release_nothing(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    ward.release(1)
    before = ward.digest("sqlite:///cohort.db")

    def losing(batch: Batch, tools: WorkerResources) -> Batch:
        batch = run_release_stages(batch, tools)
        return replace(batch, items=batch.items[1:])

    monkeypatch.setattr(making, "run_release_stages", losing)
    with pytest.raises(Incomplete, match=r"^\d+ notes are missing; nothing was published"):
        ward.release()
    assert ward.digest("sqlite:///cohort.db") == before


@pytest.mark.parametrize("output", ["parquet:cohort", "sqlite:///cohort.db"])
def test_what_does_not_read_back_is_not_shown(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    ward.release(1, output=output)
    before = ward.digest(output)
    if output.startswith("parquet"):
        monkeypatch.setattr(arrangement, "read_keys", lambda *which: (0, set()))
    else:
        parts = ReleaseStaging.parts
        monkeypatch.setattr(ReleaseStaging, "parts", lambda *which: list(parts(*which))[1:])
    with pytest.raises(Incomplete, match="not"):
        ward.release(output=output)
    monkeypatch.undo()
    assert ward.digest(output) == before


def test_the_manifest_describes_the_tables(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ward.folder)
    ward.release(output="jsonl:cohort")
    folder = ward.folder / "cohort"
    manifest = json.loads((folder / "manifest.json").read_text())
    for name, parameters in manifest["tables"].items():
        hashes = TableHashes()
        for path in [*folder.glob(f"{name}.jsonl"), *folder.glob(f"{name}/part-*.jsonl")]:
            hashes.add(tuple(json.loads(line).values()) for line in path.read_text().splitlines())
        assert (hashes.rows, add_totals([hashes.total])) == (
            parameters["rows"],
            parameters["sha256"],
        )
    assert manifest["key_id"] == ward.key().key_id
    lines = (folder / "metadata" / "part-000000.jsonl").read_text().splitlines()
    facts = {row["value_as_string"] for row in map(json.loads, lines)}
    assert {manifest["key_id"], manifest["policy_id"], "30-365"} <= facts
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("sqlite:///demo/research.db", "must not be the same database or folder"),
        ("sqlite:///demo/hospital.db", "must not be the same database or folder"),
        ("sqlite:///demo/state.db", "must not be the same database or folder"),
        ("sqlite:///other.db", "other than a release under this cohort's key"),
        ("parquet:demo/pdf", "other than a release under this cohort's key"),
    ],
)
def test_what_is_no_release_of_this_cohort_is_left_alone(
    ward: Ward, output: str, problem: str
) -> None:
    ward.release(1, output="sqlite:///other.db", name="stroke")
    # The register, which keeps what was tried as well, is in the state.
    paths = [path for path in ward.folder.rglob("*.db") if path.name != "state.db"]
    before = {path: path.read_bytes() for path in paths}
    with pytest.raises(ConfigError, match=problem):
        ward.release(output=output)
    assert {path: path.read_bytes() for path in paths} == before


@pytest.mark.parametrize(
    ("text", "persons", "duplicates"),
    [
        ("1\n2\n", {1, 2}, 0),
        ("\ufeffperson_id;name\n1;x\n1;y\n\n2;z\n", {1, 2}, 1),
        ('"person_id","name"\n"-7","x"\n', {-7}, 0),
    ],
)
def test_lists_of_persons(tmp_path: Path, text: str, persons: set[int], duplicates: int) -> None:
    path = tmp_path / "persons.csv"
    path.write_text(text, encoding="utf-8")
    found = read_persons(path)
    assert (set(found.person_ids), found.duplicates) == (persons, duplicates)


@pytest.mark.parametrize(
    "text", ["", "person_id\n", "1\nMadame Wexlovitch\n", "1\n2.5\n", "9" * 30]
)
def test_a_list_that_names_nobody_or_nonsense_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "persons.csv"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_persons(path)
    assert "Wexlovitch" not in str(caught.value)


NAME = "Wexlovitch"
PERSON = 771234567


def test_nothing_of_a_patient_or_key_is_told(
    ward: Ward, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for table in ("person", "note", "visit_occurrence", "patient_identity"):
        ward.hospital(f"update {table} set person_id = {PERSON} where person_id = 1")
    ward.hospital(f"update patient_identity set family_names = '{NAME}' where person_id = {PERSON}")
    ward.hospital(
        f"update note set note_text = note_text || ' Mme {NAME} va bien.' "
        f"where person_id = {PERSON} and note_text <> ''"
    )
    run_nightly(ward.config, run_in_process)
    secret = ward.config.with_name("master.key").read_text().split()[1]
    command = ["release", str(ward.config), "--cohort", "asthma", "--plain", "--persons"]
    command += [str(ward.persons(PERSON, 2, 3)), "--workers", "1", "--output"]
    for output in ("sqlite:///cohort.db", "parquet:cohort"):
        assert main([*command, ward.url(output)]) == EXIT_DONE
    ward.hospital(f"update note set note_text = '{NAME}' where person_id = {PERSON}")
    # Most notes are stale now: the run says so, and not which.
    parameters = [ward.url("parquet:cohort"), "--json", "--withdraw-stale"]
    assert main([*command, *parameters]) in (EXIT_DONE, EXIT_QUARANTINE)

    def quotes(claimed: Unit, context: ReleaseContext) -> None:
        raise ValueError(NAME, PERSON, context.staging.unit(claimed.index).person_ids)

    monkeypatch.setattr(engine, "run_in_workers", None)
    monkeypatch.setattr(running, "make_unit", quotes)
    assert main([*command, ward.url("parquet:cohort")]) == 1
    said = capfd.readouterr()
    texts = [said.out, said.err]
    made = [*ward.config.parent.glob("release-*"), *ward.folder.glob(".cohort-*/**/*")]
    made += [ward.folder / "cohort.db"]
    texts += [path.read_bytes().decode("latin-1") for path in made if path.is_file()]
    assert len(texts) > 8
    for held in texts:
        for word in (NAME.lower(), str(PERSON), secret, bytes.fromhex(secret).decode("latin-1")):
            assert word not in held.lower()
    assert not list((ward.config.parent / ".cryptonym").iterdir())


def test_exit_codes(
    ward: Ward, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*more: str, persons: Path | None = None, output: str = "sqlite:///cohort.db") -> int:
        listed = str(persons or ward.persons(1, 2))
        command = ["release", str(ward.config), "--cohort", "asthma", "--persons", listed]
        return main([*command, "--workers", "1", "--output", ward.url(output), *more])

    assert run() == 0
    assert "notes: " in capfd.readouterr().out
    log = ward.folder / "log.jsonl"
    assert run("--json", "--log", str(log)) == 0
    assert json.loads(capfd.readouterr().out)["changed"] is False
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert events[0]["command"] == "release"
    assert (events[-1]["event"], events[-1]["exit_code"]) == ("release ended", 0)
    assert events[-1]["released"] + events[-1]["refused"] == events[-1]["selected"] > 0
    assert run(persons=ward.folder / "absent.txt") == 2
    assert run("--kinds", "nonsense") == 2
    assert run("--from", "2024-02-01", "--to", "2024-01-01") == 2
    assert run("--schema", "x", output="parquet:cohort") == 2
    assert run(output="mysql://somewhere/x") == 2
    ward.hospital("update note set note_text = note_text || ' Fin.'")
    seen = ward.digest("sqlite:///cohort.db")
    assert run() == 2
    assert "waiting for the nightly job" in capfd.readouterr().err
    assert ward.digest("sqlite:///cohort.db") == seen
    assert run("--withdraw-stale") == 3
    ward.config.with_name("pdf").rename(ward.folder / "gone")
    assert run() == 4
    monkeypatch.setattr(engine, "run_in_workers", None)
    monkeypatch.setattr(running, "make_unit", lambda index, context: None)
    (ward.folder / "gone").rename(ward.config.with_name("pdf"))
    assert run() == 1


def test_a_release_and_a_night_exclude_each_other(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []

    def inside(source: Source, listed: Iterable[int]) -> None:
        with pytest.raises(ConfigError, match="another run holds the lock"):
            run_nightly(ward.config, run_in_process)
        found.append(True)
        raise Unavailable("x", "y", "z")

    monkeypatch.setattr(running, "find_persons", inside)
    with pytest.raises(Unavailable):
        ward.release()
    assert found
