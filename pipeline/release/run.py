"""Runs the release of a cohort: plan, build, reconcile, compare with what is published, publish."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.config.energy import EnergyMeter
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_QUARANTINE
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.progress import Progress
from pipeline.config.settings import Settings, load
from pipeline.night.nightly import Job, JobRunner, check_distinct_places, check_documents_folder
from pipeline.night.objections import check_objections
from pipeline.night.release_history import write_release_page
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.notes.worker_resources import (
    digest_tagger,
    open_master,
    open_reversal_vault,
    resolve_urls,
)
from pipeline.quality.gate import describe_alarm
from pipeline.quality.withdrawal_limit import WithdrawalCounts, find_excesses
from pipeline.release.arrangement import arrange_tables
from pipeline.release.exchange import create_exchange, has_server
from pipeline.release.fact_units import make_fact_units
from pipeline.release.manifest import (
    ReleaseCounts,
    ReleaseOrigin,
    describe_release,
    format_manifest,
    list_withdrawn,
    make_manifest,
    parse_manifest,
    render_readme,
)
from pipeline.release.persons import PersonList
from pipeline.release.plan import (
    FULL_RANGE,
    count_units,
    divide_keys,
    find_persons,
    plan_units,
)
from pipeline.release.release_context import ReleaseContext, open_context, staging_folder
from pipeline.release.request import (
    ReleaseRequest,
    complete_request,
    encode_request,
    hold_back,
    list_persons,
    make_policy,
)
from pipeline.release.row_digests import Change, Changes
from pipeline.release.staging import (
    LEASED,
    ReleaseStaging,
    ReleaseUnit,
    ReleaseUnitResult,
    incomplete,
)
from pipeline.release.tables import PERIODS, find_shared_days
from pipeline.release.targets import describe_place, resolve_output
from pipeline.release.unit import (
    claim_release_units,
    make_metadata_unit,
    make_reference_unit,
    make_unit,
)
from pipeline.release.vocabulary import ReleaseVocabulary, open_vocabulary
from pipeline.release.worker import ReleasePlace, make_release_units
from pipeline.state.release_register import RegisterEntry, register_release
from pipeline.state.run_lock import RunLock, make_run_lock
from pipeline.state.schema_version import check_state_tables
from pipeline.warehouse.cdm_tables import REFERENCE_TABLES
from pipeline.warehouse.findings import NOTE_NLP
from pipeline.warehouse.id_range import check_ids, check_nightly_ids, check_table_ids, list_keys
from pipeline.warehouse.omop_tables import CDM_SOURCE_COLUMNS
from pipeline.warehouse.sql_output import NO_HOLDER
from pipeline.warehouse.table_reader import find_vocabulary_version
from record.errors import ConfigError, CryptonymError

_PENDING_REASONS = ("stale-spans", "not-published")
_NEVER_DETECTED = "not-detected"
_RUN_FIRST = "run `cryptonym run` first, or withdraw the notes with --withdraw-stale"


@dataclass(frozen=True)
class ReleaseResult:
    """The result of a release; `is_changed` is whether anything was written, or would be.

    `peaks` is the peak memory of each worker process in kilobytes. `held` are the reasons for which
    the release is held: it would withdraw too much, and nothing was written. `warnings` tell which
    workers were refused, and why.
    """

    counts: ReleaseCounts
    changes: Changes
    manifest: dict[str, Any]
    is_changed: bool
    exit_code: int
    peaks: dict[str, int]
    held: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def run_release(
    request: ReleaseRequest,
    progress: Progress | None = None,
    *,
    drive: JobRunner | None = None,
    workers: int = 1,
    is_distant: bool = False,
) -> ReleaseResult:
    """Release a cohort from the spans that the nightly job stored; nothing is detected.

    Earlier released rows that are not in this release are withdrawn. `drive` starts workers that
    build the units; without it they are built in this process. With `is_distant` workers may be on
    other machines. Raises ConfigError, Unavailable,
    ObjectionsLost where many fewer persons object than in the last nightly run, or Incomplete when
    notes are missing at the end; then the published release is unchanged, as it is
    with exit code 1 where too much would be withdrawn. A share of refused notes above the
    configured limit gives exit code 3.
    """
    # No traceback may quote a note.
    engine = _Engine(drive, workers, is_distant=is_distant)
    return drop_error_texts(lambda: _run(request, progress or Progress(), engine))


@dataclass(frozen=True)
class _Engine:
    """What builds the units: workers that `drive` starts, or this process without it."""

    drive: JobRunner | None
    workers: int
    is_distant: bool


def _run(request: ReleaseRequest, progress: Progress, engine: _Engine) -> ReleaseResult:
    settings = load(request.config)
    request = complete_request(request, settings)
    make_policy(request, settings)
    progress.phase("persons")
    listed = list_persons(request, settings)
    check_documents_folder(settings)
    output = resolve_output(request, settings)
    check_distinct_places(resolve_urls(settings), (output, Path()))
    where = resolve_urls(settings).state, settings.base
    if request.dry_run:
        check_state_tables(*where)
    with make_run_lock(where[0].url, settings.base) as lock:
        if request.dry_run:
            resources = _RunResources(progress, lock, None, _Engine(None, 1, is_distant=False))
            return _release_locked(request, settings, listed, resources)
        try:
            with register_release(
                *where, cohort=request.cohort, place=describe_place(output)
            ) as entry:
                resources = _RunResources(progress, lock, entry, engine)
                released = _release_locked(request, settings, listed, resources)
        except CryptonymError:
            # The error that stopped the release is the one to report.
            with suppress(CryptonymError):
                write_release_page(settings)
            raise
        write_release_page(settings)
    return released


@dataclass(frozen=True)
class _RunResources:
    """The progress display, lock, register entry and engine that a release uses.

    A dry run has no entry.
    """

    progress: Progress
    lock: RunLock
    entry: RegisterEntry | None
    engine: _Engine


def _release_locked(
    request: ReleaseRequest, settings: Settings, listed: PersonList, resources: _RunResources
) -> ReleaseResult:
    with ExitStack() as stack:
        # Workers of other machines reach the server of the state, and no folder of this one.
        is_exchanged = resources.engine.is_distant and has_server(settings)
        exchange = create_exchange(settings) if is_exchanged else None
        staging = ReleaseStaging.create(staging_folder(settings), exchange)
        stack.callback(staging.remove)
        context = open_context(request, settings, staging)
        stack.callback(context.close)
        policy = context.tools.policy.under(context.tools.cohort.algorithm)
        request = hold_back(request, policy, datetime.now(UTC).date())
        if PERIODS in context.names and context.is_sorted:
            request = replace(request, shared_days=find_shared_days(context.tools.source))
        context = replace(context, request=request)
        if resources.engine.is_distant and not context.is_sorted:
            problem = (
                "the release is under an earlier version of the surrogate algorithm, whose rows "
                "are compared by processes of this machine"
            )
            raise ConfigError("--engine", problem, "use processes, or publish it with --rebase")
        staging.store_parameters(
            {
                "request": encode_request(request),
                "origin": context.target.read_origin(),
                "suffix": context.target.suffix,
            }
        )
        staging.workers.demand(LEASED, context.proof)
        check_table_ids(context.tools.source, context.tools.cohort, context.names)
        check_nightly_ids(context.tools.source, context.tools.cohort)
        if context.has_own_findings:
            # The upper half of the numbers is for findings of our own.
            bits = context.tools.cohort.id_bits - 1
            check_ids(context.tools.source, bits, list_keys([NOTE_NLP]))
        context.target.claim(context.key_ids, context.names, create=not request.dry_run)
        check_objections(context.tools.source, context.tools.state, settings.quality)
        _check_spans_current(context)
        release = _Release(context, resources)
        release.plan(listed)
        release.make_units()
        release.reconcile()
        release.arrange()
        context.target.keep = resources.lock.keep
        resources.lock.keep()
        with open_vocabulary(settings, is_wanted=request.vocabulary) as vocabulary:
            released = release.publish(vocabulary)
    if not (request.dry_run or released.held):
        open_master(settings).adopt(request.cohort, context.tools.cohort.algorithm)
    return released


def make_all_units(place: ReleasePlace, holder: str) -> None:
    """Make units in a task, as the worker `holder`, until none is left."""
    for _ in make_release_units(place, holder):
        pass


def _check_spans_current(context: ReleaseContext) -> None:
    """Refuse to withdraw every note when the stored spans are from older detectors."""
    tools = context.tools
    if context.request.withdraw_stale or tools.state.is_caught_up(tools.config):
        return
    if tools.released.keys() - tools.accepted:  # spans of earlier detectors are still valid
        return
    raise ConfigError(
        "release",
        "the nightly job has not completed since its configuration or detectors changed: all notes "
        "would be refused and withdrawn",
        _RUN_FIRST,
    )


@dataclass
class _Release:
    """One release over open databases; each method is one phase."""

    context: ReleaseContext
    resources: _RunResources

    def __post_init__(self) -> None:
        self.counts = ReleaseCounts()
        self.units = 1
        self.peaks: dict[str, int] = {}
        self.warnings: tuple[str, ...] = ()
        self._meter = EnergyMeter()

    def plan(self, listed: PersonList) -> None:
        """Find the persons, and divide them into units with their notes."""
        self.resources.progress.phase("planning")
        tools, counts = self.context.tools, self.counts.persons
        known = find_persons(tools.source, listed.person_ids)
        counts["listed"] = len(listed.person_ids)
        counts["duplicates"] = listed.duplicates
        objecting = len(listed.person_ids & tools.source.objecting)
        if tools.settings.source.objections is not None:
            counts["objecting"] = objecting
        counts["unknown"] = len(listed.person_ids) - len(known) - objecting
        if listed.person_ids and counts["unknown"] == len(listed.person_ids):
            raise ConfigError(
                "--persons",
                f"none of the {len(listed.person_ids):,} persons listed is in the source",
                "list values of person.person_id, not numbers of patients or visits",
            )
        vault = open_reversal_vault(tools.settings)
        if vault is not None and not self.context.request.dry_run:
            vault.store(tools.cohort, map(str, known))
        self.units = count_units(tools, len(known))
        self.context.staging.add_units(plan_units(tools, known, self.units))

    def make_units(self) -> None:
        """Build all units, in this process or in workers."""
        self.resources.progress.phase("replacing")
        staging, resources, context = self.context.staging, self.resources, self.context
        engine = resources.engine

        def watch() -> None:
            staging.fetch_files()
            resources.progress.advance(*staging.progress())

        if engine.drive is None:
            with closing(claim_release_units(context, "this process")) as units:
                for unit in units:
                    make_unit(unit, context)
                    watch()
            return
        schema = staging.exchange.schema if staging.exchange is not None else ""
        place = ReleasePlace(context.tools.settings, schema)
        # Workers compare the rows of an earlier version with those that are published.
        output = "" if context.is_sorted else context.request.output
        found = {"schema": schema, "output": output}
        job = Job(
            config=context.request.config,
            settings=context.tools.settings,
            run_id=LEASED,
            # Who finds no unit left has been started for nothing.
            workers=min(engine.workers, self.units),
            scratch=staging.folder,
            lock_fd=resources.lock.fileno(),
            watch=watch,
            program="pipeline.beam.release_worker",
            stdin_line=json.dumps(found),
            task=partial(make_all_units, place),
            title=f"cryptonym release {context.request.cohort}",
            is_finished=lambda: staging.leases.is_finished(LEASED),
            take_from=lambda worker, as_failed: staging.leases.take_from(
                LEASED, worker, as_failed=as_failed
            ),
            refuse=partial(staging.workers.refuse, LEASED),
        )
        self.peaks = engine.drive(job)
        watch()
        self._check_refused()

    def _check_refused(self) -> None:
        """Raise ConfigError where workers were refused and the others could not make all units."""
        staging = self.context.staging
        refused = staging.workers.read_refused(LEASED)
        self.warnings = tuple(
            f"worker {holder} was refused: {refusal}" for holder, refusal in sorted(refused.items())
        )
        if refused and not staging.leases.is_finished(LEASED):
            worker, refusal = min(refused.items())
            problem = f"{refusal.problem}; {worker} was refused, and no other could end the release"
            raise ConfigError(refusal.key, problem, f"{refusal.remedy}, then run again")

    def reconcile(self) -> None:
        """Account for every note by id, then build the tables that units refer to.

        Raises Incomplete.
        """
        self.resources.progress.phase("reconciling")
        referred: dict[str, set[int]] = {name: set() for name in REFERENCE_TABLES}
        lost: set[int] = set()
        for index in self.context.staging.indexes():
            unit, made = self.context.staging.unit(index), self.context.staging.result(index)
            if made is None:
                raise incomplete("not all units were built")
            lost |= self._add_unit(unit, made)
            for name, ids in made.referred.items():
                referred[name].update(ids)
        self._explain_missing(lost)
        persons, notes = self.counts.persons, self.counts.notes
        present = persons["listed"] - persons["unknown"] - persons["objecting"]
        persons["refused"] = present - persons["released"]
        notes["selected"] = notes["released"] + notes["refused"]
        low, high = FULL_RANGE
        others = [ReleaseUnit(self.units + number, low, high, [], []) for number in range(2)]
        self.context.staging.add_units(others)
        make_reference_unit(self.units, self.context, referred)
        make_metadata_unit(self.units + 1, self.context, self._describe())
        self.counts.tables |= make_fact_units(self.context, self.units + 2)

    def arrange(self) -> None:
        """Sort each table as a whole, and compare it; the first version's are not sorted."""
        if self.context.is_sorted:
            self.resources.progress.phase("sorting")
            arrange_tables(self.context, self.units)

    def _add_unit(self, unit: ReleaseUnit, made: ReleaseUnitResult) -> set[int]:
        """Add the counts of a unit; return the notes that have no outcome."""
        counts = self.counts
        counts.notes["released"] += len(made.released)
        counts.notes["refused"] += len(made.refused)
        counts.refused.update(made.reasons)
        counts.labels.update(made.labels)
        counts.detectors.update(made.detectors)
        counts.persons["released"] += made.counts.get("person", {}).get("released", 0)
        for name, found in made.counts.items():
            counts.tables.setdefault(name, Counter()).update(found)
        done = {*made.released, *made.refused, *made.outside}
        if strangers := done - set(unit.note_ids):
            raise incomplete(f"{len(strangers)} notes were released without being planned")
        return set(unit.note_ids) - done

    def _explain_missing(self, lost: set[int]) -> None:
        """Count missing notes by reason; raises Incomplete where there is no reason."""
        if not lost:
            return
        source, counts = self.context.tools.source, self.counts
        # Of several rows with one id it is unknown which is the note.
        shared = {f.note_id for f in source.malformed() if f.reason == "duplicate-id"}
        twice = {note_id for note_id in lost if str(note_id) in shared}
        missing = source.present(sorted(lost - twice))
        if missing:
            raise incomplete(f"{len(missing)} notes are missing")
        if twice:
            counts.refused["duplicate-id"] += len(twice)
            counts.notes["refused"] += len(twice)
        counts.notes["deleted_meanwhile"] = len(lost - twice)

    def _describe(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows that describe the release.

        It has the date when it was first published: another would change it every day. It is no
        date of the source, which might tell the shift.
        """
        context, rows = self.context, describe_release(self._origin())
        if not context.is_sorted:
            return rows
        (every,) = divide_keys(context.tools.cohort.id_bits, 1)
        pages = context.target.read_published_keys("cdm_source", every)
        place = CDM_SOURCE_COLUMNS.index("cdm_release_date")
        known = next((row[place] for page in pages for row in page if row[place]), None)
        day = known or datetime.now(UTC).date()
        for row in rows["cdm_source"]:
            row |= {
                "cdm_holder": NO_HOLDER,
                "source_release_date": day,
                "cdm_release_date": day,
                "vocabulary_version": find_vocabulary_version(context.tools.source),
            }
        return rows

    def _origin(self) -> ReleaseOrigin:
        context, settings = self.context, self.context.tools.settings
        tools = context.tools
        return ReleaseOrigin(
            context.request.cohort, tools.cohort, tools.policy, digest_tagger(settings), self.units
        )

    def publish(self, vocabulary: ReleaseVocabulary | None = None) -> ReleaseResult:
        """Publish the staged release if it differs from the published one; a dry run does not."""
        self.resources.progress.phase("comparing")
        context, counts = self.context, self.counts
        target, (described, read) = context.target, context.target.names
        old = target.read_files()
        before = self._own_manifest(old.get(described))
        withdrawn = list_withdrawn(
            context, (before, self._own_manifest(target.read_interrupted_manifest()))
        )
        manifest = make_manifest(
            context.staging, context.names, self._origin(), counts, withdrawn, vocabulary
        )
        explained = render_readme(manifest)
        changes = self._changes()
        is_same = all(change.is_empty for change in changes.values())
        is_same &= before == json.loads(json.dumps(manifest)) and old.get(read) == explained
        if (entry := self.resources.entry) is not None:
            entry.set_about(self._register_entry(changes, is_changed=not is_same))
        published = parse_manifest(old.get(described))
        held = self._find_excesses(
            self._count_replaced(changes, published), self._check_stale(changes)
        )
        code = self._exit_code(held)
        result = ReleaseResult(
            counts, changes, manifest, not is_same, code, self.peaks, held, self.warnings
        )
        if entry is None:
            return result
        if held:
            entry.mark_held("; ".join(held))
            return replace(result, is_changed=False)
        if not is_same:
            self.resources.progress.phase("publishing")
            entry.mark_publishing()
            dated = manifest | {"time": datetime.now(UTC).isoformat(timespec="seconds")}
            files = {described: format_manifest(dated), read: explained}
            target.publish(context.staging, context.names, files, vocabulary)
        entry.mark_finished(result.exit_code)
        return result

    def _own_manifest(self, text: str | None) -> dict[str, Any]:
        """Parse a manifest; empty where it describes a release under another version's key."""
        found = parse_manifest(text)
        return found if found.get("key_id") == self.context.tools.cohort.key_id else {}

    def _count_replaced(self, changes: Changes, published: Mapping[str, Any]) -> Changes:
        """Count as withdrawn by how many rows a release published whole is smaller than before."""
        if not self.context.target.is_replaced:
            return changes
        found = dict(changes)
        for name in ("note", "person"):
            rows = int(published.get("tables", {}).get(name, {}).get("rows", 0))
            new = changes[name].added
            found[name] = Change(added=new, withdrawn=max(0, rows - new), unchanged=min(rows, new))
        return found

    def _exit_code(self, held: Sequence[str]) -> int:
        if held:
            return EXIT_GATE
        limit = self.context.tools.settings.limits.max_quarantine_share
        is_within = self.context.request.dry_run or self.counts.refused_share <= limit
        return EXIT_DONE if is_within else EXIT_QUARANTINE

    def _register_entry(self, changes: Changes, *, is_changed: bool) -> dict[str, Any]:
        """Return what the register stores: counts, key ids, versions."""
        origin, counts = self._origin(), self.counts
        memory = sum(self.peaks.values()) or measure_peak_kilobytes()
        return {
            "key_id": origin.key.key_id,
            "policy_id": origin.policy.policy_id,
            "versions": origin.versions,
            "persons": counts.persons,
            "notes": counts.notes,
            "refused": counts.refused,
            "labels": counts.labels,
            "detectors": counts.detectors,
            "changes": {name: asdict(change) for name, change in changes.items()},
            "is_changed": is_changed,
            **({"accepts_withdrawals": True} if self.context.request.accept_withdrawals else {}),
            "energy": self._meter.read(self.context.tools.settings.energy, memory).to_json(),
        }

    def _find_excesses(self, changes: Changes, stale: int) -> tuple[str, ...]:
        """Return why the release is held: its withdrawals exceed the limit and are not accepted.

        Stale notes that the request withdraws are left out, and all of persons who object.
        """
        request = self.context.request
        if request.accept_withdrawals:
            return ()
        quality = self.context.tools.settings.quality
        notes, persons = changes["note"], changes["person"]
        counts = WithdrawalCounts(
            notes=notes.withdrawn - (stale if request.withdraw_stale else 0),
            all_notes=notes.published,
            persons=persons.withdrawn,
            all_persons=persons.published,
            is_replaced=notes.added > 0,
        )
        if not find_excesses(counts, quality):
            return ()
        asked = self._count_objecting()
        counts = replace(
            counts, notes=counts.notes - asked["note"], persons=counts.persons - asked["person"]
        )
        return tuple(describe_alarm(alarm) for alarm in find_excesses(counts, quality))

    def _count_objecting(self) -> Counter[str]:
        """Count the withdrawn notes and persons that belong to persons who object."""
        tools, found = self.context.tools, Counter[str]()
        for name, ids in (
            ("note", tools.source.hidden_notes),
            ("person", tools.source.objecting),
        ):
            asked = {tools.cohort.pseudonym(name, str(each)) for each in ids}
            for _, part in self.context.staging.parts(name) if asked else ():
                found[name] += sum(key in asked for key in part.difference.withdrawn)
        return found

    def _check_stale(self, changes: Changes) -> int:
        """Refuse to withdraw many notes that the nightly job has yet to process or publish.

        Returns the number of such notes.
        """
        limit, refused = (
            self.context.tools.settings.limits.max_quarantine_share,
            self.counts.refused,
        )
        withdrawn = changes["note"].withdrawn
        # Published notes were detected once: a state without them was restored or lost.
        stale = min(refused[_NEVER_DETECTED], withdrawn) + sum(
            refused[reason] for reason in _PENDING_REASONS
        )
        is_over_limit = stale > limit * self.counts.notes["selected"] and withdrawn
        if is_over_limit and not self.context.request.withdraw_stale:
            raise ConfigError(
                "release",
                f"{stale} of {self.counts.notes['selected']} notes are waiting for the nightly job "
                "or its quality gate and would be withdrawn; nothing was changed",
                _RUN_FIRST,
            )
        return stale

    def _changes(self) -> Changes:
        found = self.context.target.list_obsolete(self.context.names)
        for name in self.context.names:
            changes = (part.difference.change for _, part in self.context.staging.parts(name))
            found[name] = sum(changes, Change())
        return found
