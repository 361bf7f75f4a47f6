import re
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from rules.ages import ages
from rules.contacts import contacts
from rules.dates import dates
from rules.identifiers import identifiers
from rules.matching.prefilter import leading_class, loosen, min_width
from rules.matching.scanner import AUTOMATA, Pattern, Patterns
from rules.names import names
from rules.places import places
from tests.growth import MOST, growth

PATTERNS = (
    r"(?<![0-9])[0-9]{2,3}(?![0-9])",
    r"(?<![a-zé])mar",
    r"(?<!a)m",
    r"(?<!\w)[an]{1,2}",
    r"(?<![/.?])[0-9]",
    r"(?<!ma)r|(?<!x)s",
    r"(?<![a-z])(mars|mar)(?![a-z])\.?",
    r"([0-9]{1,2})([/.\-])([0-9]{1,2})\2([0-9]{4})(?![0-9])",
    r"\bn[°o€] ?[0-9]+",
    r"[^\s<>«»]{2,}@\w+",
    r"(?:a|(?=b)c|(?!b)[\w\-]){1,3}x",
    r"[a-z]([ \-])(?:ans?)(?:[^a-z]|\Z)",
    r"\((?:[^()]{0,3})\)",
    r"[]a]{2}[^]b]",
)


FOLDED = [Pattern(expression) for expression in PATTERNS]
CASED = Pattern(r"(?<![A-Z])[A-Z][a-z]{1,8}(?: (?:de )?[A-Z]{2,})?(?!x)", cased=True)
HYPHENED = Pattern(r"([0-9]+)-([0-9]+)")


@pytest.mark.parametrize("pattern", FOLDED, ids=PATTERNS)
@given(st.text(alphabet="mars an12/.-no°€ é«@bcx()]\n", max_size=40))
def test_finds_what_re_finds(pattern: Pattern, text: str) -> None:
    found = [match.span() for match in pattern.finditer(text)]
    assert found == [match.span() for match in re.finditer(pattern.pattern, text)]


@given(st.text(alphabet="ABab dexÉé", max_size=40))
def test_finds_in_text_with_case_what_re_finds(text: str) -> None:
    found = [match.span() for match in CASED.finditer(text)]
    assert found == [match.span() for match in re.finditer(CASED.pattern, text)]


_FAMILIES = (ages, contacts, dates, identifiers, names, places)
EVERY = [pattern for automaton in AUTOMATA for pattern in automaton.patterns]
PIECES = (
    "12/03/2024", "né le ", "Dr ", "Martin", " ", ", ", "\n", "01 44 55 66 77", "a@b.fr", "67 ans",
    "n° ", "IPP : ", "8012345678", " rue des Lilas ", "75012 Paris", "CHU de Rouen", "mars", "Mme ",
    "12", "-", "/", "(", ")", "é", "ß", "œ", ".", "www.a.fr", "M. ", "D", "avenue", "Sr. ",
    "poste 12",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_every_expression_of_the_rules_finds_what_re_finds(text: str) -> None:
    for pattern in EVERY:
        found = [match.span() for match in pattern.finditer(text)]
        assert found == [match.span() for match in re.finditer(pattern.pattern, text)]


@pytest.mark.parametrize(
    ("pattern", "loose"),
    [
        (r"(?<![0-9])a(?!b(?:c|[)]))\Z", "a"),
        (r"(a)\1", "(a)."),
        (r"[é°a]b", r"[a\x3f]b"),
        (r"[^é]", r"[\s\S]"),
        (r"[^éa]", "[^a]"),
        ("°", r"\x3f"),
        (r"\w[\w.]", r"[\w\x3f][\w.\x3f]"),
        (r"ab[0-9]{1,3}(?:ans?)?(?!z)", "ab[0-9]"),
        (r"a(?:b+|cd{2,5})", "a(?:b|cd{2})"),
        (r"a(?P<one>b?|c)", "a(?:b?|c)"),
        (r"x{0,4}", r"x{0,4}"),
        (r"abc(?:[a-z]{1,60} ){1,4}", r"abc(?:[a-z]{1,60} )"),
        (r"abc(?:[a-z]{1,60} ){2,4}d", "abc"),
        (r"\bfoo\b", r"\bfoo\b"),
    ],
)
def test_loosen(pattern: str, loose: str) -> None:
    assert loosen(pattern) == loose


def test_what_is_refused_is_searched_again_after_its_first_group() -> None:
    read = HYPHENED.convert("1-2-3", lambda _, match: match[0] if match[1] == "2" else None)
    assert list(read) == ["2-3"]


def test_the_first_match_and_the_match_at_a_place() -> None:
    first = HYPHENED.search("a 1-2 3-4")
    assert first is not None
    assert first.span() == (2, 5)
    assert HYPHENED.search("a") is None
    assert HYPHENED.match("a 1-2", 1) is None


def test_several_expressions_are_asked_together() -> None:
    several = Patterns([HYPHENED, FOLDED[0]])
    assert [(index, match[0]) for index, match in several.finditer("123 4-5 67")] == [
        (0, "4-5"), (1, "123"), (1, "67")
    ]  # fmt: skip
    assert len(several) == 2
    assert several[1] is FOLDED[0]
    with pytest.raises(ValueError, match="different readings"):
        Patterns([HYPHENED, CASED])


@pytest.mark.parametrize(
    ("pattern", "lead"),
    [
        (r"(?<![0-9])1", "(?:^|[^0-9])"),
        (r"(?<![a-zé])1", "(?:^|[^a-z])"),
        (r"(?<!\w)1", r"(?:^|[^\w])"),
        (r"(?<!a)1", "(?:^|[^a])"),
        (r"(?<![?!])1", ""),
        (r"(?<![^a])1", ""),
        (r"(?<![^\n])1", r"(?:^|\n)"),
        (r"(?<!ab)1", ""),
        (r"(?<!é)1", ""),
        (r"(?<!.)1", ""),
        (r"(?<![a])1|2", ""),
        (r"1", ""),
    ],
)
def test_leading(pattern: str, lead: str) -> None:
    assert leading_class(pattern) == lead


@pytest.mark.parametrize(
    ("pattern", "characters"),
    [("abc", 3), (r"\ba?b{2,5}[cd]+", 3), ("ab|c", 1), ("(?P<x>a|bc){2}d", 3), ("a*", 0)],
)
def test_narrowest(pattern: str, characters: int) -> None:
    assert min_width(pattern) == characters


def test_threads_scan_side_by_side() -> None:
    texts = [f"{number}-{number} " * 50 for number in range(200)]
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda text: len(list(HYPHENED.finditer(text))), texts))
    assert counts == [50] * 200


HOSTILE = (
    "1 ", "12/", "1/1/", "12.03.", "2012 ", "a@", "@ ", "a.", "www.", "01 42 ", "+33 ", "(0)", "0",
    "8", "12 mars ", "du 12 au ", "age ", "de ", "n° ", "ipp:", "tel : au ", "fr76 ", "1-", "((",
    "vingt ", "dix-sept ", "patient ", " ", "\n", "née le ", "é", "et 3 ", "1:", "f", " . a",
    "poste ", "O1/", "12mar", "a.com/", "2-2-", "4111 ", "a@b.c 1.2.3.44 ",
)  # fmt: skip


@pytest.mark.parametrize("family", _FAMILIES, ids=lambda family: family.__name__)
def test_time_grows_with_the_text_and_no_faster(family: ModuleType) -> None:
    for unit in HOSTILE:
        work = growth(lambda text: family.detect(Document("1", text)), unit)
        assert work < MOST, repr(unit)
