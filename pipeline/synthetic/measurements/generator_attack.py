"""What a generator remembers of the notes it learnt from, by models trained beside it."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluation.attacks.generator_attacks import AttackPlan, GeneratorAttackResult, GeneratorAttacks
from evaluation.attacks.reference_models import AttackData, ReferenceModels
from models.language.training.recipe import recipe_from_json
from models.language.training.serialization import TrainedGenerator, digest, load
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.synthetic.measurements.files import OWNER_ONLY
from record.errors import ConfigError
from synthesis.canaries import draw_canaries, load_canaries
from synthesis.prepared_corpus import digest as corpus_digest
from synthesis.prepared_corpus import load_corpus

_FEWEST_TEST_NOTES = 4
_PARTNERS = "partners"


@dataclass(frozen=True)
class AttackRequest:
    """A generator, its corpus, where partner models go, and how much is measured.

    `without` notes are left out one by one, `halves` models learn half of the notes, `canaries`
    notes are planted `repeats` times each where the generator has none of its own. `max_minutes`
    bounds each training, `seed` decides the choice of notes.
    """

    model: Path
    corpus: Path
    out: Path
    without: int = 4
    halves: int = 4
    canaries: int = 100
    repeats: int = 1
    max_minutes: float | None = None
    seed: int = 1


@dataclass(frozen=True)
class GeneratorAttack:
    """What the attacks found, the recipe of the partner models, and the digest of the corpus."""

    found: GeneratorAttackResult = field(repr=False)
    recipe: dict[str, Any]
    corpus: str

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads: numbers, and places of notes in the corpus."""
        return {
            "format": 1,
            "corpus": self.corpus,
            "recipe": self.recipe,
            "measured": [each.to_json() for each in self.found.measured],
            "notes": self.found.notes,
        }


def attack_generator(request: AttackRequest, progress: Progress) -> GeneratorAttack:
    """Train partner models beside a generator, with and without single notes, and compare them.

    Partners that are there already are not trained again. Raises ConfigError where the generator
    learnt from another corpus, or where the corpus is too small.
    """
    try:
        plan = AttackPlan(request.without, request.halves, request.seed)
    except ValueError:
        problem = "must be at least 2, and an even number of at least 4"
        raise ConfigError("--without, --halves", problem, "give more") from None
    target = load(request.model)
    ground = _read_ground(target, request)
    request.out.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)

    def watch(name: str) -> TrainingCallbacks:
        progress.phase(name)
        return TrainingCallbacks(progress.advance)

    partners = ReferenceModels(ground, request.out / _PARTNERS, watch)
    found = GeneratorAttacks(target, ground, partners, plan).attack(digest(request.model))
    return GeneratorAttack(found, ground.recipe.to_json(), target.about["prepared_sha256"])


def _read_ground(target: TrainedGenerator, request: AttackRequest) -> AttackData:
    """Read what the generator learnt from."""
    about: dict[str, Any] = dict(target.about)
    if about.get("prepared_sha256") != corpus_digest(request.corpus):
        problem = "not the corpus that this model learnt from"
        raise ConfigError(str(request.corpus), problem, "give the corpus it was trained on")
    corpus = load_corpus(request.corpus)
    recipe = recipe_from_json(about["recipe"])
    if request.max_minutes is not None:
        recipe = replace(recipe, max_minutes=request.max_minutes)
    if "canaries" in about:
        canaries = load_canaries(request.model, about["canaries"])
    else:
        canaries = draw_canaries(corpus, request.canaries, request.repeats, request.seed)
    train, dev, test = (corpus.texts(split, target.vocabulary) for split in corpus.notes)
    if len(train) <= request.without or len(test) < _FEWEST_TEST_NOTES:
        problem = (
            f"has {len(train)} notes in train and {len(test)} in test, where more than "
            f"{request.without} and at least {_FEWEST_TEST_NOTES} are needed"
        )
        raise ConfigError(str(request.corpus), problem, "prepare a larger corpus")
    return AttackData(target.vocabulary, train, dev, test, canaries, recipe)
