"""The people in a patient's record, and the reading of names with that knowledge."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from locales import name_endings
from record.label import Label
from record.patient import PatientRecord, PersonName
from surrogates.patient import name_lists
from surrogates.patient.misspelling import SpellingCorrector
from surrogates.patient.name_words import ELISIONS, PARTICLES, TITLES, spoken_in
from surrogates.patient.text_normalization import WORD, fold

PATIENT = "patient"
"""The entity of the patient; relatives of the record are `relative/0` and so on."""

GIVEN, FAMILY = Label.FIRST_NAME.value, Label.LAST_NAME.value
# 'Ph.' and 'Chr.' abbreviate a given name as 'P.' does.
LONGEST_ABBREVIATION = 3
_MONOGRAM = 4
# In lower case, they join the words of a longer name: `Ortega y Gasset`.
_CONJUNCTIONS = frozenset("dlyei")
_READINGS = 4096
_SHARED = 1 << 12

RoleWord = tuple[str, str]
"""A role (FIRST_NAME or LAST_NAME) and a folded word."""


@dataclass(frozen=True, slots=True)
class Person:
    """A known person: an entity, and the folded words of the names."""

    entity: str
    given: tuple[str, ...] = field(default=(), repr=False)
    family: tuple[str, ...] = field(default=(), repr=False)
    gender: str = ""


@dataclass(slots=True)
class NameToken:
    """One word of a name as written, with its position; `role` is FIRST_NAME or LAST_NAME.

    A word that `stays` is a particle or title next to words that are replaced.
    """

    text: str = field(repr=False)
    folded: str = field(repr=False)
    start: int
    end: int
    role: str
    is_dotted: bool
    stays: bool = False


@dataclass(slots=True)
class NameUnit:
    """A given or family name as written, of one word or several.

    `start` and `end` are offsets in the text of the reading, particles included; `words` are those
    that tell a name, without initials beside them; `is_short` is set where all are initials.
    """

    role: str
    start: int
    end: int
    words: tuple[NameToken, ...] = field(repr=False)
    is_short: bool = False

    @property
    def written(self) -> str:
        """The words as written, which tell the case."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class MentionNames:
    """The whole names of a mention, and what about them the note may have to tell.

    `parts` are role and first word of those that are more than initials, corrected where the record
    tells; `later` the further words of family names; `is_told` is set for initials, unlisted words
    and given names of either gender.
    """

    units: tuple[NameUnit, ...] = field(repr=False)
    parts: tuple[RoleWord, ...] = field(repr=False)
    later: tuple[RoleWord, ...] = field(repr=False)
    is_told: bool


@dataclass(slots=True)
class NameReading:
    """The reading of a name as written: its words, and the folded names, corrected if misspelt.

    `text` is NFC-normalized, and positions of words refer to it. `monogram` are the names whose
    initials form the only word. `unlisted` are words in neither a list nor the record. `is_short`
    is set where it has an initial or abbreviation, which only the note can resolve. `names` are the
    whole names, once `name_units.read_units` found them.
    """

    text: str = field(repr=False)
    words: tuple[NameToken, ...] = field(default=(), repr=False)
    monogram: tuple[RoleWord, ...] = field(default=(), repr=False)
    given: tuple[str, ...] = field(default=(), repr=False)
    initials: tuple[str, ...] = field(default=(), repr=False)
    family: tuple[str, ...] = field(default=(), repr=False)
    unlisted: tuple[RoleWord, ...] = field(default=(), repr=False)
    is_short: bool = False
    names: MentionNames | None = field(default=None, repr=False, compare=False)


class KnownPeople:
    """The people in a record: the patient first, then the relatives.

    Where it `reads_endings`, the genitive or plural of a name is read as the name. `birth` are the
    folded words of the patient's family names by birth, where these differ from the others.
    """

    __slots__ = (
        *("_known", "_listed", "_meant", "_monograms", "_names", "_correctors", "_readings"),
        *("birth", "reads_endings", "titles", "locale", "persons"),
    )

    def __init__(
        self, record: PatientRecord | None, locale: str, *, reads_endings: bool = False
    ) -> None:
        self.locale = locale
        self.reads_endings = reads_endings
        self.titles = spoken_in(locale).titles
        self.persons = tuple(_list_persons(record, locale)) if record else ()
        self.birth = _names_by_birth(record) if record else ()
        self._known: dict[str, frozenset[str]] = {GIVEN: frozenset(), FAMILY: frozenset()}
        if record:
            given = [*record.given_names, *(n for r in record.relatives for n in r.given_names)]
            family = [*record.family_names, *record.birth_names]
            family += (name for relative in record.relatives for name in relative.family_names)
            self._known = {
                role: frozenset(word for name in names for word in WORD.findall(fold(name)))
                for role, names in ((GIVEN, given), (FAMILY, family))
            }
        self._names = self._known[GIVEN] | self._known[FAMILY]
        self._listed = {role: name_lists.of_role(role, locale).places for role in (GIVEN, FAMILY)}
        self._monograms: dict[str, tuple[RoleWord, ...]] | None = None
        self._correctors = {
            GIVEN: SpellingCorrector(w for p in self.persons for w in p.given),
            FAMILY: SpellingCorrector(w for p in self.persons for w in p.family),
        }
        self._readings: dict[RoleWord, NameReading] = {}
        self._meant: dict[RoleWord, str] = {}

    def __repr__(self) -> str:
        return f"KnownPeople({len(self.persons)} persons)"

    @property
    def patient(self) -> Person:
        """The patient, without names where there is no record."""
        return self.persons[0] if self.persons else Person(PATIENT)

    def knows(self, role: str, word: str) -> bool:
        """Return whether the record has a folded word as a given or family name."""
        return word in self._known[role]

    def _role(self, word: str, label: str, first: str) -> str:
        is_given, is_family = self.knows(GIVEN, word), self.knows(FAMILY, word)
        known = (GIVEN if is_given else FAMILY) if is_given != is_family else ""
        if label != Label.NAME:
            # The patient's given name may be a doctor's family name.
            listed = word in self._listed[label]
            return label if listed or len(word) == 1 else known or label
        if known:
            return known
        if is_given:
            return FAMILY
        return name_lists.role(word, self.locale) or first

    def correct(self, role: str, word: str) -> str:
        """Return the name of the record that a folded word misspells; empty where there is none.

        Listed given names and the most frequent family names count as correctly spelt. The genitive
        of a name of the record or the lists is read as that name.
        """
        known = self._meant.get((role, word))
        if known is None:
            if len(self._meant) >= _READINGS:
                self._meant.clear()
            place = self._listed[role].get(word)
            listed = place is not None and (role == GIVEN or "/1" in place[0].name)
            known = self._find_stem(role, word) if self.reads_endings else ""
            if not known and self.persons and not listed:
                known = self._correctors[role].correct(word)
            self._meant[role, word] = known
        return known

    def _find_stem(self, role: str, word: str) -> str:
        """Return the name of the record or lists whose genitive or plural a word is."""
        stems = name_endings.stems(word, self.locale)
        if not stems or self.knows(role, word):
            return ""
        known = next((stem for stem in stems if self.knows(role, stem)), "")
        listed = self._listed[role]
        is_name = word in listed
        if role == GIVEN:
            # Those that only stand for names of no list are names as well.
            is_name |= word in name_lists.given(self.locale).genders
        return known or next((stem for stem in stems if stem in listed and not is_name), "")

    def is_inflected(self, role: str, word: str) -> bool:
        """Return whether a folded word is the genitive or plural of a name that it corrects to."""
        return (
            self.reads_endings
            and (stems := name_endings.stems(word, self.locale)) != ()
            and self.correct(role, word) in stems
        )

    def expand_monogram(self, word: str) -> tuple[RoleWord, ...]:
        """Return the names, with roles, whose initials a word in capitals is.

        For example, `JDM` is Jeanne DUPONT-MARTIN; empty for other words.
        """
        if not 1 < len(word) <= _MONOGRAM or not word.isupper():
            return ()
        if self._monograms is None:
            self._monograms = _monograms(self.persons)
        return self._monograms.get(fold(word), ())

    def read_name(self, text: str, label: str) -> NameReading:
        """Read the text of a span of a name, labelled FIRST_NAME, LAST_NAME or NAME."""
        known = self._readings.get((text, label))
        if known is None:
            if len(self._readings) >= _READINGS:
                self._readings.clear()
            known = _read_unknown(text, label, self.locale, self.reads_endings)
            if self._may_be_known(known):
                known = self.read_uncached(text, label)
            self._readings[text, label] = known
        return known

    def _may_be_known(self, reading: NameReading) -> bool:
        """Return whether a name read without the record may belong to a person of the record."""
        words = reading.words
        if len(words) == 1 and self.expand_monogram(words[0].text):
            return True
        known, meant = self._names, self.correct
        return any(each.folded in known or meant(each.role, each.folded) for each in words)

    def read_uncached(self, text: str, label: str) -> NameReading:
        """Read a name like `read_name`, without the cache."""
        text = unicodedata.normalize("NFC", text)
        words = self._words(text, label)
        if len(words) == 1 and (meant := self.expand_monogram(words[0].text)):
            given = tuple(word for role, word in meant if role == GIVEN)
            family = tuple(word for role, word in meant if role == FAMILY)
            return NameReading(text, words, meant, given=given, family=family)
        found: dict[str, list[str]] = {GIVEN: [], FAMILY: [], "initials": []}
        unlisted: list[RoleWord] = []
        is_short = False
        for each in words:
            word, role = each.folded, each.role
            particle = is_particle(word, self.titles)
            short = len(word) <= LONGEST_ABBREVIATION
            is_short |= short and not particle
            if role == GIVEN and (len(word) == 1 or (short and each.is_dotted)):
                found["initials"].append(word)
            elif len(word) > 1 and word not in self.titles:
                found[role].append(self.correct(role, word) or word)
            known = short or particle or self.knows(role, word) or self.is_inflected(role, word)
            if not known and word not in self._listed[role]:
                unlisted.append((role, word))
        family = tuple(word for word in found[FAMILY] if word not in PARTICLES)
        return NameReading(
            text,
            words,
            given=tuple(found[GIVEN]),
            initials=tuple(found["initials"]),
            family=family or tuple(found[FAMILY]),
            unlisted=tuple(unlisted),
            is_short=is_short,
        )

    def _words(self, text: str, label: str) -> tuple[NameToken, ...]:
        """Split a name into words, each with its role: given or family name.

        The label decides where a list has the word in that role, or the record does not have it in
        the other; else the record, then the lists, then the order: `Lorenzo Gil` and `Gil,
        Lorenzo`.
        """
        whole, comma = fold(text), text.find(",")
        words = []
        for match in WORD.finditer(text):
            start, end = match.span()
            dotted = text.startswith(".", end)
            words.append(NameToken(match[0], whole[start:end], start, end, label, dotted))
        telling = [word for word in words if word.folded not in self.titles]
        first = telling[0] if len(telling) > 1 else None
        for word in words:
            is_given = word.start > comma if comma >= 0 else word is first
            word.role = self._role(word.folded, label, GIVEN if is_given else FAMILY)
        is_long = len(words) > 2
        staying = [word for word in words if _may_stay(word, whole, is_long, self.titles)]
        # At least one word must change.
        if len(staying) < len(words):
            for word in staying:
                word.stays = True
        return tuple(words)


@lru_cache(_SHARED)
def _read_unknown(text: str, label: str, locale: str, reads_endings: bool) -> NameReading:
    """Read a name without a record; the cached reading is shared by patients, and never changed."""
    return _without_record(locale, reads_endings).read_uncached(text, label)


@cache
def _without_record(locale: str, reads_endings: bool) -> KnownPeople:
    return KnownPeople(None, locale, reads_endings=reads_endings)


def _may_stay(word: NameToken, whole: str, is_long: bool, titles: frozenset[str]) -> bool:
    """Return whether a word may stay as a particle or title; `whole` is the folded name."""
    value = word.folded
    if value in titles or (value in PARTICLES and len(value) > 1):
        return True
    if value in ELISIONS and whole.startswith("'", word.end):
        return True
    return is_long and value in _CONJUNCTIONS and word.text.islower()


def is_particle(word: str, titles: frozenset[str] = TITLES) -> bool:
    """Return whether a folded word is a particle or title, which stays next to a name."""
    return word in PARTICLES or word in titles or word in ELISIONS


@lru_cache(_READINGS)
def fold_person_name(name: PersonName, locale: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the folded given and family names of a person, and the gender from the lists."""
    given = _fold_words(name.given_names)
    genders = name_lists.given(locale).genders
    gender = genders.get(given[0], "") if given else ""
    return given, _fold_words(name.family_names), gender


def _fold_words(names: Sequence[str]) -> tuple[str, ...]:
    """Fold the words of names, without particles where others are left."""
    words = [word for name in names for word in WORD.findall(fold(name))]
    telling = [word for word in words if word not in PARTICLES and len(word) > 1]
    return tuple(dict.fromkeys(telling or words))


def _list_persons(record: PatientRecord, locale: str) -> list[Person]:
    family = _fold_words((*record.family_names, *record.birth_names))
    gender = record.gender[:1].upper()
    gender = {"H": "M", "W": "F"}.get(gender, gender)
    persons = [Person(PATIENT, _fold_words(record.given_names), family, gender)]
    persons += [
        Person(f"relative/{number}", *fold_person_name(relative, locale))
        for number, relative in enumerate(record.relatives)
    ]
    return persons


def _names_by_birth(record: PatientRecord) -> tuple[str, ...]:
    """Return the words of the birth name that are no others; all, where the others have them all.

    Equal names give none.
    """
    birth, family = _fold_words(record.birth_names), _fold_words(record.family_names)
    if set(birth) == set(family):
        return ()
    return tuple(word for word in birth if word not in family) or birth


def _monograms(persons: Sequence[Person]) -> dict[str, tuple[RoleWord, ...]]:
    found: dict[str, tuple[RoleWord, ...]] = {}
    for person in persons:
        given = [(GIVEN, word) for word in person.given]
        family = [(FAMILY, word) for word in person.family]
        if not given or not family:
            continue
        starts = [family[:count] for count in range(1, len(family) + 1)]
        starts += [[word] for word in family[1:]]
        orders = [(own, start) for own in (given[:1], given) for start in starts]
        for names in [(*own, *start) for own, start in orders] + [
            (*start, *own) for own, start in orders
        ]:
            letters = "".join(word[0] for _, word in names)
            found.setdefault(letters, names)
    return found
