"""Every detector on one text: static rules and what is known of that very patient."""

from collections import OrderedDict

from record.document import Document
from record.patient import PatientRecord
from record.span import Span
from rules import ages, contacts, dates, identifiers, names, places
from rules.known import KnownPatient

DETECTOR_VERSION = "floor-2"
"""Changes whenever a detector may find something else: every note is then detected anew."""

FAMILIES = (
    dates.detect,
    ages.detect,
    contacts.detect,
    identifiers.detect,
    names.detect,
    places.detect,
)


class KnownPatients:
    """The compiled records of the patients seen last, so that a file of notes compiles one once."""

    def __init__(self, size: int = 512) -> None:
        self._size = size
        self._compiled: OrderedDict[bytes, KnownPatient] = OrderedDict()

    def of(self, patient: PatientRecord, identity: bytes = b"") -> KnownPatient:
        """Compile a patient's record, or give the one compiled before.

        `identity` is a hash that changes with the record, where the caller has one at hand.
        """
        key = identity or patient.digest()
        known = self._compiled.get(key)
        if known is None:
            known = self._compiled[key] = KnownPatient(patient)
            if len(self._compiled) > self._size:
                self._compiled.popitem(last=False)
        else:
            self._compiled.move_to_end(key)
        return known


def detect(document: Document, patient: KnownPatient | None) -> tuple[Span, ...]:
    """Find identifiers by every rule and by what is known; spans may overlap."""
    found = [span for family in FAMILIES for span in family(document)]
    if patient is not None:
        found.extend(patient.detect(document))
    return tuple(found)
