"""Stretches of work that make no reference cycles, in which nobody need look for any."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
