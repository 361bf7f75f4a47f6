"""Telephone and fax numbers, e-mail and network addresses."""

from collections.abc import Iterable, Iterator

from record.document import Document
from record.span import Span
from rules.contacts import network_addresses, phones
from rules.matching.normalized_document import fold_once


def detect(document: Document) -> list[Span]:
    """Find PHONE, FAX, EMAIL, URL, IP_ADDRESS, and DEVICE_ID for hardware addresses.

    A telephone number's span holds its leading `+` or parenthesis and its extension, never the
    word before it; a network address holds its port. A MAC address names one piece of hardware
    for good, as a serial number does, and not a place in a network: it is a DEVICE_ID. Spans are
    sorted; a web address may overlap the e-mail address it holds.
    """
    folded = fold_once(document.text)
    spans = list(network_addresses.find(folded, document.text, document.lang))
    return sorted([*spans, *_outside(phones.find(folded, document.lang), spans)])


def _outside(numbers: Iterable[Span], spans: list[Span]) -> Iterator[Span]:
    for number in numbers:
        if all(number.end <= span.start or span.end <= number.start for span in spans):
            yield number
