"""Office Open XML word documents (ISO/IEC 29500): what a reader sees, and no metadata."""

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from xml.etree.ElementTree import Element

from extractors.document.limits import Extracted, Limits
from extractors.plain.plain_text import clean
from extractors.word.wordml import PREFIXES, Met, Stories, Styles, is_set
from extractors.word.xml_tree import each, first, parse
from record.errors import Unreadable

_MOST_MEMBERS = 5_000
_MEMBER_MARK = b"PK\x01\x02"
_HEADER_BYTES = 30  # of a member, before its name
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED_FLAG = 0x41  # bits of a member's flags: encrypted, strongly encrypted

# Text in XML shrinks to a tenth, to a fiftieth where all rows are alike.
_MOST_RATIO = 200
_RATIO_FROM_BYTES = 4_000_000

_SHAPE_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, LookupError, OverflowError),
)


class Archive:
    """The members of a zip archive, found by name whatever its case.

    All that is read of one archive stays below `limits.max_bytes`. Raises Unreadable: `broken` for
    what is no sound archive, has two members of one name, or members that share bytes;
    `encrypted`; `too-large`.
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
        self._members = {_folded(member.filename): member for member in members}
        if len(self._members) < len(members):
            raise Unreadable("broken")

    def __contains__(self, name: str) -> bool:
        return _folded(name) in self._members

    def read(self, name: str) -> bytes:
        """Decompress one member; Unreadable(`broken`) where there is none, or it is damaged."""
        member = self._members.get(_folded(name))
        if member is None or member.compress_type not in _COMPRESSIONS:
            raise Unreadable("broken")
        if member.flag_bits & _ENCRYPTED_FLAG:
            raise Unreadable("encrypted")
        try:
            with self._file.open(member) as file:
                # What the archive says of sizes may be a lie: never more than what is left.
                content = file.read(self._left + 1)
        except _SHAPE_ERRORS:
            raise Unreadable("broken") from None
        size = len(content)
        if size > self._left or size > max(_RATIO_FROM_BYTES, _MOST_RATIO * member.compress_size):
            raise Unreadable("too-large")
        self._left -= size
        return content


def _folded(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


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
    """Read a word document: headers, body, footers, notes, comments; a table row is a line.

    Deleted and hidden text, field codes, metadata, embedded and linked objects stay out. Raises
    Unreadable: `broken`, `encrypted`, `too-large`, `too-long`, `unknown-format` for what is no
    word document, `unread-part` where contents lie in another document, `page-without-text` where
    a picture covers half a page, `no-text-layer` where pictures are all there is, `no-text`.
    """
    if data.startswith(_COMPOUND):
        raise Unreadable("encrypted" if _ENCRYPTED in data else "unknown-format")
    text = clean(_Package(Archive(data, limits)).text())
    text = _EMPTY_LINES.sub("\n\n", _TRAILING.sub("", text)).strip("\n")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "docx")


@dataclass(frozen=True, slots=True)
class _Link:
    kind: str
    part: str
    outside: bool


class _Package:
    """The parts of a document that a reader sees something of."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        if _CONTENT_TYPES not in archive:
            raise Unreadable("unknown-format")
        self._main = next(
            (link.part for link in self._links("").values() if link.kind == "officeDocument"), ""
        )
        if self._main not in archive:
            raise Unreadable("broken" if self._main else "unknown-format")
        self._main_links = self._links(self._main)
        self._shown: set[str] = set()  # charts and diagrams are written once

    def text(self) -> str:
        document = self._parse(self._main)
        body = first(document, "w:body")
        if document.tag != "w:document" or body is None:
            raise Unreadable("unknown-format" if document.tag != "w:document" else "broken")
        styles = Styles(self._kind("styles"))
        heads: dict[str, None] = {}
        feet: dict[str, None] = {}
        for tag, part in self._margins(body):
            text, _ = self._story(part, self._parse(part), styles)
            (heads if tag == "w:headerReference" else feet).setdefault(text)
        text, met = self._story(self._main, body, styles)
        blocks = [*heads, text, *self._notes(met, styles), *feet]
        blocks = [block for block in blocks if block.strip()]
        has_text = bool(blocks)
        if met.scans:
            raise Unreadable("page-without-text" if has_text else "no-text-layer")
        if not has_text:
            raise Unreadable("no-text-layer" if met.pictures else "no-text")
        return "\n\n".join(blocks)

    def _story(self, part: str, root: Element, styles: Styles) -> tuple[str, Met]:
        links = self._links(part)

        def related(name: str) -> str:
            return self._graphic(links[name]) if name in links else ""

        stories = Stories(styles, related)
        return stories.write(root), stories.met

    def _margins(self, body: Element) -> Iterator[tuple[str, str]]:
        """Return kind of reference and part of the headers and footers that are shown,
        each once.
        """
        settings = self._kind("settings")
        even = is_set(first(settings, "w:evenAndOddHeaders"))
        current: dict[tuple[str, str], str] = {}  # a section goes on with what the last one had
        given: set[str] = set()
        for section in _sections(body):
            for reference in section:
                if reference.tag in ("w:headerReference", "w:footerReference"):
                    key = reference.tag, reference.get("w:type", "default")
                    current[key] = reference.get("r:id", "")
            titled = is_set(first(section, "w:titlePg"))
            shown = {"default": True, "first": titled, "even": even}
            for kind in _KINDS:
                for tag in ("w:headerReference", "w:footerReference"):
                    link = self._main_links.get(current.get((tag, kind), ""))
                    if link and shown[kind] and link.part not in given:
                        given.add(link.part)
                        yield tag, link.part

    def _notes(self, met: Met, styles: Styles) -> Iterator[str]:
        for kind, part_kind in _NOTE_PARTS.items():
            wanted = dict.fromkeys(name for one, name in met.notes if one == kind)
            part = self._part(part_kind)
            if not wanted or not part:
                continue
            notes = {
                note.get("w:id", ""): note
                for note in each(self._parse(part), f"w:{kind}")
                if note.get("w:type") not in _NO_NOTES
            }
            texts = [self._story(part, notes[name], styles)[0] for name in wanted if name in notes]
            yield "\n".join(texts)

    def _graphic(self, link: _Link) -> str:
        """What a chart or diagram says; its data may be in it more than once."""
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

    def _kind(self, kind: str) -> Element | None:
        part = self._part(kind)
        return self._parse(part) if part else None

    def _part(self, kind: str) -> str:
        links = self._main_links.values()
        return next((link.part for link in links if link.kind == kind and not link.outside), "")

    def _parse(self, part: str) -> Element:
        return parse(self._archive.read(part), PREFIXES)

    def _links(self, part: str) -> dict[str, _Link]:
        folder, name = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{name}.rels")
        if rels not in self._archive:
            return {}
        return {
            link.get("Id", ""): _Link(
                link.get("Type", "").rpartition("/")[2],
                _resolved(folder, link.get("Target", "")),
                link.get("TargetMode") == "External",
            )
            for link in each(self._parse(rels), "rel:Relationship")
        }


def _resolved(folder: str, target: str) -> str:
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(folder, target))


def _sections(body: Element) -> Iterator[Element]:
    for properties in body.iter("w:pPr"):
        yield from each(properties, "w:sectPr")
    yield from each(body, "w:sectPr")
