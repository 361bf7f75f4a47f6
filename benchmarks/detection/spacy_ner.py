"""Training of spaCy recognizers from scratch, as published for the utility of filled letters.

Belkadi et al. (2023), section 4.2, train one for each corpus. All get as many steps here, however
many letters they learn from, and keep the weights that do best on the same held-out letters.
Words are cut as everywhere else in Cryptonym, so that every span begins and ends with one.
"""

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens import Span as Found
from spacy.training import Example
from spacy.util import filter_spans
from thinc.api import fix_random_seed

from evaluation.detection.alignment import Pair
from evaluation.detection.span_counts import ScoreTally, count_note
from evaluation.utility.tagger_utility import Utility, count_exact, f1, score_finder
from pipeline.files.jsonl import dump_line
from record.atomic_write import write_atomically
from record.document import Annotated, Document
from record.span import Span
from record.tokens import Token, tokens

_RECOGNIZER: dict[str, Any] = {
    "model": {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner", "extra_state_tokens": False, "hidden_width": 64,
        "maxout_pieces": 2, "use_upper": True, "nO": None,
        "tok2vec": {
            "@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, "width": 96,
            "depth": 4, "embed_size": 2000, "window_size": 1, "maxout_pieces": 3,
            "subword_features": True,
        },
    }
}  # fmt: skip
"""As spaCy's quickstart has it for a CPU."""

_SHOWN = 20  # letters that show the network how large it is
_WEIGHTS_ALONE = ["vocab", "tokenizer"]


@dataclass(frozen=True)
class TrainingPlan:
    """How long is learnt: `steps` of `words` words each, scored after every `every` of them."""

    steps: int
    words: int = 250
    every: int = 50
    rate: float = 0.003
    dropout: float = 0.1


class SpacyTagger:
    """A trained recognizer."""

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the spans of each document."""
        return [self._found(document.text) for document in documents]

    def _found(self, text: str) -> list[Span]:
        document, cut = _read(self._pipeline, text)
        for _, pipe in self._pipeline.pipeline:
            document = pipe(document)
        return [Span(cut[e.start][0], cut[e.end - 1][1], e.label_) for e in document.ents]


def train_recognizer(
    notes: Sequence[Annotated], dev: Sequence[Annotated], lang: str, course: TrainingPlan, seed: int
) -> SpacyTagger:
    """Train a recognizer on notes; sets the random state of Python and NumPy."""
    fix_random_seed(seed)
    pipeline = spacy.blank(lang)
    recognizer: Any = pipeline.add_pipe("ner", config=_RECOGNIZER)
    examples = [_example(pipeline, note) for note in notes]
    for label in sorted({span.label for note in notes for span in note.spans}):
        recognizer.add_label(label)
    optimizer = pipeline.initialize(lambda: examples[:_SHOWN])
    optimizer.learn_rate = course.rate
    tagger, best, kept = SpacyTagger(pipeline), -1.0, b""
    batches = _batches(examples, course.words, Random(seed))
    for step in range(1, course.steps + 1):
        pipeline.update(next(batches), sgd=optimizer, drop=course.dropout)
        if step % course.every == 0 or step == course.steps:
            reached = float(f1(score_finder(tagger, dev).sum(0)))
            if reached > best:
                best, kept = reached, pipeline.to_bytes(exclude=_WEIGHTS_ALONE)
    pipeline.from_bytes(kept, exclude=_WEIGHTS_ALONE)
    return tagger


@dataclass(frozen=True)
class EvaluationLetters:
    """The letters that weights are selected by, and those that taggers are scored on."""

    lang: str
    dev: Sequence[Annotated] = field(repr=False)
    test: Sequence[Annotated] = field(repr=False)


@dataclass(frozen=True)
class RecognizedSpans:
    """What taggers found: spans of every letter that is scored, by seed, for each arm."""

    found: Mapping[str, Sequence[Sequence[Sequence[Span]]]] = field(repr=False)
    test: Sequence[Annotated] = field(repr=False)

    def utility(self) -> Utility:
        """Count exact spans and labels."""
        return Utility(
            {
                arm: np.stack([count_exact(self.test, spans) for spans in seeds])
                for arm, seeds in self.found.items()
            }
        )

    def labels(self, arm: str) -> Mapping[str, ScoreTally]:
        """Count them by label, all seeds together."""
        total: dict[str, ScoreTally] = defaultdict(ScoreTally)
        for spans in self.found[arm]:
            for note, some in zip(self.test, spans, strict=True):
                pair = Pair(note.document.note_id, note.document.text, note.spans, tuple(some))
                for label, held in count_note(pair).labels.items():
                    total[label].add(held.spans)
        return total


def train_arms(
    arms: Mapping[str, Sequence[Annotated]],
    judges: EvaluationLetters,
    course: TrainingPlan,
    seeds: Sequence[int],
    folder: Path,
) -> RecognizedSpans:
    """Train a recognizer for each arm and seed, and keep what it finds.

    What a recognizer found before under the folder is read, and it is not trained again.
    """
    found: dict[str, list[list[list[Span]]]] = {arm: [] for arm in arms}
    folder.mkdir(parents=True, exist_ok=True)
    documents = [each.document for each in judges.test]
    for arm, seed in ((arm, seed) for seed in seeds for arm in arms):
        path = folder / f"{arm}-{seed}.json"
        if not path.exists():
            began = process_time()
            tagger = train_recognizer(arms[arm], judges.dev, judges.lang, course, seed)
            spans = [list(map(astuple, each)) for each in tagger.spans(documents)]
            write_atomically(path, dump_line({"spans": spans}).encode())
            print(f"{path.stem}: {process_time() - began:.0f} CPU s", flush=True)
        held = json.loads(path.read_text("utf-8"))["spans"]
        found[arm].append([[Span(*each) for each in note] for note in held])
    return RecognizedSpans(found, judges.test)


def _read(pipeline: Language, text: str) -> tuple[Doc, list[Token]]:
    """Cut a text; line breaks are words, since they mark the end of a field."""
    cut = tokens(text)
    ends = [start for start, _ in cut[1:]] + [len(text)]
    blanks = [end < following for (_, end), following in zip(cut, ends, strict=False)]
    words = [text[start:end] for start, end in cut]
    return Doc(pipeline.vocab, words=words, spaces=blanks), cut


def _example(pipeline: Language, note: Annotated) -> Example:
    document, cut = _read(pipeline, note.document.text)
    starts, ends = [start for start, _ in cut], [end for _, end in cut]
    annotated = document.copy()
    spans = (
        Found(annotated, bisect_right(ends, s.start), bisect_left(starts, s.end), label=s.label)
        for s in note.spans
    )
    annotated.set_ents(filter_spans([span for span in spans if len(span)]))
    return Example(document, annotated)


def _batches(examples: Sequence[Example], words: int, chance: Random) -> Iterator[list[Example]]:
    """Draw notes in a new order each time around, until there are so many words."""
    queue: list[Example] = []
    while True:
        batch: list[Example] = []
        while sum(len(each.reference) for each in batch) < words:
            queue = queue or chance.sample(list(examples), len(examples))
            batch.append(queue.pop())
        yield batch
