"""Keyed permutations of all codes of one shape, so that two of them never get one surrogate."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from threading import get_ident

from surrogates.keys.keys import PatientKey
from surrogates.permutations.ff1 import FF1

_KEY = 32
# FF1 takes two bits at least.
_SHORTEST = 2
_REMEMBERED = 1024
LONGEST = 64
"""Digits up to so many are read and written as one number; Python refuses to for very many."""


class CodeOrder:
    """A secret order of the numbers below `size`: FF1 over their bits, and a stride, for a thread.

    Cycle walking keeps it inside `size` (Black and Rogaway, 2002). `step` maps distinct numbers
    to distinct numbers and, for `size` > 1 and `times` 0, no number to itself.
    """

    __slots__ = ("_bits", "_cipher", "_plain", "_stride", "size")

    def __init__(self, key: PatientKey, label: str, name: str, size: int) -> None:
        self.size = size
        self._bits = max(_SHORTEST, (size - 1).bit_length())
        material = key.draw(label, f"codes/{name}/{size}", _KEY + _KEY // 2)
        self._cipher = FF1(material[:_KEY], 2)
        self._plain = self._cipher.of(self._bits)
        self._stride = 1 + int.from_bytes(material[_KEY:], "big") % max(1, size - 1)

    def step(self, number: int, tweak: bytes = b"", *, times: int = 0) -> int:
        """Walk from a number to the one that stands for it, `times` places further on.

        Each tweak has an order of its own.
        """
        permuted = self._cipher.of(self._bits, tweak) if tweak else self._plain
        place = self._walk(number, permuted.encrypt)
        return self._walk((place + self._stride + times) % self.size, permuted.decrypt)

    def _walk(self, number: int, act: Callable[[int], int]) -> int:
        while True:
            number = act(number)
            if number < self.size:
                return number


@lru_cache(maxsize=_REMEMBERED)
def order(
    key: PatientKey,
    label: str,
    name: str,
    size: int,
    thread: int,  # noqa: ARG001 - tells the orders of threads apart
) -> CodeOrder:
    """Return a thread's own order of the codes of a name and size;
    the most recent are remembered.
    """
    return CodeOrder(key, label, name, size)


def join(places: Sequence[int], sizes: Sequence[int]) -> int:
    """Read places, the first the highest, as one number of a mixed radix."""
    number = 0
    for place, size in zip(places, sizes, strict=True):
        number = number * size + place % size
    return number


def part(number: int, sizes: Sequence[int]) -> list[int]:
    """Write a number as places of a mixed radix: undoes `join`."""
    places = []
    for size in reversed(sizes):
        number, place = divmod(number, size)
        places.append(place)
    return places[::-1]


def move(
    number: int,
    size: int,
    *,
    key: PatientKey,
    label: str,
    name: str,
    tweak: str = "",
    times: int = 0,
) -> int:
    """Return the number below `size` that stands for one.

    `name` says what is counted. Equal name, size and tweak make one order.
    """
    found = order(key, label, name, size, get_ident())
    return found.step(number, tweak.encode("utf-8", "surrogatepass"), times=times)


def step(
    places: Sequence[int],
    sizes: Sequence[int],
    *,
    key: PatientKey,
    label: str,
    name: str,
    tweak: str = "",
    times: int = 0,
) -> list[int]:
    """Return the places that stand for others of the same sizes, read as one number."""
    number, size = join(places, sizes), prod(sizes)
    moved = move(number, size, key=key, label=label, name=name, tweak=tweak, times=times)
    return part(moved, sizes)
