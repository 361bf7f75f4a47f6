"""Says of each span which rule found it, why, and what became of it; never the text it covers."""

import difflib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipeline.notes.overlap_resolution import precedence
from record.document import Document
from record.folding import fold
from record.label import Label
from record.patient import PatientRecord, PersonName
from record.span import Span


class SpanOutcome(StrEnum):
    """What became of a span: all of it stayed, a part of it, or nothing of its own."""

    WON = "won"
    TRIMMED = "trimmed"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Finding:
    """One span that a detector found, with the reason in words of the program: never its text.

    `lang` is the language the note was searched in. `rule` says what was found by which rule and
    in which form. Of a span that met a better one, `to` names that one's detector and label and
    `because` what decided.
    """

    note_id: str
    lang: str
    span: Span
    rule: str
    outcome: SpanOutcome
    to: str = ""
    because: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as one object."""
        span = self.span
        return {
            "note_id": self.note_id, "lang": self.lang, "start": span.start, "end": span.end,
            "label": str(span.label), "detector": span.detector, "score": span.score,
            "rule": self.rule, "outcome": self.outcome.value, "to": self.to,
            "because": self.because,
        }  # fmt: skip

    def to_line(self) -> str:
        """Return the finding as one line of a table."""
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
"""The first line of the table."""

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
    Label.URL: "address on the net",
    Label.IP_ADDRESS: "address on the net",
    Label.HOSPITAL: "care site",
}
# What a winner has before a loser, in the order of `pipeline.notes.overlap_resolution.precedence`.
_DECIDING_RULES = (
    "the longer wins", "known of the patient wins", "the surer label wins",
    "the higher score wins", "the one further left wins",
    "the label first in the alphabet wins", "found by both, one is kept",
)  # fmt: skip
_DATE_LABELS = frozenset((Label.DATE, Label.BIRTH_DATE))
_NAME_LABELS = frozenset((Label.NAME, Label.FIRST_NAME, Label.LAST_NAME))
_PLACED = frozenset((Label.CITY, Label.HOSPITAL, Label.ORGANIZATION, Label.REGION, Label.COUNTRY))
_MIN_SIMILARITY = 0.75
_MAX_INITIALS = 4


def explain_spans(
    document: Document, found: Iterable[Span], patient: PatientRecord | None = None
) -> Iterator[Finding]:
    """Explain what was found in a document, in order of place; the spans are not yet resolved."""
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
            _find_deciding_rule(winner, span) if winner else "",
        )


def _find_outcome(span: Span, better: Sequence[Span], text: str) -> SpanOutcome:
    """Return what is left of a span beside the better ones, as overlap resolution does."""
    if not better:
        return SpanOutcome.WON
    taken = {at for other in better for at in range(other.start, other.end)}
    left = (text[at] for at in range(span.start, span.end) if at not in taken)
    return SpanOutcome.TRIMMED if any(char.isalnum() for char in left) else SpanOutcome.LOST


def _find_deciding_rule(winner: Span, loser: Span) -> str:
    pairs = zip(precedence(winner), precedence(loser), strict=True)
    return next(
        why for why, (one, other) in zip(_DECIDING_RULES, pairs, strict=True) if one != other
    )


def _describe_rule(span: Span, document: Document, patient: PatientRecord | None) -> str:
    """Name the rule of a span: family or field, and the form in which the text has it."""
    text = document.text[span.start : span.end]
    room, _, family = span.detector.partition(".")
    if room == "known":
        values = _list_known_values(family, document, patient)
        return f"known {_FIELDS.get(family, family)}: {_describe_difference(text, values)}"
    kind = _LABELS.get(span.label) or str(span.label).lower().replace("_", " ")
    return f"{family.replace('.', ', ') or room}: {kind}, {_describe_form(text, span.label)}"


def _describe_form(text: str, label: str) -> str:
    """Describe a text by the kinds of its signs alone."""
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
        return f"{count} in small letters" if text.islower() else f"{count} with capitals"
    return f"{digits} digits" + (" and letters" if letters else "")


def _describe_date_form(text: str) -> str:
    groups = re.findall(r"\d+", text)
    if any(char.isalpha() for char in text):
        return "with a month or number in words" if groups else "in words"
    if len(groups) == 3:
        return "numeric year, month, day" if len(groups[0]) == 4 else "numeric day, month, year"
    forms = {1: "a year or one run of digits", 2: "numeric, two parts"}
    return forms.get(len(groups), "numeric, digits apart")


def _list_known_values(source: str, document: Document, patient: PatientRecord | None) -> list[str]:
    """List what is known under the field of a record that a detector names."""
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
    """Say how a text differs from the nearest of some values."""
    if not values:
        return _describe_date_form(text)
    if text in values:
        return "as in the record"
    if fold(text) in {fold(value) for value in values}:
        return "another case, or other accents"
    here, known = _strip_separators(text), [_strip_separators(value) for value in values]
    if here in known:
        return "other separators"
    if len(here) <= _MAX_INITIALS and any(value.startswith(here[:1]) for value in known):
        return "initials or a short form"
    if any(here in value for value in known):
        return "a part of it"
    if any(value in here for value in known if value):
        return "it and more around it"
    if any(
        difflib.SequenceMatcher(None, here, value).ratio() >= _MIN_SIMILARITY for value in known
    ):
        return "misspelling or another spelling"
    return "another form"


def _strip_separators(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())
