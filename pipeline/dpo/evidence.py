"""What the records of a site show about a period: runs, keys, reviews, attacks, verdicts."""

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

from pipeline.audit.private_files import parsed
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
from record.errors import ConfigError
from surrogates.keys.custody import CohortEntry
from surrogates.keys.keys import MasterKey
from surrogates.keys.usage_log import Use


@dataclass(frozen=True)
class Attachment:
    """A report that was given along: its digest, and the measures on privacy that it holds."""

    name: str
    sha256: str
    measures: list[dict[str, Any]]


@dataclass(frozen=True)
class Keys:
    """The log of uses: those of the period, what is wrong with the chain, what cohorts there are.

    `last` is the hash of the last line, to be noted elsewhere.
    """

    uses: list[Use]
    all_uses: int
    problems: list[str]
    cohorts: list[CohortEntry]
    last: str


@dataclass(frozen=True)
class Evidence:
    """All that is known of a period, from its first day to its last, both in UTC."""

    since: date
    until: date
    made: datetime
    settings: Settings = field(repr=False)
    policy: dict[str, Any] = field(repr=False)
    master_key_id: str
    runs: list[PastRun]
    releases: list[PastRelease]
    tally: Tally = field(repr=False)
    keys: Keys | None
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
        """Notes of all runs of the period by what became of them."""
        return sum((Counter(run.notes) for run in self.runs), Counter())

    @property
    def incidents(self) -> list[str]:
        """What went otherwise than it should: runs, releases, the gate, the log of keys."""
        told = []
        for run in self.runs:
            day = run.started.date().isoformat()
            if run.status in ("interrupted", "abandoned"):
                told.append(f"run {run.run_id} of {day} was {run.status}")
            elif run.attempts > 1:
                told.append(f"run {run.run_id} of {day} was taken up {run.attempts - 1} times")
            if run.exit_code:
                told.append(f"run {run.run_id} of {day} ended with code {run.exit_code}")
        for release in self.releases:
            if release.status not in ("finished", "running"):
                day = release.started.astimezone(UTC).date().isoformat()
                told.append(f"release {release.release_id} of {day} was {release.ending}")
        if self.verdicts.get("held"):
            told.append(f"the quality gate held {self.verdicts['held']} runs")
        problems = self.keys.problems if self.keys else []
        return told + [f"log of keys: {problem}" for problem in problems]


def gather(
    settings: Settings, since: date, until: date, reports: Sequence[Path] = ()
) -> tuple[Evidence, MasterKey]:
    """Read all records of the days from `since` to `until`; returns the key that may seal them,
    too.

    Raises ConfigError or Unavailable where key, state or a report cannot be read.
    """
    if since > until:
        raise ConfigError("--from", "is later than --to", "exchange the two")
    known = resolve_urls(settings)
    check_distinct_places(known)
    master = open_master(settings)
    runs = read_history(known.state, settings.base)
    runs = [run for run in runs if since <= run.started.astimezone(UTC).date() <= until]
    releases = read_register(known.state, settings.base)
    releases = [each for each in releases if since <= each.started.astimezone(UTC).date() <= until]
    verdicts, decisions = _gate(known, {run.run_id for run in runs})
    evidence = Evidence(
        since=since,
        until=until,
        made=datetime.now(UTC),
        settings=settings,
        policy=describe_policy(settings.make_policy()),
        master_key_id=master.key_id,
        runs=runs,
        releases=releases,
        tally=merge_tallies(run.tally for run in runs),
        keys=_keys(master, since, until),
        reviews=_reviews(known, since, until),
        verdicts=verdicts,
        decisions=decisions,
        attachments=[_attached(path) for path in reports],
    )
    return evidence, master


def _keys(master: MasterKey, since: date, until: date) -> Keys | None:
    custody = master.custody
    if custody is None:
        return None
    with custody.locked():
        uses, problems = custody.log.uses(), custody.log.problems()
        cohorts, last = custody.entries(), custody.log.last()
    within = [use for use in uses if since <= datetime.fromisoformat(use.time).date() <= until]
    return Keys(within, len(uses), problems, cohorts, last)


def _reviews(settings: Settings, since: date, until: date) -> list[tuple[AuditReview, AuditSample]]:
    with open_audit_records(settings.state, settings.base) as records:
        found = [r for r in records.reviews() if since <= r.read.astimezone(UTC).date() <= until]
        return [(review, records.sample(review.sample_id)) for review in found]


def _gate(settings: Settings, run_ids: set[int]) -> tuple[dict[str, int], list[dict[str, Any]]]:
    with ExitStack() as stack:
        engine = connect_state(settings.state, settings.base)
        stack.callback(engine.dispose)
        connection = stack.enter_context(transaction(engine, "state"))
        judged = connection.execute(select(QUALITY_RUN.c.run_id, QUALITY_RUN.c.verdict)).all()
        decided = connection.execute(select(QUALITY_DECISION)).mappings().all()
        verdicts = Counter(verdict for run_id, verdict in judged if run_id in run_ids)
        return dict(verdicts), [dict(row) for row in decided if row["run_id"] in run_ids]


def _attached(path: Path) -> Attachment:
    data = read_bytes(path)
    found = parsed(str(path), data.decode("utf-8", "replace"))
    listed = found.get("measured", []) if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        problem = "holds no list of measures"
        raise ConfigError(str(path), problem, 'give a JSON object with the key "measured"')
    measures = [entry for entry in listed if entry.get("axis") == "privacy"]
    kept = [{name: entry.get(name) for name in _OF_MEASURE} for entry in measures]
    return Attachment(path.name, hashlib.sha256(data).hexdigest(), kept)


_OF_MEASURE = ("name", "value", "low", "high", "null", "control", "data", "seeds")


def canonical(told: object) -> bytes:
    """Return an object as the bytes that a seal is made over."""
    return json.dumps(told, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()
