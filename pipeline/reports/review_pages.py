"""Pages on which people read pairs of notes, and the answers they give."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.reports.run_report import TEMPLATES
from record.atomic_write import write_atomically
from record.errors import ConfigError

TRIALS = 2
"""Pairs at the start of every page that only show what is asked; they do not count."""

READERS = 2
"""Reviewers of each pair."""

_OWNER_ONLY = 0o600


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Read the pairs that `synthesize screen` chose; raises ConfigError."""
    remedy = "name a review.jsonl that `synthesize screen` wrote"
    try:
        pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        pairs = [{key: pair[key] for key in ("pair", "synthetic", "real")} for pair in pairs]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "holds no pairs of notes", remedy) from None
    if len(pairs) <= TRIALS:
        raise ConfigError(str(path), "holds too few pairs to review", remedy)
    return pairs


def shared_out(
    pairs: Sequence[dict[str, Any]], reviewers: int, seed: int
) -> list[list[dict[str, Any]]]:
    """Assign pairs to each reviewer: first the trials, then others in an order of their own.

    Every pair that counts goes to `READERS` of them, and each reads about as many. Which list
    found a pair, and how near its notes are, is not told.
    """
    chance = random.Random(seed)  # noqa: S311 - what is drawn is no secret
    trials, rest = list(pairs[:TRIALS]), list(pairs[TRIALS:])
    chance.shuffle(rest)
    piles: list[list[dict[str, Any]]] = [[] for _ in range(reviewers)]
    for number, pair in enumerate(rest):
        for reader in range(READERS):
            piles[(number * READERS + reader) % reviewers].append(pair)
    for pile in piles:
        chance.shuffle(pile)
    return [
        [{**pair, "trial": number < TRIALS} for number, pair in enumerate([*trials, *pile])]
        for pile in piles
    ]


def write_pages(folder: Path, piles: Sequence[Sequence[dict[str, Any]]]) -> Iterator[Path]:
    """Write a page for each reviewer, for their eyes alone. The pages hold the notes' text."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number, pile in enumerate(piles, 1):
        page = TEMPLATES.get_template("review.html.j2").render(
            reviewer=f"reviewer-{number}", pairs=pile, trials=TRIALS
        )
        path = folder / f"reviewer-{number}.html"
        write_atomically(path, page.encode("utf-8"))
        path.chmod(_OWNER_ONLY)
        yield path


def read_answers(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Read the files that reviewers saved, without their trials and without text."""
    remedy = "give the files that the pages saved"
    answers = []
    for path in paths:
        try:
            held = json.loads(path.read_text("utf-8"))
            for each in held["answers"]:
                if each.get("trial"):
                    continue
                scores = {name: int(score) for name, score in each["scores"].items()}
                row = {"pair": int(each["pair"]), "reviewer": str(held["reviewer"])}
                answers.append(row | {"scores": scores})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise ConfigError(str(path), "holds no answers", remedy) from None
    return answers
