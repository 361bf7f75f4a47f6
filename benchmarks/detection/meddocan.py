"""Conversion of the MEDDOCAN corpus to Cryptonym's labels, as JSON Lines."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.synthesis.steps import run_once
from pipeline.files.gold import read_annotated
from pipeline.files.jsonl import dump_line, spans_to_json
from record.document import Annotated
from record.span import Span

MEDDOCAN = {
    "NOMBRE_SUJETO_ASISTENCIA": "NAME", "NOMBRE_PERSONAL_SANITARIO": "NAME", "FECHAS": "DATE",
    "EDAD_SUJETO_ASISTENCIA": "AGE", "CALLE": "STREET", "TERRITORIO": "CITY", "PAIS": "COUNTRY",
    "HOSPITAL": "HOSPITAL", "CENTRO_SALUD": "HOSPITAL", "INSTITUCION": "ORGANIZATION",
    "PROFESION": "PROFESSION", "NUMERO_TELEFONO": "PHONE", "NUMERO_FAX": "FAX",
    "CORREO_ELECTRONICO": "EMAIL", "URL_WEB": "URL", "ID_SUJETO_ASISTENCIA": "PATIENT_ID",
    "ID_ASEGURAMIENTO": "INSURANCE_ID", "ID_CONTACTO_ASISTENCIAL": "VISIT_ID",
    "ID_TITULACION_PERSONAL_SANITARIO": "PROVIDER_ID", "OTROS_SUJETO_ASISTENCIA": "OTHER",
    "ID_EMPLEO_PERSONAL_SANITARIO": "PROVIDER_ID", "SEXO_SUJETO_ASISTENCIA": "",
    "FAMILIARES_SUJETO_ASISTENCIA": "",
}  # fmt: skip
"""Our label for each of MEDDOCAN; sex and relatives (`madre`) have none. Numbers among the
territories are postal codes."""


def map_labels(note: Annotated) -> Annotated:
    """Rename the labels of a note that has MEDDOCAN's; those of others stay."""
    return Annotated(note.document, tuple(_renamed(note)))


def prepare(options: argparse.Namespace) -> Path:
    """Write TRAIN and TEST in our labels, and make TRAIN a corpus, once; returns its folder."""
    out: Path = options.output
    for name in ("train", "test"):
        target = out / f"{name}.jsonl"
        if not target.exists():
            notes = map(map_labels, read_annotated(getattr(options, name), []))
            target.write_text("".join(map(to_json_line, notes)), encoding="utf-8")
    corpus, source = out / "corpus", str(out / "train.jsonl")
    run_once(
        corpus / "prepared.json", "prepare", source, "--inside", "--lang", options.lang, o=corpus
    )
    return corpus


def to_json_line(note: Annotated) -> str:
    """Return a note as one line."""
    document = note.document
    row = {"note_id": document.note_id, "text": document.text, "lang": document.lang}
    return dump_line({**row, "spans": spans_to_json(note.spans)}) + "\n"


def _renamed(note: Annotated) -> Iterator[Span]:
    for span in note.spans:
        label = MEDDOCAN.get(span.label, span.label)
        if label == "CITY" and note.document.text[span.start : span.end].isdigit():
            label = "ZIP"
        if label:
            yield replace(span, label=label)
