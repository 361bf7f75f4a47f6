"""Every detector on one text: static rules and what is known of that very patient."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from pipeline.notes.boundary import attempt
from record.document import Document
from record.failure import Failure
from record.garbage_collection import pause_garbage_collection
from record.patient import PatientRecord
from record.span import Span
from rules.ages import ages
from rules.contacts import contacts
from rules.dates import dates
from rules.identifiers import identifiers
from rules.identifiers.site_patterns import SITE, SiteNumbers
from rules.known.known import KnownPatient
from rules.matching.language_identification import LANGUAGES, Stretch, language, stretches
from rules.matching.normalized_document import TOGETHER, cased_once, fold_once
from rules.matching.scanner import AUTOMATA, Automaton, forget
from rules.names import names
from rules.places import places

DETECTOR_VERSION = "floor-9"
"""Changes whenever a detector may find something else: every note is then detected anew."""

# Characters; of a text as long as this a scan may report as many places.
_LONG = 300_000

Family = Callable[[Document], list[Span]]
FAMILIES: tuple[Family, ...] = (
    dates.detect,
    ages.detect,
    contacts.detect,
    identifiers.detect,
    names.detect,
    places.detect,
)


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
        forget()
    return tuple(found)


def detect_together(
    searches: Sequence[tuple[Document, KnownPatient | None]], site: SiteNumbers = SITE
) -> list[tuple[Span, ...] | None]:
    """Find in several documents what `detect` finds in each, one family after the other.

    What a family needs then stays in the processor's caches from one document to the next, which
    saves a seventh of the time. None where a detector raises: `detect` raises the same on that
    document alone.
    """
    held = [_Search(document, patient) for document, patient in searches]
    for group in _groups(held):
        with pause_garbage_collection():
            for step in _steps(site):
                _go_on(group, step)
            forget()
    return [None if each.failed else tuple(each.found) for each in held]


_Reading = tuple[Document, list[Stretch]]
"""A document in a language that it is searched in, and the stretches in it; none for all."""


@dataclass(slots=True)
class _Search:
    """A document on the way through the steps of detection."""

    document: Document = field(repr=False)
    patient: KnownPatient | None
    readings: list[_Reading] = field(default_factory=list, repr=False)
    found: list[Span] = field(default_factory=list, repr=False)
    failed: bool = False


_Step = Callable[[_Search], Iterable[Span]]


def _go_on(searches: Iterable[_Search], step: _Step) -> None:
    """Take one step with every document that no step failed on; one that it fails on ends here."""
    waiting = iter([search for search in searches if not search.failed])
    at = None

    def rest() -> None:
        nonlocal at
        for at in waiting:
            at.found += step(at)

    while isinstance(attempt("", "detect", rest), Failure):
        if at is not None:
            at.failed = True


def _groups(searches: Sequence[_Search]) -> Iterator[list[_Search]]:
    """Group documents as they come: not many, and together not longer than a long one."""
    group: list[_Search] = []
    characters = 0
    for search in searches:
        length = len(search.document.text)
        if group and (len(group) == TOGETHER or characters + length > _LONG):
            yield group
            group, characters = [], 0
        group.append(search)
        characters += length
    if group:
        yield group


def _steps(site: SiteNumbers) -> Iterator[_Step]:
    """Yield what is done with one document after the other before the next is done with any."""
    yield _told
    for automaton, read in zip(AUTOMATA, (fold_once, cased_once), strict=True):
        yield partial(_scanned, automaton, read)
    for family in FAMILIES:
        yield partial(_found, family, site)
    yield _looked_up


def _told(search: _Search) -> Iterable[Span]:
    search.readings = _readings(spoken(search.document))
    return ()


def _scanned(automaton: Automaton, read: Callable[[str], str], search: _Search) -> Iterable[Span]:
    automaton.scan(read(search.document.text))
    return ()


def _found(family: Family, site: SiteNumbers, search: _Search) -> Iterable[Span]:
    return _by_family(family, search.readings, site)


def _looked_up(search: _Search) -> Iterable[Span]:
    return by_record(search.document, search.patient) if search.patient else ()


def by_rules(document: Document, site: SiteNumbers = SITE) -> list[Span]:
    """Find identifiers by every rule.

    Of each language's rules those spans stay that touch a stretch in that language; rules see the
    whole text, so that what stands in one stretch explains what stands in another.
    """
    readings = _readings(spoken(document))
    return [span for family in FAMILIES for span in _by_family(family, readings, site)]


def _by_family(family: Family, readings: list[_Reading], site: SiteNumbers) -> list[Span]:
    found: list[Span] = []
    for document, parts in readings:
        if family is identifiers.detect:
            found += _touching(identifiers.detect(document, site=site), parts)
        else:
            found += _touching(family(document), parts)
    return found


def by_record(document: Document, patient: KnownPatient) -> list[Span]:
    """Find what is known of the patient, in the note's language everywhere.

    In stretches of another language, what only that language reads is found as well. A release
    is searched in the note's language alone, so it can never hold more than was found here.
    """
    found = patient.detect(document)
    for lang, parts in _languages(document).items():
        if lang != document.lang and parts:
            found += _touching(patient.detect(replace(document, lang=lang)), parts)
    return found


def _readings(document: Document) -> list[_Reading]:
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
