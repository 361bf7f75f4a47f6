"""Alternatives of the rules' expressions that no marked line needs."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from types import ModuleType

import regex

from record.document import Document
from record.span import Span
from rules import loose, scan
from rules.folded import cased_once, fold_once

Detect = Callable[[Document], list[Span]]
Found = list[tuple[int, int, str]]
_COMPILED = (re.Pattern, regex.Pattern, scan.Pattern)


def survivors(
    modules: Sequence[ModuleType], detect: Detect, lines: Sequence[tuple[str, str]]
) -> list[str]:
    """Name the alternatives that can be dropped without any line's findings changing.

    `lines` are texts and their languages. Each alternative of each expression that a module holds
    by name (alone or in a tuple, list or dict) is dropped in turn.
    """
    expected = {line: _found(detect, line) for line in lines}
    alive: list[str] = []
    for module in modules:
        for name, compiled in _expressions(module):
            for mutant, dropped in mutants(compiled.pattern):
                if not _sound(compiled, mutant):
                    continue
                with _Swapped(modules, compiled, mutant):
                    near = sorted(lines, key=lambda line: not _differs(compiled, mutant, line[0]))
                    if all(_found(detect, line) == expected[line] for line in near):
                        alive.append(f"{module.__name__}.{name}: {dropped}")
    return alive


def mutants(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield an expression without one of its alternatives, and that alternative."""
    for start, end in _groups(pattern):
        edges = [start - 1, *_bars(pattern, start, end), end]
        for first, last in pairwise(edges):
            if len(edges) == 2:
                continue
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
            inside = re.compile(r"\((?:\?(?:P?<\w+>|<?[=!]|[a-zA-Z]*:|r\)))?").match(pattern, at)
            if not pattern.startswith("(?r)", at):
                yield inside.end(), loose.closing(pattern, at)
            at = inside.end()
        else:
            at += len(loose.atom(pattern, at))


def _bars(pattern: str, start: int, end: int) -> list[int]:
    bars, at = [], start
    while at < end:
        if pattern[at] == "|":
            bars.append(at)
        at += len(loose.atom(pattern, at))
    return bars


def _expressions(module: ModuleType):
    for name, value in vars(module).items():
        for one in _within(value):
            if isinstance(one, _COMPILED):
                yield name, one


def _within(value: object):
    if isinstance(value, (tuple, list, frozenset, set)):
        for one in value:
            yield from _within(one)
    elif isinstance(value, dict):
        yield from _within([*value.keys(), *value.values()])
    else:
        yield value


class _Swapped:
    """Puts a changed expression in the place of one, wherever the modules hold it."""

    def __init__(self, modules: Sequence[ModuleType], compiled, mutant: str) -> None:
        self._modules, self._compiled = modules, compiled
        if isinstance(compiled, scan.Pattern):
            self._mutant = re.compile(mutant)
        else:
            maker = regex if isinstance(compiled, regex.Pattern) else re
            self._mutant = maker.compile(mutant, compiled.flags & ~re.UNICODE)

    def __enter__(self) -> None:
        if isinstance(self._compiled, scan.Pattern):
            self._before = self._compiled._exact
            self._compiled._exact = self._mutant
        else:
            self._put(self._compiled, self._mutant)

    def __exit__(self, *_: object) -> None:
        if isinstance(self._compiled, scan.Pattern):
            self._compiled._exact = self._before
        else:
            self._put(self._mutant, self._compiled)

    def _put(self, old: object, new: object) -> None:
        for module in self._modules:
            for name, value in list(vars(module).items()):
                if not name.startswith("__"):
                    setattr(module, name, _replaced(value, old, new))


def _replaced(value, old: object, new: object):
    if value is old:
        return new
    if type(value) in (tuple, list, set, frozenset):
        if any(one is old for one in _within(value)):
            return type(value)(_replaced(one, old, new) for one in value)
    elif type(value) is dict and any(one is old for one in _within(value)):
        return {_replaced(k, old, new): _replaced(v, old, new) for k, v in value.items()}
    return value


def _sound(compiled, mutant: str) -> bool:
    """Tell whether a mutant is an expression at all: it may lack a group that it refers to."""
    maker = regex if isinstance(compiled, regex.Pattern) else re
    try:
        maker.compile(mutant)
    except (re.error, regex.error):
        return False
    return True


def _differs(compiled, mutant: str, text: str) -> bool:
    """Guess whether a mutant matters to a text, so that such texts are tried first."""
    maker = regex if isinstance(compiled, regex.Pattern) else re
    changed = maker.compile(mutant)
    return any(
        [match.span() for match in maker.finditer(compiled.pattern, reading)]
        != [match.span() for match in changed.finditer(reading)]
        for reading in (text, fold_once(text), cased_once(text))
    )


def _found(detect: Detect, line: tuple[str, str]) -> Found:
    text, lang = line
    return [
        (span.start, span.end, str(span.label)) for span in detect(Document("1", text, lang=lang))
    ]
