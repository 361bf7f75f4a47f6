"""A patient and a mention as surrogate makers get them: key, policy, and values to avoid."""

import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import cached_property
from itertools import dropwhile, product

from record.errors import Unsafe
from record.label import Label
from record.languages import LANGUAGES, primary_language
from record.patient import PatientRecord
from record.policy import Policy
from surrogates.keys.keys import PatientKey
from surrogates.patient import date_shift
from surrogates.patient.date_shift import DateShift
from surrogates.patient.known_people import KnownPeople
from surrogates.patient.lexicon import Lexicon, listed
from surrogates.patient.local_names import LocalNames
from surrogates.patient.mixed_draws import DrawnName, MixedDraws
from surrogates.patient.name_draws import NameDraws
from surrogates.patient.name_groups import NameGroups
from surrogates.patient.name_words import PARTICLES
from surrogates.patient.near_values import NearValues
from surrogates.patient.text_normalization import WORD, compact, fold, folded_words, squeeze
from surrogates.permutations.list_permutation import Permutation

# The version of the algorithm in which only equal names count as known.
_FIRST = 2
# Draws before giving up on a value; each fails with a probability below 1/2.
DRAWS = 128
_SHORTEST_AVOIDED = 3
_COMMON = frozenset(
    listed(
        "rue avenue boulevard place chemin allee impasse quai route square cours passage"
        " cite residence"
        " saint sainte street road lane drive court calle plaza avenida paseo camino ronda santa "
        " des les del los las sur the and"
    )
)


class Place(Enum):
    """Where a span stands among adjacent spans of its label: `Jean, Paul` in two spans."""

    ALONE = "alone"
    FIRST = "first"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """What the note says about a named person, besides the mention's text and the record.

    `given` and `family` are folded names, the person's first, then others of the note, to which
    initials and e-mail addresses may refer; only the person's where `whole`. `gender` is `M`, `F`
    or empty; `told` is that which the words before the name tell. `variant` requests a surrogate
    other than the person's usual one. `assigned` has roles and words with surrogates assigned to
    avoid collisions, `spelt` roles and misspelt words with their corrections. Of mixed names,
    `apart` is like `assigned`, `heads` has roles and words with the first word of the name that
    they are part of, and `place` is that among adjacent spans.
    """

    given: tuple[str, ...] = field(default=(), repr=False)
    family: tuple[str, ...] = field(default=(), repr=False)
    whole: bool = False
    gender: str = ""
    told: str = ""
    variant: str = field(default="", repr=False)
    assigned: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)
    spelt: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)
    apart: tuple[tuple[str, str, DrawnName], ...] = field(default=(), repr=False)
    heads: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)
    place: Place = Place.ALONE


UNKNOWN_PERSON = NamedPerson()
"""The person of a mention that the note does not identify."""


@dataclass(slots=True)
class Mention:
    """A span and its context in the document, as surrogate makers get it.

    `city` is the town beside a postal code or region, `country` tells where towns lie whose
    postcodes are British or Canadian (`gb`, `ca`) or American (`us`), `after` the unit smaller than
    a year that follows an age. `day_first` is the order of day and month in the note's numeric
    dates, None if unknown. `earlier` is the date before one that takes its month from it.
    `clock` is the time of day joined to a date, with what separates them, where it is rewritten.
    """

    text: str = field(repr=False)
    label: str
    lang: str = ""
    written: date | None = field(default=None, repr=False)
    earlier: date | None = field(default=None, repr=False)
    person: NamedPerson = UNKNOWN_PERSON
    city: str = field(default="", repr=False)
    country: str = ""
    after: str = ""
    day_first: bool | None = None
    clock: str = field(default="", repr=False)


NOBODY = Mention("", "")
"""The mention of a name that stands in no note."""


class Subject:
    """Draws surrogates for one patient that contain no known value of the patient.

    They are of `locale`: that of the policy, or of `home`, the same patient in the policy's
    language, where a note is in another one (see `speaking`).
    """

    def __init__(
        self,
        key: PatientKey,
        policy: Policy,
        record: PatientRecord | None,
        *,
        days: int,
        home: "Subject | None" = None,
        locale: str = "",
    ) -> None:
        self.key = key
        self.days = days
        self.policy = policy = policy.under(key.algorithm)
        self.locale = locale or policy.locale
        self._record = record
        self._speaking: dict[str, Subject] = {self.locale: self}
        self.birth_date = record.birth_date if record else None
        self.gender = record.gender[:1].upper() if record else ""
        self.known_people = KnownPeople(record, self.locale, reads_endings=key.algorithm > _FIRST)
        self.given = tuple(_words(_all_given(record)))
        self.family = tuple(_words(_all_family(record)))
        self.avoided = _avoided_words(record).union(_distinctive_words(_all_given(record)))
        self.avoided |= _distinctive_words(_all_family(record))
        if key.algorithm > _FIRST:
            # Unlike other particles `San` alone is found where a family name begins with it.
            family = (word for name in _all_family(record) for word in folded_words(name))
            self.avoided |= frozenset(family) & {"san"}
        self.avoided_codes: frozenset[str] = frozenset()
        if record:
            codes = [*record.phones, *record.emails, *(each.value for each in record.identifiers)]
            codes += [address.zip for address in record.addresses]
            self.avoided_codes = frozenset(compact(code) for code in codes if code)
            if record.birth_date and key.algorithm > _FIRST:
                self.avoided_codes |= _write_day_and_month(record.birth_date)
        # The postal codes of the patient's known towns, by squeezed name
        addresses = record.addresses if record else ()
        self.home_codes = {
            squeeze(each.city): compact(each.zip) for each in addresses if each.city and each.zip
        }
        self._permutations: dict[tuple[str, str], Permutation] = {}
        self._set_names(record, home)

    def _set_names(self, record: PatientRecord | None, home: "Subject | None") -> None:
        """Set what names are drawn by; `mixed_names` is None where they keep their stratum."""
        own = tuple(sorted(_own_names(record, self.known_people)))
        avoided = self.avoided | _joined_names(record)
        is_first = self.key.algorithm == _FIRST
        parts = frozenset[str]() if is_first else _parts_of_words(record)
        self._near = NearValues(avoided, parts)
        self.avoided_names: Container[str] = self.avoided if is_first else self._near
        self.names = NameDraws(self.key, self.locale, self.avoided_names, own)
        self.mixed_names: MixedDraws | None = None
        if self.policy.names == "mixed":
            groups = NameGroups(self.known_people)
            self.mixed_names = MixedDraws(
                self.key,
                self.locale,
                self._near,
                groups,
                home.mixed_names if home else None,
            )
        elif home is not None:
            drawn = {fold(home.names.draw(*each)) for each in own}
            known = NearValues(avoided | drawn, parts)
            self.names = LocalNames(self.key, self.locale, known, home.names, own)

    def __repr__(self) -> str:
        return f"Subject(key={self.key!r})"

    def speaking(self, lang: str) -> "Subject":
        """Return the same patient with the lists of a note's language; this one for an empty one.

        Notes of one language share it. In the first version of the algorithm all notes have the
        lists of the policy. Raises Unsafe for a language without lists.
        """
        if (known := self._speaking.get(lang)) is not None:
            return known
        locale = primary_language(lang)
        if not locale or self.key.algorithm == _FIRST:
            return self
        known = self._speaking.get(locale)
        if known is None:
            if locale not in LANGUAGES:
                raise Unsafe("no-surrogate")
            known = self._speaking[locale] = Subject(
                self.key, self.policy, self._record, days=self.days, home=self, locale=locale
            )
        return known

    @cached_property
    def dates_shift(self) -> DateShift:
        """The shift of all dates of the patient except the birth date."""
        return date_shift.make_dates_shift(self.key, self.policy, self.days)

    @cached_property
    def birth_shift(self) -> DateShift:
        """The shift of the patient's birth date."""
        return date_shift.make_birth_shift(self.key, self.policy, self.days)

    def pick(
        self, label: str, value: str, lexicon: Lexicon, *, accept: Callable[[str], bool]
    ) -> str:
        """Draw the lexicon entry that replaces a squeezed value.

        A value of the lexicon is permuted within it, so that two of them never collide; another
        value gets each entry with equal probability. Raises Unsafe where no entry is acceptable.
        """
        return lexicon.entries[self.place(label, value, lexicon, accept=accept)]

    def place(
        self, label: str, value: str, lexicon: Lexicon, *, accept: Callable[[str], bool]
    ) -> int:
        """Draw like `pick`; return the index of the entry."""
        start = lexicon.places.get(value)
        for counter in range(DRAWS):
            if start is None:
                place = self.key.number(label, value, len(lexicon), counter=counter)
            else:
                known = self._permutations.get((label, lexicon.name))
                if known is None:
                    known = Permutation(self.key, f"{label}/{lexicon.name}", len(lexicon))
                    self._permutations[label, lexicon.name] = known
                place = known.step(start, counter)
            if squeeze(lexicon.entries[place]) != value and accept(lexicon.entries[place]):
                return place
        raise Unsafe("no-surrogate")

    def allows(self, text: str) -> bool:
        """Return whether a surrogate contains no known word of the patient.

        From version 3 on it contains no known name or town within its words either.
        """
        words = folded_words(text)
        return self.avoided.isdisjoint(words) and not self._near.stands_in(words)

    def allows_code(self, text: str) -> bool:
        """Return whether a surrogate is not a known number or code of the patient."""
        return compact(text) not in self.avoided_codes


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from WORD.findall(unicodedata.normalize("NFC", text))


def _own_names(
    record: PatientRecord | None, known_people: KnownPeople
) -> Iterator[tuple[str, str, str]]:
    """Yield the role, folded word and gender of each name of the record."""
    own = known_people.patient
    for word in {fold(word) for word in _words(_all_given(record))}:
        gender = own.gender if word in own.given else ""
        yield Label.FIRST_NAME.value, word, gender
    for word in {fold(word) for word in _words(_all_family(record))}:
        yield Label.LAST_NAME.value, word, ""


def _all_given(record: PatientRecord | None) -> Iterator[str]:
    if record:
        yield from record.given_names
        for relative in record.relatives:
            yield from relative.given_names


def _all_family(record: PatientRecord | None) -> Iterator[str]:
    if record:
        yield from record.family_names
        yield from record.birth_names
        for relative in record.relatives:
            yield from relative.family_names


def _distinctive_words(names: Iterable[str]) -> frozenset[str]:
    """Fold the words of names, without particles where others are left: streets have them too."""
    distinctive: set[str] = set()
    for name in names:
        words = {fold(word) for word in _words([name])}
        distinctive |= words - PARTICLES or words
    return frozenset(distinctive)


def _joined_names(record: PatientRecord | None) -> frozenset[str]:
    """Return the names of several words as one: `legall` for Le Gall."""
    return frozenset(compact(name) for name in (*_all_given(record), *_all_family(record))) - {""}


def _parts_of_words(record: PatientRecord | None) -> frozenset[str]:
    """Return the names and towns that are found within longer words, in words glued together too.

    A name of several words counts word by word and as one, without its particles too.
    """
    names = [*_all_given(record), *_all_family(record)]
    towns = [address.city for address in record.addresses] if record else []
    found = set(_distinctive_words(names))
    for name in (*names, *towns):
        words = folded_words(name)
        core = tuple(dropwhile(PARTICLES.__contains__, words))
        found |= {"".join(words), "".join(core)}
    return frozenset(found)


def _write_day_and_month(born: date) -> frozenset[str]:
    """Return the digits of a day of birth that, behind its year, would be read as the birth date.

    A house number is such digits by chance, and may follow a released birth date.
    """
    days, months = {f"{born.day}", f"{born.day:02d}"}, {f"{born.month}", f"{born.month:02d}"}
    pairs = product(days, months)
    return frozenset(joined for day, month in pairs for joined in (day + month, month + day))


def _avoided_words(record: PatientRecord | None) -> frozenset[str]:
    texts: list[str] = []
    if record:
        for address in record.addresses:
            texts += (address.street, address.city)
        texts += record.emails
    words = {fold(word) for word in _words(texts)}
    return frozenset(word for word in words if len(word) >= _SHORTEST_AVOIDED) - _COMMON
