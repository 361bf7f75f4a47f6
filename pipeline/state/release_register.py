"""The register of cohort releases: who made which, when, where to, and what it held."""

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
from pipeline.state.run_lock import held_since
from pipeline.state.schema_version import connect_state
from pipeline.state.tables import COHORT_RELEASE
from pipeline.warehouse.databases import retrying, transaction
from record.errors import ConfigError, CryptonymError, Unavailable

_WHAT = "state"
_OPEN = ("working", "publishing")
_HELD = "not-published"
_CHANGES = ("added", "changed", "withdrawn")


@dataclass(frozen=True)
class PastRelease:
    """One release of a cohort, as the register has it.

    `status` is `finished`, `refused` (something had to be corrected first), `failed`, `running` or
    `interrupted`; one that was interrupted while `publishing` may be visible. `about` holds ids,
    versions and counts, never text.
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
        """How it ended, in a few words."""
        if self.status == "finished":
            return "done" if self.about.get("is_changed") else "nothing had changed"
        return f"{self.status} while publishing" if self.about.get("publishing") else self.status

    @property
    def error(self) -> str:
        """What stopped it; empty where nothing did."""
        return str(self.about.get("error", ""))

    @property
    def is_shown(self) -> bool:
        """Whether it became visible, or may have: what was refused or failed changed nothing."""
        return self.status == "finished" or bool(self.about.get("publishing"))

    @property
    def persons(self) -> int:
        """Persons whose row was released."""
        return self._counted("persons", "released") if self.is_shown else 0

    @property
    def released(self) -> int:
        """Notes that it holds."""
        return self._counted("notes", "released") if self.is_shown else 0

    @property
    def refused(self) -> int:
        """Notes that were asked for and are not in it."""
        return self._counted("notes", "refused")

    @property
    def held(self) -> int:
        """Those of them that the nightly job had not published: mostly those its gate held."""
        return self._counted("refused", _HELD)

    @property
    def notes_changed(self) -> tuple[int, ...]:
        """Notes added, changed and withdrawn."""
        found = self.about.get("changes", {}).get("note", {}) if self.is_shown else {}
        return tuple(int(found.get(name, 0)) for name in _CHANGES)

    def _counted(self, what: str, name: str) -> int:
        return int(self.about.get(what, {}).get(name, 0))

    @property
    def labels(self) -> Mapping[str, int]:
        """Surrogates in its notes, by label."""
        return dict(self.about.get("labels", {})) if self.is_shown else {}

    def to_json(self) -> dict[str, Any]:
        """Return the release as an object that JSON can hold."""
        return asdict(self) | {
            "started": self.started.isoformat(),
            "ended": self.ended and self.ended.isoformat(),
        }


class Entry:
    """The row of a release that is going on."""

    def __init__(self, engine: Engine, release_id: int) -> None:
        self._engine = engine
        self._id = release_id
        self._about: dict[str, Any] = {}

    def tell(self, about: Mapping[str, Any]) -> None:
        """Keep what the register is to hold, however the release ends."""
        self._about = dict(about)

    def publishing(self) -> None:
        """Write down what is about to become visible."""
        self._write("publishing")

    def finished(self, exit_code: int) -> None:
        """Write down that the release is visible, or was so before."""
        self._write("finished", exit_code=exit_code, ended=_now())

    def stopped(self, error: CryptonymError) -> None:
        """Write down the error that ended the release; its message holds no text of a note."""
        phase, code = _STOPPED.get(type(error), ("failed", EXIT_GATE))
        self._about["error"] = str(error)
        self._write(phase, exit_code=code, ended=_now())

    @retrying
    def _write(self, phase: str, **values: Any) -> None:
        values |= {"phase": phase, "about": json.dumps(self._about, sort_keys=True)}
        mine = COHORT_RELEASE.c.release_id == self._id
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(update(COHORT_RELEASE).where(mine).values(values))


_STOPPED: dict[type[CryptonymError], tuple[str, int]] = {
    ConfigError: ("refused", EXIT_USAGE),
    Unavailable: ("failed", EXIT_UNAVAILABLE),
}


@contextmanager
def registered(settings: StateSettings, base: Path, *, cohort: str, place: str) -> Iterator[Entry]:
    """Enter a release into the register, and the error that ends it; under the lock of runs.

    Raises ConfigError or Unavailable as opening the state database does.
    """
    engine = connect_state(settings, base)
    try:
        entry = _begin(engine, cohort, place)
        try:
            yield entry
        except CryptonymError as error:
            # What stopped it is what the operator must hear of, not a register that is away, too.
            with suppress(CryptonymError):
                entry.stopped(error)
            raise
    finally:
        engine.dispose()


@retrying
def _begin(engine: Engine, cohort: str, place: str) -> Entry:
    with transaction(engine, _WHAT, write=True) as connection:
        number = (connection.scalar(select(func.max(COHORT_RELEASE.c.release_id))) or 0) + 1
        row = {
            "release_id": number, "cohort": cohort, "account": account(), "place": place,
            "phase": "working", "started": _now(), "about": "{}",
        }  # fmt: skip
        connection.execute(insert(COHORT_RELEASE), [row])
    return Entry(engine, number)


def account() -> str:
    """Name the account of the system under which this process runs, or give its number."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def read_register(
    settings: StateSettings, base: Path, *, limit: int | None = None
) -> list[PastRelease]:
    """Read the releases, latest first; a relative path starts at `base`.

    Raises ConfigError or Unavailable as opening the state database does.
    """
    engine = connect_state(settings, base)
    try:
        rows = _rows(engine, limit)
    finally:
        engine.dispose()
    # A release belongs to who holds the lock only if it was begun since.
    since = held_since(settings.url, base)
    return [_past(row, since if n == 0 else None) for n, row in enumerate(rows)]


@retrying
def _rows(engine: Engine, limit: int | None) -> Sequence[Any]:
    found = select(COHORT_RELEASE).order_by(COHORT_RELEASE.c.release_id.desc())
    with transaction(engine, _WHAT) as connection:
        return connection.execute(found if limit is None else found.limit(limit)).all()


def _past(row: Any, since: datetime | None) -> PastRelease:
    started, status = datetime.fromisoformat(row.started), row.phase
    about = json.loads(row.about)
    if status in _OPEN:
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
