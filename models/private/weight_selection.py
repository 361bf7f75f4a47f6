"""Selection of the weights with the lowest loss, early stopping, and batching by length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import torch
from torch import Tensor, nn

_LENGTH_BUCKET = (
    8  # lengths that differ by less count as equal, so that chance mixes who shares a batch
)


@dataclass
class BestWeights:
    """Keeps the weights with the lowest loss; `stale` counts the losses since."""

    lowest: float = inf
    stale: int = 0
    state: dict[str, Tensor] = field(default_factory=dict, repr=False)

    def consider(self, loss: float, network: nn.Module) -> bool:
        """Compare weights by their loss; return whether they are the best so far."""
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

    def to_json(self) -> dict[str, float | int | None]:
        """Return what a checkpoint stores besides `state`."""
        return {"lowest": None if self.lowest == inf else self.lowest, "stale": self.stale}

    @classmethod
    def from_checkpoint(
        cls, held: Mapping[str, float | None], state: Mapping[str, Tensor]
    ) -> "BestWeights":
        """Restore from a checkpoint."""
        lowest = held["lowest"]
        return cls(inf if lowest is None else lowest, int(held["stale"] or 0), dict(state))


def batches(
    lengths: Sequence[int], size: int, generator: torch.Generator | None
) -> list[list[int]]:
    """Group sentences of similar length into batches; return their indices.

    With `generator` both who shares a batch and the order of batches are chance.
    """
    order = list(range(len(lengths)))
    if generator is not None:
        order = torch.randperm(len(lengths), generator=generator).tolist()
    order.sort(key=lambda at: lengths[at] // _LENGTH_BUCKET)
    made = [order[at : at + size] for at in range(0, len(order), size)]
    if generator is not None:
        made = [made[at] for at in torch.randperm(len(made), generator=generator).tolist()]
    return made
