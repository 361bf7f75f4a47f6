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
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, DynamicCache
from transformers.pytorch_utils import Conv1D
from transformers.utils.logging import disable_progress_bar

from models.language.corpus.vocabulary import END, PretrainedVocabulary
from models.language.networks.language_model import DecoderState, LanguageModel
from record.errors import ConfigError

_LORA_SCALE = 2
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

    def __init__(self, network: Any, *, context: int) -> None:
        super().__init__()
        self.network = network
        self.vocabulary = int(network.get_input_embeddings().weight.shape[0])
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

    def forward(self, ids: Tensor) -> Tensor:
        """Compute next-token scores of full texts."""
        scores: Tensor = self.network(input_ids=ids, use_cache=False).logits
        return scores

    def start(self, rows: int, length: int) -> TransformersCache:  # noqa: ARG002
        """Return the memory of texts that have not begun; it grows with them."""
        return TransformersCache(DynamicCache(config=self.network.config))

    def step(self, ids: Tensor, memory: DecoderState) -> tuple[Tensor, DecoderState]:
        """Read one more id of each text."""
        assert isinstance(memory, TransformersCache)
        read = self.network(input_ids=ids[:, None], past_key_values=memory.cache, use_cache=True)
        return read.logits[:, -1], TransformersCache(read.past_key_values)


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
    return PretrainedNetwork(network, context=context)


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
