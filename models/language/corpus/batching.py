"""Texts as token ids, and their layout in training batches."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

IGNORED = -100
"""A target that does not count."""


@dataclass(frozen=True)
class Text:
    """One document as ids, its end included. The first `asked` ids are what was asked for
    (control codes): they are read and never predicted."""

    ids: Sequence[int] = field(repr=False)
    asked: int = 0


@dataclass(frozen=True)
class Lesson:
    """Texts side by side, padded: what is read and what should come next. (texts, most)"""

    read: Tensor
    wanted: Tensor


def lessons_of(texts: Sequence[Text], context: int | None) -> list[Text]:
    """Cut texts that are longer than the context; their rest is a text of its own."""
    if context is None:
        return list(texts)
    cut = []
    for text in texts:
        for at in range(0, len(text.ids), context):
            cut.append(Text(text.ids[at : at + context], max(0, text.asked - at)))
    return cut


def lesson(texts: Sequence[Text], end: int) -> Lesson:
    """Lay texts side by side; `end` comes before the first id of each, and pads."""
    most = max(len(text.ids) for text in texts)
    read = torch.full((len(texts), most), end)
    wanted = torch.full((len(texts), most), IGNORED)
    for row, text in enumerate(texts):
        ids = torch.tensor(text.ids)
        read[row, 1 : len(ids)] = ids[:-1]
        wanted[row, text.asked : len(ids)] = ids[text.asked :]
    return Lesson(read, wanted)


def batches(texts: Sequence[Text], tokens: int, draw: torch.Generator | None) -> list[list[Text]]:
    """Put texts of like length together, about `tokens` ids a batch, padding included.

    With `draw` both who shares a batch and the order of batches are chance.
    """
    order = list(range(len(texts)))
    if draw is not None:
        order = torch.randperm(len(texts), generator=draw).tolist()
    order.sort(key=lambda at: len(texts[at].ids) // _ALIKE if draw else len(texts[at].ids))
    made: list[list[Text]] = [[]]
    for at in order:
        if made[-1] and len(texts[at].ids) * (len(made[-1]) + 1) > tokens:
            made.append([])
        made[-1].append(texts[at])
    if draw is not None:
        places = torch.randperm(len(made), generator=draw).tolist()
        made = [made[place] for place in places]
    return [batch for batch in made if batch]


_ALIKE = 32  # lengths that differ by less count as equal, so that neighbours are drawn by chance


def stream(texts: Sequence[Text], end: int, streams: int) -> Tensor:
    """Lay all texts end to end and cut the line into streams side by side. (streams, ids)"""
    ids = [end, *(number for text in texts for number in text.ids)]
    length = len(ids) // streams
    return torch.tensor(ids[: length * streams]).view(streams, length)


def stretches(held: Tensor, sequence: int) -> Iterator[Lesson]:
    """Cut streams into stretches to go through one after another."""
    for at in range(0, held.shape[1] - 1, sequence):
        end = min(at + sequence, held.shape[1] - 1)
        yield Lesson(held[:, at:end], held[:, at + 1 : end + 1])


def digest(texts: Sequence[Text]) -> str:
    """Return what changes with any id."""
    total = hashlib.sha256()
    for text in texts:
        total.update(f"{text.asked}:{','.join(map(str, text.ids))}\n".encode())
    return total.hexdigest()
