"""The area under the ROC curve of a score that separates two groups."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

Scores = Sequence[float] | NDArray[np.floating]


def area_under_curve(inside: Scores, outside: Scores) -> float:
    """Return the probability that a score inside exceeds one outside; ties count half.

    The statistic of Mann and Whitney (1947) over the number of pairs; neither may be empty.
    """
    above = mannwhitneyu(inside, outside).statistic
    return float(above) / (len(inside) * len(outside))
