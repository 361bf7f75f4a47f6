"""Training of the shipped line classifier on fictional letters.

    python -m benchmarks.extraction.train_line_classifier OUTPUT.npz [--documents 2400]
        [--steps 3000] [--seed 1]

Prints the loss, then how the model does on training layouts that it has not seen, for several
values of `keep`.
"""

import argparse
import time
from pathlib import Path

from benchmarks.extraction.letters import render_letters
from benchmarks.extraction.segmentation import DEV_SEEDS, class_table, measure, table
from extractors.layout.line_classifier import LineClassifier
from extractors.layout.training import train_line_classifier

_EVERY = 100


def main() -> None:
    options = _parse()
    started = time.perf_counter()
    documents = [pages for _, pages in render_letters(range(options.documents), held_out=False)]
    print(
        f"{len(documents)} letters, {sum(map(len, documents))} pages rendered and extracted", end=""
    )
    print(f" in {time.perf_counter() - started:.0f} s")
    started = time.perf_counter()
    model = train_line_classifier(
        documents, seed=options.seed, steps=options.steps, progress=_report
    )
    print(f"{options.steps} steps in {time.perf_counter() - started:.0f} s")
    model.save(options.output)
    dev = list(render_letters(DEV_SEEDS, held_out=False))
    bars = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
    print(table({f"keep {bar}": measure(LineClassifier(model.weights, bar), dev) for bar in bars}))
    print(class_table(measure(model, dev).scores))


def _report(step: int, loss: float) -> None:
    if (step + 1) % _EVERY == 0:
        print(f"step {step + 1}: loss {loss:.3f}", flush=True)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train the shipped line classifier.")
    parser.add_argument("output", type=Path)
    parser.add_argument("--documents", type=int, default=2400)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
