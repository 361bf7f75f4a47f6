"""The release of a cohort, from a list of persons to tables under the cohort's own key."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from models.tagger.shipped import digest, folder_of
from pipeline.batch import Batch, Item
from pipeline.boundary import attempt, safely
from pipeline.databases import chunks, connect, retrying
from pipeline.delivery import SETTING, Changes, FolderTarget, SqlTarget, Target
from pipeline.draft import Draft
from pipeline.exits import EXIT_DONE, EXIT_QUARANTINE
from pipeline.lock import run_lock
from pipeline.manifest import Counts, Origin, describe, dump, make_manifest, readme, undated
from pipeline.nightly import Incomplete, check_apart, check_documents, name_place
from pipeline.note import NoteRow, Unit, day, whole
from pipeline.output import note_rows, span_rows
from pipeline.person_list import PersonList, read_persons
from pipeline.progress import Progress
from pipeline.recall import replay
from pipeline.settings import OutputSettings, Settings, load
from pipeline.stages import taken
from pipeline.tools import Tools, open_tools, settled
from pipeline.warehouse import JSONL, PARQUET
from pipeline.writing import output_row, person_row, visit_row
from record.errors import ConfigError, Unreadable
from record.failure import Failure

_PERSONS = 2_000
_UNNAMED = re.compile(r"class-\d+")


@dataclass(frozen=True)
class Order:
    """What is to be released, to whom: relative paths start at the working directory.

    `since` and `until` are days of the source, both included; no `kinds` means all. `output` is
    a SQLAlchemy URL, `parquet:FOLDER`, `jsonl:FOLDER`, or `env:NAME` of one.
    """

    config: Path
    cohort: str
    persons: Path
    output: str = field(repr=False)
    schema: str | None = None
    since: date | None = None
    until: date | None = None
    kinds: frozenset[str] = frozenset()

    def holds(self, value: Any) -> bool:
        """Tell whether a raw date is in the window; one that nobody can read is for later stages
        to refuse."""
        try:
            found = day(value)
        except Unreadable:
            return True
        if found is None:
            return True
        return (self.since or date.min) <= found <= (self.until or date.max)


@dataclass(frozen=True)
class Released:
    """How a release ended; `is_changed` tells whether anything was written."""

    counts: Counts
    changes: Changes
    manifest: dict[str, Any]
    is_changed: bool
    exit_code: int


@dataclass
class _Account:
    """What became of the notes of the cohort, by their ids in the source."""

    planned: set[int] = field(default_factory=set)
    released: set[int] = field(default_factory=set)
    refused: dict[int, str] = field(default_factory=dict)
    outside: set[int] = field(default_factory=set)
    visits: set[int] = field(default_factory=set)


@dataclass
class _Desk:
    """Everything at hand for one release; holds keys and is never serialized."""

    order: Order
    tools: Tools
    draft: Draft
    counts: Counts
    progress: Progress

    @property
    def origin(self) -> Origin:
        """What makes this release."""
        tools, model = self.tools, self.tools.settings.model.folder
        digested = digest(folder_of(model, tools.settings.base)) if model else ""
        return Origin(self.order.cohort, tools.cohort, tools.policy, digested)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a desk holds keys and is never serialized")


def run_release(order: Order, progress: Progress | None = None) -> Released:
    """Release a cohort from the spans that the nightly job stored; nothing is detected.

    What was released before and is not in this release any more is withdrawn. Raises ConfigError,
    Unavailable, or Incomplete when notes are missing at the end, in which case what was visible
    stays. Refused notes above the configured share give exit code 3.
    """
    # All of it happens in this process: no traceback may quote a note.
    return safely(lambda: _run(order, progress or Progress()))


def _run(order: Order, progress: Progress) -> Released:
    settings = load(order.config)
    _check(order, settings)
    listed = read_persons(order.persons)
    check_documents(settings)
    output = settled(replace(settings, output=OutputSettings(order.output, order.schema))).output
    check_apart(settled(settings), (output, Path()))
    with ExitStack() as stack:
        lock = stack.enter_context(run_lock(settled(settings).state.url, settings.base))
        tools = stack.enter_context(open_tools(settings, release=order.cohort))
        target = open_target(output, settings, order.cohort)
        stack.callback(target.close)
        target.claim(tools.cohort.key_id)
        draft = Draft(settings.base / ".cryptonym" / "release")
        stack.callback(draft.close)
        desk = _Desk(order, tools, draft, Counts(), progress)
        _make(desk, listed)
        lock.keep()
        return _deliver(desk, target)


def open_target(output: OutputSettings, settings: Settings, cohort: str) -> Target:
    """Open the place of a release; a relative path starts at the working directory.

    Files that go with a database are written to the configuration's report folder.
    """
    for form in (PARQUET, JSONL):
        if output.url.startswith(form):
            place = Path(output.url.removeprefix(form)).absolute()
            if place.name in ("", "..") or output.schema:
                problem = "names no folder" if not output.schema else "a folder has no schema"
                raise ConfigError(SETTING, problem, f"write {form}FOLDER, without --schema")
            return FolderTarget(place, is_parquet=form == PARQUET)
    engine = connect(output.url, Path(), what=SETTING, use="output")
    place_name = name_place(SETTING, output.url, output.schema, Path())
    slug = re.sub(r"[^A-Za-z0-9]+", "-", cohort).strip("-")[:40]
    digest = hashlib.blake2b(f"{cohort}\0{place_name}".encode(), digest_size=4).hexdigest()
    reports = settings.base / settings.report.folder
    return SqlTarget(engine, output.schema, reports, f"release-{slug}-{digest}")


def _check(order: Order, settings: Settings) -> None:
    if not 1 <= len(order.cohort) <= 200:
        raise ConfigError("--cohort", "has not 1 to 200 characters", "give it a short name")
    if order.since and order.until and order.since > order.until:
        raise ConfigError("--from", "is later than --to", "exchange the two")
    known = set(settings.source.kinds.values())
    if unknown := sorted(k for k in order.kinds - known if not _UNNAMED.fullmatch(k)):
        problem = f"no kind of note is called {', '.join(unknown)}"
        named = (
            f"those of source.kinds are {', '.join(sorted(known))}" if known else "there is none"
        )
        raise ConfigError("--kinds", problem, f"{named}; others are class-<note_class_concept_id>")


def _make(desk: _Desk, listed: PersonList) -> None:
    """Fill the draft and account for every note of the cohort."""
    desk.progress.phase("persons")
    known = _add_persons(desk, listed)
    account = _Account()
    for some in chunks(sorted(known), _PERSONS):
        account.planned.update(desk.tools.source.note_ids(some))
    desk.progress.phase("replacing")
    _add_notes(desk, account)
    desk.progress.phase("visits")
    _add_visits(desk, known, account.visits)
    desk.progress.phase("reconciling")
    _reconcile(desk, account)
    describe(desk.draft, desk.origin)


def _add_persons(desk: _Desk, listed: PersonList) -> set[int]:
    tools, counts = desk.tools, desk.counts.persons
    known: set[int] = set()
    for some in chunks(sorted(listed.person_ids), _PERSONS):
        people = tools.source.demographics(some)
        patients = tools.source.patients(people)
        rows = []
        for person_id, person in people.items():
            record = patients.get(person_id)
            row = attempt(
                str(person_id), "person",
                lambda person=person, record=record: person_row(person, record, tools.columns),  # type: ignore[misc]
            )  # fmt: skip
            if not isinstance(row, Failure):
                rows.append(asdict(row))
        desk.draft.add({"person": rows})
        counts["released"] += len(rows)
        known.update(people)
    counts["listed"] = len(listed.person_ids)
    counts["duplicates"] = listed.duplicates
    counts["unknown"] = len(listed.person_ids) - len(known)
    counts["refused"] = len(known) - counts["released"]
    return known


def _add_notes(desk: _Desk, account: _Account) -> None:
    size = desk.tools.settings.limits.notes_per_unit
    done = 0
    for index, rows in enumerate(desk.tools.source.pick(account.planned, size)):
        batch = retrying(_replayed)(desk, account, Unit(index, "", 0, 0, len(rows)), rows)
        for refused in batch.refused:
            failure = refused.failure
            account.refused[refused.item.row.note_id] = failure.reason or failure.error
        for item in batch.items:
            account.released.add(item.row.note_id)
            account.visits.update(_visit_of(item))
        done += len(rows)
        desk.progress.advance(done, len(account.planned))


def _replayed(desk: _Desk, account: _Account, unit: Unit, rows: list[NoteRow]) -> Batch:
    """Take the notes that were asked for through all stages, and put them into the draft."""
    order, tools = desk.order, desk.tools
    batch = taken(unit, rows, tools)
    wanted = tuple(item for item in batch.items if _is_wanted(item, order))
    account.outside.update({i.row.note_id for i in batch.items} - {i.row.note_id for i in wanted})
    notes: list[dict[str, Any]] = []
    spans: list[dict[str, Any]] = []

    def step(item: Item) -> Item:
        row = output_row(item, tools.columns)
        notes.extend(note_rows([row]))
        spans.extend(span_rows([row]))
        return item

    batch = replay(replace(batch, items=wanted), tools).each("write", step)
    desk.draft.add({"note": notes, "note_span": spans})
    return batch


def _is_wanted(item: Item, order: Order) -> bool:
    row = item.row
    is_kind = not order.kinds or item.kind in order.kinds
    return is_kind and order.holds(row.note_date or row.note_datetime)


def _visit_of(item: Item) -> Iterator[int]:
    number = whole(item.row.visit_occurrence_id)
    if number is not None:
        yield number


def _add_visits(desk: _Desk, known: set[int], noted: set[int]) -> None:
    """Add the visits of the window, and those that a released note belongs to."""
    tools, counts = desk.tools, desk.counts
    for some in chunks(sorted(known), _PERSONS):
        rows = []
        for visit_id, visit in tools.source.visits(some).items():
            started = visit.get("visit_start_date") or visit.get("visit_start_datetime")
            if visit_id not in noted and not desk.order.holds(started):
                continue
            row = attempt(
                str(visit_id), "visit",
                lambda visit=visit: visit_row(visit, tools.columns),  # type: ignore[misc]
            )  # fmt: skip
            if isinstance(row, Failure):
                counts.visits["refused"] += 1
            else:
                rows.append(row)
        desk.draft.add({"visit_occurrence": rows})
        counts.visits["released"] += len(rows)


def _reconcile(desk: _Desk, account: _Account) -> None:
    """Account for every note by id, and for what the draft holds; raises Incomplete."""
    source, tools, counts = desk.tools.source, desk.tools, desk.counts
    lost = account.planned - account.released - account.refused.keys() - account.outside
    if lost:
        # Nobody can tell which of several rows with one id is the note.
        shared = {f.note_id for f in source.malformed() if f.reason == "duplicate-id"}
        account.refused |= {n: "duplicate-id" for n in lost if str(n) in shared}
        missing = source.present(sorted(lost - account.refused.keys()))
        if missing:
            raise _incomplete(f"{len(missing)} of {len(account.planned)} notes are missing")
        counts.notes["deleted_meanwhile"] = len(lost - account.refused.keys())
    expected = {tools.cohort.pseudonym("note", str(note_id)) for note_id in account.released}
    held = desk.draft.columns("note", "note_id", "person_id")
    persons = {person_id for (person_id,) in desk.draft.columns("person", "person_id")}
    if any(person_id not in persons for _, person_id in held):
        raise _incomplete("a note belongs to nobody in the release")
    astray = expected ^ {note_id for note_id, _ in held}
    if astray:
        raise _incomplete(f"{len(astray)} notes are not where they should be")
    counts.refused.update(account.refused.values())
    counts.notes["released"] = len(account.released)
    counts.notes["refused"] = len(account.refused)
    counts.notes["selected"] = len(account.released) + len(account.refused)


def _incomplete(problem: str) -> Incomplete:
    return Incomplete(
        f"{problem}; nothing was released, what was released before stays. Remedy: run again; if "
        "it happens again, report it"
    )


def _deliver(desk: _Desk, target: Target) -> Released:
    """Make the draft visible where it differs from what is."""
    desk.progress.phase("comparing")
    tools, counts = desk.tools, desk.counts
    manifest = make_manifest(desk.draft, desk.origin, counts)
    explained = readme(manifest)
    changes = target.compare(desk.draft)
    old, (described, read) = target.papers(), target.names
    is_same = all(change.is_none for change in changes.values())
    is_same &= undated(old.get(described)) == manifest and old.get(read) == explained
    if not is_same:
        desk.progress.phase("publishing")
        dated = manifest | {"time": datetime.now(UTC).isoformat(timespec="seconds")}
        target.deliver(desk.draft, {described: dump(dated), read: explained})
    limit = tools.settings.limits.max_quarantine_share
    code = EXIT_DONE if counts.refused_share <= limit else EXIT_QUARANTINE
    return Released(counts, changes, manifest, not is_same, code)
