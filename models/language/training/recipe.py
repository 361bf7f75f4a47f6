"""Hyperparameters of language models, and the predefined recipes."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from record.errors import ConfigError

PRETRAINED = "pretrained"
"""The kind and the recipe of a generator that is a pretrained model with marks."""

_ABOVE_0 = (
    *("width", "layers", "heads", "context", "vocabulary_size", "rare", "epochs", "max_minutes"),
    *("rate", "divisor", "floor", "chunks", "streams", "sequence", "step_tokens", "clip"),
    *("checkpoint_steps", "epsilon", "micro_tokens", "patient_notes"),
)


@dataclass(frozen=True)
class Stage:
    """A stage of gradual unfreezing: one cycle of the learning rate per `cycles`.

    Only the last `groups` of the groups of layers learn (0: all). `peak` is the rate of the
    last one; the first one that learns has `peak / spread`, those between geometric steps.
    """

    cycles: int
    peak: float
    groups: int = 0
    spread: float = 1.0


@dataclass(frozen=True)
class LanguageRecipe:
    """How a generator is built and trained.

    For an LSTM: `streams` texts side by side, cut into `sequence` ids; plain gradient descent at
    `rate`, divided by `divisor` down to `floor` where the perplexity on held-out notes has not
    fallen by more than `gain`, `chunks` times an epoch. For a transformer: `stages`, steps of
    about `step_tokens` ids; `epochs` is the sum of their cycles. `vocabulary` is `words` (those
    with fewer than `rare` occurrences are unknown) or `pieces` (of `vocabulary_size`).
    `pretrained` is the folder of a causal language model, of a GPT-2 where the kind is `gpt`; with
    `lora` its blocks stay as they are, and matrices of that rank beside them learn. Of kind
    `pretrained` all of its shape and its tokenizer are that model's; a step is computed from parts
    of about `micro_tokens` ids. `epsilon` asks for differentially private training with
    `delta`, in which a patient has at most `patient_notes` notes.
    """

    kind: str = "gpt"
    width: int = 256
    layers: int = 6
    heads: int = 8
    context: int = 1024
    dropout: float = 0.0
    vocabulary: str = "pieces"
    vocabulary_size: int = 8192
    rare: int = 10
    epochs: int = 20
    max_minutes: float | None = None
    seed: int = 1
    streams: int = 20
    sequence: int = 35
    rate: float = 20.0
    divisor: float = 4.0
    floor: float = 0.1
    gain: float = 0.0
    chunks: int = 1
    clip: float = 1.0
    step_tokens: int = 4096
    micro_tokens: int | None = None
    stages: tuple[Stage, ...] = field(default=())
    pretrained: str | None = None
    lora: int = 0
    epsilon: float | None = None
    delta: float | None = None
    patient_notes: int = 10
    checkpoint_steps: int = 200

    def __post_init__(self) -> None:
        for name in _ABOVE_0:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(
                    f"--{name.replace('_', '-')}", "must be above 0", "give a positive number"
                )
        if not 0 <= self.dropout < 1:
            raise ConfigError("--dropout", "must be at least 0 and below 1", "0.1 is common")
        if self.kind == "gpt" and self.width % self.heads:
            raise ConfigError(
                "--heads", "--width must be divisible by it", "give a divisor of --width"
            )
        if self.kind == PRETRAINED and self.pretrained is None:
            problem = "requires the folder of a pretrained model"
            raise ConfigError("--recipe", problem, "give --pretrained FOLDER")
        if self.lora and self.pretrained is None:
            problem = "requires pretrained weights"
            raise ConfigError("--lora", problem, "give --pretrained")
        if self.divisor <= 1:
            raise ConfigError("--divisor", "must be above 1", "4 is common")

    def plan(self) -> tuple[Stage, ...]:
        """Return the stages, of which there is one where none is named."""
        return self.stages or (Stage(self.epochs, 1e-3),)

    def fingerprint(self, corpus: str) -> str:
        """Return a hash of all settings that affect the weights, and of the corpus."""
        held = {**asdict(self), "max_minutes": None, "checkpoint_steps": None, "corpus": corpus}
        if self.epsilon is None:
            del held["patient_notes"]  # of no effect
        return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return asdict(self)


def recipe_from_json(held: dict[str, Any]) -> LanguageRecipe:
    """Read a recipe back from its JSON; raises TypeError where it is of another version."""
    return LanguageRecipe(**{**held, "stages": tuple(Stage(**stage) for stage in held["stages"])})


_SPREAD = 2.6**4
_UNFROZEN = (
    Stage(1, 2e-3, groups=1),
    Stage(1, 1e-3, groups=2, spread=_SPREAD),
    Stage(1, 5e-4, groups=3, spread=_SPREAD),
    Stage(2, 1e-4, groups=4, spread=_SPREAD),
)
_OF_MODEL = ("width", "layers", "heads", "dropout", "vocabulary", "vocabulary_size", "rare")
_LSTM = {"kind": "lstm", "width": 650, "layers": 2, "vocabulary": "words", "clip": 0.25}

RECIPES: dict[str, dict[str, Any]] = {
    PRETRAINED: {
        "kind": PRETRAINED, "stages": (Stage(3, 2e-4),), "step_tokens": 8192, "micro_tokens": 4096,
    },
    "gpt": {"stages": (Stage(20, 1e-3),)},
    "gpt-small": {
        "width": 192, "layers": 4, "heads": 6, "vocabulary_size": 4096,
        "stages": (Stage(10, 2e-3),), "step_tokens": 2048,
    },
    "gpt2": {
        "width": 768, "layers": 12, "heads": 12, "dropout": 0.1, "vocabulary_size": 50_257,
        "epochs": 5, "stages": _UNFROZEN,
    },
    "lstm": {**_LSTM, "dropout": 0.2, "rare": 10, "epochs": 50},
    "lstm-small": {
        **_LSTM, "width": 128, "vocabulary": "pieces", "vocabulary_size": 4096, "epochs": 10,
    },
    "medtext-2": {**_LSTM, "dropout": 0.5, "rare": 3, "epochs": 20},
    "medtext-103": {
        **_LSTM, "dropout": 0.2, "rare": 3, "epochs": 2, "chunks": 40, "divisor": 1.2, "gain": 0.1,
    },
}  # fmt: skip
"""Recipes by name: `pretrained` goes on with any causal model, `gpt` is from nothing, `gpt2` adapts
pretrained weights layer by layer (Libbi et al., 2021), `lstm` theirs, `medtext-2` and `medtext-103`
those of Melamud and Shivade (2019)."""


def make_recipe(name: str, changes: dict[str, Any]) -> LanguageRecipe:
    """Return a recipe by its name with changes; raises ConfigError.

    Changed `epochs` scale the stages of a transformer.
    """
    if name not in RECIPES:
        raise ConfigError("--recipe", "unknown recipe", f"choose from {', '.join(RECIPES)}")
    fixed = next((each for each in _OF_MODEL if each in changes), None)
    if name == PRETRAINED and fixed is not None:
        key = f"--{fixed.replace('_', '-')}"
        raise ConfigError(key, "fixed by the pretrained model", "leave it out")
    held = {**RECIPES[name], **changes}
    stages: tuple[Stage, ...] = held.get("stages", ())
    if stages or ("peak" in changes and held.get("epsilon") is not None):
        stages = stages or (Stage(held["epochs"], changes["peak"]),)
        if "epochs" in changes and len(stages) > 1:
            raise ConfigError("--epochs", "fixed by this recipe", "omit --epochs")
        if "epochs" in changes or "peak" in changes:
            peak = changes.get("peak", stages[0].peak)
            stages = (Stage(changes.get("epochs", stages[0].cycles), peak),)
        held["stages"], held["epochs"] = stages, sum(stage.cycles for stage in stages)
    held.pop("peak", None)
    return LanguageRecipe(**held)
