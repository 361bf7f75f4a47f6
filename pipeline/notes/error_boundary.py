"""The one place that catches everything: what is raised goes on without its text."""

from collections.abc import Callable
from typing import TypeVar

from record.errors import CryptonymError, Unavailable, Unreadable, Unsafe
from record.failure import Failure

T = TypeVar("T")


class Unexpected(CryptonymError):
    """Something raised an error that nobody planned; holds its class name and no message."""


def attempt(note_id: str, stage: str, step: Callable[[], T]) -> T | Failure:
    """Run one step on one note; give its result, or the failure that means quarantine.

    Unavailable passes through: a database that does not answer is no property of the note, and
    the run must retry or stop. Anything else keeps its class name and reason code alone; the
    message and the traceback may hold text and are dropped.
    """
    try:
        return step()
    except Unavailable:
        raise
    except (Unreadable, Unsafe) as error:
        return Failure(note_id, stage, type(error).__name__, error.reason)
    except Exception as error:  # noqa: BLE001 - whatever a note raises, the other notes go on
        return Failure(note_id, stage, type(error).__name__)


def safely(step: Callable[[], T]) -> T:
    """Run a step; our own errors pass, any other becomes Unexpected, which holds no text."""
    try:
        return step()
    except CryptonymError:
        raise
    except Exception as error:  # noqa: BLE001 - frameworks wrap what stages raise in classes of theirs
        raise Unexpected(type(error).__name__) from None
