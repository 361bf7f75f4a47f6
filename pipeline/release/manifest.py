"""What goes with a release: a manifest for machines, a README for researchers."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.config.policy_table import in_short
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.release.accompanying_files import ORIGIN
from pipeline.release.draft import ReleaseDraft
from pipeline.release.row_digests import add_totals
from pipeline.warehouse.sql_output import CdmSource
from record.policy import Policy
from surrogates.keys.keys import ALGORITHM, CohortKey

_TEMPLATE = Path(__file__).with_name("readme.md")

FORMAT = 2
"""Changes whenever a key of the manifest gets another meaning."""

METHOD = (
    "Identifiers in notes are replaced by surrogates under the cohort's own key, ids by keyed "
    "pseudonyms; dates are moved."
)
_EXACT = "The time between two dates of one patient is exact, in notes and tables."
_CUT = "The time between two dates of one patient is exact to the {precision}: dates are cut to it."


@dataclass
class ReleaseCounts:
    """What became of what was asked for: `refused` counts notes by reason, `tables` rows, `labels`
    the surrogates in released notes."""

    persons: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    tables: dict[str, Counter[str]] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)

    @property
    def refused_share(self) -> float:
        """The share of the selected notes that are not in the release."""
        selected = self.notes["selected"]
        return (selected - self.notes["released"]) / selected if selected else 0.0


@dataclass(frozen=True)
class Origin:
    """What makes a release; `model` is the digest of the tagger that took part in detection,
    `units` the number of ranges of persons that it is made in."""

    cohort: str
    key: CohortKey
    policy: Policy
    model: str = ""
    units: int = 1

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the program, of what detected, and of the algorithm of surrogates."""
        found = {
            "cryptonym": version("cryptonym"),
            "detector": DETECTOR_VERSION,
            "surrogates": str(ALGORITHM),
        }
        return found | ({"model": self.model} if self.model else {})


def describe(origin: Origin) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `cdm_source` and `metadata`; the shift is given as a range."""
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
        "date shift days": f"{policy.min_shift_days}-{policy.max_shift_days}",
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
    return {"cdm_source": [source.row()], "metadata": rows}


def make_manifest(
    draft: ReleaseDraft,
    names: tuple[str, ...],
    origin: Origin,
    counts: ReleaseCounts,
    withdrawn: Mapping[str, Sequence[int]],
) -> dict[str, Any]:
    """Describe a release; equal releases give equal manifests, for there is no time in it.

    `withdrawn` are ids that earlier versions had and this one has not.
    """
    tables = {}
    for name in names:
        parts = [part for _, part in draft.parts(name)]
        digest = add_totals(part.total for part in parts)
        tables[name] = {"rows": sum(part.rows for part in parts), "sha256": digest}
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
        "units": origin.units,
        "tables": tables,
        "counts": {
            "persons": dict(sorted(counts.persons.items())),
            "notes": dict(sorted(counts.notes.items())),
            "refused": dict(sorted(counts.refused.items())),
            "tables": {name: dict(sorted(counts.tables[name].items())) for name in counts.tables},
        },
        "withdrawn": dict(withdrawn),
    }


def dump(manifest: dict[str, Any]) -> str:
    """Write a manifest as JSON."""
    return json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def undated(text: str | None) -> dict[str, Any]:
    """Read a manifest but for its time; nothing for what is none."""
    try:
        found = json.loads(text or "")
    except json.JSONDecodeError:
        return {}
    return {key: found[key] for key in found if key != "time"} if isinstance(found, dict) else {}


def readme(manifest: dict[str, Any]) -> str:
    """Explain a release to those who work with it."""
    precision = manifest["date_precision"]
    tables = "\n".join(
        f"| `{name}` | {found['rows']} | {_CONTENTS.get(name, 'moved dates, codes and numbers')} |"
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
        withdrawn=len(manifest["withdrawn"]["person_id"]),
    )


_CONTENTS = {
    "person": "the patients: sex, year of birth (moved), race, ethnicity",
    "visit_occurrence": "their stays, dates moved",
    "note": "the notes with surrogates",
    "note_span": "where surrogates stand in the notes, and of which kind they are",
    "note_nlp": "codes that another program found in the notes",
    "provider": "those who treated them: speciality, no names",
    "care_site": "where they were treated: kind of place, no names",
    "location": "places, as far as the policy tells them",
    "cdm_source": "what made this release",
    "metadata": "the same, one fact a row",
}
