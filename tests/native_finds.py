"""Prints what the rules find in the texts it reads, in made-up notes and in pieces of them.

A program of its own, so that a test can run it with the rules of another build.
"""

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from pipeline.config.installation import has_compiled_rules
from pipeline.notes.detection import KnownPatients, detect
from pipeline.notes.error_boundary import attempt
from record.document import Document
from record.failure import Failure
from record.patient import PatientRecord
from rules.known.known import KnownPatient
from synthesis.fictional.hospital import make_hospital

PIECES = int(sys.argv[1])


def pieces(notes: list[tuple[Document, PatientRecord]]) -> Iterator[tuple[str, PatientRecord]]:
    """Yield short pieces of notes, with a character altered here and there, as of any patient."""
    chance = random.Random(1)
    for _ in range(PIECES):
        text = chance.choice(notes)[0].text
        start = chance.randrange(len(text))
        piece = list(text[start : start + chance.choice((2, 5, 12, 40))])
        for _ in range(chance.randrange(3)):
            piece[chance.randrange(len(piece))] = chance.choice(
                " 01./-\n'OlAé\u0301\u00ad\U0001f600"
            )
        yield "".join(piece), chance.choice(notes)[1]


def found_in(document: Document, patient: KnownPatient | None) -> list[Any] | None:
    """Return the spans of a document as JSON holds them; None where a rule raises."""
    spans = attempt("", "detect", lambda: detect(document, patient))
    if isinstance(spans, Failure):
        return None
    return [(span.start, span.end, span.label, span.detector, span.score) for span in spans]


texts = json.load(sys.stdin)
found = [found_in(Document(str(at), text), None) for at, text in enumerate(texts)]
for lang in ("fr", "en", "es"):
    hospital, known = make_hospital(6, seed=7, lang=lang), KnownPatients()
    notes = [
        (note.annotated.document, hospital.patients[note.person_id]) for note in hospital.notes()
    ]
    notes += [(Document("", text, lang=lang), patient) for text, patient in pieces(notes)]
    found += [found_in(document, known.of(patient)) for document, patient in notes]
rules = {name: str(module.__file__) for name, module in sys.modules.items() if "rules." in name}
answer = {
    "spans": found,
    "compiled": has_compiled_rules(),
    "modules": {name: file for name, file in rules.items() if not file.endswith("__init__.py")},
}
print(json.dumps(answer))
