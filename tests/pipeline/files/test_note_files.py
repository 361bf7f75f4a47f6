"""The commands on files: what they write, what they refuse, and what never gets out."""

import json
import re
import stat
from collections.abc import Mapping
from datetime import datetime, time
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from pipeline.cli import main
from pipeline.files.note_files import parse_detectors
from pipeline.files.pseudonymization import load_policy
from pipeline.reports import quarantine_remedies
from record.errors import ConfigError
from record.policy import Action
from surrogates.keys.keys import load_master
from tests.keys import make_key

PATIENT = {
    "person_id": "42",
    "given_names": ["Ghislaine"],
    "family_names": ["VAUQUELIN"],
    "birth_date": "1950-02-03",
    "phones": ["01 44 55 66 77"],
    "identifiers": [{"label": "PATIENT_ID", "value": "8012345678"}],
}
TEXT = "Mme Ghislaine VAUQUELIN, née le 03/02/1950, IPP 8012345678, tél. 01 44 55 66 77.\n"
NOTE = {"note_id": "17", "person_id": "42", "text": TEXT, "lang": "fr"}
CANARIES = ("ghislaine", "vauquelin", "8012345678", "01 44 55 66 77", "03/02/1950")


def write(path: Path, *records: str | Mapping[str, Any]) -> str:
    lines = (r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return str(path)


RULES = ("--model", "none")
"""What a tagger finds is tested elsewhere."""


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    """Runs a command on notes; returns the exit code, the notes and the quarantine."""
    make_key(tmp_path / "master.key", "c")
    patients = write(tmp_path / "patients.jsonl", PATIENT)

    class Desk:
        folder = tmp_path
        out, quarantine = tmp_path / "out.jsonl", tmp_path / "out.quarantine.jsonl"
        known = ("--patients", patients)

        def __call__(
            self, command: str, *records: Any, more: tuple[str, ...] = ()
        ) -> tuple[int, Any, Any]:
            notes = write(tmp_path / "notes.jsonl", *records)
            code = main([command, notes, "-o", str(self.out), "--plain", *RULES, *more])
            return code, read(self.out), read(self.quarantine)

        def detect(self, *records: Any, more: tuple[str, ...] = ()) -> Any:
            return self("detect", *records, more=more)

        def pseudonymize(self, *records: Any, more: tuple[str, ...] = ()) -> Any:
            keyed = ("--key", str(tmp_path / "master.key"), "--cohort", "c", *more)
            return self("pseudonymize", *records, more=keyed)

    return Desk()


def values(note: dict[str, Any]) -> set[Any]:
    return {(s["label"], note["text"][s["start"] : s["end"]]) for s in note["spans"]}


def test_detect_keeps_text_and_keys_and_replaces_spans(desk: Any) -> None:
    given = {**NOTE, "spans": "no spans at all", "ward": {"x": [1]}}
    code, (note,), quarantine = desk.detect(given, more=desk.known)
    assert (code, quarantine) == (0, [])
    assert {**note, "spans": given["spans"]} == given
    assert {("LAST_NAME", "VAUQUELIN"), ("PATIENT_ID", "8012345678")} <= values(note)
    assert {"start", "end", "label", "score", "detector"} == set(note["spans"][0])


@pytest.mark.parametrize(
    ("detectors", "patients", "found"),
    [("known", True, True), ("known", False, False), ("rules", True, True), ("rules", False, True)],
)
def test_detectors_can_be_chosen(desk: Any, detectors: str, patients: bool, found: bool) -> None:
    more = ("--detectors", detectors, *(desk.known if patients else ()))
    _, (note,), _ = desk.detect(NOTE, more=more)
    assert bool(note["spans"]) is found
    kinds = {span["detector"].split(".")[0] for span in note["spans"]}
    assert kinds <= {detectors}


@pytest.mark.parametrize("text", ["model", "rules,model", "", "rule", "rules,,nose"])
def test_detectors_that_are_not_there_are_named(text: str) -> None:
    with pytest.raises(ConfigError, match="--detectors"):
        parse_detectors(text)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("VAU\u200bQUELIN", "VAU\u200bQUELIN"),
        ("Vauque\u0301lin".replace("e\u0301", "e"), "Vauquelin"),
        ("VAUQUELIN\r", "VAUQUELIN"),
    ],
)
def test_offsets_are_those_of_the_text_as_it_stands(desk: Any, written: str, found: str) -> None:
    record = {**NOTE, "text": f"\ufeffVu ce jour. {written}\nva bien\u200b."}
    _, (note,), _ = desk.detect(record, more=desk.known)
    assert note["text"] == record["text"]
    assert ("LAST_NAME", found) in values(note)


BAD = [
    ("{", "line 1", "Unreadable", "not-json"),
    ("not json", "line 1", "Unreadable", "not-json"),
    ("[1]", "line 1", "Unreadable", "not-an-object"),
    ('{"note_id": "1", "text": "x", "score": NaN}', "line 1", "Unreadable", "not-json"),
    ('{"text": "x"}', "line 1", "Unreadable", "no-note-id"),
    ('{"note_id": true, "text": "x"}', "line 1", "Unreadable", "no-note-id"),
    ('{"note_id": "7"}', "7", "Unreadable", "no-text"),
    ('{"note_id": 7, "text": 1}', "7", "Unreadable", "no-text"),
    ('{"note_id": 7, "text": "", "person_id": [1]}', "7", "Unreadable", "malformed-person-id"),
    ('{"note_id": 7, "text": "", "note_datetime": "soon"}', "7", "Unreadable", "malformed"),
]


@pytest.mark.parametrize(("line", "note_id", "error", "reason"), BAD)
def test_a_bad_line_goes_to_quarantine_and_the_rest_goes_on(
    desk: Any, capsys: pytest.CaptureFixture[str], line: str, note_id: str, error: str, reason: str
) -> None:
    code, notes, (refused,) = desk.detect(line, "", NOTE)
    assert refused == {"note_id": note_id, "stage": "read", "error": error, "reason": reason}
    assert (code, len(notes)) == (3, 1)
    assert "not a valid note: line 1" in capsys.readouterr().err


def test_the_share_in_quarantine_decides_the_exit_code(desk: Any) -> None:
    assert desk.detect("{", NOTE, more=("--max-quarantine-share", "0.5"))[0] == 0
    assert desk.detect("{", NOTE, more=("--max-quarantine-share", "0.4"))[0] == 3
    assert desk.detect()[0] == 0


GIVEN = [
    {"start": 0, "end": 999, "label": "NAME"},
    {"start": 3, "end": 3, "label": "NAME"},
    {"start": "0", "end": 3, "label": "NAME"},
    {"start": 0, "end": 3},
    {"start": 0, "end": 3, "label": "NAME", "score": 2},
]


@pytest.mark.parametrize("span", GIVEN)
def test_given_spans_that_are_wrong_send_the_note_to_quarantine(
    desk: Any, span: dict[str, int | str]
) -> None:
    code, notes, (refused,) = desk.pseudonymize(
        {**NOTE, "spans": [span]}, more=("--spans", "given")
    )
    assert (code, notes, refused["note_id"], refused["stage"]) == (3, [], "17", "read")


def test_pseudonymize_leaves_nothing_that_is_known(desk: Any) -> None:
    code, (note,), quarantine = desk.pseudonymize(NOTE, more=desk.known)
    assert (code, quarantine) == (0, [])
    everything = desk.out.read_text(encoding="utf-8").casefold()
    assert not [canary for canary in CANARIES if canary in everything]
    assert note["note_id"] == "17"
    assert {label for label, _ in values(note)} >= {"FIRST_NAME", "LAST_NAME", "BIRTH_DATE"}


def test_a_span_of_the_output_is_where_its_surrogate_is(desk: Any) -> None:
    spans = [{"start": 4, "end": 13, "label": "FIRST_NAME", "detector": "by Ghislaine's nurse"}]
    record = {"note_id": "1", "text": "Mme Ghislaine\u200b va bien.", "spans": spans}
    _, (note,), _ = desk.pseudonymize(record, more=("--spans", "given"))
    (span,) = note["spans"]
    value = note["text"][span["start"] : span["end"]]
    assert note["text"] == f"Mme {value} va bien."
    assert value != "Ghislaine"
    assert span["detector"] == "given"


def test_given_spans_are_replaced_and_nothing_else(desk: Any) -> None:
    record = {**NOTE, "text": "Vu par Zoé à 12 h.", "spans": []}
    _, (note,), _ = desk.pseudonymize(record, more=("--spans", "given"))
    assert (note["text"], note["spans"]) == (record["text"], [])


def test_what_is_known_and_not_covered_by_given_spans_is_refused(
    desk: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--spans", "given", *desk.known)
    code, notes, quarantine = desk.pseudonymize({**NOTE, "spans": []}, more=more)
    assert (code, notes) == (3, [])
    assert quarantine == [
        {"note_id": "17", "stage": "residue", "error": "Unsafe", "reason": "residue"}
    ]
    said = capsys.readouterr()
    everything = (desk.out.read_text() + desk.quarantine.read_text() + said.out + said.err).lower()
    assert not [canary for canary in CANARIES if canary in everything]


def test_a_label_without_surrogate_is_refused(desk: Any) -> None:
    record = {**NOTE, "spans": [{"start": 0, "end": 3, "label": "PRENOM"}]}
    _, notes, (refused,) = desk.pseudonymize(record, more=("--spans", "given"))
    assert (notes, refused["stage"], refused["reason"]) == ([], "rewrite", "no-surrogate")


@pytest.mark.parametrize(
    ("note_id", "person_id", "is_told"),
    [("4711_letter", "4711", True), ("4711", "4711", True), ("47112", "4711", False),
     ("7_letter", "7", False)],
)  # fmt: skip
def test_a_note_id_that_holds_the_person_is_told_of(
    desk: Any, capsys: pytest.CaptureFixture[str], note_id: str, person_id: str, is_told: bool
) -> None:
    record = {**NOTE, "note_id": note_id, "person_id": person_id}
    desk.pseudonymize(record)
    assert ("--note-ids replace" in capsys.readouterr().err) is is_told
    desk.pseudonymize(record, more=("--note-ids", "replace"))
    assert "--note-ids replace" not in capsys.readouterr().err


def test_keys_that_may_identify_do_not_pass(desk: Any, capsys: pytest.CaptureFixture[str]) -> None:
    record = {
        **NOTE,
        "note_datetime": "2024-03-02T10:15:00+01:00",
        "note_type": "discharge",
        "author": "Zoé Vauquelin",
        "ward": "B4",
    }
    _, (note,), _ = desk.pseudonymize(record, more=(*desk.known, "--keep-keys", "ward"))
    assert set(note) == {*record, "spans"} - {"author"}
    assert (note["note_type"], note["lang"], note["ward"]) == ("discharge", "fr", "B4")
    cohort = load_master(f"file:{desk.folder / 'master.key'}", desk.folder).cohort("c")
    assert note["person_id"] == str(cohort.pseudonym("person", "42"))
    before, after = (datetime.fromisoformat(r["note_datetime"]) for r in (record, note))
    assert 30 <= (before.date() - after.date()).days <= 365
    # The time of day goes, and with it the time zone.
    assert (after.time(), after.utcoffset()) == (time.min, None)
    error = capsys.readouterr().err
    assert "author (1)" in error
    assert "Zoé" not in error


@pytest.mark.parametrize("value", ["Lettre de Mme Vauquelin", "", 5, ["x"], "Vauquelin"])
def test_a_note_type_that_is_no_code_does_not_pass(desk: Any, value: str | int | list[str]) -> None:
    _, (note,), _ = desk.pseudonymize({**NOTE, "note_type": value})
    assert "note_type" not in note


@pytest.mark.parametrize("value", ["cr-20210314-0012", "ghislaine_vauquelin", "8012345678"])
def test_a_note_type_that_tells_a_day_or_the_patient_does_not_pass(desk: Any, value: str) -> None:
    _, (note,), _ = desk.pseudonymize({**NOTE, "note_type": value}, more=desk.known)
    assert "note_type" not in note


def test_ids_of_notes_that_hold_a_day_are_told(
    desk: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.pseudonymize({**NOTE, "note_id": "CR-20210314-0012"})
    assert "note ids that hold a day: 1;" in capsys.readouterr().err
    desk.pseudonymize({**NOTE, "note_id": "CR-20211314-0012"})
    assert "hold a day" not in capsys.readouterr().err


def test_dates_in_text_and_in_the_column_move_together(desk: Any) -> None:
    for record in (NOTE, {"note_id": "3"}):
        dated = {**record, "text": "Vu le 02/03/2024.", "note_datetime": "2024-03-02"}
        _, (note,), _ = desk.pseudonymize(dated)
        year, month, day = note["note_datetime"].split("-")
        assert note["text"] == f"Vu le {day}/{month}/{year}."
        assert note["note_datetime"] != "2024-03-02"


@pytest.mark.parametrize("key", ["person_id", "text", "spans", "note_id", "note_datetime"])
def test_what_is_written_anew_cannot_be_kept(
    desk: Any, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = write(desk.folder / "notes.jsonl", NOTE)
    arguments = ["pseudonymize", notes, "-o", str(desk.out), "--cohort", "c", "--keep-keys", key]
    assert main([*arguments, "--key", str(desk.folder / "master.key")]) == 2
    assert "--keep-keys" in capsys.readouterr().err


def test_a_note_id_that_names_the_patient_is_refused_or_replaced(desk: Any) -> None:
    record = {**NOTE, "note_id": "lettre Vauquelin 2024"}
    code, notes, (refused,) = desk.pseudonymize(record, more=desk.known)
    assert (code, notes, refused["reason"]) == (3, [], "identifying-note-id")
    code, (note,), _ = desk.pseudonymize(record, more=(*desk.known, "--note-ids", "replace"))
    assert (code, note["note_id"].isdigit()) == (0, True)


@pytest.mark.parametrize(
    ("person", "reason"), [({"person_id": "43"}, "unknown-patient"), ({}, "no-person")]
)
def test_with_patients_only_theirs_pass(desk: Any, person: dict[str, str], reason: str) -> None:
    record = {"note_id": "1", "text": "Va bien.", **person}
    code, notes, (refused,) = desk.pseudonymize(record, more=desk.known)
    assert (code, notes, refused["reason"]) == (3, [], reason)
    code, notes, _ = desk.pseudonymize(record, more=(*desk.known, "--allow-unknown"))
    assert (code, len(notes)) == (0, 1)


def test_the_same_key_gives_the_same_bytes_and_another_cohort_gives_others(desk: Any) -> None:
    def bytes_under(cohort: str) -> Any:
        desk.pseudonymize(NOTE, more=(*desk.known, "--cohort", cohort))
        return desk.out.read_bytes()

    assert bytes_under("a") == bytes_under("a") != bytes_under("b")


def test_a_policy_file_may_be_the_nightly_one_or_its_policy_alone(tmp_path: Path) -> None:
    table = 'age_cap = 80\n[{}actions]\nPROFESSION = "keep"\n'
    (tmp_path / "a.toml").write_text(table.format(""))
    (tmp_path / "b.toml").write_text('cohort = "x"\n[policy]\n' + table.format("policy."))
    alone, nightly = (load_policy(str(tmp_path / name), "es") for name in ("a.toml", "b.toml"))
    assert alone == nightly
    assert (alone.age_cap, alone.locale, alone.action("PROFESSION")) == (80, "es", Action.KEEP)
    (tmp_path / "c.toml").write_text("age_cup = 80\n")
    for name in ("c.toml", "none.toml"):
        with pytest.raises(ConfigError):
            load_policy(str(tmp_path / name), "es")


def test_surrogates_speak_the_language_of_the_notes(desk: Any) -> None:
    record = {"note_id": "1", "lang": "es", "text": "x Soria", "spans": [
        {"start": 2, "end": 7, "label": "CITY"}]}  # fmt: skip
    _, (found,), _ = desk.pseudonymize(record, more=("--spans", "given"))
    _, (told,), _ = desk.pseudonymize(record, more=("--spans", "given", "--lang", "es"))
    _, (other,), _ = desk.pseudonymize(record, more=("--spans", "given", "--lang", "fr"))
    # Of a note that names its language, whatever the language of the cohort.
    assert found == told == other
    earlier = ("--spans", "given", "--algorithm", "2", "--cohort", "earlier")
    _, (found,), _ = desk.pseudonymize(record, more=earlier)
    _, (other,), _ = desk.pseudonymize(record, more=(*earlier, "--lang", "fr"))
    assert found != other


def test_files_are_written_whole_or_not_at_all(
    desk: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.out.write_text("before\n")
    notes = write(desk.folder / "notes.jsonl", NOTE)
    bad = write(desk.folder / "bad.jsonl", PATIENT, PATIENT)
    assert main(["detect", notes, "-o", str(desk.out), "--patients", bad]) == 2
    assert "line 2" in capsys.readouterr().err
    assert main(["detect", str(desk.folder / "none.jsonl"), "-o", str(desk.out)]) == 2
    assert desk.out.read_text() == "before\n"
    assert {path.name for path in desk.folder.iterdir()} == {
        *("bad.jsonl", "master.key", "master.key.custody", "notes.jsonl", "out.jsonl"),
        "patients.jsonl",
    }


def test_outputs_are_for_their_owner_and_never_replace_an_input(
    desk: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.detect(NOTE)
    assert stat.S_IMODE(desk.out.stat().st_mode) == 0o600
    notes = str(desk.folder / "notes.jsonl")
    for out in (notes, str(desk.folder), str(desk.folder / "none" / "out.jsonl"), "/dev/null"):
        assert main(["detect", notes, "-o", out]) == 2
        assert "Remedy" in capsys.readouterr().err
    assert read(desk.folder / "notes.jsonl") == [NOTE]


def test_what_utf_8_cannot_hold_comes_back_as_it_was(desk: Any) -> None:
    line = '{"note_id": "1", "text": "a\\ud800b"}'
    _, (note,), _ = desk.detect(line)
    assert note["text"] == "a\ud800b"


def test_spans_that_were_never_given_are_said_to_be_missing(
    desk: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    undetected = [{**NOTE, "note_id": "1", "spans": None}, NOTE]
    detected = {**NOTE, "note_id": "2", "text": "Pas de fièvre.", "spans": []}
    code, out, refused = desk.pseudonymize(*undetected, detected, more=("--spans", "given"))
    assert code == 3
    assert [note["note_id"] for note in out] == ["2"]
    assert {each["reason"] for each in refused} == {"no-spans"}
    said = capsys.readouterr().err
    assert "without the key `spans`: 2; run `cryptonym detect` first" in said
    assert "it was never detected. Run `cryptonym detect` first" in said


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ("not json", "The line is not valid JSON. Correct the line."),
        ({**NOTE, "person_id": "43"}, "Add the patient to the file of --patients, or pass"),
        ({"note_id": "1", "text": "."}, "Add person_id to the line"),
        ({**NOTE, "note_datetime": "soon"}, "has the wrong type, such as an invalid date. Correct"),
    ],
)
def test_remedies_of_files_speak_of_files(
    desk: Any, capsys: pytest.CaptureFixture[str], record: Any, told: str
) -> None:
    code, out, _ = desk.pseudonymize(record, more=desk.known)
    assert (code, out) == (3, [])
    said = capsys.readouterr().err
    assert told in said
    assert not re.search(r"source\.|limits\.|next run|identity table", said)


def test_every_remedy_of_files_is_of_a_reason_and_names_no_key() -> None:
    for reason in quarantine_remedies._OF_FILES:
        told = quarantine_remedies.remedy(reason, of_file=True)
        assert not reason or told.meaning == quarantine_remedies.remedy(reason).meaning
        assert not reason or reason in quarantine_remedies._REMEDIES
        assert not re.search(r"source\.|limits\.|extraction\.|model\.\w|next run", told.action)


def test_a_file_without_notes_is_told_of(desk: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for records in ((), ("", " ")):
        code, out, refused = desk.detect(*records)
        assert (code, out, refused) == (0, [], [])
        assert "notes.jsonl: holds no notes" in capsys.readouterr().err


def test_the_summary_is_one_object(desk: Any, capsys: pytest.CaptureFixture[str]) -> None:
    desk.detect("{", NOTE, more=(*desk.known, "--json"))
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert (summary["notes"], summary["written"], summary["quarantined"]) == (2, 1, 1)
    assert summary["causes"] == [
        {"stage": "read", "error": "Unreadable", "reason": "not-json", "notes": 1}
    ]
    assert summary["spans"]["LAST_NAME"] == 1


def test_extract_reads_what_it_can_and_names_what_it_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more").mkdir()
    page = Canvas(str(tmp_path / "report.pdf"))
    page.drawString(72, 700, "Compte rendu de Mme Vauquelin")
    page.save()
    (tmp_path / "more" / "report.txt").write_text("Vu ce jour.\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "none.txt").symlink_to("nowhere.txt")
    names = ("report.pdf", "more/report.txt", "broken.pdf", "empty.txt", "none.txt", "more")
    files = [str(tmp_path / name) for name in names]
    out = tmp_path / "notes.jsonl"
    assert main(["extract", *files, "-o", str(out), "--layout", "full", "--plain"]) == 3
    assert [(note["note_id"], note["text"].strip()) for note in read(out)] == [
        ("report", "Compte rendu de Mme Vauquelin"),
        ("report-2", "Vu ce jour."),
    ]
    refused = {
        r["note_id"]: (r["stage"], r["reason"]) for r in read(tmp_path / "notes.quarantine.jsonl")
    }
    assert refused.keys() == {"broken.pdf", "empty.txt", "none.txt", "more"}
    assert refused["none.txt"] == ("extract", "missing-document")
    assert refused["empty.txt"] == ("extract", "empty")
    assert refused["more"] == ("extract", "not-a-file")
    told = capsys.readouterr().err
    assert "6 of 6" in told
    assert (
        "4 notes in quarantine, 66.7 % of those processed and above the limit of 5 % (exit code 3)"
        in told
    )
    assert f"All are listed in {tmp_path / 'notes.quarantine.jsonl'}" in told


def test_documents_that_do_not_exist_are_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.txt").write_text("Vu ce jour.")
    files = [str(tmp_path / name) for name in ("report.txt", "nosuch.pdf", "reports/*.pdf")]
    out = tmp_path / "notes.jsonl"
    assert main(["extract", *files, "-o", str(out), "--plain"]) == 2
    told = capsys.readouterr().err
    assert f"{tmp_path / 'nosuch.pdf'}: does not exist, and neither do 1 others" in told
    assert not out.exists()


def test_extract_obeys_its_limits(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("x" * 100)
    arguments = ["extract", str(tmp_path / "long.txt"), "-o", str(tmp_path / "notes.jsonl")]
    assert main([*arguments, "--max-bytes", "100"]) == 0
    assert main([*arguments, "--max-bytes", "99"]) == 3
    assert main([*arguments, "--max-characters", "99"]) == 3


def test_a_note_that_names_no_language_is_read_in_that_of_its_text(desk: Any) -> None:
    english = {
        "note_id": "1", "person_id": "42",
        "text": "She was seen in clinic with her husband and is doing well. DOB 02/03/1950.",
    }  # fmt: skip
    more = ("--detectors", "known", *desk.known)
    _, (told,), _ = desk.detect(english, more=more)
    _, (french,), _ = desk.detect(english, more=(*more, "--lang", "fr"))
    assert values(told) == {("BIRTH_DATE", "02/03/1950")}
    assert values(french) == set()
    assert "lang" not in told


def test_a_policy_speaks_the_language_that_notes_name_or_are_in(desk: Any) -> None:
    spans = [{"start": 2, "end": 7, "label": "CITY"}]
    text = "Paciente vista hoy en consulta con su hija y sin fiebre."
    first = {"note_id": "0", "text": text, "spans": []}
    record = {"note_id": "1", "text": "x Soria", "spans": spans}
    more = ("--spans", "given")
    _, (_, told), _ = desk.pseudonymize(first, record, more=more)
    _, (_, asked), _ = desk.pseudonymize(first, record, more=(*more, "--lang", "es"))
    _, (_, other), _ = desk.pseudonymize(first, record, more=(*more, "--lang", "fr"))
    assert told == asked != other


def test_patients_have_names_of_the_language_of_most_notes(
    desk: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    english = {"note_id": "0", "person_id": "42", "lang": "en", "text": "Seen today. Mr Dupont."}
    french = [
        {"note_id": f"{n}", "person_id": "42", "lang": "fr", "text": "Vu ce jour. M. Dupont."}
        for n in (1, 2)
    ]
    more = (*desk.known, "--spans", "detect")
    _, told, _ = desk.pseudonymize(english, *french, more=more)
    assert "one in fr: notes of patients in other languages: en 1" in capsys.readouterr().err
    _, asked, _ = desk.pseudonymize(english, *french, more=(*more, "--lang", "fr"))
    assert told == asked
    _, old, _ = desk.pseudonymize(english, *french, more=(*more, "--algorithm", "2"))
    _, first, _ = desk.pseudonymize(
        english, *french, more=(*more, "--algorithm", "2", "--lang", "en")
    )
    assert old == first


RUSSIAN = "Пациент Иванов Сергей, 45 лет, поступил с болями в груди."
HTML = "<html><body><p>Mme <b>VAUQUELIN</b>, n&eacute;e le 03/02/1950</p></body></html>"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (RUSSIAN, "unsupported-language"),
        ('{"nom": "MARTIN", "prenom": "Jean", "ddn": "3.2.50"}', "markup"),
        ("nom;prenom;ddn\nMARTIN;Jean;03/02/1950", "markup"),
        (RUSSIAN.encode("cp1251").decode("latin-1"), "encoding"),
    ],
)
def test_what_no_detector_reads_is_refused(desk: Any, text: str, reason: str) -> None:
    _, notes, (refused,) = desk.pseudonymize({**NOTE, "text": text})
    assert (notes, refused["reason"], refused["stage"]) == ([], reason, "detect")


def test_a_language_is_let_through_by_name(desk: Any) -> None:
    given = {**NOTE, "text": RUSSIAN}
    _, (note,), _ = desk.pseudonymize(given, more=("--allow-languages", "uk,ru"))
    assert "Иванов" in note["text"]
    _, notes, _ = desk.pseudonymize(given, more=("--allow-languages", "uk,el"))
    assert len(notes) == 1  # written in the script of Ukrainian
    _, notes, _ = desk.pseudonymize(given, more=("--allow-languages", "el"))
    assert notes == []


def test_markup_is_decoded_unless_the_spans_are_those_of_another_text(desk: Any) -> None:
    given = {**NOTE, "text": HTML}
    _, (note,), _ = desk.pseudonymize(given, more=desk.known)
    assert note["text"].startswith("Mme ")
    assert ", née en " in note["text"]
    assert "VAUQUELIN" not in note["text"]
    spans = [{"start": 22, "end": 31, "label": "LAST_NAME"}]
    _, notes, (refused,) = desk.pseudonymize({**given, "spans": spans}, more=("--spans", "given"))
    assert (notes, refused["reason"]) == ([], "markup")
