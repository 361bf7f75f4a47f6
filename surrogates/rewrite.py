"""Replaces the detected spans of a document with surrogates under a policy."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from record.document import Document
from record.errors import Unsafe
from record.label import Label
from record.languages import primary_language
from record.patient import PatientRecord
from record.policy import Action, Policy
from record.release import Release
from record.span import Span
from surrogates import articles, contacts, professions
from surrogates.dates import ages, dates, feast_prepositions
from surrogates.dates.clocks import (
    Times,
    correct_misread_clocks,
    find_clock,
    keep_hour,
    render_clock,
)
from surrogates.dates.dates import day_first, find_reference_day, has_day, is_complete
from surrogates.dates.feasts import is_feast
from surrogates.dates.whole_dates import read_whole_date
from surrogates.keys.keys import CohortKey
from surrogates.names import names
from surrogates.names.note_names import read_note_names
from surrogates.numbers import identifiers
from surrogates.numbers.number_draws import SHARED
from surrogates.patient import value_format
from surrogates.patient.patient import Mention, Subject
from surrogates.patient.person_linking import NAMES
from surrogates.patient.text_normalization import HAS_CONTENT
from surrogates.places import generalization, organizations, places, postcodes

Maker = Callable[[Mention, Subject], str]

# The function that makes the surrogates of each label.
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
    Label.REGION: places.replace_region,
    Label.COUNTRY: places.replace_listed,
    Label.HOSPITAL: places.replace,
    Label.ORGANIZATION: organizations.replace,
    Label.PROFESSION: professions.replace,
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
    Label.OTHER: value_format.replace,
}
# The functions that generalize values, for the labels that have one.
GENERALIZERS: dict[str, Maker] = {Label.ZIP: generalization.generalize_zip}
_DATED = frozenset(("DATE", "BIRTH_DATE"))
_DRAWN = frozenset((Action.REPLACE, Action.GENERALIZE))
_FIRST = 2
_BESIDE = 4
_PATIENTS = 256
_MENTIONS = 4096


@dataclass(slots=True)
class _PatientState:
    """A patient's subject, and a cache of the surrogates made for them."""

    record: PatientRecord | None = field(repr=False)
    subject: Subject
    made: dict[tuple[object, ...], str] = field(default_factory=dict, repr=False)

    def make(self, rule: "_Rule", value: str, label: str, lang: str, context: Hashable) -> str:
        """Make and cache the surrogate of a value; unchanged without a maker or content."""
        made = value
        if rule.maker is not None and HAS_CONTENT.search(value):
            # Keep the outer whitespace of the original, and an inner line break, in the surrogate
            mention = _make_mention(value, label, lang, context)
            subject = self._speak(mention) if rule.is_drawn else self.subject
            surrogate = rule.maker(mention, subject)
            if "\n" not in value and value == value.strip():
                made = surrogate
            else:
                core = surrogate.strip()
                lead = value[: len(value) - len(value.lstrip())]
                trail = value[len(value.rstrip()) :]
                if "\n" in value.strip() and "\n" not in core:
                    # The first run of whitespace with a line break
                    text = value.strip()
                    at = text.index("\n")
                    start = len(text[:at].rstrip())
                    line_break = text[start : len(text) - len(text[at:].lstrip())]
                    core = core.replace(" ", line_break, 1) if " " in core else core + line_break
                made = lead + core + trail
        if len(self.made) >= _MENTIONS:
            self.made.clear()
        self.made[value, label, lang, context] = made
        return made

    def _speak(self, mention: Mention) -> Subject:
        """Return the subject that draws in the language of a mention.

        Ids of rows have one surrogate in notes of all languages, as in the tables: they count as
        written in the policy's language.
        """
        subject = self.subject.speaking(mention.lang)
        if subject is not self.subject and mention.label in SHARED:
            mention.lang = self.subject.locale
            return self.subject
        return subject


class _NoteContext:
    """What surrogates depend on in a document besides the text of the span."""

    def __init__(self, document: Document, spans: Sequence[Span], subject: Subject) -> None:
        self.text = document.text
        self.lang = document.lang
        self.spans = spans
        self.people = read_note_names(document, spans, subject)
        self._locale = subject.locale
        self._day_first = day_first(
            document.text[span.start : span.end] for span in spans if span.label in _DATED
        )
        self._written = document.written.date() if document.written else None
        self._reads_ahead = subject.dates_shift.reads_ahead
        if self._written is None and self._reads_ahead:
            self._written = self._find_latest_day()

    def _find_latest_day(self) -> date | None:
        """Return the latest whole date, about the day of a note that has none; None without one."""
        lang = self.lang or self._locale
        values = (self.text[s.start : s.end] for s in self.spans if s.label == Label.DATE)
        whole = (read_whole_date(value, lang, self._day_first) for value in values)
        return max((found.day for found in whole if found), default=None)

    @cached_property
    def clock_text(self) -> str:
        """The text with digits for the letters that recognition put for them in times of day."""
        return correct_misread_clocks(self.text)

    def find_person(self, number: int) -> Hashable:
        """Return the named person; None where the text of the span and the record suffice."""
        return self.people.find_person(number)

    def find_date_context(self, number: int) -> Hashable:
        """Return the day that completes a partial date, and whether numeric dates are day first."""
        span = self.spans[number]
        if span.label == Label.DATE:
            value = self.text[span.start : span.end]
            if is_complete(value) or read_whole_date(
                value, self.lang or self._locale, self._day_first
            ):
                return None, self._day_first, None
        found = find_reference_day(
            self.text,
            self.spans,
            number,
            written=self._written,
            lang=self.lang,
            reads_ahead=self._reads_ahead,
        )
        return found.day, self._day_first, found.earlier

    def find_age_unit(self, number: int) -> Hashable:
        """Return the unit smaller than a year that follows an age."""
        return ages.unit_after(self.text, self.spans[number].end)

    def find_city(self, number: int) -> str:
        """Return the town next to a postal code, a few characters away at most."""
        text, spans = self.text, self.spans
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

    def find_country(self, number: int) -> str:
        """Return the country whose form the postcode beside a place has, else all of the note.

        Only English notes are of several countries.
        """
        if (primary_language(self.lang) or self._locale) != "en":
            return ""
        for beside in self._beside(number):
            if beside.label == Label.ZIP and (found := self._country_of(beside)):
                return found
        return self._country_of_all

    def _beside(self, number: int) -> list[Span]:
        """Return the spans of an address after and before a place, two each at most."""
        spans, found = self.spans, []
        for step in (1, -1):
            place = number
            for _ in range(2):
                beside = place + step
                if not 0 <= beside < len(spans):
                    break
                first, last = spans[min(place, beside)], spans[max(place, beside)]
                if not _is_gap(self.text[first.end : last.start]):
                    break
                found.append(spans[beside])
                place = beside
        return found

    def _country_of(self, span: Span) -> str:
        return postcodes.country_of(self.text[span.start : span.end])

    @cached_property
    def _country_of_all(self) -> str:
        codes = (span for span in self.spans if span.label == Label.ZIP)
        return postcodes.country_of_all(self.text[span.start : span.end] for span in codes)

    def find_place(self, number: int) -> Hashable:
        """Return the town of the address of a postal code or region, and its country."""
        return self.find_town(number), self.find_country(number)

    def find_town(self, number: int) -> str:
        """Return the town of the address that a postal code or a region is part of.

        It is next to it, or a region or postal code stands between: `Burlington, Vermont 05401`.
        """
        if self.spans[number].label == Label.ZIP and (town := self.find_city(number)):
            return town
        for place in range(number - 1, max(-1, number - 3), -1):
            span = self.spans[place]
            if not _is_gap(self.text[span.end : self.spans[place + 1].start]):
                break
            if span.label == Label.CITY:
                return self.text[span.start : span.end]
            if span.label not in _AREAS:
                break
        return ""


_ContextFinder = Callable[[_NoteContext, int], Hashable]
# What a surrogate depends on besides the text of its span; for most labels, nothing.
_CONTEXT_FINDERS: dict[str, _ContextFinder] = {
    Label.FIRST_NAME: _NoteContext.find_person,
    Label.LAST_NAME: _NoteContext.find_person,
    Label.NAME: _NoteContext.find_person,
    Label.USERNAME: _NoteContext.find_person,
    Label.EMAIL: _NoteContext.find_person,
    Label.DATE: _NoteContext.find_date_context,
    Label.BIRTH_DATE: _NoteContext.find_date_context,
    Label.AGE: _NoteContext.find_age_unit,
    Label.ZIP: _NoteContext.find_city,
}
_AREAS = (Label.ZIP, Label.REGION)
_LATER_FINDERS = (
    _CONTEXT_FINDERS
    | dict.fromkeys(_AREAS, _NoteContext.find_place)
    | {Label.CITY: _NoteContext.find_country}
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """How the policy treats a label: `maker` makes its surrogates; without one it is kept.

    Those that are not drawn are the same in all languages. The text before or behind those that
    are is fitted to them: to dates, to names, and where they may have an article or preposition.
    """

    maker: Maker | None
    context: _ContextFinder | None
    is_drawn: bool = False
    is_dated: bool = False
    is_name: bool = False
    takes_article: bool = False


def _make_rules(policy: Policy) -> dict[str, _Rule]:
    """Return the rule of each label; labels without a rule are refused."""
    found = {}
    finders = _CONTEXT_FINDERS if policy.algorithm == _FIRST else _LATER_FINDERS
    for label, maker in MAKERS.items():
        action = policy.action(label)
        context = finders.get(label) if action in _DRAWN else None
        if action is Action.KEEP:
            found[label] = _Rule(None, None)
        elif action is Action.MASK:
            found[label] = _Rule(generalization.mask, None)
        elif action is Action.GENERALIZE and label in GENERALIZERS:
            found[label] = _Rule(GENERALIZERS[label], context)
        elif action is Action.REPLACE:
            found[label] = _Rule(
                maker,
                context,
                is_drawn=True,
                is_dated=label in _DATED,
                is_name=label in NAMES,
                takes_article=label in articles.FITTED,
            )
    return found


def _make_times(policy: Policy) -> dict[str, Times]:
    """Return what becomes of times joined to the dates of a label; none of the others change.

    A date that is less exact than a day has no time.
    """
    if policy.algorithm == _FIRST:
        return {}
    found: dict[str, Times] = {}
    for label in (Label.DATE, Label.BIRTH_DATE):
        is_coarse = policy.date_precision != "day" or (
            label is Label.BIRTH_DATE and policy.birth_dates != "shift"
        )
        times = "midnight" if is_coarse else policy.times
        if times and times != "exact" and policy.action(label) is not Action.KEEP:
            found[label.value] = times
    return found


class Rewriter:
    """Rewrites documents with surrogates for one cohort under one policy.

    The result depends only on the cohort key, the policy, the document, its spans and the record:
    not on the documents rewritten before, nor on their order.
    """

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        policy = policy.under(cohort.algorithm)
        self._cohort = cohort
        self.policy = policy
        self._policy_id = policy.policy_id
        self._make_rules = _make_rules(policy)
        self._times = _make_times(policy)
        self._fits_articles = policy.algorithm != _FIRST
        self._patients: OrderedDict[str, _PatientState] = OrderedDict()

    def rewrite(
        self, document: Document, spans: Sequence[Span], record: PatientRecord | None
    ) -> Release:
        """Replace the spans; outside them all is unchanged but times joined to dates, and articles.

        A time after a date belongs to the span that is written, one before it is written without.
        From version 3 on, an article or preposition directly before a span fits the surrogate.
        `spans` are sorted and disjoint. A note without `person_id` is a patient of its own.
        Raises Unsafe: `overlapping-spans`, `span-outside-text`, `wrong-record` where the record is
        another person's, `no-surrogate` where the policy or a maker has none for a span, or no
        lists are in the language of the note.
        """
        _refuse_disorder(document, spans)
        text, lang = document.text, self._find_language(document)
        patient = self._find_patient(document, record)
        note = _NoteContext(document, spans, self._find_subject(patient, spans, lang))
        fits = self._fits_articles
        pieces: list[str] = []
        placed: list[Span] = []
        end = length = 0
        rules, times, made = self._make_rules, self._times, patient.made
        for number, span in enumerate(spans):
            label = span.label
            rule = rules.get(label)
            if rule is None:
                raise Unsafe("no-surrogate")
            if label in times:
                between, value, clock, end = self._locate(note, number, end)
            else:
                between, clock = text[end : span.start], ""
                value, end = text[span.start : span.end], span.end
            context = rule.context(note, number) if rule.context else None
            if clock and isinstance(context, tuple):
                context = (*context, clock)
            surrogate = made.get((value, label, lang, context))
            if surrogate is None:
                surrogate = patient.make(rule, value, label, lang, context)
            if fits and rule.is_dated and is_feast(value):
                between = self._fit_to_day(between, surrogate, label, lang)
            elif fits and rule.takes_article and articles.ends_with_article(between):
                between = self._fit_preceding(between, value, surrogate, label, lang)
            pieces += (between, surrogate)
            start = length + len(between)
            length = start + len(surrogate)
            placed.append(Span(start, length, label, span.detector, span.score))
            if fits and rule.is_name:
                mark = articles.fit_genitive(text, span, surrogate, lang or self.policy.locale)
                if mark:
                    pieces.append(mark)
                    length += len(mark)
                    end += 1
        pieces.append(text[end:])
        return Release(
            note_id=document.note_id,
            text="".join(pieces),
            spans=tuple(placed),
            key_id=self._cohort.key_id,
            policy_id=self._policy_id,
        )

    def _fit_to_day(self, between: str, surrogate: str, label: str, lang: str) -> str:
        """Fit the preposition before a feast to the day, or month, that is written for it."""
        lang = lang or self.policy.locale
        between = feast_prepositions.fit(between, lang)
        if has_day(surrogate, lang):
            return between
        return articles.fit_preceding(
            between, articles.Surrogate(surrogate, label, drops_day=True), lang
        )

    def _fit_preceding(
        self, between: str, value: str, surrogate: str, label: str, lang: str
    ) -> str:
        """Fit the article before a surrogate to it, in the language of the note."""
        lang = lang or self.policy.locale
        is_birth = label == Label.BIRTH_DATE
        drops_day = is_birth and has_day(value, lang) and not has_day(surrogate, lang)
        if not drops_day and articles.starts_alike(value, surrogate):
            return between
        made = articles.Surrogate(surrogate, label, drops_day=drops_day)
        return articles.fit_preceding(between, made, lang)

    def _find_language(self, document: Document) -> str:
        """Return the language that a note names; the first version takes it as it is written."""
        is_first = self._cohort.algorithm == _FIRST
        return document.lang if is_first else primary_language(document.lang)

    def _find_subject(self, patient: _PatientState, spans: Sequence[Span], lang: str) -> Subject:
        """Return the subject in a note's language, where one of its surrogates is drawn."""
        rules = (self._make_rules.get(span.label) for span in spans)
        is_drawn = any(rule is not None and rule.is_drawn for rule in rules)
        return patient.subject.speaking(lang) if is_drawn else patient.subject

    def _locate(self, note: _NoteContext, number: int, end: int) -> tuple[str, str, str, int]:
        """Return the text since `end` and of a date, a time that is rewritten with it, and its end.

        A time joined to a date is left out, or where it comes first cut down to the hour.
        """
        text, span = note.text, note.spans[number]
        times = self._times[span.label]
        before = note.spans[number + 1].start if number + 1 < len(note.spans) else len(text)
        read = note.clock_text
        found = find_clock(read, span.start, span.end, after=end, before=before)
        if found is None:
            return text[end : span.start], text[span.start : span.end], "", span.end
        lead = read[found.lead : found.lead_end] if times == "hour" else ""
        between = (
            text[end : found.lead]
            + render_clock(lead, keep_hour)
            + text[found.lead_end : span.start]
        )
        clock = "" if times == "midnight" else read[found.date_end : found.end]
        return between, text[span.start : found.date_end], clock, found.end

    def _find_patient(self, document: Document, record: PatientRecord | None) -> _PatientState:
        person = document.person_id
        if record is not None and person is not None and record.person_id != person:
            raise Unsafe("wrong-record")
        name = f"note:{document.note_id}" if person is None else person
        patient = self._patients.get(name)
        if patient is not None and (patient.record is record or patient.record == record):
            self._patients.move_to_end(name)
            return patient
        key = self._cohort.patient(name)
        days = dates.shift_days(key, self.policy)
        patient = _PatientState(record, Subject(key, self.policy, record, days=days))
        self._patients[name] = patient
        if len(self._patients) > _PATIENTS:
            self._patients.popitem(last=False)
        return patient


def _refuse_disorder(document: Document, spans: Sequence[Span]) -> None:
    end = 0
    for span in spans:
        if span.start < end:
            raise Unsafe("overlapping-spans")
        end = span.end
    if end > len(document.text):
        raise Unsafe("span-outside-text")


def _make_mention(text: str, label: str, lang: str, context: Any) -> Mention:
    """Make the mention that a maker gets, so that nothing else can influence the surrogate."""
    mention = Mention(text, label, lang)
    if context is None:
        return mention
    if label in _DATED:
        mention.written, mention.day_first, mention.earlier, *rest = context
        mention.clock = rest[0] if rest else ""
    elif label == Label.AGE:
        mention.after = context
    elif label in _AREAS:
        mention.city, mention.country = context if isinstance(context, tuple) else (context, "")
    elif label == Label.CITY:
        mention.country = context
    else:
        mention.person = context
    return mention


def _is_gap(text: str) -> bool:
    return len(text) <= _BESIDE and not HAS_CONTENT.search(text)
