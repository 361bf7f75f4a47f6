import contextlib
import zlib
from collections.abc import Callable, Iterator

import numpy as np
import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from extractors.document.limits import Extracted, Limits
from extractors.document.page import LineClass, Page
from extractors.layout.page_text import join_lines
from extractors.pdf.mupdf_reader import read_pages, render_line_classes
from record.errors import Unreadable

LIMITS = Limits(max_pages=20, max_characters=50_000)
Make = Callable[..., bytes]


def extract(data: bytes, limits: Limits) -> Extracted:
    """Read every line of a PDF, without recognition."""
    pages = read_pages(data, limits).pages
    return Extracted(join_lines(pages).text, "pdf", len(pages))


def refusal(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(Unreadable) as caught:
        extract(data, limits)
    return caught.value.reason


def text(data: bytes) -> str:
    return extract(data, LIMITS).text


def with_page(data: bytes, draw: Callable[[pymupdf.Page], object]) -> bytes:
    """Add a page and draw on it."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        draw(document.new_page())
        return bytes(document.tobytes())


def test_pages_are_read_in_order(pdf: Make) -> None:
    extracted = extract(pdf("Mme Zoë LEFÈVRE\nnée à Évry", "Page deux : 38 °C"), LIMITS)
    assert extracted.text == "Mme Zoë LEFÈVRE\nnée à Évry\n\nPage deux : 38 °C"
    assert (extracted.origin, extracted.pages) == ("pdf", 2)


def test_columns_are_read_one_after_the_other(placed: Make) -> None:
    left = [(50, 100 + 14 * i, f"gauche {i} du compte rendu") for i in range(8)]
    right = [(320, 100 + 14 * i, f"droite {i} du compte rendu") for i in range(8)]
    title = [(50, 60, "Titre sur toute la largeur de la page, au-dessus des deux colonnes")]
    expected = "\n".join(t for _, _, t in title + left + right)
    assert text(placed(*title, *left, *right)) == expected


def test_table_cells_share_a_line(placed: Make) -> None:
    rows = [(50, 100, "Nom"), (150, 100, "DUPONT"), (50, 114, "Prénom"), (150, 114, "Jean")]
    assert text(placed(*rows)) == "Nom\tDUPONT\nPrénom\tJean"


def test_metadata_is_not_read(pdf: Make) -> None:
    with pymupdf.open(stream=pdf("corps"), filetype="pdf") as document:
        document.set_metadata({"title": "DUPONT", "author": "Dr MARTIN"})
        data = document.tobytes()
    assert text(data) == "corps"


def test_forms_and_notes_on_the_page_are_read() -> None:
    def fill(page: pymupdf.Page) -> None:
        page.add_freetext_annot(pymupdf.Rect(50, 50, 300, 80), "note DUPONT")
        field = pymupdf.Widget()
        field.field_type = pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT
        field.field_name, field.field_value = "nom", "champ MARTIN"
        field.rect = pymupdf.Rect(50, 100, 300, 130)
        page.add_widget(field)

    with pymupdf.open() as document:
        fill(document.new_page())
        data = document.tobytes()
    assert text(data) == "note DUPONT\nchamp MARTIN"


def test_a_page_put_on_its_side_reads_the_same(pdf: Make) -> None:
    upright = pdf("Nom : DUPONT\nné le 3/2/1950")
    for rotation in (90, 180, 270):
        with pymupdf.open(stream=upright, filetype="pdf") as document:
            document[0].set_rotation(rotation)
            assert text(document.tobytes()) == "Nom : DUPONT\nné le 3/2/1950"


@pytest.mark.parametrize(("owner", "user", "reason"), [("o", "u", "encrypted"), ("o", "", None)])
@pytest.mark.parametrize(
    "method", [pymupdf.mupdf.PDF_ENCRYPT_AES_256, pymupdf.mupdf.PDF_ENCRYPT_RC4_128]
)
def test_encrypted(pdf: Make, owner: str, user: str, reason: str | None, method: int) -> None:
    data = pdf("secret", encryption=method, owner_pw=owner, user_pw=user)
    if reason:
        assert refusal(data) == reason
    else:
        assert text(data) == "secret"


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"%PDF-1.7\n%%EOF", b"not a PDF", b"\0" * 99])
def test_broken(data: bytes) -> None:
    assert refusal(data) == "broken"


def test_no_pages(raw: Make) -> None:
    assert refusal(raw(b"", kids=b"", count=0)) == "broken"


def test_limits(pdf: Make) -> None:
    assert text(pdf(*["page"] * 20))
    assert refusal(pdf(*["page"] * 21)) == "too-many-pages"
    assert refusal(pdf("x" * 50), Limits(max_characters=49)) == "too-long"
    assert extract(pdf("x" * 50), Limits(max_characters=50)).text == "x" * 50
    assert refusal(pdf("x"), Limits(max_bytes=100)) == "too-large"


def test_a_loop_in_the_page_tree_ends(raw: Make, shown: Callable[[bytes], bytes]) -> None:
    assert refusal(raw(shown(b"x"), kids=b"2 0 R", count=9)) == "broken"
    assert refusal(raw(shown(b"x"), kids=b"3 0 R 2 0 R", count=9)) in ("broken", "too-many-pages")
    assert refusal(raw(shown(b"x"), count=2_000_000_000)) in ("broken", "too-many-pages")


def test_one_page_named_a_hundred_times(raw: Make, shown: Callable[[bytes], bytes]) -> None:
    assert refusal(raw(shown(b"x"), kids=b"3 0 R " * 100, count=100)) in (
        "broken",
        "too-many-pages",
    )


def test_ten_thousand_pages_that_share_their_content(
    many: Make, shown: Callable[[bytes], bytes]
) -> None:
    data = many(10_000, shown(b"hello"))
    assert refusal(data) == "too-many-pages"
    extracted = extract(data, Limits(max_pages=10_000))
    assert extracted.text.split("\n\n") == ["hello"] * 10_000


class TestPagesWithoutText:
    def test_blank_pages_between_pages_with_text(self, pdf: Make) -> None:
        assert text(pdf("avant", "", "après")) == "avant\n\naprès"

    def test_a_white_background_is_blank(self, pdf: Make) -> None:
        def paint(page: pymupdf.Page) -> None:
            page.draw_rect(page.rect, color=(1, 1, 1), fill=(1, 1, 1))

        assert text(with_page(pdf("avant"), paint)) == "avant"

    def test_a_scan_among_pages_with_text(self, pdf: Make, scan: Callable[..., object]) -> None:
        def paste(page: pymupdf.Page) -> None:
            page.insert_image(page.rect, pixmap=scan())

        assert refusal(with_page(pdf("avant"), paste)) == "page-without-text"

    def test_faint_writing_in_a_scan(self, pdf: Make, scan: Callable[..., object]) -> None:
        def paste(page: pymupdf.Page) -> None:
            page.insert_image(page.rect, pixmap=scan(shade=250))

        assert refusal(with_page(pdf("avant"), paste)) == "page-without-text"

    def test_a_scan_with_a_text_layer(self, pdf: Make, scan: Callable[..., object]) -> None:
        def paste(page: pymupdf.Page) -> None:
            page.insert_image(page.rect, pixmap=scan())
            for y in range(50, 800, 50):
                page.insert_text((50, y), f"reconnu ligne {y}", render_mode=3)

        assert text(with_page(pdf("avant"), paste)).startswith("avant\n\nreconnu ligne 50\n")

    def test_a_scan_with_a_stamp(self, pdf: Make, scan: Callable[..., object]) -> None:
        def paste(page: pymupdf.Page) -> None:
            page.insert_image(page.rect, pixmap=scan())
            page.insert_text((50, 50), "COPIE")

        assert refusal(with_page(pdf("avant"), paste)) == "page-without-text"

    def test_text_drawn_as_lines(self, pdf: Make) -> None:
        def draw(page: pymupdf.Page) -> None:
            page.draw_line((50, 50), (60, 60))

        assert refusal(with_page(pdf("avant"), draw)) == "page-without-text"

    def test_drawings_with_a_few_characters(self, pdf: Make) -> None:
        def draw(page: pymupdf.Page) -> None:
            page.draw_line((50, 50), (60, 60))
            page.insert_text((80, 80), "1 cm")

        assert text(with_page(pdf("avant"), draw)) == "avant\n\n1 cm"

    def test_no_page_has_text(self, pdf: Make, scan: Callable[..., object]) -> None:
        def paste(page: pymupdf.Page) -> None:
            page.insert_image(page.rect, pixmap=scan())

        assert refusal(pdf("", "")) == "no-text-layer"
        assert refusal(with_page(pdf(""), paste)) == "no-text-layer"
        assert refusal(pdf("  ")) == "no-text-layer"

    def test_text_off_the_page_is_no_text(self, raw: Make) -> None:
        assert refusal(raw(b"BT /F 12 Tf 50 -900 Td (hors) Tj ET")) == "no-text-layer"


class TestUndrawnCharacters:
    @pytest.mark.parametrize("hidden", [b"x", b"xqz", b"....,,,---", b"7.7"])
    def test_a_few_within_a_word(self, raw: Make, hidden: bytes) -> None:
        content = b"BT /F 12 Tf 50 700 Td (Le patient Mar) Tj 3 Tr (%s) Tj 0 Tr (ty tousse) Tj ET"
        assert text(raw(content % hidden)) == "Le patient Marty tousse"

    def test_spaces_stay(self, raw: Make) -> None:
        content = b"BT /F 12 Tf 50 700 Td (Le patient) Tj 3 Tr (. ) Tj 0 Tr (Marty) Tj ET"
        assert text(raw(content)) == "Le patient Marty"


class TestGarbledText:
    @staticmethod
    def mapped(raw: Make, target: str, words: bytes = b"DUPONT Jean, Paris") -> bytes:
        """Text in a font that says each of its glyphs is this character."""
        data = raw(b"BT /F 12 Tf 50 700 Td (%s) Tj ET" % words)
        cmap = b"1 begincodespacerange <00> <ff> endcodespacerange\n"
        code = target.encode("utf-16-be").hex().encode()
        pairs = b"".join(b"<%02x> <%s>\n" % (char, code) for char in sorted(set(words)))
        cmap += b"%d beginbfchar\n%sendbfchar" % (len(set(words)), pairs)
        cmap = b"/CIDInit /ProcSet findresource begin begincmap\n%s\nendcmap end" % cmap
        with pymupdf.open(stream=data, filetype="pdf") as document:
            number = document.get_new_xref()
            document.update_object(number, "<<>>")
            document.update_stream(number, cmap)
            document.xref_set_key(5, "ToUnicode", f"{number} 0 R")
            return bytes(document.tobytes())

    @pytest.mark.parametrize("target", ["\ufffd", "\ue001", "\uf0b7"])
    def test_characters_that_mean_nothing(self, raw: Make, target: str) -> None:
        assert refusal(self.mapped(raw, target)) == "no-text-layer"

    def test_the_test_maps_glyphs(self, raw: Make) -> None:
        assert text(self.mapped(raw, "é", b"aaaa")) == "éééé"

    def test_glyph_numbers(self, pdf: Make) -> None:
        assert refusal(pdf("(cid:12)(cid:7)(cid:99) a")) == "garbled-text"
        assert text(pdf("the mark (cid:12) " + "stands here\n" + "in a long text\n" * 15))

    def test_a_page_of_symbols_only(self, raw: Make) -> None:
        assert refusal(self.mapped(raw, "\uf0b7", b"l")) == "no-text-layer"


class TestDamage:
    @pytest.fixture(scope="class")
    @classmethod
    def sound(cls) -> tuple[bytes, str]:
        with pymupdf.open() as document:
            for number in range(3):
                lines = [f"{zlib.crc32(b'%d %d' % (number, i))}" for i in range(20)]
                document.new_page().insert_text((50, 50), lines, fontsize=9)
            data = bytes(document.tobytes(deflate=True))
        return data, text(data)

    @settings(max_examples=150, deadline=None)
    @given(share=st.floats(0.0, 1.0), mended=st.booleans())
    def test_a_cut_file_is_whole_or_refused(
        self, sound: tuple[bytes, str], share: float, mended: bool
    ) -> None:
        data, expected = sound
        cut = data[: int(len(data) * share)] + (b"\n%%EOF\n" if mended else b"")
        try:
            assert text(cut) == expected
        except Unreadable as unreadable:
            assert unreadable.reason == "broken"

    def test_a_page_whose_content_is_damaged(self, raw: Make) -> None:
        data = raw(b"BT /F 12 Tf 50 700 Td (" + b"abcdefgh" * 99 + b") Tj ET")
        start = data.index(b"stream\n", data.index(b"FlateDecode")) + 7
        for place in range(start + 2, start + 40, 3):
            damaged = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
            assert refusal(damaged) in ("broken", "garbled-text", "no-text-layer")

    @pytest.mark.parametrize(
        "lost",
        [
            b"/X9 Do",
            b"1 " * 5_000,
            b"/F 12 Tf ) > " * 150,
            b"".join(b"x%d " % number for number in range(150)),
        ],
    )
    def test_a_page_of_which_a_part_is_skipped(self, raw: Make, lost: bytes) -> None:
        line = b"BT /F 12 Tf 50 %d Td (Madame DUPONT) Tj ET "
        assert refusal(raw(line % 700 + lost + b" " + line % 650)) == "broken"

    def test_a_drawing_without_its_kind(self, raw: Make) -> None:
        data = raw(b"BT /F 12 Tf 50 700 Td (corps) Tj ET /X0 Do", forms=(b"0 0 1 1 re f",))
        assert text(data) == "corps"
        assert refusal(data.replace(b"/Subtype/Form", b"/Subtype/Fomr")) == "broken"
        assert refusal(data.replace(b"/Subtype/Form", b"/Subtipe/Form")) == "broken"

    def test_words_that_are_no_operators(self, raw: Make) -> None:
        assert text(raw(b"BT /F 12 Tf 50 700 Td (corps) Tj nonsense ET")) == "corps"

    def test_a_page_whose_content_is_missing(self, pdf: Make) -> None:
        with pymupdf.open(stream=pdf("un", "deux"), filetype="pdf") as document:
            document.xref_set_key(document[1].xref, "Contents", "99 0 R")
            assert refusal(document.tobytes()) == "broken"

    @settings(
        max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(place=st.integers(0, 10_000), noise=st.binary(min_size=1, max_size=60))
    def test_noise_raises_nothing_but_unreadable(
        self, sound: tuple[bytes, str], place: int, noise: bytes
    ) -> None:
        data, _ = sound
        place %= len(data)
        with contextlib.suppress(Unreadable):
            extract(data[:place] + noise + data[place + len(noise) :], LIMITS)


def test_mupdf_stays_silent(capfd: pytest.CaptureFixture[str], raw: Make) -> None:
    refusal(raw(b"BT /F 12 Tf (DUPONT) Tj nonsense operator ET", kids=b"2 0 R"))
    refusal(b"%PDF-1.4 DUPONT")
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


NAMES = ("DUPONT", "Zoë", "0612345678", "WWiliilWW")
LETTER = [
    (60, 100, "Madame Zoë DUPONT tel 0612345678"),
    (60, 160, "illisible, iiiiiiiiiiiiiiiii WWiliilWW mmmmmmmm"),
    (60, 220, "le traitement reste le même"),
]
DPI = 144
SCALE = DPI / 72


def letter(rotation: int = 0, turn: int = 0) -> bytes:
    """A letter on a page that is turned by `rotation`, its lines written at an angle of `turn`."""
    with pymupdf.open() as document:
        page = document.new_page(width=600, height=700)
        for x, y, text in LETTER:
            at = (x, y) if turn == 0 else (y, 600 if turn == 90 else 60)
            page.insert_text(at, text, fontsize=12, rotate=turn)
        page.set_rotation(rotation)
        document.set_metadata({"title": "DUPONT"})
        return bytes(document.tobytes())


def read(data: bytes) -> tuple[Page, ...]:
    return read_pages(data, Limits()).pages


def pictures(data: bytes) -> Iterator[Image.Image]:
    """The pages of a PDF as pictures, after a look at whether they are nothing else."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for page in document:
            assert page.get_text().strip() == ""
            assert len(page.get_images()) == 1
            pixels = page.get_pixmap(dpi=DPI)
            yield Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


def words(data: bytes) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Where MuPDF itself finds the words: an oracle that knows nothing of pieces."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        page = document[0]
        return [
            (word[4], tuple(pymupdf.Rect(word[:4]) * page.rotation_matrix))
            for word in page.get_text("words")
        ]


def crop(picture: Image.Image, box: tuple[float, float, float, float]) -> Image.Image:
    x0, y0, x1, y1 = (round(value * SCALE) for value in box)
    return picture.crop((x0 + 1, y0 + 1, x1 - 1, y1 - 1))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_classes_are_drawn_where_the_lines_are(rotation: int) -> None:
    data = letter(rotation)
    pages = read(data)
    kinds = [LineClass.HEADER, LineClass.SIGNATURE, LineClass.BODY]
    [picture] = pictures(render_line_classes(data, pages, [kinds], dpi=DPI))
    assert picture.size == (pages[0].width * SCALE, (pages[0].height + 16) * SCALE)
    for line, strongest in zip(pages[0].lines, (0, 0, 1), strict=True):
        x0, y0, x1, y1 = line.place
        tinted = crop(picture, (x0, y0 + 16, x1, y1 + 16))
        bright = [high for _, high in np.reshape(tinted.getextrema(), (-1, 2))]
        assert bright[strongest] == max(bright) > min(bright)
        dark = [low for low, _ in np.reshape(tinted.getextrema(), (-1, 2))]
        assert max(dark) < 160  # the letters are still to be seen
    # the page beside the lines stays white
    assert picture.getpixel((picture.width // 2, picture.height - 3)) == (255, 255, 255)


def test_the_same_document_gives_the_same_picture() -> None:
    data = letter()
    pages = read(data)
    first = render_line_classes(data, pages, [[LineClass.BODY] * 3])
    assert render_line_classes(data, pages, [[LineClass.BODY] * 3]) == first


def _first_image(data: bytes) -> bytes:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        [(number, *_)] = document[0].get_images()
        return bytes(document.extract_image(number)["image"])
