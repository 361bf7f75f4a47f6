"""The tree of an HTML page to lines of text, as a browser lays them out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractors.markup.html_style import (
    Look,
    Style,
    read,
)
from extractors.plain.symbol_fonts import symbol
from record.errors import Unreadable

# Browsers themselves go no deeper.
_DEEPEST = 512

_DROPPED = frozenset(
    "head script style title template noembed noframes datalist audio video canvas desc metadata "
    "defs annotation annotation-xml rp".split()
)
_ELSEWHERE = frozenset("iframe frame embed object applet".split())
_BLOCKS = frozenset(
    "html body address article aside blockquote center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing "
    "main menu nav ol p plaintext pre search section summary table tbody thead tfoot caption "
    "ul xmp textarea text".split()
)
_SPACED = frozenset("p h1 h2 h3 h4 h5 h6 blockquote".split())
_KEPT = frozenset("pre textarea listing xmp plaintext".split())
_PICTURES = frozenset("img svg image canvas".split())
_ROW_DISPLAYS = {"tr": "table-row", "td": "table-cell", "th": "table-cell"}
_BOXES = ("☐", "☒")
_NO_VALUE = frozenset("hidden password file image color range".split())

_BLANK = re.compile(r"[ \t\n\r\f]+")
_PRIVATE = range(0xF000, 0xF100)


class _Lines:
    """Lines that grow: white space is one blank, and none at a line's ends."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._breaks = 2  # how many line breaks stand at the end
        self._blank = False  # whether one is due before the next letter
        self.cells: list[str] | None = None

    def write(self, text: str) -> None:
        flat = _BLANK.sub(" ", text)
        word = flat.strip(" ")
        self._blank = self._blank or flat.startswith(" ")
        if not word:
            return
        if self._blank and not self._breaks:
            self._out.append(" ")
        self._out.append(word)
        self._breaks, self._blank = 0, flat.endswith(" ")

    def write_kept(self, text: str) -> None:
        if self._blank and not self._breaks:
            self._out.append(" ")
        self._out.append(text)
        self._blank, self._breaks = False, int(text.endswith("\n"))

    def end_line(self, breaks: int = 1) -> None:
        missing = breaks - self._breaks
        if missing > 0:
            self._out.append("\n" * missing)
            self._breaks = breaks
        self._blank = False

    def break_line(self) -> None:
        self._out.append("\n")
        self._breaks, self._blank = min(2, self._breaks + 1), False

    def text(self) -> str:
        return "".join(self._out).strip("\n")


@dataclass(slots=True)
class _Open:
    """An element under way."""

    next: LexborNode | None
    look: Look
    tag: str = ""
    display: str = ""
    spaced: bool = False
    cells: list[str] = field(default_factory=list)


class Page:
    """Writes the text of a page, at most `most` characters.

    `pictures` counts those that are seen.
    """

    def __init__(self, parser: LexborHTMLParser, most: int) -> None:
        self.pictures = 0
        self._left = most
        self._lines = _Lines()
        self._outer: list[_Lines] = []
        self._open = [_Open(parser.root, Look())]

    def text(self) -> str:
        """Walk through the page; Unreadable: `broken`, `unread-part`, `too-long`."""
        while self._open:
            element = self._open[-1]
            node = element.next
            if node is None:
                self._end(self._open.pop())
            else:
                element.next = node.next
                self._take(node, element.look)
        return self._lines.text()

    def _take(self, node: LexborNode, look: Look) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._write(node.text_content or "", look)
        elif not tag.startswith("-") and tag not in _DROPPED:
            self._begin(node, tag, look)

    def _write(self, text: str, look: Look) -> None:
        if not (look.visible and look.sized):
            return
        self._left -= len(text)
        if self._left < 0:
            raise Unreadable("too-long")
        if look.font or any("\uf000" <= char <= "\uf0ff" for char in text):
            text = "".join(_sign(char, look.font) for char in text)
        if look.kept:
            self._lines.write_kept(text)
        else:
            self._lines.write(text)

    def _begin(self, node: LexborNode, tag: str, look: Look) -> None:
        attributes = node.attributes
        style = read(attributes, look)
        if style.gone or (tag == "dialog" and "open" not in attributes):
            return
        look = style.look._replace(kept=True) if tag in _KEPT else style.look
        if tag == "font" and "size" in attributes:
            look = look._replace(sized=True)
        self.pictures += tag in _PICTURES and look.visible
        if tag in _ELSEWHERE:
            self._refuse_elsewhere(attributes)
        elif tag == "br":
            self._lines.break_line()
        elif tag in ("input", "select"):
            self._write(f" {_shown(node, tag, attributes)} ", look)
        else:
            self._enter(node, tag, style._replace(look=look))

    def _enter(self, node: LexborNode, tag: str, style: Style) -> None:
        if len(self._open) > _DEEPEST:
            raise Unreadable("broken")
        display = style.display or _ROW_DISPLAYS.get(tag, "block" if tag in _BLOCKS else "inline")
        office = (node.attributes.get("class") or "").startswith("Mso")
        spaced = tag in _SPACED and not style.tight and not office
        element = _Open(node.child, style.look, tag, display, spaced)
        if display == "table-cell" and self._row() is not None:
            self._outer.append(self._lines)
            self._lines = _Lines()
        elif display == "table-cell":
            element.display = "block"
        elif display != "inline":
            self._lines.end_line(1 + spaced)
        self._open.append(element)

    def _end(self, element: _Open) -> None:
        if element.display == "table-cell":
            text, self._lines = self._lines.text(), self._outer.pop()
            row = self._row()
            if row is not None:
                row.cells.append(text)
        elif element.display == "table-row":
            # Cells of several lines would not line up: they follow one another.
            between = "\n" if any("\n" in cell for cell in element.cells) else "\t"
            line = between.join(element.cells).strip("\n")
            if line.strip():
                self._lines.end_line()
                self._lines.write_kept(line)
            self._lines.end_line()
        elif element.display not in ("inline", ""):
            self._lines.end_line(1 + element.spaced)

    def _row(self) -> _Open | None:
        """The row that a cell would be part of: nothing but its own parent."""
        parent = self._open[-1] if self._open else None
        return parent if parent and parent.display == "table-row" else None

    def _refuse_elsewhere(self, attributes: Mapping[str, str | None]) -> None:
        sides = (attributes.get("width"), attributes.get("height"))
        if any((side or "").strip() in ("0", "1", "0px", "1px") for side in sides):
            return
        if (attributes.get("type") or "").startswith("image/"):
            self.pictures += 1
        else:
            raise Unreadable("unread-part")


def _sign(char: str, font: str) -> str:
    code = ord(char)
    if code in _PRIVATE or (font and 0x20 < code < 0x100 and char != "\u00a0"):
        return symbol(font, code)
    return char


def _shown(node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> str:
    """What stands in a field of a form."""
    if tag == "select":
        options = node.css("option")
        chosen = [option for option in options if "selected" in option.attributes]
        if not chosen and "multiple" not in attributes:
            chosen = options[:1]
        return ", ".join(_BLANK.sub(" ", option.text()).strip() for option in chosen)
    kind = (attributes.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return _BOXES["checked" in attributes]
    return "" if kind in _NO_VALUE else attributes.get("value") or ""
