"""Throughput of filling masked letters: batched, one mask at a time, and with transformers.

    python -m benchmarks.synthesis.fill [--letters 16] [--words 1500] [--share 0.3]
        [--together 8 16]

Weights are drawn by chance and letters are made of made-up words: how fast places are filled does
not depend on either. Letters a minute of processor time, on as many threads as torch is given
(OMP_NUM_THREADS). One by one is one window a call, and one place of it filled. The library is
transformers: its `fill-mask` way, a BERT of the same sizes that scores every word at every token
of the window, the place with the rest of its window as ids.
"""

import argparse
import string
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from time import perf_counter, process_time

import torch
from transformers import BertConfig, BertForMaskedLM

from models.language.masked.masked_model import MaskedFiller, TrainedMasked
from models.language.networks.masked_network import SPECIAL_TOKENS, MaskedLM
from record.document import Document
from synthesis.filling import Filling, FillingMethod, FillingRequest, Window, fill
from synthesis.masking import MaskedDocument, Masking, mask, words_of

_CLASS = "WORD"


class OneByOne:
    """A filler that asks for each place with a call of its own."""

    def __init__(self, filler: MaskedFiller) -> None:
        self._filler = filler

    def candidates(
        self, windows: Sequence[Window], top: int
    ) -> list[list[list[tuple[str, float]]]]:
        """Return candidates of every place."""
        return [
            [
                self._filler.candidates([window], top)[0][number]
                for number in range(list(window).count(None))
            ]
            for window in windows
        ]


class Library:
    """The same, by transformers."""

    def __init__(self, words: Sequence[str], options: argparse.Namespace) -> None:
        config = BertConfig(
            vocab_size=len(words), hidden_size=options.width, num_hidden_layers=options.layers,
            num_attention_heads=options.width // 32, intermediate_size=4 * options.width,
            max_position_embeddings=options.window,
        )  # fmt: skip
        self._network = BertForMaskedLM(config).eval()
        self._words = words
        self._known = {word: number for number, word in enumerate(words)}

    @torch.inference_mode()
    def candidates(
        self, windows: Sequence[Window], top: int
    ) -> list[list[list[tuple[str, float]]]]:
        """Return candidates of every place."""
        return [
            [self._place(window, at, top) for at, word in enumerate(window) if word is None]
            for window in windows
        ]

    def _place(self, window: Window, at: int, top: int) -> list[tuple[str, float]]:
        mask = len(SPECIAL_TOKENS) - 1
        ids = [mask if word is None else self._known.get(word, 1) for word in window]
        scores = self._network(torch.tensor([ids])).logits[0, at]
        chosen = scores.softmax(-1).topk(top)
        pairs = zip(chosen.indices.tolist(), chosen.values.tolist(), strict=True)
        return [(self._words[number], share) for number, share in pairs]


def main() -> None:
    """Print one line for each way of filling."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--letters", type=int, default=16)
    parser.add_argument("--slow-letters", type=int, default=1, help="letters for the slow methods")
    parser.add_argument("--words", type=int, default=1500)
    parser.add_argument("--share", type=float, default=0.3, help="share of words that are masked")
    parser.add_argument("--window", type=int, default=160)
    parser.add_argument("--together", type=int, nargs="*", default=[8, 16], metavar="N")
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--layers", type=int, default=4)
    options = parser.parse_args()
    torch.manual_seed(1)
    words = (*SPECIAL_TOKENS, *_invented(options.vocabulary - len(SPECIAL_TOKENS)))
    network = MaskedLM(
        len(words), width=options.width, layers=options.layers, heads=options.width // 32,
        length=options.window, dropout=0.0,
    )  # fmt: skip
    ours = MaskedFiller(TrainedMasked(network, words, {}))
    theirs = Library(words, options)
    letters = [_letter(number, words, options) for number in range(options.letters)]
    few = letters[: options.slow_letters]
    places = sum(each.is_masked for each in letters[0].decisions)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(
        f"torch {torch.__version__}, {torch.get_num_threads()} threads, {device}; letters of "
        f"{options.words} words, {places} masks in the first",
        flush=True,
    )
    for method in FillingMethod:
        filling = Filling(method, top=6, window=options.window)
        alone = Filling(method, top=6, window=options.window, batch=1)
        arms: list[tuple[str, Sequence[MaskedDocument], object, Filling]] = [
            ("library, one by one", few, theirs, alone),
            ("ours, one by one", few, OneByOne(ours), alone),
            ("ours, batched", letters, ours, filling),
        ]
        if method is FillingMethod.ITERATIVE:
            arms += [
                (f"ours, batch of {number}", letters, ours, replace(filling, together=number))
                for number in options.together
            ]
        speeds: list[float] = []
        for name, some, filler, how in arms:
            speed, wall = _speed(some, lambda many, f=filler, h=how: _fill(many, f, h))  # type: ignore[misc]
            speeds.append(speed)
            print(
                f"{method:<13} {name:<20} {speed:>9.2f} letters/cpu-min {wall:>9.2f} letters/min "
                f"{speed / speeds[0]:>7.1f} times the library"
                + (f" {speed / speeds[1]:>7.1f} times ours one by one" if len(speeds) > 1 else ""),
                flush=True,
            )


def _fill(letters: Sequence[MaskedDocument], filler: object, filling: Filling) -> None:
    fill([FillingRequest(each) for each in letters], filler, filling)  # type: ignore[arg-type]


def _speed(
    letters: Sequence[MaskedDocument], work: Callable[[Sequence[MaskedDocument]], None]
) -> tuple[float, float]:
    """Return letters a minute of processor time, and of the clock."""
    started, began = process_time(), perf_counter()
    work(letters)
    spent, lasted = process_time() - started, perf_counter() - began
    return 60 * len(letters) / spent, 60 * len(letters) / lasted


def _letter(number: int, words: Sequence[str], options: argparse.Namespace) -> MaskedDocument:
    chance = Random(number)
    text = " ".join(chance.choices(words[len(SPECIAL_TOKENS) :], k=options.words))
    parts = [_CLASS] * len(words_of(text))
    return mask(Document(str(number), text), (), (), Masking({_CLASS: options.share}), parts)


def _invented(count: int) -> list[str]:
    letters = string.ascii_lowercase
    return ["".join(letters[n // 26**at % 26] for at in range(4)) for n in range(count)]


if __name__ == "__main__":
    main()
