"""Where an interrupted training goes on: weights, the optimizer's memory, and the place."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as dump_weights
from torch import Tensor

from models.tagger.atomic import write
from models.tagger.network import Network
from models.tagger.optimizer import learnt
from record.errors import ConfigError

CHECKPOINT = "checkpoint.safetensors"

_MOMENTS = ("exp_avg", "exp_avg_sq", "step")
_REMEDY = "give the same notes and settings as before, or another folder"


@dataclass
class Place:
    """How far a training has come; numbers only.

    The next step is `step` of `epoch`. `history` has the scores of every evaluation, `best` is
    the place in it of those whose weights are kept.
    """

    epoch: int = 0
    step: int = 0
    seconds: float = 0.0
    evaluated: float = 0.0
    best: int = -1
    history: list[dict[str, float]] = field(default_factory=list)
    losses: dict[str, int] = field(default_factory=dict)


def save_checkpoint(
    folder: Path, network: Network, optimizer: torch.optim.Optimizer, place: Place, mark: str
) -> None:
    """Write a checkpoint over the one before; `mark` tells which training it belongs to."""
    tensors = {f"weights.{name}": value for name, value in network.state_dict().items()}
    for name, weights in learnt(network):
        for moment, value in optimizer.state.get(weights, {}).items():
            tensors[f"{moment}.{name}"] = value
    held = {"place": json.dumps(asdict(place)), "mark": mark}
    tensors = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / CHECKPOINT, dump_weights(tensors, metadata=held))


def load_checkpoint(
    folder: Path, network: Network, optimizer: torch.optim.Optimizer, mark: str
) -> Place:
    """Go on from a checkpoint, if there is one; gives the place.

    Raises ConfigError where it is damaged or belongs to another training.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return Place()
    try:
        with safe_open(path, framework="pt") as held:
            about: dict[str, str] = held.metadata() or {}
            if about.get("mark") != mark:
                problem = "is of a training with other notes or settings"
                raise ConfigError(str(path), problem, _REMEDY)
            tensors = {name: held.get_tensor(name) for name in held.keys()}  # noqa: SIM118
        network.load_state_dict(_part(tensors, "weights"))
        _restore(optimizer, network, tensors)
        place: dict[str, Any] = json.loads(about["place"])
        return Place(**place)
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, RuntimeError):
        raise ConfigError(str(path), "is damaged", f"remove it, or {_REMEDY}") from None


def _restore(
    optimizer: torch.optim.Optimizer, network: Network, tensors: dict[str, Tensor]
) -> None:
    parts = {moment: _part(tensors, moment) for moment in _MOMENTS}
    for name, weights in learnt(network):
        state = {moment: part[name] for moment, part in parts.items() if name in part}
        if state:
            moved = {k: v.to(weights.device) if k != "step" else v for k, v in state.items()}
            optimizer.state[weights] = moved


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    start = f"{prefix}."
    return {n.removeprefix(start): value for n, value in tensors.items() if n.startswith(start)}
