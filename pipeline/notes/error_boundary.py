"""The error boundary: the only place that catches every exception, and drops its message."""

from collections.abc import Callable
from typing import TypeVar

from record.errors import CryptonymError, Unavailable, Unreadable, Unsafe
from record.failure import Failure

T = TypeVar("T")


class Unexpected(CryptonymError):
    """An unexpected exception; holds its class name but not its message."""


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
        raise Unexpected(type(error).__name__) from None
