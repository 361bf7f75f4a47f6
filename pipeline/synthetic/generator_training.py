"""Trains a generator of notes on a prepared corpus, and warns of what stays unprotected."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import BytePairVocabulary, Vocabulary, WordVocabulary
from models.language.training.gpt2_weights import digest as base_digest
from models.language.training.recipe import PRETRAINED, LanguageRecipe, make_recipe
from models.language.training.training import LanguageCorpora, require_no_language_model, train
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.files.gold import read_annotated
from synthesis.canaries import draw_canaries
from synthesis.markup import end_tag, start_tag
from synthesis.prepared_corpus import Corpus, digest, load_corpus

Warn = Callable[[str], None]


@dataclass(frozen=True)
class GeneratorRequest:
    """A corpus, where the generator goes, a recipe by name and what differs from it.

    `vocabulary_text` are other notes that the vocabulary is learnt from. `canaries` is how many
    made-up notes are planted, and how often each.
    """

    corpus: Path
    out: Path
    recipe: str = "gpt"
    changes: Mapping[str, Any] = field(default_factory=dict)
    vocabulary_text: Path | None = None
    canaries: tuple[int, int] | None = None


def train_generator(request: GeneratorRequest, progress: Progress, warn: Warn) -> dict[str, float]:
    """Train, or go on where an interrupted training stopped; returns the perplexities.

    Warnings come before training begins. Raises ConfigError.
    """
    recipe = make_recipe(request.recipe, dict(request.changes))
    warnings: list[str] = []
    public = None
    if request.vocabulary_text is not None:
        notes = read_annotated(request.vocabulary_text, warnings)
        public = [note.document.text for note in notes]
    elif recipe.epsilon is not None:
        warnings.append(
            "the vocabulary is learnt from the notes, outside of the privacy budget; "
            "give --vocabulary-text"
        )
    if recipe.epsilon is not None and recipe.pretrained is not None:
        warnings.append(
            "private training does not protect notes that the pretrained model has already seen; "
            "see `synthesize overlap`"
        )
    for warning in warnings:
        warn(warning)
    progress.phase("training")
    callbacks = TrainingCallbacks(
        progress.advance,
        lambda scores: progress.phase(
            f"epoch {scores['epochs']:.1f}, perplexity {scores['perplexity']:.2f}"
        ),
    )
    return train_on_corpus(request.corpus, recipe, request.out, callbacks, public, request.canaries)


def train_on_corpus(
    folder: Path,
    recipe: LanguageRecipe,
    out: Path,
    watch: TrainingCallbacks | None = None,
    public: Sequence[str] | None = None,
    canaries: tuple[int, int] | None = None,
) -> dict[str, float]:
    """Train a generator on a prepared corpus; return its perplexities.

    The vocabulary is learnt from the notes of train alone, or from `public` texts: what stands in
    a vocabulary is outside of any guarantee of private training. `canaries` are so many, so often
    each, to plant; their list is kept beside the model. Raises ConfigError.
    """
    corpus = load_corpus(folder)
    vocabulary = learn_vocabulary(corpus, recipe, public)
    texts = {split: corpus.texts(split, vocabulary) for split in ("train", "dev")}
    about: dict[str, Any] = {
        "prepared_sha256": digest(folder),
        "origin": corpus.manifest["origin"],
        "longest": longest_entities(corpus, texts["train"], vocabulary),
        "ids_per_word": ids_per_word(corpus, texts["train"]),
        "vocabulary": _source_of_vocabulary(recipe, public),
    }
    training_texts: Sequence[Text] = texts["train"]
    if recipe.pretrained is not None:
        about["base_sha256"] = base_digest(Path(recipe.pretrained))
    if canaries is not None:
        canary_set = draw_canaries(corpus, *canaries, recipe.seed)
        training_texts = canary_set.mix_into(training_texts, vocabulary, recipe.seed)
        require_no_language_model(out)
        about["canaries"] = canary_set.save(out)
    corpora = LanguageCorpora(vocabulary, training_texts, texts["dev"], about)
    return train(corpora, recipe, out, watch)


def _source_of_vocabulary(recipe: LanguageRecipe, public: Sequence[str] | None) -> str:
    if recipe.kind == PRETRAINED:
        return PRETRAINED
    return "notes" if public is None else "public"


def learn_vocabulary(
    corpus: Corpus, recipe: LanguageRecipe, public: Sequence[str] | None = None
) -> Vocabulary:
    """Learn the vocabulary of a recipe, the marks of the corpus among it, or take the model's."""
    if recipe.kind == PRETRAINED:
        # Seconds to import, for one recipe of many.
        from models.language.networks.pretrained import load_vocabulary  # noqa: PLC0415

        return load_vocabulary(Path(recipe.pretrained or ""), corpus.marks)
    texts = [note.marked for note in corpus.notes["train"]] if public is None else public
    if recipe.vocabulary == WordVocabulary.kind:
        return WordVocabulary.learn(corpus.marks, texts, rare=recipe.rare)
    return BytePairVocabulary.learn(corpus.marks, texts, size=recipe.vocabulary_size)


def ids_per_word(corpus: Corpus, texts: Sequence[Text]) -> float:
    """Return how many ids a word of train takes, marks and ends of notes among them."""
    words: int = corpus.manifest["statistics"]["train"]["words"]
    return sum(len(text.ids) - text.asked for text in texts) / max(1, words)


def longest_entities(
    corpus: Corpus, texts: Sequence[Text], vocabulary: Vocabulary
) -> dict[str, int]:
    """Return the most ids that an entity of each label has in these texts."""
    labels = corpus.manifest["statistics"]["train"]["labels"]
    starts = {vocabulary.mark(start_tag(label)): label for label in labels}
    ends = {vocabulary.mark(end_tag(label)) for label in labels}
    longest = dict.fromkeys(sorted(labels), 1)
    for text in texts:
        label, begun = "", 0
        for at, number in enumerate(text.ids):
            if number in starts:
                label, begun = starts[number], at
            elif number in ends:
                longest[label] = max(longest[label], at - begun - 1)
    return longest
