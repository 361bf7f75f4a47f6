"""What every check of `cryptonym doctor` gives: a name, how it went, what was seen, what to do."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from record.errors import ConfigError, Unavailable

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class CheckResult:
    """How one check went; `is_away` tells that a service did not answer, and not a setting."""

    check: str
    status: Status
    seen: str
    remedy: str = ""
    is_away: bool = False


Check = Callable[[], Iterable[CheckResult]]


def ok(check: str, seen: str) -> CheckResult:
    """Say that all is well."""
    return CheckResult(check, "ok", seen)


def warn(check: str, seen: str, remedy: str) -> CheckResult:
    """Say that a run will work, and what somebody should see to all the same."""
    return CheckResult(check, "warn", seen, remedy)


def fail(check: str, seen: str, remedy: str) -> CheckResult:
    """Say that a run will not work, or must not."""
    return CheckResult(check, "fail", seen, remedy)


def examine(check: str, look: Check) -> Iterator[CheckResult]:
    """Do a check; an error on purpose is a finding, with its own remedy."""
    try:
        yield from look()
    except ConfigError as error:
        yield CheckResult(check, "fail", f"{error.key}: {error.problem}", error.remedy)
    except Unavailable as error:
        yield CheckResult(
            check, "fail", f"{error.what}: {error.problem}", error.remedy, is_away=True
        )
    except OSError as error:
        remedy = "check path, rights and disk"
        yield CheckResult(check, "fail", f"{error.strerror}", remedy, is_away=True)
