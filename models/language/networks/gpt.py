"""The GPT network: the blocks of GPT-2 with plain linear layers and a key-value cache.

Radford et al. (2019). Weights of a GPT-2 fit in, see `pretrained`.
"""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.language.networks.language_model import DecoderState, LanguageModel

_INIT_STD = 0.02  # the standard deviation that GPT-2's weights start from
_LORA_PARTS = ["joint", "out", "first", "last"]  # all matrices of a block
_LORA_SCALE = 2


@dataclass(frozen=True)
class KeyValueCache(DecoderState):
    """Keys and values of every layer, preallocated. (rows, heads, length, size)"""

    compaction_threshold: ClassVar[float] = 0.75  # all that is remembered is copied

    keys: list[Tensor]
    values: list[Tensor]
    at: int

    def keep(self, rows: Tensor) -> "KeyValueCache":
        """Return the memory of some rows."""
        keys = [key.index_select(0, rows) for key in self.keys]
        values = [value.index_select(0, rows) for value in self.values]
        return KeyValueCache(keys, values, self.at)


class GPT(LanguageModel):
    """Token and position embeddings, blocks, and an output layer tied to the token embeddings."""

    def __init__(
        self, vocabulary: int, *, width: int, layers: int, heads: int, context: int, dropout: float
    ) -> None:
        super().__init__()
        self.vocabulary, self.longest = vocabulary, context
        self._shape = {
            "width": width, "layers": layers, "heads": heads, "context": context, "dropout": dropout
        }  # fmt: skip
        self.embed = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(context, width)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.scores = nn.Linear(width, vocabulary, bias=False)
        self.apply(_init_weights)
        for block in self.blocks:
            assert isinstance(block, Block)
            # What is added up over layers starts smaller, as in GPT-2.
            for last in (block.out, block.last):
                nn.init.normal_(last.weight, std=_INIT_STD / (2 * layers) ** 0.5)
        self.scores.weight = self.embed.weight

    @property
    def shape(self) -> dict[str, Any]:
        """All that rebuilds it."""
        return {"kind": "gpt", "vocabulary": self.vocabulary, **self._shape}

    def forward(self, ids: Tensor) -> Tensor:
        """Compute next-token scores of full texts."""
        hidden = self.drop(self.embed(ids) + self.places(_positions(ids, 0)))
        for block in self.blocks:
            hidden = block(hidden)
        scores: Tensor = self.scores(self.norm(hidden))
        return scores

    def start(self, rows: int, length: int) -> KeyValueCache:
        """Make room for texts that have not begun."""
        weights = self.embed.weight
        heads = int(self._shape["heads"])
        shape = (rows, heads, length, int(self._shape["width"]) // heads)
        keys = [weights.new_empty(shape) for _ in self.blocks]
        return KeyValueCache(keys, [weights.new_empty(shape) for _ in self.blocks], 0)

    def step(self, ids: Tensor, memory: DecoderState) -> tuple[Tensor, DecoderState]:
        """Read one more id of each text."""
        assert isinstance(memory, KeyValueCache)
        at = memory.at
        hidden = self.embed(ids[:, None]) + self.places(_positions(ids[:, None], at))
        for block, keys, values in zip(self.blocks, memory.keys, memory.values, strict=True):
            assert isinstance(block, Block)
            hidden = block.step(hidden, keys, values, at)
        return self.scores(self.norm(hidden))[:, 0], KeyValueCache(
            memory.keys, memory.values, at + 1
        )

    def prefill(self, ids: Tensor, memory: DecoderState) -> KeyValueCache:
        """Read the first ids of each text in one pass."""
        assert isinstance(memory, KeyValueCache)
        hidden = self.embed(ids) + self.places(_positions(ids, 0))
        for block, keys, values in zip(self.blocks, memory.keys, memory.values, strict=True):
            assert isinstance(block, Block)
            hidden = block.prefill(hidden, keys, values)
        return KeyValueCache(memory.keys, memory.values, ids.shape[1])


class Block(nn.Module):
    """Causal self-attention, then a feed-forward layer."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm_in = nn.LayerNorm(width)
        self.joint = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.first = nn.Linear(width, 4 * width)
        self.last = nn.Linear(4 * width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden: Tensor) -> Tensor:
        """Process full texts. (texts, ids, width)"""
        query, key, value = self._project_qkv(hidden)
        rate = self.dropout if self.training else 0.0
        seen = functional.scaled_dot_product_attention(
            query, key, value, dropout_p=rate, is_causal=True
        )
        return self._finish_block(hidden, seen)

    def prefill(self, hidden: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Process the first places of each text; writes into keys and values. (rows, ids, width)"""
        query, key, value = self._project_qkv(hidden)
        keys[:, :, : key.shape[2]] = key
        values[:, :, : value.shape[2]] = value
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self._finish_block(hidden, seen)

    def step(self, hidden: Tensor, keys: Tensor, values: Tensor, at: int) -> Tensor:
        """Go over one more place of each text; writes into keys and values. (rows, 1, width)"""
        query, key, value = self._project_qkv(hidden)
        keys[:, :, at] = key[:, :, 0]
        values[:, :, at] = value[:, :, 0]
        seen = functional.scaled_dot_product_attention(
            query, keys[:, :, : at + 1], values[:, :, : at + 1]
        )
        return self._finish_block(hidden, seen)

    def _project_qkv(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows, length, width = hidden.shape
        joint = self.joint(self.norm_in(hidden))
        split = joint.view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)  # (rows, heads, length, size) each
        return query, key, value

    def _finish_block(self, hidden: Tensor, seen: Tensor) -> Tensor:
        rows, length, width = hidden.shape
        seen = seen.transpose(1, 2).reshape(rows, length, width)
        hidden = hidden + self.drop(self.out(seen))
        inner = functional.gelu(self.first(self.norm(hidden)), approximate="tanh")
        after: Tensor = hidden + self.drop(self.last(inner))
        return after


def add_lora(network: GPT, rank: int) -> None:
    """Put matrices of so low a rank beside those of every block; they change nothing yet.

    The network's own weights stay frozen (LoRA; Hu et al., ICLR 2022), but for the embeddings,
    since new pieces and marks have none of their own. Raises ModuleNotFoundError without peft.
    """
    from peft import LoraConfig, inject_adapter_in_model  # noqa: PLC0415 # an extra

    config = LoraConfig(r=rank, lora_alpha=_LORA_SCALE * rank, target_modules=_LORA_PARTS)
    inject_adapter_in_model(config, network)
    network.embed.weight.requires_grad_(True)


def merge_lora(network: LanguageModel) -> LanguageModel:
    """Return a plain network with the adapters merged into its weights."""
    from peft.tuners.lora import LoraLayer  # noqa: PLC0415 # an extra

    made = deepcopy(network)
    for name, module in list(made.named_modules()):
        if isinstance(module, LoraLayer):
            module.merge()
            parent, _, last = name.rpartition(".")
            setattr(made.get_submodule(parent), last, module.get_base_layer())
    return made


def _positions(ids: Tensor, at: int) -> Tensor:
    """Return the places of ids, for each text anew: private training needs them apart."""
    places = torch.arange(at, at + ids.shape[1], device=ids.device)
    return places.expand(len(ids), -1)


def _init_weights(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=_INIT_STD)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
