"""Known names in pieces, within longer words, and with garbled accents: `L am bert`, `Ad‡n`."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from ahocorasick_rs import BytesAhoCorasick

from record.folding import fold
from record.label import Label
from record.patient import PersonName
from rules.known.context import CUES, VERBS, Hit, has_cue_before, opens_sentence
from rules.known.everyday_names import STATES, comes_from
from rules.known.variants import EVERYDAY, NAMES, Known, Match
from rules.matching.lexicon import given_rank, lexicon, lexicons, surname_rank, term_kind, word_rank
from rules.matching.normalization import View

_LABELS = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.CITY.value))
# Letters that a name in pieces has at least, and one within a longer word.
_SHORTEST, _SHORTEST_WITHIN = 4, 4
_GAP = r"[^a-z0-9]{0,12}?"
_ODD_GAP = re.compile(r"[^\w\s.,'’\-]|\.\.|_|[\u2000-\u200a]")
_PIECE = re.compile(r"[a-z0-9]+")
# Words up to this class of frequency are words of their own rather than pieces of a name.
_FREQUENT = 2
# The keys of a French keyboard and of an English one that change places.
_OTHER_KEYBOARD = str.maketrans("aqzw", "qawz")
# How another's name is inflected in German, glued to it like a word.
_INFLECTIONS = frozenset("sche schen scher sches schem isch".split())
_ALPHABET = {
    word[0]: word
    for word in (
        "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november"
        " oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
    ).split()
}
_LONGEST = 24
# The word that stands for the last letter, wherever it is broken.
_LAST_SAID = re.compile(r"[\W_]{0,16}[^\W_]{0,12}")


class PartedNames:
    """The names of some persons, ready to be looked for whatever parts their letters."""

    __slots__ = ("_automaton", "_sought", "_spelt")

    def __init__(self, forms: Iterable[Known]) -> None:
        names: dict[str, Known] = {}
        for known in forms:
            name = known.form.replace(" ", "")
            plain = name.isascii() and name.isalpha() and known.match is not Match.GUARDED
            if known.label in _LABELS and plain and len(name) >= _SHORTEST:
                names.setdefault(name, known)
        self._sought = [(name, name, known) for name, known in names.items()]
        for name, known in names.items():
            self._sought.append(("".join(letter * 2 for letter in name), "", known))
            typed = name.translate(_OTHER_KEYBOARD)
            if typed != name:
                self._sought.append((typed, "", known))
        self._automaton = (
            BytesAhoCorasick([written.encode() for written, _, _ in self._sought])
            if names
            else None
        )
        self._spelt = [(_spell(name), known) for name, known in names.items()]

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names whose letters are parted; those whose pieces are words are left."""
        if self._automaton is None:
            return
        letters, data, folded = view.stream.letters, view.data, view.folded
        matches = self._automaton.find_matches_as_indexes(letters, overlapping=True)
        found = Counter(index for index, _, _ in matches)
        for index, count in found.items():
            written, name, known = self._sought[index]
            if not name or count > data.count(written.encode()):
                for match in _parted(written).finditer(folded):
                    hit = Hit(*match.span(), known)
                    pieces = not name or (
                        len(match[0]) > len(name) and _is_in_pieces(view, hit, name)
                    )
                    if pieces and _stands_apart(folded, hit):
                        yield hit
        yield from self._find_dictated(view)
        if view.stream.spelt:
            for spelt, known in self._spelt:
                if spelt.encode() in letters:
                    yield from (Hit(*one.span(), known) for one in _parted(spelt).finditer(folded))

    def _find_dictated(self, view: View) -> Iterator[Hit]:
        """Yield names whose letters are dictated: `L comme Louis, A comme Anatole`."""
        said = view.stream.dictated()
        if not said:
            return
        spelt = bytes(view.stream.letters[at] for at in said)
        places = [place for place, code in enumerate(view.data) if chr(code).isalnum()]
        for written, name, known in self._sought:
            at = spelt.find(name.encode()) if name == written else -1
            if at >= 0:
                last = places[min(said[at + len(name) - 1] + len("comme"), len(places) - 1)]
                word = _LAST_SAID.match(view.folded, last + 1)
                yield Hit(places[said[at]], word.end() if word else last + 1, known)


def _spell(name: str) -> str:
    """Spell a name by the alphabet of radio."""
    return "".join(_ALPHABET[letter] for letter in name)


@cache
def _parted(name: str) -> re.Pattern[str]:
    return re.compile(_GAP.join(name))


def _stands_apart(folded: str, hit: Hit) -> bool:
    before, after = folded[hit.start - 1 : hit.start], folded[hit.end : hit.end + 1]
    return not (before.isalnum() or after.isalnum())


def _is_in_pieces(view: View, hit: Hit, name: str) -> bool:
    folded, (start, end, known) = view.folded, hit
    pieces = _PIECE.findall(folded, start, end)
    if len(pieces) * 2 > len(name) + 1:
        telling = len(name) > _SHORTEST or view.plain[start:end].isupper()
        return telling or has_cue_before(view, start) or comes_from(view, start)
    written = view.plain[start:end]
    if _ODD_GAP.search(written) and (written[0].isupper() or len(name) > _SHORTEST):
        return True
    if " " in known.form and pieces == known.form.split(" "):
        return False
    if not all(_is_frequent(piece) for piece in pieces):
        return True
    first = len(pieces[0])
    capital = written[0].isupper() and written[first:].lower() == written[first:]
    capital |= written.isupper() and (
        "\n" in written.replace("\f", "\n")
        or has_cue_before(view, start)
        or comes_from(view, start)
    )
    return capital and "'" not in written and ("\n" in written or not opens_sentence(view, start))


def _is_frequent(piece: str) -> bool:
    if len(piece) == 1:
        return piece in "aceoylldmns"
    return 0 < word_rank(piece) <= _FREQUENT or piece in lexicon("function_words")


def split_glued_names(view: View, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield the names that are glued to a word: `patientmartin`, `MARTINSORTI`."""
    folded = view.folded
    for hit in hits:
        start, end, known = hit
        if known.label not in _LABELS or known.match is Match.GUARDED or " " in known.form:
            continue
        announced = has_cue_before(view, start) or comes_from(view, start)
        if end - start < (_SHORTEST_WITHIN - announced):
            continue
        first, last = start, end
        while first > 0 and start - first < _LONGEST and folded[first - 1].isalpha():
            first -= 1
        while last < len(folded) and last - end < _LONGEST and folded[last].isalpha():
            last += 1
        before, after = folded[first:start], folded[end:last]
        if (
            (before or after)
            and _is_glue(before, after, known)
            and not (_is_everyday if announced and not before else _is_known)(folded[first:last])
        ):
            yield hit


def _is_glue(before: str, after: str, known: Known) -> bool:
    """Return whether what stands before and after a name are words that notes put beside one."""
    if before == after == "x":  # what marks the ends of a field
        return True
    if not before and after == "s":  # of a family, or what is hers
        return True
    told = before in CUES or (not before and (after in _INFLECTIONS or _tells(after)))
    if known.match is not Match.WORDS and not told:
        return False
    return all(not word or _is_beside_names(word) for word in (before, after))


def _is_beside_names(word: str) -> bool:
    if len(word) == 1:
        return False
    if (
        word in _INFLECTIONS
        or word in CUES
        or _tells(word)
        or (len(word) > 1 and word in lexicon("function_words"))
    ):
        return True
    return len(word) > 2 and 0 < word_rank(word) <= _FREQUENT + (len(word) > 4)


def _tells(word: str) -> bool:
    """Return whether a word tells what somebody does or is."""
    return word in VERBS or word in STATES


def _is_everyday(word: str) -> bool:
    return word in lexicons(*EVERYDAY)


def _is_known(word: str) -> bool:
    """Return whether a longer word is a word or a name itself: `martinet`, `Lambertin`."""
    if word in lexicons(*EVERYDAY, *NAMES) or word_rank(word) or term_kind(word):
        return True
    return bool(surname_rank(word) or given_rank(word))


_WORD = re.compile(r"[^\W\d_]{3,}")
# Letters a name has where a plain letter may stand for an accented one, or none.
_LONG = 5
# A piece of a name that is shorter is looked at only where an odd sign stands beside it.
_TELLING = 3
_USUAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;-()/\n")
# So many signs are looked at on both sides of a shorter piece.
_BESIDE = 6
# How far from its longest piece a name may reach.
_WIDEST = 48
_SIGN = r"(?:[^a-z0-9\s]|\xa0)"
# At its ends, what is no quotation mark or bracket around it.
_OUTER = r"[^\x00->@-\x7f«»“”‘’‹›–—]"
_LETTER = r"[^\W\d_]"
_ESCAPED = r"&\#?[a-z0-9]{2,7}[; ]?|\+[a-z0-9]{2,4}-|\\['x]?[0-9a-f]{2}\\?"


class GarbledNames:
    """The names of some persons that have letters beyond ASCII, ready to be looked for."""

    __slots__ = ("_names",)

    def __init__(self, people: Iterable[PersonName], source: str) -> None:
        self._names: list[tuple[bytes, bytes, Known, str]] = []
        for person in people:
            for label, values in (
                (Label.FIRST_NAME, person.given_names),
                (Label.LAST_NAME, person.family_names),
            ):
                for word in _WORD.findall(" ".join(values)):
                    if not word.isascii():
                        self._add(word, label, source)

    def _add(self, word: str, label: Label, source: str) -> None:
        written = unicodedata.normalize("NFC", word)
        pieces = re.split(r"[^a-z]+", written.lower())
        longest = max(pieces, key=len)
        if len(longest) > 1:
            known = Known(label, fold(written), Match.WORDS, source)
            exact = fold(written).encode("latin-1", "replace")
            self._names.append((longest.encode("ascii"), exact, known, written.lower()))

    def find(self, view: View) -> Iterator[Hit]:
        """Yield the names with anything in the places of their accented letters."""
        # Where ligatures were written as two letters, one of them may stand beside.
        data, telling = view.data, view.shifted
        for piece, exact, known, written in self._names:
            at, offset = data.find(piece), exact.find(piece)
            while at >= 0:
                odd = telling or len(piece) >= _TELLING or _is_odd_beside(view, at, len(piece))
                if odd and not data.startswith(exact, max(0, at - offset)):
                    near = max(0, at - _WIDEST), at + _WIDEST
                    match = _garbled(written).search(view.plain, *near)
                    # What is near may end within a word.
                    if match and _is_whole(view, match) and fold(match[0]) != known.form:
                        hit = Hit(*match.span(), known)
                        ends = not (written[0].isascii() and written[-1].isascii())
                        brief = len(written) < _LONG or (ends and len(match[0]) < len(written))
                        if not brief or _is_telling(view, hit):
                            yield hit
                at = data.find(piece, at + 1)


def _is_whole(view: View, match: re.Match[str]) -> bool:
    return not view.plain[match.end() : match.end() + 1].isalnum()


def _is_odd_beside(view: View, at: int, size: int) -> bool:
    """Return whether a sign that plain text has not stands beside a piece, or a capital before."""
    plain = view.plain
    if any(map(str.isupper, plain[max(0, at - _BESIDE) : at + 1])):
        return True
    beside = plain[max(0, at - _BESIDE) : at] + plain[at + size : at + size + _BESIDE]
    return not _USUAL.issuperset(beside)


def _is_telling(view: View, hit: Hit) -> bool:
    """Return whether a short name is shown by a sign in it, or by a capital and being no word."""
    found = view.plain[hit.start : hit.end]
    if not found.isalpha():
        return True
    word = fold(found)
    if comes_from(view, hit.start):
        return not _is_everyday(word)
    if not found[0].isupper():
        return False
    return not (_is_everyday if has_cue_before(view, hit.start) else _is_known)(word)


@lru_cache(maxsize=1 << 10)
def _garbled(written: str) -> re.Pattern[str]:
    # Short names are looked at again: they may be other words.
    letter, lost = ("|[a-z]{1,2}", "|") if len(written) >= _LONG - 1 else ("", "")
    parts = []
    for at, char in enumerate(written):
        base = re.escape(fold(char))
        if at == 0:
            none = f"|(?={_LETTER})" if lost else ""
            signs = f"{base}{_SIGN}?|{_OUTER}{{1,8}}|{_ESCAPED}{letter}{none}"
        elif at == len(written) - 1:
            none = f"|(?<={_LETTER})" if lost else ""
            signs = f"{base}|{_OUTER}{{1,8}}|{_ESCAPED}{letter}{none}"
        else:
            signs = f"{_SIGN}{{0,2}}{base}{_SIGN}{{0,2}}|{_SIGN}{{1,8}}|{_ESCAPED}{letter}{lost}"
        parts.append(char if char.isascii() else f"(?:{signs})")
    return re.compile(rf"(?<![^\W_]){''.join(parts)}(?![^\W_])", re.IGNORECASE)
