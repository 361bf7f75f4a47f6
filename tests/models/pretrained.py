"""Causal models of several architectures, of a few thousand weights, as transformers saves them."""

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

from tests.models.prose import SENTENCES

_SIZES: dict[str, Any] = {
    "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "max_position_embeddings": 64,
}  # fmt: skip
ARCHITECTURES: dict[str, dict[str, Any]] = {
    "llama": {**_SIZES, "num_key_value_heads": 1, "tie_word_embeddings": True},
    "qwen2": {**_SIZES, "num_key_value_heads": 1, "tie_word_embeddings": False},
    "gemma3_text": {
        **_SIZES, "num_key_value_heads": 1, "head_dim": 8, "sliding_window": 8,
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "gpt2": {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64},
}  # fmt: skip
END_OF_TEXT = "<|endoftext|>"
_TEXTS = [sentence.replace("<B_START>", "").replace("<B_END>", "") for sentence in SENTENCES]
_TEXTS += ["seen ana gil", "seen luis", "seen rosa"]


def byte_level() -> Tokenizer:
    """Pieces of bytes, as GPT-2, Llama 3, Qwen and SmolLM have them."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=[END_OF_TEXT], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(_TEXTS, trainer)
    return tokenizer


def blank_marked() -> Tokenizer:
    """Pieces of characters with a mark for a blank and bytes where they lack, as Gemma has them."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token=None))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    special = [END_OF_TEXT, *(f"<0x{number:02X}>" for number in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=[], show_progress=False)
    tokenizer.train_from_iterator(_TEXTS, trainer)
    vocabulary = {piece: number for number, piece in enumerate(special)}
    for piece in tokenizer.get_vocab():
        vocabulary.setdefault(piece, len(vocabulary))
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[], byte_fallback=True))
    made.normalizer, made.decoder = tokenizer.normalizer, tokenizer.decoder
    made.add_special_tokens([END_OF_TEXT])
    return made


TOKENIZERS = {"gemma3_text": blank_marked}


def save_causal(folder: Path, kind: str) -> None:
    """Draw the weights of an architecture and save it beside its tokenizer."""
    torch.manual_seed(1)
    tokenizer = TOKENIZERS.get(kind, byte_level)()
    end = tokenizer.token_to_id(END_OF_TEXT)
    # A few rows more than there are tokens, as most models have.
    sizes = ARCHITECTURES[kind] | {"vocab_size": tokenizer.get_vocab_size() + 5}
    config = transformers.AutoConfig.for_model(
        kind, **sizes, bos_token_id=end, eos_token_id=end, pad_token_id=end
    )
    auto: Any = transformers.AutoModelForCausalLM
    auto.from_config(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=END_OF_TEXT, eos_token=END_OF_TEXT
    ).save_pretrained(folder)
