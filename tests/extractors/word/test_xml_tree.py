import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.word.xml_tree import find_all, find_first, parse_xml
from record.errors import Unreadable

PREFIXES = {"urn:x": "x"}
DECLARED = '<?xml version="1.0" encoding="{}"?><a>{}</a>'
TEXT = "L’été à Évry"


def reason(data: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        parse_xml(data, PREFIXES)
    return caught.value.reason


def test_names_get_their_prefix() -> None:
    root = parse_xml(
        b'<a xmlns="urn:x" xmlns:y="urn:y" y:n="1"><!-- no --><b/><y:b/></a>', PREFIXES
    )
    assert [element.tag for element in root.iter()] == ["x:a", "x:b", "{urn:y}b"]
    assert root.get("{urn:y}n") == "1"


def test_children_are_found_along_a_path() -> None:
    root = parse_xml(b"<a><b><c>1</c></b><b/><b><c>2</c><d/></b></a>", {})
    assert [one.text for one in find_all(root, "b", "c")] == ["1", "2"]
    assert [one.tag for one in find_all(root, "b")] == ["b", "b", "b"]
    assert find_first(root, "b", "d") is not None
    assert find_first(root, "d") is None
    assert find_first(None, "d") is None


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        *(("utf-8", "utf-8"), ("utf-8", "utf-8-sig"), ("utf-16", "utf-16")),
        *(("windows-1252", "cp1252"), ("cp850", "cp850"), ("iso-8859-15", "iso8859_15")),
        # What such declarations mean in practice.
        *(("ISO-8859-1", "cp1252"), ("utf-16", "utf-8")),
    ],
)
def test_encodings(declared: str, written: str) -> None:
    text = TEXT.replace("’", "'") if written in ("cp850", "iso8859_15") else TEXT
    assert parse_xml(DECLARED.format(declared, text).encode(written), {}).text == text


@pytest.mark.parametrize("declared", ["klingon", "utf-7", "hex", "shift_jis"])
def test_encodings_that_cannot_be_read(declared: str) -> None:
    assert reason(DECLARED.format(declared, "a").encode()) == "unknown-encoding"


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY x "&b;&b;&b;&b;">]><a>&x;</a>',
        b'<!DOCTYPE a SYSTEM "http://example.org/x.dtd"><a/>',
        b'<!DOCTYPE a [<!ENTITY % p SYSTEM "http://example.org/x.dtd"> %p;]><a/>',
        b"<!DOCTYPE a><a/>",
        *(b"<a>&x;</a>", b"<a>", b"", b"text", b"<a/><b/>", b"<a>\0</a>", b"<a>\xe9</a>"),
        b"<a>" * 200 + b"</a>" * 200,
    ],
)
def test_document_types_and_what_is_not_well_formed_are_refused(data: bytes) -> None:
    assert reason(data) == "broken"


@given(st.binary(max_size=60))
def test_any_bytes_are_parsed_or_refused(data: bytes) -> None:
    for content in (data, b"<a>" + data + b"</a>", b'<?xml version="1.0" encoding="' + data):
        try:
            parse_xml(content, PREFIXES)
        except Unreadable as unreadable:
            assert unreadable.reason in ("broken", "unknown-encoding")
