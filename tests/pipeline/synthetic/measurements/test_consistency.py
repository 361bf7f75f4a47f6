"""Notes that are at odds with themselves, and such as are not."""

import pytest

from pipeline.synthetic.measurements.consistency import contradicts_itself
from record.document import Annotated, Document
from record.span import Span


def note(text: str) -> Annotated:
    """Read [LABEL|value] as a value of a label."""
    out, spans = "", []
    for part in text.split("["):
        inside, closing, outside = part.partition("]")
        if not closing:
            out += part
            continue
        label, _, value = inside.partition("|")
        spans.append(Span(len(out), len(out) + len(value), label))
        out += value + outside
    return Annotated(Document("1", out), tuple(spans))


BORN = "nacido el [BIRTH_DATE|03/02/1950]"


@pytest.mark.parametrize(
    ("text", "lang", "contradicts"),
    [
        (f"Varón de [AGE|74] años, {BORN}, ingresa el [DATE|28/02/2024].", "es", False),
        (f"Varón de [AGE|54] años, {BORN}, ingresa el [DATE|28/02/2024].", "es", True),
        (f"Paciente, {BORN}, ingresa el [DATE|28/02/1949].", "es", True),
        (f"Edad [AGE|70] años, {BORN}, en [DATE|2024].", "es", False),  # no whole date
        ("Varón de [AGE|74] años. La mujer refiere dolor.", "es", True),
        ("A 74-year-old man was seen with his wife.", "en", False),
        ("A 74-year-old man was seen. The 74-year-old woman left.", "en", True),
        ("Varón, mujer", "xx", False),
        ("[AGE|3] meses, nacido el [BIRTH_DATE|03/02/2024], [DATE|05/05/2024]", "es", False),
    ],
)
def test_contradictions(text: str, lang: str, *, contradicts: bool) -> None:
    assert contradicts_itself(note(text), lang) is contradicts
