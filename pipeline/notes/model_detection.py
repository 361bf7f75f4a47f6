"""Detection by a tagger model: documents are tagged in batches, one by one if a batch fails."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol

from pipeline.notes.detection import in_original
from pipeline.notes.error_boundary import attempt
from pipeline.notes.model_vetoes import make_veto
from pipeline.notes.overlap_resolution import trim_spans
from record.document import Document
from record.errors import ConfigError
from record.failure import Failure
from record.label import Label
from record.policy import Policy
from record.span import Span
from rules.dates.ranges import complete_date_ranges, read_ranges_as_dates
from rules.dates.told_days import complete_told_days
from rules.matching.recognition_errors import correct_recognition
from rules.names.mentions import find_mentions
from rules.names.name_parts import complete_names, initials_behind_names
from rules.names.spelled_names import complete_spelled_names
from rules.places.institution_names import complete_institutions
from rules.places.workplaces import find_workplaces

TOGETHER = 16
"""Number of documents passed to the model at once: enough to fill its batches."""
_ARRONDISSEMENT = re.compile(
    r"(?:Paris|Lyon|Marseille)[ \t]+(?:1er|(?:1?\d|20)[ \t]?(?:[eè]|[eè]me|°))", re.IGNORECASE
)
_ADDRESSES = frozenset((Label.STREET, Label.ZIP, Label.REGION, Label.HOSPITAL, Label.ORGANIZATION))


class SpanTagger(Protocol):
    """A trained model that finds spans."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that spans may have."""

    @property
    def rule_labels(self) -> Mapping[str, str]:
        """The label for a rule's, where the tagger's are a site's own."""

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the spans of each document."""


class Foresight:
    """A model's spans of the next notes, found in batches when the first of them is processed.

    Without a model there are none. If the model raises on a batch, its documents are tagged alone
    on request, so that only the note at fault is refused.
    """

    def __init__(self, model: SpanTagger | None, documents: Iterable[Document] = ()) -> None:
        self._model = model
        self._waiting = (each for document in documents for each in _readings(document))
        # None where the batch of a text failed.
        self._found: dict[str, list[Span] | None] = {}

    def __repr__(self) -> str:
        return f"<Foresight of {len(self._found)} texts>"

    def spans(self, document: Document) -> list[Span]:
        """Return the model's spans of a document, as `refine_spans` leaves them.

        Those of a badly recognized text are joined by those of it as it is corrected.
        """
        if self._model is None:
            return []
        return find_in_readings(document, self._find)

    def _find(self, document: Document) -> list[Span]:
        assert self._model
        while document.text not in self._found and (several := self._next_batch()):
            self._tag(self._model, several)
        found = self._found.get(document.text)
        if found is None:
            (found,) = self._model.spans([document])
        return found

    def _next_batch(self) -> list[Document]:
        return list(islice(self._waiting, TOGETHER))

    def _tag(self, model: SpanTagger, several: Sequence[Document]) -> None:
        found = attempt("", "detect", lambda: model.spans(several))
        texts = [document.text for document in several]
        if isinstance(found, Failure):
            self._found |= {text: None for text in texts if text not in self._found}
        else:
            self._found |= dict(zip(texts, found, strict=True))


def find_in_readings(document: Document, find: Callable[[Document], Iterable[Span]]) -> list[Span]:
    """Return a model's spans (`find`) of a document, refined, and of it as it is corrected."""
    spans = refine_spans(find(document), document)
    if corrected := correct_recognition(document.text):
        again = replace(document, text=corrected.text)
        spans += in_original(refine_spans(find(again), again), corrected)
    return spans


def _readings(document: Document) -> Iterator[Document]:
    yield document
    if corrected := correct_recognition(document.text):
        yield replace(document, text=corrected.text)


def refine_spans(found: Iterable[Span], document: Document) -> list[Span]:
    """Return a model's spans stripped of whitespace and punctuation, completed, with mentions.

    Spans that can be nothing of their label are left out (`make_veto`). Beside those of which a
    part was found stands one of the whole: institutions with their kind, spelled names, ranges of
    days. A name that the model found covers its other mentions in the document.
    """
    veto = make_veto(document.text, document.lang)
    spans = [span for span in trim_spans(found, document.text) if not veto(span)]
    spans = [_read_as_town(span, document.text) for span in spans]
    spans = read_ranges_as_dates(document, spans)
    return [
        *spans,
        *complete_institutions(document, spans),
        *complete_spelled_names(document, spans),
        *complete_date_ranges(document, spans),
        *complete_told_days(document, spans),
        *complete_names(document, spans),
        *initials_behind_names(document, spans),
        *find_workplaces(document, spans),
        *find_mentions(document, spans),
    ]


def _read_as_town(span: Span, text: str) -> Span:
    """Return a town with its arrondissement as a town: that number is of no house or ZIP code."""
    is_town = _ARRONDISSEMENT.fullmatch(text, span.start, span.end)
    return replace(span, label=Label.CITY) if is_town and span.label in _ADDRESSES else span


def check_labels(key: str, tagger: SpanTagger, policy: Policy) -> None:
    """Raise ConfigError if the model has labels for which the policy defines no action."""
    if unknown := [label for label in tagger.labels if policy.action(label) is None]:
        problem = f"the policy has no action for the model's labels {', '.join(unknown)}"
        raise ConfigError(key, problem, "train the model with --label-map")
