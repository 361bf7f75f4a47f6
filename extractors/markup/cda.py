"""Extraction of HL7 CDA R2 documents: header and narrative as a browser displays them."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from extractors.document.limits import Extracted, Limits
from extractors.plain import plain_text
from extractors.word.xml_tree import find_all, find_first, parse_xml
from record.errors import Unreadable
from record.languages import LANGUAGES

# Key, then its label in each language, in their order.
_WORDS = """
patient | Patient | Patient | Paciente | Patient | Patiënt
birth | Né(e) le | Date of birth | Fecha de nacimiento | Geburtsdatum | Geboortedatum
born | Lieu de naissance | Place of birth | Lugar de nacimiento | Geburtsort | Geboorteplaats
sex | Sexe | Sex | Sexo | Geschlecht | Geslacht
patient-id | Identifiant patient | Patient ID | NHC | Patientennummer | Patiëntnummer
address | Adresse | Address | Dirección | Anschrift | Adres
phone | Tél. | Phone | Teléfono | Tel. | Tel.
fax | Fax | Fax | Fax | Fax | Fax
mail | Courriel | E-mail | Correo electrónico | E-Mail | E-mail
link | Lien | Link | Enlace | Link | Link
author | Auteur | Author | Autor | Autor | Auteur
custodian | Établissement | Hospital | Hospital | Krankenhaus | Ziekenhuis
signer | Signé par | Signed by | Firmado por | Unterschrieben von | Ondertekend door
recipient | Destinataire | Recipient | Destinatario | Empfänger | Ontvanger
informant | Informateur | Informant | Informante | Auskunftsperson | Informant
person | Intervenant | Performer | Profesional | Behandler | Behandelaar
contact | Contact | Contact | Contacto | Kontakt | Contact
stay | Séjour | Encounter | Episodio | Aufenthalt | Opname
stay-id | N° de séjour | Visit ID | Nº de episodio | Fallnummer | Opnamenummer
place | Lieu | Location | Lugar | Ort | Plaats
id | Identifiant | ID | Identificador | Kennung | Nummer
date | Date | Date | Fecha | Datum | Datum
from | du | from | del | vom | van
to | au | to | al | bis | tot
F | Féminin | Female | Mujer | weiblich | vrouw
M | Masculin | Male | Hombre | männlich | man
"""
# What stands between day, month and year, where it is not a slash.
_DATE_SIGNS = {"de": ".", "nl": "-"}
_LABEL_ROWS = [line.split(" | ") for line in _WORDS.strip().splitlines()]
_LABELS: dict[str, dict[str, str]] = {
    language: {key: words[place] for key, *words in _LABEL_ROWS}
    for place, language in enumerate(LANGUAGES)
}

# Roles in reading order: label, path from the root.
_ROLES = (
    ("patient-id", "recordTarget/patientRole"),
    ("author", "author/assignedAuthor"),
    ("person", "dataEnterer/assignedEntity"),
    ("informant", "informant/assignedEntity"),
    ("informant", "informant/relatedEntity"),
    ("custodian", "custodian/assignedCustodian"),
    ("recipient", "informationRecipient/intendedRecipient"),
    ("signer", "legalAuthenticator/assignedEntity"),
    ("signer", "authenticator/assignedEntity"),
    ("contact", "participant/associatedEntity"),
    ("person", "documentationOf/serviceEvent/performer/assignedEntity"),
)
_PERSONS = (
    "assignedPerson informationRecipient relatedPerson associatedPerson guardianPerson".split()
)
_PLACES = (
    "representedOrganization representedCustodianOrganization receivedOrganization "
    "scopingOrganization providerOrganization guardianOrganization serviceProviderOrganization "
    "assignedAuthoringDevice"
).split()
_SCHEMES = {"tel": "phone", "fax": "fax", "x-text-fax": "fax", "mailto": "mail"}
_SAME_LINE = frozenset("h:houseNumber h:houseNumberNumeric h:postalCode h:streetNameType".split())
_MOMENT = re.compile(r"(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)\d*(?:\.\d+)?)?(?:[+-]\d{4}|Z)?")


class CdaHeader:
    """Writes a document's header with labels in its language."""

    def __init__(self, document: Element) -> None:
        language = find_first(document, "h:languageCode")
        code = "" if language is None else language.get("code", "")
        self._language = code[:2].lower() if code[:2].lower() in _LABELS else "en"
        self._labels = _LABELS[self._language]
        self._document = document

    def write(self) -> str:
        """Return the lines shown above the sections of the document."""
        lines = [*self._date("date", find_first(self._document, "h:effectiveTime"))]
        for label, path in _ROLES:
            for role in find_all(self._document, *_element_path(path)):
                lines += self._patient(role) if label == "patient-id" else self._role(label, role)
        for stay in find_all(self._document, *_element_path("componentOf/encompassingEncounter")):
            lines += self._stay(stay)
        return "\n".join(dict.fromkeys(lines))

    def _line(self, label: str, value: str) -> Iterator[str]:
        if value:
            yield f"{self._labels[label]}: {value}"

    def _patient(self, role: Element) -> Iterator[str]:
        for patient in find_all(role, "h:patient"):
            for name in find_all(patient, "h:name"):
                yield from self._line("patient", _text_of_name(name))
            yield from self._date("birth", find_first(patient, "h:birthTime"))
            for place in find_all(patient, *_element_path("birthplace/place")):
                yield from self._line(
                    "born",
                    _join_distinct(
                        _text_of_name(find_first(place, "h:name")), _format_addresses(place)
                    ),
                )
            yield from self._line(
                "sex", self._format_sex(find_first(patient, "h:administrativeGenderCode"))
            )
        yield from self._ids("patient-id", role)
        yield from self._contacts(role)
        for guardian in find_all(role, "h:patient", "h:guardian"):
            yield from self._role("contact", guardian)
        for organization in find_all(role, "h:providerOrganization"):
            yield from self._line("custodian", _text_of_name(find_first(organization, "h:name")))
            yield from self._contacts(organization)

    def _role(self, label: str, role: Element) -> Iterator[str]:
        people = [child for tag in _PERSONS for child in find_all(role, f"h:{tag}")]
        places = [child for tag in _PLACES for child in find_all(role, f"h:{tag}")]
        names = [_text_of_name(name) for one in people for name in find_all(one, "h:name")]
        yield from self._line(label, _join_distinct(*names, *map(_place_name, places)))
        yield from self._ids("id", role)
        for holder in (role, *places):
            yield from self._contacts(holder)

    def _stay(self, stay: Element) -> Iterator[str]:
        yield from self._ids("stay-id", stay)
        yield from self._date("stay", find_first(stay, "h:effectiveTime"))
        for tag in ("responsibleParty", "encounterParticipant"):
            for role in find_all(stay, f"h:{tag}", "h:assignedEntity"):
                yield from self._role("person", role)
        for place in find_all(stay, *_element_path("location/healthCareFacility")):
            names = (
                _text_of_name(find_first(inner, "h:name"))
                for inner in find_all(place, "h:location")
            )
            yield from self._line("place", _join_distinct(*names))
            for inner in find_all(place, "h:location"):
                yield from self._contacts(inner)
            yield from self._role("custodian", place)

    def _ids(self, label: str, holder: Element) -> Iterator[str]:
        for one in find_all(holder, "h:id"):
            authority = one.get("assigningAuthorityName", "").strip()
            value = one.get("extension", "").strip()
            yield from self._line(label, f"{value} ({authority})" if value and authority else value)

    def _contacts(self, holder: Element) -> Iterator[str]:
        yield from self._line("address", _format_addresses(holder))
        for telecom in find_all(holder, "h:telecom"):
            scheme, colon, rest = telecom.get("value", "").partition(":")
            known = _SCHEMES.get(scheme.lower())
            if known:
                yield from self._line(known, rest.strip())
            else:
                yield from self._line(
                    "link" if colon else "phone", telecom.get("value", "").strip()
                )

    def _date(self, label: str, time: Element | None) -> Iterator[str]:
        if time is None:
            return
        low, high = find_first(time, "h:low"), find_first(time, "h:high")
        parts = [self._format_moment(time)]
        for word, bound in (("from", low), ("to", high)):
            value = "" if bound is None else self._format_moment(bound)
            parts.append(f"{self._labels[word]} {value}" if value else "")
        yield from self._line(label, " ".join(filter(None, parts)))

    def _format_moment(self, time: Element) -> str:
        value = time.get("value", "").strip()
        match = _MOMENT.fullmatch(value)
        if not match:
            return value
        year, month, day, hour, minute = match.groups()
        parts = [part for part in (year, month, day) if part]
        sign = _DATE_SIGNS.get(self._language, "/")
        date = "-".join(parts) if self._language == "en" else sign.join(reversed(parts))
        return f"{date} {hour}:{minute}" if hour else date

    def _format_sex(self, code: Element | None) -> str:
        if code is None:
            return ""
        return code.get("displayName") or self._labels.get(code.get("code", ""), "")


def _element_path(path: str) -> list[str]:
    return [f"h:{name}" for name in path.split("/")]


def _join_distinct(*parts: str) -> str:
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _text_of_name(name: Element | None) -> str:
    return "" if name is None else " ".join(" ".join(name.itertext()).split())


def _place_name(place: Element) -> str:
    tags = ("h:name", "h:manufacturerModelName", "h:softwareName")
    return _join_distinct(*(_text_of_name(name) for tag in tags for name in find_all(place, tag)))


def _format_addresses(holder: Element) -> str:
    """Return the addresses of a person or place in one line, their parts joined by commas."""
    written = []
    for address in find_all(holder, "h:addr"):
        text = " ".join((address.text or "").split())
        for part in address:
            value = " ".join("".join(part.itertext()).split())
            text += ("" if text.endswith(" ") or not text or not value else ", ") + value
            text += " " if value and part.tag in _SAME_LINE else ""
            text = f"{text} {tail}" if (tail := " ".join((part.tail or "").split())) else text
        written.append(text.strip())
    return _join_distinct(*written)


PREFIX = "h"

_BLANKS = re.compile(r"[ \t\r\n]+")
_LINE_BREAK = "\n"

# Elements that begin a new line.
_BLOCKS = frozenset(
    f"{PREFIX}:{name}" for name in "paragraph caption list item table thead tbody tfoot tr".split()
)
_DROPPED = frozenset(f"{PREFIX}:{name}" for name in ("footnoteRef", "colgroup", "col"))


class CdaNarrative:
    """Writes narrative blocks as text; `shown` returns the text of a multimedia object by id."""

    def __init__(self, shown: Callable[[str], str]) -> None:
        self._show_media = shown
        self._out: list[str] = []
        self._footnotes: list[str] = []

    def write(self, block: Element) -> str:
        """Return a block as text: one line per paragraph, item and row, cells separated by tabs.

        White space is collapsed as in a browser, deleted text is left out, and footnotes follow
        their block.
        """
        text = self._capture(block)
        notes, self._footnotes = self._footnotes, []
        return "\n".join((text, *notes)).strip("\n")

    def _capture(self, element: Element) -> str:
        out, self._out = self._out, []
        self._walk(element)
        lines = "".join(self._out).split(_LINE_BREAK)
        self._out = out
        return "\n".join(kept for line in lines if (kept := line.strip(" ")))

    def _walk(self, element: Element) -> None:
        self._write_text(element.text)
        for child in element:
            self._write(child)
            self._write_text(child.tail)

    def _write(self, element: Element) -> None:
        tag = element.tag.removeprefix(f"{PREFIX}:")
        if element.tag in _DROPPED or element.get("revised") == "delete":
            return
        if tag == "br":
            self._out.append(_LINE_BREAK)
        elif tag == "tr":
            self._write_row(element)
        elif tag == "list":
            self._write_list(element)
        elif tag == "footnote":
            self._footnotes.append(self._capture(element))
        elif tag == "renderMultiMedia":
            self._write_multimedia(element)
        elif element.tag in _BLOCKS:
            self._write_block(element)
        else:
            self._walk(element)

    def _write_text(self, text: str | None) -> None:
        if not text:
            return
        text = _BLANKS.sub(" ", text)
        if self._out and self._out[-1].endswith((" ", _LINE_BREAK)):
            text = text.removeprefix(" ")
        self._out.append(text)

    def _write_block(self, element: Element) -> None:
        self._out.append(_LINE_BREAK)
        self._walk(element)
        self._out.append(_LINE_BREAK)

    def _write_row(self, row: Element) -> None:
        cells = [
            self._capture(cell)
            for cell in row
            if cell.tag in (f"{PREFIX}:td", f"{PREFIX}:th") and cell.get("revised") != "delete"
        ]
        # Cells of several lines cannot be aligned in one row: they are written one by one.
        between = "\n" if any("\n" in cell for cell in cells) else "\t"
        self._out.append(f"\n{between.join(cells).rstrip()}\n")

    def _write_list(self, element: Element) -> None:
        caption = find_first(element, f"{PREFIX}:caption")
        self._out.append(f"\n{'' if caption is None else self._capture(caption)}\n")
        ordered = element.get("listType") == "ordered"
        items = [
            item for item in find_all(element, f"{PREFIX}:item") if item.get("revised") != "delete"
        ]
        for number, item in enumerate(items, 1):
            text = self._capture(item)
            if text:
                self._out.append(f"\n{f'{number}.' if ordered else '-'} {text}\n")

    def _write_multimedia(self, element: Element) -> None:
        caption = find_first(element, f"{PREFIX}:caption")
        lines = ["" if caption is None else self._capture(caption)]
        lines += map(self._show_media, element.get("referencedObject", "").split())
        self._out.append("\n" + "\n".join(lines) + "\n")


_PREFIXES = {"urn:hl7-org:v3": PREFIX}
_EMPTY_LINES = re.compile(r"\n{3,}")

Read = Callable[[bytes], Extracted]


def extract(data: bytes, limits: Limits, read: Read | None = None) -> Extracted:
    """Extract title, header as `Label: value` lines, and sections with their titles.

    `read` extracts embedded documents; without it, only plain text ones are accepted. Images and
    coded entries are left out. Raises Unreadable: `broken`, `unknown-encoding`, `unknown-format`
    for other XML, `unread-part` for a body or attachment that cannot be read, `too-large`,
    `too-long`, `no-text`, and the reasons of `read`.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    root = parse_xml(data, _PREFIXES)
    if root.tag != f"{PREFIX}:ClinicalDocument":
        raise Unreadable("unknown-format")
    text = plain_text.clean(_ClinicalDocument(root, limits, read).text()).strip("\n")
    text = _EMPTY_LINES.sub("\n\n", text)
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "cda")


class _ClinicalDocument:
    def __init__(self, root: Element, limits: Limits, read: Read | None) -> None:
        self._root = root
        self._limits = limits
        self._read = read
        self._media = {
            media.get("ID", ""): value
            for media in root.iter(f"{PREFIX}:observationMedia")
            for value in find_all(media, f"{PREFIX}:value")
        }
        self._narrative = CdaNarrative(self._show_media)

    def text(self) -> str:
        body = [text for text in self._body() if text.strip()]
        if not body:
            raise Unreadable("no-text")
        title = _title(self._root)
        return "\n\n".join(part for part in (title, CdaHeader(self._root).write(), *body) if part)

    def _body(self) -> Iterator[str]:
        for component in find_all(self._root, f"{PREFIX}:component"):
            for other in find_all(component, f"{PREFIX}:nonXMLBody", f"{PREFIX}:text"):
                yield self._read_embedded(other)
            for section in find_all(component, *_SECTIONS):
                yield from self._section(section)

    def _section(self, section: Element) -> Iterator[str]:
        title = find_first(section, f"{PREFIX}:title")
        block = find_first(section, f"{PREFIX}:text")
        lines = [self._narrative.write(part) for part in (title, block) if part is not None]
        yield "\n".join(filter(None, lines))
        for inner in find_all(section, f"{PREFIX}:component", f"{PREFIX}:section"):
            yield from self._section(inner)

    def _show_media(self, name: str) -> str:
        # An attachment is extracted where it is first shown.
        media = self._media.pop(name, None)
        if media is None or media.get("mediaType", "").startswith(("image/", "video/", "audio/")):
            return ""
        return self._read_embedded(media)

    def _read_embedded(self, holder: Element) -> str:
        if holder.get("compression") or find_first(holder, f"{PREFIX}:reference") is not None:
            raise Unreadable("unread-part")
        written = "".join(holder.itertext())
        is_plain = holder.get("mediaType", "text/plain").partition(";")[0] == "text/plain"
        if holder.get("representation", "TXT") == "TXT":
            if is_plain:
                return written
            return self._read_other(written.encode())
        data = _decode_base64(written)
        if len(data) > self._limits.max_bytes:
            raise Unreadable("too-large")
        return plain_text.extract(data, self._limits).text if is_plain else self._read_other(data)

    def _read_other(self, data: bytes) -> str:
        if self._read is None:
            raise Unreadable("unread-part")
        return self._read(data).text


_SECTIONS = [f"{PREFIX}:{name}" for name in ("structuredBody", "component", "section")]


def _title(root: Element) -> str:
    title = find_first(root, f"{PREFIX}:title")
    text = "" if title is None else " ".join("".join(title.itertext()).split())
    code = find_first(root, f"{PREFIX}:code")
    return text or ("" if code is None else code.get("displayName", ""))


def _decode_base64(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("broken") from None
