"""A language's templates in two parts that share none: one to train on, one to be measured on."""

from dataclasses import replace
from hashlib import blake2b
from typing import Literal

from synthesis.fictional.templates.grammar import (
    Kind,
    Language,
    Story,
)

Part = Literal["all", "training", "held-out"]

HELD_OUT = 0.2
"""The share of each list of templates that training never sees, and at least one of it."""

# Lists of whole lines; the others are words that any template may use.
_LINES = ("letterhead", "identity")


def part_of(language: Language, part: Part) -> Language:
    """Return a language with only that part of its templates.

    Templates, not what is drawn from them, are divided: sentences, letterheads, identity blocks,
    heads, tails and titles. Which one goes where depends on its text alone. A list of a single
    template is in both parts (one template in seven), and so are lists of words.
    """
    if part == "all":
        return language
    return replace(
        language,
        kinds={name: _kind(kind, part) for name, kind in language.kinds.items()},
        pools=_lists(language.pools, part),
        words=language.words
        | _lists({name: language.words[name] for name in _LINES if name in language.words}, part),
        stories=tuple(_story(story, part) for story in language.stories),
    )


def _kind(kind: Kind, part: Part) -> Kind:
    return replace(
        kind,
        titles=_some(kind.titles, part),
        heads=_some(kind.heads, part),
        tails=_some(kind.tails, part),
    )


def _story(story: Story, part: Part) -> Story:
    return replace(story, texts=_lists(story.texts, part))


def _lists(lists: dict[str, tuple[str, ...]], part: Part) -> dict[str, tuple[str, ...]]:
    return {name: _some(templates, part) for name, templates in lists.items()}


def _some(templates: tuple[str, ...], part: Part) -> tuple[str, ...]:
    distinct = sorted(set(templates) - {""}, key=_rank)
    if len(distinct) < 2:
        return templates
    held_out = set(distinct[: max(1, round(HELD_OUT * len(distinct)))])
    return tuple(one for one in templates if (one in held_out) is (part == "held-out"))


def _rank(template: str) -> bytes:
    return blake2b(template.encode(), digest_size=8).digest()
