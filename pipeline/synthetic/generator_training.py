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
from record.errors import ConfigError
from synthesis.canaries import draw_canaries
from synthesis.generation_files import NOISED_REQUESTS, PUBLIC_SHA256, READ_WITHOUT_NOISE
from synthesis.markup import end_tag, start_tag
from synthesis.noised_requests import noise_counts
from synthesis.prepared_corpus import Corpus, digest, load_corpus

Warn = Callable[[str], None]

_OF_NOTES = "notes"
_READ = ("labels and kinds", "lengths of entities", "tokens per word", "perplexity")


@dataclass(frozen=True)
class GeneratorRequest:
    """A corpus, where the generator goes, a recipe by name and what differs from it.

    `vocabulary_text` are other notes that the vocabulary is learnt from, a file or a prepared
    corpus, which gives marks and lengths as well. `canaries` is how many made-up notes are planted,
    and how often each. `requests_epsilon` is what noised counts of lengths and entities may cost.
    """

    corpus: Path
    out: Path
    recipe: str = "gpt"
    changes: Mapping[str, Any] = field(default_factory=dict)
    vocabulary_text: Path | None = None
    canaries: tuple[int, int] | None = None
    requests_epsilon: float | None = None


@dataclass(frozen=True)
class PublicNotes:
    """Notes that need no protection: texts for a vocabulary, or a prepared corpus with its digest.

    A corpus gives marks, lengths and perplexities as well.
    """

    texts: Sequence[str] | None = field(default=None, repr=False)
    corpus: Corpus | None = field(default=None, repr=False)
    sha256: str = ""

    def source_of_vocabulary(self, recipe: LanguageRecipe) -> str:
        """Return where the vocabulary comes from."""
        if recipe.kind == PRETRAINED:
            return PRETRAINED
        return _OF_NOTES if self.texts is None and self.corpus is None else "public"

    def read_without_noise(self, recipe: LanguageRecipe) -> list[str]:
        """Return what training takes from the private notes beside the gradients."""
        if self.corpus is not None:
            return []
        is_learnt = self.source_of_vocabulary(recipe) == _OF_NOTES
        return [*(["vocabulary"] if is_learnt else []), *_READ]


def _read_public(path: Path | None, warnings: list[str]) -> PublicNotes:
    if path is None:
        return PublicNotes()
    if path.is_dir():
        return PublicNotes(corpus=load_corpus(path), sha256=digest(path))
    return PublicNotes([note.document.text for note in read_annotated(path, warnings)])


def train_generator(request: GeneratorRequest, progress: Progress, warn: Warn) -> dict[str, float]:
    """Train, or go on where an interrupted training stopped; returns the perplexities.

    Warnings come before training begins. Raises ConfigError.
    """
    recipe = make_recipe(request.recipe, dict(request.changes))
    warnings: list[str] = []
    public = _read_public(request.vocabulary_text, warnings)
    if recipe.epsilon is not None and (read := public.read_without_noise(recipe)):
        warnings.append(
            f"outside of the privacy budget the notes give: {', '.join(read)}; give "
            "--vocabulary-text a corpus prepared from public notes"
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
    return train_on_corpus(
        request.corpus, recipe, request.out, callbacks, public, request.canaries, warn,
        request.requests_epsilon,
    )  # fmt: skip


def train_on_corpus(
    folder: Path,
    recipe: LanguageRecipe,
    out: Path,
    watch: TrainingCallbacks | None = None,
    public: PublicNotes | None = None,
    canaries: tuple[int, int] | None = None,
    warn: Warn = lambda warning: None,
    requests_epsilon: float | None = None,
) -> dict[str, float]:
    """Train a generator on a prepared corpus; return its perplexities.

    The vocabulary is learnt from the notes of train alone, or from `public` ones: what stands in
    a vocabulary is outside of any guarantee of private training. Perplexities are those of public
    notes, too, where these are a prepared corpus. `canaries` are so many, so often each, to plant;
    their list is kept beside the model. `requests_epsilon` is the price of noised counts of what
    notes have, beside that of the weights. Raises ConfigError.
    """
    corpus = load_corpus(folder)
    public = public or PublicNotes()
    known = public.corpus or corpus
    if recipe.epsilon is not None and any(note.kind is None for note in corpus.notes["train"]):
        # There the kind that a note is asked for by depends on how many others are of that kind.
        problem = "written by an earlier version, which does not tell the kind of each note"
        raise ConfigError(str(folder), problem, "prepare the corpus again")
    vocabulary = learn_vocabulary(known, recipe, public.texts)
    training_texts: Sequence[Text] = corpus.texts("train", vocabulary)
    if left_out := len(corpus.notes["train"]) - len(training_texts):
        warn(f"{left_out} notes are left out: the public notes do not have all their labels")
    texts = {split: known.texts(split, vocabulary) for split in ("train", "dev")}
    about: dict[str, Any] = {
        "prepared_sha256": digest(folder),
        "origin": corpus.manifest["origin"],
        "longest": longest_entities(known, texts["train"], vocabulary),
        "ids_per_word": ids_per_word(known, texts["train"]),
        "vocabulary": public.source_of_vocabulary(recipe),
    }
    if public.corpus is not None:
        about[PUBLIC_SHA256] = public.sha256
    if requests_epsilon is not None:
        if recipe.epsilon is None or public.corpus is None:
            problem = "requires --epsilon, and a folder of public notes as --vocabulary-text"
            raise ConfigError("--requests-epsilon", problem, "give both, or leave it out")
        labels = sorted(public.corpus.manifest["statistics"]["train"]["labels"])
        notes = corpus.notes["train"]
        counts = noise_counts(notes, labels, requests_epsilon, seed=recipe.seed)
        about[NOISED_REQUESTS] = counts.to_json()
    if recipe.epsilon is not None:
        about[READ_WITHOUT_NOISE] = public.read_without_noise(recipe)
    if recipe.pretrained is not None:
        about["base_sha256"] = base_digest(Path(recipe.pretrained))
    if canaries is not None:
        canary_set = draw_canaries(corpus, *canaries, recipe.seed)
        training_texts = canary_set.mix_into(training_texts, vocabulary, recipe.seed)
        require_no_language_model(out)
        about["canaries"] = canary_set.save(out)
    frequencies = None if public.corpus is None else texts["train"]
    corpora = LanguageCorpora(vocabulary, training_texts, texts["dev"], about, frequencies)
    return train(corpora, recipe, out, watch)


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
