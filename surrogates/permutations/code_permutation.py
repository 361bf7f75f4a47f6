"""Keyed permutations of all codes of one format (FF1), so that surrogates never collide."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from threading import get_ident

from surrogates.ciphers.ff1 import FF1
from surrogates.keys.keys import PatientKey

_KEY = 32
# FF1 needs at least two bits.
_SHORTEST = 2
_REMEMBERED = 1024
LONGEST = 64
"""The most digits converted as one number; Python limits the conversion of long numbers."""


class IndexPermutation:
    """A keyed permutation of the numbers below `size`: FF1 over their bits, and a stride.

    Cycle walking keeps it inside `size` (Black and Rogaway, 2002). `step` maps distinct numbers
    to distinct numbers and, for `size` > 1 and `times` 0, no number to itself.
    """

    __slots__ = ("_bits", "_cipher", "_plain", "_stride", "size")

    def __init__(self, key: PatientKey, label: str, name: str, size: int) -> None:
        self.size = size
        self._bits = max(_SHORTEST, (size - 1).bit_length())
        material = key.draw(label, f"codes/{name}/{size}", _KEY + _KEY // 2)
        self._cipher = FF1(material[:_KEY], 2)
        self._plain = self._cipher.for_length(self._bits)
        self._stride = 1 + int.from_bytes(material[_KEY:], "big") % max(1, size - 1)

    def step(self, number: int, tweak: bytes = b"", *, times: int = 0) -> int:
        """Return the image of a number, `times` places further on.

        Each tweak has its own permutation.
        """
        permuted = self._cipher.for_length(self._bits, tweak) if tweak else self._plain
        place = self._walk(number, permuted.encrypt)
        return self._walk((place + self._stride + times) % self.size, permuted.decrypt)

    def _walk(self, number: int, act: Callable[[int], int]) -> int:
        while True:
            number = act(number)
            if number < self.size:
                return number


@lru_cache(maxsize=_REMEMBERED)
def _cached_permutation(
    key: PatientKey,
    label: str,
    name: str,
    size: int,
    thread: int,  # noqa: ARG001 - separates the caches of threads
) -> IndexPermutation:
    """Return the thread's permutation of a name and size; the most recent are cached."""
    return IndexPermutation(key, label, name, size)


def encode_places(places: Sequence[int], sizes: Sequence[int]) -> int:
    """Encode places, the first the most significant, as one number of a mixed radix."""
    number = 0
    for place, size in zip(places, sizes, strict=True):
        number = number * size + place % size
    return number


def decode_places(number: int, sizes: Sequence[int]) -> list[int]:
    """Decode a number into places of a mixed radix: the inverse of `encode_places`."""
    places = []
    for size in reversed(sizes):
        number, place = divmod(number, size)
        places.append(place)
    return places[::-1]


def permute_number(
    number: int,
    size: int,
    *,
    key: PatientKey,
    label: str,
    name: str,
    tweak: str = "",
    times: int = 0,
) -> int:
    """Return the image of a number below `size`.

    `name` is the kind of numbers. Equal name, size and tweak give the same permutation.
    """
    found = _cached_permutation(key, label, name, size, get_ident())
    return found.step(number, tweak.encode("utf-8", "surrogatepass"), times=times)


def permute_places(
    places: Sequence[int],
    sizes: Sequence[int],
    *,
    key: PatientKey,
    label: str,
    name: str,
    tweak: str = "",
    times: int = 0,
) -> list[int]:
    """Return the image of places of the given sizes, encoded as one number."""
    number, size = encode_places(places, sizes), prod(sizes)
    moved = permute_number(number, size, key=key, label=label, name=name, tweak=tweak, times=times)
    return decode_places(moved, sizes)
