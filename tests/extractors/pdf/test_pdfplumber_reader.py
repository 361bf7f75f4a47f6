import contextlib
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.layout.page_text import join_lines
from extractors.pdf import mupdf_reader as by_mupdf
from extractors.pdf.pdfplumber_reader import read_pages
from record.errors import Unreadable

LIMITS = Limits(max_pages=20, max_characters=50_000)
ROOT = Path(__file__).parents[3]
Make = Callable[..., bytes]


def text(data: bytes, passwords: tuple[str, ...] = ()) -> str:
    return join_lines(read_pages(data, LIMITS, passwords)).text


def refusal(data: bytes, limits: Limits = LIMITS, passwords: tuple[str, ...] = ()) -> str:
    with pytest.raises(Unreadable) as caught:
        read_pages(data, limits, passwords)
    return caught.value.reason


def drawn(draw: Callable[[pymupdf.Page], object], **size: float) -> bytes:
    with pymupdf.open() as document:
        draw(document.new_page(**size))
        return bytes(document.tobytes())


def test_pymupdf_is_not_needed() -> None:
    program = (
        "import sys; sys.modules['pymupdf'] = None; sys.modules['fitz'] = None\n"
        "import extractors.pdf.pdfplumber_reader, extractors.pdf.ruled_tables"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)
    assert done.returncode == 0


class TestLines:
    def test_pages_are_read_in_order(self, pdf: Make) -> None:
        data = pdf("Mme Zoë LEFÈVRE\nnée à Évry", "Page deux : 38 °C")
        assert text(data) == "Mme Zoë LEFÈVRE\nnée à Évry\n\nPage deux : 38 °C"

    def test_gaps_become_spaces_tabs_or_lines(self, placed: Make) -> None:
        rows = [(50, 100, "Nom"), (150, 100, "DUPONT"), (50, 114, "Prénom"), (150, 114, "Jean")]
        assert text(placed(*rows)) == "Nom\tDUPONT\nPrénom\tJean"

    def test_words_placed_one_by_one(self, raw: Make) -> None:
        assert (
            text(raw(b"BT /F 12 Tf 50 700 Td [(Jean)-400(DUPONT)-20(S)] TJ ET")) == "Jean DUPONTS"
        )

    def test_bold_made_by_drawing_twice(self, raw: Make) -> None:
        twice = b"BT /F 12 Tf 50 700 Td (DUPONT) Tj ET BT /F 12 Tf 50.3 700 Td (DUPONT) Tj ET"
        assert text(raw(twice)) == "DUPONT"

    def test_fonts_become_runs(self) -> None:
        def draw(page: pymupdf.Page) -> None:
            page.insert_text((50, 50), "Nom ", fontname="hebo", fontsize=12)
            page.insert_text((50 + pymupdf.get_text_length("Nom ", "hebo", 12), 50), "DUPONT",
                             fontname="tiro", fontsize=12)  # fmt: skip

        [page] = read_pages(drawn(draw), LIMITS)
        [line] = page.lines
        assert line.text == "Nom DUPONT"
        assert [line.text[run.start : run.end] for run in line.runs] == ["Nom ", "DUPONT"]
        assert line.runs[0].box[2] <= line.runs[1].box[0] + 0.1
        assert not line.bold

    def test_off_the_page_is_no_text(self, raw: Make) -> None:
        assert refusal(raw(b"BT /F 12 Tf 50 -900 Td (hors) Tj ET")) == "no-text-layer"

    @pytest.mark.parametrize("rotation", [0, 90, 180, 270])
    @pytest.mark.parametrize("turn", [0, 90, 180, 270])
    @pytest.mark.parametrize("crop", [False, True])
    def test_lines_lie_where_mupdf_sees_them(self, rotation: int, turn: int, crop: bool) -> None:
        def draw(page: pymupdf.Page) -> None:
            page.insert_text((200, 300), "Nom : DUPONT", fontsize=12, rotate=turn)
            page.insert_text((240, 340), "Jean Pierre", fontsize=12, rotate=turn)
            if crop:
                page.set_cropbox(pymupdf.Rect(40, 30, 380, 450))
            page.set_rotation(rotation)

        data = drawn(draw, width=400, height=500)
        [ours], [theirs] = read_pages(data, LIMITS), by_mupdf.read_pages(data, LIMITS).pages
        assert (ours.width, ours.height) == (theirs.width, theirs.height)
        assert [line.text for line in ours.lines] == [line.text for line in theirs.lines]
        for one, other in zip(ours.lines, theirs.lines, strict=True):
            assert one.direction == other.direction
            assert one.place == pytest.approx(
                other.place, abs=4
            )  # ascenders are measured otherwise
            assert one.box == pytest.approx(other.box, abs=4)
            assert one.size == pytest.approx(other.size, rel=0.3)

    def test_slanted_words_stay_whole(self, raw: Make) -> None:
        slanted = b"BT /F 12 Tf .7071 .7071 -.7071 .7071 100 300 Tm (CONFIDENTIEL) Tj ET"
        [page] = read_pages(raw(slanted), LIMITS)
        [line] = page.lines
        assert (line.text, line.direction) == ("CONFIDENTIEL", (0.71, -0.71))

    def test_forms_and_notes_on_the_page_are_read(self) -> None:
        def fill(page: pymupdf.Page) -> None:
            page.insert_text((50, 200), "corps")
            page.add_freetext_annot(pymupdf.Rect(50, 50, 300, 80), "note DUPONT")
            page.add_text_annot((50, 300), "remarque LEROY")
            field = pymupdf.Widget()
            field.field_type = pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT
            field.field_name, field.field_value = "nom", "champ MARTIN"
            field.rect = pymupdf.Rect(50, 100, 300, 130)
            page.add_widget(field)

        data = drawn(fill)
        words = text(data).split("\n")
        assert sorted(words) == ["champ MARTIN", "corps", "note DUPONT", "remarque LEROY"]
        assert words[-1] == "remarque LEROY"  # shown on a click alone
        [page] = read_pages(data, LIMITS)
        places = {line.text: line.place for line in page.lines}
        assert pymupdf.Rect(places["note DUPONT"]) in pymupdf.Rect(48, 48, 302, 82)
        assert pymupdf.Rect(places["champ MARTIN"]) in pymupdf.Rect(48, 98, 302, 132)

    def test_metadata_is_not_read(self, pdf: Make) -> None:
        with pymupdf.open(stream=pdf("corps"), filetype="pdf") as document:
            document.set_metadata({"title": "DUPONT", "author": "Dr MARTIN"})
            assert text(document.tobytes()) == "corps"


class TestRefusals:
    @pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"%PDF-1.7\n%%EOF", b"no", b"\0" * 99])
    def test_broken(self, data: bytes) -> None:
        assert refusal(data) == "broken"

    def test_encrypted(self, pdf: Make) -> None:
        for method in (pymupdf.mupdf.PDF_ENCRYPT_AES_256, pymupdf.mupdf.PDF_ENCRYPT_RC4_128):
            locked = pdf("secret", encryption=method, owner_pw="o", user_pw="u")
            assert refusal(locked) == "encrypted"
            assert refusal(locked, passwords=("x",)) == "encrypted"
            assert text(locked, ("x", "u")) == "secret"
            assert text(pdf("open", encryption=method, owner_pw="o", user_pw="")) == "open"

    def test_limits(self, pdf: Make) -> None:
        assert text(pdf(*["page"] * 20))
        assert refusal(pdf(*["page"] * 21)) == "too-many-pages"
        assert refusal(pdf("x" * 50), Limits(max_characters=49)) == "too-long"
        assert refusal(pdf("x"), Limits(max_bytes=100)) == "too-large"

    def test_page_trees_that_lie(self, raw: Make, shown: Callable[[bytes], bytes]) -> None:
        assert refusal(raw(b"", kids=b"", count=0)) == "broken"
        assert refusal(raw(shown(b"x"), kids=b"2 0 R", count=9)) == "broken"
        assert refusal(raw(shown(b"x"), kids=b"3 0 R 2 0 R", count=9)) == "broken"
        assert refusal(raw(shown(b"x"), count=2_000_000_000)) == "too-many-pages"

    def test_a_drawing_that_draws_itself(self, raw: Make) -> None:
        again = raw(b"/X0 Do BT /F 12 Tf 50 700 Td (x) Tj ET", forms=(b"/X0 Do",))
        with contextlib.suppress(Unreadable):
            assert text(again) == "x"

    def test_pages_without_text(self, pdf: Make, scan: Callable[..., object]) -> None:
        def with_page(data: bytes, draw: Callable[[pymupdf.Page], object]) -> bytes:
            with pymupdf.open(stream=data, filetype="pdf") as document:
                draw(document.new_page())
                return bytes(document.tobytes())

        def paste(page: pymupdf.Page) -> object:
            return page.insert_image(page.rect, pixmap=scan())

        assert refusal(with_page(pdf("avant"), paste)) == "page-without-text"
        assert refusal(with_page(pdf(""), paste)) == "no-text-layer"
        assert refusal(pdf("", "")) == "no-text-layer"
        white = with_page(
            pdf("avant"), lambda page: page.draw_rect(page.rect, color=(1, 1, 1), fill=(1, 1, 1))
        )
        assert text(white) == "avant"
        assert text(pdf("avant", "", "après")) == "avant\n\naprès"

    def test_glyph_numbers(self, pdf: Make) -> None:
        assert refusal(pdf("(cid:12)(cid:7)(cid:99) a")) == "garbled-text"

    def test_damaged_content(self, raw: Make, pdf: Make) -> None:
        data = raw(b"BT /F 12 Tf 50 700 Td (" + b"abcdefgh" * 99 + b") Tj ET")
        start = data.index(b"stream\n", data.index(b"FlateDecode")) + 7
        for place in range(start + 2, start + 40, 5):
            damaged = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
            assert refusal(damaged) == "broken"
        with pymupdf.open(stream=pdf("un", "deux"), filetype="pdf") as document:
            document.xref_set_key(document[1].xref, "Contents", "99 0 R")
            assert refusal(document.tobytes()) == "broken"

    @settings(
        max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(share=st.floats(0, 1), noise=st.binary(max_size=60), rest=st.booleans())
    def test_noise_raises_nothing_but_unreadable(
        self, pdf: Make, share: float, noise: bytes, rest: bool
    ) -> None:
        data = pdf("un\ndeux\ntrois", "quatre")
        place = int(share * len(data))
        with contextlib.suppress(Unreadable):
            read_pages(data[:place] + noise + data[place + len(noise) :] * rest, LIMITS)

    def test_nothing_is_logged(self, raw: Make, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.DEBUG):
            refusal(b"%PDF-1.4 DUPONT")
            with contextlib.suppress(Unreadable):
                text(raw(b"BT /F 12 Tf 50 700 Td (DUPONT) Tj /No 3 Tf (x) Tj (q) rg ET"))
        assert "DUPONT" not in caplog.text
        assert not caplog.records


def test_both_routes_read_the_same_words(fixtures: Path) -> None:
    names = (
        "edspdf/letter.pdf", "edspdf/styles.pdf", "pdfplumber/issue-1054-example.pdf",
        "pdfplumber/senate-expenditures.pdf",
        "pypdf_sample/pdflatex-outline.pdf", "pypdf_sample/libreoffice-form.pdf",
    )  # fmt: skip
    for name in names:
        data = (fixtures / name).read_bytes()
        theirs = join_lines(by_mupdf.read_pages(data, LIMITS).pages).text
        assert sorted(text(data).split()) == sorted(theirs.split()), name
