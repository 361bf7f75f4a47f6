"""Mutations of documents for fuzzing: of bytes, of tokens, and of archive members."""

import copy
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from random import Random
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pymupdf

from benchmarks.extraction.specimens import zip_members

# A sound document, spoilt, makes MuPDF talk.
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

MOST_BYTES = 400_000
"""A spoilt document is cut here: it is to be strange, not large."""

Mutate = Callable[[bytes, Random], bytes]

_BYTES = (
    b"\x00",
    b"\xff",
    b"\x80",
    b"\x7f",
    b"\r",
    b"\n",
    b" ",
    b"<",
    b">",
    b"(",
    b"{",
    b"\\",
    b"&",
)
_NUMBERS = (
    *(b"0", b"-1", b"1", b"-0.0", b"255", b"256", b"65535", b"65536", b"2147483647"),
    *(b"-2147483648", b"4294967296", b"18446744073709551616", b"1e308", b"0.0000000001"),
    *(b"99999999999999999999999999", b"--5", b"1.2.3", b"nan"),
)


# Bytes -------------------------------------------------------------------------------------------


def flip(data: bytes, rng: Random) -> bytes:
    """Flip some bits."""
    mutated = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64)) if mutated else 0):
        mutated[rng.randrange(len(mutated))] ^= 1 << rng.randrange(8)
    return bytes(mutated)


def overwrite(data: bytes, rng: Random) -> bytes:
    """Put a byte of meaning, or noise, over what is there or between."""
    at = rng.randint(0, len(data))
    new = rng.choice((rng.choice(_BYTES) * rng.choice((1, 1, 3, 1000, 30_000)), rng.randbytes(20)))
    return data[:at] + new + data[at + rng.choice((0, len(new))) :]


def delete(data: bytes, rng: Random) -> bytes:
    """Leave a run out."""
    start, end = _run(data, rng)
    return data[:start] + data[end:]


def repeat(data: bytes, rng: Random) -> bytes:
    """Say a run again, sometimes very often."""
    start, end = _run(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 10, 1000)) + data[end:]


def swap(data: bytes, rng: Random) -> bytes:
    """Let two runs change places."""
    a, b, c, d = sorted((*_run(data, rng), *_run(data, rng)))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def cut(data: bytes, rng: Random) -> bytes:
    """End early, or begin late."""
    at = rng.randint(0, len(data))
    return data[at:] if rng.random() < 0.2 else data[:at]


def _run(data: bytes, rng: Random) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 4, 16, 64, 256, 2048)))


# Tokens ------------------------------------------------------------------------------------------


_TOKENS: Mapping[str, re.Pattern[bytes]] = {
    "pdf": re.compile(
        rb"/[A-Za-z0-9_+-]+|[-+]?\d*\.?\d+|<<|>>|[\[\]()]"
        rb"|\b(?:obj|endobj|stream|endstream|xref|trailer|startxref|R|BT|ET|Tj|TJ|Tf|Td|Tm|Tr|Ts|cm"
        rb"|q|Q|Do|BI|ID|EI|re|f|S|W|n|begin\w+|end\w+|true|false|null)\b"
    ),
    "rtf": re.compile(rb"\\[a-z]+-?\d*|\\'[0-9a-f]{2}|\\\*|[{}]"),
    "xml": re.compile(rb"</?[\w:.-]+|/?>|\b[\w:.-]+=\"[^\"]*\"|&[#\w]+;|\d+"),
    "eml": re.compile(
        rb"(?m)^[\w-]+:|\b(?:multipart|text|application|message)/[\w-]+|--+[=\w-]+|\bboundary="
        rb"|\bcharset=\S+|\bbase64\b|\bquoted-printable\b|=[0-9A-F]{2}|=\?\S+\?=|\d+"
    ),
}
_WORDS: Mapping[str, tuple[bytes, ...]] = {
    "pdf": (
        *(b"/Type", b"/Page", b"/Pages", b"/Kids", b"/Parent", b"/Contents", b"/Resources"),
        *(b"/Filter", b"/FlateDecode", b"/LZWDecode", b"/ASCII85Decode", b"/DCTDecode"),
        *(b"/JBIG2Decode", b"/JPXDecode", b"/CCITTFaxDecode", b"/RunLengthDecode", b"/Crypt"),
        *(b"/DecodeParms", b"/Predictor 15", b"/Columns 99999999", b"/Encrypt 3 0 R", b"/ObjStm"),
        *(b"/XRef", b"/Prev 0", b"/Length 99999999", b"/Rotate 45", b"/UserUnit 1000"),
        *(b"/MediaBox[0 0 0 0]", b"/MediaBox[0 0 1e9 1e9]", b"/ActualText(x)", b"/OC"),
        *(b"/Encoding", b"/ToUnicode", b"/Type3", b"/Differences[0/a]", b"/W[0[0]]"),
        *(b"1 0 R", b"3 0 R", b"4 0 R", b"99 0 R", b"3 Tr", b"endobj", b"endstream", b"<<" * 3000),
        *(b"[" * 20_000, b"q " * 5_000, b"/X Do " * 500, b"0 0 0 0 0 0 cm"),
        b"1e30 0 0 1e30 0 0 cm",
    ),
    "rtf": (
        *(b"\\bin99999999 ", b"\\bin-1 ", b"\\u-32768?", b"\\u55357?", b"\\uc99 ", b"\\uc-1 "),
        *(b"\\ansicpg65001", b"\\ansicpg99999", b"\\fcharset255", b"\\f99", b"\\v", b"\\deleted"),
        *(b"\\pict", b"\\object\\objdata", b"\\*\\htmltag", b"\\field", b"\\fldinst", b"\\row"),
        *(b"\\cell", b"\\trowd", b"\\par" * 5_000, b"{" * 20_000, b"}" * 3, b"{\\v {\\b0 " * 3_000),
        *(b"\\'zz", b"\\'", b"\\", b"{\\rtf1 ", b"\\upr{\\ud{", b"\\fs-1", b"\\fs99999999999999 "),
    ),
    "xml": (
        *(b"<w:p>", b"<w:tbl><w:tr><w:tc>", b"<w:del>", b"<w:vanish/>", b"<div hidden>"),
        *(b"<![CDATA[", b"<!--", b"-->", b"<?xml version='1.0' encoding='utf-7'?>", b"&#0;"),
        *(b"<!DOCTYPE a [<!ENTITY x 'yyyy'>]>", b"&x;", b"&#xD800;", b"&#99999999999;", b"&lt;"),
        *(b"<a>" * 5_000, b"<table><tr><td>" * 1_000, b"<p>" * 20_000, b' a="b" a="c"'),
        *(b"<script>", b"<style>", b"<plaintext>", b"<svg><title>", b"<template>"),
        *(b"<w:txbxContent>", b"<mc:AlternateContent>", b'r:id="r0"', b"</w:document>"),
        *(b"<nonXMLBody>", b'colspan="9999999"', b' a="b"', b"<table>"),
    ),
    "eml": (
        *(b"Content-Type:", b"Content-Transfer-Encoding: base64\n", b"message/rfc822"),
        *(b"multipart/mixed; boundary=", b'boundary=""', b"charset=utf-7", b"charset=nothing"),
        *(b"charset=idna", b"charset=rot13", b"charset=unicode_escape", b"charset=utf-16"),
        *(b"--====limit-1====", b"--====limit-1====--", b"\n\n", b"=?utf-8?b?w6k=?="),
        *(b"Content-Disposition: attachment\n", b"MIME-Version: 1.0\n" * 500, b"text/html"),
        *(b"=ZZ", b"=\n" * 1000),
    ),
}  # fmt: skip


def _tokens(kind: str) -> Mutate:
    """Make the mutation that exchanges tokens of a kind of document."""

    def tokens(data: bytes, rng: Random) -> bytes:
        found = list(_TOKENS[kind].finditer(data))
        if not found:
            return overwrite(data, rng)
        pieces, last = [], 0
        chosen = {rng.randrange(len(found)) for _ in range(rng.choice((1, 1, 2, 5, 20)))}
        for number in sorted(chosen):
            start, end = found[number].span()
            pieces += [data[last:start], _another(data[start:end], found, kind, rng)]
            last = end
        return b"".join((*pieces, data[last:]))

    return tokens


def _another(token: bytes, found: list[re.Match[bytes]], kind: str, rng: Random) -> bytes:
    if re.fullmatch(rb"[-+]?\d*\.?\d+", token) and rng.random() < 0.7:
        number = rng.choice(_NUMBERS)
        # In its old place, so that what is found by its offset is still found.
        return number[: len(token)].ljust(len(token)) if rng.random() < 0.4 else number
    other = found[rng.randrange(len(found))].group()
    new = rng.choice(_WORDS[kind])
    return rng.choice((b"", token + token, other, other + token, new, token + new))


# Parts -------------------------------------------------------------------------------------------


_UNSOUND = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError),
    *(lzma.LZMAError, NotImplementedError, RuntimeError),
)
_VALUES = (
    *("null", "0", "-1", "1e30", "4294967296", "[]", "<<>>", "()", "true", "/Identity-H", "/Fit"),
    *("[0 0 0 0]", "[0 0 1e9 1e9]", "[1 0 R 2 0 R 3 0 R]", "<</Type/Page>>", "(\\377\\376)"),
)


def mutate_objects(data: bytes, rng: Random) -> bytes:
    """Spoil what the objects of a sound PDF say; the file as such stays sound."""
    try:
        with pymupdf.open(stream=data, filetype="pdf") as document:
            for _ in range(rng.choice((1, 1, 2, 5))):
                _edit(document, rng.randrange(1, document.xref_length()), rng)
            saved = document.tobytes(no_new_id=True, deflate=rng.random() < 0.5)
    except (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError):
        return flip(data, rng)
    return bytes(saved)


def _edit(document: pymupdf.Document, xref: int, rng: Random) -> None:
    if document.xref_is_stream(xref) and rng.random() < 0.5:
        content = rng.choice((_tokens("pdf"), *BYTEWISE))(document.xref_stream(xref), rng)
        document.update_stream(xref, content[:MOST_BYTES], compress=rng.random() < 0.5)
        return
    keys = document.xref_get_keys(xref)
    if not keys:
        return
    other = rng.randrange(1, document.xref_length())
    key, taken = rng.choice(keys), rng.choice(document.xref_get_keys(other) or keys)
    _, value = document.xref_get_key(other, taken)
    new = rng.choice((rng.choice(_VALUES), f"{other} 0 R", value))
    document.xref_set_key(xref, rng.choice((key, key, taken)), new)


_MOST_NODES = 5_000
_DEEPEST = 400  # deeper ones can be parsed, but not be written here


def mutate_tree(data: bytes, rng: Random) -> bytes:
    """Spoil the tree of a sound XML document, which stays well-formed."""
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return flip(data, rng)
    for _ in range(rng.choice((1, 1, 3, 10))):
        nodes = list(root.iter())
        if len(nodes) < _MOST_NODES:
            _bend(rng.choice(nodes), rng.choice(nodes), rng)
    if _depth(root) > _DEEPEST:
        return flip(data, rng)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _depth(root: Element) -> int:
    depth, level = 0, [root]
    while level:
        depth, level = depth + 1, [inner for node in level for inner in node]
    return depth


def _bend(node: Element, other: Element, rng: Random) -> None:
    kind = rng.randrange(7)
    if kind == 0 and len(node):
        del node[rng.randrange(len(node))]
    elif kind == 1 and other is not node and node not in other.iter():
        node.extend([copy.deepcopy(other)] * rng.choice((1, 1, 100)))
    elif kind == 2:
        node.tag = other.tag
    elif kind == 3:
        node.attrib = {**node.attrib, **other.attrib}
    elif kind == 4:
        node.attrib = {key: rng.choice(_NUMBERS).decode() for key in node.attrib}
    elif kind == 5:
        node.text, other.text = other.text, node.text
    elif len(node):
        inner = node[rng.randrange(len(node))]
        for _ in range(rng.choice((1, 2, 60, 140, 160))):
            outer = Element(rng.choice((node.tag, inner.tag, other.tag)))
            node[list(node).index(inner)] = outer
            outer.append(inner)
            inner = outer


def mutate_member(data: bytes, rng: Random) -> bytes:
    """Spoil a member of a zip archive, or leave it out, name it anew, pack it otherwise."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = {name: archive.read(name) for name in archive.namelist()}
    except _UNSOUND:
        return flip(data, rng)
    if not unpacked:
        return overwrite(data, rng)
    name = rng.choice(sorted(unpacked))
    kind = rng.randrange(12)
    if kind == 0:
        del unpacked[name]
    elif kind == 1:
        unpacked[rng.choice(_NAMES)] = unpacked.pop(name)
    elif kind == 2:
        unpacked[name] = unpacked[rng.choice(sorted(unpacked))]
    elif kind == 3:
        unpacked[name] = unpacked[name] + b" " * rng.choice((MOST_BYTES, 20 * MOST_BYTES))
    else:
        spoil = rng.choice((*[mutate_tree] * 9, *[_tokens("xml")] * 3, *BYTEWISE))
        unpacked[name] = spoil(unpacked[name], rng)[:MOST_BYTES]
    methods = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return zip_members(unpacked, rng.choices(methods, (20, 4, 1, 1))[0])


_NAMES = (
    "",
    "../x",
    "/word/document.xml",
    "WORD/DOCUMENT.XML",
    "word/document.xml/",
    "\0",
    "é" * 99,
)


# Recipes -----------------------------------------------------------------------------------------


BYTEWISE: tuple[Mutate, ...] = (flip, overwrite, delete, repeat, swap, cut)

_FITTING: Mapping[str, tuple[Mutate, ...]] = {
    "pdf": (_tokens("pdf"), _tokens("pdf")),
    "rtf": (_tokens("rtf"), _tokens("rtf")),
    "docx": (mutate_member, mutate_member, mutate_member),
    "html": (_tokens("xml"), _tokens("xml")),
    "xml": (_tokens("xml"), _tokens("xml")),
    "eml": (_tokens("eml"), _tokens("eml"), _tokens("xml")),
    "txt": (),
}


# What only works on a sound document comes first, and often alone.
_FIRST: Mapping[str, Mutate] = {"pdf": mutate_objects, "docx": mutate_member, "xml": mutate_tree}


def mutate_specimen(seed: int, number: int, whole: Mapping[str, bytes]) -> tuple[str, bytes]:
    """Make the spoilt document of this number: the name of what it was, and its bytes."""
    rng = Random(f"{seed}:{number}")
    name = sorted(whole)[number % len(whole)]
    data = whole[name]
    kind = name.rpartition(".")[2]
    times = rng.choice((1, 1, 2, 3, 6))
    if kind in _FIRST and rng.random() < 0.7:
        data = _FIRST[kind](data, rng)
        times = rng.choice((0, 0, 0, 1))
    for _ in range(times):
        if rng.random() < 0.05:
            data = _spliced(data, whole[rng.choice(sorted(whole))], rng)
        else:
            data = rng.choice((*BYTEWISE, *_FITTING[kind] * 2))(data, rng)
    # An archive is read from its end.
    return name, data if kind == "docx" else data[:MOST_BYTES]


def _spliced(data: bytes, other: bytes, rng: Random) -> bytes:
    """Let one document begin and another end, or put one into the other."""
    at, there = rng.randint(0, len(data)), rng.randint(0, len(other))
    return rng.choice((data[:at] + other[there:], data[:at] + other + data[at:]))
