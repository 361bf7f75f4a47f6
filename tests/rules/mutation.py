"""Alternatives of the rules' expressions that no marked line needs.

Every call of every expression is recorded while the lines are read once; an alternative matters
to a line only where a call gives something else without it, and only such lines are read again.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import regex

from record.document import Document
from record.span import Span
from rules.matching import prefilter, scanner
from rules.matching.normalization import views

Detect = Callable[[Document], list[Span]]
Line = tuple[str, str]
"""A text and its language."""

_COMPILED = (re.Pattern, regex.Pattern, scanner.Pattern)
_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "split")


def survivors(modules: Sequence[ModuleType], detect: Detect, lines: Sequence[Line]) -> list[str]:
    """Name the alternatives that can be dropped without any line's findings changing.

    Each alternative of each expression that a module holds by name (alone or in a tuple, list or
    dict) is dropped in turn.
    """
    lines = list(dict.fromkeys(lines))
    held = [(module, name, one) for module in modules for name, one in _expressions(module)]
    calls, expected = _recorded(modules, [one for _, _, one in held], detect, lines)
    alive: list[str] = []
    for module, name, compiled in held:
        for mutant, dropped in mutants(compiled.pattern):
            changed = _compiled_like(compiled, mutant)
            if changed is None:
                continue
            with _Swapped(modules, compiled, changed):
                tried = _touched(changed, calls[id(compiled)])
                if not any(_found(detect, lines[at]) != expected[at] for at in tried):
                    alive.append(f"{module.__name__}.{name}: {dropped}")
    return alive


def mutants(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield an expression without one of its alternatives, and that alternative."""
    for start, end in _groups(pattern):
        edges = [start - 1, *_bars(pattern, start, end), end]
        if len(edges) == 2:
            continue
        for first, last in pairwise(edges):
            dropped = pattern[first + 1 : last]
            opens = first == edges[0]
            cut = (first + 1, last + 1) if opens else (first, last)
            yield pattern[: cut[0]] + pattern[cut[1] :], dropped


def _groups(pattern: str) -> Iterator[tuple[int, int]]:
    """Yield where the inside of each group begins and ends, the whole expression first."""
    yield 0, len(pattern)
    at = 0
    while at < len(pattern):
        if pattern[at] == "(":
            inside = re.compile(r"\((?:\?(?:P?<\w+>|<?[=!]|>|[a-zA-Z]*:|r\)))?").match(pattern, at)
            assert inside
            if not pattern.startswith("(?r)", at):
                yield inside.end(), prefilter.closing(pattern, at)
            at = inside.end()
        else:
            at += len(prefilter.atom(pattern, at))


def _bars(pattern: str, start: int, end: int) -> list[int]:
    bars, at = [], start
    while at < end:
        if pattern[at] == "|":
            bars.append(at)
        at += len(prefilter.atom(pattern, at))
    return bars


def _expressions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, value in vars(module).items():
        for one in _within(value):
            # Those over bytes are single sets of characters.
            if isinstance(one, _COMPILED) and isinstance(one.pattern, str):
                yield name, one


def _within(value: object) -> Iterator[object]:
    if isinstance(value, (tuple, list, frozenset, set, scanner.Patterns)):
        for one in value:
            yield from _within(one)
    elif isinstance(value, dict):
        yield from _within([*value.keys(), *value.values()])
    else:
        yield value


class _Recorder:
    """Stands for an expression and notes what it was asked.

    Where it did not match it could only match without one of its guards.
    """

    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled
        self.pattern = compiled.pattern
        self.flags = compiled.flags
        self.guarded = "(?!" in self.pattern or "(?<!" in self.pattern
        self.calls: list[tuple[int, str, tuple[Any, ...], dict[str, Any], object]] = []
        self.line = -1

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.compiled, name)
        if name not in _METHODS:
            return method

        def call(*asked: Any, **named: Any) -> Any:
            told = _told(method(*asked, **named))
            if told or self.guarded:
                self.calls.append((self.line, name, asked, named, told))
            return method(*asked, **named)

        return call


def _told(result: object) -> object:
    """Return a result in a form that can be compared."""
    if isinstance(result, (re.Match, regex.Match)):
        return result.span(), result.groups()
    if isinstance(result, Iterator):
        return [_told(match) for match in result]
    return result


def _recorded(
    modules: Sequence[ModuleType], held: list[Any], detect: Detect, lines: Sequence[Line]
) -> tuple[
    defaultdict[int, list[tuple[int, str, tuple[Any, ...], dict[str, Any], object]]],
    list[list[tuple[int, int, str]]],
]:
    """Read every line once; give the calls that matched, by expression, and what was found."""
    recorders = {id(one): _Recorder(_exact(one)) for one in held}
    swaps = [_Swapped(modules, one, recorders[id(one)]) for one in held]
    for swap in swaps:
        swap.__enter__()
    expected = []
    try:
        for at, line in enumerate(lines):
            for recorder in recorders.values():
                recorder.line = at
            expected.append(_found(detect, line))
    finally:
        for swap in reversed(swaps):
            swap.__exit__()
    return defaultdict(list, {key: one.calls for key, one in recorders.items()}), expected


def _touched(changed: Any, calls: Any) -> Iterator[int]:
    """Yield the lines at which an expression, asked again, gives something else."""
    seen: set[int] = set()
    for line, name, asked, named, told in calls:
        if line not in seen and _told(getattr(changed, name)(*asked, **named)) != told:
            seen.add(line)
            yield line


def _exact(compiled: Any) -> Any:
    return re.compile(compiled.pattern) if isinstance(compiled, scanner.Pattern) else compiled


def _compiled_like(compiled: Any, mutant: str) -> Any:
    """Compile a mutant; None where it is no expression, as it lacks a group it refers to."""
    exact = _exact(compiled)
    maker = regex if isinstance(exact, regex.Pattern) else re
    try:
        # A group around it makes it an object of its own: modules cache what they compile.
        opens = "(?r)" if mutant.startswith("(?r)") else ""
        apart = f"{opens}(?:{mutant.removeprefix(opens)})"
        return maker.compile(apart, exact.flags & ~re.UNICODE)
    except (re.error, regex.error):
        return None


class _Swapped:
    """Puts another expression in the place of one, wherever the modules hold it."""

    def __init__(self, modules: Sequence[ModuleType], compiled: Any, other: Any) -> None:
        self._modules, self._compiled, self._other = modules, compiled, other

    def __enter__(self) -> None:
        if isinstance(self._compiled, scanner.Pattern):
            self._before = self._compiled._compile_reader()
            self._compiled._reader = (self._other.match, *self._before[1:])
        else:
            self._put(self._compiled, self._other)

    def __exit__(self, *_: object) -> None:
        if isinstance(self._compiled, scanner.Pattern):
            self._compiled._reader = self._before
        else:
            self._put(self._other, self._compiled)
        views.cache_clear()  # of the last texts, read with the other expression

    def _put(self, old: object, new: object) -> None:
        for module in self._modules:
            for name, value in list(vars(module).items()):
                if not name.startswith("__"):
                    setattr(module, name, _replaced(value, old, new))


def _replaced(value: Any, old: object, new: object) -> object:
    if value is old:
        return new
    if type(value) in (tuple, list, set, frozenset):
        if any(one is old for one in _within(value)):
            return type(value)(_replaced(one, old, new) for one in value)
    elif type(value) is dict and any(one is old for one in _within(value)):
        return {_replaced(k, old, new): _replaced(v, old, new) for k, v in value.items()}
    return value


def _found(detect: Detect, line: Line) -> list[tuple[int, int, str]]:
    text, lang = line
    try:
        spans = detect(Document("1", text, lang=lang))
    except (IndexError, TypeError, ValueError, AttributeError) as error:
        return [(0, 0, type(error).__name__)]  # a group that is gone: whoever asks for it fails
    return [(span.start, span.end, str(span.label)) for span in spans]
