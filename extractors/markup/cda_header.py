"""Headers of clinical documents (HL7 CDA R2, 4.2): who and when, as lines `Label: value`."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from extractors.word.xml_tree import (
    each,
    first,
)

# Key, and the word for it in each language.
_LANGUAGES = ("fr", "en", "es")
_WORDS = """
patient | Patient | Patient | Paciente
birth | Né(e) le | Date of birth | Fecha de nacimiento
born | Lieu de naissance | Place of birth | Lugar de nacimiento
sex | Sexe | Sex | Sexo
patient-id | Identifiant patient | Patient ID | NHC
address | Adresse | Address | Dirección
phone | Tél. | Phone | Teléfono
fax | Fax | Fax | Fax
mail | Courriel | E-mail | Correo electrónico
link | Lien | Link | Enlace
author | Auteur | Author | Autor
custodian | Établissement | Hospital | Hospital
signer | Signé par | Signed by | Firmado por
recipient | Destinataire | Recipient | Destinatario
informant | Informateur | Informant | Informante
person | Intervenant | Performer | Profesional
contact | Contact | Contact | Contacto
stay | Séjour | Encounter | Episodio
stay-id | N° de séjour | Visit ID | Nº de episodio
place | Lieu | Location | Lugar
id | Identifiant | ID | Identificador
date | Date | Date | Fecha
from | du | from | del
to | au | to | al
F | Féminin | Female | Mujer
M | Masculin | Male | Hombre
"""
_ROWS = [line.split(" | ") for line in _WORDS.strip().splitlines()]
_LABELS = {
    language: {key: words[place] for key, *words in _ROWS}
    for place, language in enumerate(_LANGUAGES)
}

# Roles in the order they are read: path from the root, label.
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


class Header:
    """Writes a document's header in the words of its language."""

    def __init__(self, document: Element) -> None:
        language = first(document, "h:languageCode")
        code = "" if language is None else language.get("code", "")
        self._language = code[:2].lower() if code[:2].lower() in _LABELS else "en"
        self._labels = _LABELS[self._language]
        self._document = document

    def write(self) -> str:
        """Write the lines a reader of the document sees above its sections."""
        lines = [*self._date("date", first(self._document, "h:effectiveTime"))]
        for label, path in _ROLES:
            for role in each(self._document, *_path(path)):
                lines += self._patient(role) if label == "patient-id" else self._role(label, role)
        for stay in each(self._document, *_path("componentOf/encompassingEncounter")):
            lines += self._stay(stay)
        return "\n".join(dict.fromkeys(lines))

    def _line(self, label: str, value: str) -> Iterator[str]:
        if value:
            yield f"{self._labels[label]}: {value}"

    def _patient(self, role: Element) -> Iterator[str]:
        for patient in each(role, "h:patient"):
            for name in each(patient, "h:name"):
                yield from self._line("patient", _name(name))
            yield from self._date("birth", first(patient, "h:birthTime"))
            for place in each(patient, *_path("birthplace/place")):
                yield from self._line(
                    "born", _joined(_name(first(place, "h:name")), _places(place))
                )
            yield from self._line("sex", self._sex(first(patient, "h:administrativeGenderCode")))
        yield from self._ids("patient-id", role)
        yield from self._contacts(role)
        for guardian in each(role, "h:patient", "h:guardian"):
            yield from self._role("contact", guardian)
        for organization in each(role, "h:providerOrganization"):
            yield from self._line("custodian", _name(first(organization, "h:name")))
            yield from self._contacts(organization)

    def _role(self, label: str, role: Element) -> Iterator[str]:
        people = [child for tag in _PERSONS for child in each(role, f"h:{tag}")]
        places = [child for tag in _PLACES for child in each(role, f"h:{tag}")]
        names = [_name(name) for one in people for name in each(one, "h:name")]
        yield from self._line(label, _joined(*names, *map(_place_name, places)))
        yield from self._ids("id", role)
        for holder in (role, *places):
            yield from self._contacts(holder)

    def _stay(self, stay: Element) -> Iterator[str]:
        yield from self._ids("stay-id", stay)
        yield from self._date("stay", first(stay, "h:effectiveTime"))
        for tag in ("responsibleParty", "encounterParticipant"):
            for role in each(stay, f"h:{tag}", "h:assignedEntity"):
                yield from self._role("person", role)
        for place in each(stay, *_path("location/healthCareFacility")):
            names = (_name(first(inner, "h:name")) for inner in each(place, "h:location"))
            yield from self._line("place", _joined(*names))
            for inner in each(place, "h:location"):
                yield from self._contacts(inner)
            yield from self._role("custodian", place)

    def _ids(self, label: str, holder: Element) -> Iterator[str]:
        for one in each(holder, "h:id"):
            authority = one.get("assigningAuthorityName", "").strip()
            value = one.get("extension", "").strip()
            yield from self._line(label, f"{value} ({authority})" if value and authority else value)

    def _contacts(self, holder: Element) -> Iterator[str]:
        yield from self._line("address", _places(holder))
        for telecom in each(holder, "h:telecom"):
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
        low, high = first(time, "h:low"), first(time, "h:high")
        parts = [self._moment(time)]
        for word, bound in (("from", low), ("to", high)):
            value = "" if bound is None else self._moment(bound)
            parts.append(f"{self._labels[word]} {value}" if value else "")
        yield from self._line(label, " ".join(filter(None, parts)))

    def _moment(self, time: Element) -> str:
        value = time.get("value", "").strip()
        match = _MOMENT.fullmatch(value)
        if not match:
            return value
        year, month, day, hour, minute = match.groups()
        parts = [part for part in (year, month, day) if part]
        date = "-".join(parts) if self._language == "en" else "/".join(reversed(parts))
        return f"{date} {hour}:{minute}" if hour else date

    def _sex(self, code: Element | None) -> str:
        if code is None:
            return ""
        return code.get("displayName") or self._labels.get(code.get("code", ""), "")


def _path(path: str) -> list[str]:
    return [f"h:{name}" for name in path.split("/")]


def _joined(*parts: str) -> str:
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _name(name: Element | None) -> str:
    return "" if name is None else " ".join(" ".join(name.itertext()).split())


def _place_name(place: Element) -> str:
    tags = ("h:name", "h:manufacturerModelName", "h:softwareName")
    return _joined(*(_name(name) for tag in tags for name in each(place, tag)))


def _places(holder: Element) -> str:
    """The addresses of a person or place, a line each of old in one line."""
    written = []
    for address in each(holder, "h:addr"):
        text = " ".join((address.text or "").split())
        for part in address:
            value = " ".join("".join(part.itertext()).split())
            text += ("" if text.endswith(" ") or not text or not value else ", ") + value
            text += " " if value and part.tag in _SAME_LINE else ""
            text = f"{text} {tail}" if (tail := " ".join((part.tail or "").split())) else text
        written.append(text.strip())
    return _joined(*written)
