"""Checkpoints of interrupted trainings: weights, optimizer state and position in one file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from record.atomic_write import OWNER_FILE, replacing
from record.errors import ConfigError

CHECKPOINT = "checkpoint.safetensors"

_REMEDY = "give the same notes and settings as before, or another folder"


def trainable_parameters(network: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """Return the parameters that training updates, with their names, in a fixed order."""
    for name, weights in network.named_parameters():
        if weights.requires_grad:
            yield name, weights


def save_checkpoint(
    folder: Path,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    position: Mapping[str, Any],
    fingerprint: str,
    extras: Mapping[str, Tensor],
) -> None:
    """Write a checkpoint, which only its owner may read, over the previous one.

    `position` is plain JSON, `fingerprint` identifies the training by its settings and data, and
    `extras` are tensors that the training carries from step to step.
    """
    tensors = {f"weights.{name}": value for name, value in network.state_dict().items()}
    for name, weights in trainable_parameters(network):
        for moment, value in optimizer.state.get(weights, {}).items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{moment}.{name}"] = value
    tensors |= {f"extras.{name}": value for name, value in extras.items()}
    metadata = {"place": json.dumps(position), "mark": fingerprint}
    folder.mkdir(parents=True, exist_ok=True)
    # To the file, not through memory: of a large model all of this has gigabytes.
    with replacing(folder / CHECKPOINT, OWNER_FILE) as part:
        save_file(dict(_without_sharing(tensors)), part, metadata=metadata)


def _without_sharing(tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Yield tensors on the processor, those that share storage as copies.

    safetensors refuses tied weights, which do.
    """
    seen: set[int] = set()
    for name, value in tensors.items():
        held = value.detach().cpu().contiguous()
        place = held.untyped_storage().data_ptr()
        yield name, held.clone() if place in seen else held
        seen.add(place)


def read_checkpoint(
    folder: Path, fingerprint: str
) -> tuple[dict[str, Any], dict[str, Tensor]] | None:
    """Read the position and all tensors of a checkpoint; None if there is none.

    Raises ConfigError if the file is corrupt or belongs to another training.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            metadata: dict[str, str] = file.metadata() or {}
            if metadata.get("mark") != fingerprint:
                problem = "belongs to a training with other notes or settings"
                raise ConfigError(str(path), problem, _REMEDY)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        position: dict[str, Any] = json.loads(metadata["place"])
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        raise _corrupt(path) from None
    return position, tensors


def restore_checkpoint(
    folder: Path,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    tensors: Mapping[str, Tensor],
) -> dict[str, Tensor]:
    """Load the tensors of a checkpoint into network and optimizer; return the extras.

    The optimizer must hold the same parameters as when the checkpoint was written. Raises
    ConfigError if the tensors do not fit.
    """
    try:
        network.load_state_dict(_with_prefix(tensors, "weights"))
        _restore_optimizer(optimizer, network, _with_prefix(tensors, "optimizer"))
    except (KeyError, RuntimeError):
        raise _corrupt(folder / CHECKPOINT) from None
    return _with_prefix(tensors, "extras")


def _corrupt(path: Path) -> ConfigError:
    return ConfigError(str(path), "corrupt checkpoint", f"delete it, or {_REMEDY}")


def _restore_optimizer(
    optimizer: torch.optim.Optimizer, network: nn.Module, tensors: dict[str, Tensor]
) -> None:
    states: dict[str, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        moment, _, name = key.partition(".")
        states.setdefault(name, {})[moment] = value
    for name, weights in trainable_parameters(network):
        if name in states:
            optimizer.state[weights] = {
                moment: value if moment == "step" else value.to(weights.device)
                for moment, value in states[name].items()
            }


def _with_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    start = f"{prefix}."
    return {n.removeprefix(start): value for n, value in tensors.items() if n.startswith(start)}
