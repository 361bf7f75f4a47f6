"""Networks that tell what the language of notes is worth: each is trained or read for one measure.

Truecasing; word vectors of a corpus, judged by word similarity and textual entailment; contextual
embeddings of a text, by an encoder from a local folder or package.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from gensim.models import Word2Vec
from numpy.typing import NDArray
from safetensors import SafetensorError
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import normalize
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModel
from transformers.utils.logging import disable_progress_bar

from models.tagger.encoders.encoder import EncoderConfig, make_encoder
from models.tagger.encoders.subword_models import END, PADDING, START
from models.tagger.encoders.windows import WindowConfig, windows
from record.errors import ConfigError

_STRETCH = 32  # characters read at a time
_STRETCHES = 16  # stretches a step
_PEAK = 1e-2
_OTHER = 0  # the id of characters that are too rare to know
_RARE = 3


class Truecaser(nn.Module):
    """A bidirectional character GRU that predicts which characters are capitals."""

    def __init__(self, characters: Sequence[str], *, width: int = 64) -> None:
        super().__init__()
        self._known = {each: place for place, each in enumerate(characters, start=_OTHER + 1)}
        self.embed = nn.Embedding(len(characters) + 1, 32)
        self.read = nn.GRU(32, width, batch_first=True, bidirectional=True)
        self.scores = nn.Linear(2 * width, 1)

    def ids(self, text: str) -> list[int]:
        """Return the ids of the characters of a text, whatever its capitals."""
        return [self._known.get(each, _OTHER) for each in lowercase(text)]

    def forward(self, ids: Tensor) -> Tensor:
        """Score each character: above 0 it is a capital. (rows, length) -> the same"""
        scores: Tensor = self.scores(self.read(self.embed(ids))[0]).squeeze(2)
        return scores

    @torch.inference_mode()
    def restore(self, text: str) -> str:
        """Return a text with the capitals that it probably had."""
        if not text:
            return text
        self.eval()
        is_capital = (self(torch.tensor([self.ids(text)]))[0] > 0).tolist()
        return "".join(
            each.upper() if is_large and len(each.upper()) == 1 else each
            for each, is_large in zip(lowercase(text), is_capital, strict=True)
        )


def train_truecaser(texts: Sequence[str], *, characters: int, seed: int = 1) -> Truecaser:
    """Train until so many characters have been read, however often the texts repeat.

    Same texts and seed give the same model. Raises ValueError where the texts are too short.
    """
    whole = "\n".join(texts)
    if len(whole) < _STRETCH:
        raise ValueError(f"the text must have at least {_STRETCH} characters")
    torch.manual_seed(seed)
    counts = Counter(lowercase(whole))
    model = Truecaser(sorted(each for each, count in counts.items() if count >= _RARE))
    is_capital = [float(one != other) for one, other in zip(whole, lowercase(whole), strict=True)]
    ids, targets = torch.tensor(model.ids(whole)), torch.tensor(is_capital)
    optimizer = torch.optim.Adam(model.parameters())
    steps = max(1, characters // (_STRETCHES * _STRETCH))
    generator = torch.Generator().manual_seed(seed)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = _PEAK * (1 - step / steps)
        starts = torch.randint(len(ids) - _STRETCH + 1, (_STRETCHES, 1), generator=generator)
        places = starts + torch.arange(_STRETCH)
        optimizer.zero_grad()
        scores = model(ids[places])
        loss = functional.binary_cross_entropy_with_logits(scores, targets[places])
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model


def lowercase(text: str) -> str:
    """Return a text in small letters, of the same length."""
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


Floats = NDArray[np.float32]

SIZE = 300

_WINDOW, _NEGATIVES, _EPOCHS = 5, 10, 10
_ROWS = 64
_HIDDEN = 200
_RATE = 1e-3
_TINY = 1e-12


@dataclass(frozen=True)
class WordPair:
    """Two sentences as words, and their label, such as `entailment`."""

    first: Sequence[str] = field(repr=False)
    second: Sequence[str] = field(repr=False)
    label: str


def train_word_vectors(sentences: Iterable[Sequence[str]], *, seed: int = 1) -> dict[str, Floats]:
    """Learn vectors by skip-grams, with the settings of Melamud and Shivade (2019).

    One thread: same sentences and seed give the same vectors. Raises ValueError without words.
    """
    texts = [list(sentence) for sentence in sentences]
    if not any(texts):
        raise ValueError("the sentences must contain words")
    made = Word2Vec(
        texts, sg=1, vector_size=SIZE, window=_WINDOW, negative=_NEGATIVES, epochs=_EPOCHS,
        min_count=1, workers=1, seed=seed,
    )  # fmt: skip
    return {word: np.asarray(made.wv[word], np.float32) for word in made.wv.index_to_key}


def random_vectors(words: Iterable[str], *, seed: int = 1) -> dict[str, Floats]:
    """Return random vectors, as a baseline."""
    rng = np.random.default_rng(seed)
    return {word: rng.standard_normal(SIZE, dtype=np.float32) for word in words}


def cosine_similarity(vectors: Mapping[str, Floats], one: str, other: str) -> float:
    """Return the cosine of two words; 0 where one has no vector."""
    first, second = vectors.get(one), vectors.get(other)
    if first is None or second is None:
        return 0.0
    length = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / length if length else 0.0


class EntailmentClassifier(nn.Module):
    """An entailment classifier over the sums of two sentences' word vectors, which are frozen.

    The baseline of Bowman et al. (EMNLP 2015); vectors have length 1.
    """

    def __init__(self, vectors: Mapping[str, Floats], labels: Sequence[str]) -> None:
        super().__init__()
        self._labels = list(labels)
        self._vectors = {
            word: vector / max(float(np.linalg.norm(vector)), _TINY)
            for word, vector in vectors.items()
        }
        sizes = (2 * SIZE, _HIDDEN, _HIDDEN, _HIDDEN)
        layers = [nn.Sequential(nn.Linear(a, b), nn.Tanh()) for a, b in pairwise(sizes)]
        self.layers = nn.Sequential(*layers, nn.Linear(_HIDDEN, len(labels)))

    def features(self, pairs: Sequence[WordPair]) -> Tensor:
        """Return the sums of both sentences side by side. (pairs, 2 sizes)"""
        rows = [
            np.concatenate([self._sentence_vector(pair.first), self._sentence_vector(pair.second)])
            for pair in pairs
        ]
        return torch.from_numpy(np.stack(rows))

    def _sentence_vector(self, words: Sequence[str]) -> Floats:
        known = [self._vectors[word] for word in words if word in self._vectors]
        total: Floats = np.sum(known, axis=0) if known else np.zeros(SIZE, np.float32)
        return total

    def learn(self, pairs: Sequence[WordPair], *, epochs: int, seed: int) -> None:
        """Learn from pairs."""
        features = self.features(pairs)
        targets = torch.tensor([self._labels.index(pair.label) for pair in pairs])
        optimizer = torch.optim.Adam(self.layers.parameters(), lr=_RATE)
        generator = torch.Generator().manual_seed(seed)
        for _ in range(epochs):
            order = torch.randperm(len(pairs), generator=generator)
            for at in range(0, len(pairs), _ROWS):
                rows = order[at : at + _ROWS]
                optimizer.zero_grad()
                loss = functional.cross_entropy(self.layers(features[rows]), targets[rows])
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()

    @torch.inference_mode()
    def is_correct(self, pairs: Sequence[WordPair]) -> list[bool]:
        """Return for each pair whether its label is predicted."""
        found = self.layers(self.features(pairs)).argmax(1).tolist()
        return [self._labels[place] == pair.label for place, pair in zip(found, pairs, strict=True)]


def train_entailment(
    pairs: Sequence[WordPair], vectors: Mapping[str, Floats], *, epochs: int = 50, seed: int = 1
) -> EntailmentClassifier:
    """Train an entailment classifier on frozen vectors; deterministic for the same seed."""
    torch.manual_seed(seed)
    model = EntailmentClassifier(vectors, sorted({pair.label for pair in pairs}))
    model.learn(pairs, epochs=epochs, seed=seed)
    return model


PACKAGED = ("e5-small", "e5-small-6")
"""Encoders that are read from installed packages, by name."""

_DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
_CONTEXT = 32  # pieces on either side of those whose vectors a window gives
_LONGEST = 512
_AT_ONCE = 8


@dataclass(frozen=True)
class _Encoder:
    """How to tokenize a text, wrap a window in special tokens, and encode a batch of windows.

    `encode` takes ids and lengths, (windows, ids) and (windows,), and gives (windows, ids, width).
    """

    ids: Callable[[str], Sequence[int]]
    before: Sequence[int]
    after: Sequence[int]
    encode: Callable[[Tensor, Tensor], Tensor]
    longest: int
    width: int


class ContextualEmbeddings:
    """Computes unit vectors of the last layer for the subwords of a text.

    A text longer than the encoder sees is encoded in windows, each piece with the context that it
    has in the middle of one.
    """

    def __init__(self, encoder: _Encoder) -> None:
        self._encoder = encoder
        marks = len(encoder.before) + len(encoder.after)
        self._cut = WindowConfig(min(encoder.longest, _LONGEST) - marks, _CONTEXT)

    @classmethod
    def of_folder(cls, folder: Path) -> "ContextualEmbeddings":
        """Load the folder of a HuggingFace encoder; raises ConfigError."""
        disable_progress_bar()  # type: ignore[no-untyped-call]  # a command has its own
        try:
            held = (folder / "tokenizer.json").read_text("utf-8")
            json.loads(held)["model"]["type"]
            # Weights in a pickle could run code.
            model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
        except (OSError, ValueError, KeyError, TypeError, SafetensorError):
            problem = "not an encoder with model.safetensors, config.json and tokenizer.json"
            raise ConfigError(
                str(folder), problem, "give the folder of a Hugging Face encoder"
            ) from None
        model = model.eval().to(_DEVICE)
        tokenizer = Tokenizer.from_str(held)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        marks = tokenizer.encode("").ids
        middle = len(marks) // 2

        def encode(ids: Tensor, lengths: Tensor) -> Tensor:
            inside = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
            hidden: Tensor = model(input_ids=ids, attention_mask=inside.long()).last_hidden_state
            return hidden

        # Some families count places from behind the padding.
        longest = int(getattr(model.config, "max_position_embeddings", _LONGEST)) - 2
        return cls(
            _Encoder(
                lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
                marks[:middle], marks[middle:], encode, longest, model.config.hidden_size,
            )
        )  # fmt: skip

    @classmethod
    def packaged(cls, name: str, texts: Iterable[str]) -> "ContextualEmbeddings":
        """Make one of `PACKAGED` for these texts, whose pieces it will know; raises ConfigError."""
        encoder, subwords = make_encoder(EncoderConfig(name), texts)
        encoder.eval().to(_DEVICE)
        longest = getattr(encoder, "longest", _LONGEST)
        return cls(
            _Encoder(
                lambda text: [piece for word in subwords.of(text)[1] for piece in word],
                [START], [END], encoder, longest, encoder.width,
            )
        )  # fmt: skip

    @torch.inference_mode()
    def __call__(self, text: str) -> Floats:
        """Encode a text: [pieces, width], without the marks around it."""
        before, after = self._encoder.before, self._encoder.after
        ids = self._encoder.ids(text)
        held = windows([1] * len(ids), [], self._cut)
        parts = [np.zeros((0, self._encoder.width), np.float32)]
        for start in range(0, len(held), _AT_ONCE):
            some = held[start : start + _AT_ONCE]
            whole = [torch.tensor([*before, *ids[each.first : each.end], *after]) for each in some]
            lengths = torch.tensor([len(each) for each in whole], device=_DEVICE)
            padded = pad_sequence(whole, batch_first=True, padding_value=PADDING).to(_DEVICE)
            hidden = self._encoder.encode(padded, lengths)
            vectors = normalize(hidden.float(), dim=-1).cpu().numpy()[:, len(before) :]
            parts += [
                row[each.core - each.first : each.core_end - each.first]
                for row, each in zip(vectors, some, strict=True)
            ]
        return np.concatenate(parts)
