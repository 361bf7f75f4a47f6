"""Whether synthetic notes may leave: their measurements against what is required of them.

Where they may not, `advise` says what helps.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.attacks.pretraining_overlap import LIKELIHOOD, overlap_id
from evaluation.gate import (
    NOT_MEASURED,
    PASSED,
    UNSEEN,
    Decision,
    Measured,
    Requirement,
    Verdict,
    decide,
)
from evaluation.gate_case import GateCase, load_requirements, read_measurement_file
from evaluation.gate_charts import BARS, GateChart, read_charts
from evaluation.utility.agreement import SOUND_SHA256
from models.language.masked.private_filling import WORD
from pipeline.config.signing import hash_file, verify_content
from pipeline.synthetic.filled_letters import is_filled
from pipeline.synthetic.measurements.copy_filter import NothingLeft
from pipeline.synthetic.measurements.end_to_end import (
    COVERED_OF_FILLED,
    END_TO_END,
    MEASURED_WITH_NOTES,
    covered,
    refuse_claim,
)
from pipeline.synthetic.measurements.review_answers import read_readers
from pipeline.synthetic.measurements.screening import REVIEW_SHA256
from pipeline.synthetic.measurements.tag_agreement import AGREEMENT_COUNTS
from record.errors import ConfigError
from synthesis.generation_files import (
    NOTES,
    READ_WITHOUT_NOISE,
    manifest_digest,
    read_generated,
)

PATIENT, NOTE = "patient", "note"
"""The units of a privacy budget: all notes of a patient, or a single one."""

_TOLD = (
    *("epsilon", "delta", "patients", "patient_notes", "sample_rate", "steps", "clip"),
    "noise_multiplier",
)
"""What a private training says of itself; without one of these nobody can check its budget."""

_FILLED, _BASE = "filled", "base"
_WHERE_MEASURED = ("medical", "reading")
"""The sets of requirements that hold where their numbers were measured, or asked for."""

SETS = ("synthetic", "generator", _FILLED, END_TO_END)
"""The shipped sets of requirements that may be named."""

_REMEDY = "give a file that `synthesize screen`, `compare`, `utility`, `attack` or another wrote"


@dataclass(frozen=True)
class GateRequest:
    """Notes, what was measured of them, and what is required.

    Measurements count that are signed under `public_key`. `requirements` is a file or the name of a
    shipped set; without it the set that suits the notes is taken. With `is_end_to_end` the notes
    are claimed to tell of private notes no more than epsilon says, so that nothing else may have
    been read of them: neither before the notes were written nor to judge them. `expected` are
    numbers that were asked for: what is required of them holds where they were not measured, too.
    """

    synthetic: Path
    measurements: Sequence[Path]
    public_key: str
    requirements: Path | None = None
    is_end_to_end: bool = False
    expected: Collection[str] = ()


def judge_notes(request: GateRequest, *, today: date) -> GateCase:
    """Compare what was measured of synthetic notes with what is required of them.

    Measurements that were edited, not signed, made before the manifest was changed, or are those
    of other notes or of another corpus do not count, and hold the notes. Raises ConfigError where
    the notes were changed, or a file is none of measurements.
    """
    synthetic = request.synthetic
    manifest = read_generated(synthetic)
    data = hash_file(synthetic / NOTES)
    if data != manifest["notes_sha256"]:
        problem = "has changed since it was generated"
        raise ConfigError(str(synthetic / NOTES), problem, "generate the notes again")
    filled = is_filled(manifest)
    named = request.requirements
    if request.is_end_to_end and named is None:
        named = Path(END_TO_END)
    if named == Path(END_TO_END) and not request.is_end_to_end:
        problem = "the set `end-to-end` is for notes of which nothing but epsilon is claimed"
        raise ConfigError("--requirements", problem, "give --end-to-end, or another set")
    required = required_of(named, filled=filled)
    known = {data, manifest["model_sha256"]}
    # What an older version wrote does not say what its model began with.
    base = None if filled else manifest.get("base_sha256", "unknown")
    if base is not None:
        known.add(overlap_id(base, manifest["corpus_sha256"]))
    told = _read_signed(request, known, manifest)
    measured, charts, reasons = told.measured, told.charts, told.reasons
    if base is not None and not request.is_end_to_end:
        required = (*required, *_required_of_base(required, measured))
    optional = optional_of(required)
    found = {each.name for each in measured}
    asked = found.union(request.expected)
    required = (*required, *(each for each in optional if each.name in asked))
    decision = decide(measured, required)
    reasons += _refuse_review(measured)
    reasons += _refuse_unit(manifest)
    if request.is_end_to_end:
        reasons += refuse_claim(manifest)
    # Copies are looked for in the corpus; what an older version wrote does not say what was learnt.
    corpus = manifest["corpus_sha256"]
    if manifest.get("learnt_corpus_sha256", corpus) != corpus:
        reasons.append("the model learnt from another corpus than the notes are compared with")
    if manifest.get("canaries"):
        reasons.append("the model was trained on planted notes (--canaries)")
    if reasons:
        decision = Decision(Verdict.HOLD, (*decision.reasons, *reasons))
    about = _describe_notes(manifest, today)
    if filled and manifest["privacy"] is not None:
        about["unit of epsilon"] = WORD
        about["covered by epsilon"] = COVERED_OF_FILLED
    elif manifest["privacy"] is not None:
        about["covered by epsilon"] = covered(is_end_to_end=request.is_end_to_end)
    signed = {"decoding": manifest["decoding"]}
    advice = list(advise(decision.reasons))
    missing = [each.name for each in optional if each.name not in asked]
    return GateCase(
        measured, required, decision, about, signed, advice=advice, not_measured=missing,
        charts=[*charts, *_draw_charts(measured, manifest)], readers=told.readers,
    )  # fmt: skip


def hold_copies(synthetic: Path, problem: NothingLeft, *, today: date) -> GateCase:
    """Hold generated notes of which a filter left none, so that there is nothing to measure."""
    manifest = read_generated(synthetic)
    count = manifest["notes"]
    decision = Decision(Verdict.HOLD, (f"{problem.number}: {problem.problem}",))
    chart = _draw_drops({**manifest, "filtered": {"read": count, "dropped": count}})
    return GateCase(
        (), (), decision, _describe_notes(manifest, today), {"decoding": manifest["decoding"]},
        advice=(problem.remedy,), charts=(chart,),
    )  # fmt: skip


def _describe_notes(manifest: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return what the report says of notes before their measurements."""
    return {
        "what": manifest.get("what", "synthetic notes"),
        "made": today.isoformat(),
        "notes": manifest["notes_sha256"],
        "model": manifest["model_sha256"],
        "corpus": manifest["corpus_sha256"],
        "seed": manifest["seed"],
        f"privacy of {'filling' if is_filled(manifest) else 'training'}": json.dumps(
            manifest["privacy"], sort_keys=True
        ),
        "version": version("cryptonym"),
    }


def required_of(named: Path | None, *, filled: bool = False) -> tuple[Requirement, ...]:
    """Return the requirements of a file or a shipped set, by default those of such notes.

    Raises ConfigError.
    """
    return load_requirements(_choose_set(named, filled=filled), SETS)


@dataclass
class SignedMeasurements:
    """What signed files tell: measurements that count, charts, agreement of readers; and why not.

    `reasons` are those why other files do not count.
    """

    measured: list[Measured] = field(default_factory=list)
    charts: list[GateChart] = field(default_factory=list)
    readers: list[dict[str, Any]] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def _read_signed(
    request: GateRequest, known: Collection[str], manifest: Mapping[str, Any]
) -> SignedMeasurements:
    """Return the measurements that count, their charts, and the reasons why others do not.

    The manifest has no signature: what was measured of its notes names it in one.
    """
    told = SignedMeasurements()
    reasons = told.reasons
    digest, is_vouched_for = manifest_digest(manifest), False
    for path in request.measurements:
        content, measured = read_measurement_file(path, _REMEDY)
        try:
            verify_content(content, request.public_key)
        except ConfigError:
            reasons.append(f"{path.name}: not signed under this key, or changed since")
            continue
        if request.is_end_to_end and content.get(END_TO_END) is not True:
            reasons.append(f"{path.name}: {MEASURED_WITH_NOTES}")
            continue
        if any(each.data not in known for each in measured):
            reasons.append(f"{path.name}: holds measurements of other notes, or of another model")
            continue
        if content.get("corpus", manifest["corpus_sha256"]) != manifest["corpus_sha256"]:
            reasons.append(f"{path.name}: measured with another corpus than the notes are from")
            continue
        is_of_notes = any(each.data == manifest["notes_sha256"] for each in measured)
        if content.get("manifest") != digest and (is_of_notes or "manifest" in content):
            reasons.append(f"{path.name}: the manifest of the notes is not the one it was made of")
            continue
        is_vouched_for |= "manifest" in content
        told.measured += measured
        try:
            told.charts += read_charts(content)
        except (ValueError, TypeError, AttributeError):
            raise ConfigError(str(path), "holds a chart that is none", _REMEDY) from None
        try:
            told.readers += read_readers(content)
        except (ValueError, TypeError):
            problem = "holds an agreement of readers that is none"
            raise ConfigError(str(path), problem, _REMEDY) from None
    if not is_vouched_for:
        reasons.append("the manifest of the notes is named by no measurement")
    return told


_F1 = "f1 of "


def _draw_charts(measured: Iterable[Measured], manifest: Mapping[str, Any]) -> Iterator[GateChart]:
    """Draw what the numbers say of themselves: F1 by setting, runs of words, and what was left out.

    Of each group of settings the first measurement that tells of it is drawn.
    """
    told: list[Mapping[str, float | int | str]] = []
    for each in measured:
        scores = {
            name.removeprefix(_F1): float(value)
            for name, value in each.detail.items()
            if name.startswith(_F1)
        }
        if scores and scores not in told:
            told.append(scores)
            yield GateChart(
                f"F1 by what was learnt from ({each.name})",
                BARS,
                [*scores],
                {"F1": [*scores.values()]},
            )
        if each.name == "distinct-4-grams" and {"made", "real"} <= each.detail.keys():
            shares = [float(each.detail[name]) for name in ("made", "real")]
            groups = ["synthetic", "other patients"]
            yield GateChart("Different runs of four words", BARS, groups, {"share": shares})
    yield _draw_drops(manifest)


def _draw_drops(manifest: Mapping[str, Any]) -> GateChart:
    """Draw the shares of the notes asked for that were refused, by reason, empty, or filtered."""
    filtered = manifest.get("filtered") or {}
    counts = {f"refused: {reason}": count for reason, count in manifest.get("refused", {}).items()}
    counts["no entity"] = int(manifest.get("dropped", 0))
    written = int(filtered.get("read", manifest.get("notes", 0)))
    total = max(1, written + sum(counts.values()))
    counts["copied passage"] = int(filtered.get("dropped", 0))
    if agreed := filtered.get(AGREEMENT_COUNTS):
        counts["annotations disagree"] = int(agreed["dropped"])
    shares = [count / total for count in counts.values()]
    return GateChart("Notes left out, by filter", BARS, [*counts], {"share": shares})


def _refuse_review(measured: Sequence[Measured]) -> Iterator[str]:
    """Return the reasons against reviews of other pairs or notes than those that were screened."""
    for name, key, what in (
        ("review-breaches", REVIEW_SHA256, "pairs"),
        ("sound-notes", SOUND_SHA256, "notes"),
    ):
        if len({each.detail[key] for each in measured if key in each.detail}) > 1:
            yield f"{name}: measured on other {what} than `screen` chose"


def _refuse_unit(manifest: Mapping[str, Any]) -> list[str]:
    """Return the reason against a privacy budget that is stated for less than a person."""
    privacy = manifest["privacy"]
    if privacy is None:
        return []
    unit = privacy.get("unit")
    if is_filled(manifest):
        # Older versions tell no unit. Whatever another one says, no patient is protected by it.
        is_of_words = privacy.get("unit", WORD) == WORD
        return [] if is_of_words else [f"privacy: epsilon of filling is for a {WORD}, no {PATIENT}"]
    if unit == PATIENT:
        return list(_refuse_budget(privacy, manifest.get(READ_WITHOUT_NOISE, ["unknown"])))
    if unit != NOTE:
        return ["privacy: the manifest does not tell for whom epsilon is stated"]
    if manifest.get("most_notes_of_a_patient") == 1:
        return []
    return ["privacy: epsilon is stated for a note, and patients have several or may have"]


def _refuse_budget(privacy: Mapping[str, Any], read: Sequence[str] | None) -> Iterator[str]:
    """Return the reasons against a budget for patients: what is not told, or not covered by it."""
    missing = [name for name in _TOLD if name not in privacy]
    if missing:
        yield f"privacy: the manifest does not tell {', '.join(missing)}"
    elif privacy["delta"] * privacy["patients"] >= 1:
        yield "privacy: delta is not below one in the number of patients"
    if read is None or read:
        yield f"privacy: read without noise: {', '.join(read or ['unknown'])}"


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


def optional_of(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return what is required where it was measured, but for what is required anyway."""
    named = {each.name for each in requirements}
    found = (
        each for name in _WHERE_MEASURED for each in load_requirements(Path(name), _WHERE_MEASURED)
    )
    return tuple(each for each in found if each.name not in named)


def _choose_set(named: Path | None, *, filled: bool) -> Path:
    """Choose what is required: what holds for filled letters is too little for generated notes."""
    if named == Path(_FILLED) and not filled:
        problem = "the set `filled` is for letters that `synthesize fill` wrote"
        raise ConfigError("--requirements", problem, "give synthetic or generator")
    return named or Path(_FILLED if filled else SETS[0])


class Advice(NamedTuple):
    """The command that measures a number, and what helps where it is out of bounds."""

    measured_by: str
    helps: str


_CANNOT_TELL = (
    "cannot be judged in this corpus, whatever was written: by this number notes of other patients "
    "look nearly like copies, or copies go unseen; prepare a corpus of more patients, whose notes "
    "are less alike"
)

_SCREENED = Advice(
    "screen",
    "read the pairs that `synthesize screen` found; train on notes of more patients, through fewer "
    "epochs, or privately (--epsilon); few notes leave wide bounds, so generate more",
)
_ATTACKED = Advice(
    "attack",
    "train on notes of more patients, through fewer epochs, or privately (--epsilon)",
)
_IDENTIFIERS = Advice(
    "compare",
    "look at what was detected and masked: identifiers that nobody found stay in letters; few "
    "patients leave wide bounds, so prepare letters of more",
)

_PRETRAINED = Advice(
    "overlap",
    "take a model that cannot have read these notes, or begin with none (--recipe gpt); notes that "
    "differ from --unseen in more than their date look as if they were known",
)

ADVICE: dict[str, Advice] = {
    "well-formed-share": Advice("screen", "leave out --unmasked, so that tags are always whole"),
    "tag-distance": Advice(
        "screen",
        "give `synthesize generate` a larger --max-length, and leave --tags enforced; otherwise "
        "train the generator longer",
    ),
    "utility-of-real": Advice(
        "utility",
        "train the generator longer, by a larger recipe or on more notes; generate about as many "
        "notes as train has; give `synthesize utility` more time and --seeds",
    ),
    "medical-of-real": Advice(
        "utility --medical",
        "keep words of medicine (no --medical CLASS=S), or train the model longer; give "
        "`synthesize utility` more time and --seeds",
    ),
    "nearest-rouge-3": _SCREENED,
    "nearest-rouge-5": _SCREENED,
    "copied-passages": Advice(
        "screen",
        "run `synthesize filter` and go on with what it leaves: notes with a passage of a patient "
        "may not leave, whoever wrote them",
    ),
    "dropped-share": Advice(
        "filter ...` and `synthesize screen",
        "train on notes of more patients, through fewer epochs, or privately (--epsilon): a model "
        "that copies so much is no source of notes",
    ),
    "disagreement-share": Advice(
        "filter ... --agreement` and `synthesize screen",
        "look at disagreeing.jsonl: train the generator longer, or give --model a tagger of your "
        "own labels and language",
    ),
    "sound-notes": Advice(
        "agreement ... --sound` after `synthesize review --sound",
        "read the reasons (--reasons); train longer, or a pretrained writer (--pretrained)",
    ),
    "review-breaches": Advice(
        "agreement ... --pairs` after `synthesize review",
        "read the pairs that reviewers called linked; drop the notes, or train anew",
    ),
    "membership-auc": Advice(
        "screen",
        "above 0.5, train on notes of more patients, through fewer epochs, or privately "
        "(--epsilon); below, held-out notes are by chance more like what was written: prepare a "
        "corpus of more patients",
    ),
    "request-linkage": Advice(
        "screen",
        "prepare a corpus of more patients, whose notes are asked for by what more of them have in "
        "common, and generate the notes by this version",
    ),
    "model-membership-auc": _ATTACKED,
    "canary-auc": _ATTACKED,
    "s-pdtp": _ATTACKED,
    "base-likelihood-auc": _PRETRAINED,
    "base-overlap-13-words": _PRETRAINED,
    "epsilon": Advice(
        "screen --end-to-end",
        "train with a smaller --epsilon, on notes of more patients; another bound needs "
        "requirements of your own",
    ),
    "masker-recall": Advice(
        "compare ... --gold",
        "train a tagger on notes of your own; then detect, prepare, mask and fill again",
    ),
    "non-words": Advice("fluency", "train longer, or a pretrained writer (--pretrained)"),
    "distinct-4-grams": Advice(
        "fluency", "train longer or on more notes; draw from more words (--top-p, --temperature)"
    ),
    "well-formed-identifiers": Advice("fluency", "leave identifiers to surrogates"),
    "self-contradictions": Advice(
        "fluency", "train longer, or a pretrained writer; leave identifiers to surrogates"
    ),
    "perplexity-at-most": Advice(
        "fluency ... --model FOLDER",
        "stranger than real notes to another model: train longer or on more notes; draw from fewer "
        "words (--temperature, --top-p)",
    ),
    "perplexity-at-least": Advice(
        "fluency ... --model FOLDER",
        "likelier than real notes to another model, and so of few kinds of words: draw from more "
        "words (--temperature, --top-p)",
    ),
    "refused-share": Advice(
        "fluency", "look at the reasons in the manifest: most are labels that no policy knows"
    ),
    "distinct-fills": Advice(
        "compare",
        "train the filler longer, or from an encoder (--encoder); draw words (--top-k 50)",
    ),
    "most-frequent-fills": Advice(
        "compare",
        "train the filler longer, or from an encoder (--encoder); draw words (--top-k 50)",
    ),
    "medical-terms-kept": Advice(
        "compare", "keep words of medicine (no --medical), or prepare letters of more patients"
    ),
    "rouge-l": Advice("compare", "mask a smaller --share"),
    "reading-ease-shift": Advice("compare", "mask a smaller --share, or draw words (--top-k)"),
    "filled-over-real": Advice(
        "utility ... --epochs N",
        "train the filler longer, or from an encoder (--encoder); mask a smaller --share, or draw "
        "words (--top-k)",
    ),
    "direct-reproduced-pieces": _IDENTIFIERS,
    "direct-shared-7-characters": _IDENTIFIERS,
    "identifiers-kept": _IDENTIFIERS,
}
"""Every number that the requirements shipped for synthetic notes ask for."""


def advise(reasons: Sequence[str]) -> Iterator[str]:
    """Say what helps against the reasons of a decision: each thing once, after its numbers.

    Nothing is said of numbers that a site's own requirements alone know.
    """
    problems: dict[str, list[str]] = {}
    for reason in reasons:
        name, _, problem = reason.partition(": ")
        problems.setdefault(name, []).append(problem)
    numbers: dict[str, list[str]] = {}
    for name, found in problems.items():
        if name in ADVICE:
            advice = ADVICE[name]
            helps = advice.helps
            if NOT_MEASURED in found:
                helps = f"run `synthesize {advice.measured_by}`, and give what it wrote to "
                helps += "--measured, too"
            elif any(problem.startswith((UNSEEN, PASSED)) for problem in found):
                helps = _CANNOT_TELL
            numbers.setdefault(helps, []).append(name)
    for helps, names in numbers.items():
        yield f"{', '.join(names)}: {helps}"
