"""The document of a period: requirements with their evidence, as a page and as JSON, under seal."""

import hmac
import json
from collections import Counter
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from pipeline.dpo.answers import Answer, answer_all
from pipeline.dpo.evidence import Evidence, canonical
from pipeline.reports.quarantine_remedies import remedy
from pipeline.reports.run_report import TEMPLATES
from pipeline.state.release_register import PastRelease
from surrogates.keys.keys import MasterKey

_PURPOSE = "dpo-pack"
_SEAL = "seal"


def make_pack(evidence: Evidence, master: MasterKey) -> dict[str, Any]:
    """Return the document as an object that JSON can hold, counts and ids of keys alone.

    `seal` is HMAC-SHA-256 over everything else, under a key derived from the master key.
    """
    answers = answer_all(evidence)
    pack: dict[str, Any] = {
        "from": evidence.since.isoformat(),
        "to": evidence.until.isoformat(),
        "made": evidence.made.isoformat(timespec="seconds"),
        "code_version": evidence.code_version,
        "cohort": evidence.settings.cohort,
        "master_key_id": evidence.master_key_id,
        "requirements": [_told(answer) for answer in answers],
        "statuses": dict(Counter(answer.status for answer in answers)),
        "runs": [run.to_json() for run in evidence.runs],
        "releases": [_release(release) for release in evidence.releases],
        "notes": dict(evidence.outcomes),
        "labels": _labels(evidence),
        "quarantine": _quarantine(evidence),
        "incidents": evidence.incidents,
        "keys": _keys(evidence),
        "reviews": [
            {
                "sample": sample.sample_id,
                "drawn": sample.drawn.isoformat(timespec="seconds"),
                "seed": sample.seed,
                "reviewer": review.reviewer,
                "read": review.read.isoformat(timespec="seconds"),
                "result": review.result,
            }
            for review, sample in evidence.reviews
        ],
        "gate": {"verdicts": evidence.verdicts, "decisions": evidence.decisions},
        "attachments": [asdict(attached) for attached in evidence.attachments],
        "policy": evidence.policy,
    }
    return pack | {_SEAL: _sealed(pack, master)}


def is_genuine(pack: dict[str, Any], master: MasterKey) -> bool:
    """Return whether a document is as it was made, by the key that made it."""
    rest = {name: value for name, value in pack.items() if name != _SEAL}
    return hmac.compare_digest(str(pack.get(_SEAL)).encode(), _sealed(rest, master).encode())


def render(pack: dict[str, Any]) -> str:
    """Draw the document as one page that loads nothing and runs no script."""
    return TEMPLATES.get_template("dpo.html.j2").render(pack=pack)


def _sealed(pack: dict[str, Any], master: MasterKey) -> str:
    # Read back first: a number may look otherwise once JSON has held it.
    held = json.loads(json.dumps(pack))
    return hmac.new(master.derive(_PURPOSE), canonical(held), sha256).hexdigest()


def _told(answer: Answer) -> dict[str, Any]:
    return asdict(answer.requirement) | {
        "status": answer.status,
        "shown": list(answer.shown),
        "lacking": list(answer.lacking),
    }


def _release(release: PastRelease) -> dict[str, Any]:
    told = release.to_json() | {"ending": release.ending, "persons": release.persons}
    notes = {"released": release.released, "held": release.held, "refused": release.refused}
    changed = dict(zip(("added", "changed", "withdrawn"), release.notes_changed, strict=False))
    return told | {"notes": notes | changed}


def _labels(evidence: Evidence) -> dict[str, int]:
    labels: Counter[str] = Counter()
    for (label, _, _), count in evidence.tally.spans.items():
        labels[label] += count
    return dict(sorted(labels.items()))


def _quarantine(evidence: Evidence) -> list[dict[str, Any]]:
    causes: Counter[tuple[str, str, str]] = Counter()
    for (stage, error, reason, _), count in evidence.tally.quarantine.items():
        causes[stage, error, reason] += count
    return [
        {"stage": stage, "error": error, "reason": reason, "count": count}
        | {"meaning": remedy(reason).meaning}
        for (stage, error, reason), count in sorted(causes.items())
    ]


def _keys(evidence: Evidence) -> dict[str, Any] | None:
    keys = evidence.keys
    if keys is None:
        return None
    return {
        # The reasons that people gave may name somebody: they stay in the log.
        "uses": [{n: v for n, v in asdict(use).items() if n != "reason"} for use in keys.uses],
        "all_uses": keys.all_uses,
        "problems": keys.problems,
        "cohorts": [asdict(entry) for entry in keys.cohorts],
        "last": keys.last,
    }
