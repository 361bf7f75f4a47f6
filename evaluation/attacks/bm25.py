"""The real note that a synthetic one is nearest to by Okapi BM25, as `bm25s` scores it."""

from collections.abc import Sequence

import bm25s
import numpy as np

from evaluation.attacks.proximity import Nearest

K1, B = 1.2, 0.75
"""Saturation of repeated words and weight of the length."""


def nearest_by_bm25(
    synthetic: Sequence[Sequence[str]], real: Sequence[Sequence[str]]
) -> list[Nearest]:
    """Find the nearest note by Okapi BM25, each word of the synthetic note as a query term.

    The inverse document frequency is ln(1 + (N - n + 0.5) / (n + 0.5)), never negative
    (Robertson and Zaragoza 2009, as in Lucene). Ties go to the first.
    """
    numbers: dict[str, int] = {}
    documents = [[numbers.setdefault(word, len(numbers)) for word in note] for note in real]
    index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
    index.index((documents, numbers), create_empty_token=False, show_progress=False)
    found = []
    for place, note in enumerate(synthetic):
        query = [numbers[word] for word in note if word in numbers]
        # The library leaves out the constant factor k1 + 1, as Lucene does.
        scores = (K1 + 1) * (
            index.get_scores_from_ids(query) if query else np.zeros(len(documents))
        )
        nearest = int(scores.argmax())
        found.append(Nearest(place, nearest, float(scores[nearest])))
    return found
