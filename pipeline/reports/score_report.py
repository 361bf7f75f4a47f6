"""The report of an evaluation: one self-contained page with charts and no text of notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pipeline.reports.charts import render_threshold_curve
from pipeline.reports.run_report import TEMPLATES
from record.atomic_write import write_atomically
from record.errors import ConfigError

MOST_LABELS = 24
"""The largest readable matrix; labels with fewer tokens share one row and column."""

MOST_KINDS = 20
"""The number of kinds of notes shown, those with the most notes."""

OTHER_LABELS = "others"

_NOTHING = "nothing"


class ShapeExamples(Protocol):
    """A shape of spans of one label (`Aaaa 99`), and the number of such spans."""

    @property
    def label(self) -> str:
        """Return the label of the spans."""

    @property
    def shape(self) -> str:
        """Return their shape."""

    @property
    def count(self) -> int:
        """Return their number."""


@dataclass(frozen=True)
class ErrorExamples:
    """Shapes of missed identifiers, and of text redacted unnecessarily."""

    leaked: Sequence[ShapeExamples]
    invented: Sequence[ShapeExamples]


@dataclass(frozen=True)
class ScoreRate:
    """A named rate with its interval and the number of cases behind it."""

    name: str
    rate: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class ScorePair:
    """A measure of the predictions and of those beside them, each with its interval if any."""

    name: str
    rates: tuple[ScoreRate, ScoreRate]


@dataclass(frozen=True)
class MatrixCell:
    """A cell of the confusion matrix; `heat` is its share of the row."""

    count: int
    heat: float
    is_right: bool
    hint: str


@dataclass(frozen=True)
class ConfusionMatrix:
    """Gold labels down, predicted labels across."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, int, tuple[MatrixCell, ...]], ...]


def render(scores: Mapping[str, Any], examples: ErrorExamples) -> str:
    """Render scores as one HTML page that loads nothing; its script sorts and filters tables.

    `scores` has the keys of `cryptonym evaluate --json`.
    """
    kinds = scores["per_kind"]
    ranked = sorted(kinds, key=lambda kind: (-kinds[kind]["fully_redacted"]["documents"], kind))
    return TEMPLATES.get_template("scores.html.j2").render(
        scores=scores,
        labels=[
            _label_rate(name, found, "redacted", found["gold_tokens"])
            for name, found in scores["per_label"].items()
        ],
        f1=[
            _label_rate(name, found, "f1", found["tp"] + found["fn"])
            for name, found in scores["per_label"].items()
        ],
        kinds=[_kind_rate(name, kinds[name]) for name in ranked[:MOST_KINDS]],
        kinds_left_out=max(len(kinds) - MOST_KINDS, 0),
        curve=render_threshold_curve(
            [(p["threshold"], p["recall"], p["touched"]) for p in scores["threshold_curve"]]
        )
        if scores.get("threshold_curve")
        else "",
        beside=_list_pairs(scores, scores["beside"]) if "beside" in scores else [],
        matrix=_make_matrix(scores["confusion"]),
        examples=examples,
    )


def write_scores(path: Path, scores: Mapping[str, Any], examples: ErrorExamples) -> None:
    """Write the page atomically; raises ConfigError where it cannot be written."""
    page = render(scores, examples)
    try:
        write_atomically(path, page.encode("utf-8"))
    except OSError as error:
        problem = (error.strerror or "cannot be written").lower()
        raise ConfigError(str(path), problem, "choose a file in an existing folder") from None


def _label_rate(name: str, found: Mapping[str, Any], measure: str, count: int) -> ScoreRate:
    bounds = found["intervals"][measure]
    return ScoreRate(name, found[measure], bounds["low"], bounds["high"], count)


def _list_pairs(scores: Mapping[str, Any], beside: Mapping[str, Any]) -> list[ScorePair]:
    both = scores, beside
    fully = [each["fully_redacted"] for each in both]
    whole = (
        "notes without any leak",
        [
            ScoreRate("", each["rate"], each["low"], each["high"], each["documents"])
            for each in fully
        ],
    )
    words = (
        "words of identifiers redacted",
        [_overall_rate(each, each["redacted"], "redacted") for each in both],
    )
    f1 = (
        "F1, exact span and label",
        [_overall_rate(each, each["strict"]["f1"], "strict_f1") for each in both],
    )
    names = sorted(scores["per_label"].keys() | beside["per_label"].keys())
    labels = [
        (name, [_redacted_rate(each["per_label"].get(name)) for each in both]) for name in names
    ]
    return [ScorePair(name, (one, other)) for name, (one, other) in (whole, words, f1, *labels)]


def _overall_rate(scores: Mapping[str, Any], rate: float, measure: str) -> ScoreRate:
    bounds = scores["intervals"][measure]
    return ScoreRate("", rate, bounds["low"], bounds["high"], scores["notes"])


def _redacted_rate(found: Mapping[str, Any] | None) -> ScoreRate:
    """Return the share of a label's words redacted; of no words where it is not in the gold."""
    if found is None:
        return ScoreRate("", 0.0, 0.0, 0.0, 0)
    return _label_rate("", found, "redacted", found["gold_tokens"])


def _kind_rate(name: str, found: Mapping[str, Any]) -> ScoreRate:
    fully = found["fully_redacted"]
    rates = (fully["rate"], fully["low"], fully["high"])
    return ScoreRate(name or "unnamed", *rates, fully["documents"])


def _make_matrix(confusion: Mapping[str, Mapping[str, int]]) -> ConfusionMatrix:
    sizes: dict[str, int] = {}
    for gold, row in confusion.items():
        for predicted, count in row.items():
            for label in {gold, predicted} - {_NOTHING}:
                sizes[label] = sizes.get(label, 0) + count
    ranked = sorted(sizes, key=lambda label: (-sizes[label], label))
    shown = {label: label if n < MOST_LABELS else OTHER_LABELS for n, label in enumerate(ranked)}
    shown[_NOTHING] = _NOTHING
    merged: dict[tuple[str, str], int] = {}
    for gold, row in confusion.items():
        for predicted, count in row.items():
            key = shown[gold], shown[predicted]
            merged[key] = merged.get(key, 0) + count
    names = tuple(dict.fromkeys([*sorted(set(shown.values()) - {OTHER_LABELS, _NOTHING})]))
    names += (OTHER_LABELS,) * (OTHER_LABELS in shown.values()) + (_NOTHING,)
    rows = []
    for gold in names:
        total = sum(merged.get((gold, predicted), 0) for predicted in names)
        if total:
            cells = tuple(_matrix_cell(gold, predicted, merged, total) for predicted in names)
            rows.append((gold, total, cells))
    return ConfusionMatrix(names, tuple(rows))


def _matrix_cell(
    gold: str, predicted: str, merged: Mapping[tuple[str, str], int], total: int
) -> MatrixCell:
    count = merged.get((gold, predicted), 0)
    hint = f"gold {gold}, predicted {predicted}: {count} of {total} tokens"
    return MatrixCell(count, count / total, gold == predicted, hint)
