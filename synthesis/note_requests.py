"""Requests for synthetic notes (kind, entity counts, opening), and their control codes."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from models.language.corpus.vocabulary import END, UNKNOWN
from record.document import Annotated
from synthesis.corpus_statistics import words_in
from synthesis.markup import LT, PAR, tags_of

BODY = "<BODY>"
"""The mark between what is asked for and the note."""

MAX_COUNT = 20
"""Higher counts are asked for as this one, which stands for so many or more."""

# As `markup` has it: `<30 % of 14 mL, Tmax>` is text.
_MARK = re.compile(r"<\w[^<>\s]*>")
_COUNT, _KIND_MARK = "<COUNT=", "<KIND="
_RARE_KIND = 3  # notes: a rarer kind may contain a name
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
        """Return the request as control codes, without the opening."""
        kind = [_kind_mark(self.kind)] if self.kind else []
        wanted = [
            f"<{label}_WANTED><COUNT={min(count, MAX_COUNT)}>"
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


def kind_slug(kind: str) -> str:
    """Return a note kind as part of a control code; empty for long titles."""
    plain = _KIND.sub("-", kind.lower()).strip("-")
    return plain if len(plain) <= _LONGEST_KIND else ""


def frequent_kinds(notes: Iterable[Annotated]) -> list[str]:
    """Return the kinds that enough notes have, sorted."""
    counts = Counter(kind_slug(note.document.kind) for note in notes)
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
        *(f"<COUNT={count}>" for count in range(1, MAX_COUNT + 1)),
        *(_kind_mark(kind) for kind in sorted(set(kinds))),
    ]


def marks_in(marked: str) -> list[str]:
    """Return the marks of a text, in which any other `<` is written `<LT>`."""
    return _MARK.findall(marked)


def known_codes(codes: str, known: Collection[str], kind: str | None = None) -> str:
    """Return control codes without those that are not among the known marks.

    A count goes with the label it is of. With `kind` that is the one asked for, if it is known.
    """
    kept: list[str] = []
    is_counted = True
    marks = marks_in(codes)
    if kind is not None:
        marks = [_kind_mark(kind), *(mark for mark in marks if not mark.startswith(_KIND_MARK))]
    for mark in marks:
        if not mark.startswith(_COUNT):
            is_counted = mark in known
        if mark in known and is_counted:
            kept.append(mark)
    return "".join(kept)


def _kind_mark(kind: str) -> str:
    return f"{_KIND_MARK}{kind}>"


def request_like(note: Annotated, kinds: Sequence[str], opening: str = "") -> Request:
    """Return a request for a note like an existing one."""
    kind = kind_slug(note.document.kind)
    counts = Counter(span.label for span in note.spans)
    words = words_in(note.document.text)
    return Request(kind if kind in kinds else "", dict(sorted(counts.items())), opening, len(words))


def with_label_shares(request: Request, shares: Mapping[str, float], rng: Random) -> Request:
    """Return the request with labels redrawn by these shares."""
    labels = sorted(shares)
    drawn = rng.choices(labels, [shares[label] for label in labels], k=entity_count(request))
    return replace(request, counts=dict(sorted(Counter(drawn).items())))


def limit_entities(request: Request, most: int, rng: Random) -> Request:
    """Return the request with at most `most` entities, a random subset."""
    if entity_count(request) <= most:
        return request
    labels = sorted(request.counts)
    drawn = rng.sample(labels, max(0, most), counts=[request.counts[each] for each in labels])
    return replace(request, counts=dict(sorted(Counter(drawn).items())))


def entity_count(request: Request) -> int:
    """Return the number of requested entities."""
    return sum(request.counts.values())
