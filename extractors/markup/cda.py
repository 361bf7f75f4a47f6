"""Clinical documents (HL7 CDA R2): header and narrative as a browser shows them."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from extractors.document.limits import (
    Extracted,
    Limits,
)
from extractors.markup.cda_header import Header
from extractors.markup.cda_narrative import (
    PREFIX,
    Narrative,
)
from extractors.plain import plain_text
from extractors.word.xml_tree import (
    each,
    first,
    parse,
)
from record.errors import Unreadable

_PREFIXES = {"urn:hl7-org:v3": PREFIX}
_EMPTY_LINES = re.compile(r"\n{3,}")

Read = Callable[[bytes], Extracted]


def extract(data: bytes, limits: Limits, read: Read | None = None) -> Extracted:
    """Read a clinical document: title, header as `Label: value`, sections with their titles.

    `read` reads a document of another kind that this one holds; without it, only plain text is.
    Pictures and coded entries stay out. Raises Unreadable: `broken`, `unknown-encoding`,
    `unknown-format` for other XML, `unread-part` for a body or attachment that cannot be read,
    `too-large`, `too-long`, `no-text`, and what `read` raises.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    root = parse(data, _PREFIXES)
    if root.tag != f"{PREFIX}:ClinicalDocument":
        raise Unreadable("unknown-format")
    text = plain_text.clean(_Document(root, limits, read).text()).strip("\n")
    text = _EMPTY_LINES.sub("\n\n", text)
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "cda")


class _Document:
    def __init__(self, root: Element, limits: Limits, read: Read | None) -> None:
        self._root = root
        self._limits = limits
        self._read = read
        self._media = {
            media.get("ID", ""): value
            for media in root.iter(f"{PREFIX}:observationMedia")
            for value in each(media, f"{PREFIX}:value")
        }
        self._narrative = Narrative(self._shown)

    def text(self) -> str:
        body = [text for text in self._body() if text.strip()]
        if not body:
            raise Unreadable("no-text")
        title = _title(self._root)
        return "\n\n".join(part for part in (title, Header(self._root).write(), *body) if part)

    def _body(self) -> Iterator[str]:
        for component in each(self._root, f"{PREFIX}:component"):
            for other in each(component, f"{PREFIX}:nonXMLBody", f"{PREFIX}:text"):
                yield self._embedded(other)
            for section in each(component, *_SECTIONS):
                yield from self._section(section)

    def _section(self, section: Element) -> Iterator[str]:
        title = first(section, f"{PREFIX}:title")
        block = first(section, f"{PREFIX}:text")
        lines = [self._narrative.write(part) for part in (title, block) if part is not None]
        yield "\n".join(filter(None, lines))
        for inner in each(section, f"{PREFIX}:component", f"{PREFIX}:section"):
            yield from self._section(inner)

    def _shown(self, name: str) -> str:
        # An attachment is read where it is first shown.
        media = self._media.pop(name, None)
        if media is None or media.get("mediaType", "").startswith(("image/", "video/", "audio/")):
            return ""
        return self._embedded(media)

    def _embedded(self, holder: Element) -> str:
        if holder.get("compression") or first(holder, f"{PREFIX}:reference") is not None:
            raise Unreadable("unread-part")
        written = "".join(holder.itertext())
        is_plain = holder.get("mediaType", "text/plain").partition(";")[0] == "text/plain"
        if holder.get("representation", "TXT") == "TXT":
            if is_plain:
                return written
            return self._other(written.encode())
        data = _decoded(written)
        if len(data) > self._limits.max_bytes:
            raise Unreadable("too-large")
        return plain_text.extract(data, self._limits).text if is_plain else self._other(data)

    def _other(self, data: bytes) -> str:
        if self._read is None:
            raise Unreadable("unread-part")
        return self._read(data).text


_SECTIONS = [f"{PREFIX}:{name}" for name in ("structuredBody", "component", "section")]


def _title(root: Element) -> str:
    title = first(root, f"{PREFIX}:title")
    text = "" if title is None else " ".join("".join(title.itertext()).split())
    code = first(root, f"{PREFIX}:code")
    return text or ("" if code is None else code.get("displayName", ""))


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("broken") from None
