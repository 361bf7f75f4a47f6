"""Code pages by label, Windows number or RTF charset, and strict decoding with them."""

import codecs
import re

from extractors.plain.encoding_detection import repair_mojibake
from extractors.plain.plain_text import decode
from record.errors import Unreadable

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # UTF-32 begins like UTF-16

# Labels of older standards mean their Windows supersets (WHATWG Encoding, section 4.2).
_LABELS = {
    **dict.fromkeys("xcp1252 iso88591 latin1 l1 cp819 ibm819 isoir100".split(), "cp1252"),
    **dict.fromkeys("utf8 unicode11utf8 xutf8".split(), "utf-8"),
    "utf16le": "utf-16-le",
    "utf16be": "utf-16-be",
    "utf32le": "utf-32-le",
    "utf32be": "utf-32-be",
    **dict.fromkeys("iso88599 latin5 l5".split(), "cp1254"),
    **dict.fromkeys("iso885911 tis620 windows874 dos874 cp874".split(), "cp874"),
    **dict.fromkeys("gb2312 gbk gb18030 xgbk chinese csgb2312 cp936 936".split(), "gb18030"),
    **dict.fromkeys("shiftjis sjis xsjis mskanji windows31j cp932".split(), "cp932"),
    **dict.fromkeys("euckr ksc56011987 ksc5601 korean windows949 cp949".split(), "cp949"),
    **dict.fromkeys("big5 big5hkscs cnbig5 xxbig5 cp950".split(), "big5hkscs"),
    **dict.fromkeys("macintosh macroman mac xmacroman".split(), "mac_roman"),
    **dict.fromkeys("xmaccyrillic xmacukrainian".split(), "mac_cyrillic"),
    "eucjp": "euc_jp",
    "iso2022jp": "iso2022_jp",
    "koi8r": "koi8_r",
    "koi8u": "koi8_u",
    "koi8": "koi8_r",
    "iso88598i": "iso8859_8",
    "iso88598e": "iso8859_8",
    **{f"windows{page}": f"cp{page}" for page in range(1250, 1259)},
    **{f"cp{page}": f"cp{page}" for page in range(1250, 1259)},
    **{f"iso8859{part}": f"iso8859_{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"latin{number}": f"iso8859_{number}" for number in (2, 3, 4)},
    "latin9": "iso8859_15",
    "l9": "iso8859_15",
    "latin10": "iso8859_16",
    **{f"{maker}{page}": f"cp{page}" for maker in ("cp", "ibm") for page in (437, 850, 852, 866)},
}
# Labels that say nothing beyond ASCII: the encoding is detected from the bytes.
_PROMISE_NOTHING = frozenset(("", "usascii", "ascii", "ansix341968", "unknown8bit", "iso646us"))
_NO_LETTERS = re.compile(r"[^a-z0-9]")
_WHOLE_UNICODE = frozenset(("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"))

# By Windows code page number.
_PAGES = {
    **{page: f"cp{page}" for page in (437, 720, 737, 775, 850, 852, 855, 857, 858, 874, 1125)},
    **{page: f"cp{page}" for page in (860, 861, 862, 863, 864, 865, 866, 869, 932, 949, 950)},
    **{page: f"cp{page}" for page in range(1250, 1259)},
    **{28590 + part: f"iso8859_{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 13, 15)},
    0: "cp1252",
    819: "cp1252",
    20127: "ascii",
    28591: "cp1252",
    936: "gbk",
    54936: "gb18030",
    1361: "johab",
    20866: "koi8_r",
    21866: "koi8_u",
    65001: "utf-8",
    51932: "euc_jp",
    10000: "mac_roman",
    10006: "mac_greek",
    10007: "mac_cyrillic",
    10029: "mac_latin2",
    10004: "mac_arabic",
    10079: "mac_iceland",
    10081: "mac_turkish",
    10010: "mac_romanian",
}

# Charset of a font (RTF 1.9.1, \fcharset; Windows' LOGFONT) -> code page.
_CHARSETS = {
    0: 1252,
    77: 10000,
    83: 10005,
    84: 10004,
    85: 10006,
    86: 10081,
    88: 10029,
    89: 10007,
    78: 10001,
    79: 10003,
    80: 10008,
    81: 10002,
    87: 10021,
    128: 932,
    129: 949,
    130: 1361,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
    186: 1257,
    204: 1251,
    222: 874,
    238: 1250,
    254: 437,
    255: 850,
}

_UTF8_PAIR = re.compile(rb"[\xc2-\xc5][\x80-\xbf]|\xe2[\x80-\x82][\x80-\xbf]")
# Western letters in UTF-8, decoded as Windows-1252.
_TWICE = re.compile("Ã[\x80-\xbf\u0152-\u0192\u02c6-\u02dc\u2013-\u203a€™]|Â[\xa0-\xbf]|â€")
_HIGH_CONTROL = re.compile("[\x80-\x9f]")


def codec_by_label(label: str) -> str | None:
    """Return the codec for a label of MIME or HTML, or None if unknown."""
    return _LABELS.get(_normalize_label(label))


def codec_by_number(page: int) -> str | None:
    """Return the codec for a Windows code page number, or None if unknown."""
    return _PAGES.get(page)


def codec_by_charset(charset: int) -> str | None:
    """Return the codec for the charset number of a font, or None if unknown."""
    return _PAGES.get(_CHARSETS.get(charset, -1))


def looks_like_utf8(data: bytes) -> bool:
    """Return whether bytes hold letters encoded in UTF-8, whatever the declaration."""
    return _UTF8_PAIR.search(data) is not None


def decode_as(data: bytes, codec: str) -> str:
    """Decode bytes strictly; raises Unreadable(`unknown-encoding`) where they are invalid."""
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        raise Unreadable("unknown-encoding") from None
    # Windows text labelled as an ISO encoding, which has control characters at these codes.
    if codec not in _WHOLE_UNICODE and _HIGH_CONTROL.search(text):
        raise Unreadable("unknown-encoding")
    return text


def decode_labelled(data: bytes, label: str | None) -> str:
    """Decode bytes with a declared encoding; a byte order mark takes precedence.

    Without a label, or labelled as ASCII, they are decoded like a plain file. Raises Unreadable:
    `unknown-encoding`, also where the bytes contradict the label; `mojibake`; `unknown-format`
    for binary data.
    """
    if data.startswith(_MARKS) or _normalize_label(label or "") in _PROMISE_NOTHING:
        return decode(data)
    codec = codec_by_label(label or "")
    if codec is None:
        raise Unreadable("unknown-encoding")
    if codec == "cp1252" and looks_like_utf8(data):
        codec = "utf-8"
    return repair_double_encoding(decode_as(data, codec))


def repair_double_encoding(text: str) -> str:
    """Repair text that was encoded in UTF-8 and decoded as Windows-1252.

    Raises Unreadable(`mojibake`) where not all of it can be repaired.
    """
    return repair_mojibake(text) if _TWICE.search(text) else text


def _normalize_label(label: str) -> str:
    return _NO_LETTERS.sub("", label.strip().lower())
