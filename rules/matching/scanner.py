"""All regular expressions of the rules in one pass over a text, read with lookaround and groups."""

import os
import re
import stat
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import hyperscan
from platformdirs import user_cache_path

from rules.matching import prefilter
from rules.matching.normalized_document import RECENT_TEXTS
from rules.matching.prefilter import leading_class, loosen, min_width

_KEPT = 12
_SUFFIX = ".hs"


def database(expressions: Sequence[str]) -> Any:
    """Return the hyperscan database of the loose forms of expressions.

    It reports where matches begin. It comes from the cache where one of the same expressions, of
    the same hyperscan and loosened by the same code is there, was made for this processor, and
    nobody but this user can have written it. A cache that can be neither read nor written costs
    time and nothing else.
    """
    folder = user_cache_path("cryptonym") / "automata"
    path = folder / f"{_digest(expressions)}{_SUFFIX}"
    found = _read(path)
    if found is not None:
        with suppress(OSError):
            os.utime(path)  # what is used stays
    else:
        found = _compile([_loosen_to_bytes(expression) for expression in expressions])
        _write(path, hyperscan.dumpb(found))
    return found


def _digest(expressions: Sequence[str]) -> str:
    digest = blake2b(version("hyperscan").encode(), digest_size=16)
    # Its source, which lies there too where the module itself is compiled to C.
    digest.update((files("rules") / "matching" / "prefilter.py").read_bytes())
    for expression in expressions:
        data = expression.encode()
        digest.update(b"%d:%s" % (len(data), data))
    return digest.hexdigest()


def _loosen_to_bytes(expression: str) -> bytes:
    return (prefilter.leading_class(expression) + prefilter.loosen(expression)).encode("ascii")


def _compile(expressions: Sequence[bytes]) -> Any:
    made = hyperscan.Database()
    count = len(expressions)
    flags = [hyperscan.HS_FLAG_SOM_LEFTMOST] * count
    made.compile(expressions=list(expressions), ids=list(range(count)), flags=flags)
    return made


def _read(path: Path) -> Any:
    """Return the database in a file; None where it is not there, not ours alone, or not whole."""
    # What a database holds is run, not only read: one that others could write is never loaded.
    with suppress(OSError, hyperscan.error):
        if not _is_writable_by_us_alone(path.parent.stat()):
            return None
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:
            if _is_writable_by_us_alone(os.fstat(file.fileno())):
                sealed = file.read()
                data = sealed[blake2b.MAX_DIGEST_SIZE :]
                if blake2b(data).digest() == sealed[: blake2b.MAX_DIGEST_SIZE]:
                    return hyperscan.loadb(data, mode=hyperscan.HS_MODE_BLOCK)
    return None


def _is_writable_by_us_alone(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, data: bytes) -> None:
    """Keep a database, whole or not at all, and only the newest few of all."""
    with suppress(OSError):
        if not path.is_absolute():
            return  # an account without a home
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(blake2b(data).digest() + data)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        kept = sorted(path.parent.glob(f"*{_SUFFIX}"), key=lambda one: -one.stat().st_mtime_ns)
        for old in kept[_KEPT:]:
            old.unlink(missing_ok=True)


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
        self.scan = lru_cache(maxsize=RECENT_TEXTS)(self._scan)

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


def forget_scans() -> None:
    """Drop the cached scans of recent texts: that of a long text takes much memory."""
    for automaton in AUTOMATA:
        automaton.scan.cache_clear()


def longest_first(names: Iterable[str]) -> str:
    """Return names as alternatives of a regex, none hidden by one that it begins with.

    The order is the same in every process: expressions name their automaton in the cache.
    """
    return "|".join(sorted(names, key=lambda name: (-len(name), name)))


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
        return self._compile_reader()[0](text, at)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text."""
        return next(iter(self.finditer(text)), None)

    def finditer(self, text: str) -> Sequence[re.Match[str]]:
        """Return the matches in a text."""
        hits = self._scan(text).get(self._number)
        if hits is None:
            return ()
        match, lead, least = self._reader or self._compile_reader()
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
        match, lead, least = self._reader or self._compile_reader()
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
                    # What was not read of a match may begin the next one.
                    at = max(at + 1, min(one.end(), getattr(made, "end", one.end())))

    def _compile_reader(self) -> "_Reader":
        # Most expressions are in no text of a run: each is compiled when the first may match.
        if self._reader is None:
            lead = 1 if leading_class(self.pattern) else 0
            least = min_width(loosen(self.pattern))
            self._reader = re.compile(self.pattern).match, lead, least
        return self._reader


class Patterns:
    """Several expressions over one reading of the text, searched in one look-up of the scan."""

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
