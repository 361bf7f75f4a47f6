"""Which weights of a training are kept, when it ends, and how it goes over its data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import torch
from torch import Tensor, nn

_ALIKE = 8  # lengths that differ by less count as equal, so that chance mixes who shares a batch


@dataclass
class WeightSelection:
    """Keeps the weights of the lowest loss; `stale` counts the losses since that were no lower."""

    lowest: float = inf
    stale: int = 0
    state: dict[str, Tensor] = field(default_factory=dict, repr=False)

    def offer(self, loss: float, network: nn.Module) -> bool:
        """Take weights with their loss, and tell whether they are the best so far."""
        is_best = loss < self.lowest or not self.state
        if is_best:
            self.lowest, self.stale = loss, 0
            held = network.state_dict().items()
            self.state = {name: value.detach().cpu().clone() for name, value in held}
        else:
            self.stale += 1
        return is_best

    def restore(self, network: nn.Module) -> None:
        """Load the best weights into a network, where there are any."""
        if self.state:
            network.load_state_dict(self.state)

    def place(self) -> dict[str, float | int | None]:
        """Return what a checkpoint keeps beside `state`, as plain JSON."""
        return {"lowest": None if self.lowest == inf else self.lowest, "stale": self.stale}

    @classmethod
    def kept(
        cls, place: Mapping[str, float | None], state: Mapping[str, Tensor]
    ) -> "WeightSelection":
        """Go on from what a checkpoint kept."""
        lowest = place["lowest"]
        return cls(inf if lowest is None else lowest, int(place["stale"] or 0), dict(state))


def batches(lengths: Sequence[int], size: int, draw: torch.Generator | None) -> list[list[int]]:
    """Put sentences of like length together, so many a batch; returns their places.

    With `draw` both who shares a batch and the order of batches are chance.
    """
    order = list(range(len(lengths)))
    if draw is not None:
        order = torch.randperm(len(lengths), generator=draw).tolist()
    order.sort(key=lambda at: lengths[at] // _ALIKE)
    made = [order[at : at + size] for at in range(0, len(order), size)]
    if draw is not None:
        made = [made[at] for at in torch.randperm(len(made), generator=draw).tolist()]
    return made
