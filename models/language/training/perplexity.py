"""Perplexity and token log probabilities of texts under a language model."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from models.hardware import has_bfloat16
from models.language.corpus.batching import (
    IGNORED,
    Text,
    batches,
    bound_tokens,
    collate_texts,
    split_at_context,
)
from models.language.corpus.vocabulary import END, Vocabulary
from models.language.networks.language_model import LanguageModel

_TOKENS = 4096


@dataclass(frozen=True)
class NegativeLogLikelihood:
    """Summed negative log-likelihood in nats, over a number of token ids and characters.

    Perplexities of ids compare models of one vocabulary, those of characters any two.
    """

    nats: float
    ids: int
    characters: int

    @property
    def perplexity(self) -> float:
        """Return the exponential of the mean loss per token."""
        return math.exp(self.nats / self.ids)

    @property
    def per_character(self) -> float:
        """Return the exponential of the mean loss per character."""
        return math.exp(self.nats / self.characters)


@torch.inference_mode()
def log_probabilities(
    network: LanguageModel, vocabulary: Vocabulary, texts: Iterable[Text]
) -> Iterator[list[float]]:
    """Return the log probability of each token of each text, except its prompt.

    One text at a time, from its beginning and without dropout, as Melamud and Shivade (2019)
    measure: nothing depends on other texts.
    """
    end = vocabulary.mark(END)
    was_learning = network.training
    network.eval()
    device = next(network.parameters()).device
    for text in texts:
        found: list[float] = []
        for part in split_at_context([text], network.longest):
            batch = collate_texts([part], end)
            scores = network(batch.inputs.to(device))[0].float().log_softmax(1).cpu()
            targets = batch.targets[0]
            counted = (targets != IGNORED).nonzero().flatten()
            found += scores[counted, targets[counted]].tolist()
        yield found
    network.train(was_learning)


@torch.inference_mode()
def negative_log_likelihood(
    network: LanguageModel, vocabulary: Vocabulary, texts: Sequence[Text]
) -> NegativeLogLikelihood:
    """Evaluate a model on texts, each on its own and without dropout; prompts do not count."""
    end = vocabulary.mark(END)
    was_learning = network.training
    network.eval()
    device = next(network.parameters()).device
    is_halved = network.computes_in_bfloat16 and has_bfloat16(device)
    nats = 0.0
    tokens = bound_tokens(_TOKENS, vocabulary.size)
    for group in batches(split_at_context(texts, network.longest), tokens, None):
        batch = collate_texts(group, end)
        with torch.autocast(device.type, torch.bfloat16, enabled=is_halved):
            scores = network(batch.inputs.to(device)).float()
        targets = batch.targets.to(device)
        nats += float(
            functional.cross_entropy(
                scores.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum"
            )
        )
    network.train(was_learning)
    counted = [text.ids[text.asked :] for text in texts]
    characters = sum(vocabulary.widths[number] for ids in counted for number in ids)
    return NegativeLogLikelihood(nats, sum(map(len, counted)), characters)
