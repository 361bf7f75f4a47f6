"""The interface through which long-running operations report progress, and how it is shown."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class ProgressMode(StrEnum):
    """How progress is shown on standard error."""

    AUTO = "auto"
    """A bar on a terminal, otherwise lines; nothing where a command prints JSON."""
    PLAIN = "plain"
    """Lines of text."""
    JSON = "json"
    """Lines of JSON."""
    NONE = "none"


@dataclass(frozen=True)
class Progress:
    """Callbacks for progress: a new phase by name, and the numbers of notes done and planned.

    `idle` says that nothing is to be done until the next phase.
    """

    phase: Callable[[str], None] = lambda name: None
    advance: Callable[[int, int], None] = lambda done, planned: None
    idle: Callable[[], None] = lambda: None
