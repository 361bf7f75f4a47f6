"""Puts surrogates in the place of the spans of a document."""

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from record.document import Document
from record.errors import Unsafe
from record.label import Label
from record.patient import PatientRecord
from record.policy import Action, Policy
from record.release import Release
from record.span import Span
from surrogates import ages, coarse, contacts, dates, identifiers, names, places, shape, sites
from surrogates.date_context import completed, day_first
from surrogates.keys import CohortKey
from surrogates.note_names import NoteNames
from surrogates.subject import Mention, Subject, Who

Maker = Callable[[Mention, Subject], str]

# Who makes the surrogates of each label.
MAKERS: dict[str, Maker] = {
    Label.FIRST_NAME: names.replace,
    Label.LAST_NAME: names.replace,
    Label.NAME: names.replace,
    Label.USERNAME: contacts.replace_username,
    Label.DATE: dates.replace,
    Label.BIRTH_DATE: dates.replace,
    Label.AGE: ages.replace,
    Label.STREET: places.replace_street,
    Label.ZIP: places.replace_zip,
    Label.CITY: places.replace_city,
    Label.REGION: places.replace_listed,
    Label.COUNTRY: places.replace_listed,
    Label.HOSPITAL: sites.replace,
    Label.ORGANIZATION: places.replace_listed,
    Label.PROFESSION: places.replace_listed,
    Label.PHONE: contacts.replace_phone,
    Label.FAX: contacts.replace_phone,
    Label.EMAIL: contacts.replace_email,
    Label.URL: contacts.replace_url,
    Label.IP_ADDRESS: contacts.replace_ip,
    Label.SSN: identifiers.replace,
    Label.PATIENT_ID: identifiers.replace,
    Label.VISIT_ID: identifiers.replace,
    Label.PROVIDER_ID: identifiers.replace,
    Label.INSURANCE_ID: identifiers.replace,
    Label.ACCOUNT: identifiers.replace,
    Label.DEVICE_ID: identifiers.replace,
    Label.VEHICLE_ID: identifiers.replace,
    Label.ID: identifiers.replace,
    Label.OTHER: shape.replace,
}
# Who makes the coarser values of the labels that have them.
GENERALIZERS: dict[str, Maker] = {Label.ZIP: coarse.generalize_zip}
_DATED = frozenset(("DATE", "BIRTH_DATE"))
_DRAWN = frozenset((Action.REPLACE, Action.GENERALIZE))
# Who is meant decides these beside their text.
_PERSONS = frozenset(("FIRST_NAME", "LAST_NAME", "NAME", "USERNAME", "EMAIL"))
_Near = date | str | Who | None
# Signs and blanks alone identify nobody and stay.
_HOLDS = re.compile(r"[^\W_]")
_BESIDE = 4
_PATIENTS = 256
_MENTIONS = 4096


@dataclass(slots=True)
class _Known:
    """A patient's subject, and the surrogates already made for them."""

    record: PatientRecord | None = field(repr=False)
    subject: Subject
    made: dict[tuple[object, ...], str] = field(default_factory=dict, repr=False)


class Rewriter:
    """Writes documents with surrogates for one cohort under one policy.

    What it gives depends on the cohort key, the policy, the document, its spans and the record
    alone: neither on what it wrote before nor on the order.
    """

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        self._cohort = cohort
        self.policy = policy
        self._policy_id = policy.policy_id
        self._patients: OrderedDict[str, _Known] = OrderedDict()

    def rewrite(
        self, document: Document, spans: Sequence[Span], record: PatientRecord | None
    ) -> Release:
        """Replace the spans; everything outside them stays as it is.

        `spans` are sorted and disjoint. Without a `person_id` the note is its own patient.
        Raises Unsafe: `overlapping-spans`, `span-outside-text`, `wrong-record` where the record is
        another person's, `no-surrogate` where the policy or a maker has none for a span.
        """
        _refuse_disorder(document, spans)
        text = document.text
        known = self._known(document, record)
        context = _context(document, spans)
        people = NoteNames(document, spans, known.subject)
        pieces: list[str] = []
        placed: list[Span] = []
        end = length = 0
        for number, span in enumerate(spans):
            between = text[end : span.start]
            near: _Near
            if span.label in _PERSONS:
                near = people.who(number) if self.policy.action(span.label) in _DRAWN else None
            else:
                near = _near(text, spans, number, context)
            value = text[span.start : span.end]
            surrogate = self._replace(value, span.label, near, context=context, known=known)
            length += len(between)
            pieces += (between, surrogate)
            start, length = length, length + len(surrogate)
            placed.append(Span(start, length, span.label, span.detector, span.score))
            end = span.end
        return Release(
            note_id=document.note_id,
            text="".join((*pieces, text[end:])),
            spans=tuple(placed),
            key_id=self._cohort.key_id,
            policy_id=self._policy_id,
        )

    def _replace(
        self, value: str, label: str, near: _Near, *, context: Mention, known: _Known
    ) -> str:
        action = self.policy.action(label)
        maker = _maker(label, action)
        if maker is None:
            raise Unsafe("no-surrogate")
        if action is Action.KEEP or not _HOLDS.search(value):
            return value
        wanted = (value, label, context.lang, near, context.day_first)
        made = known.made.get(wanted)
        if made is None:
            mention = _mention(value, label, context, near)
            made = _keep_blanks(value, maker(mention, known.subject))
            if len(known.made) >= _MENTIONS:
                known.made.clear()
            known.made[wanted] = made
        return made

    def _known(self, document: Document, record: PatientRecord | None) -> _Known:
        person = document.person_id
        if record is not None and person is not None and record.person_id != person:
            raise Unsafe("wrong-record")
        name = f"note:{document.note_id}" if person is None else person
        known = self._patients.get(name)
        if known is not None and (known.record is record or known.record == record):
            self._patients.move_to_end(name)
            return known
        key = self._cohort.patient(name)
        days = dates.shift_days(key, self.policy)
        known = _Known(record, Subject(key, self.policy, record, days=days))
        self._patients[name] = known
        if len(self._patients) > _PATIENTS:
            self._patients.popitem(last=False)
        return known


def _maker(label: str, action: Action | None) -> Maker | None:
    """Tell who makes what a span becomes; None, so that it is refused, where nobody does."""
    if action is None or label not in MAKERS:
        return None
    if action is Action.MASK:
        return coarse.mask
    return GENERALIZERS.get(label) if action is Action.GENERALIZE else MAKERS[label]


def _refuse_disorder(document: Document, spans: Sequence[Span]) -> None:
    end = 0
    for span in spans:
        if span.start < end:
            raise Unsafe("overlapping-spans")
        end = span.end
    if end > len(document.text):
        raise Unsafe("span-outside-text")


def _context(document: Document, spans: Sequence[Span]) -> Mention:
    """Gather what all mentions of a document share: its language, date and order of dates."""
    return Mention(
        "",
        "",
        lang=document.lang,
        written=document.written.date() if document.written else None,
        day_first=day_first(
            document.text[span.start : span.end] for span in spans if span.label in _DATED
        ),
    )


def _near(text: str, spans: Sequence[Span], number: int, context: Mention) -> _Near:
    """Give what of the document decides a mention beside its own text; for most, nothing."""
    span = spans[number]
    label = span.label
    if label in _DATED:
        return completed(text, spans, number, written=context.written, lang=context.lang)
    if label == Label.AGE:
        return ages.unit_after(text, span.end)
    return _city(text, spans, number) if label == Label.ZIP else None


def _mention(text: str, label: str, context: Mention, near: _Near) -> Mention:
    """Show a maker what `near` holds and nothing else, so that nothing else can decide."""
    if isinstance(near, Who):
        return Mention(text, label, lang=context.lang, who=near)
    return Mention(
        text,
        label,
        lang=context.lang,
        written=near if isinstance(near, date) else None,
        city=near if isinstance(near, str) and label == Label.ZIP else "",
        after=near if isinstance(near, str) and label == Label.AGE else "",
        day_first=context.day_first if label in _DATED else None,
    )


def _city(text: str, spans: Sequence[Span], number: int) -> str:
    """Find the town that stands after or before a postal code, a few signs away at most."""
    span = spans[number]
    if number + 1 < len(spans):
        after = spans[number + 1]
        if after.label == Label.CITY and _is_gap(text[span.end : after.start]):
            return text[after.start : after.end]
    if number:
        before = spans[number - 1]
        if before.label == Label.CITY and _is_gap(text[before.end : span.start]):
            return text[before.start : before.end]
    return ""


def _is_gap(text: str) -> bool:
    return len(text) <= _BESIDE and not any(char.isalnum() for char in text)


def _keep_blanks(text: str, surrogate: str) -> str:
    """Put the original's outer blanks around the surrogate, and its inner line break into it."""
    if "\n" not in text and not text[0].isspace() and not text[-1].isspace():
        return surrogate
    core = surrogate.strip()
    lead = text[: len(text) - len(text.lstrip())]
    trail = text[len(text.rstrip()) :]
    if "\n" in text.strip() and "\n" not in core:
        line_break = _break(text.strip())
        core = core.replace(" ", line_break, 1) if " " in core else core + line_break
    return lead + core + trail


def _break(text: str) -> str:
    """Give the first run of blanks that holds a line break."""
    at = text.index("\n")
    start = len(text[:at].rstrip())
    return text[start : len(text) - len(text[at:].lstrip())]
