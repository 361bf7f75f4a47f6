"""Pages for the manual review of pairs of a real and a synthetic note, and their answers."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.reports.run_report import TEMPLATES
from record.atomic_write import write_atomically
from record.errors import ConfigError

TRIALS = 2
"""Practice pairs at the start of every page, which do not count."""

READERS = 2
"""The number of reviewers of each pair."""

_OWNER_ONLY = 0o600


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Read the pairs that `synthesize screen` selected; raises ConfigError."""
    remedy = "use a review.jsonl written by `synthesize screen`"
    try:
        pairs = [
            {
                "pair": int(pair["pair"]),
                "synthetic": _parts(pair["synthetic"], pair["passages"]["synthetic"]),
                "real": _parts(pair["real"], pair["passages"]["real"]),
            }
            for pair in map(json.loads, path.read_text("utf-8").splitlines())
        ]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "contains no pairs of notes", remedy) from None
    if len(pairs) <= TRIALS:
        problem = f"must contain more than {TRIALS} pairs, found {len(pairs)}"
        raise ConfigError(str(path), problem, remedy)
    return pairs


@dataclass(frozen=True)
class KnownPairs:
    """The pairs that count with their kind (see `measure_review`).

    `data` is the digest of the notes, `manifest` that of their manifest.
    """

    kinds: Mapping[int, str]
    data: str
    manifest: str


def read_known(path: Path) -> KnownPairs:
    """Read of pairs what a measurement of their review needs; raises ConfigError."""
    remedy = "use a review.jsonl written by `synthesize screen`"
    try:
        pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        ((data, manifest),) = {(str(pair["data"]), str(pair["manifest"])) for pair in pairs}
        kinds = {int(pair["pair"]): str(pair["known"]) for pair in pairs[TRIALS:]}
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "contains no pairs of notes", remedy) from None
    return KnownPairs(kinds, data, manifest)


def _parts(text: str, passages: Sequence[Sequence[int]]) -> list[tuple[str, bool]]:
    """Cut a text where passages begin and end; each part with whether it is one."""
    parts: list[tuple[str, bool]] = []
    at = 0
    for start, end in passages:
        parts += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [*parts, (text[at:], False)]


def assign_pairs(
    pairs: Sequence[dict[str, Any]], reviewers: int, seed: int
) -> list[list[dict[str, Any]]]:
    """Assign pairs to reviewers: first the trials, then others in an order of each one's own.

    Every pair that counts goes to `READERS` reviewers, and all read about the same number. Which
    list selected a pair, and how similar its notes are, is not shown.
    """
    rng = random.Random(seed)  # noqa: S311 - the order is not secret
    trials, rest = list(pairs[:TRIALS]), list(pairs[TRIALS:])
    rng.shuffle(rest)
    piles: list[list[dict[str, Any]]] = [[] for _ in range(reviewers)]
    for number, pair in enumerate(rest):
        for reader in range(READERS):
            piles[(number * READERS + reader) % reviewers].append(pair)
    for pile in piles:
        rng.shuffle(pile)
    return [
        [{**pair, "trial": number < TRIALS} for number, pair in enumerate([*trials, *pile])]
        for pile in piles
    ]


def write_pages(
    folder: Path, piles: Sequence[Sequence[dict[str, Any]]], *, review: str
) -> Iterator[Path]:
    """Write a page for each reviewer, with mode 600: the pages contain text of notes.

    `review` is the digest of the pairs, which the answers name.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number, pile in enumerate(piles, 1):
        page = TEMPLATES.get_template("review.html.j2").render(
            reviewer=f"reviewer-{number}", pairs=pile, trials=TRIALS, review=review
        )
        path = folder / f"reviewer-{number}.html"
        write_atomically(path, page.encode("utf-8"))
        path.chmod(_OWNER_ONLY)
        yield path


def read_sound(path: Path) -> list[dict[str, Any]]:
    """Read the notes that `synthesize screen` selected for soundness; raises ConfigError."""
    remedy = "use a sound.jsonl written by `synthesize screen`"
    try:
        notes = [
            {
                **{name: str(note[name]) for name in ("text", "known", "data", "manifest")},
                "note": int(note["note"]),
            }
            for note in map(json.loads, path.read_text("utf-8").splitlines())
        ]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "contains no notes", remedy) from None
    if not notes or len({(note["data"], note["manifest"]) for note in notes}) != 1:
        raise ConfigError(str(path), "contains no notes of one set", remedy)
    return notes


def write_sound_pages(
    folder: Path, notes: Sequence[Mapping[str, Any]], readers: int, *, seed: int, review: str
) -> Iterator[Path]:
    """Write a page of all notes for each reader, in an order of each one's own, with mode 600.

    Which notes are real is not on the page. `review` is the digest of the notes' file.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(1, readers + 1):
        shown = [{"note": note["note"], "text": note["text"]} for note in notes]
        random.Random(f"{seed}/{number}").shuffle(shown)  # noqa: S311 - the order is not secret
        page = TEMPLATES.get_template("sound.html.j2").render(
            reader=f"reader-{number}", notes=shown, review=review
        )
        path = folder / f"reader-{number}.html"
        write_atomically(path, page.encode("utf-8"), mode=_OWNER_ONLY)
        yield path


def write_reasons(path: Path, answers: Sequence[object], *, is_sound: bool = False) -> None:
    """Write a page of the answers that reviewers explained, with mode 600: they may quote notes.

    Answers have `pair`, `reviewer`, `scores` and `reason`; with `is_sound` they are about notes.
    """
    page = TEMPLATES.get_template("reasons.html.j2").render(answers=answers, is_sound=is_sound)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, page.encode("utf-8"), mode=_OWNER_ONLY)


def read_answers(paths: Sequence[Path], review: str | None = None) -> list[dict[str, Any]]:
    """Read the files that reviewers saved, without trials.

    Raises ConfigError where one is damaged, or not about the pairs of digest `review`.
    """
    remedy = "use files saved from the review pages"
    answers = []
    for path in paths:
        try:
            saved = json.loads(path.read_text("utf-8"))
            found = saved.get("review")
            for each in saved["answers"]:
                if each.get("trial"):
                    continue
                scores = {name: int(score) for name, score in each["scores"].items()}
                row = {"pair": int(each["pair"]), "reviewer": str(saved["reviewer"])}
                reason = str(each.get("why") or "").strip()
                answers.append(row | {"scores": scores, "reason": reason})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise ConfigError(str(path), "contains no answers", remedy) from None
        if review is not None and found != review:
            raise ConfigError(str(path), "answers other pairs", "give the answers to these pairs")
    return answers
