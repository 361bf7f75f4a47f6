"""Extraction of Word documents (Office Open XML, ISO/IEC 29500): visible text, no metadata."""

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree.ElementTree import Element

from extractors.document.limits import Extracted, Limits
from extractors.plain.plain_text import clean
from extractors.plain.symbol_fonts import symbol
from extractors.word.xml_tree import find_all, find_first, parse_xml
from record.errors import Unreadable

_MOST_MEMBERS = 5_000
_MEMBER_MARK = b"PK\x01\x02"
_HEADER_BYTES = 30  # of a member, before its name
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED_FLAG = 0x41  # bits of a member's flags: encrypted, strongly encrypted

# XML text compresses to a tenth, repetitive tables to a fiftieth: more is a zip bomb.
_MOST_RATIO = 200
_RATIO_FROM_BYTES = 4_000_000

_SHAPE_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, LookupError, OverflowError),
)


class Archive:
    """The members of a zip archive, by name regardless of case.

    The total decompressed size is limited to `limits.max_bytes`. Raises Unreadable: `broken` for
    an invalid archive, two members of one name, or overlapping members; `encrypted`; `too-large`.
    """

    def __init__(self, data: bytes, limits: Limits) -> None:
        if len(data) > limits.max_bytes or data.count(_MEMBER_MARK) > _MOST_MEMBERS:
            raise Unreadable("too-large")
        self._left = limits.max_bytes
        try:
            self._file = zipfile.ZipFile(io.BytesIO(data))
        except _SHAPE_ERRORS:
            raise Unreadable("broken") from None
        members = self._file.infolist()
        size = len(data)
        spans = sorted((one.header_offset, one.compress_size) for one in members)
        spans.append((size, 0))
        for (start, length), (following, _) in pairwise(spans):
            if start < 0 or start + _HEADER_BYTES + length > following:
                raise Unreadable("broken")
        self._members = {_normalize_name(member.filename): member for member in members}
        if len(self._members) < len(members):
            raise Unreadable("broken")

    def __contains__(self, name: str) -> bool:
        return _normalize_name(name) in self._members

    def read(self, name: str) -> bytes:
        """Decompress one member; Unreadable(`broken`) if it is missing or damaged."""
        member = self._members.get(_normalize_name(name))
        if member is None or member.compress_type not in _COMPRESSIONS:
            raise Unreadable("broken")
        if member.flag_bits & _ENCRYPTED_FLAG:
            raise Unreadable("encrypted")
        try:
            with self._file.open(member) as file:
                # Sizes in the archive may be false: never read more than the limit allows.
                content = file.read(self._left + 1)
        except _SHAPE_ERRORS:
            raise Unreadable("broken") from None
        size = len(content)
        if size > self._left or size > max(_RATIO_FROM_BYTES, _MOST_RATIO * member.compress_size):
            raise Unreadable("too-large")
        self._left -= size
        return content


def _normalize_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


_MAIN = "http://schemas.openxmlformats.org"
_STRICT = "http://purl.oclc.org/ooxml"
PREFIXES = {
    **{
        f"{base}/{path}": prefix
        for base, middle in ((_MAIN, "/2006"), (_STRICT, ""))
        for path, prefix in (
            (f"wordprocessingml{middle}/main", "w"),
            (f"officeDocument{middle}/relationships", "r"),
            (f"officeDocument{middle}/math", "m"),
            (f"drawingml{middle}/main", "a"),
            (f"drawingml{middle}/chart", "c"),
            (f"drawingml{middle}/diagram", "dgm"),
            (f"drawingml{middle}/wordprocessingDrawing", "wp"),
            (f"package{middle}/relationships", "rel"),
        )
    },
    f"{_MAIN}/markup-compatibility/2006": "mc",
    "urn:schemas-microsoft-com:vml": "v",
    "http://www.w3.org/XML/1998/namespace": "xml",
}
"""Namespaces, also those of the strict variant of the standard, to the prefixes used here."""

_DROPPED = frozenset(
    "w:del w:moveFrom w:instrText w:delText w:delInstrText w:pPr w:rPr w:tblPr w:tblPrEx w:trPr "
    "w:tcPr w:sectPr w:sdtPr w:sdtEndPr w:tblGrid w:fldData w:rubyPr w:customXmlPr w:smartTagPr "
    "w:softHyphen m:rPr m:fPr m:oMathParaPr".split()
)
_WRITTEN = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_WRAPPERS = frozenset("w:sdt w:sdtContent w:customXml w:smartTag w:ins w:moveTo".split())
_NOTE_REFERENCES = frozenset(("w:footnoteReference", "w:endnoteReference", "w:commentReference"))
_ONE_LINE = str.maketrans("\t\n\r", "   ")
_OFF = frozenset(("0", "false", "off"))
_BOXES = ("☐", "☒")

# A picture that covers half a page is a scan: 250 square centimetres, in square EMU.
_SCAN_AREA = 250 * 360_000**2


class Styles:
    """The styles of a document, and which of them hide text."""

    def __init__(self, root: Element | None) -> None:
        styles = list(find_all(root, "w:style"))
        self._styles = {style.get("w:styleId", ""): style for style in styles}
        self._default = next(
            (
                style.get("w:styleId", "")
                for style in styles
                if style.get("w:type") == "paragraph" and _is_on(style.get("w:default", "0"))
            ),
            "",
        )

    def hide(self, run: Element | None, paragraph: Element | None) -> bool:
        """Return whether text with these run and paragraph properties is hidden.

        Hiding set in the styles of both cancels out (ISO/IEC 29500-1, 17.7.3).
        """
        direct = _hidden_setting(run)
        if direct is not None:
            return direct
        by_paragraph = self._style_hides(_style_name(paragraph, "w:pStyle") or self._default)
        return by_paragraph != self._style_hides(_style_name(run, "w:rStyle"))

    def _style_hides(self, name: str) -> bool:
        seen: set[str] = set()
        while name in self._styles and name not in seen:
            seen.add(name)
            style = self._styles[name]
            hidden = _hidden_setting(find_first(style, "w:rPr"))
            if hidden is not None:
                return hidden
            name = _style_name(style, "w:basedOn")
        return False


def _style_name(properties: Element | None, tag: str) -> str:
    return _attribute_value(find_first(properties, tag))


def _attribute_value(element: Element | None) -> str:
    return "" if element is None else element.get("w:val", "")


def _is_on(value: str) -> bool:
    return value.lower() not in _OFF


def is_set(element: Element | None) -> bool:
    """Return whether a property is present and on."""
    return element is not None and _is_on(element.get("w:val", "true"))


def _hidden_setting(properties: Element | None) -> bool | None:
    vanish = find_first(properties, "w:vanish")
    return None if vanish is None else is_set(vanish)


@dataclass(slots=True)
class StoryReferences:
    """What stories refer to: notes by kind and id, and the number of pictures and scans."""

    notes: list[tuple[str, str]] = field(default_factory=list)
    pictures: int = 0
    scans: int = 0


class Stories:
    """Writes the stories (body, header, note, text box) of one part of a document as text.

    `related` returns the text of a chart or diagram by the id of its relationship.
    """

    def __init__(self, styles: Styles, related: Callable[[str], str]) -> None:
        self.references = StoryReferences()
        self._styles = styles
        self._related = related
        self._out: list[str] = []
        self._boxes: list[str] = []  # text boxes of this paragraph, written after it
        self._fields: list[bool] = []  # for each open field, whether its result has begun
        self._paragraph: Element | None = None
        self._font = ""
        self._silent = False
        self._writers = {
            "w:p": self._write_paragraph,
            "a:p": self._write_line,
            "w:r": self._write_run,
            "w:t": self._write_text,
            "a:t": self._write_text,
            "m:t": self._write_text,
            "m:f": self._write_fraction,
            "w:sym": self._write_symbol,
            "w:tbl": self._write_table,
            "w:fldChar": self._switch_field,
            "w:txbxContent": self._write_box,
            "w:altChunk": self._refuse,
            "w:subDoc": self._refuse,
            "mc:AlternateContent": self._write_alternative,
            "wp:inline": self._write_drawing,
            "wp:anchor": self._write_drawing,
            "v:imagedata": self._count_picture,
            "a:blip": self._count_picture,
            "v:textpath": self._write_word_art,
            "c:chart": self._write_related,
            "dgm:relIds": self._write_related,
        }

    def write(self, story: Element) -> str:
        """Write one story, each text box after the paragraph it is anchored in.

        Raises Unreadable: `broken` for a field that is not closed, `unread-part` for content in
        another document.
        """
        outer = self._fields, self._boxes, self._paragraph, self._font
        self._fields, self._boxes, self._paragraph = [], [], None
        text = self._capture(story) + "".join(f"{box}\n" for box in self._boxes)
        if not all(self._fields):
            raise Unreadable("broken")
        self._fields, self._boxes, self._paragraph, self._font = outer
        return text.strip("\n")

    def _walk(self, element: Element) -> None:
        for child in element:
            tag = child.tag
            if tag in _DROPPED:
                continue
            writer = self._writers.get(tag)
            if writer is not None:
                writer(child)
            elif tag in _WRITTEN:
                self._emit(_WRITTEN[tag])
            elif tag in _NOTE_REFERENCES:
                if not self._is_silent():
                    kind = child.tag.removeprefix("w:").removesuffix("Reference")
                    self.references.notes.append((kind, child.get("w:id", "")))
            else:
                self._walk(child)

    def _capture(self, element: Element) -> str:
        out, self._out = self._out, []
        self._walk(element)
        text = "".join(self._out)
        self._out = out
        return text

    def _emit(self, text: str) -> None:
        if not self._is_silent():
            self._out.append(text)

    def _is_silent(self) -> bool:
        return self._silent or not all(self._fields)

    def _write_paragraph(self, paragraph: Element) -> None:
        outer = self._paragraph, self._boxes
        properties = find_first(paragraph, "w:pPr")
        self._paragraph, self._boxes = properties, []
        self._walk(paragraph)
        if find_first(properties, "w:rPr", "w:del") is None:
            self._out.append("\n")
        self._out.extend(f"{box}\n" for box in self._boxes)
        self._paragraph, self._boxes = outer

    def _write_line(self, paragraph: Element) -> None:
        self._walk(paragraph)
        self._emit("\n")

    def _write_run(self, run: Element) -> None:
        outer = self._silent, self._font
        properties = find_first(run, "w:rPr")
        self._silent = self._silent or self._styles.hide(properties, self._paragraph)
        fonts = find_first(properties, "w:rFonts")
        self._font = "" if fonts is None else fonts.get("w:ascii", "")
        self._walk(run)
        self._silent, self._font = outer

    def _write_text(self, element: Element) -> None:
        text = (element.text or "").translate(_ONE_LINE)
        if element.tag == "w:t" and element.get("xml:space") != "preserve":
            text = text.strip()
        if any("\uf000" <= char <= "\uf0ff" for char in text):
            text = "".join(symbol(self._font, ord(char)) for char in text)
        self._emit(text)

    def _write_symbol(self, element: Element) -> None:
        try:
            code = int(element.get("w:char", ""), 16)
        except ValueError:
            raise Unreadable("broken") from None
        self._emit(symbol(element.get("w:font", ""), code))

    def _write_fraction(self, fraction: Element) -> None:
        parts = (find_first(fraction, "m:num"), find_first(fraction, "m:den"))
        self._emit("/".join(self._capture(part) for part in parts if part is not None))

    def _write_table(self, table: Element) -> None:
        for row in _find_unwrapped(table, "w:tr"):
            deleted = find_first(row, "w:trPr", "w:del") is not None
            if deleted or is_set(find_first(row, "w:trPr", "w:hidden")):
                continue
            cells = [
                self._capture(cell).strip("\n")
                for cell in _find_unwrapped(row, "w:tc")
                if find_first(cell, "w:tcPr", "w:cellDel") is None
            ]
            # Cells of several lines cannot be aligned in one row: they are written one by one.
            between = "\n" if any("\n" in cell for cell in cells) else "\t"
            self._out.append(between.join(cells).rstrip("\t\n") + "\n")

    def _switch_field(self, mark: Element) -> None:
        kind = mark.get("w:fldCharType")
        if kind == "begin":
            self._emit(_form_value(find_first(mark, "w:ffData")))
            self._fields.append(False)
        elif self._fields and kind == "separate":
            self._fields[-1] = True
        elif self._fields and kind == "end":
            self._fields.pop()

    def _write_box(self, box: Element) -> None:
        if not self._is_silent():
            self._add_box(self.write(box))

    def _write_related(self, element: Element) -> None:
        name = element.get("r:id") or element.get("r:dm")
        if name and not self._is_silent():
            self._add_box(self._related(name))

    def _write_word_art(self, element: Element) -> None:
        if not self._is_silent():
            self._add_box(element.get("string", "").translate(_ONE_LINE))

    def _add_box(self, text: str) -> None:
        if text.strip():
            self._boxes.append(text)

    def _write_alternative(self, element: Element) -> None:
        # Alternative representations of one object: the first one that holds text.
        for way in (*find_all(element, "mc:Choice"), *find_all(element, "mc:Fallback")):
            before = len(self._out) + len(self._boxes)
            self._walk(way)
            if len(self._out) + len(self._boxes) > before:
                return

    def _write_drawing(self, drawing: Element) -> None:
        if drawing.get("behindDoc", "0") in _OFF and _drawing_area(drawing) > _SCAN_AREA:
            self.references.scans += any(True for _ in drawing.iter("a:blip"))
        self._walk(drawing)

    def _count_picture(self, element: Element) -> None:
        del element
        self.references.pictures += not self._is_silent()

    def _refuse(self, element: Element) -> None:
        del element
        raise Unreadable("unread-part")


def _find_unwrapped(element: Element, tag: str) -> Iterator[Element]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _find_unwrapped(child, tag)


def _form_value(form: Element | None) -> str:
    """Return what a legacy form field shows, where its result does not hold it."""
    if form is None:
        return ""
    box = find_first(form, "w:checkBox")
    if box is not None:
        checked = find_first(box, "w:checked")
        return _BOXES[is_set(find_first(box, "w:default") if checked is None else checked)]
    entries = [_attribute_value(entry) for entry in find_all(form, "w:ddList", "w:listEntry")]
    results = ("w:result", "w:default")
    chosen = next(
        (
            value
            for tag in results
            if (value := _attribute_value(find_first(form, "w:ddList", tag)))
        ),
        "",
    )
    index = int(chosen) if chosen.isdecimal() else 0
    return entries[index] if index < len(entries) else ""


def _drawing_area(drawing: Element) -> int:
    extent = find_first(drawing, "wp:extent")
    sides = [] if extent is None else [extent.get("cx", ""), extent.get("cy", "")]
    if len(sides) != 2 or not all(side.isdecimal() and len(side) < 12 for side in sides):
        return 0
    return int(sides[0]) * int(sides[1])


_CONTENT_TYPES = "[Content_Types].xml"
_NOTE_PARTS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_NO_NOTES = frozenset(("separator", "continuationSeparator", "continuationNotice"))
_KINDS = ("default", "first", "even")

# Old documents, and encrypted ones of any age, are OLE compound files.
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")

_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{3,}")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Extract headers, body, footers, notes and comments; a table row is a line.

    Deleted and hidden text, field codes, metadata, embedded and linked objects are left out.
    Raises Unreadable: `broken`, `encrypted`, `too-large`, `too-long`, `unknown-format` for other
    files, `unread-part` for content in another document, `page-without-text` where a picture
    covers half a page, `no-text-layer` for pictures only, `no-text`.
    """
    if data.startswith(_COMPOUND):
        raise Unreadable("encrypted" if _ENCRYPTED in data else "unknown-format")
    text = clean(_Package(Archive(data, limits)).text())
    text = _EMPTY_LINES.sub("\n\n", _TRAILING.sub("", text)).strip("\n")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "docx")


@dataclass(frozen=True, slots=True)
class _Relationship:
    kind: str
    part: str
    outside: bool


class _Package:
    """The visible parts of a document."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        if _CONTENT_TYPES not in archive:
            raise Unreadable("unknown-format")
        self._main = next(
            (
                link.part
                for link in self._relationships("").values()
                if link.kind == "officeDocument"
            ),
            "",
        )
        if self._main not in archive:
            raise Unreadable("broken" if self._main else "unknown-format")
        self._main_links = self._relationships(self._main)
        self._shown: set[str] = set()  # charts and diagrams are written once

    def text(self) -> str:
        document = self._parse(self._main)
        body = find_first(document, "w:body")
        if document.tag != "w:document" or body is None:
            raise Unreadable("unknown-format" if document.tag != "w:document" else "broken")
        styles = Styles(self._parse_part("styles"))
        heads: dict[str, None] = {}
        feet: dict[str, None] = {}
        for tag, part in self._header_footer_parts(body):
            text, _ = self._write_story(part, self._parse(part), styles)
            (heads if tag == "w:headerReference" else feet).setdefault(text)
        text, references = self._write_story(self._main, body, styles)
        blocks = [*heads, text, *self._write_notes(references, styles), *feet]
        blocks = [block for block in blocks if block.strip()]
        has_text = bool(blocks)
        if references.scans:
            raise Unreadable("page-without-text" if has_text else "no-text-layer")
        if not has_text:
            raise Unreadable("no-text-layer" if references.pictures else "no-text")
        return "\n\n".join(blocks)

    def _write_story(self, part: str, root: Element, styles: Styles) -> tuple[str, StoryReferences]:
        links = self._relationships(part)

        def related(name: str) -> str:
            return self._graphic_text(links[name]) if name in links else ""

        stories = Stories(styles, related)
        return stories.write(root), stories.references

    def _header_footer_parts(self, body: Element) -> Iterator[tuple[str, str]]:
        """Return the reference element and part of each header and footer shown, once each."""
        settings = self._parse_part("settings")
        even = is_set(find_first(settings, "w:evenAndOddHeaders"))
        current: dict[tuple[str, str], str] = {}  # a section inherits those of the previous one
        given: set[str] = set()
        for section in _sections(body):
            for reference in section:
                if reference.tag in ("w:headerReference", "w:footerReference"):
                    key = reference.tag, reference.get("w:type", "default")
                    current[key] = reference.get("r:id", "")
            titled = is_set(find_first(section, "w:titlePg"))
            shown = {"default": True, "first": titled, "even": even}
            for kind in _KINDS:
                for tag in ("w:headerReference", "w:footerReference"):
                    link = self._main_links.get(current.get((tag, kind), ""))
                    if link and shown[kind] and link.part not in given:
                        given.add(link.part)
                        yield tag, link.part

    def _write_notes(self, references: StoryReferences, styles: Styles) -> Iterator[str]:
        for kind, part_kind in _NOTE_PARTS.items():
            wanted = dict.fromkeys(name for one, name in references.notes if one == kind)
            part = self._part(part_kind)
            if not wanted or not part:
                continue
            notes = {
                note.get("w:id", ""): note
                for note in find_all(self._parse(part), f"w:{kind}")
                if note.get("w:type") not in _NO_NOTES
            }
            texts = [
                self._write_story(part, notes[name], styles)[0] for name in wanted if name in notes
            ]
            yield "\n".join(texts)

    def _graphic_text(self, link: _Relationship) -> str:
        """Return the distinct lines of text in a chart or diagram."""
        if link.outside:
            raise Unreadable("unread-part")
        if link.part in self._shown:
            return ""
        self._shown.add(link.part)
        root = self._parse(link.part)
        lines = [
            "".join(text.text or "" for text in element.iter("a:t"))
            if element.tag == "a:p"
            else element.text or ""
            for element in root.iter()
            if element.tag in ("a:p", "c:v")
        ]
        return "\n".join(line for line in dict.fromkeys(lines) if line.strip())

    def _parse_part(self, kind: str) -> Element | None:
        part = self._part(kind)
        return self._parse(part) if part else None

    def _part(self, kind: str) -> str:
        links = self._main_links.values()
        return next((link.part for link in links if link.kind == kind and not link.outside), "")

    def _parse(self, part: str) -> Element:
        return parse_xml(self._archive.read(part), PREFIXES)

    def _relationships(self, part: str) -> dict[str, _Relationship]:
        folder, name = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{name}.rels")
        if rels not in self._archive:
            return {}
        return {
            link.get("Id", ""): _Relationship(
                link.get("Type", "").rpartition("/")[2],
                _resolve_target(folder, link.get("Target", "")),
                link.get("TargetMode") == "External",
            )
            for link in find_all(self._parse(rels), "rel:Relationship")
        }


def _resolve_target(folder: str, target: str) -> str:
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(folder, target))


def _sections(body: Element) -> Iterator[Element]:
    for properties in body.iter("w:pPr"):
        yield from find_all(properties, "w:sectPr")
    yield from find_all(body, "w:sectPr")
