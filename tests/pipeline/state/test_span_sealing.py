"""What is sealed opens again, and only for the note and version it was sealed for."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.state.span_sealing import NoteFindings, NoteVersion, Seal, StateKeys
from record.errors import Unsafe
from record.span import Span
from surrogates.keys.keys import MasterKey

SEAL = Seal(bytes(range(32)))
CONTENT = bytes(16)
SPANS = st.lists(
    st.builds(
        lambda start, size, label: Span(start, start + size, label, "rules.dates", 0.5),
        st.integers(0, 10**6),
        st.integers(1, 100),
        st.sampled_from(["DATE", "LAST_NAME"]),
    )
).map(tuple)


READ = st.none() | st.tuples(st.text(), st.sampled_from(["pdf/body", "docx"]))
FOUND = st.builds(
    lambda text, title, read: NoteFindings({"text": text, "title": title}, read), SPANS, SPANS, READ
)


@given(FOUND)
def test_what_is_sealed_opens(found: NoteFindings) -> None:
    sealed = SEAL.close("17", CONTENT, found)
    assert SEAL.open("17", CONTENT, sealed) == found
    assert SEAL.close("17", CONTENT, found) == sealed


SEALED = SEAL.close("17", CONTENT, NoteFindings({"text": (Span(3, 9, "LAST_NAME"),)}))


def test_the_text_of_a_document_is_under_the_seal_and_not_in_its_repr() -> None:
    found = NoteFindings({"text": ()}, ("Jeanne DUPONT " * 40, "pdf/body"))
    sealed = SEAL.close("17", CONTENT, found)
    assert b"DUPONT" not in sealed
    assert len(sealed) < 200
    assert "DUPONT" not in repr(found)


@pytest.mark.parametrize(
    ("note_id", "content", "sealed"),
    [
        ("18", CONTENT, SEALED),
        ("17", b"x" * 16, SEALED),
        ("17", CONTENT, SEALED[:-1] + bytes([SEALED[-1] ^ 1])),
        ("17", CONTENT, b""),
    ],
    ids=["another note", "another version", "one bit", "nothing"],
)
def test_a_broken_seal_is_refused(note_id: str, content: bytes, sealed: bytes) -> None:
    with pytest.raises(Unsafe, match="broken-seal"):
        SEAL.open(note_id, content, sealed)


def test_another_key_opens_nothing() -> None:
    with pytest.raises(Unsafe, match="broken-seal"):
        Seal(bytes(32)).open("17", CONTENT, SEALED)


def test_labels_cannot_be_read_without_the_key() -> None:
    assert b"LAST_NAME" not in SEALED


def test_the_key_is_neither_shown_nor_serialized() -> None:
    assert "x01" not in repr(SEAL)
    with pytest.raises(TypeError):
        pickle.dumps(SEAL)


VERSION = NoteVersion(17, b"c" * 16, b"i" * 16, b"k" * 16)
FINDINGS = NoteFindings({"text": (Span(3, 9, "LAST_NAME"),)})


def test_findings_and_staged_rows_open_for_their_version() -> None:
    assert SEAL.open_findings(VERSION, SEAL.seal_findings(VERSION, FINDINGS)) == FINDINGS
    assert SEAL.open_staged(VERSION, SEAL.seal_staged(VERSION, b"row")) == b"row"
    nothing = NoteVersion(17, b"", b"", b"")
    assert SEAL.open_staged(nothing, SEAL.seal_staged(nothing, b"row")) == b"row"


@pytest.mark.parametrize(
    "other",
    [
        replace(VERSION, note_id=18),
        replace(VERSION, content=bytes(16)),
        replace(VERSION, identity=bytes(16)),
        replace(VERSION, config=bytes(16)),
        replace(VERSION, content=b"", identity=VERSION.content + VERSION.identity),
    ],
    ids=["another note", "another text", "another patient", "another configuration", "moved"],
)
def test_no_other_version_opens_them(other: NoteVersion) -> None:
    with pytest.raises(Unsafe, match="broken-seal"):
        SEAL.open_findings(other, SEAL.seal_findings(VERSION, FINDINGS))
    with pytest.raises(Unsafe, match="broken-seal"):
        SEAL.open_staged(other, SEAL.seal_staged(VERSION, b"row"))


def test_one_kind_of_sealed_data_does_not_open_as_another() -> None:
    with pytest.raises(Unsafe):
        SEAL.open_findings(VERSION, SEAL.seal_staged(VERSION, b"{}"))
    with pytest.raises(Unsafe):
        SEAL.open("17", VERSION.content, SEAL.seal_findings(VERSION, FINDINGS))
    with pytest.raises(Unsafe):
        SEAL.open_findings(VERSION, SEAL.close("17", VERSION.content, FINDINGS))


def test_keyed_digests_depend_on_key_and_kind() -> None:
    keys, others = StateKeys(MasterKey(bytes(32))), StateKeys(MasterKey(b"x" * 32))
    keyed = keys.key_digest("content", CONTENT)
    assert len(keyed) == len(CONTENT)
    assert keyed == keys.key_digest("content", CONTENT)
    assert len({CONTENT, keyed, keys.key_digest("identity", CONTENT),
                others.key_digest("content", CONTENT)}) == 4  # fmt: skip
    assert keys.key_digest("content", b"") == b""
    assert repr(keys) == "StateKeys()"
    with pytest.raises(TypeError):
        pickle.dumps(keys)
