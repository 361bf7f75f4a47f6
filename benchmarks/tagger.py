"""Notes per second of a tagger: a plain loop over its encoder, our runtime, and all detectors.

    python -m benchmarks.tagger [--model DIR] [--notes 48] [--pieces 500] [--rounds 3] [--threads 1]

Notes of the fictional hospital of about so many pieces, a third each in French, English, Spanish.
`plain` is what a first script does with the same weights: each note cut into parts of 510 pieces
padded to 512, one call each, the best tag of every word taken alone. `runtime` adds windows with
context, batches of like length and one best sequence over the note. All arms run in one process,
one after the other, several rounds; medians of time. `share of peak` compares the
multiplications of the encoder with what matrices of its size reach here. Prints Markdown.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from itertools import chain, islice
from pathlib import Path
from statistics import median, quantiles

import torch

from models.tagger import folder
from models.tagger.network import Network
from models.tagger.runtime import Tagger
from models.tagger.shipped import DEFAULT, folder_of
from models.tagger.subwords import END, PADDING, START, SubWords
from pipeline.detection import by_rules
from pipeline.resolve import resolve, trim
from record.document import Document
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.languages import LANGUAGES

SEED = 78_000
PADDED = 512
TOGETHER = 16


def main() -> None:
    options = _parse()
    torch.set_num_threads(options.threads)
    trained = folder.load(options.model)
    tagger = Tagger(folder.load(options.model))
    notes = make_notes(options.notes, options.pieces, trained.subwords)
    texts = [[document] for document in notes]
    groups = [notes[at : at + TOGETHER] for at in range(0, len(notes), TOGETHER)]
    arms: dict[str, Callable[[], object]] = {
        "plain loop, fp32": lambda: plain(trained.network, trained.subwords, notes),
        "runtime, one note a call": lambda: [tagger.spans(each) for each in texts],
        f"runtime, {TOGETHER} notes a call": lambda: [tagger.spans(group) for group in groups],
        "hybrid: rules and runtime": lambda: [hybrid(tagger, group) for group in groups],
    }
    taken = {
        name: median(_seconds(run) for _ in range(options.rounds)) for name, run in arms.items()
    }
    first = next(iter(taken.values()))
    work, peak = multiplications(trained, notes), gemm_peak(trained.network)
    print(
        f"{len(notes)} notes, {options.threads} threads, {torch.backends.cpu.get_cpu_capability()}"
    )
    print("\n| arm | notes/s | against the plain loop | share of peak |")
    print("| --- | ---: | ---: | ---: |")
    for name, seconds in taken.items():
        share = work / seconds / peak
        print(f"| {name} | {len(notes) / seconds:.2f} | {first / seconds:.2f} | {share:.0%} |")
    each = sorted(_seconds(lambda one=one: tagger.spans(one)) for one in texts)
    half, most = quantiles(each, n=20)[9], quantiles(each, n=20)[18]
    print(f"\nlatency of one note: p50 {half * 1000:.0f} ms, p95 {most * 1000:.0f} ms")
    print(f"peak of matrices (fp32): {peak / 1e9:.0f} GFLOP/s")


def make_notes(count: int, pieces: int, subwords: SubWords) -> list[Document]:
    """Give notes cut to so many pieces, one language after the other."""
    hospitals = [
        make_hospital(count, seed=SEED, lang=lang, mean_characters=4000, pdf_share=0, scan_share=0)
        for lang in LANGUAGES
    ]
    columns = zip(*(hospital.notes() for hospital in hospitals), strict=False)
    notes = (note.annotated.document.text for note in chain.from_iterable(columns))
    return [_cut(str(at), text, pieces, subwords) for at, text in enumerate(islice(notes, count))]


def _cut(note_id: str, text: str, pieces: int, subwords: SubWords) -> Document:
    words, ids = subwords.of(text)
    total, end = 0, len(text)
    for word, each in zip(words, ids, strict=True):
        total += len(each)
        if total > pieces:
            end = word[0]
            break
    return Document(note_id, text[:end])


@torch.no_grad()
def plain(network: Network, subwords: SubWords, notes: Sequence[Document]) -> None:
    """Encode each note in parts padded to one length, and take the best tag of each piece."""
    for document in notes:
        ids = [one for each in subwords.of(document.text)[1] for one in each]
        for at in range(0, len(ids), PADDED - 2):
            row = [START, *ids[at : at + PADDED - 2], END]
            padded = torch.full((1, PADDED), PADDING)
            padded[0, : len(row)] = torch.tensor(row)
            hidden = network.encoder(padded, torch.tensor([len(row)]))
            network.scores(hidden).argmax(-1)


def hybrid(tagger: Tagger, notes: Sequence[Document]) -> None:
    """Find and join what rules and the model find."""
    for document, found in zip(notes, tagger.spans(notes), strict=True):
        resolve([*by_rules(document), *trim(found, document.text)], document.text)


def multiplications(trained: folder.Trained, notes: Sequence[Document]) -> float:
    """Count twice the multiplications with weights of the encoder's layers, once a piece."""
    layers = trained.network.encoder.body.encoder.parameters()
    weights = sum(weight.numel() for weight in layers if weight.dim() == 2)
    pieces = sum(len(ids) for note in notes for ids in trained.subwords.of(note.text)[1])
    return 2.0 * weights * pieces


def gemm_peak(network: Network) -> float:
    """Measure what the encoder's largest multiplication reaches on its own, in FLOP/s."""
    width = network.encoder.width
    left, right = torch.randn(1024, width), torch.randn(width, 4 * width)
    work = 2.0 * 1024 * width * 4 * width
    return max(work * 20 / _seconds(lambda: [left @ right for _ in range(20)]) for _ in range(5))


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tagger")
    add = parser.add_argument
    add("--model", type=Path, default=folder_of(DEFAULT), help="default: the one that is shipped")
    add("--notes", type=int, default=48)
    add("--pieces", type=int, default=500)
    add("--rounds", type=int, default=3)
    add("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
