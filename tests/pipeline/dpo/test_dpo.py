"""The document for the data protection officer: complete, true to the records, without any text."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import main
from pipeline.config.settings import load
from pipeline.dpo.evidence import gather_evidence
from pipeline.dpo.pack import REQUIREMENTS, answer_requirements
from pipeline.night.run_history import read_history
from pipeline.state.audit_records import AuditSample, open_audit_records
from surrogates.keys.keys import load_master

TODAY = datetime.now(UTC).date()
TOMORROW = TODAY + timedelta(1)  # where midnight passes between here and there
RATE = {"rate": 0.98, "low": 0.93, "high": 0.995}
RESULT = {
    "notes": 50,
    "marked": 4,
    "zero_leak": RATE,
    "kinds": {"a": {"reviewed": 50, "population": 900} | RATE},
}


@pytest.fixture(scope="module")
def hospital(night: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dpo") / "demo"
    shutil.copytree(night, folder)
    return folder / "nightly.toml"


def document(config: Path, tmp_path: Path, *more: str) -> tuple[dict[str, Any], str]:
    page = tmp_path / "pack.html"
    line = [
        "report",
        "dpo",
        str(config),
        "--from",
        str(TODAY),
        "--to",
        str(TOMORROW),
        "-o",
        str(page),
    ]
    assert main([*line, *more]) == 0
    return json.loads(page.with_suffix(".json").read_text()), page.read_text()


def by_number(pack: dict[str, Any]) -> dict[str, Any]:
    return {each["number"]: each for each in pack["requirements"]}


def test_every_requirement_is_answered_with_its_source(hospital: Path, tmp_path: Path) -> None:
    pack, page = document(hospital, tmp_path)
    assert list(by_number(pack)) == [f"R{n}" for n in range(1, 29)]
    assert all(r.source and r.certainty in ("text", "account", "general") for r in REQUIREMENTS)
    assert all(each["shown"] or each["lacking"] for each in pack["requirements"])
    assert sum(pack["statuses"].values()) == len(REQUIREMENTS)
    for each in pack["requirements"]:
        assert f"<td>{each['number']}</td>" in page
    assert page.count("<script") == 1
    assert not re.search(r"(src|href)=", page)


def test_what_the_command_prints_says_what_its_counts_are(
    hospital: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = document(hospital, tmp_path)[0]["statuses"]
    said = capsys.readouterr().out
    assert f"of {len(REQUIREMENTS)} requirements: " in said
    assert f"{counts['shown']} shown by the records, {counts['partly']} shown in part" in said
    assert f"{counts['missing']} without evidence (red)" in said
    with pytest.raises(SystemExit):
        main(["report", "dpo", "--help"])
    usage = capsys.readouterr().out.partition("\n\n")[0]
    assert "CONFIG.toml --from DATE --to DATE -o FILE.html" in usage
    assert "CONFIG.toml --verify FILE.json" in usage and "[--from" not in usage


def test_numbers_are_those_of_the_records(hospital: Path, tmp_path: Path) -> None:
    pack, _ = document(hospital, tmp_path)
    settings = load(hospital)
    (run,) = read_history(settings.state, settings.base)
    assert [told["run_id"] for told in pack["runs"]] == [run.run_id]
    with closing(sqlite3.connect(hospital.parent / "research.db")) as db:
        assert pack["notes"]["released"] == db.execute("select count(*) from note").fetchone()[0]
        spans = db.execute("select label, count(*) from note_span group by 1").fetchall()
    assert sum(pack["labels"].values()) >= sum(count for _, count in spans) > 0
    custody = load_master(settings.key.locator, settings.base).custody
    assert custody is not None
    with custody.locked():
        assert pack["keys"]["last"] == custody.log.last()
        assert len(pack["keys"]["uses"]) == len(custody.log.uses())


def test_what_lacks_is_red_until_it_is_there(hospital: Path, tmp_path: Path) -> None:
    pack, page = document(hospital, tmp_path)
    assert by_number(pack)["R13"]["status"] == "missing"
    assert "No sample was reviewed" in page
    settings = load(hospital)
    with open_audit_records(settings.state, settings.base) as records:
        strata = {"a": {"population": 900, "drawn": 50, "read": 50}}
        sample = AuditSample(0, datetime.now(UTC), "s", 50, "brat", strata, {})
        records.add_review(records.add(sample, []).sample_id, "mk", RESULT)
    attack = {"name": "linkage", "axis": "privacy", "value": 0.1, "low": 0.0, "high": 0.2}
    report = tmp_path / "attacks.json"
    report.write_text(json.dumps({"measured": [attack]}))
    pack, page = document(hospital, tmp_path, "--evidence", str(report))
    assert by_number(pack)["R13"]["status"] == "missing", "no number counts without its controls"
    report.write_text(json.dumps({"measured": [attack | {"null": 0.1, "control": 0.9}]}))
    pack, page = document(hospital, tmp_path, "--evidence", str(report))
    assert by_number(pack)["R13"]["status"] == "shown"
    assert "0.9800" in page
    assert by_number(pack)["R3"]["status"] == "shown"


def test_a_period_without_records_claims_nothing(hospital: Path) -> None:
    settings = load(hospital)
    day = date(2001, 1, 1)
    evidence, _ = gather_evidence(settings, day, day)
    statuses = {a.requirement.number: a.status for a in answer_requirements(evidence)}
    assert evidence.runs == []
    assert {statuses[n] for n in ("R3", "R4", "R13", "R23", "R27")} == {"missing"}


def test_the_seal_tells_a_changed_document(
    hospital: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack, _ = document(hospital, tmp_path)
    path = tmp_path / "pack.json"
    verify = ["report", "dpo", str(hospital), "--verify", str(path)]
    assert main(verify) == 0
    pack["notes"]["released"] += 1
    path.write_text(json.dumps(pack))
    assert main(verify) == 1
    assert "seal mismatch" in capsys.readouterr().err


def test_a_broken_log_of_keys_is_an_incident(hospital: Path, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    shutil.copytree(hospital.parent, folder)
    log = next(folder.glob("*.custody/uses.jsonl"))
    log.write_text(log.read_text().replace('"use"', '"USE"', 1))
    pack, page = document(folder / "nightly.toml", tmp_path)
    assert by_number(pack)["R12"]["status"] == "partly"
    assert any("key log" in text for text in pack["incidents"])
    assert "does not match" in page


def test_no_text_of_a_note_and_no_id_of_one(hospital: Path, tmp_path: Path) -> None:
    _, page = document(hospital, tmp_path)
    said = page + (tmp_path / "pack.json").read_text()
    with closing(sqlite3.connect(hospital.parent / "hospital.db")) as db:
        columns = [c[1] for c in db.execute("pragma table_info(patient_identity)")]
        assert columns
        rows = db.execute("select * from patient_identity").fetchall()
    values = {str(v) for row in rows for v in row if v and len(str(v)) > 5}
    assert values
    assert not [value for value in values if value in said]


@pytest.mark.parametrize(
    "line", ["--from 2024-02-01 --to 2024-01-01 -o a.html", "--from 2024-02-01 -o a.html",
             "--from 2024-01-01 --to 2024-02-01 -o a.pdf"],
)  # fmt: skip
def test_wrong_usage(
    line: str, hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", "dpo", str(hospital), *line.split()]) == 2


def test_releases_of_cohorts_are_in_it(hospital: Path, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    shutil.copytree(hospital.parent, folder)
    config, persons = folder / "nightly.toml", tmp_path / "persons.txt"
    order = ["release", str(config), "--cohort", "asthma", "--persons", str(persons), "--plain"]
    order += ["--workers", "1"]
    for listed in ("1\n2\n3\n", "1\n2\n"):
        persons.write_text(listed)
        assert main([*order, "--output", f"parquet:{tmp_path / 'asthma'}"]) == 0
    assert main([*order, "--output", f"parquet:{folder / 'pdf'}"]) == 2
    pack, page = document(config, tmp_path)
    refused, second, first = pack["releases"]
    assert (first["cohort"], first["persons"], second["persons"]) == ("asthma", 3, 2)
    assert first["notes"]["added"] == first["notes"]["released"] > 0
    assert second["notes"]["withdrawn"] == first["notes"]["added"] - second["notes"]["released"] > 0
    assert refused["status"] == "refused"
    assert any(f"release {refused['release_id']} of" in told for told in pack["incidents"])
    assert str(tmp_path / "asthma") in page
    numbers = by_number(pack)
    assert "2 releases in the period, of 1 cohort." in numbers["R11"]["shown"]
    withdrawn = f"{second['notes']['withdrawn']} notes were withdrawn from cohort releases"
    assert any(told.startswith(withdrawn) for told in numbers["R16"]["shown"])
