"""Extraction of e-mail (RFC 5322, MIME): main headers and body, without attachments."""

import re
from email import errors, policy
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser

from extractors.document.limits import Extracted, Limits
from extractors.markup import html
from extractors.plain.code_pages import decode_labelled
from extractors.plain.plain_text import clean, decode
from extractors.rtf import rtf
from record.errors import Unreadable

_HEADERS = ("From", "To", "Cc", "Subject", "Date")
_DEEPEST = 20
_MOST_PARTS = 500
_BOUNDARY = re.compile(rb"^--\S", re.MULTILINE)
_MOST_BOUNDARIES = 20_000
_ENVELOPE = re.compile(rb"\n\r?\nFrom [^\n]*\d{4}\r?\n[!-9;-~]+:")

_LOSSES = (
    *(errors.NoBoundaryInMultipartDefect, errors.StartBoundaryNotFoundDefect),
    *(errors.CloseBoundaryNotFoundDefect, errors.MultipartInvariantViolationDefect),
    *(errors.MissingHeaderBodySeparatorDefect, errors.FirstHeaderLineIsContinuationDefect),
    *(errors.InvalidMultipartContentTransferEncodingDefect, errors.MalformedHeaderDefect),
    *(errors.InvalidBase64PaddingDefect, errors.InvalidBase64CharactersDefect),
    errors.InvalidBase64LengthDefect,
)
# Exceptions of the parser on unexpected structures.
_SHAPE_ERRORS = (
    *(errors.MessageError, ValueError, LookupError, TypeError, AttributeError),
    *(AssertionError, RecursionError),
)
_TRANSFERS = frozenset("7bit 8bit binary quoted-printable base64 x-uuencode uuencode uue".split())
_ELSEWHERE = frozenset(("message/partial", "message/external-body"))
_SEALED = frozenset(("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"))
_TEXTS = ("text/plain", "text/html", "text/rtf", "application/rtf", "text/richtext")
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_EMPTY_LINES = re.compile(r"\n{3,}")
_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++$", re.MULTILINE)
_SIGNATURE = "-- "


def extract(data: bytes, limits: Limits) -> Extracted:
    """Extract a message: sender, recipients, subject and date, then the body.

    Plain text is preferred to HTML; forwarded messages are included. Raises Unreadable: `broken`,
    `unknown-encoding`, `mojibake`, `encrypted`, `too-large`, `too-long`, `too-many-parts`,
    `unread-part` for external content, `unknown-format` for several messages in one file,
    `no-text` for a message with attachments only; and the reasons of `html.extract` and
    `rtf.extract`.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    if data.startswith(b"From ") and _ENVELOPE.search(data):
        raise Unreadable("unknown-format")
    if len(_BOUNDARY.findall(data)) > _MOST_BOUNDARIES:
        raise Unreadable("too-many-parts")
    try:
        # Raw headers: those of the newer policy are parsed by grammar, which is slow.
        message = BytesParser(policy=policy.compat32).parsebytes(data.removeprefix(b"\xef\xbb\xbf"))
        text = _MessageText(limits).text(message)
    except _SHAPE_ERRORS:
        raise Unreadable("broken") from None
    text = _EMPTY_LINES.sub("\n\n", _TRAILING.sub("", clean(text))).strip("\n")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "mail")


class _MessageText:
    """Collects the text of one message, within the limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts = 0
        self._left = limits.max_characters

    def text(self, message: Message) -> str:
        body = self._part_text(message, 0)
        if not body.strip():
            raise Unreadable("no-text")
        return f"{_format_headers(message)}\n\n{body}"

    def _part_text(self, part: Message, depth: int) -> str:
        self._parts += 1
        if depth > _DEEPEST or self._parts > _MOST_PARTS:
            raise Unreadable("too-many-parts")
        kind = part.get_content_type()
        if any(isinstance(defect, _LOSSES) for defect in part.defects):
            raise Unreadable("broken")
        if kind in _SEALED:
            raise Unreadable("encrypted")
        if kind in _ELSEWHERE:
            raise Unreadable("unread-part")
        if kind == "message/rfc822":
            inner = _subparts(part)
            if len(inner) != 1:
                raise Unreadable("broken")
            return f"{_format_headers(inner[0])}\n\n{self._part_text(inner[0], depth + 1)}"
        if part.is_multipart():
            return self._multipart_text(part, kind, depth)
        if part.get_content_disposition() == "attachment" or kind not in _TEXTS:
            return ""
        return self._leaf_text(part, kind)

    def _multipart_text(self, part: Message, kind: str, depth: int) -> str:
        children = _subparts(part)
        if kind.startswith("message/"):
            return ""  # a delivery report, which is machine-readable
        if kind == "multipart/related":
            start = part.get_param("start")
            children = [
                next(
                    (child for child in children if start and child["Content-ID"] == start),
                    children[0],
                )
            ]  # the other parts are its images
        if kind == "multipart/signed":
            children = children[:1]
        if kind == "multipart/alternative":
            # The first alternative with text: plain ones first, then the richest
            plain = [child for child in children if child.get_content_type() == "text/plain"]
            rich = [child for child in reversed(children) if child not in plain]
            for child in (*plain, *rich):
                text = self._part_text(child, depth + 1)
                if text.strip():
                    return text
            return ""
        texts = [self._part_text(child, depth + 1) for child in children]
        return "\n\n".join(text.strip("\n") for text in texts if text.strip())

    def _leaf_text(self, part: Message, kind: str) -> str:
        transfer = str(part.get("Content-Transfer-Encoding", "7bit")).strip().lower()
        if transfer not in _TRANSFERS:
            raise Unreadable("broken")
        payload = part.get_payload(decode=True)
        # Errors in base64 are recorded when it is decoded.
        if not isinstance(payload, bytes) or any(isinstance(one, _LOSSES) for one in part.defects):
            raise Unreadable("broken")
        data = payload
        if not data.strip():
            return ""
        label = part.get_content_charset()
        if kind == "text/html":
            text = self._html_text(data, label)
        elif kind == "text/plain":
            text = _join_flowed_lines(decode_labelled(data, label), part)
        else:
            text = rtf.extract(data, self._limits).text
        self._left -= len(text)
        if self._left < 0:
            raise Unreadable("too-long")
        return text

    def _html_text(self, data: bytes, label: str | None) -> str:
        try:
            if label is None:
                return html.extract(data, self._limits).text
            return html.extract_text(decode_labelled(data, label), self._limits)
        except Unreadable as unreadable:
            # An image without text leaves the decision to the message as a whole.
            if unreadable.reason in ("no-text", "no-text-layer"):
                return ""
            raise


def _subparts(part: Message) -> list[Message]:
    payload = part.get_payload()
    if not isinstance(payload, list):
        raise Unreadable("broken")
    return [child for child in payload if isinstance(child, Message)]


def _decode_word(word: bytes | str, label: str | None) -> str:
    if isinstance(word, str):
        return word
    if label is None:
        return word.decode("raw_unicode_escape")  # as decode_header encoded it
    return decode_labelled(word, label)


def _format_headers(message: Message) -> str:
    lines = []
    for name in _HEADERS:
        for found, value in message.raw_items():
            if found.lower() == name.lower():
                # Encoded words of a header, and raw bytes in it.
                raw = _FOLD.sub("", str(value)).encode("utf-8", "surrogateescape")
                words = (_decode_word(*word) for word in decode_header(decode(raw)))
                lines.append(f"{name}: {' '.join(''.join(words).split())}")
    return "\n".join(lines)


def _join_flowed_lines(text: str, part: Message) -> str:
    """Join the lines of a paragraph that end with a soft line break (RFC 3676)."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    without_blank = str(part.get_param("delsp", "")).lower() == "yes"
    out: list[str] = []
    open_quote = -1  # quote depth of the open paragraph, -1 for none
    for line in text.replace("\r\n", "\n").split("\n"):
        quoted = len(line) - len(line.lstrip(">"))
        rest = line[quoted:].removeprefix(" ")
        flows = rest.endswith(" ") and rest != _SIGNATURE
        kept = rest[:-1] if flows and without_blank else rest
        if quoted == open_quote and rest != _SIGNATURE:
            out[-1] += kept
        else:
            out.append(">" * quoted + (" " if quoted else "") + kept)
        open_quote = quoted if flows else -1
    return "\n".join(out)
