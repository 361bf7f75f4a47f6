"""How many sentences and tables without an identifier detection touches, by detector.

    python -m benchmarks.detection.hard_negatives [--model default] [--runtime onnx] [--print]

They are in `negatives/`. `--print` shows what was covered, for these texts name nobody. Prints
Markdown.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from models.tagger.loading import LoadedTagger, load_tagger_folder
from models.tagger.shipped_model import ONNX, RUNTIMES, folder_of
from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import find_in_readings
from record.document import Document
from record.span import Span

FOLDER = Path(__file__).with_name("negatives")
LANGUAGES = ("fr", "en", "es", "de")


def main() -> None:
    options = _parse()
    tagger = load_tagger_folder(folder_of(options.model), options.runtime)
    print("| texts | rules | tagger | both |")
    print("| --- | ---: | ---: | ---: |")
    for name, documents in read_texts():
        touched = [find(document, tagger) for document in documents]
        rules, model = (sum(bool(each[at]) for each in touched) for at in (0, 1))
        both = sum(bool(one or other) for one, other in touched)
        print(f"| {name} ({len(documents)}) | {rules} | {model} | {both} |", flush=True)
        if options.print:
            for document, found in zip(documents, touched, strict=True):
                for span in (*found[0], *found[1]):
                    written = document.text[span.start : span.end].replace("\n", " / ")
                    print(f"- {document.note_id} {span.detector} {span.label}: {written}")


def read_texts() -> Iterator[tuple[str, list[Document]]]:
    """Yield the sentences of each language, then the tables, each as a document."""
    for lang in LANGUAGES:
        lines = (FOLDER / f"{lang}.txt").read_text("utf-8").splitlines()
        sentences = [line for line in lines if line.strip()]
        yield (
            f"sentences, {lang}",
            [Document(f"{lang} {at}", text, lang=lang) for at, text in enumerate(sentences, 1)],
        )
    tables = []
    for number, table in enumerate((FOLDER / "tables.txt").read_text("utf-8").split("\n===\n"), 1):
        head, _, text = table.strip().partition("\n")
        tables.append(Document(f"table {number}", text, lang=head.removeprefix("# ")))
    yield "tables", tables


def find(document: Document, tagger: LoadedTagger) -> tuple[list[Span], list[Span]]:
    """Return what rules and the tagger cover in a text."""
    return by_rules(document), find_in_readings(document, lambda one: tagger.spans([one])[0])


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="default", help="folder of a tagger (default: shipped)")
    parser.add_argument("--runtime", choices=RUNTIMES, default=ONNX, help="of the tagger")
    parser.add_argument("--print", action="store_true", help="show what was covered")
    return parser.parse_args()


if __name__ == "__main__":
    main()
