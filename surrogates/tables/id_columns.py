"""Columns of ids over Arrow: one pseudonym for each distinct id, drawn once."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from surrogates.keys.keys import (
    PSEUDONYMS,
    CohortKey,
)

_REMEMBERED = 1 << 16
# 2**62 is 1 modulo PSEUDONYMS, so that numbers are folded in pieces of 62 bits.
_BITS = 62
_LOW = np.uint64(PSEUDONYMS)


def whole(column: pa.Array) -> pa.Array:
    """Return a column as 64-bit numbers; what is no such number becomes empty.

    Floats and decimals without a fraction count: tables made by pandas or Spark hold ids so.
    """
    kind = column.type
    if pa.types.is_int64(kind):
        return column
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return column.cast(pa.int64())
    if pa.types.is_uint64(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.array([_whole(value) for value in column.to_pylist()], pa.int64())
    return pa.nulls(len(column), pa.int64())


def _whole(value: object) -> int | None:
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number == value and -(2**63) <= number < 2**63 else None


class Ids:
    """The pseudonyms of a cohort's ids, of which the most recent are remembered."""

    def __init__(self, cohort: CohortKey) -> None:
        self._cohort = cohort
        self._known: dict[str, dict[int, int]] = {}

    def rekey(self, column: pa.Array, kind: str, *, is_distinct: bool = False) -> pa.Array:
        """Return the pseudonym of each number of a column of 64-bit ones; empty stays empty.

        `is_distinct` says that a value seldom recurs, so that none is remembered.
        """
        if is_distinct:
            present = column.is_valid()
            drawn = self._draw(kind, column.drop_null())
            if column.null_count:
                return pc.replace_with_mask(pa.nulls(len(column), pa.int64()), present, drawn)
            return drawn
        encoded = column.dictionary_encode()
        return self._remembered(kind, encoded.dictionary).take(encoded.indices)

    def rekey_text(self, column: pa.Array, kind: str) -> pa.Array:
        """Return the pseudonym of each text in decimal digits; blank text becomes empty."""
        encoded = pc.utf8_trim_whitespace(column.cast(pa.string())).dictionary_encode()
        texts = encoded.dictionary
        drawn = to_pseudonyms(self._cohort.digests(kind, texts.cast(pa.binary()).to_pylist()))
        named = pc.if_else(pc.equal(texts, ""), None, drawn.cast(pa.string()))
        return named.cast(pa.string()).take(encoded.indices)

    def _draw(self, kind: str, numbers: pa.Array) -> pa.Array:
        written = numbers.cast(pa.string()).cast(pa.binary()).to_pylist()
        return to_pseudonyms(self._cohort.digests(kind, written))

    def _remembered(self, kind: str, numbers: pa.Array) -> pa.Array:
        known = self._known.setdefault(kind, {})
        wanted = numbers.to_pylist()
        missing = [number for number in wanted if number not in known]
        if missing:
            drawn = self._draw(kind, pa.array(missing, pa.int64())).to_pylist()
            fresh = dict(zip(missing, drawn, strict=True))
            found = [known[number] if number in known else fresh[number] for number in wanted]
            if len(known) + len(fresh) > _REMEMBERED:
                known.clear()
            known.update(fresh)
        else:
            found = [known[number] for number in wanted]
        return pa.array(found, pa.int64())


def to_pseudonyms(digests: bytes) -> pa.Array:
    """Make a pseudonym of the first 16 bytes of each digest, a number in big-endian order."""
    halves: NDArray[np.uint64] = np.frombuffer(digests, ">u8").reshape(-1, 4).astype(np.uint64)
    high, low = halves[:, 0], halves[:, 1]
    # high * 2**64 + low, and 2**64 is 4.
    total = (low & _LOW) + (low >> np.uint64(_BITS))
    total += ((high << np.uint64(2)) & _LOW) + (high >> np.uint64(_BITS - 2))
    total = (total & _LOW) + (total >> np.uint64(_BITS))
    total = np.where(total >= _LOW, total - _LOW, total)
    return pa.array((total + np.uint64(1)).astype(np.int64))
