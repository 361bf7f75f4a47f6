"""The request, databases, keys and target of a release, opened once per process."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import Table

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import (
    WorkerResources,
    open_master,
    open_resources,
    resolve_urls,
    with_id_bits,
)
from pipeline.release.request import ReleaseRequest, make_policy, requested_tables
from pipeline.release.staging import ReleaseStaging
from pipeline.release.tables import SPANS, list_tables_in_write_order
from pipeline.release.targets import Target, open_target, open_trial_target
from pipeline.state.release_register import read_register
from pipeline.state.run_lock import make_lock_path
from pipeline.warehouse.cdm_tables import (
    FACT_TABLES,
    NOTE_TABLES,
    STAFF_TABLES,
    VISIT_TABLES,
    make_tables,
)
from pipeline.warehouse.fact_rows import list_fact_tables
from pipeline.warehouse.findings import NOTE_NLP
from pipeline.warehouse.table_reader import present_columns
from record.algorithms import ALGORITHM, ALGORITHMS
from record.columns import TABLES
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns


@dataclass(frozen=True)
class ReleaseContext:
    """What a process needs to build units of a release; `names` are the tables in write order."""

    request: ReleaseRequest
    tools: WorkerResources
    staging: ReleaseStaging
    target: Target
    names: tuple[str, ...]
    tables: Mapping[str, Table]

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The public ids of the keys under which the published release may have been made."""
        cohort = self.tools.cohort
        earlier = [each for each in ALGORITHMS if each < cohort.algorithm]
        return (
            cohort.key_id,
            *(cohort.under(each).key_id for each in earlier if self.target.is_replaced),
        )

    @property
    def is_sorted(self) -> bool:
        """Whether tables are sorted by id as a whole, as all but the first version's are."""
        return self.tools.cohort.algorithm > ALGORITHMS[0]

    @property
    def has_own_findings(self) -> bool:
        """Whether `note_nlp` has what `note_span` has."""
        return SPANS in self.names and self.is_sorted

    @property
    def has_source_findings(self) -> bool:
        """Whether `note_nlp` has the rows of the source."""
        return NOTE_NLP in requested_tables(self.request)

    @property
    def proof(self) -> dict[str, str]:
        """What is equal in all workers of a release; the key by its check value alone."""
        tools = self.tools
        return {
            "version": version("cryptonym"),
            "key": tools.cohort.key_id,
            "policy": tools.policy.policy_id,
            "configuration": tools.config.hex(),
            "tables": " ".join(self.names),
        }

    def close(self) -> None:
        """Close databases and the extraction process; the staging folder stays."""
        self.target.close()
        self.tools.close()
        self.staging.close()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a ReleaseContext holds keys and must not be serialized")


def open_context(
    request: ReleaseRequest,
    settings: Settings,
    staging: ReleaseStaging,
    target: Target | None = None,
) -> ReleaseContext:
    """Open everything for a completed request, its target too if none is given.

    Raises ConfigError or Unavailable.
    """
    if target is None and request.dry_run:
        target = open_trial_target(request, settings)
    target = target or open_target(request, settings)
    tools = open_release_tools(request, settings, target)
    requested = requested_tables(request)
    has = {name for name in TABLES if name in NOTE_TABLES or present_columns(tools.source, name)}
    has -= set(FACT_TABLES) - set(list_fact_tables(tools.source))
    if not (request.spans or tools.cohort.algorithm == ALGORITHMS[0]):
        requested -= {SPANS}
    elif request.spans and tools.cohort.algorithm > ALGORITHMS[0]:
        requested, has = requested | {NOTE_NLP}, has | {NOTE_NLP}
    if tools.cohort.algorithm == ALGORITHMS[0]:
        requested -= set(FACT_TABLES)
    if tools.policy.visits == "drop":
        requested -= set(VISIT_TABLES)
    if tools.policy.clinicians == "drop":
        requested -= set(STAFF_TABLES)
    return ReleaseContext(
        request,
        tools,
        staging,
        target,
        list_tables_in_write_order(has & requested),
        make_tables(None),
    )


def open_release_tools(
    request: ReleaseRequest, settings: Settings, target: Target
) -> WorkerResources:
    """Open the tools of a process under the cohort's key and policy, without detectors.

    A target with a release goes on under its version of the surrogate algorithm, unless it is to
    be published whole under the newest.
    """
    tools = open_resources(
        settings,
        release=request.cohort,
        is_trial=request.dry_run,
        algorithm=_last_algorithm(request, settings),
    )
    origin, cohort = target.read_origin(), tools.cohort
    made = {cohort.under(each).key_id: each for each in ALGORITHMS}
    published = made.get(origin or "")
    algorithm = ALGORITHM if request.rebase else published or cohort.algorithm
    target.is_replaced = published is not None and published != algorithm
    policy = make_policy(request, settings).under(algorithm)
    cohort = with_id_bits(cohort.under(algorithm), policy)
    released = tools.released
    if request.withdraw_stale:
        released = {config: released[config] for config in tools.accepted}
    return replace(
        tools,
        released=released,
        cohort=cohort,
        policy=policy,
        rewriter=Rewriter(cohort, policy),
        columns=Columns(cohort, policy),
    )


def _last_algorithm(request: ReleaseRequest, settings: Settings) -> int | None:
    """Return the version of the cohort's last release where no custody folder records it."""
    if open_master(settings).recorded_algorithm(request.cohort) is not None:
        return None
    releases = read_register(resolve_urls(settings).state, settings.base)
    shown = (each for each in releases if each.cohort == request.cohort and each.is_shown)
    last = next(shown, None)
    return None if last is None else int(last.about.get("versions", {}).get("surrogates", 2))


def staging_folder(settings: Settings) -> Path:
    """Return the staging folder of a configuration's releases.

    There is one per state database, whose lock prevents two releases from sharing a folder:
    several configurations may lie in one directory.
    """
    lock = make_lock_path(resolve_urls(settings).state.url, settings.base).absolute()
    digest = hashlib.blake2b(str(lock).encode(), digest_size=4).hexdigest()
    return settings.base / ".cryptonym" / f"release-{digest}"
