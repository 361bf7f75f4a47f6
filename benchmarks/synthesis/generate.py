"""Throughput of text generation by batch size, and its theoretical bounds.

    python -m benchmarks.synthesis.generate [--batches 1,8,32,64,128] [--length 128]
        [--only lstm|gpt] [--compared 32] [--pretrained FOLDER [--bfloat16]]

With `--pretrained` the writer is the causal model of that folder, compared with `generate` of
transformers on the same weights, and nothing else is measured; with `--bfloat16` it computes in
that. Otherwise weights are drawn by chance: how fast ids come does not depend on what they are. Ids
a second of processor time, on as many threads as torch is given (OMP_NUM_THREADS), the best of
`--repeat`; with `--clock`, and on a GPU, where there is one, a second by the clock: what several
threads bring shows there alone, and so does whatever else runs. The transformer is compared with
`generate` of transformers on a GPT-2 with the same weights. For an LSTM there is no such loop: it
is compared with the plain one of PyTorch's word language model example, for as many texts side by
side.

`products` are the ids a second if a step were nothing but its products with the weights, as linear
layers of PyTorch make them, and `share` how much of that is reached: more than all of it where ours
are made by a faster library; `memory` is the share of a step in which its weights could be
read once, as fast as memory is copied. `equal` is the share of `--compared` texts that are, id for
id, those written one by one: a product of another size rounds otherwise, which may turn a draw.
Prints Markdown.
"""

import argparse
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import GPT2Config, GPT2LMHeadModel

from models.language.corpus.vocabulary import END, UNKNOWN, Vocabulary, WordVocabulary
from models.language.decoding.generation import (
    Decoding,
    DecodingTask,
    GeneratedText,
    generate_texts,
)
from models.language.decoding.tag_grammar import Grammar, TagTokens
from models.language.networks.gpt import GPT
from models.language.networks.language_model import LanguageModel
from models.language.networks.lstm import LSTM
from models.language.networks.pretrained import (
    PretrainedNetwork,
    load_pretrained,
    load_vocabulary,
)
from models.language.training.gpt2_weights import rename_weights
from models.language.training.serialization import build

_MARKS = (END, UNKNOWN, "<PAR>", "<A_START>", "<A_END>")
_PROMPT = 3
_PRETRAINED = "pretrained"
_NUCLEUS = 0.95
_SIZES = {
    "--repeat": 3, "--length": 128, "--vocabulary": 8192, "--width": 256, "--layers": 6,
    "--lstm-width": 650, "--compared": 32,
}  # fmt: skip
_COPIED = 2**26  # numbers, more than any cache holds
_GIGA = 1e9

Write = Callable[[int], object]


@dataclass(frozen=True)
class Clock:
    """Takes the time on a device: of the processor, or by the clock, as where a GPU works."""

    device: torch.device
    repeat: int
    by_clock: bool = False

    def best(self, work: Callable[[], object]) -> float:
        """Return the least seconds that the work took, after it was done once to warm up."""
        work()
        return min(self._seconds(work) for _ in range(self.repeat))

    def _seconds(self, work: Callable[[], object]) -> float:
        started = self._now()
        work()
        return self._now() - started

    def _now(self) -> float:
        if self.device.type == "cpu":
            return perf_counter() if self.by_clock else process_time()
        torch.cuda.synchronize(self.device)
        return perf_counter()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each loop and number of texts, on the processor and on a GPU if any."""
    options = _parse(arguments)
    words = WordVocabulary(_MARKS, _invented(options.vocabulary - len(_MARKS)))
    threads = torch.get_num_threads()
    print(f"torch {torch.__version__}, {threads} threads, {options.length} ids per text")
    for name in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
        clock = Clock(torch.device(name), options.repeat, options.clock)
        speed = measure_bandwidth(clock)
        print(f"\nOn {name}, memory bandwidth {speed / _GIGA:.1f} GB/s:\n")
        print(
            "| loop | texts | ids per second | relative to one text | products | share | memory "
            "| equal |"
        )
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
        if options.pretrained:
            _measure(_PRETRAINED, None, clock, speed, options)
            continue
        for kind in (options.only,) if options.only else ("lstm", "gpt"):
            _measure(kind, words, clock, speed, options)


def measure_bandwidth(clock: Clock) -> float:
    """Measure how many bytes a second are read and written where memory is copied."""
    source = torch.zeros(_COPIED, device=clock.device)
    copied = torch.empty_like(source)
    return 2 * source.numel() * source.element_size() / clock.best(lambda: copied.copy_(source))


def weights_per_step(network: nn.Module) -> list[Tensor]:
    """Return the weights that each step multiplies by, all of them once."""
    found = [module.weight for module in network.modules() if isinstance(module, nn.Linear)]
    layers = [module for module in network.modules() if isinstance(module, nn.LSTM)]
    return found + [each for layer in layers for each in layer.parameters() if each.dim() > 1]


def _measure(
    kind: str,
    words: WordVocabulary | None,
    clock: Clock,
    speed: float,
    options: argparse.Namespace,
) -> None:
    torch.manual_seed(1)
    vocabulary: Vocabulary
    if words is None:
        vocabulary = load_vocabulary(options.pretrained, _MARKS)
        longest = options.length + 8
        network: LanguageModel = load_pretrained(
            options.pretrained, vocabulary, context=longest
        ).eval()
        network.to(clock.device, torch.bfloat16 if options.bfloat16 else torch.float32)
    else:
        vocabulary = words
        network = _network(kind, words, options).to(clock.device)
    weights = weights_per_step(network)
    read = sum(each.numel() * each.element_size() for each in weights) / speed
    sizes = [int(size) for size in options.batches.split(",")]
    products = {size: clock.best(partial(_multiply, weights, size)) for size in sizes}
    grammar = _grammar(vocabulary)
    alone = [
        _ours(network, grammar, range(place, place + 1), options.length)[0]
        for place in range(options.compared)
    ]
    equal = {size: share_equal(network, grammar, size, alone, options.length) for size in sizes}
    for name, write in _loops(kind, network, grammar, options):
        single = None
        for size in sizes:
            step = clock.best(partial(write, size)) / options.length
            single = step if size == 1 else single
            ratio = f"{size * single / step:.1f}" if single else "-"
            shares = f"{products[size] / step:.0%} | {read / step:.0%}"
            same = f"{equal[size]:.0%}" if name.endswith("ours") else ""
            print(
                f"| {name} | {size} | {size / step:,.0f} | {ratio} "
                f"| {size / products[size]:,.0f} | {shares} | {same} |",
                flush=True,
            )


def _network(kind: str, words: WordVocabulary, options: argparse.Namespace) -> LanguageModel:
    shape = {"kind": kind, "vocabulary": words.size, "dropout": 0.0}
    if kind == "lstm":
        return build(shape | {"width": options.lstm_width, "layers": 2}).eval()
    sizes = {"width": options.width, "layers": options.layers, "heads": options.width // 32}
    return build(shape | sizes | {"context": options.length + 8}).eval()


def _loops(
    kind: str, network: LanguageModel, grammar: Grammar, options: argparse.Namespace
) -> Iterator[tuple[str, Write]]:
    """Return the loops to compare: ours, and one that a library has."""
    theirs: Any = make_gpt2(network) if isinstance(network, GPT) else None
    if isinstance(network, PretrainedNetwork):
        theirs = network.network
    yield f"{kind}, ours", lambda texts: _ours(network, grammar, range(texts), options.length)
    if theirs is not None:
        yield f"{kind}, transformers", lambda texts: _library(theirs, texts, options.length)
    if isinstance(network, LSTM):
        yield "lstm, plain loop", lambda texts: _plain(network, texts, options.length)


def make_gpt2(network: GPT) -> GPT2LMHeadModel:
    """Make a GPT-2 of transformers and give its weights to a network of the same shape."""
    shape = network.shape
    config = GPT2Config(
        vocab_size=shape["vocabulary"], n_positions=shape["context"], n_embd=shape["width"],
        n_layer=shape["layers"], n_head=shape["heads"], bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    theirs = GPT2LMHeadModel(config).eval().to(network.device)
    state = theirs.transformer.state_dict()
    network.load_state_dict(rename_weights(state, shape["layers"], network))
    with torch.no_grad():
        network.embed.weight.copy_(state["wte.weight"])
    return theirs


@torch.inference_mode()
def _multiply(weights: list[Tensor], rows: int) -> None:
    for weight in weights:
        functional.linear(weight.new_ones(rows, weight.shape[1]), weight)


def share_equal(
    network: LanguageModel,
    grammar: Grammar,
    size: int,
    alone: Sequence[GeneratedText],
    length: int,
) -> float:
    """Return the share of texts written alone that are the same written `size` at a time.

    Where there are fewer texts than that, others are written beside them.
    """
    together: list[GeneratedText] = []
    for start in range(0, len(alone), size):
        together += _ours(network, grammar, range(start, start + size), length)
    same = sum(one.ids == other.ids for one, other in zip(alone, together, strict=False))
    return same / len(alone)


def _grammar(words: Vocabulary) -> Grammar:
    return Grammar(words, TagTokens([("<A_START>", "<A_END>")], [9], ["<PAR>"], [UNKNOWN]))


def _ours(
    network: LanguageModel, grammar: Grammar, places: Sequence[int], length: int
) -> list[GeneratedText]:
    tasks = [DecodingTask([], [5] * _PROMPT, None, (1, place)) for place in places]
    decoding = Decoding(min_length=length, max_length=length, top_p=_NUCLEUS, enforced=False)
    return generate_texts(network, grammar, tasks, decoding)


@torch.inference_mode()
def _library(network: Any, texts: int, length: int) -> None:
    asked = torch.full((texts, _PROMPT), 5, device=network.device)
    network.generate(
        asked, attention_mask=torch.ones_like(asked), do_sample=True, top_p=_NUCLEUS, top_k=0,
        pad_token_id=0, min_length=length, max_length=length,
    )  # fmt: skip


@torch.inference_mode()
def _plain(network: LSTM, texts: int, length: int) -> None:
    ids = torch.full((texts, 1), 5, device=network.device)
    state = network.start(texts, 0).state
    for _ in range(length):
        scores, state = network.forward_from(ids, state)
        ids = torch.multinomial(scores[:, 0].softmax(-1), 1)


def _invented(count: int) -> list[str]:
    letters = string.ascii_lowercase
    return [
        letters[n // 676 % 26] + letters[n // 26 % 26] + letters[n % 26] + str(n)
        for n in range(count)
    ]


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", default="1,8,32,64,128")
    parser.add_argument("--only", choices=("lstm", "gpt"))
    parser.add_argument("--pretrained", type=Path, metavar="FOLDER")
    parser.add_argument("--bfloat16", action="store_true")
    parser.add_argument("--clock", action="store_true", help="measure wall time")
    for name, default in _SIZES.items():
        parser.add_argument(name, type=int, default=default)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
