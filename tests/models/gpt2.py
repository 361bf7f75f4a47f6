"""A GPT-2 of a few thousand weights with its own tokenizer, in a folder as HuggingFace saves it."""

from collections.abc import Sequence
from pathlib import Path

import torch
import transformers
from tokenizers import ByteLevelBPETokenizer


def save_gpt2(folder: Path, texts: Sequence[str], *, width: int = 48, places: int = 64) -> None:
    """Draw its weights and learn its pieces."""
    torch.manual_seed(1)
    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator(texts, 400, special_tokens=["<|endoftext|>"], show_progress=False)
    config = transformers.GPT2Config(
        vocab_size=pieces.get_vocab_size(), n_positions=places, n_embd=width, n_layer=2, n_head=4,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    transformers.GPT2LMHeadModel(config).eval().save_pretrained(folder)
    mark = "<|endoftext|>"
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces._tokenizer, bos_token=mark, eos_token=mark
    ).save_pretrained(folder)
