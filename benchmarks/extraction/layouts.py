"""Share of documents without a leak with the `full` and the `body` layout.

    python -m benchmarks.extraction.layouts [--patients 200] [--seed 1] [--langs fr,en,es]

Renders the PDF reports of the demo hospital (printed and scanned), extracts each in both layouts,
and looks which words of planted identifiers are still to be read: before any detection, after the
rules, and after rules and what is known of the patient. A word that the report also uses outside
of identifiers does not count. Prints a Markdown table.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from scipy.stats import binomtest

from extractors.document.limits import Limits
from extractors.document.options import LANGUAGES, Layout, Options
from extractors.extractor import Extractor
from pipeline.night.engine import annotate_note
from pipeline.notes.detection import KnownPatients
from record.document import Annotated, Document
from record.errors import Unreadable
from record.patient import PatientRecord
from record.span import Span
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.pdf_letters.rendering import render

_WORD = re.compile(r"[^\W_]{3,}")
_KNOWN = KnownPatients()
DETECTIONS = ("none", "rules", "rules and known")


def main() -> None:
    options = _parse()
    print(
        "| language | layout | documents | refused | detection | zero leaks | 95 % | words left |"
    )
    print("| --- | --- | ---: | ---: | --- | ---: | --- | ---: |")
    for lang in options.langs.split(","):
        letters = list(render_reports(lang, options.patients, options.seed))
        for layout in Layout:
            for row in measure_layouts(letters, layout):
                print("| " + " | ".join((lang, layout.value, *row)) + " |", flush=True)


Letter = tuple[bytes, Annotated, PatientRecord]


def render_reports(lang: str, patients: int, seed: int) -> Iterator[Letter]:
    """Render the hospital's reports."""
    hospital = make_hospital(patients, seed=seed, lang=lang)
    for note in hospital.notes():
        if note.rendering != "text":
            data, annotated = render(note, hospital, seed=seed)
            person = annotated.document.person_id
            yield data, annotated, hospital.patients[int(person or 0)]


def measure_layouts(letters: Sequence[Letter], layout: Layout) -> Iterator[tuple[str, ...]]:
    """Return a row for each way of detecting."""
    extractor = Extractor(Limits(), Options(layout, languages=LANGUAGES))
    left: dict[str, Counter[int]] = {name: Counter() for name in DETECTIONS}
    refused = 0
    for number, (data, gold, patient) in enumerate(letters):
        try:
            text = extractor.extract(data).text
        except Unreadable:
            refused += 1
            continue
        document = Document(
            note_id=str(number),
            text=text,
            person_id=gold.document.person_id,
            lang=gold.document.lang,
            written=gold.document.written,
        )
        secret = identifier_words(gold)
        for name in DETECTIONS:
            masked = blank_spans(text, detect_spans(name, document, patient))
            left[name][number] = len(secret & split_words(masked))
    for name, leaks in left.items():
        clean = sum(count == 0 for count in leaks.values())
        interval = binomtest(clean, len(leaks)).proportion_ci(method="wilson")
        rate = f"{100 * clean / len(leaks):.1f} %"
        between = f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
        yield str(len(leaks)), str(refused), name, rate, between, str(leaks.total())


def identifier_words(gold: Annotated) -> set[str]:
    """Return the words that only identifiers hold."""
    text = gold.document.text
    inside = set[str]().union(*(split_words(text[span.start : span.end]) for span in gold.spans))
    return inside - split_words(blank_spans(text, gold.spans))


def split_words(text: str) -> set[str]:
    """Return the words and numbers of at least three characters, in small letters."""
    return set(_WORD.findall(text.casefold()))


def blank_spans(text: str, spans: Sequence[Span]) -> str:
    """Blank the spans out."""
    chars = list(text)
    for span in spans:
        chars[span.start : span.end] = " " * (span.end - span.start)
    return "".join(chars)


def detect_spans(detection: str, document: Document, patient: PatientRecord) -> Sequence[Span]:
    """Find identifiers in one of the ways compared."""
    if detection == "none":
        return ()
    return annotate_note(
        document, patient if detection == "rules and known" else None, _KNOWN
    ).spans


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--patients", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--langs", default="fr,en,es")
    return parser.parse_args()


if __name__ == "__main__":
    main()
