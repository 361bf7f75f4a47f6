"""Thresholds of a tagger as a file: written by `cryptonym evaluate`, read by detection."""

import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.tagger.shipped_model import digest
from models.tagger.thresholds import SpanThresholds
from record.errors import ConfigError

_KEYS = frozenset(("tagger", "detector_version", "alpha", "bound", "precision", "notes"))


@dataclass(frozen=True)
class CalibrationRecord:
    """Thresholds by label, what they were made for, and what was shown of them.

    `tagger` is the digest of the tagger. On `notes` notes that were not used to choose, an
    expected share of at most `bound` of a note's identifier tokens is missed, where `alpha` was
    asked for. `precision` is the lowest of the spans that are kept.
    """

    by_label: Mapping[str, float]
    tagger: str
    detector_version: str
    alpha: float
    bound: float
    precision: float
    notes: int

    def describe(self) -> str:
        """Return the guarantee in one sentence."""
        return (
            f"{len(self.by_label)} labels; at most {100 * self.bound:.2f} % of a note's identifier "
            f"tokens missed on average, shown on {self.notes} notes"
        )


def dump_thresholds(record: CalibrationRecord) -> str:
    """Return a record as TOML."""
    lines = [
        "# Thresholds of a tagger, read by `[model] thresholds` and `detect --thresholds`.",
        *(f"{key} = {json.dumps(getattr(record, key))}" for key in sorted(_KEYS)),
        "",
        "[thresholds]",
        *(f"{json.dumps(label)} = {at}" for label, at in sorted(record.by_label.items())),
    ]
    return "\n".join(lines) + "\n"


def load_thresholds(path: Path, tagger: Path) -> tuple[SpanThresholds, CalibrationRecord]:
    """Read thresholds for the tagger in a folder.

    Raises ConfigError for a file that is no such file, that was made for another tagger, or that
    names a label the tagger does not have.
    """
    remedy = "give a file written by `cryptonym evaluate --calibrate ALPHA --thresholds FILE`"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ConfigError(str(path), "cannot be read", remedy) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), f"not valid TOML ({error})", remedy) from None
    if table.keys() != {*_KEYS, "thresholds"} or not _is_sound(table):
        raise ConfigError(str(path), "not a file of thresholds", remedy)
    by_label = table.pop("thresholds")
    record = CalibrationRecord(by_label, **table)
    if record.tagger != digest(tagger):
        problem = "made for another tagger"
        again = "run `cryptonym evaluate --calibrate` on what the present one finds"
        raise ConfigError(str(path), problem, again)
    return SpanThresholds(by_label), record


def check_labels_exist(path: Path, thresholds: SpanThresholds, labels: Collection[str]) -> None:
    """Raise ConfigError if thresholds name labels that the tagger does not have."""
    if unknown := sorted(set(thresholds.by_label) - set(labels)):
        problem = f"the tagger has no label {', '.join(unknown)}"
        raise ConfigError(f"{path}: thresholds", problem, f"choose from {', '.join(labels)}")


def _is_sound(table: Mapping[str, Any]) -> bool:
    numbers = [table[key] for key in ("alpha", "bound", "precision")]
    by_label = table["thresholds"]
    return (
        isinstance(by_label, dict)
        and all(_is_share(value) for value in (*numbers, *by_label.values()))
        and all(isinstance(table[key], str) for key in ("tagger", "detector_version"))
        and isinstance(table["notes"], int)
    )


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
