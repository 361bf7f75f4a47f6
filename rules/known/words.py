"""Known names, addresses and other words in a text: one automaton over their longest parts."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick

from record.folding import fold
from record.label import Label
from record.patient import PersonName
from rules.known.context import (
    Hit,
    Neighbours,
    has_cue_before,
    has_title_before,
    is_eponym,
)
from rules.known.everyday_names import Reading, read_everyday, read_short
from rules.known.variants import Known, Match
from rules.matching.lexicon import lexicon
from rules.matching.normalization import View

_EVERYDAY = Match.CAPITALISED
_WORD_MATCHES = frozenset((Match.WORDS, _EVERYDAY, Match.GUARDED, Match.EPONYM))
# What may stand between the parts of a name, and between those of an address or an e-mail.
_NAME_GAPS = frozenset(" \n\r.-'_/")
_GAPS = _NAME_GAPS | frozenset("@,&|()")
_NAMES = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.CITY.value))
_WIDEST_GAP = 4

Parts = tuple[str, ...]


class _Form(NamedTuple):
    """A known form around its longest part, the anchor: what must stand before and after."""

    known: Known
    before: Parts
    after: Parts
    gaps: frozenset[str]


class FoundWord(NamedTuple):
    """What a view holds: hits, forms that may be mere words, and forms within longer words.

    Of the `doubtful` those are `unsure` that nothing shows to be mere words.
    """

    hits: list[Hit]
    doubtful: list[Hit]
    joined: list[Hit]
    unsure: list[Hit]


class Words:
    """The forms of known values that consist of words, ready to be looked for."""

    __slots__ = ("_automaton", "_forms", "_initials", "_others")

    def __init__(self, forms: Iterable[Known], people: Iterable[PersonName] = ()) -> None:
        self._initials = frozenset(
            fold(given[:1]) for person in people for given in person.given_names
        )
        by_anchor: dict[str, list[_Form]] = {}
        for known in forms:
            if known.match in _WORD_MATCHES:
                anchor, form = _anchored_form(known)
                by_anchor.setdefault(anchor, []).append(form)
        narrow = {anchor: data for anchor in by_anchor if (data := _encode_anchor(anchor))}
        self._forms = [by_anchor[anchor] for anchor in narrow]
        self._automaton = BytesAhoCorasick(list(narrow.values())) if narrow else None
        # Scripts that have no single bytes; they are few and need no automaton.
        self._others = [(anchor, at) for anchor, at in by_anchor.items() if anchor not in narrow]

    def find(self, view: View) -> FoundWord:
        """Find the forms, and tell names that are also everyday words from these words."""
        free: list[Hit] = []
        unsure: list[Hit] = []
        joined: list[Hit] = []
        plain, loose = view.plain, view.loose
        for forms, start, end in self._find_anchors(view):
            whole = loose or _is_word(plain, start, end)
            for form in forms:
                known, extent, apart = form.known, (start, end), whole
                if form.before or form.after:
                    reached = _match_parts(view.folded, start, end, form)
                    if reached is None:
                        continue
                    extent, apart = reached, loose or _is_word(plain, *reached)
                if not apart:
                    joined.append(Hit(*extent, known))
                elif known.match is Match.WORDS:
                    free.append(Hit(*extent, known))
                else:
                    unsure.append(Hit(*extent, known))
        if not unsure:
            return FoundWord(free, [], joined, [])
        readings: dict[Reading, list[Hit]] = {reading: [] for reading in Reading}
        certain, others = Neighbours(view, free), Neighbours(view, unsure)
        for hit in unsure:
            readings[self._read(view, hit, certain, others)].append(hit)
        undecided = readings[Reading.UNSURE]
        return FoundWord(
            free + readings[Reading.NAME], undecided + readings[Reading.WORD], joined, undecided
        )

    def _read(self, view: View, hit: Hit, certain: Neighbours, others: Neighbours) -> Reading:
        beside = next(certain.beside(hit), None) is not None
        if hit.known.match is Match.GUARDED:
            named = beside and view.plain[hit.start].isupper()
            return Reading.NAME if named else read_short(view, hit)
        if beside or self._follows_own_initial(view, hit.start):
            return Reading.NAME
        if view.is_damaged(hit.start, hit.end):
            return Reading.NAME
        if hit.known.match is Match.EPONYM:
            return Reading.NAME if _is_person(view, hit) else Reading.WORD
        if any(_completes_name(view, hit, other) for other in others.beside(hit)):
            return Reading.NAME
        return read_everyday(view, hit)

    def _follows_own_initial(self, view: View, start: int) -> bool:
        before = view.folded[max(0, start - 3) : start].rstrip(" ")
        own = before[-1:] == "." and before[-2:-1] in self._initials
        return own and view.plain[start].isupper()

    def _find_anchors(self, view: View) -> Iterator[tuple[list[_Form], int, int]]:
        if self._automaton:
            for index, start, end in self._automaton.find_matches_as_indexes(
                view.data, overlapping=True
            ):
                yield self._forms[index], start, end
        for anchor, forms in self._others:
            start = view.folded.find(anchor)
            while start >= 0:
                yield forms, start, start + len(anchor)
                start = view.folded.find(anchor, start + 1)


def _encode_anchor(anchor: str) -> bytes:
    try:
        return anchor.encode("latin-1")
    except UnicodeEncodeError:
        return b""


def _anchored_form(known: Known) -> tuple[str, _Form]:
    parts = tuple(known.form.split(" "))
    at = max(range(len(parts)), key=lambda index: (len(parts[index]), -index))
    gaps = _NAME_GAPS if known.label in _NAMES else _GAPS
    return parts[at], _Form(known, parts[:at], parts[at + 1 :], gaps)


def _completes_name(view: View, hit: Hit, other: Hit) -> bool:
    """Return whether two words make a name together: those of the same kind in capitals."""
    if other.known.label != hit.known.label:
        return True
    capital = view.plain[hit.end - 1].isupper() or view.plain[hit.start].isupper()
    return capital and other.known.form != hit.known.form and view.plain[other.start].isupper()


def _is_person(view: View, hit: Hit) -> bool:
    if has_title_before(view, hit.start) or has_cue_before(view, hit.start):
        return True
    frequent = hit.known.form not in lexicon("eponyms")
    return not is_eponym(view, hit, frequent=frequent)


def _match_parts(folded: str, start: int, end: int, form: _Form) -> tuple[int, int] | None:
    for part in reversed(form.before):
        before = _match_backward(folded, start, part, form.gaps)
        if before is None:
            return None
        start = before
    for part in form.after:
        after = _match_forward(folded, end, part, form.gaps)
        if after is None:
            return None
        end = after
    return start, end


def _match_forward(folded: str, end: int, part: str, gaps: frozenset[str]) -> int | None:
    at = end
    while at < len(folded) and at - end < _WIDEST_GAP and folded[at] in gaps:
        at += 1
    if at == end and folded[end - 1].isdigit() and part[0].isdigit():
        return None
    return at + len(part) if folded.startswith(part, at) else None


def _match_backward(folded: str, start: int, part: str, gaps: frozenset[str]) -> int | None:
    at = start
    while at > 0 and start - at < _WIDEST_GAP and folded[at - 1] in gaps:
        at -= 1
    if at == start and folded[start].isdigit() and part[-1].isdigit():
        return None
    begins = at - len(part)
    return begins if begins >= 0 and folded.startswith(part, begins) else None


def _is_word(text: str, start: int, end: int) -> bool:
    if start and not (text[start - 1].isalnum() or text[end : end + 1].isalnum()):
        return True
    return begins_word(text, start) and ends_word(text, start, end)


def begins_word(text: str, at: int) -> bool:
    """Return whether a word may begin here: also within a run-on word, by its case."""
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


def ends_word(text: str, start: int, end: int) -> bool:
    """Return whether a word may end here: also within a run-on word, by its case."""
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
