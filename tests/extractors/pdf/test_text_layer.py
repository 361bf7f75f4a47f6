from collections.abc import Callable, Iterable
from typing import Any

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.lines import Line
from extractors.pdf.mupdf_page import MupdfPage
from extractors.pdf.ocr import Recognizer
from extractors.pdf.text_layer import TextLayer, judge_text_layer, matches_recognized

BODY = tuple(f"Ligne {number} du compte rendu de consultation du patient" for number in range(30))
WHITE, BLACK = (1, 1, 1), (0, 0, 0)
Draw = Callable[[pymupdf.Page], object]
Make = Callable[..., bytes]


def layer(*draw: Draw, rotation: int = 0) -> TextLayer:
    """The layer of a page that went through a file."""
    with pymupdf.open() as document:
        page = document.new_page()
        for step in draw:
            step(page)
        page.set_rotation(rotation)
        data = document.tobytes()
    with pymupdf.open(stream=data, filetype="pdf") as document:
        sheet = MupdfPage(document, 0)
        return judge_text_layer(sheet, sheet.blocks())


def body(page: pymupdf.Page) -> None:
    page.insert_text((60, 100), list(BODY), fontsize=10)


def words(text: str, y: float = 700, x: float = 60, **how: Any) -> Draw:
    return lambda page: page.insert_text((x, y), text, **how)


def stream(contents: bytes) -> Draw:
    """What a page shows, written as the operators of its content."""

    def write(page: pymupdf.Page) -> None:
        last = page.get_contents()[-1]
        page.parent.update_stream(last, page.parent.xref_stream(last) + b" BT " + contents + b" ET")

    return write


def area(x0: float, y0: float, x1: float, y1: float, **how: Any) -> Draw:
    return lambda page: page.draw_rect(pymupdf.Rect(x0, y0, x1, y1), **how)


def scan(page: pymupdf.Page, *, alpha: bool = False, rect: pymupdf.Rect | None = None) -> None:
    """The picture of a letter, over what is there."""
    letter = pymupdf.open().new_page()
    body(letter)
    picture = letter.get_pixmap(dpi=50, colorspace=pymupdf.csRGB, alpha=alpha)
    page.insert_image(rect or page.rect, pixmap=picture, keep_proportion=False)


def stamp_drawing(document: pymupdf.Document, stamp: pymupdf.Annot) -> int:
    """The number of the stream that a stamp is drawn with."""
    return int(document.xref_get_key(stamp.xref, "AP/N")[1].split()[0])


class TestSound:
    def test_print(self) -> None:
        assert layer(body) is TextLayer.SOUND
        assert layer(words("DUPONT")) is TextLayer.SOUND

    @pytest.mark.parametrize(
        "draw",
        [
            (area(50, 680, 300, 710, fill=(0.1, 0.2, 0.4)), words("EN-TÊTE", color=WHITE)),
            (area(50, 680, 300, 710, fill=(0.9, 0.9, 0.9)), words("cellule grisée")),
            (words("surligné"), area(50, 680, 300, 710, fill=(1, 1, 0), fill_opacity=0.3)),
            (words("encadré"), area(50, 680, 300, 710)),
            (words("redit"), area(50, 680, 300, 710, fill=(0.9, 0.9, 0.9)), words("redit")),
            (words("souligné"), area(60, 702, 120, 703, fill=BLACK)),
            (words("mention en petit", fontsize=3),),
            (words("gris", color=(0.6, 0.6, 0.6)),),
            (words("détouré", render_mode=1),),
            (words("vitamine B 12 (f ) 20 % F"),),
            (words(" " * 30, render_mode=3),),
            (words("", render_mode=3), words("à la verticale", rotate=90)),
        ],
    )
    @pytest.mark.parametrize("rotation", [0, 90])
    def test_in_many_manners(self, draw: tuple[Draw, ...], rotation: int) -> None:
        assert layer(body, *draw, rotation=rotation) is TextLayer.SOUND
        assert layer(*draw, body, rotation=rotation) is TextLayer.SOUND

    def test_with_a_logo(self) -> None:
        logo = pymupdf.Rect(400, 20, 560, 90)
        assert layer(body, lambda page: scan(page, rect=logo)) is TextLayer.SOUND

    def test_under_a_stamp_that_lets_it_through(self) -> None:
        assert layer(body, lambda page: scan(page, alpha=True)) is TextLayer.SOUND

    def test_over_a_picture_of_paper(self) -> None:
        assert layer(scan, body) is TextLayer.SOUND

    def test_with_a_mark_of_a_reader(self) -> None:
        def mark(page: pymupdf.Page) -> None:
            page.add_highlight_annot(pymupdf.Rect(60, 92, 300, 104))

        assert layer(body, mark) is TextLayer.SOUND


class TestWithoutText:
    def test_blank(self) -> None:
        assert layer() is TextLayer.BLANK
        assert layer(area(0, 0, 595, 842, fill=WHITE, color=WHITE)) is TextLayer.BLANK
        assert layer(words("   ")) is TextLayer.BLANK

    def test_something_to_be_seen(self) -> None:
        assert layer(scan) is TextLayer.NONE
        assert layer(area(60, 60, 200, 61, fill=BLACK)) is TextLayer.NONE

    @pytest.mark.parametrize("rotation", [0, 90, 180, 270])
    def test_a_stamp_on_a_scan(self, rotation: int) -> None:
        stamped = (scan, words("Page 1/1", 820), words("Imprimé le 3/2/2020", 20))
        assert layer(*stamped, rotation=rotation) is TextLayer.NONE

    @pytest.mark.parametrize("drawn", ["inline", "mask", "pattern", "annotation"])
    def test_a_scan_that_is_no_resource_of_the_page(self, raw: Make, drawn: str) -> None:
        place, image = b"q 600 0 0 800 0 0 cm ", b" /W 2 /H 2 /BPC 8 /CS /G ID abcd EI Q "
        mask = b" /W 8 /H 2 /BPC 1 /IM true ID ab EI Q "
        line = b" BT 0 g /F 12 Tf 50 40 Td (Page 1) Tj ET"
        contents = {
            "inline": place + b"BI" + image,
            "mask": place + b"BI" + mask,
            "pattern": b"/Pattern cs /P scn 0 0 600 800 re f",
            "annotation": b"",
        }
        with pymupdf.open(stream=raw(contents[drawn] + line), filetype="pdf") as document:
            page, picture = document[0], document.get_new_xref()
            document.update_object(
                picture,
                "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 600"
                " 800]/XStep 600/YStep 800/Resources<<>>>>",
            )
            document.update_stream(picture, place + b"BI" + image)
            document.xref_set_key(page.xref, "Resources/Pattern/P", f"{picture} 0 R")
            if drawn == "annotation":
                stamp = page.add_stamp_annot(page.rect)
                document.update_stream(stamp_drawing(document, stamp), place + b"BI" + image)
            data = document.tobytes()
        with pymupdf.open(stream=data, filetype="pdf") as document:
            sheet = MupdfPage(document, 0)
            assert judge_text_layer(sheet, sheet.blocks()) is TextLayer.NONE

    @pytest.mark.parametrize("how", [{}, {"render_mode": 3}])
    def test_a_scan_with_a_line_under_it(self, how: dict[str, int]) -> None:
        assert layer(words("Page 1/1", 820, **how), scan) is TextLayer.NONE

    def test_text_as_outlines_beside_a_line(self) -> None:
        def outlines(page: pymupdf.Page) -> None:
            circle = b" ".join(
                b"%d %d m %d %d %d %d %d %d c f" % (x, y, x, y + 9, x + 6, y + 9, x + 6, y)
                for y in range(100, 700, 50)
                for x in range(60, 500, 10)
            )
            stream(b"ET q " + circle + b" Q BT")(page)

        def squares(page: pymupdf.Page) -> None:
            code = b" ".join(
                b"%d %d 3 3 re f" % (x, y) for x in range(0, 100, 6) for y in range(0, 100, 6)
            )
            stream(b"ET q " + code + b" Q BT")(page)

        assert layer(words("Page 1/1", 820), outlines) is TextLayer.NONE
        assert layer(words("Page 1/1", 820), squares) is TextLayer.SOUND

    def test_a_scan_in_stripes(self) -> None:
        def stripes(page: pymupdf.Page) -> None:
            for top in range(0, 840, 84):
                scan(page, rect=pymupdf.Rect(0, top, 595, top + 84))

        assert layer(stripes, words("Page 1/1", 820)) in (TextLayer.NONE, TextLayer.SOUND)


class TestHidden:
    MANNERS = (
        (words("DUPONT Jean", render_mode=3),),
        (words("DUPONT Jean", color=WHITE),),
        (words("DUPONT Jean", color=(0.97, 0.97, 0.97)),),
        (words("DUPONT Jean", fontsize=0.8),),
        (words("DUPONT Jean", fill_opacity=0, stroke_opacity=0),),
        (words("DUPONT Jean"), area(50, 680, 300, 710, fill=BLACK)),
        (words("DUPONT Jean"), area(50, 680, 300, 710, fill=WHITE, color=WHITE)),
        (
            words("DUPONT Jean"),
            area(50, 680, 300, 710, fill=WHITE, color=WHITE),
            words("MARTIN Paul"),
        ),
        (words("DUPONT Jean"), lambda page: scan(page, rect=pymupdf.Rect(40, 660, 300, 730))),
        (
            area(50, 680, 300, 710, fill=(0.2, 0.2, 0.2), color=(0.2, 0.2, 0.2)),
            words("DUPONT Jean", color=WHITE),
            area(50, 680, 300, 710, fill=(0.2, 0.2, 0.2)),
        ),
    )

    @pytest.mark.parametrize("draw", MANNERS)
    @pytest.mark.parametrize("rotation", [0, 90, 270])
    def test_some_text_out_of_sight(self, draw: tuple[Draw, ...], rotation: int) -> None:
        assert layer(body, *draw, rotation=rotation) is TextLayer.HIDDEN

    def test_part_of_a_line(self) -> None:
        line = words("Adressé par le docteur DUPONT Jean de la clinique")
        assert layer(body, line, area(155, 680, 220, 710, fill=BLACK)) is TextLayer.HIDDEN

    def test_text_and_cover_in_a_drawing_of_their_own(self) -> None:
        inner = pymupdf.open()
        page = inner.new_page()
        body(page)
        page.insert_text((60, 700), "DUPONT Jean")
        page.draw_rect(pymupdf.Rect(50, 680, 300, 710), fill=BLACK)
        assert layer(lambda page: page.show_pdf_page(page.rect, inner)) is TextLayer.HIDDEN

    @pytest.mark.parametrize(
        "around",
        [b"%s", b"(B) Tj %s (F) Tj", b"%% (\n%s\n%% )\n", b"((a) %% \\( b) Tj %s", b"<( > Tj %s )"],
    )
    def test_however_the_cover_is_written(self, around: bytes) -> None:
        cover = around % b"1 1 1 rg 50 132 250 30 re f 0 g"
        assert layer(body, words("DUPONT Jean"), stream(cover)) is TextLayer.HIDDEN

    @pytest.mark.parametrize("paper", [WHITE, (0.97, 0.97, 0.97)])
    def test_white_on_white_on_dark(self, paper: tuple[float, float, float]) -> None:
        banner = area(50, 600, 500, 780, fill=(0.1, 0.2, 0.4))
        patch = area(60, 680, 300, 710, fill=paper, color=paper)
        white = words("DUPONT Jean", x=80, color=WHITE)
        assert layer(banner, patch, white, body) is TextLayer.HIDDEN
        assert layer(banner, words("DUPONT Jean", x=480, color=WHITE), body) is TextLayer.SOUND
        assert layer(banner, patch, words("DUPONT", x=320, color=WHITE), body) is TextLayer.SOUND

    def test_a_signature_of_less_than_a_name(self) -> None:
        assert layer(body, words("x.", render_mode=3)) is TextLayer.SOUND

    @pytest.mark.parametrize("rotation", [0, 90])
    def test_a_scan_that_can_be_searched(self, rotation: int) -> None:
        invisible = words("\n".join(BODY), 100, render_mode=3)
        assert layer(scan, invisible, rotation=rotation) is TextLayer.OVERLAID
        assert layer(invisible, scan, rotation=rotation) is TextLayer.OVERLAID
        assert layer(body, scan, rotation=rotation) is TextLayer.OVERLAID


class TestGarbled:
    @staticmethod
    def judged(*texts: str) -> TextLayer:
        """A page that claims these texts, each in a font of its own; it does not show them."""
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_text((60, 100), "x")
            spans = [
                {
                    "text": text,
                    "font": f"F{number}",
                    "size": 10.0,
                    "color": 0,
                    "char_flags": 16,
                    "alpha": 255,
                    "bbox": (60.0, 90.0, 60.0 + 5 * len(text), 104.0),
                }
                for number, text in enumerate(texts)
            ]
            line = {"spans": spans, "dir": (1.0, 0.0), "bbox": spans[0]["bbox"]}
            return judge_text_layer(MupdfPage(document, 0), [{"lines": [line]}])

    def test_one_font_of_two(self) -> None:
        plain = " ".join(BODY)
        shifted = " ".join(BODY[:4]).translate({c: c + 1 for c in range(ord("a"), ord("z"))})
        assert self.judged(plain + shifted) is TextLayer.SOUND
        assert self.judged(plain, shifted) is TextLayer.GARBLED
        assert self.judged(plain, "hématies 4,5 ; VGM 89 ; TCMH 30") is TextLayer.SOUND

    @pytest.mark.parametrize(
        "text",
        [
            "DUPONT \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd",
            "(cid:12)(cid:7)(cid:99) a",
            "\ue001\ue002\ue003\ue004\ue005 abc",
            " ".join(BODY).translate({c: c + 1 for c in range(ord("a"), ord("z"))}),
            " ".join(BODY).translate(str.maketrans("aeiou", "bcdfg")),
        ],
    )
    def test_letters_that_are_not_drawn(self, text: str) -> None:
        assert self.judged(text) is TextLayer.GARBLED

    @pytest.mark.parametrize(
        "text",
        [
            " ".join(BODY),
            "\uf0b7 tabac \uf0b7 alcool : non, sevré depuis longtemps " * 3,
            "the mark (cid:12) stands here " + "in a long text " * 15,
            "TSH 2,1 LDH 214 CRP <5 GGT 31 PSA 1,2 VGM 89 TCMH 30 CCMH 33 HbA1c 6,1 " * 4,
            "Пациент жалуется на головную боль и слабость. " * 4,
            "1234 5678",
            "東北電氣發展股份有限公司年第一季度報告全文 " * 40 + "xkxkzqyyjh" * 12,
        ],
    )
    def test_letters_that_are(self, text: str) -> None:
        assert self.judged(text) is TextLayer.SOUND


def said(*texts: str) -> list[Line]:
    return [Line(text, 0, (0, 0, 1, 1)) for text in texts]


class TestAgreement:
    def test_with_the_usual_slips(self) -> None:
        layer = said("Mme Hortense RAYMOND, née le 05/08/2003", "Hôpital de Périgueux")
        seen = said("Mme Hortense RAYM0ND, nee le 05/08/2003", "HOPITAL de Périgueux")
        assert matches_recognized(layer, seen)

    def test_of_another_letter(self) -> None:
        assert not matches_recognized(
            said(*BODY), said("Réunion de concertation pluridisciplinaire")
        )
        assert not matches_recognized(said(*BODY), said(*BODY[:4]))
        assert not matches_recognized(said(*BODY[:4]), said(*BODY))
        assert not matches_recognized(said("DUPONT"), [])

    @given(st.permutations(BODY), st.permutations(BODY))
    def test_order_does_not_count(self, one: list[str], other: list[str]) -> None:
        assert matches_recognized(said(*one), said(*other))

    def test_of_scans_that_can_be_searched(self) -> None:
        recognizer = Recognizer(("eng",))
        if not recognizer.available:
            pytest.skip(
                "tesseract is not installed: tests/extractors/pdf/test_ocr.py says so loudly"
            )
        page = pymupdf.open().new_page(width=420, height=300)
        page.insert_text((40, 60), list(BODY[:10]), fontsize=11)
        with recognizer:
            seen = recognizer.read(page).lines
        assert matches_recognized(said(*BODY[:10]), seen)
        assert not matches_recognized(
            said("Certificat de décès", "Monsieur MARTIN", *"abcdefg"), seen
        )


@given(st.lists(st.text("ab1 é", max_size=8), max_size=8))
def test_a_text_agrees_with_itself(texts: Iterable[str]) -> None:
    lines = said(*texts)
    assert matches_recognized(lines, lines)
