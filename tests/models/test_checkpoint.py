"""A checkpoint is written to its file as it is read back, and replaces the last one as a whole."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from models import checkpoint
from models.checkpoint import CHECKPOINT, read_checkpoint, restore_checkpoint, save_checkpoint


class Tied(nn.Module):
    """Two layers with one table, as in a language model."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(7, 5)
        self.score = nn.Linear(5, 7, bias=False)
        self.score.weight = self.embed.weight
        self.norm = nn.LayerNorm(5)

    def forward(self, ids: Tensor) -> Tensor:
        made: Tensor = self.score(self.norm(self.embed(ids)))
        return made


def _trained(seed: int) -> tuple[Tied, torch.optim.Optimizer]:
    torch.manual_seed(seed)
    network = Tied()
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.1)
    _learn(network, optimizer)
    return network, optimizer


def _learn(network: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    loss: Tensor = network(torch.arange(7)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def test_a_training_with_tied_weights_goes_on_as_it_would_have(tmp_path: Path) -> None:
    network, optimizer = _trained(1)
    wide = torch.arange(12.0).reshape(3, 4)
    extras = {"column": wide[:, 1], "rows": wide[1:], "empty": torch.zeros(0)}
    save_checkpoint(tmp_path, network, optimizer, {"epoch": 3}, "mark", extras)
    assert (tmp_path / CHECKPOINT).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]

    found = read_checkpoint(tmp_path, "mark")
    assert found is not None
    position, tensors = found
    again, other = _trained(2)
    restored = restore_checkpoint(tmp_path, again, other, tensors)
    assert position == {"epoch": 3}
    assert restored.keys() == extras.keys()
    assert all(torch.equal(restored[name], value) for name, value in extras.items())
    for some in ((network, optimizer), (again, other)):
        _learn(*some)
    for one, two in zip(network.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, two)
    assert again.score.weight is again.embed.weight


def test_what_is_interrupted_leaves_the_checkpoint_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, optimizer = _trained(1)
    save_checkpoint(tmp_path, network, optimizer, {"epoch": 1}, "mark", {})
    before = (tmp_path / CHECKPOINT).read_bytes()

    def fill_disk(tensors: Any, path: Path, metadata: Any) -> None:
        path.write_bytes(b"half")
        raise OSError

    monkeypatch.setattr(checkpoint, "save_file", fill_disk)
    with pytest.raises(OSError):
        save_checkpoint(tmp_path, network, optimizer, {"epoch": 2}, "mark", {})
    assert (tmp_path / CHECKPOINT).read_bytes() == before


def test_nobody_else_reads_a_checkpoint_whatever_the_umask(tmp_path: Path) -> None:
    network, optimizer = _trained(1)
    kept = os.umask(0)
    try:
        save_checkpoint(tmp_path, network, optimizer, {}, "mark", {})
    finally:
        os.umask(kept)
    assert (tmp_path / CHECKPOINT).stat().st_mode & 0o777 == 0o600
