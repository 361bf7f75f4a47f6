"""Word embeddings: trained, read from a file, or of a tagger's subwords; nearest neighbours.

`subwords` are those of fastText (Bojanowski et al., TACL 2017): a word that was never seen has a
vector made of its letters. `words` are those of word2vec (Mikolov et al., 2013), which knows whole
words alone; so does GloVe, whose objective factors nearly the same counts (Levy and Goldberg,
NeurIPS 2014) and for which no kept library trains.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gensim.models import FastText, KeyedVectors, Word2Vec
from gensim.models.fasttext import ft_ngram_hashes
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as dump_arrays

from models.private.sentences import Sentence
from models.serialization import FolderFormat
from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.subword_models import SPECIAL_TOKENS
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.serialization import load
from record.atomic_write import write_atomically
from record.errors import ConfigError

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

KINDS = ("subwords", "words")
VECTORS, WORDS, PIECES = "vectors.safetensors", "words.json", "pieces.json"

_FOLDER_FORMAT = FolderFormat("embeddings.json", "embeddings", "cryptonym share encode --train")
_BATCH = 512  # words whose likeness to all others is in memory together


@dataclass(frozen=True)
class EmbeddingRecipe:
    """How embeddings are trained.

    `least` is how often a word must occur to be known. `letters` are the shortest and the longest
    stretches of letters that sub-words are, kept in `buckets` rows.
    """

    kind: str = "subwords"
    size: int = 100
    epochs: int = 10
    window: int = 5
    least: int = 1
    letters: tuple[int, int] = (3, 6)
    buckets: int = 20_000
    seed: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ConfigError(
                "--embeddings", "unknown kind of embeddings", f"choose from {', '.join(KINDS)}"
            )
        for name in ("size", "epochs", "window", "least", "buckets"):
            if getattr(self, name) < 1:
                raise ConfigError(f"--{name}", "must be at least 1", "give a higher number")


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Case-folded words, the most frequent first, and their vectors.

    `matrix` is (words, size); `parts` (rows, size) are vectors of `pieces`, or where there are
    none of stretches of `letters` letters; empty for whole words. All that is given out has a mean
    square of 1, so that noise of one deviation means the same for each word.
    """

    words: Sequence[str]
    matrix: Floats
    parts: Floats
    letters: tuple[int, int] = (3, 6)
    pieces: SubwordTokenizer | None = None

    def __repr__(self) -> str:
        return f"Embeddings({len(self.words)} words, {self.size})"

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each word in `words`."""
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def digest(self) -> str:
        """A digest of all words and vectors."""
        pieces = self.pieces.pieces if self.pieces else None
        total = hashlib.sha256(json.dumps([list(self.words), self.letters, pieces]).encode())
        for array in (self.matrix, self.parts):
            total.update(np.ascontiguousarray(array).tobytes())
        return total.hexdigest()

    def knows(self, token: str) -> bool:
        """Return whether a token was among the words."""
        return token.casefold() in self.places

    def vectors(self, tokens: Sequence[str]) -> Floats:
        """Return the vector of each token; zeros where it is unknown and has no known parts."""
        given = np.zeros((len(tokens), self.size), np.float32)
        for row, token in enumerate(tokens):
            word = token.casefold()
            place = self.places.get(word)
            given[row] = self.matrix[place] if place is not None else self._from_subwords(word)
        return _unit_mean_square(given)

    def neighbours(self, word: str, n: int) -> list[str]:
        """Return the n nearest words by cosine, itself first;
        itself alone where it has no vector.
        """
        queries = word.casefold()
        vector = self.vectors([word])
        if not vector.any():
            return [queries]
        near = (self.words[place] for place in self.nearest(vector, n)[0])
        return [queries, *(other for other in near if other != queries)][:n]

    def nearest(self, vectors: Floats, n: int) -> Integers:
        """Return the places in `words` of the n nearest by cosine, the nearest first. (rows, n)"""
        n = min(n, len(self.words))
        found = np.empty((len(vectors), n), np.int64)
        for start in range(0, len(vectors), _BATCH):
            queries = vectors[start : start + _BATCH]
            # The same for every row of a vector's length, so that its length does not matter.
            similarity = queries @ self._unit.T
            if n < similarity.shape[1]:
                best = np.argpartition(-similarity, n - 1, axis=1)[:, :n]
            else:
                best = np.tile(np.arange(n), (len(queries), 1))
            order = np.argsort(-np.take_along_axis(similarity, best, 1), axis=1, kind="stable")
            found[start : start + _BATCH] = np.take_along_axis(best, order, 1)
        return found

    @cached_property
    def _unit(self) -> Floats:
        return _unit_mean_square(self.matrix)

    def _from_subwords(self, word: str) -> Floats | float:
        if not len(self.parts):
            return 0.0
        if self.pieces:
            found = (
                number - len(SPECIAL_TOKENS) for ids in self.pieces.of(word)[1] for number in ids
            )
            rows = [row for row in found if row >= 0]
        else:
            rows = ft_ngram_hashes(word, *self.letters, len(self.parts))
        vector: Floats = self.parts[rows].mean(0) if len(rows) else np.zeros(self.size, np.float32)
        return vector

    def save(self, folder: Path) -> None:
        """Write them to a folder; `embeddings.json` is written last: a folder with it is complete.

        The words stand in it as they are: it is as secret as the notes they come from.
        """
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {"matrix": self.matrix, "parts": self.parts}
        write_atomically(folder / VECTORS, dump_arrays(arrays))
        write_atomically(folder / WORDS, json.dumps(list(self.words), ensure_ascii=False).encode())
        if self.pieces:
            self.pieces.save(folder / PIECES)
        names = (VECTORS, WORDS, PIECES) if self.pieces else (VECTORS, WORDS)
        _FOLDER_FORMAT.write_settings(folder, {"letters": self.letters}, names)

    @classmethod
    def load(cls, folder: Path) -> "Embeddings":
        """Read them. Raises ConfigError that names the file which is missing or damaged."""
        settings = _FOLDER_FORMAT.read(folder)
        try:
            arrays = load_arrays(_FOLDER_FORMAT.read_verified(folder, settings, VECTORS))
            words = json.loads(_FOLDER_FORMAT.read_verified(folder, settings, WORDS))
            low, high = settings["letters"]
            pieces = None
            if PIECES in settings["sha256"]:
                _FOLDER_FORMAT.read_verified(folder, settings, PIECES)
                pieces = SubwordTokenizer.load(folder / PIECES)
            made = cls(words, arrays["matrix"], arrays["parts"], (int(low), int(high)), pieces)
            if made.matrix.shape != (len(words), made.parts.shape[1]):
                raise ValueError
        except (KeyError, TypeError, ValueError, IndexError, SafetensorError):
            raise _FOLDER_FORMAT.mismatch_error(folder) from None
        return made


def train(sentences: Iterable[Sentence], recipe: EmbeddingRecipe) -> Embeddings:
    """Train embeddings by skip-grams; the same sentences and recipe give the same ones.

    Raises ConfigError where no word occurs often enough.
    """
    texts = [[token.casefold() for token in sentence.tokens] for sentence in sentences]
    settings: dict[str, Any] = {
        "vector_size": recipe.size,
        "window": recipe.window,
        "min_count": recipe.least,
        "epochs": recipe.epochs,
        "seed": recipe.seed,
        "sg": 1,
        "workers": 1,  # more would race, and no two trainings be alike
    }
    try:
        if recipe.kind == "subwords":
            low, high = recipe.letters
            made = FastText(texts, min_n=low, max_n=high, bucket=recipe.buckets, **settings)
            parts = np.asarray(made.wv.vectors_ngrams, np.float32)
        else:
            made = Word2Vec(texts, **settings)
            parts = np.zeros((0, recipe.size), np.float32)
    except RuntimeError:
        problem = "no word occurs often enough"
        raise ConfigError("the corpus", problem, "give more notes") from None
    return Embeddings(
        list(made.wv.index_to_key),
        np.asarray(made.wv.vectors, np.float32),
        parts,
        recipe.letters,
    )


def read_vectors(path: Path) -> Embeddings:
    """Read a public text file of vectors (fastText `.vec`, word2vec, GloVe); raises ConfigError.

    Words that differ in case alone are one: the first, which is the most frequent, stays.
    """
    try:
        with path.open("rb") as file:
            no_header = len(file.readline().split()) > 2  # words and size stand in a header
        held = KeyedVectors.load_word2vec_format(str(path), no_header=no_header)
    except (OSError, ValueError, EOFError):
        remedy = "give a text file with a word and its vector on each line"
        raise ConfigError(str(path), "not a file of word vectors", remedy) from None
    places: dict[str, int] = {}
    for place, word in enumerate(held.index_to_key):
        places.setdefault(word.casefold(), place)
    matrix = np.asarray(held.vectors[list(places.values())], np.float32)
    return Embeddings(list(places), matrix, np.zeros((0, matrix.shape[1]), np.float32))


def _unit_mean_square(rows: Floats) -> Floats:
    squares = np.sqrt(np.mean(np.square(rows), axis=1, keepdims=True))
    scaled: Floats = rows / np.maximum(squares, 1e-12).astype(np.float32)
    return scaled


def packaged(folder: Path, size: int = 100) -> Embeddings:
    """Make embeddings from a tagger's subwords, reduced to `size` principal components.

    Words are the pieces that are whole words; others are the mean of their pieces. Raises
    ConfigError.
    """
    trained = load(folder)
    names = [piece for piece, _ in trained.subwords.pieces]
    ids = torch.arange(len(SPECIAL_TOKENS), len(SPECIAL_TOKENS) + len(names))
    encoder = trained.network.encoder
    with torch.no_grad():
        rows = encoder.embedded(ids) if isinstance(encoder, Encoder) else encoder.pieces(ids)
    matrix = rows.float().numpy()
    centred = matrix - matrix.mean(0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    parts: Floats = np.ascontiguousarray(centred @ directions[:, ::-1][:, :size], np.float32)
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        word = trained.subwords.config.whole_word(name)
        if word:
            places.setdefault(word.casefold(), place)
    if not places:
        problem = "the vocabulary contains no whole words"
        raise ConfigError(str(folder), problem, "give a tagger with a larger vocabulary")
    return Embeddings(list(places), parts[list(places.values())], parts, pieces=trained.subwords)
