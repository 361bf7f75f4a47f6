"""HL7 v2 messages as rows: patients, documents, escapes, and what is no message."""

import base64
import logging
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config.settings import SourceSettings
from pipeline.exports.hl7v2 import Hl7Export, parse_message
from pipeline.exports.records import make_number
from pipeline.warehouse.warehouse import open_source
from record.errors import Unreadable
from record.patient import Address, Identifier, PersonName

HL7 = Hl7Export()
PDF = base64.b64encode(b"%PDF-1.4 a pretended one").decode()


def head(kind: str, moment: str = "20240506070809+0200", number: str = "M1") -> str:
    return f"MSH|^~\\&|LAB|HOSP|CDW|HOSP|{moment}||{kind}|{number}|P|2.5|||||FRA|UNICODE UTF-8"


PID = (
    "PID|1||8001^^^HOSP^MR~1500275123^^^FR^NI||LEFÈVRE&LEFÈVRE^Jean^Paul Marie^^M.^^L"
    "~MARTIN^Jean^^^^^M||19500203|M|||3 rue des Lilas^Bât. B^Paris^^75012^FR||"
    "01 44 55 66 77^PRN^PH^jp@example.org|||||ACC-9|"
)
NK1 = "NK1|1|LEFÈVRE^Marie|SPO||+33 1 23 45 67 89"
PV1 = "PV1|1|I||||||77^BRANDT^Eva|||||||||||V-123^^^HOSP|||||||||||||||||||||||||20240501|20240509"
TXA = "TXA|1|18842-5^Lettre de sortie|TX|20240506|||||42^HOLM^Nils|||DOC-5|||||AU"
MDM = [head("MDM^T02"), PID, NK1, PV1, TXA, "OBX|1|TX|x||Cher confrère,~Hb 12 \\T\\ Hct 40"]


def message(*segments: str) -> bytes:
    return ("\r".join(segments) + "\r").encode()


def rows(*segments: str) -> list[Any]:
    found, reasons = HL7.read_rows(message(*segments))
    assert reasons == []
    return found


def test_a_document_and_all_that_is_known_of_its_patient(tmp_path: Path) -> None:
    (tmp_path / "a.hl7").write_bytes(message(*MDM))
    key = make_number("Patient/HOSP/8001")
    with closing(open_source(SourceSettings("hl7:."), tmp_path)) as source:
        ((unit, _),) = source.plan(9)
        (note,) = source.read(unit)
        patient = source.patients([key])[key]
        assert source.visit_numbers([note.visit_occurrence_id]) == {
            make_number("Visit/HOSP/V-123"): "V-123"
        }
        assert list(source.clinicians([note.provider_id]).values()) == [
            PersonName(("Nils",), ("HOLM",))
        ]
    assert note.note_text == "Cher confrère,\nHb 12 & Hct 40"
    assert (note.note_date, note.note_title) == ("2024-05-06", "Lettre de sortie")
    assert (note.person_id, note.note_class_concept_id) == (key, 3020091)
    assert patient.given_names == ("Jean", "Paul", "Marie")
    assert (patient.family_names, patient.birth_names) == (("LEFÈVRE",), ("MARTIN",))
    assert str(patient.birth_date) == "1950-02-03" and patient.gender == "M"
    assert set(patient.phones) == {"01 44 55 66 77", "+33 1 23 45 67 89"}
    assert patient.emails == ("jp@example.org",)
    assert set(patient.identifiers) == {
        Identifier("PATIENT_ID", "8001"),
        Identifier("SSN", "1500275123"),
        Identifier("ACCOUNT", "ACC-9"),
    }
    assert patient.relatives == (PersonName(("Marie",), ("LEFÈVRE",)),)
    assert Address("3 rue des Lilas", "75012", "Paris", "FR") in patient.addresses
    assert Address("Bât. B") in patient.addresses


def test_each_observation_with_text_is_a_note() -> None:
    found = rows(
        head("ORU^R01"),
        PID,
        "OBR|1|P1|F1|24627-2^Chest CT|||20240506",
        "OBX|1|FT|x||No nodule.\\.br\\\\.br\\Signed.",
        "OBX|2|ST|y||Conclusion: normal",
        "OBX|3|TX|z||withdrawn line||||||W",
        "OBR|2|P2|F2|718-7^Haemoglobin|||20240506",
        "OBX|1|NM|718-7||12.1|g/dL",
        f"OBR|3|P3||11502-2^Report|||20240506\rOBX|1|ED|x||LAB^application^pdf^Base64^{PDF}",
    )
    notes = [row for row in found if row.table == "note"]
    assert [row.key for row in notes] == ["OBR/LAB/HOSP/F1/24627-2", "OBR/LAB/HOSP/P3/11502-2"]
    assert [row.item for row in notes] == [0, 2]


def test_text_is_text_and_a_document_is_bytes() -> None:
    texts = ["OBX|1|FT|x||No nodule.\\.br\\\\.br\\Signed.", "OBX|2|ST|y||Conclusion: a^b"]
    data = message(head("ORU^R01"), PID, "OBR|1|P|F|c", *texts, "OBX|3|TX|z||no||||||W")
    assert HL7.read_content(data, 0).text == "No nodule.\n\nSigned.\nConclusion: a^b"
    for value, content in (
        (f"LAB^AP^PDF^Base64^{PDF}", b"%PDF-1.4 a pretended one"),
        ("LAB^TEXT^^A^plain", b"plain"),
    ):
        data = message(head("ORU^R01"), PID, "OBR|1|P|F|c", f"OBX|1|ED|x||{value}")
        assert HL7.read_content(data, 0).data == content
    data = message(head("ORU^R01"), PID, "OBR|1|P|F|c", "OBX|1|ED|x||L^AP^PDF^Base64^%%%")
    with pytest.raises(Unreadable, match="broken"):
        HL7.read_content(data, 0)
    data = message(head("ORU^R01"), PID, "OBR|1|P|F|c", "OBX|1|RP|x||docs/a.pdf")
    assert HL7.read_content(data, 0).location == "docs/a.pdf"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a \\F\\ b \\S\\ c \\T\\ d \\R\\ e \\E\\", "a | b ^ c & d ~ e \\"),
        ("one\\.br\\two\\.sp2\\three", "one\ntwo\n\nthree"),
        ("\\H\\bold\\N\\", "bold"),
        ("\\XE9\\t\\X41\\", "étA"),
        ("\\.br999999999\\", "\\.br999999999\\"),
        ("\\Zown\\ and \\unknown\\", "\\Zown\\ and \\unknown\\"),
        ("C:\\Smith is not lost", "C:\\Smith is not lost"),
    ],
)
def test_escapes_lose_no_text(written: str, read: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    data = message(head("MDM^T02"), PID, TXA, f"OBX|1|TX|x||{written}")
    assert HL7.read_content(data, 0).text == read
    assert caplog.text == ""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Wexlovitch",
        b"MSH",
        b"MSH|",
        b"PID|1\rMSH|^~\\&|",
        message(head("MDM^T02"), PID, TXA, "OBX|1|TX|x||one", "a line of its own"),
    ],
)
def test_what_is_no_message_has_its_reason(data: bytes) -> None:
    assert HL7.read_rows(data) == ([], ["malformed-message"])


def test_other_messages_are_left_out() -> None:
    assert rows(head("ADT^A01"), PID) == []


def test_a_document_without_a_patient_has_no_person() -> None:
    (note,) = (row for row in rows(head("MDM^T02"), TXA, MDM[-1]) if row.table == "note")
    assert note.values["person_id"] is None


def test_messages_are_found_in_a_file_however_they_are_framed(tmp_path: Path) -> None:
    later = [head("MDM^T08", "20240507", "M2"), *MDM[1:5], "OBX|1|TX|x||Corrected"]
    other = [head("MDM^T02", "20240506", "M3"), PID, TXA.replace("DOC-5", "DOC-6"), MDM[-1]]
    cancelled = [head("MDM^T11", "20240508", "M4"), PID, TXA.replace("DOC-5", "DOC-6")]
    framed = b"\x0b" + message(*MDM) + b"\x1c\r\x0b" + message(*later) + b"\x1c\r"
    batch = b"FHS|^~\\&\rBHS|^~\\&\r" + message(*other) + message(*cancelled) + b"BTS|2\rFTS|1\r"
    (tmp_path / "a.hl7").write_bytes(framed + message(*other).replace(b"\r", b"\r\n"))
    (tmp_path / "b.hl7").write_bytes(batch)
    (tmp_path / "c.hl7").write_bytes(b"no message")
    assert len(list(HL7.split("a.hl7", BytesIO((tmp_path / "a.hl7").read_bytes())))) == 3
    with closing(open_source(SourceSettings("hl7:."), tmp_path)) as source:
        found = [row for unit, _ in source.plan(9) for row in source.read(unit)]
        assert [row.note_text for row in found] == ["Corrected"]
        assert [(each.note_id, each.reason) for each in source.malformed()] == [
            ("file-3-line-1", "malformed-message")
        ]


PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="|\r\n\x0b\x1c\\"), max_size=20)


@given(st.lists(st.lists(PLAIN, max_size=5), max_size=4))
def test_fields_are_those_that_another_library_reads(segments: list[list[str]]) -> None:
    hl7 = pytest.importorskip("hl7", reason="python-hl7 is not installed")
    lines = [head("ORU^R01"), *("|".join(["ZZ1", *fields]).rstrip() for fields in segments)]
    data = "\r".join(lines).encode()
    ours, theirs = parse_message(data).segments, hl7.parse(data.decode())
    assert [list(map(str, each)) for each in theirs] == ours
