"""Whether the text that a page of a PDF carries is the text that its readers see."""

# mypy: allow-untyped-calls
# PyMuPDF says it is typed, but most of its methods are not.

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
from extractors.pdf.coloured_areas import Area, Proof, drawn_areas, plain_areas
from extractors.pdf.mupdf_page import Drawn, MuPage
from record.folding import fold


class OperatorKind(StrEnum):
    """What operators do."""

    PAINTS = "paints"
    """An area is filled, or a picture, a shade or a form is drawn."""
    PICTURES = "pictures"
    """A picture or a form is drawn."""
    INTRICATE = "intricate"
    """Clips, patterns, shades, pictures, forms and what lets things shine through."""


_OPERATORS = {
    OperatorKind.PAINTS: rb"[fFBb]\*?|sh|Do|EI",
    OperatorKind.PICTURES: rb"Do|BI",
    OperatorKind.INTRICATE: rb"W\*?|scn|SCN|sh|BI|EI|Do|gs",
}
_KINDS = tuple(_OPERATORS)
# An operator ends at a blank or where an operand begins; it begins after a blank, where an operand
# ended, or behind a number: readers part `0f` into two words.
_BEFORE = rb"(?:^|[\s\0\]>)}\d.])"
_AFTER = rb"(?:[\s\0/\[\](<>){}%]|$)"


class _Automaton(threading.local):
    # What is noted during a scan belongs to one thread.
    def __init__(self) -> None:
        self.database: Any = hyperscan.Database()
        self.database.compile(
            expressions=[_BEFORE + b"(?:" + some + b")" + _AFTER for some in _OPERATORS.values()],
            ids=list(range(len(_KINDS))),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH] * len(_KINDS),
        )


_AUTOMATON = _Automaton()


def kinds(content: bytes) -> tuple[OperatorKind, ...]:
    """Return the kinds of operators that may be in a content stream, or in a part of one.

    Each once. A part begins and ends where no word is cut.
    """
    found: list[OperatorKind] = []

    def report(number: int, *_: object) -> None:
        found.append(_KINDS[number])

    _AUTOMATON.database.scan(content, match_event_handler=report)
    return tuple(found)


_Boxes = NDArray[np.float64]  # shape: (boxes, 4)


class Layer(StrEnum):
    """What the text layer of a page is worth."""

    SOUND = "sound"
    BLANK = "blank"
    """There is nothing to be seen, hence nothing to be read."""
    NONE = "none"
    """There is no text, or next to none over a picture that fills the page."""
    GARBLED = "garbled"
    """The characters are not those that are drawn."""
    HIDDEN = "hidden"
    """Some text is out of sight: too small, white on white, behind something, not drawn."""
    OVERLAID = "overlaid"
    """All text is out of sight, over or under a picture: to be believed where it `agrees`."""


_BROKEN_CHARACTER = re.compile(
    "[\ufffd\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff\0-\x08\x0e-\x1f]"
)
# Fonts of symbols (bullets, telephones, boxes) map to private use: 1 to 2 % in sound letters.
_UNREADABLE_CHARACTER = re.compile("[\ufffd\ud800-\udfff\0-\x08\x0e-\x1f]")
_GLYPH_NUMBER = re.compile(r"\(cid:\d+\)")
_MAX_BROKEN_SHARE = 0.20
_MAX_UNREADABLE_SHARE = 0.05
_ENOUGH_BROKEN = 5

# Fonts whose glyphs claim other letters. These eight make up 64 to 67 % of French, English and
# Spanish, of other languages in Latin letters nearly as much; of a text in disguise about a third.
_FREQUENT = b"eaisntro"
_NO_SMALL_LETTERS = bytes(set(range(256)) - set(range(ord("a"), ord("z") + 1)))
_ENOUGH_LETTERS = 100
_LATIN = 0.25
_MANY_RARE = 0.5

_DRAWN = 16 | 32  # spans whose letters are filled, stroked
_TINY = 1.5  # points; print begins at 4
_THIN = 0.15  # points a letter
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
_FEW_ROWS = 0.2  # of the height of the page: a stamped header, a footer

_WORD = re.compile(r"\w{2,}")
_AGREEMENT = 0.6  # two engines that read a faint page well still differ in one word of ten

_TEXT = ("fill-text", "stroke-text")
_PAINT = ("fill-path", "fill-shade", "fill-image")
_PICTURE = frozenset(("fill-image", "fill-imgmask"))

_SHOWS = re.compile(rb"[)\]>]\s*(?:T[jJ]|['\"])")  # text, in a content stream
_STRINGS = re.compile(rb"\((?:[^()\\]++|\\.)*+\)|<[\da-fA-F\s]*+>", re.DOTALL)
_UNSURE = (b"%", b"<", b"(", b")")
_INLINE = re.compile(rb"\bBI\b")


def judge(sheet: MuPage, blocks: Drawn) -> Layer:
    """Judge the text layer of a page, of which `blocks` are those of the sheet.

    Cheap signs decide for an ordinary page; the page is looked at where there is a doubt.
    """
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    raw = "".join([span["text"] for span in spans])
    doubtful = "\ufffd" in raw or "(cid:" in raw
    # What is broken is not printable, but for U+FFFD; that is told faster than it is searched.
    doubtful = doubtful or not (raw.isprintable() or _BROKEN_CHARACTER.search(raw) is None)
    if not (_BROKEN_CHARACTER.sub("", raw) if doubtful else raw).strip():
        return Layer.BLANK if _is_blank(sheet.page) else Layer.NONE
    if (doubtful and _is_broken(raw)) or _is_disguised(raw):
        return Layer.GARBLED
    look = _LayerView(sheet)
    unseen = _hidden(spans, look)
    if look.may_be_covered:
        unseen = max(unseen, _covered(spans, look))
    if unseen >= _FEW_HIDDEN:
        return Layer.OVERLAID if unseen > _MOSTLY * _letters(raw) else Layer.HIDDEN
    if look.may_show_pictures and _has_few_rows(spans, sheet) and _is_picture(look):
        return Layer.NONE
    return Layer.SOUND


def agrees(lines: Iterable[Line], recognized: Iterable[Line]) -> bool:
    """Return whether a text layer says what was recognized in the picture of its page.

    Most words of either are words of the other; accents and case do not count.
    """
    said, seen = _vocabulary(lines), _vocabulary(recognized)
    if not said or not seen:
        return said == seen
    return (said & seen).total() >= _AGREEMENT * max(said.total(), seen.total())


def _vocabulary(lines: Iterable[Line]) -> Counter[str]:
    return Counter(_WORD.findall(fold(" ".join(line.text for line in lines))))


def _is_broken(raw: str) -> bool:
    glyph_numbers = len("".join(_GLYPH_NUMBER.findall(raw))) if "(cid:" in raw else 0
    broken = len(_BROKEN_CHARACTER.findall(raw)) + glyph_numbers
    if broken < _ENOUGH_BROKEN:
        return False
    written = sum(map(len, raw.split()))
    unreadable = len(_UNREADABLE_CHARACTER.findall(raw)) + glyph_numbers
    return broken > _MAX_BROKEN_SHARE * written or unreadable > _MAX_UNREADABLE_SHARE * written


def _is_disguised(text: str) -> bool:
    letters = text.encode(errors="ignore").translate(None, _NO_SMALL_LETTERS)
    if len(letters) < max(_ENOUGH_LETTERS, _LATIN * len(text)):
        return False  # few words, in capitals, or in another alphabet
    return len(letters.translate(None, _FREQUENT)) > _MANY_RARE * len(letters)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _hidden(spans: Iterable[Mapping[str, Any]], look: "_LayerView") -> float:
    """Count letters that are not drawn, too small, or of the shade of what they stand on."""
    unseen = 0.0
    for span in spans:
        # The cheap test, which nearly every span passes.
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
        pale = _is_pale(span["color"])
        if drawn and not pale and span["size"] >= _TINY and not _is_thin(span):
            continue
        letters = _letters(span["text"])
        if letters and not (drawn and pale and look.shows_pale(span["bbox"])):
            unseen += letters
    return unseen


def _is_pale(colour: int) -> bool:
    return min(colour >> 16, colour >> 8 & 0xFF, colour & 0xFF) >= _PALE


def _is_thin(span: Mapping[str, Any]) -> bool:
    x0, y0, x1, y1 = span["bbox"]
    across, down = x1 - x0, y1 - y0
    if across < down:
        across, down = down, across
    return bool(across < _THIN * len(span["text"]) or down < _THIN)


def _covered(spans: Iterable[Mapping[str, Any]], look: "_LayerView") -> float:
    """Count letters that lie under a picture or an area that was painted after them."""
    if not look.paint.size:
        return 0.0
    written = ((span["bbox"], _letters(span["text"])) for span in spans)
    return sum(letters * look.covered_share(box) for box, letters in written if letters)


def _has_few_rows(spans: Iterable[Mapping[str, Any]], sheet: MuPage) -> bool:
    many = _FEW_ROWS * max(sheet.size)
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


def _is_picture(look: "_LayerView") -> bool:
    if not look.images:
        return False
    pictures = (_area(pymupdf.Rect(box) & look.frame) for kind, box in look.log if kind in _PICTURE)
    return sum(pictures) > _LARGE_PICTURE * _area(look.frame)


def _area(box: pymupdf.Rect) -> float:
    return float(max(box.width, 0) * max(box.height, 0))


class _LayerView:
    """What is to be seen on a page, found out when needed; boxes as if it were not turned."""

    def __init__(self, sheet: MuPage) -> None:
        self._sheet = sheet

    @property
    def _page(self) -> pymupdf.Page:
        return self._sheet.page

    @cached_property
    def may_be_covered(self) -> bool:
        """Whether text is in drawings of their own, or something is painted after text."""
        return self._paints_after_text or self._sheet.annotated

    @property
    def may_show_pictures(self) -> bool:
        """Whether an operator that draws them may be in the content, or anything beside it."""
        return OperatorKind.PICTURES in self._operators or self._sheet.annotated

    @cached_property
    def _first_text(self) -> int | None:
        """Where the first text that is shown ends in the content."""
        shown = _SHOWS.search(self._sheet.contents)
        return shown.end() if shown else None

    @cached_property
    def _later_operators(self) -> tuple[OperatorKind, ...]:
        return kinds(self._sheet.contents[self._first_text :])

    @cached_property
    def _operators(self) -> tuple[OperatorKind, ...]:
        return kinds(self._sheet.contents[: self._first_text or 0]) + self._later_operators

    @cached_property
    def images(self) -> list[tuple[Any, ...]]:
        """What PyMuPDF tells about each picture in the page's resources."""
        return list(self._page.get_images())

    @cached_property
    def _paints_after_text(self) -> bool:
        if self._first_text is None:
            return True
        if OperatorKind.PAINTS not in self._later_operators:
            return False
        # What is shown may hold such a letter: vitamin B, Monsieur F. Strings go where it is sure
        # that they are strings: no comment, no picture in between, no string within a string.
        rest = _STRINGS.sub(b" ", self._sheet.contents[self._first_text :])
        unsure = any(sign in rest for sign in _UNSURE)
        return (
            unsure
            or bool(b"BI" in rest and _INLINE.search(rest))
            or OperatorKind.PAINTS in kinds(rest)
        )

    def shows_pale(self, box: Box) -> bool:
        """Return whether what is written in a pale shade can be seen."""
        under = [area for area in self._areas if area.touches(box)]
        return bool(under and under[-1].is_dark_under(box)) or self.shows_writing(box)

    @cached_property
    def _areas(self) -> Sequence[Area]:
        # What lies under all text, where nothing but lines and plain areas was drawn.
        contents = self._sheet.contents
        if self.may_be_covered or self._sheet.rotation:
            return ()
        if OperatorKind.INTRICATE in self._operators:
            return ()
        plain = plain_areas(contents, tuple(self._page.transformation_matrix))
        return drawn_areas(self._page) if plain is None else plain

    @cached_property
    def frame(self) -> pymupdf.Rect:
        """The page."""
        frame: pymupdf.Rect = (self._page.rect * self._page.derotation_matrix).normalize()
        return frame

    @cached_property
    def log(self) -> list[tuple[str, Box]]:
        """What is drawn, in order."""
        return list(self._page.get_bboxlog())

    @cached_property
    def paint(self) -> NDArray[np.int64]:
        """Where in the log are pictures and areas that may hide letters."""
        wide = np.minimum(*(self._boxes[:, 2:] - self._boxes[:, :2]).T) > _COVER
        return np.flatnonzero(wide & np.isin(self._kinds, _PAINT))

    def covered_share(self, box: Box) -> float:
        """Return how much of the length of a span was painted over after it was drawn."""
        inner = _letters_box(box)
        drawn = self._drawn(inner)
        later = self.paint[self.paint > drawn]
        covers = later[_hides(self._boxes[later], inner)].tolist()
        parts = [(_shared(self.log[cover][1], inner), cover) for cover in covers]
        hidden = [_length(part) for part, cover in parts if self._is_hiding(cover, part)]
        return max(hidden, default=0.0) / max(_length(inner), _TINY)

    def _drawn(self, inner: Box) -> int:
        # One entry may hold the text of a whole page, and text may be drawn again: the closest
        # entry around the span counts, the last one of those.
        text = np.flatnonzero(np.isin(self._kinds, _TEXT))
        boxes = self._boxes[text]
        x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
        around = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
        if not around.any():
            return len(self.log)
        distances = np.abs(boxes - inner).sum(axis=1)
        closest = around & (distances <= distances[around].min() + _SAME_PLACE)
        return int(text[closest].max())

    def _is_hiding(self, cover: int, part: Box) -> bool:
        if self.log[cover][0] == "fill-image":
            return not self._is_seen_through
        later = self._boxes[cover + 1 :][np.isin(self._kinds[cover + 1 :], _TEXT)]
        return bool(_meets(later, part).any()) or not self.shows_writing(part)

    def shows_writing(self, box: Box) -> bool:
        """Return whether the middle of a line of text is of more than one shade."""
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
    def _is_seen_through(self) -> bool:
        # Pictures with a mask of their own: stamps, signatures and logos that text shines through.
        return any(picture[1] for picture in self.images)

    @cached_property
    def _proof(self) -> Proof:
        return Proof(self._page)


def _letters_box(box: Box) -> Box:
    # Boxes of spans are as high as their font; the letters stand in the middle.
    x0, y0, x1, y1 = box
    if x1 - x0 < y1 - y0:
        inset = _MARGIN * (x1 - x0)
        return x0 + inset, y0, x1 - inset, y1
    inset = _MARGIN * (y1 - y0)
    return x0, y0 + inset, x1, y1 - inset


def _length(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _hides(covers: _Boxes, text: Box) -> NDArray[np.bool_]:
    # Over most of the height of the letters, if not of all: what is thinner underlines or strikes.
    x0, y0, x1, y1 = text
    across = np.minimum(x1, covers[:, 2]) - np.maximum(x0, covers[:, 0])
    down = np.minimum(y1, covers[:, 3]) - np.maximum(y0, covers[:, 1])
    if x1 - x0 < y1 - y0:
        across, down, y0, y1 = down, across, x0, x1
    hidden: NDArray[np.bool_] = (across > _COVER) & (down > _COVERED * (y1 - y0))
    return hidden


def _shared(one: Box, other: Box) -> Box:
    x0, y0, x1, y1 = pymupdf.Rect(one) & pymupdf.Rect(other)
    return x0, y0, x1, y1


def _meets(boxes: _Boxes, box: Box) -> NDArray[np.bool_]:
    x0, y0, x1, y1 = box
    aside = (boxes[:, 2] <= x0) | (boxes[:, 0] >= x1)
    met: NDArray[np.bool_] = ~(aside | (boxes[:, 3] <= y0) | (boxes[:, 1] >= y1))
    return met


def _is_blank(page: pymupdf.Page) -> bool:
    if not page.get_bboxlog():
        return True
    # What was drawn may still be white on white: only a look at the page can tell.
    return Proof(page).is_blank()
