"""The area under the curve of telling two groups apart by a score."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

Scores = Sequence[float] | NDArray[np.floating]


def area(inside: Scores, outside: Scores) -> float:
    """Return the chance that a score of those inside is above one of those outside; ties are half.

    The statistic of Mann and Whitney (1947) over the number of pairs; neither may be empty.
    """
    above = mannwhitneyu(inside, outside).statistic
    return float(above) / (len(inside) * len(outside))
