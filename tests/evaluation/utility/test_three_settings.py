import xml.etree.ElementTree as ET

import pytest

from benchmarks.detection.curves import CurveLine, draw_curves
from benchmarks.detection.meddocan import map_labels
from benchmarks.detection.spacy_ner import RecognizedSpans
from benchmarks.synthesis.three_settings import (
    PART,
    RULES,
    balance,
    curve_points,
    join_names,
    labels_table,
    settings_table,
)
from record.document import Annotated, Document
from record.span import Span

TEXT = "Dra. Ana Ruiz, 28013 Madrid, varon"


def note(*spans: Span) -> Annotated:
    return Annotated(Document("1", TEXT, lang="es"), spans)


def test_labels_of_meddocan_become_ours() -> None:
    found = map_labels(
        note(
            Span(5, 13, "NOMBRE_PERSONAL_SANITARIO"), Span(15, 20, "TERRITORIO"),
            Span(21, 27, "TERRITORIO"), Span(29, 34, "SEXO_SUJETO_ASISTENCIA"),
        )
    )  # fmt: skip
    assert [(s.start, s.label) for s in found.spans] == [(5, "NAME"), (15, "ZIP"), (21, "CITY")]


def test_first_and_last_names_of_rules_are_one_name() -> None:
    rules = [Span(9, 13, "LAST_NAME"), Span(5, 8, "FIRST_NAME"), Span(21, 27, "REGION")]
    assert [(s.start, s.end, s.label) for s in join_names(rules, TEXT)] == [
        (5, 13, "NAME"),
        (21, 27, "CITY"),
    ]
    apart = [Span(5, 8, "FIRST_NAME"), Span(21, 27, "LAST_NAME")]
    assert [s.label for s in join_names(apart, TEXT)] == ["NAME", "NAME"]


@pytest.fixture
def kept() -> RecognizedSpans:
    gold = note(Span(5, 13, "NAME"), Span(15, 20, "ZIP"))
    right, half = [Span(5, 13, "NAME"), Span(15, 20, "ZIP")], [Span(5, 13, "NAME")]
    return RecognizedSpans({RULES: [[half], [half]], PART: [[right], [half]]}, [gold])


def test_scores_are_means_over_seeds(kept: RecognizedSpans) -> None:
    rows = settings_table(kept.utility()).splitlines()
    assert "| rules | 1.0000 ± 0.0000 | 0.5000 ± 0.0000 | 0.6667 ± 0.0000 |" in rows
    assert "0.7500 ± 0.3536" in rows[3]


def test_labels_are_counted_over_all_seeds(kept: RecognizedSpans) -> None:
    rows = labels_table(kept, [RULES, PART]).splitlines()
    assert rows[2:] == ["| NAME | 1 | 1.000 | 1.000 |", "| ZIP | 1 | 0.000 | 0.667 |"]


def test_a_curve_is_drawn_as_svg() -> None:
    drawn = ET.fromstring(
        draw_curves([CurveLine("a<b", "#000", [(10, 0.5), (40, 0.75)])], "F1", "notes")
    )
    words = [each.text for each in drawn.iter() if each.text and each.text.strip()]
    assert {"F1", "10", "40", "0.500", "0.750", "a<b", "notes"} <= set(words)
    line = next(e for e in drawn.iter() if e.tag.endswith("polyline")).attrib["points"]
    assert line == "60.0,280.0 560.0,20.0"


def test_the_curve_ends_with_all_notes(kept: RecognizedSpans) -> None:
    utility = kept.utility()
    names = {"25% of synthetic": RULES, "50% of synthetic": RULES, "synthetic": PART}
    counts = {name: utility.counts[arm] for name, arm in names.items()}
    points = curve_points(type(utility)(counts), 40)
    assert [size for size, _ in points] == [10, 20, 40]
    assert points[-1][1] > points[0][1]


def test_half_of_what_is_learnt_is_real() -> None:
    real, synthetic = [note(Span(5, 13, "NAME"))], [note() for _ in range(3)]
    mixed = balance(real, synthetic)
    assert [len(each.spans) for each in mixed] == [1, 1, 1, 0, 0, 0]
    assert balance(real, []) == real
