"""An export as a source: the same rows every night, versions, hostile files and attachments."""

import base64
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pipeline.config.settings import IdentitySettings, ObjectionSettings, SourceSettings
from pipeline.exports.records import make_number
from pipeline.warehouse.person_lists import choose_reader, query_person_ids, read_person_ids
from pipeline.warehouse.warehouse import Source, open_source
from record.errors import ConfigError, CryptonymError, Unavailable, Unreadable
from record.patient import Address, Identifier, PersonName

Lines = list[dict[str, Any] | str]


def encode(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def patient(number: int, **fields: Any) -> dict[str, Any]:
    name = {"family": f"Osterholz{number}", "given": ["Ida"]}
    return {"resourceType": "Patient", "id": f"p{number}", "name": [name], **fields}


def note(number: int, text: str | None = None, person: int = 1, **fields: Any) -> dict[str, Any]:
    plain = {"contentType": "text/plain", "data": encode(text or f"Note {number}.")}
    attachment = fields.pop("attachment", plain)
    return {
        "resourceType": "DocumentReference",
        "id": f"d{number}",
        "status": "current",
        "subject": {"reference": f"Patient/p{person}"},
        "date": "2024-05-06T07:08:09Z",
        "content": [{"attachment": attachment}],
        **fields,
    }


def at(moment: str) -> dict[str, str]:
    return {"lastUpdated": f"2024-01-{moment}T00:00:00Z"}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., None]:
    """Writes files of an export."""

    def make(**files: Lines) -> None:
        (tmp_path / "export").mkdir(exist_ok=True)
        for name, lines in files.items():
            texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
            data = "".join(f"{text}\n" for text in texts).encode()
            suffix = ".ndjson.gz" if name.endswith("_gz") else ".ndjson"
            packed = gzip.compress(data) if name.endswith("_gz") else data
            (tmp_path / "export" / f"{name}{suffix}").write_bytes(packed)

    return make


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Callable[..., Source]]:
    """Opens the export."""
    opened: list[Source] = []

    def make(**settings: Any) -> Source:
        opened.append(open_source(SourceSettings(url="fhir:export", **settings), tmp_path))
        return opened[-1]

    yield make
    for source in opened:
        source.close()


def texts(source: Source, size: int = 2) -> dict[str, Any]:
    """Name of each note -> its text, as a night reads them."""
    found = {}
    for unit, note_ids in source.plan(size):
        rows = source.read(unit)
        assert [row.note_id for row in rows] == note_ids
        found.update({row.note_source_value: row.note_text for row in rows})
    return found


def reasons(source: Source) -> list[tuple[str, str]]:
    return [(failure.note_id, failure.reason) for failure in source.malformed()]


def test_notes_lie_in_files_plain_and_packed(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    write(a=[patient(1), note(1), note(2)], b_gz=[note(3), note(4), note(5)], c=[])
    source = read()
    wanted = {f"DocumentReference/d{n}": f"Note {n}." for n in range(1, 6)}
    assert texts(source) == texts(source, 500) == wanted
    ids = [make_number("DocumentReference/d5"), make_number("DocumentReference/d1")]
    assert [row.note_text for rows in source.pick(ids, 1) for row in rows] == ["Note 1.", "Note 5."]
    assert source.present([*ids, 7]) == set(ids)
    assert sorted(source.note_ids([make_number("Patient/p1")])) == sorted(
        make_number(name) for name in wanted
    )


def test_another_night_finds_the_same_rows_wherever_they_lie(
    write: Callable[..., None], read: Callable[..., Source], tmp_path: Path
) -> None:
    write(a=[patient(1), note(1), note(2)])
    first = {row.note_id: row for unit, _ in read().plan(9) for row in read().read(unit)}
    (tmp_path / "export/a.ndjson").unlink()
    write(b=[note(3), note(2)], z_gz=[note(1), patient(1)])
    second = {row.note_id: row for unit, _ in read().plan(9) for row in read().read(unit)}
    assert {number: second[number] for number in first} == first
    assert len(second) == 3


def test_an_address_that_is_a_text_only_is_known_by_its_parts(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    write(a=[patient(1, address=[{"text": "12 rue Haute, 75012 Paris"}]), note(1)])
    person = make_number("Patient/p1")
    addresses = read().patients([person])[person].addresses
    assert Address("12 rue Haute", "75012", "Paris") in addresses


def test_what_is_known_of_a_patient_comes_from_every_version(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    number = {"type": {"coding": [{"code": "MR"}]}, "value": "80-1;2"}
    married = patient(1, meta=at("02"), identifier=[number], birthDate="1950-02-03")
    relative = {
        "resourceType": "RelatedPerson",
        "id": "r",
        "patient": {"reference": "Patient/p1"},
        "name": [{"text": "Olaf van der Zee"}],
    }
    before = patient(1, meta=at("01"), name=[{"text": "Ida LINDQVIST"}], gender="female")
    write(a=[before, married, relative])
    person = make_number("Patient/p1")
    source = read()
    found = source.patients([person])[person]
    assert found.family_names == ("LINDQVIST", "Osterholz1") and found.given_names == ("Ida",)
    assert found.identifiers == (Identifier("PATIENT_ID", "80-1;2"),)
    assert found.relatives == (PersonName(("Olaf",), ("van der Zee",)),)
    assert source.demographics([person])[person].gender_concept_id == 0
    assert source.has_identity([person]) == {person}


def test_the_latest_version_of_a_note_counts(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    old, new = note(1, "old", meta=at("01")), note(1, "new", meta=at("02"))
    same = note(2, "twice in the export")
    one, other = note(3, "one", meta=at("03")), note(3, "other", meta=at("03"))
    write(a=[patient(1), new, same, one], b=[old, same, other])
    source = read()
    assert sorted(filter(None, texts(source).values())) == ["new", "twice in the export"]
    assert reasons(source) == [(str(make_number("DocumentReference/d3")), "duplicate-id")]


def test_a_later_export_withdraws_what_was_an_error(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    wrong: dict[str, Any] = {"status": "entered-in-error"}
    gone = [note(1, meta=at("02"), **wrong), note(2, meta=at("01"), **wrong)]
    write(a=[patient(1), note(1, meta=at("01")), note(2, meta=at("02"))], b=gone)
    assert texts(read()) == {"DocumentReference/d2": "Note 2."}


def test_visits_clinicians_and_sites_join(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    visit = {
        "resourceType": "Encounter",
        "id": "v1",
        "class": {"code": "IMP"},
        "identifier": [{"value": "V-77"}],
        "subject": {"reference": "Patient/p1"},
        "period": {"start": "2024-05-01T08:00:00Z", "end": "2024-05-09"},
        "serviceProvider": {"reference": "Organization/o1", "display": "Ward 3"},
    }
    doctor = {"resourceType": "Practitioner", "id": "c1", "name": [{"text": "Dr Eva Brandt"}]}
    here: dict[str, Any] = {"context": {"encounter": [{"reference": "Encounter/v1"}]}}
    gone: dict[str, Any] = {"context": {"encounter": [{"reference": "Encounter/gone"}]}}
    named: dict[str, Any] = {"author": [{"reference": "Practitioner/c9", "display": "Nils Holm"}]}
    by: dict[str, Any] = {"author": [{"reference": "Practitioner/c1", "display": "ignored"}]}
    write(a=[note(1, **here, **by), note(2, **gone, **named), visit, doctor, patient(1)])
    source = read()
    first, second = (row for unit, _ in source.plan(9) for row in source.read(unit))
    assert source.visit_numbers([first.visit_occurrence_id]) == {
        make_number("Encounter/v1"): "V-77"
    }
    assert second.visit_occurrence_id is None
    assert source.clinicians([first.provider_id, second.provider_id]) == {
        make_number("Practitioner/c1"): PersonName(("Eva",), ("Brandt",)),
        make_number("Practitioner/c9"): PersonName(("Nils",), ("Holm",)),
    }
    keys = [make_number("Patient/p1")]
    names = ("visit_start_date", "visit_end_date", "visit_concept_id", "care_site_id")
    (stay,) = source.store.lookup("visit_occurrence", names, "person_id", keys)
    assert list(stay.values())[:3] == ["2024-05-01", "2024-05-09", 9201]
    assert stay["care_site_id"] == make_number("Organization/o1")


def test_kinds_of_documents_become_classes(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    codes = [
        {"system": "urn:local", "code": "L1"},
        {"system": "http://loinc.org", "code": "18842-5"},
    ]
    kinds: list[dict[str, Any]] = [{"type": {"coding": codes}}, {"type": {"coding": codes[:1]}}, {}]
    write(a=[patient(1), *(note(n, **kind) for n, kind in enumerate(kinds))])
    source = read(classes={"L1": 12})
    rows = [row for unit, _ in source.plan(9) for row in source.read(unit)]
    assert [row.note_class_concept_id for row in rows] == [3020091, 12, 0]


def test_lines_that_cannot_be_read_are_counted_and_the_rest_is_read(
    write: Callable[..., None], read: Callable[..., Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.exports.records.MOST_BYTES", 1_000)
    bundle = {"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient"}}]}
    write(a=[patient(1), "{", note(1, "x" * 2_000), note(2), bundle])
    source = read()
    assert texts(source) == {"DocumentReference/d2": "Note 2."}
    assert reasons(source) == [
        ("file-1-line-2", "not-json"),
        ("file-1-line-3", "too-large"),
        ("file-1-line-5", "malformed-resource"),
    ]


PDF = b"%PDF-1.4 a pretended one"


@pytest.mark.parametrize(
    ("attachment", "result"),
    [
        ({"contentType": "application/pdf", "data": encode(PDF)}, PDF),
        ({"url": "Binary/b1"}, b"of a Binary"),
        ({"url": "https://x.example/fhir/Binary/b1/_history/2"}, b"of a Binary"),
        ({"url": "notes/one%20file.txt"}, "notes/one file.txt"),
        ({"data": "%%%"}, "broken"),
        ({"url": "Binary/b2"}, "missing-document"),
        ({"url": "https://x.example/notes/1"}, "not-exported"),
        ({"title": "nothing"}, "no-text"),
    ],
)
def test_documents_are_inline_or_beside(
    write: Callable[..., None],
    read: Callable[..., Source],
    attachment: dict[str, Any],
    result: bytes | str,
) -> None:
    binary = {"resourceType": "Binary", "id": "b1", "data": encode("of a Binary")}
    write(a=[patient(1), note(1, attachment=attachment)], b_gz=[binary])
    source = read()
    (row,) = (row for unit, _ in source.plan(9) for row in source.read(unit))
    assert row.note_text is None
    for _ in ("as it was read", "again"):
        try:
            content = source.fetch_document(row.note_source_value)
            assert content is not None
            found: bytes | str = content.location if content.data is None else content.data
        except Unreadable as error:
            found = error.reason
        assert found == result
        vars(source.store)["_held"].clear()


def test_files_that_are_no_files_are_refused(
    write: Callable[..., None], read: Callable[..., Source], tmp_path: Path
) -> None:
    write(a=[patient(1), note(1)])
    (tmp_path / "outside").write_text(json.dumps(note(2)))
    (tmp_path / "export/b.ndjson").symlink_to(tmp_path / "outside")
    (tmp_path / "export/c.ndjson").hardlink_to(tmp_path / "outside")
    (tmp_path / "export/d.ndjson").mkdir()
    (tmp_path / "export/e.txt").write_text("not of the export")
    source = read()
    assert texts(source) == {"DocumentReference/d1": "Note 1."}
    assert reasons(source) == [
        ("file-2", "not-a-file"),
        ("file-3", "hard-link"),
        ("file-4", "not-a-file"),
    ]
    assert len(texts(read(hard_links=True))) == 2


def test_an_archive_that_is_cut_short_stops_the_run(
    write: Callable[..., None], read: Callable[..., Source], tmp_path: Path
) -> None:
    # What is missing would count as deleted, and be withdrawn.
    write(a_gz=[patient(1), *(note(n) for n in range(50))])
    path = tmp_path / "export/a_gz.ndjson.gz"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(Unavailable, match="damaged or not complete"):
        read()


def test_an_export_that_changes_while_it_is_read_stops_the_run(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    write(a=[patient(1), note(1)])
    source = read()
    write(a=[patient(1), note(1, "Changed")])
    with pytest.raises(Unavailable, match="changed while it was read"):
        texts(source)


def test_two_keys_of_one_number_are_never_one_row(
    write: Callable[..., None], read: Callable[..., Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "pipeline.warehouse.export_source.make_number",
        lambda key: 5 if key.startswith("DocumentReference") else make_number(key),
    )
    write(a=[patient(1), note(1), note(2)])
    source = read()
    assert texts(source) == {} and reasons(source) == [("5", "duplicate-id")]
    monkeypatch.setattr("pipeline.warehouse.export_source.make_number", lambda key: 5)
    write(a=[patient(1), patient(2)])
    with pytest.raises(ConfigError, match="same number"):
        read()


def test_what_an_export_cannot_have_is_refused(
    write: Callable[..., None], read: Callable[..., Source]
) -> None:
    with pytest.raises(Unavailable, match="not a directory"):
        read()
    write(a=[patient(1)])
    with pytest.raises(ConfigError, match=r"source\.identity"):
        read(identity=IdentitySettings("x", {}))
    with pytest.raises(ConfigError, match=r"source\.schema"):
        read(schema="cdm")


def test_persons_are_listed_by_their_keys_or_by_a_query(
    write: Callable[..., None], read: Callable[..., Source], tmp_path: Path
) -> None:
    write(a=[patient(1), patient(2), note(1), note(2, person=2)])
    settings = SourceSettings("fhir:export")
    first = make_number("Patient/p1")
    (tmp_path / "list.csv").write_text(f"person_id,why\nPatient/p1,x\n{first},y\n")
    to_id = choose_reader(settings.url)
    assert read_person_ids(tmp_path / "list.csv", "here", to_id) == [first, first]
    sql = "select person_id from patient_identity where patient = 'p1'"
    assert set(query_person_ids(sql, settings, tmp_path, "here")) == {first}
    for bad in ("delete from person", "select 1; select 2", "select 'Wexlovitch'"):
        with pytest.raises(CryptonymError) as caught:
            list(query_person_ids(bad, settings, tmp_path, "here"))
        assert "Wexlovitch" not in str(caught.value)
    source = read(objections=ObjectionSettings(file="list.csv"))
    assert texts(source) == {"DocumentReference/d2": "Note 2."}


def test_nothing_of_the_export_is_written_anywhere(
    write: Callable[..., None],
    read: Callable[..., Source],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("SQLITE_TMPDIR", str(scratch))
    monkeypatch.setattr("pipeline.warehouse.export_source._CACHE_KIB", 1)
    write(a=[patient(1), *(note(n, title="x" * 500) for n in range(2_000))])
    with closing(read()):
        assert list(scratch.iterdir()) == []
    assert list(scratch.iterdir()) == []
