"""What helps where synthetic notes are held back: one line for each thing to do."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.gate import NOT_MEASURED, PASSED, UNSEEN


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
    "nearest-rouge-3": _SCREENED,
    "nearest-rouge-5": _SCREENED,
    "verbatim-8-words": _SCREENED,
    "membership-auc": Advice(
        "screen",
        "above 0.5, train on notes of more patients, through fewer epochs, or privately "
        "(--epsilon); below, held-out notes are by chance more like what was written: prepare a "
        "corpus of more patients",
    ),
    "model-membership-auc": _ATTACKED,
    "canary-auc": _ATTACKED,
    "s-pdtp": _ATTACKED,
    "base-likelihood-auc": _PRETRAINED,
    "base-overlap-13-words": _PRETRAINED,
    "masker-recall": Advice(
        "compare ... --gold",
        "train a tagger on notes of your own; then detect, prepare, mask and fill again",
    ),
    "rouge-l": Advice("compare", "mask a smaller --share"),
    "reading-ease-shift": Advice("compare", "mask a smaller --share, or draw words (--top-k)"),
    "filled-over-real": Advice(
        "utility",
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
            numbers.setdefault(_helps(ADVICE[name], found), []).append(name)
    for helps, names in numbers.items():
        yield f"{', '.join(names)}: {helps}"


def _helps(advice: Advice, problems: Sequence[str]) -> str:
    if NOT_MEASURED in problems:
        return f"run `synthesize {advice.measured_by}`, and give what it wrote to --measured, too"
    if any(problem.startswith((UNSEEN, PASSED)) for problem in problems):
        return _CANNOT_TELL
    return advice.helps
