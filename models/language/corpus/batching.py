"""Tokenized texts, and how they are laid out in training batches."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

_MOST_SCORES = 2**28

IGNORED = -100
"""A target that does not count."""


@dataclass(frozen=True)
class Text:
    """One document as token ids, including its end.

    The first `asked` ids are the prompt (control codes): they are read and never predicted.
    `owner` is the patient whose note it is; empty where nobody knows.
    """

    ids: Sequence[int] = field(repr=False)
    asked: int = 0
    owner: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class LanguageBatch:
    """Padded texts side by side: inputs and next-token targets. (texts, longest)"""

    inputs: Tensor
    targets: Tensor


def split_at_context(texts: Sequence[Text], context: int | None) -> list[Text]:
    """Split texts that exceed the context; the rest of a text becomes a text of its own."""
    if context is None:
        return list(texts)
    cut = []
    for text in texts:
        for at in range(0, len(text.ids), context):
            cut.append(Text(text.ids[at : at + context], max(0, text.asked - at), text.owner))
    return cut


def collate_texts(texts: Sequence[Text], end: int) -> LanguageBatch:
    """Pad texts to one length; `end` precedes the first id of each, and is the padding."""
    longest = max(len(text.ids) for text in texts)
    inputs = torch.full((len(texts), longest), end)
    targets = torch.full((len(texts), longest), IGNORED)
    for row, text in enumerate(texts):
        ids = torch.tensor(text.ids)
        inputs[row, 1 : len(ids)] = ids[:-1]
        targets[row, text.asked : len(ids)] = ids[text.asked :]
    return LanguageBatch(inputs, targets)


def bound_tokens(tokens: int, vocabulary_size: int) -> int:
    """Return how many tokens, of at most `tokens`, are computed at a time.

    Each has a score for every entry of the vocabulary: of 262,144 entries, 4,096 tokens would take
    4 GiB in single precision, and several times that with what is computed from them.
    """
    return max(1, min(tokens, _MOST_SCORES // vocabulary_size))


def batches(
    texts: Sequence[Text], tokens: int, generator: torch.Generator | None
) -> list[list[Text]]:
    """Group texts of similar length, about `tokens` ids a batch, padding included.

    With `generator` both who shares a batch and the order of batches are chance.
    """
    order = list(range(len(texts)))
    if generator is not None:
        order = torch.randperm(len(texts), generator=generator).tolist()
    order.sort(
        key=lambda at: len(texts[at].ids) // _LENGTH_BUCKET if generator else len(texts[at].ids)
    )
    made: list[list[Text]] = [[]]
    for at in order:
        if made[-1] and len(texts[at].ids) * (len(made[-1]) + 1) > tokens:
            made.append([])
        made[-1].append(texts[at])
    if generator is not None:
        places = torch.randperm(len(made), generator=generator).tolist()
        made = [made[place] for place in places]
    return [batch for batch in made if batch]


_LENGTH_BUCKET = (
    32  # lengths that differ by less count as equal, so that neighbours are drawn by chance
)


def make_streams(texts: Sequence[Text], end: int, streams: int) -> Tensor:
    """Concatenate all texts and divide them into parallel streams. (streams, ids)"""
    ids = [end, *(number for text in texts for number in text.ids)]
    length = len(ids) // streams
    return torch.tensor(ids[: length * streams]).view(streams, length)


def bptt_chunks(held: Tensor, sequence: int) -> Iterator[LanguageBatch]:
    """Cut streams into consecutive chunks for truncated backpropagation through time."""
    for at in range(0, held.shape[1] - 1, sequence):
        end = min(at + sequence, held.shape[1] - 1)
        yield LanguageBatch(held[:, at:end], held[:, at + 1 : end + 1])


def digest(texts: Sequence[Text]) -> str:
    """Return a digest of all token ids."""
    total = hashlib.sha256()
    for text in texts:
        total.update(f"{text.asked}:{','.join(map(str, text.ids))}\n".encode())
    return total.hexdigest()
