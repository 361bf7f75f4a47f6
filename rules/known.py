"""Detection of what the warehouse already knows of the very patient of a note."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import NoReturn

from ahocorasick_rs import AhoCorasick

from record.document import Document
from record.folding import fold
from record.label import Label
from record.patient import PatientRecord, PersonName
from record.span import Span
from rules.birthdate import Birthday
from rules.digits import Numbers
from rules.variants import Known, Match, around, variants, words
from rules.views import View, plain, views

__all__ = ["Known", "KnownPatient", "Match", "variants"]

_WORD_MATCHES = frozenset((Match.WORDS, Match.CAPITALISED, Match.GUARDED))
# What may stand between the parts of a name, and between those of an address or an e-mail.
_NAME_GAPS = frozenset(" \n\r.-'_/")
_GAPS = _NAME_GAPS | frozenset("@,&|()")
_NAMES = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.CITY.value))
_WIDEST_GAP = 4
# What announces a name on its left: only there do values of one or two letters count.
_CUE = re.compile(
    r"(?<![a-z])(?:m|mr|mrs|ms|miss|mme|mlle|me|dr|dra|drs|pr|prof|sr|sra|srta|don|dona|dna|mx"
    r"|monsieur|madame|mademoiselle|docteur|doctor|doctora|professeur|patiente?|paciente|enfant"
    r"|nom|noms|prenoms?|name|surname|nombre|apellidos?|nee?|born|family|given|last|first"
    r"|interne|externe|medecin|medico|referent|infirmiere?|ide|a|habite|vit|ville|city)"
    r"[ .:'\n]{1,4}$"
)
_HOUSE_NUMBER = re.compile(
    r"(?<![0-9])[0-9]{1,4}(?: ?[-/] ?[0-9]{1,4})?(?: ?(?:bis|ter|quater|[a-f]))?[ ]?,?[ \n]{1,2}$"
)
_NUMBER_AFTER = re.compile(
    r"[ ]?,?[ ](?:n[o.º°]{0,2} ?)?[0-9]{1,4}(?:[ ]?[a-f])?(?![a-z0-9]|[ ][0-9])"
)
_INITIALS_BEFORE = re.compile(
    r"(?:(?<![^\W_])"
    r"(?:[A-ZÀ-ÖØ-Þ][a-z]?\.[ \-]{0,2}|[A-ZÀ-ÖØ-Þ]{1,3}[ \-]{1,2}|[A-ZÀ-ÖØ-Þ]-)){1,3}$"
)
_INITIAL = re.compile(r"[A-ZÀ-ÖØ-Þ][a-z]?\.?")
_INITIALS_AFTER = re.compile(
    r",?[ ]{1,2}([A-ZÀ-ÖØ-Þ]{1,3}(?![^\W_])\.?(?:[ \-]?[A-ZÀ-ÖØ-Þ](?:\."
    r"|(?![^\W_]))){0,2})(?!\.?[ ]?(?:de )?nac)"
)

Hit = tuple[int, int, Known]
Parts = tuple[str, ...]


class KnownPatient:
    """What is known of one patient, compiled once to be found in any number of notes.

    Values never appear in the repr, and the object refuses to be pickled: send the record's
    locator to where it is needed and compile it there.
    """

    __slots__ = ("_lookup",)

    def __init__(self, record: PatientRecord) -> None:
        own = PersonName(record.given_names, record.family_names + record.birth_names)
        self._lookup = _Lookup(variants(record), (own, *record.relatives), record.birth_date)

    def detect(self, document: Document) -> list[Span]:
        """Find all that is known of the patient and of the note itself.

        Offsets are code points of the document's text. The spans are sorted, none lies within
        another; the detector is `known.` and the field of the record.
        """
        hits = list(self._lookup.hits(document.text, document.lang))
        if document.clinicians or document.identifiers:
            forms = around(document.clinicians, document.identifiers)
            hits += _Lookup(forms, document.clinicians, None).hits(document.text, document.lang)
        return [
            Span(start, end, str(known.label), f"known.{known.source}")
            for start, end, known in _outermost(hits)
        ]

    def find(self, text: str, *, lang: str = "") -> list[tuple[int, int, str]]:
        """Find what is known of the patient in any text: start, end (code points) and label.

        Without `lang` a numeric date of birth counts with the day first and with the month first.
        """
        hits = _outermost(list(self._lookup.hits(text, lang)))
        return [(start, end, str(known.label)) for start, end, known in hits]

    def __repr__(self) -> str:
        return f"KnownPatient({self._lookup.size} forms)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a known patient cannot be pickled")


class _Lookup:
    """One automaton over the longest part of every form; the rest is read off the text."""

    __slots__ = ("_anchors", "_automaton", "_birthday", "_numbers", "_people", "size")

    def __init__(
        self, forms: tuple[Known, ...], people: tuple[PersonName, ...], born: date | None
    ) -> None:
        by_anchor: dict[str, list[tuple[Known, Parts, int]]] = {}
        for known in forms:
            if known.match in _WORD_MATCHES:
                parts = tuple(known.form.split(" "))
                at = max(range(len(parts)), key=lambda index: (len(parts[index]), -index))
                by_anchor.setdefault(parts[at], []).append((known, parts, at))
        self.size = len(forms)
        self._anchors = list(by_anchor.values())
        self._automaton = AhoCorasick(list(by_anchor)) if by_anchor else None
        self._numbers = Numbers(forms)
        self._birthday = Birthday(born) if born else None
        self._people = tuple((_families(name), _initials(name)) for name in people)

    def hits(self, text: str, lang: str) -> Iterator[Hit]:
        for view in views(text):
            for start, end, known in self._of_view(view, lang):
                first, last = view.span(start, end)
                yield first, last, known

    def _of_view(self, view: View, lang: str) -> Iterator[Hit]:
        named = list(self._words(view))
        yield from named
        yield from self._initials(view, named, lang)
        yield from self._numbers.find(view.folded)
        if self._birthday:
            for start, end in self._birthday.find(view.folded, lang):
                yield start, end, _BIRTHDAY

    def _words(self, view: View) -> Iterator[Hit]:
        if self._automaton is None:
            return
        guarded: list[Hit] = []
        free: list[Hit] = []
        for anchor, start, end in self._automaton.find_matches_as_indexes(
            view.folded, overlapping=True
        ):
            for known, parts, at in self._anchors[anchor]:
                if at == 0 and not _case_agrees(view, start, known):
                    continue
                extent = _extent(view, (start, end), known, (parts, at))
                if extent is None or not _case_agrees(view, extent[0], known):
                    continue
                (guarded if known.match is Match.GUARDED else free).append((*extent, known))
        yield from (_street(view, hit) if hit[2].label == Label.STREET else hit for hit in free)
        for hit in guarded:
            if _CUE.search(view.folded, max(0, hit[0] - 16), hit[0]) or _beside(view, hit, free):
                yield hit

    def _initials(self, view: View, named: list[Hit], lang: str) -> Iterator[Hit]:
        for families, initials in self._people:
            for start, end, known in named:
                if initials and known.label == Label.LAST_NAME and known.form in families:
                    yield from _initials_beside(view.plain, (start, end, known), initials, lang)


_BIRTHDAY = Known(Label.BIRTH_DATE, "", Match.DATE, "birth_date")


def _families(name: PersonName) -> frozenset[str]:
    wholes = [words(family) for family in name.family_names]
    return frozenset(" ".join(parts) for parts in wholes) | frozenset(
        part for parts in wholes for part in parts if len(part) > 2
    )


def _initials(name: PersonName) -> str:
    return "".join(part[0] for given in name.given_names for part in words(given))


def _extent(
    view: View, anchor: tuple[int, int], known: Known, form: tuple[Parts, int]
) -> tuple[int, int] | None:
    start, end = anchor
    parts, at = form
    folded = view.folded
    gaps = _NAME_GAPS if known.label in _NAMES else _GAPS
    for part in reversed(parts[:at]):
        before = _back(folded, start, part, gaps)
        if before is None:
            return None
        start = before
    for part in parts[at + 1 :]:
        after = _forth(folded, end, part, gaps)
        if after is None:
            return None
        end = after
    if view.loose or (_begins(view.plain, start) and _ends(view.plain, start, end)):
        return start, end
    return None


def _forth(folded: str, end: int, part: str, gaps: frozenset[str]) -> int | None:
    at = end
    while at < len(folded) and at - end < _WIDEST_GAP and folded[at] in gaps:
        at += 1
    if at == end and folded[end - 1].isdigit() and part[0].isdigit():
        return None
    return at + len(part) if folded.startswith(part, at) else None


def _back(folded: str, start: int, part: str, gaps: frozenset[str]) -> int | None:
    at = start
    while at > 0 and start - at < _WIDEST_GAP and folded[at - 1] in gaps:
        at -= 1
    if at == start and folded[start].isdigit() and part[-1].isdigit():
        return None
    begins = at - len(part)
    return begins if begins >= 0 and folded.startswith(part, begins) else None


def _begins(text: str, at: int) -> bool:
    """Tell whether a word may begin here: also after a glued word, where the case tells."""
    if at == 0:
        return True
    before, here = text[at - 1], text[at]
    if not (before.isalpha() and here.isalpha()):
        return not (before.isdigit() and here.isdigit())
    if not (here.islower() or here.isupper()):
        return True  # a script without case sets no blanks around names either
    if before.islower():
        return here.isupper()
    return here.isupper() and text[at + 1 : at + 2].islower()


def _ends(text: str, start: int, end: int) -> bool:
    """Tell whether a word may end here: also before a glued word, where the case tells."""
    if end == len(text):
        return True
    last, after = text[end - 1], text[end]
    if not (last.isalpha() and after.isalpha()):
        return not (last.isdigit() and after.isdigit())
    if not (last.islower() or last.isupper()):
        return True
    if last.islower():
        return after.isupper()
    if after.islower():
        return end - start > 1 and text[end - 2].isupper()
    return text[end + 1 : end + 2].islower()


def _case_agrees(view: View, start: int, known: Known) -> bool:
    return known.match is Match.WORDS or view.plain[start].isupper()


def _beside(view: View, hit: Hit, others: Iterable[Hit]) -> bool:
    start, end, _ = hit
    for first, last, _known in others:
        between = view.folded[last:start] if last <= start else view.folded[end:first]
        apart = last <= start or end <= first
        if apart and len(between) <= 3 and not any(char.isalnum() for char in between):
            return True
    return False


def _street(view: View, hit: Hit) -> Hit:
    start, end, known = hit
    folded = view.folded
    if not folded[start].isdigit():
        number = _HOUSE_NUMBER.search(folded, max(0, start - 16), start)
        start = number.start() if number else start
    number = _NUMBER_AFTER.match(folded, end)
    # Four digits and more after a street are rather the start of a postal code.
    return start, number.end() if number and not folded[end - 1].isdigit() else end, known


def _initials_beside(text: str, hit: Hit, initials: str, lang: str) -> Iterator[Hit]:
    start, end, known = hit
    given = Known(Label.FIRST_NAME, "", Match.WORDS, known.source)
    before = _INITIALS_BEFORE.search(text, max(0, start - 12), start)
    # `Pr. K.` before a name: the title is no initial, so the longest end that fits is taken.
    for one in _INITIAL.finditer(text, before.start(), start) if before else ():
        written = text[one.start() : start].rstrip(" -")
        apart = one.start() == 0 or text[one.start() - 1] in " .-\n"
        if apart and _are_initials(written, initials, lang):
            yield one.start(), one.start() + len(written), given
            break
    after = _INITIALS_AFTER.match(text, end)
    if after and _are_initials(after[1], initials, lang):
        yield after.start(1), after.end(1), given


# One letter that is a title before it is an initial.
_SHORT_TITLES = frozenset(("mr", "dr", "pr", "ms", "me", "sr", "st", "mme"))
_TITLE_LETTERS = {"fr": "m", "": "m", "es": "d"}


def _are_initials(written: str, initials: str, lang: str) -> bool:
    if fold(written).strip(" .") in _SHORT_TITLES:
        return False
    letters = fold("".join(char for char in plain(written) if char.isupper()))
    if len(letters) == 1 and letters[0] == _TITLE_LETTERS.get(lang):
        return False
    return bool(letters) and all(letter in initials for letter in letters)


def _outermost(hits: list[Hit]) -> list[Hit]:
    # Stable: of two hits of one extent the first found stays, the patient's own before others'.
    kept: list[Hit] = []
    furthest = -1
    for hit in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        if hit[1] > furthest:
            kept.append(hit)
            furthest = hit[1]
    return kept
