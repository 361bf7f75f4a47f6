"""Everything at hand for the release of a cohort in one process; holds keys."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Table

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import WorkerResources, open_resources, resolve_urls
from pipeline.release.draft import ReleaseDraft
from pipeline.release.request import ReleaseRequest, make_policy, tables_of
from pipeline.release.table_reader import present_columns
from pipeline.release.tables import NOTES, make_tables, order_of
from pipeline.release.targets import Target, open_target
from pipeline.state.run_lock import make_lock_path
from record.columns import TABLES
from record.errors import ConfigError
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns


@dataclass(frozen=True)
class ReleaseContext:
    """What the units of a release are made with; `names` are the tables, in order of writing."""

    order: ReleaseRequest
    tools: WorkerResources
    draft: ReleaseDraft
    target: Target
    names: tuple[str, ...]
    tables: Mapping[str, Table]

    @property
    def made_by(self) -> list[str]:
        """Everything that decides what a release is made into: equal in all of its processes."""
        tools = self.tools
        names = (tools.cohort.key_id, tools.policy.policy_id, tools.config.hex(), *self.names)
        return list(names)

    def close(self) -> None:
        """Close databases and the extraction process; the draft stays."""
        self.target.close()
        self.tools.close()
        self.draft.close()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a desk holds keys and is never serialized")


def open_desk(order: ReleaseRequest, settings: Settings, draft: ReleaseDraft) -> ReleaseContext:
    """Open everything; the order is complete. Raises ConfigError or Unavailable."""
    tools = open_release_tools(order, settings)
    asked = tables_of(order)
    has = {name for name in TABLES if name in NOTES or present_columns(tools.source, name)}
    target = open_target(order, settings)
    return ReleaseContext(order, tools, draft, target, order_of(has & asked), make_tables(None))


def open_share(order: ReleaseRequest, settings: Settings) -> ReleaseContext:
    """Open everything in a worker process.

    Raises ConfigError where key, policy or configuration are not those of the main process.
    """
    desk = open_desk(order, settings, ReleaseDraft(draft_folder(settings)))
    if desk.made_by != desk.draft.told()["made_by"]:
        desk.close()
        raise ConfigError(
            "release", "the configuration changed under a release", "run the release again"
        )
    return desk


def open_release_tools(order: ReleaseRequest, settings: Settings) -> WorkerResources:
    """Open the tools of a process under the cohort's key and policy: nothing that detects."""
    tools = open_resources(settings, release=order.cohort)
    policy = make_policy(order, settings)
    return replace(
        tools,
        policy=policy,
        rewriter=Rewriter(tools.cohort, policy),
        columns=Columns(tools.cohort, policy),
    )


def draft_folder(settings: Settings) -> Path:
    """Name the folder that releases of a configuration are made in.

    There is one for each state database, whose lock keeps two of them out of one folder:
    configurations may lie side by side.
    """
    lock = make_lock_path(resolve_urls(settings).state.url, settings.base).absolute()
    digest = hashlib.blake2b(str(lock).encode(), digest_size=4).hexdigest()
    return settings.base / ".cryptonym" / f"release-{digest}"
