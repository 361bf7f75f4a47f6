"""The error boundary: the only place that catches every exception, and drops its message."""

import os
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from record.errors import CryptonymError, Unavailable, Unreadable, Unsafe
from record.failure import Failure

T = TypeVar("T")


class Unexpected(CryptonymError):
    """An unexpected exception; holds what `describe_cause` says of it, but not its message."""


def attempt(note_id: str, stage: str, step: Callable[[], T]) -> T | Failure:
    """Run one step on one note; return its result, or the failure that sends it to quarantine.

    Unavailable is raised: an unreachable database is not a property of the note, and the run must
    retry or stop. Of any other error only class name and reason code are kept; message and
    traceback may hold text and are dropped.
    """
    try:
        return step()
    except Unavailable:
        raise
    except (Unreadable, Unsafe) as error:
        return Failure(note_id, stage, type(error).__name__, error.reason)
    except Exception as error:  # noqa: BLE001 - one bad note must not stop the others
        return Failure(note_id, stage, type(error).__name__)


def drop_error_texts(step: Callable[[], T]) -> T:
    """Run a step; raise Unexpected, which holds no text, in place of errors not our own."""
    try:
        return step()
    except CryptonymError:
        raise
    except Exception as error:  # noqa: BLE001 - frameworks wrap what stages raise in classes of theirs
        raise Unexpected(describe_cause(error)) from None


def tell_errors(step: Callable[[], T]) -> T:
    """Run a step that reads no note; raise Unexpected, with the message, for errors not our own."""
    try:
        return step()
    except CryptonymError:
        raise
    except Exception as error:  # noqa: BLE001 - each runner has classes of its own
        said = "".join(filter(str.isprintable, " ".join(str(error).split())))[:_MAX_SAID]
        cause = describe_cause(error)
        raise Unexpected(f"{cause}: {said}" if said else cause) from None


def describe_cause(error: BaseException) -> str:
    """Return the classes of an error and of those that it came from, first the outermost.

    With each goes what cannot hold text: the operating system's reason, the module that is missing,
    an exit status, a status of gRPC, and the stage that failed in another process.
    """
    parts = []
    for each in _walk_causes(error):
        detail = _describe_safely(each)
        part = f"{type(each).__name__} ({detail})" if detail else type(each).__name__
        if part not in parts:
            parts.append(part)
    return " from ".join(parts)


_MAX_CAUSES = 5
_MAX_SAID = 300
# What the graph raises itself, in the traceback that a worker sends as text.
_STAGE = re.compile(
    r"^(?:[a-z_]+\.)*StageFailed: ((?:read|attach|fetch|skip|recall|extract|detect|resolve|rewrite"
    r"|residue|commit) failed on unit \d{1,9}: [A-Z][A-Za-z]{0,40})",
    re.MULTILINE,
)


def _walk_causes(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if current is None:
            return
        yield current
        reason = getattr(current, "reason", None)  # that of URLError
        hidden = None if current.__suppress_context__ else current.__context__
        inner = reason if isinstance(reason, BaseException) else None
        current = inner or current.__cause__ or hidden


def _describe_safely(error: BaseException) -> str:
    if isinstance(error, OSError) and isinstance(error.errno, int) and error.errno > 0:
        return os.strerror(error.errno)  # not `strerror`, which a library may have written
    if isinstance(error, ImportError):
        return f"module {error.name}" if error.name else ""
    status = getattr(error, "returncode", None)
    if isinstance(status, int):
        return f"exit status {status}"
    if type(error).__module__.partition(".")[0] == "grpc":
        code = getattr(error, "code", None)
        name = getattr(code() if callable(code) else None, "name", "")
        return name if isinstance(name, str) else ""
    found = _STAGE.search(str(error)) if isinstance(error, RuntimeError) else None
    return found[1] if found else ""
