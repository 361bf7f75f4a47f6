import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.span import Span
from rules import ages, contacts, dates, identifiers
from rules.scan import Pattern, loosen

PATTERNS = (
    r"(?<![a-z])(mars|mar)(?![a-z])\.?",
    r"([0-9]{1,2})([/.\-])([0-9]{1,2})\2([0-9]{4})(?![0-9])",
    r"\bn[°o€] ?[0-9]+",
    r"[^\s<>«»]{2,}@\w+",
    r"(?:a|(?=b)c|(?!b)[\w\-]){1,3}x",
    r"[a-z]([ \-])(?:ans?)(?:[^a-z]|\Z)",
    r"\((?:[^()]{0,3})\)",
    r"[]a]{2}[^]b]",
)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(st.text(alphabet="mars an12/.-no°€ é«@bcx()]\n", max_size=40))
def test_finds_what_re_finds(pattern: str, text: str) -> None:
    found = [match.span() for match in Pattern(pattern).finditer(text)]
    assert found == [match.span() for match in re.finditer(pattern, text)]


@pytest.mark.parametrize(
    ("pattern", "loose"),
    [
        (r"(?<![0-9])a(?!b(?:c|[)]))\Z", "a"),
        (r"(a)\1", "(a)."),
        (r"[é°a]", r"[a\x3f]"),
        (r"[^é]", "[^]"),
        ("°", r"\x3f"),
        (r"\w[\w.]", r"[\w\x3f][\w.\x3f]"),
    ],
)
def test_loosen(pattern: str, loose: str) -> None:
    assert loosen(pattern) == loose


def test_what_is_refused_is_searched_again_after_its_first_group() -> None:
    pattern = Pattern(r"([0-9]+)-([0-9]+)")
    read = pattern.convert("1-2-3", lambda _, match: match[0] if match[1] == "2" else None)
    assert list(read) == ["2-3"]


HOSTILE = (
    "1 ", "12/", "1/1/", "12.03.", "2012 ", "a@", "@ ", "a.", "www.", "01 42 ", "+33 ", "(0)", "0",
    "8", "12 mars ", "du 12 au ", "age ", "de ", "n° ", "ipp:", "tel : au ", "fr76 ", "1-", "((",
    "vingt ", "dix-sept ", "patient ", " ", "\n", "née le ", "é", "et 3 ", "1:", "f", " . a",
    "poste ", "O1/", "12mar", "a.com/", "2-2-", "4111 ", "a@b.c 1.2.3.44 ",
)  # fmt: skip


@pytest.mark.parametrize("detect", [dates.detect, ages.detect, contacts.detect, identifiers.detect])
def test_time_grows_with_the_text_and_no_faster(
    detect: Callable[[Document], list[Span]],
) -> None:
    for unit in HOSTILE:
        text = (unit * (100_000 // len(unit) + 1))[:100_000]
        started = time.process_time()
        detect(Document("1", text))
        assert time.process_time() - started < 10, repr(unit)
