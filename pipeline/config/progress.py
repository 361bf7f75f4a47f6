"""The interface through which long-running operations report progress."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Callbacks for progress: a new phase by name, and the numbers of notes done and planned."""

    phase: Callable[[str], None] = lambda name: None
    advance: Callable[[int, int], None] = lambda done, planned: None
