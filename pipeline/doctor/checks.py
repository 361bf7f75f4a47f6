"""What every check of `cryptonym doctor` gives: a name, how it went, what was seen, what to do."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from record.errors import ConfigError, Unavailable

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """How one check went; `is_away` tells that a service did not answer, and not a setting."""

    check: str
    status: Status
    seen: str
    remedy: str = ""
    is_away: bool = False


Check = Callable[[], Iterable[Finding]]


def ok(check: str, seen: str) -> Finding:
    """Say that all is well."""
    return Finding(check, "ok", seen)


def warn(check: str, seen: str, remedy: str) -> Finding:
    """Say that a run will work, and what somebody should see to all the same."""
    return Finding(check, "warn", seen, remedy)


def fail(check: str, seen: str, remedy: str) -> Finding:
    """Say that a run will not work, or must not."""
    return Finding(check, "fail", seen, remedy)


def examine(check: str, look: Check) -> Iterator[Finding]:
    """Do a check; an error on purpose is a finding, with its own remedy."""
    try:
        yield from look()
    except ConfigError as error:
        yield Finding(check, "fail", f"{error.key}: {error.problem}", error.remedy)
    except Unavailable as error:
        yield Finding(check, "fail", f"{error.what}: {error.problem}", error.remedy, is_away=True)
    except OSError as error:
        remedy = "check path, rights and disk"
        yield Finding(check, "fail", f"{error.strerror}", remedy, is_away=True)
