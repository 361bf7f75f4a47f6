"""Collects a site's records of a period: runs, releases, key uses, reviews, attacks, verdicts."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import select

from pipeline.audit.private_files import parse_json
from pipeline.config.policy_description import describe_policy
from pipeline.config.settings import Settings
from pipeline.files.annotation_parsing import read_bytes
from pipeline.night.nightly import check_distinct_places
from pipeline.night.run_history import PastRun, read_history
from pipeline.notes.worker_resources import open_master, resolve_urls
from pipeline.state.audit_records import AuditReview, AuditSample, open_audit_records
from pipeline.state.quality_tables import QUALITY_DECISION, QUALITY_RUN
from pipeline.state.release_register import PastRelease, read_register
from pipeline.state.run_summary import Tally, merge_tallies
from pipeline.state.schema_version import connect_state
from pipeline.warehouse.databases import transaction
from record.algorithms import ALGORITHM
from record.errors import ConfigError
from surrogates.keys.custody import CohortEntry
from surrogates.keys.keys import MasterKey
from surrogates.keys.usage_log import KeyUse


@dataclass(frozen=True)
class Attachment:
    """A report provided as evidence: its digest and its privacy measures."""

    name: str
    sha256: str
    measures: list[dict[str, Any]]


@dataclass(frozen=True)
class KeyRecords:
    """The key usage log: uses in the period, problems of the hash chain, and all cohorts.

    `last` is the hash of the last line, to be recorded elsewhere.
    """

    uses: list[KeyUse]
    all_uses: int
    problems: list[str]
    cohorts: list[CohortEntry]
    last: str


@dataclass(frozen=True)
class Evidence:
    """The records of a period from its first to its last day, both in UTC."""

    since: date
    until: date
    made: datetime
    settings: Settings = field(repr=False)
    policy: dict[str, Any] = field(repr=False)
    master_key_id: str
    runs: list[PastRun]
    releases: list[PastRelease]
    tally: Tally = field(repr=False)
    keys: KeyRecords | None
    reviews: list[tuple[AuditReview, AuditSample]]
    verdicts: dict[str, int]
    decisions: list[dict[str, Any]]
    attachments: list[Attachment]
    code_version: str = field(default_factory=lambda: version("cryptonym"))

    @property
    def review(self) -> dict[str, Any] | None:
        """The result of the latest review in the period."""
        return self.reviews[0][0].result if self.reviews else None

    @property
    def outcomes(self) -> Counter[str]:
        """Notes of all runs of the period by outcome."""
        return sum((Counter(run.notes) for run in self.runs), Counter())

    @property
    def objections(self) -> dict[str, int] | None:
        """Persons who object and their notes, by the latest run, and notes withdrawn for it.

        None where no run of the period had a list of objections.
        """
        found = [run.about["objections"] for run in self.runs if run.about.get("objections")]
        if not found:
            return None
        return dict(found[0]) | {"withdrawn": sum(each["withdrawn"] for each in found)}

    @property
    def incidents(self) -> list[str]:
        """Failures in the period: of runs, releases, the quality gate and the key log."""
        found = []
        for run in self.runs:
            day = run.started.date().isoformat()
            if run.status in ("interrupted", "abandoned"):
                found.append(f"run {run.run_id} of {day} was {run.status}")
            elif run.attempts > 1:
                found.append(f"run {run.run_id} of {day} was resumed {run.attempts - 1} times")
            if run.exit_code:
                found.append(f"run {run.run_id} of {day} ended with exit code {run.exit_code}")
        for release in self.releases:
            if release.status not in ("finished", "running"):
                day = release.started.astimezone(UTC).date().isoformat()
                found.append(f"release {release.release_id} of {day} was {release.ending}")
        if self.verdicts.get("held"):
            found.append(f"the quality gate held {self.verdicts['held']} runs")
        problems = self.keys.problems if self.keys else []
        return found + [f"key log: {problem}" for problem in problems]


def gather_evidence(
    settings: Settings, since: date, until: date, reports: Sequence[Path] = ()
) -> tuple[Evidence, MasterKey]:
    """Read all records from `since` to `until`; return them and the key that can seal them.

    Raises ConfigError or Unavailable where key, state or a report cannot be read.
    """
    if since > until:
        raise ConfigError("--from", "must not be later than --to", "swap the two dates")
    known = resolve_urls(settings)
    check_distinct_places(known)
    master = open_master(settings)
    runs = read_history(known.state, settings.base)
    runs = [run for run in runs if since <= run.started.astimezone(UTC).date() <= until]
    releases = read_register(known.state, settings.base)
    releases = [each for each in releases if since <= each.started.astimezone(UTC).date() <= until]
    verdicts, decisions = _read_gate_records(known, {run.run_id for run in runs})
    algorithm = next(
        (run.about["algorithm"] for run in runs if "algorithm" in run.about), ALGORITHM
    )
    evidence = Evidence(
        since=since,
        until=until,
        made=datetime.now(UTC),
        settings=settings,
        policy=describe_policy(settings.make_policy().under(algorithm)),
        master_key_id=master.key_id,
        runs=runs,
        releases=releases,
        tally=merge_tallies(run.tally for run in runs),
        keys=_read_keys(master, since, until),
        reviews=_read_reviews(known, since, until),
        verdicts=verdicts,
        decisions=decisions,
        attachments=[_read_attachment(path) for path in reports],
    )
    return evidence, master


def _read_keys(master: MasterKey, since: date, until: date) -> KeyRecords | None:
    custody = master.custody
    if custody is None:
        return None
    with custody.locked():
        uses, problems = custody.log.uses(), custody.log.problems()
        cohorts, last = custody.entries(), custody.log.last()
    within = [use for use in uses if since <= datetime.fromisoformat(use.time).date() <= until]
    return KeyRecords(within, len(uses), problems, cohorts, last)


def _read_reviews(
    settings: Settings, since: date, until: date
) -> list[tuple[AuditReview, AuditSample]]:
    with open_audit_records(settings.state, settings.base) as records:
        found = [r for r in records.reviews() if since <= r.read.astimezone(UTC).date() <= until]
        return [(review, records.sample(review.sample_id)) for review in found]


def _read_gate_records(
    settings: Settings, run_ids: set[int]
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    with ExitStack() as stack:
        engine = connect_state(settings.state, settings.base)
        stack.callback(engine.dispose)
        connection = stack.enter_context(transaction(engine, "state"))
        judged = connection.execute(select(QUALITY_RUN.c.run_id, QUALITY_RUN.c.verdict)).all()
        decided = connection.execute(select(QUALITY_DECISION)).mappings().all()
        verdicts = Counter(verdict for run_id, verdict in judged if run_id in run_ids)
        return dict(verdicts), [dict(row) for row in decided if row["run_id"] in run_ids]


def _read_attachment(path: Path) -> Attachment:
    data = read_bytes(path)
    found = parse_json(str(path), data.decode("utf-8", "replace"))
    listed = found.get("measured", []) if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        problem = "contains no list of measures"
        raise ConfigError(str(path), problem, 'provide a JSON object with the key "measured"')
    measures = [entry for entry in listed if entry.get("axis") == "privacy"]
    kept = [{name: entry.get(name) for name in _MEASURE_FIELDS} for entry in measures]
    return Attachment(path.name, hashlib.sha256(data).hexdigest(), kept)


_MEASURE_FIELDS = ("name", "value", "low", "high", "null", "control", "data", "seeds")


def canonical_json(value: object) -> bytes:
    """Encode an object as the bytes that a seal is computed over."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()
