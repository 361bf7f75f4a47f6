"""Linkage of requests: whether synthetic notes have the kind, length and entities of one patient's.

Whoever knows what a patient's note looks like from outside, its kind, how long it is and how many
entities of each label it has, looks for the nearest synthetic note: the distance to the closest
record, as it is measured of synthetic tables. Notes that gave their requests as a whole are found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from evaluation.attacks.copying import CANDIDATES
from evaluation.attacks.memorization import separate_members
from evaluation.gate import DETECTABLE, Axis, Measured
from record.document import Annotated
from synthesis.note_requests import Request, request_like

REQUEST_LINKAGE = "request-linkage"
"""Name of the measurement."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RequestCandidates:
    """Visible features of held-out notes, which requests are drawn from, and of training notes.

    Each has its patient.
    """

    held_out: Sequence[Request] = field(repr=False)
    patients: Sequence[str] = field(repr=False)
    trained: Sequence[Request] = field(repr=False)
    others: Sequence[str] = field(repr=False)

    def __post_init__(self) -> None:
        pairs = ((self.held_out, self.patients), (self.trained, self.others))
        if any(len(notes) != len(patients) for notes, patients in pairs):
            raise ValueError("each note must have a patient")


def visible_features(note: Annotated, kind: str) -> Request:
    """Return what anybody sees of a note without reading it, as the request that it is like."""
    return replace(request_like(note, ()), kind=kind)


def attack_requests(
    made: Sequence[Request], real: RequestCandidates, data: str, *, seed: int = 1
) -> Measured:
    """Attack the requests: which held-out notes the synthetic ones were asked for like.

    The score of a candidate is its nearness to the nearest synthetic note by kind, length (its
    logarithm) and number of entities of each label: the sum of absolute differences, each feature
    scaled by its standard deviation. The area under the curve is 0.5 where held-out notes are no
    nearer than those of train, from which nothing is asked for. The null value comes from a random
    split of the notes of train, the control from synthetic notes that are each like a held-out
    one. The bounds are those of the bootstrap over patients. Raises ValueError for fewer than two
    notes of each.
    """
    chance = np.random.default_rng(seed)
    chosen, apart = (
        chance.permutation(len(notes))[:CANDIDATES] for notes in (real.held_out, real.trained)
    )
    patients = [real.patients[place] for place in chosen], [real.others[place] for place in apart]
    whole = _features([*real.held_out, *real.trained, *made])
    count = len(real.held_out)
    known = whole[: count + len(real.trained)]
    spread = known.std(axis=0)
    scaled = whole[:, spread > 0] / spread[spread > 0]
    members, others = scaled[chosen], scaled[count + apart]

    def nearness(source: Floats, candidates: Floats) -> list[float]:
        distances, _ = KDTree(source).query(candidates, p=1)
        return list(map(float, -distances))

    inside, outside = (nearness(scaled[len(known) :], each) for each in (members, others))
    found = separate_members(inside, outside, patients=patients, seed=seed)
    half = len(outside) // 2
    null = (
        separate_members(outside[:half], outside[half:], seed=seed).auc
        if half > 1
        else float("nan")
    )
    copied = scaled[:count]
    leak = separate_members(nearness(copied, members), nearness(copied, others), seed=seed)
    return Measured(
        name=REQUEST_LINKAGE,
        axis=Axis.PRIVACY,
        value=found.auc,
        low=found.low,
        high=found.high,
        data=data,
        null=null,
        control=leak.auc,
        detail={
            "members": len(members),
            "others": len(others),
            "patients": len(set(patients[0])),
            "other patients": len(set(patients[1])),
            DETECTABLE: found.detectable,
        },
    )


def _features(notes: Sequence[Request]) -> Floats:
    """Return counts by label, the logarithm of the length, and which kind it is: [notes, ...]"""
    labels = sorted({label for note in notes for label in note.counts})
    kinds = sorted({note.kind for note in notes})
    rows = [
        [
            *(float(note.counts.get(label, 0)) for label in labels),
            float(np.log1p(note.words)),
            *(float(note.kind == kind) for kind in kinds),
        ]
        for note in notes
    ]
    return np.array(rows, np.float64)
