"""Extraction of HTML: the text a browser displays, without scripts, metadata or hidden elements."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractors.document.limits import Extracted, Limits
from extractors.plain.code_pages import (
    codec_by_label,
    decode_as,
    decode_labelled,
    repair_double_encoding,
)
from extractors.plain.plain_text import clean
from extractors.plain.symbol_fonts import is_symbol_font, symbol
from record.errors import Unreadable

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))(px|pt|pc|cm|mm|in|q|rem|em|ex|ch|vw|vh|%)?")
_FONT_SIZE = re.compile(
    r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:px|pt|pc|cm|mm|in|rem|em|ex|%)|0)(?=[/\s])"
)
_RELATIVE = frozenset(("em", "ex", "ch", "%"))
_OFF_SCREEN = -900.0

_INLINE = frozenset("inline inline-block inline-flex inline-grid contents ruby".split())


class TextStyle(NamedTuple):
    """Inherited style of text."""

    kept: bool = False
    """White space is preserved."""
    visible: bool = True
    sized: bool = True
    """The font size is above zero."""
    font: str = ""
    """The name of the font, if it is a symbol font."""


class ElementStyle(NamedTuple):
    """Style of an element; `display` is empty where it is not set."""

    gone: bool
    display: str
    look: TextStyle
    tight: bool = False
    """No margin above and below."""


def parse_style(attributes: Mapping[str, str | None], look: TextStyle) -> ElementStyle:
    """Return the style of an element by its attributes; `look` is inherited from its parent."""
    if "face" in attributes:
        look = look._replace(font=_symbol_font(attributes["face"] or ""))
    text = attributes.get("style")
    if not text:
        return ElementStyle("hidden" in attributes, "", look)
    rules = _parse_rules(text)
    display = rules.get("display", "")
    gone = display == "none" or ("hidden" in attributes and not display)
    return ElementStyle(
        gone=gone or _is_hidden(rules),
        display="inline" if display in _INLINE else display,
        look=_apply_rules(rules, look),
        tight=any(_is_zero(rules.get(name, "")) for name in ("margin", "margin-bottom")),
    )


def _parse_rules(text: str) -> dict[str, str]:
    rules = {}
    for rule in _COMMENT.sub("", text).lower().split(";"):
        name, _, value = rule.partition(":")
        rules[name.strip()] = value.partition("!")[0].strip()
    return rules


def _is_hidden(rules: Mapping[str, str]) -> bool:
    if _is_zero(rules.get("opacity", "")) or rules.get("content-visibility") == "hidden":
        return True
    sides = ("height", "max-height", "width", "max-width")
    if rules.get("overflow", "").startswith("hidden") and any(
        _is_zero(rules.get(side, "")) for side in sides
    ):
        return True
    return any(
        _leading_number(rules.get(side, "")) <= _OFF_SCREEN
        for side in ("left", "top", "text-indent")
    )


def _apply_rules(rules: Mapping[str, str], look: TextStyle) -> TextStyle:
    if "visibility" in rules:
        look = look._replace(visible=rules["visibility"] not in ("hidden", "collapse"))
    space = rules.get("white-space", "")
    if space:
        look = look._replace(kept=space.startswith(("pre", "break-spaces")))
    short = rules.get("font", "")
    size = _FONT_SIZE.search(short)
    look = _apply_font_size(look, rules.get("font-size", size[1] if size else ""))
    family = rules.get("font-family", short.rpartition(" ")[2] if size else "")
    return look._replace(font=_symbol_font(family)) if family else look


def _apply_font_size(look: TextStyle, size: str) -> TextStyle:
    if not size:
        return look
    match = _LENGTH.fullmatch(size)
    if match is None:  # a keyword, of which some are relative to the parent
        return look if size in ("inherit", "smaller", "larger") else look._replace(sized=True)
    if float(match[1]) == 0:
        return look._replace(sized=False)
    return look if match[2] in _RELATIVE else look._replace(sized=True)


def _symbol_font(family: str) -> str:
    name = family.partition(",")[0].strip(" '\"")
    return name if is_symbol_font(name) else ""


def _leading_number(value: str) -> float:
    match = _LENGTH.match(value)
    return float(match[1]) if match else 0.0


def _is_zero(value: str) -> bool:
    match = _LENGTH.match(value)
    return match is not None and float(match[1]) == 0


# The nesting limit of browsers.
_DEEPEST = 512

_DROPPED = frozenset(
    "head script style title template noembed noframes datalist audio video canvas desc metadata "
    "defs annotation annotation-xml rp".split()
)
_EXTERNAL_CONTENT = frozenset("iframe frame embed object applet".split())
_BLOCKS = frozenset(
    "html body address article aside blockquote center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing "
    "main menu nav ol p plaintext pre search section summary table tbody thead tfoot caption "
    "ul xmp textarea text".split()
)
_WITH_MARGIN = frozenset("p h1 h2 h3 h4 h5 h6 blockquote".split())
_PRESERVING = frozenset("pre textarea listing xmp plaintext".split())
_PICTURES = frozenset("img svg image canvas".split())
_ROW_DISPLAYS = {"tr": "table-row", "td": "table-cell", "th": "table-cell"}
_BOXES = ("☐", "☒")
_NO_VALUE = frozenset("hidden password file image color range".split())

_BLANK = re.compile(r"[ \t\n\r\f]+")
_PRIVATE = range(0xF000, 0xF100)


class _Lines:
    """Collects lines of text; white space is collapsed, and removed at both ends of a line."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._breaks = 2  # line breaks at the end
        self._blank = False  # whether a blank is due before the next letter
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
class _OpenElement:
    """An element that is not closed yet."""

    next: LexborNode | None
    look: TextStyle
    tag: str = ""
    display: str = ""
    spaced: bool = False
    cells: list[str] = field(default_factory=list)


class HtmlPage:
    """Writes the text of a page, at most `most` characters.

    `pictures` counts visible images.
    """

    def __init__(self, parser: LexborHTMLParser, most: int) -> None:
        self.pictures = 0
        self._left = most
        self._lines = _Lines()
        self._outer: list[_Lines] = []
        self._open = [_OpenElement(parser.root, TextStyle())]

    def text(self) -> str:
        """Return the text; raises Unreadable: `broken`, `unread-part`, `too-long`."""
        while self._open:
            element = self._open[-1]
            node = element.next
            if node is None:
                self._end(self._open.pop())
            else:
                element.next = node.next
                tag = node.tag or ""
                if tag == "-text":
                    self._write(node.text_content or "", element.look)
                elif not tag.startswith("-") and tag not in _DROPPED:
                    self._begin(node, tag, element.look)
        return self._lines.text()

    def _write(self, text: str, look: TextStyle) -> None:
        if not (look.visible and look.sized):
            return
        self._left -= len(text)
        if self._left < 0:
            raise Unreadable("too-long")
        if look.font or any("\uf000" <= char <= "\uf0ff" for char in text):
            text = "".join(_to_character(char, look.font) for char in text)
        if look.kept:
            self._lines.write_kept(text)
        else:
            self._lines.write(text)

    def _begin(self, node: LexborNode, tag: str, look: TextStyle) -> None:
        attributes = node.attributes
        style = parse_style(attributes, look)
        if style.gone or (tag == "dialog" and "open" not in attributes):
            return
        look = style.look._replace(kept=True) if tag in _PRESERVING else style.look
        if tag == "font" and "size" in attributes:
            look = look._replace(sized=True)
        self.pictures += tag in _PICTURES and look.visible
        if tag in _EXTERNAL_CONTENT:
            self._refuse_external_content(attributes)
        elif tag == "br":
            self._lines.break_line()
        elif tag in ("input", "select"):
            self._write(f" {_field_value(node, tag, attributes)} ", look)
        else:
            self._enter(node, tag, style._replace(look=look))

    def _enter(self, node: LexborNode, tag: str, style: ElementStyle) -> None:
        if len(self._open) > _DEEPEST:
            raise Unreadable("broken")
        display = style.display or _ROW_DISPLAYS.get(tag, "block" if tag in _BLOCKS else "inline")
        office = (node.attributes.get("class") or "").startswith("Mso")
        spaced = tag in _WITH_MARGIN and not style.tight and not office
        element = _OpenElement(node.child, style.look, tag, display, spaced)
        if display == "table-cell" and self._open_row() is not None:
            self._outer.append(self._lines)
            self._lines = _Lines()
        elif display == "table-cell":
            element.display = "block"
        elif display != "inline":
            self._lines.end_line(1 + spaced)
        self._open.append(element)

    def _end(self, element: _OpenElement) -> None:
        if element.display == "table-cell":
            text, self._lines = self._lines.text(), self._outer.pop()
            row = self._open_row()
            if row is not None:
                row.cells.append(text)
        elif element.display == "table-row":
            # Cells of several lines cannot be aligned in one row: they are written one by one.
            between = "\n" if any("\n" in cell for cell in element.cells) else "\t"
            line = between.join(element.cells).strip("\n")
            if line.strip():
                self._lines.end_line()
                self._lines.write_kept(line)
            self._lines.end_line()
        elif element.display not in ("inline", ""):
            self._lines.end_line(1 + element.spaced)

    def _open_row(self) -> _OpenElement | None:
        """Return the row that a new cell belongs to, which must be its parent."""
        parent = self._open[-1] if self._open else None
        return parent if parent and parent.display == "table-row" else None

    def _refuse_external_content(self, attributes: Mapping[str, str | None]) -> None:
        sides = (attributes.get("width"), attributes.get("height"))
        if any((side or "").strip() in ("0", "1", "0px", "1px") for side in sides):
            return
        if (attributes.get("type") or "").startswith("image/"):
            self.pictures += 1
        else:
            raise Unreadable("unread-part")


def _to_character(char: str, font: str) -> str:
    code = ord(char)
    if code in _PRIVATE or (font and 0x20 < code < 0x100 and char != "\u00a0"):
        return symbol(font, code)
    return char


def _field_value(node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> str:
    """Return the value shown in a form field."""
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


_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{3,}")

# Browsers look for the encoding in the first kilobyte (HTML, section 13.2.3.2), but some programs
# put long style sheets before it.
_SAID_WITHIN = 16_384
_META = re.compile(
    rb"<meta\b[^<>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^<>]*?\bencoding\s*=\s*[\"']"
    rb"([\w.:-]+)[\"']",
    re.IGNORECASE,
)
_BARE = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))

_XML = re.compile(r"\s*<\?xml\b|(?:(?!<body\b).){0,2000}?\bxmlns\s*=", re.I | re.S)
_INTERNAL_SUBSET = re.compile(r"<!doctype\b[^<>]*\[", re.IGNORECASE)
_CDATA = "<![CDATA["
# An empty XML element that HTML would extend to an end tag that is missing.
_RAW = "script|style|title|textarea|iframe|noscript|noembed|noframes|xmp|template|select|object"
_EMPTY_RAW = re.compile(rf"<({_RAW})\b((?:[^<>\"'/]|/(?!>)|\"[^\"]*+\"|'[^']*+')*+)/>", re.I)
_RAW_TAG = re.compile(r"<(/?)(script|style|title|textarea|iframe|noembed|noframes|xmp)\b", re.I)
_CUT_TAG = re.compile(r"<[A-Za-z/!?][^<>]*\Z")
_OPENED = re.compile(r"<html[\s>]", re.IGNORECASE)
_CLOSED = re.compile(r"</html\s*>", re.IGNORECASE)
_NOT_HERE = ("utf-16", "utf16", "unicode", "ucs-2")
_MOST_TAGS = 1_000_000
_BINARY = re.compile("[\0-\x08\x0e-\x1f]")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Extract a page of HTML or XHTML, or a fragment; a table row is a line.

    The encoding is that of the byte order mark or declaration, or else detected. Raises
    Unreadable: `broken` for a page that is truncated, nested too deep or declares entities;
    `unknown-encoding`; `mojibake`; `unread-part` for frames, whose content is external;
    `too-large`; `too-long`; `no-text-layer` for images only, `no-text`.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    return Extracted(extract_text(_decode(data), limits), "html")


def extract_text(source: str, limits: Limits) -> str:
    """Return the text of decoded markup; raises what `extract` raises."""
    if _BINARY.search(source):
        raise Unreadable("broken")
    if source.count("<") > _MOST_TAGS:
        raise Unreadable("too-large")
    source = _rewrite_xml(source.removeprefix("\ufeff").replace("\r\n", "\n"))
    # Refuse markup that ends within a tag, a comment or an invisible element.
    if _CUT_TAG.search(source) or (_OPENED.search(source) and not _CLOSED.search(source)):
        raise Unreadable("broken")
    if source.rfind("<!--") > source.rfind("-->"):
        raise Unreadable("broken")
    last = {match[2].lower(): match[1] for match in _RAW_TAG.finditer(source)}
    if not all(last.values()):
        raise Unreadable("broken")
    page = HtmlPage(LexborHTMLParser(source), 2 * limits.max_characters + 1000)
    text = _EMPTY_LINES.sub(
        "\n\n", _TRAILING.sub("", clean(repair_double_encoding(page.text())))
    ).strip("\n")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    if not text.strip():
        raise Unreadable("no-text-layer" if page.pictures else "no-text")
    return text


def _decode(data: bytes) -> str:
    for mark, codec in _BARE:
        if data.startswith(mark):
            return decode_as(data, codec)
    said = _META.search(data, 0, _SAID_WITHIN)
    label = (said[1] or said[2]).decode() if said else ""
    wide = (codec_by_label(label) or "").startswith(("utf-16", "utf-32"))
    if wide or label.lower() in _NOT_HERE:
        label = "utf-8"  # a declaration in ASCII cannot be UTF-16 (HTML, section 13.2.3.2)
    return decode_labelled(data, label)


def _rewrite_xml(source: str) -> str:
    """Rewrite XML syntax that means something else in HTML."""
    if _INTERNAL_SUBSET.search(source):
        raise Unreadable("broken")  # declares entities
    if _XML.match(source):
        first, *sections = source.split(_CDATA)
        source = first + "".join(map(_escape_section, sections))
        source = _EMPTY_RAW.sub(r"<\1\2></\1>", source)
    return source


def _escape_section(section: str) -> str:
    text, end, rest = section.partition("]]>")
    if not end:
        raise Unreadable("broken")
    return escape(text) + rest
