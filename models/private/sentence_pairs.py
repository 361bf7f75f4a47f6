"""Sentence pairs for adversaries: a sentence with itself, or with one word replaced."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.private.embeddings import Embeddings, Floats
from models.private.pseudonymization import NeighbourReplacer
from models.private.sentences import Sentence
from models.private.weight_selection import batches
from models.training_loop import make_generator

_TRIES = 5


@dataclass(frozen=True, slots=True)
class SentencePairBatch:
    """Padded vectors of sentences and of their copies with one word replaced, and lengths.

    Chance decides which of the two is `own`, so that neither says by itself what it is: who does
    not see what joins them is right half of the time, exactly.
    """

    own: Tensor
    other: Tensor
    lengths: Tensor


class SentencePairSampler:
    """Sentences with a replaceable identifying word; replacements are drawn by seed."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        embeddings: Embeddings,
        pseudonymizer: NeighbourReplacer,
    ) -> None:
        self.embeddings, self.pseudonymizer = embeddings, pseudonymizer
        pseudonymizer.prepare(sentences)
        rng = random.Random(0)  # noqa: S311 - what is drawn is no secret
        self.sentences = [one for one in sentences if self._change(one, rng)]
        self.vectors = [embeddings.vectors(sentence.tokens) for sentence in self.sentences]

    def __len__(self) -> int:
        return len(self.sentences)

    def draw(self, seed: object, size: int = 32) -> Iterator[SentencePairBatch]:
        """Go over all pairs once, in an order and with changes that depend on the seed alone."""
        rng = random.Random(str(seed))  # noqa: S311 - what is drawn is no secret
        order = batches([len(one) for one in self.sentences], size, make_generator("pairs", seed))
        for places in order:
            made: list[tuple[Floats, Floats]] = []
            for place in places:
                vectors = self.vectors[place]
                change = self._change(self.sentences[place], rng)
                if change is None:
                    made.append((vectors, vectors))
                else:
                    where, vector = change
                    other = vectors.copy()
                    other[where] = vector
                    made.append((vectors, other) if rng.random() < 1 / 2 else (other, vectors))
            yield SentencePairBatch(
                pad_sequence([torch.from_numpy(own) for own, _ in made], batch_first=True),
                pad_sequence([torch.from_numpy(other) for _, other in made], batch_first=True),
                torch.tensor([len(own) for own, _ in made]),
            )

    def _change(self, sentence: Sentence, rng: random.Random) -> tuple[int, Floats] | None:
        """Draw a word that changes and its new vector; None where none was found that differs.

        Words without a vector are all alike: to change one for another changes nothing.
        """
        for _ in range(_TRIES):
            changed = self.pseudonymizer.replace_one(sentence, rng)
            if changed is None:
                return None
            both = zip(sentence.tokens, changed.tokens, strict=True)
            where = next(at for at, (before, after) in enumerate(both) if before != after)
            words = [sentence.tokens[where], changed.tokens[where]]
            before, after = self.embeddings.vectors(words)
            if (before != after).any():
                return where, after
        return None
