"""The release of a cohort from start to end: plan, make, reconcile, compare, show."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from models.tagger.shipped_model import digest, folder_of
from pipeline.config.energy import EnergyMeter
from pipeline.config.exit_codes import EXIT_DONE, EXIT_QUARANTINE
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.policy_description import summarize_policy
from pipeline.config.progress import Progress
from pipeline.config.settings import Settings, load
from pipeline.night.nightly import Job, JobRunner, check_distinct_places, check_documents_folder
from pipeline.night.release_history import write_release_page
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.notes.worker_resources import open_reversal_vault, resolve_urls
from pipeline.release.accompanying_files import ORIGIN
from pipeline.release.draft import ReleaseDraft, ReleaseUnit, UnitMade, incomplete
from pipeline.release.persons import PersonList
from pipeline.release.plan import EVERYTHING, count_units, find_persons, plan_units
from pipeline.release.release_context import ReleaseContext, draft_folder, open_desk
from pipeline.release.request import ReleaseRequest, complete, list_persons, make_policy
from pipeline.release.row_digests import Change, Changes, add_totals
from pipeline.release.tables import REFERRED
from pipeline.release.targets import output_of, show_place
from pipeline.release.unit import make_referred, make_selves, make_unit
from pipeline.release.unit_files import read_keys
from pipeline.state.release_register import RegisterEntry, register_release
from pipeline.state.run_lock import RunLock, make_run_lock
from pipeline.warehouse.sql_output import CdmSource
from record.errors import ConfigError, CryptonymError
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
        "dates": summarize_policy(origin.policy),
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


_TABLES = {"person_id": "person", "note_id": "note"}


def trace(desk: ReleaseContext, manifests: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Name the ids of persons and notes that are withdrawn, until they come back.

    `manifests` are those of what is visible, and of a delivery that was interrupted: nobody knows
    whether that became visible, so that what it withdrew is listed where this release lacks it.
    """
    told = [manifest.get("withdrawn") for manifest in manifests]
    return {key: _missing(desk, key, told) for key in _TABLES}


def _missing(desk: ReleaseContext, key: str, told: Iterable[Any]) -> list[int]:
    name = _TABLES[key]
    gone = {number for each in told if isinstance(each, dict) for number in each.get(key, ())}
    for _, part in desk.draft.parts(name):
        gone.update(part.difference.withdrawn)
    if gone:
        for index in desk.draft.indexes():
            path = desk.draft.path(name, index, desk.target.suffix)
            gone -= read_keys(path, desk.tables[name])[1]
    return sorted(gone)


_WAITING = ("stale-spans", "not-published")
_UNKNOWN = "not-detected"
_CATCH_UP = "run `cryptonym run` first; --withdraw-stale withdraws them all the same"


@dataclass(frozen=True)
class Released:
    """How a release ended; `is_changed` tells whether anything was written.

    `peaks` has the highest memory of each worker process in kilobytes.
    """

    counts: ReleaseCounts
    changes: Changes
    manifest: dict[str, Any]
    is_changed: bool
    exit_code: int
    peaks: dict[str, int]


def run_release(
    order: ReleaseRequest,
    progress: Progress | None = None,
    *,
    drive: JobRunner | None = None,
    workers: int = 1,
) -> Released:
    """Release a cohort from the spans that the nightly job stored; nothing is detected.

    What was released before and is not in this release any more is withdrawn. `drive` lets worker
    processes make the units; without it they are made in this process. Raises ConfigError,
    Unavailable, or Incomplete when notes are missing at the end, in which case what was visible
    stays. Refused notes above the configured share give exit code 3.
    """
    # No traceback may quote a note.
    return drop_error_texts(lambda: _run(order, progress or Progress(), drive, workers))


def _run(
    order: ReleaseRequest, progress: Progress, drive: JobRunner | None, workers: int
) -> Released:
    settings = load(order.config)
    order = complete(order, settings)
    make_policy(order, settings)
    progress.phase("persons")
    listed = list_persons(order, settings)
    check_documents_folder(settings)
    output = output_of(order, settings)
    check_distinct_places(resolve_urls(settings), (output, Path()))
    where = resolve_urls(settings).state, settings.base
    with make_run_lock(where[0].url, settings.base) as lock:
        try:
            with register_release(*where, cohort=order.cohort, place=show_place(output)) as entry:
                maker = _Maker(progress, lock, entry, drive, workers)
                released = _made(order, settings, listed, maker)
        except CryptonymError:
            # What stopped the release is what the operator must hear of.
            with suppress(CryptonymError):
                write_release_page(settings)
            raise
        write_release_page(settings)
    return released


@dataclass(frozen=True)
class _Maker:
    """What a release is made under: who is told of it, who does the work."""

    progress: Progress
    lock: RunLock
    entry: RegisterEntry
    drive: JobRunner | None
    workers: int


def _made(order: ReleaseRequest, settings: Settings, listed: PersonList, maker: _Maker) -> Released:
    with ExitStack() as stack:
        draft = ReleaseDraft.begin(draft_folder(settings))
        stack.callback(draft.remove)
        desk = open_desk(order, settings, draft)
        stack.callback(desk.close)
        # An order as workers read it: without its output, which may hold a password.
        told = asdict(replace(order, output=""))
        draft.tell(
            {name: _plain(value) for name, value in told.items()} | {"made_by": desk.made_by}
        )
        desk.target.claim(desk.tools.cohort.key_id, desk.names)
        _check_caught_up(desk)
        release = _Release(desk, maker)
        release.plan(listed)
        release.make()
        release.reconcile()
        maker.lock.keep()
        return release.deliver()


def order_told(told: Mapping[str, Any], output: str) -> ReleaseRequest:
    """Read an order that was told."""
    dates = {n: datetime.fromisoformat(told[n]).date() for n in ("since", "until") if told[n]}
    paths = {n: Path(told[n]) for n in ("config", "persons", "persons_sql") if told[n]}
    sets = {name: frozenset(told[name]) for name in ("kinds", "columns")}
    others = {n: told[n] for n in ("cohort", "schema", "policy", "withdraw_stale")}
    return ReleaseRequest(**{**others, **dates, **paths, **sets, "output": output})


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return value if value is None or isinstance(value, bool) else str(value)


def _check_caught_up(desk: ReleaseContext) -> None:
    """Refuse to withdraw all that detectors, which are newer than the spans, have not seen yet."""
    tools = desk.tools
    if desk.order.withdraw_stale or tools.state.is_caught_up(tools.config):
        return
    raise ConfigError(
        "release",
        "the nightly job has not ended since its configuration or detectors changed: all notes "
        "would be refused and withdrawn",
        _CATCH_UP,
    )


@dataclass
class _Release:
    """One release over open databases; each method is one phase."""

    desk: ReleaseContext
    maker: _Maker

    def __post_init__(self) -> None:
        self.counts = ReleaseCounts()
        self.units = 1
        self.peaks: dict[str, int] = {}
        self._meter = EnergyMeter()

    def plan(self, listed: PersonList) -> None:
        """Find the persons, and cut them into units with their notes."""
        self.maker.progress.phase("planning")
        tools, counts = self.desk.tools, self.counts.persons
        known = find_persons(tools.source, listed.person_ids)
        counts["listed"] = len(listed.person_ids)
        counts["duplicates"] = listed.duplicates
        counts["unknown"] = len(listed.person_ids) - len(known)
        vault = open_reversal_vault(tools.settings)
        if vault is not None:
            vault.store(tools.cohort, map(str, known))
        self.units = count_units(tools, len(known))
        self.desk.draft.plan(plan_units(tools, known, self.units))

    def make(self) -> None:
        """Make every unit, here or in worker processes."""
        self.maker.progress.phase("replacing")
        draft, maker = self.desk.draft, self.maker

        def watch() -> None:
            self.maker.progress.advance(*draft.progress())

        if maker.drive is None:
            for index in draft.pending(0, 1):
                make_unit(index, self.desk)
                watch()
            return
        job = Job(
            config=self.desk.order.config,
            settings=self.desk.tools.settings,
            run_id=0,
            workers=maker.workers,
            scratch=draft.folder,
            lock_fd=maker.lock.fileno(),
            watch=watch,
            program="pipeline.beam.release_worker",
            stdin_line=json.dumps(self.desk.order.output),
        )
        self.peaks = maker.drive(job)

    def reconcile(self) -> None:
        """Account for every note by id, then make what units refer to; raises Incomplete."""
        self.maker.progress.phase("reconciling")
        referred: dict[str, set[int]] = {name: set() for name in REFERRED}
        lost: set[int] = set()
        for index in self.desk.draft.indexes():
            unit, made = self.desk.draft.unit(index), self.desk.draft.made(index)
            if made is None:
                raise incomplete("a part of the work was not done")
            lost |= self._account(unit, made)
            for name, ids in made.referred.items():
                referred[name].update(ids)
        self._find(lost)
        persons, notes = self.counts.persons, self.counts.notes
        persons["refused"] = persons["listed"] - persons["unknown"] - persons["released"]
        notes["selected"] = notes["released"] + notes["refused"]
        low, high = EVERYTHING
        others = [ReleaseUnit(self.units + number, low, high, [], []) for number in range(2)]
        self.desk.draft.plan(others)
        make_referred(self.units, self.desk, referred)
        make_selves(self.units + 1, self.desk, describe(self._origin()))

    def _account(self, unit: ReleaseUnit, made: UnitMade) -> set[int]:
        """Add up what became of a unit; returns the notes that nothing became of."""
        counts = self.counts
        counts.notes["released"] += len(made.released)
        counts.notes["refused"] += len(made.refused)
        counts.refused.update(made.reasons)
        counts.labels.update(made.labels)
        counts.persons["released"] += made.counts.get("person", {}).get("released", 0)
        for name, found in made.counts.items():
            counts.tables.setdefault(name, Counter()).update(found)
        done = {*made.released, *made.refused, *made.outside}
        if strangers := done - set(unit.note_ids):
            raise incomplete(f"{len(strangers)} notes were not planned")
        return set(unit.note_ids) - done

    def _find(self, lost: set[int]) -> None:
        """Return why notes are missing; raises Incomplete where nothing explains it."""
        if not lost:
            return
        source, counts = self.desk.tools.source, self.counts
        # Nobody can tell which of several rows with one id is the note.
        shared = {f.note_id for f in source.malformed() if f.reason == "duplicate-id"}
        twice = {note_id for note_id in lost if str(note_id) in shared}
        missing = source.present(sorted(lost - twice))
        if missing:
            raise incomplete(f"{len(missing)} notes are missing")
        if twice:
            counts.refused["duplicate-id"] += len(twice)
            counts.notes["refused"] += len(twice)
        counts.notes["deleted_meanwhile"] = len(lost - twice)

    def _origin(self) -> Origin:
        desk, settings = self.desk, self.desk.tools.settings
        model = settings.model.folder
        digested = digest(folder_of(model, settings.base)) if model else ""
        tools = desk.tools
        return Origin(desk.order.cohort, tools.cohort, tools.policy, digested, self.units)

    def deliver(self) -> Released:
        """Make the draft visible where it differs from what is."""
        self.maker.progress.phase("comparing")
        desk, counts = self.desk, self.counts
        target, (described, read) = desk.target, desk.target.names
        old = target.papers()
        before = undated(old.get(described))
        withdrawn = trace(desk, (before, undated(target.begun())))
        manifest = make_manifest(desk.draft, desk.names, self._origin(), counts, withdrawn)
        explained = readme(manifest)
        changes = self._changes()
        is_same = all(change.is_none for change in changes.values())
        is_same &= before == json.loads(json.dumps(manifest)) and old.get(read) == explained
        entry = self.maker.entry
        entry.set_about(self._told(changes, is_changed=not is_same))
        self._check_stale(changes)
        if not is_same:
            self.maker.progress.phase("publishing")
            entry.mark_publishing()
            dated = manifest | {"time": datetime.now(UTC).isoformat(timespec="seconds")}
            papers = {described: dump(dated), read: explained}
            target.deliver(desk.draft, desk.names, papers)
        limit = desk.tools.settings.limits.max_quarantine_share
        code = EXIT_DONE if counts.refused_share <= limit else EXIT_QUARANTINE
        entry.mark_finished(code)
        return Released(counts, changes, manifest, not is_same, code, self.peaks)

    def _told(self, changes: Changes, *, is_changed: bool) -> dict[str, Any]:
        """Return what the register keeps: counts, ids of keys, versions."""
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
            "changes": {name: asdict(change) for name, change in changes.items()},
            "is_changed": is_changed,
            "energy": self._meter.read(self.desk.tools.settings.energy, memory).to_json(),
        }

    def _check_stale(self, changes: Changes) -> None:
        """Refuse to withdraw notes by the many which the nightly job has yet to see or publish."""
        limit, refused = self.desk.tools.settings.limits.max_quarantine_share, self.counts.refused
        withdrawn = changes["note"].withdrawn
        # What is visible was detected once: a state that does not know it was put back or lost.
        stale = min(refused[_UNKNOWN], withdrawn) + sum(refused[reason] for reason in _WAITING)
        is_many = stale > limit * self.counts.notes["selected"] and withdrawn
        if is_many and not self.desk.order.withdraw_stale:
            raise ConfigError(
                "release",
                f"{stale} of {self.counts.notes['selected']} notes wait for the nightly job or its "
                "quality gate, and would be withdrawn: nothing was changed",
                _CATCH_UP,
            )

    def _changes(self) -> Changes:
        found = self.desk.target.leftover(self.desk.names)
        for name in self.desk.names:
            changes = (part.difference.change for _, part in self.desk.draft.parts(name))
            found[name] = sum(changes, Change())
        return found
