"""Links mentions of names in a patient's notes to persons (entities).

The result depends only on the document, its spans and the patient's record, so that notes of a
patient can be linked in any order, on any machine. Persons of the record are known in all notes;
others are identified by family name, and within a note by their given names too.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from locales import name_endings
from record.document import Document
from record.folding import fold
from record.label import Label
from record.span import Span
from surrogates.patient import name_lists
from surrogates.patient.known_people import (
    FAMILY,
    GIVEN,
    PATIENT,
    KnownPeople,
    NameReading,
    Person,
    RoleWord,
    fold_person_name,
)
from surrogates.patient.misspelling import SpellingCorrector
from surrogates.patient.name_words import spoken_in
from surrogates.patient.text_normalization import WORD

NAMES = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.NAME.value))
_HANDLES = frozenset((Label.EMAIL.value, Label.USERNAME.value))
# What may separate the parts of one name.
_GAP = re.compile(r"[ \t]*[.\-'’]?[ \t]*\n?[ \t]*|, ?|")
_LONGEST_GAP = 5
_BEFORE = 44
# The number of words before a name in which words for relatives are searched for.
_FEW = 5
_SIGNS = ".,:;()[]-*'"
_REMEMBERED = 1 << 12


@dataclass(slots=True)
class NameRun:
    """One mention of a person: its adjacent spans, and its folded words.

    `gender` is that of a title before it (`M`, `F`) or empty, `own` the person of the record that
    it refers to: both are valid once the mention `is_resolved`.
    """

    spans: tuple[int, ...]
    given: tuple[str, ...] = field(default=(), repr=False)
    initials: tuple[str, ...] = field(default=(), repr=False)
    family: tuple[str, ...] = field(default=(), repr=False)
    is_resolved: bool = False
    gender: str = ""
    own: Person | None = field(default=None, repr=False)

    def suits(self, person: Person) -> bool:
        """Return whether the names are compatible with a person's."""
        if self.family and person.family and not _overlap(self.family, person.family):
            return False
        if self.given and person.given and not _overlap(self.given, person.given):
            return False
        if not self.given and self.initials and person.given:
            return any(name.startswith(self.initials[0]) for name in person.given)
        return bool((self.family and person.family) or (self.given and person.given))


class PersonLinks:
    """The persons that the spans of a document name, resolved on demand.

    `unlisted` are the words of names in neither a list nor the record, `spelt` the corrections of
    those that misspell a clinician's name or a listed name of the document, and of genitives and
    plurals of any name of the document.
    """

    def __init__(
        self,
        document: Document,
        spans: Sequence[Span],
        known_people: KnownPeople,
        read: Mapping[int, NameReading],
    ) -> None:
        self._document = document
        self._spans = spans
        self._known_people = known_people
        self.unlisted = tuple(sorted({part for each in read.values() for part in each.unlisted}))
        self.spelt: dict[RoleWord, str] = {}
        if self.unlisted:
            self.spelt = _find_misspelt(document, read.values(), self.unlisted, known_people)
        if known_people.reads_endings:
            self.spelt |= _find_inflected(document, read.values(), known_people)
        self._runs = _join_runs(document.text, spans, read, self.spelt)
        self._run = {number: run for run in self._runs for number in run.spans}

    @property
    def entities(self) -> tuple[str, ...]:
        """The entity of each span; empty for spans that name no person."""
        return tuple(map(self.entity, range(len(self._spans))))

    def entity(self, number: int) -> str:
        """Return the entity of a span; empty where it names no person."""
        run = self._run.get(number)
        if run is not None:
            return self._resolve(run).entity
        span = self._spans[number]
        if span.label not in _HANDLES:
            return ""
        local = fold(self._document.text[span.start : span.end]).partition("@")[0]
        # The owner of the address or account; an entity of its own where there is none.
        persons = (*self._known_people.persons, *self._document_people)
        tokens = WORD.findall(local)
        scores = [_score_address_match(tokens, person) for person in persons]
        if any(scores):
            return persons[scores.index(max(scores))].entity
        families = name_lists.family(self._known_people.locale).places
        for token in sorted(tokens, key=len, reverse=True):
            if token in families:
                return f"family/{token}"
        return f"handle/{local}"

    def person(self, number: int) -> Person:
        """Return the person of a span: the first where several have its entity."""
        entity = self.entity(number)
        for person in self._known_people.persons:
            if person.entity == entity:
                return person
        for person in self._document_people:
            if person.entity == entity:
                return person
        for run in self._runs:
            if _name_entity(run) == entity:
                person = self._resolve(run)
                if person.entity == entity:
                    return person
        return Person(entity)

    def _find_own(self, run: NameRun) -> Person | None:
        """Return the person of the record that a mention refers to, if any."""
        if not run.is_resolved:
            first = run.spans[0]
            least = self._spans[first - 1].end if first else 0
            start = self._spans[first].start
            is_staff, is_kin, run.gender = _read_context_before(
                self._document.text, least, start, self._known_people.locale
            )
            run.own = None if is_staff else _find_known_person(run, is_kin, self._known_people)
            run.is_resolved = True
        return run.own

    def _resolve(self, run: NameRun) -> Person:
        """Return the person that a mention refers to; a new one where none is known."""
        own = self._find_own(run)
        if own is not None:
            return own
        for person in self._document_people:
            if run.suits(person):
                return person
        return Person(_name_entity(run), run.given, run.family, run.gender)

    @cached_property
    def _document_people(self) -> list[Person]:
        """Persons known from this document only: its clinicians, and full names in it."""
        found: dict[tuple[str, ...], Person] = {}
        for name in self._document.clinicians:
            given, family, gender = fold_person_name(name, self._known_people.locale)
            if family:
                found[family[0], *given] = Person(f"family/{family[0]}", given, family, gender)
        for run in self._runs:
            if run.family and run.given and self._find_own(run) is None:
                person = Person(_name_entity(run), run.given, run.family, run.gender)
                found.setdefault((run.family[0], *run.given), person)
        return list(found.values())


def link_persons(
    document: Document, spans: Sequence[Span], known_people: KnownPeople
) -> PersonLinks:
    """Link the spans of a document to persons; `spans` are sorted and disjoint."""
    return PersonLinks(document, spans, known_people, read_names(document, spans, known_people))


def read_names(
    document: Document, spans: Sequence[Span], known_people: KnownPeople
) -> dict[int, NameReading]:
    """Return the readings of the spans that are names, by their index."""
    return {
        number: known_people.read_name(document.text[span.start : span.end], span.label)
        for number, span in enumerate(spans)
        if span.label in NAMES
    }


def _find_misspelt(
    document: Document,
    read: Iterable[NameReading],
    unlisted: Iterable[RoleWord],
    known_people: KnownPeople,
) -> dict[RoleWord, str]:
    """Return corrections of unlisted words: clinicians' names, and listed names of the document."""
    right: dict[str, set[str]] = {GIVEN: set(), FAMILY: set()}
    for reading in read:
        right[GIVEN].update(reading.given)
        right[FAMILY].update(reading.family)
    for role, words in right.items():
        words.difference_update(word for own, word in unlisted if own == role)
    for name in document.clinicians:
        given, family, _ = fold_person_name(name, known_people.locale)
        right[GIVEN].update(given)
        right[FAMILY].update(family)
    correctors = {role: SpellingCorrector(words) for role, words in right.items()}
    found = {(role, word): correctors[role].correct(word) for role, word in unlisted}
    return {part: word for part, word in found.items() if word}


def _find_inflected(
    document: Document, read: Iterable[NameReading], known_people: KnownPeople
) -> dict[RoleWord, str]:
    """Return the names of the document whose genitive or plural other words of it are."""
    locale = known_people.locale
    words = {(each.role, each.folded) for reading in read for each in reading.words}
    inflected = {part: name_endings.stems(part[1], locale) for part in words}
    if not any(inflected.values()):
        return {}
    for name in document.clinicians:
        given, family, _ = fold_person_name(name, locale)
        words |= {(GIVEN, word) for word in given} | {(FAMILY, word) for word in family}
    found: dict[RoleWord, str] = {}
    for (role, word), stems in inflected.items():
        stem = next((stem for stem in stems if (role, stem) in words), "")
        if stem and not known_people.knows(role, word):
            found[role, word] = stem
    return found


# Mentions ----------------------------------------------------------------------------------------


def _join_runs(
    text: str, spans: Sequence[Span], read: Mapping[int, NameReading], spelt: Mapping[RoleWord, str]
) -> list[NameRun]:
    """Join adjacent spans that form one name."""
    groups: list[list[int]] = []
    for number in read:
        if groups and _continues_name(text, spans, groups[-1], number):
            groups[-1].append(number)
        else:
            groups.append([number])
    runs = []
    for group in groups:
        first = read[group[0]]
        given, initials, family = first.given, first.initials, first.family
        for number in group[1:]:
            given += read[number].given
            initials += read[number].initials
            family += read[number].family
        if spelt:
            given = tuple(spelt.get((GIVEN, word), word) for word in given)
            family = tuple(spelt.get((FAMILY, word), word) for word in family)
        runs.append(NameRun(tuple(group), given, initials, family))
    return runs


def _continues_name(text: str, spans: Sequence[Span], group: list[int], number: int) -> bool:
    last, span = spans[group[-1]], spans[number]
    if group[-1] != number - 1 or span.start - last.end > _LONGEST_GAP:
        return False
    gap = text[last.end : span.start]
    if gap != " " and not _GAP.fullmatch(gap):
        return False
    labels = [spans[each].label for each in group]
    if Label.NAME in (span.label, *labels):
        return False
    if span.label == last.label:
        return "\n" not in gap and ("," not in gap or span.label == Label.FIRST_NAME)
    if gap.strip(" ") and number + 1 < len(spans):
        # In `Dr Young, L. Buck` the initial belongs to the following name.
        after = spans[number + 1]
        if after.label == Label.LAST_NAME and text[span.end : after.start] in ("", " "):
            return False
    # Given and family names alternate once: `Jean DUPONT`, `DUPONT, Jean`.
    return span.label not in labels and not ("," in gap and span.label == Label.LAST_NAME)


def _read_context_before(text: str, least: int, start: int, locale: str) -> tuple[bool, bool, str]:
    """Return whether a clinician's title and a word for a relative precede a name, and a gender."""
    least = max(start - _BEFORE, least)
    before = text[max(least, text.rfind("\n", least, start) + 1) : start]
    pieces = before.split()[-_FEW:]
    if not any(_has_title(written, locale) for written in pieces):
        return False, False, ""
    spoken = spoken_in(locale)
    words = [word for written in pieces for word in _fold_title_words(written)][-_FEW:]
    close = words[-1]
    gender = "F" if close in spoken.female else "M" if close in spoken.male else ""
    return not spoken.staff.isdisjoint(words[-2:]), not spoken.kin.isdisjoint(words), gender


@lru_cache(_REMEMBERED)
def _has_title(written: str, locale: str) -> bool:
    """Return whether a token is or contains a title or a word for a relative."""
    return not spoken_in(locale).beside.isdisjoint(_fold_title_words(written))


@lru_cache(_REMEMBERED)
def _fold_title_words(written: str) -> tuple[str, ...]:
    """Fold a token and strip its outer signs; signs that fold to a blank split it."""
    return tuple(word.strip(_SIGNS) for word in fold(written).split())


# Persons -----------------------------------------------------------------------------------------


def _find_known_person(run: NameRun, is_kin: bool, known_people: KnownPeople) -> Person | None:
    suited = [person for person in known_people.persons if run.suits(person)]
    if is_kin:
        suited = [person for person in suited if person.entity != PATIENT] or suited
    if run.gender:
        suited = [person for person in suited if person.gender in ("", run.gender)] or (
            suited if run.given or run.initials else []
        )
    return suited[0] if suited else None


def _name_entity(run: NameRun) -> str:
    """Return the entity of a person known only from a mention."""
    if run.family:
        return f"family/{run.family[0]}"
    return f"given/{(run.given or run.initials or ('',))[0]}"


def _overlap(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return not set(some).isdisjoint(others)


# Mail addresses and accounts ---------------------------------------------------------------------


def _score_address_match(tokens: Sequence[str], person: Person) -> int:
    """Return how well the parts of an address match a person's names: 2 fully, 1 partly, 0 not."""
    if not person.family:
        return 0
    given = [name for name in person.given if name in tokens]
    initials = {name[:1] for name in person.given}
    is_named = bool(given) or any(len(each) == 1 and each in initials for each in tokens)
    best = int(bool(given) and len(tokens) == 1)
    for token in tokens:
        # An initial and a family name, possibly truncated.
        if len(token) > 4 and token[0] in initials:
            cut = token[1:]
            if any(family.startswith(cut) for family in person.family):
                return 2
        if token in person.family:
            best = 2 if is_named else 1
    return best
