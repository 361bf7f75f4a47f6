"""RTF 1.9.1: its tokenizer, the decoding of fonts, and the meaning of control words."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from extractors.plain.code_pages import (
    codec_by_charset,
    codec_by_number,
    decode_as,
    looks_like_utf8,
)
from extractors.plain.plain_text import decode
from extractors.plain.symbol_fonts import is_symbol_font, symbol
from record.errors import Unreadable

_TOKEN = re.compile(
    rb"\\(?:(?P<word>[A-Za-z]+)(?P<number>-?[0-9]+)? ?|'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|(?P<sign>[^A-Za-z']))|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+",
    re.DOTALL,
)
_DEEPEST = 500
_LONGEST_NUMBER = 11
_LITERAL_SIGNS = frozenset((b"\\", b"{", b"}"))


class TokenKind(IntEnum):
    """The kind of a token."""

    OPEN = 0
    CLOSE = 1
    WORD = 2
    SIGN = 3
    LETTERS = 4


class RtfToken(NamedTuple):
    """A token; letters are bytes in the code page of their font, words may have a number."""

    kind: TokenKind
    data: bytes
    number: int | None = None


def tokens(data: bytes) -> Iterator[RtfToken]:
    """Return the tokens of a document, without line ends and binary data.

    Raises Unreadable(`broken`) where braces do not match or are nested too deep, where data
    follows the document, and for invalid syntax.
    """
    position = depth = 0
    while position < len(data):
        match = _TOKEN.match(data, position)
        if match is None or (position and not depth):
            raise Unreadable("broken")
        position = match.end()
        token = _make_token(match)
        if token is None:
            continue
        if token.kind is TokenKind.OPEN:
            depth += 1
        elif token.kind is TokenKind.CLOSE:
            depth -= 1
        elif token.data == b"bin" and token.kind is TokenKind.WORD:
            position += token.number or 0
        if not 0 <= depth <= _DEEPEST or not match.end() <= position <= len(data):
            raise Unreadable("broken")
        yield token
    if depth or not position:
        raise Unreadable("broken")


def _make_token(match: re.Match[bytes]) -> RtfToken | None:
    kind, value = match.lastgroup, match[match.lastgroup or 0]
    if kind == "text":
        return RtfToken(TokenKind.LETTERS, value)
    if kind == "brace":
        return RtfToken(TokenKind.OPEN if value == b"{" else TokenKind.CLOSE, value)
    if kind == "hex":
        return RtfToken(TokenKind.LETTERS, bytes.fromhex(value.decode()))
    if kind == "sign":
        return RtfToken(TokenKind.LETTERS if value in _LITERAL_SIGNS else TokenKind.SIGN, value)
    if kind == "word":
        return RtfToken(TokenKind.WORD, value)
    if kind == "number":
        if len(value) > _LONGEST_NUMBER:
            raise Unreadable("broken")
        return RtfToken(TokenKind.WORD, match["word"], int(value))
    return None


_SIGNS = 2  # \fcharset of a symbol font
_UNSAID = (None, 1)  # \fcharset without meaning: 1 is the default of the machine
_PRIVATE = range(0xF000, 0xF100)
_WINDOWS = 1252
_UTF8 = 65001
_BLANKS = frozenset((0x09, 0x0A, 0x0D))


@dataclass(slots=True)
class Font:
    """An entry of the font table."""

    name: str = ""
    charset: int | None = None
    page: int | None = None

    @property
    def draws_signs(self) -> bool:
        """Return whether it is a symbol font."""
        if self.charset == _SIGNS:
            return True
        return self.charset in (None, 0, 1) and is_symbol_font(self.name)


class Fonts:
    """The font table, by number, and the code page of the document."""

    def __init__(self) -> None:
        self.table: defaultdict[int, Font] = defaultdict(Font)
        self.default = 0
        self.page: int | None = None
        self._doubtful = bytearray()

    def decode(self, data: bytes, number: int) -> str:
        """Decode bytes in a font; raises Unreadable(`unknown-encoding`)."""
        font = self.table.get(number, Font())
        if font.draws_signs:
            return "".join(_symbol_or_letter(font, code) for code in data)
        codec, is_said = self._codec(font)
        if not is_said:
            self._doubtful += data
        if data.isascii() and codec != "johab":
            return data.decode()
        if codec is None or (codec == "cp1252" and looks_like_utf8(data)):
            raise Unreadable("unknown-encoding")
        return decode_as(data, codec)

    def character(self, code: int, number: int) -> str:
        """Return a character given as Unicode in a font; raises Unreadable(`broken`)."""
        font = self.table.get(number, Font())
        if code in _PRIVATE:
            return symbol(font.name, code)
        if code > 0x10FFFF or (code < 0x20 and code not in _BLANKS):
            raise Unreadable("broken")
        return chr(code)

    def note_break(self) -> None:
        """Note the end of a line: letters before and after are not of one word."""
        self._doubtful += b"\n"

    def verify(self) -> None:
        """Raise Unreadable(`unknown-encoding`) unless undeclared bytes are surely Windows-1252."""
        if not self._doubtful.isascii():
            data = bytes(self._doubtful)
            if decode(data) != decode_as(data, "cp1252"):
                raise Unreadable("unknown-encoding")

    def _codec(self, font: Font) -> tuple[str | None, bool]:
        if font.page:
            return codec_by_number(font.page), True
        if font.charset in _UNSAID or (self.page == _UTF8 and not font.charset):
            return codec_by_number(self.page or _WINDOWS), self.page is not None
        return codec_by_charset(font.charset or 0), True


def _symbol_or_letter(font: Font, code: int) -> str:
    if is_symbol_font(font.name):
        return symbol(font.name, code)
    # An unknown symbol font: ASCII is taken literally.
    return chr(code) if code < 0x80 else "\ufffd"


BREAKS = frozenset("par line lbr page column sect".split())
"""Control words that end a line."""

CHARACTERS = {
    "tab": "\t",
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "zwbo": "\u200b",
    "zwnbo": "\u2060",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
}
"""Control words for a character."""

SIGNS = {
    b"~": "\u00a0",
    b"_": "-",
    b"-": "",
    b"\n": "\n",
    b"\r": "\n",
    b"\t": "\t",
    b"|": "",
    b":": "",
}
"""Control symbols for a character; the optional hyphen is not displayed."""

DROPPED = frozenset(
    # Tables and metadata of the file
    "colortbl stylesheet info filetbl revtbl rsidtbl listtable listoverridetable generator "
    "title subject author manager company operator category keywords comment doccomm hlinkbase "
    "creatim revtim printim buptim userprops docvar xmlnstbl themedata colorschememapping "
    "datastore latentstyles template private nextfile mailmerge "
    # Invisible marks in the text
    "bkmkstart bkmkend xe tc tcn rxe txe bxe atnid atnauthor atndate atnref atntime atrfstart "
    "atrfend atnparent atnicn ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn "
    # Pictures, objects, and duplicates for other programs
    "nonshppict nonesttables shprslt objdata objclass objname objalias objsect objtime "
    "mmathPict bkmkpub background blipuid picprop "
    # Parts of lists, fields and fonts
    "pnseclvl pn pntxta pntxtb listlevel leveltext levelnumbers listname falt panose fontemb "
    "fontfile fldtype ffname ffdeftext ffformat ffhelptext ffstattext ffentrymcr ffexitmcr "
    "datafield htmltag mhtmltag mvfmf mvfml mvtof mvtol".split()
)
"""Destinations that are not displayed."""

HELD = frozenset("shpinst do upr nesttableprops sp".split())
"""Destinations that are not displayed but contain some that are."""

RESUMED = frozenset("ud result fldrslt".split())
"""Displayed destinations within ones that are not."""

SEEN = frozenset(
    "rtf shp shpgrp object listtext pntext shppict moMath moMathPara mr mf mnum mden me msub msup "
    "mdeg mfName mlim msSup msSub msSubSup msPre mrad mnary mfunc macc mbar mbox mborderBox mm mmr "
    "md meqArr mgroupChr mlimLow mlimUpp mphant".split()
)
"""Destinations whose text is part of the surrounding text."""

MARGINS = {
    **dict.fromkeys(("header", "headerr", "footer", "footerr"), ""),
    **dict.fromkeys(("headerl", "footerl"), "facingp"),
    **dict.fromkeys(("headerf", "footerf"), "titlepg"),
}
"""Headers and footers -> the control word without which they are not displayed."""
