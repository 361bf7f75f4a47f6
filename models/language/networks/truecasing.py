"""Capitals restored to text in small letters by a recurrent model of characters.

Susanto et al. (EMNLP 2016), as Melamud and Shivade (2019) use it: what it learns from a corpus
tells what the corpus is worth.
"""

from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

_STRETCH = 32  # characters read at a time
_ROWS = 16  # stretches a step
_PEAK = 1e-2
_OTHER = 0  # the id of characters that are too rare to know
_RARE = 3


class Caser(nn.Module):
    """Reads characters from both sides and tells of each whether it is a capital."""

    def __init__(self, characters: Sequence[str], *, width: int = 64) -> None:
        super().__init__()
        self._known = {each: place for place, each in enumerate(characters, start=_OTHER + 1)}
        self.embed = nn.Embedding(len(characters) + 1, 32)
        self.read = nn.GRU(32, width, batch_first=True, bidirectional=True)
        self.scores = nn.Linear(2 * width, 1)

    def ids(self, text: str) -> list[int]:
        """Return the ids of the characters of a text, whatever its capitals."""
        return [self._known.get(each, _OTHER) for each in small(text)]

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
        large = (self(torch.tensor([self.ids(text)]))[0] > 0).tolist()
        return "".join(
            _capital(each) if is_large else each
            for each, is_large in zip(small(text), large, strict=True)
        )


def learn_casing(texts: Sequence[str], *, characters: int, seed: int = 1) -> Caser:
    """Learn from texts until so many characters were read, whatever there is of them.

    Same texts and seed give the same model. Raises ValueError where the texts are too short.
    """
    whole = "\n".join(texts)
    if len(whole) < _STRETCH:
        raise ValueError("there is too little text to learn capitals from")
    torch.manual_seed(seed)
    counts = Counter(small(whole))
    model = Caser(sorted(each for each, count in counts.items() if count >= _RARE))
    ids, wanted = torch.tensor(model.ids(whole)), torch.tensor(_capitals(whole))
    optimizer = torch.optim.Adam(model.parameters())
    steps = max(1, characters // (_ROWS * _STRETCH))
    draw = torch.Generator().manual_seed(seed)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = _PEAK * (1 - step / steps)
        starts = torch.randint(len(ids) - _STRETCH + 1, (_ROWS, 1), generator=draw)
        places = starts + torch.arange(_STRETCH)
        optimizer.zero_grad()
        scores = model(ids[places])
        loss = functional.binary_cross_entropy_with_logits(scores, wanted[places])
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model


def small(text: str) -> str:
    """Return a text in small letters, of the same length."""
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


def _capital(each: str) -> str:
    return each.upper() if len(each.upper()) == 1 else each


def _capitals(text: str) -> list[float]:
    return [float(one != other) for one, other in zip(text, small(text), strict=True)]
