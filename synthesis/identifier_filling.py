"""Identifiers of generated notes: surrogates of a made-up person, not what a model wrote.

A model knows where an identifier stands, and seldom how one is formed. So each value is replaced:
its form is that of a value of the same label in other notes, its content a surrogate.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from random import Random

from record.document import Annotated
from record.errors import Unsafe
from record.label import Label
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.dates import ages
from surrogates.dates.dates import UNDATED, complete_dates, day_first, move_text
from surrogates.dates.parsing import parse
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import DateShift
from surrogates.rewrite import MAKERS, Rewriter

_PATIENTS = 3  # whose values have a form, so that it is not one patient's
_ATTEMPTS = 8
_GAP = 14  # days at most between two dates that follow one another
_LASTS = 180  # days from the first date of a note to its last, at most
_YEARS = 8  # before the reference day, within which notes are dated
_OLDEST = 84  # years: above, ages are capped and tell no birth date
_NAMES = frozenset((Label.FIRST_NAME, Label.LAST_NAME, Label.NAME))
_DATES = frozenset((Label.DATE, Label.BIRTH_DATE))
# What a person has one of.
_OWN = frozenset((Label.SSN, Label.PATIENT_ID, Label.INSURANCE_ID))
# What a date must say: not a day alone.
_WHOLE = (frozenset("dmy"),)
_DATED = (frozenset("m"), frozenset("y"))
_NUMBER = re.compile(r"\d{1,3}")
_SIGN = re.compile(r"[^\W\d_]|\d")
_RUNS = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True)
class _Person:
    """The made-up person of a note: sex, and birth on a day, at an age when the note begins."""

    gender: str
    birth: date
    begins: date
    age: int


@dataclass
class _Drafts:
    """Values of one note before surrogates are drawn: the same text is the same value."""

    person: _Person
    rng: Random
    day: date
    known: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)


def donors_of(notes: Iterable[Annotated], owners: Iterable[str]) -> dict[str, list[str]]:
    """Return values by label whose form (letters and digits aside) several patients' values have.

    Of a label whose forms are all rare, the values of the most frequent form are returned.
    """
    holders: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    values: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for note, owner in zip(notes, owners, strict=True):
        for span in note.spans:
            value = note.document.text[span.start : span.end]
            key = span.label, _form(value)
            holders[key].add(owner)
            values[key].add(value)
    by_label: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (label, form), some in holders.items():
        by_label[label][form] = len(some)
    return {
        label: sorted(
            value
            for form, count in forms.items()
            if count >= _PATIENTS or form == max(forms, key=lambda each: (forms[each], each))
            for value in values[label, form]
        )
        for label, forms in by_label.items()
    }


def _form(value: str) -> str:
    return _SIGN.sub(lambda sign: "0" if sign[0].isdigit() else "a", value)


def _shape(value: str) -> str:
    """Return the form of a date, in which no run of letters or digits has a length."""
    return _RUNS.sub(lambda run: "0" if run[0][0].isdigit() else "a", " ".join(value.split()))


class IdentifierFiller:
    """Fills the identifiers of generated notes; each note is about a person of its own.

    The result depends on the key, the note and its seed alone. Labels that no policy knows are what
    a corpus marks beside identifiers, and stay as they are.
    """

    def __init__(
        self, donors: Mapping[str, Sequence[str]], cohort: CohortKey, policy: Policy
    ) -> None:
        self._donors = donors
        self._shapes: dict[str, set[str]] = {
            label: {_shape(value) for value in donors.get(label, ())} for label in _DATES
        }
        self._rewriter = Rewriter(cohort, policy)
        self._locale = policy.locale
        known = day_first(donors.get(Label.DATE, ()))
        self._day_first = policy.locale != "en" if known is None else known
        # What stands around the number of an age, if anything.
        written = donors.get(Label.AGE) or ("0",)
        self._ages = {_NUMBER.sub("", age, count=1) for age in written}

    def fill(self, note: Annotated, *seed: object) -> Annotated:
        """Return the note with other identifiers; raises Unsafe where one has no surrogate."""
        identifiers = [span for span in sorted(note.spans) if span.label in MAKERS]
        if not identifiers:
            return note
        failure = Unsafe("no-surrogate")
        for attempt in range(_ATTEMPTS):
            rng = Random("/".join(map(str, (*seed, attempt))))  # noqa: S311 - drawn under a key next
            try:
                return self._fill(note, rng)
            except Unsafe as error:
                failure = error
        raise failure

    def _fill(self, note: Annotated, rng: Random) -> Annotated:
        drafted = self._draft(note, rng)
        document = drafted.annotated.document
        identifiers = [span for span in drafted.annotated.spans if span.label in MAKERS]
        person = drafted.person
        record = PatientRecord(document.note_id, gender=person.gender, birth_date=person.birth)
        owned = replace(document, person_id=document.note_id)
        released = self._rewriter.rewrite(owned, identifiers, record)
        others = [span for span in drafted.annotated.spans if span.label not in MAKERS]
        moved = [_moved(span, identifiers, released.spans) for span in others]
        spans = tuple(sorted([*released.spans, *moved]))
        return Annotated(replace(document, text=released.text), spans)

    def _draft(self, note: Annotated, rng: Random) -> "_DraftedNote":
        person = self._draw_person(note, rng)
        drafts = _Drafts(person, rng, person.begins)
        text, parts, spans, at, length = note.document.text, [], [], 0, 0
        for span in sorted(note.spans):
            value = text[span.start : span.end]
            after = ages.unit_after(text, span.end) if span.label == Label.AGE else ""
            if span.label in MAKERS:
                value = self._value(span.label, value, drafts, after)
            parts += [text[at : span.start], value]
            length += span.start - at
            spans.append(replace(span, start=length, end=length + len(value)))
            length += len(value)
            at = span.end
        document = replace(note.document, text="".join([*parts, text[at:]]))
        return _DraftedNote(Annotated(document, tuple(spans)), person)

    def _draw_person(self, note: Annotated, rng: Random) -> _Person:
        """Draw a person as old as the note first says, if it does."""
        text = note.document.text
        found = [
            int(number[0])
            for span in sorted(note.spans)
            if span.label == Label.AGE and not ages.unit_after(text, span.end)
            and (number := _NUMBER.search(text, span.start, span.end))
        ]  # fmt: skip
        age = next((each for each in found if each <= _OLDEST), rng.randint(18, _OLDEST))
        begins = UNDATED - timedelta(days=rng.randrange(365, 365 * _YEARS))
        birthday = date(begins.year - age, begins.month, min(begins.day, 28))
        # All dates of the note lie within the same year of life.
        birth = birthday - timedelta(days=rng.randrange(30, 180))
        return _Person(rng.choice("FM"), birth, begins, age)

    def _value(self, label: str, value: str, drafts: _Drafts, after: str) -> str:
        key = (label, "" if label in _OWN else value)
        if label == Label.AGE:
            return self._age(value, drafts, after)
        known = drafts.known.get(key)
        if known is None:
            known = drafts.known[key] = self._draw(label, value, drafts)
        return known

    def _draw(self, label: str, value: str, drafts: _Drafts) -> str:
        if label == Label.BIRTH_DATE:
            return self._date(label, value, drafts.person.birth, drafts)
        if label == Label.DATE:
            written = self._date(label, value, drafts.day, drafts)
            last = drafts.person.begins + timedelta(days=_LASTS)
            drafts.day = min(last, drafts.day + timedelta(days=drafts.rng.randint(0, _GAP)))
            return written
        is_name = label in _NAMES and all(map(str.isalpha, value.replace("-", " ").split()))
        return value if is_name else self._donor(label, value, drafts)

    def _donor(self, label: str, value: str, drafts: _Drafts) -> str:
        donors = self._donors.get(label)
        return drafts.rng.choice(donors) if donors else value

    def _date(self, label: str, value: str, day: date, drafts: _Drafts) -> str:
        """Write a day in the form of a value, or where that is no date of another one.

        Birth dates are whole where others are: a release may have written them as months or years.
        """
        # A colon or a bracket that a model drew into a date is in no form of a date.
        is_formed = not self._donors.get(label) or _shape(value) in self._shapes[label]
        forms = [value] if is_formed else []
        forms += [self._donor(label, value, drafts) for _ in range(_ATTEMPTS)]
        for least in (_WHOLE, _DATED) if label == Label.BIRTH_DATE else (_DATED,):
            for form in forms:
                written = self._write_day(form, day, drafts.person.begins, least)
                if written is not None:
                    return written
        return day.strftime("%d/%m/%Y" if self._day_first else "%m/%d/%Y")

    def _write_day(
        self, form: str, day: date, base: date, least: Collection[frozenset[str]]
    ) -> str | None:
        lang, first = self._locale, self._day_first
        parsed = parse(form, lang=lang, latest=base.year, day_first=first)
        found = complete_dates(parsed.groups, base) if parsed else None
        if (
            not parsed
            or not found
            or not any(each <= set(parsed.groups[0].roles) for each in least)
        ):
            return None
        # One order of day and month in a note: with another one all its dates would be ambiguous.
        is_numeric = not any(map(str.isalpha, form))
        if is_numeric and parsed.groups[0].roles.startswith("md" if first else "dm"):
            return None
        days = (day - found[0]).days
        shift = DateShift(days, 1 if days > 0 else -1)
        return move_text(form, shift, written=base, lang=lang, day_first=first)

    def _age(self, value: str, drafts: _Drafts, after: str) -> str:
        """Write the age of the person, where the value is none that they had before."""
        if after:
            return value if _NUMBER.search(value) else self._donor(Label.AGE, value, drafts)
        age = drafts.person.age
        is_formed = _NUMBER.sub("", value, count=1) in self._ages
        written = value if is_formed else self._donor(Label.AGE, value, drafts)
        number = _NUMBER.search(written)
        if number is None:
            return f"{age}"
        is_first = (Label.AGE, "") not in drafts.known
        drafts.known[Label.AGE, ""] = written
        if not is_first and int(number[0]) < age:
            return written
        return f"{written[: number.start()]}{age}{written[number.end() :]}"


@dataclass(frozen=True)
class _DraftedNote:
    annotated: Annotated
    person: _Person


def _moved(span: Span, before: Sequence[Span], after: Sequence[Span]) -> Span:
    """Return where a span lies once those before it have other lengths."""
    shift = 0
    for old, new in zip(before, after, strict=True):
        if old.end <= span.start:
            shift = new.end - old.end
    return replace(span, start=span.start + shift, end=span.end + shift)
