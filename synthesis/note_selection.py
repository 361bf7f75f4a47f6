"""Which of many freely written notes are kept: those that together have what was asked for."""

import numpy as np
from numpy.typing import NDArray

_BLOCK = 4096  # notes among which one is looked for: the time grows with the square of it

Numbers = NDArray[np.float64]


def choose(has: Numbers, wanted: Numbers, count: int) -> list[int]:
    """Choose rows of `has` so that their mean comes as near to `wanted` as one by one can be.

    `has` is (notes, features), counts of anything; `wanted` (features,), of one note on average.
    Each row that is taken is the one after which the sum is nearest to that of as many wanted
    notes; a feature weighs the less the more rows differ in it. Returns `count` row numbers in
    order, drawn evenly from blocks of rows, and raises ValueError where there are fewer.
    """
    if count > len(has):
        raise ValueError
    spread = has.var(axis=0)
    weights = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    missing = np.zeros_like(wanted, dtype=np.float64)
    blocks = np.array_split(np.arange(len(has)), -(-len(has) // _BLOCK) or 1)
    taken: list[int] = []
    seen = 0
    for block in blocks:
        seen += len(block)
        rows = has[block]
        is_taken = np.zeros(len(block), dtype=bool)
        for _ in range(count * seen // len(has) - len(taken)):
            missing += wanted
            cost = ((rows - missing) ** 2) @ weights
            best = int(np.where(is_taken, np.inf, cost).argmin())
            missing -= rows[best]
            is_taken[best] = True
            taken.append(int(block[best]))
    return sorted(taken)
