"""Stories of a word document (body, header, note, text box) to the text a reader sees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from extractors.plain.symbol_fonts import symbol
from extractors.word.xml_tree import each, first
from record.errors import Unreadable

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
"""Namespaces to the prefixes used here, those of the strict variant of the standard too."""

_DROPPED = frozenset(
    "w:del w:moveFrom w:instrText w:delText w:delInstrText w:pPr w:rPr w:tblPr w:tblPrEx w:trPr "
    "w:tcPr w:sectPr w:sdtPr w:sdtEndPr w:tblGrid w:fldData w:rubyPr w:customXmlPr w:smartTagPr "
    "w:softHyphen m:rPr m:fPr m:oMathParaPr".split()
)
_WRITTEN = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_WRAPPERS = frozenset("w:sdt w:sdtContent w:customXml w:smartTag w:ins w:moveTo".split())
_NOTES = frozenset(("w:footnoteReference", "w:endnoteReference", "w:commentReference"))
_ONE_LINE = str.maketrans("\t\n\r", "   ")
_OFF = frozenset(("0", "false", "off"))
_BOXES = ("☐", "☒")

# A picture that covers half a page is a scan: 250 square centimetres, in square EMU.
_SCAN_AREA = 250 * 360_000**2


class Styles:
    """Which styles hide the text written in them."""

    def __init__(self, root: Element | None) -> None:
        styles = list(each(root, "w:style"))
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
        """Return whether text is hidden, by the properties of its run and of its paragraph.

        Set in the styles of both, it cancels out (ISO/IEC 29500-1, 17.7.3).
        """
        direct = _toggle(run)
        if direct is not None:
            return direct
        by_paragraph = self._hides(_style(paragraph, "w:pStyle") or self._default)
        return by_paragraph != self._hides(_style(run, "w:rStyle"))

    def _hides(self, name: str) -> bool:
        seen: set[str] = set()
        while name in self._styles and name not in seen:
            seen.add(name)
            style = self._styles[name]
            hidden = _toggle(first(style, "w:rPr"))
            if hidden is not None:
                return hidden
            name = _style(style, "w:basedOn")
        return False


def _style(properties: Element | None, tag: str) -> str:
    return _value(first(properties, tag))


def _value(element: Element | None) -> str:
    return "" if element is None else element.get("w:val", "")


def _is_on(value: str) -> bool:
    return value.lower() not in _OFF


def is_set(element: Element | None) -> bool:
    """Return whether a property is there and on."""
    return element is not None and _is_on(element.get("w:val", "true"))


def _toggle(properties: Element | None) -> bool | None:
    vanish = first(properties, "w:vanish")
    return None if vanish is None else is_set(vanish)


@dataclass(slots=True)
class Met:
    """What stories refer to: notes by kind and id, and the pictures in them."""

    notes: list[tuple[str, str]] = field(default_factory=list)
    pictures: int = 0
    scans: int = 0


class Stories:
    """Writes the stories of one part of a document.

    `related` gives the text of a chart or diagram by the id of its relationship.
    """

    def __init__(self, styles: Styles, related: Callable[[str], str]) -> None:
        self.met = Met()
        self._styles = styles
        self._related = related
        self._out: list[str] = []
        self._boxes: list[str] = []  # text boxes of this paragraph: they follow it
        self._fields: list[bool] = []  # for each open field: whether its result is under way
        self._paragraph: Element | None = None
        self._font = ""
        self._silent = False
        self._writers = self._dispatch()

    def write(self, story: Element) -> str:
        """Write one story, its text boxes after the paragraphs that hold them.

        Raises Unreadable: `broken` for a field that swallows what follows, `unread-part` for
        contents that lie in another document.
        """
        outer = self._fields, self._boxes, self._paragraph, self._font
        self._fields, self._boxes, self._paragraph = [], [], None
        text = self._captured(story) + "".join(f"{box}\n" for box in self._boxes)
        if not all(self._fields):
            raise Unreadable("broken")
        self._fields, self._boxes, self._paragraph, self._font = outer
        return text.strip("\n")

    def _dispatch(self) -> dict[str, Callable[[Element], None]]:
        return {
            "w:p": self._write_paragraph,
            "a:p": self._write_line,
            "w:r": self._write_run,
            "w:t": self._write_text,
            "a:t": self._write_text,
            "m:t": self._write_text,
            "m:f": self._write_fraction,
            "w:sym": self._write_symbol,
            "w:tbl": self._write_table,
            "w:fldChar": self._turn_field,
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
            elif tag in _NOTES:
                self._meet_note(child)
            else:
                self._walk(child)

    def _captured(self, element: Element) -> str:
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
        properties = first(paragraph, "w:pPr")
        self._paragraph, self._boxes = properties, []
        self._walk(paragraph)
        if first(properties, "w:rPr", "w:del") is None:
            self._out.append("\n")
        self._out.extend(f"{box}\n" for box in self._boxes)
        self._paragraph, self._boxes = outer

    def _write_line(self, paragraph: Element) -> None:
        self._walk(paragraph)
        self._emit("\n")

    def _write_run(self, run: Element) -> None:
        outer = self._silent, self._font
        properties = first(run, "w:rPr")
        self._silent = self._silent or self._styles.hide(properties, self._paragraph)
        fonts = first(properties, "w:rFonts")
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
        parts = (first(fraction, "m:num"), first(fraction, "m:den"))
        self._emit("/".join(self._captured(part) for part in parts if part is not None))

    def _write_table(self, table: Element) -> None:
        for row in _inside(table, "w:tr"):
            deleted = first(row, "w:trPr", "w:del") is not None
            if deleted or is_set(first(row, "w:trPr", "w:hidden")):
                continue
            cells = [
                self._captured(cell).strip("\n")
                for cell in _inside(row, "w:tc")
                if first(cell, "w:tcPr", "w:cellDel") is None
            ]
            # Cells of several lines would not line up: they follow one another.
            between = "\n" if any("\n" in cell for cell in cells) else "\t"
            self._out.append(between.join(cells).rstrip("\t\n") + "\n")

    def _turn_field(self, mark: Element) -> None:
        kind = mark.get("w:fldCharType")
        if kind == "begin":
            self._emit(_form_value(first(mark, "w:ffData")))
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
        # Several ways to show one thing: the first one that holds text.
        for way in (*each(element, "mc:Choice"), *each(element, "mc:Fallback")):
            before = len(self._out) + len(self._boxes)
            self._walk(way)
            if len(self._out) + len(self._boxes) > before:
                return

    def _write_drawing(self, drawing: Element) -> None:
        if drawing.get("behindDoc", "0") in _OFF and _area(drawing) > _SCAN_AREA:
            self.met.scans += any(True for _ in drawing.iter("a:blip"))
        self._walk(drawing)

    def _count_picture(self, element: Element) -> None:
        del element
        self.met.pictures += not self._is_silent()

    def _meet_note(self, reference: Element) -> None:
        if not self._is_silent():
            kind = reference.tag.removeprefix("w:").removesuffix("Reference")
            self.met.notes.append((kind, reference.get("w:id", "")))

    def _refuse(self, element: Element) -> None:
        del element
        raise Unreadable("unread-part")


def _inside(element: Element, tag: str) -> Iterator[Element]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, tag)


def _form_value(form: Element | None) -> str:
    """What a form field of the old kind shows, where its result does not say it."""
    if form is None:
        return ""
    box = first(form, "w:checkBox")
    if box is not None:
        checked = first(box, "w:checked")
        return _BOXES[is_set(first(box, "w:default") if checked is None else checked)]
    entries = [_value(entry) for entry in each(form, "w:ddList", "w:listEntry")]
    results = ("w:result", "w:default")
    chosen = next((value for tag in results if (value := _value(first(form, "w:ddList", tag)))), "")
    index = int(chosen) if chosen.isdecimal() else 0
    return entries[index] if index < len(entries) else ""


def _area(drawing: Element) -> int:
    extent = first(drawing, "wp:extent")
    sides = [] if extent is None else [extent.get("cx", ""), extent.get("cy", "")]
    if len(sides) != 2 or not all(side.isdecimal() and len(side) < 12 for side in sides):
        return 0
    return int(sides[0]) * int(sides[1])
