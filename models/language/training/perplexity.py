"""How well a language model foresees texts."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from models.language.corpus.batching import IGNORED, Text, batches, lesson, lessons_of
from models.language.corpus.vocabulary import END, Vocabulary
from models.language.networks.language_model import LanguageModel

_TOKENS = 4096


@dataclass(frozen=True)
class Surprise:
    """Nats over a number of ids that stand for a number of characters.

    Perplexities of ids compare models of one vocabulary, those of characters any two.
    """

    nats: float
    ids: int
    characters: int

    @property
    def perplexity(self) -> float:
        """Return e to the mean surprise of an id."""
        return math.exp(self.nats / self.ids)

    @property
    def per_character(self) -> float:
        """Return e to the mean surprise of a character."""
        return math.exp(self.nats / self.characters)


@torch.inference_mode()
def log_probabilities(
    network: LanguageModel, vocabulary: Vocabulary, texts: Iterable[Text]
) -> Iterator[list[float]]:
    """Return the natural logarithm of the probability of each id of each text but its codes.

    One text at a time, from its beginning and without dropout, as Melamud and Shivade (2019)
    measure: nothing depends on other texts.
    """
    end = vocabulary.mark(END)
    was_learning = network.training
    network.eval()
    device = next(network.parameters()).device
    for text in texts:
        told: list[float] = []
        for part in lessons_of([text], network.longest):
            given = lesson([part], end)
            scores = network(given.read.to(device))[0].float().log_softmax(1).cpu()
            wanted = given.wanted[0]
            counted = (wanted != IGNORED).nonzero().flatten()
            told += scores[counted, wanted[counted]].tolist()
        yield told
    network.train(was_learning)


@torch.inference_mode()
def surprise(network: LanguageModel, vocabulary: Vocabulary, texts: Sequence[Text]) -> Surprise:
    """Measure a model on texts, each from its beginning and without dropout; codes do not count."""
    end = vocabulary.mark(END)
    was_learning = network.training
    network.eval()
    device = next(network.parameters()).device
    nats = 0.0
    for batch in batches(lessons_of(texts, network.longest), _TOKENS, None):
        given = lesson(batch, end)
        scores = network(given.read.to(device)).float()
        wanted = given.wanted.to(device)
        nats += float(
            functional.cross_entropy(
                scores.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED, reduction="sum"
            )
        )
    network.train(was_learning)
    counted = [text.ids[text.asked :] for text in texts]
    characters = sum(vocabulary.widths[number] for ids in counted for number in ids)
    return Surprise(nats, sum(map(len, counted)), characters)
