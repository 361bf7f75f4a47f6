"""Where an interrupted training goes on: weights, the optimizer's memory, and the place."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as dump_weights
from torch import Tensor, nn

from record.atomic_write import write_atomically
from record.errors import ConfigError

CHECKPOINT = "checkpoint.safetensors"

_REMEDY = "give the same notes and settings as before, or another folder"


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint held beside weights and the optimizer's memory."""

    place: dict[str, Any]
    extras: dict[str, Tensor] = field(repr=False)


def learnt(network: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """Return the weights that training changes, with their names, in a fixed order."""
    for name, weights in network.named_parameters():
        if weights.requires_grad:
            yield name, weights


def save_checkpoint(
    folder: Path,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    place: Mapping[str, Any],
    mark: str,
    extras: Mapping[str, Tensor] | None = None,
) -> None:
    """Write a checkpoint over the one before; `mark` tells which training it belongs to.

    `place` is plain JSON; `extras` are tensors that the training carries from step to step.
    """
    tensors = {f"weights.{name}": value for name, value in network.state_dict().items()}
    for name, weights in learnt(network):
        for moment, value in optimizer.state.get(weights, {}).items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{moment}.{name}"] = value
    tensors |= {f"extras.{name}": value for name, value in (extras or {}).items()}
    held = {"place": json.dumps(place), "mark": mark}
    # Copies, for weights that are tied lie in one storage, which safetensors refuses.
    tensors = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / CHECKPOINT, dump_weights(tensors, metadata=held))


def load_checkpoint(
    folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer, mark: str
) -> Checkpoint | None:
    """Go on from a checkpoint; None where there is none.

    The optimizer must hold the weights that it held when the checkpoint was written. Raises
    ConfigError where it is damaged or belongs to another training.
    """
    found = read_checkpoint(folder, mark)
    if found is None:
        return None
    place, tensors = found
    try:
        network.load_state_dict(_part(tensors, "weights"))
        _restore(optimizer, network, _part(tensors, "optimizer"))
    except (KeyError, RuntimeError):
        raise _damaged(folder / CHECKPOINT) from None
    return Checkpoint(place, _part(tensors, "extras"))


def read_checkpoint(folder: Path, mark: str) -> tuple[dict[str, Any], dict[str, Tensor]] | None:
    """Read the place and all tensors of a checkpoint; None where there is none.

    Raises ConfigError where it is damaged or belongs to another training.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as held:
            about: dict[str, str] = held.metadata() or {}
            if about.get("mark") != mark:
                problem = "is of a training with other notes or settings"
                raise ConfigError(str(path), problem, _REMEDY)
            tensors = {name: held.get_tensor(name) for name in held.keys()}  # noqa: SIM118
        place: dict[str, Any] = json.loads(about["place"])
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        raise _damaged(path) from None
    return place, tensors


def _damaged(path: Path) -> ConfigError:
    return ConfigError(str(path), "is damaged", f"remove it, or {_REMEDY}")


def _restore(
    optimizer: torch.optim.Optimizer, network: nn.Module, tensors: dict[str, Tensor]
) -> None:
    kept: dict[str, dict[str, Tensor]] = {}
    for whole, value in tensors.items():
        moment, _, name = whole.partition(".")
        kept.setdefault(name, {})[moment] = value
    for name, weights in learnt(network):
        if name in kept:
            optimizer.state[weights] = {
                moment: value if moment == "step" else value.to(weights.device)
                for moment, value in kept[name].items()
            }


def _part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    start = f"{prefix}."
    return {n.removeprefix(start): value for n, value in tensors.items() if n.startswith(start)}
