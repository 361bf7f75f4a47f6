"""Truecasing: capitals restored in lower-case text by a recurrent character model.

Susanto et al. (EMNLP 2016), as Melamud and Shivade (2019) use it: what it learns from a corpus
indicates what the corpus is worth.
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
    steps = max(1, characters // (_ROWS * _STRETCH))
    generator = torch.Generator().manual_seed(seed)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = _PEAK * (1 - step / steps)
        starts = torch.randint(len(ids) - _STRETCH + 1, (_ROWS, 1), generator=generator)
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
