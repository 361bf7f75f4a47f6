"""A night and a release on the fictional hospital's bulk export."""

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pipeline.night.engine import run_in_process
from pipeline.night.nightly import NightlyResult, run_nightly
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
from synthesis.fictional.fhir import first_notes, write_fhir
from synthesis.fictional.hospital import make_hospital
from tests.keys import derive, drawn_from, make_key

NOTES = 12
CONFIG = """
cohort = "research"
lang = "en"
[source]
url = "fhir:export"
[output]
url = "sqlite:///research.db"
[model]
folder = "none"
[policy]
id_bits = 53
[extraction]
languages = []
[limits]
max_quarantine_share = 1.0
notes_per_unit = 7
"""


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fhir") / "site"
    made = make_hospital(3, seed=5, lang="en", pdf_share=0.1, scan_share=0, mean_characters=500)
    assert write_fhir(made, folder / "export", notes=first_notes(made, NOTES)) == NOTES
    with drawn_from("fhir"):
        make_key(folder / "master.key", "research")
    derive(folder / "master.key", "study")
    (folder / "nightly.toml").write_text(CONFIG)
    return folder


@pytest.fixture
def site(hospital: Path, tmp_path: Path) -> Path:
    shutil.copytree(hospital, tmp_path / "site")
    return tmp_path / "site"


def night(site: Path) -> NightlyResult:
    return run_nightly(site / "nightly.toml", run_in_process)


def outcomes(ended: NightlyResult) -> dict[str, int]:
    return {name: count for name, count in ended.summary.tally.outcomes.items() if count}


def rows(site: Path, database: str, statement: str) -> list[Any]:
    with closing(sqlite3.connect(site / database)) as db:
        return db.execute(statement).fetchall()


def edit(site: Path, name: str, change: Any) -> None:
    """Change the resources of a file: a function from a list of lines to another."""
    path = site / "export" / f"{name}.ndjson"
    lines = change(path.read_text(encoding="utf-8").splitlines())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def test_an_export_goes_through_a_night_to_a_release(hospital: Path, site: Path) -> None:
    ended = night(site)
    released = outcomes(ended)["released"]
    assert released >= NOTES - 2 and outcomes(ended)["planned"] == NOTES
    texts = "\n".join(text for (text,) in rows(site, "research.db", "select note_text from note"))
    patients = json.loads(json.dumps(_patients(site)))
    for one in patients:
        for number in one.get("identifier", []):
            assert number["value"] not in texts
        for phone in one.get("telecom", []):
            assert phone["value"] not in texts
    assert outcomes(night(site)) == {
        "planned": NOTES, "read": NOTES, "unchanged": NOTES,
    }  # fmt: skip
    persons = site / "persons.txt"
    persons.write_text("".join(f"Patient/{one['id']}\n" for one in patients))
    result = run_release(
        ReleaseRequest(site / "nightly.toml", "study", persons, f"sqlite:///{site}/study.db")
    )
    assert result.exit_code == 0
    assert len(rows(site, "study.db", "select * from note")) >= released - 2
    assert len(rows(site, "study.db", "select * from person")) == len(patients)
    orphans = (
        "select count(*) from note where visit_occurrence_id not in "
        "(select visit_occurrence_id from visit_occurrence) "
        "or person_id not in (select person_id from person)"
    )
    assert rows(site, "study.db", orphans) == [(0,)]
    visits = rows(site, "study.db", "select distinct visit_occurrence_id from note")
    assert len(visits) > 1


def _patients(site: Path) -> list[dict[str, Any]]:
    import gzip

    with gzip.open(site / "export/Patient.ndjson.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_what_is_broken_goes_to_quarantine_with_its_reason(site: Path) -> None:
    def spoil(lines: list[str]) -> list[str]:
        stranger, broken, outside, *others = map(json.loads, lines)
        stranger["subject"] = {"reference": "Patient/nobody"}
        broken["content"][0]["attachment"] = {"contentType": "application/pdf", "data": "JVBERi0="}
        outside["content"][0]["attachment"] = {"url": "../master.key"}
        kept = [json.dumps(one) for one in (stranger, broken, outside, *others)]
        return [*kept, '{"resourceType": "Bundle", "entry": [{"resource": {']

    edit(site, "DocumentReference", spoil)
    tally = night(site).summary.tally
    # Keys of the tally: stage, error, reason, kind.
    refused = Counter({row[2]: count for row, count in tally.quarantine.items()})
    for reason in ("unknown-patient", "broken", "outside-folder", "not-json"):
        assert refused[reason] == 1
    assert outcomes_sum(tally.outcomes) == NOTES + 1


def outcomes_sum(found: Any) -> int:
    return sum(found[name] for name in ("released", "quarantined", "unchanged"))


def test_a_later_export_changes_what_has_changed(site: Path) -> None:
    before = outcomes(night(site))["released"]
    known = set(rows(site, "research.db", "select note_id, person_id from note"))

    def change(lines: list[str]) -> list[str]:
        first, second, *others = map(json.loads, lines)
        first["description"] = "Another title"
        second["status"] = "entered-in-error"
        return [json.dumps(one) for one in (*reversed(others), first, second)]

    edit(site, "DocumentReference", change)
    ended = outcomes(night(site))
    assert ended["deleted"] == 1
    assert ended.get("released", 0) + ended.get("quarantined", 0) == 1
    later = set(rows(site, "research.db", "select note_id, person_id from note"))
    assert later <= known and before - len(later) in (1, 2)
