import pytest

from extractors.plain.code_pages import (
    codec_by_charset,
    codec_by_label,
    codec_by_number,
    decode_as,
    decode_labelled,
)
from record.errors import Unreadable


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("ISO-8859-1", "cp1252"),
        ("windows-1252", "cp1252"),
        (" UTF-8 ", "utf-8"),
        ("utf8", "utf-8"),
        ("iso-8859-15", "iso8859_15"),
        ("x-mac-roman", "mac_roman"),
        ("GB2312", "gb18030"),
        ("utf-7", None),
        ("unicode_escape", None),
        ("", None),
    ],
)
def test_labels(label: str, codec: str | None) -> None:
    assert codec_by_label(label) == codec


def test_every_codec_is_one_that_there_is() -> None:
    numbers = [codec_by_number(number) for number in range(70_000)]
    charsets = [codec_by_charset(number) for number in range(256)]
    for codec in {*numbers, *charsets, codec_by_label("big5"), codec_by_label("ks_c_5601-1987")} - {
        None
    }:
        assert codec
        assert decode_as(b"Dupont 12", codec) == "Dupont 12"
    assert codec_by_number(1253) == codec_by_charset(161) == "cp1253"
    assert codec_by_number(4711) is codec_by_charset(99) is None


@pytest.mark.parametrize(
    ("data", "label", "text"),
    [
        ("née".encode("cp1252"), "latin1", "née"),
        ("née".encode(), "latin1", "née"),
        ("née".encode(), None, "née"),
        ("née".encode("utf-8-sig"), "windows-1253", "née"),
        ("née à Évry".encode("cp1252"), "us-ascii", "née à Évry"),
        ("née".encode("utf-16-le"), "utf-16le", "née"),
        ("née".encode("utf-16"), "utf-16", "née"),
    ],
)
def test_labelled(data: bytes, label: str | None, text: str) -> None:
    assert decode_labelled(data, label) == text


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b"\xe9", "utf-8"),
        (b"\x81", "latin1"),
        (b"\x92", "iso-8859-2"),
        ("é".encode() + b"\xe9", "latin1"),
        (b"x", "x-klingon"),
        ("née".encode("utf-16-le"), "utf-16"),
    ],
)
def test_what_does_not_fit_is_refused(data: bytes, label: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decode_labelled(data, label)
    assert caught.value.reason == "unknown-encoding"
