"""Whose note a document becomes: maps, names of files, fields; two persons are none."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import regex

from extractors.document.limits import Extracted
from pipeline.cli import main
from pipeline.files.document_persons import (
    PersonFinder,
    PersonSources,
    parse_person_pattern,
    read_person_map,
)
from record.errors import ConfigError, Unreadable
from record.patient import Identifier, PatientRecord

ROOT = Path(__file__).parents[3]
PATIENTS = {
    "1": PatientRecord("1", identifiers=(Identifier("PATIENT_ID", "80-123 456"),)),
    "2": PatientRecord("2", identifiers=(Identifier("PATIENT_ID", "99"),)),
    "3": PatientRecord("3", identifiers=(Identifier("VISIT_ID", "99"),)),
}


def find(path: str, text: str = "", **sources: object) -> str | None:
    named = PersonSources(**sources)  # type: ignore[arg-type]
    files = [Path("a/letter.txt"), Path("b/letter.txt"), Path(path)]
    return PersonFinder(named, files).find(Path(path), Extracted(text, "plain"))


def test_a_pattern_that_takes_too_long_refuses_the_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.files.document_persons._MOST_SECONDS", 0.01)
    pattern = parse_person_pattern(r"(?P<person_id>(?:a|aa)+)b$")
    with pytest.raises(Unreadable, match="slow-person-pattern"):
        find(f"{'a' * 60}.txt", pattern=pattern)


@pytest.mark.parametrize(
    ("path", "text", "sources", "person"),
    [
        ("x.txt", "IPP : 7", {}, None),
        ("in/x.txt", "", {"by_file": {"x.txt": "7"}}, "7"),
        ("in/x.txt", "", {"by_file": {"x.txt": "7", "in/x.txt": "8"}}, "8"),
        ("in/y.txt", "", {"by_file": {"x.txt": "7"}}, None),
        ("12_2024-03-02.txt", "", {"pattern": regex.compile("(?P<person_id>[0-9]+)")}, "12"),
        ("letter.txt", "", {"pattern": regex.compile("(?P<person_id>[0-9]+)")}, None),
        ("x.txt", "Né le 2/3\tipp: 80123456.\nIPP : 80123456", {"field_name": "IPP"}, "80123456"),
        ("x.txt", "Patient  ID = A-7/b", {"field_name": "patient id"}, "A-7/b"),
        ("x.txt", "SHIPP: 7", {"field_name": "IPP"}, None),
        ("x.txt", "IPP :\n\nService 7", {"field_name": "IPP"}, None),
        ("x.txt", "IPP: DUPONT Jean", {"field_name": "IPP"}, None),
        ("x.txt", "IPP: 80123456 NDA: 7", {"field_name": "IPP"}, "80123456"),
        ("x.txt", "IPP: 80123456", {"field_name": "IPP", "patients": PATIENTS}, "1"),
        ("x.txt", "IPP: 2", {"field_name": "IPP", "patients": PATIENTS}, "2"),
        ("x.txt", "IPP: 4", {"field_name": "IPP", "patients": PATIENTS}, None),
        ("x.txt", "IPP: 80123456", {
            "field_name": "IPP", "patients": PATIENTS, "by_file": {"x.txt": "1"}}, "1"),
    ],
)  # fmt: skip
def test_the_person_of_a_document(
    path: str, text: str, sources: dict[str, object], person: str | None
) -> None:
    assert find(path, text, **sources) == person


@pytest.mark.parametrize(
    ("path", "text", "sources"),
    [
        ("x.txt", "IPP: 7\nIPP: 8", {"field_name": "IPP"}),
        ("x.txt", "IPP: 80 123 456", {"field_name": "IPP"}),
        ("x.txt", "IPP: 7", {"field_name": "IPP", "by_file": {"x.txt": "8"}}),
        ("x.txt", "IPP: 99", {"field_name": "IPP", "patients": PATIENTS}),
        ("a/letter.txt", "", {"by_file": {"letter.txt": "8"}}),
    ],
)
def test_two_persons_are_none(path: str, text: str, sources: dict[str, object]) -> None:
    with pytest.raises(Unreadable, match="ambiguous-person"):
        find(path, text, **sources)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("file;person_id\na;1\n", "no column file and person_id"),
        ("file,person\na,1\n", "no column person_id"),
        ("file,person_id\na,1\na,2\n", "line 3: a second person"),
        ("file,person_id\na,\n", "line 2: file or person_id is empty"),
        ("", "no column file and person_id"),
    ],
)
def test_a_map_that_is_wrong_says_where(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=named):
        read_person_map(path)


def test_a_map_as_spreadsheets_write_it(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_bytes('\ufefffile,person_id,note\r\n"a,b.txt", 7 ,x\r\n'.encode())
    assert read_person_map(path) == {"a,b.txt": "7"}
    with pytest.raises(ConfigError, match="no such file"):
        read_person_map(tmp_path / "none.csv")


@pytest.mark.parametrize(("text", "problem"), [("[0-9]+", "no group"), ("(", "not a regular")])
def test_a_pattern_that_names_no_person(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        parse_person_pattern(text)


def test_a_letterhead_that_the_layout_drops_names_the_person(
    template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = sorted(map(str, (template / "pdf").glob("*.pdf")))[:3]
    out = tmp_path / "notes.jsonl"
    command = ["extract", *reports, "-o", str(out), "--ocr", "none", "--plain"]
    command += ["--max-quarantine-share", "1", "--patients", str(template / "patients.jsonl")]
    assert main(command) == 2
    assert "--person-field" in capsys.readouterr().err
    assert main([*command, "--person-field", "IPP"]) == 0
    truth = map(json.loads, (template / "truth.jsonl").read_text().splitlines())
    persons = {f"note-{int(note['note_id']):06}": note["person_id"] for note in truth}
    notes = [json.loads(line) for line in out.read_text().splitlines()]
    assert notes and all(note["person_id"] == persons[note["note_id"]] for note in notes)
    command[command.index(str(template / "patients.jsonl"))] = str(out)
    assert main([*command, "--person-field", "IPP"]) == 2  # the notes are not patients


def test_what_to_do_about_notes_without_a_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.jsonl").write_text('{"person_id": "1"}\n')
    (tmp_path / "n.jsonl").write_text(
        '{"note_id": "a", "text": "Vu."}\n{"note_id": "b", "person_id": "2", "text": "Vu."}\n'
    )
    assert main(["keys", "new", str(tmp_path / "k")]) == 0
    assert main(
        ["pseudonymize", str(tmp_path / "n.jsonl"), "-o", str(tmp_path / "o.jsonl"), "--plain",
         "--key", str(tmp_path / "k"), "--cohort", "c", "--patients", str(tmp_path / "p.jsonl"),
         "--model", "none", "--lang", "fr"]
    ) == 3  # fmt: skip
    said = capsys.readouterr().err
    assert "without a person_id: 1; add person_id" in said and "--person-map" in said
    assert "whose person is not in --patients: 1" in said


@pytest.mark.slow
def test_the_chain_of_the_documents_from_an_empty_folder(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    found = re.search(r"^## From an empty folder\n.*?^```sh\n(.*?)^```$", page, re.M | re.S)
    assert found
    programs, folder = tmp_path / "bin", tmp_path / "empty"
    programs.mkdir()
    folder.mkdir()
    program = programs / "cryptonym"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m pipeline.cli "$@"\n')
    program.chmod(0o755)
    paths = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    subprocess.run(
        ["bash", "-e", "-c", found[1]], cwd=folder, env=os.environ | paths, check=True, timeout=300
    )
    notes = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    ids = {note["note_id"] for note in notes}
    assert len(ids) == 2 and not ids & {"4711_consultation", "4712_urgences"}
    text = "".join(note["text"] for note in notes)
    assert "dyspnée d'effort" in text and "Troponine négative" in text
    for word in ("VAUQUELIN", "Ghislaine", "ROUMIGUIÈRES", "01 44 55 66 77", "03/02/1950", "02/03"):
        assert word not in text
    for name in ("notes", "found", "out"):
        assert (folder / f"{name}.quarantine.jsonl").read_bytes() == b""
