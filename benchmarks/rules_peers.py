"""Seconds a note of the rules of public peers; runs in an environment that has them installed.

    python benchmarks/rules_peers.py < texts.json

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


def main() -> None:
    texts: list[str] = json.load(sys.stdin)
    arms = {"peer edsnlp, dates alone": edsnlp_dates(), "peer deduce": deduce_all()}
    print(json.dumps({name: _seconds(run, texts) for name, run in arms.items()}))


def edsnlp_dates() -> Callable[[str], object]:
    pipeline = edsnlp.blank("eds")
    for name in ("eds.normalizer", "eds.sentences", "eds.dates"):
        pipeline.add_pipe(name)
    return pipeline


def deduce_all() -> Callable[[str], object]:
    return Deduce().deidentify


def _seconds(run: Callable[[str], object], texts: list[str]) -> float:
    for text in texts[:3]:
        run(text)
    started = time.process_time()
    for text in texts:
        run(text)
    return (time.process_time() - started) / len(texts)


if __name__ == "__main__":
    main()
