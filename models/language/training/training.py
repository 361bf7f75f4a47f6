"""Training of a language model on tokenized documents."""

import math
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

import torch
from torch import Tensor

from models.language.corpus.batching import Text, digest
from models.language.corpus.vocabulary import END, PretrainedVocabulary, Vocabulary
from models.language.networks.gpt import GPT, add_lora, merge_lora
from models.language.networks.language_model import LanguageModel
from models.language.networks.lstm import LSTM
from models.language.training.gpt2_weights import load_gpt2
from models.language.training.perplexity import NegativeLogLikelihood, negative_log_likelihood
from models.language.training.recipe import PRETRAINED, LanguageRecipe
from models.language.training.serialization import TrainedGenerator, build, save
from models.language.training.trainers import (
    DocumentTrainer,
    PretrainedTrainer,
    StepTrainer,
    StreamTrainer,
)
from models.training_loop import (
    TimeBudget,
    TrainingCallbacks,
    TrainingLoop,
    TrainingPosition,
    require_no_model,
    seed_torch,
    write_report,
)
from record.atomic_write import make_folders
from record.errors import ConfigError


class UnigramModel:
    """Unigram frequencies with add-one smoothing: p(u) = (count(u) + 1) / (N + |V|)."""

    def __init__(self, texts: Iterable[Sequence[int]], vocabulary: int) -> None:
        self._counts = Counter(number for text in texts for number in text)
        self._total = self._counts.total() + vocabulary

    def probability(self, number: int) -> float:
        """Return how probable an id is."""
        return (self._counts[number] + 1) / self._total

    def loss(self, texts: Iterable[Sequence[int]]) -> tuple[float, int]:
        """Return the summed negative log-likelihood of texts in nats, and their number of ids."""
        counts = Counter(number for text in texts for number in text)
        nats = -sum(n * math.log(self.probability(number)) for number, n in counts.items())
        return nats, counts.total()


TRAINING = "training.json"


@dataclass(frozen=True)
class LanguageCorpora:
    """Training and development texts. `about` is stored with the model, as plain JSON.

    `frequencies` are the texts that the unigram model is learnt from instead of those of training.
    """

    vocabulary: Vocabulary
    train: Sequence[Text] = field(repr=False)
    dev: Sequence[Text] = field(repr=False)
    about: Mapping[str, Any] = field(default_factory=dict)
    frequencies: Sequence[Text] | None = field(default=None, repr=False)

    def digest(self) -> str:
        """Return a digest of all token ids and the vocabulary."""
        return digest(self.train) + digest(self.dev) + self.vocabulary.digest()


@dataclass
class LanguagePosition(TrainingPosition):
    """How far a training has come; `ids` counts the tokens trained on."""

    ids: int = 0
    best: int = -1
    history: list[dict[str, float]] = field(default_factory=list)
    course: dict[str, Any] = field(default_factory=dict)


def train(
    corpora: LanguageCorpora,
    recipe: LanguageRecipe,
    out: Path,
    callbacks: TrainingCallbacks | None = None,
) -> dict[str, float]:
    """Train a language model, write it to a folder and return the scores of the kept weights.

    Keeps the weights with the lowest perplexity on held-out documents, and resumes from the
    checkpoint in the folder, which is its owner's alone if it is new. Seeds torch's global
    generator. Raises ConfigError, also if the folder already contains a trained model.
    """
    require_no_language_model(out)
    if not corpora.train or not corpora.dev:
        problem = "no notes to train on, or none for model selection"
        raise ConfigError("the corpus", problem, "prepare a corpus from more notes")
    make_folders(out)  # before the checkpoint, which repeats the notes as the model does
    return _LanguageTraining(corpora, recipe, out, callbacks or TrainingCallbacks()).run()


def require_no_language_model(out: Path) -> None:
    """Raise ConfigError if a folder already contains a trained language model."""
    require_no_model(out, TRAINING, "a trained language model")


def make_network(recipe: LanguageRecipe, vocabulary: Vocabulary) -> LanguageModel:
    """Make the network of a recipe, with its first weights; raises ConfigError."""
    torch.manual_seed(recipe.seed)
    if recipe.kind == PRETRAINED:
        return _continue_pretrained(recipe, vocabulary)
    shape: dict[str, Any] = {"kind": recipe.kind, "vocabulary": vocabulary.size}
    shape |= {"width": recipe.width, "layers": recipe.layers, "dropout": recipe.dropout}
    if recipe.kind == "gpt":
        shape |= {"heads": recipe.heads, "context": recipe.context}
    network = build(shape)
    if recipe.pretrained is not None:
        if not isinstance(network, GPT):
            raise ConfigError("--pretrained", "requires a transformer", "choose --recipe gpt2")
        network = load_gpt2(Path(recipe.pretrained), recipe, vocabulary)
        if recipe.lora:
            with _lora_extra():
                add_lora(network, recipe.lora)
    return network


def _continue_pretrained(recipe: LanguageRecipe, vocabulary: Vocabulary) -> LanguageModel:
    from models.language.networks.pretrained import add_adapters, load_pretrained  # noqa: PLC0415 # seconds

    assert isinstance(vocabulary, PretrainedVocabulary)
    folder = Path(recipe.pretrained or "")
    network = load_pretrained(folder, vocabulary, context=recipe.context)
    if recipe.lora:
        with _lora_extra():
            add_adapters(network, recipe.lora, len(vocabulary.marks))
    return network


@contextmanager
def _lora_extra() -> Iterator[None]:
    """Raise ConfigError with the remedy where peft is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        remedy = "pip install 'cryptonym[lora]'"
        raise ConfigError("--lora", f"{error.name} is not installed", remedy) from None


class _LanguageTraining(TrainingLoop[LanguagePosition]):
    network: LanguageModel

    def __init__(
        self,
        corpora: LanguageCorpora,
        recipe: LanguageRecipe,
        out: Path,
        callbacks: TrainingCallbacks,
    ) -> None:
        self.budget, self.epochs = TimeBudget(recipe.max_minutes), recipe.epochs
        self.corpora, self.recipe, self.out, self.callbacks = corpora, recipe, out, callbacks
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.network = make_network(recipe, corpora.vocabulary).to(device)
        network = self.network
        end = corpora.vocabulary.mark(END)
        if recipe.epsilon is not None:
            try:
                from models.language.training.differential_privacy import PrivateTrainer  # noqa: PLC0415 # seconds to import
            except ModuleNotFoundError as error:
                remedy = "pip install 'cryptonym[models]'"
                raise ConfigError("--epsilon", f"{error.name} is not installed", remedy) from None
            self.trainer: StepTrainer = PrivateTrainer(network, corpora.train, recipe, end)
        elif recipe.kind == PRETRAINED:
            self.trainer = PretrainedTrainer(network, corpora.train, recipe, end)
        elif isinstance(network, LSTM):
            self.trainer = StreamTrainer(network, corpora.train, recipe, end)
        else:
            assert isinstance(network, GPT)
            self.trainer = DocumentTrainer(network, corpora.train, recipe, end)
        self.fingerprint = recipe.fingerprint(corpora.digest())
        self.position = LanguagePosition()
        self.steps_per_evaluation = 1
        tensors = self.resume()
        if tensors is not None:
            self.trainer.restore_tensors(tensors)

    @property
    def optimizer(self) -> torch.optim.Optimizer:  # type: ignore[override]
        return self.trainer.optimizer

    def before_restore(self) -> None:
        self.trainer.restore_state(self.position.course)

    def before_checkpoint(self) -> None:
        self.position.course = self.trainer.place()

    def extra_tensors(self) -> Mapping[str, Tensor]:
        return self.trainer.tensors()

    def run(self) -> dict[str, float]:
        position = self.position
        self.run_epochs(self.recipe.checkpoint_steps)
        if not position.history or position.step:
            self._evaluate(max(1, self.trainer.begin_epoch(position.epoch)))
        return self._finish()

    def begin_epoch(self, epoch: int) -> int:
        steps = self.trainer.begin_epoch(epoch)
        self.steps_per_evaluation = -(-steps // self.recipe.chunks)
        return steps

    def has_time_for_step(self, steps: int) -> bool:  # noqa: ARG002
        return self.position.ids == 0 or not self.is_over()

    def train_step(self, step: int, steps: int) -> None:
        seed_torch(self.recipe.seed, self.position.epoch, step)
        self.position.ids += self.trainer.train_step(step, self.schedule_progress(steps))

    def end_step(self, steps: int) -> None:
        notes, position = len(self.corpora.train), self.position
        seen, planned = notes * (position.epoch + position.step / steps), notes * self.epochs
        if used := self.time_used():  # fewer notes follow if the time budget ends the training
            planned = min(planned, round(seen / used))
        self.callbacks.advance(int(seen), max(int(seen), planned))
        if position.step % self.steps_per_evaluation == 0 or position.step == steps:
            self._evaluate(steps)

    def evaluation_seconds(self) -> float:
        if self.position.history:
            return self.position.history[-1]["seconds"]
        if not self.position.ids:
            return 0.0
        # Reading takes a third of what learning takes, which also goes back.
        held_out = sum(len(text.ids) for text in self.corpora.dev)
        return self.budget.seconds / self.position.ids * held_out / 3

    def _evaluate(self, steps: int) -> None:
        started = monotonic()
        position = self.position
        found = negative_log_likelihood(self.network, self.corpora.vocabulary, self.corpora.dev)
        entry = {
            "epochs": position.epoch + position.step / steps,
            "perplexity": found.perplexity,
            "per_character": found.per_character,
        }
        self.trainer.on_evaluation(found.perplexity)
        has_best = position.best >= 0
        lowest = position.history[position.best]["perplexity"] if has_best else float("inf")
        entry["seconds"] = monotonic() - started
        position.history.append(entry)
        if self.trainer.keeps_last or found.perplexity < lowest or not has_best:
            position.best = len(position.history) - 1
            plain = merge_lora(self.network) if self.recipe.lora else self.network
            about = {
                **self.corpora.about,
                "corpus_sha256": digest(self.corpora.train),
                "recipe": self.recipe.to_json(),
                "perplexity": entry["perplexity"],
                "per_character": entry["per_character"],
                "privacy": self.trainer.place().get("privacy"),
            }
            save(TrainedGenerator(plain, self.corpora.vocabulary, about), self.out)
        self.callbacks.evaluated(entry)

    def _finish(self) -> dict[str, float]:
        position = self.position
        best = position.history[position.best]
        vocabulary = self.corpora.vocabulary
        corpora = self.corpora
        counted = corpora.train if corpora.frequencies is None else corpora.frequencies
        learnt_from = [text.ids[text.asked :] for text in counted]
        texts = [text.ids[text.asked :] for text in self.corpora.dev]
        nats, ids = UnigramModel(learnt_from, vocabulary.size).loss(texts)
        baseline = NegativeLogLikelihood(
            nats, ids, sum(vocabulary.widths[n] for text in texts for n in text)
        )
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
            "ids": position.ids,
            "history": position.history,
            "best": scores,
            "privacy": self.trainer.place().get("privacy"),
            "minutes": self.budget.seconds / 60,
            "versions": {name: version(name) for name in ("cryptonym", "torch")}
            | {"python": platform.python_version()},
        }
        write_report(self.out, TRAINING, report)
        return scores
