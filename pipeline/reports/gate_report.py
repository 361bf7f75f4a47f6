"""The report of the release gate: measures on four axes, their requirements, and the verdict."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.reports.gate_charts import draw_chart
from pipeline.reports.run_report import TEMPLATES
from record.atomic_write import write_atomically


def write_gate(folder: Path, report: Mapping[str, Any], statement: Mapping[str, Any]) -> None:
    """Write report.json, report.html and the signed manifest.json, each atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "report.json", report_bytes(report))
    # Render a gate report as one HTML page that loads nothing. `report` has
    # `verdict`, `reasons`, `advice`, `about` and `measured`, whose entries hold the fields of
    # `evaluation.gate.Measured` with `asked`, and `problems`; `charts` are drawn as SVG.
    axes: dict[str, list[Mapping[str, Any]]] = {}
    for each in report["measured"]:
        axes.setdefault(each["axis"], []).append(each)
    write_atomically(
        folder / "report.html",
        TEMPLATES.get_template("gate.html.j2")
        .render(report=report, axes=axes, charts=list(map(draw_chart, report.get("charts", ()))))
        .encode("utf-8"),
    )
    write_atomically(folder / "manifest.json", json.dumps(statement, indent=1).encode("utf-8"))


def report_bytes(report: Mapping[str, Any]) -> bytes:
    """Encode the report as written, and as its checksum in the manifest is computed."""
    return json.dumps(report, indent=1, sort_keys=True, allow_nan=False).encode("utf-8")
