"""Initials of known persons, beside their family name or after a title."""

import re
from collections.abc import Iterable, Iterator, Sequence

from record.folding import fold
from record.label import Label
from record.patient import PersonName
from rules.known.context import (
    Hit,
    word_before,
)
from rules.known.variants import (
    Known,
    Match,
    words,
)
from rules.matching.normalization import (
    View,
    plain,
)

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
