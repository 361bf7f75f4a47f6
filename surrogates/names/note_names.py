"""The names of one note, and what it tells of the persons who bear them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from locales import name_endings
from record.document import Document
from record.span import Span
from surrogates.patient.context_gender import NICKNAME_GAP, gender_before
from surrogates.patient.known_people import (
    FAMILY,
    GIVEN,
    PATIENT,
    MentionNames,
    NameReading,
    RoleWord,
    fold_person_name,
)
from surrogates.patient.mixed_draws import DrawnName, MixedDraws
from surrogates.patient.name_pools import gender_of
from surrogates.patient.name_units import read_units
from surrogates.patient.patient import NamedPerson, Place, Subject
from surrogates.patient.person_linking import NAMES, PersonLinks, read_names
from surrogates.patient.text_normalization import WORD, fold

_ROLES = (GIVEN, FAMILY)
# The fewest letters of a family name in an account.
_CUT = 4
_SCALE = 1 << 64
# What stands between the spans of one mention, and between two of one list of names.
_JOINED = re.compile(r"[ \t]+|[ \t]*,[ \t]*")
_GAPS = {GIVEN: re.compile(r"[ \t]*[,\-]?[ \t]*"), FAMILY: re.compile(r"[ \t]*-?[ \t]*")}


class NoteNames(ABC):
    """The names of one note, linked to persons on first use."""

    def __init__(self, document: Document, spans: Sequence[Span], subject: Subject) -> None:
        self._document = document
        self._spans = spans
        self._subject = subject
        self._keep = subject.policy.repeat_third_parties

    def find_person(self, number: int) -> NamedPerson | None:
        """Return the person that a span names; None where its text and the record suffice."""
        read = self._read.get(number)
        if read is None:
            return self._find_owner(number)
        return self._find_named(number, read)

    @abstractmethod
    def _find_named(self, number: int, read: NameReading) -> NamedPerson | None:
        """Return the person that the span of a name refers to."""

    def _find_owner(self, number: int) -> NamedPerson:
        """Return the person of an e-mail address or account, with the names that it contains."""
        span = self._spans[number]
        local = fold(self._document.text[span.start : span.end]).partition("@")[0]
        person = self._links.person(number)
        given, family = self._words
        return NamedPerson(
            _prepend(person.given, tuple(name for name in given if name in local)),
            _prepend(person.family, tuple(name for name in family if name[:_CUT] in local)),
        )

    def _describe(self, number: int, read: NameReading, variant: str, **drawn: Any) -> NamedPerson:
        """Return what initials, gender and misspellings of a name refer to."""
        person = self._links.person(number)
        stranger = bool(person.family) and person not in self._subject.known_people.persons
        given, family = ((), ()) if stranger or not read.is_short else self._words
        spelt = self._spelt
        return NamedPerson(
            given=_prepend(person.given, given) if read.is_short else (),
            family=_prepend(person.family, family) if read.is_short else (),
            whole=stranger,
            gender=person.gender,
            variant=variant,
            spelt=tuple(
                (word.role, word.folded, spelt[word.role, word.folded])
                for word in read.words
                if (word.role, word.folded) in spelt
            )
            if spelt
            else (),
            **drawn,
        )

    @cached_property
    def _spelt(self) -> Mapping[RoleWord, str]:
        """The corrections of misspelt words that only the note tells."""
        return self._links.spelt

    def _variant(self, number: int) -> str:
        return "" if self._keep >= 1.0 else self._variants[number]

    @cached_property
    def _read(self) -> dict[int, NameReading]:
        return read_names(self._document, self._spans, self._subject.known_people)

    @cached_property
    def _links(self) -> PersonLinks:
        return PersonLinks(self._document, self._spans, self._subject.known_people, self._read)

    @cached_property
    def _words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The folded given and family names of the note."""
        found: dict[str, list[str]] = {role: [] for role in _ROLES}
        for clinician in self._document.clinicians:
            for role, whole in ((GIVEN, clinician.given_names), (FAMILY, clinician.family_names)):
                found[role] += (word for name in whole for word in WORD.findall(fold(name)))
        for read in self._read.values():
            found[GIVEN] += read.given
            found[FAMILY] += read.family
        return tuple(dict.fromkeys(found[GIVEN])), tuple(dict.fromkeys(found[FAMILY]))

    @cached_property
    def _variants(self) -> list[str]:
        """The surrogate variant of each span's person; empty for the usual surrogate.

        A third party keeps the surrogate of the previous mention with the policy's probability.
        """
        states: dict[str, int] = {}
        variants = [""] * len(self._spans)
        last = ("", -2)
        for number, entity in enumerate(self._links.entities):
            if not entity or entity == PATIENT or self._spans[number].label not in NAMES:
                continue
            about = f"{self._document.note_id}/{entity}"
            # The parts of one name share a variant.
            if last != (entity, number - 1):
                drawn = self._subject.key.number("third party", f"{about}/{number}", _SCALE)
                states[entity] = states.get(entity, 0) + (drawn >= self._keep * _SCALE)
            last = entity, number
            variants[number] = f"{about}/{states[entity]}" if states[entity] else ""
        return variants


class StratumNoteNames(NoteNames):
    """The names of a note whose surrogates are drawn word by word, of the same stratum."""

    def _find_named(self, number: int, read: NameReading) -> NamedPerson | None:
        variant, unlisted = self._variant(number), read.unlisted
        if not (variant or read.is_short or unlisted):
            return None
        assigned = tuple(each for each in self._assigned if each[:2] in unlisted)
        return self._describe(number, read, variant, assigned=assigned)

    @cached_property
    def _assigned(self) -> tuple[tuple[str, str, str], ...]:
        """Distinct surrogates of unlisted words whose draws collide: role, word, name."""
        spelt = self._links.spelt
        alone = [each for each in self._links.unlisted if each not in spelt]
        drawn = [fold(self._subject.names.draw(*each)) for each in alone]
        if len(set(drawn)) == len(drawn):
            return ()
        taken: set[str] = set()
        found = []
        for role, word in alone:
            name = self._subject.names.draw_from_reserve(role, word, "", taken)
            taken.add(fold(name))
            found.append((role, word, name))
        return tuple(found)


class MixedNoteNames(NoteNames):
    """The names of a note whose surrogates are drawn as a whole, of all names."""

    def __init__(
        self,
        document: Document,
        spans: Sequence[Span],
        subject: Subject,
        draws: MixedDraws,
    ) -> None:
        super().__init__(document, spans, subject)
        self._draws = draws
        self._people = subject.known_people

    @cached_property
    def _names(self) -> list[MentionNames]:
        return [read_units(read, self._people) for read in self._read.values()]

    def _find_named(self, number: int, read: NameReading) -> NamedPerson | None:
        names = read.names or read_units(read, self._people)
        told = self._told.get(number, "")
        if not (names.is_told or told or self._is_special or number in self._places):
            return None
        variant, place = self._variant(number), self._places.get(number, Place.ALONE)
        is_told = names.is_told or bool(variant)
        parts: Sequence[RoleWord] = names.parts
        if self._spelt:
            parts = [self._correct(part) for part in parts]
        apart = tuple((*part, self._apart[part]) for part in parts if part in self._apart)
        heads = self._heads(number, parts)
        is_told |= any((word.role, word.folded) in self._spelt for word in read.words)
        if not (is_told or told or apart or heads or place is not Place.ALONE):
            return None
        drawn: dict[str, Any] = {"told": told, "apart": apart, "heads": heads, "place": place}
        return self._describe(number, read, variant, **drawn) if is_told else NamedPerson(**drawn)

    @cached_property
    def _told(self) -> Mapping[int, str]:
        """The genders of given names, by span: what stands before it tells, else another mention.

        Mentions of a name before which nothing is told have the gender that all others agree on.
        """
        told = {n: self._gender_before(n) for n, read in self._read.items() if read.given}
        by_word: dict[str, frozenset[str]] = {}
        for number, gender in told.items():
            if gender and (given := self._read[number].given[:1]):
                by_word[given[0]] = by_word.get(given[0], frozenset()) | {gender}
        for number, read in self._read.items():
            if told.get(number) == "":
                genders = by_word.get(read.given[0], frozenset())
                told[number] = next(iter(genders)) if len(genders) == 1 else ""
        return {number: gender for number, gender in told.items() if gender}

    def _gender_before(self, number: int) -> str:
        """Return the gender that the text before a mention tells, or the name before a nickname."""
        text, locale = self._document.text, self._people.locale
        # `Mme DURAND Camille` is one mention in two spans.
        first = number - 1 if self._goes_on(number) and not self._goes_on(number - 1) else number
        start, least = self._spans[first].start, self._spans[first - 1].end if first else 0
        if gender := gender_before(text, least, start, locale):
            return gender
        if first - 1 not in self._read or not NICKNAME_GAP.fullmatch(text, least, start):
            return ""
        bearer = (first - 1, first - 2) if self._goes_on(first - 1) else (first - 1,)
        given = (word for each in bearer for word in self._read[each].given[:1])
        told = (gender_of(word, locale) for word in given)
        return next(filter(None, told), "") or self._gender_before(first - 1)

    def _goes_on(self, number: int) -> bool:
        """Return whether a span is of another label than the one right before it, and joined."""
        if number - 1 not in self._read or number not in self._read:
            return False
        before, span = self._spans[number - 1], self._spans[number]
        joins = _JOINED.fullmatch(self._document.text, before.end, span.start)
        return joins is not None and before.label != span.label

    @cached_property
    def _is_special(self) -> bool:
        """Whether a name of the note may need more than its text and the record."""
        return bool(self._keep < 1.0 or self._apart or self._later or self._spelt)

    @cached_property
    def _places(self) -> dict[int, Place]:
        """The places of names in several adjacent spans of a label, which are one list."""
        found: dict[int, Place] = {}
        text = self._document.text
        for number, (span, after) in enumerate(pairwise(self._spans)):
            gap = _GAPS.get(span.label) if span.label == after.label else None
            if gap is not None and gap.fullmatch(text, span.end, after.start):
                found.setdefault(number, Place.FIRST)
                found[number + 1] = Place.LATER
        return found

    def _correct(self, part: RoleWord) -> RoleWord:
        """Correct a word that misspells a name of the note."""
        return part[0], self._spelt.get(part, part[1])

    @cached_property
    def _spelt(self) -> Mapping[RoleWord, str]:
        # A given name that the lists have at all is spelt as it should be.
        locale = self._people.locale
        if not any(read.unlisted or self._may_be_inflected(read) for read in self._read.values()):
            return {}
        return {
            (role, word): right
            for (role, word), right in self._links.spelt.items()
            if role == FAMILY or gender_of(word, locale) is None
        }

    def _may_be_inflected(self, read: NameReading) -> bool:
        """Return whether a word of a reading may be the genitive or plural of another name."""
        locale = self._people.locale
        return any(name_endings.stems(word.folded, locale) for word in read.words)

    @cached_property
    def _genders(self) -> Mapping[str, str]:
        """The genders that the note tells of given names, by word."""
        found: dict[str, str] = {}
        for number, gender in self._told.items():
            if given := self._read[number].given[:1]:
                found.setdefault(given[0], gender)
        return found

    @cached_property
    def _apart(self) -> Mapping[RoleWord, DrawnName]:
        """The surrogates of names of the note that would else meet another's."""
        draws = self._draws
        found = {part for names in self._names for part in names.parts}
        parts = {self._correct(part) for part in found} if self._spelt else found
        gender = self._genders.get
        draws.register({
            (role, word, gender(word, "") if role == GIVEN else "") for role, word in parts
        })  # fmt: skip
        if not draws.has_met:
            return {}
        taken: dict[str, frozenset[str]] = {GIVEN: frozenset(), FAMILY: frozenset()}
        moved: dict[RoleWord, DrawnName] = {}
        for role, word in sorted(part for part in parts if not draws.groups.knows(*part)):
            told = self._genders.get(word, "") if role == GIVEN else ""
            name = draws.draw(role, word, told)
            if not taken[role].isdisjoint(name.folded):
                name = moved[role, word] = draws.draw_apart(role, word, told, taken[role])
            taken[role] |= name.folded
        return moved

    def _heads(self, number: int, parts: Sequence[RoleWord]) -> tuple[tuple[str, str, str], ...]:
        """Return the words that are a later part of the name that their person has in the note."""
        if self._later.isdisjoint(parts):
            return ()
        asked = [part for part in parts if part in self._later]
        family = self._links.person(number).family
        return tuple((*part, family[0]) for part in asked if part[1] in family[1:])

    @cached_property
    def _later(self) -> frozenset[RoleWord]:
        """The later words of family names of several, of persons whom the record does not have."""
        found = {part for names in self._names for part in names.later}
        for clinician in self._document.clinicians:
            if words := fold_person_name(clinician, self._people.locale)[1][1:]:
                knows = self._draws.groups.knows
                found.update((FAMILY, word) for word in words if not knows(FAMILY, word))
        return frozenset(found)


def read_note_names(document: Document, spans: Sequence[Span], subject: Subject) -> NoteNames:
    """Return the names of a note, as the policy draws them."""
    if subject.mixed_names is not None:
        return MixedNoteNames(document, spans, subject, subject.mixed_names)
    return StratumNoteNames(document, spans, subject)


def _prepend(own: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *others)))
