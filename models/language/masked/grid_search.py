"""Grid search over the hyperparameters of a masked language model."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from models.language.corpus.masking import MaskRecipe
from models.language.masked.masked_model import FOLDER_FORMAT, WEIGHTS
from models.language.masked.training import (
    TRAINING,
    MaskedCorpora,
    MaskedRecipe,
    digest_of,
    train_masked,
)
from models.training_loop import TrainingCallbacks
from record.atomic_write import OWNER_FILE, write_atomically
from record.errors import ConfigError

REPORT = "grid.json"

PUBLISHED: Mapping[str, Sequence[float]] = {
    "rate": (1e-4, 5e-5, 3e-5),
    "batch": (8, 16),
    "phi": (0.75, 1.0),
    "psi": (0.3, 0.5),
}
"""The grid of Belkadi et al. (2023), section 3.2; its psi never took effect there."""

_TRIALS = "trials"


@dataclass(frozen=True)
class GridTrial:
    """One combination: its name, recipe, lowest perplexity and number of epochs."""

    name: str
    recipe: MaskedRecipe
    perplexity: float
    epochs: int


def combinations(
    recipe: MaskedRecipe, grid: Mapping[str, Sequence[float]]
) -> dict[str, MaskedRecipe]:
    """Return every combination by its name; raises ConfigError where a key or value is none."""
    if unknown := sorted(set(grid) - set(PUBLISHED)):
        remedy = f"choose from {', '.join(PUBLISHED)}"
        raise ConfigError(f"grid.{unknown[0]}", "not a parameter of the grid", remedy)
    found = {}
    for values in product(*grid.values()):
        named = dict(zip(grid, values, strict=True))
        name = ",".join(f"{key}={value:g}" for key, value in named.items())
        try:
            mask = MaskRecipe(named.get("psi", recipe.mask.psi), named.get("phi", recipe.mask.phi))
        except ValueError as error:
            raise ConfigError("grid", str(error), "correct the grid file") from None
        batch = named.get("batch", recipe.batch)
        rate = named.get("rate", recipe.rate)
        if batch < 1 or batch != int(batch) or rate <= 0:
            raise ConfigError(
                "grid", "batch must be a positive integer and rate above 0", "correct the grid file"
            )
        found[name] = replace(recipe, mask=mask, batch=int(batch), rate=rate)
    return found


def search(
    corpora: MaskedCorpora,
    recipes: Mapping[str, MaskedRecipe],
    out: Path,
    *,
    callbacks: Callable[[str], TrainingCallbacks] = lambda name: TrainingCallbacks(),
    about: Mapping[str, Any] | None = None,
    max_minutes: float | None = None,
) -> list[GridTrial]:
    """Train every recipe, and keep the model with the lowest perplexity in the folder.

    All are judged by the same masks of the same notes. What is done stays done when a search is
    interrupted. `grid.json` lists every trial; it is written last. Raises ConfigError.
    """
    if (out / REPORT).exists():
        raise ConfigError(str(out), "already contains a finished search", "choose another folder")
    notes = digest_of(corpora.train, corpora.dev)
    trials: list[GridTrial] = []
    for name, recipe in recipes.items():
        folder = out / _TRIALS / name
        if (folder / TRAINING).exists():
            history = _finished_history(folder, recipe.fingerprint(notes))
        else:
            history = train_masked(
                corpora, recipe, folder, callbacks(name), about=about, max_minutes=max_minutes
            )
        trials.append(GridTrial(name, recipe, min(history), len(history) - 1))
        _keep_best(trials, out)
    best = min(trials, key=lambda trial: trial.perplexity)
    for file in (WEIGHTS, FOLDER_FORMAT.settings):
        shutil.copy(out / _TRIALS / best.name / file, out / file)  # with its mode
    is_identifying = {"best": best.name, "trials": [asdict(trial) for trial in trials]}
    write_atomically(out / REPORT, json.dumps(is_identifying, indent=1).encode(), OWNER_FILE)
    return trials


def _finished_history(folder: Path, mark: str) -> list[float]:
    held = json.loads((folder / TRAINING).read_text("utf-8"))
    if held.get("mark") != mark:
        problem = "belongs to a search with other notes or settings"
        raise ConfigError(str(folder), problem, "give the same ones, or another folder")
    history: list[float] = held["perplexity"]
    return history


def _keep_best(trials: Sequence[GridTrial], out: Path) -> None:
    """Remove the weights of what is not the best so far: encoders fill disks."""
    best = min(trials, key=lambda trial: trial.perplexity)
    for trial in trials:
        if trial is not best:
            for file in (FOLDER_FORMAT.settings, WEIGHTS):
                (out / _TRIALS / trial.name / file).unlink(missing_ok=True)
