"""Results of checks: what was seen, and what to do about it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from record.errors import ConfigError, Unavailable

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class CheckResult:
    """The result of a check; `is_away` is set where a service is unavailable, not misconfigured."""

    check: str
    status: Status
    seen: str
    remedy: str = ""
    is_away: bool = False


Check = Callable[[], Iterable[CheckResult]]


def passed(check: str, seen: str) -> CheckResult:
    """Return the result of a passed check."""
    return CheckResult(check, "ok", seen)


def warned(check: str, seen: str, remedy: str) -> CheckResult:
    """Return a warning: runs work, but something needs attention."""
    return CheckResult(check, "warn", seen, remedy)


def failed(check: str, seen: str, remedy: str) -> CheckResult:
    """Return a failure: runs do not work, or must not."""
    return CheckResult(check, "fail", seen, remedy)


def run_check(name: str, check: Check) -> Iterator[CheckResult]:
    """Run a check; a ConfigError, Unavailable or OSError becomes a failure with its remedy."""
    try:
        yield from check()
    except ConfigError as error:
        yield CheckResult(name, "fail", f"{error.key}: {error.problem}", error.remedy)
    except Unavailable as error:
        yield CheckResult(
            name, "fail", f"{error.what}: {error.problem}", error.remedy, is_away=True
        )
    except OSError as error:
        remedy = "check path, permissions and disk"
        yield CheckResult(name, "fail", f"{error.strerror}", remedy, is_away=True)
