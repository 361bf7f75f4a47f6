"""Throughput of a tagger: a plain loop over its encoder, each runtime, and all detectors.

    python -m benchmarks.detection.tagger [--model DIR] [--notes 48] [--pieces 500] [--rounds 3]
        [--threads 1]

Notes of the fictional hospital of about so many pieces, a third each in French, English, Spanish.
`plain` is what a first script does with the same weights: each note cut into parts of 510 pieces
padded to 512, one call each, the best tag of every word taken alone. `torch`, `onnx`, `onnx-int8`
and, where it is installed, `openvino` (with `openvino-int8`, of a tagger that `cryptonym quantize`
made) are our runtimes, with windows that share context and one best sequence over the note;
`encoder only` is what `onnx-int8` takes for the same windows without sequences, and `rules` what
the rules take alone. Every round runs all arms in one process; medians of processor time, so that
other programs count for little. `share of peak` compares the multiplications of the encoder, once a
piece, with what matrices of its size reach here in 32 bits.
Prints Markdown.
"""

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from statistics import median, quantiles

import torch

from models.hardware import has_vnni
from models.tagger import serialization
from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.onnx_encoder import OnnxEncoder
from models.tagger.encoders.subword_models import END, PADDING, START
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.network import Network, TaggerBatch, collate
from models.tagger.runtime import Tagger
from models.tagger.sequences.alignment import segment_text
from models.tagger.shipped_model import (  # fmt: skip
    DEFAULT,
    ONNX,
    ONNX_INT8,
    OPENVINO,
    OPENVINO_INT8,
    TORCH,
    folder_of,
    is_quantized,
)
from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import TOGETHER
from pipeline.notes.overlap_resolution import resolve_spans, trim_spans
from record.document import Document
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.templates.languages import LANGUAGES

SEED = 78_000
PADDED = 512
PLAIN = "plain loop, fp32"


def main() -> None:
    options = _parse()
    torch.set_num_threads(options.threads)
    trained = serialization.load(options.model)
    taggers = {name: Tagger.load(options.model, name) for name in runtimes(options.model)}
    notes = make_notes(options.notes, options.pieces, trained.subwords)
    arms = _arms(trained, taggers, notes)
    rounds = [
        {name: _seconds(run) for name, run in arms.items()} for _ in range(options.rounds + 1)
    ][1:]  # the first one warms up
    taken = {name: median(each[name] for each in rounds) for name in arms}
    first = taken[PLAIN]
    work, peak = count_multiplications(trained, notes), measure_gemm_peak(trained.network)
    print(
        f"{len(notes)} notes, {options.threads} threads, {torch.backends.cpu.get_cpu_capability()}"
    )
    print("\n| arm | notes/s | relative to the plain loop | share of peak |")
    print("| --- | ---: | ---: | ---: |")
    for name, seconds in taken.items():
        share = work / seconds / peak
        print(f"| {name} | {len(notes) / seconds:.2f} | {first / seconds:.2f} | {share:.0%} |")
    for name, tagger in taggers.items():
        each = sorted(_seconds(partial(tagger.spans, [one])) for one in notes)
        half, most = quantiles(each, n=20)[9], quantiles(each, n=20)[18]
        print(f"\none note, {name}: p50 {half * 1000:.0f} ms, p95 {most * 1000:.0f} ms")
    print(f"\npeak matrix multiplication (fp32): {peak / 1e9:.0f} GFLOP/s")
    asked = sum(len(ids) for note in notes for ids in trained.subwords.of(note.text)[1])
    encoded = sum(int(batch.lengths.sum()) for batch in _windows(trained, notes))
    print(f"subwords computed per subword of a note: {encoded / asked:.2f}")


def _arms(
    trained: serialization.TrainedTagger, taggers: Mapping[str, Tagger], notes: Sequence[Document]
) -> dict[str, Callable[[], object]]:
    groups = [notes[at : at + TOGETHER] for at in range(0, len(notes), TOGETHER)]
    assert isinstance(trained.network.encoder, Encoder)
    exported = OnnxEncoder(trained.network.encoder, eight_bits=True)
    windows = _windows(trained, notes)
    arms: dict[str, Callable[[], object]] = {
        PLAIN: lambda: run_plain_loop(trained.network, trained.subwords, notes)
    }
    arms["rules"] = lambda: [by_rules(note) for note in notes]
    for name, tagger in taggers.items():
        arms[f"{name}, one note per call"] = partial(_each, tagger.spans, [[one] for one in notes])
        arms[f"{name}, {TOGETHER} notes per call"] = partial(_each, tagger.spans, groups)
        arms[f"hybrid: rules and {name}"] = partial(_each, partial(detect_hybrid, tagger), groups)
    arms["onnx-int8, encoder only"] = lambda: [exported(each.ids, each.lengths) for each in windows]
    return arms


def _each(
    work: Callable[[Sequence[Document]], object], groups: Sequence[Sequence[Document]]
) -> None:
    for group in groups:
        work(group)


def _windows(trained: serialization.TrainedTagger, notes: Sequence[Document]) -> list[TaggerBatch]:
    cuttings = [segment_text(note.text, trained.subwords, trained.cut) for note in notes]
    return [collate([(each.pieces, window)]) for each in cuttings for window in each.windows]


def make_notes(count: int, pieces: int, subwords: SubwordTokenizer) -> list[Document]:
    """Return notes cut to so many pieces, one language after the other."""
    hospitals = [
        make_hospital(count, seed=SEED, lang=lang, mean_characters=4000, pdf_share=0, scan_share=0)
        for lang in LANGUAGES
    ]
    columns = zip(*(hospital.notes() for hospital in hospitals), strict=False)
    notes = (note.annotated.document.text for note in chain.from_iterable(columns))
    return [_cut(str(at), text, pieces, subwords) for at, text in enumerate(islice(notes, count))]


def _cut(note_id: str, text: str, pieces: int, subwords: SubwordTokenizer) -> Document:
    words, ids = subwords.of(text)
    total, end = 0, len(text)
    for word, each in zip(words, ids, strict=True):
        total += len(each)
        if total > pieces:
            end = word[0]
            break
    return Document(note_id, text[:end])


@torch.no_grad()
def run_plain_loop(network: Network, subwords: SubwordTokenizer, notes: Sequence[Document]) -> None:
    """Encode each note in parts padded to one length, and take the best tag of each piece."""
    for document in notes:
        ids = [one for each in subwords.of(document.text)[1] for one in each]
        for at in range(0, len(ids), PADDED - 2):
            row = [START, *ids[at : at + PADDED - 2], END]
            padded = torch.full((1, PADDED), PADDING)
            padded[0, : len(row)] = torch.tensor(row)
            hidden = network.encoder(padded, torch.tensor([len(row)]))
            network.scores(hidden).argmax(-1)


def detect_hybrid(tagger: Tagger, notes: Sequence[Document]) -> None:
    """Find and join what rules and the model find."""
    for document, found in zip(notes, tagger.spans(notes), strict=True):
        resolve_spans([*by_rules(document), *trim_spans(found, document.text)], document.text)


def count_multiplications(trained: serialization.TrainedTagger, notes: Sequence[Document]) -> float:
    """Count twice the multiplications with weights of the encoder's layers, once a piece."""
    layers = trained.network.encoder.get_submodule("body.encoder").parameters()
    weights = sum(weight.numel() for weight in layers if weight.dim() == 2)
    pieces = sum(len(ids) for note in notes for ids in trained.subwords.of(note.text)[1])
    return 2.0 * weights * pieces


def measure_gemm_peak(network: Network) -> float:
    """Measure what the encoder's largest multiplication reaches on its own, in FLOP/s."""
    width = network.encoder.width
    left, right = torch.randn(1024, width), torch.randn(width, 4 * width)
    work = 2.0 * 1024 * width * 4 * width
    return max(work * 20 / _seconds(lambda: [left @ right for _ in range(20)]) for _ in range(5))


def runtimes(folder: Path) -> tuple[str, ...]:
    """Return the runtimes that are there and can take a tagger."""
    eight_bits = (OPENVINO_INT8,) if has_vnni() and is_quantized(folder) else ()
    return TORCH, *((OPENVINO, *eight_bits) if find_spec("openvino") else ()), ONNX, ONNX_INT8


def _seconds(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detection.tagger")
    add = parser.add_argument
    add(
        "--model",
        type=Path,
        default=folder_of(DEFAULT),
        help="folder of a tagger; default: the shipped one",
    )
    add("--notes", type=int, default=48)
    add("--pieces", type=int, default=500)
    add("--rounds", type=int, default=3)
    add("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
