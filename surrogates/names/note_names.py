"""The names of one note, and what it tells of the persons who bear them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from record.document import Document
from record.label import Label
from record.span import Span
from surrogates.patient import name_pools
from surrogates.patient.known_people import (
    FAMILY,
    GIVEN,
    PATIENT,
    NameReading,
    RoleWord,
    fold_person_name,
)
from surrogates.patient.mixed_draws import DrawnName, MixedDraws
from surrogates.patient.name_units import NameUnit
from surrogates.patient.patient import NamedPerson, Place, Subject
from surrogates.patient.person_linking import NAMES, PersonLinks, read_names
from surrogates.patient.text_normalization import WORD, fold

_ROLES = (GIVEN, FAMILY)
# The fewest letters of a family name in an account.
_CUT = 4
_SCALE = 1 << 64
# What stands between two spans of one list of names.
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

    def _describe(self, number: int, read: NameReading, variant: str) -> NamedPerson:
        """Return what initials, gender and misspellings of a name refer to."""
        person = self._links.person(number)
        stranger = bool(person.family) and person not in self._subject.known_people.persons
        given, family = ((), ()) if stranger or not read.is_short else self._words
        spelt = self._links.spelt
        return NamedPerson(
            given=_prepend(person.given, given) if read.is_short else (),
            family=_prepend(person.family, family) if read.is_short else (),
            whole=stranger,
            gender=person.gender,
            variant=variant,
            spelt=tuple((*each, spelt[each]) for each in read.unlisted if each in spelt),
        )

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
        return replace(self._describe(number, read, variant), assigned=assigned)

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
        self._locale = subject.locale

    def _find_named(self, number: int, read: NameReading) -> NamedPerson | None:
        variant, place = self._variant(number), self._place(number)
        parts = tuple(dict.fromkeys(self._parts(number)))
        apart = tuple((*p, self._apart[p]) for p in parts if p in self._apart)
        heads = self._heads(number, parts)
        is_told = bool(variant or read.is_short or read.unlisted or self._is_either(read))
        if not (is_told or apart or heads or place is not Place.ALONE):
            return None
        person = self._describe(number, read, variant) if is_told else NamedPerson()
        return replace(person, apart=apart, heads=heads, place=place)

    def _is_either(self, read: NameReading) -> bool:
        """Return whether the lists leave the gender of a given name open."""
        return any(not name_pools.gender_of(word, self._locale) for word in read.given)

    def _place(self, number: int) -> Place:
        """Return the place of a span among adjacent ones of its label, which are one list."""
        if number and self._adjoins(number - 1):
            return Place.LATER
        return Place.FIRST if self._adjoins(number) else Place.ALONE

    def _adjoins(self, number: int) -> bool:
        spans = self._spans
        if number + 1 == len(spans) or spans[number].label != spans[number + 1].label:
            return False
        gap = _GAPS.get(spans[number].label)
        between = self._document.text[spans[number].end : spans[number + 1].start]
        return gap is not None and bool(gap.fullmatch(between))

    def _parts(self, number: int) -> Iterator[RoleWord]:
        """Yield the role and first word of each whole name of a span."""
        correct = self._subject.known_people.correct
        for unit in self._units(number):
            if not unit.is_short:
                role, word = unit.role, unit.words[0].folded
                yield role, correct(role, word) or self._spelt.get((role, word), word)

    def _units(self, number: int) -> tuple[NameUnit, ...]:
        span = self._spans[number]
        text = self._document.text[span.start : span.end]
        return self._subject.units.read(text, span.label)

    @cached_property
    def _spelt(self) -> Mapping[RoleWord, str]:
        """The corrections of misspelt words that only the note tells."""
        return self._links.spelt if any(read.unlisted for read in self._read.values()) else {}

    @cached_property
    def _apart(self) -> dict[RoleWord, DrawnName]:
        """The surrogates of names of the note that would else meet another's."""
        draws, groups = self._draws, self._draws.groups
        found = {part for number in self._read for part in self._parts(number)}
        others = sorted(part for part in found if not groups.knows(*part))
        drawn = [draws.draw(*part) for part in others]
        if len({(role, each.words[0]) for (role, _), each in zip(others, drawn, strict=True)}) == (
            len(others)
        ):
            return {}
        taken: dict[str, frozenset[str]] = {GIVEN: frozenset(), FAMILY: frozenset()}
        moved: dict[RoleWord, DrawnName] = {}
        for (role, word), usual in zip(others, drawn, strict=True):
            name = usual
            if not taken[role].isdisjoint(usual.folded):
                name = moved[role, word] = draws.draw_apart(role, word, "", taken[role])
            taken[role] |= name.folded
        return moved

    def _heads(self, number: int, parts: Sequence[RoleWord]) -> tuple[tuple[str, str, str], ...]:
        """Return the words that are a later part of the name that their person has in the note."""
        asked = [part for part in parts if part in self._later]
        if not asked:
            return ()
        family = self._links.person(number).family
        return tuple((*part, family[0]) for part in asked if part[1] in family[1:])

    @cached_property
    def _later(self) -> frozenset[RoleWord]:
        """The later words of family names of several, of persons whom the record does not have."""
        found: set[RoleWord] = set()
        for number in self._read:
            for unit in self._units(number):
                if unit.role == FAMILY and not unit.is_short:
                    found.update((FAMILY, word.folded) for word in unit.words[1:])
        for clinician in self._document.clinicians:
            words = fold_person_name(clinician, self._locale)[1]
            found.update((FAMILY, word) for word in words[1:])
        return frozenset(part for part in found if not self._draws.groups.knows(*part))


def read_note_names(document: Document, spans: Sequence[Span], subject: Subject) -> NoteNames:
    """Return the names of a note, as the policy draws them."""
    if subject.mixed_names is not None:
        return MixedNoteNames(document, spans, subject, subject.mixed_names)
    return StratumNoteNames(document, spans, subject)


def _prepend(own: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *others)))
