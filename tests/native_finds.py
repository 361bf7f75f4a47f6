"""Prints what the rules find in the texts it reads and in made-up notes, and who found it.

A program of its own, so that a test can run it with the rules of another build.
"""

import json
import sys

from pipeline.detection import KnownPatients, detect_together
from pipeline.installation import has_compiled_rules
from record.document import Document
from synthesis.fictional.hospital import make_hospital

texts = json.load(sys.stdin)
found = detect_together([(Document(str(at), text), None) for at, text in enumerate(texts)])
for lang in ("fr", "en", "es"):
    hospital, known = make_hospital(6, seed=7, lang=lang), KnownPatients()
    found += detect_together(
        [
            (note.annotated.document, known.of(hospital.patients[note.person_id]))
            for note in hospital.notes()
        ]
    )
rules = {name: str(module.__file__) for name, module in sys.modules.items() if "rules." in name}
answer = {
    "spans": [
        None
        if spans is None
        else [(span.start, span.end, span.label, span.detector, span.score) for span in spans]
        for spans in found
    ],
    "compiled": has_compiled_rules(),
    "modules": {name: file for name, file in rules.items() if name.startswith("rules.")},
}
print(json.dumps(answer))
