"""The little language of the templates, and the shape of a language's tables.

{slot} {slot:argument}   filled from the person, the visit, the writer or a list of words
{he|she}                 agrees with the patient's gender
[one|other|]             one of these, drawn anew each time; may be nested
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from record.folding import fold

_MARK = re.compile(r"([\[\]|]|\{[^{}]*\})")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class TemplateSlot:
    """A place to fill: `{name:argument}`."""

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class GrammaticalAgreement:
    """`{he|she}`: which of both is written depends on the patient's gender."""

    male: str
    female: str


@dataclass(frozen=True, slots=True)
class Choice:
    """`[one|other]`: one of the options is written."""

    options: tuple["Nodes", ...]


Nodes = tuple[str | TemplateSlot | GrammaticalAgreement | Choice, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a note: its heading, where its sentences come from, and its share of the length.

    `style` is `prose` (sentences in a row), `list` (one a line, with a dash) or `lines`.
    `chance` is how often the section is written at all.
    """

    heading: str
    pool: str
    weight: float = 1.0
    style: str = "prose"
    chance: float = 1.0


@dataclass(frozen=True, slots=True)
class NoteKind:
    """A kind of note: alternatives for its title, head and tail around a row of sections.

    `specialty` is that of its author; empty stands for the ward's own.
    """

    titles: tuple[str, ...]
    heads: tuple[str, ...]
    sections: tuple[Section, ...]
    tails: tuple[str, ...]
    specialty: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """What a patient suffers from: sentences by pool, for whom it is plausible, who treats it."""

    name: str
    ages: tuple[int, int]
    specialty: str
    texts: dict[str, tuple[str, ...]]
    genders: str = "MF"


@dataclass(frozen=True, slots=True)
class LetterLanguage:
    """All that is written in one language.

    `pools` hold sentences that suit any adult (`<pool>_child`: any child), `words` hold lists
    that slots draw from, `annexes` are, by kind, sections that lengthen a note as often as
    needed, and `traps` are phrases of the tables that look like an identifier and are none.
    """

    code: str
    kinds: dict[str, NoteKind]
    pools: dict[str, tuple[str, ...]]
    words: dict[str, tuple[str, ...]]
    stories: tuple[Story, ...]
    annexes: dict[str, tuple[Section, ...]]
    traps: tuple[str, ...]


@cache
def parse(template: str) -> Nodes:
    """Read a template; raises ValueError where brackets do not pair."""
    tokens = [token for token in _MARK.split(template) if token]
    options, rest = _options(tokens, 0, nested=False)
    if rest != len(tokens) or len(options) != 1:
        raise ValueError(f"unbalanced template: {template[:40]!r}")
    return options[0]


def _options(tokens: list[str], at: int, *, nested: bool) -> tuple[tuple[Nodes, ...], int]:
    options: list[Nodes] = []
    nodes: list[str | TemplateSlot | GrammaticalAgreement | Choice] = []
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token == "[":
            inner, at = _options(tokens, at, nested=True)
            nodes.append(Choice(inner))
        elif token == "]":
            if not nested:
                raise ValueError("unmatched closing bracket")
            return (*options, tuple(nodes)), at
        elif token == "|" and nested:
            options.append(tuple(nodes))
            nodes = []
        else:
            nodes.append(_leaf(token))
    if nested:
        raise ValueError("unmatched opening bracket")
    return (*options, tuple(nodes)), at


def _leaf(token: str) -> str | TemplateSlot | GrammaticalAgreement:
    if not (token.startswith("{") and token.endswith("}")):
        return token
    inner = token[1:-1]
    if "|" in inner:
        male, female = inner.split("|")
        return GrammaticalAgreement(male, female)
    name, _, argument = inner.partition(":")
    return TemplateSlot(name, argument)


def plain_words(template: str) -> set[str]:
    """Collect the words a template can write by itself, folded; not the values of slots."""
    return set(_plain(parse(template)))


def _plain(nodes: Nodes) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield from _WORD.findall(fold(node))
        elif isinstance(node, GrammaticalAgreement):
            yield from _WORD.findall(fold(f"{node.male} {node.female}"))
        elif isinstance(node, Choice):
            for option in node.options:
                yield from _plain(option)


def vocabulary(language: LetterLanguage) -> frozenset[str]:
    """Collect every word that the tables of a language can write outside slots, folded."""
    words: set[str] = set()
    for template in _templates(language):
        words |= plain_words(template)
    return frozenset(words)


def _templates(language: LetterLanguage) -> Iterator[str]:
    for kind in language.kinds.values():
        yield from (*kind.titles, *kind.heads, *kind.tails)
        yield from (section.heading for section in kind.sections)
    for annexes in language.annexes.values():
        yield from (section.heading for section in annexes)
    tables = [language.pools, language.words, *(story.texts for story in language.stories)]
    for table in tables:
        for sentences in table.values():
            yield from sentences
