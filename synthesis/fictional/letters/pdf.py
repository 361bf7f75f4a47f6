"""Renders notes of the fictional hospital as PDF, printed or scanned, with exact spans."""

from random import Random

from record.document import Annotated
from synthesis.fictional.letters.composition import Composer
from synthesis.fictional.letters.layouts import choose
from synthesis.fictional.letters.letterhead import (
    Directory,
    Letter,
    clinician_line,
    name_line,
)
from synthesis.fictional.letters.paper import (
    ink,
    transcribe,
)
from synthesis.fictional.letters.scan import scan
from synthesis.fictional.people.records import (
    FictionalNote,
    Hospital,
)


def render(note: FictionalNote, hospital: Hospital, *, seed: int) -> tuple[bytes, Annotated]:
    """Render a note; returns the PDF and the text of everything on it, with spans for all of it.

    The text holds, page by page, letterhead, margin, identity, body and foot, as they are drawn.
    An identifier broken over lines or columns is one span over the line break; broken over pages
    it is two spans. A note whose rendering is `scan` gets pictures of its pages, without a text
    layer. The document information names people, as that of real producers does.
    The bytes depend on the note, the hospital and the seed alone.
    Raises KeyError for a note of somebody unknown to the hospital.
    """
    return render_letter(Directory(hospital).letter(note, seed=seed), seed=seed)


def render_letter(letter: Letter, *, seed: int) -> tuple[bytes, Annotated]:
    """Render a letter whose facts are at hand; see `render`."""
    note = letter.note
    random = Random(f"pdf:{seed}:{note.note_id}")
    composer = Composer(letter, choose(seed, note.note_id), random)
    sheets = composer.sheets()
    data = ink(sheets, composer.size, about=_about(letter, random))
    if note.rendering == "scan":
        data = scan(data, seed=random.getrandbits(32))
    return data, transcribe(sheets).annotated(note.annotated.document)


def _about(letter: Letter, random: Random) -> dict[str, str]:
    about = {"title": letter.note.title, "author": clinician_line(letter.author).text}
    if random.random() < 0.5:
        about["title"] = f"{letter.note.title} - {name_line(letter).text}"
    if random.random() < 0.3:
        about["subject"] = f"note {letter.note.note_id}"
    return about
