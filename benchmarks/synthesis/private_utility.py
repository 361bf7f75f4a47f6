"""What notes of privately trained generators are worth, by epsilon.

    python -m benchmarks.synthesis.private_utility OUT [--patients 3000] [--epsilons 4 8 none]
        [--epochs 20] [--open-epochs 5] [--notes 300] [--canaries 100] [--lang en]

Short notes of the fictional hospital become a corpus, those of other patients the public notes,
from which vocabulary, labels and requests come. A small transformer learns the corpus once for each
epsilon, for a patient, and once without; canaries are planted in each, and looked for (see
`benchmarks.synthesis.canaries`). Each writes notes as the public ones ask for. Taggers learn from
these, and from as many real notes, and are scored on real notes of other patients (exact spans and
labels). What is under OUT is not made again. Private trainings draw their chance from the system:
their numbers differ from run to run.
"""

import argparse
import json
import random
from pathlib import Path
from statistics import fmean

from benchmarks.synthesis.canaries import attack_canaries, fictional_notes
from benchmarks.synthesis.steps import run_once
from evaluation.utility.tagger_utility import (
    REAL,
    SYNTHETIC,
    Utility,
    UtilityTrial,
    recipe_for,
    train_and_score,
)
from models.language.training.training import TRAINING
from pipeline.files.gold import read_annotated
from pipeline.synthetic.corpus_letters import read_letters
from synthesis import generation_files, prepared_corpus
from synthesis.corpus_splitting import split_notes

_PUBLIC, _PUBLIC_SEED, _REPEATS = 300, 2, 4
_NETWORK = ("--width", "64", "--layers", "2", "--heads", "2", "--vocabulary-size", "1000")
_TRAINING = ("--context", "384", "--step-tokens", "2048", "--peak", "0.004", "--patient-notes", "2")


def main() -> None:
    """Do what is not done yet, and print a line for each epsilon."""
    options = _parse()
    out: Path = options.out
    _prepare(out / "corpus", options.patients, options.lang, 1)
    _prepare(out / "public", _PUBLIC, options.lang, _PUBLIC_SEED)
    print(
        "| epsilon | patients, notes | steps, noise | perplexity per id (unigram) "
        "| canary AUC, 95 % | F1 of synthetic | of as many real |\n"
        "| --- | --- | --- | --- | --- | --- | --- |"
    )
    for epsilon in options.epsilons:
        made = out / f"epsilon-{epsilon}"
        is_private = epsilon != "none"
        private = ("--epsilon", epsilon) if is_private else ()
        epochs = options.epochs if is_private else options.open_epochs
        run_once(
            made / "generator" / TRAINING, "train", str(out / "corpus"), "--recipe", "gpt-small",
            "--vocabulary-text", str(out / "public"), "--epochs", str(epochs), "--canaries",
            str(options.canaries), "--canary-repeats", str(_REPEATS), *_NETWORK, *_TRAINING,
            *private, o=made / "generator",
        )  # fmt: skip
        run_once(
            made / "notes" / generation_files.MANIFEST, "generate", str(made / "generator"),
            str(out / "corpus"), "--requests", str(out / "public"), "--notes", str(options.notes),
            "--seed", "7", "--max-length", "320", o=made / "notes",
        )  # fmt: skip
        print(_line(epsilon, made, _score(out, made, options)), flush=True)


def _prepare(folder: Path, count: int, lang: str, seed: int) -> None:
    if not (folder / prepared_corpus.MANIFEST).exists():
        notes = fictional_notes(count, lang, seed, notes_per_patient=1)
        origin = {"inside": True, "lang": lang}
        prepared_corpus.save_corpus(split_notes(notes, seed=1), folder, origin)


def _score(out: Path, made: Path, options: argparse.Namespace) -> Utility:
    corpus = prepared_corpus.load_corpus(out / "corpus")
    train, dev, test = (read_letters(corpus, split) for split in ("train", "dev", "test"))
    real = random.Random(1).sample(train, min(options.notes, len(train)))
    written = list(read_annotated(made / "notes" / generation_files.NOTES, []))
    trial = UtilityTrial(real, written, dev, test[: options.scored], with_both=False)
    recipe = recipe_for("tiny-1x64", epochs=options.tagger_epochs, max_minutes=None)
    seeds = range(1, options.seeds + 1)
    return train_and_score(trial, recipe, seeds, made / "taggers", shared=out / "taggers")


def _line(epsilon: str, made: Path, utility: Utility) -> str:
    report = json.loads((made / "generator" / TRAINING).read_text())
    best, told = report["best"], report["privacy"] or {}
    learnt = f"{told['patients']}, {told['notes']}" if told else ""
    steps = f"{told['steps']}, {told['noise_multiplier']:.2f}" if told else ""
    found = attack_canaries(made / "generator")
    synthetic, real = (fmean(utility.scores(each, "f1")) for each in (SYNTHETIC, REAL))
    return (
        f"| {epsilon} | {learnt} | {steps} | {best['perplexity']:.1f} ({best['unigram']:.0f}) "
        f"| {found.auc:.2f} ({found.low:.2f} to {found.high:.2f}; detectable "
        f"{found.detectable:.2f}) | {synthetic:.3f} | {real:.3f} |"
    )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("out", type=Path, metavar="OUT", help="folder for corpora, models and notes")
    for name, default, what in (
        (
            "patients",
            3000,
            "patients with a note or more, some of which are left out for their length",
        ),
        ("epochs", 20, "epochs of each private training"),
        ("open-epochs", 5, "epochs of the training without privacy"),
        ("notes", 300, "notes that each generator writes, and real ones beside them"),
        ("canaries", 100, "canaries planted per model"),
        ("scored", 150, "real notes that taggers are scored on"),
        ("seeds", 3, "trainings of each tagger"),
        ("tagger-epochs", 8, "epochs of each of them"),
    ):
        add(f"--{name}", type=int, default=default, metavar="N", help=f"{what} (default {default})")
    add("--epsilons", nargs="+", default=["4", "8", "none"], metavar="E")
    add("--lang", choices=("fr", "en", "es"), default="en")
    return parser.parse_args()


if __name__ == "__main__":
    main()
