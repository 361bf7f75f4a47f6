"""Bytes of an RTF file to its tokens: braces, control words and signs, letters."""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from record.errors import Unreadable

_TOKEN = re.compile(
    rb"\\(?:(?P<word>[A-Za-z]+)(?P<number>-?[0-9]+)? ?|'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|(?P<sign>[^A-Za-z']))|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+",
    re.DOTALL,
)
_DEEPEST = 500
_LONGEST_NUMBER = 11
_LITERAL_SIGNS = frozenset((b"\\", b"{", b"}"))


class Kind(IntEnum):
    """What a token is."""

    OPEN = 0
    CLOSE = 1
    WORD = 2
    SIGN = 3
    LETTERS = 4


class Token(NamedTuple):
    """A token: letters are bytes in the code page of their font; a word may have a number."""

    kind: Kind
    data: bytes
    number: int | None = None


def tokens(data: bytes) -> Iterator[Token]:
    """Return the tokens of a document, without line ends and binary data.

    Raises Unreadable(`broken`) where braces do not match or are nested too deep, where anything
    follows the document, and for what no writer writes.
    """
    position = depth = 0
    while position < len(data):
        match = _TOKEN.match(data, position)
        if match is None or (position and not depth):
            raise Unreadable("broken")
        position = match.end()
        token = _token(match)
        if token is None:
            continue
        if token.kind is Kind.OPEN:
            depth += 1
        elif token.kind is Kind.CLOSE:
            depth -= 1
        elif token.data == b"bin" and token.kind is Kind.WORD:
            position += token.number or 0
        if not 0 <= depth <= _DEEPEST or not match.end() <= position <= len(data):
            raise Unreadable("broken")
        yield token
    if depth or not position:
        raise Unreadable("broken")


def _token(match: re.Match[bytes]) -> Token | None:
    kind, value = match.lastgroup, match[match.lastgroup or 0]
    if kind == "text":
        return Token(Kind.LETTERS, value)
    if kind == "brace":
        return Token(Kind.OPEN if value == b"{" else Kind.CLOSE, value)
    if kind == "hex":
        return Token(Kind.LETTERS, bytes.fromhex(value.decode()))
    if kind == "sign":
        return Token(Kind.LETTERS if value in _LITERAL_SIGNS else Kind.SIGN, value)
    if kind == "word":
        return Token(Kind.WORD, value)
    if kind == "number":
        if len(value) > _LONGEST_NUMBER:
            raise Unreadable("broken")
        return Token(Kind.WORD, match["word"], int(value))
    return None
