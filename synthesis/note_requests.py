"""Requests for synthetic notes: kind of note and number of entities by label."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from models.language.corpus.vocabulary import END, UNKNOWN
from record.document import Annotated
from synthesis.corpus_statistics import words_in
from synthesis.markup import LT, PAR, tags_of

BODY = "<BODY>"
"""The mark between what is asked for and the note."""

MOST = 20
"""Higher counts are asked for as this one, which stands for so many or more."""

_RARE_KIND = 3  # notes: a kind that fewer have may name somebody
_KIND = re.compile(r"[^a-z0-9]+")
_LONGEST_KIND = 40


@dataclass(frozen=True)
class Request:
    """A note to write: its kind (may be empty), counts by label, and the words it opens with.

    `words` is how many it should have, about; 0 where nothing is said of it.
    """

    kind: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    opening: str = field(default="", repr=False)
    words: int = 0

    def codes(self) -> str:
        """Write what is asked for as marks; the opening is not among them."""
        kind = [f"<KIND={self.kind}>"] if self.kind else []
        wanted = [
            f"<{label}_WANTED><COUNT={min(count, MOST)}>"
            for label, count in sorted(self.counts.items())
            if count
        ]
        return "".join([*kind, *wanted, BODY])

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {
            "kind": self.kind,
            "counts": dict(self.counts),
            "opening": self.opening,
            "words": self.words,
        }


def slug(kind: str) -> str:
    """Write a kind of note as part of a mark; a long one is a title, and left out."""
    plain = _KIND.sub("-", kind.lower()).strip("-")
    return plain if len(plain) <= _LONGEST_KIND else ""


def frequent_kinds(notes: Iterable[Annotated]) -> list[str]:
    """Return the kinds that enough notes have, sorted."""
    counts = Counter(slug(note.document.kind) for note in notes)
    return sorted(kind for kind, count in counts.items() if kind and count >= _RARE_KIND)


def marks_of(labels: Iterable[str], kinds: Iterable[str]) -> list[str]:
    """Return every mark of a corpus, END and UNKNOWN first; raises ConfigError for odd labels."""
    names = sorted(set(labels))
    return [
        END,
        UNKNOWN,
        PAR,
        LT,
        *tags_of(names),
        BODY,
        *(f"<{name}_WANTED>" for name in names),
        *(f"<COUNT={count}>" for count in range(1, MOST + 1)),
        *(f"<KIND={kind}>" for kind in sorted(set(kinds))),
    ]


def requested(note: Annotated, kinds: Sequence[str], opening: str = "") -> Request:
    """Ask for a note like one that is there."""
    kind = slug(note.document.kind)
    counts = Counter(span.label for span in note.spans)
    words = words_in(note.document.text)
    return Request(kind if kind in kinds else "", dict(sorted(counts.items())), opening, len(words))


def reweighted(request: Request, shares: Mapping[str, float], chance: Random) -> Request:
    """Ask for as many entities, with labels drawn by these shares instead."""
    labels = sorted(shares)
    drawn = chance.choices(labels, [shares[label] for label in labels], k=sum_of(request))
    return replace(request, counts=dict(sorted(Counter(drawn).items())))


def thinned(request: Request, most: int, chance: Random) -> Request:
    """Ask for no more than `most` entities: of all that were asked for, some drawn by chance."""
    if sum_of(request) <= most:
        return request
    labels = sorted(request.counts)
    drawn = chance.sample(labels, max(0, most), counts=[request.counts[each] for each in labels])
    return replace(request, counts=dict(sorted(Counter(drawn).items())))


def sum_of(request: Request) -> int:
    """Count all entities asked for."""
    return sum(request.counts.values())
