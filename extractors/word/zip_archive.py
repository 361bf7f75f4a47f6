"""Zip archives of unknown origin: members read one at a time, within bounds, in memory alone."""

import io
import struct
import zipfile
import zlib
from itertools import pairwise

from extractors.document.limits import Limits
from record.errors import Unreadable

_MOST_MEMBERS = 5_000
_MEMBER_MARK = b"PK\x01\x02"
_HEADER_BYTES = 30  # of a member, before its name
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x41  # bits of a member's flags: encrypted, strongly encrypted

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
        _refuse_overlaps(members, len(data))
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
        if member.flag_bits & _ENCRYPTED:
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


def _refuse_overlaps(members: list[zipfile.ZipInfo], size: int) -> None:
    spans = sorted((one.header_offset, one.compress_size) for one in members)
    spans.append((size, 0))
    for (start, length), (following, _) in pairwise(spans):
        if start < 0 or start + _HEADER_BYTES + length > following:
            raise Unreadable("broken")
