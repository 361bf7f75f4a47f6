"""The names of a person written as one word: `JEANDUPONT`, and user names as `jdupont`."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from record.folding import fold
from record.label import Label
from record.patient import PersonName
from rules.known.context import Hit, word_before
from rules.known.variants import EVERYDAY, NAMES, Known, Match, words
from rules.matching.lexicon import lexicons
from rules.matching.normalization import View, plain

_CAPITAL = "A-ZÀ-ÖØ-Þ"
_BEFORE = re.compile(
    rf"(?:(?<![^\W_])(?:[{_CAPITAL}][a-z]?\.[ \-]{{0,2}}|[{_CAPITAL}]{{1,3}}[ \-]{{1,2}})"
    r"){1,3}$"
)
_INITIAL = re.compile(rf"[{_CAPITAL}][a-z]?\.?")
_AFTER = re.compile(
    rf",?[ ]{{1,2}}([{_CAPITAL}]{{1,3}}(?![^\W_])\.?(?:[ \-]?[{_CAPITAL}](?:\.|(?![^\W_]))){{0,2}})"
    r"(?!\.?[ ]?(?:de )?nac)"
)
# Behind an initial, perhaps with more of them between: `J. Martin`, `J.-P. Martin`.
_NAME_FOLLOWS = re.compile(
    rf"[ ]?[{_CAPITAL}]|(?:[ ]?-[ ]?[{_CAPITAL}]\.?){{1,3}}[ ]{{1,2}}[{_CAPITAL}]"
)
# Titles that leave no doubt that initials follow.
_TITLES = frozenset(
    "m mme mlle mr mrs ms miss sr sra herr herrn frau dhr mevr monsieur madame patient patiente"
    " paciente".split()
)
_MOST = 4
_SOURCE = "family_names"
# One letter that is a title before it is an initial.
_SHORT_TITLES = frozenset(("mr", "dr", "pr", "ms", "me", "sr", "st", "mme"))
_TITLE_LETTERS = {"fr": "m", "": "m", "es": "d"}


class Initials:
    """The initials of some persons by their family names; alone, those of the first person."""

    __slots__ = ("_alone", "_given")

    def __init__(self, people: Sequence[PersonName]) -> None:
        self._given: dict[str, tuple[str, ...]] = {}
        self._alone: dict[str, str] = {}
        for person in people:
            given = "".join(part[0] for name in person.given_names for part in words(name))
            for parts in map(words, person.family_names if given else ()):
                for form in (" ".join(parts), *(part for part in parts if len(part) > 2)):
                    if given not in self._given.get(form, ()):
                        self._given[form] = (*self._given.get(form, ()), given)
                if parts and person is people[0]:
                    self._alone.setdefault(parts[0][0].upper(), given)

    def beside(self, view: View, hits: Iterable[Hit], lang: str) -> Iterator[Hit]:
        """Yield the initials that stand before or after a family name among the hits."""
        for hit in hits:
            if hit.known.label == Label.LAST_NAME:
                given = self._given.get(hit.known.form)
                if given:
                    yield from _beside(view.plain, hit, given, lang)

    def alone(self, view: View, lang: str) -> Iterator[Hit]:
        """Yield initials with full stops after a title: `Mme D.`, `patient J.D.`."""
        for letter, given in self._alone.items():
            at = view.plain.find(f"{letter}.", 1)
            while at > 0:
                if view.plain[at - 1] in " .":
                    yield from _alone(view, at, given, lang)
                at = view.plain.find(f"{letter}.", at + 1)


def _alone(view: View, last: int, given: str, lang: str) -> Iterator[Hit]:
    folded, plain = view.folded, view.plain
    if _NAME_FOLLOWS.match(plain, last + 2):
        return
    first: list[int] = []
    word, end = (
        word_before(folded, last) if plain[last - 1] != "." else (folded[last - 2], last - 1)
    )
    while len(word) == 1 and word in given and plain[end] == "." and len(first) < _MOST:
        first.append(end - 1)
        glued = plain[end - 2 : end - 1] == "."
        word, end = (folded[end - 3], end - 2) if glued else word_before(folded, end - 1)
    if word not in _TITLES or (lang == "en" and word == "m"):
        return
    for at in first:
        yield Hit(at, at + 2, Known(Label.FIRST_NAME, "", Match.WORDS, _SOURCE))
    yield Hit(last, last + 2, Known(Label.LAST_NAME, "", Match.WORDS, _SOURCE))


def _beside(text: str, hit: Hit, initials: tuple[str, ...], lang: str) -> Iterator[Hit]:
    start, end, known = hit
    given = Known(Label.FIRST_NAME, "", Match.WORDS, known.source)
    near = text[max(0, start - 3) : start]
    if near[-1:] in (" ", "-", ".") and ("." in near or near != near.lower()):
        before = _BEFORE.search(text, max(0, start - 12), start)
        # `Pr. K.` before a name: the title is no initial, so the longest end that fits is taken.
        for one in _INITIAL.finditer(text, before.start(), start) if before else ():
            written = text[one.start() : start].rstrip(" -")
            apart = one.start() == 0 or text[one.start() - 1] in " .-\n"
            if apart and _are_initials(written, initials, lang):
                yield Hit(one.start(), one.start() + len(written), given)
                break
    after = _AFTER.match(text, end) if text[end : end + 1] in (" ", ",") else None
    if after and _are_initials(after[1], initials, lang):
        yield Hit(*after.span(1), given)


def _are_initials(written: str, initials: tuple[str, ...], lang: str) -> bool:
    if fold(written).strip(" .") in _SHORT_TITLES:
        return False
    letters = fold("".join(char for char in plain(written) if char.isupper()))
    if len(letters) == 1 and letters[0] == _TITLE_LETTERS.get(lang):
        return False
    return bool(letters) and any(set(letters) <= set(one) for one in initials)


# With these behind it a family name is rather an inflected word: `petits`, `martine`.
_ENDINGS = frozenset("aeos")
_ACCOUNTS = frozenset(
    "login user username compte cuenta konto usuario utilisateur benutzer".split()
)
_DIGITS = re.compile(r"[0-9]{0,4}(?![^\W_])")
_DOMAIN = re.compile(r"@[a-z0-9][a-z0-9.\-]{1,60}[a-z0-9]")
_LOCAL = re.compile(r"[\w.+\-]{1,40}$")
_LONGEST = 24
_PERSON = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.USERNAME.value))


class ConcatenatedNames:
    """What may be joined to the family names of some persons, and what the whole then is."""

    __slots__ = ("_concatenations",)

    def __init__(self, people: Iterable[PersonName]) -> None:
        self._concatenations: dict[str, dict[str, bool]] = {}
        for person in people:
            rests = _concatenations(person)
            for family in person.family_names if rests else ():
                self._concatenations.setdefault(" ".join(words(family)), {}).update(rests)

    def around(self, view: View, hit: Hit) -> Iterator[Hit]:
        """Yield what a family name that stands within a longer word is there.

        A whole given name beside it gives two hits, initials give one user name.
        """
        rests = self._concatenations.get(hit.known.form)
        if rests is None or hit.known.label != Label.LAST_NAME:
            return
        start, end = _word_bounds(view.folded, hit.start, hit.end)
        before, after = view.folded[start : hit.start], view.folded[hit.end : end]
        rest = before or after
        is_given = rests.get(rest)
        if (before and after) or is_given is None:
            return
        source = hit.known.source
        if is_given:
            first = (start, hit.start) if before else (hit.end, end)
            yield Hit(*first, Known(Label.FIRST_NAME, rest, Match.WORDS, source))
            yield hit
        elif hit.known.source != "relatives":
            yield from _user_name(view, (start, end), after, hit.known)


def _user_name(view: View, extent: tuple[int, int], after: str, known: Known) -> Iterator[Hit]:
    (start, end), folded = extent, view.folded
    digits = _DIGITS.match(folded, end)
    stop = digits.end() if digits else end
    inflected = view.plain[start:end].istitle() or (
        after in _ENDINGS and known.match is not Match.WORDS
    )
    doubtful = inflected or folded[start:end] in lexicons(*EVERYDAY, *NAMES)
    if stop > end or not doubtful or _is_account(folded, start):
        yield Hit(start, stop, Known(Label.USERNAME, "", Match.WORDS, known.source))


def _is_account(folded: str, start: int) -> bool:
    before = folded[max(0, start - 1) : start]
    return before in ("\\", "/", "@", "_", ":") or word_before(folded, start)[0] in _ACCOUNTS


def _concatenations(person: PersonName) -> dict[str, bool]:
    rests: dict[str, bool] = {}
    initials = ""
    for given in person.given_names:
        parts = words(given)
        if not parts:
            continue
        own = "".join(part[0] for part in parts)
        initials += own
        rests |= {own: False, own[0]: False, initials: False}
        for whole in ("".join(parts), parts[0]):
            rests[whole] = len(whole) > 2
    return rests


def _word_bounds(folded: str, start: int, end: int) -> tuple[int, int]:
    first, last = start, end
    while first > 0 and start - first < _LONGEST and folded[first - 1].isalpha():
        first -= 1
    while last < len(folded) and last - end < _LONGEST and folded[last].isalpha():
        last += 1
    return first, last


def addresses(view: View, hits: list[Hit]) -> Iterator[Hit]:
    """Yield the e-mail addresses that hold a known name before their `@`."""
    names = sorted((hit for hit in hits if hit.known.label in _PERSON), key=lambda hit: hit[:2])
    at = view.folded.find("@")
    while at >= 0:
        local = _LOCAL.search(view.folded, max(0, at - 40), at)
        domain = _DOMAIN.match(view.folded, at)
        if local and domain:
            first = bisect_left(names, local.start(), key=lambda hit: hit.start)
            if first < len(names) and names[first].end <= at:
                known = Known(Label.EMAIL, "", Match.WORDS, names[first].known.source)
                yield Hit(local.start(), domain.end(), known)
        at = view.folded.find("@", at + 1)
