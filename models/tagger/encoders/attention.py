"""Attention of an encoder, by whichever products are quickest where it runs."""

from typing import Any

import torch
from torch import Tensor, nn
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, sdpa_mask
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

QUICKEST = "cryptonym-quickest"
"""The name of `attend` among the implementations of attention that transformers knows."""

_NEVER = -1e4  # adds to a score: its exponential is 0 in bfloat16 as well


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **said: Any,
) -> tuple[Tensor, None]:
    """Return the means of values weighted by scaled dot products (Vaswani et al., NeurIPS 2017).

    Query, key and value are (windows, heads, pieces, width of a head), the result (windows,
    pieces, heads, width of a head). `attention_mask` tells which pieces are no padding, the same
    for every query; all others are seen. In bfloat16 on a processor, where PyTorch's attention in
    one piece takes twice as long with its gradients, these are two plain products; anywhere else
    it is PyTorch's.
    """
    if query.device.type != "cpu" or query.dtype != torch.bfloat16 or said.get("dropout"):
        given: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, **{**said, "is_causal": False}
        )
        return given
    windows, heads, pieces, width = query.shape
    scaling = said.get("scaling") or width**-0.5
    # Autocast would take the exponentials in 32 bits, and copy every product to do so.
    with torch.autocast("cpu", enabled=False):
        asked = (query * scaling).reshape(windows * heads, pieces, width)
        keys = key.reshape(windows * heads, -1, width).transpose(1, 2)
        if attention_mask is None:
            scores = torch.bmm(asked, keys)
        else:
            scores = torch.baddbmm(_bias(attention_mask, asked, heads), asked, keys)
        shares = scores.softmax(-1)
        mixed = torch.bmm(shares, value.reshape(windows * heads, -1, width))
    return mixed.view(windows, heads, pieces, width).transpose(1, 2).contiguous(), None


def _bias(mask: Tensor, like: Tensor, heads: int) -> Tensor:
    row = mask[:, :1, :1]  # (windows, 1, 1, pieces)
    added = torch.where(row, 0.0, _NEVER) if row.dtype == torch.bool else row.clamp_min(_NEVER)
    return added.to(like.dtype).expand(-1, heads, -1, -1).reshape(len(like), 1, -1)


ALL_ATTENTION_FUNCTIONS.register(QUICKEST, attend)
ALL_MASK_ATTENTION_FUNCTIONS.register(QUICKEST, sdpa_mask)
