"""The claim that synthetic notes tell no more of private ones than their epsilon says.

Differential privacy covers what is computed from its result and from public data alone. Dropping
copies, screening and the review read the private notes again, and so does a decision that follows
from them: each lets notes through or not by what a patient wrote. So does a tagger that learnt
private notes and judges annotations; the shipped one learnt public notes alone.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.gate import Axis, Measured
from models.tagger.shipped_model import SHIPPED, digest
from pipeline.config.signing import hash_file
from pipeline.synthetic.filled_letters import is_filled
from pipeline.synthetic.measurements.screening import measured_by_generation
from pipeline.synthetic.measurements.tag_agreement import AGREEMENT_COUNTS
from record.errors import ConfigError
from synthesis.generation_files import NOTES, manifest_digest, read_generated

END_TO_END = "end-to-end"
"""The shipped set of requirements for such a claim, and the mark of measurements that allow it."""

MEASURED_WITH_NOTES = "measured with private notes, which a claim of end-to-end privacy rules out"
"""The reason against a measurement that epsilon does not cover."""


def refuse_claim(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Return the reasons against the claim for notes of this manifest."""
    if is_filled(manifest):
        yield "end-to-end privacy: letters that were filled keep the words that were not masked"
    if manifest["privacy"] is None or manifest["privacy"].get("unit") != "patient":
        yield "end-to-end privacy: the generator was not trained with an epsilon for patients"
    if manifest.get("filtered"):
        yield "end-to-end privacy: copies were dropped by comparison with private notes"
    tagger = ((manifest.get("filtered") or {}).get(AGREEMENT_COUNTS) or {}).get("model")
    if tagger is not None and tagger != digest(SHIPPED):
        yield "end-to-end privacy: a tagger that may have learnt private notes dropped notes"
    if manifest.get("base_sha256", "unknown") is not None:
        yield "end-to-end privacy: nobody knows what the pretrained model had read"


def covered(*, is_end_to_end: bool) -> str:
    """Say what epsilon is for, and what else protects a patient."""
    if is_end_to_end:
        what = "the generator and the notes; nothing else was read of private notes"
    else:
        what = (
            "the generator alone; dropping copies, screening, the review and this decision read "
            "private notes without noise"
        )
    return f"{what}; identifiers are surrogates of made-up persons whatever epsilon is"


COVERED_OF_FILLED = (
    "each word that was filled in, alone: no letter and no patient; words that were not masked are "
    "the patient's, and the budgets of the words of a letter add up"
)
"""What epsilon is for in letters that were filled."""


def measure_claim(synthetic: Path) -> dict[str, Any]:
    """Measure what the notes and their manifest alone tell; returns what the gate reads.

    A training without noise, the known leak of epsilon, has none that is finite. Raises ConfigError
    where the notes were not written by a generator that was trained privately.
    """
    manifest = read_generated(synthetic)
    data = hash_file(synthetic / NOTES)
    privacy = manifest.get("privacy")
    if privacy is None or "epsilon" not in privacy:
        problem = "written by a generator that was not trained privately"
        raise ConfigError(str(synthetic), problem, "train one with --epsilon")
    spent = float(privacy["epsilon"])
    measured = [
        Measured(
            "epsilon", Axis.PRIVACY, spent, spent, spent, data, null=0.0,
            control=sys.float_info.max,
        ),
        *measured_by_generation(manifest, data),
    ]  # fmt: skip
    return {
        "format": 1,
        "data": data,
        "corpus": manifest["corpus_sha256"],
        "manifest": manifest_digest(manifest),
        END_TO_END: True,
        "measured": [each.to_json() for each in measured],
    }
