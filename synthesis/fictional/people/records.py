"""The data classes of the fictional hospital: clinicians, care sites, visits, notes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from record.document import Annotated
from record.patient import Address, PatientRecord, PersonName

Rendering = Literal["text", "pdf", "scan"]


@dataclass(frozen=True, slots=True)
class Clinician:
    """A clinician who recurs in notes; `provider_number` is the national register's number."""

    provider_id: int
    name: PersonName
    title: str
    gender: str
    specialty: str
    provider_number: str
    phone: str
    email: str


@dataclass(frozen=True, slots=True)
class CareSite:
    """A hospital or ward with its postal address and telephone numbers."""

    care_site_id: int
    name: str
    address: Address
    phone: str
    fax: str
    url: str


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay or consultation; `number` is the hospital's own number for it."""

    visit_id: int
    person_id: int
    provider_id: int
    care_site_id: int
    number: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class FictionalNote:
    """A note with its exact gold spans, and how it is stored in the warehouse.

    `who` tells for each span whom it names within the patient's file: `patient`, another person's
    names, or nobody (empty).
    """

    note_id: int
    person_id: int
    provider_id: int
    visit_id: int
    care_site_id: int
    kind: str
    title: str
    lang: str
    written: datetime
    annotated: Annotated
    rendering: Rendering = "text"
    who: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hospital:
    """The hospital; `notes` generates all notes, in order of id, `planned` of them.

    `patients` maps OMOP person ids to what the warehouse knows of that patient.
    """

    lang: str
    patients: dict[int, PatientRecord]
    clinicians: tuple[Clinician, ...]
    care_sites: tuple[CareSite, ...]
    visits: tuple[Visit, ...]
    notes: Callable[[], Iterator[FictionalNote]] = field(repr=False)
    planned: int = 0
