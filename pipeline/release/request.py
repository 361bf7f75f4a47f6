"""A request for a release: the command's options, completed from `[cohorts.NAME]`."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from pipeline.config.policies import (
    build_policy,
    expand_policy,
    list_shipped_policies,
    read_policy,
)
from pipeline.config.settings import URL_FILE, CohortSettings, Settings
from pipeline.release.persons import PersonList, query_persons, read_persons
from pipeline.warehouse.cdm_tables import patient_tables
from pipeline.warehouse.note_rows import parse_date
from pipeline.warehouse.person_lists import read_text
from record.algorithms import ALGORITHMS
from record.columns import COLUMNS, TABLES, Treatment
from record.errors import ConfigError, Unreadable
from record.policy import Policy

_UNNAMED = re.compile(r"class-\d+")
_ALWAYS = frozenset(("person", "note", "note_span"))
_ON_REQUEST = frozenset(("payer_plan_period", "cost"))
"""Insurance runs from 1 January to 31 December: its shifted dates would tell the shift. Amounts to
the cent link the patients of two cohorts."""


@dataclass(frozen=True)
class ReleaseRequest:
    """What to release and where to; relative paths start at the working directory.

    `since` and `until` are dates in the source, both inclusive; empty `kinds` means all. `latest`
    is the last date of any column of a released row, and shifted dates are `first_days` after
    `since` at least, both of which `hold_back` computes. `shared_days` are those of
    `find_shared_days`. `output`
    is a SQLAlchemy URL, `parquet:FOLDER`, `jsonl:FOLDER`, or `env:NAME` or `file:PATH` of one.
    `columns` are tables, or `table.column`, to release; empty means all. `policy` is the name of a
    built-in policy, or a file. `spans` releases where surrogates stand, `vocabulary`
    adds the source's vocabulary tables. With `rebase` a release of an
    earlier version of the surrogate algorithm is published whole under the newest one.
    `[cohorts.NAME]` of the configuration completes what is None or empty.
    """

    config: Path
    cohort: str
    persons: Path | None = None
    output: str = field(default="", repr=False)
    schema: str | None = None
    since: date | None = None
    until: date | None = None
    latest: date | None = None
    held_days: int = 0
    first_days: int | None = None
    shared_days: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    persons_sql: Path | None = None
    columns: frozenset[str] = frozenset()
    policy: str | None = None
    spans: bool = False
    vocabulary: bool = False
    withdraw_stale: bool = False
    accept_withdrawals: bool = False
    dry_run: bool = False
    rebase: bool = False

    def is_in_window(self, value: Any, days: int = 0) -> bool:
        """Return whether a raw date is in the window; later stages refuse unreadable ones.

        `days` is the patient's shift: the window begins where all patients' shifted dates may.
        """
        if not self.has_window:
            return True
        try:
            found = parse_date(value)
        except Unreadable:
            return True
        if found is None:
            return True
        first = self.since or date.min
        if self.since and self.first_days is not None:
            first = max(first, first + timedelta(days=self.first_days - days))
        return first <= found <= (self.latest or self.until or date.max)

    def is_late(self, value: Any, days: int = 0) -> bool:
        """Return whether a raw date is after the last that is released; unreadable ones are not.

        `days` is the patient's shift: the date is late, too, where its shifted one is among the
        days that are held back.
        """
        if self.latest is None:
            return False
        last = min(self.latest, self.latest - timedelta(days=self.held_days + days))
        try:
            found = parse_date(value)
        except Unreadable:
            return False
        return found is not None and found > last

    @property
    def has_window(self) -> bool:
        """Whether the release is limited to a range of dates."""
        return any(day is not None for day in (self.since, self.until, self.latest))


def encode_request(request: ReleaseRequest) -> dict[str, Any]:
    """Return a request as values for JSON, without its output, which may contain a password.

    The paths are absolute: a worker has another working directory.
    """
    policy = request.policy
    if policy is not None and policy not in list_shipped_policies():
        policy = str(Path(policy).absolute())
    whole = replace(request, output="", policy=policy, config=request.config.absolute())
    return {name: _to_json_value(value) for name, value in asdict(whole).items()}


def _to_json_value(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return value if value is None or isinstance(value, bool | int) else str(value)


def decode_request(parameters: Mapping[str, Any], output: str = "") -> ReleaseRequest:
    """Return the request that `encode_request` encoded."""
    dates = {
        n: datetime.fromisoformat(parameters[n]).date()
        for n in ("since", "until", "latest")
        if parameters[n]
    }
    paths = {n: Path(parameters[n]) for n in ("config", "persons", "persons_sql") if parameters[n]}
    sets = {name: frozenset(parameters[name]) for name in ("kinds", "columns", "shared_days")}
    names = ("cohort", "schema", "policy", "spans", "withdraw_stale", "rebase", "held_days")
    others = {name: parameters[name] for name in (*names, "first_days")}
    return ReleaseRequest(**{**others, **dates, **paths, **sets, "output": output})


def complete_request(request: ReleaseRequest, settings: Settings) -> ReleaseRequest:
    """Complete a request from `[cohorts.NAME]` of the configuration, and validate it.

    Raises ConfigError that names the option.
    """
    if not 1 <= len(request.cohort) <= 200:
        raise ConfigError("--cohort", "must have 1 to 200 characters", "choose a shorter name")
    configured = settings.cohorts.get(request.cohort, CohortSettings())
    whole = replace(
        request,
        output=_find_url_file(request.output, Path())
        or _resolve_output(configured.output, settings.base),
        schema=request.schema or configured.schema,
        since=request.since or configured.since,
        until=request.until or configured.until,
        kinds=request.kinds or frozenset(configured.kinds),
        columns=request.columns or frozenset(configured.columns),
        spans=request.spans or configured.spans,
        vocabulary=request.vocabulary or configured.vocabulary,
    )
    if not whole.output:
        problem = "missing, and not configured for this cohort"
        remedy = "give a database URL or a folder"
        if settings.cohorts and request.cohort not in settings.cohorts:
            problem = f"missing, and no cohort of this name is configured: {request.cohort}"
            remedy += f", or one of the cohorts {', '.join(sorted(settings.cohorts))}"
        raise ConfigError("--output", problem, remedy)
    if whole.since and whole.until and whole.since > whole.until:
        raise ConfigError("--from", "must not be later than --to", "swap the two dates")
    _check_kinds(whole, settings)
    _check_columns(whole)
    return whole


def hold_back(request: ReleaseRequest, policy: Policy, today: date) -> ReleaseRequest:
    """Return the request with the last date that the policy lets a release have.

    `policy` has the defaults of the cohort's version. Days are held back before `until`, or else
    before the day of the release: of shifted dates, so that the newest one tells nothing of the
    shift; and after `since` those that not every patient can have, as the oldest one tells as much.
    The first version of the surrogate algorithm bounds start dates alone, unless its policy
    holds days back, and holds back days of the source.
    """
    held = policy.hold_back_days or 0
    if held and request.since and policy.algorithm != ALGORITHMS[0]:
        is_past = policy.shift_direction == "past"
        latest_shift = -policy.min_shift_days if is_past else policy.max_shift_days
        request = replace(request, first_days=latest_shift)
    is_bounded = request.until is not None and policy.algorithm != ALGORITHMS[0]
    if not (held or is_bounded):
        return request
    latest = request.until or today
    if policy.algorithm == ALGORITHMS[0]:
        return replace(request, latest=latest - timedelta(days=held))
    return replace(request, latest=latest, held_days=held)


def list_persons(request: ReleaseRequest, settings: Settings) -> PersonList:
    """Read the persons of the cohort. Raises ConfigError where they are given twice or not."""
    configured = settings.cohorts.get(request.cohort, CohortSettings()).persons
    if request.persons and request.persons_sql:
        raise ConfigError("--persons-sql", "cannot be combined with --persons", "give one of them")
    if request.persons:
        return read_persons(request.persons, settings)
    if request.persons_sql:
        return query_persons(read_text(request.persons_sql, "--persons-sql"), settings)
    if configured and configured.sql:
        return query_persons(configured.sql, settings)
    if configured and configured.file:
        return read_persons(settings.base / configured.file, settings)
    raise ConfigError("--persons", "missing", "give a file, or a query with --persons-sql")


def make_policy(request: ReleaseRequest, settings: Settings) -> Policy:
    """Build the policy of a cohort; it drops columns that were not requested.

    It is `--policy`, else the cohort's, else the configuration's. Raises ConfigError.
    """
    configured = settings.cohorts.get(request.cohort, CohortSettings()).policy
    if request.policy is not None:
        policy = build_policy(read_policy(request.policy, Path()), settings.lang)
    elif isinstance(configured, str):
        policy = build_policy(read_policy(configured, settings.base), settings.lang)
    elif configured is not None:
        policy = build_policy(expand_policy(configured, settings.base), settings.lang)
    else:
        policy = settings.make_policy()
    dropped = {
        name: Treatment.DROP
        for name, rule in COLUMNS.items()
        if rule.can_drop and not _is_requested(name, request)
    }
    return replace(policy, columns=dict(policy.columns) | dropped) if dropped else policy


def requested_tables(request: ReleaseRequest) -> frozenset[str]:
    """Return the tables that a request names; every release has persons and notes.

    One that names none has all but those whose dates would tell the shift.
    """
    if not request.columns:
        return frozenset(TABLES) - _ON_REQUEST
    return _ALWAYS | {name.partition(".")[0] for name in request.columns}


def _is_requested(column: str, request: ReleaseRequest) -> bool:
    table = column.partition(".")[0]
    named = {name for name in request.columns if name.partition(".")[0] == table}
    return not named or table in named or column in named


def _check_kinds(request: ReleaseRequest, settings: Settings) -> None:
    known = set(settings.source.kinds.values())
    if unknown := sorted(k for k in request.kinds - known if not _UNNAMED.fullmatch(k)):
        problem = f"unknown kind of note: {', '.join(unknown)}"
        named = f"use {', '.join(sorted(known))} (source.kinds) or" if known else "use"
        raise ConfigError("--kinds", problem, f"{named} class-<note_class_concept_id>")


def _check_columns(request: ReleaseRequest) -> None:
    if unknown := sorted(request.columns - TABLES.keys() - COLUMNS.keys()):
        problem = f"unknown table or column: {', '.join(unknown)}"
        tables = ", ".join(("person", "note", *patient_tables()))
        raise ConfigError("--columns", problem, f"use TABLE or TABLE.COLUMN of {tables} ...")


def _resolve_output(output: str | None, base: Path) -> str:
    """Resolve the relative path of a configured output from the configuration's folder."""
    if not output or output.startswith("env:"):
        return output or ""
    for form in ("parquet:", "jsonl:", "sqlite:///"):
        if output.startswith(form):
            return f"{form}{base / output.removeprefix(form)}"
    return _find_url_file(output, base)


def _find_url_file(output: str, base: Path) -> str:
    """Return an output; the path of a file that holds its URL is made absolute."""
    if not output.startswith(URL_FILE):
        return output
    return f"{URL_FILE}{(base / output.removeprefix(URL_FILE)).absolute()}"
