"""Fills masked letters: plans the work, drives it and sums it up."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from models.language.masked.masked_model import load_masked
from models.language.masked.private_filling import ExponentialMechanism
from pipeline.config.progress import Progress
from pipeline.synthetic.batch_work import Work, drive
from pipeline.synthetic.letter_writing import CohortSurrogates, first_language, open_cohort
from record.errors import ConfigError
from synthesis.filling import Filling, FillingMethod
from synthesis.filling_files import Cohort, FillingJob, assemble
from synthesis.masked_letters import load_letters

_DRAWN_FROM = 6  # likeliest words, where taking the first one would make all copies alike


@dataclass(frozen=True)
class FillRequest:
    """A model, masked letters, where synthetic ones go, and how they are filled.

    At most `letters` masked letters are used, each `copies` times. Without `top_k` the likeliest
    word is taken, or one of several where the method or copies need chance. Without a `cohort` the
    model writes identifiers, too; with `epsilon` every word is drawn privately.
    """

    model: Path
    masked: Path
    out: Path
    batch: int
    cohort: Cohort | None = None
    method: str = FillingMethod.SIMULTANEOUS.value
    top_k: int | None = None
    window: int = 160
    together: int = 1
    copies: int = 1
    letters: int | None = None
    epsilon: float | None = None
    seed: int = 1

    @property
    def filling(self) -> Filling:
        """How places are filled."""
        method = FillingMethod(self.method)
        # Copies that are all the likeliest words differ in their surrogates alone.
        is_drawn = method is FillingMethod.ITERATIVE or self.copies > 1
        top = self.top_k or (_DRAWN_FROM if is_drawn else 1)
        return Filling(method, top, self.window, self.seed, together=self.together)


def fill_letters(
    request: FillRequest, work: Work, arguments: list[str], workers: int, progress: Progress
) -> dict[str, Any]:
    """Fill letters, or go on where an interrupted run stopped; returns the manifest.

    `work` writes batches, on the runner that Beam's `arguments` name. Raises ConfigError where
    key, policy, window or privacy budget cannot be used, before any letter is written.
    """
    letters = load_letters(request.masked).letters
    if request.epsilon is not None:
        ExponentialMechanism.of(request.epsilon)
    refill = FillingJob(
        model=request.model,
        masked=request.masked,
        out=request.out,
        count=min(len(letters), request.letters or len(letters)) * request.copies,
        copies=request.copies,
        batch=request.batch,
        filling=request.filling,
        cohort=request.cohort,
        epsilon=request.epsilon,
    )
    keys: Mapping[str, str] = {}
    if refill.cohort is not None:
        opened = open_cohort(refill.cohort, first_language(letters))
        CohortSurrogates(opened.key, opened.policy)  # refuses a policy that keeps anything
        keys = opened.ids
    length = load_masked(refill.model).network.length
    if refill.filling.window > length:
        problem = f"must be at most {length}, the context length of the model"
        raise ConfigError("--window", problem, f"give {length} or less")
    refill.open_folder(refill.fingerprint(keys))
    started = monotonic()
    progress.phase("filling")
    fresh = drive(refill, work, arguments, workers, progress)
    return assemble(refill, keys, fresh, monotonic() - started)
