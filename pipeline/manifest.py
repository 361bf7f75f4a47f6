"""What goes with a release: a manifest for machines, a README for researchers."""

import json
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.delivery import ORIGIN
from pipeline.detection import DETECTOR_VERSION
from pipeline.draft import TABLES, Draft, digest_rows
from pipeline.output import CdmSource
from pipeline.policy_table import in_short
from record.policy import Policy
from surrogates.keys import CohortKey

_TEMPLATE = Path(__file__).with_name("release_readme.md")

FORMAT = 1
"""Changes whenever a key of the manifest gets another meaning."""

METHOD = (
    "Identifiers in notes are replaced by surrogates under the cohort's own key, ids by keyed "
    "pseudonyms; dates are moved."
)
_EXACT = "The time between two dates of one patient is exact, in notes and tables."
_CUT = "The time between two dates of one patient is exact to the {precision}: dates are cut to it."


@dataclass
class Counts:
    """What became of what was asked for; `refused` counts by reason."""

    persons: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    visits: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def refused_share(self) -> float:
        """The share of the selected notes that are not in the release."""
        selected = self.notes["selected"]
        return (selected - self.notes["released"]) / selected if selected else 0.0


@dataclass(frozen=True)
class Origin:
    """What made a release; `model` is the digest of the tagger that took part in detection."""

    cohort: str
    key: CohortKey
    policy: Policy
    model: str = ""

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the program and of what detected."""
        found = {"cryptonym": version("cryptonym"), "detector": DETECTOR_VERSION}
        return found | ({"model": self.model} if self.model else {})


def describe(draft: Draft, origin: Origin) -> None:
    """Put the rows of `cdm_source` and `metadata` into a draft; the shift is given as a range."""
    policy = origin.policy
    source = CdmSource(
        cdm_source_name=origin.cohort,
        cdm_source_abbreviation=origin.cohort[:25],
        cdm_holder="",
        source_description=in_short(policy),
        cdm_etl_reference=ORIGIN + origin.key.key_id,
    )
    facts = {
        "method": METHOD,
        "key_id": origin.key.key_id,
        "policy_id": policy.policy_id,
        "dates": in_short(policy),
        **{f"{name} version": number for name, number in origin.versions.items()},
    }
    rows = [
        {
            "metadata_id": number,
            "metadata_concept_id": 0,
            "metadata_type_concept_id": 0,
            "name": f"cryptonym {name}",
            "value_as_string": value,
        }
        for number, (name, value) in enumerate(facts.items(), start=1)
    ]
    draft.add({"cdm_source": [source.row()], "metadata": rows})


def make_manifest(draft: Draft, origin: Origin, counts: Counts) -> dict[str, Any]:
    """Describe a release; equal releases give equal manifests, for there is no time in it."""
    tables = {}
    for name in TABLES:
        rows, digest = digest_rows(draft.rows(name))
        tables[name] = {"rows": rows, "sha256": digest}
    return {
        "format": FORMAT,
        "cohort": origin.cohort,
        "method": METHOD,
        "key_id": origin.key.key_id,
        "policy_id": origin.policy.policy_id,
        "versions": origin.versions,
        "dates": in_short(origin.policy),
        "date_precision": origin.policy.date_precision,
        "date_shift_days": [origin.policy.min_shift_days, origin.policy.max_shift_days],
        "tables": tables,
        "counts": {
            "persons": dict(sorted(counts.persons.items())),
            "notes": dict(sorted(counts.notes.items())),
            "visits": dict(sorted(counts.visits.items())),
            "refused": dict(sorted(counts.refused.items())),
        },
    }


def dump(manifest: dict[str, Any]) -> str:
    """Write a manifest as JSON."""
    return json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def undated(text: str | None) -> dict[str, Any] | None:
    """Read a manifest but for its time; None for what is none."""
    try:
        found = json.loads(text or "")
    except json.JSONDecodeError:
        return None
    return {key: found[key] for key in found if key != "time"} if isinstance(found, dict) else None


def readme(manifest: dict[str, Any]) -> str:
    """Explain a release to those who work with it."""
    precision = manifest["date_precision"]
    tables = "\n".join(
        f"| `{name}` | {found['rows']} | {_CONTENTS[name]} |"
        for name, found in manifest["tables"].items()
    )
    return _TEMPLATE.read_text(encoding="utf-8").format(
        **manifest["versions"],
        method=manifest["method"],
        key_id=manifest["key_id"],
        policy_id=manifest["policy_id"],
        tables=tables,
        dates=manifest["dates"],
        intervals=_EXACT if precision == "day" else _CUT.format(precision=precision),
    )


_CONTENTS = {
    "person": "the patients: sex, year of birth (moved), race, ethnicity",
    "visit_occurrence": "their stays, dates moved",
    "note": "the notes with surrogates",
    "note_span": "where surrogates stand in the notes, and of which kind they are",
    "cdm_source": "what made this release",
    "metadata": "the same, one fact a row",
}
