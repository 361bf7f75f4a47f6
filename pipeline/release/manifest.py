"""The manifest, README and description of a release, and the ids that it withdrew."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.config.policy_description import summarize_policy
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.release.release_context import ReleaseContext
from pipeline.release.row_digests import add_totals
from pipeline.release.staging import ReleaseStaging
from pipeline.release.tables import SPANS
from pipeline.release.targets import ORIGIN, parse_json
from pipeline.release.unit_files import read_keys
from pipeline.release.vocabulary import ReleaseVocabulary, list_vocabulary
from pipeline.warehouse.sql_output import CdmSource
from record.algorithms import ALGORITHMS
from record.policy import Policy
from surrogates.keys.keys import CohortKey

_TEMPLATE = Path(__file__).with_name("readme.md")

FORMAT = 2
"""Version of the manifest's format: changes whenever the meaning of a key changes."""

METHOD = (
    "Identifiers in notes are replaced by surrogates under the cohort's own key, ids by keyed "
    "pseudonyms; dates are moved."
)
_WITH_SPANS = (
    "`note_span.note_id` joins to `note`; its offsets\n"
    "  are half-open and count Unicode code points of `note_text`."
)
_WITHOUT_SPANS = "No table tells\n  where surrogates stand."
_EXACT_INTERVALS = "Intervals between two dates of the same patient are exact, in notes and tables."
_CUT_INTERVALS = (
    "Intervals between two dates of the same patient are exact to the {precision}: dates are "
    "truncated to it."
)


@dataclass
class ReleaseCounts:
    """The outcomes of a release: `refused` counts notes by reason, `tables` rows by table and
    outcome, `labels` the surrogates in released notes, `detectors` these notes by what read them.
    """

    persons: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    tables: dict[str, Counter[str]] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)
    detectors: Counter[str] = field(default_factory=Counter)

    @property
    def refused_share(self) -> float:
        """The share of the selected notes that are not in the release."""
        selected = self.notes["selected"]
        return (selected - self.notes["released"]) / selected if selected else 0.0


@dataclass(frozen=True)
class ReleaseOrigin:
    """What a release was made with.

    `model` is the digest of the tagger that detection used, `units` the number of person ranges.
    """

    cohort: str
    key: CohortKey
    policy: Policy
    model: str = ""
    units: int = 1

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the program, the detectors, the surrogate algorithm and the model."""
        found = {
            "cryptonym": version("cryptonym"),
            "detector": DETECTOR_VERSION,
            "surrogates": str(self.key.algorithm),
        }
        return found | ({"model": self.model} if self.model else {})


def describe_release(origin: ReleaseOrigin) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `cdm_source` and `metadata`; the date shift is given as a range."""
    policy = origin.policy
    source = CdmSource(
        cdm_source_name=origin.cohort,
        cdm_source_abbreviation=origin.cohort[:25],
        cdm_holder="",
        source_description=summarize_policy(policy),
        cdm_etl_reference=ORIGIN + origin.key.key_id,
    )
    facts = {
        "method": METHOD,
        "key_id": origin.key.key_id,
        "policy_id": policy.policy_id,
        "dates": summarize_policy(policy),
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
    staging: ReleaseStaging,
    names: tuple[str, ...],
    origin: ReleaseOrigin,
    counts: ReleaseCounts,
    withdrawn: Mapping[str, Sequence[int]],
    vocabulary: ReleaseVocabulary | None = None,
) -> dict[str, Any]:
    """Return the manifest of a release; it has no time, so that equal releases have equal ones.

    `withdrawn` are ids that earlier versions had and this one has not.
    """
    tables = {}
    for name in names:
        parts = [part for _, part in staging.parts(name)]
        digest = add_totals(part.total for part in parts)
        tables[name] = {"rows": sum(part.rows for part in parts), "sha256": digest}
    added: dict[str, Any] = {}
    if vocabulary is not None:
        added["vocabulary"] = vocabulary.to_json()
    if origin.key.algorithm > ALGORITHMS[0]:
        added |= {"id_bits": origin.key.id_bits, "spans": SPANS in names}
    return {
        "format": FORMAT,
        "cohort": origin.cohort,
        "method": METHOD,
        "key_id": origin.key.key_id,
        "policy_id": origin.policy.policy_id,
        "versions": origin.versions,
        "dates": summarize_policy(origin.policy),
        "date_precision": origin.policy.date_precision,
        "date_shift_days": [origin.policy.min_shift_days, origin.policy.max_shift_days],
        "units": origin.units,
        "tables": tables,
        "counts": {
            "persons": dict(sorted(counts.persons.items())),
            "notes": dict(sorted(counts.notes.items())),
            "refused": dict(sorted(counts.refused.items())),
            "detectors": dict(sorted(counts.detectors.items())),
            "tables": {name: dict(sorted(counts.tables[name].items())) for name in counts.tables},
        },
        "withdrawn": dict(withdrawn),
        **added,
    }


def format_manifest(manifest: dict[str, Any]) -> str:
    """Format a manifest as JSON."""
    return json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def parse_manifest(text: str | None) -> dict[str, Any]:
    """Parse a manifest without its time; empty where the text is not a manifest."""
    found = parse_json(text)
    return {key: found[key] for key in found if key != "time"}


def render_readme(manifest: dict[str, Any]) -> str:
    """Render the README of a release for its users."""
    precision = manifest["date_precision"]
    tables = "\n".join(
        f"| `{name}` | {found['rows']} | {_CONTENTS.get(name, 'shifted dates, codes, numbers')} |"
        for name, found in manifest["tables"].items()
    )
    for name, count in list_vocabulary(manifest).items():
        tables += f"\n| `{name}` | {count} | OHDSI's vocabulary, without concepts of the site |"
    return _TEMPLATE.read_text(encoding="utf-8").format(
        **manifest["versions"],
        method=manifest["method"],
        key_id=manifest["key_id"],
        policy_id=manifest["policy_id"],
        tables=tables,
        dates=manifest["dates"],
        intervals=_EXACT_INTERVALS
        if precision == "day"
        else _CUT_INTERVALS.format(precision=precision),
        spans=_WITH_SPANS if SPANS in manifest["tables"] else _WITHOUT_SPANS,
        withdrawn=len(manifest["withdrawn"]["person_id"]),
        read_by="; ".join(
            f"{count} notes were read by {name}"
            for name, count in manifest["counts"]["detectors"].items()
        )
        or "it has no notes",
    )


_CONTENTS = {
    "person": "patients: sex, year of birth (shifted), race, ethnicity",
    "visit_occurrence": "visits, with shifted dates",
    "note": "notes with surrogates",
    "note_span": "positions and labels of the surrogates in the notes",
    "note_nlp": "codes that other programs extracted from the notes",
    "cost": "costs of released rows: amounts and codes",
    "fact_relationship": "which released rows of one patient belong together",
    "provider": "providers: specialty, no names",
    "care_site": "care sites: type of facility, no names",
    "location": "locations, as detailed as the policy allows",
    "cdm_source": "description of this release",
    "metadata": "the same description, one fact per row",
}


_TABLES = {"person_id": "person", "note_id": "note"}


def list_withdrawn(
    context: ReleaseContext, manifests: Iterable[Mapping[str, Any]]
) -> dict[str, list[int]]:
    """Return the ids of persons and notes that are withdrawn and not released again.

    `manifests` are those of the published release, and of an interrupted publication: it may have
    become visible, so that its withdrawals are listed unless this release has the ids.
    """
    withdrawn = [manifest.get("withdrawn") for manifest in manifests]
    return {key: _withdrawn_ids(context, key, withdrawn) for key in _TABLES}


def _withdrawn_ids(context: ReleaseContext, key: str, withdrawn: Iterable[Any]) -> list[int]:
    name = _TABLES[key]
    gone = {number for each in withdrawn if isinstance(each, dict) for number in each.get(key, ())}
    for _, part in context.staging.parts(name):
        gone.update(part.difference.withdrawn)
    if gone:
        for index, _ in context.staging.parts(name):
            path = context.staging.path(name, index, context.target.suffix)
            gone -= read_keys(path, context.tables[name])[1]
    return sorted(gone)
