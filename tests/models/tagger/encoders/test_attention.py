"""Attention by plain products against PyTorch's in one piece."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.tagger.encoders.encoder import fast_attention

WINDOWS, HEADS, PIECES, WIDTH = 3, 4, 20, 8
LENGTHS = torch.tensor([20, 11, 1])


Rows = tuple[Tensor, Tensor, Tensor]
"""Queries, keys and values."""


def drawn(dtype: torch.dtype) -> Rows:
    generator = torch.Generator().manual_seed(1)
    shape = (WINDOWS, PIECES, HEADS, WIDTH)
    query, key, value = (
        torch.randn(shape, generator=generator).to(dtype).transpose(1, 2).requires_grad_()
        for _ in range(3)
    )
    return query, key, value


def padding() -> Tensor:
    """Which pieces are none, as transformers gives it: (windows, 1, 1, pieces)."""
    return (torch.arange(PIECES) < LENGTHS[:, None])[:, None, None]


def whole(rows: Rows, mask: Tensor | None) -> Tensor:
    """The same sums in double precision."""
    query, key, value = (row.double() for row in rows)
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return mixed.transpose(1, 2)


@pytest.mark.parametrize("form", ["none", "bool", "bool for each query", "added"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_vectors_and_gradients_are_those_of_double_precision(dtype: torch.dtype, form: str) -> None:
    mask = None if form == "none" else padding()
    given = {
        "none": None,
        "bool": mask,
        "bool for each query": None if mask is None else mask.expand(-1, -1, PIECES, -1),
        "added": None
        if mask is None
        else torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).min),
    }[form]
    rows = drawn(dtype)
    mixed, weights = fast_attention(nn.Identity(), *rows, given, scaling=WIDTH**-0.5)
    assert weights is None
    assert mixed.shape == (WINDOWS, PIECES, HEADS, WIDTH)
    assert mixed.dtype == dtype
    right = whole(rows, mask)
    bound = {torch.bfloat16: 0.03, torch.float32: 1e-5}[dtype]
    assert (mixed - right).abs().max() < bound
    direction = torch.randn(mixed.shape, generator=torch.Generator().manual_seed(2))
    found = torch.autograd.grad((mixed.float() * direction).sum(), rows)
    wanted = torch.autograd.grad((right * direction).sum(), rows)
    for one, other in zip(found, wanted, strict=True):
        assert (one.double() - other).abs().max() < 4 * bound


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_padding_changes_nothing(dtype: torch.dtype) -> None:
    query, key, value = (row.detach() for row in drawn(dtype))
    before, _ = fast_attention(nn.Identity(), query, key, value, padding(), scaling=WIDTH**-0.5)
    for row in (key, value):
        row[~padding().expand(-1, HEADS, -1, -1).squeeze(2)] = 30.0
    after, _ = fast_attention(nn.Identity(), query, key, value, padding(), scaling=WIDTH**-0.5)
    assert torch.equal(before, after)


def test_autocast_leaves_it_in_bfloat16() -> None:
    rows = drawn(torch.bfloat16)
    with torch.autocast("cpu", torch.bfloat16):
        mixed, _ = fast_attention(nn.Identity(), *rows, None, scaling=WIDTH**-0.5)
    assert mixed.dtype == torch.bfloat16
    assert torch.equal(mixed, fast_attention(nn.Identity(), *rows, None, scaling=WIDTH**-0.5)[0])
