"""Training of a tagger on annotated notes."""

import hashlib
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from models.hardware import has_bfloat16
from models.tagger import serialization
from models.tagger.encoders.encoder import Encoder, make_encoder
from models.tagger.encoders.subword_models import MASK, SPECIAL_TOKENS
from models.tagger.encoders.vocabulary_training import text_outside_spans
from models.tagger.network import Network, TaggerArchitecture
from models.tagger.prediction import predict
from models.tagger.sequences.alignment import GoldTags, TrainingNote, labels_of
from models.tagger.shipped_model import digest, folder_of
from models.tagger.training.augmentation import make_augmenter
from models.tagger.training.batching import Passage, TrainingBatches, micro_batches
from models.tagger.training.optimizer import make_optimizer, set_learning_rate
from models.tagger.training.recipe import TaggerRecipe
from models.tagger.training.scores import Scores, is_better, score
from models.tagger.training.warm_start import copy_shared_weights
from models.training_loop import (
    TimeBudget,
    TrainingCallbacks,
    TrainingLoop,
    TrainingPosition,
    require_no_model,
    seed_torch,
    take_step,
    write_report,
)
from record.document import Document
from record.errors import ConfigError
from record.span import Span

TRAINING = "training.json"

_PREDICTION_TIME = 0.4  # of the time that training on the same text takes
_MAX_EVALUATIONS = 12
_SCORING_BATCH = 32
_NEARLY_OVER = 0.95  # of the time budget: another epoch would not improve anything


@dataclass(frozen=True)
class Corpora:
    """Training and development notes; `sources` describes them in `training.json`."""

    train: Sequence[TrainingNote] = field(repr=False)
    dev: Sequence[TrainingNote] = field(repr=False)
    sources: dict[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """Return a digest of all texts, spans and labels."""
        total = hashlib.sha256()
        for notes in (self.train, self.dev):
            for note in notes:
                spans = [(s.start, s.end, s.label) for s in note.annotated.spans]
                text = note.annotated.document.text
                held = [text, spans, sorted(note.labels) if note.labels is not None else None]
                total.update(json.dumps(held).encode())
            total.update(b"\0")
        return total.hexdigest()


Refinement = Callable[[Sequence[Span], Document], Sequence[Span]]
"""What detection makes of a tagger's spans before they meet those of other detectors."""


def train(
    corpora: Corpora,
    recipe: TaggerRecipe,
    out: Path,
    callbacks: TrainingCallbacks | None = None,
    *,
    refine: Refinement = lambda spans, document: spans,
    finish: Callable[[Path], None] = lambda folder: None,
) -> Scores:
    """Train a tagger, write it to a folder and return its scores on the development notes.

    Scores are those of the spans as `refine` leaves them. `finish` is called with the folder of the
    weights kept, before the training counts as finished.
    Keeps the weights of the best evaluation (`is_better`), and resumes from the checkpoint in the
    folder. Seeds torch's global generator. Raises ConfigError, also if the folder already
    contains a trained tagger.
    """
    require_no_model(out, TRAINING, "a trained tagger")
    if not corpora.dev:
        raise ConfigError("--dev", "contains no notes", "give annotated notes for model selection")
    training = _TaggerTraining(corpora, recipe, out, callbacks or TrainingCallbacks())
    training.refine, training.finish = refine, finish
    return training.run()


@dataclass
class TaggerPosition(TrainingPosition):
    """How far a training has come.

    `history` has the scores of every evaluation, the first one before any step where another tagger
    is learnt on; `best` is the index of the one whose weights are kept, `evaluated` the fraction of
    the epochs at the last evaluation.
    """

    evaluated: float = 0.0
    best: int = -1
    history: list[dict[str, float]] = field(default_factory=list)
    losses: dict[str, int] = field(default_factory=dict)


class _TaggerTraining(TrainingLoop[TaggerPosition]):
    network: Network
    refine: Refinement
    finish: Callable[[Path], None]

    def __init__(
        self, corpora: Corpora, recipe: TaggerRecipe, out: Path, callbacks: TrainingCallbacks
    ) -> None:
        self.budget = TimeBudget(recipe.max_minutes)
        self.corpora, self.recipe, self.out, self.callbacks = corpora, recipe, out, callbacks
        labels = labels_of(corpora.train)
        torch.manual_seed(recipe.seed)
        plain = [note.annotated for note in corpora.train]
        started = serialization.load(folder_of(recipe.start)) if recipe.start else None
        if started:
            encoder, self.subwords = started.network.encoder, started.subwords
            if isinstance(encoder, Encoder) and not recipe.encoder.frozen:
                encoder.pieces.requires_grad_(True)
        else:
            encoder, self.subwords = make_encoder(recipe.encoder, text_outside_spans(plain))
        if recipe.cut.pieces + 2 > encoder.longest:
            problem = "longer than the encoder's maximum input"
            raise ConfigError("--window", problem, f"give at most {encoder.longest - 2}")
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        design = TaggerArchitecture(labels, recipe.head, recipe.convolution, recipe.dropout)
        self.network = Network(encoder, design)
        if started:
            copy_shared_weights(self.network, started.network)
        self.network.to(device)
        self.network.in_bfloat16 = has_bfloat16(device)
        gold = GoldTags(labels, stacked=recipe.head == "stacked")
        augment = make_augmenter(plain, recipe.augmented)
        self.samples = TrainingBatches(corpora.train, self.subwords, gold, recipe, augment)
        if recipe.least_steps:
            enough = -(-recipe.least_steps // len(self.samples.steps(0)))
            self.recipe = recipe = replace(recipe, epochs=max(recipe.epochs, enough))
        self.epochs, self.patience = recipe.epochs, recipe.patience
        self.optimizer = make_optimizer(self.network, recipe)
        begun = digest(folder_of(recipe.start)) if recipe.start else ""
        self.fingerprint = recipe.fingerprint(corpora.digest() + begun)
        self.position = TaggerPosition()
        self.steps: list[list[Passage]] = []
        self.resume()

    @property
    def trained(self) -> serialization.TrainedTagger:
        return serialization.TrainedTagger(self.network, self.subwords, self.recipe.cut)

    def run(self) -> Scores:
        if self.recipe.start and not (self.position.epoch or self.position.step):
            self._evaluate(0.0)  # what it starts from, and keeps where the notes bring no gain
        self.run_epochs(self.recipe.checkpoint_steps)
        return self._finish()

    def is_over(self) -> bool:
        return super().is_over() or self.time_used() >= _NEARLY_OVER

    def stale_evaluations(self) -> int:
        return len(self.position.history) - 1 - self.position.best

    def begin_epoch(self, epoch: int) -> int:
        self.steps = self.samples.steps(epoch)
        self.position.losses = dict(self.samples.losses)
        return len(self.steps)

    def has_time_for_step(self, steps: int) -> bool:
        return self.schedule_progress(steps) < 1

    def end_step(self, steps: int) -> None:
        notes = len(self.corpora.train)
        self._notes_seen = notes * (self.position.epoch + self.position.step / steps)
        done, planned = int(self._notes_seen), notes * self.epochs
        # Where time runs out before, so many are trained on at this rate.
        used = self.time_used()
        self.callbacks.advance(done, min(planned, max(done, int(done / used))) if used else planned)

    def end_incomplete_epoch(self, steps: int) -> None:
        position = self.position
        # Otherwise time ran out while the last weights were scored.
        if position.step or not position.history:
            position.evaluated = (position.epoch + position.step / steps) / self.epochs
            self._evaluate(position.evaluated * self.epochs)

    def end_epoch(self, *, is_last: bool) -> None:
        fraction = self.position.epoch / self.epochs
        if is_last or fraction - self.position.evaluated >= 1 / _MAX_EVALUATIONS:
            self.position.evaluated = fraction
            self._evaluate(fraction * self.epochs)

    def evaluation_seconds(self) -> float:
        if self.position.history:
            return self.position.history[-1]["seconds"]
        train, dev = (
            sum(len(note.annotated.document.text) for note in notes)
            for notes in (self.corpora.train, self.corpora.dev)
        )
        trained_on = self._notes_seen / len(self.corpora.train) * train
        return _PREDICTION_TIME * self.budget.seconds * dev / trained_on if trained_on else 0.0

    _notes_seen = 0.0

    def train_step(self, step: int, steps: int) -> None:
        recipe, network, passages = self.recipe, self.network, self.steps[step]
        progress = self.schedule_progress(steps)
        seed_torch(recipe.seed, self.position.epoch, step)
        set_learning_rate(self.optimizer, progress, recipe.warm_up)
        network.train()
        words = sum(len(passage.allowed) for passage in passages)
        self.optimizer.zero_grad()
        for part in micro_batches(passages, recipe.part_tokens, network.device):
            ids = part.batch.ids
            hidden = (torch.rand(ids.shape, device=ids.device) < recipe.masked) & (
                ids >= len(SPECIAL_TOKENS)
            )
            ids.masked_fill_(hidden, MASK)
            # The words of all notes, one after another, as padded sequences
            scores = pad_sequence(
                list(torch.split(network(part.batch), part.lengths.tolist())), batch_first=True
            )
            if recipe.recall:
                scores = network.head.with_recall_margin(scores, part.allowed, recipe.recall)
            loss = network.head.loss(scores, part.lengths, part.allowed).sum() / words
            loss.backward()  # type: ignore[no-untyped-call]
        take_step(network, self.optimizer, recipe.clip)

    def _evaluate(self, epochs: float) -> None:
        started = monotonic()
        # Score notes; predictions of labels that were not annotated in a note are ignored
        trained = self.trained
        trained.network.eval()
        pairs = []
        edges = [*range(0, len(self.corpora.dev), _SCORING_BATCH), len(self.corpora.dev)]
        for start, end in pairwise(edges):
            batch = self.corpora.dev[start:end]
            documents = [note.annotated.document for note in batch]
            found = predict(trained.network, trained.subwords, trained.cut, documents)
            for note, spans in zip(batch, found, strict=True):
                known = note.labels
                refined = self.refine(spans, note.annotated.document)
                kept = [span for span in refined if known is None or span.label in known]
                pairs.append((note.annotated, kept))
        scores = score(pairs)
        position = self.position
        entry = {"epochs": epochs, **asdict(scores), "seconds": monotonic() - started}
        best = _scores(position.history[position.best]) if position.best >= 0 else None
        position.history.append(entry)
        highest = max(each["zero_leak"] for each in position.history)
        notes = sum(bool(note.annotated.spans) for note in self.corpora.dev)
        if best is None or is_better(scores, best, highest, notes):
            position.best = len(position.history) - 1
            serialization.save(self.trained, self.out)
        self.callbacks.evaluated(entry)

    def _finish(self) -> Scores:
        position = self.position
        if position.best < 0:
            self._evaluate(float(position.epoch))
        best = position.history[position.best]
        report = {
            "recipe": self.recipe.to_json(),
            "labels": self.network.design.labels,
            "notes": {**self.corpora.sources, "sha256": self.corpora.digest()},
            "spans_changed": position.losses,
            "history": position.history,
            "best": best,
            "minutes": self.budget.seconds / 60,
            "versions": package_versions(),
        }
        self.finish(self.out)
        write_report(self.out, TRAINING, report)
        return _scores(best)


def _scores(entry: Mapping[str, float]) -> Scores:
    return Scores(**{name: entry[name] for name in Scores.__slots__})


def read_start_scores(folder: Path) -> Scores | None:
    """Return what a finished training's notes of development gave before its first step.

    None where it did not start from another tagger.
    """
    history = json.loads((folder / TRAINING).read_text())["history"]
    return None if history[0]["epochs"] else _scores(history[0])


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that affect weights."""
    packages = ("cryptonym", "torch", "transformers", "tokenizers", "safetensors")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
