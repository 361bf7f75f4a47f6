"""The names of a person written as one word: `JEANDUPONT`, and user names as `jdupont`."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from record.label import Label
from record.patient import PersonName
from rules.known.context import (
    Hit,
    word_before,
)
from rules.known.variants import (
    EVERYDAY,
    NAMES,
    Known,
    Match,
    words,
)
from rules.matching.lexicon import lexicons
from rules.matching.normalization import View

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


class Joined:
    """What may be glued to each family name of some persons, and what the whole then is."""

    __slots__ = ("_rests",)

    def __init__(self, people: Iterable[PersonName]) -> None:
        self._rests: dict[str, dict[str, bool]] = {}
        for person in people:
            rests = _rests(person)
            for family in person.family_names if rests else ():
                self._rests.setdefault(" ".join(words(family)), {}).update(rests)

    def around(self, view: View, hit: Hit) -> Iterator[Hit]:
        """Yield what a family name that stands within a longer word is there.

        A whole given name beside it gives two hits, initials give one user name.
        """
        rests = self._rests.get(hit.known.form)
        if rests is None or hit.known.label != Label.LAST_NAME:
            return
        start, end = _word(view.folded, hit.start, hit.end)
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


def _rests(person: PersonName) -> dict[str, bool]:
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


def _word(folded: str, start: int, end: int) -> tuple[int, int]:
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
