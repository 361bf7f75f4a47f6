import math
import os
from collections.abc import Iterator

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.lines import rotate_upright
from extractors.pdf import ocr
from extractors.pdf.ocr import RecognizedPage, Recognizer, measure_skew
from record.errors import Unavailable, Unreadable

LETTER = (
    "Compte rendu d'hospitalisation",
    "Mme Hortense RAYMOND, admise le 22 juin 2022",
    "Le bilan biologique retrouve une anémie modérée.",
    "The patient was discharged home without complication.",
    "Se solicita una nueva consulta dentro de tres semanas.",
)


@pytest.fixture(scope="module")
def recognizer() -> Iterator[Recognizer]:
    with Recognizer(("eng", "fra", "spa")) as recognizer:
        if not recognizer.available:
            why = "tesserocr or tesseract's data for eng, fra, spa is not installed"
            pytest.fail(why) if os.environ.get("CI") == "true" else pytest.skip(why)
        yield recognizer


def picture(page: pymupdf.Page, angle: float = 0.0, dpi: int = 200) -> pymupdf.Page:
    """A page of the same size that shows another as a scanner sees it; turned clockwise."""
    matrix = pymupdf.Matrix(dpi / 72, dpi / 72).prerotate(angle)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
    quarter = round(angle / 90) % 2
    width, height = page.rect.width, page.rect.height
    scanned = pymupdf.open().new_page(*((-1, height, width) if quarter else (-1, width, height)))
    # The corners of a turned page stick out; without them it keeps its scale.
    spare_x = pixmap.width * 36 / dpi - scanned.rect.width / 2
    spare_y = pixmap.height * 36 / dpi - scanned.rect.height / 2
    width, height = scanned.rect.width, scanned.rect.height
    grown = pymupdf.Rect(-spare_x, -spare_y, width + spare_x, height + spare_y)
    scanned.insert_image(grown, pixmap=pixmap, keep_proportion=False)
    return scanned


def sheet(width: int = 420, height: int = 300) -> pymupdf.Page:
    return pymupdf.open().new_page(width=width, height=height)


def letter(lines: tuple[str, ...] = LETTER, size: float = 11) -> pymupdf.Page:
    page = sheet()
    for number, line in enumerate(lines):
        page.insert_text((40, 50 + 24 * number), line, fontsize=size)
    return page


def text(seen: RecognizedPage) -> list[str]:
    return [line.text for line in seen.lines]


class TestAPage:
    @pytest.mark.parametrize("angle", [0.0, 0.9, -0.9, 2.0])
    def test_is_read_line_by_line(self, recognizer: Recognizer, angle: float) -> None:
        seen = recognizer.read(picture(letter(), angle))
        assert text(seen) == list(LETTER)
        assert seen.confidence > 0.85

    def test_lines_have_their_places(self, recognizer: Recognizer) -> None:
        page = letter()
        for number, line in enumerate(recognizer.read(picture(page)).lines):
            x0, y0, x1, y1 = line.place
            box = page.search_for(LETTER[number])[0]
            assert (x0, x1) == pytest.approx((box.x0, box.x1), abs=3)
            assert y0 < 50 + 24 * number - 4 < y1 < 50 + 24 * number + 6
            assert line.size == pytest.approx(11, rel=0.15)
            assert (line.box, line.direction) == (line.place, (1.0, 0.0))

    def test_words_have_their_places(self, recognizer: Recognizer) -> None:
        line = recognizer.read(picture(letter())).lines[1]
        assert [line.text[run.start : run.end] for run in line.runs][:3] == [
            *("Mme ", "Hortense ", "RAYMOND, ")
        ]
        start = 40 + pymupdf.get_text_length("Mme Hortense ", fontsize=11)
        assert line.runs[2].box[0] == pytest.approx(start, abs=2)
        assert "".join(line.text[run.start : run.end] for run in line.runs) == line.text

    @pytest.mark.parametrize(
        ("angle", "direction"),
        [(90, (0.0, 1.0)), (180, (-1.0, 0.0)), (270, (0.0, -1.0)), (180.7, (-1.0, 0.0))],
    )
    def test_may_lie_on_its_side(
        self, recognizer: Recognizer, angle: float, direction: tuple[float, float]
    ) -> None:
        page = picture(letter(), angle)
        seen = recognizer.read(page)
        assert sorted(text(seen)) == sorted(LETTER)
        for line in seen.lines:
            assert line.direction == direction
            assert line.box == pytest.approx(rotate_upright(line.place, direction))
            x0, y0, x1, y1 = line.place
            assert (x1 - x0 > y1 - y0) == (direction[0] != 0)
            assert pymupdf.Rect(line.place) in page.rect

    def test_may_be_shown_turned(self, recognizer: Recognizer) -> None:
        page = picture(letter())
        page.set_rotation(180)
        seen = recognizer.read(page)
        assert text(seen) == list(LETTER)
        assert {line.direction for line in seen.lines} == {(-1.0, 0.0)}
        # The letter's upper left corner is the lower right one of the page as it is shown.
        assert all(line.place[3] > page.rect.height / 2 for line in seen.lines)

    def test_writing_in_its_margin_is_read(self, recognizer: Recognizer) -> None:
        page = letter(LETTER * 2)
        page.insert_text((400, 280), "Imprimé le 16/09/2023, IPP 8517026025", fontsize=9, rotate=90)
        seen = recognizer.read(picture(page))
        margin = [line for line in seen.lines if line.direction == (0.0, -1.0)]
        assert "8517026025" in " ".join(line.text for line in margin)
        assert all(line.place[0] > 385 for line in margin)
        assert all(line.place[3] - line.place[1] > 15 for line in margin)

    def test_frames_are_no_writing(self, recognizer: Recognizer) -> None:
        page = letter(
            ("Nom de naissance : RAYMOND", "Sexe | F | 1950 | 20 ans", "Prénom : Hortense")
        )
        page.draw_rect(pymupdf.Rect(28, 30, 300, 110), width=0.7)
        seen = recognizer.read(picture(page))
        assert text(seen) == [
            *("Nom de naissance : RAYMOND", "Sexe | F | 1950 | 20 ans", "Prénom : Hortense")
        ]

    def test_two_columns_are_two_blocks(self, recognizer: Recognizer) -> None:
        page = sheet(540, 300)
        left = [f"A gauche on lit la ligne {number}" for number in range(20, 32)]
        right = [f"A droite on lit la ligne {number}" for number in range(20, 32)]
        for number in range(12):
            page.insert_text((40, 60 + 16 * number), left[number], fontsize=11)
            page.insert_text((300, 60 + 16 * number), right[number], fontsize=11)
        seen = recognizer.read(picture(page))
        assert text(seen) == left + right
        assert not {line.block for line in seen.lines if "gauche" in line.text} & {
            line.block for line in seen.lines if "droite" in line.text
        }

    def test_without_writing(self, recognizer: Recognizer) -> None:
        blank = sheet()
        assert recognizer.read(blank) == RecognizedPage((), 0.0)
        assert recognizer.read(picture(blank)) == RecognizedPage((), 0.0)
        rule = sheet()
        rule.draw_line((50, 100), (350, 100), width=2)
        assert recognizer.read(picture(rule)) == RecognizedPage((), 0.0)

    def test_of_an_enormous_size(self, recognizer: Recognizer) -> None:
        page = pymupdf.open().new_page(width=14_000, height=14_000)
        with pytest.raises(Unreadable) as caught:
            recognizer.read(page)
        assert caught.value.reason == "page-too-large"

    def test_of_a_poster_is_read_at_less_resolution(self, recognizer: Recognizer) -> None:
        page = pymupdf.open().new_page(width=1_684, height=2_384)
        page.insert_text((200, 400), "Affiche du service", fontsize=60)
        assert text(recognizer.read(page)) == ["Affiche du service"]

    def test_scribbles_are_doubtful(self, recognizer: Recognizer) -> None:
        page = sheet()
        for number in range(60):
            x, y = 40 + 37 * number % 340, 40 + 61 * number % 220
            page.draw_bezier((x, y), (x + 9, y - 12), (x + 3, y + 12), (x + 17, y + 2))
        assert recognizer.read(picture(page)).confidence < 0.7


class TestARecognizer:
    def test_forgets_what_it_read(self, recognizer: Recognizer) -> None:
        pages = [picture(letter()), picture(letter(("Zyxowitz Qwertzuk", "Ax0lotl 4711") * 6))]
        first = [recognizer.read(page) for page in pages]
        again = [recognizer.read(page) for page in reversed(pages)][::-1]
        recognizer.close()
        fresh = [recognizer.read(page) for page in pages]
        assert first == again == fresh

    def test_shows_no_text(self, recognizer: Recognizer, capfd: pytest.CaptureFixture[str]) -> None:
        seen = recognizer.read(picture(letter(("RAYMOND Hortense",))))
        assert "RAYMOND" in text(seen)[0]
        assert "RAYMOND" not in repr(seen) + repr(recognizer) + repr(seen.lines)
        captured = capfd.readouterr()
        assert captured.out == captured.err == ""

    def test_needs_the_data_of_every_language(self, tmp_path: object) -> None:
        missing = Recognizer(("eng", "xyz"))
        assert not missing.available
        assert not Recognizer(("eng",), tessdata=str(tmp_path)).available
        assert not Recognizer(()).available
        with pytest.raises(Unavailable):
            missing.read(letter())

    def test_closes_without_having_read(self) -> None:
        recognizer = Recognizer(("eng",))
        recognizer.close()
        recognizer.close()


class TestAddresses:
    """Words as they come from the engine: text and gap before it, in heights of the row."""

    @staticmethod
    def mended(*parts: tuple[str, float]) -> list[str]:
        x, words = 0.0, []
        for part, gap in parts:
            box = (x + gap * 10, 0.0, x + gap * 10 + 6 * len(part), 10.0)
            words.append(ocr._Word(part, 0.9, box, box, 10.0, 0, 0))
            x = box[2]
        return [word.text for word in ocr._join_address_parts(words, 0)]

    @pytest.mark.parametrize(
        "parts",
        [
            (("jean.dupont", 0.0), ("@hopital.fr", 0.3)),
            (("jean.dupont@", 0.0), ("hopital.fr", 0.3)),
            (("jean.dupont", 0.0), ("@", 0.3), ("hopital.fr", 0.3)),
            (("jean.", 0.0), ("dupont@hopital.fr", 0.3)),
            (("www.", 0.0), ("hopital.fr", 0.3)),
        ],
    )
    def test_become_whole(self, parts: tuple[tuple[str, float], ...]) -> None:
        assert self.mended(*parts) == ["".join(part for part, _ in parts)]

    @pytest.mark.parametrize(
        "parts",
        [
            (("Dupont", 0.0), ("jean@hopital.fr", 0.3)),
            (("jean", 0.0), ("@hopital.fr", 2.0)),
            (("Fin.", 0.0), ("jean@hopital.fr", 0.3)),
            (("jean.", 0.0), ("dupont", 0.3)),
        ],
    )
    def test_swallow_no_neighbour(self, parts: tuple[tuple[str, float], ...]) -> None:
        assert self.mended(*parts) == [part for part, _ in parts]


@given(
    st.lists(st.text("abé", min_size=1, max_size=6), min_size=1, max_size=6),
    st.sampled_from([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]),
)
def test_runs_cover_the_line(texts: list[str], direction: tuple[float, float]) -> None:
    words, places = [], []
    for number, part in enumerate(texts):
        words.append(ocr._Word(part, 1.0, (0, 0, 1, 1), (0, 0, 1, 1), 1.0, 0, 0))
        dx, dy = direction
        x, y = 100 + 20 * number * dx, 100 + 20 * number * dy
        places.append((x, y, x + 10, y + 10))
    line = " ".join(texts)
    runs = list(ocr._glyph_runs(words, places, direction))
    assert [run.start for run in runs] == [0, *(run.end for run in runs[:-1])]
    assert runs[-1].end == len(line)
    for run, place in zip(runs, places, strict=True):
        assert pymupdf.Rect(place) in pymupdf.Rect(run.box)
    lengths = [max(run.box[2] - run.box[0], run.box[3] - run.box[1]) for run in runs]
    assert lengths == pytest.approx([20.0] * (len(runs) - 1) + [10.0])


@pytest.mark.parametrize("angle", [0.0, 0.45, -0.9, 2.0, 90.6, 179.5, 270.0])
def test_skew(angle: float) -> None:
    expected = (angle + 45) % 90 - 45
    assert measure_skew(picture(letter(LETTER * 3), angle)) == pytest.approx(expected, abs=0.1)


def test_skew_of_next_to_nothing() -> None:
    page = pymupdf.open().new_page()
    assert measure_skew(page) == 0.0
    page.draw_circle((300, 300), 2, fill=(0, 0, 0))
    assert math.isfinite(measure_skew(page))
