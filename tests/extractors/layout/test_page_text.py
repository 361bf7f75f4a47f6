import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.lines import GlyphRun, Line
from extractors.document.page import BODY_CLASSES, LineClass, LocatedText, Page, locate_boxes
from extractors.layout.page_text import clean_line, find_word_breaks, join_kept_lines, join_lines

B, H = LineClass.BODY, LineClass.HEADER


def line(text: str, x: float, y: float, *, block: int = 0, width: float = 0) -> Line:
    """A line of 10 points height; letters are 5 points wide."""
    box = (x, y, x + (width or 5 * len(text)), y + 10)
    return Line(text, block, box, place=box, size=10)


def page(*lines: Line, number: int = 0) -> Page:
    return Page(number, 595, 842, lines)


def body(*pages: Page, classes: list[list[LineClass]] | None = None) -> str:
    kinds = classes or [[B] * len(page.lines) for page in pages]
    return join_kept_lines(pages, kinds, BODY_CLASSES).text


def test_paragraphs_and_lines_by_their_gaps() -> None:
    lines = [
        line("un", 50, 100), line("deux", 50, 112), line("trois", 50, 130), line("quatre", 50, 146)
    ]  # fmt: skip
    assert body(page(*lines)) == "un\ndeux\n\ntrois\n\nquatre"


def test_a_raised_sign_stays_in_its_row() -> None:
    assert body(page(line("10", 50, 100), line("9", 61, 98.5), line("/L", 67, 100))) == "10 9 /L"


def test_rows_of_a_table_stay_rows() -> None:
    cells = [line("Na", 50, 100), line("139", 150, 100), line("K", 50, 112), line("4,2", 150, 112)]
    assert body(page(*cells)) == "Na\t139\nK\t4,2"


def test_only_the_letter_is_kept() -> None:
    lines = [line("CHU DE X", 50, 20), line("Cher confrère,", 50, 100), line("1/2", 300, 820)]
    kinds = [[H, B, LineClass.PAGE_NUMBER]]
    assert body(page(*lines), classes=kinds) == "Cher confrère,"
    assert body(page(*lines), classes=[[H, H, H]]) == ""


def test_a_sentence_goes_on_over_the_page() -> None:
    one, two = page(line("la douleur est", 50, 700)), page(line("vive.", 50, 60), number=1)
    assert body(one, two) == "la douleur est\nvive."
    assert join_lines([one, two]).text == "la douleur est\n\nvive."
    ended = page(line("Elle est vive.", 50, 700))
    assert body(ended, two) == "Elle est vive.\n\nvive."
    broken = page(line("la dou-", 50, 700))
    assert body(broken, page(line("leur", 50, 60), number=1)) == "la douleur"


def test_full_marks_what_it_knows() -> None:
    only = page(line("CHU", 50, 20), line("texte", 50, 100))
    assert [piece.kind for piece in join_lines([only], [[H, B]]).pieces] == [H, B]
    assert [piece.kind for piece in join_lines([only]).pieces] == [None, None]


def test_runs_have_boxes_of_their_own() -> None:
    runs = (GlyphRun(0, 6, (50, 20, 90, 30)), GlyphRun(6, 12, (90, 18, 150, 30)))
    one = Line("Nom : DUPONT", 0, (50, 18, 150, 30), place=(50, 18, 150, 30), runs=runs)
    text = join_lines([page(one)])
    assert list(locate_boxes(text.pieces, 6, 12)) == [(0, (90, 18, 150, 30))]
    assert list(locate_boxes(text.pieces, 3, 9)) == [(0, (70, 20, 90, 30)), (0, (90, 18, 120, 30))]


def test_boxes_follow_the_direction_of_the_text() -> None:
    def half(direction: tuple[float, float]) -> tuple[float, float, float, float]:
        piece = LocatedText(0, 4, 0, (0, 0, 40, 40), direction)
        return next(box for _, box in locate_boxes([piece], 0, 2))

    assert half((1, 0)) == (0, 0, 20, 40)
    assert half((-1, 0)) == (20, 0, 40, 40)
    assert half((0, 1)) == (0, 0, 40, 20)
    assert half((0, -1)) == (0, 20, 40, 40)


WORDS = st.text("abé-\u00ad AZ1\u00a0", max_size=6).filter(lambda text: text == text.strip(" "))
LINES = st.builds(
    lambda text, x, y, block: line(text, x, y, block=block, width=30),
    WORDS,
    st.sampled_from([50, 85, 300]),
    st.integers(0, 800),
    st.integers(0, 3),
)
PAGES = st.lists(st.lists(LINES, max_size=6), min_size=1, max_size=3).map(
    lambda pages: [page(*lines, number=number) for number, lines in enumerate(pages)]
)


@given(PAGES, st.booleans())
def test_every_character_lies_where_it_was_drawn(pages: list[Page], kept: bool) -> None:
    classes = [[B] * len(page.lines) for page in pages]
    text = join_kept_lines(pages, classes, BODY_CLASSES) if kept else join_lines(pages)
    drawn = [((page.number, one.place), one.text) for page in pages for one in page.lines]
    covered = [False] * len(text.text)
    before = 0
    for piece in text.pieces:
        assert before <= piece.start < piece.end <= len(text.text)
        before = piece.end
        covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
        shown = text.text[piece.start : piece.end].replace("-", "").replace("\u00ad", "")
        places = [t for key, t in drawn if key == (piece.page, piece.box)]
        original = "".join(places).replace("-", "").replace("\u00ad", "")
        assert shown in original or len(places) != 1
    assert all(known or char.isspace() for known, char in zip(covered, text.text, strict=True))


@given(PAGES)
def test_nothing_is_lost_but_hyphens_and_blanks(pages: list[Page]) -> None:
    def letters(text: str) -> list[str]:
        return sorted(char for char in text if char.isalnum())

    written = "".join(one.text for page in pages for one in page.lines)
    assert letters(join_lines(pages).text) == letters(written)
    text = join_lines(pages).text
    assert text == text.strip()
    assert "\n\n\n" not in text and " \n" not in text and "\n " not in text


SOFT = "\u00ad"


def mended(text: str) -> str:
    within = {at for at, char in enumerate(text) if char == "\n"}
    for start, end in reversed(list(find_word_breaks(text, within))):
        text = text[:start] + text[end:]
    return text.replace(SOFT, "-")


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("une dou-\nleur vive", "une douleur vive"),
        ("une dou-  \n  leur", "une douleur"),
        (f"une dou{SOFT}\nleur", "une douleur"),
        ("Jean-\nPaul", "Jean-Paul"),
        (f"Jean{SOFT}\nPaul", "Jean-Paul"),
        ("a rendez-\nvous demain", "a rendez-vous demain"),
        ("post-\nopératoire", "post-opératoire"),
        ("le bien-être ; le bien-\nêtre", "le bien-être ; le bien-être"),
        ("un saut-lit, un saut-\nlit", "un saut-lit, un saut-lit"),
        ("un sautlit, un saut-lit, un saut-\nlit", "un sautlit, un saut-lit, un sautlit"),
        ("DUPONT-\nMARTIN", "DUPONT-MARTIN"),
        ("20-\n30 mg", "20-\n30 mg"),
        ("- un\n- deux", "- un\n- deux"),
        ("seul -\nmot", "seul -\nmot"),
        ("fin-\n\nautre", "fin-\n\nautre"),
        ("une dou\u2010\nleur", "une douleur"),
    ],
)
def test_words_over_two_lines(broken: str, whole: str) -> None:
    assert mended(broken) == whole


def test_a_capital_after_the_paragraphs_end_begins_another() -> None:
    assert list(find_word_breaks("Soekarno-\nPage 2", frozenset())) == []


@given(st.text(alphabet=f"aéBZ-{SOFT} \n1", max_size=40))
def test_only_hyphens_and_blanks_go(text: str) -> None:
    def letters(of: str) -> str:
        return "".join(char for char in of if char.isalnum())

    assert letters(mended(text)) == letters(text)


def test_a_soft_hyphen_stays_at_the_end_of_a_line_alone() -> None:
    assert clean_line(f"dou{SOFT}") == f"dou{SOFT}"
    assert clean_line(f"d{SOFT}ou{SOFT}  ") == f"dou{SOFT}"
    assert clean_line("ﬁn\u200b") == "fin"
