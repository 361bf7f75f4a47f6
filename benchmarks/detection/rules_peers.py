"""Seconds per note of public peers (edsnlp, deduce), in an environment that has them installed.

    python benchmarks/detection/rules_peers.py < texts.json

Reads a JSON list of texts, prints an object of seconds a note. edsnlp's part is the components of
rules that it publishes for dates, with the normalizer and the sentences they need; deduce's is
its whole pipeline, which is made for Dutch.
"""

import json
import sys
import time
from collections.abc import Callable

import edsnlp
from deduce import Deduce

# Of each text the least counts: other programs only ever add to it.
_ROUNDS = 3


def main() -> None:
    texts: list[str] = json.load(sys.stdin)
    arms = {"peer edsnlp, dates only": edsnlp_dates(), "peer deduce": deduce_all()}
    print(json.dumps({name: _seconds(run, texts) for name, run in arms.items()}))


def edsnlp_dates() -> Callable[[str], object]:
    pipeline = edsnlp.blank("eds")
    for name in ("eds.normalizer", "eds.sentences", "eds.dates"):
        pipeline.add_pipe(name)
    return pipeline


def deduce_all() -> Callable[[str], object]:
    return Deduce().deidentify


def _seconds(run: Callable[[str], object], texts: list[str]) -> float:
    least = [_once(run, text) for text in texts]
    for _ in range(_ROUNDS - 1):
        least = [min(before, _once(run, text)) for before, text in zip(least, texts, strict=True)]
    return sum(least) / len(least)


def _once(run: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    run(text)
    return time.process_time() - started


if __name__ == "__main__":
    main()
