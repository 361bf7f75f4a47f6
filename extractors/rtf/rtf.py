"""Extraction of RTF (specification 1.9.1): the displayed text, without metadata and hidden text."""

import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field

from extractors.document.limits import Extracted, Limits
from extractors.plain.code_pages import repair_double_encoding
from extractors.plain.plain_text import clean, decode
from extractors.plain.symbol_fonts import symbol
from extractors.rtf.control_words import (
    BREAKS,
    CHARACTERS,
    DROPPED,
    HELD,
    MARGINS,
    RESUMED,
    SEEN,
    SIGNS,
    Font,
    Fonts,
    TokenKind,
    tokens,
)
from record.errors import Unreadable

# Fields that are rendered from their instruction, since they have no result.
_FIELD = re.compile(r"(?is)\s*(symbol|macrobutton|gotobutton|eq)\s+(\S+)\s*(.*)")
_SYMBOL_FONT = re.compile(r"(?i)\\f\s*\"?([^\"\\]+)")
_FIELD_BOXES = ("☐", "☒")
_UNSET = 25  # \ffres of a form field that shows its default
_CHECKBOX = 1
_LIST = 2

# A picture that covers half a page is a scan: 250 square centimetres, in square twips.
_SCAN_AREA = 250 * 567**2


@dataclass(slots=True)
class RtfForm:
    """A form field: a checkbox or a list."""

    kind: int = 0
    result: int = _UNSET
    default: int = 0
    entries: list[str] = field(default_factory=list, repr=False)

    def shown(self) -> str:
        """Return its value; empty for a text field, which has a result."""
        chosen = self.default if self.result == _UNSET else self.result
        if self.kind == _CHECKBOX:
            return _FIELD_BOXES[chosen == 1]
        if self.kind == _LIST and 0 <= chosen < len(self.entries):
            return self.entries[chosen]
        return ""


@dataclass(slots=True)
class Picture:
    """A picture: width and height in twips, their scaling in percent."""

    seen: bool = False
    behind: bool = False
    width: int = 0
    height: int = 0
    stretched: int = 100
    raised: int = 100

    @property
    def is_scan(self) -> bool:
        """Return whether it covers half a page and is not behind text."""
        area = self.width * self.height * self.stretched * self.raised / 10_000
        return not self.behind and area > _SCAN_AREA


def render_field(code: str) -> str:
    """Return the text of a field rendered from its instruction; empty for other fields."""
    match = _FIELD.match(code)
    if match is None:
        return ""
    kind, first, rest = match[1].lower(), match[2], match[3].strip()
    if kind == "eq":
        return f"{first} {rest}".strip()
    if kind != "symbol":
        return rest
    try:
        number = int(first, 0)
    except ValueError:
        return first
    font = _SYMBOL_FONT.search(rest)
    return symbol(font[1].strip() if font else "", number) if 0x20 <= number < 0x110000 else ""


class RtfStory:
    """Collects text; the cells of a table row become one line when the row ends."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._cells: list[str] = []
        self._boxes: list[RtfStory] = []
        self._row = 0  # start of the text that belongs to the current row, if it is one

    def write(self, text: str) -> None:
        """Add text."""
        self._out.append(text)

    def add_box(self, box: "RtfStory") -> None:
        """Add a text box anchored here, which is written after the paragraph."""
        self._boxes.append(box)

    def end_paragraph(self, *, in_table: bool) -> None:
        """Start a new line, in the same cell or after the table."""
        if in_table:
            self._out.append("\n")
            self._write_boxes()
            return
        self._write_row()
        self._out.append("\n")
        self._write_boxes()
        self._row = len(self._out)

    def end_cell(self) -> None:
        """Turn the text since the last cell into a cell."""
        self._write_boxes()
        self._cells.append("".join(self._out[self._row :]).strip("\n"))
        del self._out[self._row :]

    def end_row(self) -> None:
        """Write the cells as one line, or one by one if a cell has several lines."""
        self._write_row()
        self._row = len(self._out)

    def text(self) -> str:
        """Return the text, with surrogate pairs joined."""
        self._write_row()
        self._write_boxes()
        # An unpaired surrogate becomes U+FFFD.
        return "".join(self._out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _write_row(self) -> None:
        cells, self._cells = self._cells, []
        if not cells:
            return
        rest = self._out[self._row :]
        between = "\n" if any("\n" in cell for cell in cells) else "\t"
        self._out[self._row :] = [between.join(cells).rstrip("\t\n") + "\n", *rest]
        self._row += 1

    def _write_boxes(self) -> None:
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            text = box.text().strip("\n")
            if text.strip():
                before = "" if not self._out or self._out[-1].endswith("\n") else "\n"
                self._out.append(f"{before}{text}\n")


@dataclass(slots=True)
class _Group:
    """A group, whose properties hold until its closing brace.

    `story` collects the text and is None where it is not displayed; `outer` is the story that a
    nested destination may resume, `frame` the one that contains the innermost field.
    """

    story: RtfStory | None
    outer: RtfStory | None
    frame: RtfStory | None = None
    destination: str = ""
    font: int = -1
    fallback: int = 1
    hidden: bool = False
    deleted: bool = False
    in_table: bool = False
    behind: bool = False


_BOXES = ("shptxt", "dptxbxtext")
_NOTES = ("footnote", "annotation")
_CAPTURED = ("fldinst", "ffl", "sn", "sv")

_PROPERTIES: Mapping[str, tuple[str, Callable[[int | None], bool | int]]] = {
    "uc": ("fallback", lambda n: max(0, n or 0)),
    "v": ("hidden", lambda n: n != 0),
    "deleted": ("deleted", lambda n: n != 0),
    "mvf": ("deleted", lambda n: n != 0),
    "pard": ("in_table", lambda n: False),
    "intbl": ("in_table", lambda n: n != 0),
    "itap": ("in_table", bool),
    "shpfblwtxt": ("behind", lambda n: n == 1),
}
_OF_PICTURES = {
    "picwgoal": "width",
    "pichgoal": "height",
    "picscalex": "stretched",
    "picscaley": "raised",
}
_OF_FORMS = {"fftype": "kind", "ffres": "result", "ffdefres": "default"}
_OF_FONTS = {"fcharset": "charset", "cpg": "page"}
_CODE_PAGES = {"ansicpg": None, "mac": 10000, "pc": 437, "pca": 850}
_FLAGS = ("facingp", "titlepg")


class RtfReader:
    """Reads one document, up to `most` characters and some empty lines.

    `pictures` counts displayed pictures, `scans` those that cover half a page.
    """

    def __init__(self, most: int) -> None:
        self.pictures = 0
        self.scans = 0
        self._left = 2 * most + 1000
        self._fonts = Fonts()
        self._font = Font()  # the entry of the font table that is being read
        self._body = RtfStory()
        self._margins: list[tuple[str, RtfStory]] = []
        self._notes: list[RtfStory] = []
        self._comments: list[RtfStory] = []
        self._flags = {""}
        self._form = RtfForm()
        self._picture = Picture()
        self._property = ""
        self._letters = bytearray()
        self._skipping = 0  # characters to skip, which repeat one given as Unicode
        self._starred = False
        self._group = _Group(self._body, self._body)
        self._stack: list[_Group] = []
        self._words = {
            "u": self._take_unicode,
            "f": self._choose_font,
            "deff": self._choose_default,
            "plain": self._make_plain,
            "cell": self._end_cell,
            "row": self._end_row,
            "nestcell": self._end_nested_cell,
            "nestrow": self._end_nested_row,
            "fonttbl": self._begin_fonts,
            "field": self._begin_field,
            "formfield": self._begin_form,
            "pict": self._begin_picture,
        }

    def read(self, data: bytes) -> None:
        """Read the document; raises Unreadable: `broken`, `unknown-encoding`, `too-long`."""
        for token in tokens(data):
            if token.kind is TokenKind.LETTERS:
                skipped = min(self._skipping, len(token.data))
                self._skipping -= skipped
                if self._group.story is not None or self._group.destination == "fonttbl":
                    self._letters += token.data[skipped:]
                continue
            self._flush()
            if token.kind is TokenKind.WORD:
                self._take_word(token.data.decode(), token.number)
            elif token.kind is TokenKind.SIGN:
                if token.data == b"*":
                    self._starred = True
                elif token.data in SIGNS:
                    self._take_character(SIGNS[token.data])
            else:
                self._skipping, self._starred = 0, False
                self._open() if token.kind is TokenKind.OPEN else self._close()
        self._fonts.verify()

    def text(self) -> str:
        """Return headers, body, notes, comments and footers, separated by empty lines."""
        shown = [(kind, story) for kind, story in self._margins if MARGINS[kind] in self._flags]
        blocks = [
            *dict.fromkeys(_block([story]) for kind, story in shown if kind.startswith("header")),
            _block([self._body]),
            _block(self._notes),
            _block(self._comments),
            *dict.fromkeys(_block([story]) for kind, story in shown if kind.startswith("footer")),
        ]
        return "\n\n".join(block for block in blocks if block.strip())

    # Text

    def _flush(self) -> None:
        if not self._letters:
            return
        data = bytes(self._letters)
        self._letters.clear()
        if self._group.destination == "fonttbl":
            name, _, _ = data.decode("ascii", "replace").partition(";")
            self._font.name = (self._font.name + name).strip()
        elif b"\0" in data:
            raise Unreadable("broken")
        elif not self._is_hidden():
            self._write(self._fonts.decode(data, self._font_number()))

    def _take_character(self, character: str) -> None:
        if character in ("\t", "\n"):
            self._skipping = 0  # white space is never such a repetition
        if self._skipping:
            self._skipping -= 1
        elif character == "\n":
            self._end_paragraph()
        else:
            self._write(character)

    def _write(self, text: str) -> None:
        if self._group.story is not None and not self._is_hidden():
            self._show(self._group.story, text)

    def _show(self, story: RtfStory | None, text: str) -> None:
        if story is None or self._is_hidden():
            return
        self._left -= len(text)
        if self._left < 0:
            raise Unreadable("too-long")
        story.write(text)

    def _is_hidden(self) -> bool:
        return self._group.hidden or self._group.deleted

    def _font_number(self) -> int:
        return self._fonts.default if self._group.font < 0 else self._group.font

    # Groups and destinations

    def _open(self) -> None:
        self._stack.append(self._group)
        self._group = copy(self._group)
        if self._group.destination != "fonttbl":
            self._group.destination = ""

    def _close(self) -> None:
        group = self._group
        if group.destination in ("fldinst", "ffl", "sn", "sv") and group.story is not None:
            text = group.story.text()
            if group.destination == "fldinst":
                self._show(group.frame, render_field(text))
            elif group.destination == "ffl":
                self._form.entries.append(text.strip())
            elif group.destination == "sn":
                self._property = text.strip()
            elif self._property == "gtextUNICODE":
                art = RtfStory()
                self._show(art, text.strip())
                self._property = ""
                if group.outer is not None:
                    group.outer.add_box(art)
        elif group.destination == "formfield":
            self._show(group.frame, self._form.shown())
        elif group.destination == "pict":
            self.pictures += self._picture.seen
            self.scans += self._picture.seen and self._picture.is_scan
        self._group = self._stack.pop()
        if group.destination in _BOXES and group.story is not None and self._group.outer:
            self._group.outer.add_box(group.story)

    def _begin(self, destination: str, story: RtfStory | None) -> None:
        self._group.destination = destination
        self._group.story = story

    def _drop(self, word: str) -> None:
        self._begin(word, None)
        self._group.outer = self._group.frame = None

    def _begin_apart(self, destination: str) -> RtfStory | None:
        """Begin a story that stands elsewhere on the page; none where it would not be seen."""
        group = self._group
        if group.outer is None or self._is_hidden():
            self._drop(destination)
            return None
        story = RtfStory()
        self._group = _Group(story, story, destination=destination, fallback=group.fallback)
        return story

    # Words

    def _take_word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        if word in CHARACTERS:
            self._take_character(CHARACTERS[word])
            return
        # What repeats a character is a character; without one there is nothing to skip.
        self._skipping = 0
        if word in BREAKS:
            self._end_paragraph()
        elif word in self._words:
            self._words[word](number)
        elif not self._set(word, number):
            if word in DROPPED:
                self._drop(word)
            elif word in HELD:
                self._begin(word, None)
            elif word in RESUMED:
                self._begin(word, self._group.outer)
            elif word in MARGINS or word in _BOXES or word in _NOTES:
                story = self._begin_apart(word)
                if story is None or word in _BOXES:
                    return
                if word in MARGINS:
                    self._margins.append((word, story))
                else:
                    (self._notes if word == "footnote" else self._comments).append(story)
            elif word in _CAPTURED:
                if self._group.outer is None:
                    self._drop(word)
                    return
                self._begin(word, RtfStory())
                if word == "fldinst":
                    self._group.outer = self._group.story
            elif starred and word not in SEEN:
                self._drop(word)

    def _set(self, word: str, number: int | None) -> bool:
        """Note a property of the document, the group, or what is drawn."""
        if word in _PROPERTIES:
            name, value = _PROPERTIES[word]
            setattr(self._group, name, value(number))
        elif word in _OF_PICTURES:
            setattr(self._picture, _OF_PICTURES[word], number or 0)
        elif word in _OF_FORMS:
            setattr(self._form, _OF_FORMS[word], number or 0)
        elif word in _OF_FONTS:
            setattr(self._font, _OF_FONTS[word], number)
        elif word in _CODE_PAGES:
            self._fonts.page = _CODE_PAGES[word] or number or None
        elif word in _FLAGS:
            self._flags.add(word)
        else:
            return False
        return True

    def _take_unicode(self, number: int | None) -> None:
        code = number or 0
        if self._group.story is not None and not self._is_hidden():
            code += 0x10000 if code < 0 else 0
            self._write(self._fonts.character(code, self._font_number()))
        self._skipping = self._group.fallback

    def _end_paragraph(self) -> None:
        if self._group.story is not None:
            self._fonts.note_break()
            self._group.story.end_paragraph(in_table=self._group.in_table)

    def _end_cell(self, number: int | None) -> None:
        del number
        if self._group.story is not None:
            self._fonts.note_break()
            self._group.story.end_cell()

    def _end_row(self, number: int | None) -> None:
        del number
        if self._group.story is not None:
            self._group.story.end_row()

    def _end_nested_row(self, number: int | None) -> None:
        del number
        # It is among the row properties, which are not displayed.
        if self._group.outer is not None:
            self._group.outer.end_paragraph(in_table=True)

    def _end_nested_cell(self, number: int | None) -> None:
        del number
        self._fonts.note_break()
        if self._group.story is not None:
            self._group.story.write("\t")

    def _choose_font(self, number: int | None) -> None:
        if self._group.destination == "fonttbl":
            self._font = self._fonts.table[number or 0]
        else:
            self._group.font = number or 0

    def _choose_default(self, number: int | None) -> None:
        self._fonts.default = number or 0

    def _make_plain(self, number: int | None) -> None:
        del number
        group = self._group
        group.font, group.hidden, group.deleted = -1, False, False

    def _begin_fonts(self, number: int | None) -> None:
        del number
        self._drop("fonttbl")

    def _begin_field(self, number: int | None) -> None:
        del number
        self._group.frame = self._group.story

    def _begin_form(self, number: int | None) -> None:
        del number
        self._form = RtfForm()
        self._begin("formfield", None)

    def _begin_picture(self, number: int | None) -> None:
        del number
        group = self._group
        seen = group.outer is not None and not self._is_hidden()
        self._picture = Picture(seen=seen, behind=group.behind)
        self._drop("pict")


def _block(stories: Iterable[RtfStory]) -> str:
    return "\n".join(story.text().strip("\n") for story in stories)


_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{3,}")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Read a document of rich text: headers, body, notes, comments, footers; a table row is a line.

    Raises Unreadable: `broken` for groups that do not match or are nested too deep, and for what
    follows the document; `unknown-encoding`; `mojibake`; `too-large`; `too-long`;
    `page-without-text` where a picture covers half a page, `no-text-layer` where pictures are all
    there is, `no-text`.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    reader = RtfReader(limits.max_characters)
    reader.read(_as_bytes(data))
    text = _EMPTY_LINES.sub(
        "\n\n", _TRAILING.sub("", clean(repair_double_encoding(reader.text())))
    ).strip("\n")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    if reader.scans:
        raise Unreadable("page-without-text" if text else "no-text-layer")
    if not text.strip():
        raise Unreadable("no-text-layer" if reader.pictures else "no-text")
    return Extracted(text, "rtf")


def _as_bytes(data: bytes) -> bytes:
    """RTF has one byte a letter; stored as UTF-16 it is ASCII twice as long."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            data = decode(data).encode("ascii")
        except UnicodeEncodeError:
            raise Unreadable("unknown-encoding") from None
    data = data.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\0")
    if not data.startswith(b"{\\rtf"):
        raise Unreadable("broken")
    return data
