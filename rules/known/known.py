"""Detection of what the warehouse already knows of the very patient of a note."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache, lru_cache
from typing import NoReturn

from record.document import Document
from record.label import Label
from record.patient import Identifier, PatientRecord, PersonName
from record.span import Span
from rules.dates.calendar import MONTHS
from rules.known.concatenated_names import ConcatenatedNames, Initials, addresses
from rules.known.context import Hit
from rules.known.misspelled_names import MisspelledNames
from rules.known.numbers import Numbers
from rules.known.variants import Known, Match, around, variants
from rules.known.words import Words
from rules.matching.normalization import CONFUSED, View, views
from rules.matching.scanner import longest_first

# Folded names and abbreviations of the months, January first.
_MONTHS = tuple(
    frozenset(name for name, number in MONTHS.items() if number == month) for month in range(1, 13)
)
_STEMS = tuple(frozenset(name[:3] for name in names) for names in _MONTHS)
_SEP = r"[ ]{0,2}[/.\-|,\\_ ][ ]{0,2}"
_NUMERIC = re.compile(
    rf"(?<![0-9])(?=(?P<a>[0-9]{{1,4}})(?P<gap>{_SEP})(?P<b>[0-9]{{1,2}}){_SEP}(?P<c>[0-9]{{2,4}})"
    r"(?![0-9]))"
)
_DAY = r"(?P<{0}>[0-9]{{1,2}})[ ]?(?:er|re|ere|st|nd|rd|th|º|°|ª|o)?"
_JOIN = r"[\s,.\-/_]{0,3}(?:(?:de|del|of|du|d'|the|van)[\s]{1,2})?"
# No writing of a date puts more than this between its ends and its year.
_REACH = 36
_YEAR = r"'?(?P<{0}>[0-9]{{2,4}})(?![0-9])"

_SINGLE_DIGITS = frozenset(b"%d" % digit for digit in range(10))
# So many letters may stand for digits where recognition misread a date.
_MISREAD = 2


class Birthday:
    """One day of birth, ready to be looked for."""

    __slots__ = (
        "_day", "_day_first", "_digits", "_either_first", "_stems", "_whole", "_year_digits",
    )  # fmt: skip

    def __init__(self, day: date) -> None:
        self._day = day
        self._year_digits = b"%02d" % (day.year % 100)
        self._stems = tuple(stem.encode("ascii") for stem in _STEMS[day.month - 1])
        self._digits = _written_in_digits(day)
        day_first, month_first = _compact_forms(day)
        self._day_first, self._either_first = day_first, day_first | month_first
        self._whole = tuple(digits for digits in self._digits if len(digits) == 8)

    def find(self, view: View, lang: str) -> Iterator[tuple[int, int]]:
        """Yield where the day stands, as offsets of the view.

        `lang` decides whether the month may come first (`en`, or unknown).
        """
        every = view.digits
        written = [digits for digits in self._digits if digits in every]
        found: set[tuple[int, int]] = set()
        for digits in written:
            if len(digits) >= 6 and digits in self._compact_writings(lang):
                found.update(_find_digit_runs(view, digits))
        for at in self._year_offsets(view.data):
            near = max(0, at - _REACH), at + _REACH
            if written:
                found.update(self._find_numeric(view.folded, (max(0, at - 14), at + 12), lang))
            window = view.data[near[0] : near[1]]
            if any(stem in window for stem in self._stems):
                found.update(self._textual(view.folded, near))
        if not written and any(digits in view.confused for digits in self._whole):
            found.update(self._find_misread(view, lang))
        yield from sorted(found)

    def _year_offsets(self, data: bytes) -> Iterator[int]:
        """Yield where the last two digits of the year may be: in every writing they are there."""
        century = b"%02d" % (self._day.year // 100)
        at = data.find(self._year_digits)
        while at >= 0:
            whole = data[max(0, at - 2) : at] == century
            if whole or data[max(0, at - 1) : at] not in _SINGLE_DIGITS:
                yield at
            at = data.find(self._year_digits, at + 1)

    def _find_misread(self, view: View, lang: str) -> Iterator[tuple[int, int]]:
        text = view.data.translate(CONFUSED).decode("latin-1")
        for start, end in self._find_numeric(text, (0, len(text)), lang):
            if sum(char.isalpha() for char in view.folded[start:end]) <= _MISREAD:
                yield start, end

    def _find_numeric(
        self, folded: str, near: tuple[int, int], lang: str
    ) -> Iterator[tuple[int, int]]:
        for found in _NUMERIC.finditer(folded, *near):
            a, b, c = found["a"], found["b"], found["c"]
            # Small numbers with blanks between them are values, unless all are written out.
            if found["gap"].isspace() and len(a + b + c) < 6:
                continue
            if self._is_birthday(a, b, c, lang):
                yield found.start("a"), found.end("c")

    def _is_birthday(self, a: str, b: str, c: str, lang: str) -> bool:
        born = self._day
        if len(a) == 4 and int(a) == born.year and len(c) == 2:
            return (int(b), int(c)) == (born.month, born.day)
        if len(a) > 2 or not self._is_birth_year(c):
            return False
        day_first = (int(a), int(b)) == (born.day, born.month)
        return day_first or (lang in ("en", "") and (int(a), int(b)) == (born.month, born.day))

    def _is_birth_year(self, digits: str) -> bool:
        year = self._day.year
        return int(digits) == (year if len(digits) == 4 else year % 100) and len(digits) != 3

    def _compact_writings(self, lang: str) -> frozenset[bytes]:
        """Return the writings of eight or six digits without anything between them."""
        return self._either_first if lang in ("en", "") else self._day_first

    def _textual(self, folded: str, near: tuple[int, int]) -> Iterator[tuple[int, int]]:
        for found in _textual(self._day.month).finditer(folded, *near):
            day = found["day"] or found["day2"] or found["day3"]
            year = found["year"] or found["year2"] or found["year3"]
            number = 1 if day == "premier" else int(day)
            if number == self._day.day and self._is_birth_year(year):
                yield found.span()


def _compact_forms(born: date) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Return the writings in digits alone with the day first or last, and with the month first."""
    day, month = b"%02d" % born.day, b"%02d" % born.month
    year, short = b"%04d" % born.year, b"%02d" % (born.year % 100)
    day_first = frozenset((day + month + year, year + month + day, day + month + short))
    return day_first, frozenset((month + day + year, month + day + short))


def _find_digit_runs(view: View, digits: bytes) -> Iterator[tuple[int, int]]:
    spaced = b" ".join(b"%c" % digit for digit in digits)
    for written in (digits, spaced) if len(digits) == 8 else (digits,):
        at = view.data.find(written)
        while at >= 0:
            end = at + len(written)
            before, after = view.data[max(0, at - 2) : at], view.data[end : end + 2]
            if written is spaced:
                before, after = before.replace(b" ", b""), after.replace(b" ", b"")
            if not (before[-1:].isdigit() or after[:1].isdigit()):
                yield at, end
            at = view.data.find(written, at + 1)


def _written_in_digits(day: date) -> tuple[bytes, ...]:
    """Return the digits of the day in every numeric writing, the longest first."""
    years = (b"%04d" % day.year, b"%02d" % (day.year % 100))
    days = [(b"%02d" % day.day, b"%02d" % day.month), (b"%d" % day.day, b"%d" % day.month)]
    orders = [
        ordered
        for a in {days[0][0], days[1][0]}
        for b in {days[0][1], days[1][1]}
        for year in years
        for ordered in (a + b + year, b + a + year, *([year + b + a] if len(year) == 4 else []))
    ]
    return tuple(sorted(set(orders), key=lambda digits: (-len(digits), digits)))


@cache
def _textual(month: int) -> re.Pattern[str]:
    name = rf"(?:{longest_first(_MONTHS[month - 1])})(?![a-z])"
    day_word = r"(?:(?P<day>premier|[0-9]{1,2})[ ]?(?:er|re|ere|st|nd|rd|th|º|°|ª|o)?)"
    return re.compile(
        rf"(?<![0-9]){day_word}{_JOIN}{name}{_JOIN}{_YEAR.format('year')}"
        rf"|(?<![a-z]){name}{_JOIN}{_DAY.format('day2')}{_JOIN}{_YEAR.format('year2')}"
        rf"|(?<![0-9])(?P<year3>[0-9]{{4}}){_JOIN}{name}{_JOIN}{_DAY.format('day3')}(?![0-9])"
    )


__all__ = ["Known", "KnownPatient", "Match", "variants"]

_HOUSE_NUMBER = re.compile(
    r"(?<![0-9])[0-9]{1,4}(?: ?[-/] ?[0-9]{1,4})?(?: ?(?:bis|ter|quater|[a-f]))?[ ]?,?[ \n]{1,2}$"
)
_NUMBER_AFTER = re.compile(
    r"[ ]?,?[ ](?:n[o.º°]{0,2} ?)?[0-9]{1,4}(?:[ ]?[a-f])?(?![a-z0-9])(?![ ][0-9])"
)


class KnownPatient:
    """What is known of one patient, compiled once to be found in any number of notes.

    Values never appear in the repr, and the object refuses to be pickled: send the record's
    locator to where it is needed and compile it there.
    """

    __slots__ = ("_lookup",)

    def __init__(self, record: PatientRecord) -> None:
        own = PersonName(record.given_names, record.family_names + record.birth_names)
        self._lookup = _Lookup(variants(record), (own, *record.relatives), record.birth_date)

    def detect(self, document: Document, *, misspelt: bool = True) -> list[Span]:
        """Find all that is known of the patient and of the note itself, also `misspelt` names.

        Offsets are code points of the document's text. The spans are sorted, none lies within
        another; the detector is `known.` and the field of the record.
        """
        text, lang = document.text, document.lang
        hits = self._lookup.hits(text, lang, misspelt=misspelt)
        if document.clinicians:
            hits += _clinician_lookup(document.clinicians).hits(text, lang, misspelt=misspelt)
        if document.identifiers:
            hits += _identifier_lookup(document.identifiers).hits(text, lang, misspelt=False)
        return [
            Span(start, end, str(known.label), f"known.{known.source}")
            for start, end, known in _outermost_hits(hits)
        ]

    def find(
        self, text: str, *, lang: str = "", misspelt: bool = False
    ) -> list[tuple[int, int, str]]:
        """Find what is known of the patient in any text: start, end (code points) and label.

        Without `lang` a numeric date of birth counts with the day first and with the month first.
        """
        hits = _outermost_hits(self._lookup.hits(text, lang, misspelt=misspelt))
        return [(start, end, str(known.label)) for start, end, known in hits]

    def __repr__(self) -> str:
        return f"KnownPatient({self._lookup.size} forms)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a known patient cannot be pickled")


class _Lookup:
    """What is known of some persons; what is rarely needed is compiled when it is."""

    __slots__ = (
        "_birthday", "_forms", "_initials", "_joined", "_misspelt", "_numbers", "_staff", "_words",
        "size",
    )  # fmt: skip

    def __init__(
        self,
        forms: tuple[Known, ...],
        people: tuple[PersonName, ...] = (),
        born: date | None = None,
        *,
        staff: bool = False,
    ) -> None:
        self.size = len(forms)
        self._forms = forms
        self._words = Words(forms, people)
        self._numbers = Numbers(forms)
        self._birthday = Birthday(born) if born else None
        self._initials = Initials(people)
        self._joined = ConcatenatedNames(people)
        self._misspelt: MisspelledNames | None = None
        self._staff = staff

    def hits(self, text: str, lang: str, *, misspelt: bool) -> list[Hit]:
        first, *others = views(text)
        found = self._hits_in_view(first, lang, misspelt=misspelt)
        if first.shifted:
            found = [Hit(*first.span(hit.start, hit.end), hit.known) for hit in found]
        for view in others:
            for hit in self._hits_in_view(view, lang, misspelt=misspelt):
                found.append(Hit(*view.span(hit.start, hit.end), hit.known))
        return found

    def _hits_in_view(self, view: View, lang: str, *, misspelt: bool) -> list[Hit]:
        named, doubtful, joined = self._words.find(view)
        hits = [
            _with_house_number(view, hit) if hit.known.label == Label.STREET else hit
            for hit in named
        ]
        for hit in joined:
            hits += self._joined.around(view, hit)
        hits += self._initials.beside(view, named, lang)
        if not view.whole:
            return hits
        if "@" in view.folded:
            hits += list(addresses(view, hits + doubtful))
        hits += (Hit(*number) for number in self._numbers.find(view))
        if not self._staff:
            hits += self._initials.alone(view, lang)
        if self._birthday:
            hits += (Hit(*extent, _BIRTHDAY) for extent in self._birthday.find(view, lang))
        if misspelt:
            hits += self._find_misspelt(view, named, doubtful)
        return hits

    def _find_misspelt(self, view: View, named: list[Hit], doubtful: list[Hit]) -> Iterator[Hit]:
        if self._misspelt is None:
            self._misspelt = MisspelledNames(self._forms, staff=self._staff)
        return self._misspelt.find(view, named, doubtful)


_BIRTHDAY = Known(Label.BIRTH_DATE, "", Match.DATE, "birth_date")


@lru_cache(maxsize=2048)
def _clinician_lookup(clinicians: tuple[PersonName, ...]) -> _Lookup:
    return _Lookup(around(clinicians, ()), clinicians, staff=True)


@lru_cache(maxsize=64)
def _identifier_lookup(identifiers: tuple[Identifier, ...]) -> _Lookup:
    return _Lookup(around((), identifiers))


def _with_house_number(view: View, hit: Hit) -> Hit:
    start, end, known = hit
    folded = view.folded
    if not folded[start].isdigit():
        number = _HOUSE_NUMBER.search(folded, max(0, start - 16), start)
        start = number.start() if number else start
    number = _NUMBER_AFTER.match(folded, end)
    # Four digits and more after a street are rather the start of a postal code.
    return Hit(start, number.end() if number and not folded[end - 1].isdigit() else end, known)


def _outermost_hits(hits: list[Hit]) -> list[Hit]:
    # Stable: of two hits of one extent the first found stays, the patient's own before others'.
    kept: list[Hit] = []
    furthest = -1
    for hit in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        if hit.end > furthest:
            kept.append(hit)
            furthest = hit.end
    return kept
