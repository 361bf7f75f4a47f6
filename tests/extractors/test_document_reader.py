import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.document_reader import DocumentReader, read_file
from record.errors import Unavailable, Unreadable

Make = Callable[..., bytes]
LIMITS = Limits(max_bytes=1000)
FULL = Options(Layout.FULL, languages=())
REASONS = {
    *("empty", "broken", "encrypted", "no-text-layer", "page-without-text", "garbled-text"),
    *("too-many-pages", "too-long", "too-large", "unknown-encoding", "unknown-format"),
    *("timed-out", "out-of-memory", "crashed", "no-text", "mojibake", "hidden-text"),
    *("dynamic-form", "unread-part"),
}
WITHOUT_TEXT = {
    *("blank.pdf", "issue-203-decimalize.pdf", "issue-297-example.pdf", "grayscale-image.pdf"),
    *("imagemagick-ASCII85Decode.pdf", "imagemagick-CCITTFaxDecode.pdf", "imagemagick-lzw.pdf"),
    "cmyk-image.pdf",
}
REFUSED = {
    **dict.fromkeys(WITHOUT_TEXT, "no-text-layer"),
    "error.pdf": "broken",
    "empty.pdf": "empty",
    "password-example.pdf": "encrypted",
    "libreoffice-writer-password.pdf": "encrypted",
    # A third of the Arabic letters have no meaning in the text layer.
    "habibi.pdf": "garbled-text",
    "habibi-oneline-cmap.pdf": "garbled-text",
    "habibi-rotated.pdf": "garbled-text",
    # Six images; what text there is lies off the page.
    "imagemagick-images.pdf": "no-text-layer",
    # A picture of a letter, with its date alone as text.
    "malformed-from-issue-932.pdf": "no-text-layer",
    # The name of a user and a print job, white on white; a word under an annotation.
    "federal-register-2020-17221.pdf": "hidden-text",
    "annotations.pdf": "hidden-text",
}


def refusal(reader: DocumentReader, data: bytes, name: str = "") -> str:
    with pytest.raises(Unreadable) as caught:
        reader.read(data, name=name)
    return caught.value.reason


def test_content_decides_not_the_name(reader: DocumentReader, pdf: Make) -> None:
    extracted = reader.read(pdf("Mme LEFÈVRE"), name="letter.txt")
    assert (extracted.text, extracted.origin, extracted.pages) == ("Mme LEFÈVRE", "pdf", 1)
    extracted = reader.read("Mme LEFÈVRE\r\n".encode(), name="letter.txt")
    assert (extracted.text, extracted.origin, extracted.pages) == ("Mme LEFÈVRE\n", "plain", 1)


def test_a_broken_pdf_is_not_taken_for_text(reader: DocumentReader) -> None:
    assert refusal(reader, b"this is no PDF", "Letter.PDF") == "broken"
    assert refusal(reader, b"", "letter.pdf") == "empty"


def test_size_is_checked_first() -> None:
    with DocumentReader(LIMITS, FULL) as reader:
        assert refusal(reader, b"x" * 1001) == "too-large"
        assert reader.read(b"x" * 1000).text == "x" * 1000


def test_plain_text_starts_no_process() -> None:
    with DocumentReader(Limits(), FULL) as reader:
        reader.read(b"text")
        assert reader._sandbox.pid is None


def test_a_closed_reader_can_be_used_again(pdf: Make) -> None:
    with DocumentReader(Limits(), FULL) as reader:
        assert reader.read(pdf("one")).text == "one"
        reader.close()
        assert reader.read(pdf("two")).text == "two"


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.one_of(
        st.binary(max_size=400),
        st.binary(max_size=400).map(b"%PDF-1.5\n".__add__),
        st.text().map(str.encode),
        st.text(st.characters(codec="cp1252")).map(lambda text: text.encode("cp1252")),
        st.text("1 0obj<</Type/Pages/Kids[]/Count>>endobjtrailer/Root R\n%EOF").map(
            lambda text: b"%PDF-1.5\n" + text.encode()
        ),
    )
)
def test_arbitrary_bytes_raise_nothing_but_unreadable(reader: DocumentReader, data: bytes) -> None:
    try:
        extracted = reader.read(data)
    except Unreadable as unreadable:
        assert unreadable.reason in REASONS
    else:
        assert extracted.text.strip()


def test_every_fixture_is_read_or_refused(reader: DocumentReader, fixtures: Path) -> None:
    manifest = json.loads((fixtures / "manifest.json").read_text())
    refused = {}
    for entry in manifest:
        data = (fixtures / entry["source"] / entry["file"]).read_bytes()
        try:
            extracted = reader.read(data, name=entry["file"])
        except Unreadable as unreadable:
            refused[entry["file"]] = unreadable.reason
        else:
            assert extracted.pages == entry["pages"]
            if extracted.pages <= 5:  # the manifest counted no further
                # Another extractor counted these; layouts differ, but nothing large may be lost.
                assert len(extracted.text) >= 0.75 * entry["chars_first_5_pages"]
    assert refused == REFUSED


class TestReadFile:
    @pytest.fixture
    def base(self, tmp_path: Path) -> Path:
        base = tmp_path / "documents"
        (base / "2024").mkdir(parents=True)
        (base / "a.txt").write_bytes(b"a")
        (base / "2024" / "b é.txt").write_bytes(b"b")
        (base / "large.txt").write_bytes(b"x" * 1001)
        (tmp_path / "secret.txt").write_bytes(b"secret")
        (tmp_path / "documents-too").mkdir()
        (base / "inside.txt").symlink_to("a.txt")
        (base / "outside.txt").symlink_to("../secret.txt")
        (base / "away").symlink_to(tmp_path)
        (base / "circle").symlink_to("circle")
        os.mkfifo(base / "pipe")
        os.link(base.parent / "secret.txt", base / "second.txt")
        return base

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("a.txt", b"a"),
            ("./a.txt", b"a"),
            ("2024/b é.txt", b"b"),
            ("2024//b é.txt", b"b"),
            ("inside.txt", b"a"),
        ],
    )
    def test_files_of_the_folder(self, base: Path, name: str, content: bytes) -> None:
        assert read_file(name, base, LIMITS) == content

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("../secret.txt", "outside-folder"),
            ("2024/../a.txt", "outside-folder"),
            ("..", "outside-folder"),
            ("/etc/hostname", "outside-folder"),
            ("outside.txt", "outside-folder"),
            ("away/secret.txt", "outside-folder"),
            ("second.txt", "hard-link"),
            ("away/documents-too", "outside-folder"),
            ("..\\secret.txt", "outside-folder"),
            ("a.txt\0", "outside-folder"),
            ("", "missing-document"),
            (".", "missing-document"),
            ("none.txt", "missing-document"),
            ("a.txt/b", "missing-document"),
            ("x" * 5000, "missing-document"),
            ("\ud800", "missing-document"),
            ("2024", "not-a-file"),
            ("pipe", "not-a-file"),
            ("circle", "missing-document"),
            ("large.txt", "too-large"),
        ],
    )
    def test_nothing_else(self, base: Path, name: str, reason: str) -> None:
        with pytest.raises(Unreadable) as caught:
            read_file(name, base, LIMITS)
        assert caught.value.reason == reason

    def test_a_second_name_may_be_allowed(self, base: Path) -> None:
        assert read_file("second.txt", base, LIMITS, hard_links=True) == b"secret"

    def test_a_folder_that_is_not_there_is_not_the_documents_fault(self, tmp_path: Path) -> None:
        with pytest.raises(Unavailable):
            read_file("a.txt", tmp_path / "unmounted", LIMITS)

    @given(name=st.text(st.sampled_from("ab./\\~é\0 ")))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def test_any_name_stays_inside(self, base: Path, name: str) -> None:
        with contextlib.suppress(Unreadable):
            assert read_file(name, base, LIMITS) != b"secret"
