"""Detection of fonts whose text (`ToUnicode`) differs from the letters that they draw."""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

import re
from collections.abc import Iterator, Mapping
from string import ascii_letters, digits
from typing import Any

import numpy as np
import pymupdf
from pymupdf import mupdf

from record.folding import fold

_ENOUGH = 2  # glyphs that are drawn as another character than the text says
_MOST_RESOURCES = 500  # of a page
_MOST_CODES = 65_536

_CHARACTERS = ascii_letters + digits
_LAST_LATIN = 0x24F
_FIRST_PRIVATE, _LAST_PRIVATE = 0xE000, 0xF8FF
_DIGIT_NAMES = "zero one two three four five six seven eight nine".split()
_GLYPH_NAMES = {char: char for char in ascii_letters} | {
    name: str(digit) for digit, name in enumerate(_DIGIT_NAMES)
}
_SYMBOLS = ("symbol", "dingbats")

_SECTION = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_TOKEN = re.compile(rb"<([\da-fA-F\s]*)>|(\[)|(\])")


class FontCheck:
    """Tells which pages of a document have a font that lies; each font is examined once."""

    def __init__(self) -> None:
        self._lying: dict[int, bool] = {}

    def is_lied_to(self, page: Any) -> bool:
        """Return whether a font of a page, a `PdfPage` of MuPDF, draws other letters than it says.

        Case and accents do not count. Fonts whose drawn letters are unknown are believed.
        """
        return any(self._lies(font) for font in _find_fonts(page))

    def _lies(self, font: Any) -> bool:
        number = mupdf.pdf_to_num(font)
        if number not in self._lying or not number:
            self._lying[number] = _count_lies(font) >= _ENOUGH
        return self._lying[number]


def _find_fonts(page: Any) -> Iterator[Any]:
    waiting = [mupdf.pdf_page_resources(page)]
    note = mupdf.pdf_first_annot(page)
    while note.m_internal and len(waiting) < _MOST_RESOURCES:
        waiting.append(_get(mupdf.pdf_annot_ap(note), "Resources"))
        note = mupdf.pdf_next_annot(note)
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_RESOURCES:
        resources = waiting.pop()
        yield from _values(_get(resources, "Font"))
        for kind in ("XObject", "Pattern"):
            for drawing in _values(_get(resources, kind)):
                number = mupdf.pdf_to_num(drawing)
                inner = _get(drawing, "Resources")
                if inner.m_internal and number not in seen:
                    seen.add(number)
                    waiting.append(inner)


def _get(entries: Any, key: str) -> Any:
    return mupdf.pdf_dict_gets(entries, key)


def _values(entries: Any) -> Iterator[Any]:
    for place in range(min(mupdf.pdf_dict_len(entries), _MOST_RESOURCES)):
        yield mupdf.pdf_dict_get_val(entries, place)


def _count_lies(font: Any) -> int:
    """Count the letters and digits whose glyph has the text of another character."""
    to_unicode = _get(font, "ToUnicode")
    if not mupdf.pdf_is_stream(to_unicode):
        return 0
    drawn = _characters_by_cid(font) if _kind(font) == "Type0" else _characters_by_code(font)
    if not drawn:
        return 0
    said = _parse_to_unicode(_load(to_unicode))
    return sum(code in said and _differs(char, said[code]) for code, char in drawn.items())


def _differs(drawn: str, said: str) -> bool:
    if len(said) != 1:
        return False  # a ligature
    is_private = _FIRST_PRIVATE <= ord(said) <= _LAST_PRIVATE
    if ord(said) > _LAST_LATIN and not is_private:
        return False  # a letter of another script may look the same
    return fold(drawn) != fold(said)


def _kind(font: Any) -> str:
    return str(mupdf.pdf_to_name(_get(font, "Subtype")))


def _load(stream: Any) -> bytes:
    return bytes(mupdf.fz_buffer_extract_copy(mupdf.pdf_load_stream(stream)))


def _characters_by_code(font: Any) -> dict[int, str]:
    """Return the letters and digits that the encoding of a simple font names."""
    encoding = _get(font, "Encoding")
    named = mupdf.pdf_is_name(encoding) or mupdf.pdf_is_name(_get(encoding, "BaseEncoding"))
    drawn: dict[int, str] = {}
    if named or not _font_file(font).m_internal:
        name = mupdf.pdf_to_name(_get(font, "BaseFont")).lower()
        if _kind(font) != "Type3" and not any(symbols in name for symbols in _SYMBOLS):
            # All encodings of Latin text have these where ASCII has them.
            drawn = {ord(char): char for char in _CHARACTERS}
    differences = _get(encoding, "Differences")
    code = 0
    for place in range(min(mupdf.pdf_array_len(differences), _MOST_CODES)):
        entry = mupdf.pdf_array_get(differences, place)
        if mupdf.pdf_is_name(entry):
            name = str(mupdf.pdf_to_name(entry))
            drawn.pop(code, None)
            if name in _GLYPH_NAMES:
                drawn[code] = _GLYPH_NAMES[name]
            code += 1
        else:
            code = mupdf.pdf_to_int(entry)
    return drawn


def _font_file(font: Any) -> Any:
    descriptor = _get(font, "FontDescriptor")
    for key in ("FontFile2", "FontFile3", "FontFile"):
        file = _get(descriptor, key)
        if file.m_internal:
            break
    return file


def _characters_by_cid(font: Any) -> dict[int, str]:
    """Return the letters and digits of a composite font by what its own table says of its glyphs.

    They are empty if it has no such table.
    """
    if not str(mupdf.pdf_to_name(_get(font, "Encoding"))).startswith("Identity"):
        return {}
    inner = mupdf.pdf_array_get(_get(font, "DescendantFonts"), 0)
    file = _font_file(inner)
    if not mupdf.pdf_is_stream(file) or _kind(inner) != "CIDFontType2":
        return {}
    try:
        program = pymupdf.Font(fontbuffer=_load(file))
    except (mupdf.FzErrorFormat, mupdf.FzErrorLibrary, mupdf.FzErrorUnsupported):
        return {}  # MuPDF draws it with another font
    glyphs = {program.has_glyph(ord(char)): char for char in reversed(_CHARACTERS)}
    glyphs.pop(0, None)
    return _by_cid(glyphs, _get(inner, "CIDToGIDMap"))


def _by_cid(glyphs: Mapping[int, str], to_glyphs: Any) -> dict[int, str]:
    if not mupdf.pdf_is_stream(to_glyphs):
        return dict(glyphs)
    table = np.frombuffer(_load(to_glyphs)[: 2 * _MOST_CODES] + b"\0", np.uint8)
    numbers = table[: len(table) // 2 * 2].view(">u2")
    cids = np.flatnonzero(np.isin(numbers, list(glyphs))).tolist()
    return {cid: glyphs[int(numbers[cid])] for cid in cids}


def _parse_to_unicode(cmap: bytes) -> dict[int, str]:
    said: dict[int, str] = {}
    for section in _SECTION.finditer(cmap):
        entries = _read_entries(section[2])
        if section[1] == b"char":
            for code in entries:
                said[_to_number(code)] = _to_text(next(entries, b""))
            continue
        for first in entries:
            low, high = _to_number(first), _to_number(next(entries, b""))
            texts = next(entries, b"")
            for step in range(min(high - low + 1, _MOST_CODES)):
                if isinstance(texts, list):
                    said[low + step] = _to_text(texts[step]) if step < len(texts) else ""
                else:
                    text = _to_text(texts)
                    last = ord(text[-1]) + step if text else 0
                    said[low + step] = text[:-1] + chr(last) if 0 < last < 0x110000 else ""
    return said


def _read_entries(section: bytes) -> Iterator[Any]:
    """Return the strings in hexadecimal, and lists of them."""
    listed: list[bytes] | None = None
    for token in _TOKEN.finditer(section):
        if token[2]:
            listed = []
        elif token[3]:
            if listed is not None:
                yield listed
            listed = None
        elif listed is not None:
            listed.append(token[1])
        else:
            yield token[1]


def _to_number(code: Any) -> int:
    digits_only = b"" if isinstance(code, list) else b"".join(code.split())
    return int(digits_only or b"0", 16) & 0xFFFFFFFF


def _to_text(text: Any) -> str:
    if isinstance(text, list):
        return ""
    joined = b"".join(text.split()).decode()
    joined = "0" * (-len(joined) % 2) + joined
    if len(joined) == 2:
        return chr(int(joined, 16))
    return bytes.fromhex(joined).decode("utf-16-be", "replace")
