"""Narrative blocks of clinical documents (HL7 CDA R2, 4.3.5) to lines of text."""

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from extractors.word.xml_tree import (
    each,
    first,
)

PREFIX = "h"

_BLANKS = re.compile(r"[ \t\r\n]+")
_LINE_BREAK = "\n"

# Elements that stand on lines of their own.
_BLOCKS = frozenset(
    f"{PREFIX}:{name}" for name in "paragraph caption list item table thead tbody tfoot tr".split()
)
_DROPPED = frozenset(f"{PREFIX}:{name}" for name in ("footnoteRef", "colgroup", "col"))


class Narrative:
    """Writes narrative blocks; `shown` writes what a reference to a multimedia object shows."""

    def __init__(self, shown: Callable[[str], str]) -> None:
        self._shown = shown
        self._out: list[str] = []
        self._footnotes: list[str] = []

    def write(self, block: Element) -> str:
        """Write a block: a line for each paragraph, item and row, cells parted by tabs.

        White space counts as one blank, as in a browser; deleted text is left out; footnotes
        follow their block.
        """
        text = self._captured(block)
        notes, self._footnotes = self._footnotes, []
        return "\n".join((text, *notes)).strip("\n")

    def _captured(self, element: Element) -> str:
        out, self._out = self._out, []
        self._walk(element)
        lines = "".join(self._out).split(_LINE_BREAK)
        self._out = out
        return "\n".join(kept for line in lines if (kept := line.strip(" ")))

    def _walk(self, element: Element) -> None:
        self._say(element.text)
        for child in element:
            self._write(child)
            self._say(child.tail)

    def _write(self, element: Element) -> None:
        tag = element.tag.removeprefix(f"{PREFIX}:")
        if element.tag in _DROPPED or element.get("revised") == "delete":
            return
        if tag == "br":
            self._out.append(_LINE_BREAK)
        elif tag == "tr":
            self._write_row(element)
        elif tag == "list":
            self._write_list(element)
        elif tag == "footnote":
            self._footnotes.append(self._captured(element))
        elif tag == "renderMultiMedia":
            self._write_multimedia(element)
        elif element.tag in _BLOCKS:
            self._write_block(element)
        else:
            self._walk(element)

    def _say(self, text: str | None) -> None:
        if not text:
            return
        text = _BLANKS.sub(" ", text)
        if self._out and self._out[-1].endswith((" ", _LINE_BREAK)):
            text = text.removeprefix(" ")
        self._out.append(text)

    def _write_block(self, element: Element) -> None:
        self._out.append(_LINE_BREAK)
        self._walk(element)
        self._out.append(_LINE_BREAK)

    def _write_row(self, row: Element) -> None:
        cells = [
            self._captured(cell)
            for cell in row
            if cell.tag in (f"{PREFIX}:td", f"{PREFIX}:th") and cell.get("revised") != "delete"
        ]
        # Cells of several lines would not line up: they follow one another.
        between = "\n" if any("\n" in cell for cell in cells) else "\t"
        self._out.append(f"\n{between.join(cells).rstrip()}\n")

    def _write_list(self, element: Element) -> None:
        caption = first(element, f"{PREFIX}:caption")
        self._out.append(f"\n{'' if caption is None else self._captured(caption)}\n")
        ordered = element.get("listType") == "ordered"
        items = [
            item for item in each(element, f"{PREFIX}:item") if item.get("revised") != "delete"
        ]
        for number, item in enumerate(items, 1):
            text = self._captured(item)
            if text:
                self._out.append(f"\n{f'{number}.' if ordered else '-'} {text}\n")

    def _write_multimedia(self, element: Element) -> None:
        caption = first(element, f"{PREFIX}:caption")
        lines = ["" if caption is None else self._captured(caption)]
        lines += map(self._shown, element.get("referencedObject", "").split())
        self._out.append("\n" + "\n".join(lines) + "\n")
