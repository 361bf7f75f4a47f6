"""A pretrained causal language model of any architecture, with the marks of a corpus.

The first ids are the marks; those of the model's own tokenizer follow in their order, so that a
tag is one token like any other and the embeddings of all other tokens are the model's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, DynamicCache
from transformers.cache_utils import DynamicLayer
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.modeling_utils import AttentionInterface
from transformers.pytorch_utils import Conv1D
from transformers.utils.logging import disable_progress_bar

from models.language.corpus.vocabulary import END, PretrainedVocabulary
from models.language.networks.language_model import DecoderState, LanguageModel
from record.errors import ConfigError

_LORA_SCALE = 2
_LEAST_ROOM = 64  # ids
_ONLY: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
# Ids of the model's own tokenizer, which are others here.
_SPECIAL = ("bos_token_id", "eos_token_id", "pad_token_id")
_FAILURES = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    RuntimeError,
    AttributeError,
    SafetensorError,
)


def _attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **options: Any,
) -> tuple[Tensor, None]:
    """Attend as `sdpa` does, at a step of writing in a quarter of the time.

    Heads of a query that share keys are taken as places of one head: PyTorch would go through the
    keys once for each of them.
    """
    rows, heads, places, width = query.shape
    shared = heads // key.shape[1]
    if places > 1 or shared == 1 or attention_mask is not None:
        attended, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **options)
        return attended, None
    found = functional.scaled_dot_product_attention(
        query.reshape(rows, -1, shared, width), key, value, scale=options.get("scaling")
    )
    return found.reshape(rows, 1, heads, -1), None


_ATTENTION = "cryptonym"
AttentionInterface.register(_ATTENTION, _attend)
AttentionMaskInterface.register(_ATTENTION, sdpa_mask)


class _RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]
    """Keys and values of a layer with room for more, so that no step copies those before it."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._rooms: tuple[Tensor, Tensor] | None = None

    def update(
        self,
        key_states: Tensor,
        value_states: Tensor,
        *args: Any,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> tuple[Tensor, Tensor]:
        """Add keys and values; returns all there are."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        held = self.get_seq_length()
        length = held + key_states.shape[-2]
        if self._rooms is None or self._rooms[0].shape[-2] < length:
            self._rooms = (
                _with_room(self.keys, key_states, held, length),
                _with_room(self.values, value_states, held, length),
            )
        for room, more in zip(self._rooms, (key_states, value_states), strict=True):
            room[..., held:length, :] = more
        self.keys, self.values = (room[..., :length, :] for room in self._rooms)
        return self.keys, self.values

    def batch_select_indices(self, indices: Tensor) -> None:
        """Keep some rows, in the room of which nothing else is left."""
        super().batch_select_indices(indices)
        self._rooms = None


def _with_room(known: Tensor | None, like: Tensor, held: int, length: int) -> Tensor:
    """Return a tensor that begins with what is held and has room for half as much again."""
    rows, heads, _, width = like.shape
    made = like.new_empty(rows, heads, max(_LEAST_ROOM, length + length // 2), width)
    if held and known is not None:
        made[..., :held, :] = known
    return made


@dataclass(frozen=True)
class TransformersCache(DecoderState):
    """Keys and values of every layer, as the architecture keeps them."""

    compaction_threshold: ClassVar[float] = 0.75  # all that is remembered is copied

    cache: Any

    def keep(self, rows: Tensor) -> "TransformersCache":
        """Return the memory of some rows, which takes the place of this one."""
        if self.cache.get_seq_length():
            self.cache.batch_select_indices(rows)
        return self


class PretrainedNetwork(LanguageModel):
    """A causal model of transformers behind the interface of our own; `network` is that model."""

    computes_in_bfloat16 = True

    def __init__(self, network: Any, *, context: int) -> None:
        super().__init__()
        self.network = network
        if network.config._attn_implementation == "sdpa":
            network.set_attn_implementation(_ATTENTION)
        self.vocabulary = int(network.get_input_embeddings().weight.shape[0])
        self.marks = 0
        """How many of the first ids are marks, which the model has not seen before; 0: unknown."""
        places = getattr(network.config, "max_position_embeddings", None)
        self.longest = min(context, places) if isinstance(places, int) else context

    @classmethod
    def of_shape(cls, config: Mapping[str, Any], context: int) -> "PretrainedNetwork":
        """Build one with random weights; raises KeyError, TypeError or ValueError."""
        held = dict(config)
        made = AutoConfig.for_model(held.pop("model_type"), **held)
        models: Any = AutoModelForCausalLM
        return cls(models.from_config(made, dtype=torch.float32), context=context)

    @property
    def shape(self) -> dict[str, Any]:
        """All that rebuilds it."""
        config = self.network.config.to_diff_dict()
        return {
            "kind": "pretrained",
            "vocabulary": self.vocabulary,
            "context": self.longest,
            "config": {**config, "model_type": self.network.config.model_type},
        }

    def tables(self) -> list[nn.Parameter]:
        """Return the embeddings and the weights of the output, once where they are the same."""
        head = self.network.get_output_embeddings()
        found = {
            id(each): each for each in (self.network.get_input_embeddings().weight, head.weight)
        }
        return list(found.values())

    def forward(self, ids: Tensor) -> Tensor:
        """Compute next-token scores of full texts."""
        scores: Tensor = self.network(input_ids=ids, use_cache=False).logits
        return scores

    def start(self, rows: int, length: int) -> TransformersCache:  # noqa: ARG002
        """Return the memory of texts that have not begun; it grows with them."""
        cache = DynamicCache(config=self.network.config)
        # Layers of another kind, with a sliding window, forget what they need not keep.
        cache.layers = [
            _RoomyLayer() if type(layer) is DynamicLayer else layer for layer in cache.layers
        ]
        return TransformersCache(cache)

    def step(self, ids: Tensor, memory: DecoderState) -> tuple[Tensor, DecoderState]:
        """Read one more id of each text."""
        assert isinstance(memory, TransformersCache)
        read = self.network(input_ids=ids[:, None], past_key_values=memory.cache, use_cache=True)
        return read.logits[:, -1], TransformersCache(read.past_key_values)

    def prefill(self, ids: Tensor, memory: DecoderState) -> TransformersCache:
        """Read the first ids of each text in one pass, without scores."""
        assert isinstance(memory, TransformersCache)
        # What has no part of its own below the scores is read whole.
        inner = self.network.base_model
        read = inner(input_ids=ids, past_key_values=memory.cache, use_cache=True)
        return TransformersCache(read.past_key_values)


def load_vocabulary(folder: Path, marks: Sequence[str]) -> PretrainedVocabulary:
    """Read the tokenizer of a pretrained model and put marks before its ids; raises ConfigError."""
    try:
        size = _config_of(folder).get_text_config().vocab_size
        tokenizer = AutoTokenizer.from_pretrained(folder, **_ONLY).backend_tokenizer
        return PretrainedVocabulary.of(marks, tokenizer, max(size, tokenizer.get_vocab_size()))
    except _FAILURES:
        raise _refuse(folder) from None


def load_pretrained(
    folder: Path, vocabulary: PretrainedVocabulary, *, context: int
) -> PretrainedNetwork:
    """Load a pretrained model and give it the marks of a vocabulary; raises ConfigError.

    A mark begins with the mean of the embeddings of the words that it is made of; the end of a note
    begins as the model's own end of a text. Nothing is fetched, and no code of the folder runs.
    """
    disable_progress_bar()  # type: ignore[no-untyped-call]  # a command has its own
    try:
        config = _config_of(folder)
        end = _end_of_text(config)
        for name in _SPECIAL:
            setattr(config, name, None)
        network: Any = AutoModelForCausalLM.from_pretrained(
            folder, config=config, use_safetensors=True, dtype=torch.float32, **_ONLY
        )
        _put_marks_first(network, vocabulary, end)
    except _FAILURES:
        raise _refuse(folder) from None
    made = PretrainedNetwork(network, context=context)
    made.marks = len(vocabulary.marks)
    return made


def _end_of_text(config: Any) -> int | None:
    """Return the id that ends a text of the model, else the one that begins it, if any."""
    for name in ("eos_token_id", "bos_token_id"):
        found = getattr(config, name, None)
        first = found[0] if isinstance(found, list) and found else found
        if isinstance(first, int):
            return first
    return None


def _config_of(folder: Path) -> Any:
    if not folder.is_dir():
        raise OSError
    return AutoConfig.from_pretrained(folder, **_ONLY)


def _refuse(folder: Path) -> ConfigError:
    problem = "not a causal language model with safetensors, config.json and a fast tokenizer"
    return ConfigError(str(folder), problem, "give the folder of a Hugging Face model")


@torch.no_grad()
def _put_marks_first(network: Any, vocabulary: PretrainedVocabulary, end: int | None) -> None:
    marks = len(vocabulary.marks)
    old = network.get_input_embeddings().weight.shape[0]
    network.resize_token_embeddings(vocabulary.size, mean_resizing=False)
    tables = [network.get_input_embeddings().weight]
    head = network.get_output_embeddings()
    if head.weight is not tables[0]:
        tables.append(head.weight)
    for table in tables:
        known = table[: min(old, vocabulary.size - marks)].clone()
        mean = known.mean(0)
        table.copy_(mean.expand_as(table))
        for number, mark in enumerate(vocabulary.marks):
            pieces = [each for each in vocabulary.pieces_of_name(mark) if each < len(known)]
            if mark == END and end is not None:
                table[number] = known[end]
            elif pieces:
                table[number] = known[pieces].mean(0)
        table[marks : marks + len(known)] = known
    if getattr(head, "bias", None) is not None:
        known = head.bias[: vocabulary.size - marks].clone()
        head.bias[:marks] = known.mean()
        head.bias[marks:] = known


def add_adapters(network: PretrainedNetwork, rank: int, marks: int) -> None:
    """Put matrices of a low rank beside all linear layers but the output; they change nothing yet.

    The model's own weights stay frozen (LoRA; Hu et al., ICLR 2022), but for the embeddings of the
    first `marks` ids, which it has never seen. Raises ModuleNotFoundError without peft.
    """
    from peft import LoraConfig, inject_adapter_in_model  # noqa: PLC0415 # an extra

    inner = network.network
    head = inner.get_output_embeddings()
    names = [
        name
        for name, module in inner.named_modules()
        if isinstance(module, nn.Linear | Conv1D) and module is not head
    ]
    is_transposed = any(isinstance(inner.get_submodule(name), Conv1D) for name in names)
    config = LoraConfig(
        r=rank, lora_alpha=_LORA_SCALE * rank, target_modules=names, fan_in_fan_out=is_transposed
    )
    inject_adapter_in_model(config, inner)
    for module in inner.modules():
        if hasattr(module, "cast_input_dtype_enabled") or hasattr(module, "lora_A"):
            module.cast_input_dtype_enabled = False  # autocast does it, once
    if isinstance(head, nn.Linear):
        inner.set_output_embeddings(_MarkHead.of(head, marks))
    tables = {id(each.weight) for each in (inner.get_input_embeddings(), head)}
    named: dict[str, Any] = {
        name: each for name, each in network.named_parameters() if id(each) in tables
    }
    for table in named.values():
        table.requires_grad_(True)
        table.register_hook(lambda gradient: _only_first(gradient, marks))
    network.learning_rows = dict.fromkeys(named, marks)


def _only_first(gradient: Tensor, rows: int) -> Tensor:
    """Leave the gradient of the first rows."""
    left = torch.zeros_like(gradient)
    left[:rows] = gradient[:rows]
    return left


class _MarkHead(nn.Linear):
    """The output layer of a model of whose tokens only the first `marks` learn.

    What all others would learn is a tenth of the arithmetic of a step, and would be thrown away.
    """

    marks: int

    @classmethod
    def of(cls, head: nn.Linear, marks: int) -> "_MarkHead":
        """Return the same layer, with the same weights."""
        made = cls(1, 1, bias=False, device="meta")
        made.in_features, made.out_features = head.in_features, head.out_features
        made.weight, made.bias, made.marks = head.weight, head.bias, marks
        return made

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores of all tokens."""
        scores: Tensor = _ScoresOfAll.apply(x, self.weight, self.marks)  # type: ignore[no-untyped-call]
        return scores if self.bias is None else scores + self.bias


class _ScoresOfAll(torch.autograd.Function):
    """A product with a table, of which the first rows alone have a gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, table: Tensor, rows: int) -> Tensor:
        """Multiply."""
        kind = x.device.type
        dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else table.dtype
        held, cast = x.to(dtype), table.to(dtype)
        ctx.save_for_backward(held, cast)
        ctx.rows, ctx.dtypes = rows, (x.dtype, table.dtype)
        return functional.linear(held, cast)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        """Return the gradients of the input, and of the first rows of the table."""
        held, table = ctx.saved_tensors
        of_input, of_table = ctx.dtypes
        first = gradient[..., : ctx.rows].flatten(0, -2).T @ held.flatten(0, -2)
        learnt = torch.zeros_like(table, dtype=of_table)
        learnt[: ctx.rows] = first
        return (gradient @ table).to(of_input), learnt, None
