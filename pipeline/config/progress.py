"""The interface through which long work reports its progress."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Whom a run tells how far it is: the phase it enters, and notes done of notes planned."""

    phase: Callable[[str], None] = lambda name: None
    advance: Callable[[int, int], None] = lambda done, planned: None
