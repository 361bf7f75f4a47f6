"""Telephone and fax numbers, e-mail and network addresses."""

from collections.abc import Iterator

from record.document import Document
from record.span import Span
from rules import net_addresses, phones
from rules.folded import fold_once


def detect(document: Document) -> list[Span]:
    """Find PHONE, FAX, EMAIL, URL and IP_ADDRESS.

    A telephone number's span holds its leading `+` or parenthesis and its extension, never the
    word before it. Spans are sorted; a web address may overlap the e-mail address it holds.
    """
    folded = fold_once(document.text)
    return sorted(_all(folded, document.text))


def _all(folded: str, text: str) -> Iterator[Span]:
    yield from net_addresses.find(folded, text)
    yield from phones.find(folded)
