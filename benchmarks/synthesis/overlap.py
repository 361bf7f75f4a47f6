"""Accuracy of `synthesize overlap` for a model whose pretraining notes are known.

    python -m benchmarks.synthesis.overlap es_meddocan_background.jsonl [--notes 150]
        [--epochs 1 3 10]

A GPT-2 of two layers learns some of the notes, from nothing, so many times over; others it never
sees. All come from one source, so that nothing else differs. Then the model is asked about
the notes that it learnt, and about as many that it did not, each beside a third part, which it did
not learn either: the second is to be a guess. Before that, the share of both that have 13 words in
a row of its text. Prints Markdown.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import process_time

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from evaluation.attacks.pretraining_overlap import (
    OwnedTexts,
    measure_likelihood,
    measure_shared_runs,
)
from evaluation.gate import Measured
from models.language.training.foundation_model import FoundationModel
from pipeline.files.gold import read_annotated

_MARK = "<|endoftext|>"
_PIECES, _PLACES, _WIDTH, _LAYERS = 4096, 512, 128, 2
_RATE, _ROWS = 1e-3, 8


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each number of epochs."""
    options = _parse(arguments)
    texts = [note.document.text for note in read_annotated(options.texts, [])]
    texts = sorted(set(texts))
    Random(options.seed).shuffle(texts)
    parts = [texts[at * options.notes : (at + 1) * options.notes] for at in range(3)]
    learnt, new, unseen = parts
    if len(unseen) < options.notes:
        raise SystemExit(f"{options.texts}: fewer than {3 * options.notes} texts")
    base = [[text] for text in learnt]
    for name, some in (("learnt", learnt), ("new", new)):
        found, _ = measure_shared_runs(some, list(map(str, range(len(some)))), base, name)
        print(f"runs of 13 words, {name} notes: {_told(found)}")
    print("\n| epochs | nats per subword | training notes | unseen notes | known leak | seconds |")
    print("| ---: | ---: | --- | --- | ---: | ---: |", flush=True)
    for epochs in options.epochs:
        started = process_time()
        with tempfile.TemporaryDirectory() as folder:
            loss = _pretrain(learnt, epochs, Path(folder), options.seed)
            model = FoundationModel.of_folder(Path(folder))
        known, others = (
            measure_likelihood(model, _owned(some), _owned(unseen), "") for some in (learnt, new)
        )
        print(
            f"| {epochs} | {loss:.2f} | {_told(known)} | {_told(others)} "
            f"| {known.control:.2f} | {process_time() - started:.0f} |",
            flush=True,
        )


def _owned(texts: Sequence[str]) -> OwnedTexts:
    """Return the texts as those of a patient each."""
    return OwnedTexts(texts, list(map(str, range(len(texts)))))


def _told(found: Measured) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def _pretrain(texts: Sequence[str], epochs: int, folder: Path, seed: int) -> float:
    """Train a model from nothing and save it as its makers would; returns its last loss."""
    torch.manual_seed(seed)
    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator(texts, _PIECES, special_tokens=[_MARK], show_progress=False)
    config = GPT2Config(
        vocab_size=pieces.get_vocab_size(), n_positions=_PLACES, n_embd=_WIDTH, n_layer=_LAYERS,
        n_head=4, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    stream = [number for text in texts for number in (0, *pieces.encode(text).ids)]
    windows = torch.tensor(stream[: len(stream) // _PLACES * _PLACES]).view(-1, _PLACES)
    course = torch.optim.AdamW(model.parameters(), lr=_RATE)
    loss = torch.tensor(float("nan"))
    for _ in range(epochs):
        for rows in torch.randperm(len(windows)).split(_ROWS):
            loss = model(input_ids=windows[rows], labels=windows[rows]).loss
            course.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            course.step()
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=pieces._tokenizer, bos_token=_MARK, eos_token=_MARK
    ).save_pretrained(folder)
    return float(loss)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("--notes", type=int, default=150, help="notes in each of the three parts")
    parser.add_argument("--epochs", type=int, nargs="+", default=[1, 3, 10])
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
