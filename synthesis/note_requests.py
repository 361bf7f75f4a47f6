"""Requests for synthetic notes (kind, entity counts, opening), and their control codes.

What a request asks for is drawn from marginal distributions of real notes, each for itself. A
request like one note would be that note's fingerprint: kind, length, number of entities of each
label and first words are seldom the same twice.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
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

EDGES = (1, 25, 50, 100, 200, 400, 800, 1600, 3200)
"""Bounds of classes of length, in words; longer notes are of the last class."""

FINE_EDGES = tuple(sorted({round(2 ** (step / 4)) for step in range(51)}))
"""The same where counts have no noise, which many classes would drown in: each a fifth wide."""

SHARED = 5
"""Patients that must have first words, or notes of a kind, in common before these are used."""

WORDS_PER_ENTITY = 4
"""A request asks for at most one entity in so many words: length and entities are drawn apart."""

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


@dataclass(frozen=True)
class NoteCounts:
    """Notes by class of length, and by number of entities of each label."""

    lengths: Sequence[float] = field(repr=False)
    labels: Mapping[str, Sequence[float]] = field(repr=False)
    edges: Sequence[int] = field(default=EDGES, repr=False)

    def drawn(self, request: Request, rng: Random) -> Request:
        """Return the request with length and counts drawn, each for itself.

        What no note was counted for stays as it was asked for.
        """
        counts = {}
        for label, notes in sorted(self.labels.items()):
            number = _draw(notes, rng)
            counts[label] = request.counts.get(label, 0) if number is None else number
        words, at = request.words, _draw(self.lengths, rng)
        if at is not None:
            words = rng.randint(self.edges[at], self.edges[at + 1] - 1)
        return replace(request, counts=counts, words=words)


def _draw(notes: Sequence[float], rng: Random) -> int | None:
    weights = [max(0, count) for count in notes]
    return rng.choices(range(len(weights)), weights)[0] if any(weights) else None


def count_requests(requests: Iterable[Request], labels: Iterable[str]) -> NoteCounts:
    """Count requests by class of length, and by number of entities of each label.

    A request that says nothing of its length is in no class.
    """
    lengths = [0] * (len(EDGES) - 1)
    counted = {label: [0] * (MAX_COUNT + 1) for label in sorted(labels)}
    for request in requests:
        if request.words:
            lengths[class_of(request.words, EDGES)] += 1
        for label, notes in counted.items():
            notes[min(request.counts.get(label, 0), MAX_COUNT)] += 1
    return NoteCounts(lengths, counted)


def class_of(words: int, edges: Sequence[int]) -> int:
    """Return the class of a length, which is 1 or more."""
    return min(bisect_right(edges, words), len(edges) - 1) - 1


def microaggregate(held: Iterable[tuple[int, str]], size: int) -> list[float]:
    """Return how frequent each value below `size` is, of values that each have a patient.

    Values are sorted into groups of `SHARED` patients, the last of some more, and all of a group
    count as its mean, or so often as the value below and above that the mean stays (univariate
    microaggregation; Domingo-Ferrer and Mateo-Sanz, 2002): a value that a single note has is not
    seen.
    """
    groups: list[list[int]] = [[]]
    known: set[str] = set()
    for value, patient in sorted(held):
        groups[-1].append(value)
        known.add(patient)
        if len(known) >= SHARED:
            groups.append([])
            known = set()
    if len(groups) > 1:
        rest = groups.pop()
        groups[-1] += rest
    weights = [0.0] * size
    for group in groups:
        below, above = divmod(sum(group), len(group) or 1)
        weights[below] += len(group) - above
        if above:
            weights[below + 1] += above
    return weights


@dataclass(frozen=True)
class _HeldOutNote:
    request: Request
    patient: str
    number: int

    @property
    def owner(self) -> str:
        """The patient; a note without one is its own."""
        return self.patient or f"note {self.number}"


@dataclass(frozen=True)
class _KindMarginals:
    counts: NoteCounts
    openings: Mapping[str, int] = field(repr=False)

    @classmethod
    def of(cls, notes: Sequence[_HeldOutNote], labels: Iterable[str]) -> "_KindMarginals":
        patients: defaultdict[str, set[str]] = defaultdict(set)
        for note in notes:
            patients[note.request.opening].add(note.patient)
        openings = Counter(
            note.request.opening if len(patients[note.request.opening]) >= SHARED else ""
            for note in notes
        )
        lengths = (
            (class_of(note.request.words, FINE_EDGES), note.owner)
            for note in notes
            if note.request.words
        )
        counted = {
            label: microaggregate(
                ((min(note.request.counts.get(label, 0), MAX_COUNT), note.owner) for note in notes),
                MAX_COUNT + 1,
            )
            for label in labels
        }
        weights = microaggregate(lengths, len(FINE_EDGES) - 1)
        return cls(NoteCounts(weights, counted, FINE_EDGES), dict(sorted(openings.items())))


class RequestMarginals:
    """How frequent kinds, lengths, numbers of entities and first words are, each for itself.

    Which of them go together in a note is not kept, but for the kind: lengths, entities and first
    words are those of notes of the kind where at least `SHARED` patients have such notes, else
    those of all notes. First words that fewer patients have are none, and lengths and numbers are
    means of as many patients.
    """

    def __init__(self, notes: Iterable[tuple[Request, str]]) -> None:
        """Count what notes have; each comes with its patient, "" for all whom nobody knows.

        First words of these may all be one patient's; for numbers each of their notes counts.
        """
        held = [_HeldOutNote(*each, number) for number, each in enumerate(notes)]
        labels = {label for note in held for label in note.request.counts}
        by_kind: defaultdict[str, list[_HeldOutNote]] = defaultdict(list)
        for note in held:
            by_kind[note.request.kind].append(note)
        self._kinds = {kind: len(some) for kind, some in sorted(by_kind.items())}
        self._all = _KindMarginals.of(held, labels)
        self._of_kind = {
            kind: _KindMarginals.of(some, labels)
            for kind, some in by_kind.items()
            if len({note.owner for note in some}) >= SHARED
        }

    def __repr__(self) -> str:
        return f"RequestMarginals({sum(self._kinds.values())} notes)"

    def draw(self, rng: Random) -> Request:
        """Draw a request; the same state of `rng` gives the same one."""
        kind = _draw_key(self._kinds, rng)
        marginals = self._of_kind.get(kind, self._all)
        opening = _draw_key(marginals.openings, rng)
        request = marginals.counts.drawn(Request(kind, {}, opening), rng)
        if not request.words:
            return request
        return limit_entities(request, -(-request.words // WORDS_PER_ENTITY), rng)


def _draw_key(counts: Mapping[str, int], rng: Random) -> str:
    return rng.choices(list(counts), list(counts.values()))[0]
