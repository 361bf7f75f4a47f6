"""Safe parsing of untrusted XML: no document type, no entities, bounded depth and size."""

import re
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from record.errors import Unreadable

# Enough for tables in tables in text boxes, and within the recursion limit.
_DEEPEST = 150
_MOST_ELEMENTS = 3_000_000

_DECLARATION_BYTES = 200
_DECLARED = re.compile(rb"^(?:\xef\xbb\xbf)?\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)[\"']")
# A declared Latin-1 is Windows-1252 (WHATWG Encoding, section 4.2). A declared UTF-16 with one
# byte a letter was serialized as UTF-8 by a program that uses UTF-16 internally.
_LATIN_1 = re.compile(rb"(?i)iso[-_]?8859[-_]1|latin-?1|l1")
_UTF_16 = re.compile(rb"(?i)utf-?16(?:[lb]e)?|ucs-?2|iso-10646-ucs-2")

_ENCODING_ERRORS = (18, 19)  # expat: unknown encoding, incorrect encoding


def parse_xml(data: bytes, prefixes: Mapping[str, str]) -> Element:
    """Parse a document, without its comments and processing instructions.

    Names in a namespace of `prefixes` (namespace to prefix) become `prefix:name`, others
    `{namespace}name`. Raises Unreadable: `broken` for a document that is not well-formed, has a
    document type, or is nested too deep; `unknown-encoding`.
    """
    builder = _Builder(_Names(prefixes))
    # expat loads no external resources; a document type, and with it any entity, is refused.
    head = data[:_DECLARATION_BYTES]
    declared = _DECLARED.match(head)
    codec = None
    if declared and _LATIN_1.fullmatch(declared[1]):
        codec = "windows-1252"
    elif declared and _UTF_16.fullmatch(declared[1]):
        codec = "utf-8"
    parser = XMLParser(target=builder, encoding=codec)  # noqa: S314
    try:
        parser.feed(data)
        root = parser.close()
    except ParseError as error:
        encoding = error.code in _ENCODING_ERRORS
        raise Unreadable("unknown-encoding" if encoding else "broken") from None
    except (LookupError, ValueError):  # a multi-byte encoding, or a codec that is not an encoding
        raise Unreadable("unknown-encoding") from None
    if not isinstance(root, Element):
        raise Unreadable("broken")
    return root


class _Names(dict[str, str]):
    """Maps `{namespace}name` to `prefix:name`; filled on demand."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        super().__init__()
        self._prefixes = prefixes

    def __missing__(self, name: str) -> str:
        namespace, _, local = name[1:].partition("}")
        short = name
        if name.startswith("{") and namespace in self._prefixes:
            short = f"{self._prefixes[namespace]}:{local}"
        self[name] = short
        return short


class _Builder(TreeBuilder):
    def __init__(self, names: _Names) -> None:
        super().__init__()
        self._names = names
        self._depth = 0
        self._elements = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self._depth += 1
        self._elements += 1
        if self._depth > _DEEPEST or self._elements > _MOST_ELEMENTS:
            raise Unreadable("broken")
        names = self._names
        return super().start(names[tag], {names[name]: attrs[name] for name in attrs})

    def end(self, tag: str, /) -> Element:
        self._depth -= 1
        return super().end(self._names[tag])

    def doctype(self, name: str, public: str, system: str, /) -> None:
        del name, public, system
        raise Unreadable("broken")


def find_first(element: Element | None, *path: str) -> Element | None:
    """Return the first element at a path of child names, or None."""
    return next(find_all(element, *path), None)


def find_all(element: Element | None, *path: str) -> Iterator[Element]:
    """Return the elements at a path of child names, in document order."""
    if element is None:
        return
    for child in element:
        if child.tag == path[0]:
            if len(path) == 1:
                yield child
            else:
                yield from find_all(child, *path[1:])
