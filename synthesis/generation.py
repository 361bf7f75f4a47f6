"""Generation of synthetic notes with spans, one for each request."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from models.language.corpus.vocabulary import END
from models.language.decoding.generation import (
    Decoding,
    DecodingTask,
    GeneratedText,
    beam_search,
    generate_texts,
)
from models.language.decoding.known_words import KnownWords
from models.language.decoding.tag_grammar import Grammar, TagTokens, most_entities
from models.language.training.serialization import TrainedGenerator
from record.document import Annotated, Document
from record.errors import ConfigError, Unsafe
from synthesis.identifier_filling import IdentifierFiller
from synthesis.markup import LT, PAR, end_tag, start_tag
from synthesis.noised_requests import NoisedCounts
from synthesis.note_requests import (
    Request,
    RequestMarginals,
    limit_entities,
    with_label_shares,
)
from synthesis.tag_repair import parse_tags

ORIGIN = "synthetic"


@dataclass(frozen=True)
class GenerationPlan:
    """Which notes to generate: `count` of them, from a seed, each by a request that is drawn.

    `shares` of labels, where given, decide the labels of a note's entities; how many it has stays
    as requested. With `counts` length and entities are drawn from these. A note is a function of
    the seed and its place alone.
    """

    count: int
    seed: int
    requests: RequestMarginals = field(repr=False)
    shares: Mapping[str, float] | None = None
    lang: str = ""
    counts: NoisedCounts | None = field(default=None, repr=False)

    def request(self, place: int) -> Request:
        """Return the request for the note at an index."""
        rng = Random(f"{self.seed}/{place}")  # noqa: S311 - what is drawn is no secret
        request = self.requests.draw(rng)
        if self.counts is not None:
            request = self.counts.drawn(request, rng)
        return with_label_shares(request, self.shares, rng) if self.shares else request

    def request_like(self) -> Counter[str]:
        """Add up the entities of all notes, by label."""
        total: Counter[str] = Counter()
        for place in range(self.count):
            total.update(self.request(place).counts)
        return total

    def note_id(self, place: int) -> str:
        """Return the id of the note at a place."""
        return f"synthetic-{self.seed}-{place:06d}"


@dataclass(frozen=True)
class GeneratedNote:
    """A generated note; `started` counts its start tags, `ids` its tokens.

    `is_thinned` means that fewer entities than requested were required, since no more fit;
    `refused` says why a note has no text, where an identifier got no surrogate.
    """

    note: Annotated
    request: Request
    started: int
    ids: int
    is_cut: bool
    is_hurried: bool
    is_trimmed: bool
    is_thinned: bool
    refused: str = ""

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


class NoteGenerator:
    """Generates notes with a trained model under the grammar of its tags.

    With a `filler` identifiers are its surrogates, else they are what the model writes. With
    `words` it writes no word of more than three letters outside of identifiers but these.
    """

    def __init__(
        self,
        trained: TrainedGenerator,
        decoding: Decoding,
        filler: IdentifierFiller | None = None,
        words: Collection[str] | None = None,
    ) -> None:
        self._known = None if words is None else KnownWords(trained.vocabulary, words)
        self._trained, self._decoding, self._filler = trained, decoding, filler
        if "longest" not in trained.about:
            remedy = "give a folder written by `cryptonym synthesize train`"
            raise ConfigError("the model", "was not trained on annotated notes", remedy)
        longest: Mapping[str, int] = trained.about["longest"]
        self._labels = tuple(sorted(longest))
        self._ids_per_word: float = trained.about.get("ids_per_word", 0.0)
        # The constraints on a corpus's tags: only tags, breaks and `<LT>` are generated
        pairs = [(start_tag(label), end_tag(label)) for label in sorted(longest)]
        written = {END, PAR, LT, *(tag for pair in pairs for tag in pair)}
        bounds = [longest[label] for label in sorted(longest)]
        self._grammar = Grammar(
            trained.vocabulary,
            TagTokens(
                pairs,
                bounds,
                [PAR],
                [mark for mark in trained.vocabulary.marks if mark not in written],
            ),
        )

    def write(self, plan: GenerationPlan, places: Sequence[int]) -> list[GeneratedNote]:
        """Generate the notes at some indices, in one batch.

        Raises ConfigError where the model cannot hold what is asked for.
        """
        requests = [plan.request(place) for place in places]
        wanted = [
            self._limit_to_room(request, Random(f"{plan.seed}/{place}/thinned"))  # noqa: S311
            for request, place in zip(requests, places, strict=True)
        ]
        tasks = [
            self._task(request, (plan.seed, place))
            for request, place in zip(wanted, places, strict=True)
        ]
        network, grammar, decoding = self._trained.network, self._grammar, self._decoding
        if decoding.method == "beam":
            texts = [beam_search(network, grammar, task, decoding, self._known) for task in tasks]
        else:
            texts = generate_texts(network, grammar, tasks, decoding, self._known)
        return [
            self._synthetic(plan, place, text, is_thinned=fitted != request)
            for place, request, fitted, text in zip(places, requests, wanted, texts, strict=True)
        ]

    def _limit_to_room(self, request: Request, rng: Random) -> Request:
        """Limit a request to the entities that fit, if entities are enforced."""
        decoding = self._decoding
        if not (decoding.enforced and decoding.masked):
            return request
        opening = len(self._trained.vocabulary.encode(request.opening))
        return limit_entities(request, most_entities(decoding.max_length - opening), rng)

    def _task(self, request: Request, rng: tuple[object, ...]) -> DecodingTask:
        vocabulary = self._trained.vocabulary
        known = {label: request.counts.get(label, 0) for label in self._labels}
        asked = vocabulary.encode(Request(request.kind, known).codes())
        opening = vocabulary.encode(request.opening)
        length = round(request.words * self._ids_per_word) or None
        return DecodingTask(asked, opening, [known[label] for label in self._labels], rng, length)

    def _synthetic(
        self, plan: GenerationPlan, place: int, text: GeneratedText, *, is_thinned: bool
    ) -> GeneratedNote:
        cleaned = parse_tags(self._trained.vocabulary.decode(text.ids))
        request = plan.request(place)
        document = Document(
            note_id=plan.note_id(place),
            text=cleaned.text,
            lang=plan.lang,
            kind=request.kind,
            origin=ORIGIN,
        )
        note, refused = Annotated(document, cleaned.spans), ""
        if self._filler is not None:
            try:
                note = self._filler.fill(note, plan.seed, place)
            except Unsafe as error:
                note, refused = Annotated(replace(document, text=""), ()), error.reason
        flags = (text.is_cut, text.is_hurried, text.is_trimmed, is_thinned)
        return GeneratedNote(note, request, cleaned.started, len(text.ids), *flags, refused)
