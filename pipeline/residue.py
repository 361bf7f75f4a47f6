"""The last look: does a release still hold anything the warehouse knows of its patient?"""

from record.document import Document
from record.errors import Unsafe
from record.release import Release
from rules.known import KnownPatient


def check(release: Release, document: Document, patient: KnownPatient | None) -> None:
    """Search a release for every variant of every known value of its patient and its note.

    A surrogate that happens to spell a known value counts as well: nobody could tell the two
    apart. Raises Unsafe(`residue`).
    """
    if patient is None:
        return
    released = Document(
        note_id=document.note_id,
        text=release.text,
        person_id=document.person_id,
        lang=document.lang,
        clinicians=document.clinicians,
        identifiers=document.identifiers,
    )
    if patient.detect(released):
        raise Unsafe("residue")
