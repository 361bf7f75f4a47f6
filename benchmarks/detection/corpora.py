"""Token scores of the rules on two public development sets, in the labels of each.

    python -m benchmarks.detection.corpora ../shared/corpora

Reads `eds_pseudo_fictive/dev.jsonl` (French, hard lines of hospital notes) and
`meddocan/dev.jsonl` (Spanish) under the folder. Tokens that hold a letter or digit count. A
predicted token is right where a gold span of a label that its own label stands for is over it;
predictions of labels that a corpus does not mark (ages in the French one) are left out.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.detection.alignment import tokenize
from pipeline.files.jsonl import read_notes
from pipeline.notes.detection import detect
from pipeline.notes.overlap_resolution import resolve_spans
from record.document import Annotated
from record.span import Span

LabelMap = Mapping[str, frozenset[str]]

_NAMES = ("FIRST_NAME", "LAST_NAME", "NAME")


def _map(**labels: str) -> LabelMap:
    return {label: frozenset(gold.split()) for label, gold in labels.items()}


EDS = _map(
    FIRST_NAME="PRENOM",
    LAST_NAME="NOM",
    NAME="NOM PRENOM",
    DATE="DATE",
    BIRTH_DATE="DATE_NAISSANCE",
    PHONE="TEL",
    FAX="TEL",
    EMAIL="MAIL",
    SSN="SECU",
    PATIENT_ID="IPP",
    VISIT_ID="NDA",
    STREET="ADRESSE",
    ZIP="ZIP",
    CITY="VILLE",
    HOSPITAL="HOPITAL",
    PROVIDER_ID="RPPS",
)
_PERSONS = "NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO"
_TERRITORY = "TERRITORIO"
MEDDOCAN = _map(
    **dict.fromkeys(_NAMES, _PERSONS),
    **dict.fromkeys(("ZIP", "CITY", "REGION"), _TERRITORY),
    DATE="FECHAS",
    BIRTH_DATE="FECHAS",
    AGE="EDAD_SUJETO_ASISTENCIA",
    STREET="CALLE",
    COUNTRY="PAIS",
    HOSPITAL="HOSPITAL CENTRO_SALUD INSTITUCION",
    ORGANIZATION="INSTITUCION",
    PROFESSION="PROFESION",
    PHONE="NUMERO_TELEFONO",
    FAX="NUMERO_FAX",
    EMAIL="CORREO_ELECTRONICO",
    URL="URL_WEB",
    SSN="ID_SUJETO_ASISTENCIA ID_ASEGURAMIENTO",
    PATIENT_ID="ID_SUJETO_ASISTENCIA",
    INSURANCE_ID="ID_ASEGURAMIENTO",
    VISIT_ID="ID_CONTACTO_ASISTENCIAL",
    PROVIDER_ID="ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO",
    ID="ID_SUJETO_ASISTENCIA ID_ASEGURAMIENTO ID_CONTACTO_ASISTENCIAL",
)


@dataclass
class Counts:
    """Tokens by label: predicted and right or wrong, gold and found or missed."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    redacted: int = 0
    gold: int = 0
    safe: int = 0
    documents: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with eds_pseudo_fictive and meddocan")
    folder = parser.parse_args().folder
    for name, labels in (("eds_pseudo_fictive", EDS), ("meddocan", MEDDOCAN)):
        print(table(name, count(_notes(folder / name / "dev.jsonl"), labels)))


def _notes(path: Path) -> list[Annotated]:
    return [line.annotated for line in read_notes(path) if hasattr(line, "annotated")]


def count(notes: Iterable[Annotated], labels: LabelMap) -> Counts:
    """Compare the rules with gold, token by token."""
    counts = Counts()
    claimed = frozenset[str]().union(*labels.values())
    for note in notes:
        text = note.document.text
        predicted = resolve_spans(detect(note.document, None), text)
        tokens = [
            token for token in tokenize(text) if any(map(str.isalnum, text[token[0] : token[1]]))
        ]
        exposed = 0
        for start, end in tokens:
            gold = _at(note.spans, start, end)
            ours = [span for span in _at(predicted, start, end) if span.label in labels]
            exposed += _count_token(counts, gold, ours, labels, claimed)
        counts.documents += bool(note.spans)
        counts.safe += bool(note.spans) and not exposed
    return counts


def _count_token(
    counts: Counts,
    gold: Sequence[Span],
    ours: Sequence[Span],
    labels: LabelMap,
    claimed: frozenset[str],
) -> bool:
    wanted = {span.label for span in gold}
    if ours:
        label = ours[0].label
        tally = counts.right if labels[label] & wanted else counts.wrong
        tally[label] += 1
    for label in wanted & claimed:
        hit = any(label in labels[span.label] for span in ours)
        (counts.found if hit else counts.missed)[label] += 1
    counts.gold += bool(gold)
    counts.redacted += bool(gold and ours)
    return bool(gold) and not ours


def _at(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    return [span for span in spans if span.start < end and start < span.end]


def table(name: str, counts: Counts) -> str:
    """Write the counts as Markdown."""
    right, wrong = counts.right.total(), counts.wrong.total()
    found, missed = counts.found.total(), counts.missed.total()
    precision, recall = right / (right + wrong), found / (found + missed)
    lines = [
        f"\n### {name}, rules only\n",
        f"token precision {precision:.4f}, recall {recall:.4f}, "
        f"F1 {2 * precision * recall / (precision + recall):.4f}; "
        f"redacted {counts.redacted / counts.gold:.4f} of {counts.gold} tokens; "
        f"zero leaks {counts.safe} of {counts.documents} notes\n",
        "| predicted label | predicted tokens | precision |",
        "| --- | ---: | ---: |",
    ]
    for label in sorted(set(counts.right) | set(counts.wrong)):
        total = counts.right[label] + counts.wrong[label]
        lines.append(f"| {label} | {total} | {counts.right[label] / total:.3f} |")
    lines += ["", "| gold label | gold tokens | recall |", "| --- | ---: | ---: |"]
    for label in sorted(set(counts.found) | set(counts.missed)):
        total = counts.found[label] + counts.missed[label]
        lines.append(f"| {label} | {total} | {counts.found[label] / total:.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
