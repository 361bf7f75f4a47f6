"""How much work a call is, counted and not timed: the same on every machine and under any load."""

import sys
from collections.abc import Callable


def calls(run: Callable[[], object]) -> int:
    """Count the calls of functions, of Python and of C, that a call makes."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def repeated(unit: str, length: int) -> str:
    """Return a text of this many characters that is one unit again and again."""
    return (unit * (length // len(unit) + 1))[:length]


def growth(run: Callable[[str], object], unit: str, length: int = 1000) -> float:
    """Return how many times the calls a text costs that is twice as long: 2 where work is linear.

    A hundred calls more or less count for nothing.
    """
    even = max(2, length // len(unit) // 2 * 2)  # where pairs count, there are pairs in both
    run(unit * (even // 2))  # what is made once is made here
    short, long = unit * even, unit * even * 2
    return calls(lambda: run(long)) / (calls(lambda: run(short)) + 100)


MOST = 2.2
"""What `growth` may be: linear, and something to spare for what depends on borders."""
