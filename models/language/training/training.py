"""Training of a language model: from documents as ids to a folder, resumable at every step."""

import math
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

import torch

from models.checkpoint import load_checkpoint, read_checkpoint, save_checkpoint
from models.language.corpus.texts import Text, digest
from models.language.corpus.vocabulary import END, Vocabulary
from models.language.networks.gpt import GPT
from models.language.networks.interface import LanguageModel
from models.language.networks.lstm import LSTM
from models.language.training.folder import TrainedGenerator, build, save
from models.language.training.perplexity import Surprise, surprise
from models.language.training.pretrained import adapt
from models.language.training.recipe import LanguageRecipe
from models.language.training.training_steps import DocumentCourse, StreamCourse, TrainingSteps
from models.training_loop import (
    UNTIMED_STEPS,
    TimeBudget,
    TrainingLoop,
    close_training,
    refuse_finished,
    seeded,
)
from record.errors import ConfigError


class Unigram:
    """Frequencies with one added to each: p(u) = (count(u) + 1) / (N + |V|)."""

    def __init__(self, texts: Iterable[Sequence[int]], vocabulary: int) -> None:
        self._counts = Counter(number for text in texts for number in text)
        self._total = self._counts.total() + vocabulary

    def probability(self, number: int) -> float:
        """Return how probable an id is."""
        return (self._counts[number] + 1) / self._total

    def loss(self, texts: Iterable[Sequence[int]]) -> tuple[float, int]:
        """Return the summed surprise of texts in nats, and their number of ids."""
        counts = Counter(number for text in texts for number in text)
        nats = -sum(n * math.log(self.probability(number)) for number, n in counts.items())
        return nats, counts.total()


TRAINING = "training.json"


@dataclass(frozen=True)
class LanguageCorpora:
    """What is learnt from and selected by. `about` is kept with the model, as plain JSON."""

    vocabulary: Vocabulary
    train: Sequence[Text] = field(repr=False)
    dev: Sequence[Text] = field(repr=False)
    about: Mapping[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """Return what changes with any id or piece."""
        return digest(self.train) + digest(self.dev) + self.vocabulary.digest()


@dataclass(frozen=True)
class LanguageWatch:
    """Is told how far training is: notes learnt of all planned, and every evaluation."""

    advance: Callable[[int, int], None] = lambda done, planned: None
    evaluated: Callable[[Mapping[str, float]], None] = lambda scores: None


@dataclass
class LanguageProgress:
    """How far a training has come; numbers only. The next step is `step` of `epoch`."""

    epoch: int = 0
    step: int = 0
    ids: int = 0
    seconds: float = 0.0
    best: int = -1
    history: list[dict[str, float]] = field(default_factory=list)
    course: dict[str, Any] = field(default_factory=dict)


def train(
    corpora: LanguageCorpora, recipe: LanguageRecipe, out: Path, watch: LanguageWatch | None = None
) -> dict[str, float]:
    """Train a language model and write it to a folder; returns the last evaluation that counts.

    The weights kept are those with the lowest perplexity on held-out documents. A training that
    was interrupted goes on where its last checkpoint is. Sets torch's random state. Raises
    ConfigError, also where the folder holds a model whose training had ended.
    """
    refuse_trained(out)
    if not corpora.train or not corpora.dev:
        raise ConfigError("the corpus", "has no notes to learn from or none to select by", "more")
    return _LanguageTraining(corpora, recipe, out, watch or LanguageWatch()).run()


def refuse_trained(out: Path) -> None:
    """Raise ConfigError where a folder holds a model whose training had ended."""
    refuse_finished(out, TRAINING, "a trained language model")


def make_network(recipe: LanguageRecipe, vocabulary: Vocabulary) -> LanguageModel:
    """Make the network of a recipe, with its first weights; raises ConfigError."""
    torch.manual_seed(recipe.seed)
    shape: dict[str, Any] = {"kind": recipe.kind, "vocabulary": vocabulary.size}
    shape |= {"width": recipe.width, "layers": recipe.layers, "dropout": recipe.dropout}
    if recipe.kind == "gpt":
        shape |= {"heads": recipe.heads, "context": recipe.context}
    network = build(shape)
    if recipe.pretrained is not None:
        if not isinstance(network, GPT):
            raise ConfigError("--pretrained", "is for transformers", "choose the recipe gpt2")
        network = adapt(Path(recipe.pretrained), recipe, vocabulary)
        if recipe.lora:
            _lora().add_lora(network, recipe.lora)
    return network


def _lora() -> Any:
    try:
        from models.language.networks import lora  # noqa: PLC0415 # an extra
    except ModuleNotFoundError as error:
        remedy = "pip install 'cryptonym[lora]'"
        raise ConfigError("--lora", f"{error.name} is not installed", remedy) from None
    return lora


def make_course(
    network: LanguageModel, texts: Sequence[Text], recipe: LanguageRecipe, vocabulary: Vocabulary
) -> TrainingSteps:
    """Choose how a network is taught."""
    end = vocabulary.mark(END)
    if recipe.epsilon is not None:
        return _private(network, texts, recipe, end)
    if isinstance(network, LSTM):
        return StreamCourse(network, texts, recipe, end)
    assert isinstance(network, GPT)
    return DocumentCourse(network, texts, recipe, end)


def _private(
    network: LanguageModel, texts: Sequence[Text], recipe: LanguageRecipe, end: int
) -> TrainingSteps:
    try:
        from models.language.training.private_training import PrivateCourse  # noqa: PLC0415 # seconds to import
    except ModuleNotFoundError as error:
        remedy = "pip install 'cryptonym[models]'"
        raise ConfigError("--epsilon", f"{error.name} is not installed", remedy) from None
    return PrivateCourse(network, texts, recipe, end)


class _LanguageTraining(TrainingLoop):
    def __init__(
        self, corpora: LanguageCorpora, recipe: LanguageRecipe, out: Path, watch: LanguageWatch
    ) -> None:
        time = TimeBudget(recipe.max_minutes)
        self.corpora, self.recipe, self.out, self.watch = corpora, recipe, out, watch
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.network = make_network(recipe, corpora.vocabulary).to(device)
        self.course = make_course(self.network, corpora.train, recipe, corpora.vocabulary)
        self.mark = recipe.fingerprint(corpora.digest())
        self.place: LanguageProgress = LanguageProgress()
        found = read_checkpoint(out, self.mark)
        if found is not None:
            self.place = LanguageProgress(**found[0])
            self.course.prepare(self.place.course)
            kept = load_checkpoint(out, self.network, self.course.optimizer, self.mark)
            assert kept is not None
            self.course.restore(kept.extras)
        self.time = time.after(self.place.seconds)
        self.evaluated_steps = 1

    def run(self) -> dict[str, float]:
        place = self.place
        self.run_epochs(self.recipe.epochs, self.recipe.checkpoint_steps)
        if not place.history or place.step:
            self._evaluate(max(1, self.course.begin(place.epoch)))
        return self._finish()

    def is_over(self) -> bool:
        return self._time_used() >= 1

    def begin_epoch(self, epoch: int) -> int:
        steps = self.course.begin(epoch)
        self.evaluated_steps = -(-steps // self.recipe.chunks)
        return steps

    def may_go_on(self, steps: int) -> bool:  # noqa: ARG002
        return self.place.ids == 0 or not self.is_over()

    def learn(self, step: int, steps: int) -> None:
        torch.manual_seed(seeded(self.recipe.seed, self.place.epoch, step).initial_seed())
        self.place.ids += self.course.learn(step, self._progress(steps))

    def end_step(self, steps: int) -> None:
        notes, place = len(self.corpora.train), self.place
        seen, planned = notes * (place.epoch + place.step / steps), notes * self.recipe.epochs
        if used := self._time_used():  # fewer notes are to come where time bounds the training
            planned = min(planned, round(seen / used))
        self.watch.advance(int(seen), max(int(seen), planned))
        if place.step % self.evaluated_steps == 0 or place.step == steps:
            self._evaluate(steps)

    def _progress(self, steps: int) -> float:
        """Return how much of the schedule is behind, by steps or by time, whichever is further."""
        place = self.place
        done = (place.epoch + (place.step + 0.5) / steps) / self.recipe.epochs
        is_early = place.epoch == 0 and place.step < UNTIMED_STEPS
        return done if is_early else min(1.0, max(done, self._time_used()))

    def _time_used(self) -> float:
        """Return the share of the time allowed that is used, with what an evaluation takes."""
        return self.time.used(self.place.history[-1]["seconds"] if self.place.history else 0.0)

    def _evaluate(self, steps: int) -> None:
        started = monotonic()
        place = self.place
        found = surprise(self.network, self.corpora.vocabulary, self.corpora.dev)
        entry = {
            "epochs": place.epoch + place.step / steps,
            "perplexity": found.perplexity,
            "per_character": found.per_character,
        }
        self.course.judged(found.perplexity)
        lowest = place.history[place.best]["perplexity"] if place.best >= 0 else float("inf")
        entry["seconds"] = monotonic() - started
        place.history.append(entry)
        if self.course.keeps_last or found.perplexity < lowest or place.best < 0:
            place.best = len(place.history) - 1
            plain = _lora().merged(self.network) if self.recipe.lora else self.network
            save(TrainedGenerator(plain, self.corpora.vocabulary, self._about(entry)), self.out)
        self.watch.evaluated(entry)

    def _about(self, entry: Mapping[str, float]) -> dict[str, Any]:
        return {
            **self.corpora.about,
            "corpus_sha256": digest(self.corpora.train),
            "recipe": self.recipe.to_json(),
            "perplexity": entry["perplexity"],
            "per_character": entry["per_character"],
            "privacy": self.course.place().get("privacy"),
        }

    def checkpoint(self) -> None:
        self.place.seconds = self.time.seconds
        self.place.course = self.course.place()
        place = vars(self.place)
        save_checkpoint(
            self.out, self.network, self.course.optimizer, place, self.mark, self.course.extras()
        )

    def _finish(self) -> dict[str, float]:
        place = self.place
        best = place.history[place.best]
        baseline = self._unigram()
        scores = {
            "perplexity": best["perplexity"],
            "per_character": best["per_character"],
            "unigram": baseline.perplexity,
            "unigram_per_character": baseline.per_character,
        }
        report = {
            "recipe": self.recipe.to_json(),
            "notes": dict(self.corpora.about),
            "weights": sum(each.numel() for each in self.network.parameters()),
            "ids": place.ids,
            "history": place.history,
            "best": scores,
            "privacy": self.course.place().get("privacy"),
            "minutes": self.time.seconds / 60,
            "versions": _versions(),
        }
        close_training(self.out, TRAINING, report)
        return scores

    def _unigram(self) -> Surprise:
        vocabulary = self.corpora.vocabulary
        learnt_from = [text.ids[text.asked :] for text in self.corpora.train]
        texts = [text.ids[text.asked :] for text in self.corpora.dev]
        nats, ids = Unigram(learnt_from, vocabulary.size).loss(texts)
        return Surprise(nats, ids, sum(vocabulary.widths[n] for text in texts for n in text))


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("cryptonym", "torch")} | {
        "python": platform.python_version()
    }
