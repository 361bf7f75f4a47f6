"""Small annotated notes for tests of generators: a header with entities, then a few sentences."""

from pathlib import Path
from random import Random

from pipeline.files.jsonl import JsonLine, read_notes
from record.document import Annotated, Document
from record.span import Span

NAMES = ("Ana Gil", "Luis Vega", "Marta Rey", "Pablo Sanz", "Rosa Mora", "Juan Cano")
CITIES = ("Madrid", "Sevilla", "Bilbao", "Toledo")
LINES = (
    "El paciente refiere dolor abdominal.",
    "La exploración fue normal.",
    "Se decide alta con tratamiento.",
    "No hay fiebre ni tos.",
    "La analítica fue normal < 5 mg.",
)


def letter(number: int, chance: Random) -> Annotated:
    """A letter of a patient of its own; some have a second date, some no city."""
    parts: list[tuple[str, str]] = [("", "Nombre: "), ("NAME", chance.choice(NAMES))]
    if chance.random() < 0.7:
        parts += [("", "\nCiudad: "), ("CITY", chance.choice(CITIES))]
    for _ in range(chance.choice((1, 1, 2))):
        parts += [("", "\nFecha: "), ("DATE", f"{chance.randint(10, 28)}/0{chance.randint(1, 9)}")]
    parts.append(("", ".\n" + " ".join(chance.choices(LINES, k=chance.randint(2, 4)))))
    text, spans = "", []
    for label, words in parts:
        if label:
            spans.append(Span(len(text), len(text) + len(words), label))
        text += words
    kind = ("letter", "report")[number % 2]
    document = Document(f"n{number}", text, f"p{number}", lang="es", kind=kind)
    return Annotated(document, tuple(spans))


def letters(count: int, *, seed: int = 1) -> list[Annotated]:
    """So many letters."""
    chance = Random(seed)
    return [letter(number, chance) for number in range(count)]


def read_lines(path: Path) -> list[JsonLine]:
    """Every line of a file of notes, none of them bad."""
    lines = list(read_notes(path))
    good = [line for line in lines if isinstance(line, JsonLine)]
    assert len(good) == len(lines)
    return good
