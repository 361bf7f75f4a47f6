"""Training of a tagger: from annotated notes to a folder, resumable at every step."""

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
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from models.checkpoint import learnt, load_checkpoint, save_checkpoint
from models.precision import has_bfloat16
from models.tagger import folder
from models.tagger.encoders.encoder import make_encoder
from models.tagger.encoders.tokenizers import MARKS, MASK
from models.tagger.encoders.vocabulary import outside
from models.tagger.network import Design, Network
from models.tagger.prediction import predict
from models.tagger.sequences.corpus import Gold, TrainingNote, labels_of
from models.tagger.training.augmentation import make_augmenter
from models.tagger.training.optimizer import make_optimizer, set_rate
from models.tagger.training.recipe import TaggerRecipe
from models.tagger.training.samples import Passage, Samples, parts
from models.tagger.training.scores import Scores, preferred, score
from models.training_loop import (
    UNTIMED_STEPS,
    TimeBudget,
    TrainingLoop,
    close_training,
    refuse_finished,
    seeded,
)
from record.errors import ConfigError

TRAINING = "training.json"

_PREDICTING = 0.4  # of the time that learning from the same notes takes
_MOST_EVALUATIONS = 12
_SCORED = 32  # notes at a time
_ENOUGH = 0.95  # of the time: an epoch begun in the rest would not bring anything


@dataclass(frozen=True)
class Corpora:
    """What to learn from and what to select by; `sources` says in `training.json` what they are."""

    train: Sequence[TrainingNote] = field(repr=False)
    dev: Sequence[TrainingNote] = field(repr=False)
    sources: dict[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """Return what changes with any text, span or label."""
        total = hashlib.sha256()
        for notes in (self.train, self.dev):
            for note in notes:
                spans = [(s.start, s.end, s.label) for s in note.annotated.spans]
                text = note.annotated.document.text
                held = [text, spans, sorted(note.labels) if note.labels is not None else None]
                total.update(json.dumps(held).encode())
            total.update(b"\0")
        return total.hexdigest()


@dataclass(frozen=True)
class TaggerWatch:
    """Is told how far training is: notes learnt from of all planned, and every evaluation."""

    advance: Callable[[int, int], None] = lambda done, planned: None
    evaluated: Callable[[dict[str, float]], None] = lambda scores: None


def train(
    corpora: Corpora, recipe: TaggerRecipe, out: Path, watch: TaggerWatch | None = None
) -> Scores:
    """Train a tagger and write it to a folder; returns the scores on the notes selected by.

    The weights kept are those of the evaluation with the best scores (`preferred`). A training that
    was interrupted goes on where its last checkpoint is. Sets torch's random state. Raises
    ConfigError, also where the folder holds a tagger whose training had ended.
    """
    refuse_finished(out, TRAINING, "a trained tagger")
    if not corpora.dev:
        raise ConfigError("--dev", "has no notes", "give annotated notes to select weights by")
    return _TaggerTraining(corpora, recipe, out, watch or TaggerWatch()).run()


@dataclass
class TaggerProgress:
    """How far a training has come; numbers only.

    The next step is `step` of `epoch`. `history` has the scores of every evaluation, `best` is
    the place in it of those whose weights are kept.
    """

    epoch: int = 0
    step: int = 0
    seconds: float = 0.0
    evaluated: float = 0.0
    best: int = -1
    history: list[dict[str, float]] = field(default_factory=list)
    losses: dict[str, int] = field(default_factory=dict)


class _TaggerTraining(TrainingLoop):
    def __init__(
        self, corpora: Corpora, recipe: TaggerRecipe, out: Path, watch: TaggerWatch
    ) -> None:
        time = TimeBudget(recipe.max_minutes)
        self.corpora, self.recipe, self.out, self.watch = corpora, recipe, out, watch
        labels = labels_of(corpora.train)
        torch.manual_seed(recipe.seed)
        plain = [note.annotated for note in corpora.train]
        encoder, self.subwords = make_encoder(recipe.encoder, outside(plain))
        if recipe.cut.pieces + 2 > encoder.longest:
            raise ConfigError("--window", "is too long for the encoder", f"{encoder.longest - 2}")
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        design = Design(labels, recipe.head, recipe.convolution, recipe.dropout)
        self.network = Network(encoder, design).to(device)
        self.network.in_bfloat16 = has_bfloat16(device)
        gold = Gold(labels, stacked=recipe.head == "stacked")
        augment = make_augmenter(plain, recipe.augmented)
        self.samples = Samples(corpora.train, self.subwords, gold, recipe, augment)
        if recipe.least_steps:
            enough = -(-recipe.least_steps // len(self.samples.steps(0)))
            self.recipe = recipe = replace(recipe, epochs=max(recipe.epochs, enough))
        self.optimizer = make_optimizer(self.network, recipe)
        self.mark = recipe.fingerprint(corpora.digest())
        kept = load_checkpoint(out, self.network, self.optimizer, self.mark)
        self.place: TaggerProgress = TaggerProgress(**kept.place) if kept else TaggerProgress()
        self.time = time.after(self.place.seconds)
        self.steps: list[list[Passage]] = []

    @property
    def trained(self) -> folder.TrainedTagger:
        return folder.TrainedTagger(self.network, self.subwords, self.recipe.cut)

    def run(self) -> Scores:
        self.run_epochs(self.recipe.epochs, self.recipe.checkpoint_steps)
        return self._finish()

    def is_over(self) -> bool:
        stale = len(self.place.history) - 1 - self.place.best
        return stale >= self.recipe.patience or self._time_used() >= _ENOUGH

    def begin_epoch(self, epoch: int) -> int:
        self.steps = self.samples.steps(epoch)
        self.place.losses = dict(self.samples.losses)
        return len(self.steps)

    def may_go_on(self, steps: int) -> bool:
        return self._progress(steps) < 1

    def learn(self, step: int, steps: int) -> None:
        self._step(self.steps[step], self._progress(steps))

    def end_step(self, steps: int) -> None:
        notes = len(self.corpora.train)
        self._notes_seen = notes * (self.place.epoch + self.place.step / steps)
        self.watch.advance(int(self._notes_seen), notes * self.recipe.epochs)

    def end_early(self, steps: int) -> None:
        place = self.place
        # Otherwise time ran out while the last weights were scored.
        if place.step or not place.history:
            place.evaluated = (place.epoch + place.step / steps) / self.recipe.epochs
            self._evaluate(place.evaluated * self.recipe.epochs)

    def end_epoch(self, *, is_last: bool) -> None:
        share = self.place.epoch / self.recipe.epochs
        if is_last or share - self.place.evaluated >= 1 / _MOST_EVALUATIONS:
            self.place.evaluated = share
            self._evaluate(share * self.recipe.epochs)

    def _progress(self, steps: int) -> float:
        """Return how much of the schedule is behind, by steps or by time, whichever is further."""
        place = self.place
        done = (place.epoch + (place.step + 0.5) / steps) / self.recipe.epochs
        is_early = place.epoch == 0 and place.step < UNTIMED_STEPS
        return done if is_early else max(done, self._time_used())

    def _time_used(self) -> float:
        if self.recipe.max_minutes is None:
            return 0.0
        return self.time.used(self._seconds_to_evaluate(self.time.seconds))

    def _seconds_to_evaluate(self, used: float) -> float:
        if self.place.history:
            return self.place.history[-1]["seconds"]
        characters = [
            sum(len(note.annotated.document.text) for note in notes)
            for notes in (self.corpora.train, self.corpora.dev)
        ]
        learnt_from = self._notes_seen / len(self.corpora.train) * characters[0]
        return _PREDICTING * used * characters[1] / learnt_from if learnt_from else 0.0

    _notes_seen = 0.0

    def _step(self, step: Sequence[Passage], progress: float) -> None:
        place, recipe, network = self.place, self.recipe, self.network
        torch.manual_seed(seeded(recipe.seed, place.epoch, place.step).initial_seed())
        set_rate(self.optimizer, progress, recipe.warm_up)
        network.train()
        words = sum(len(passage.allowed) for passage in step)
        self.optimizer.zero_grad()
        for part in parts(step, recipe.part_tokens, network.device):
            ids = part.batch.ids
            hidden = (torch.rand(ids.shape, device=ids.device) < recipe.masked) & (
                ids >= len(MARKS)
            )
            ids.masked_fill_(hidden, MASK)
            scores = _sequences(network(part.batch), part.lengths)
            if recipe.recall:
                scores = network.head.dearer(scores, part.allowed, recipe.recall)
            loss = network.head.loss(scores, part.lengths, part.allowed).sum() / words
            loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_([weights for _, weights in learnt(network)], recipe.clip)
        self.optimizer.step()

    def _evaluate(self, epochs: float) -> None:
        started = monotonic()
        scores = _scored(self.trained, self.corpora.dev)
        place = self.place
        entry = {"epochs": epochs, **asdict(scores), "seconds": monotonic() - started}
        kept = _scores(place.history[place.best]) if place.best >= 0 else None
        place.history.append(entry)
        most = max(each["zero_leak"] for each in place.history)
        notes = sum(bool(note.annotated.spans) for note in self.corpora.dev)
        if kept is None or preferred(scores, kept, most, notes):
            place.best = len(place.history) - 1
            folder.save(self.trained, self.out)
        self.watch.evaluated(entry)

    def checkpoint(self) -> None:
        self.place.seconds = self.time.seconds
        save_checkpoint(self.out, self.network, self.optimizer, asdict(self.place), self.mark)

    def _finish(self) -> Scores:
        place = self.place
        if place.best < 0:
            self._evaluate(float(place.epoch))
        place.seconds = self.time.seconds
        best = place.history[place.best]
        report = {
            "recipe": self.recipe.to_json(),
            "labels": self.network.design.labels,
            "notes": {**self.corpora.sources, "sha256": self.corpora.digest()},
            "spans_changed": place.losses,
            "history": place.history,
            "best": best,
            "minutes": place.seconds / 60,
            "versions": versions(),
        }
        close_training(self.out, TRAINING, report)
        return _scores(best)


def _scores(entry: Mapping[str, float]) -> Scores:
    return Scores(**{name: entry[name] for name in Scores.__slots__})


def _sequences(flat: Tensor, lengths: Tensor) -> Tensor:
    """Return the words of all notes, one after another, as padded sequences."""
    return pad_sequence(list(torch.split(flat, lengths.tolist())), batch_first=True)


def _scored(trained: folder.TrainedTagger, dev: Sequence[TrainingNote]) -> Scores:
    """Score notes; labels that nobody looked for in a note are not held against anybody."""
    trained.network.eval()
    pairs = []
    edges = [*range(0, len(dev), _SCORED), len(dev)]
    for start, end in pairwise(edges):
        notes = dev[start:end]
        documents = [note.annotated.document for note in notes]
        found = predict(trained.network, trained.subwords, trained.cut, documents)
        for note, spans in zip(notes, found, strict=True):
            known = note.labels
            kept = [span for span in spans if known is None or span.label in known]
            pairs.append((note.annotated, kept))
    return score(pairs)


def versions() -> dict[str, str]:
    """Return the versions of what decides about weights."""
    packages = ("cryptonym", "torch", "transformers", "tokenizers", "safetensors")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
