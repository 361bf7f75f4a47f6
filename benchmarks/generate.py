"""Speed of generation by batch size, beside the loop that a library has for the same weights.

    python -m benchmarks.generate [--batches 1,8,32] [--length 128]

Weights are drawn by chance: how fast ids come does not depend on what they are. Tokens a second of
processor time, on as many threads as torch is given (OMP_NUM_THREADS). The transformer is compared
with `generate` of transformers on a GPT-2 of the same sizes; for an LSTM there is no such loop, so
it is compared with the plain one of PyTorch's word language model example: one text at a time.
"""

import argparse
import string
from collections.abc import Callable
from time import process_time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from models.language.decoding import Decoding, Task, write_texts
from models.language.folder import build
from models.language.grammar import Grammar, Marks
from models.language.lstm import LSTM
from models.language.memory import LanguageModel
from models.language.vocabulary import END, UNKNOWN, Words

_MARKS = (END, UNKNOWN, "<PAR>", "<A_START>", "<A_END>")
_PROMPT = 3
_TEMPERATURE = 0.1  # makes the scores of weights drawn by chance as peaked as trained ones are


def main() -> None:
    """Print one line for each model and batch size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", default="1,8,32,128")
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--lstm-width", type=int, default=650)
    options = parser.parse_args()
    words = Words(_MARKS, _invented(options.vocabulary - len(_MARKS)))
    torch.manual_seed(1)
    shared = {"vocabulary": words.size, "dropout": 0.0}
    context = options.length + 8
    gpt = build(
        {"kind": "gpt", "width": options.width, "layers": options.layers,
         "heads": options.width // 32, "context": context, **shared}
    ).eval()  # fmt: skip
    lstm = build({"kind": "lstm", "width": options.lstm_width, "layers": 2, **shared}).eval()
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=words.size, n_positions=context, n_embd=options.width,
            n_layer=options.layers, n_head=options.width // 32, bos_token_id=0, eos_token_id=0,
        )
    ).eval()  # fmt: skip
    print(
        f"torch {torch.__version__}, {torch.get_num_threads()} threads, {options.length} ids a text"
    )
    for size in map(int, options.batches.split(",")):
        for name, write in (
            ("gpt, ours", lambda n=size: _ours(gpt, words, n, options)),
            ("gpt, transformers", lambda n=size: _library(theirs, n, options)),
            ("lstm, ours", lambda n=size: _ours(lstm, words, n, options)),
        ):
            _report(name, size, options.length, write)
    assert isinstance(lstm, LSTM)
    _report("lstm, plain loop", 1, options.length, lambda: _plain(lstm, options.length))


def _report(name: str, texts: int, length: int, write: Callable[[], None]) -> None:
    write()  # once to warm up
    started = process_time()
    write()
    seconds = process_time() - started
    print(f"{name:<18} batch {texts:>4}: {texts * length / seconds:>8.0f} ids/cpu-s", flush=True)


def _ours(network: LanguageModel, words: Words, texts: int, options: argparse.Namespace) -> None:
    grammar = Grammar(words, Marks([("<A_START>", "<A_END>")], [9], ["<PAR>"], [UNKNOWN]))
    tasks = [Task([], [5] * _PROMPT, None, (1, place)) for place in range(texts)]
    length = options.length
    decoding = Decoding(
        min_length=length, max_length=length, temperature=_TEMPERATURE, enforced=False
    )
    write_texts(network, grammar, tasks, decoding)


@torch.inference_mode()
def _library(network: GPT2LMHeadModel, texts: int, options: argparse.Namespace) -> None:
    network.generate(
        torch.full((texts, _PROMPT), 5), attention_mask=torch.ones(texts, _PROMPT).long(),
        do_sample=True, top_p=0.95, temperature=_TEMPERATURE, top_k=0, pad_token_id=0,
        min_length=options.length, max_length=options.length,
    )  # fmt: skip


@torch.inference_mode()
def _plain(network: LSTM, length: int) -> None:
    number, state = torch.tensor([[5]]), network.start(1, 0).state
    for _ in range(length):
        scores, state = network.read(number, state)
        number = torch.multinomial(scores[0].softmax(-1), 1)


def _invented(count: int) -> list[str]:
    letters = string.ascii_lowercase
    return [
        letters[n // 676 % 26] + letters[n // 26 % 26] + letters[n % 26] + str(n)
        for n in range(count)
    ]


if __name__ == "__main__":
    main()
