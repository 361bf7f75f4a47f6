"""The fonts of an RTF file: they say what its letters are."""

from collections import defaultdict
from dataclasses import dataclass

from extractors.plain.code_pages import (
    by_charset,
    by_number,
    decode_as,
    looks_like_utf8,
)
from extractors.plain.plain_text import decode
from extractors.plain.symbol_fonts import (
    is_symbol_font,
    symbol,
)
from record.errors import Unreadable

_SIGNS = 2  # \fcharset of a font that draws signs
_UNSAID = (None, 1)  # \fcharset that says nothing: 1 is whatever the machine is set to
_PRIVATE = range(0xF000, 0xF100)
_WINDOWS = 1252
_UTF8 = 65001
_BLANKS = frozenset((0x09, 0x0A, 0x0D))


@dataclass(slots=True)
class Font:
    """What the table of fonts says of one of them."""

    name: str = ""
    charset: int | None = None
    page: int | None = None

    @property
    def draws_signs(self) -> bool:
        """Return whether its letters' codes stand for signs."""
        if self.charset == _SIGNS:
            return True
        return self.charset in (None, 0, 1) and is_symbol_font(self.name)


class Fonts:
    """All of them, by number, and the code page of the document."""

    def __init__(self) -> None:
        self.table: defaultdict[int, Font] = defaultdict(Font)
        self.default = 0
        self.page: int | None = None
        self._doubtful = bytearray()

    def decode(self, data: bytes, number: int) -> str:
        """Return the text that bytes in a font show; Unreadable(`unknown-encoding`)."""
        font = self.table.get(number, Font())
        if font.draws_signs:
            return "".join(_sign(font, code) for code in data)
        codec, is_said = self._codec(font)
        if not is_said:
            self._doubtful += data
        if data.isascii() and codec != "johab":
            return data.decode()
        if codec is None or (codec == "cp1252" and looks_like_utf8(data)):
            raise Unreadable("unknown-encoding")
        return decode_as(data, codec)

    def character(self, code: int, number: int) -> str:
        """Return what a character shows that is given as Unicode; Unreadable(`broken`)."""
        font = self.table.get(number, Font())
        if code in _PRIVATE:
            return symbol(font.name, code)
        if code > 0x10FFFF or (code < 0x20 and code not in _BLANKS):
            raise Unreadable("broken")
        return chr(code)

    def note_break(self) -> None:
        """A line ends here: letters before and after are not of one word."""
        self._doubtful += b"\n"

    def verify(self) -> None:
        """Refuse letters in an encoding that nobody named, unless they are Windows-1252 for sure.

        Raises Unreadable(`unknown-encoding`).
        """
        if not self._doubtful.isascii():
            data = bytes(self._doubtful)
            if decode(data) != decode_as(data, "cp1252"):
                raise Unreadable("unknown-encoding")

    def _codec(self, font: Font) -> tuple[str | None, bool]:
        if font.page:
            return by_number(font.page), True
        if font.charset in _UNSAID or (self.page == _UTF8 and not font.charset):
            return by_number(self.page or _WINDOWS), self.page is not None
        return by_charset(font.charset or 0), True


def _sign(font: Font, code: int) -> str:
    if is_symbol_font(font.name):
        return symbol(font.name, code)
    # A font of signs that nobody knows: its letters are taken as written.
    return chr(code) if code < 0x80 else "\ufffd"
