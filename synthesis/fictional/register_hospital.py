"""A small hospital whose notes are register notes, each of a patient of its own.

No two notes share a sentence by construction, as those of the fictional hospital do, which are
written from templates: whatever is learnt from one of these is a passage of one patient.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from record.document import Annotated
from record.errors import ConfigError
from record.patient import Address, PatientRecord, PersonName
from synthesis.fictional.people.records import CareSite, Clinician, FictionalNote, Hospital, Visit
from synthesis.register_notes import (
    REGISTERS,
    RegisterFiller,
    RegisterNote,
    find_different,
    read_registers,
)

_FIRST_DAY = datetime(2024, 1, 8, 8)
_DAYS = 600
_SITE = CareSite(1, "Register hospital", Address(), "", "", "")
_CLINICIAN = Clinician(1, PersonName(), "", "", "", "", "", "")


def make_register_hospital(
    *,
    seed: int,
    lang: str,
    most: int | None = None,
    skipped: int = 0,
    folder: Path = REGISTERS,
) -> Hospital:
    """Make a hospital of the different register notes of a language, at most so many, filled anew.

    The warehouse knows nothing of the patients but their ids: who is named in a note is the
    author's secret. The same arguments give the same hospital; `skipped` notes are left to another
    one, in the order of `seed`. Raises ConfigError for a language without notes.
    """
    notes = _read(lang, folder)
    filler = RegisterFiller(notes, seed=seed)
    chosen = find_different(notes)
    rng = Random(f"{seed}/register-hospital")
    rng.shuffle(chosen)
    filled = [filler.fill(note, 0) for note in chosen[skipped:][:most]]
    days = [_FIRST_DAY + timedelta(days=rng.randrange(_DAYS)) for _ in filled]
    numbers = range(1, len(filled) + 1)

    def write_notes() -> Iterator[FictionalNote]:
        for number, note, written in zip(numbers, filled, days, strict=True):
            yield _make_note(number, note, written)

    return Hospital(
        lang=lang,
        patients={number: PatientRecord(str(number)) for number in numbers},
        clinicians=(_CLINICIAN,),
        care_sites=(_SITE,),
        visits=_make_visits(days),
        notes=write_notes,
        planned=len(filled),
    )


def count_register_notes(lang: str, *, folder: Path = REGISTERS) -> int:
    """Return how many notes the hospital of a language has; raises ConfigError for none."""
    return len(find_different(_read(lang, folder)))


def _read(lang: str, folder: Path) -> list[RegisterNote]:
    notes = [note for note in read_registers(folder) if note.lang == lang]
    if not notes:
        raise ConfigError("--lang", f"no register has notes in {lang}", "give another language")
    return notes


def _make_note(number: int, note: Annotated, written: datetime) -> FictionalNote:
    document = replace(note.document, note_id=str(number), person_id=str(number), written=written)
    return FictionalNote(
        note_id=number, person_id=number, provider_id=1, visit_id=number, care_site_id=1,
        kind=document.kind, title=document.kind, lang=document.lang, written=written,
        annotated=Annotated(document, note.spans), who=("",) * len(note.spans),
    )  # fmt: skip


def _make_visits(days: Sequence[datetime]) -> tuple[Visit, ...]:
    return tuple(
        Visit(number, number, 1, 1, f"{number}", day, day + timedelta(hours=1))
        for number, day in enumerate(days, 1)
    )
