import base64
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.document.limits import Extracted, Limits
from extractors.markup.cda import extract
from extractors.plain.plain_text import clean
from record.errors import Unreadable
from record.languages import LANGUAGES

PERSON = "<name><prefix>{}</prefix><given>{}</given><family>{}</family></name>"
ADDRESSES = {
    "fr": "<addr><houseNumber>12</houseNumber><streetName>rue Victor Hugo</streetName>"
    "<postalCode>69003</postalCode><city>Lyon</city></addr>",
    "en": "<addr><streetAddressLine>12 Elm Street</streetAddressLine><city>Portland</city>"
    "<state>OR</state><postalCode>97266</postalCode></addr>",
    "es": "<addr>Calle Mayor 3, 28013 Madrid</addr>",
    "de": "<addr>Ahornweg 3, 69115 Heidelberg</addr>",
    "nl": "<addr>Kerkstraat 3, 1017 GN Amsterdam</addr>",
}
NAMES = {
    "fr": ("Mme", "Zoë", "LEFÈVRE"),
    "en": ("Mrs.", "Mary", "O'Neil"),
    "es": ("Doña", "Íñiga", "Muñoz García"),
    "de": ("Frau", "Jutta", "Groß"),
    "nl": ("Mevrouw", "Sanne", "de Vries"),
}
HEADERS = {
    "fr": """\
Compte rendu d'hospitalisation

Date: 04/03/2024 10:15
Patient: Mme Zoë LEFÈVRE
Né(e) le: 03/02/1950
Lieu de naissance: Évry
Sexe: Féminin
Identifiant patient: 8012345678 (CHU)
Adresse: 12 rue Victor Hugo, 69003 Lyon
Tél.: +33472110000
Courriel: zoe@example.org
Auteur: Dr Anne Martin, CHU de Lyon
Identifiant: 10001234567
Fax: 0472119999
Établissement: CHU de Lyon
N° de séjour: V42
Séjour: du 01/03/2024 au 04/03/2024
Lieu: Cardiologie""",
    "en": """\
Discharge summary

Date: 2024-03-04 10:15
Patient: Mrs. Mary O'Neil
Date of birth: 1950-02-03
Place of birth: Évry
Sex: Female
Patient ID: 8012345678 (CHU)
Address: 12 Elm Street, Portland, OR, 97266
Phone: +33472110000
E-mail: zoe@example.org
Author: Dr Anne Martin, CHU de Lyon
ID: 10001234567
Fax: 0472119999
Hospital: CHU de Lyon
Visit ID: V42
Encounter: from 2024-03-01 to 2024-03-04
Location: Cardiologie""",
    "es": """\
Informe de alta

Fecha: 04/03/2024 10:15
Paciente: Doña Íñiga Muñoz García
Fecha de nacimiento: 03/02/1950
Lugar de nacimiento: Évry
Sexo: Mujer
NHC: 8012345678 (CHU)
Dirección: Calle Mayor 3, 28013 Madrid
Teléfono: +33472110000
Correo electrónico: zoe@example.org
Autor: Dr Anne Martin, CHU de Lyon
Identificador: 10001234567
Fax: 0472119999
Hospital: CHU de Lyon
Nº de episodio: V42
Episodio: del 01/03/2024 al 04/03/2024
Lugar: Cardiologie""",
    "de": """\
Entlassungsbrief

Datum: 04.03.2024 10:15
Patient: Frau Jutta Groß
Geburtsdatum: 03.02.1950
Geburtsort: Évry
Geschlecht: weiblich
Patientennummer: 8012345678 (CHU)
Anschrift: Ahornweg 3, 69115 Heidelberg
Tel.: +33472110000
E-Mail: zoe@example.org
Autor: Dr Anne Martin, CHU de Lyon
Kennung: 10001234567
Fax: 0472119999
Krankenhaus: CHU de Lyon
Fallnummer: V42
Aufenthalt: vom 01.03.2024 bis 04.03.2024
Ort: Cardiologie""",
    "nl": """\
Ontslagbrief

Datum: 04-03-2024 10:15
Patiënt: Mevrouw Sanne de Vries
Geboortedatum: 03-02-1950
Geboorteplaats: Évry
Geslacht: vrouw
Patiëntnummer: 8012345678 (CHU)
Adres: Kerkstraat 3, 1017 GN Amsterdam
Tel.: +33472110000
E-mail: zoe@example.org
Auteur: Dr Anne Martin, CHU de Lyon
Nummer: 10001234567
Fax: 0472119999
Ziekenhuis: CHU de Lyon
Opnamenummer: V42
Opname: van 01-03-2024 tot 04-03-2024
Plaats: Cardiologie""",
}


def document(body: str, header: str = "", encoding: str = "UTF-8") -> bytes:
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>'
        '<?xml-stylesheet type="text/xsl" href="http://example.org/cda.xsl"?>'
        '<ClinicalDocument xmlns="urn:hl7-org:v3"><id root="2.16.840.1.113883" extension="CANARY"/>'
        f"{header}<component>{body}</component></ClinicalDocument>"
    ).encode(encoding)


def header(lang: str) -> str:
    return f"""
<title>{HEADERS[lang].partition(chr(10))[0]}</title>
<effectiveTime value="20240304101500+0100"/><languageCode code="{lang}-XX"/>
<recordTarget><patientRole>
  <id root="1.2.250.1" extension="8012345678" assigningAuthorityName="CHU"/>{ADDRESSES[lang]}
  <telecom value="tel:+33472110000" use="HP"/><telecom value="mailto:zoe@example.org"/>
  <patient>{PERSON.format(*NAMES[lang])}<administrativeGenderCode code="F"/>
    <birthTime value="19500203"/>
    <birthplace><place><addr><city>Évry</city></addr></place></birthplace></patient>
</patientRole></recordTarget>
<author><time value="20240304"/><assignedAuthor><id root="1.2" extension="10001234567"/>
  <telecom value="fax:0472119999"/>
  <assignedPerson>{PERSON.format("Dr", "Anne", "Martin")}</assignedPerson>
  <representedOrganization><name>CHU de Lyon</name></representedOrganization>
</assignedAuthor></author>
<custodian><assignedCustodian><representedCustodianOrganization><name>CHU de Lyon</name>
</representedCustodianOrganization></assignedCustodian></custodian>
<componentOf><encompassingEncounter><id root="1.3" extension="V42"/>
  <effectiveTime><low value="20240301"/><high value="20240304"/></effectiveTime>
  <location><healthCareFacility><location><name>Cardiologie</name></location>
  </healthCareFacility></location></encompassingEncounter></componentOf>"""


def section(text: str, title: str = "", inner: str = "", entries: str = "") -> str:
    title = f"<title>{title}</title>" if title else ""
    return f"<component><section>{title}<text>{text}</text>{entries}{inner}</section></component>"


def structured(*sections: str) -> str:
    return f"<structuredBody>{''.join(sections)}</structuredBody>"


def read(body: str, **limits: int) -> str:
    return extract(document(body), Limits(**limits)).text


def reason(data: bytes, **limits: int) -> str:
    with pytest.raises(Unreadable) as caught:
        extract(data, Limits(**limits))
    return caught.value.reason


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("encoding", ["UTF-8", "ISO-8859-1", "windows-1252", "UTF-16"])
def test_the_header_is_read_as_labelled_lines(lang: str, encoding: str) -> None:
    data = document(structured(section("été", "Suites")), header(lang), encoding)
    extracted = extract(data, Limits())
    assert extracted.text == f"{HEADERS[lang]}\n\nSuites\nété"
    assert extracted.origin == "cda"


@pytest.mark.parametrize(
    ("narrative", "text"),
    [
        ("à  jeun\n depuis 8 h", "à jeun depuis 8 h"),
        ("<paragraph>un</paragraph><paragraph>deux<br/>trois</paragraph>", "un\ndeux\ntrois"),
        ("CO<sub>2</sub> à 10<sup>3</sup> <content styleCode='Bold'>DUPONT</content>.",
         "CO2 à 103 DUPONT."),
        ("<list><caption>Plan</caption><item>un</item><item>deux<list listType='ordered'>"
         "<item>a</item><item>b</item></list></item></list>", "Plan\n- un\n- deux\n1. a\n2. b"),
        ("<table><caption>Bilan</caption><thead><tr><th>Na</th><th>K</th></tr></thead><tbody>"
         "<tr><td>140</td><td> 4,1 </td></tr><tr><td/><td>4</td></tr></tbody></table>",
         "Bilan\nNa\tK\n140\t4,1\n\t4"),
        ("<table><tr><td><paragraph>a</paragraph><paragraph>b</paragraph></td><td>c</td></tr>"
         "</table>", "a\nb\nc"),
        ("a<content revised='delete'>CANARY</content><content revised='insert'>b</content>", "ab"),
        ("a<footnote ID='f'>note</footnote> b<footnoteRef IDREF='f'/>", "a b\nnote"),
        ("voir <linkHtml href='http://CANARY/'>ici</linkHtml><!-- CANARY -->", "voir ici"),
        ("<renderMultiMedia referencedObject='x'><caption>Photo</caption></renderMultiMedia>",
         "Photo"),
    ],
)  # fmt: skip
def test_narrative(narrative: str, text: str) -> None:
    assert read(structured(section(narrative))) == text


def test_sections_in_sections() -> None:
    inner = section("deux", "Examen") + section("", "Vide")
    body = structured(section("un", "Histoire", inner), section("trois"))
    assert read(body) == "Histoire\nun\n\nExamen\ndeux\n\nVide\n\ntrois"


def test_entries_and_metadata_never_come_out() -> None:
    entries = (
        '<entry><observation><code displayName="CANARY"/><text>CANARY</text></observation></entry>'
    )
    data = document(structured(section("a", entries=entries)), "<realmCode code='CANARY'/>")
    extracted = extract(data, Limits())
    assert extracted.text == "a"
    assert "CANARY" not in repr(extracted)


def media(content: bytes, kind: str) -> str:
    return (
        f"<entry><observationMedia ID='m'><value mediaType='{kind}' representation='B64'>"
        f"{base64.b64encode(content).decode()}</value></observationMedia></entry>"
    )


SHOWN = "avant <renderMultiMedia referencedObject='m'/>"


def test_attachments_that_are_shown_are_read_once() -> None:
    def reader(data: bytes) -> Extracted:
        return Extracted(data.decode().upper(), "x")

    def attached(kind: str) -> bytes:
        return document(structured(section(SHOWN * 2, entries=media(b"%pdf", kind))))

    assert extract(attached("application/pdf"), Limits(), reader).text == "avant\n%PDF\navant"
    assert extract(attached("image/png"), Limits()).text == "avant\navant"
    assert reason(attached("application/pdf")) == "unread-part"
    hidden = structured(section("a", entries=media(b"%pdf", "application/pdf")))
    assert read(hidden) == "a"


def unstructured(content: str, attributes: str) -> str:
    return f"<nonXMLBody><text {attributes}>{content}</text></nonXMLBody>"


def test_bodies_that_are_no_xml() -> None:
    assert read(unstructured("Mme DUPRÉ\n va  bien", "mediaType='text/plain'")) == (
        "Mme DUPRÉ\n va  bien"
    )
    encoded = base64.encodebytes("Mme DUPRÉ, née à Évry".encode("cp1252")).decode()
    plain = unstructured(encoded, "mediaType='text/plain' representation='B64'")
    assert read(plain) == "Mme DUPRÉ, née à Évry"
    rtf = unstructured(encoded, "mediaType='text/rtf' representation='B64'")
    with_reader = extract(document(rtf), Limits(), lambda data: Extracted(str(len(data)), "x"))
    assert with_reader.text == "21"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (unstructured("YQ==", "mediaType='application/pdf' representation='B64'"), "unread-part"),
        (unstructured("<b>a</b>", "mediaType='text/html'"), "unread-part"),
        (unstructured("<reference value='a.pdf'/>", "mediaType='text/plain'"), "unread-part"),
        (unstructured("YQ==", "representation='B64' compression='GZ'"), "unread-part"),
        (unstructured("?", "mediaType='text/plain' representation='B64'"), "broken"),
        (unstructured(" ", "mediaType='text/plain'"), "no-text"),
        (structured(), "no-text"),
        (structured(section("&x;")), "broken"),
        ("<structuredBody>", "broken"),
        (structured("<component><section>" * 80 + "</section></component>" * 80), "broken"),
        (structured(section("a" * 2_000)), "too-long"),
    ],
)
def test_what_cannot_be_read_in_full_is_refused(body: str, expected: str) -> None:
    assert reason(document(body), max_characters=1_000) == expected


def test_other_xml_is_refused() -> None:
    assert reason(b"<html/>") == "unknown-format"
    assert reason(b"<ClinicalDocument xmlns='urn:other'/>") == "unknown-format"
    bomb = b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + document(structured(section("&a;")))[38:]
    assert reason(bomb) == "broken"
    assert reason(document(structured(section("a" * 500))), max_bytes=100) == "too-large"


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Co", "Zl", "Zp")), max_size=20)


@given(st.lists(WORDS, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_text_goes_through_unchanged(texts: list[str]) -> None:
    texts = [text for text in (" ".join(clean(text).split()) for text in texts) if text]
    if texts:
        written = "".join(f"<paragraph>{escape(text)}</paragraph>" for text in texts)
        assert read(structured(section(written))) == clean("\n".join(texts))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_documents_are_read_or_refused(data: st.DataObject) -> None:
    whole = document(structured(section("<table><tr><td>a</td></tr></table>")), header("fr"))
    assert reason(whole[: data.draw(st.integers(0, len(whole) - 1))]) in (
        "broken", "unknown-encoding", "unknown-format"
    )  # fmt: skip
    damaged = bytearray(whole)
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=5)):
        damaged[at] = data.draw(st.integers(0, 255))
    try:
        assert extract(bytes(damaged), Limits()).text
    except Unreadable as unreadable:
        assert unreadable.reason != "unspecified"
