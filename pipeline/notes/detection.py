"""Every detector on one text: static rules and what is known of that very patient."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace

from record.document import Document
from record.errors import Unsafe
from record.patient import PatientRecord
from record.span import Span
from rules.ages import ages
from rules.contacts import contacts
from rules.dates import dates
from rules.dates.ranges import complete_date_ranges, read_ranges_as_dates
from rules.identifiers import identifiers
from rules.identifiers.site_patterns import SITE, SiteNumbers
from rules.known.known import KnownPatient
from rules.matching.language_identification import LANGUAGES, Stretch, language, stretches
from rules.matching.recognition_errors import correct_recognition
from rules.matching.repaired_text import RepairedText
from rules.matching.scanner import forget_scans
from rules.matching.unspoken_languages import holds_unspoken
from rules.names import names
from rules.names.name_parts import initials_behind_names
from rules.places import places

DETECTOR_VERSION = "floor-19"
"""Changes whenever a detector may find something else: every note is then detected anew."""

SECURITY_VERSIONS: tuple[str, ...] = ()
"""Versions since which older finds may not be released any more, because they may miss much."""

# Characters; of a text as long as this a scan may report as many places.
_LONG = 300_000

_NUMBERED = re.compile(r"([a-z]+)-(\d{1,9})")

Family = Callable[[Document], list[Span]]
FAMILIES: tuple[Family, ...] = (
    dates.detect,
    ages.detect,
    contacts.detect,
    identifiers.detect,
    names.detect,
    places.detect,
)


def is_older(version: str, than: str) -> bool:
    """Return whether a detector version came before another.

    One whose order is unknown counts as older, so that its finds are not relied on.
    """
    mine, other = _NUMBERED.fullmatch(version), _NUMBERED.fullmatch(than)
    if version == than or not mine or not other or mine[1] != other[1]:
        return version != than
    return int(mine[2]) < int(other[2])


class KnownPatients:
    """The compiled records of the patients seen last, so that a file of notes compiles one once."""

    def __init__(self, size: int = 512) -> None:
        self._size = size
        self._compiled: OrderedDict[bytes, KnownPatient] = OrderedDict()
        self._last: tuple[PatientRecord, KnownPatient] | None = None

    def of(self, patient: PatientRecord, identity: bytes = b"") -> KnownPatient:
        """Compile a patient's record, or give the one compiled before.

        `identity` is a hash that changes with the record, where the caller has one at hand.
        """
        if self._last and self._last[0] is patient:
            return self._last[1]  # the next note of the same patient: no need to hash the record
        key = identity or patient.digest()
        known = self._compiled.get(key)
        if known is None:
            known = self._compiled[key] = KnownPatient(patient)
            if len(self._compiled) > self._size:
                self._compiled.popitem(last=False)
        else:
            self._compiled.move_to_end(key)
        self._last = patient, known
        return known


def spoken(document: Document, default: str = "") -> Document:
    """Return a document with its language: what it names, else what its text is in, else the
    default.

    A language that no rules speak counts as unsure.
    """
    if document.lang:
        return document
    told = language(document.text)
    return replace(document, lang=told if told in LANGUAGES else default)


def check_language(document: Document, allowed: frozenset[str] = frozenset()) -> None:
    """Raise Unsafe(`unsupported-language`) where a passage is surely in no language of the rules.

    `allowed` are further languages that are let through.
    """
    if holds_unspoken(document.text, allowed):
        raise Unsafe("unsupported-language")


def detect(
    document: Document, patient: KnownPatient | None, site: SiteNumbers = SITE
) -> tuple[Span, ...]:
    """Find identifiers by every rule and by what is known; spans may overlap.

    In a note of several languages each stretch is searched in its own.
    """
    found = by_rules(document, site)
    if patient is not None:
        found += by_record(document, patient)
    if len(document.text) > _LONG:
        forget_scans()
    return tuple(found)


def by_rules(document: Document, site: SiteNumbers = SITE) -> list[Span]:
    """Find identifiers by every rule; in a badly recognized text also as it is corrected.

    Of each language's rules those spans stay that touch a stretch in that language; rules see the
    whole text, so that what stands in one stretch explains what stands in another.
    """
    found = _by_rules(document, site)
    if corrected := correct_recognition(document.text):
        again = replace(document, text=corrected.text)
        found += in_original(_by_rules(again, site), corrected)
    return found


def in_original(spans: Iterable[Span], corrected: RepairedText) -> list[Span]:
    """Return spans of a corrected text as spans of the one it was made from."""
    places = ((span, corrected.original(span.start, span.end)) for span in spans)
    return [replace(span, start=start, end=end) for span, (start, end) in places]


def _by_rules(document: Document, site: SiteNumbers) -> list[Span]:
    readings = _readings(spoken(document))
    found: list[Span] = []
    for family in FAMILIES:
        for reading, parts in readings:
            if family is identifiers.detect:
                spans = identifiers.detect(reading, site=site)
            else:
                spans = family(reading)
            found += _touching(spans, parts)
    found = read_ranges_as_dates(document, found)
    return [
        *found,
        *complete_date_ranges(document, found),
        *initials_behind_names(document, found),
    ]


def by_record(document: Document, patient: KnownPatient) -> list[Span]:
    """Find what is known of the patient, in the note's language everywhere.

    In stretches of another language, what only that language reads is found as well. A release
    is searched in the note's language alone, so it can never hold more than was found here. A
    badly recognized text is searched as it is corrected, too.
    """
    found = _by_record(document, patient)
    if corrected := correct_recognition(document.text):
        again = replace(document, text=corrected.text)
        found += in_original(_by_record(again, patient), corrected)
    return found


def _by_record(document: Document, patient: KnownPatient) -> list[Span]:
    found = patient.detect(document)
    for lang, parts in _languages(document).items():
        if lang != document.lang and parts:
            found += _touching(patient.detect(replace(document, lang=lang)), parts)
    return found


def _readings(document: Document) -> list[tuple[Document, list[Stretch]]]:
    """Return a document in each language that it is searched in, with its stretches there.

    No stretches stand for the whole text.
    """
    return [
        (document if lang == document.lang else replace(document, lang=lang), parts)
        for lang, parts in _languages(document).items()
    ]


def _languages(document: Document) -> dict[str, list[Stretch]]:
    """Return the languages that a document is searched in, each with its stretches; none for all.

    A note holds other languages only beside its own: what it names is not put in doubt.
    """
    found: dict[str, list[Stretch]] = {}
    for stretch in stretches(document.text):
        lang = stretch[2] if stretch[2] in LANGUAGES else document.lang
        found.setdefault(lang, []).append(stretch)
    return found if len(found) > 1 and document.lang in found else {document.lang: []}


def _touching(spans: list[Span], parts: list[Stretch]) -> list[Span]:
    if not parts:
        return spans
    return [
        span
        for span in spans
        if any(start < span.end and span.start < end for start, end, _ in parts)
    ]
