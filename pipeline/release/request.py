"""What is to be released, to whom: the options of the command over what the configuration says."""

import re
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from pipeline.config.policies import build_policy, expand_policy, read_policy
from pipeline.config.settings import CohortSettings, Settings
from pipeline.release.persons import PersonList, query_persons, read_persons, read_text
from pipeline.release.tables import patient_tables
from pipeline.warehouse.note_rows import parse_date
from record.columns import COLUMNS, TABLES, Treatment
from record.errors import ConfigError, Unreadable
from record.policy import Policy

_UNNAMED = re.compile(r"class-\d+")
_ALWAYS = frozenset(("person", "note", "note_span"))


@dataclass(frozen=True)
class ReleaseRequest:
    """What is to be released, to whom: relative paths start at the working directory.

    `since` and `until` are days of the source, both included; no `kinds` means all. `output` is
    a SQLAlchemy URL, `parquet:FOLDER`, `jsonl:FOLDER`, or `env:NAME` of one. `columns` are names
    of tables, or `table.column`, that are released; none means all. `policy` is the name of one
    that is shipped, or a file. What is None or empty is what `[cohorts.NAME]` says, else nothing.
    """

    config: Path
    cohort: str
    persons: Path | None = None
    output: str = field(default="", repr=False)
    schema: str | None = None
    since: date | None = None
    until: date | None = None
    kinds: frozenset[str] = frozenset()
    persons_sql: Path | None = None
    columns: frozenset[str] = frozenset()
    policy: str | None = None
    withdraw_stale: bool = False

    def holds(self, value: Any) -> bool:
        """Return whether a raw date is in the window; one that nobody can read is for later stages
        to refuse."""
        if not self.has_window:
            return True
        try:
            found = parse_date(value)
        except Unreadable:
            return True
        if found is None:
            return True
        return (self.since or date.min) <= found <= (self.until or date.max)

    @property
    def has_window(self) -> bool:
        """Whether days decide what is released."""
        return self.since is not None or self.until is not None


def complete(order: ReleaseRequest, settings: Settings) -> ReleaseRequest:
    """Fill in what `[cohorts.NAME]` of the configuration says, and check the whole.

    Raises ConfigError that names the option.
    """
    if not 1 <= len(order.cohort) <= 200:
        raise ConfigError("--cohort", "has not 1 to 200 characters", "give it a short name")
    said = settings.cohorts.get(order.cohort, CohortSettings())
    whole = replace(
        order,
        output=order.output or _located(said.output, settings.base),
        schema=order.schema or said.schema,
        since=order.since or said.since,
        until=order.until or said.until,
        kinds=order.kinds or frozenset(said.kinds),
        columns=order.columns or frozenset(said.columns),
    )
    if not whole.output:
        problem = "is missing, and the configuration names none for this cohort"
        raise ConfigError("--output", problem, "name a database or folder")
    if whole.since and whole.until and whole.since > whole.until:
        raise ConfigError("--from", "is later than --to", "exchange the two")
    _check_kinds(whole, settings)
    _check_columns(whole)
    return whole


def list_persons(order: ReleaseRequest, settings: Settings) -> PersonList:
    """Find who is in the cohort. Raises ConfigError where it is not said, or said twice."""
    said = settings.cohorts.get(order.cohort, CohortSettings()).persons
    if order.persons and order.persons_sql:
        raise ConfigError("--persons-sql", "stands beside --persons", "give one of the two")
    if order.persons:
        return read_persons(order.persons)
    if order.persons_sql:
        return query_persons(read_text(order.persons_sql, "--persons-sql"), settings)
    if said and said.sql:
        return query_persons(said.sql, settings)
    if said and said.file:
        return read_persons(settings.base / said.file)
    raise ConfigError("--persons", "is missing", "give a file, or a query as --persons-sql")


def make_policy(order: ReleaseRequest, settings: Settings) -> Policy:
    """Build the policy of a cohort; columns that were not asked for are dropped by it.

    `--policy`, else that of the cohort, else that of the configuration. Raises ConfigError.
    """
    said = settings.cohorts.get(order.cohort, CohortSettings()).policy
    if order.policy is not None:
        policy = build_policy(read_policy(order.policy, Path()), settings.lang)
    elif isinstance(said, str):
        policy = build_policy(read_policy(said, settings.base), settings.lang)
    elif said is not None:
        policy = build_policy(expand_policy(said, settings.base), settings.lang)
    else:
        policy = settings.make_policy()
    dropped = {
        name: Treatment.DROP
        for name, rule in COLUMNS.items()
        if rule.can_drop and not _is_asked(name, order)
    }
    return replace(policy, columns=dict(policy.columns) | dropped) if dropped else policy


def tables_of(order: ReleaseRequest) -> frozenset[str]:
    """Name the tables that an order asks for; persons and notes belong to every release."""
    if not order.columns:
        return frozenset(TABLES)
    return _ALWAYS | {name.partition(".")[0] for name in order.columns}


def _is_asked(column: str, order: ReleaseRequest) -> bool:
    table = column.partition(".")[0]
    named = {name for name in order.columns if name.partition(".")[0] == table}
    return not named or table in named or column in named


def _check_kinds(order: ReleaseRequest, settings: Settings) -> None:
    known = set(settings.source.kinds.values())
    if unknown := sorted(k for k in order.kinds - known if not _UNNAMED.fullmatch(k)):
        problem = f"no kind of note is called {', '.join(unknown)}"
        named = (
            f"those of source.kinds are {', '.join(sorted(known))}" if known else "there is none"
        )
        raise ConfigError("--kinds", problem, f"{named}; others are class-<note_class_concept_id>")


def _check_columns(order: ReleaseRequest) -> None:
    if unknown := sorted(order.columns - TABLES.keys() - COLUMNS.keys()):
        problem = f"nothing is called {', '.join(unknown)}"
        tables = ", ".join(("person", "note", *patient_tables()))
        raise ConfigError("--columns", problem, f"write TABLE or TABLE.COLUMN, of {tables} ...")


def _located(output: str | None, base: Path) -> str:
    """Let the relative path of a configured output start at the configuration's folder."""
    if not output or output.startswith("env:"):
        return output or ""
    for form in ("parquet:", "jsonl:", "sqlite:///"):
        if output.startswith(form):
            return f"{form}{base / output.removeprefix(form)}"
    return output
