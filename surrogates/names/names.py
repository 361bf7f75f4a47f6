"""Surrogates of persons' names, which keep gender, origin, case, compounds and particles."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from record.document import Document
from record.label import Label
from record.span import Span
from surrogates.patient import value_format
from surrogates.patient.known_people import (
    FAMILY,
    GIVEN,
    LONGEST_ABBREVIATION,
    PATIENT,
    NameReading,
    NameToken,
)
from surrogates.patient.misspelling import find_mistakes, misspell
from surrogates.patient.name_draws import PURPOSE
from surrogates.patient.patient import Mention, NamedPerson, Subject
from surrogates.patient.person_linking import NAMES, PersonLinks, read_names
from surrogates.patient.text_normalization import HAS_CONTENT, WORD, apply_case, fold

_ROLES = (GIVEN, FAMILY)
# The fewest letters of a family name in an account.
_CUT = 4
_SCALE = 1 << 64


class NoteNames:
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
            # The person of an e-mail address or account, with the names that it contains
            span = self._spans[number]
            local = fold(self._document.text[span.start : span.end]).partition("@")[0]
            person = self._links.person(number)
            given, family = self._words
            return NamedPerson(
                _prepend(person.given, tuple(name for name in given if name in local)),
                _prepend(person.family, tuple(name for name in family if name[:_CUT] in local)),
            )
        variant = "" if self._keep >= 1.0 else self._variants[number]
        if not (variant or read.is_short or read.unlisted):
            return None
        person = self._links.person(number)
        stranger = bool(person.family) and person not in self._subject.known_people.persons
        given, family = ((), ()) if stranger or not read.is_short else self._words
        unlisted, spelt = read.unlisted, self._links.spelt
        return NamedPerson(
            given=_prepend(person.given, given) if read.is_short else (),
            family=_prepend(person.family, family) if read.is_short else (),
            whole=stranger,
            gender=person.gender,
            variant=variant,
            assigned=tuple(each for each in self._assigned if each[:2] in unlisted),
            spelt=tuple((*each, spelt[each]) for each in unlisted if each in spelt),
        )

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


def _prepend(own: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *others)))


_VOWELS = frozenset("aeiouy")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NOBODY = Mention("", "")


def replace(mention: Mention, subject: Subject) -> str:
    """Return the surrogate of a name, word by word, with the same separators.

    Each word has its own surrogate, also in compounds. It never starts with the letter of its
    original, so that initials change too.
    """
    reading = subject.known_people.read_name(mention.text, mention.label)
    text, words = reading.text, reading.words
    if not words:
        return value_format.replace(mention, subject)
    if reading.monogram:
        letters = "".join(
            fold(replace_word(w, role, subject, mention))[0].upper() for role, w in reading.monogram
        )
        between = (text[: words[0].start], text[words[0].end :])
        return letters.join(_replace_digits(each, mention, subject) for each in between)
    pieces: list[str] = []
    end = 0
    for word in words:
        pieces.append(_replace_digits(text[end : word.start], mention, subject))
        pieces.append(
            word.text if word.stays else _replace_word_or_initials(word, mention, subject)
        )
        end = word.end
    pieces.append(_replace_digits(text[end:], mention, subject))
    return "".join(pieces)


def replace_word(word: str, role: str, subject: Subject, mention: Mention = _NOBODY) -> str:
    """Return the surrogate of one word of a name; `role` is FIRST_NAME or LAST_NAME.

    A misspelt known name gives the same mistakes in that name's surrogate.
    """
    value = fold(word)
    right = spelt(value, role, subject, mention)
    if right:
        drawn = _draw_name(right, role, subject, mention)
        like = find_mistakes(right, value)
        label = f"{PURPOSE}/misspelt/{role}"
        for wrong in misspell(fold(drawn), like, right, subject.key, label):
            free = wrong not in subject.avoided and not subject.names.is_listed(role, wrong)
            if free and wrong[0] != value[0]:
                return apply_case(word, wrong.title())
    return apply_case(word, _draw_name(value, role, subject, mention))


def spelt(value: str, role: str, subject: Subject, mention: Mention) -> str:
    """Return the correct spelling of a misspelt folded word; empty where it is not misspelt.

    The names of the record come first, then those of the note (`NamedPerson.spelt`).
    """
    if subject.known_people.knows(role, value):
        return ""
    right = subject.known_people.correct(role, value)
    if right or subject.names.is_listed(role, value):
        return right
    return next((each[2] for each in mention.person.spelt if each[:2] == (role, value)), "")


def abbreviate(
    letters: str, role: str, known: Iterable[str], subject: Subject, mention: Mention = _NOBODY
) -> str:
    """Abbreviate the surrogate of the first known name that starts with `letters`.

    Without such a name the letters are drawn; the first one always changes.
    """
    value = fold(letters)
    for name in known:
        if fold(name).startswith(value) and len(name) > len(value):
            drawn = replace_word(name.title(), role, subject, mention)
            return apply_case(letters, fold(drawn)[: len(value)].title())
    if len(value) > 1:
        return apply_case(letters, fold(replace_word(value, role, subject))[: len(value)].title())
    others = _LETTERS.replace(value, "")
    drawn = others[subject.key.number(role, f"{value}.", len(others))]
    return drawn.upper() if letters.isupper() else drawn


def _draw_name(value: str, role: str, subject: Subject, mention: Mention) -> str:
    for own_role, own, assigned in mention.person.assigned:
        if (own_role, own) == (role, value):
            return assigned
    patient = subject.known_people.patient
    gender = patient.gender if value in patient.given else mention.person.gender
    if mention.person.variant and value not in (*patient.given, *patient.family):
        return subject.names.draw_variant(role, value, gender, mention.person.variant)
    return subject.names.draw(role, value, gender)


def _replace_word_or_initials(word: NameToken, mention: Mention, subject: Subject) -> str:
    text, value, role = word.text, word.folded, word.role
    if len(text) == 1 or (word.is_dotted and len(text) <= LONGEST_ABBREVIATION):
        if value not in _LETTERS and len(text) == 1:
            return apply_case(text, replace_word(text, role, subject, mention))
        return abbreviate(
            text, role, _expansion_candidates(role, mention, subject), subject, mention
        )
    if len(text) == 2 and text.isupper() and not _VOWELS & set(value):
        known = _expansion_candidates(role, mention, subject)
        return "".join(abbreviate(each, role, known, subject, mention) for each in text)
    return replace_word(text, role, subject, mention)


def _expansion_candidates(role: str, mention: Mention, subject: Subject) -> tuple[str, ...]:
    """Return the names that an initial may stand for, those of the note first."""
    is_given = role == Label.FIRST_NAME
    known = mention.person.given if is_given else mention.person.family
    if mention.person.whole:
        return known
    return known + (subject.given if is_given else subject.family)


def _replace_digits(text: str, mention: Mention, subject: Subject) -> str:
    """Keep blanks and punctuation; replace digits within a name."""
    if not text or not HAS_CONTENT.search(text):
        return text
    return value_format.scramble(text, mention.label, subject)
