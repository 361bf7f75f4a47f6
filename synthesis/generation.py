"""Requests in, synthetic notes with their spans out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from models.language.corpus.vocabulary import END, Vocabulary
from models.language.decoding.generation import (
    Decoding,
    DecodingTask,
    Written,
    search_text,
    write_texts,
)
from models.language.decoding.tag_grammar import Grammar, Marks, most_entities
from models.language.training.serialization import TrainedGenerator
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.markup import LT, PAR, end_tag, start_tag
from synthesis.note_requests import Request, reweighted, thinned
from synthesis.tag_repair import clean

ORIGIN = "synthetic"


@dataclass(frozen=True)
class GenerationPlan:
    """Which notes to write: `count` of them, from a seed, each like one of the requests.

    `shares` of labels, where given, decide the labels of a note's entities; how many it has stays
    as requested. A note is a function of the seed and its place alone.
    """

    count: int
    seed: int
    requests: Sequence[Request] = field(repr=False)
    shares: Mapping[str, float] | None = None
    lang: str = ""

    def request(self, place: int) -> Request:
        """Return what the note at a place is asked to be."""
        chance = Random(f"{self.seed}/{place}")  # noqa: S311 - what is drawn is no secret
        request = chance.choice(self.requests)
        return reweighted(request, self.shares, chance) if self.shares else request

    def requested(self) -> Counter[str]:
        """Add up the entities of all notes, by label."""
        total: Counter[str] = Counter()
        for place in range(self.count):
            total.update(self.request(place).counts)
        return total

    def note_id(self, place: int) -> str:
        """Return the id of the note at a place."""
        return f"synthetic-{self.seed}-{place:06d}"


@dataclass(frozen=True)
class Synthetic:
    """A note that a model wrote, and how: `started` counts start tags, `ids` what was written.

    `is_thinned` tells that fewer entities were wanted than requested, since no more fit.
    """

    note: Annotated
    request: Request
    started: int
    ids: int
    is_cut: bool
    is_hurried: bool
    is_trimmed: bool
    is_thinned: bool

    def about(self) -> dict[str, Any]:
        """Return what is kept with the note, without any text."""
        counts = {label: count for label, count in self.request.counts.items() if count}
        return {
            "requested": counts,
            "started": self.started,
            "ids": self.ids,
            "cut": self.is_cut,
            "hurried": self.is_hurried,
            "trimmed": self.is_trimmed,
            "thinned": self.is_thinned,
        }


class Writer:
    """A trained model with the grammar of its tags, ready to write."""

    def __init__(self, trained: TrainedGenerator, decoding: Decoding) -> None:
        self._trained, self._decoding = trained, decoding
        if "longest" not in trained.about:
            remedy = "name a folder that `cryptonym synthesize train` wrote"
            raise ConfigError("the model", "knows nothing of entities", remedy)
        longest: Mapping[str, int] = trained.about["longest"]
        self._labels = tuple(sorted(longest))
        self._ids_per_word: float = trained.about.get("ids_per_word", 0.0)
        self._grammar = Grammar(trained.vocabulary, marks_in(trained.vocabulary, longest))

    def write(self, plan: GenerationPlan, places: Sequence[int]) -> list[Synthetic]:
        """Write the notes at some places, side by side.

        Raises ConfigError where the model cannot hold what is asked for.
        """
        requests = [plan.request(place) for place in places]
        wanted = [
            self._fitted(request, Random(f"{plan.seed}/{place}/thinned"))  # noqa: S311
            for request, place in zip(requests, places, strict=True)
        ]
        tasks = [
            self._task(request, (plan.seed, place))
            for request, place in zip(wanted, places, strict=True)
        ]
        network, grammar, decoding = self._trained.network, self._grammar, self._decoding
        if decoding.method == "beam":
            texts = [search_text(network, grammar, task, decoding) for task in tasks]
        else:
            texts = write_texts(network, grammar, tasks, decoding)
        return [
            self._synthetic(plan, place, text, is_thinned=fitted != request)
            for place, request, fitted, text in zip(places, requests, wanted, texts, strict=True)
        ]

    def _fitted(self, request: Request, chance: Random) -> Request:
        """Ask for what there is room for, where notes are held to what they are asked for."""
        decoding = self._decoding
        if not (decoding.enforced and decoding.masked):
            return request
        opening = len(self._trained.vocabulary.encode(request.opening))
        return thinned(request, most_entities(decoding.max_length - opening), chance)

    def _task(self, request: Request, chance: tuple[object, ...]) -> DecodingTask:
        vocabulary = self._trained.vocabulary
        known = {label: request.counts.get(label, 0) for label in self._labels}
        asked = vocabulary.encode(Request(request.kind, known).codes())
        opening = vocabulary.encode(request.opening)
        length = round(request.words * self._ids_per_word) or None
        return DecodingTask(
            asked, opening, [known[label] for label in self._labels], chance, length
        )

    def _synthetic(
        self, plan: GenerationPlan, place: int, text: Written, *, is_thinned: bool
    ) -> Synthetic:
        cleaned = clean(self._trained.vocabulary.decode(text.ids))
        request = plan.request(place)
        document = Document(
            note_id=plan.note_id(place),
            text=cleaned.text,
            lang=plan.lang,
            kind=request.kind,
            origin=ORIGIN,
        )
        note = Annotated(document, cleaned.spans)
        how = (text.is_cut, text.is_hurried, text.is_trimmed, is_thinned)
        return Synthetic(note, request, cleaned.started, len(text.ids), *how)


def marks_in(vocabulary: Vocabulary, longest: Mapping[str, int]) -> Marks:
    """Return the grammar of the marks of a corpus:
    only tags, breaks and `<LT>` are ever written.
    """
    pairs = [(start_tag(label), end_tag(label)) for label in sorted(longest)]
    written = {END, PAR, LT, *(tag for pair in pairs for tag in pair)}
    bounds = [longest[label] for label in sorted(longest)]
    return Marks(pairs, bounds, [PAR], [mark for mark in vocabulary.marks if mark not in written])
