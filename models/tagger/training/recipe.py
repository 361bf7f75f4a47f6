"""Hyperparameters of a tagger's training."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from models.tagger.encoders.encoder import EncoderConfig
from models.tagger.encoders.windows import WindowConfig
from record.errors import ConfigError

HEADS = ("single", "stacked", "softmax")

_ABOVE_0 = ("epochs", "max_minutes", "step_tokens", "part_tokens", "encoder_rate", "patience")
_LEAST_STEPS = 300  # of an encoder that has learnt its languages; twenty taught it nothing
_DEAREST = 20
_SHARES = ("masked", "dropout", "warm_up")


@dataclass(frozen=True)
class TaggerRecipe:
    """Hyperparameters of a tagger; tokens are subwords.

    A step learns from about `step_tokens`, a part of `part_tokens` at a time. `decay` multiplies
    the encoder's rate from each layer to the one below. `masked` is the share of pieces hidden,
    `augmented` that of notes changed, `warm_up` that of the schedule in which rates rise. A word
    missed costs `recall` more, in units of scores, than one found for nothing. Where
    `epochs` of few notes are fewer steps than `least_steps`, there are more of them.
    `start` is the folder of a tagger whose encoder, vocabulary and shared labels are learnt on, or
    `default` for the shipped one; `encoder` says nothing then.
    `patience` is how many evaluations in a row may bring nothing better. Without
    `max_minutes` the same recipe and notes give the same weights on the same machine with the
    same number of threads; so they do with it, where it is not what ends the training.
    """

    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    head: str = "single"
    convolution: bool = False
    dropout: float = 0.1
    cut: WindowConfig = field(default_factory=WindowConfig)
    epochs: int = 10
    least_steps: int = 0
    max_minutes: float | None = None
    seed: int = 1
    step_tokens: int = 2048
    part_tokens: int = 2048
    encoder_rate: float = 2e-4
    head_rate: float = 1e-3
    chain_rate: float = 1e-2
    decay: float = 1.0
    weight_decay: float = 0.01
    warm_up: float = 0.1
    clip: float = 1.0
    masked: float = 0.05
    augmented: float = 0.0
    recall: float = 0.0
    patience: int = 5
    checkpoint_steps: int = 200
    start: str | None = None

    def __post_init__(self) -> None:
        if self.head not in HEADS:
            raise ConfigError("--head", "unknown head", f"choose from {', '.join(HEADS)}")
        for name in _ABOVE_0:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(
                    f"--{name.replace('_', '-')}", "must be above 0", "give a positive number"
                )
        if not 0 <= self.recall < _DEAREST:
            problem = f"must be at least 0 and below {_DEAREST}"
            raise ConfigError("--recall", problem, "1 to 3 is common")
        for name in _SHARES:
            if not 0 <= getattr(self, name) < 1:
                problem = "must be at least 0 and below 1"
                raise ConfigError(f"--{name.replace('_', '-')}", problem, "give a fraction")

    def to_json(self) -> dict[str, Any]:
        """Return every setting by its name."""
        return asdict(self)

    def fingerprint(self, notes: str) -> str:
        """Return a hash of the notes' digest and of all settings that affect the weights."""
        kept = replace(self, max_minutes=None, checkpoint_steps=0).to_json()
        if self.start is None:
            del kept["start"]
        return hashlib.sha256(json.dumps([kept, notes], sort_keys=True).encode()).hexdigest()


def default_recipe(encoder: EncoderConfig) -> TaggerRecipe:
    """Return the default settings for an encoder; untrained ones use higher learning rates."""
    if encoder.name.startswith("tiny"):
        return TaggerRecipe(encoder, epochs=30, encoder_rate=1e-3)
    if encoder.name == "bilstm":
        return TaggerRecipe(encoder, epochs=30, encoder_rate=3e-3)
    return TaggerRecipe(encoder, least_steps=_LEAST_STEPS)
