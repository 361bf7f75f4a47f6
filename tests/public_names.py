"""Collects the names that leave the process: what configurations, scripts and dashboards rely on.

PYTHONPATH=. python tests/public_names.py > tests/vectors/public_names.json

Options of commands, keys of settings, labels, error classes, columns of the state database, keys of
JSON output, names of metrics, and the codes that stand in records: detectors, stages, reasons.
"""

import argparse
import ast
import contextlib
import dataclasses
import io
import json
import re
import sys
import tempfile
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pipeline.state.audit_records
import pipeline.state.quality_tables
import pipeline.state.release_register  # noqa: F401 - with its tables
import record.errors
from pipeline.cli import COMMANDS, load, main
from pipeline.config.settings import Settings
from pipeline.reports import quarantine_remedies
from pipeline.state.tables import STATE
from record.label import Label


def options() -> dict[str, list[str]]:
    """Command -> its options and arguments, with their choices."""
    found = {}
    for name in COMMANDS:
        parser = argparse.ArgumentParser()
        load(name).add_options(parser)
        found[name] = sorted(
            " ".join([*(action.option_strings or [action.dest]), *map(str, action.choices or ())])
            for action in parser._actions
            if action.dest != "help"
        )
    return found


def settings_keys(kind: Any = Settings, place: str = "") -> Iterator[str]:
    """Every key of the configuration, dotted."""
    hints = typing.get_type_hints(kind)
    for each in dataclasses.fields(kind):
        yield f"{place}{each.name}"
        inner = [hints[each.name], *typing.get_args(hints[each.name])]
        for one in inner:
            if dataclasses.is_dataclass(one):
                yield from settings_keys(one, f"{place}{each.name}.")


def codes() -> dict[str, list[str]]:
    """Detector ids, as the rules write them, and reasons of quarantine, as reports explain them."""
    texts = (path.read_text(encoding="utf-8") for path in Path("rules").rglob("*.py"))
    nodes = (node for text in texts for node in ast.walk(ast.parse(text)))
    values = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    detectors = {value for value in values if re.fullmatch(r"rules\.[a-z]+", value)}
    return {"detectors": sorted(detectors), "reasons": sorted(quarantine_remedies._REMEDIES)}


def paths(value: object, place: str = "") -> Iterator[str]:
    """The key paths of an object; keys that are data (labels, days, names) count as `*`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            # What is refused depends on chance and machine: without tesseract scans are.
            if place.endswith(("outcomes.", "counts.refused.")):
                continue
            name = key if re.fullmatch(r"[a-z_]+", key) else "*"
            yield f"{place}{name}"
            yield from paths(inner, f"{place}{name}.")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, place)


def printed(*arguments: str) -> str:
    """What a command prints on standard output."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        main(list(arguments))
    return out.getvalue()


def outputs() -> dict[str, list[str]]:
    """Key paths of JSON output, and names of metrics, of a demonstration."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "demo"
        found = {"demo": printed("demo", str(home), "--patients", "2", "--workers", "1", "--json")}
        config = str(home / "nightly.toml")
        for command in ("doctor", "quality", "runs", "policy check"):
            found[command] = printed(*command.split(), config, "--json")
        found["release"] = printed(*"release --cohort study --workers 1 --json".split(), config)
        metrics = home / "metrics.prom"
        printed("quality", config, "--prometheus", str(metrics))
        log = home / "log.jsonl"
        printed("run", config, "--log", str(log), "--json", "--workers", "1")
        events = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        names = {line.split("{")[0].split()[0] for line in metrics.read_text("utf-8").splitlines()}
    answer = {name: sorted(set(paths(json.loads(text)))) for name, text in found.items()}
    answer["log"] = sorted({path for event in events for path in paths(event)})
    answer["log events"] = sorted({str(event.get("event", event.get("what"))) for event in events})
    return answer | {"metrics": sorted(names - {"#"})}


def collect() -> dict[str, Any]:
    """Every list under its name."""
    errors = vars(record.errors).values()
    return {
        "options": options(),
        "settings": sorted(set(settings_keys())),
        "labels": sorted(Label),
        "errors": sorted(kind.__name__ for kind in errors if isinstance(kind, type)),
        "state": {name: sorted(table.columns.keys()) for name, table in STATE.tables.items()},
        "codes": codes(),
        "json": outputs(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(collect(), indent=1, sort_keys=True) + "\n")
