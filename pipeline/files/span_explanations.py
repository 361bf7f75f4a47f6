"""Explanations of detected spans: rule, form and outcome of each, without the covered text."""

import difflib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipeline.notes.overlap_resolution import Precedence, precedence
from record.document import Document
from record.folding import fold
from record.label import Label
from record.patient import PatientRecord, PersonName
from record.span import Span


class SpanOutcome(StrEnum):
    """Outcome of a span in overlap resolution: kept whole, kept in part, or lost."""

    WON = "won"
    TRIMMED = "trimmed"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Finding:
    """One span found by a detector, with an explanation that never contains its text.

    `lang` is the language in which the note was searched. `rule` describes the rule and the form
    of the text. For a span that overlaps a better one, `to` is the detector and label of that
    span and `because` the deciding criterion.
    """

    note_id: str
    lang: str
    span: Span
    rule: str
    outcome: SpanOutcome
    to: str = ""
    because: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as an object for JSON."""
        span = self.span
        return {
            "note_id": self.note_id, "lang": self.lang, "start": span.start, "end": span.end,
            "label": str(span.label), "detector": span.detector, "score": span.score,
            "rule": self.rule, "outcome": self.outcome.value, "to": self.to,
            "because": self.because,
        }  # fmt: skip

    def to_line(self) -> str:
        """Return the finding as a row of a table."""
        span, outcome = self.span, self.outcome.value
        if self.to:
            outcome += f" to {self.to}: {self.because}"
        return _format_row(
            self.note_id, f"{span.start}-{span.end}", str(span.label), self.rule, outcome
        )


_WIDTHS = (12, 11, 12, 58, 0)


def _format_row(*cells: str) -> str:
    line = "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
    return line.rstrip()


HEADING = _format_row("note", "where", "label", "rule", "outcome")
"""The header of the table."""

_FIELDS = {
    "family_names": "family name",
    "birth_names": "name at birth",
    "given_names": "given name",
    "birth_date": "date of birth",
    "addresses": "address",
    "phones": "telephone",
    "emails": "e-mail address",
    "identifiers": "identifier",
    "relatives": "name of a relative",
    "clinicians": "name of the note's author",
}
_LABELS: dict[str, str] = {
    Label.ZIP: "postal code",
    Label.SSN: "national number",
    Label.ID: "identifier",
    Label.URL: "web address",
    Label.IP_ADDRESS: "IP address",
    Label.HOSPITAL: "care site",
}
# The criteria of `pipeline.notes.overlap_resolution.precedence`, in its order; before them that of
# `precedence_beside_tagger`.
_DECIDING_RULES = (
    "a tagger with labels of its own wins",
    "the longer span wins", "a known value of the patient wins", "the more trusted label wins",
    "the higher score wins", "the leftmost span wins",
    "the alphabetically first label wins", "duplicate of another detector",
)  # fmt: skip
_DATE_LABELS = frozenset((Label.DATE, Label.BIRTH_DATE))
_NAME_LABELS = frozenset((Label.NAME, Label.FIRST_NAME, Label.LAST_NAME))
_PLACED = frozenset((Label.CITY, Label.HOSPITAL, Label.ORGANIZATION, Label.REGION, Label.COUNTRY))
_MIN_SIMILARITY = 0.75
_MAX_INITIALS = 4


def explain_spans(
    document: Document,
    found: Iterable[Span],
    patient: PatientRecord | None = None,
    *,
    precedence: Precedence = precedence,
) -> Iterator[Finding]:
    """Explain the unresolved spans found in a document, in order of position.

    `precedence` is the sort key by which they are resolved.
    """
    spans = sorted(set(found), key=lambda span: (span.start, span.end, precedence(span)))
    starts = [span.start for span in spans]
    longest = max((span.end - span.start for span in spans), default=0)
    for span in spans:
        near = spans[bisect_left(starts, span.start - longest) : bisect_left(starts, span.end)]
        better = [s for s in near if s.overlaps(span) and precedence(s) < precedence(span)]
        outcome = _find_outcome(span, better, document.text)
        winner = min(better, key=precedence, default=None)
        yield Finding(
            document.note_id,
            document.lang,
            span,
            _describe_rule(span, document, patient),
            outcome,
            f"{winner.detector} {winner.label}" if winner else "",
            _find_deciding_rule(precedence(winner), precedence(span)) if winner else "",
        )


def _find_outcome(span: Span, better: Sequence[Span], text: str) -> SpanOutcome:
    """Return the outcome of a span next to better ones, as overlap resolution decides it."""
    if not better:
        return SpanOutcome.WON
    taken = {at for other in better for at in range(other.start, other.end)}
    left = (text[at] for at in range(span.start, span.end) if at not in taken)
    return SpanOutcome.TRIMMED if any(char.isalnum() for char in left) else SpanOutcome.LOST


def _find_deciding_rule(winner: tuple[object, ...], loser: tuple[object, ...]) -> str:
    reasons = _DECIDING_RULES[-len(winner) :]
    return next(why for why, one, other in zip(reasons, winner, loser, strict=True) if one != other)


def _describe_rule(span: Span, document: Document, patient: PatientRecord | None) -> str:
    """Describe the rule of a span (family or field) and the form of its text."""
    text = document.text[span.start : span.end]
    room, _, family = span.detector.partition(".")
    if room == "known":
        values = _list_known_values(family, document, patient)
        return f"known {_FIELDS.get(family, family)}: {_describe_difference(text, values)}"
    kind = _LABELS.get(span.label) or str(span.label).lower().replace("_", " ")
    return f"{family.replace('.', ', ') or room}: {kind}, {_describe_form(text, span.label)}"


def _describe_form(text: str, label: str) -> str:
    """Describe the form of a text by its kinds of characters alone."""
    if label in _DATE_LABELS:
        return _describe_date_form(text)
    letters = [char for char in text if char.isalpha()]
    digits = sum(char.isdigit() for char in text)
    if label in _NAME_LABELS and len(letters) <= _MAX_INITIALS and "." in text:
        return "initials"
    if not digits:
        words = len(re.findall(r"[^\W\d_]+", text))
        count = "one word" if words == 1 else f"{words} words"
        if text.isupper():
            return f"{count} in capitals"
        return f"{count} in lower case" if text.islower() else f"{count} capitalized"
    return f"{digits} digits" + (" and letters" if letters else "")


def _describe_date_form(text: str) -> str:
    groups = re.findall(r"\d+", text)
    if any(char.isalpha() for char in text):
        return "with month or number in words" if groups else "in words"
    if len(groups) == 3:
        return "numeric year, month, day" if len(groups[0]) == 4 else "numeric day, month, year"
    forms = {1: "a year or one run of digits", 2: "numeric, two parts"}
    return forms.get(len(groups), "numeric, separated digits")


def _list_known_values(source: str, document: Document, patient: PatientRecord | None) -> list[str]:
    """Return the known values of the field that a detector searches for."""
    if source == "clinicians":
        return [*_list_names(document.clinicians)]
    values = [each.value for each in document.identifiers] if source == "identifiers" else []
    if patient is None:
        return values
    if source == "birth_date":
        return []
    if source == "relatives":
        return [*_list_names(patient.relatives)]
    if source == "identifiers":
        return values + [each.value for each in patient.identifiers]
    if source == "addresses":
        parts = ((a.street, a.zip, a.city, a.region, a.country) for a in patient.addresses)
        return [part for address in parts for part in address if part]
    return list(getattr(patient, source, ()))


def _list_names(people: Iterable[PersonName]) -> Iterator[str]:
    for person in people:
        yield from (*person.given_names, *person.family_names)


def _describe_difference(text: str, values: Sequence[str]) -> str:
    """Describe how a text differs from the most similar known value."""
    if not values:
        return _describe_date_form(text)
    if text in values:
        return "as in the record"
    if fold(text) in {fold(value) for value in values}:
        return "other case or accents"
    here, known = _strip_separators(text), [_strip_separators(value) for value in values]
    if here in known:
        return "other separators"
    if len(here) <= _MAX_INITIALS and any(value.startswith(here[:1]) for value in known):
        return "initials or a short form"
    if any(here in value for value in known):
        return "part of the value"
    if any(value in here for value in known if value):
        return "contains the value"
    if any(
        difflib.SequenceMatcher(None, here, value).ratio() >= _MIN_SIMILARITY for value in known
    ):
        return "misspelling or spelling variant"
    return "another form"


def _strip_separators(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())
