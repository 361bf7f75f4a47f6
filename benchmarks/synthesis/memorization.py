"""Memorization estimators on a small model: by dropout, for a planted number, and over all notes.

    python -m benchmarks.synthesis.memorization OUT [--kind lstm] [--seeds 1,2,3] [--dropouts 0,0.5]

Thirty notes of the fictional hospital, of less than 700 characters and without their identifiers,
are learnt by the recipe of Melamud and Shivade (2019) in small, or by a transformer; a number of
twelve digits stands in one of them. First S-PDTP by dropout and seed, of a few notes that were left
out one by one, beside its floors: the same notes with another seed instead, and notes in neither
model. Then each of the thirty is left out, and models learn random halves: how alike the two rank
notes, and which rank the note with the number has. Trainings are kept under OUT; what is there is
not trained again.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.synthesis.canaries import fictional_notes
from evaluation.attacks.memorization import (
    Influence,
    counterfactual_scores,
    draw_half_splits,
    measure_influence,
)
from evaluation.attacks.reference_models import (
    AttackData,
    Floats,
    ReferenceModels,
    draw_places,
    mean_log_probabilities,
    score_tokens,
)
from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import END, UNKNOWN, WordVocabulary
from models.language.training.recipe import LanguageRecipe, make_recipe
from synthesis.canaries import Canaries
from synthesis.corpus_splitting import to_benchmark_form
from synthesis.markup import PAR

_LEARNT, _HELD_OUT, _OTHERS = 30, 15, 15
_LONGEST = 700
_PLANTED, _NUMBER = 17, "481516234200"
_SMALL: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "lstm": ("medtext-2", {}, {"streams": 4, "sequence": 20}),
    "gpt": (
        "gpt-small", {"layers": 1, "heads": 2, "context": 256, "peak": 0.01, "step_tokens": 256},
        {"vocabulary": "words"},
    ),
}  # fmt: skip
"""Recipes by kind, what is changed in them, and what has no option."""


def main() -> None:
    """Train what is missing, and print both tables."""
    options = _parse()
    ground = _ground(options)
    dropouts = [float(each) for each in options.dropouts.split(",")]
    seeds = [int(each) for each in options.seeds.split(",")]
    print(
        "| dropout | seed | perplexity of notes in neither | S-PDTP | floor | "
        "floor, notes in neither | mean change | its floor |\n" + "| --- " * 8 + "|"
    )
    means_by = {dropout: fmean(_row(ground, dropout, seed, options) for seed in seeds)
                for dropout in dropouts}  # fmt: skip
    told_of = ", ".join(f"{score:.2f} at dropout {each:g}" for each, score in means_by.items())
    print(f"\nS-PDTP, mean over seeds {options.seeds}: {told_of}\n")
    print(_ranks(ground, seeds[0], dropouts[0], options))


def _row(ground: AttackData, dropout: float, seed: int, options: argparse.Namespace) -> float:
    """Print S-PDTP with its floors, and give it."""
    partners = _partners(ground, dropout, seed, _place(options))
    whole, again = partners.whole(), partners.whole(reseeded=True)
    places = draw_places(_LEARNT, options.without, seed)
    learnt, others = [ground.train[at] for at in places], ground.test
    seen = score_tokens(whole, learnt)
    found = _changes(
        seen, [score_tokens(partners.without(at), [ground.train[at]])[0] for at in places]
    )
    floor = _changes(seen, score_tokens(again, learnt))
    apart = _changes(score_tokens(whole, others), score_tokens(again, others))
    perplexity = float(np.exp(-np.concatenate(score_tokens(whole, others)).mean()))
    score = fmean(each.largest for each in found)
    print(
        f"| {dropout:g} | {seed} | {perplexity:.1f} | {score:.2f} "
        f"| {fmean(each.largest for each in floor):.2f} "
        f"| {fmean(each.largest for each in apart):.2f} | {fmean(e.mean for e in found):.3f} "
        f"| {fmean(abs(each.mean) for each in floor):.3f} |",
        flush=True,
    )
    return score


def _ranks(ground: AttackData, seed: int, dropout: float, options: argparse.Namespace) -> str:
    """Leave each note out, and let models learn halves: how alike notes are ranked."""
    out = _place(options)
    partners = _partners(ground, dropout, seed, out)
    by_halves = _partners(ground, dropout, seed, out / f"{options.halves}-halves")
    seen = score_tokens(partners.whole(), ground.train)
    unseen = [score_tokens(partners.without(at), [text])[0] for at, text in enumerate(ground.train)]
    alone = _changes(seen, unseen)
    members = draw_half_splits(_LEARNT, options.halves, seed=seed)
    texts = [*ground.train, *ground.test]
    learnt = np.stack([mean_log_probabilities(model, texts) for model in by_halves.halves(members)])
    # One training is luckier than another: notes that no model learnt show by how much.
    scores = counterfactual_scores(
        learnt[:, :_LEARNT] - learnt[:, _LEARNT:].mean(1, keepdims=True), members
    )
    orders = {
        "S-PDTP": [each.largest for each in alone],
        "the mean change": [each.mean for each in alone],
        f"{options.halves} half models": list(scores),
    }
    alike = [
        f"{name} {spearmanr(scores, orders[name]).statistic:.2f}"
        for name in ("S-PDTP", "the mean change")
    ]
    ranks = [
        f"{1 + sum(score > order[_PLANTED] for score in order)} by {name}"
        for name, order in orders.items()
    ]
    signs = sum(each.signed > 0 for each in alone)
    return (
        f"{_LEARNT} notes, each left out once, and {options.halves} half models (dropout "
        f"{dropout:g}, seed {seed}): rank correlation of halves with {', with '.join(alike)}. "
        f"Rank of the note with the number: {', '.join(ranks)}. The model that saw the note found "
        f"it likelier where the change was largest for {signs} notes of {_LEARNT}."
    )


def _changes(seen: Sequence[Floats], unseen: Sequence[Floats]) -> list[Influence]:
    return [measure_influence(one, other) for one, other in zip(seen, unseen, strict=True)]


def _partners(ground: AttackData, dropout: float, seed: int, out: Path) -> ReferenceModels:
    recipe = replace(ground.recipe, dropout=dropout, seed=seed)
    return ReferenceModels(replace(ground, recipe=recipe), out / f"dropout-{dropout:g}-seed-{seed}")


def _place(options: argparse.Namespace) -> Path:
    place: Path = options.out / f"{options.lang}-{options.kind}"
    return place


def _ground(options: argparse.Namespace) -> AttackData:
    """Take the first notes; those that are learnt decide the vocabulary."""
    texts = list(islice(_short(options.lang), _LEARNT + _HELD_OUT + _OTHERS))
    texts[_PLANTED] += f" {_NUMBER}"
    words = WordVocabulary.learn((END, UNKNOWN, PAR), texts[:_LEARNT], rare=1)
    ids = [Text([*words.encode(text), words.mark(END)]) for text in texts]
    parts = ids[:_LEARNT], ids[_LEARNT : _LEARNT + _HELD_OUT], ids[_LEARNT + _HELD_OUT :]
    return AttackData(words, *parts, Canaries(1, (), ()), _recipe(options.kind))


def _short(lang: str) -> Iterator[str]:
    for note in fictional_notes(300, lang):
        if len(note.document.text) < _LONGEST:
            yield to_benchmark_form(note)


def _recipe(kind: str) -> LanguageRecipe:
    name, changes, more = _SMALL[kind]
    held = make_recipe(name, {"width": 48, "epochs": 12, **changes})
    return replace(held, **more, checkpoint_steps=10_000)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for models")
    parser.add_argument("--kind", choices=tuple(_SMALL), default="lstm")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--dropouts", default="0,0.5")
    parser.add_argument("--without", type=int, default=4, help="notes left out per dropout")
    parser.add_argument("--halves", type=int, default=12, help="number of half models, even")
    parser.add_argument("--lang", choices=("fr", "en", "es"), default="en")
    return parser.parse_args()


if __name__ == "__main__":
    main()
