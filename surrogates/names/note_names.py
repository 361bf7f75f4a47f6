"""What one note tells of the people in it: who is named where, and what explains an initial."""

from collections.abc import Sequence
from functools import cached_property

from record.document import Document
from record.span import Span
from surrogates.patient.known_people import (
    FAMILY,
    GIVEN,
    PATIENT,
    Reading,
)
from surrogates.patient.patient import (
    Subject,
    Who,
)
from surrogates.patient.person_linking import (
    NAMES,
    Links,
    read_names,
)
from surrogates.patient.text_normalization import (
    WORD,
    fold,
)

_ROLES = (GIVEN, FAMILY)
# Letters of a family name that an account has at least.
_CUT = 4
_SCALE = 1 << 64


class NoteNames:
    """The names of one note, linked when first something is asked that needs it."""

    def __init__(self, document: Document, spans: Sequence[Span], subject: Subject) -> None:
        self._document = document
        self._spans = spans
        self._subject = subject
        self._keep = subject.policy.repeat_third_parties

    def who(self, number: int) -> Who | None:
        """Return what decides a span of a name; None where its text and the record do."""
        read = self._read.get(number)
        if read is None:
            return self._of_handle(number)
        turn = "" if self._keep >= 1.0 else self._turns[number]
        if not (turn or read.is_short or read.unlisted):
            return None
        person = self._links.person(number)
        stranger = bool(person.family) and person not in self._subject.circle.persons
        given, family = ((), ()) if stranger or not read.is_short else self._words
        unlisted, spelt = read.unlisted, self._links.spelt
        return Who(
            given=_first(person.given, given) if read.is_short else (),
            family=_first(person.family, family) if read.is_short else (),
            whole=stranger,
            gender=person.gender,
            turn=turn,
            settled=tuple(each for each in self._settled if each[:2] in unlisted),
            spelt=tuple((*each, spelt[each]) for each in unlisted if each in spelt),
        )

    def _of_handle(self, number: int) -> Who:
        """Return of a mail address or account only the names that are in it, the person's first."""
        span = self._spans[number]
        local = fold(self._document.text[span.start : span.end]).partition("@")[0]
        person = self._links.person(number)
        given, family = self._words
        return Who(
            _first(person.given, tuple(name for name in given if name in local)),
            _first(person.family, tuple(name for name in family if name[:_CUT] in local)),
        )

    @cached_property
    def _read(self) -> dict[int, Reading]:
        return read_names(self._document, self._spans, self._subject.circle)

    @cached_property
    def _links(self) -> Links:
        return Links(self._document, self._spans, self._subject.circle, self._read)

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
    def _settled(self) -> tuple[tuple[str, str, str], ...]:
        """Words of no list whose surrogates would meet, each with another: role, word, name."""
        spelt = self._links.spelt
        alone = [each for each in self._links.unlisted if each not in spelt]
        drawn = [fold(self._subject.names.draw(*each)) for each in alone]
        if len(set(drawn)) == len(drawn):
            return ()
        taken: set[str] = set()
        found = []
        for role, word in alone:
            name = self._subject.names.spared(role, word, "", taken)
            taken.add(fold(name))
            found.append((role, word, name))
        return tuple(found)

    @cached_property
    def _turns(self) -> list[str]:
        """For each span what asks for another surrogate of its person; empty where nothing does.

        A third party keeps the surrogate of the mention before with the policy's chance.
        """
        states: dict[str, int] = {}
        turns = [""] * len(self._spans)
        last = ("", -2)
        for number, entity in enumerate(self._links.entities):
            if not entity or entity == PATIENT or self._spans[number].label not in NAMES:
                continue
            about = f"{self._document.note_id}/{entity}"
            # The parts of one name change together.
            if last != (entity, number - 1):
                drawn = self._subject.key.number("third party", f"{about}/{number}", _SCALE)
                states[entity] = states.get(entity, 0) + (drawn >= self._keep * _SCALE)
            last = entity, number
            turns[number] = f"{about}/{states[entity]}" if states[entity] else ""
        return turns


def _first(own: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *others)))
