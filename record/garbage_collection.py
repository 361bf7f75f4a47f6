"""Control of Python's cyclic garbage collector for work that creates few reference cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLD = 10_000
"""Allocations of container objects between two collections; Python's default is 700."""


def collect_garbage_rarely() -> None:
    """Exclude the objects loaded so far from garbage collection, and collect less often.

    To be called once a program has loaded its libraries: their hundred thousand objects stay
    alive anyway, and processing notes creates few cycles.
    """
    gc.freeze()
    gc.set_threshold(_THRESHOLD, *gc.get_threshold()[1:])


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Disable the cyclic garbage collector within the block; reference counting still frees.

    For short blocks that allocate a bounded number of objects. The collector is shared by all
    threads: if blocks overlap, it may be enabled again before the later one ends, which is
    harmless.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
