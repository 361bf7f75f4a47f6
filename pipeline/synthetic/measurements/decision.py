"""Whether synthetic notes may leave: their measurements against what is required of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

from evaluation.attacks.pretraining_overlap import LIKELIHOOD, overlap_id
from evaluation.gate import Decision, Measured, Requirement, Verdict, decide
from evaluation.gate_case import GateCase, load_requirements, read_measurements
from pipeline.config.signing import hash_file
from pipeline.synthetic.filled_letters import is_filled
from pipeline.synthetic.measurements.advice import advise
from record.errors import ConfigError
from synthesis.generation_files import NOTES, read_generated

_FILLED, _BASE = "filled", "base"
SETS = ("synthetic", "generator", _FILLED)
"""The shipped sets of requirements that may be named."""

_REMEDY = "give a file that `synthesize screen`, `compare`, `utility`, `attack` or `overlap` wrote"


def judge_notes(
    synthetic: Path, measurements: Sequence[Path], requirements: Path | None, *, today: date
) -> GateCase:
    """Compare what was measured of synthetic notes with what is required of them.

    `requirements` is a file or the name of a shipped set; without it the set that suits the notes
    is taken. Raises ConfigError where the notes were changed, or something else was measured.
    """
    manifest = read_generated(synthetic)
    data = hash_file(synthetic / NOTES)
    if data != manifest["notes_sha256"]:
        problem = "has changed since it was generated"
        raise ConfigError(str(synthetic / NOTES), problem, "generate the notes again")
    filled = is_filled(manifest)
    required = load_requirements(_choose_set(requirements, filled=filled), SETS)
    known = {data, manifest["model_sha256"]}
    # What an older version wrote does not say what its model began with.
    base = None if filled else manifest.get("base_sha256", "unknown")
    if base is not None:
        known.add(overlap_id(base, manifest["corpus_sha256"]))
    measured = read_measurements(measurements, known, "notes, or of another model", _REMEDY)
    if base is not None:
        required = (*required, *_required_of_base(required, measured))
    decision = decide(measured, required)
    if manifest.get("canaries"):
        reasons = (*decision.reasons, "the model was trained on planted notes (--canaries)")
        decision = Decision(Verdict.HOLD, reasons)
    about = {
        "what": manifest.get("what", "synthetic notes"),
        "made": today.isoformat(),
        "notes": data,
        "model": manifest["model_sha256"],
        "corpus": manifest["corpus_sha256"],
        "seed": manifest["seed"],
        f"privacy of {'filling' if filled else 'training'}": json.dumps(
            manifest["privacy"], sort_keys=True
        ),
        "version": version("cryptonym"),
    }
    signed = {"decoding": manifest["decoding"]}
    advice = list(advise(decision.reasons))
    return GateCase(measured, required, decision, about, signed, advice=advice)


def _required_of_base(
    requirements: Iterable[Requirement], measured: Iterable[Measured]
) -> Iterator[Requirement]:
    """Return what else is required where the model began with pretrained weights.

    Their text is seldom there to be looked through; where it was, that must hold as well.
    """
    named = {each.name for each in requirements}
    found = {each.name for each in measured}
    for each in load_requirements(Path(_BASE), (_BASE,)):
        if each.name not in named and (each.name in found or each.name == LIKELIHOOD):
            yield each


def _choose_set(named: Path | None, *, filled: bool) -> Path:
    """Choose what is required: what holds for filled letters is too little for generated notes."""
    if named == Path(_FILLED) and not filled:
        problem = "the set `filled` is for letters that `synthesize fill` wrote"
        raise ConfigError("--requirements", problem, "give synthetic or generator")
    return named or Path(_FILLED if filled else SETS[0])
