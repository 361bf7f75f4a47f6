"""Utility of generated notes for training taggers: rules, synthetic notes, real notes, and both.

    python -m benchmarks.synthesis.three_settings TRAIN TEST -o FOLDER [--notes 600] [--seeds 3] \\
        [-- --recipe lstm-small --width 256 --dropout 0.3 --epochs 16]

Libbi et al. (2021), section 4.2, on annotated letters as JSON Lines, in our labels or in
MEDDOCAN's. `synthesize prepare` parts TRAIN; its train part teaches the generator (what stands
behind `--` goes to `synthesize train`), which freely writes `--candidates` times as many notes as
`--notes`, of which these are chosen. Each is learnt from as it was written and with surrogates for
its entities (`pseudonymize`), since a small generator knows few towns and hospitals. Recognizers of
spaCy learn from the real letters, from a part of them (`--share`), from synthetic notes, from parts
of these (the learning curve), and from real and synthetic ones together, half of each; all for as
many steps. Weights are selected on the same held-out letters, and all are scored on TEST, beside
the rules. All is written to FOLDER once: run again to go on or to add seeds. It gets `curve.svg`,
too.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean, stdev

from benchmarks.detection.curves import CurveLine, draw_curves
from benchmarks.detection.meddocan import prepare
from benchmarks.detection.spacy_ner import (
    EvaluationLetters,
    RecognizedSpans,
    TrainingPlan,
    train_arms,
)
from benchmarks.synthesis.steps import add_letters, run, run_once, split_arguments
from evaluation.utility.tagger_utility import BOTH, REAL, SYNTHETIC, Utility
from pipeline.files.gold import read_annotated
from pipeline.synthetic.corpus_letters import read_letters
from record.document import Annotated
from record.span import Span
from synthesis.generation_files import NOTES
from synthesis.prepared_corpus import load_corpus

RULES, PART, PART_BOTH = "rules", "part of real", "part of real and synthetic"
CURVE = (0.25, 0.5)

_RENAMED = {
    "FIRST_NAME": "NAME", "LAST_NAME": "NAME", "BIRTH_DATE": "DATE", "SSN": "INSURANCE_ID",
    "REGION": "CITY",
}  # fmt: skip
"""Labels of rules that annotators do not distinguish."""

_EXCHANGED = "exchanged.jsonl"
_SCORES = ("precision", "recall", "f1")


def main() -> None:
    """Do what is not done yet, and print the tables."""
    own, training = split_arguments(sys.argv[1:])
    options = _parser().parse_args(own)
    out: Path = options.output
    out.mkdir(parents=True, exist_ok=True)
    _prepare(options, training)
    print(_written(out / "synthetic"), flush=True)
    kept = _found(options)
    utility = kept.utility()
    print("\n" + settings_table(utility))
    print("\n" + difference_table(utility))
    print("\n" + labels_table(kept, [RULES, SYNTHETIC, PART, PART_BOTH, REAL]))
    written = sum(1 for _ in read_annotated(out / "synthetic" / NOTES, []))
    points = curve_points(utility, written)
    for count, value in points:
        print(f"{count:>6} synthetic notes: F1 {value:.4f}")
    lines = [CurveLine(SYNTHETIC, "#2f6f9f", points)]
    for arm, color in ((REAL, "#1d7a46"), (RULES, "#8a5a00")):
        value = fmean(utility.scores(arm, "f1"))
        lines.append(CurveLine(arm, color, [(count, value) for count, _ in points]))
    drawn = draw_curves(lines, "F1 by number of synthetic training notes", "synthetic notes")
    (out / "curve.svg").write_text(drawn, encoding="utf-8")
    print(f"wrote {out / 'curve.svg'}")


def join_names(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """Return rules' spans as annotators mark them: first and last names as one."""
    made: list[Span] = []
    for span in sorted(replace(s, label=_RENAMED.get(s.label, s.label)) for s in spans):
        last = made[-1] if made else None
        is_near = last is not None and not text[last.end : span.start].strip(" ")
        if last is not None and is_near and last.label == span.label == "NAME":
            made[-1] = replace(last, end=max(last.end, span.end))
        else:
            made.append(span)
    return tuple(made)


def settings_table(utility: Utility) -> str:
    """Return precision, recall and F1 of each setting: mean and standard deviation over seeds."""
    lines = ["| trained on | precision | recall | F1 |", "| --- | ---: | ---: | ---: |"]
    for arm in utility.counts:
        cells = [_spread(utility.scores(arm, name)) for name in _SCORES]
        lines.append(f"| {arm} | {' | '.join(cells)} |")
    return "\n".join(lines)


def difference_table(utility: Utility) -> str:
    """Return what one setting gains over another, with the chance of as much by randomization."""
    lines = ["| setting | over | recall | p | F1 | p |", "| --- | --- " + "| ---: " * 4 + "|"]
    for one, other in (
        (SYNTHETIC, RULES), (REAL, SYNTHETIC), (PART_BOTH, PART), (BOTH, REAL), (PART, SYNTHETIC),
    ):  # fmt: skip
        cells = []
        for name in ("recall", "f1"):
            gain = fmean(utility.scores(one, name)) - fmean(utility.scores(other, name))
            cells += [f"{gain:+.4f}", f"{utility.differ(one, other, name):.4f}"]
        lines.append(f"| {one} | {other} | {' | '.join(cells)} |")
    return "\n".join(lines)


def labels_table(kept: RecognizedSpans, arms: Sequence[str]) -> str:
    """Return the F1 of each label, all seeds together, and how often it is in the test letters."""
    tallies = {arm: kept.labels(arm) for arm in arms}
    seeds = len(kept.found[arms[-1]])
    lines = [f"| label | spans | {' | '.join(arms)} |", "| --- |" + " ---: |" * (len(arms) + 1)]
    support = {name: (t.tp + t.fn) // seeds for name, t in tallies[arms[-1]].items()}
    for label in sorted(
        (name for name in support if support[name]), key=lambda n: (-support[n], n)
    ):
        cells = [f"{tallies[arm][label].to_json()['f1']:.3f}" for arm in arms]
        lines.append(f"| {label} | {support[label]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def curve_points(utility: Utility, written: int) -> list[tuple[int, float]]:
    """Return the F1 of more and more synthetic notes."""
    points = [(_part(written, s), fmean(utility.scores(_named(s), "f1"))) for s in CURVE]
    return [*points, (written, fmean(utility.scores(SYNTHETIC, "f1")))]


def _named(share: float) -> str:
    return f"{share:.0%} of synthetic"


def _part(count: int, share: float) -> int:
    return max(1, round(count * share))


def _prepare(options: argparse.Namespace, training: Sequence[str]) -> None:
    out: Path = options.output
    corpus, generator = prepare(options), out / "generator"
    run_once(generator / "training.json", "train", str(corpus), *training, o=generator)
    decoding = ["--temperature", str(options.temperature), "--max-length", str(options.max_length)]
    if options.candidates:
        decoding += ["--tags", "asked", "--candidates", str(options.candidates)]
    run_once(
        out / "synthetic" / "manifest.json", "generate", str(generator), str(corpus), "--notes",
        str(options.notes), "--batch", "64", "--seed", "7", *decoding, o=out / "synthetic",
    )  # fmt: skip
    key = out / "master.key"
    if not key.exists():
        run("keys", "new", str(key))
    if not (out / _EXCHANGED).exists():
        run("pseudonymize", str(out / "synthetic" / NOTES), "-o", str(out / _EXCHANGED), "--key",
            str(key), "--cohort", "three-settings", "--spans", "given", "--policy",
            "synthetic-source", "--lang", options.lang, "--plain")  # fmt: skip
    if not (out / "rules.jsonl").exists():
        run("detect", str(out / "test.jsonl"), "-o", str(out / "rules.jsonl"),
            "--detectors", "rules", "--plain")  # fmt: skip


def _written(synthetic: Path) -> str:
    manifest = json.loads((synthetic / "manifest.json").read_text("utf-8"))
    return (
        f"{manifest['notes']} notes, {manifest['words']} words; tags {manifest['well_formed']:.2%} "
        f"well formed, distance to the requested tags {manifest['tags']['distance']:.4f}; "
        f"truncated {manifest['cut']:.1%}, hurried {manifest['hurried']:.1%}, distinct "
        f"{manifest['distinct']:.1%}"
    )


def _found(options: argparse.Namespace) -> RecognizedSpans:
    """Train what is not trained yet; the rules' spans are in each seed's place."""
    out: Path = options.output
    corpus = load_corpus(out / "corpus")
    real = read_letters(corpus, "train")
    written = list(read_annotated(out / "synthetic" / NOTES, []))
    synthetic = _twice(written, out)
    some = random.Random(1).sample(real, round(options.share * len(real)))
    arms: dict[str, Sequence[Annotated]] = {
        SYNTHETIC: synthetic, PART: some, PART_BOTH: balance(some, synthetic), REAL: real,
        BOTH: balance(real, synthetic),
    }  # fmt: skip
    parts = {_named(share): written[: _part(len(written), share)] for share in CURVE}
    test = list(read_annotated(out / "test.jsonl", []))[: options.scored]
    judges = EvaluationLetters(options.lang, read_letters(corpus, "dev")[: options.selecting], test)
    seeds = range(1, options.seeds + 1)
    course = TrainingPlan(options.steps, options.words, every=100)
    folder = out / f"spacy-{options.steps}-{options.words}"
    found = dict(train_arms(arms, judges, course, seeds, folder).found)
    curve_notes = {name: _twice(notes, out) for name, notes in parts.items()}
    found |= train_arms(curve_notes, judges, course, seeds, folder).found
    rules = list(_by_rules(out / "rules.jsonl", test))
    return RecognizedSpans({RULES: [rules for _ in seeds], **found}, test)


def _twice(notes: Sequence[Annotated], out: Path) -> list[Annotated]:
    """Return synthetic notes as they were written, and with other entities where that was safe."""
    exchanged = {each.document.note_id: each for each in read_annotated(out / _EXCHANGED, [])}
    others = (exchanged.get(note.document.note_id) for note in notes)
    return [*notes, *(each for each in others if each is not None)]


def balance(real: Sequence[Annotated], synthetic: Sequence[Annotated]) -> list[Annotated]:
    """Return as many real notes as synthetic ones, the fewer of them again and again."""
    most = max(len(real), len(synthetic))
    return [*islice(cycle(real), most), *islice(cycle(synthetic), most)]


def _by_rules(path: Path, test: Sequence[Annotated]) -> Iterator[Sequence[Span]]:
    found = {each.document.note_id: each for each in read_annotated(path, [])}
    for note in test:
        each = found[note.document.note_id]
        yield join_names(each.spans, each.document.text)


def _spread(values: Sequence[float]) -> str:
    return f"{fmean(values):.4f}" + (f" ± {stdev(values):.4f}" if values[1:] else "")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_letters(parser)
    add = parser.add_argument
    add("--notes", type=int, default=600, help="synthetic notes (default 600)")
    add("--temperature", type=float, default=1.0, help="as for `generate` (default 1)")
    add("--candidates", type=int, default=5, help="as for `generate`; 0: enforced tags (default 5)")
    add(
        "--max-length", type=int, default=1500, help="maximum ids per synthetic note (default 1500)"
    )
    add("--share", type=float, default=0.25, help="share of the real letters (default 0.25)")
    add("--steps", type=int, default=1500, help="training steps of spaCy's taggers (default 1500)")
    add("--words", type=int, default=250, help="words per training step (default 250)")
    add("--selecting", type=int, default=12, help="held-out letters (default 12)")
    add("--scored", type=int, help="letters of TEST; default: all")
    return parser


if __name__ == "__main__":
    main()
