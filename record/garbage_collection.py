"""Stretches of work that make no reference cycles, in which nobody need look for any."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 10_000
"""Objects that may cycle which are made between two looks for cycles; Python's own is 700."""


def collect_seldom() -> None:
    """Let the collector of reference cycles leave what is loaded by now alone, and look less often.

    For a program that has loaded what it needs and goes on to work: some hundred thousand objects
    of libraries stay as they are, and notes make few cycles.
    """
    gc.freeze()
    gc.set_threshold(_SELDOM, *gc.get_threshold()[1:])


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python's collector of reference cycles off within; what nobody refers to is freed.

    For short stretches whose objects are bounded. The collector is one for all threads: where
    two of them overlap it may come back before the later one ends, which does no harm.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
