"""Comparison of the published settings of mask and fill on annotated letters.

    python -m benchmarks.synthesis.settings TRAIN TEST -o FOLDER [--letters 100] [--seeds 3] \\
        [--pipeline es=es_core_news_sm] [--epsilon 1 2 4 8] [-- --width 128 --epochs 10]

Belkadi et al. (2023): S 0.5, S 0.7, I 0.7 and I 0.9, simultaneous (the likeliest words) or
iterative (drawn among six), and the share of nouns, verbs and adjectives that is masked. TRAIN and
TEST are annotated letters as JSON Lines, in our labels or in MEDDOCAN's. `synthesize prepare` parts
TRAIN; its train part teaches the filler (what stands behind `--` goes to `synthesize train`), and
its first `--letters` are masked and filled, two letters of each. Each setting is compared with its
sources; taggers (spaCy's, as published; `--encoder` names one for Cryptonym's own) learn from the
sources, from one letter of each source and from two, and are scored on the first `--scored` letters
of TEST. `--top-k` draws among more words than published, and `--epsilon` fills S 0.7 privately;
then taggers learn from one letter of each source. The masker is scored on letters of TEST as
detectors found their identifiers, without gold. All is written to FOLDER once: run again to go on,
or to add seeds and budgets.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from time import process_time
from typing import Any

from benchmarks.detection.meddocan import prepare, to_json_line
from benchmarks.detection.spacy_ner import EvaluationLetters, TrainingPlan, train_arms
from benchmarks.synthesis.steps import add_letters, run, run_once, split_arguments
from evaluation.detection.alignment import pair_annotations
from evaluation.detection.intervals import student_interval
from evaluation.detection.scores import measure_masker
from evaluation.gate import Measured
from evaluation.utility.resemblance import Refilled, resemblance
from evaluation.utility.tagger_utility import (
    REAL,
    Utility,
    UtilityTrial,
    recipe_for,
    train_and_score,
)
from models.language.networks.evaluation_networks import ContextualEmbeddings
from models.tagger.encoders.windows import WindowConfig
from models.training_loop import TrainingCallbacks
from pipeline.files.gold import read_annotated
from pipeline.synthetic.corpus_letters import read_letters, with_own
from pipeline.synthetic.filled_letters import FilledLetter, read_filled
from record.document import Annotated
from synthesis.generation_files import NOTES
from synthesis.masked_letters import load_letters
from synthesis.masking import Masking, mask, words_of
from synthesis.prepared_corpus import load_corpus

_SHOWN = (
    *("rouge-1", "rouge-2", "rouge-l", "bertscore", "top-5-features", "top-10-features"),
    *("top-20-features", "top-50-features", "top-100-features", "reading-ease-shift"),
    *("reproduced-words", "reproduced-pieces", "shared-3-characters", "shared-5-characters"),
    *("shared-7-characters", "direct-reproduced-pieces", "direct-shared-3-characters"),
    *("direct-shared-5-characters", "direct-shared-7-characters", "identifiers-kept"),
    *("quasi-identifiers-kept", "linked-to-source"),
)


@dataclass(frozen=True)
class Setting:
    """How letters are masked and filled."""

    method: str
    share: float
    epsilon: float | None = None
    top: int | None = None

    @property
    def name(self) -> str:
        """As in the paper, such as `S-0.7`."""
        private = f"-epsilon-{self.epsilon:g}" if self.epsilon is not None else ""
        drawn = f"-top-{self.top}" if self.top is not None else ""
        return f"{self.method[0].upper()}-{self.share}{private}{drawn}"


SETTINGS = (
    *(Setting("simultaneous", share) for share in (0.5, 0.7)),
    *(Setting("iterative", share) for share in (0.7, 0.9)),
)


@dataclass(frozen=True)
class _Arms(UtilityTrial):
    """What taggers learn from, by name."""

    arms: Mapping[str, Sequence[Annotated]] = field(default_factory=dict, repr=False)

    def learnt(self) -> Mapping[str, Sequence[Annotated]]:
        return self.arms


def main() -> None:
    """Do what is not done yet, and print the tables."""
    own, training = split_arguments(sys.argv[1:])
    options = _parser().parse_args(own)
    out: Path = options.output
    out.mkdir(parents=True, exist_ok=True)
    wanted = [each for each in SETTINGS if each.name in (options.only or [each.name])]
    settings = [replace(each, top=options.top_k) for each in wanted]
    settings += [Setting("simultaneous", 0.7, each) for each in options.epsilon]
    _prepare(options, training)
    for setting in settings:
        _fill(out, setting, options)
    columns = {each.name: _compared(out, each) for each in settings}
    if options.vectors:
        for name, found in _bertscore(options, settings).items():
            columns[name]["bertscore"] = found
    print("\n" + table(columns), flush=True)
    for each in _masker(options):
        print(f"{each['name']}: {each['value']:.4f} {each['detail']}", flush=True)
    if options.seeds:
        print("\n" + utility_table(_utility(options, settings), settings), flush=True)


def table(columns: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Return every number of every setting, with its bounds, and what chance gives in the first."""
    lines = [f"| number | {' | '.join(columns)} | chance |", "| --- |" + " ---: |" * len(columns)]
    lines[1] += " ---: |"
    first = next(iter(columns.values()))
    for name in _SHOWN:
        cells = [_cell(found.get(name)) for found in columns.values()]
        null = first.get(name, {}).get("null")
        cells.append("" if null is None else f"{null:.3f}")
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    eases = [found["reading-ease-shift"]["detail"] for found in columns.values()]
    for name in (key for key in eases[0] if key != "sources"):
        lines.append(f"| {name} | {' | '.join(f'{each[name]:.1f}' for each in eases)} | |")
    return "\n".join(lines)


def utility_table(utility: Utility, settings: Sequence[Setting]) -> str:
    """Return the F1 of each arm, mean and standard deviation over seeds, and the differences."""

    def format_f1(arm: str) -> str:
        values = utility.scores(arm, "f1")
        return f"{fmean(values):.4f}" + (f" ± {stdev(values):.4f}" if values[1:] else "")

    def gained(one: str, other: str) -> str:
        pairs = zip(utility.scores(one, "f1"), utility.scores(other, "f1"), strict=True)
        gains = [first - second for first, second in pairs]
        if not gains[1:]:
            return f"{fmean(gains):+.4f}"
        low, high = student_interval(gains)
        return f"{fmean(gains):+.4f} ({low:+.4f} to {high:+.4f})"

    lines = ["| trained on | one per source | two per source | one minus real | two minus one |"]
    lines += ["| --- | ---: | ---: | ---: | ---: |", f"| real | {format_f1(REAL)} | | | |"]
    for each in settings:
        once, twice = f"{each.name}-once", f"{each.name}-twice"
        cells = [format_f1(once), "", gained(once, REAL), ""]
        if each.epsilon is None:
            cells = [format_f1(once), format_f1(twice), gained(once, REAL), gained(twice, once)]
        lines.append(f"| {each.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _prepare(options: argparse.Namespace, training: Sequence[str]) -> None:
    out: Path = options.output
    corpus, filler = prepare(options), out / "filler"
    run_once(
        filler / "training.json", "train", str(corpus), "--recipe", "masked", *training, o=filler
    )
    for share in sorted({each.share for each in SETTINGS}):
        masked = out / f"masked-{share}"
        more = ["--pipeline", *options.pipeline] if options.pipeline else []
        run_once(masked / "masked-letters.json", "mask", str(corpus), "--share", str(share), *more,
              o=masked)  # fmt: skip


def _fill(out: Path, setting: Setting, options: argparse.Namespace) -> None:
    filled, masked = out / setting.name, str(out / f"masked-{setting.share}")
    key = out / "master.key"
    if not key.exists():
        run("keys", "new", str(key))
    more = ["--together", str(options.together)] if setting.method == "iterative" else []
    more += ["--top-k", str(setting.top or (6 if setting.method == "iterative" else 1))]
    if setting.epsilon is not None:
        more = ["--epsilon", str(setting.epsilon)]
    run_once(
        filled / "manifest.json", "fill", str(out / "filler"), masked, "--key", str(key),
        "--cohort", f"settings-{setting.name}", "--method", setting.method, "--copies", "2",
        "--letters", str(options.letters), "--window", str(options.window), *more, o=filled,
    )  # fmt: skip
    compared = out / f"{setting.name}-compared"
    run_once(compared / "compare.json", "compare", str(filled), masked, o=compared)


def _compared(out: Path, setting: Setting) -> dict[str, Mapping[str, Any]]:
    held = json.loads((out / f"{setting.name}-compared" / "compare.json").read_text("utf-8"))
    return {each["name"]: each for each in held["measured"]}


def _bertscore(
    options: argparse.Namespace, settings: Sequence[Setting]
) -> Mapping[str, Mapping[str, Any]]:
    """Score the first letter of each of some sources; what was encoded once is kept."""
    path: Path = options.output / "bertscore.json"
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    missing = [each for each in settings if each.name not in found]
    if not missing:
        return found
    pairs = {each.name: _first_letters(options, each) for each in missing}
    texts = {t for several in pairs.values() for each in several for t in (each.source, *each.made)}
    vectors = ContextualEmbeddings.packaged(options.vectors_of, texts)
    kept: dict[str, Any] = {}

    def remembered(text: str) -> Any:
        if text not in kept:
            kept[text] = vectors(text)
        return kept[text]

    for name, several in pairs.items():
        measured = resemblance(several, "", remembered)
        found[name] = next(each for each in measured if each.name == "bertscore").to_json()
        path.write_text(json.dumps(found), encoding="utf-8")
    return found


def _first_letters(options: argparse.Namespace, setting: Setting) -> list[Refilled]:
    out: Path = options.output
    masked = load_letters(out / f"masked-{setting.share}").letters
    made = {
        each.letter: each.annotated.document.text
        for each in read_filled(out / setting.name / NOTES)
        if not each.copy
    }
    some = [(masked[place].document, made[place]) for place in sorted(made)[: options.vectors]]
    return [Refilled(source.text, [text], source.lang) for source, text in some]


def _masker(options: argparse.Namespace) -> list[Mapping[str, Any]]:
    """Score what is masked where detectors, and no people, say what identifies."""
    out: Path = options.output
    path = out / "masker.json"
    if not path.exists() and options.detected:
        gold = list(read_annotated(out / "test.jsonl", []))[: options.detected]
        some, found = out / "some.jsonl", out / "detected.jsonl"
        some.write_text("".join(map(to_json_line, gold)), encoding="utf-8")
        run("detect", str(some), "-o", str(found), "--model", "default", "--plain")
        hidden = []
        for letter in with_own(list(read_annotated(found, []))):
            parts = [""] * len(words_of(letter.document.text))
            masked = mask(letter.document, letter.spans, (), Masking({}), parts)
            hidden.append(Annotated(letter.document, tuple(masked.identifiers)))
        measured: list[Measured] = measure_masker(pair_annotations(gold, hidden, None).pairs, "")
        path.write_text(json.dumps([each.to_json() for each in measured]), encoding="utf-8")
    return json.loads(path.read_text("utf-8")) if path.exists() else []


def _utility(options: argparse.Namespace, settings: Sequence[Setting]) -> Utility:
    out: Path = options.output
    corpus = load_corpus(out / "corpus")
    sources = {each.document.note_id: each for each in read_letters(corpus, "train")}
    masked = load_letters(out / f"masked-{settings[0].share}").letters
    masked = masked[: min(options.letters, options.learnt)]
    arms: dict[str, Sequence[Annotated]] = {
        REAL: [sources[each.document.note_id] for each in masked]
    }
    for name, copies in (("once", 1), ("twice", 2)):
        for setting in settings:
            if copies > 1 and setting.epsilon is not None:
                continue
            letters: list[FilledLetter] = list(read_filled(out / setting.name / NOTES))
            arms[f"{setting.name}-{name}"] = [
                e.annotated for e in letters if e.copy < copies and e.letter < len(masked)
            ]
    dev = read_letters(corpus, "dev")[: options.selecting]
    test = list(read_annotated(out / "test.jsonl", []))[: options.scored]
    trial = _Arms([], [], dev, test, arms=arms)
    seeds = range(1, options.seeds + 1)
    if not options.encoder:
        course, judges = TrainingPlan(options.steps), EvaluationLetters(options.lang, dev, test)
        return train_arms(arms, judges, course, seeds, out / f"spacy-{options.steps}").utility()
    recipe = replace(
        recipe_for(options.encoder, epochs=options.epochs, max_minutes=None),
        cut=WindowConfig(62, 8), step_tokens=1024, part_tokens=1024, encoder_rate=2e-3,
    )  # fmt: skip
    return train_and_score(trial, recipe, seeds, out / "taggers", _told())


def _told() -> Callable[[str], TrainingCallbacks]:
    def make_watch(name: str) -> TrainingCallbacks:
        print(f"training {name}; {process_time():.0f} CPU s so far", flush=True)
        return TrainingCallbacks()

    return make_watch


def _cell(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return ""
    return f"{found['value']:.3f} ({found['low']:.3f} to {found['high']:.3f})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_letters(parser)
    add = parser.add_argument
    add("--pipeline", nargs="+", default=[], metavar="LANG=NAME", help="as for `mask`")
    add("--letters", type=int, default=100, help="number of source letters (default 100)")
    add("--window", type=int, default=128, help="window in words (default 128)")
    add("--together", type=int, default=1, help="as for `fill` (default 1, as published)")
    add(
        "--epsilon",
        type=float,
        nargs="*",
        default=[],
        metavar="E",
        help="privacy budgets for S 0.7",
    )
    add("--vectors", type=int, default=40, help="sources for BERTScore (default 40)")
    add(
        "--vectors-of",
        default="e5-small-6",
        metavar="NAME",
        help="encoder for BERTScore (default e5-small-6)",
    )
    add("--detected", type=int, default=50, help="letters of TEST for the masker (default 50)")
    add("--only", nargs="+", metavar="NAME", help="settings, such as S-0.5; default: all four")
    add(
        "--top-k",
        type=int,
        metavar="K",
        help="number of words to draw among; default: as published",
    )
    add("--steps", type=int, default=400, help="training steps of spaCy's taggers (default 400)")
    add(
        "--encoder",
        metavar="NAME",
        help="encoder of Cryptonym's tagger to train instead, such as tiny-1x64",
    )
    add("--epochs", type=int, default=4, help="training epochs of Cryptonym's taggers (default 4)")
    add("--learnt", type=int, default=100, help="sources for training taggers (default 100)")
    add("--selecting", type=int, default=20, help="held-out letters (default 20)")
    add("--scored", type=int, default=100, help="letters of TEST (default 100)")
    return parser


if __name__ == "__main__":
    main()
