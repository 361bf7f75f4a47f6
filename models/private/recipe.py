"""Hyperparameters and data of a private representation's training."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from models.private.deidentifier import BINARY
from models.private.embeddings import Embeddings
from models.private.sentences import Sentence
from record.errors import ConfigError

WAYS = ("phases", "reversal")


@dataclass(frozen=True)
class RepresenterRecipe:
    """Hyperparameters of a private representation.

    `size` numbers per token; adversaries distinguish a sentence from one with a word replaced by
    one of its `neighbours` nearest. `weight` is that of |l_adv - log 2| beside the de-identifier's
    loss; `hiding` weights how distinguishable the two are by one encoding, in nats (0: the paper).
    `epochs` are the most of the three phases (of the joint training: their sum); `patience` is how
    many epochs may bring nothing. `noise` multiplies all noise: 0 is for controls alone.
    """

    way: str = "phases"
    size: int = 50
    neighbours: int = 50
    units: int = 128
    adversary_units: int = 300
    weight: float = 1.0
    hiding: float = 0.0
    epochs: tuple[int, int, int] = (20, 20, 40)
    patience: int = 10
    batch: int = 32
    rate: float = 2e-3
    noise: float = 1.0
    labels: tuple[str, ...] = BINARY
    seed: int = 1

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise ConfigError("--way", "unknown training method", f"choose from {', '.join(WAYS)}")
        for name in ("size", "units", "adversary_units", "patience", "batch", "rate"):
            if not getattr(self, name) > 0:
                raise ConfigError(
                    f"--{name.replace('_', '-')}", "must be above 0", "give a positive number"
                )
        if self.neighbours < 2:  # one changes nothing
            raise ConfigError("--neighbours", "must be at least 2", "50 is common")
        if min(self.epochs) < 1 or min(self.noise, self.weight, self.hiding) < 0:
            raise ConfigError(
                "--epochs, --noise, --weight, --hiding",
                "must be at least 1 (epochs) or 0",
                "raise the value",
            )
        if self.hiding and not self.noise:
            raise ConfigError("--hiding", "has no effect without noise", "give --noise above 0")


@dataclass(frozen=True)
class SentenceCorpus:
    """Training sentences, and development sentences of other notes for early stopping."""

    train: Sequence[Sentence] = field(repr=False)
    dev: Sequence[Sentence] = field(repr=False)
    embeddings: Embeddings
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)

    def digest(self) -> str:
        """Return a digest of all tokens, spans and vectors."""
        total = hashlib.sha256(self.embeddings.digest.encode())
        total.update(json.dumps(sorted(self.stop_words)).encode())
        for held in (self.train, self.dev):
            for sentence in held:
                total.update(json.dumps([sentence.tokens, sentence.spans]).encode())
            total.update(b"\0")
        return total.hexdigest()
