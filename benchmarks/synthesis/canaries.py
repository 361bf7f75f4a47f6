"""Canary attack on a language model, trained with and without differential privacy.

    python -m benchmarks.synthesis.canaries OUT [--notes 600] [--seeds 1,2,3] [--canaries 100]
        [--repeats 4] [--epsilon 8] [--recipe gpt-small]

Notes of the fictional hospital, of 300 to 1,300 characters, become a corpus; canaries are planted
among those that are learnt from, all copies of one as the notes of a patient, and a small model
learns them, by each seed once as it is and once privately, with epsilon for a patient. An attacker
who knows the words of canaries, those that were planted and as many that were not, asks the model
how likely each is: 0.5 is a guess. Beside the area stands the smallest one that so many canaries
would have told from a guess four times of five. Trainings are kept under OUT;
what is there is not trained again. Private trainings draw their chance from the system: their
numbers differ from run to run.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import process_time

from evaluation.attacks.memorization import MembershipSeparation, separate_members
from evaluation.attacks.reference_models import mean_log_probabilities
from models.language.training.recipe import make_recipe
from models.language.training.serialization import load
from models.language.training.training import TRAINING
from pipeline.synthetic.generator_training import train_on_corpus
from record.document import Annotated
from synthesis.canaries import load_canaries
from synthesis.corpus_splitting import split_notes
from synthesis.fictional.hospital import make_hospital
from synthesis.prepared_corpus import MANIFEST, save_corpus

_SHORTEST, _LONGEST = 300, 1300  # characters
_TINY: dict[str, float] = {
    "width": 64,
    "layers": 1,
    "heads": 2,
    "vocabulary_size": 600,
    "context": 384,
}
_TINY |= {"step_tokens": 1024, "peak": 0.005}


def main() -> None:
    """Train what is missing, attack, and print a line for each model."""
    options = _parse()
    out = options.out / f"{options.lang}-{options.notes}"
    corpus = out / "corpus"
    if not (corpus / MANIFEST).exists():
        notes = islice(fictional_notes(options.notes, options.lang), options.notes)
        save_corpus(split_notes(notes, seed=1), corpus, {"inside": True})
    print(
        "| training | seed | patients, notes | perplexity per id (unigram) | canary AUC, 95 % "
        "| detectable | CPU time, s |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    for seed in map(int, options.seeds.split(",")):
        for name, changes in (
            (f"{options.epochs} epochs", {"epochs": options.epochs}),
            (
                f"epsilon {options.epsilon:g}, {options.private_epochs} epochs",
                {"epochs": options.private_epochs, "epsilon": options.epsilon},
            ),
        ):
            parts = (options.recipe, seed, options.canaries, options.repeats, *changes.values())
            kept = "-".join(map(str, parts))
            folder, spent = out / kept, "kept"
            if not (folder / TRAINING).exists():
                started = process_time()
                recipe = make_recipe(options.recipe, {**_TINY, **changes, "seed": seed})
                train_on_corpus(
                    corpus, recipe, folder, canaries=(options.canaries, options.repeats)
                )
                spent = f"{process_time() - started:.0f}"
            print(_line(name, seed, folder, spent), flush=True)


def _line(name: str, seed: int, folder: Path, spent: str) -> str:
    report = json.loads((folder / TRAINING).read_text())
    best, told = report["best"], report["privacy"] or {}
    found = attack_canaries(folder)
    learnt = f"{told['patients']}, {told['notes']}" if told else ""
    return (
        f"| {name} | {seed} | {learnt} | {best['perplexity']:.1f} ({best['unigram']:.0f}) "
        f"| {found.auc:.2f} ({found.low:.2f} to {found.high:.2f}) "
        f"| {found.detectable:.2f} | {spent} |"
    )


def attack_canaries(folder: Path) -> MembershipSeparation:
    """Tell the canaries that a model learnt from others by how likely they are to it."""
    model = load(folder)
    canaries = load_canaries(folder, model.about["canaries"])
    planted, others = (
        list(mean_log_probabilities(model, [each.scored_text(model.vocabulary) for each in some]))
        for some in (canaries.planted, canaries.others)
    )
    return separate_members(planted, others)


def fictional_notes(
    count: int, lang: str, seed: int = 1, notes_per_patient: int = 4
) -> Iterator[Annotated]:
    """Make short notes of so many patients of the fictional hospital."""
    hospital = make_hospital(
        count, seed=seed, lang=lang, notes_per_patient=notes_per_patient, mean_characters=800,
        pdf_share=0, scan_share=0,
    )  # fmt: skip
    for note in hospital.notes():
        if _SHORTEST <= len(note.annotated.document.text) <= _LONGEST:
            yield note.annotated


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for corpus and models")
    for name, default, what in (
        ("notes", 600, "training and held-out notes"),
        ("canaries", 100, "canaries planted per model"),
        ("repeats", 4, "repetitions of each canary, the notes of one patient"),
        ("epochs", 6, "epochs without differential privacy"),
        ("private-epochs", 3, "epochs with differential privacy"),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=what)
    parser.add_argument("--epsilon", type=float, default=8.0)
    parser.add_argument("--recipe", choices=("gpt-small", "lstm-small"), default="gpt-small")
    parser.add_argument("--seeds", default="1,2,3", help="comma-separated seeds")
    parser.add_argument("--lang", choices=("fr", "en", "es"), default="en")
    return parser.parse_args()


if __name__ == "__main__":
    main()
