"""All regular expressions of the rules in one pass over a text, read with lookaround and groups."""

import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import hyperscan

from rules.matching.automaton_cache import database
from rules.matching.normalized_document import REMEMBERED
from rules.matching.prefilter import (
    leading,
    loosen,
    narrowest,
)

_T = TypeVar("_T")

Hits = dict[int, list[tuple[int, int]]]
_Reader = tuple[Callable[[str, int], re.Match[str] | None], int, int]
"""What matches at an offset, the characters before a match, and those of the shortest one."""


class Automaton:
    """One hyperscan database of every expression of one reading of the text.

    It is compiled when a text is first scanned, and anew when expressions were added since.
    """

    def __init__(self) -> None:
        self.patterns: list[Pattern] = []
        self._numbers: list[int] = []
        self._database: Any = None
        self._compiled = 0
        self._lock = threading.Lock()
        self._local = threading.local()
        self.scan = lru_cache(maxsize=REMEMBERED)(self._scan)

    def add(self, pattern: "Pattern") -> int:
        """Add an expression; returns the number under which hits on it are reported."""
        self.patterns.append(pattern)
        self.scan.cache_clear()
        return len(self.patterns) - 1

    def _scan(self, text: str) -> Hits:
        """Return for each expression the stretches, sorted, within which it may begin.

        Hyperscan reports for each end of a match the leftmost beginning: what begins later and
        ends there lies within.
        """
        compiled = self._database
        if compiled is None or self._compiled != len(self.patterns):
            compiled = self._database = self._compile()
        if getattr(self._local, "database", None) is not compiled:
            self._local.database = compiled
            self._local.scratch = hyperscan.Scratch(compiled)
        found: Hits = defaultdict(list)
        numbers = self._numbers

        def report(place: int, start: int, end: int, _flags: int, _context: object) -> None:
            found[numbers[place]].append((start, end))

        # One byte for each code point, so that offsets hold in both.
        data = text.encode("ascii", "replace")
        compiled.scan(data, match_event_handler=report, scratch=self._local.scratch)
        for several in found.values():
            if len(several) > 1:
                several.sort()
        return found

    def _compile(self) -> Any:
        with self._lock:
            # In one order, whatever the order of imports: what was compiled once fits again.
            count = len(self.patterns)
            self._numbers = sorted(range(count), key=lambda number: self.patterns[number].pattern)
            made = database([self.patterns[number].pattern for number in self._numbers])
            self._compiled = count
            return made


_FOLDED = Automaton()
_CASED = Automaton()
AUTOMATA = (_FOLDED, _CASED)
"""The automaton over folded text, and the one over text without accents."""


def forget() -> None:
    """Drop what is remembered of the texts scanned last: of a long one that is much."""
    for automaton in AUTOMATA:
        automaton.scan.cache_clear()


class Pattern:
    """A regular expression that one automaton finds for all rules at once and `re` reads.

    The automaton runs a looser form without lookaround, so it never passes over a place where
    the expression matches. Matches come from left to right and do not overlap, as with
    `re.finditer`. Expressions run over folded text, or with `cased` over text without accents;
    they use the syntax of `re` without flags, conditions and possessive quantifiers, and need at
    least one character. Make them when a module is imported: the automaton is compiled once.
    """

    __slots__ = ("_automaton", "_number", "_reader", "_scan", "pattern")

    def __init__(self, pattern: str, *, cased: bool = False) -> None:
        self.pattern = pattern
        self._automaton = _CASED if cased else _FOLDED
        self._number = self._automaton.add(self)
        self._scan = self._automaton.scan
        self._reader: _Reader | None = None

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """Match at an offset of a text and nowhere else."""
        return self._prepared()[0](text, at)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text."""
        return next(iter(self.finditer(text)), None)

    def finditer(self, text: str) -> Sequence[re.Match[str]]:
        """Return the matches in a text."""
        hits = self._scan(text).get(self._number)
        if hits is None:
            return ()
        match, lead, least = self._reader or self._prepared()
        found: list[re.Match[str]] = []
        at = 0
        for start, end in hits:
            if start + lead > at:
                at = start + lead if start else 0
            while at <= end - least:
                one = match(text, at)
                if one is None:
                    at += 1
                else:
                    found.append(one)
                    at = one.end()
        return found

    def convert(self, text: str, read: Callable[[str, re.Match[str]], _T | None]) -> Iterator[_T]:
        """Yield what `read` makes of matches; of one it refuses, only the first group is passed."""
        # The loop of `finditer` once more: it runs too often to make a call for each match.
        hits = self._scan(text).get(self._number)
        if hits is None:
            return
        match, lead, least = self._reader or self._prepared()
        at = 0
        for start, end in hits:
            if start + lead > at:
                at = start + lead if start else 0
            while at <= end - least:
                one = match(text, at)
                if one is None:
                    at += 1
                    continue
                made = read(text, one)
                if made is None:
                    at = max(at + 1, one.end(1))
                else:
                    yield made
                    at = one.end()

    def _prepared(self) -> "_Reader":
        # Most expressions are in no text of a run: each is compiled when the first may match.
        if self._reader is None:
            lead = 1 if leading(self.pattern) else 0
            least = narrowest(loosen(self.pattern))
            self._reader = re.compile(self.pattern).match, lead, least
        return self._reader


class Patterns:
    """Several expressions over one reading of the text, asked together: few are in any one note."""

    __slots__ = ("_indices", "_patterns", "_scan")

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(patterns)
        automaton = self._patterns[0]._automaton
        self._scan = automaton.scan
        self._indices = {one._number: index for index, one in enumerate(self._patterns)}
        if any(one._automaton is not automaton for one in self._patterns):
            raise ValueError("expressions over different readings of a text")

    def __getitem__(self, index: int) -> Pattern:
        return self._patterns[index]

    def __len__(self) -> int:
        return len(self._patterns)

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self._patterns)

    def finditer(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """Yield the index of an expression and each of its matches, one expression at a time."""
        hits = self._scan(text)
        for index in sorted(map(self._indices.__getitem__, self._indices.keys() & hits.keys())):
            for match in self._patterns[index].finditer(text):
                yield index, match
