"""The register of cohort releases: account, time, destination, outcome and counts of each."""

import json
import os
import pwd
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, insert, select, update

from pipeline.config.exit_codes import EXIT_GATE, EXIT_UNAVAILABLE, EXIT_USAGE
from pipeline.config.settings import StateSettings
from pipeline.state.run_lock import find_holding_time
from pipeline.state.schema_version import connect_state
from pipeline.state.tables import COHORT_RELEASE
from pipeline.warehouse.databases import retrying, transaction
from record.errors import ConfigError, CryptonymError, Unavailable

_WHAT = "state"
_OPEN_PHASES = ("working", "publishing")
_NOT_PUBLISHED = "not-published"
_CHANGES = ("added", "changed", "withdrawn")


@dataclass(frozen=True)
class PastRelease:
    """One entry of the register.

    `status` is `finished`, `refused` (a configuration error), `held` (it would withdraw too much),
    `failed`, `running` or `interrupted`; a release interrupted while publishing may be visible.
    `about` holds ids, versions and counts, never text.
    """

    release_id: int
    cohort: str
    account: str
    place: str
    status: str
    started: datetime
    ended: datetime | None
    exit_code: int | None
    about: dict[str, Any] = field(repr=False)

    @property
    def ending(self) -> str:
        """The outcome in a few words."""
        if self.status == "finished":
            return "done" if self.about.get("is_changed") else "unchanged"
        return f"{self.status} while publishing" if self.about.get("publishing") else self.status

    @property
    def error(self) -> str:
        """The error that ended it; empty if there was none."""
        return str(self.about.get("error", ""))

    @property
    def is_shown(self) -> bool:
        """Whether it is or may be visible: refused and failed releases changed nothing."""
        return self.status == "finished" or bool(self.about.get("publishing"))

    @property
    def persons(self) -> int:
        """Number of released persons."""
        return self._counted("persons", "released") if self.is_shown else 0

    @property
    def released(self) -> int:
        """Number of released notes."""
        return self._counted("notes", "released") if self.is_shown else 0

    @property
    def refused(self) -> int:
        """Number of requested notes that were refused."""
        return self._counted("notes", "refused")

    @property
    def held(self) -> int:
        """Number of refused notes that the nightly job had not published: mostly held notes."""
        return self._counted("refused", _NOT_PUBLISHED)

    @property
    def notes_changed(self) -> tuple[int, ...]:
        """Numbers of notes added, changed and withdrawn."""
        found = self.about.get("changes", {}).get("note", {}) if self.is_shown else {}
        return tuple(int(found.get(name, 0)) for name in _CHANGES)

    def _counted(self, what: str, name: str) -> int:
        return int(self.about.get(what, {}).get(name, 0))

    @property
    def labels(self) -> Mapping[str, int]:
        """Number of surrogates by label."""
        return dict(self.about.get("labels", {})) if self.is_shown else {}

    def to_json(self) -> dict[str, Any]:
        """Return the release as an object for JSON."""
        return asdict(self) | {
            "started": self.started.isoformat(),
            "ended": self.ended and self.ended.isoformat(),
        }


class RegisterEntry:
    """The register entry of a release in progress."""

    def __init__(self, engine: Engine, release_id: int) -> None:
        self._engine = engine
        self._id = release_id
        self._about: dict[str, Any] = {}

    def set_about(self, about: Mapping[str, Any]) -> None:
        """Set the details to store with the next change of phase."""
        self._about = dict(about)

    def mark_publishing(self) -> None:
        """Record that the release is about to become visible."""
        self._write("publishing")

    def mark_finished(self, exit_code: int) -> None:
        """Record that the release is visible."""
        self._write("finished", exit_code=exit_code, ended=_now())

    def mark_held(self, reason: str) -> None:
        """Record that the release was held: nothing was published."""
        self._about["error"] = reason
        self._write("held", exit_code=EXIT_GATE, ended=_now())

    def mark_stopped(self, error: CryptonymError) -> None:
        """Record the error that ended the release; its message holds no text of notes."""
        phase, code = _PHASES_OF_ERRORS.get(type(error), ("failed", EXIT_GATE))
        self._about["error"] = str(error)
        self._write(phase, exit_code=code, ended=_now())

    @retrying
    def _write(self, phase: str, **values: Any) -> None:
        values |= {"phase": phase, "about": json.dumps(self._about, sort_keys=True)}
        mine = COHORT_RELEASE.c.release_id == self._id
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(update(COHORT_RELEASE).where(mine).values(values))


_PHASES_OF_ERRORS: dict[type[CryptonymError], tuple[str, int]] = {
    ConfigError: ("refused", EXIT_USAGE),
    Unavailable: ("failed", EXIT_UNAVAILABLE),
}


@contextmanager
def register_release(
    settings: StateSettings, base: Path, *, cohort: str, place: str
) -> Iterator[RegisterEntry]:
    """Register a release and the error that ends it, if any; requires the run lock.

    Raises ConfigError or Unavailable as opening the state database does.
    """
    engine = connect_state(settings, base)
    try:
        entry = _insert_entry(engine, cohort, place)
        try:
            yield entry
        except CryptonymError as error:
            # An error in writing the register must not hide the original one.
            with suppress(CryptonymError):
                entry.mark_stopped(error)
            raise
    finally:
        engine.dispose()


@retrying
def _insert_entry(engine: Engine, cohort: str, place: str) -> RegisterEntry:
    with transaction(engine, _WHAT, write=True) as connection:
        number = (connection.scalar(select(func.max(COHORT_RELEASE.c.release_id))) or 0) + 1
        row = {
            "release_id": number, "cohort": cohort, "account": find_account_name(), "place": place,
            "phase": "working", "started": _now(), "about": "{}",
        }  # fmt: skip
        connection.execute(insert(COHORT_RELEASE), [row])
    return RegisterEntry(engine, number)


def find_account_name() -> str:
    """Return the name of the system account that runs this process, or its number."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def read_register(
    settings: StateSettings, base: Path, *, limit: int | None = None
) -> list[PastRelease]:
    """Read the releases, latest first; paths are relative to `base`.

    Raises ConfigError or Unavailable as opening the state database does.
    """
    engine = connect_state(settings, base)
    try:
        rows = _read_rows(engine, limit)
    finally:
        engine.dispose()
    # The holder of the lock runs the latest release only if that began after locking.
    since = find_holding_time(settings.url, base)
    return [_make_past_release(row, since if n == 0 else None) for n, row in enumerate(rows)]


@retrying
def _read_rows(engine: Engine, limit: int | None) -> Sequence[Any]:
    found = select(COHORT_RELEASE).order_by(COHORT_RELEASE.c.release_id.desc())
    with transaction(engine, _WHAT) as connection:
        return connection.execute(found if limit is None else found.limit(limit)).all()


def _make_past_release(row: Any, since: datetime | None) -> PastRelease:
    started, status = datetime.fromisoformat(row.started), row.phase
    about = json.loads(row.about)
    if status in _OPEN_PHASES:
        is_running = since is not None and since <= started
        about |= {"publishing": True} if status == "publishing" else {}
        status = "running" if is_running else "interrupted"
    return PastRelease(
        release_id=row.release_id,
        cohort=row.cohort,
        account=row.account,
        place=row.place,
        status=status,
        started=started,
        ended=datetime.fromisoformat(row.ended) if row.ended else None,
        exit_code=row.exit_code,
        about=about,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat()
