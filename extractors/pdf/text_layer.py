"""Checks that the text layer of a PDF page is the visible text: not garbled, hidden or missing."""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any

import hyperscan
import numpy as np
import pymupdf
from numpy.typing import NDArray

from extractors.document.lines import Box, Line
from extractors.document.quality import BROKEN_CHARACTER, has_garbled_characters
from extractors.pdf.lying_fonts import FontCheck
from extractors.pdf.mupdf_page import (
    Area,
    Blocks,
    GreyRendering,
    MupdfPage,
    drawn_areas,
    plain_areas,
)
from extractors.pdf.scattered_letters import has_scattered_words
from record.folding import fold


class OperatorKind(StrEnum):
    """Kinds of operators in a content stream."""

    PAINTS = "paints"
    """Fills an area, or draws an image, a shading or a form."""
    PICTURES = "pictures"
    """Draws an image or a form, or may fill with a pattern."""
    INTRICATE = "intricate"
    """Clipping, patterns, shadings, images, forms and transparency."""


_OPERATORS = {
    OperatorKind.PAINTS: rb"[fFBb]\*?|sh|Do|EI",
    OperatorKind.PICTURES: rb"Do|BI|scn|SCN",
    OperatorKind.INTRICATE: rb"W\*?|scn|SCN|sh|BI|EI|Do|gs",
}
_KINDS = tuple(_OPERATORS)
# An operator ends at a blank or at the start of an operand. It begins after a blank, at the end of
# an operand, or directly after a number: PDF readers split `0f`.
_BEFORE = rb"(?:^|[\s\0\]>)}\d.])"
_AFTER = rb"(?:[\s\0/\[\](<>){}%]|$)"


class _Automaton(threading.local):
    # The scratch space of a scan belongs to one thread.
    def __init__(self) -> None:
        self.database: Any = hyperscan.Database()
        self.database.compile(
            expressions=[_BEFORE + b"(?:" + some + b")" + _AFTER for some in _OPERATORS.values()],
            ids=list(range(len(_KINDS))),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH] * len(_KINDS),
        )


_AUTOMATON = _Automaton()


def find_operator_kinds(content: bytes) -> tuple[OperatorKind, ...]:
    """Return the kinds of operators that may occur in a content stream or part of one, once each.

    A part must not begin or end within a word.
    """
    found: list[OperatorKind] = []

    def report(number: int, *_: object) -> None:
        found.append(_KINDS[number])

    _AUTOMATON.database.scan(content, match_event_handler=report)
    return tuple(found)


_Boxes = NDArray[np.float64]  # shape: (boxes, 4)


class TextLayer(StrEnum):
    """The state of the text layer of a page."""

    SOUND = "sound"
    BLANK = "blank"
    """The page is blank."""
    NONE = "none"
    """There is no text, or very little beside a picture of text: an image or outlines."""
    GARBLED = "garbled"
    """The characters are not the ones displayed."""
    HIDDEN = "hidden"
    """Some text is invisible: too small, white on white, covered, or not drawn."""
    OVERLAID = "overlaid"
    """All text is invisible, over or under an image: to be checked by `matches_recognized`."""


# Fonts that map glyphs to other letters. These eight letters make up 64 to 67 % of French, English
# and Spanish and nearly as much of other languages in Latin script, but a third of such a text.
_FREQUENT = b"eaisntro"
_NO_SMALL_LETTERS = bytes(set(range(256)) - set(range(ord("a"), ord("z") + 1)))
_ENOUGH_LETTERS = 100
_LATIN = 0.25
_MANY_RARE = 0.5

_DRAWN = 16 | 32  # spans whose letters are filled, stroked
_TINY = 1.5  # points; print begins at 4
_THIN = 0.15  # points per letter
_PALE = 0xD8
_MAY_BE_PALE = _PALE << 16
_FEW_HIDDEN = 4  # letters and digits: a name may be as short
_SAME_SHADE = 12  # of 255
_MOSTLY = 0.5

_COVERED = 0.75  # of the height of letters
_COVER = 3.0  # points
_MARGIN = 0.2
_SAME_PLACE = 1.0  # points
_LARGE_PICTURE = 0.5  # of the page
_LARGE_LETTER = 30.0  # points
_MANY_OUTLINES = 150  # more than a logo has
_FEW_ROWS = 0.2  # of the height of the page: a stamped header, a footer
_FEWEST_ROWS = 0.05  # a line or two

_WORD = re.compile(r"\w{2,}")
_AGREEMENT = 0.6  # two engines that read a faint page well still differ in one word of ten

_TEXT = ("fill-text", "stroke-text")
_PAINT = ("fill-path", "fill-shade", "fill-image")
_PICTURE = frozenset(("fill-image", "fill-imgmask"))

_SHOWS = re.compile(rb"[)\]>]\s*(?:T[jJ]|['\"])")  # text, in a content stream
_STRINGS = re.compile(rb"\((?:[^()\\]++|\\.)*+\)|<[\da-fA-F\s]*+>", re.DOTALL)
_UNSURE = (b"%", b"<", b"(", b")")  # comments or nested strings, which `_STRINGS` cannot parse
_INLINE = re.compile(rb"\bBI\b")


def judge_text_layer(sheet: MupdfPage, blocks: Blocks, fonts: FontCheck | None = None) -> TextLayer:
    """Return the state of the text layer of a page with the text blocks `blocks`.

    `fonts` keeps what is known of the document's fonts from page to page.
    Cheap checks suffice for an ordinary page; doubtful ones are rendered.
    """
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    raw = "".join([span["text"] for span in spans])
    doubtful = "\ufffd" in raw or "(cid:" in raw
    # Broken characters other than U+FFFD are not printable, which is faster to check.
    doubtful = doubtful or not (raw.isprintable() or BROKEN_CHARACTER.search(raw) is None)
    if not (BROKEN_CHARACTER.sub("", raw) if doubtful else raw).strip():
        return TextLayer.BLANK if _is_blank(sheet.page) else TextLayer.NONE
    if (doubtful and has_garbled_characters(raw)) or _is_disguised(spans, raw):
        return TextLayer.GARBLED
    if (fonts or FontCheck()).is_lied_to(sheet.as_pdf) or has_scattered_words(sheet, blocks):
        return TextLayer.GARBLED
    look = _PageView(sheet)
    unseen = _count_hidden(spans, look)
    if look.may_be_covered:
        # Count letters covered by an image or area that was painted after them
        if not look.paint.size:
            covered = 0.0
        else:
            written = ((span["bbox"], _count_letters(span["text"])) for span in spans)
            covered = sum(letters * look.covered_share(box) for box, letters in written if letters)
        unseen = max(unseen, covered)
    if unseen >= _FEW_HIDDEN:
        if unseen <= _MOSTLY * _count_letters(raw):
            return TextLayer.HIDDEN
        # The text of a scan, unless that is a line or two, of a whole page.
        lacks_text = _has_few_rows(spans, sheet, _FEWEST_ROWS) and _is_picture(look)
        return TextLayer.NONE if lacks_text else TextLayer.OVERLAID
    if look.may_paint and _has_few_rows(spans, sheet, _FEW_ROWS) and _is_picture(look):
        return TextLayer.NONE
    return TextLayer.SOUND


def drop_undrawn(blocks: Blocks) -> bool:
    """Remove the characters that are not drawn; return whether there were any.

    A few of them do not make a page doubtful, but can split a name. Spaces stay.
    """
    found = False
    for block in blocks:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                if not (span["char_flags"] & _DRAWN and span["alpha"]) and span["text"].strip():
                    span["text"] = "".join(filter(str.isspace, span["text"]))
                    found = True
    return found


def matches_recognized(lines: Iterable[Line], recognized: Iterable[Line]) -> bool:
    """Return whether a text layer agrees with OCR of the same page.

    Most words of each must occur in the other; accents and case are ignored.
    """
    said, seen = _vocabulary(lines), _vocabulary(recognized)
    if not said or not seen:
        return said == seen
    return (said & seen).total() >= _AGREEMENT * max(said.total(), seen.total())


def _vocabulary(lines: Iterable[Line]) -> Counter[str]:
    return Counter(_WORD.findall(fold(" ".join(line.text for line in lines))))


def _is_disguised(spans: Sequence[Mapping[str, Any]], raw: str) -> bool:
    if _has_rare_letters(raw):
        return True
    letters = sum(char.isascii() and char.isalpha() for char in raw)
    if letters < max(_ENOUGH_LETTERS, _MOSTLY * len(raw)):
        return False  # the Latin letters of another script are names and addresses
    by_font: dict[str, list[str]] = {}
    for span in spans:
        by_font.setdefault(span["font"], []).append(span["text"])
    return len(by_font) > 1 and any(_has_rare_letters("".join(own)) for own in by_font.values())


def _has_rare_letters(text: str) -> bool:
    letters = text.encode(errors="ignore").translate(None, _NO_SMALL_LETTERS)
    if len(letters) < max(_ENOUGH_LETTERS, _LATIN * len(text)):
        return False  # few words, in capitals, or in another alphabet
    return len(letters.translate(None, _FREQUENT)) > _MANY_RARE * len(letters)


def _count_letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _count_hidden(spans: Iterable[Mapping[str, Any]], look: "_PageView") -> float:
    """Count letters that are not drawn, too small, or of the colour of their background."""
    unseen = 0.0
    for span in spans:
        # A cheap test, which nearly every span passes.
        x0, y0, x1, y1 = span["bbox"]
        if (
            span["color"] < _MAY_BE_PALE
            and span["size"] >= _TINY
            and span["char_flags"] & _DRAWN
            and span["alpha"]
            and y1 - y0 >= _THIN <= x1 - x0 >= _THIN * len(span["text"])
        ):
            continue
        drawn = span["char_flags"] & _DRAWN and span["alpha"]
        colour = span["color"]
        pale = min(colour >> 16, colour >> 8 & 0xFF, colour & 0xFF) >= _PALE
        if drawn and not pale and span["size"] >= _TINY and not _is_thin(span):
            continue
        letters = _count_letters(span["text"])
        if letters and not (drawn and pale and look.shows_pale(span["bbox"])):
            unseen += letters
    return unseen


def _is_thin(span: Mapping[str, Any]) -> bool:
    x0, y0, x1, y1 = span["bbox"]
    across, down = x1 - x0, y1 - y0
    if across < down:
        across, down = down, across
    return bool(across < _THIN * len(span["text"]) or down < _THIN)


def _has_few_rows(spans: Iterable[Mapping[str, Any]], sheet: MupdfPage, share: float) -> bool:
    many = share * max(sheet.size)
    rows: set[int] = set()
    high = 0.0
    for span in spans:
        row = round(span["bbox"][3])
        if row not in rows and span["text"].strip():
            rows.add(row)
            high += span["size"]
            if high > many:
                return False
    return True


def _is_picture(look: "_PageView") -> bool:
    # By what is drawn: the resources of a page name neither inline images nor those of patterns.
    pictures = (
        _box_area(pymupdf.Rect(box) & look.frame) for kind, box in look.log if kind in _PICTURE
    )
    if sum(pictures) > _LARGE_PICTURE * _box_area(look.frame):
        return True
    small = sum(kind == "fill-path" and _is_letter_sized(box) for kind, box in look.log)
    return small >= _MANY_OUTLINES <= look.count_outlines()


def _is_letter_sized(box: Box) -> bool:
    x0, y0, x1, y1 = box
    return _TINY < max(x1 - x0, y1 - y0) < _LARGE_LETTER


def _box_area(box: pymupdf.Rect) -> float:
    return float(max(box.width, 0) * max(box.height, 0))


class _PageView:
    """What is visible on a page, computed on demand; boxes refer to the unrotated page."""

    def __init__(self, sheet: MupdfPage) -> None:
        self._sheet = sheet

    @property
    def _page(self) -> pymupdf.Page:
        return self._sheet.page

    @cached_property
    def may_be_covered(self) -> bool:
        """Whether something is painted after text, or by annotations."""
        return self._paints_after_text or self._sheet.annotated

    @property
    def may_paint(self) -> bool:
        """Whether the content may draw images or areas, or there are annotations."""
        painting = (OperatorKind.PAINTS, OperatorKind.PICTURES)
        return self._sheet.annotated or any(kind in self._operators for kind in painting)

    def count_outlines(self) -> int:
        """Count filled shapes as large as letters that have a curve, unlike codes of squares."""
        return sum(
            "f" in drawing["type"]
            and _is_letter_sized(drawing["rect"])
            and any(item[0] == "c" for item in drawing["items"])
            for drawing in self._page.get_cdrawings()
            if drawing["type"] != "clip"
        )

    @cached_property
    def _first_text(self) -> int | None:
        """End of the first text operator in the content, if any."""
        shown = _SHOWS.search(self._sheet.contents)
        return shown.end() if shown else None

    @cached_property
    def _later_operators(self) -> tuple[OperatorKind, ...]:
        return find_operator_kinds(self._sheet.contents[self._first_text :])

    @cached_property
    def _operators(self) -> tuple[OperatorKind, ...]:
        return (
            find_operator_kinds(self._sheet.contents[: self._first_text or 0])
            + self._later_operators
        )

    @cached_property
    def images(self) -> list[tuple[Any, ...]]:
        """The images in the page's resources, as listed by PyMuPDF."""
        return list(self._page.get_images())

    @cached_property
    def _paints_after_text(self) -> bool:
        if self._first_text is None:
            return True
        if OperatorKind.PAINTS not in self._later_operators:
            return False
        # Strings may hold such letters (vitamin B, Monsieur F). They are removed if they can be
        # parsed reliably: no comments, inline images or nested strings.
        rest = _STRINGS.sub(b" ", self._sheet.contents[self._first_text :])
        unsure = any(sign in rest for sign in _UNSURE)
        return (
            unsure
            or bool(b"BI" in rest and _INLINE.search(rest))
            or OperatorKind.PAINTS in find_operator_kinds(rest)
        )

    def shows_pale(self, box: Box) -> bool:
        """Return whether text in a pale colour is visible in a box."""
        under = [area for area in self._areas if area.touches(box)]
        return bool(under and under[-1].is_dark_under(box)) or self.shows_writing(box)

    @cached_property
    def _areas(self) -> Sequence[Area]:
        # The areas under all text, if only lines and plain areas were drawn.
        contents = self._sheet.contents
        if self.may_be_covered or self._sheet.rotation:
            return ()
        if OperatorKind.INTRICATE in self._operators:
            return ()
        plain = plain_areas(contents, tuple(self._page.transformation_matrix))
        return drawn_areas(self._page) if plain is None else plain

    @cached_property
    def frame(self) -> pymupdf.Rect:
        """The rectangle of the page."""
        frame: pymupdf.Rect = (self._page.rect * self._page.derotation_matrix).normalize()
        return frame

    @cached_property
    def log(self) -> list[tuple[str, Box]]:
        """What is drawn, as kind and box, in drawing order."""
        return list(self._page.get_bboxlog())

    @cached_property
    def paint(self) -> NDArray[np.int64]:
        """Positions in the log of images and areas that may hide letters."""
        wide = np.minimum(*(self._boxes[:, 2:] - self._boxes[:, :2]).T) > _COVER
        return np.flatnonzero(wide & np.isin(self._kinds, _PAINT))

    def covered_share(self, box: Box) -> float:
        """Return the share of the length of a span that was painted over after it was drawn."""
        # The box of a span has the height of the font; letters are in the middle.
        x0, y0, x1, y1 = box
        if x1 - x0 < y1 - y0:
            inset = _MARGIN * (x1 - x0)
            inner = (x0 + inset, y0, x1 - inset, y1)
        else:
            inset = _MARGIN * (y1 - y0)
            inner = (x0, y0 + inset, x1, y1 - inset)
        # One entry may hold the text of a whole page, and text may be drawn twice: take the last
        # of the closest entries around the span.
        text = np.flatnonzero(np.isin(self._kinds, _TEXT))
        boxes = self._boxes[text]
        x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
        around = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
        if not around.any():
            drawn = len(self.log)
        else:
            distances = np.abs(boxes - inner).sum(axis=1)
            drawn = int(text[around & (distances <= distances[around].min() + _SAME_PLACE)].max())
        later = self.paint[self.paint > drawn]
        covers = later[_covers_letters(self._boxes[later], inner)].tolist()
        parts = [(_intersection(self.log[cover][1], inner), cover) for cover in covers]
        hidden = [_longer_side(part) for part, cover in parts if self._is_hiding(cover, part)]
        return max(hidden, default=0.0) / max(_longer_side(inner), _TINY)

    def _is_hiding(self, cover: int, part: Box) -> bool:
        if self.log[cover][0] == "fill-image":
            return not self._has_masked_images
        later = self._boxes[cover + 1 :][np.isin(self._kinds[cover + 1 :], _TEXT)]
        x0, y0, x1, y1 = part
        aside = (later[:, 2] <= x0) | (later[:, 0] >= x1)
        met: NDArray[np.bool_] = ~(aside | (later[:, 3] <= y0) | (later[:, 1] >= y1))
        return bool(met.any()) or not self.shows_writing(part)

    def shows_writing(self, box: Box) -> bool:
        """Return whether the middle of a line of text has more than one grey value."""
        middle = pymupdf.Rect(box) * self._page.rotation_matrix
        inset = 0.2 * min(middle.width, middle.height)
        shades = self._proof.shades(middle + pymupdf.Rect(inset, inset, -inset, -inset))
        return bool(shades.size) and int(shades.max()) - int(shades.min()) > _SAME_SHADE

    @cached_property
    def _kinds(self) -> NDArray[np.str_]:
        return np.array([kind for kind, _ in self.log])

    @cached_property
    def _boxes(self) -> _Boxes:
        return np.array([box for _, box in self.log], float).reshape(-1, 4)

    @cached_property
    def _has_masked_images(self) -> bool:
        # Images with a mask (stamps, signatures, logos) let text show through.
        return any(picture[1] for picture in self.images)

    @cached_property
    def _proof(self) -> GreyRendering:
        return GreyRendering(self._page)


def _longer_side(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _covers_letters(covers: _Boxes, text: Box) -> NDArray[np.bool_]:
    # Over most of the height of the letters: thinner areas are underlines or strikethroughs.
    x0, y0, x1, y1 = text
    across = np.minimum(x1, covers[:, 2]) - np.maximum(x0, covers[:, 0])
    down = np.minimum(y1, covers[:, 3]) - np.maximum(y0, covers[:, 1])
    if x1 - x0 < y1 - y0:
        across, down, y0, y1 = down, across, x0, x1
    hidden: NDArray[np.bool_] = (across > _COVER) & (down > _COVERED * (y1 - y0))
    return hidden


def _intersection(one: Box, other: Box) -> Box:
    x0, y0, x1, y1 = pymupdf.Rect(one) & pymupdf.Rect(other)
    return x0, y0, x1, y1


def _is_blank(page: pymupdf.Page) -> bool:
    if not page.get_bboxlog():
        return True
    # The page may be drawn white on white: only rendering can tell.
    return GreyRendering(page).is_blank()
