"""Rules that take part in detection, as a file that `cryptonym select` writes.

A rule is a detector and a label, such as `rules.names:FIRST_NAME`.
"""

import tomllib
from pathlib import Path

from record.errors import ConfigError
from record.span import Span

LISTS = ("dropped", "kept", "unjudged")
"""The lists of rules in such a file."""

OTHERS = ""
"""Stands for all detectors that are always used: a model, known values of the patient."""

_RULES = "rules."


def rule_of(span: Span) -> str:
    """Return the name of the rule that found a span; empty if it was not a rule."""
    return f"{span.detector}:{span.label}" if span.detector.startswith(_RULES) else OTHERS


def load_selection(path: Path, detector_version: str, warnings: list[str]) -> frozenset[str]:
    """Return the rules left out by a selection file.

    A warning is added for the rules left out, and if another version of the rules was measured.
    Raises ConfigError for an invalid file, and for detectors that cannot be left out.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ConfigError(
            str(path), "cannot be read", "give a file written by `cryptonym select`"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), f"not valid TOML ({error})", "correct it") from None
    unknown = table.keys() - {"detector_version", "measured", "rules", *LISTS}
    if unknown or "dropped" not in table:
        problem = "no key `dropped`" if "dropped" not in table else f"unknown key {min(unknown)}"
        raise ConfigError(str(path), problem, "give a file written by `cryptonym select`")
    dropped = table["dropped"]
    if not isinstance(dropped, list) or not all(map(_is_rule, dropped)):
        problem = "must be a list of rules"
        remedy = 'write dropped = ["rules.names:FIRST_NAME"]; other detectors cannot be left out'
        raise ConfigError(f"{path}: dropped", problem, remedy)
    if dropped:
        warnings.append(f"rules left out by {path}: {', '.join(dropped)}")
    if table.get("detector_version") != detector_version:
        warnings.append(f"{path}: made for another version; run `cryptonym select` again")
    return frozenset(dropped)


def _is_rule(name: object) -> bool:
    return isinstance(name, str) and name.startswith(_RULES) and ":" in name
