"""Text of notes with markup and encodings: decoded, refused, or left as it is."""

import base64
import json
import quopri
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.limits import Extracted, Limits
from extractors.document_reader import DocumentReader
from extractors.note_text import read_note_text
from extractors.plain.plain_text import clean
from record.errors import Unreadable

FRENCH = (
    "Patient Jean Martin, né le 3 février 1950, hospitalisé pour décompensation cardiaque. "
    "Traité à l'hôpital Général.\n"
)


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    with DocumentReader(Limits()) as opened:
        yield opened


def wrong(encoding: str, shown_as: str) -> str:
    return FRENCH.encode(encoding).decode(shown_as)


DECODED = {
    "utf-8 as latin-1": (wrong("utf-8", "latin-1"), FRENCH),
    "utf-8 as windows": (FRENCH.encode().decode("cp1252", "replace"), FRENCH),
    "utf-8 twice": (wrong("utf-8", "latin-1").encode().decode("latin-1"), FRENCH),
    "utf-8 as latin-1 in part": (FRENCH + wrong("utf-8", "latin-1"), 2 * FRENCH),
    "dos as latin-1": (wrong("cp850", "latin-1"), FRENCH),
    "dos as windows": (FRENCH.encode("cp850").decode("cp1252"), FRENCH),
    "quoted-printable": (quopri.encodestring(FRENCH.encode()).decode(), FRENCH),
    "quoted-printable latin-1": (quopri.encodestring(FRENCH.encode("latin-1")).decode(), FRENCH),
    "base64": (base64.encodebytes(FRENCH.encode()).decode(), FRENCH),
    "html": (
        "<html><body><p>Patient <b>Jean Martin</b>, n&eacute; en 1950</p><p>TA 12/7</p></body>"
        "</html>",
        "Patient Jean Martin, né en 1950\n\nTA 12/7",
    ),
    "html in base64": (
        base64.encodebytes(b"<html><p>Jean Martin</p><p>TA 12/7, FC 80, S 98</p></html>").decode(),
        "Jean Martin\n\nTA 12/7, FC 80, S 98",
    ),
    "rows of html": (
        "<tr><td>Nom</td><td>Jean Martin</td></tr>\n<tr><td>TA</td><td>12/7</td></tr>",
        "Nom\tJean Martin\nTA\t12/7",
    ),
    "signs in lines": (
        "<b>Martin</b> Jean\nTA&nbsp;: 12\nFC&nbsp;: 8",
        "Martin Jean\nTA\xa0: 12\nFC\xa0: 8",
    ),
    "rtf": (r"{\rtf1\ansi\ansicpg1252 Jean Martin, n\'e9\par TA 12/7}", "Jean Martin, né\nTA 12/7"),
    "signs of addresses": ("Tel. %2B33%20%280%291%2081, vu", "Tel. +33 (0)1 81, vu"),
    "one entity": ("Ren&eacute; Martin, vu ce jour", "René Martin, vu ce jour"),
    "a message": (
        "MIME-Version: 1.0\nFrom: a@b.example\nSubject: avis\n"
        "Content-Type: text/plain; charset=utf-8\n"
        "Content-Transfer-Encoding: quoted-printable\n\nRen=C3=A9 Martin",
        "From: a@b.example\nSubject: avis\n\nRené Martin",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", DECODED)
def test_markup_and_encodings_are_decoded(kind: str, reader: DocumentReader) -> None:
    text, plain = DECODED[kind]
    assert read_note_text(text, reader.read) == plain


REFUSED = {
    "json": ("markup", json.dumps({"nom": "MARTIN", "prenom": "Jean"})),
    "json in lines": ("markup", "".join(f'{{"nom": "MARTIN", "n": {n}}}\n' for n in range(3))),
    "json in a note": ("markup", 'Vu. {"nom": "MARTIN", "prenom": "Jean", "ddn": "3.2.50"} Fin.'),
    "json that is cut off": ("markup", '{"nom": "MARTIN", "prenom": "Jean", "motif": "toux'),
    "csv": ("markup", "nom;prenom;ddn\nMARTIN;Jean;03/02/1950\nDURAND;Paul;04/05/1960"),
    "csv without a head": ("markup", "MARTIN,Jean,M,Lyon,toux\nDURAND,Paul,M,Paris,fièvre\n"),
    "csv with dates": ("markup", "MARTIN;Jean;1950-02-03;a\nDURAND;Paul;1960-05-04;b"),
    "quoted csv": ("markup", '"Vorname","Nachname","geb."\n"Jean","MARTIN","3.2.50"\n'),
    "xml": ("markup", "<note><nom>MARTIN</nom><prenom>Jean</prenom></note>"),
    "pieces of xml": ("markup", "Vu <nom>MARTIN</nom> <prenom>Jean</prenom> <n>3</n> ce jour"),
    "html that is cut off": ("markup", "<html><body><p>MARTIN</p><p>Jean</p><p>TA"),
    "hl7": ("markup", "MSH|^~\\&|A|B\rPID|1||123||MARTIN^Jean"),
    "rtf inside": ("markup", r"Vu ce jour {\rtf1\ansi MARTIN\par}"),
    "base64 inside": ("encoding", FRENCH + base64.encodebytes(FRENCH.encode()).decode()),
    "escapes": ("encoding", r"Ren\u00e9 Andr\u00e9 o\u00f9 H\u00e9l\u00e8ne"),
    "cyrillic as latin-1": (
        "encoding", "Пациент Иванов поступил в отделение".encode("cp1251").decode("latin-1"),
    ),
    "a control for a letter": ("encoding", "M. Ren\x82 Martin sort demain €"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_as_text_is_refused(kind: str, reader: DocumentReader) -> None:
    reason, text = REFUSED[kind]
    with pytest.raises(Unreadable) as refused:
        read_note_text(text, reader.read)
    assert refused.value.reason == reason


ORDINARY = (
    FRENCH,
    "TA < 12 & FC > 80, PaO2=95, FC=88, Sat=C, <5 mg, T°<38, pt & famille, R&D, A&E",
    "PLT <LLN, Hb<8 -> transfusion",
    "Na\t140\tmmol/l\t135-145\nK\t4.1\tmmol/l\t3.5-5\n",
    "Na | 140 | mmol\nK | 4 | mmol",
    "Hémoglobine;12;g/dl;Normal\nFerritine;80;ug/l;Normal",
    "Matin, midi, soir\nRepas, boisson, sommeil",
    'Elle dit : "je vais bien", "tout va bien": rassurée. {sic}',
    "[1] vu, [2] revu",
    "« été »… l’hôpital – où — 10 € • suite ‘x’ “y” ™ œuvre NÃO SÃO",
    "LÂCHÉ, PÂLE, âgé, Ñuñoa, Łódź, Şahin, μg, 38 °C, ½, ≥ 3, → avis",
    "TA 12/7\x92 stable",
    "Vu\x02 à 8\x01h",
    "https://pacs.example/view?acc=CA240521-77&u=12&x=%20a",
    "https://pacs.example/view?name=a%20b%20c, FEVG 50%20, 50%/20%",
    "Séquence ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT",
    "3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed7e6dc881",
    "From: a@b.example\nTo: c@d.example\nVoir le patient ce jour",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_stray_signs_cost_nothing(text: str) -> None:
    def never(data: bytes) -> Extracted:
        raise AssertionError

    assert read_note_text(text, never) == clean(text).replace("\x92", "’") or "\x92" in text


@given(st.text(alphabet="aé <>&;:\"'{}[]|,\n=%\\ÃÂ\x82\xa9/btr", max_size=60))
def test_any_text_is_read_or_refused_and_always_alike(text: str) -> None:
    def read(data: bytes) -> Extracted:
        return Extracted("read", "html")

    def once() -> str:
        try:
            return read_note_text(text, read)
        except Unreadable as refused:
            assert refused.reason in ("markup", "encoding")
            return refused.reason

    assert once() == once()


def test_long_base64_that_ends_wrong_is_refused_at_once() -> None:
    # Of an expression that can cut the lines in many ways this would take forever.
    lines = "\n".join(["QWJjZGVmMTIzNDU2" * 5] * 5_000)
    with pytest.raises(Unreadable) as refused:
        read_note_text(f"{lines}\n!", lambda data: Extracted("read", "html"))
    assert refused.value.reason == "encoding"


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        f"Pièce {in_base64('Alphonse Marty')} jointe",
        f"Pièce jointe : {in_base64('Marty, IPP 8736249124, né le 19/08/1925')}.",
        "".join(chr(0xE000 + ord(letter)) for letter in "Dossier Marty"),
        "Dossier " + "".join(chr(0xF0000 + ord(letter)) for letter in "Marty"),
    ],
)
def test_words_that_only_a_program_reads_are_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="encoding"):
        read_note_text(text, lambda data: Extracted("read", "html"))


@pytest.mark.parametrize(
    "text",
    [
        "électroencéphalographie anticonstitutionnellement", "HbA1c/LDL/HDL/TG/CRP/VS/TSH/T4",
        "SARMABCDEFGHIJKLMNOP1234", "voir /radiologie/archives/thorax/2021", "a" * 40,
        "\uf0b7 aspirine \uf0b7 repos", "\ue838\ue838\ue838\ue838\ue839 bon", "\uf0a7\uf0d8",
    ],
)  # fmt: skip
def test_long_words_and_bullets_are_not(text: str) -> None:
    assert read_note_text(text, lambda data: Extracted("read", "html")) == clean(text)
