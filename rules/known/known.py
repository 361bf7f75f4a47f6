"""Detection of what the warehouse already knows of the very patient of a note."""

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple, NoReturn

from record.document import Document
from record.label import Label
from record.patient import Identifier, PatientRecord, PersonName
from record.span import Span
from rules.known.birth_dates import Birthday
from rules.known.concatenated_names import ConcatenatedNames, Initials, addresses
from rules.known.context import Hit
from rules.known.damaged_names import GarbledNames, PartedNames, split_glued_names
from rules.known.misspelled_names import MisspelledNames
from rules.known.numbers import Numbers
from rules.known.variants import Known, Match, around, variants
from rules.known.words import Words
from rules.matching.normalization import View, views
from rules.matching.printed_columns import ReadColumns, read_downwards

__all__ = ["Findings", "Known", "KnownPatient", "Match", "variants"]

# No part of a date: `29-08-93`, and the street on the next line.
_HOUSE_NUMBER = re.compile(
    r"(?<![0-9])(?<![0-9][-/.])[0-9]{1,4}(?: ?[-/] ?[0-9]{1,4})?(?: ?(?:bis|ter|quater|[a-f]))?"
    r"[ ]?,?[ \n]{1,2}$"
)
_NUMBER_AFTER = re.compile(
    r"[ ]?,?[ ](?:n[o.º°]{0,2} ?)?[0-9]{1,4}(?:[ ]?[a-f])?(?![a-z0-9])(?![ ][0-9])"
)
_NUMBERS = frozenset((Match.DIGITS, Match.CODE))
# Letters and digits that a value has at least which is broken at the edge of a column.
_FEWEST_LETTERS, _FEWEST_DIGITS, _WHOLE_DATE = 4, 5, 8


class Findings(NamedTuple):
    """What is known of a patient in a text: sorted, none within another of its kind.

    `exact` are the values however they are written or damaged, `misspelt` the names with letters
    wrong; `undecided` are words that may be the patient's name: neither context nor case tells.
    """

    exact: list[Span]
    misspelt: list[Span]
    undecided: list[Span]


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
        found = self._hits(document, misspelt=misspelt)
        return _make_spans(found.exact + found.misspelt)

    def search(self, document: Document) -> Findings:
        """Find the same, apart: values, misspelt names, and words that may be a name."""
        found = self._hits(document, misspelt=True)
        return Findings(*(_make_spans(hits) for hits in found))

    def _hits(self, document: Document, *, misspelt: bool) -> "_Hits":
        text, lang = document.text, document.lang
        hits = self._lookup.hits(text, lang, misspelt=misspelt)
        if document.clinicians:
            hits += _clinician_lookup(document.clinicians).hits(text, lang, misspelt=misspelt)
        if document.identifiers:
            hits += _identifier_lookup(document.identifiers).hits(text, lang, misspelt=False)
        return hits

    def find(
        self, text: str, *, lang: str = "", misspelt: bool = False
    ) -> list[tuple[int, int, str]]:
        """Find what is known of the patient in any text: start, end (code points) and label.

        Without `lang` a numeric date of birth counts with the day first and with the month first.
        """
        found = self._lookup.hits(text, lang, misspelt=misspelt)
        hits = _outermost_hits(found.exact + found.misspelt)
        return [(start, end, str(known.label)) for start, end, known in hits]

    def __repr__(self) -> str:
        return f"KnownPatient({self._lookup.size} forms)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a known patient cannot be pickled")


class _Hits(NamedTuple):
    """Hits of values, of misspelt names, and of words that may be a name."""

    exact: list[Hit]
    misspelt: list[Hit]
    undecided: list[Hit]

    def __add__(self, other: tuple[list[Hit], ...]) -> "_Hits":  # type: ignore[override]
        return _Hits(*(one + two for one, two in zip(self, other, strict=True)))


class _Lookup:
    """What is known of some persons; what is rarely needed is compiled when it is."""

    __slots__ = (
        "_birthday", "_forms", "_garbled", "_initials", "_is_numbers", "_joined", "_misspelt",
        "_numbers", "_parted", "_staff", "_words", "size",
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
        self._garbled = GarbledNames(people, "clinicians" if staff else "family_names")
        self._parted = PartedNames(forms)
        self._misspelt: MisspelledNames | None = None
        self._staff = staff
        self._is_numbers = not people and all(known.match in _NUMBERS for known in forms)

    def hits(self, text: str, lang: str, *, misspelt: bool) -> "_Hits":
        hits = _Hits([], [], [])
        for view in views(text):
            found = self._hits_in_view(view, lang, misspelt=misspelt)
            for all_hits, part in zip(hits, found, strict=True):
                all_hits.extend([_placed(view, hit) for hit in part] if view.shifted else part)
        columns = read_downwards(text)
        return hits + self._hits_in_columns(text, columns, lang) if columns else hits

    def _hits_in_columns(self, text: str, columns: ReadColumns, lang: str) -> "_Hits":
        """Return the parts of values that are broken at the edge of a column of the text."""
        hits = _Hits([], [], [])
        for view in views(columns.text):
            found = self._hits_in_view(view, lang, misspelt=False)
            for all_hits, part in zip(hits, found, strict=True):
                for hit in part:
                    pieces = columns.pieces(*view.span(hit.start, hit.end))
                    if len(pieces) > 1 and _is_telling(text, hit.known, pieces):
                        all_hits.extend(Hit(start, end, hit.known) for start, end in pieces)
        return hits

    def _hits_in_view(self, view: View, lang: str, *, misspelt: bool) -> "_Hits":
        if self._is_numbers:
            return _Hits(self._find_numbers(view) if view.complete else [], [], [])
        named, doubtful, joined, undecided = self._words.find(view)
        hits = [
            _with_house_number(view, hit) if hit.known.label == Label.STREET else hit
            for hit in named
        ]
        for hit in joined:
            hits += self._joined.around(view, hit)
        hits += self._initials.beside(view, named, lang)
        hits += self._parted.find(view)
        hits += split_glued_names(view, joined)
        close = list(self._find_misspelt(view, named, doubtful)) if misspelt else []
        for hit in self._garbled.find(view):
            # With another letter or none in the place of an accented one it is but misspelt.
            spelt = view.folded[hit.start : hit.end].isalpha()
            if misspelt or not spelt:
                (close if spelt else hits).append(hit)
        if not view.complete:
            return _Hits(hits, close, undecided)
        if view.whole and "@" in view.folded:
            hits += list(addresses(view, hits + doubtful))
        hits += self._find_numbers(view)
        if view.whole and not self._staff:
            hits += self._initials.alone(view, lang)
        if self._birthday:
            hits += (Hit(*extent, _BIRTHDAY) for extent in self._birthday.find(view, lang))
        return _Hits(hits, close, undecided)

    def _find_numbers(self, view: View) -> list[Hit]:
        return [Hit(*number) for number in self._numbers.find(view)]

    def _find_misspelt(self, view: View, named: list[Hit], doubtful: list[Hit]) -> Iterator[Hit]:
        if self._misspelt is None:
            self._misspelt = MisspelledNames(self._forms)
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


def _placed(view: View, hit: Hit) -> Hit:
    return Hit(*view.span(hit.start, hit.end), hit.known)


def _is_telling(text: str, known: Known, pieces: list[tuple[int, int]]) -> bool:
    """Return whether so much of a value stands in pieces that they are not beside by chance."""
    letters = sum(char.isalnum() for start, end in pieces for char in text[start:end])
    if known.match is Match.DATE:
        return len(pieces) == 2 or letters >= _WHOLE_DATE
    return letters >= (_FEWEST_DIGITS if known.match in _NUMBERS else _FEWEST_LETTERS)


def _make_spans(hits: list[Hit]) -> list[Span]:
    return [
        Span(start, end, str(known.label), f"known.{known.source}")
        for start, end, known in _outermost_hits(hits)
    ]


def _outermost_hits(hits: list[Hit]) -> list[Hit]:
    # Stable: of two hits of one extent the first found stays, the patient's own before others'.
    kept: list[Hit] = []
    furthest = -1
    for hit in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        if hit.end > furthest:
            kept.append(hit)
            furthest = hit.end
    return kept
